//! The m,n,k-game: on a board of m columns and n rows, k in a row wins. Tic-tac-toe is 3,3,3.

use crate::game::{Deterministic, Exact, Game, Keyed, Payoffs, Player, Properties, ZeroSum};

/// A position of at most 64 squares, numbered row by row from 0 at the top left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TicTacToe {
    stones: [u64; 2],
    columns: u8,
    rows: u8,
    in_a_row: u8,
    turn: u8,
}

/// Why there is no such board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoardError {
    /// No side may be 0, the board has at most 64 squares.
    Size,
    /// A board text has one of `X`, `O`, `.` a square, row by row.
    Text(String),
}

impl std::fmt::Display for BoardError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Size => f.write_str("a board has between 1 and 64 squares"),
            Self::Text(text) => write!(f, "'{text}' is not one of X, O, . for each square"),
        }
    }
}

impl std::error::Error for BoardError {}

impl Default for TicTacToe {
    fn default() -> Self {
        Self { stones: [0; 2], columns: 3, rows: 3, in_a_row: 3, turn: 0 }
    }
}

impl TicTacToe {
    /// An empty board; X moves first.
    ///
    /// # Errors
    /// If it has no squares or more than 64, or `in_a_row` is 0.
    pub fn new(columns: u8, rows: u8, in_a_row: u8) -> Result<Self, BoardError> {
        let squares = u32::from(columns) * u32::from(rows);
        if !(1..=64).contains(&squares) || in_a_row == 0 {
            return Err(BoardError::Size);
        }
        Ok(Self { stones: [0; 2], columns, rows, in_a_row, turn: 0 })
    }

    /// This board size with the stones of `text`, row by row; `turn` moves next.
    ///
    /// # Errors
    /// If `text` is not one of `X`, `O`, `.` for each square.
    pub fn with_stones(mut self, text: &str, turn: Player) -> Result<Self, BoardError> {
        let bad = || BoardError::Text(text.to_owned());
        if text.len() != usize::from(self.columns * self.rows) || turn > 1 {
            return Err(bad());
        }
        self.stones = [0; 2];
        for (square, c) in text.chars().enumerate() {
            match c {
                'X' | 'x' => self.stones[0] |= 1 << square,
                'O' | 'o' => self.stones[1] |= 1 << square,
                '.' => {}
                _ => return Err(bad()),
            }
        }
        self.turn = turn as u8;
        Ok(self)
    }

    /// Squares of `player`, as a bit set.
    pub const fn stones(&self, player: Player) -> u64 {
        self.stones[player]
    }

    /// Columns and rows.
    pub const fn size(&self) -> (u8, u8) {
        (self.columns, self.rows)
    }

    const fn empty(&self) -> u64 {
        let squares = self.columns as u32 * self.rows as u32;
        !(self.stones[0] | self.stones[1]) & (u64::MAX >> (64 - squares))
    }

    fn has_row(&self, player: Player) -> bool {
        let stones = self.stones[player];
        let (columns, rows) = (i32::from(self.columns), i32::from(self.rows));
        if (columns, rows, self.in_a_row) == (3, 3, 3) {
            const LINES: [u64; 8] = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];
            return LINES.iter().any(|line| stones & line == *line);
        }
        let has = |x: i32, y: i32| {
            (0..columns).contains(&x)
                && (0..rows).contains(&y)
                && stones >> (y * columns + x) & 1 == 1
        };
        (0..columns * rows).any(|square| {
            let (x, y) = (square % columns, square / columns);
            [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(dx, dy)| {
                (0..i32::from(self.in_a_row)).all(|step| has(x + dx * step, y + dy * step))
            })
        })
    }

    /// The least of the board's mirror images and rotations: equal for positions that differ
    /// only by symmetry. Square boards have eight, others four.
    #[must_use]
    pub fn canonical(&self) -> Self {
        let mut least = *self;
        for symmetry in 0..8 {
            if symmetry & 4 != 0 && self.columns != self.rows {
                continue;
            }
            least = least.min(self.mapped(symmetry));
        }
        least
    }

    fn mapped(&self, symmetry: u8) -> Self {
        let (columns, rows) = (self.columns, self.rows);
        let mut image = Self { stones: [0; 2], ..*self };
        for square in 0..columns * rows {
            let (mut x, mut y) = (square % columns, square / columns);
            if symmetry & 1 != 0 {
                x = columns - 1 - x;
            }
            if symmetry & 2 != 0 {
                y = rows - 1 - y;
            }
            if symmetry & 4 != 0 {
                (x, y) = (y, x);
            }
            for player in 0..2 {
                image.stones[player] |= (self.stones[player] >> square & 1) << (y * columns + x);
            }
        }
        image
    }
}

/// Bits of a set, lowest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Squares(pub u64);

impl Iterator for Squares {
    type Item = u8;
    fn next(&mut self) -> Option<u8> {
        (self.0 != 0).then(|| {
            let square = self.0.trailing_zeros() as u8;
            self.0 &= self.0 - 1;
            square
        })
    }
}

impl Game for TicTacToe {
    type Move = u8;
    type Moves = Squares;

    fn properties(&self) -> Properties {
        Properties::CLASSICAL
    }

    fn to_move(&self) -> Player {
        usize::from(self.turn)
    }

    fn legal_moves(&self) -> Squares {
        Squares(self.empty())
    }

    fn play(&mut self, square: u8) {
        self.stones[usize::from(self.turn)] |= 1 << square;
        self.turn ^= 1;
    }

    fn outcome(&self) -> Option<Payoffs> {
        if self.has_row(0) {
            Some(Payoffs::zero_sum(1.0))
        } else if self.has_row(1) {
            Some(Payoffs::zero_sum(-1.0))
        } else {
            (self.empty() == 0).then(|| Payoffs::zero_sum(0.0))
        }
    }
}

impl ZeroSum for TicTacToe {}
impl Deterministic for TicTacToe {}

impl Keyed for TicTacToe {
    type Key = ([u64; 2], u8);
    fn key(&self) -> Self::Key {
        (self.stones, self.turn)
    }
}
impl Exact for TicTacToe {}

impl std::fmt::Display for TicTacToe {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for square in 0..self.columns * self.rows {
            let mark = match (self.stones[0] >> square & 1, self.stones[1] >> square & 1) {
                (1, _) => 'X',
                (_, 1) => 'O',
                _ => '.',
            };
            write!(f, "{mark}")?;
            if (square + 1) % self.columns == 0 {
                writeln!(f)?;
            }
        }
        Ok(())
    }
}
