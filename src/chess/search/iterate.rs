//! Iterative deepening (Slate & Atkin 1977) in aspiration windows.

use super::{
    Reporter,
    alphabeta::Root,
    tunables::aspiration_delta,
    worker::{RootMove, Worker},
};
use crate::{
    chess::moves::Move,
    chess::score::{INFINITE, MATE, MAX_PLY, Score, is_decisive, is_mate},
    engine::Bound,
};

impl Worker<'_> {
    /// Searches deeper and deeper, until told to stop or the limits are reached.
    pub(super) fn iterate(&mut self, lines: usize, reporter: Option<&Reporter<'_>>) {
        let limits = self.shared.limits;
        let deepest = limits.depth.unwrap_or(u32::MAX).clamp(1, MAX_PLY as u32 - 1) as i32;
        let lines = lines.min(self.root_moves.len());
        let mut course = Course::new(self.root_moves[0].mv);
        let mut prover = self.prover(lines);
        if let Some(depth) = self.resume(lines, deepest) {
            self.root_depth = depth;
            self.completed_depth = depth;
            course.note(&self.root_moves[0], self.nodes);
            if let Some(reporter) = reporter {
                reporter.iteration(self, depth);
            }
        }
        for depth in self.completed_depth + 1..=deepest {
            self.root_depth = depth;
            for root in &mut self.root_moves {
                root.previous = root.known_score();
                root.score = -INFINITE;
                root.bound = Bound::Exact;
            }
            for index in 0..lines {
                self.pv_index = index;
                let rank = self.root_moves[index].rank();
                self.pv_end = self.root_moves.partition_point(|root| root.rank() >= rank);
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
            course.note(&self.root_moves[0], self.nodes);
            if let Some(reporter) = reporter {
                reporter.iteration(self, depth);
                if self.is_enough(depth, &course)
                    || prover.as_mut().is_some_and(|prover| self.proves(prover, reporter))
                {
                    break;
                }
            }
        }
        self.publish_nodes();
    }

    /// One search of the root, in a window about the last score that widens until it holds.
    fn aspirate(&mut self, depth: i32, reporter: Option<&Reporter<'_>>) {
        let centre = self.root_moves[self.pv_index].previous;
        // Wider where scores are large and jump; each thread's own, so that they see other trees.
        let spread = (self.index % 8) as Score + (centre.abs().min(2000)).pow(2) / 20_000;
        let mut delta = aspiration_delta() + spread;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 4 && !is_decisive(centre) && centre != -INFINITE {
            alpha = (centre - delta).max(-INFINITE);
            beta = (centre + delta).min(INFINITE);
        }
        let root = self.root.clone();
        let mut failed_high = 0;
        loop {
            // After a fail-high the score is only wanted to be confirmed: less deep (Stockfish).
            let depth = (depth - failed_high).max(1);
            let score = self.search::<Root>(&root, 0, depth, (alpha, beta), false);
            self.sort_from(self.pv_index);
            if self.stopped() {
                return;
            }
            let bound = if score <= alpha { Bound::Upper } else { Bound::Lower };
            if score <= alpha {
                beta = i32::midpoint(alpha, beta);
                alpha = (score - delta).max(-INFINITE);
                failed_high = 0;
            } else if score >= beta {
                failed_high += i32::from(!is_decisive(score));
                beta = (score + delta).min(INFINITE);
            } else {
                return;
            }
            if let Some(reporter) = reporter {
                reporter.failed(self, score, bound);
            }
            delta += delta / 2;
            if is_decisive(score) || delta > 600 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Orders the root moves from `index` on by score; those without one keep their order.
    fn sort_from(&mut self, index: usize) {
        self.root_moves[index..self.pv_end].sort_by_key(|root| -root.score);
    }

    /// Orders the finished lines among themselves; of an aborted iteration, the last scores known.
    fn sort_lines(&mut self, lines: usize) {
        let stopped = self.stopped();
        let key = |score: Score, known: Score| if stopped { known } else { score };
        if lines > 1 {
            self.root_moves[..lines]
                .sort_by_key(|root| (-root.rank(), -key(root.score, root.known_score())));
        }
    }

    /// Nothing more is to be gained by another iteration. While pondering the search goes on all the
    /// same, but ends where `ponderhit` finds it.
    fn is_enough(&mut self, depth: i32, course: &Course) -> bool {
        let pondering = self.shared.signals.pondering();
        let enough = self.has_thought_enough(depth, course);
        self.ends_with_ponderhit = enough && pondering;
        enough && !pondering
    }

    /// The limits that are looked at between iterations say that this was the last.
    fn has_thought_enough(&self, depth: i32, course: &Course) -> bool {
        let shared = self.shared;
        let limits = shared.limits;
        let best = &self.root_moves[0];
        if let Some(moves) = limits.mate
            && is_mate(best.score)
            && best.score > MATE - 2 * moves.min(1000) as Score
        {
            return true;
        }
        if limits.infinite {
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
        single || mate_proved || shared.time.is_spent(course.need())
    }
}

/// How the iterations of a search went: what decides whether another is worth its time.
#[derive(Debug)]
struct Course {
    best: Move,
    /// Iterations since the best move changed.
    steady: i32,
    /// Running mean of the scores of the iterations before the last.
    mean: Option<Score>,
    /// Score of the last iteration.
    score: Score,
    /// Share of all nodes that went into the best move.
    share: f64,
}

impl Course {
    const fn new(best: Move) -> Self {
        Self { best, steady: 0, mean: None, score: 0, share: 0.5 }
    }

    /// An iteration is finished; `nodes` are those of this thread.
    fn note(&mut self, root: &RootMove, nodes: u64) {
        self.steady = if root.mv == self.best { self.steady + 1 } else { 0 };
        self.best = root.mv;
        self.mean = Some(self.mean.map_or(root.score, |mean| i32::midpoint(mean, self.score)));
        self.score = root.score;
        self.share = root.nodes as f64 / nodes.max(1) as f64;
    }

    fn mean_score(&self) -> Score {
        self.mean.unwrap_or(self.score)
    }

    /// What part of the soft bound this search needs: less the longer the best move has stood and
    /// the more of the nodes it took, more when the score has fallen.
    fn need(&self) -> f64 {
        let stability = [1.5, 1.15, 1.0, 0.9, 0.82, 0.78][self.steady.clamp(0, 5) as usize];
        let share = (1.75 - 1.25 * self.share).clamp(0.55, 1.6);
        let fallen = f64::from((self.mean_score() - self.score).clamp(-30, 60));
        stability * share * (1.0 + fallen / 150.0)
    }
}
