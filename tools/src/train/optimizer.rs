//! `AdamW` (Kingma & Ba 2015; Loshchilov & Hutter 2019), with weights held within the range that the
//! integers have.
use tegenspel::chess::eval::nnue::network::LARGEST_WEIGHT;

use super::model::{CHUNK, Row};

/// Decay of the mean gradient and of the mean squared gradient; both papers' values.
const MEAN: f32 = 0.9;
const SQUARE: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Decay of the weights for each unit of learning rate.
const DECAY: f32 = 0.01;

/// What the optimizer remembers of each number.
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// Mean gradients.
    pub means: Vec<Row>,
    /// Mean squared gradients.
    pub squares: Vec<Row>,
}

impl Moments {
    /// Nothing yet.
    pub fn new(rows: usize) -> Self {
        Self { means: vec![Row::ZERO; rows], squares: vec![Row::ZERO; rows] }
    }
}

/// A part of the network, for one thread.
#[derive(Debug)]
pub struct Part<'a> {
    /// The numbers.
    pub rows: &'a mut [Row],
    /// Their mean gradients.
    pub means: &'a mut [Row],
    /// Their mean squared gradients.
    pub squares: &'a mut [Row],
    /// The gradients that each thread found, in the order in which they are added.
    pub gradients: Vec<&'a mut [Row]>,
}

impl Part<'_> {
    /// Takes a step, the `number`th from 1, and clears the gradients.
    pub fn step(&mut self, rate: f32, number: u32) {
        // The moments start at 0; this makes up for it.
        let power = number.min(100_000) as i32;
        let rate_of_moments = rate * (1.0 - SQUARE.powi(power)).sqrt() / (1.0 - MEAN.powi(power));
        let kept = 1.0 - rate * DECAY;
        for index in 0..self.rows.len() {
            let mut gradient = Row::ZERO;
            for part in &mut self.gradients {
                for (sum, value) in gradient.0.iter_mut().zip(part[index].0) {
                    *sum += value;
                }
                part[index] = Row::ZERO;
            }
            let row = &mut self.rows[index].0;
            let (means, squares) = (&mut self.means[index].0, &mut self.squares[index].0);
            for lane in 0..CHUNK {
                let slope = gradient.0[lane];
                means[lane] = MEAN * means[lane] + (1.0 - MEAN) * slope;
                squares[lane] = SQUARE * squares[lane] + (1.0 - SQUARE) * slope * slope;
                let change = rate_of_moments * means[lane] / (squares[lane].sqrt() + EPSILON);
                row[lane] = (row[lane] * kept - change).clamp(-LARGEST_WEIGHT, LARGEST_WEIGHT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the moments made up for, the first step is as long as the rate, whatever the slope.
    #[test]
    fn the_first_step_is_as_long_as_the_rate() {
        let (mut rows, mut moments) = (vec![Row([0.5; CHUNK])], Moments::new(1));
        let mut gradient = vec![Row([3e-4; CHUNK])];
        let mut part = Part {
            rows: &mut rows,
            means: &mut moments.means,
            squares: &mut moments.squares,
            gradients: vec![&mut gradient],
        };
        part.step(0.01, 1);
        let expected = 0.5 * (1.0 - 0.01 * DECAY) - 0.01;
        // The epsilon, next to a root that is not yet made up for, takes a thousandth of the step.
        assert!((rows[0].0[0] - expected).abs() < 2e-5, "{}", rows[0].0[0]);
        assert_eq!(gradient[0], Row::ZERO);
    }
}
