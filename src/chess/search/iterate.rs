//! Iterative deepening (Slate & Atkin 1977) in aspiration windows.

use super::{Reporter, alphabeta::Root, tunables::aspiration_delta, worker::Worker};
use crate::chess::score::{INFINITE, MATE, MAX_PLY, Score, is_decisive, is_mate};

impl Worker<'_> {
    /// Searches deeper and deeper, until told to stop or the limits are reached.
    pub(super) fn iterate(&mut self, lines: usize, reporter: Option<&Reporter<'_>>) {
        let limits = self.shared.limits;
        let deepest = limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32 - 1) as i32;
        let lines = lines.min(self.root_moves.len());
        let mut steady = 0;
        let mut best = self.root_moves[0].mv;
        for depth in 1..=deepest {
            self.root_depth = depth;
            for root in &mut self.root_moves {
                root.previous = root.known_score();
                root.score = -INFINITE;
            }
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspirate(depth, reporter);
                self.sort_from(index);
                if self.stopped() {
                    break;
                }
            }
            self.pv_index = 0;
            self.sort_lines(lines);
            if self.stopped() {
                break;
            }
            self.completed_depth = depth;
            self.publish_nodes();
            steady = if self.root_moves[0].mv == best { steady + 1 } else { 0 };
            best = self.root_moves[0].mv;
            if let Some(reporter) = reporter {
                reporter.iteration(self, depth, lines);
                if self.is_enough(depth, steady) {
                    break;
                }
            }
        }
        self.publish_nodes();
    }

    /// One search of the root, in a window about the last score that widens until it holds.
    fn aspirate(&mut self, depth: i32, reporter: Option<&Reporter<'_>>) {
        let centre = self.root_moves[self.pv_index].previous;
        let mut delta = aspiration_delta();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 4 && !is_decisive(centre) && centre != -INFINITE {
            alpha = (centre - delta).max(-INFINITE);
            beta = (centre + delta).min(INFINITE);
        }
        let root = self.root.clone();
        loop {
            let score = self.search::<Root>(&root, 0, depth, (alpha, beta), false);
            self.sort_from(self.pv_index);
            if self.stopped() {
                return;
            }
            if score <= alpha {
                beta = i32::midpoint(alpha, beta);
                alpha = (score - delta).max(-INFINITE);
            } else if score >= beta {
                beta = (score + delta).min(INFINITE);
            } else {
                return;
            }
            if let Some(reporter) = reporter {
                reporter.failed(self, score, (alpha, beta));
            }
            delta += delta / 2;
            if is_decisive(score) || delta > 600 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Orders the root moves from `index` on by score; those without one keep their order.
    fn sort_from(&mut self, index: usize) {
        self.root_moves[index..].sort_by_key(|root| -root.score);
    }

    /// Orders the finished lines among themselves; of an aborted iteration, the last scores known.
    fn sort_lines(&mut self, lines: usize) {
        let stopped = self.stopped();
        let key = |score: Score, known: Score| if stopped { known } else { score };
        if lines > 1 {
            self.root_moves[..lines].sort_by_key(|root| -key(root.score, root.known_score()));
        }
    }

    /// Nothing more is to be gained by another iteration.
    fn is_enough(&self, depth: i32, steady: i32) -> bool {
        let shared = self.shared;
        let limits = shared.limits;
        let best = &self.root_moves[0];
        if let Some(moves) = limits.mate
            && is_mate(best.score)
            && best.score > MATE - 2 * moves.min(1000) as Score
        {
            return true;
        }
        if limits.infinite || shared.signals.pondering() {
            return false;
        }
        if limits.soft_nodes.is_some_and(|most| shared.nodes() >= most) {
            return true;
        }
        if !shared.time.on_clock() {
            return false;
        }
        // A single reply is played at once; a mate that this depth cannot shorten, too.
        let mate_distance = MATE - best.score.abs();
        let single = self.root_moves.len() == 1 && depth >= 4;
        let mate_proved = is_mate(best.score) && depth > 2 * mate_distance;
        single || mate_proved || shared.time.is_spent(stability(steady))
    }
}

/// The longer the best move has stood, the less time it needs.
fn stability(steady: i32) -> f64 {
    [1.6, 1.2, 1.0, 0.85, 0.75][steady.clamp(0, 4) as usize]
}
