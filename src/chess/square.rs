//! Squares of the board.

use std::{fmt, str::FromStr};

use super::{bitboard::Bitboard, piece::Color};

/// A square: a1 = 0, b1 = 1, … h8 = 63.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square with this index, 0 to 63.
    pub const fn new(index: u8) -> Self {
        debug_assert!(index < 64);
        Self(index & 63)
    }

    /// The square on a file and a rank, each 0 to 7.
    pub const fn at(file: u8, rank: u8) -> Self {
        Self::new(rank * 8 + file)
    }

    /// 0 to 63, for tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0 for the a-file to 7 for the h-file.
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// 0 for the first rank to 7 for the eighth.
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// The square as `color` sees it from its own side: ranks are flipped for Black.
    #[must_use]
    pub const fn relative_to(self, color: Color) -> Self {
        Self(self.0 ^ (0o70 * color as u8))
    }

    /// Mirrored between the first and the eighth rank.
    #[must_use]
    pub const fn flip_rank(self) -> Self {
        Self(self.0 ^ 0o70)
    }

    /// Mirrored between the a- and the h-file.
    #[must_use]
    pub const fn flip_file(self) -> Self {
        Self(self.0 ^ 0o7)
    }

    /// The set of this square alone.
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << self.0)
    }

    /// All squares, a1 first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..64).map(Self)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), char::from(b'1' + self.rank()))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Not the name of a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotASquare;

impl FromStr for Square {
    type Err = NotASquare;

    fn from_str(text: &str) -> Result<Self, NotASquare> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Self::at(file - b'a', rank - b'1')),
            _ => Err(NotASquare),
        }
    }
}
