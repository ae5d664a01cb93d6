//! Moves, in sixteen bits, and lists of them.

use std::{fmt, num::NonZeroU16, ops::Deref};

use arrayvec::ArrayVec;

use super::{piece::PieceKind, square::Square};

/// More moves than any position has that [`Position`](super::Position) accepts.
///
/// Games reach 218, but a FEN may set up a board full of queens. With `s` sliders and `n` knights
/// there are at most 27 `s` slider moves, and at most 8 a square to the 64 - `s` - `n` others; with
/// 8 moves a knight that is at most 395 at `s` = 14.6. Promotions add 64, the king 10.
pub const MAX_MOVES: usize = 512;

/// What is special about a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum MoveKind {
    /// Neither of the others.
    Quiet,
    /// A pawn's first move by two ranks.
    DoublePush,
    /// Castling, stored as the king taking his own rook.
    Castle,
    /// A capture that is no promotion.
    Capture,
    /// A capture in passing.
    EnPassant,
    /// A promotion without capture, to a knight.
    PromoteKnight,
    /// … to a bishop.
    PromoteBishop,
    /// … to a rook.
    PromoteRook,
    /// … to a queen.
    PromoteQueen,
    /// A promotion with capture, to a knight.
    CapturePromoteKnight,
    /// … to a bishop.
    CapturePromoteBishop,
    /// … to a rook.
    CapturePromoteRook,
    /// … to a queen.
    CapturePromoteQueen,
}

impl MoveKind {
    const ALL: [Self; 13] = [
        Self::Quiet,
        Self::DoublePush,
        Self::Castle,
        Self::Capture,
        Self::EnPassant,
        Self::PromoteKnight,
        Self::PromoteBishop,
        Self::PromoteRook,
        Self::PromoteQueen,
        Self::CapturePromoteKnight,
        Self::CapturePromoteBishop,
        Self::CapturePromoteRook,
        Self::CapturePromoteQueen,
    ];

    /// The promotion to `to`, which is no pawn and no king.
    pub const fn promotion(to: PieceKind, capture: bool) -> Self {
        let first = if capture { Self::CapturePromoteKnight } else { Self::PromoteKnight };
        Self::ALL[first as usize + to as usize - PieceKind::Knight as usize]
    }
}

/// A move: where from, where to, and what is special about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

impl Move {
    /// A move. The two squares must differ.
    ///
    /// # Panics
    /// If a quiet move is to go from a1 to a1.
    #[inline]
    pub const fn new(from: Square, to: Square, kind: MoveKind) -> Self {
        let bits = from.index() as u16 | (to.index() as u16) << 6 | (kind as u16) << 12;
        Self(NonZeroU16::new(bits).expect("a move goes from one square to another"))
    }

    /// Where the piece stands.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0.get() & 63) as u8)
    }

    /// Where it goes; in castling, where the rook stands.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new((self.0.get() >> 6 & 63) as u8)
    }

    /// What is special about it.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        MoveKind::ALL[self.kind_index()]
    }

    const fn kind_index(self) -> usize {
        (self.0.get() >> 12) as usize
    }

    /// Takes a piece, in passing included.
    #[inline]
    pub const fn is_capture(self) -> bool {
        let kind = self.kind_index();
        kind == MoveKind::Capture as usize
            || kind == MoveKind::EnPassant as usize
            || kind >= MoveKind::CapturePromoteKnight as usize
    }

    /// Takes a pawn in passing.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.kind_index() == MoveKind::EnPassant as usize
    }

    /// Castles.
    #[inline]
    pub const fn is_castle(self) -> bool {
        self.kind_index() == MoveKind::Castle as usize
    }

    /// What a pawn becomes.
    #[inline]
    pub const fn promotion(self) -> Option<PieceKind> {
        Some(match self.kind() {
            MoveKind::PromoteKnight | MoveKind::CapturePromoteKnight => PieceKind::Knight,
            MoveKind::PromoteBishop | MoveKind::CapturePromoteBishop => PieceKind::Bishop,
            MoveKind::PromoteRook | MoveKind::CapturePromoteRook => PieceKind::Rook,
            MoveKind::PromoteQueen | MoveKind::CapturePromoteQueen => PieceKind::Queen,
            _ => return None,
        })
    }

    /// Changes the material much: a capture, or a promotion to a queen.
    #[inline]
    pub const fn is_noisy(self) -> bool {
        self.is_capture() || self.kind_index() == MoveKind::PromoteQueen as usize
    }

    /// Not [noisy](Self::is_noisy).
    #[inline]
    pub const fn is_quiet(self) -> bool {
        !self.is_noisy()
    }

    /// The sixteen bits; never 0.
    pub const fn raw(self) -> u16 {
        self.0.get()
    }

    /// The move with these sixteen bits, if they are one. It need not be legal anywhere.
    pub const fn from_raw(bits: u16) -> Option<Self> {
        if bits & 63 == bits >> 6 & 63 || bits >> 12 >= MoveKind::ALL.len() as u16 {
            return None;
        }
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}({:?})", self.from(), self.to(), self.kind())
    }
}

/// The moves of one position, without allocation.
#[derive(Debug, Clone, Default)]
pub struct MoveList(ArrayVec<Move, MAX_MOVES>);

impl MoveList {
    /// No moves.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a move.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        self.0.push(mv);
    }

    /// The moves, in the order they were added.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        &self.0
    }

    /// Removes all.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl Deref for MoveList {
    type Target = [Move];

    fn deref(&self) -> &[Move] {
        &self.0
    }
}

impl IntoIterator for MoveList {
    type Item = Move;
    type IntoIter = arrayvec::IntoIter<Move, MAX_MOVES>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a MoveList {
    type Item = &'a Move;
    type IntoIter = std::slice::Iter<'a, Move>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
