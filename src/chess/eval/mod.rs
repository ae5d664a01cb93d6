//! Static evaluation. The search sees only [`Evaluator`] and [`evaluate`]; what stands behind them
//! is decided here.

pub mod classical;

use super::{moves::Move, position::Position, score::Score};

pub use classical::trace;

/// One thread's evaluation: what it keeps along the line that the search is looking at.
#[derive(Debug, Default)]
pub struct Evaluator {
    memory: classical::Memory,
}

impl Evaluator {
    /// Begins at a new root.
    pub const fn reset(&mut self, _root: &Position) {}

    /// `mv` is about to be played on `position`.
    pub const fn make(&mut self, _position: &Position, _mv: Move) {}

    /// A null move is about to be played.
    pub const fn make_null(&mut self) {}

    /// The last move is taken back.
    pub const fn unmake(&mut self) {}

    /// Centipawns for the side to move, strictly within the band of estimates.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        self.memory.evaluate(position)
    }
}

/// Makes the tables of known endings. Done by whoever first asks otherwise: 40 milliseconds, which a
/// short clock does not have.
pub fn prepare() {
    classical::prepare();
}

/// Centipawns for the side to move, from the position alone.
pub fn evaluate(position: &Position) -> Score {
    classical::evaluate(position)
}
