//! Extensions: a move without which the node would fall is searched deeper.

use super::{
    alphabeta::{Node, NonPv},
    tunables::{double_margin, singular_depth, singular_slope, triple_margin},
    worker::Worker,
};
use crate::{
    chess::{
        moves::Move,
        position::Position,
        score::{Score, is_decisive},
    },
    engine::Bound,
};

/// What the search without the table's move said of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Search it deeper by so many plies, less deep if negative.
    Extend(i32),
    /// Other moves fail high as well: the node is cut off here (multi-cut).
    Cut(Score),
}

impl Worker<'_> {
    /// Singular extension (Anantharaman, Campbell & Hsu 1988) of the table's move: all others are
    /// searched, at half the depth, against a bound below the table's score. If none reaches it,
    /// the move is alone in holding the node. Double and triple extensions, multi-cut and negative
    /// extensions as in Stockfish.
    pub(super) fn singular(&mut self, position: &Position, node: &Node, mv: Move) -> Verdict {
        let none = Verdict::Extend(0);
        let Some(entry) = node.tt.filter(|entry| entry.mv == Some(mv)) else { return none };
        let deep_enough = node.depth >= singular_depth() + i32::from(node.was_pv)
            && entry.depth >= node.depth - 3
            && matches!(entry.bound, Some(Bound::Lower | Bound::Exact));
        let too_long = node.ply >= 2 * self.root_depth as usize;
        if !deep_enough || too_long || is_decisive(entry.score) || node.excluded.is_some() {
            return none;
        }
        let widened = i32::from(node.was_pv && !node.pv);
        let bound = entry.score - node.depth * (singular_slope() + 32 * widened) / 64;
        let window = (bound - 1, bound);
        self.stack[node.ply].excluded = Some(mv);
        let depth = (node.depth - 1) / 2;
        let score = self.search::<NonPv>(position, node.ply, depth, window, node.expected_cut);
        self.stack[node.ply].excluded = None;
        if self.stopped() {
            return none;
        }
        if score < bound {
            let double = score < bound - double_margin() * i32::from(node.pv) - 4
                && self.stack[node.ply].extensions < 12;
            let triple = double && !node.pv && mv.is_quiet() && score < bound - triple_margin();
            Verdict::Extend(1 + i32::from(double) + i32::from(triple))
        } else if score >= node.beta && !is_decisive(score) {
            // Half the depth proves half as much.
            Verdict::Cut((score * depth + node.beta) / (depth + 1))
        } else if entry.score >= node.beta {
            Verdict::Extend(if node.pv { -2 } else { -3 })
        } else if node.expected_cut {
            Verdict::Extend(-2)
        } else {
            none
        }
    }
}
