//! Positions to learn from, 32 bytes each, in memory.

use std::{
    fs::File,
    io::{self, BufReader},
    path::Path,
};

use rand::{RngExt, SeedableRng, rngs::SmallRng, seq::SliceRandom};
use serde::{Deserialize, Serialize};
use tegenspel::chess::{
    Color, Piece, Position, Square,
    eval::{self, nnue::features},
};

use super::{model::chance, run::Options};
use crate::{
    format::{BlockReader, SelfGame},
    selfplay,
};

/// Which positions of a game are learnt from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Filter {
    /// Plies of a game that are left out: random ones, and those on which they still weigh.
    pub first_ply: usize,
    /// Scores up to this are learnt, in centipawns.
    pub largest_score: i16,
    /// One game of so many is held back.
    pub held_back: u64,
    /// How much of a label is what the search said later in the game, 0 up to 1: the label is the
    /// score with this share of the next position's label ("TD(lambda)", Sutton 1988). Short
    /// searches err at random; their mean over some plies errs less. Of 1,068 positions scored with
    /// 250 nodes the labels explain 0.35 of what 60,000 nodes add to a search of depth 1, with a
    /// share of 0.5 they explain 0.46, of 0.7 0.48, of 0.9 0.41; a share of the result adds nothing.
    pub later: f32,
    /// If not 0: instead of the positions of games, so many near each are learnt, reached by a few
    /// random moves, with this build's static evaluation as their score. So the network takes over
    /// what an evaluation knows ("distillation", Hinton, Vinyals & Dean 2015), before searches
    /// teach it more: such a label costs no search.
    pub near: u32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { first_ply: 10, largest_score: 2500, held_back: 32, later: 0.0, near: 0 }
    }
}

/// One position, turned so that the side to move is White.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    occupied: u64,
    /// Four bits a man, in the order of the squares.
    men: [u8; 16],
    /// What the search said, in centipawns for the side to move.
    pub score: i16,
    /// Half points of the side to move.
    pub result: u8,
    /// Bit 0: the side to move sees the board mirrored. Bit 1: its opponent does.
    mirrored: u8,
}

/// The most men of a sample.
pub const MEN: usize = 32;

impl Sample {
    /// The position with its labels; `None` if there are more men than a game has.
    pub fn new(position: &Position, score: i16, result: u8) -> Option<Self> {
        let us = position.side_to_move();
        let flip = |bits: u64| if us == Color::White { bits } else { bits.swap_bytes() };
        let mut sample = Self {
            occupied: flip(position.occupied().0),
            men: [0; 16],
            score,
            result,
            mirrored: [us, !us]
                .map(|side| u8::from(features::is_mirrored(position.king(side))))
                .into_iter()
                .enumerate()
                .fold(0, |bits, (index, bit)| bits | bit << index),
        };
        if sample.count() > MEN {
            return None;
        }
        let squares = tegenspel::chess::Bitboard(sample.occupied).into_iter();
        for (index, square) in squares.enumerate() {
            let piece = position.piece_on(square.relative_to(us))?;
            let color = if piece.color() == us { Color::White } else { Color::Black };
            let piece = Piece::new(color, piece.kind());
            sample.men[index / 2] |= (piece.index() as u8) << (4 * (index % 2));
        }
        Some(sample)
    }

    /// Men on the board.
    pub const fn count(&self) -> usize {
        self.occupied.count_ones() as usize
    }

    /// The men, the side to move's as White's.
    pub fn men(&self) -> impl Iterator<Item = (Piece, Square)> {
        let squares = tegenspel::chess::Bitboard(self.occupied).into_iter();
        squares.enumerate().map(|(index, square)| {
            let piece = self.men[index / 2] >> (4 * (index % 2)) & 15;
            (Piece::ALL[usize::from(piece)], square)
        })
    }

    /// Writes the inputs that are 1, for the side to move and its opponent; returns their number.
    pub fn inputs(&self, ours: &mut [u16; MEN], theirs: &mut [u16; MEN]) -> usize {
        let mirrored = [self.mirrored & 1 != 0, self.mirrored & 2 != 0];
        for (index, (piece, square)) in self.men().enumerate() {
            ours[index] = features::input(Color::White, mirrored[0], piece, square) as u16;
            theirs[index] = features::input(Color::Black, mirrored[1], piece, square) as u16;
        }
        self.count()
    }
}

/// All positions of a run.
#[derive(Debug)]
pub struct Data {
    /// To learn from.
    pub learnt: Vec<Sample>,
    /// Of games that are not learnt from.
    pub held_back: Vec<Sample>,
    /// What this build's own evaluation says of the positions held back: the mark to beat.
    pub marks: Vec<i16>,
    /// Games read.
    pub games: u64,
    /// Positions with a score, before the filter.
    pub positions: u64,
    random: SmallRng,
}

impl Default for Data {
    fn default() -> Self {
        Self {
            learnt: Vec::new(),
            held_back: Vec::new(),
            marks: Vec::new(),
            games: 0,
            positions: 0,
            random: SmallRng::seed_from_u64(0),
        }
    }
}

/// Mixed labels end here, in centipawns.
const LARGEST_LABEL: i16 = 3000;
/// Random moves to a position near another.
const STEPS: std::ops::RangeInclusive<u32> = 1..=3;

impl Data {
    /// Adds the games of a file. A last block that is still being written is left out.
    ///
    /// # Errors
    /// If it cannot be read, or holds no games.
    pub fn read(&mut self, path: &Path, options: &Options) -> io::Result<()> {
        let mut reader = BlockReader::new(BufReader::new(File::open(path)?))?;
        while let Some(block) = reader.next_block()? {
            let games = block.decode().ok_or_else(|| {
                io::Error::new(io::ErrorKind::InvalidData, "a block is of another format")
            })?;
            for game in &games {
                self.add(game, options);
            }
        }
        Ok(())
    }

    /// Adds the positions of a game.
    pub fn add(&mut self, game: &SelfGame, options: &Options) {
        let filter = &options.filter;
        let held_back = self.games.is_multiple_of(filter.held_back.max(1));
        self.games += 1;
        let mut position = game.start();
        let opening = usize::from(game.opening);
        let labels = labels(&game.scores, filter.later, options.loss_scale);
        for (ply, &mv) in game.moves.iter().enumerate() {
            if let Some(&score) = ply.checked_sub(opening).and_then(|at| game.scores.get(at)) {
                self.positions += 1;
                let wanted = ply >= filter.first_ply
                    && score.unsigned_abs() <= filter.largest_score.unsigned_abs()
                    && selfplay::is_quiet(&position, mv, score);
                let points = game.outcome.half_points() as u8;
                let white = position.side_to_move() == Color::White;
                let label = labels[ply - opening];
                let (label, points) = if white { (label, points) } else { (-label, 2 - points) };
                if filter.near > 0 && !held_back {
                    (0..filter.near).for_each(|_| self.add_near(&position, filter));
                } else if wanted && let Some(sample) = Sample::new(&position, label, points) {
                    if held_back {
                        self.held_back.push(sample);
                        self.marks.push(eval::evaluate(&position) as i16);
                    } else {
                        self.learnt.push(sample);
                    }
                }
            }
            position.play(mv);
        }
    }

    /// Adds a position that random moves lead to from this one, if it has a static evaluation.
    fn add_near(&mut self, position: &Position, filter: &Filter) {
        let mut near = position.clone();
        for _ in 0..self.random.random_range(STEPS) {
            let moves = near.legal_moves();
            if moves.is_empty() {
                return;
            }
            near.play(moves[self.random.random_range(0..moves.len())]);
        }
        let score = eval::evaluate(&near);
        let bare = Color::ALL.iter().any(|&color| !near.by_color(color).has_several());
        if near.in_check() || bare || score.abs() > i32::from(filter.largest_score) {
            return;
        }
        self.learnt.extend(Sample::new(&near, score as i16, 1));
    }
}

/// The labels of a game's positions, whose scores are these (both in centipawns for White): see
/// [`Filter::later`]. Chances are mixed, not scores, so that a mate counts as one point.
fn labels(scores: &[i16], later: f32, scale: f32) -> Vec<i16> {
    if later == 0.0 {
        return scores.to_vec();
    }
    let most = chance(LARGEST_LABEL.into(), scale);
    let mut next = None;
    let mut labels: Vec<i16> = scores
        .iter()
        .rev()
        .map(|&score| {
            let own = chance(score.into(), scale);
            let mixed = next.map_or(own, |next| own + later * (next - own));
            next = Some(mixed);
            let mixed = mixed.clamp(1.0 - most, most);
            ((mixed / (1.0 - mixed)).ln() * scale).round() as i16
        })
        .collect();
    labels.reverse();
    labels
}

/// Puts the samples in the order of an epoch. All earlier epochs must have been shuffled before.
pub fn shuffle(samples: &mut [Sample], seed: u64, epoch: usize) {
    let mut random = SmallRng::seed_from_u64(seed.wrapping_mul(1000).wrapping_add(epoch as u64));
    samples.shuffle(&mut random);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The network must not see who is White.
    #[test]
    fn a_position_and_its_twin_with_colours_exchanged_are_the_same_sample() {
        let white = "r3k2r/pp1q1ppp/2n5/3pP3/1b6/2N2N2/PPP2PPP/R1BQ1RK1 w kq - 0 1";
        let black = "r1bq1rk1/ppp2ppp/2n2n2/1B6/3Pp3/2N5/PP1Q1PPP/R3K2R b KQ - 0 1";
        let sample = |fen| Sample::new(&Position::from_fen(fen).unwrap(), 17, 2).unwrap();
        assert_eq!(sample(white), sample(black));
    }

    #[test]
    fn a_label_is_a_mean_of_the_scores_from_there_on() {
        let scores = [100, -40, 2900, 32_000];
        assert_eq!(labels(&scores, 0.0, 220.0), scores);
        let mixed = labels(&[100, 0, 0], 0.5, 220.0);
        let expected = f32::midpoint(chance(100, 220.0), 0.5);
        assert!((chance(mixed[0].into(), 220.0) - expected).abs() < 0.002, "{mixed:?}");
        assert_eq!(mixed[1..], [0, 0]);
        let mate = labels(&[0, 32_000, -32_000], 0.9, 220.0);
        assert!((-3010..=-2900).contains(&mate[2]) && mate[0] < -250, "{mate:?}");
    }

    #[test]
    fn a_sample_has_the_men_of_its_position() {
        let position = Position::start();
        let sample = Sample::new(&position, 0, 1).unwrap();
        let men: Vec<_> = sample.men().collect();
        assert_eq!(men, eval::nnue::network::men(&position));
    }
}
