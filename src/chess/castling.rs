//! Castling rights, in standard chess and Chess960 (FIDE 3.8.2 and Guidelines II).

use super::{piece::Color, square::Square};

/// A wing, by where the king ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Wing {
    /// King to the g-file, rook to the f-file.
    King,
    /// King to the c-file, rook to the d-file.
    Queen,
}

impl Wing {
    /// Both.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];
}

const NONE: u8 = 64;

/// With which rooks a side may still castle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CastlingRights {
    /// By colour and wing: the rook's square, or 64.
    rooks: [[u8; 2]; 2],
}

impl CastlingRights {
    /// No rights.
    pub const EMPTY: Self = Self { rooks: [[NONE; 2]; 2] };

    /// The rook that may castle.
    #[inline]
    pub const fn rook(self, color: Color, wing: Wing) -> Option<Square> {
        let square = self.rooks[color as usize][wing as usize];
        if square == NONE { None } else { Some(Square::new(square)) }
    }

    /// No right is left.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.bits() == 0
    }

    /// Four bits: White king's wing 1, queen's 2, Black king's 4, queen's 8.
    #[inline]
    pub const fn bits(self) -> u8 {
        (self.rooks[0][0] != NONE) as u8
            | ((self.rooks[0][1] != NONE) as u8) << 1
            | ((self.rooks[1][0] != NONE) as u8) << 2
            | ((self.rooks[1][1] != NONE) as u8) << 3
    }

    /// Grants a right.
    pub const fn grant(&mut self, color: Color, wing: Wing, rook: Square) {
        self.rooks[color as usize][wing as usize] = rook.index() as u8;
    }

    /// The king has moved.
    pub(super) const fn revoke_all(&mut self, color: Color) {
        self.rooks[color as usize] = [NONE; 2];
    }

    /// Something has moved from or to `square`: a right that hung on a rook there is gone.
    pub(super) fn revoke_rook(&mut self, color: Color, square: Square) {
        for rook in &mut self.rooks[color.index()] {
            if usize::from(*rook) == square.index() {
                *rook = NONE;
            }
        }
    }

    /// Where king and rook end.
    pub const fn destinations(color: Color, wing: Wing) -> (Square, Square) {
        let (king, rook) = match wing {
            Wing::King => (6, 5),
            Wing::Queen => (2, 3),
        };
        let rank = 7 * color as u8;
        (Square::at(king, rank), Square::at(rook, rank))
    }
}
