#![doc = include_str!("ARCHITECTURE.md")]

pub mod chess;
pub mod engine;
pub mod frontend;
pub mod game;
pub mod games;
pub mod go;
pub mod search;
