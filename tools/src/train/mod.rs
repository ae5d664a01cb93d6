//! Trains a network on self-play games: float arithmetic on the CPU, `AdamW`, a sparse first layer.
//!
//! The loss is the squared difference between the network's chance of winning and a mix of what the
//! search said and how the game ended. Whole games are held back to measure it honestly. A run is
//! determined by its data, its options and its number of threads.

pub mod curve;
pub mod data;
pub mod gradient;
pub mod model;
pub mod optimizer;
pub mod run;

pub use data::{Data, Filter, Sample};
pub use model::Model;
pub use run::{Options, Progress, Trainer};
