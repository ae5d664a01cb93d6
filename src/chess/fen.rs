//! Positions as text: Forsyth-Edwards Notation (PGN standard 1994, 16.1), with X-FEN and
//! Shredder-FEN castling fields for Chess960.

use std::{error::Error, fmt, str::FromStr};

use super::{
    bitboard::Bitboard,
    castling::Wing,
    piece::{Color, Piece, PieceKind},
    position::Position,
    square::Square,
    zobrist,
};

/// Why a text is not a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FenError {
    /// There is no board field, or there are more than six fields.
    Fields(usize),
    /// The board has not eight ranks.
    Ranks(usize),
    /// A rank, from 1 to 8, has not eight squares.
    Squares(u8),
    /// A letter of the board field that is no piece.
    Piece(char),
    /// Neither `w` nor `b`.
    Side(String),
    /// Not a castling field.
    Castling(String),
    /// Not a square, nor `-`.
    EnPassant(String),
    /// Not a count of half-moves or moves.
    Counter(String),
    /// A side has not exactly one king.
    Kings(Color, u32),
    /// A pawn stands on the first or the last rank.
    PawnOnEdge(Square),
    /// The side that is not to move is in check.
    OpponentInCheck,
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fields(count) => write!(f, "FEN has {count} fields, not 4 to 6"),
            Self::Ranks(count) => write!(f, "FEN board has {count} ranks, not 8"),
            Self::Squares(rank) => write!(f, "FEN board: rank {rank} has not 8 squares"),
            Self::Piece(letter) => write!(f, "FEN board: '{letter}' is no piece"),
            Self::Side(text) => write!(f, "FEN side to move: '{text}' is neither w nor b"),
            Self::Castling(text) => write!(f, "FEN castling rights: cannot read '{text}'"),
            Self::EnPassant(text) => write!(f, "FEN en passant: '{text}' is no square"),
            Self::Counter(text) => write!(f, "FEN move counter: cannot read '{text}'"),
            Self::Kings(color, count) => write!(f, "FEN board: {color:?} has {count} kings"),
            Self::PawnOnEdge(square) => write!(f, "FEN board: a pawn stands on {square}"),
            Self::OpponentInCheck => write!(f, "FEN: the side that is not to move is in check"),
        }
    }
}

impl Error for FenError {}

/// The start position.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

impl Position {
    /// The start position of standard chess.
    ///
    /// # Panics
    /// Never: the start position is a position.
    pub fn start() -> Self {
        Self::from_fen(START_FEN).expect("the start position is a position")
    }

    /// Reads a position. Counters, en passant and castling fields may be missing at the end.
    /// Castling rights without king or rook in place are dropped, and so is an en-passant square
    /// on which nothing can be taken.
    ///
    /// # Errors
    /// If the text is no position, or one in which the rules cannot be applied: without one king a
    /// side, with pawns on the edge, or with the side to move able to take the king.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        let fields: Vec<&str> = fen.split_ascii_whitespace().collect();
        if fields.is_empty() || fields.len() > 6 {
            return Err(FenError::Fields(fields.len()));
        }
        let field = |index: usize, default| fields.get(index).copied().unwrap_or(default);
        let mut position = Self::empty();
        position.read_board(fields[0])?;
        position.side = match field(1, "w") {
            "w" | "W" => Color::White,
            "b" | "B" => Color::Black,
            other => return Err(FenError::Side(other.to_owned())),
        };
        position.check_pieces()?;
        position.read_castling(field(2, "-"))?;
        position.halfmoves = counter(field(4, "0"))?.min(u64::from(u16::MAX) / 2) as u16;
        position.fullmoves = counter(field(5, "1"))?.clamp(1, u64::from(u32::MAX) / 2) as u32;
        if position.side == Color::Black {
            position.keys.full ^= zobrist::SIDE;
        }
        position.keys.full ^= zobrist::castling(position.castling.bits());
        position.refresh();
        position.read_en_passant(field(3, "-"))?;
        Ok(position)
    }

    fn read_board(&mut self, text: &str) -> Result<(), FenError> {
        let ranks: Vec<&str> = text.split('/').collect();
        if ranks.len() != 8 {
            return Err(FenError::Ranks(ranks.len()));
        }
        for (rank, line) in (0..8).rev().zip(ranks) {
            let mut file = 0;
            for letter in line.chars() {
                if let '1'..='8' = letter {
                    file += letter as u8 - b'0';
                } else {
                    let piece = Piece::from_char(letter).ok_or(FenError::Piece(letter))?;
                    if file > 7 {
                        return Err(FenError::Squares(rank + 1));
                    }
                    self.put(piece, Square::at(file, rank));
                    file += 1;
                }
                if file > 8 {
                    return Err(FenError::Squares(rank + 1));
                }
            }
            if file != 8 {
                return Err(FenError::Squares(rank + 1));
            }
        }
        Ok(())
    }

    fn check_pieces(&self) -> Result<(), FenError> {
        for color in Color::ALL {
            let kings = self.of(color, PieceKind::King).count();
            if kings != 1 {
                return Err(FenError::Kings(color, kings));
            }
        }
        let edge = Bitboard::RANKS[0] | Bitboard::RANKS[7];
        if let Some(square) = (self.pieces(PieceKind::Pawn) & edge).first() {
            return Err(FenError::PawnOnEdge(square));
        }
        if self.is_attacked(self.king(!self.side), self.side) {
            return Err(FenError::OpponentInCheck);
        }
        Ok(())
    }

    fn read_castling(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let error = || FenError::Castling(text.to_owned());
        for letter in text.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let king = self.king(color);
            let home = Bitboard::RANKS[7 * color.index()];
            let rooks = self.of(color, PieceKind::Rook) & home;
            let of_king = |wing| {
                rooks.into_iter().filter(move |rook| match wing {
                    Wing::King => rook.file() > king.file(),
                    Wing::Queen => rook.file() < king.file(),
                })
            };
            // X-FEN: K and Q mean the outermost rook on that side of the king.
            let rook = match letter.to_ascii_lowercase() {
                'k' => of_king(Wing::King).last(),
                'q' => of_king(Wing::Queen).next(),
                file @ 'a'..='h' => rooks.into_iter().find(|rook| rook.file() == file as u8 - b'a'),
                _ => return Err(error()),
            };
            if let Some(rook) = rook
                && home.contains(king)
            {
                let wing = if rook.file() > king.file() { Wing::King } else { Wing::Queen };
                if self.castling.rook(color, wing).is_none() {
                    self.castling.grant(color, wing, rook);
                }
            }
        }
        Ok(())
    }

    fn read_en_passant(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let square = Square::from_str(text).map_err(|_| FenError::EnPassant(text.to_owned()))?;
        let them = !self.side;
        let pawn = Square::at(square.file(), if them == Color::White { 3 } else { 4 });
        let origin = Square::at(square.file(), if them == Color::White { 1 } else { 6 });
        let is_real = square.relative_to(them).rank() == 2
            && self.piece_on(pawn) == Some(Piece::new(them, PieceKind::Pawn))
            && self.piece_on(square).is_none()
            && self.piece_on(origin).is_none();
        if is_real {
            self.allow_en_passant(square);
        }
        Ok(())
    }

    /// The position as text, six fields; castling rights as rook files (Shredder-FEN) if `chess960`.
    pub fn to_fen(&self, chess960: bool) -> String {
        let en_passant =
            self.en_passant.map_or_else(|| "-".to_owned(), |square| square.to_string());
        format!(
            "{} {} {} {} {} {}",
            self.board_text(),
            if self.side == Color::White { 'w' } else { 'b' },
            self.castling_text(chess960),
            en_passant,
            self.halfmoves,
            self.fullmoves,
        )
    }

    fn board_text(&self) -> String {
        let mut text = String::with_capacity(72);
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.piece_on(Square::at(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            text.push(char::from(b'0' + empty));
                            empty = 0;
                        }
                        text.push(piece.to_char());
                    }
                }
            }
            if empty > 0 {
                text.push(char::from(b'0' + empty));
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }

    fn castling_text(&self, chess960: bool) -> String {
        let mut text = String::new();
        for color in Color::ALL {
            for wing in Wing::ALL {
                let Some(rook) = self.castling.rook(color, wing) else { continue };
                let letter = if chess960 || !self.is_outermost(color, wing, rook) {
                    char::from(b'a' + rook.file())
                } else if wing == Wing::King {
                    'k'
                } else {
                    'q'
                };
                text.push(match color {
                    Color::White => letter.to_ascii_uppercase(),
                    Color::Black => letter,
                });
            }
        }
        if text.is_empty() { "-".to_owned() } else { text }
    }

    /// No rook of the colour stands between this one and the edge.
    fn is_outermost(&self, color: Color, wing: Wing, rook: Square) -> bool {
        let rooks = self.of(color, PieceKind::Rook) & Bitboard::RANKS[usize::from(rook.rank())];
        !rooks.into_iter().any(|other| match wing {
            Wing::King => other.file() > rook.file(),
            Wing::Queen => other.file() < rook.file(),
        })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_fen(false))
    }
}

impl Default for Position {
    fn default() -> Self {
        Self::start()
    }
}

/// A count, or a dash as some programs write; what does not fit is as good as the largest.
fn counter(text: &str) -> Result<u64, FenError> {
    if text == "-" {
        return Ok(0);
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(FenError::Counter(text.to_owned()));
    }
    Ok(text.parse().unwrap_or(u64::MAX))
}
