//! The network while it learns: floats, in rows of one chunk of neurons.
//!
//! All rows of a chunk lie together, so that a block of positions is taken through the first layer
//! with a part of the weights that fits the cache.

use rand::{RngExt, SeedableRng, rngs::SmallRng};
use tegenspel::chess::eval::nnue::{
    Network, NetworkError,
    features::{BUCKETS, INPUTS, bucket},
    network::{LARGEST_WEIGHT, Parameters, QB},
    simd::QA,
};

use super::data::{MEN, Sample};

/// Neurons of a chunk.
pub const CHUNK: usize = 64;

/// Numbers of one chunk's neurons.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub struct Row(pub [f32; CHUNK]);

impl Row {
    /// All 0.
    pub const ZERO: Self = Self([0.0; CHUNK]);
}

/// Where the rows of a network lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Chunks of the hidden layer.
    pub chunks: usize,
}

impl Shape {
    /// First row of a chunk's hidden weights; its biases follow them.
    pub const fn hidden(self, chunk: usize) -> usize {
        chunk * (INPUTS + 1)
    }

    /// The row of a chunk's output weights. Side 0 is to move.
    pub const fn output(self, bucket: usize, side: usize, chunk: usize) -> usize {
        self.hidden(self.chunks) + (bucket * 2 + side) * self.chunks + chunk
    }

    /// The row whose first numbers are the output biases.
    pub const fn output_biases(self) -> usize {
        self.output(BUCKETS, 0, 0)
    }

    /// Rows in all.
    pub const fn rows(self) -> usize {
        self.output_biases() + 1
    }
}

/// A network of floats.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Where its rows lie.
    pub shape: Shape,
    /// Its numbers.
    pub rows: Vec<Row>,
}

impl Model {
    /// A random network: weights of a size that keeps sums of all inputs near 1.
    pub fn new(width: usize, seed: u64) -> Self {
        let shape = Shape { chunks: width.div_ceil(CHUNK) };
        let mut random = SmallRng::seed_from_u64(seed);
        let mut rows = vec![Row::ZERO; shape.rows()];
        let mut fill = |row: &mut Row, size: f32| {
            row.0.iter_mut().for_each(|number| *number = random.random_range(-size..size));
        };
        let hidden = (1.0 / MEN as f32).sqrt();
        let output = (1.0 / (2 * width) as f32).sqrt();
        for chunk in 0..shape.chunks {
            let first = shape.hidden(chunk);
            rows[first..first + INPUTS].iter_mut().for_each(|row| fill(row, hidden));
        }
        let outputs = shape.output(0, 0, 0)..shape.output_biases();
        rows[outputs].iter_mut().for_each(|row| fill(row, output));
        Self { shape, rows }
    }

    /// The same function with `chunks` chunks of neurons: those added have random weights and are not
    /// listened to yet (the idea: Chen, Goodfellow & Shlens 2016, `Net2Net`).
    ///
    /// # Errors
    /// If the network is wider already.
    pub fn widened(&self, chunks: usize, seed: u64) -> Result<Self, String> {
        let (old, shape) = (self.shape, Shape { chunks });
        if chunks < old.chunks {
            return Err(format!("the network to refine is {} wide", old.chunks * CHUNK));
        }
        let mut wide = Self::new(chunks * CHUNK, seed);
        let learnt = old.hidden(old.chunks);
        wide.rows[..learnt].copy_from_slice(&self.rows[..learnt]);
        wide.rows[shape.output(0, 0, 0)..].fill(Row::ZERO);
        for (bucket, side) in (0..BUCKETS).flat_map(|bucket| [(bucket, 0), (bucket, 1)]) {
            let (from, to) = (old.output(bucket, side, 0), shape.output(bucket, side, 0));
            wide.rows[to..to + old.chunks].copy_from_slice(&self.rows[from..from + old.chunks]);
        }
        wide.rows[shape.output_biases()] = self.rows[old.output_biases()];
        Ok(wide)
    }

    /// Output for a sample, in units of the network (`SCALE` centipawns). Slow; for checks.
    pub fn evaluate(&self, sample: &Sample) -> f32 {
        let (mut ours, mut theirs) = ([0; MEN], [0; MEN]);
        let count = sample.inputs(&mut ours, &mut theirs);
        let layer = bucket(count as u32);
        let mut sum = self.rows[self.shape.output_biases()].0[layer];
        for (side, inputs) in [ours, theirs].iter().enumerate() {
            for chunk in 0..self.shape.chunks {
                let first = self.shape.hidden(chunk);
                let mut neurons = self.rows[first + INPUTS].0;
                for &input in &inputs[..count] {
                    let row = &self.rows[first + usize::from(input)].0;
                    neurons.iter_mut().zip(row).for_each(|(neuron, weight)| *neuron += weight);
                }
                let weights = self.rows[self.shape.output(layer, side, chunk)].0;
                let pairs = neurons.iter().zip(weights);
                sum += pairs.map(|(x, weight)| x.clamp(0.0, 1.0).powi(2) * weight).sum::<f32>();
            }
        }
        sum
    }

    /// Rounds the output weights to those that integers have.
    pub fn round_outputs(&mut self) {
        let unit = QB as f32;
        let outputs = self.shape.output(0, 0, 0)..self.shape.output_biases();
        let weights = self.rows[outputs].iter_mut().flat_map(|row| &mut row.0);
        weights.for_each(|weight| *weight = (*weight * unit).round() / unit);
    }

    /// The network in integers, with a text that says how it was made.
    ///
    /// # Errors
    /// If a weight is too large: the optimizer let it grow.
    pub fn quantize(&self, record: String) -> Result<Network, NetworkError> {
        let shape = self.shape;
        let round = |number: &f32, unit: i32| {
            (number.clamp(-LARGEST_WEIGHT, LARGEST_WEIGHT) * unit as f32).round() as i16
        };
        let wide = |first: usize, stride: usize, unit: i32| -> Vec<i16> {
            let rows = (0..shape.chunks).map(|chunk| &self.rows[first + chunk * stride]);
            rows.flat_map(|row| row.0.iter().map(|number| round(number, unit))).collect()
        };
        let hidden = (0..INPUTS).flat_map(|input| wide(input, INPUTS + 1, QA)).collect();
        let outputs = (0..2 * BUCKETS)
            .flat_map(|index| wide(shape.output(index / 2, index % 2, 0), 1, QB))
            .collect();
        let biases = &self.rows[shape.output_biases()].0[..BUCKETS];
        let parameters = Parameters {
            width: shape.chunks * CHUNK,
            hidden,
            biases: wide(INPUTS, INPUTS + 1, QA),
            outputs,
            output_biases: biases
                .iter()
                .map(|bias| (bias * (QA * QB) as f32).round() as i32)
                .collect(),
        };
        Network::new(&parameters, record)
    }
}

/// The floats that a network of integers stands for.
impl TryFrom<&Network> for Model {
    type Error = String;

    /// Fails if the hidden layer is no number of chunks.
    fn try_from(network: &Network) -> Result<Self, String> {
        let Parameters { width, hidden, biases, outputs, output_biases } = network.parameters();
        if !width.is_multiple_of(CHUNK) {
            return Err(format!(
                "the trainer takes widths that are multiples of {CHUNK}, not {width}"
            ));
        }
        let shape = Shape { chunks: width / CHUNK };
        let mut rows = vec![Row::ZERO; shape.rows()];
        let mut put = |row: usize, numbers: &[i16], unit: i32| {
            for (to, &number) in rows[row].0.iter_mut().zip(numbers) {
                *to = f32::from(number) / unit as f32;
            }
        };
        for chunk in 0..shape.chunks {
            let part =
                |layer: usize| layer * width + chunk * CHUNK..layer * width + (chunk + 1) * CHUNK;
            for input in 0..INPUTS {
                put(shape.hidden(chunk) + input, &hidden[part(input)], QA);
            }
            put(shape.hidden(chunk) + INPUTS, &biases[part(0)], QA);
            for layer in 0..2 * BUCKETS {
                put(shape.output(layer / 2, layer % 2, chunk), &outputs[part(layer)], QB);
            }
        }
        let last = &mut rows[shape.output_biases()].0;
        for (to, &bias) in last.iter_mut().zip(&output_biases) {
            *to = bias as f32 / (QA * QB) as f32;
        }
        Ok(Self { shape, rows })
    }
}

/// The logistic function.
pub fn sigmoid(output: f32) -> f32 {
    1.0 / (1.0 + (-output).exp())
}

/// Chance of winning for centipawns, of which `scale` make it 0.73.
pub fn chance(centipawns: i32, scale: f32) -> f32 {
    sigmoid(centipawns as f32 / scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegenspel::chess::{Color, Position, eval::nnue::network::SCALE};

    #[test]
    fn a_network_taken_up_again_is_the_same() {
        let network = Model::new(64, 3).quantize(String::new()).unwrap();
        let again = Model::try_from(&network).unwrap().quantize(String::new()).unwrap();
        assert_eq!(again.parameters(), network.parameters());
    }

    #[test]
    fn a_network_made_wider_says_the_same() {
        let narrow = Model::new(CHUNK, 3);
        let wide = narrow.widened(3, 5).unwrap();
        assert_eq!(wide.shape.chunks, 3);
        assert_ne!(wide.rows[wide.shape.hidden(1)], Row::ZERO, "new neurons can learn");
        let sample = Sample::new(&Position::start(), 0, 1).unwrap();
        assert_eq!(wide.evaluate(&sample).to_bits(), narrow.evaluate(&sample).to_bits());
        assert!(wide.widened(1, 5).is_err(), "nothing learnt is thrown away");
    }

    /// Rounding moves each of some 30 weights a neuron by at most 1/510.
    #[test]
    fn integers_say_what_floats_say() {
        let model = Model::new(64, 3);
        let network = model.quantize(String::new()).unwrap();
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "8/5k2/8/4P3/4K3/8/8/8 b - - 0 1",
            "r3k2r/pp1q1ppp/2n5/3pP3/1b6/2N2N2/PPP2PPP/R1BQ1RK1 w kq - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let sample = Sample::new(&position, 0, 1).unwrap();
            let float = model.evaluate(&sample) * SCALE as f32;
            assert!((float - network.evaluate(&position) as f32).abs() < 8.0, "{fen}");
            let men: Vec<_> = sample.men().collect();
            let turned = network.evaluate_men(&men, Color::White);
            assert_eq!(turned, network.evaluate(&position), "{fen}");
        }
    }
}
