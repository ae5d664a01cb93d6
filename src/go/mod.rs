//! Go: rules, scoring, game records and a Monte-Carlo tree search.

pub mod benson;
pub mod board;
pub mod game_impl;
pub mod patterns;
pub mod playout;
pub mod point;
pub mod position;
pub mod rules;
pub mod score;
pub mod search;
pub mod seki;
pub mod sgf;
pub mod tactics;

pub use board::{Board, Illegal};
pub use point::{Color, MAX_SIZE, Move, Point};
pub use position::{Position, Record};
pub use rules::{Handicap, Ko, Rules, Scoring};
