//! Zobrist keys (Albert Zobrist 1970): one random number for each fact of a position, combined by
//! exclusive or. The numbers come from splitmix64 (Steele, Lea & Flood 2014), at compile time.

use super::{piece::Piece, square::Square};

const fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

const fn numbers<const N: usize>(mut seed: u64) -> [u64; N] {
    let mut table = [0; N];
    let mut i = 0;
    while i < N {
        table[i] = splitmix(&mut seed);
        i += 1;
    }
    table
}

static PIECES: [u64; 12 * 64] = numbers(0x5445_4745);
static MATERIAL: [u64; 12 * 64] = numbers(0x4E53_5045);
static CASTLING: [u64; 16] = numbers(0x4C21);
static EN_PASSANT: [u64; 8] = numbers(0x4C22);

/// Black is to move.
pub(super) const SIDE: u64 = 0x9D39_247E_3377_6D41_u64.rotate_left(7);

/// A piece stands on a square.
#[inline]
pub(super) fn piece(piece: Piece, square: Square) -> u64 {
    PIECES[piece.index() * 64 + square.index()]
}

/// There are at least `count` + 1 of a piece.
#[inline]
pub(super) fn material(piece: Piece, count: u32) -> u64 {
    MATERIAL[piece.index() * 64 + (count & 63) as usize]
}

/// These castling rights, as four bits, are left.
#[inline]
pub(super) fn castling(rights: u8) -> u64 {
    CASTLING[usize::from(rights & 15)]
}

/// A pawn may be taken in passing on this file.
#[inline]
pub(super) fn en_passant(file: u8) -> u64 {
    EN_PASSANT[usize::from(file & 7)]
}
