//! Chess, in full: values, rules, evaluation, search.

pub mod attacks;
pub mod bitboard;
pub mod castling;
pub mod fen;
mod movegen;
pub mod moves;
pub mod perft;
pub mod piece;
pub mod position;
pub mod record;
pub mod san;
pub mod score;
pub mod see;
pub mod square;
mod zobrist;

pub use bitboard::Bitboard;
pub use castling::{CastlingRights, Wing};
pub use fen::FenError;
pub use moves::{Move, MoveKind, MoveList};
pub use piece::{Color, Piece, PieceKind};
pub use position::Position;
pub use record::Record;
pub use square::Square;
