//! Prunings: facts of a node in, a verdict out.

use super::{
    alphabeta::Node,
    reductions::Candidate,
    tt::Entry,
    tunables::{
        futility_base, futility_depth, futility_slope, history_prune_depth, history_prune_slope,
        lmp_base, nmp_base, nmp_depth, nmp_eval, nmp_least, noisy_futility_base,
        noisy_futility_slope, probcut_known, razor_base, razor_slope, rfp_depth, rfp_improving,
        rfp_margin, see_noisy_slope, see_quiet_slope,
    },
};
use crate::{
    chess::{
        moves::Move,
        position::Position,
        score::{Score, is_decisive},
        see::SEE_VALUES,
    },
    engine::Bound,
};

/// Null-move cutoffs from this depth on are verified by a search without null moves.
pub(super) const VERIFIED_DEPTH: i32 = 14;

/// The table's score ends the node if it is deep enough and its bound decides the window.
///
/// Not close to the fifty-move rule, of which the table knows nothing. A score against what the node
/// was expected to be is believed at depth only, since shallow ones settle many nodes on one
/// doubtful entry (Stockfish).
pub(super) fn table_cutoff(
    entry: &Entry,
    position: &Position,
    depth: i32,
    (alpha, beta): (Score, Score),
    expected_cut: bool,
) -> Option<Score> {
    let deep = entry.depth >= depth && position.halfmove_clock() < 90;
    let as_expected = expected_cut == (entry.score >= beta) || depth > 5;
    (deep && as_expected && entry.decides(alpha, beta)).then_some(entry.score)
}

/// Whether a node is so far below alpha that only captures could help: quiescence will tell.
///
/// Razoring (Birmingham & Kent 1977), in the form of Stockfish.
pub(super) fn may_raze(node: &Node) -> bool {
    node.eval < node.alpha - razor_base() - razor_slope() * node.depth * node.depth
        && node.alpha.abs() < 2000
}

/// Reverse futility pruning: so far above beta, at so little depth, that no reply is likely to
/// bring the score back.
///
/// Off in PV nodes, where an exact score is wanted, and in check, where the static evaluation means
/// nothing. Returns a value between evaluation and beta, as the evaluation itself proves too much.
/// <https://www.chessprogramming.org/Reverse_Futility_Pruning>
pub(super) fn reverse_futility(node: &Node) -> Option<Score> {
    if node.was_pv || node.depth > rfp_depth() || is_decisive(node.beta) {
        return None;
    }
    // A capture in the table is a move to look at, not a reason to believe the evaluation.
    if node.tt_move().is_some_and(Move::is_noisy) && node.depth < 3 {
        return None;
    }
    let margin = rfp_margin() * node.depth
        - rfp_improving() * i32::from(node.improving)
        - rfp_improving() / 3 * i32::from(node.opponent_worsening);
    (node.eval - margin >= node.beta && !is_decisive(node.eval))
        .then_some(i32::midpoint(node.eval, node.beta))
}

/// ProbCut by the table's word alone: an entry not much too shallow says that the score is far above
/// beta (Stockfish).
pub(super) fn known_probcut(node: &Node) -> Option<Score> {
    let beta = node.beta + probcut_known();
    let entry = node.tt.filter(|_| node.excluded.is_none())?;
    let known = entry.bound == Some(Bound::Lower)
        && entry.depth >= node.depth - 4
        && entry.score >= beta
        && !is_decisive(node.beta)
        && !is_decisive(entry.score);
    known.then_some(beta)
}

/// Whether passing may be tried: the evaluation holds beta already and there are pieces to move.
pub(super) fn may_pass(node: &Node, position: &Position) -> bool {
    node.depth >= nmp_least()
        && node.eval >= node.beta
        && node.static_eval + 20 * node.depth - 160 >= node.beta
        && !is_decisive(node.beta)
        && position.has_non_pawn_material(position.side_to_move())
}

/// How many plies shallower the reply to a null move is searched.
pub(super) fn null_move_reduction(node: &Node) -> i32 {
    nmp_base() + node.depth / nmp_depth() + ((node.eval - node.beta) / nmp_eval()).min(3)
}

/// Late move pruning: of many quiet moves at little depth the last are hardly ever best.
pub(super) fn late_move(node: &Node, count: usize) -> bool {
    let most = (lmp_base() + node.depth * node.depth) / (2 - i32::from(node.improving));
    count as i32 >= most
}

/// Futility pruning (Heinz 1998): a quiet move this late cannot lift an evaluation this low. Returns
/// how far it might.
pub(super) fn futile_quiet(node: &Node, alpha: Score, reduced_depth: i32) -> Option<Score> {
    let most = node.static_eval + futility_base() + futility_slope() * reduced_depth;
    (!node.in_check && reduced_depth <= futility_depth() && most <= alpha).then_some(most)
}

/// History pruning: a quiet move that has done badly everywhere else.
pub(super) fn hopeless_history(reduced_depth: i32, history: i32) -> bool {
    reduced_depth <= history_prune_depth() && history < -history_prune_slope() * reduced_depth
}

/// A capture whose piece is worth too little to lift the evaluation to alpha. Returns how far it
/// might.
pub(super) fn futile_noisy(
    node: &Node,
    alpha: Score,
    position: &Position,
    candidate: &Candidate,
    reduced_depth: i32,
) -> Option<Score> {
    let gain = position.captured(candidate.mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
    let most = node.static_eval
        + noisy_futility_base()
        + noisy_futility_slope() * reduced_depth
        + gain
        + candidate.history / 64;
    (!node.in_check && reduced_depth <= 6 && most <= alpha).then_some(most)
}

/// A quiet move that loses more material by exchanges than its reduced depth could win back.
pub(super) fn losing_quiet(position: &Position, mv: Move, reduced_depth: i32) -> bool {
    !position.see_ge(mv, -see_quiet_slope() * reduced_depth * reduced_depth)
}

/// A capture that loses more material by exchanges than the depth could win back.
pub(super) fn losing_noisy(position: &Position, node: &Node, candidate: &Candidate) -> bool {
    let margin = see_noisy_slope() * node.depth + candidate.history / 64;
    !position.see_ge(candidate.mv, -margin.max(0))
}
