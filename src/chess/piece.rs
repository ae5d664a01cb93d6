//! Colours and pieces.

use std::ops::Not;

/// A side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Color {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

impl Color {
    /// Both.
    pub const ALL: [Self; 2] = [Self::White, Self::Black];

    /// 0 or 1, for tables.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The other side.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

impl Not for Color {
    type Output = Self;

    fn not(self) -> Self {
        self.opponent()
    }
}

/// What a piece is, whatever its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PieceKind {
    /// P
    Pawn,
    /// N
    Knight,
    /// B
    Bishop,
    /// R
    Rook,
    /// Q
    Queen,
    /// K
    King,
}

impl PieceKind {
    /// All, pawn first.
    pub const ALL: [Self; 6] =
        [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];

    /// 0 to 5, for tables.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind an English letter of either case stands for.
    pub const fn from_char(letter: char) -> Option<Self> {
        Some(match letter.to_ascii_lowercase() {
            'p' => Self::Pawn,
            'n' => Self::Knight,
            'b' => Self::Bishop,
            'r' => Self::Rook,
            'q' => Self::Queen,
            'k' => Self::King,
            _ => return None,
        })
    }

    /// Its English letter, in lower case.
    pub const fn to_char(self) -> char {
        ['p', 'n', 'b', 'r', 'q', 'k'][self.index()]
    }
}

/// A piece of one side. An enumeration, so that `Option<Piece>` is one byte too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "the names say it all")]
pub enum Piece {
    WhitePawn,
    WhiteKnight,
    WhiteBishop,
    WhiteRook,
    WhiteQueen,
    WhiteKing,
    BlackPawn,
    BlackKnight,
    BlackBishop,
    BlackRook,
    BlackQueen,
    BlackKing,
}

impl Piece {
    /// All, by [index](Self::index).
    pub const ALL: [Self; 12] = [
        Self::WhitePawn,
        Self::WhiteKnight,
        Self::WhiteBishop,
        Self::WhiteRook,
        Self::WhiteQueen,
        Self::WhiteKing,
        Self::BlackPawn,
        Self::BlackKnight,
        Self::BlackBishop,
        Self::BlackRook,
        Self::BlackQueen,
        Self::BlackKing,
    ];

    /// The piece of this colour and kind.
    #[inline]
    pub const fn new(color: Color, kind: PieceKind) -> Self {
        Self::ALL[color.index() * 6 + kind.index()]
    }

    /// White pawn 0 to king 5, Black pawn 6 to king 11; for tables.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Its side.
    #[inline]
    pub const fn color(self) -> Color {
        if self.index() < 6 { Color::White } else { Color::Black }
    }

    /// Its kind.
    #[inline]
    pub const fn kind(self) -> PieceKind {
        PieceKind::ALL[if self.index() < 6 { self.index() } else { self.index() - 6 }]
    }

    /// The piece a FEN letter stands for.
    pub const fn from_char(letter: char) -> Option<Self> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        match PieceKind::from_char(letter) {
            Some(kind) => Some(Self::new(color, kind)),
            None => None,
        }
    }

    /// Its FEN letter.
    pub const fn to_char(self) -> char {
        match self.color() {
            Color::White => self.kind().to_char().to_ascii_uppercase(),
            Color::Black => self.kind().to_char(),
        }
    }
}
