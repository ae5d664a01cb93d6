# Read by `gauntlet.sh` and `ablation.sh`, whose first arguments are ENGINE, OPENINGS (a PGN or EPD file)
# and FOLDER; games and tables go into FOLDER, and a match that is there goes on. From the environment:
# MATCH (the tool), TC (each player's clock, or `nodes=N` a move), ROUNDS (pairs of games), CONCURRENCY.
set -eu
engine=$1 openings=$2 folder=$3
shift 3
mkdir -p "$folder"

# 16 MiB, one thread: `play US CLOCK NAME WORD...`, what ENGINE is called, the clock if TC is not set,
# the opponent's name, and the words that `match` wants for it.
play() {
    us=$1 clock=$2 name=$3
    shift 3
    "${MATCH:-match}" --engine "cmd=$engine" "name=$us" --engine "$@" "name=$name" \
        --each option.Hash=16 option.Threads=1 --tc "${TC:-$clock}" --rounds "${ROUNDS:-100}" \
        --concurrency "${CONCURRENCY:-2}" --openings "$openings" --draw 40 8 10 --resign 4 600 \
        --pgn "$folder/$name.pgn" >"$folder/$name.txt"
    grep "^$us against" "$folder/$name.txt" | tail -1
}
