//! Chess, in full: values, rules, evaluation, search.

pub mod attacks;
pub mod bench;
pub mod bitboard;
pub mod book;
pub mod castling;
mod cycle;
pub mod eval;
pub mod fen;
pub mod game_impl;
#[cfg(test)]
mod laws;
mod movegen;
pub mod moves;
pub mod perft;
pub mod piece;
pub mod position;
#[cfg(test)]
mod properties;
pub mod record;
pub mod samples;
pub mod san;
pub mod score;
pub mod search;
pub mod see;
pub mod settings;
pub mod square;
pub mod strength;
pub mod tablebase;
pub mod wdl;
mod zobrist;

pub use bitboard::Bitboard;
pub use castling::{CastlingRights, Wing};
pub use fen::FenError;
pub use moves::{Move, MoveKind, MoveList};
pub use piece::{Color, Piece, PieceKind};
pub use position::Position;
pub use record::Record;
pub use search::{Root, Searcher};
pub use settings::{OPTIONS, Settings};
pub use square::Square;
