//! Loss and gradient of a batch.
//!
//! Only some 16 of 768 inputs are 1, so the first layer is sums of rows. Backwards, positions are
//! sorted by input first: each row of the gradient is then read and written once a block instead
//! of once a man.

use tegenspel::chess::eval::nnue::{
    features::{BUCKETS, INPUTS, bucket},
    network::SCALE,
};
use wide::f32x16;

use super::{
    data::{MEN, Sample},
    model::{CHUNK, Model, Row, Shape, chance, sigmoid},
};

/// Positions taken through the network together: their hidden layers fit the cache.
const BLOCK: usize = 128;
/// Numbers of a vector.
const LANES: usize = 16;
/// A row in registers: kept in an array, the compiler adds its numbers one at a time.
type Vectors = [f32x16; CHUNK / LANES];

/// What is to be learnt.
#[derive(Debug, Clone, Copy)]
pub struct Aim {
    /// Weight of the game's result against the search's score, 0 to 1.
    pub lambda: f32,
    /// Each position's weight in the gradient.
    pub weight: f32,
    /// Centipawns at which the chance of winning is 0.73.
    pub scale: f32,
}

impl Aim {
    /// The chance of winning that a sample teaches.
    pub fn target(self, sample: &Sample) -> f32 {
        let result = f32::from(sample.result) / 2.0;
        self.lambda * result + (1.0 - self.lambda) * chance(sample.score.into(), self.scale)
    }
}

/// One thread's room to calculate.
#[derive(Debug)]
pub struct Scratch {
    /// The inputs of each view: side to move and opponent in turn.
    views: Vec<[u16; MEN]>,
    /// Men of each position, and its output layer.
    counts: [usize; BLOCK],
    layers: [usize; BLOCK],
    /// Hidden layers by chunk and view; backwards, their gradients.
    neurons: Vec<Row>,
    /// Partial sums of each output.
    outputs: [f32x16; BLOCK],
    /// Derivatives of the loss by the outputs.
    slopes: [f32; BLOCK],
    /// Views by input: those of input `i` end at `ends[i]`, where those of the next begin.
    ends: Vec<usize>,
    by_input: Vec<u16>,
}

impl Scratch {
    /// Room for a network of this shape.
    pub fn new(shape: Shape) -> Self {
        Self {
            views: vec![[0; MEN]; 2 * BLOCK],
            counts: [0; BLOCK],
            layers: [0; BLOCK],
            neurons: vec![Row::ZERO; shape.chunks * 2 * BLOCK],
            outputs: [f32x16::ZERO; BLOCK],
            slopes: [0.0; BLOCK],
            ends: vec![0; INPUTS],
            by_input: vec![0; 2 * BLOCK * MEN],
        }
    }

    /// Sum of the losses of `samples`; their gradient is added to `gradient`.
    pub fn learn(
        &mut self,
        model: &Model,
        samples: &[Sample],
        aim: Aim,
        gradient: &mut [Row],
    ) -> f64 {
        let mut loss = 0.0;
        for block in samples.chunks(BLOCK) {
            self.forward(model, block);
            loss += self.judge(model, block, aim, gradient);
            self.sort(block.len());
            for chunk in 0..model.shape.chunks {
                self.backward_outputs(model, chunk, block.len(), gradient);
                self.backward_hidden(model.shape, chunk, gradient);
            }
        }
        loss
    }

    /// Sum of the losses of `samples`.
    pub fn loss(&mut self, model: &Model, samples: &[Sample], aim: Aim) -> f64 {
        let mut unused = vec![Row::ZERO; model.shape.rows()];
        let block = |block| {
            self.forward(model, block);
            self.judge(model, block, aim, &mut unused)
        };
        samples.chunks(BLOCK).map(block).sum()
    }

    fn forward(&mut self, model: &Model, samples: &[Sample]) {
        for (index, (sample, views)) in
            samples.iter().zip(self.views.as_chunks_mut::<2>().0).enumerate()
        {
            let [ours, theirs] = views;
            self.counts[index] = sample.inputs(ours, theirs);
            self.layers[index] = bucket(self.counts[index] as u32);
            self.outputs[index] = f32x16::ZERO;
        }
        for chunk in 0..model.shape.chunks {
            let first = model.shape.hidden(chunk);
            let weights = &model.rows[first..=first + INPUTS];
            let biases = vectors(&weights[INPUTS]);
            let neurons = &mut self.neurons[chunk * 2 * BLOCK..][..2 * samples.len()];
            let views = self.views.as_chunks::<2>().0;
            // Both views at once: one sum after the other would wait for each addition.
            for (index, rows) in neurons.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                let count = self.counts[index];
                let [ours, theirs] = views[index].each_ref().map(|view| &view[..count]);
                let mut sums = [biases; 2];
                for (&ours, &theirs) in ours.iter().zip(theirs) {
                    add_to(&mut sums[0], &weights[usize::from(ours)]);
                    add_to(&mut sums[1], &weights[usize::from(theirs)]);
                }
                let mut output = self.outputs[index];
                for side in 0..2 {
                    let place = model.shape.output(self.layers[index], side, chunk);
                    let outputs = vectors(&model.rows[place]);
                    for (sum, weights) in sums[side].iter().zip(outputs) {
                        let active = clipped(*sum);
                        output += active * active * weights;
                    }
                    rows[side] = row(sums[side]);
                }
                self.outputs[index] = output;
            }
        }
    }

    /// Compares outputs and targets; keeps the slopes.
    fn judge(&mut self, model: &Model, samples: &[Sample], aim: Aim, gradient: &mut [Row]) -> f64 {
        let biases = model.shape.output_biases();
        let mut loss = 0.0;
        let unit = SCALE as f32 / aim.scale;
        for (index, sample) in samples.iter().enumerate() {
            let layer = self.layers[index];
            let output = self.outputs[index].reduce_add() + model.rows[biases].0[layer];
            let guess = sigmoid(output * unit);
            let error = guess - aim.target(sample);
            loss += f64::from(error * error);
            let slope = 2.0 * error * guess * (1.0 - guess) * unit * aim.weight;
            self.slopes[index] = slope;
            gradient[biases].0[layer] += slope;
        }
        loss
    }

    /// Sorts the views by input, counting first.
    fn sort(&mut self, samples: usize) {
        let views = &self.views[..2 * samples];
        let counts = &self.counts;
        self.ends.fill(0);
        let inputs = |view: usize| &views[view][..counts[view / 2]];
        for view in 0..views.len() {
            for &input in inputs(view) {
                self.ends[usize::from(input)] += 1;
            }
        }
        let mut start = 0;
        for end in &mut self.ends {
            let count = std::mem::replace(end, start);
            start += count;
        }
        for view in 0..views.len() {
            for &input in inputs(view) {
                let place = &mut self.ends[usize::from(input)];
                self.by_input[*place] = view as u16;
                *place += 1;
            }
        }
    }

    /// Gradient of a chunk's output weights and biases; its neurons become their gradients.
    fn backward_outputs(
        &mut self,
        model: &Model,
        chunk: usize,
        samples: usize,
        gradient: &mut [Row],
    ) {
        let shape = model.shape;
        let mut weights = [Row::ZERO; 2 * BUCKETS];
        let mut biases = vectors(&Row::ZERO);
        let neurons = &mut self.neurons[chunk * 2 * BLOCK..][..2 * samples];
        for (view, neuron) in neurons.iter_mut().enumerate() {
            let (index, side) = (view / 2, view % 2);
            let (layer, slope) = (self.layers[index], f32x16::splat(self.slopes[index]));
            let outputs = vectors(&model.rows[shape.output(layer, side, chunk)]);
            let mut values = vectors(neuron);
            let mut sums = vectors(&weights[2 * layer + side]);
            for part in 0..values.len() {
                let active = clipped(values[part]);
                let change = slope * active;
                sums[part] += change * active;
                // Flat below 0, where `active` is 0, and from 1 on.
                let steep = values[part].simd_lt(f32x16::ONE);
                values[part] = steep & ((change + change) * outputs[part]);
                biases[part] += values[part];
            }
            weights[2 * layer + side] = row(sums);
            *neuron = row(values);
        }
        for (index, weights) in weights.iter().enumerate() {
            add(&mut gradient[shape.output(index / 2, index % 2, chunk)], weights);
        }
        add(&mut gradient[shape.hidden(chunk) + INPUTS], &row(biases));
    }

    fn backward_hidden(&self, shape: Shape, chunk: usize, gradient: &mut [Row]) {
        let neurons = &self.neurons[chunk * 2 * BLOCK..][..2 * BLOCK];
        let first = shape.hidden(chunk);
        let mut start = 0;
        for (target, &end) in gradient[first..first + INPUTS].iter_mut().zip(&self.ends) {
            if end > start {
                let mut sum = vectors(target);
                for &view in &self.by_input[start..end] {
                    add_to(&mut sum, &neurons[usize::from(view)]);
                }
                *target = row(sum);
            }
            start = end;
        }
    }
}

fn vectors(row: &Row) -> Vectors {
    let parts = row.0.as_chunks::<LANES>().0;
    std::array::from_fn(|index| f32x16::new(parts[index]))
}

fn row(vectors: Vectors) -> Row {
    let mut row = Row::ZERO;
    let parts = row.0.as_chunks_mut::<LANES>().0;
    parts.iter_mut().zip(vectors).for_each(|(part, vector)| *part = vector.to_array());
    row
}

fn add_to(sums: &mut Vectors, row: &Row) {
    sums.iter_mut().zip(vectors(row)).for_each(|(sum, part)| *sum += part);
}

fn add(target: &mut Row, values: &Row) {
    let mut sums = vectors(target);
    add_to(&mut sums, values);
    *target = row(sums);
}

fn clipped(values: f32x16) -> f32x16 {
    values.fast_max(f32x16::ZERO).fast_min(f32x16::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tegenspel::chess::Position;

    /// The definition of a derivative, on some weights of each layer.
    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let mut model = Model::new(CHUNK, 5);
        let fens = [
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 30),
            ("8/5k2/8/4P3/4K3/8/8/8 b - - 0 1", -700),
            ("r3k2r/pp1q1ppp/2n5/3pP3/1b6/2N2N2/PPP2PPP/R1BQ1RK1 w kq - 0 1", 250),
        ];
        let samples: Vec<Sample> = fens
            .iter()
            .filter_map(|&(fen, score)| Sample::new(&Position::from_fen(fen).unwrap(), score, 2))
            .collect();
        let aim = Aim { lambda: 0.3, weight: 1.0, scale: 300.0 };
        let mut scratch = Scratch::new(model.shape);
        let mut gradient = vec![Row::ZERO; model.shape.rows()];
        scratch.learn(&model, &samples, aim, &mut gradient);
        let rook_on_a1 = 3 * 64;
        let rows =
            [0, rook_on_a1, INPUTS, model.shape.output(7, 0, 0), model.shape.output(0, 1, 0)];
        let mut checked = 0;
        for (row, lane) in rows.into_iter().flat_map(|row| (0..CHUNK).map(move |lane| (row, lane)))
        {
            let step = 1e-3;
            let old = model.rows[row].0[lane];
            let mut loss = |value| {
                model.rows[row].0[lane] = value;
                scratch.loss(&model, &samples, aim)
            };
            let slope = (loss(old + step) - loss(old - step)) / f64::from(2.0 * step);
            loss(old);
            let claimed = f64::from(gradient[row].0[lane]);
            assert!((slope - claimed).abs() < 2e-3, "{row} {lane}: {slope} {claimed}");
            checked += usize::from(claimed.abs() > 1e-2);
        }
        assert!(checked > 10, "hardly a slope is steep enough to tell");
    }
}
