//! Moves as text: long algebraic as UCI writes it, and short algebraic (FIDE appendix C, PGN
//! standard 8.2.3).

use std::{error::Error, fmt};

use super::{
    castling::{CastlingRights, Wing},
    moves::Move,
    piece::PieceKind,
    position::{Position, wing_of},
    square::Square,
};

/// Why a text is not a move of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SanError {
    /// Not the form of a move.
    Syntax(String),
    /// No legal move fits.
    Illegal(String),
    /// More than one legal move fits.
    Ambiguous(String),
}

impl fmt::Display for SanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(text) => write!(f, "'{text}' is not a move"),
            Self::Illegal(text) => write!(f, "'{text}' is not legal here"),
            Self::Ambiguous(text) => write!(f, "'{text}' could be several moves"),
        }
    }
}

impl Error for SanError {}

impl Position {
    /// A legal move as UCI writes it; castling as king takes rook if `chess960`, else as the king
    /// moves.
    pub fn move_text(&self, mv: Move, chess960: bool) -> String {
        let to = if mv.is_castle() && !chess960 {
            CastlingRights::destinations(self.side_to_move(), wing_of(mv)).0
        } else {
            mv.to()
        };
        match mv.promotion() {
            Some(kind) => format!("{}{}{}", mv.from(), to, kind.to_char()),
            None => format!("{}{}", mv.from(), to),
        }
    }

    /// The legal move that a UCI text means; castling in either form, any case.
    pub fn parse_move(&self, text: &str) -> Option<Move> {
        let text = text.to_ascii_lowercase();
        if !text.is_ascii() || !(4..=5).contains(&text.len()) {
            return None;
        }
        let from: Square = text[..2].parse().ok()?;
        let to: Square = text[2..4].parse().ok()?;
        let promotion = match text[4..].chars().next() {
            Some(letter) => Some(PieceKind::from_char(letter)?),
            None => None,
        };
        let legal = self.legal_moves();
        let exact = legal
            .iter()
            .copied()
            .find(|mv| mv.from() == from && mv.to() == to && mv.promotion() == promotion);
        exact.or_else(|| {
            legal.iter().copied().find(|&mv| {
                mv.is_castle() && mv.from() == from && self.move_text(mv, false) == text
            })
        })
    }

    /// A legal move in short algebraic notation, check and mate marked.
    pub fn san(&self, mv: Move) -> String {
        let mut text = if mv.is_castle() {
            match wing_of(mv) {
                Wing::King => "O-O".to_owned(),
                Wing::Queen => "O-O-O".to_owned(),
            }
        } else {
            self.san_body(mv)
        };
        let mut child = self.clone();
        child.play(mv);
        if child.in_check() {
            text.push(if child.count_legal_moves() == 0 { '#' } else { '+' });
        }
        text
    }

    fn san_body(&self, mv: Move) -> String {
        let kind = self.moved(mv).kind();
        let mut text = String::new();
        if kind == PieceKind::Pawn {
            if mv.is_capture() {
                text.push(char::from(b'a' + mv.from().file()));
            }
        } else {
            text.push(kind.to_char().to_ascii_uppercase());
            text.push_str(&self.disambiguation(mv, kind));
        }
        if mv.is_capture() {
            text.push('x');
        }
        text.push_str(&mv.to().to_string());
        if let Some(promoted) = mv.promotion() {
            text.push('=');
            text.push(promoted.to_char().to_ascii_uppercase());
        }
        text
    }

    /// File, rank or both, whichever first tells the move from its rivals.
    fn disambiguation(&self, mv: Move, kind: PieceKind) -> String {
        let rivals: Vec<Square> = self
            .legal_moves()
            .iter()
            .filter(|other| {
                other.to() == mv.to()
                    && other.from() != mv.from()
                    && !other.is_castle()
                    && self.moved(**other).kind() == kind
            })
            .map(|other| other.from())
            .collect();
        let from = mv.from();
        let (file, rank) = (char::from(b'a' + from.file()), char::from(b'1' + from.rank()));
        if rivals.is_empty() {
            String::new()
        } else if rivals.iter().all(|rival| rival.file() != from.file()) {
            file.to_string()
        } else if rivals.iter().all(|rival| rival.rank() != from.rank()) {
            rank.to_string()
        } else {
            from.to_string()
        }
    }

    /// Reads a move in short algebraic notation, forgiving zeros for castling, missing or needless
    /// marks, a missing `=`, and long forms such as `Ng1-f3`.
    ///
    /// # Errors
    /// If it is no move, no legal one, or could be several.
    pub fn parse_san(&self, text: &str) -> Result<Move, SanError> {
        let core = text.trim().trim_end_matches(['+', '#', '!', '?']);
        let pattern = Pattern::read(core).ok_or_else(|| SanError::Syntax(text.to_owned()))?;
        let legal = self.legal_moves();
        let mut fitting = legal.iter().copied().filter(|&mv| pattern.fits(self, mv));
        let mv = fitting.next().ok_or_else(|| SanError::Illegal(text.to_owned()))?;
        match fitting.next() {
            None => Ok(mv),
            Some(_) => Err(SanError::Ambiguous(text.to_owned())),
        }
    }
}

/// What a text in short algebraic notation asks of a move.
enum Pattern {
    Castle(Wing),
    Plain {
        kind: PieceKind,
        file: Option<u8>,
        rank: Option<u8>,
        to: Square,
        promotion: Option<PieceKind>,
    },
}

impl Pattern {
    fn read(core: &str) -> Option<Self> {
        match core.to_ascii_uppercase().replace('0', "O").as_str() {
            "O-O" => return Some(Self::Castle(Wing::King)),
            "O-O-O" => return Some(Self::Castle(Wing::Queen)),
            _ => {}
        }
        let mut letters: Vec<char> =
            core.chars().filter(|letter| !matches!(letter, 'x' | ':' | '-' | '=')).collect();
        let kind = match letters.first()? {
            letter @ ('N' | 'B' | 'R' | 'Q' | 'K' | 'P') => PieceKind::from_char(*letter)?,
            _ => PieceKind::Pawn,
        };
        if letters[0].is_ascii_uppercase() {
            letters.remove(0);
        }
        let promotion = match letters.last()? {
            letter if letter.is_ascii_digit() => None,
            letter => Some(PieceKind::from_char(*letter)?),
        };
        if promotion.is_some() {
            letters.pop();
        }
        let (hints, target) = letters.split_at_checked(letters.len().checked_sub(2)?)?;
        let to = target.iter().collect::<String>().parse().ok()?;
        let (mut file, mut rank) = (None, None);
        for &hint in hints {
            match hint {
                'a'..='h' if file.is_none() && rank.is_none() => file = Some(hint as u8 - b'a'),
                '1'..='8' if rank.is_none() => rank = Some(hint as u8 - b'1'),
                _ => return None,
            }
        }
        Some(Self::Plain { kind, file, rank, to, promotion })
    }

    fn fits(&self, position: &Position, mv: Move) -> bool {
        match *self {
            Self::Castle(wing) => mv.is_castle() && wing_of(mv) == wing,
            Self::Plain { kind, file, rank, to, promotion } => {
                !mv.is_castle()
                    && mv.to() == to
                    && position.moved(mv).kind() == kind
                    && file.is_none_or(|file| mv.from().file() == file)
                    && rank.is_none_or(|rank| mv.from().rank() == rank)
                    && mv.promotion() == promotion
            }
        }
    }
}
