//! Correction histories (Caissa 2023; Stockfish): how far the static evaluation was off where
//! something of the position was the same, to put it right before the search relies on it.

use super::{
    history::{Arrival, gravitate},
    tunables::{correction_continuation, correction_minor, correction_non_pawn, correction_pawn},
};
use crate::chess::{
    piece::Color,
    position::Position,
    score::{Score, TB_WIN_IN_MAX},
};

/// Entries for each colour: a power of two.
const SLOTS: usize = 16_384;
/// Bound of every entry: with a weight of a hundred it moves the evaluation by fifty centipawns,
/// see [`Corrections::of`].
const LIMIT: i32 = 1024;
/// What the weighted sum of entries is divided by to give centipawns.
const SCALE: i32 = 1 << 11;

/// A table for each colour, one after the other.
type Table = Vec<i16>;

/// The corrections of one thread.
#[derive(Debug)]
pub(super) struct Corrections {
    pawn: Table,
    minor: Table,
    /// By the colour whose pieces are the key.
    non_pawn: [Table; 2],
    /// By the last two moves, one of each side.
    continuation: Vec<[i16; 768]>,
}

/// Where a position is found in the tables.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots {
    pawn: usize,
    minor: usize,
    non_pawn: [usize; 2],
    continuation: Option<(usize, usize)>,
}

impl Slots {
    /// Of `position`, reached by `last` after the other side's `before`.
    pub(super) fn new(position: &Position, last: Option<Arrival>, before: Option<Arrival>) -> Self {
        let first = position.side_to_move().index() * SLOTS;
        let slot = |key: u64| first + key as usize % SLOTS;
        Self {
            pawn: slot(position.pawn_key()),
            minor: slot(position.minor_key()),
            non_pawn: [Color::White, Color::Black].map(|color| slot(position.non_pawn_key(color))),
            continuation: last.zip(before).map(|(last, before)| (before.index(), last.index())),
        }
    }
}

impl Corrections {
    pub(super) fn new() -> Self {
        let table = || vec![0; 2 * SLOTS];
        Self {
            pawn: table(),
            minor: table(),
            non_pawn: [table(), table()],
            continuation: vec![[0; 768]; 768],
        }
    }

    /// Forgets everything, in place.
    pub(super) fn clear(&mut self) {
        let [white, black] = &mut self.non_pawn;
        for table in [&mut self.pawn, &mut self.minor, white, black] {
            table.fill(0);
        }
        self.continuation.as_flattened_mut().fill(0);
    }

    /// What to add to the static evaluation, in centipawns times [`SCALE`].
    pub(super) fn of(&self, slots: &Slots) -> i32 {
        let non_pawn = i32::from(self.non_pawn[0][slots.non_pawn[0]])
            + i32::from(self.non_pawn[1][slots.non_pawn[1]]);
        let continuation =
            slots.continuation.map_or(0, |(before, last)| self.continuation[before][last].into());
        correction_pawn() * i32::from(self.pawn[slots.pawn])
            + correction_minor() * i32::from(self.minor[slots.minor])
            + correction_non_pawn() * non_pawn
            + correction_continuation() * continuation
    }

    /// The evaluation put right; it stays an estimate.
    pub(super) fn apply(eval: Score, correction: i32) -> Score {
        (eval + correction / SCALE).clamp(1 - TB_WIN_IN_MAX, TB_WIN_IN_MAX - 1)
    }

    /// The search, `depth` plies deep, found the evaluation to be `error` centipawns too low.
    pub(super) fn learn(&mut self, slots: &Slots, error: Score, depth: i32) {
        let bonus = (error * depth / 8).clamp(-LIMIT / 4, LIMIT / 4);
        gravitate::<LIMIT>(&mut self.pawn[slots.pawn], bonus);
        gravitate::<LIMIT>(&mut self.minor[slots.minor], bonus);
        gravitate::<LIMIT>(&mut self.non_pawn[0][slots.non_pawn[0]], bonus);
        gravitate::<LIMIT>(&mut self.non_pawn[1][slots.non_pawn[1]], bonus);
        if let Some((before, last)) = slots.continuation {
            gravitate::<LIMIT>(&mut self.continuation[before][last], bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An evaluation that is always too low by the same amount is raised, by no more than that.
    #[test]
    fn a_constant_error_is_learned() {
        let position = Position::start();
        let slots = Slots::new(&position, None, None);
        let mut corrections = Corrections::new();
        for _ in 0..200 {
            let seen = Corrections::apply(0, corrections.of(&slots));
            corrections.learn(&slots, 60 - seen, 8);
        }
        let learned = Corrections::apply(0, corrections.of(&slots));
        assert!((50..=60).contains(&learned), "{learned}");
    }
}
