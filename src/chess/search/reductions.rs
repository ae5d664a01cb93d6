//! Reductions: by how many plies less a node or a move is searched at first.

use super::{
    alphabeta::Node,
    history::HISTORY_MAX,
    tt::Entry,
    tunables::{
        hindsight_eval, lmr_base, lmr_correction, lmr_cut, lmr_cutoffs, lmr_divisor, lmr_history,
        lmr_improving, lmr_no_move, lmr_noisy_table, lmr_pv, lmr_pv_deep, lmr_pv_good, lmr_was_pv,
    },
    worker::{Ply, Worker},
};
use crate::{
    chess::{moves::Move, score::Score},
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
pub(super) const fn internal_iterative(node: &mut Node) {
    if node.depth >= 4
        && node.excluded.is_none()
        && node.tt_move().is_none()
        && (node.pv || node.expected_cut)
    {
        node.depth -= 1;
    }
}

/// Hindsight (Stockfish): the move that led here was reduced on a guess. If the evaluation did not
/// get worse for its side's opponent after all, the guess was bad and a ply is given back; if both
/// evaluations together say that the mover stands well, another ply goes.
pub(super) fn hindsight(node: &mut Node, parent: &Ply) {
    let Some(before) = parent.eval.filter(|_| !node.in_check && node.excluded.is_none()) else {
        return;
    };
    if parent.reduction >= 3 && !node.opponent_worsening {
        node.depth += 1;
    } else if parent.reduction >= 1
        && node.depth >= 2
        && node.static_eval + before > hindsight_eval()
    {
        node.depth -= 1;
    }
}

/// What the table's entry says about the reduction of the other moves, in 1024ths of a ply: without
/// a move from the table a cut is less likely to be found late; a node of the principal variation
/// matters the more if its score is good, or known from as deep a search (Stockfish, Reckless).
fn table_terms(node: &Node) -> i32 {
    let Some(entry) = node.tt.filter(|entry| entry.mv.is_some()) else {
        return lmr_no_move() * i32::from(node.expected_cut);
    };
    if !node.was_pv {
        return 0;
    }
    -lmr_pv_good() * i32::from(entry.score > node.alpha)
        - lmr_pv_deep() * i32::from(entry.depth >= node.depth)
}

/// What a move brings to the question of its reduction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub(super) mv: Move,
    /// Place in the order, from 1.
    pub(super) count: usize,
    /// Three histories of a quiet move, one table's of a capture.
    pub(super) history: i32,
}

impl Worker<'_> {
    /// The reduction of the `count`th move by depth and place alone, in 1024ths of a ply: the
    /// product of the logarithms of both (Romstad, Glaurung; Fruit).
    pub(super) fn base_reduction(&self, depth: i32, count: usize) -> i32 {
        let logarithms = &self.shared.logarithms;
        let product = logarithms[depth.clamp(0, 255) as usize] * logarithms[count.min(255)];
        // Both logarithms are in 32nds: the product is in 1024ths of a ply.
        lmr_base() + product * 100 / lmr_divisor()
    }

    /// Late move reduction in 1024ths of a ply: what speaks for the move takes plies off, what
    /// speaks against it or against the node adds some. May be negative.
    pub(super) fn reduction(&self, node: &Node, candidate: &Candidate, gives_check: bool) -> i32 {
        let mut reduction = self.base_reduction(node.depth, candidate.count);
        if candidate.mv.is_quiet() {
            reduction -= 1024 * candidate.history / lmr_history();
        } else {
            reduction -= 512 + 512 * candidate.history / HISTORY_MAX;
        }
        reduction += lmr_cut() * i32::from(node.expected_cut);
        reduction += lmr_noisy_table() * i32::from(node.tt_move().is_some_and(Move::is_noisy));
        reduction += lmr_cutoffs() * i32::from(self.stack[node.ply + 1].cutoffs > 2);
        reduction -= lmr_pv() * i32::from(node.pv);
        reduction -= lmr_was_pv() * i32::from(node.was_pv);
        reduction += table_terms(node);
        reduction -= lmr_improving() * i32::from(node.improving);
        reduction -= 768 * i32::from(gives_check);
        // Where the evaluation is known to be off, looking closer pays.
        reduction - node.correction.abs() / lmr_correction()
    }
}
