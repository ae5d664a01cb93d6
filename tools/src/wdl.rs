//! Fits the model of win, draw and loss to games: maximum likelihood of the results, given score and
//! material of each position (the method of Stockfish's WDL model, vondele 2020).

use std::{fmt::Write, fs::File, io::BufReader, ops::ControlFlow, path::Path};

use anyhow::{Result, anyhow, bail};
use pgn_reader::{Outcome, RawComment, RawTag, Reader, SanPlus, Visitor};
use plotters::prelude::*;
use tegenspel::chess::{
    Color, Position,
    wdl::{self, LEAST_MATERIAL, MOST_MATERIAL, Model, material},
};

use crate::format::{BlockReader, SelfGame};

/// Centipawns of a cell of the table of counts.
const CELL: i32 = 10;
/// Scores are counted up to this, in centipawns.
const LIMIT: i32 = 1500;
/// Cells of a row: scores from `-LIMIT` to `LIMIT`.
const CELLS: usize = (2 * LIMIT / CELL + 1) as usize;
/// Rows: one for each amount of material.
const ROWS: usize = (MOST_MATERIAL - LEAST_MATERIAL + 1) as usize;
/// Wins, draws and losses of the side to move.
type Results = [u64; 3];

/// How games ended from positions of each score and material.
#[derive(Debug, Clone)]
pub struct Counts {
    cells: Vec<Results>,
    /// Games they come from.
    pub games: usize,
    /// Positions counted.
    pub positions: u64,
}

impl Default for Counts {
    fn default() -> Self {
        Self { cells: vec![[0; 3]; ROWS * CELLS], games: 0, positions: 0 }
    }
}

impl Counts {
    /// Counts the positions of a game that were searched.
    pub fn add_game(&mut self, game: &SelfGame) {
        self.games += 1;
        let mut position = game.start();
        for (ply, &mv) in game.moves.iter().enumerate() {
            if let Some(index) = ply.checked_sub(game.opening.into()) {
                // Scores and outcome are White's.
                let white = 2 - game.outcome.half_points();
                let score = i32::from(game.scores[index]);
                let (score, result) = match position.side_to_move() {
                    Color::White => (score, white),
                    Color::Black => (-score, 2 - white),
                };
                self.add(score, material(&position), result);
            }
            position.play(mv);
        }
    }

    /// Counts one position: score of the side to move, material, and how it ended (0 won, 1 drawn,
    /// 2 lost).
    pub fn add(&mut self, score: i32, material: u32, result: usize) {
        if score.abs() > LIMIT {
            return;
        }
        let row = (material.clamp(LEAST_MATERIAL, MOST_MATERIAL) - LEAST_MATERIAL) as usize;
        let column = ((score + LIMIT + CELL / 2) / CELL) as usize;
        self.cells[row * CELLS + column][result] += 1;
        self.positions += 1;
    }

    /// Each cell that is not empty: score, material, results.
    fn filled(&self) -> impl Iterator<Item = (f64, u32, &Results)> {
        self.cells.iter().enumerate().filter(|(_, results)| **results != [0; 3]).map(
            |(index, results)| {
                let score = (index % CELLS) as i32 * CELL - LIMIT;
                (f64::from(score), LEAST_MATERIAL + (index / CELLS) as u32, results)
            },
        )
    }

    /// Mean of the negative logarithm of what the model gave the result that came, in nats.
    pub fn loss(&self, model: &Model) -> f64 {
        let sum: f64 = self
            .filled()
            .map(|(score, material, results)| {
                let chances = model.chances(score, material);
                let pairs = chances.iter().zip(results);
                pairs.map(|(&chance, &count)| count as f64 * chance.max(1e-9).ln()).sum::<f64>()
            })
            .sum();
        -sum / self.positions.max(1) as f64
    }

    /// Predicted and observed expectation (win 1, draw a half) in `bins` bins of equal width of the
    /// prediction, with the number of positions in each.
    pub fn calibration(&self, model: &Model, bins: usize) -> Vec<Bin> {
        let mut list = vec![Bin::default(); bins];
        for (score, material, results) in self.filled() {
            let [win, draw, _] = model.chances(score, material);
            let predicted = win + draw / 2.0;
            let bin = &mut list[((predicted * bins as f64) as usize).min(bins - 1)];
            let count: u64 = results.iter().sum();
            bin.positions += count;
            bin.predicted += predicted * count as f64;
            bin.observed += results[0] as f64 + results[1] as f64 / 2.0;
        }
        for bin in &mut list {
            let count = bin.positions.max(1) as f64;
            bin.predicted /= count;
            bin.observed /= count;
        }
        list
    }
}

/// Positions of about the same prediction.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bin {
    /// How many.
    pub positions: u64,
    /// Mean of the predicted expectation.
    pub predicted: f64,
    /// Mean of the results.
    pub observed: f64,
}

/// Reads games of self-play, of `datagen` or in PGN with a score before each move's `/` (as `match`
/// and fastchess write them): those to learn from, and one of ten that is held out. `pawn` is the
/// score in centipawns that a PGN shows as 1.00; if it is not given, that of the model in use.
///
/// # Errors
/// If a file cannot be read, or holds no games of self-play.
pub fn read(files: &[impl AsRef<Path>], pawn: Option<i32>) -> Result<[Counts; 2]> {
    let mut counts = [Counts::default(), Counts::default()];
    let mut number = 0_usize;
    for path in files {
        let path = path.as_ref();
        let shown = path.display();
        let file = File::open(path).map_err(|error| anyhow!("{shown}: {error}"))?;
        let mut next = || {
            number += 1;
            usize::from(number.is_multiple_of(10))
        };
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pgn")) {
            let mut reader = Reader::new(BufReader::new(file));
            while let Some(game) = reader
                .read_game(&mut Scores { pawn })
                .map_err(|error| anyhow!("{shown}: {error}"))?
            {
                game.count(&mut counts[next()]);
            }
        } else {
            let mut reader = BlockReader::new(BufReader::new(file))
                .map_err(|error| anyhow!("{shown}: {error}"))?;
            while let Some(block) =
                reader.next_block().map_err(|error| anyhow!("{shown}: {error}"))?
            {
                let games = block.decode().ok_or_else(|| anyhow!("{shown}: a block is damaged"))?;
                for game in &games {
                    counts[next()].add_game(game);
                }
            }
        }
    }
    if counts.iter().any(|part| part.positions == 0) {
        bail!("ten games with scores at least are needed");
    }
    Ok(counts)
}

/// Reads the scores of a PGN's games.
struct Scores {
    pawn: Option<i32>,
}

/// The positions of a game: who is to move, score, material; and how it ended.
struct Scored {
    position: Position,
    /// The position before the last move.
    before: Option<Position>,
    list: Vec<(Color, i32, u32)>,
    /// Half points of White.
    outcome: Option<usize>,
}

impl Scored {
    fn count(&self, counts: &mut Counts) {
        let Some(white) = self.outcome.map(|half_points| 2 - half_points) else { return };
        counts.games += 1;
        for &(color, score, material) in &self.list {
            counts.add(score, material, if color == Color::White { white } else { 2 - white });
        }
    }
}

impl Visitor for Scores {
    type Tags = Option<Position>;
    type Movetext = Scored;
    type Output = Scored;

    fn begin_tags(&mut self) -> ControlFlow<Scored, Self::Tags> {
        ControlFlow::Continue(Some(Position::start()))
    }

    fn tag(
        &mut self,
        tags: &mut Self::Tags,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Scored> {
        if name == b"FEN" {
            *tags = Position::from_fen(&value.decode_utf8_lossy()).ok();
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Scored, Scored> {
        let scored = |position| Scored { position, before: None, list: Vec::new(), outcome: None };
        match tags {
            Some(position) => ControlFlow::Continue(scored(position)),
            // Its moves would be read from another position than it began from.
            None => ControlFlow::Break(scored(Position::start())),
        }
    }

    fn san(&mut self, game: &mut Scored, san: SanPlus) -> ControlFlow<Scored> {
        game.before = game.position.parse_san(&san.to_string()).ok().map(|mv| {
            let before = game.position.clone();
            game.position.play(mv);
            before
        });
        ControlFlow::Continue(())
    }

    fn comment(&mut self, game: &mut Scored, comment: RawComment<'_>) -> ControlFlow<Scored> {
        let text = String::from_utf8_lossy(comment.as_bytes());
        let score = text.split_once('/').and_then(|(score, _)| score.trim().parse::<f64>().ok());
        if let (Some(score), Some(before)) = (score, game.before.take()) {
            let pawn = self.pawn.unwrap_or_else(|| wdl::pawn(&before));
            let score = (score * f64::from(pawn)).round() as i32;
            game.list.push((before.side_to_move(), score, material(&before)));
        }
        ControlFlow::Continue(())
    }

    fn outcome(&mut self, game: &mut Scored, outcome: Outcome) -> ControlFlow<Scored> {
        game.outcome = match outcome.to_string().as_str() {
            "1-0" => Some(2),
            "1/2-1/2" => Some(1),
            "0-1" => Some(0),
            _ => None,
        };
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Scored) -> Scored {
        game
    }
}

/// Model that makes the results of `counts` most likely, by gradient descent (Adam, Kingma & Ba 2014)
/// from `first`. Eight numbers and a convex-looking valley: differences do for the gradient.
pub fn fit(counts: &Counts, first: &Model, steps: usize) -> Model {
    const DECAY: f64 = 0.9;
    const DECAY_SQUARED: f64 = 0.999;
    let of =
        |p: &[f64; 8]| Model { centre: [p[0], p[1], p[2], p[3]], spread: [p[4], p[5], p[6], p[7]] };
    let mut at = [0.0; 8];
    at[..4].copy_from_slice(&first.centre);
    at[4..].copy_from_slice(&first.spread);
    let (mut mean, mut square) = ([0.0; 8], [0.0; 8]);
    for step in 1..=steps {
        let rate = 4.0 * (1.0 - (step - 1) as f64 / steps as f64);
        let mut gradient = [0.0; 8];
        for (index, slope) in gradient.iter_mut().enumerate() {
            let mut aside = at;
            aside[index] += 0.5;
            let above = counts.loss(&of(&aside));
            aside[index] -= 1.0;
            *slope = above - counts.loss(&of(&aside));
        }
        for index in 0..8 {
            let slope = gradient[index];
            mean[index] = DECAY * mean[index] + (1.0 - DECAY) * slope;
            square[index] = DECAY_SQUARED * square[index] + (1.0 - DECAY_SQUARED) * slope * slope;
            let mean = mean[index] / (1.0 - DECAY.powi(step as i32));
            let square = square[index] / (1.0 - DECAY_SQUARED.powi(step as i32));
            at[index] -= rate * mean / (square.sqrt() + 1e-12);
        }
    }
    of(&at)
}

/// The source file that holds the model.
pub fn write_source(model: &Model, made_by: &str) -> String {
    let row = |values: [f64; 4]| values.map(|value| format!("{value:.1}")).join(", ");
    let mut text = String::from("//! The figures of the model. Written by `tune wdl`.\n\n");
    // A string takes everything.
    let _ = writeln!(text, "use super::Model;\n\n/// {made_by}");
    let _ = writeln!(text, "pub(super) const MODEL: Model = Model {{");
    let _ = writeln!(text, "    centre: [{}],", row(model.centre));
    let _ = writeln!(text, "    spread: [{}],\n}};", row(model.spread));
    text
}

/// A picture: centre and spread over material, and what was predicted against what came.
///
/// # Errors
/// If it cannot be drawn.
pub fn svg(model: &Model, bins: &[Bin]) -> Result<String> {
    let mut picture = String::new();
    draw(&mut picture, model, bins).map_err(|error| anyhow!("the picture: {error}"))?;
    Ok(picture)
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

fn draw(picture: &mut String, model: &Model, bins: &[Bin]) -> Drawn {
    let area = SVGBackend::with_string(picture, (900, 400)).into_drawing_area();
    area.fill(&WHITE)?;
    let (left, right) = area.split_horizontally(450);
    let materials = || LEAST_MATERIAL..=MOST_MATERIAL;
    let top = materials().map(|m| model.at(m).0).fold(0.0, f64::max) * 1.1;
    let mut chart = ChartBuilder::on(&left)
        .margin(10)
        .x_label_area_size(35)
        .y_label_area_size(50)
        .build_cartesian_2d(f64::from(LEAST_MATERIAL)..f64::from(MOST_MATERIAL), 0.0..top)?;
    chart.configure_mesh().x_desc("material, in pawns").y_desc("centipawns").draw()?;
    for (index, color, label) in [(0, BLUE, "even chance to win"), (1, RED, "spread")] {
        let points = materials().map(|m| (f64::from(m), <[f64; 2]>::from(model.at(m))[index]));
        chart
            .draw_series(LineSeries::new(points, color))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], color));
    }
    chart.configure_series_labels().border_style(BLACK).background_style(WHITE).draw()?;
    let mut chart = ChartBuilder::on(&right)
        .margin(10)
        .x_label_area_size(35)
        .y_label_area_size(50)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart.configure_mesh().x_desc("predicted expectation").y_desc("observed").draw()?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], BLACK))?;
    let points = bins.iter().filter(|bin| bin.positions > 0);
    chart.draw_series(points.map(|bin| {
        Circle::new((bin.predicted, bin.observed), 4, ShapeStyle::from(BLUE).filled())
    }))?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::SmallRng};

    use super::*;

    #[test]
    fn the_scores_of_a_pgn_are_those_before_the_moves() {
        let text = "1. e4 {book} e5 {-0.50/12 0.1s} 2. Qh5 {+1.00/9 0.1s} Ke7 {-M2/5 0.1s} 3. Qxe5# \
                    {+M1/1 0.1s} 1-0";
        let game = Reader::new(text.as_bytes())
            .read_game(&mut Scores { pawn: Some(200) })
            .unwrap()
            .unwrap();
        assert_eq!(game.outcome, Some(2));
        assert_eq!(game.list, [(Color::Black, -100, 78), (Color::White, 200, 78)]);
    }

    #[test]
    fn a_game_that_begins_from_no_position_teaches_nothing() {
        let text = "[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 {+1.00/9 0.1s} 1-0\n";
        let game =
            Reader::new(text.as_bytes()).read_game(&mut Scores { pawn: None }).unwrap().unwrap();
        assert!(game.list.is_empty() && game.outcome.is_none());
    }

    /// Results drawn from a known model are explained by one that says nearly the same.
    #[test]
    fn the_fit_finds_the_model_that_made_the_results() {
        let truth = Model { centre: [160.0, -40.0, 30.0, 0.0], spread: [60.0, 20.0, 0.0, 0.0] };
        let mut random = SmallRng::seed_from_u64(1);
        let mut counts = Counts::default();
        for _ in 0..200_000 {
            let (score, material) =
                (30 * random.random_range(-20..=20), random.random_range(10..=78));
            let [win, draw, _] = truth.chances(f64::from(score), material);
            let drawn: f64 = random.random();
            let result = usize::from(drawn >= win) + usize::from(drawn >= win + draw);
            counts.add(score, material, result);
        }
        let first = Model { centre: [100.0, 0.0, 0.0, 0.0], spread: [100.0, 0.0, 0.0, 0.0] };
        let fitted = fit(&counts, &first, 200);
        assert!(counts.loss(&fitted) <= counts.loss(&truth) + 1e-4);
        for material in [20, 45, 70] {
            let ((a, b), (c, d)) = (truth.at(material), fitted.at(material));
            assert!((a - c).abs() < 6.0 && (b - d).abs() < 6.0, "{material}: {a} {b}, {c} {d}");
        }
        for bin in counts.calibration(&fitted, 10) {
            assert!((bin.predicted - bin.observed).abs() < 0.02, "{bin:?}");
        }
        assert!(svg(&fitted, &counts.calibration(&fitted, 10)).unwrap().contains("predicted"));
    }
}
