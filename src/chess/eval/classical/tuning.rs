//! What a tuner needs: the weights by number, and how often each counts in a position.

pub use super::{
    PHASE_MAX,
    endgame::WHOLE,
    king::{DANGER_DIVISOR, DANGER_ENDGAME, DANGER_LIMIT},
    sink::{Coefficients, Counts},
    tapered::Tapered,
};
use super::{listen, weights::Weights};
use crate::chess::position::Position;

/// The text of the weight file that this build was made from.
pub const SOURCE: &str = include_str!("weights.rs");

/// Number of weights.
pub const COUNT: usize = size_of::<Weights>() / size_of::<Tapered>();

/// The weights of a weight file, middlegame and endgame, by number. `None` for other text.
pub fn parse(source: &str) -> Option<Vec<[i32; 2]>> {
    let (_, table) = source.split_once("static WEIGHTS")?;
    let weights: Option<Vec<[i32; 2]>> = table
        .split("s(")
        .skip(1)
        .map(|rest| {
            let (mg, eg) = rest.split_once(')')?.0.split_once(',')?;
            Some([mg.trim().parse().ok()?, eg.trim().parse().ok()?])
        })
        .collect();
    weights.filter(|weights| weights.len() == COUNT)
}

/// How the evaluation of a position follows from the weights, and its value for White by those of
/// this build. `None` where no weight counts: in known endings.
pub fn coefficients(position: &Position) -> Option<(Coefficients, i32)> {
    let mut coefficients = Coefficients::default();
    let score = listen(position, &mut coefficients);
    let white = position.side_to_move() == crate::chess::piece::Color::White;
    (!coefficients.linear.is_empty()).then_some((coefficients, if white { score } else { -score }))
}
