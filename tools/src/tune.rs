//! Fits the weights of the classical evaluation to the outcomes of games ("Texel's tuning method",
//! Peter Österlund 2014): the logistic loss between outcome and evaluation goes down by gradient,
//! which the evaluation itself delivers as a count per weight (the method of Andrew Grant,
//! "Evaluation & Tuning in Chess Engines", 2020).

use std::{
    fmt::Write,
    fs::File,
    io::{self, BufReader},
    path::Path,
    thread,
};

use anyhow::{Context, Result, anyhow, bail};
use rand::{SeedableRng, rngs::SmallRng, seq::SliceRandom};
use tegenspel::chess::{
    Position,
    eval::classical::tuning::{
        self, COUNT, Coefficients, Counts, DANGER_DIVISOR, DANGER_ENDGAME, DANGER_LIMIT, PHASE_MAX,
        WHOLE,
    },
};

use crate::{
    format::{BlockReader, SelfGame},
    selfplay,
};

/// Middlegame and endgame value of each weight, by number.
pub type Weights = Vec<[f32; 2]>;

/// Positions with a higher score teach nothing that matters, in centipawns.
const SCORE_LIMIT: i16 = 1200;
/// Positions in a step of the gradient.
const BATCH: usize = 16_384;

/// One position: where its counts are, and what came of it.
#[derive(Debug, Clone, Copy)]
struct Sample {
    start: u32,
    /// Ends of linear counts, of White's danger, of Black's, of what makes winnable.
    ends: [u16; 4],
    phase: u8,
    scale: u8,
    /// For White, 0 to 1: the game's result.
    result: f32,
    /// For White, in centipawns: the search's score.
    score: i16,
}

/// Positions for the tuner, their counts in one long list.
#[derive(Debug, Default)]
pub struct Samples {
    counts: Counts,
    list: Vec<Sample>,
    /// Games they come from.
    pub games: usize,
}

impl Samples {
    /// Number of positions.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// There is no position.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Adds the quiet positions of a game.
    pub fn add_game(&mut self, game: &SelfGame) {
        self.games += 1;
        let mut position = game.start();
        let result = game.outcome.half_points() as f32 / 2.0;
        for (ply, &mv) in game.moves.iter().enumerate() {
            if let Some(index) = ply.checked_sub(game.opening.into()) {
                let score = game.scores[index];
                let useful = score.abs() <= SCORE_LIMIT;
                if useful && selfplay::is_quiet(&position, mv, score) {
                    self.add(&position, result, score);
                }
            }
            position.play(mv);
        }
    }

    /// Adds a position, if its evaluation depends on weights.
    pub fn add(&mut self, position: &Position, result: f32, score: i16) {
        if let Some((coefficients, _)) = tuning::coefficients(position) {
            self.push(&coefficients, result, score);
        }
    }

    fn push(&mut self, coefficients: &Coefficients, result: f32, score: i16) {
        let Coefficients { linear, danger: [white, black], winnable, phase, scale } = coefficients;
        let start = self.counts.len() as u32;
        let mut ends = [0; 4];
        for (end, counts) in ends.iter_mut().zip([linear, white, black, winnable]) {
            self.counts.extend(counts);
            *end = (self.counts.len() - start as usize) as u16;
        }
        let (phase, scale) = (*phase as u8, *scale as u8);
        self.list.push(Sample { start, ends, phase, scale, result, score });
    }

    /// The four lists of counts of a sample.
    fn lists(&self, sample: &Sample) -> [&[(u16, i16)]; 4] {
        let all = &self.counts[sample.start as usize..][..sample.ends[3] as usize];
        let [a, b, c, d] = sample.ends.map(usize::from);
        [&all[..a], &all[a..b], &all[b..c], &all[c..d]]
    }

    fn shuffle(&mut self, seed: u64) {
        self.list.shuffle(&mut SmallRng::seed_from_u64(seed));
    }
}

/// Reads games of self-play: the quiet positions for training, and those of a share of the games,
/// which are held out, until there are `limit` positions.
///
/// # Errors
/// If a file cannot be read or is no file of games.
pub fn read(files: &[impl AsRef<Path>], limit: usize, hold_out: f64) -> Result<[Samples; 2]> {
    let mut samples = [Samples::default(), Samples::default()];
    let (mut number, mut held) = (0_u64, 0_u64);
    for file in files {
        let context = || format!("cannot read {}", file.as_ref().display());
        let input = BufReader::new(File::open(file).with_context(context)?);
        let mut reader = BlockReader::new(input).with_context(context)?;
        while let Some(block) = reader.next_block().with_context(context)? {
            let games = block.decode().ok_or_else(|| anyhow!("a block is of another format"));
            let games = games.with_context(context)?;
            for game in &games {
                number += 1;
                let hold = (held as f64) < hold_out * number as f64;
                held += u64::from(hold);
                samples[usize::from(hold)].add_game(game);
            }
            if samples[0].len() + samples[1].len() >= limit {
                return Ok(samples);
            }
        }
    }
    if samples[0].is_empty() || samples[1].is_empty() {
        bail!("there are too few games to learn from");
    }
    Ok(samples)
}

/// An evaluation by real weights, with what its gradient needs.
struct Judged {
    value: f32,
    /// How the value changes with the linear sums of middlegame and endgame.
    slopes: [f32; 2],
    /// How it changes with the two sums of danger, by colour.
    danger: [[f32; 2]; 2],
    /// How it changes with the sum of what makes winnable.
    winnable: f32,
}

fn sum(counts: &[(u16, i16)], weights: &[[f32; 2]]) -> [f32; 2] {
    counts.iter().fold([0.0; 2], |[mg, eg], &(number, times)| {
        let [weight_mg, weight_eg] = weights[usize::from(number)];
        [weight_mg.mul_add(times.into(), mg), weight_eg.mul_add(times.into(), eg)]
    })
}

/// What danger costs, and how the cost grows.
fn penalty([mg, eg]: [f32; 2]) -> [(f32, f32); 2] {
    let limit = DANGER_LIMIT as f32;
    let bounded = mg.clamp(0.0, limit);
    let slope = if mg > 0.0 && mg < limit { 2.0 * bounded / DANGER_DIVISOR as f32 } else { 0.0 };
    let endgame = 1.0 / DANGER_ENDGAME as f32;
    [
        (bounded * bounded / DANGER_DIVISOR as f32, slope),
        if eg > 0.0 { (eg * endgame, endgame) } else { (0.0, 0.0) },
    ]
}

impl Samples {
    /// The evaluation's own formula, in real numbers.
    fn judge(&self, sample: &Sample, weights: &[[f32; 2]]) -> Judged {
        let [linear, white, black, winnable] = self.lists(sample);
        let [mut mg, mut eg] = sum(linear, weights);
        let dangers = [penalty(sum(white, weights)), penalty(sum(black, weights))];
        mg -= dangers[0][0].0 - dangers[1][0].0;
        eg -= dangers[0][1].0 - dangers[1][1].0;
        let winnable = sum(winnable, weights)[1];
        let more = winnable.max(-eg.abs());
        let turned = more > winnable;
        let eg_final = eg + eg.signum() * more;
        let opening = f32::from(sample.phase) / PHASE_MAX as f32;
        let ending = (1.0 - opening) * f32::from(sample.scale) / WHOLE as f32;
        let slopes = [opening, if turned { 0.0 } else { ending }];
        Judged {
            value: mg * opening + eg_final * ending,
            slopes,
            danger: [
                [-dangers[0][0].1 * slopes[0], -dangers[0][1].1 * slopes[1]],
                [dangers[1][0].1 * slopes[0], dangers[1][1].1 * slopes[1]],
            ],
            winnable: if turned { 0.0 } else { eg.signum() * ending },
        }
    }

    /// The evaluation of each position for White, in centipawns.
    pub fn values(&self, weights: &[[f32; 2]]) -> Vec<f32> {
        self.list.iter().map(|sample| self.judge(sample, weights).value).collect()
    }
}

/// What the evaluation is to foretell.
#[derive(Debug, Clone, Copy)]
pub struct Aim {
    /// Logits a centipawn.
    pub k: f32,
    /// Share of the result in the target; the rest is the score of the search.
    pub result_share: f32,
}

fn logistic(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

impl Aim {
    fn target(self, sample: &Sample) -> f32 {
        let score = logistic(self.k * f32::from(sample.score));
        self.result_share.mul_add(sample.result - score, score)
    }

    /// Mean logistic loss, in nats a position.
    pub fn loss(self, samples: &Samples, weights: &[[f32; 2]]) -> f64 {
        let halves: f64 = thread::scope(|scope| {
            let tasks: Vec<_> = samples
                .list
                .chunks(samples.len().div_ceil(2).max(1))
                .map(|part| {
                    scope.spawn(move || {
                        part.iter()
                            .map(|sample| self.loss_of(samples, sample, weights))
                            .sum::<f64>()
                    })
                })
                .collect();
            tasks.into_iter().map(|task| task.join().unwrap_or(f64::NAN)).sum()
        });
        halves / samples.len().max(1) as f64
    }

    fn loss_of(self, samples: &Samples, sample: &Sample, weights: &[[f32; 2]]) -> f64 {
        let p = f64::from(logistic(self.k * samples.judge(sample, weights).value));
        let p = p.clamp(1e-7, 1.0 - 1e-7);
        let target = f64::from(self.target(sample));
        -(target * p.ln() + (1.0 - target) * (1.0 - p).ln())
    }

    /// Sum of the loss's gradient over positions.
    fn gradient(self, samples: &Samples, part: &[Sample], weights: &[[f32; 2]]) -> Weights {
        let mut gradient = vec![[0.0; 2]; COUNT];
        for sample in part {
            let judged = samples.judge(sample, weights);
            let error = self.k * (logistic(self.k * judged.value) - self.target(sample));
            let [linear, white, black, winnable] = samples.lists(sample);
            for (counts, slopes) in [
                (linear, judged.slopes),
                (white, judged.danger[0]),
                (black, judged.danger[1]),
                (winnable, [0.0, judged.winnable]),
            ] {
                let [mg, eg] = slopes.map(|slope| slope * error);
                for &(number, times) in counts {
                    let entry = &mut gradient[usize::from(number)];
                    entry[0] += mg * f32::from(times);
                    entry[1] += eg * f32::from(times);
                }
            }
        }
        gradient
    }
}

/// The `k` at which the results are foretold best by these weights: golden-section search.
pub fn fit_k(samples: &Samples, weights: &[[f32; 2]]) -> f32 {
    let loss = |k| Aim { k, result_share: 1.0 }.loss(samples, weights);
    let ratio = (5_f32.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.0005_f32, 0.02_f32);
    while high - low > 0.00002 {
        let (a, b) = (high - ratio * (high - low), low + ratio * (high - low));
        if loss(a) < loss(b) {
            high = b;
        } else {
            low = a;
        }
    }
    f32::midpoint(low, high)
}

/// How to fit.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// What the evaluation is to foretell.
    pub aim: Aim,
    /// Passes over all positions.
    pub epochs: usize,
    /// Centipawns a weight moves in a step at first; it shrinks to nothing.
    pub rate: f32,
    /// Centipawns that a weight is expected to be off at first (a Gaussian prior; a game counts
    /// once, since its positions share one result).
    pub doubt: f32,
}

/// Adam's memory of the gradient (Kingma & Ba 2015), with its usual constants.
struct Adam {
    mean: Weights,
    square: Weights,
    steps: i32,
}

impl Adam {
    const DECAY: [f32; 2] = [0.9, 0.999];

    fn new() -> Self {
        Self { mean: vec![[0.0; 2]; COUNT], square: vec![[0.0; 2]; COUNT], steps: 0 }
    }

    fn step(&mut self, weights: &mut [[f32; 2]], gradient: &[[f32; 2]], rate: f32) {
        self.steps += 1;
        let unbias = Self::DECAY.map(|decay| 1.0 / (1.0 - decay.powi(self.steps)));
        for number in 0..COUNT {
            for half in 0..2 {
                let slope = gradient[number][half];
                let mean = &mut self.mean[number][half];
                *mean = Self::DECAY[0].mul_add(*mean - slope, slope);
                let square = &mut self.square[number][half];
                *square = Self::DECAY[1].mul_add(*square - slope * slope, slope * slope);
                let size = (*square * unbias[1]).sqrt() + 1e-10;
                weights[number][half] -= rate * *mean * unbias[0] / size;
            }
        }
    }
}

/// Fits the weights; `told` hears of each epoch.
///
/// # Errors
/// If `told` fails.
pub fn fit(
    samples: &mut Samples,
    first: &[[f32; 2]],
    plan: &Plan,
    told: impl Fn(usize, &Weights) -> io::Result<()>,
) -> io::Result<Weights> {
    let mut weights = first.to_vec();
    let mut adam = Adam::new();
    let prior = 1.0 / (samples.games.max(1) as f32 * plan.doubt * plan.doubt);
    let batches = samples.len().div_ceil(BATCH);
    for epoch in 0..plan.epochs {
        samples.shuffle(epoch as u64);
        for batch in 0..batches {
            let done = (epoch * batches + batch) as f32 / (plan.epochs * batches) as f32;
            let rate = plan.rate * (1.0 - done);
            let end = samples.len().min((batch + 1) * BATCH);
            let part = &samples.list[batch * BATCH..end];
            let mut gradient = batch_gradient(plan.aim, samples, part, &weights);
            for (number, slope) in gradient.iter_mut().enumerate() {
                for half in 0..2 {
                    slope[half] += prior * (weights[number][half] - first[number][half]);
                }
            }
            adam.step(&mut weights, &gradient, rate);
        }
        told(epoch + 1, &weights)?;
    }
    Ok(weights)
}

/// The mean gradient over a batch, on two threads.
fn batch_gradient(aim: Aim, samples: &Samples, part: &[Sample], weights: &[[f32; 2]]) -> Weights {
    let (left, right) = part.split_at(part.len() / 2);
    let (mut sum, other) = thread::scope(|scope| {
        let other = scope.spawn(|| aim.gradient(samples, right, weights));
        let sum = aim.gradient(samples, left, weights);
        (sum, other.join().unwrap_or_else(|_| vec![[f32::NAN; 2]; COUNT]))
    });
    for (total, more) in sum.iter_mut().zip(&other) {
        *total = [0, 1].map(|half| (total[half] + more[half]) / part.len() as f32);
    }
    sum
}

/// The weights of this build.
///
/// # Panics
/// Never: a test reads the file.
pub fn built_in() -> Weights {
    let weights = tuning::parse(tuning::SOURCE).expect("a test reads the weight file");
    weights.into_iter().map(|pair| pair.map(|value| value as f32)).collect()
}

/// The weight file with other numbers, and a line that says how they were made.
///
/// # Panics
/// Never: the file is this build's own.
pub fn write_source(weights: &[[f32; 2]], made_by: &str) -> String {
    let (head, table) =
        tuning::SOURCE.split_once("static WEIGHTS").expect("a test reads the weight file");
    let mut text = String::new();
    for line in head.lines() {
        let line = if line.starts_with("// Made by:") { made_by } else { line };
        text.push_str(line);
        text.push('\n');
    }
    // The last line of the head goes on in the table.
    text.pop();
    text.push_str("static WEIGHTS");
    let mut pieces = table.split("s(");
    text.push_str(pieces.next().unwrap_or_default());
    for (piece, [mg, eg]) in pieces.zip(weights) {
        let (_, rest) = piece.split_once(')').unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = write!(text, "s({:>5},{:>5})", mg.round() as i32, eg.round() as i32);
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bench() -> impl Iterator<Item = Position> {
        tegenspel::chess::samples::POSITIONS.iter().map(|fen| Position::from_fen(fen).unwrap())
    }

    /// Rounding loses less than a centipawn at each of a handful of divisions.
    #[test]
    fn counts_times_weights_are_the_evaluation() {
        let weights = built_in();
        let mut told = 0;
        for position in bench() {
            let Some((coefficients, score)) = tuning::coefficients(&position) else { continue };
            let mut samples = Samples::default();
            samples.push(&coefficients, 0.5, 0);
            let value = samples.values(&weights)[0];
            assert!((value - score as f32).abs() < 4.0, "{position}: {value} {score}");
            told += 1;
        }
        assert!(told > 15);
    }

    /// The gradient is the slope of the loss; at a kink (danger of 0) it is that of one side.
    #[test]
    fn the_gradient_agrees_with_small_steps() {
        let mut samples = Samples::default();
        for (index, position) in bench().enumerate() {
            samples.add(&position, (index % 3) as f32 / 2.0, 30);
        }
        let aim = Aim { k: 0.004, result_share: 0.7 };
        // Off the whole numbers, where most kinks are.
        let mut weights = built_in();
        for (number, pair) in weights.iter_mut().enumerate() {
            *pair = pair.map(|value| value + 0.1 + 0.05 * (number % 7) as f32);
        }
        let gradient = aim.gradient(&samples, &samples.list, &weights);
        let mut steep = 0;
        for number in 0..COUNT {
            for half in 0..2 {
                let moved = |by: f32| {
                    let mut weights = weights.clone();
                    weights[number][half] += by;
                    aim.loss(&samples, &weights) * samples.len() as f64
                };
                let [before, here, after] = [-0.05, 0.0, 0.05].map(moved);
                let slopes = [here - before, after - here].map(|rise| (20.0 * rise) as f32);
                let told = gradient[number][half];
                let doubt = 0.02 * told.abs() + 2e-4;
                let between = slopes[0].min(slopes[1]) - doubt..slopes[0].max(slopes[1]) + doubt;
                assert!(between.contains(&told), "{number}: {slopes:?} {told}");
                steep += i32::from(told.abs() > 1e-3);
            }
        }
        assert!(steep > 100);
    }

    #[test]
    fn the_weight_file_is_rewritten_as_it_was() {
        let weights = built_in();
        let line = tuning::SOURCE.lines().find(|line| line.starts_with("// Made by:")).unwrap();
        assert_eq!(write_source(&weights, line), tuning::SOURCE);
        let mut other = weights;
        other[0] = [-1234.4, 77.6];
        let text = write_source(&other, "// Made by: a test.");
        assert!(text.contains("s(-1234,   78)") && text.contains("// Made by: a test.\n"));
        assert_eq!(tuning::parse(&text).unwrap()[0], [-1234, 78]);
    }
}
