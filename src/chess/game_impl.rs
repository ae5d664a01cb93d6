//! Chess as a [`Game`]: what the generic searches are run on, and the classes of endings that
//! retrograde analysis solves.

use crate::{
    game::{Deterministic, Game, Guide, Keyed, Payoffs, Player, Properties, ZeroSum},
    search::{Control, Fate, FateTable, Universe, retrograde},
};

use super::{Color, Move, MoveList, Piece, PieceKind, Position};

impl Game for Position {
    type Move = Move;
    type Moves = MoveList;

    fn properties(&self) -> Properties {
        Properties::CLASSICAL
    }

    fn to_move(&self) -> Player {
        self.side_to_move().index()
    }

    fn legal_moves(&self) -> MoveList {
        self.legal_moves()
    }

    fn play(&mut self, mv: Move) {
        self.play(mv);
    }

    /// Mate, stalemate, and the draws that a position tells without its history: dead positions and
    /// the fifty moves, which a mate on the last of them precedes.
    fn outcome(&self) -> Option<Payoffs> {
        if self.count_legal_moves() == 0 {
            let loser = if self.in_check() { 1.0 } else { 0.0 };
            return Some(Payoffs::zero_sum(match self.side_to_move() {
                Color::White => -loser,
                Color::Black => loser,
            }));
        }
        let drawn = self.has_insufficient_material() || self.halfmove_clock() >= 100;
        drawn.then(|| Payoffs::zero_sum(0.0))
    }
}

impl ZeroSum for Position {}
impl Deterministic for Position {}

impl Keyed for Position {
    type Key = u64;
    fn key(&self) -> u64 {
        self.key()
    }
}

/// Material for the generic searches: pawns, in tenths of a win so that no material outweighs mate.
#[derive(Debug, Clone, Copy, Default)]
pub struct MaterialGuide;

impl Guide<Position> for MaterialGuide {
    fn evaluate(&self, game: &Position, player: Player) -> f64 {
        const VALUES: [f64; 5] = [1.0, 3.0, 3.0, 5.0, 9.0]; // Shannon 1950
        let side = |color: Color| -> f64 {
            PieceKind::ALL
                .iter()
                .zip(VALUES)
                .map(|(&kind, value)| f64::from(game.of(color, kind).count()) * value)
                .sum()
        };
        let white = (side(Color::White) - side(Color::Black)) / 1000.0;
        if player == 0 { white } else { -white }
    }

    fn candidates(&self, _game: &Position, moves: &mut Vec<Move>) {
        moves.sort_by_key(|mv| !mv.is_noisy());
    }

    fn noisy(&self, _game: &Position, moves: &mut Vec<Move>) {
        moves.retain(|mv| mv.is_noisy());
    }

    fn forcing(&self, child: &Position) -> bool {
        child.in_check()
    }
}

/// All placements of up to five men, kings included, with either side to move, mirror images counted
/// once: eight of them without pawns, two with.
#[derive(Debug, Clone)]
pub struct Ending {
    /// The men; the white king first, the black king second.
    men: Vec<Piece>,
    pawns: bool,
}

/// Squares of a white king that stand for all its mirror images: the triangle a1, d1, d4 without pawns,
/// files a to d with.
const TRIANGLE: [u8; 10] = [0, 1, 2, 3, 9, 10, 11, 18, 19, 27];

impl Ending {
    /// The class of a material name: `"KRk"`, white in capitals, both kings in it.
    ///
    /// # Errors
    /// With a word on what is wrong.
    pub fn new(name: &str) -> Result<Self, String> {
        let mut men = vec![];
        for letter in name.chars() {
            let kind =
                PieceKind::from_char(letter).ok_or_else(|| format!("'{letter}' is no man"))?;
            let color = if letter.is_uppercase() { Color::White } else { Color::Black };
            men.push(Piece::new(color, kind));
        }
        let king = |color| Piece::new(color, PieceKind::King);
        for (place, color) in [Color::White, Color::Black].into_iter().enumerate() {
            let found: Vec<usize> = (0..men.len()).filter(|&i| men[i] == king(color)).collect();
            let &[found] = found.as_slice() else { return Err("one king a side".to_owned()) };
            men.swap(place, found);
        }
        if men.len() > 5 {
            return Err("at most five men".to_owned());
        }
        let pawns = men.iter().any(|man| man.kind() == PieceKind::Pawn);
        Ok(Self { men, pawns })
    }

    fn king_squares(&self) -> usize {
        if self.pawns { 32 } else { TRIANGLE.len() }
    }

    fn king_square(&self, number: usize) -> u8 {
        if self.pawns { (number / 4 * 8 + number % 4) as u8 } else { TRIANGLE[number] }
    }

    fn king_number(&self, square: u8) -> Option<usize> {
        if self.pawns {
            (square % 8 < 4).then(|| usize::from(square / 8 * 4 + square % 8))
        } else {
            TRIANGLE.iter().position(|&known| known == square)
        }
    }

    /// The number of one way to write a position: men of one kind in order of their squares.
    fn number(&self, squares: &[u8], turn: usize) -> Option<usize> {
        let king = self.king_number(squares[0])?;
        let rest =
            squares[1..].iter().fold(king, |number, &square| number * 64 + usize::from(square));
        Some(rest * 2 + turn)
    }
}

const fn mirror(square: u8, symmetry: u8) -> u8 {
    let mut square = square;
    if symmetry & 1 != 0 {
        square ^= 7;
    }
    if symmetry & 2 != 0 {
        square ^= 0b11_1000;
    }
    if symmetry & 4 != 0 {
        square = square % 8 * 8 + square / 8;
    }
    square
}

impl Universe<Position> for Ending {
    fn len(&self) -> usize {
        self.king_squares() * 64_usize.pow(self.men.len() as u32 - 1) * 2
    }

    fn position(&self, index: usize) -> Option<Position> {
        let (turn, mut rest) = (index % 2, index / 2);
        let mut squares = vec![0; self.men.len()];
        for square in squares[1..].iter_mut().rev() {
            *square = (rest % 64) as u8;
            rest /= 64;
        }
        squares[0] = self.king_square(rest);
        let mut board = [None; 64];
        for (&man, &square) in self.men.iter().zip(&squares) {
            if board[usize::from(square)].replace(man).is_some() {
                return None;
            }
        }
        let position = Position::from_fen(&fen(&board, turn)).ok()?;
        // Of all ways to write a position only the one its index names counts.
        (self.index(&position) == Some(index)).then_some(position)
    }

    fn index(&self, game: &Position) -> Option<usize> {
        if game.occupied().count() as usize != self.men.len() {
            return None;
        }
        let mut squares = vec![0_u8; self.men.len()];
        let mut used = 0_u64;
        for (&man, place) in self.men.iter().zip(&mut squares) {
            let free = game
                .of(man.color(), man.kind())
                .into_iter()
                .find(|square| used >> square.index() & 1 == 0)?;
            used |= 1 << free.index();
            *place = free.index() as u8;
        }
        let turn = game.side_to_move().index();
        (0..8)
            .filter(|symmetry| !self.pawns || symmetry & 6 == 0)
            .filter_map(|symmetry| {
                let mut image: Vec<u8> =
                    squares.iter().map(|&square| mirror(square, symmetry)).collect();
                for start in 2..image.len() {
                    let like =
                        self.men[start..].iter().take_while(|m| **m == self.men[start]).count();
                    image[start..start + like].sort_unstable();
                }
                self.number(&image, turn)
            })
            .min()
    }
}

fn fen(board: &[Option<Piece>; 64], turn: usize) -> String {
    let mut text = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for file in 0..8 {
            match board[rank * 8 + file] {
                None => empty += 1,
                Some(man) => {
                    if empty > 0 {
                        text += &empty.to_string();
                    }
                    empty = 0;
                    text.push(man.to_char());
                }
            }
        }
        if empty > 0 {
            text += &empty.to_string();
        }
        if rank > 0 {
            text.push('/');
        }
    }
    text + if turn == 0 { " w - - 0 1" } else { " b - - 0 1" }
}

/// Solved classes of endings, each with the ones it passes into.
#[derive(Debug, Clone, Default)]
pub struct Endings {
    /// Material names, and their classes with every position's fate.
    pub tables: Vec<(String, Ending, FateTable)>,
}

impl Endings {
    /// Solves the class of a material name such as `"KPk"`, after those that captures and promotions
    /// lead to.
    ///
    /// # Errors
    /// If there is no such class, or `control` stopped the analysis.
    pub fn solve(&mut self, name: &str, control: &mut Control<'_>) -> Result<(), String> {
        let ending = Ending::new(name)?;
        if self.tables.iter().any(|(_, known, _)| known.men == ending.men) {
            return Ok(());
        }
        for (place, letter) in name.char_indices().filter(|(_, letter)| !"Kk".contains(*letter)) {
            let promoted = if letter == 'P' { "QRBN" } else { "qrbn" };
            let heirs = if letter.eq_ignore_ascii_case(&'p') { promoted } else { "" };
            let without = format!("{}{}", &name[..place], &name[place + 1..]);
            let next = heirs
                .chars()
                .map(|heir| format!("{}{heir}{}", &name[..place], &name[place + 1..]))
                .chain((without.len() > 2).then_some(without.clone()));
            for next in next.collect::<Vec<_>>() {
                self.solve(&next, control)?;
            }
        }
        let outside = |game: &Position| self.fate(game).unwrap_or(Fate::Draw);
        let table =
            retrograde(&ending, &outside, control).map_err(|stopped| stopped.to_string())?;
        self.tables.push((name.to_owned(), ending, table));
        Ok(())
    }

    /// The fate of a position, if its class is solved. The fifty-move rule does not count.
    pub fn fate(&self, game: &Position) -> Option<Fate> {
        let find = |(_, ending, table): &(String, Ending, FateTable)| {
            ending.index(game).and_then(|index| table.get(index))
        };
        self.tables.iter().find_map(find)
    }
}
