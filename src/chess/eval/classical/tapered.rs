//! A middlegame and an endgame value in one integer: one addition adds both.

use std::{
    fmt,
    ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign},
};

use crate::chess::score::Score;

/// A middlegame and an endgame value, in centipawns, each within sixteen bits.
///
/// The endgame's half stands in the upper sixteen bits; a negative middlegame value borrows from
/// it, and [`Tapered::eg`] pays back.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Tapered(i32);

impl Tapered {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// Both values.
    pub const fn new(mg: Score, eg: Score) -> Self {
        Self((eg << 16) + mg)
    }

    /// The middlegame value.
    pub const fn mg(self) -> Score {
        self.0 as i16 as Score
    }

    /// The endgame value.
    pub const fn eg(self) -> Score {
        ((self.0 + 0x8000) >> 16) as i16 as Score
    }
}

impl Add for Tapered {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Tapered {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Tapered {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Tapered {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Neg for Tapered {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl Mul<i32> for Tapered {
    type Output = Self;

    fn mul(self, times: i32) -> Self {
        Self(self.0 * times)
    }
}

impl fmt::Debug for Tapered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.mg(), self.eg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_keep_their_values_through_arithmetic() {
        for (mg, eg) in [(0, 0), (1, -1), (-1, 1), (-300, -200), (12_000, -12_000), (-5, 0)] {
            let value = Tapered::new(mg, eg);
            assert_eq!((value.mg(), value.eg()), (mg, eg));
            let doubled = value * 2 + Tapered::new(-7, 3) - Tapered::new(1, -1);
            assert_eq!((doubled.mg(), doubled.eg()), (2 * mg - 8, 2 * eg + 4));
            assert_eq!(((-value).mg(), (-value).eg()), (-mg, -eg));
        }
    }
}
