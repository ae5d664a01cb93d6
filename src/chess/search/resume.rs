//! Going on where an earlier search ended: an analysis that comes back to a position, or that loads
//! its table from a file, need not search again what the table still knows.

use super::worker::Worker;
use crate::{chess::moves::Move, chess::score::is_decisive, engine::Bound};

/// Depth from which an entry is worth to be resumed: what is less deep is searched in no time.
const LEAST_DEPTH: i32 = 8;

impl Worker<'_> {
    /// Takes the root's exact entry for a finished iteration, and returns its depth, at most
    /// `deepest`.
    ///
    /// Only where nothing but depth or the user's word ends the search: a clock, a count of nodes, a
    /// limited player or several lines get what they ask for by searching. The entry must be of the
    /// same question: all moves, no repetition in the game, no verdict of endgame tables. Its reply
    /// must be known, too, since sixteen bits of a key can agree by chance.
    pub(super) fn resume(&mut self, lines: usize, deepest: i32) -> Option<i32> {
        let shared = self.shared;
        let limits = shared.limits;
        let ranked = self.root_moves.iter().any(|root| root.verdict.is_some());
        let asked_more = limits.mate.is_some() || limits.is_short_of_time() || lines > 1;
        if asked_more
            || shared.budget.is_some()
            || !self.asks_all()
            || ranked
            || self.line.is_of_the_game(&self.root)
        {
            return None;
        }
        let entry = shared.tt.probe(self.root.key())?;
        let score = entry.score_at(0, self.root.halfmove_clock());
        if entry.bound != Some(Bound::Exact) || entry.depth < LEAST_DEPTH || is_decisive(score) {
            return None;
        }
        let pv = self.line_of_table(entry.depth as usize);
        let index = self.root_moves.iter().position(|root| Some(&root.mv) == pv.first())?;
        if pv.len() < 2 {
            return None;
        }
        self.root_moves[..=index].rotate_right(1);
        let best = &mut self.root_moves[0];
        (best.score, best.seldepth, best.pv) = (score, pv.len(), pv);
        Some(entry.depth.min(deepest))
    }

    /// Whether the root is searched with all its moves.
    pub(super) fn asks_all(&self) -> bool {
        self.root_moves.len() as u64 == self.root.count_legal_moves()
    }

    /// The best moves that the table has from the root on, at most `longest`, up to the first that
    /// leads back to an earlier position of the line.
    fn line_of_table(&self, longest: usize) -> Vec<Move> {
        let mut line = Vec::new();
        let mut position = self.root.clone();
        let mut seen = vec![position.key()];
        while line.len() < longest
            && let Some(mv) = self.shared.tt.probe(position.key()).and_then(|entry| entry.mv)
            && position.legal_moves().contains(&mv)
        {
            line.push(mv);
            position.play(mv);
            if seen.contains(&position.key()) {
                break;
            }
            seen.push(position.key());
        }
        line
    }
}
