#!/bin/sh
# What each group of the search's heuristics is worth: the engine plays itself without the group.
#   ablation.sh ENGINE OPENINGS FOLDER [GROUP...]
# ENGINE is built with `--features tune`, whose options switch a group off by values out of reach. A
# row is the score of the whole engine. From the environment: MATCH (the tool), LIMIT (of each move or
# game, as `--tc` takes it), ROUNDS (pairs of games), CONCURRENCY.
set -eu
engine=$1 openings=$2 folder=$3
shift 3
mkdir -p "$folder"

# The group's name, then the options that switch it off.
play() {
    name=$1
    shift
    "${MATCH:-match}" --engine "cmd=$engine" name=whole --engine "cmd=$engine" "name=$name" "$@" \
        --each option.Hash=16 option.Threads=1 --tc "${LIMIT:-nodes=10000}" --rounds "${ROUNDS:-100}" \
        --concurrency "${CONCURRENCY:-2}" --openings "$openings" --draw 40 8 10 --resign 4 600 \
        --pgn "$folder/$name.pgn" >"$folder/$name.txt"
    echo "$name: $(grep '^whole against' "$folder/$name.txt" | tail -1)"
}

[ $# -gt 0 ] || set -- correction ordering razoring reverse-futility null-move probcut hindsight \
    late-move-pruning futility history-pruning exchanges singular reductions modifiers deeper
for group; do
    case $group in
    correction)
        play "$group" option.correction_pawn=0 option.correction_minor=0 \
            option.correction_non_pawn=0 option.correction_continuation=0
        ;;
    ordering) # by threats and checks
        play "$group" option.order_threat_queen=0 option.order_threat_rook=0 \
            option.order_threat_minor=0 option.order_check=0
        ;;
    razoring) play "$group" option.razor_base=30000 ;;
    reverse-futility) play "$group" option.rfp_depth=0 ;;
    null-move) play "$group" option.nmp_least=250 ;;
    probcut) play "$group" option.probcut_margin=30000 ;;
    hindsight) play "$group" option.hindsight_eval=30000 ;; # the ply taken off
    late-move-pruning) play "$group" option.lmp_base=30000 ;;
    futility)
        play "$group" option.futility_depth=0 option.futility_base=250 \
            option.noisy_futility_base=30000
        ;;
    history-pruning) play "$group" option.history_prune_depth=0 ;;
    exchanges) play "$group" option.see_quiet_slope=30000 option.see_noisy_slope=30000 ;;
    singular) play "$group" option.singular_depth=250 ;;
    reductions) # by depth and place; what modifies them stays
        play "$group" option.lmr_base=0 option.lmr_divisor=30000
        ;;
    modifiers)
        play "$group" option.lmr_history=30000 option.lmr_cut=0 option.lmr_noisy_table=0 \
            option.lmr_cutoffs=0 option.lmr_pv=0 option.lmr_was_pv=0 option.lmr_improving=0 \
            option.lmr_correction=1000
        ;;
    deeper) play "$group" option.deeper_margin=30000 ;; # re-searches one ply deeper
    *) echo "ablation.sh: no group is called $group" >&2 && exit 1 ;;
    esac
done
