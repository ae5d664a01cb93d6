//! Static evaluation. The search sees only [`Evaluator`] and [`evaluate`]; what stands behind them
//! is decided here.

pub mod classical;
pub mod nnue;

use std::{path::Path, sync::Arc};

use self::nnue::{Accumulators, Network, NetworkError};
use super::{moves::Move, piece::Color, position::Position, score::Score, settings};

/// Men of both sides in any game.
const MEN: u32 = 32;

/// One thread's evaluation: what it keeps along the line that the search is looking at.
#[derive(Debug)]
pub struct Evaluator {
    memory: classical::Memory,
    /// `None`: the classical evaluation.
    accumulators: Option<Accumulators>,
}

impl Default for Evaluator {
    /// With the network that is part of the program, if there is one.
    fn default() -> Self {
        Self::new(Network::embedded().cloned())
    }
}

impl Evaluator {
    /// With a network; without one, the classical evaluation.
    pub fn new(network: Option<Arc<Network>>) -> Self {
        let accumulators = network.map(Accumulators::new);
        Self { memory: classical::Memory::default(), accumulators }
    }

    /// Begins at a new root.
    pub fn reset(&mut self, root: &Position) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.reset(root);
        }
    }

    /// `mv` is about to be played on `position`.
    pub fn make(&mut self, position: &Position, mv: Move) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.make(position, mv);
        }
    }

    /// A null move is about to be played.
    pub fn make_null(&mut self) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.make_null();
        }
    }

    /// The last move is taken back.
    pub fn unmake(&mut self) {
        if let Some(accumulators) = &mut self.accumulators {
            accumulators.unmake();
        }
    }

    /// Centipawns for the side to move, strictly within the band of estimates.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        match &mut self.accumulators {
            Some(accumulators) if is_for_network(position) => accumulators.evaluate(position),
            _ => self.memory.evaluate(position),
        }
    }
}

/// What stands behind the value of the option `EvalFile`; `None` is the classical evaluation.
///
/// # Errors
/// If it names a file that is no network.
pub fn network(eval_file: &str) -> Result<Option<Arc<Network>>, NetworkError> {
    match eval_file {
        settings::EMBEDDED | "" => Ok(Network::embedded().cloned()),
        settings::CLASSICAL => Ok(None),
        path => Network::load(Path::new(path)).map(|network| Some(Arc::new(network))),
    }
}

/// Makes the tables of known endings. Done by whoever first asks otherwise: 40 milliseconds, which a
/// short clock does not have.
pub fn prepare() {
    classical::prepare();
}

/// Theory knows more of positions with a bare king than a network that has seen few; of more men
/// than a game has it has seen none.
fn is_for_network(position: &Position) -> bool {
    position.occupied().count() <= MEN
        && Color::ALL.into_iter().all(|color| position.by_color(color).has_several())
}

/// Centipawns for the side to move, from the position alone, by the program's own network.
pub fn evaluate(position: &Position) -> Score {
    match Network::embedded() {
        Some(network) if is_for_network(position) => network.evaluate(position),
        _ => classical::evaluate(position),
    }
}

/// How the evaluation with `network`, or without one, comes about, as text.
pub fn trace(position: &Position, network: Option<&Network>) -> String {
    let classical = classical::trace(position);
    match network {
        Some(network) if !is_for_network(position) => {
            format!(
                "{classical}\n\nnetwork {}: not asked about bare kings and crowds",
                network.name()
            )
        }
        Some(network) => format!("{classical}\n\n{}", nnue::trace(network, position)),
        None => classical,
    }
}
