#!/bin/sh
# What each group of the search's heuristics is worth: the engine plays itself without the group, 200
# games of 5,000 nodes a move. A row is the score of the whole engine.
#   ablation.sh ENGINE OPENINGS FOLDER [GROUP...]
# ENGINE is built with `--features tune`, whose options switch a group off by values out of reach. What
# the words mean, and what is read from the environment: `play.sh`.
. "$(dirname "$0")/play.sh"

without() {
    play whole nodes=5000 "$group" "cmd=$engine" "$@"
}

[ $# -gt 0 ] || set -- correction ordering razoring reverse-futility null-move probcut hindsight \
    late-move-pruning futility history-pruning exchanges singular reductions modifiers deeper
for group; do
    case $group in
    correction)
        without option.correction_pawn=0 option.correction_minor=0 \
            option.correction_non_pawn=0 option.correction_continuation=0
        ;;
    ordering) # by threats and checks
        without option.order_threat_queen=0 option.order_threat_rook=0 \
            option.order_threat_minor=0 option.order_check=0
        ;;
    razoring) without option.razor_base=30000 ;;
    reverse-futility) without option.rfp_depth=0 ;;
    null-move) without option.nmp_least=250 ;;
    probcut) without option.probcut_margin=30000 option.probcut_known=30000 ;;
    hindsight) without option.hindsight_eval=30000 ;; # the ply taken off
    late-move-pruning) without option.lmp_base=30000 ;;
    futility) without option.futility_depth=-1 option.noisy_futility_base=30000 ;;
    history-pruning) without option.history_prune_depth=-1 ;;
    # Quiet moves of no depth left still may not lose material: their margin is no tunable.
    exchanges) without option.see_quiet_slope=30000 option.see_noisy_slope=30000 ;;
    singular) without option.singular_depth=250 ;;
    # By depth and place; what modifies them stays.
    reductions) without option.lmr_base=0 option.lmr_divisor=30000 ;;
    modifiers)
        without option.lmr_history=30000 option.lmr_cut=0 option.lmr_noisy_table=0 \
            option.lmr_cutoffs=0 option.lmr_pv=0 option.lmr_was_pv=0 option.lmr_improving=0 \
            option.lmr_no_move=0 option.lmr_pv_good=0 option.lmr_pv_deep=0 \
            option.lmr_correction=1000
        ;;
    deeper) without option.deeper_margin=30000 ;; # re-searches one ply deeper
    *) echo "ablation.sh: no group is called $group" >&2 && exit 1 ;;
    esac
done
