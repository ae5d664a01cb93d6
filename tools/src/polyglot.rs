//! Makes Polyglot books from games, and checks that moves are drawn from a book as often as its
//! weights say.

use std::{
    collections::{BTreeMap, HashSet, VecDeque},
    io::Cursor,
    ops::ControlFlow,
};

use anyhow::Result;
use pgn_reader::{Outcome, RawTag, Reader, SanPlus, Visitor};
use rand::Rng;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, KnownOutcome, Move, Position, Role,
    zobrist::Zobrist64,
};
use tegenspel::chess::{Record, book::Book};

use crate::book;

/// How a book is made.
#[derive(Debug, Clone, Copy)]
pub struct Recipe {
    /// Plies of each game that are taken.
    pub plies: usize,
    /// Games that a move must have been played in.
    pub least_games: u32,
}

/// What a move of a position has brought: games, and points of the mover, two a win.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    games: u32,
    points: u32,
}

/// The moves of many games.
#[derive(Debug)]
pub struct Maker {
    recipe: Recipe,
    moves: BTreeMap<(u64, u16), Tally>,
    games: u64,
}

impl Maker {
    /// No games yet.
    pub const fn new(recipe: Recipe) -> Self {
        Self { recipe, moves: BTreeMap::new(), games: 0 }
    }

    /// Adds the games of a PGN file; a game without a result teaches nothing.
    ///
    /// # Errors
    /// If the bytes cannot be read as PGN.
    pub fn add(&mut self, pgn: &[u8]) -> Result<()> {
        let mut reader = Reader::new(Cursor::new(pgn));
        let mut visitor = Games { plies: self.recipe.plies };
        while let Some(played) = reader.read_game(&mut visitor)? {
            self.games += u64::from(!played.is_empty());
            for (key, mv, points) in played {
                let tally = self.moves.entry((key, mv)).or_default();
                tally.games += 1;
                tally.points += points;
            }
        }
        Ok(())
    }

    /// Games that were taken.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// The book: entries by key, the heaviest move of a position first. The weight of a move is the
    /// points it has brought, as in Polyglot, halved for all moves of a position until they fit.
    pub fn book(&self) -> Vec<u8> {
        let mut positions: BTreeMap<u64, Vec<(u32, u16)>> = BTreeMap::new();
        for (&(key, mv), tally) in &self.moves {
            if tally.games >= self.recipe.least_games && tally.points > 0 {
                positions.entry(key).or_default().push((tally.points, mv));
            }
        }
        let mut bytes = Vec::new();
        for (key, mut moves) in positions {
            moves.sort_by_key(|&(points, mv)| (std::cmp::Reverse(points), mv));
            let shift = (32 - moves[0].0.leading_zeros()).saturating_sub(16);
            for (points, mv) in moves {
                let weight = (points >> shift).max(1) as u16;
                bytes.extend_from_slice(&key.to_be_bytes());
                bytes.extend_from_slice(&mv.to_be_bytes());
                bytes.extend_from_slice(&weight.to_be_bytes());
                bytes.extend_from_slice(&[0; 4]);
            }
        }
        bytes
    }
}

/// Key, move and points of each ply of a game.
type Played = Vec<(u64, u16, u32)>;

struct Games {
    plies: usize,
}

/// A game that is being read.
struct Course {
    board: Chess,
    moves: Vec<(u64, u16, Color)>,
    outcome: Option<KnownOutcome>,
}

impl Visitor for Games {
    type Tags = Option<Chess>;
    type Movetext = Course;
    type Output = Played;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Self::Tags> {
        ControlFlow::Continue(Some(Chess::default()))
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        if name == b"FEN" {
            *tags = book::tagged_start(value, CastlingMode::Standard);
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Self::Output, Self::Movetext> {
        tags.map_or(ControlFlow::Break(Vec::new()), |board| {
            ControlFlow::Continue(Course { board, moves: Vec::new(), outcome: None })
        })
    }

    fn san(&mut self, course: &mut Course, san: SanPlus) -> ControlFlow<Self::Output> {
        if course.moves.len() < self.plies {
            let Ok(mv) = san.san.to_move(&course.board) else {
                return ControlFlow::Break(Vec::new());
            };
            let key: Zobrist64 = course.board.zobrist_hash(EnPassantMode::PseudoLegal);
            course.moves.push((key.0, encode(mv), course.board.turn()));
            course.board.play_unchecked(mv);
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, course: &mut Course, outcome: Outcome) -> ControlFlow<Self::Output> {
        course.outcome = outcome.known();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, course: Course) -> Self::Output {
        let Some(outcome) = course.outcome else { return Vec::new() };
        let points = |mover| match outcome.winner() {
            None => 1,
            Some(winner) => 2 * u32::from(winner == mover),
        };
        course.moves.into_iter().map(|(key, mv, mover)| (key, mv, points(mover))).collect()
    }
}

/// Polyglot's sixteen bits: to, from, promotion; castling as the king taking his rook.
fn encode(mv: Move) -> u16 {
    let from = mv.from().map_or(0, |square| square as u16);
    let promotion = match mv.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    promotion << 12 | from << 6 | mv.to() as u16
}

/// What a check of a book has found.
#[derive(Debug, Clone, Copy, Default)]
pub struct Checked {
    /// Positions that were reached and have moves.
    pub positions: usize,
    /// Moves of them.
    pub moves: usize,
    /// Castling moves of them.
    pub castlings: usize,
    /// Draws that were made.
    pub draws: u64,
    /// Draws of moves that are not legal, or not in the book.
    pub wrong: u64,
    /// Chi-squared tests that were made: one for each position with several moves.
    pub tests: usize,
    /// Of those, how many have a chance below one in a thousand.
    pub unlikely: usize,
    /// The least chance.
    pub least: f64,
}

/// Walks from `root` along the moves of the book, over at most `most` positions, and draws `draws`
/// moves from each.
pub fn check(
    book: &Book,
    root: &Record,
    most: usize,
    draws: u64,
    variety: u32,
    rng: &mut impl Rng,
) -> Checked {
    let mut checked = Checked { least: 1.0, ..Checked::default() };
    let mut seen = HashSet::from([root.position().key()]);
    let mut queue = VecDeque::from([root.clone()]);
    while let Some(record) = queue.pop_front() {
        let moves = book.moves(&record);
        for &(mv, _) in &moves {
            let mut child = record.clone();
            child.push(mv);
            if seen.insert(child.position().key()) {
                queue.push_back(child);
            }
        }
        if moves.is_empty() {
            continue;
        }
        checked.positions += 1;
        checked.moves += moves.len();
        checked.castlings += moves.iter().filter(|(mv, _)| mv.is_castle()).count();
        test_draws(book, &record, draws, variety, rng, &mut checked);
        if checked.positions >= most {
            break;
        }
    }
    checked
}

fn test_draws(
    book: &Book,
    record: &Record,
    draws: u64,
    variety: u32,
    rng: &mut impl Rng,
    checked: &mut Checked,
) {
    // A move may stand in a book twice: then it has both weights.
    let mut weights: BTreeMap<u16, f64> = BTreeMap::new();
    for (mv, weight) in book.moves(record).into_iter().filter(|&(_, weight)| weight > 0) {
        *weights.entry(mv.raw()).or_default() += f64::from(weight);
    }
    let mut counts: BTreeMap<u16, u64> = BTreeMap::new();
    for _ in 0..draws {
        let Some(mv) = book.pick(record, variety, rng) else { break };
        checked.draws += 1;
        let known = weights.contains_key(&mv.raw()) && record.position().is_legal(mv);
        checked.wrong += u64::from(!known);
        *counts.entry(mv.raw()).or_default() += 1;
    }
    let all: f64 = weights.values().sum();
    let expected = |mv: u16| draws as f64 * weights[&mv] / all;
    // Moves that are expected fewer than five times are counted together, as the test asks.
    let (common, rare): (Vec<u16>, Vec<u16>) = weights.keys().partition(|&&mv| expected(mv) >= 5.0);
    let count = |mv: &u16| counts.get(mv).copied().unwrap_or(0) as f64;
    let mut cells: Vec<(f64, f64)> = common.iter().map(|mv| (count(mv), expected(*mv))).collect();
    let rest = rare.iter().map(|mv| (count(mv), expected(*mv)));
    let rest = rest.fold((0.0, 0.0), |sum, cell| (sum.0 + cell.0, sum.1 + cell.1));
    if rest.1 >= 5.0 {
        cells.push(rest);
    }
    if cells.len() > 1 {
        let squared: f64 = cells.iter().map(|(seen, due)| (seen - due).powi(2) / due).sum();
        let chance = chi_squared_tail(squared, cells.len() - 1);
        checked.tests += 1;
        checked.unlikely += usize::from(chance < 0.001);
        checked.least = checked.least.min(chance);
    }
}

/// The chance that a chi-squared variable of so many degrees of freedom is at least `value`
/// (approximation of Wilson & Hilferty 1931).
pub fn chi_squared_tail(value: f64, freedom: usize) -> f64 {
    let spread = 2.0 / (9.0 * freedom as f64);
    let deviation = ((value / freedom as f64).cbrt() - (1.0 - spread)) / spread.sqrt();
    libm::erfc(deviation / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::SmallRng};
    use tegenspel::chess::Position;

    use super::*;

    const GAMES: &str = "\
[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O Nf6 1-0\n\n\
[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. O-O 1/2-1/2\n\n\
[Event \"?\"]\n\n1. d4 d5 0-1\n\n[Event \"?\"]\n\n1. a3 *\n\n[Event \"?\"]\n\n1. e5 1-0\n\n";

    fn made(least_games: u32) -> (Maker, Book) {
        let mut maker = Maker::new(Recipe { plies: 20, least_games });
        maker.add(GAMES.as_bytes()).unwrap();
        let book = Book::parse(&maker.book()).unwrap();
        (maker, book)
    }

    /// Two points a win, one a draw, none a loss: 1.e4 has three, 1.d4 none.
    #[test]
    fn a_book_made_from_games_holds_what_scored() {
        let (maker, book) = made(1);
        assert_eq!(maker.games(), 3);
        let root = Record::new(Position::start());
        let weights: Vec<u16> = book.moves(&root).into_iter().map(|(_, weight)| weight).collect();
        assert_eq!(weights, [3]);
        let mut rng = SmallRng::seed_from_u64(1);
        let checked = check(&book, &root, 100, 200, 50, &mut rng);
        // Black lost with 3...Bc5, so White castles after 3...Nf6 alone.
        assert_eq!((checked.wrong, checked.castlings), (0, 1));
        assert_eq!(checked.positions, 7);
    }

    #[test]
    fn moves_of_too_few_games_are_left_out() {
        let (_, book) = made(2);
        assert_eq!(book.len(), 5);
    }

    /// Table of the chi-squared distribution: 5 % at 3.841 (1 degree), 18.307 (10); 1 % at 6.635.
    #[test]
    fn the_tail_of_chi_squared_is_the_tables() {
        for (value, freedom, chance) in [(3.841, 1, 0.05), (18.307, 10, 0.05), (6.635, 1, 0.01)] {
            let found = chi_squared_tail(value, freedom);
            assert!((found - chance).abs() < 0.003, "{value} {freedom}: {found}");
        }
    }
}
