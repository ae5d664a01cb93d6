//! Prunings: facts of a node in, a verdict out.

use super::{
    alphabeta::Node,
    tunables::{nmp_base, nmp_depth, nmp_eval, rfp_depth, rfp_improving, rfp_margin},
};
use crate::{
    chess::{
        moves::Move,
        position::Position,
        score::{Score, is_decisive},
    },
    engine::Bound,
};

/// Null-move cutoffs from this depth on are verified by a search without null moves.
pub(super) const VERIFIED_DEPTH: i32 = 14;

/// The table's score ends the node if it is deep enough and its bound decides the window.
///
/// Not on the principal variation, whose line would break off; nor close to the fifty-move rule,
/// of which the table knows nothing.
pub(super) fn table_cutoff(node: &Node, position: &Position) -> Option<Score> {
    let entry = node.tt?;
    if node.pv || entry.depth < node.depth || position.halfmove_clock() >= 90 {
        return None;
    }
    let decides = match entry.bound? {
        Bound::Exact => true,
        Bound::Lower => entry.score >= node.beta,
        Bound::Upper => entry.score <= node.alpha,
    };
    decides.then_some(entry.score)
}

/// Reverse futility pruning: so far above beta, at so little depth, that no reply is likely to
/// bring the score back.
///
/// Off in PV nodes, where an exact score is wanted, and in check, where the static evaluation means
/// nothing. Returns a value between evaluation and beta, as the evaluation itself proves too much.
/// <https://www.chessprogramming.org/Reverse_Futility_Pruning>
pub(super) fn reverse_futility(node: &Node) -> Option<Score> {
    if node.pv || node.in_check || node.depth > rfp_depth() || is_decisive(node.beta) {
        return None;
    }
    let margin = rfp_margin() * node.depth - rfp_improving() * i32::from(node.improving);
    (node.eval - margin >= node.beta && !is_decisive(node.eval))
        .then_some(i32::midpoint(node.eval, node.beta))
}

/// Whether passing may be tried: the evaluation holds beta already and there are pieces to move.
pub(super) fn may_pass(node: &Node, position: &Position) -> bool {
    !node.pv
        && !node.in_check
        && node.depth >= 3
        && node.eval >= node.beta
        && !is_decisive(node.beta)
        && position.has_non_pawn_material(position.side_to_move())
}

/// How many plies shallower the reply to a null move is searched.
pub(super) fn null_move_reduction(node: &Node) -> i32 {
    nmp_base() + node.depth / nmp_depth() + ((node.eval - node.beta) / nmp_eval()).min(3)
}

/// Late move pruning: of many quiet moves at little depth the last are hardly ever best.
pub(super) fn late_move(node: &Node, count: usize) -> bool {
    let most = (3 + node.depth * node.depth) / (2 - i32::from(node.improving));
    !node.pv && !node.in_check && node.depth <= 8 && count as i32 > most
}

/// A move that loses more material by exchanges than the depth could win back.
pub(super) fn losing_exchange(position: &Position, node: &Node, mv: Move) -> bool {
    let margin = if mv.is_quiet() { -60 * node.depth } else { -25 * node.depth * node.depth };
    !node.pv && node.depth <= 8 && !position.see_ge(mv, margin)
}
