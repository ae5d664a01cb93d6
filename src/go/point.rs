//! Small values: colours, points of a bordered one-dimensional board, moves, and their GTP names.

use std::{fmt, num::NonZeroU16};

/// Largest board of GTP 2 (section 2.11: columns A to Z without I).
pub const MAX_SIZE: usize = 25;

/// Cells of the largest board with its border; the right border of a row is the left one of the next.
pub const MAX_CELLS: usize = (MAX_SIZE + 1) * (MAX_SIZE + 2) + 1;

/// Columns in the order of GTP: no I.
const COLUMNS: &[u8; MAX_SIZE] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// A player, and the stones of that player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Color {
    /// Moves first in an even game.
    Black = 1,
    /// Receives komi.
    White = 2,
}

impl Color {
    /// Both, Black first.
    pub const BOTH: [Self; 2] = [Self::Black, Self::White];

    /// The opponent.
    #[inline]
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Black => Self::White,
            Self::White => Self::Black,
        }
    }

    /// 0 for Black, 1 for White.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize - 1
    }

    /// Reads `b`, `w`, `black` or `white` in any case (GTP 2, section 2.11).
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "b" | "black" => Some(Self::Black),
            "w" | "white" => Some(Self::White),
            _ => None,
        }
    }

    /// `B` or `W`, as results and game records write it.
    pub const fn letter(self) -> char {
        match self {
            Self::Black => 'B',
            Self::White => 'W',
        }
    }
}

/// A cell of the bordered board: never the corner cell 0, so an `Option<Point>` costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point(NonZeroU16);

impl Point {
    /// The cell with this index, which must be from 1 to [`MAX_CELLS`] - 1.
    ///
    /// # Panics
    /// If it is 0.
    #[inline]
    pub const fn new(cell: usize) -> Self {
        Self(NonZeroU16::new(cell as u16).expect("cell 0 is border, never asked for"))
    }

    /// The point in column `x` and row `y`, both from 0, of a board of `size`.
    #[inline]
    pub const fn at(x: usize, y: usize, size: usize) -> Self {
        Self::new((y + 1) * (size + 1) + x + 1)
    }

    /// Index of the cell.
    #[inline]
    pub const fn cell(self) -> usize {
        self.0.get() as usize
    }

    /// Column and row from 0; row 0 is the lowest, `1` in GTP.
    #[inline]
    pub const fn xy(self, size: usize) -> (usize, usize) {
        (self.cell() % (size + 1) - 1, self.cell() / (size + 1) - 1)
    }

    /// Reads a vertex such as `Q16`, in any case. `None` if it is not one of a board of `size`.
    pub fn parse(text: &str, size: usize) -> Option<Self> {
        let letter = text.bytes().next()?.to_ascii_uppercase();
        let x = COLUMNS.iter().position(|&column| column == letter)?;
        let digits = &text[1..];
        if digits.is_empty() || digits.len() > 2 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let row: usize = digits.parse().ok()?;
        (x < size && (1..=size).contains(&row)).then(|| Self::at(x, row - 1, size))
    }

    /// The vertex in upper case.
    pub fn name(self, size: usize) -> String {
        let (x, y) = self.xy(size);
        format!("{}{}", COLUMNS[x] as char, y + 1)
    }
}

/// A move: a stone, or a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// No stone.
    Pass,
    /// A stone on a point.
    Play(Point),
}

impl Move {
    /// Reads a vertex or `pass`, in any case.
    pub fn parse(text: &str, size: usize) -> Option<Self> {
        if text.eq_ignore_ascii_case("pass") {
            Some(Self::Pass)
        } else {
            Point::parse(text, size).map(Self::Play)
        }
    }

    /// As GTP writes it.
    pub fn name(self, size: usize) -> String {
        match self {
            Self::Pass => "pass".to_owned(),
            Self::Play(point) => point.name(size),
        }
    }

    /// The point, unless it is a pass.
    pub const fn point(self) -> Option<Point> {
        match self {
            Self::Pass => None,
            Self::Play(point) => Some(point),
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Black => "black",
            Self::White => "white",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GTP 2, section 2.11: letters A to Z without I, numbers from 1.
    #[test]
    fn every_vertex_of_every_board_is_read_as_it_is_written() {
        for size in 1..=MAX_SIZE {
            for y in 0..size {
                for x in 0..size {
                    let point = Point::at(x, y, size);
                    let name = point.name(size);
                    assert!(!name.contains('I'));
                    assert_eq!(point.xy(size), (x, y));
                    assert_eq!(Point::parse(&name.to_lowercase(), size), Some(point));
                }
            }
        }
    }

    #[test]
    fn what_is_no_vertex_is_refused() {
        for text in ["", "I5", "A0", "A10", "K1", "A", "5", "A+1", "A1 ", "é5", "A001", "A-1"] {
            assert_eq!(Move::parse(text, 9), None, "{text}");
        }
    }
}
