//! Opening books in Polyglot's format (Fabien Letouzey 2004): entries of sixteen bytes, big-endian:
//! the key of a position, a move, its weight, and four bytes of learning data, which nobody uses.
//! <http://hgm.nubati.net/book_format.html>

use std::{fmt, fs, path::Path};

use rand::{Rng, RngExt};
use shakmaty::{
    CastlingSide, File, Role,
    zobrist::{Zobrist64, ZobristValue},
};

use super::{
    attacks::pawn_attacks,
    castling::{CastlingRights, Wing},
    moves::{Move, MoveKind},
    piece::{Color, Piece, PieceKind},
    position::{Position, wing_of},
    record::Record,
    square::Square,
};

/// Bytes of an entry.
const ENTRY: usize = 16;

/// A variety at which moves are chosen as often as their weights say.
pub const BY_WEIGHT: u32 = 50;

/// One move of one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: u64,
    /// To (six bits), from (six), promotion (three: none, knight, bishop, rook, queen).
    mv: u16,
    weight: u16,
}

/// A book, in memory.
#[derive(Debug)]
pub struct Book {
    /// By key; those of a key in the order of the file.
    entries: Vec<Entry>,
}

/// Why a file is no book.
#[derive(Debug)]
pub enum BookError {
    /// It cannot be read.
    Read(std::io::Error),
    /// It holds something else.
    Foreign(String),
}

impl fmt::Display for BookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "the book cannot be read: {error}"),
            Self::Foreign(reason) => write!(f, "the file is no Polyglot book: {reason}"),
        }
    }
}

impl std::error::Error for BookError {}

impl Book {
    /// Reads a book. It need not be sorted: of six books that are passed around, one is not.
    ///
    /// # Errors
    /// If the file cannot be read or is no book.
    pub fn load(path: &Path) -> Result<Self, BookError> {
        Self::parse(&fs::read(path).map_err(BookError::Read)?)
    }

    /// The book of these bytes.
    ///
    /// # Errors
    /// If they are none.
    pub fn parse(bytes: &[u8]) -> Result<Self, BookError> {
        if bytes.is_empty() || !bytes.len().is_multiple_of(ENTRY) {
            let length = bytes.len();
            return Err(BookError::Foreign(format!(
                "{length} bytes are not a whole number of entries of {ENTRY}"
            )));
        }
        let mut entries = Vec::with_capacity(bytes.len() / ENTRY);
        for (index, bytes) in bytes.chunks_exact(ENTRY).enumerate() {
            let entry = Entry::read(bytes);
            // Some books say who made them in entries of the key 0, which no position has.
            if entry.key == 0 {
                continue;
            }
            if entry.mv >> 12 > 4 {
                return Err(BookError::Foreign(format!("entry {} is no move", index + 1)));
            }
            entries.push(entry);
        }
        // Stable: moves of one position stay in their order.
        entries.sort_by_key(|entry| entry.key);
        Ok(Self { entries })
    }

    /// Moves of all positions.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// There are no moves.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The legal moves that the book has for the position, with their weights; weight 0 means that
    /// a move is known but not to be played.
    pub fn moves(&self, record: &Record) -> Vec<(Move, u16)> {
        let key = key(record);
        let legal = record.position().legal_moves();
        let first = self.entries.partition_point(|entry| entry.key < key);
        self.entries[first..]
            .iter()
            .take_while(|entry| entry.key == key)
            .filter_map(|entry| {
                let mv = legal.iter().copied().find(|&mv| entry.names(record.position(), mv))?;
                Some((mv, entry.weight))
            })
            .collect()
    }

    /// A move for the position: at variety 0 the heaviest, at [`BY_WEIGHT`] as often as the weights
    /// say, at 100 any of them equally often; between, weights to the power (100 - v) / v.
    pub fn pick(&self, record: &Record, variety: u32, rng: &mut impl Rng) -> Option<Move> {
        let mut moves = self.moves(record);
        moves.retain(|&(_, weight)| weight > 0);
        let heaviest = moves.iter().map(|&(_, weight)| weight).max()?;
        if variety == 0 {
            return moves.iter().find(|&&(_, weight)| weight == heaviest).map(|&(mv, _)| mv);
        }
        let power = f64::from(100 - variety.min(100)) / f64::from(variety);
        // Against the heaviest, so that no power overflows.
        let chance = |weight: u16| (f64::from(weight) / f64::from(heaviest)).powf(power);
        let all: f64 = moves.iter().map(|&(_, weight)| chance(weight)).sum();
        let mut left = rng.random_range(0.0..all);
        for &(mv, weight) in &moves {
            left -= chance(weight);
            if left < 0.0 {
                return Some(mv);
            }
        }
        moves.last().map(|&(mv, _)| mv)
    }
}

impl Entry {
    fn read(bytes: &[u8]) -> Self {
        let number = |range: std::ops::Range<usize>| {
            bytes[range].iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        Self { key: number(0..8), mv: number(8..10) as u16, weight: number(10..12) as u16 }
    }

    /// Whether the entry means this legal move. Castling is written as the king taking his rook, by
    /// some as the king's own two steps.
    fn names(self, position: &Position, mv: Move) -> bool {
        let from = Square::new((self.mv >> 6 & 63) as u8);
        let to = Square::new((self.mv & 63) as u8);
        let promotion = match self.mv >> 12 {
            1 => Some(PieceKind::Knight),
            2 => Some(PieceKind::Bishop),
            3 => Some(PieceKind::Rook),
            4 => Some(PieceKind::Queen),
            _ => None,
        };
        let goes_to = mv.to() == to || {
            mv.is_castle()
                && from.file().abs_diff(to.file()) == 2
                && CastlingRights::destinations(position.side_to_move(), wing_of(mv)).0 == to
        };
        mv.from() == from && goes_to && mv.promotion() == promotion
    }
}

/// Polyglot's key of a position.
///
/// A pawn that has just made two steps counts if one of the opponent's stands beside it, whether the
/// capture is legal or not.
pub fn key(record: &Record) -> u64 {
    let position = record.position();
    let mut key = Zobrist64::default();
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            key ^= Zobrist64::zobrist_for_piece(foreign_square(square), foreign_piece(piece));
        }
    }
    for color in Color::ALL {
        for (wing, side) in
            [(Wing::King, CastlingSide::KingSide), (Wing::Queen, CastlingSide::QueenSide)]
        {
            if position.castling().rook(color, wing).is_some() {
                key ^= Zobrist64::zobrist_for_castling_right(foreign_color(color), side);
            }
        }
    }
    if let Some(file) = en_passant_file(record) {
        key ^= Zobrist64::zobrist_for_en_passant_file(File::new(file.into()));
    }
    if position.side_to_move() == Color::White {
        key ^= Zobrist64::zobrist_for_white_turn();
    }
    key.0
}

fn en_passant_file(record: &Record) -> Option<u8> {
    let position = record.position();
    let Some(mv) = record.moves().last().filter(|mv| mv.kind() == MoveKind::DoublePush) else {
        return position.en_passant().map(Square::file);
    };
    let us = position.side_to_move();
    let passed = Square::at(mv.to().file(), u8::midpoint(mv.from().rank(), mv.to().rank()));
    let beside = pawn_attacks(!us, passed) & position.of(us, PieceKind::Pawn);
    beside.any().then_some(passed.file())
}

fn foreign_square(square: Square) -> shakmaty::Square {
    shakmaty::Square::new(square.index() as u32)
}

const fn foreign_color(color: Color) -> shakmaty::Color {
    match color {
        Color::White => shakmaty::Color::White,
        Color::Black => shakmaty::Color::Black,
    }
}

fn foreign_piece(piece: Piece) -> shakmaty::Piece {
    let role = match piece.kind() {
        PieceKind::Pawn => Role::Pawn,
        PieceKind::Knight => Role::Knight,
        PieceKind::Bishop => Role::Bishop,
        PieceKind::Rook => Role::Rook,
        PieceKind::Queen => Role::Queen,
        PieceKind::King => Role::King,
    };
    role.of(foreign_color(piece.color()))
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::SmallRng};

    use super::*;

    fn record(moves: &str) -> Record {
        let mut record = Record::new(Position::start());
        for text in moves.split_whitespace() {
            record.push(record.position().parse_move(text).unwrap());
        }
        record
    }

    /// The nine keys on the page that defines the format (see the head of the file).
    #[test]
    fn keys_are_polyglots() {
        for (moves, published) in [
            ("", 0x463b96181691fc9c),
            ("e2e4", 0x823c9b50fd114196),
            ("e2e4 d7d5", 0x0756b94461c50fb0),
            ("e2e4 d7d5 e4e5", 0x662fafb965db29d4),
            ("e2e4 d7d5 e4e5 f7f5", 0x22a48b5a8e47ff78),
            ("e2e4 d7d5 e4e5 f7f5 e1e2", 0x652a607ca3f242c1),
            ("e2e4 d7d5 e4e5 f7f5 e1e2 e8f7", 0x00fdd303c946bdd9),
            ("a2a4 b7b5 h2h4 b5b4 c2c4", 0x3c8123ea7b067637),
            ("a2a4 b7b5 h2h4 b5b4 c2c4 b4c3 a1a3", 0x5c3f9b829b279560),
        ] {
            assert_eq!(key(&record(moves)), published, "{moves}");
        }
    }

    fn entry(key: u64, mv: u16, weight: u16) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..8].copy_from_slice(&key.to_be_bytes());
        bytes[8..10].copy_from_slice(&mv.to_be_bytes());
        bytes[10..12].copy_from_slice(&weight.to_be_bytes());
        bytes
    }

    fn raw(from: &str, to: &str) -> u16 {
        let square = |text: &str| text.parse::<Square>().unwrap().index() as u16;
        square(from) << 6 | square(to)
    }

    /// e2e4 three times as heavy as d2d4; a2a3 is not to be played, e2e5 cannot be.
    fn small() -> Book {
        let start = key(&record(""));
        let entries = [
            entry(u64::MAX, raw("a1", "a2"), 9),
            entry(start, raw("e2", "e4"), 3),
            entry(start, raw("e2", "e5"), 100),
            entry(1, raw("a1", "a2"), 9),
            entry(start, raw("d2", "d4"), 1),
            entry(start, raw("a2", "a3"), 0),
        ];
        Book::parse(&entries.concat()).unwrap()
    }

    #[test]
    fn only_legal_moves_of_an_unsorted_book_are_found_with_their_weights() {
        let found = small().moves(&record(""));
        let names: Vec<(String, u16)> =
            found.iter().map(|(mv, w)| (format!("{}{}", mv.from(), mv.to()), *w)).collect();
        assert_eq!(names, [("e2e4".into(), 3), ("d2d4".into(), 1), ("a2a3".into(), 0)]);
        assert!(small().moves(&record("e2e4")).is_empty());
    }

    /// Of 4,000 draws at 3 to 1, 3,000 +- 27 are expected; five deviations are allowed.
    #[test]
    fn moves_are_drawn_as_often_as_the_variety_says() {
        let mut rng = SmallRng::seed_from_u64(1);
        let (book, root) = (small(), record(""));
        let mut share = |variety| {
            let draws = (0..4000).filter_map(|_| book.pick(&root, variety, &mut rng));
            draws.filter(|mv| mv.to() == "e4".parse().unwrap()).count()
        };
        assert_eq!(share(0), 4000);
        assert!(share(BY_WEIGHT).abs_diff(3000) < 140);
        assert!(share(100).abs_diff(2000) < 160);
        assert!((3100..3950).contains(&share(30)));
    }

    #[test]
    fn castling_is_the_king_taking_his_rook_or_his_two_steps() {
        let game = record("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5");
        for to in ["h1", "g1"] {
            let book = Book::parse(&entry(key(&game), raw("e1", to), 1)).unwrap();
            assert!(book.moves(&game)[0].0.is_castle(), "{to}");
        }
    }

    #[test]
    fn what_is_no_book_is_refused() {
        for bytes in [&[][..], &[1; 15], &[255; 32]] {
            assert!(matches!(Book::parse(bytes), Err(BookError::Foreign(_))));
        }
        let missing = Book::load(Path::new("/no/such/book.bin"));
        assert!(matches!(missing, Err(BookError::Read(_))));
    }
}
