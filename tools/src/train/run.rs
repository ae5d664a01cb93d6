//! A run: epochs of steps with a falling learning rate; its state can be kept and taken up again.

use std::{
    f32::consts::PI,
    io::{self, Read, Write},
    thread,
};

use serde::{Deserialize, Serialize};
use tegenspel::chess::eval::nnue::network::SCALE;

use super::{
    data::{Data, Filter, Sample, shuffle},
    gradient::{Aim, Scratch},
    model::{Model, Row, chance},
    optimizer::{Moments, Part},
};
use crate::format::read_whole;

/// All that decides what is learnt from the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// Neurons of the hidden layer for each side.
    pub width: usize,
    /// Times that each position is seen.
    pub epochs: usize,
    /// Positions of a step.
    pub batch: usize,
    /// Learning rate at the start.
    pub rate: f32,
    /// The learning rate falls to this part of it, along a cosine (Loshchilov & Hutter 2017).
    pub last_rate: f32,
    /// Weight of the game's result against the search's score, 0 to 1.
    pub lambda: f32,
    /// Centipawns at which the loss takes the chance of winning to be 0.73.
    pub loss_scale: f32,
    /// Seed of the first weights and of the order.
    pub seed: u64,
    /// Threads; their number decides in which order sums are rounded.
    pub threads: usize,
    /// Which positions are learnt from.
    pub filter: Filter,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            width: 128,
            epochs: 20,
            batch: 8192,
            rate: 1e-3,
            last_rate: 0.0024,
            lambda: 0.0,
            loss_scale: 400.0,
            seed: 1,
            threads: 2,
            filter: Filter::default(),
        }
    }
}

/// How well an epoch went. Losses are mean squared errors of the chance of winning.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Epochs done.
    pub epoch: usize,
    /// On the positions learnt, while they were learnt.
    pub learnt: f64,
    /// On the games held back.
    pub held_back: f64,
    /// On the games held back, against the search's score alone.
    pub against_score: f64,
}

/// Longer heads of checkpoints are something else, in bytes: an epoch takes some hundred.
const HEAD_LIMIT: u64 = 1 << 24;

/// A network that is being trained.
#[derive(Debug)]
pub struct Trainer {
    /// What is wanted.
    pub options: Options,
    /// The network so far.
    pub model: Model,
    /// How it went so far.
    pub history: Vec<Progress>,
    moments: Moments,
    steps: u32,
    scratches: Vec<Scratch>,
    gradients: Vec<Vec<Row>>,
}

impl Trainer {
    /// A trainer that has learnt nothing.
    pub fn new(options: Options) -> Self {
        let model = Model::new(options.width, options.seed);
        let rows = model.shape.rows();
        let threads = options.threads.max(1);
        Self {
            moments: Moments::new(rows),
            steps: 0,
            history: Vec::new(),
            scratches: (0..threads).map(|_| Scratch::new(model.shape)).collect(),
            gradients: vec![vec![Row::ZERO; rows]; threads],
            options,
            model,
        }
    }

    /// A trainer that begins with what another network has learnt, its own options and a fresh
    /// optimizer. A narrower network is made as wide as they say.
    ///
    /// # Errors
    /// If that network is wider.
    pub fn refine(options: Options, teacher: &Model) -> Result<Self, String> {
        let mut trainer = Self::new(options);
        let seed = trainer.options.seed;
        trainer.model = teacher.widened(trainer.model.shape.chunks, seed)?;
        Ok(trainer)
    }

    /// Sees every position once. The samples are shuffled in place: `data` must be in the order in
    /// which the epoch before left it, or, after [`Self::resume`], as it was read.
    pub fn epoch(&mut self, data: &mut Data) -> Progress {
        let epoch = self.history.len();
        shuffle(&mut data.learnt, self.options.seed, epoch);
        let batch = self.options.batch.clamp(1, data.learnt.len().max(1));
        let steps = data.learnt.len() / batch;
        let total = (steps * self.options.epochs).max(1);
        let mut loss = 0.0;
        for (index, samples) in data.learnt.chunks_exact(batch).enumerate() {
            let rate = self.rate((epoch * steps + index) as f32 / total as f32);
            loss += self.step(samples, rate);
        }
        let progress = Progress {
            epoch: epoch + 1,
            learnt: loss / (steps * batch).max(1) as f64,
            held_back: self.loss(&data.held_back, self.options.lambda),
            against_score: self.loss(&data.held_back, 0.0),
        };
        self.history.push(progress);
        progress
    }

    /// The learning rate when this part of the run is over.
    fn rate(&self, done: f32) -> f32 {
        let (first, last) = (self.options.rate, self.options.rate * self.options.last_rate);
        last + (first - last) * f32::midpoint(1.0, (PI * done).cos())
    }

    /// One step; returns the sum of the losses.
    fn step(&mut self, samples: &[Sample], rate: f32) -> f64 {
        self.steps += 1;
        let Options { lambda, loss_scale: scale, .. } = self.options;
        let aim = Aim { lambda, weight: 1.0 / samples.len() as f32, scale };
        let threads = self.scratches.len();
        let model = &self.model;
        let shares = samples.chunks(samples.len().div_ceil(threads));
        let workers = self.scratches.iter_mut().zip(&mut self.gradients).zip(shares);
        let losses = thread::scope(|scope| {
            let mut tasks: Vec<_> = workers
                .map(|((scratch, gradient), share)| {
                    move || scratch.learn(model, share, aim, gradient)
                })
                .collect();
            // The last share is this thread's.
            let own = tasks.pop();
            let others: Vec<_> = tasks.into_iter().map(|task| scope.spawn(task)).collect();
            let own = own.map_or(0.0, |mut task| task());
            let join =
                |thread: thread::ScopedJoinHandle<'_, f64>| thread.join().unwrap_or(f64::NAN);
            others.into_iter().map(join).sum::<f64>() + own
        });
        self.improve(rate);
        if self.is_settling() {
            self.model.round_outputs();
        }
        losses
    }

    /// Whether the output weights keep the integers they have: in the last quarter of a run the
    /// hidden layer learns to make up for their rounding.
    fn is_settling(&self) -> bool {
        4 * self.history.len() >= 3 * self.options.epochs
    }

    /// Takes the optimizer's step, a part of the network on each thread.
    fn improve(&mut self, rate: f32) {
        let threads = self.scratches.len();
        let share = self.model.rows.len().div_ceil(threads);
        let number = self.steps;
        let mut gradients: Vec<_> =
            self.gradients.iter_mut().map(|gradient| gradient.chunks_mut(share)).collect();
        let rows = self.model.rows.chunks_mut(share);
        let moments =
            self.moments.means.chunks_mut(share).zip(self.moments.squares.chunks_mut(share));
        thread::scope(|scope| {
            for (rows, (means, squares)) in rows.zip(moments) {
                let gradients = gradients.iter_mut().filter_map(Iterator::next).collect();
                let mut part = Part { rows, means, squares, gradients };
                scope.spawn(move || part.step(rate, number));
            }
        });
    }

    /// Mean loss on samples that are not learnt.
    fn loss(&mut self, samples: &[Sample], lambda: f32) -> f64 {
        let aim = Aim { lambda, weight: 0.0, scale: self.options.loss_scale };
        self.scratches[0].loss(&self.model, samples, aim) / samples.len().max(1) as f64
    }

    /// Writes all that is needed to go on later.
    ///
    /// # Errors
    /// If the output does not take it.
    pub fn save(&self, output: &mut impl Write) -> io::Result<()> {
        let head = serde_json::to_string(&(&self.options, &self.history, self.steps))?;
        output.write_all(&(head.len() as u64).to_le_bytes())?;
        output.write_all(head.as_bytes())?;
        for rows in [&self.model.rows, &self.moments.means, &self.moments.squares] {
            let bytes: Vec<u8> =
                rows.iter().flat_map(|row| row.0).flat_map(f32::to_le_bytes).collect();
            output.write_all(&bytes)?;
        }
        output.flush()
    }

    /// Takes up what [`Self::save`] wrote. `data`, as it was read, is brought into the order in
    /// which the run left it.
    ///
    /// # Errors
    /// If the input is something else, or is not as long as it says.
    pub fn resume(input: &mut impl Read, data: &mut Data) -> io::Result<Self> {
        let refuse = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
        let mut length = [0; 8];
        if !read_whole(input, &mut length)? {
            return Err(refuse("this is no checkpoint: it has not even a head".to_owned()));
        }
        let mut head = Vec::new();
        input.by_ref().take(u64::from_le_bytes(length).min(HEAD_LIMIT)).read_to_end(&mut head)?;
        let parsed = serde_json::from_slice::<(Options, Vec<Progress>, u32)>(&head);
        let (options, history, steps) =
            parsed.map_err(|error| refuse(format!("this is no checkpoint: {error}")))?;
        let mut trainer = Self::new(options);
        let width = trainer.options.width;
        let Self { model, moments, .. } = &mut trainer;
        for rows in [&mut model.rows, &mut moments.means, &mut moments.squares] {
            for number in rows.iter_mut().flat_map(|row| &mut row.0) {
                let mut bytes = [0; 4];
                if !read_whole(input, &mut bytes)? {
                    return Err(refuse(format!("the checkpoint, {width} wide, is cut short")));
                }
                *number = f32::from_le_bytes(bytes);
            }
        }
        if read_whole(input, &mut [0])? {
            return Err(refuse(format!("the checkpoint is longer than one {width} wide")));
        }
        for epoch in 0..history.len() {
            shuffle(&mut data.learnt, trainer.options.seed, epoch);
        }
        trainer.history = history;
        trainer.steps = steps;
        Ok(trainer)
    }
}

/// Mean loss, against the search's score, of this build's own evaluation on the games held back.
pub fn mark(data: &Data, scale: f32) -> f64 {
    let error = |(sample, &mark): (&Sample, &i16)| {
        f64::from(chance(mark.into(), scale) - chance(sample.score.into(), scale)).powi(2)
    };
    let sum: f64 = data.held_back.iter().zip(&data.marks).map(error).sum();
    sum / data.held_back.len().max(1) as f64
}

/// Mean and largest difference between floats and integers, in centipawns.
///
/// # Errors
/// If the network has no integers.
pub fn parity(model: &Model, samples: &[Sample]) -> Result<(f32, f32), String> {
    let network = model.quantize(String::new()).map_err(|error| error.to_string())?;
    let mut differences = Vec::new();
    for sample in samples {
        let men: Vec<_> = sample.men().collect();
        let integer = network.evaluate_men(&men, tegenspel::chess::Color::White) as f32;
        differences.push((model.evaluate(sample) * SCALE as f32 - integer).abs());
    }
    let largest = differences.iter().copied().fold(0.0, f32::max);
    Ok((differences.iter().sum::<f32>() / samples.len().max(1) as f32, largest))
}

#[cfg(test)]
mod tests {
    use super::{super::model::CHUNK, *};
    use tegenspel::chess::Position;

    /// Positions of random moves, labelled with the queens' difference.
    fn data(games: usize) -> Data {
        let mut data = Data::default();
        let mut state = 7_u64;
        for game in 0..games {
            let mut position = Position::start();
            for _ in 0..60 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1442695);
                position.play(moves[(state >> 33) as usize % moves.len()]);
                let us = position.side_to_move();
                let queens = |side| position.of(side, tegenspel::chess::PieceKind::Queen).count();
                let score = 400 * (queens(us) as i16 - queens(!us) as i16);
                let sample = Sample::new(&position, score, 1).unwrap();
                if game % 8 == 0 { &mut data.held_back } else { &mut data.learnt }.push(sample);
            }
        }
        data
    }

    fn options() -> Options {
        Options { width: CHUNK, epochs: 6, batch: 64, rate: 5e-3, ..Options::default() }
    }

    #[test]
    fn what_a_queen_is_worth_is_learnt() {
        let (mut data, mut trainer) = (data(600), Trainer::new(options()));
        let losses: Vec<f64> = (0..6).map(|_| trainer.epoch(&mut data).held_back).collect();
        assert!(losses[5] < losses[0] / 2.0, "{losses:?}");
        let (mean, largest) = parity(&trainer.model, &data.held_back).unwrap();
        // Thirty weights a neuron, each off by a third of a 255th at most on the average, go through
        // sixty-four output weights of about 0.3: some centipawns.
        assert!(mean < 4.0 && largest < 20.0, "{mean} {largest}");
        let mut rounded = trainer.model.clone();
        rounded.round_outputs();
        assert_eq!(
            rounded, trainer.model,
            "the last epochs keep the output weights that integers have"
        );
    }

    #[test]
    fn a_run_taken_up_again_ends_with_the_same_network() {
        let (mut whole, mut data_of_whole) = (Trainer::new(options()), data(40));
        let (mut first, mut data_of_first) = (Trainer::new(options()), data(40));
        first.epoch(&mut data_of_first);
        let mut file = Vec::new();
        first.save(&mut file).unwrap();
        let mut data_of_second = data(40);
        let mut second = Trainer::resume(&mut file.as_slice(), &mut data_of_second).unwrap();
        for _ in 0..3 {
            whole.epoch(&mut data_of_whole);
        }
        second.epoch(&mut data_of_second);
        second.epoch(&mut data_of_second);
        assert_eq!(second.model, whole.model);
        assert_eq!(second.history, whole.history);
    }

    #[test]
    fn a_file_that_is_no_checkpoint_is_refused_with_the_reason() {
        let mut file = Vec::new();
        Trainer::new(options()).save(&mut file).unwrap();
        let refused = |mut bytes: &[u8]| {
            Trainer::resume(&mut bytes, &mut Data::default()).unwrap_err().to_string()
        };
        assert!(refused(&file[..file.len() - 1]).contains("cut short"));
        assert!(refused(&[&file[..], b"x"].concat()).contains("longer"));
        for other in [&file[..3], &file[..20], b"a text of another kind", b""] {
            assert!(refused(other).contains("no checkpoint"));
        }
    }
}
