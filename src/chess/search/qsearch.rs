//! Quiescence search: captures until the position is quiet enough for the static evaluation.

use super::{
    alphabeta::NodeType, movepick::MovePicker, reductions::refine, tt::Entry, worker::Worker,
};
use crate::{
    chess::{
        position::Position,
        score::{INFINITE, Score, mated_in},
        see::SEE_VALUES,
    },
    engine::Bound,
};

/// What a capture may win beyond the captured piece before it is worth a look.
const FUTILITY_MARGIN: Score = 150;

impl Worker<'_> {
    /// The value of `position` when only forcing moves are played on; a side that is not in check
    /// may always stand pat on its static evaluation.
    pub(super) fn quiescence<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        (mut alpha, mut beta): (Score, Score),
    ) -> Score {
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply);
        }
        if let Some(score) = self.settled(position, ply, &mut alpha, &mut beta) {
            return score;
        }
        let tt = self.shared.tt.probe(position.key()).map(|mut entry| {
            entry.mv = entry.mv.filter(|&mv| position.is_legal(mv));
            entry.score = entry.score_at(ply, position.halfmove_clock());
            entry
        });
        if !N::PV
            && let Some(score) = cutoff(tt.as_ref(), alpha, beta)
        {
            return score;
        }
        let mut best = Quiet { score: -INFINITE, mv: None, raw: None, futility: -INFINITE };
        if !position.in_check() {
            let known = tt.as_ref().and_then(|entry| entry.eval);
            let raw = known.unwrap_or_else(|| self.evaluate(position));
            best.raw = Some(raw);
            best.score = refine(raw, tt.as_ref());
            best.futility = best.score + FUTILITY_MARGIN;
            if best.score >= beta {
                if tt.is_none() {
                    self.store_quiet(position, ply, &best, Bound::Lower, N::PV);
                }
                return best.score;
            }
            alpha = alpha.max(best.score);
        }
        self.capture_moves::<N>(position, ply, (alpha, beta), tt.as_ref(), best)
    }

    fn capture_moves<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        (mut alpha, beta): (Score, Score),
        tt: Option<&Entry>,
        mut best: Quiet,
    ) -> Score {
        let table_move = tt.and_then(|entry| entry.mv);
        let in_check = position.in_check();
        let mut picker = if in_check {
            MovePicker::new(table_move, None)
        } else {
            MovePicker::noisy(table_move, 0)
        };
        let mut searched = 0;
        while let Some(mv) = picker.next(position, self.histories) {
            if !in_check {
                // Delta pruning: even winning the piece leaves the score under alpha.
                let gain = position.captured(mv).map_or(0, |kind| SEE_VALUES[kind.index()])
                    + mv.promotion().map_or(0, |kind| SEE_VALUES[kind.index()]);
                if best.futility + gain <= alpha {
                    best.score = best.score.max(best.futility + gain);
                    continue;
                }
            } else if searched > 0 && best.score > -crate::chess::score::MATE_IN_MAX {
                // One evasion that is not mated is enough to see that the rest need no search.
                picker.skip_quiets();
            }
            searched += 1;
            let child = self.make(position, ply, mv);
            let score = -self.quiescence::<N>(&child, ply + 1, (-beta, -alpha));
            self.unmake();
            if self.stopped() {
                return 0;
            }
            if score > best.score {
                best.score = score;
                if score > alpha {
                    best.mv = Some(mv);
                    if N::PV {
                        self.pv.set(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && searched == 0 {
            return mated_in(ply);
        }
        let bound = if best.score >= beta { Bound::Lower } else { Bound::Upper };
        let was_pv = N::PV || tt.is_some_and(|entry| entry.was_pv);
        self.store_quiet(position, ply, &best, bound, was_pv);
        best.score
    }

    fn store_quiet(
        &self,
        position: &Position,
        ply: usize,
        best: &Quiet,
        bound: Bound,
        was_pv: bool,
    ) {
        let entry = Entry {
            mv: best.mv,
            score: best.score,
            eval: best.raw,
            depth: 0,
            bound: Some(bound),
            was_pv,
        };
        self.shared.tt.store(position.key(), ply, entry);
    }
}

/// The best found so far.
struct Quiet {
    score: Score,
    mv: Option<crate::chess::moves::Move>,
    /// Static evaluation; `None` in check.
    raw: Option<Score>,
    /// What standing pat and a little luck give.
    futility: Score,
}

fn cutoff(tt: Option<&Entry>, alpha: Score, beta: Score) -> Option<Score> {
    let entry = tt?;
    let decides = match entry.bound? {
        Bound::Exact => true,
        Bound::Lower => entry.score >= beta,
        Bound::Upper => entry.score <= alpha,
    };
    decides.then_some(entry.score)
}
