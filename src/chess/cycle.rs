//! Moves by the change they make to the key: finds at once whether some reversible move leads back
//! to an earlier position, without making one.
//!
//! Marcel van Kervinck, "A New Algorithm to Detect Cycles in Chess Positions" (2013): the 3,668
//! changes are kept in a cuckoo hash table (Pagh & Rodler 2001), where two places decide.

use std::sync::LazyLock;

use super::{
    attacks::between,
    bitboard::Bitboard,
    piece::{Piece, PieceKind},
    position::piece_attacks,
    square::Square,
    zobrist,
};

const SLOTS: usize = 8192;

/// A reversible move, either way, and the change of the key that it makes.
#[derive(Debug, Clone, Copy)]
struct Shift {
    key: u64,
    a: Square,
    b: Square,
}

static SHIFTS: LazyLock<Vec<Option<Shift>>> = LazyLock::new(table);

const fn first(key: u64) -> usize {
    key as usize % SLOTS
}

const fn second(key: u64) -> usize {
    (key >> 16) as usize % SLOTS
}

/// Every move of a piece that is no pawn, on an empty board.
fn shifts() -> impl Iterator<Item = Shift> {
    let pieces = Piece::ALL.into_iter().filter(|piece| piece.kind() != PieceKind::Pawn);
    pieces.flat_map(|piece| {
        Square::all().flat_map(move |a| {
            piece_attacks(piece.kind(), a, Bitboard::EMPTY)
                .into_iter()
                .filter(move |b| b.index() > a.index())
                .map(move |b| {
                    let key = zobrist::piece(piece, a) ^ zobrist::piece(piece, b) ^ zobrist::SIDE;
                    Shift { key, a, b }
                })
        })
    })
}

fn table() -> Vec<Option<Shift>> {
    let mut table = vec![None; SLOTS];
    for shift in shifts() {
        let mut slot = first(shift.key);
        let mut homeless = Some(shift);
        while let Some(shift) = homeless {
            homeless = table[slot].replace(shift);
            if let Some(evicted) = homeless {
                slot = first(evicted.key) + second(evicted.key) - slot;
            }
        }
    }
    table
}

/// Whether a move that changes the key by `change` can be played on a board so occupied.
pub(super) fn is_one_move(change: u64, occupied: Bitboard) -> bool {
    [first(change), second(change)].into_iter().any(|slot| {
        SHIFTS[slot].is_some_and(|shift| {
            shift.key == change && (between(shift.a, shift.b) & occupied).is_empty()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::position::Position;

    /// The number of the paper.
    #[test]
    fn there_are_3668_reversible_moves() {
        assert_eq!(shifts().count(), 3668);
        assert_eq!(SHIFTS.iter().flatten().count(), 3668);
    }

    #[test]
    fn a_move_back_is_seen_unless_something_stands_between() {
        let from = |fen| Position::from_fen(fen).unwrap();
        let here = from("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
        let there = from("4k3/8/8/8/R7/8/8/4K3 b - - 0 1");
        let change = here.key() ^ there.key();
        assert!(is_one_move(change, here.occupied()));
        assert!(!is_one_move(change, here.occupied() | Square::at(0, 1).bitboard()));
        let elsewhere = from("4k3/8/8/8/1R6/8/8/4K3 b - - 0 1");
        assert!(!is_one_move(here.key() ^ elsewhere.key(), here.occupied()));
    }
}
