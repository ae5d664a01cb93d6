//! t
pub mod chess;
pub mod engine;
