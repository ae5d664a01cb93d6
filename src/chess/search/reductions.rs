//! Reductions and extensions: how many plies a node or a move deserves.

use super::{
    alphabeta::Node,
    history::HISTORY_MAX,
    tt::Entry,
    tunables::{lmr_base, lmr_divisor, lmr_history},
    worker::Worker,
};
use crate::{
    chess::{moves::Move, position::Position, score::Score},
    engine::Bound,
};

/// 32 ln(n), for n from 0 (taken as 1) to 255.
pub(super) fn logarithms() -> [i32; 256] {
    std::array::from_fn(|n| (32.0 * (n.max(1) as f64).ln()).round() as i32)
}

/// The static evaluation, moved to the table's score where that is a bound beyond it.
pub(super) fn refine(eval: Score, entry: Option<&Entry>) -> Score {
    let Some((score, bound)) = entry.and_then(|e| Some((e.score, e.bound?))) else { return eval };
    let says_more = match bound {
        Bound::Exact => true,
        Bound::Lower => score > eval,
        Bound::Upper => score < eval,
    };
    if says_more && !crate::chess::score::is_decisive(score) { score } else { eval }
}

/// Internal iterative reduction (Ed Schröder 2020): without a move from the table the node is
/// badly ordered; a shallower search finds one for the next visit.
pub(super) fn internal_iterative(node: &mut Node) {
    if node.depth >= 4 && node.tt_move().is_none() && (node.pv || node.expected_cut) {
        node.depth -= 1;
    }
}

impl Worker<'_> {
    /// Late move reduction: plies by which the `count`th move is searched less deep at first.
    ///
    /// The base grows with the logarithms of depth and move number (Romstad, Glaurung; Fruit);
    /// what speaks for the move takes plies off.
    pub(super) fn reduction(&self, child: &Position, node: &Node, mv: Move, count: usize) -> i32 {
        if node.depth < 3 || count < 2 + 2 * usize::from(node.pv) || node.in_check {
            return 0;
        }
        let logarithms = &self.shared.logarithms;
        let product = logarithms[node.depth.min(255) as usize] * logarithms[count.min(255)];
        // Both logarithms are in 32nds: the product is in 1024ths of a ply.
        let mut reduction = lmr_base() + product * 100 / lmr_divisor();
        if mv.is_quiet() {
            let color = !child.side_to_move();
            reduction -= 1024 * self.histories.quiet(color, mv) / lmr_history();
            reduction += 1024 * i32::from(node.expected_cut);
        } else {
            reduction -= 1024 + 512 * self.histories.noisy_after(child, mv) / HISTORY_MAX;
        }
        reduction -= 1024 * i32::from(node.pv);
        reduction -= 512 * i32::from(node.improving);
        reduction -= 1024 * i32::from(child.in_check());
        (reduction / 1024).clamp(0, node.depth - 2)
    }
}
