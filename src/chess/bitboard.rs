//! Sets of squares, one bit each.

use std::{
    fmt,
    ops::{
        BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Shl, Shr, Sub,
        SubAssign,
    },
};

use super::{piece::Color, square::Square};

/// A set of squares; bit 0 is a1, bit 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub u64);

const FILE_A: u64 = 0x0101_0101_0101_0101;

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// Every square.
    pub const FULL: Self = Self(!0);
    /// The files, a first.
    pub const FILES: [Self; 8] = {
        let mut files = [Self(FILE_A); 8];
        let mut i = 0;
        while i < 8 {
            files[i] = Self(FILE_A << i);
            i += 1;
        }
        files
    };
    /// The ranks, first first.
    pub const RANKS: [Self; 8] = {
        let mut ranks = [Self(0xFF); 8];
        let mut i = 0;
        while i < 8 {
            ranks[i] = Self(0xFF << (8 * i));
            i += 1;
        }
        ranks
    };
    /// The dark squares, a1 among them.
    pub const DARK: Self = Self(0xAA55_AA55_AA55_AA55);

    /// No square is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// At least one square is in the set.
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// How many squares are in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `square` is in the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// At least two squares are in the set.
    pub const fn has_several(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The first square of a set that is not empty.
    pub const fn lowest(self) -> Square {
        debug_assert!(self.0 != 0);
        Square::new(self.0.trailing_zeros() as u8 & 63)
    }

    /// The first square, if any.
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(self.lowest()) }
    }

    /// The last square of a set that is not empty.
    pub const fn highest(self) -> Square {
        debug_assert!(self.0 != 0);
        Square::new(63 - (self.0.leading_zeros() as u8 & 63))
    }

    /// The set with `square` too.
    #[must_use]
    pub const fn with(self, square: Square) -> Self {
        Self(self.0 | 1 << square.index())
    }

    /// The set without `square`.
    #[must_use]
    pub const fn without(self, square: Square) -> Self {
        Self(self.0 & !(1 << square.index()))
    }

    /// The set with `square` put in or taken out.
    #[must_use]
    pub const fn toggle(self, square: Square) -> Self {
        Self(self.0 ^ 1 << square.index())
    }

    /// Every square one rank up, towards the eighth.
    #[must_use]
    pub const fn shift_north(self) -> Self {
        Self(self.0 << 8)
    }

    /// Every square one rank down.
    #[must_use]
    pub const fn shift_south(self) -> Self {
        Self(self.0 >> 8)
    }

    /// Every square one file towards the h-file.
    #[must_use]
    pub const fn shift_east(self) -> Self {
        Self((self.0 & !(FILE_A << 7)) << 1)
    }

    /// Every square one file towards the a-file.
    #[must_use]
    pub const fn shift_west(self) -> Self {
        Self((self.0 & !FILE_A) >> 1)
    }

    /// Every square one rank on, as `color` moves its pawns.
    #[must_use]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => self.shift_north(),
            Color::Black => self.shift_south(),
        }
    }

    /// The set and every square north of one of its squares.
    #[must_use]
    pub const fn north_fill(self) -> Self {
        let mut bits = self.0;
        bits |= bits << 8;
        bits |= bits << 16;
        Self(bits | bits << 32)
    }

    /// The set and every square south of one of its squares.
    #[must_use]
    pub const fn south_fill(self) -> Self {
        let mut bits = self.0;
        bits |= bits >> 8;
        bits |= bits >> 16;
        Self(bits | bits >> 32)
    }

    /// The set and every square in front of one of its squares, as `color` sees it.
    #[must_use]
    pub const fn forward_fill(self, color: Color) -> Self {
        match color {
            Color::White => self.north_fill(),
            Color::Black => self.south_fill(),
        }
    }

    /// Mirrored between the first and the eighth rank.
    #[must_use]
    pub const fn flip_ranks(self) -> Self {
        Self(self.0.swap_bytes())
    }
}

impl BitAnd for Bitboard {
    type Output = Self;

    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        self.0 &= other.0;
    }
}

impl BitOr for Bitboard {
    type Output = Self;

    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitXor for Bitboard {
    type Output = Self;

    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        self.0 ^= other.0;
    }
}

/// Difference: the squares of the first set that are not in the second.
impl Sub for Bitboard {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl SubAssign for Bitboard {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

impl Not for Bitboard {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl Shl<u32> for Bitboard {
    type Output = Self;

    fn shl(self, by: u32) -> Self {
        Self(self.0 << by)
    }
}

impl Shr<u32> for Bitboard {
    type Output = Self;

    fn shr(self, by: u32) -> Self {
        Self(self.0 >> by)
    }
}

/// The squares of a set, a1 first.
#[derive(Debug, Clone)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
