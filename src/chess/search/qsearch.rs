//! Quiescence search: captures until the position is quiet enough for the static evaluation.

use super::{
    alphabeta::NodeType,
    correction::Corrections,
    history::{Context, Threats},
    movepick::MovePicker,
    reductions::refine,
    tt::Entry,
    tunables::qs_futility,
    worker::Worker,
};
use crate::{
    chess::{
        moves::Move,
        position::Position,
        score::{INFINITE, MATE_IN_MAX, Score, is_decisive, mated_in},
        see::SEE_VALUES,
    },
    engine::Bound,
};

/// Captures tried without check once one is known not to be mated; the rest seldom matter.
const MOST_CAPTURES: usize = 3;

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
        let tt = self.probe_table(position, ply);
        if !N::PV
            && let Some(entry) = tt.as_ref().filter(|entry| entry.decides(alpha, beta))
        {
            return entry.score;
        }
        let was_pv = N::PV || tt.as_ref().is_some_and(|entry| entry.was_pv);
        let mut best = Quiet { score: -INFINITE, mv: None, raw: None, futility: -INFINITE, was_pv };
        if !position.in_check() {
            self.stand_pat(position, ply, tt.as_ref(), &mut best);
            if best.score >= beta {
                best.score = drawn_to(beta, best.score);
                if tt.is_none() {
                    self.store_quiet(position, ply, &best, Some(Bound::Lower));
                }
                return best.score;
            }
            alpha = alpha.max(best.score);
        }
        self.capture_moves::<N>(position, ply, (alpha, beta), tt.as_ref(), best)
    }

    /// The score of making no more moves.
    fn stand_pat(&mut self, position: &Position, ply: usize, tt: Option<&Entry>, best: &mut Quiet) {
        let raw = tt.and_then(|entry| entry.eval).unwrap_or_else(|| self.evaluate(position));
        let slots = self.correction_slots(position, ply);
        let eval = Corrections::apply(raw, self.corrections.of(&slots));
        best.raw = Some(raw);
        best.score = refine(eval, tt);
        best.futility = eval + qs_futility();
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
        let (mut picker, threats) = if in_check {
            (MovePicker::new(table_move, None), Threats::new(position))
        } else {
            (MovePicker::noisy(table_move, 0), Threats::default())
        };
        let context = Context::new(position, ply, self.stack.continued(ply), threats);
        let recapture = self.stack.before(ply, 1).mv.map(Move::to);
        let mut searched = 0;
        while let Some(mv) = picker.next(position, self.histories, &context) {
            if best.score > -MATE_IN_MAX {
                if in_check {
                    // One evasion that is not mated is enough to see that the rest need no search.
                    picker.skip_quiets();
                } else if Some(mv.to()) != recapture && !position.gives_check(mv) {
                    if searched >= MOST_CAPTURES {
                        continue;
                    }
                    if let Some(bound) = futile(position, mv, &best, alpha) {
                        best.score = best.score.max(bound.min(alpha));
                        continue;
                    }
                }
            }
            searched += 1;
            self.stack[ply].count = searched;
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
        if best.score >= beta {
            best.score = drawn_to(beta, best.score);
        }
        let bound = if best.score >= beta { Bound::Lower } else { Bound::Upper };
        self.store_quiet(position, ply, &best, Some(bound));
        best.score
    }

    fn store_quiet(&self, position: &Position, ply: usize, best: &Quiet, bound: Option<Bound>) {
        let entry = Entry {
            mv: best.mv,
            score: best.score,
            eval: best.raw,
            depth: 0,
            bound,
            was_pv: best.was_pv,
        };
        self.shared.tt.store(position.key(), ply, entry);
    }
}

/// The best found so far.
struct Quiet {
    score: Score,
    mv: Option<Move>,
    /// Static evaluation as it was made; `None` in check.
    raw: Option<Score>,
    /// What standing pat and a little luck give.
    futility: Score,
    was_pv: bool,
}

/// A score that failed high, half way back to beta: captures alone prove less than it says. Mates and
/// what is far from them do not mix.
const fn drawn_to(beta: Score, score: Score) -> Score {
    if is_decisive(score) || is_decisive(beta) { score } else { i32::midpoint(score, beta) }
}

/// Delta pruning: even winning the piece, or holding it by exchanges where that is all there is to
/// win, leaves the score under alpha. Returns the bound.
fn futile(position: &Position, mv: Move, best: &Quiet, alpha: Score) -> Option<Score> {
    if mv.promotion().is_some() {
        return None;
    }
    let gain = position.captured(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
    if best.futility + gain <= alpha {
        return Some(best.futility + gain);
    }
    (best.futility <= alpha && !position.see_ge(mv, 1)).then_some(best.futility)
}
