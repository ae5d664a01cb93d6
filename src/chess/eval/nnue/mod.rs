//! An efficiently updatable neural network (Y. Nasu 2018): two views of the board, one hidden layer
//! that is kept up to date from move to move, squared clipped activations, integers throughout.
#![expect(clippy::inline_always, reason = "loops are compiled for the instructions around them")]

mod accumulator;
pub mod features;
pub mod network;
pub mod simd;
#[cfg(test)]
mod tests;
mod trace;

pub use accumulator::Accumulators;
pub use network::{Network, NetworkError};
pub use trace::trace;
