//! What a finished node teaches: histories of moves, corrections of the evaluation.

use arrayvec::ArrayVec;

use super::{
    alphabeta::{Best, Node},
    history::{self, Context, Threats},
    tt::Entry,
    worker::Worker,
};
use crate::chess::{
    moves::Move,
    position::Position,
    score::{Score, is_decisive},
};

/// The moves already searched at a node, to be punished when another proves best.
#[derive(Debug, Default)]
pub(super) struct Tried {
    quiet: ArrayVec<Move, 64>,
    noisy: ArrayVec<Move, 32>,
}

impl Tried {
    /// Notes a move; past the capacity the rest are let go, since they matter least.
    pub(super) fn note(&mut self, mv: Move) {
        let _ = if mv.is_quiet() { self.quiet.try_push(mv) } else { self.noisy.try_push(mv) };
    }
}

impl Worker<'_> {
    /// A move failed high, or is the best of the principal variation: it is remembered, those tried
    /// before it are marked down.
    pub(super) fn reward(&mut self, position: &Position, node: &Node, mv: Move, tried: &Tried) {
        // Against an evaluation that saw nothing of it, the move is the more remarkable.
        let depth = node.depth + i32::from(!node.in_check && node.static_eval <= node.alpha);
        let (bonus, malus) = (history::bonus(depth), history::malus(depth));
        if mv.is_quiet() {
            self.stack[node.ply].killer = Some(mv);
            let piece = position.moved(mv);
            self.histories.update_quiet(&node.context, piece, mv, bonus);
            for &other in tried.quiet.iter().filter(|&&other| other != mv) {
                let piece = position.moved(other);
                self.histories.update_quiet(&node.context, piece, other, -malus);
            }
        } else {
            self.histories.update_noisy(position, mv, bonus);
        }
        for &other in tried.noisy.iter().filter(|&&other| other != mv) {
            self.histories.update_noisy(position, other, -malus);
        }
        self.punish_refuted(node, malus);
    }

    /// The move that led here was the first choice, and it is refuted.
    fn punish_refuted(&mut self, node: &Node, malus: i32) {
        if node.ply == 0 {
            return;
        }
        let parent = *self.stack.before(node.ply, 1);
        if let Some(arrival) = parent.arrival.filter(|_| parent.count == 1 && !parent.noisy) {
            let continued = self.stack.continued(node.ply - 1);
            self.histories.update_continuations(&continued, arrival, -malus);
        }
    }

    /// Nothing here reached alpha: the quiet move that led here did its work.
    pub(super) fn reward_previous(&mut self, position: &Position, node: &Node) {
        if node.ply == 0 {
            return;
        }
        let parent = *self.stack.before(node.ply, 1);
        let (Some(mv), Some(arrival)) = (parent.mv, parent.arrival) else { return };
        if parent.noisy {
            return;
        }
        let late = i32::from(parent.count > 6);
        let bonus = history::bonus(node.depth) * (2 + late) / 3;
        let continued = self.stack.continued(node.ply - 1);
        self.histories.update_continuations(&continued, arrival, bonus);
        let color = !position.side_to_move();
        self.histories.update_squares(color, parent.threats, mv, bonus / 2);
    }

    /// The evaluation after a quiet move, against that before it, tells what the move was worth
    /// (Stockfish).
    pub(super) fn learn_from_evaluation(&mut self, position: &Position, node: &Node) {
        if node.ply == 0 || node.in_check || node.excluded.is_some() {
            return;
        }
        let parent = *self.stack.before(node.ply, 1);
        let (Some(mv), Some(before)) = (parent.mv, parent.eval) else { return };
        if !parent.noisy {
            let gain = -(before + node.static_eval);
            let bonus = (6 * gain).clamp(-700, 700);
            let color = !position.side_to_move();
            self.histories.update_squares(color, parent.threats, mv, bonus);
        }
    }

    /// The table's entry ended the node with a quiet move that holds beta: it gets its due as if
    /// searched.
    pub(super) fn learn_from_table(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        beta: Score,
        entry: &Entry,
    ) {
        let Some(mv) = entry.mv.filter(|mv| mv.is_quiet() && entry.score >= beta) else { return };
        let continued = self.stack.continued(ply);
        let context = Context::new(position, ply, continued, Threats::new(position));
        self.histories.update_quiet(&context, position.moved(mv), mv, history::bonus(depth));
    }

    /// The search has found what the evaluation should have said.
    pub(super) fn correct_evaluation(&mut self, node: &Node, best: &Best) {
        let quiet = best.mv.is_none_or(Move::is_quiet);
        let says_nothing = (best.score >= node.beta && best.score <= node.static_eval)
            || (best.mv.is_none() && best.score >= node.static_eval);
        if node.in_check || !quiet || says_nothing || is_decisive(best.score) {
            return;
        }
        self.corrections.learn(&node.slots, best.score - node.static_eval, node.depth);
    }
}
