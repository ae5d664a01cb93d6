//! Moves in the order of their promise, made no sooner than they are asked for.

use arrayvec::ArrayVec;

use super::history::Histories;
use crate::chess::{
    moves::{Move, MoveList},
    position::Position,
    see::SEE_VALUES,
};

/// More moves than any legal position has (218).
const CAPACITY: usize = 256;

/// Where the picker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Table,
    MakeNoisy,
    GoodNoisy,
    Killer,
    MakeQuiet,
    Quiet,
    BadNoisy,
}

#[derive(Debug, Clone, Copy)]
struct Scored {
    mv: Move,
    score: i32,
}

/// Yields each legal move once.
#[derive(Debug)]
pub(super) struct MovePicker {
    stage: Stage,
    table_move: Option<Move>,
    killer: Option<Move>,
    /// The least exchange value, in centipawns, of a capture that is tried before the quiet moves.
    threshold: i32,
    skip_quiets: bool,
    moves: ArrayVec<Scored, CAPACITY>,
    /// Captures that lose material, best first.
    bad: ArrayVec<Move, CAPACITY>,
    next: usize,
}

impl MovePicker {
    /// All moves. `table_move` and `killer` must be legal or absent.
    pub(super) fn new(table_move: Option<Move>, killer: Option<Move>) -> Self {
        Self {
            stage: Stage::Table,
            table_move,
            killer: killer.filter(|&mv| Some(mv) != table_move),
            threshold: 0,
            skip_quiets: false,
            moves: ArrayVec::new(),
            bad: ArrayVec::new(),
            next: 0,
        }
    }

    /// Captures and queen promotions only, and of these only such as do not lose `-threshold`.
    pub(super) fn noisy(table_move: Option<Move>, threshold: i32) -> Self {
        let table_move = table_move.filter(|mv| mv.is_noisy());
        Self { threshold, skip_quiets: true, ..Self::new(table_move, None) }
    }

    /// From now on no quiet moves.
    pub(super) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move.
    pub(super) fn next(&mut self, position: &Position, histories: &Histories) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::MakeNoisy;
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::MakeNoisy => {
                    self.make_noisy(position, histories);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => {
                    if let Some(mv) = self.good_noisy(position) {
                        return Some(mv);
                    }
                    self.stage = Stage::Killer;
                }
                Stage::Killer => {
                    self.stage = Stage::MakeQuiet;
                    if self.killer.is_some() && !self.skip_quiets {
                        return self.killer;
                    }
                }
                Stage::MakeQuiet => {
                    if !self.skip_quiets {
                        self.make_quiet(position, histories);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => {
                    if !self.skip_quiets
                        && let Some(scored) = self.take_best()
                    {
                        return Some(scored.mv);
                    }
                    self.next = 0;
                    self.stage = Stage::BadNoisy;
                }
                Stage::BadNoisy => {
                    let mv = self.bad.get(self.next).copied();
                    self.next += 1;
                    return mv;
                }
            }
        }
    }

    fn make_noisy(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        position.noisy_moves(&mut list);
        let score = |mv: Move| {
            let victim = position.captured(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
            let promotion = mv.promotion().map_or(0, |kind| SEE_VALUES[kind.index()]);
            16 * (victim + promotion) + histories.noisy(position, mv)
        };
        self.moves.extend(
            list.iter()
                .filter(|&&mv| Some(mv) != self.table_move)
                .map(|&mv| Scored { mv, score: score(mv) }),
        );
    }

    fn good_noisy(&mut self, position: &Position) -> Option<Move> {
        while let Some(scored) = self.take_best() {
            if position.see_ge(scored.mv, self.threshold) {
                return Some(scored.mv);
            }
            // A quiescence search has no use for what loses material.
            if !self.skip_quiets {
                self.bad.push(scored.mv);
            }
        }
        None
    }

    fn make_quiet(&mut self, position: &Position, histories: &Histories) {
        let mut list = MoveList::new();
        position.quiet_moves(&mut list);
        let color = position.side_to_move();
        self.moves.clear();
        self.next = 0;
        self.moves.extend(
            list.iter()
                .filter(|&&mv| Some(mv) != self.table_move && Some(mv) != self.killer)
                .map(|&mv| Scored { mv, score: histories.quiet(color, mv) }),
        );
    }

    /// Selection sort, one step: a cutoff usually comes before the rest need an order.
    fn take_best(&mut self) -> Option<Scored> {
        let rest = &mut self.moves[self.next..];
        let best = (0..rest.len()).max_by_key(|&i| (rest[i].score, usize::MAX - i))?;
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every legal move comes once, whatever the table and killer moves are.
    #[test]
    fn the_picker_yields_the_legal_moves_once_each() {
        let histories = Histories::new();
        for fen in crate::chess::bench::POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            let legal = position.legal_moves();
            let table = legal.iter().copied().next();
            let killer = legal.iter().copied().rev().find(|mv| mv.is_quiet());
            let mut picker = MovePicker::new(table, killer);
            let mut seen = Vec::new();
            while let Some(mv) = picker.next(&position, &histories) {
                seen.push(mv);
            }
            let mut sorted: Vec<u16> = seen.iter().map(|mv| mv.raw()).collect();
            let mut wanted: Vec<u16> = legal.iter().map(|mv| mv.raw()).collect();
            sorted.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(sorted, wanted, "{fen}");
        }
    }

    #[test]
    fn quiescence_sees_no_quiet_move_and_no_losing_capture() {
        let histories = Histories::new();
        for fen in crate::chess::bench::POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            let mut picker = MovePicker::noisy(None, 0);
            while let Some(mv) = picker.next(&position, &histories) {
                assert!(mv.is_noisy() && position.see_ge(mv, 0), "{fen}");
            }
        }
    }
}
