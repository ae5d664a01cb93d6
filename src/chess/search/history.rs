//! Move histories: what worked elsewhere in the tree is tried first here.

use crate::chess::{
    moves::Move,
    piece::{Color, PieceKind},
    position::Position,
};

/// Bound of every history value.
pub(super) const HISTORY_MAX: i32 = 16_384;

/// Moves `value` towards its bound: the nearer it is, the less a bonus adds ("history gravity").
pub(super) fn gravitate(value: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-HISTORY_MAX, HISTORY_MAX);
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / HISTORY_MAX) as i16;
}

/// What a cutoff at `depth` is worth.
pub(super) const fn bonus(depth: i32) -> i32 {
    let bonus = 150 * depth - 80;
    if bonus < 1800 { bonus } else { 1800 }
}

/// The histories of one thread, kept from search to search.
#[derive(Debug)]
pub(super) struct Histories {
    /// By colour, from and to: quiet moves.
    quiet: Box<[[[i16; 64]; 64]; 2]>,
    /// By piece, target and captured kind: captures.
    noisy: Box<[[[i16; 6]; 64]; 12]>,
}

impl Histories {
    pub(super) fn new() -> Self {
        Self { quiet: Box::new([[[0; 64]; 64]; 2]), noisy: Box::new([[[0; 6]; 64]; 12]) }
    }

    /// How well a quiet move did.
    pub(super) fn quiet(&self, color: Color, mv: Move) -> i32 {
        self.quiet[color.index()][mv.from().index()][mv.to().index()].into()
    }

    /// How well a capture or promotion did.
    pub(super) fn noisy(&self, position: &Position, mv: Move) -> i32 {
        let (piece, captured) = noisy_index(position, mv);
        self.noisy[piece][mv.to().index()][captured].into()
    }

    /// As [`noisy`](Self::noisy) for a move just played, on the position after it: what it took is
    /// no longer known, so the mean over all victims stands for it.
    pub(super) fn noisy_after(&self, child: &Position, mv: Move) -> i32 {
        let Some(piece) = child.piece_on(mv.to()) else { return 0 };
        let values = &self.noisy[piece.index()][mv.to().index()];
        values.iter().map(|&value| i32::from(value)).sum::<i32>() / values.len() as i32
    }

    /// Rewards or, with a negative bonus, punishes a quiet move.
    pub(super) fn update_quiet(&mut self, color: Color, mv: Move, bonus: i32) {
        gravitate(&mut self.quiet[color.index()][mv.from().index()][mv.to().index()], bonus);
    }

    /// Rewards or punishes a capture or promotion.
    pub(super) fn update_noisy(&mut self, position: &Position, mv: Move, bonus: i32) {
        let (piece, captured) = noisy_index(position, mv);
        gravitate(&mut self.noisy[piece][mv.to().index()][captured], bonus);
    }
}

/// A promotion without capture is filed under the captured kings that there never are.
fn noisy_index(position: &Position, mv: Move) -> (usize, usize) {
    let captured = position.captured(mv).unwrap_or(PieceKind::King);
    (position.moved(mv).index(), captured.index())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_bonuses_leaves_the_bounds() {
        let mut value = 0;
        for _ in 0..1000 {
            gravitate(&mut value, 1800);
        }
        assert!(value > 12_000 && i32::from(value) <= HISTORY_MAX);
        for _ in 0..1000 {
            gravitate(&mut value, -HISTORY_MAX * 3);
        }
        assert!(i32::from(value) >= -HISTORY_MAX);
    }
}
