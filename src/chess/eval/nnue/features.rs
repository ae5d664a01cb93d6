//! What the network sees: who stands where, from both sides' point of view. The trainer and the
//! engine number the inputs here.

use crate::chess::{
    piece::{Color, Piece},
    square::Square,
};

/// Inputs of one side's view: own and hostile men of six kinds on 64 squares.
pub const INPUTS: usize = 768;
/// Output layers, one for each range of men on the board.
pub const BUCKETS: usize = 8;

/// Whether a side sees the board with its files mirrored: its king then stands on a to d, so that
/// half of the board's positions teach the other half.
#[inline]
pub const fn is_mirrored(king: Square) -> bool {
    king.file() > 3
}

/// Number of the input that is 1 for `viewer` when `piece` stands on `square`; every side sees
/// itself play up the board.
#[inline]
pub const fn input(viewer: Color, mirrored: bool, piece: Piece, square: Square) -> usize {
    let side = (piece.color() as usize ^ viewer as usize) * (INPUTS / 2);
    let square = square.relative_to(viewer);
    let square = if mirrored { square.flip_file() } else { square };
    side + piece.kind().index() * 64 + square.index()
}

/// Output layer for so many men on the board, kings included: four counts share one.
#[inline]
pub const fn bucket(men: u32) -> usize {
    let bucket = men.saturating_sub(2) as usize / 4;
    if bucket < BUCKETS { bucket } else { BUCKETS - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_man_on_every_square_is_an_input_of_its_own() {
        for viewer in Color::ALL {
            for mirrored in [false, true] {
                let mut seen = [false; INPUTS];
                for piece in Piece::ALL {
                    for square in Square::all() {
                        seen[input(viewer, mirrored, piece, square)] = true;
                    }
                }
                assert!(seen.iter().all(|&seen| seen));
            }
        }
    }

    #[test]
    fn both_sides_see_the_same_of_positions_with_colours_and_ranks_exchanged() {
        for piece in Piece::ALL {
            for square in Square::all() {
                let twin = Piece::new(!piece.color(), piece.kind());
                assert_eq!(
                    input(Color::White, true, piece, square),
                    input(Color::Black, true, twin, square.flip_rank())
                );
            }
        }
    }

    #[test]
    fn the_counts_of_men_are_shared_out_evenly() {
        let buckets = [2, 5, 6, 29, 30, 32, 64].map(bucket);
        assert_eq!(buckets, [0, 0, 1, 6, 7, 7, 7]);
    }
}
