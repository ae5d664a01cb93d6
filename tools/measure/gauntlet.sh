#!/bin/sh
# Plays an engine against those that Debian packages: 200 games each at 4+0.04, 16 MiB, one thread.
#   gauntlet.sh ENGINE OPENINGS FOLDER [OPPONENT...]
# OPENINGS is a PGN or EPD file; games and tables go into FOLDER, and a match that is there goes on.
# From the environment: MATCH (the tool), TC, ROUNDS (pairs of games), CONCURRENCY.
set -eu
engine=$1 openings=$2 folder=$3
shift 3
mkdir -p "$folder"

# The opponent's name, then the words that `match` wants.
play() {
    name=$1
    shift
    "${MATCH:-match}" --engine "cmd=$engine" name=tegenspel --engine "$@" "name=$name" \
        --each option.Hash=16 option.Threads=1 --tc "${TC:-4+0.04}" --rounds "${ROUNDS:-100}" \
        --concurrency "${CONCURRENCY:-2}" --openings "$openings" --draw 40 8 10 --resign 4 600 \
        --pgn "$folder/$name.pgn" >"$folder/$name.txt"
    grep '^tegenspel against' "$folder/$name.txt" | tail -1
}

[ $# -gt 0 ] || set -- toga2 glaurung fairy-stockfish ethereal stockfish-classical
for opponent; do
    case $opponent in
    toga2 | glaurung) play "$opponent" "cmd=$opponent" option.OwnBook=false ;;
    fairy-stockfish | stockfish) play "$opponent" "cmd=$opponent" ;;
    ethereal) play ethereal cmd=ethereal-chess ;;
    stockfish-classical) play stockfish-classical cmd=stockfish "option.Use NNUE=false" ;;
    *) echo "gauntlet.sh: no opponent is called $opponent" >&2 && exit 1 ;;
    esac
done
