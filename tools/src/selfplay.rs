//! Self-play of our own engine inside this process, for data to learn from.
//!
//! A game depends on the settings and its number alone, whatever thread plays it: the engine
//! forgets everything between games. Blocks of games are written in order, so two runs of one seed
//! give equal files, and an interrupted run goes on behind the last whole block.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use serde::{Deserialize, Serialize};
use tegenspel::{
    chess::{Color, Move, Position, Record, Root, Searcher, Settings, score::is_decisive},
    engine::{Bound, Limits, Report, Signals},
};

use crate::{
    elo::Outcome,
    format::{self, SelfGame, USUAL_ARRAY},
};

/// All that decides the games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Each seed gives other games.
    pub seed: u64,
    /// Nodes after which no new iteration begins.
    pub soft_nodes: u64,
    /// Nodes at which a search is cut off.
    pub hard_nodes: u64,
    /// Random moves at the start; every other game has one more, so that both sides begin.
    pub opening: u8,
    /// Worst start accepted, in centipawns for either side.
    pub balance: i32,
    /// Games of a thousand that start from Chess960 arrays, the same for both sides.
    pub chess960: u32,
    /// Games of a thousand that start from two different arrays.
    pub double: u32,
    /// A win when the score is at least this for `win_plies` plies in a row, in centipawns.
    pub win_score: i32,
    /// See `win_score`.
    pub win_plies: u32,
    /// A draw when, from ply 80 on, the score is at most this for `draw_plies` plies in a row.
    pub draw_score: i32,
    /// See `draw_score`.
    pub draw_plies: u32,
    /// Games in a block.
    pub block: u64,
}

/// Plies before which no draw is agreed.
const FIRST_DRAW: usize = 80;
/// Longest game, in plies; it counts as drawn.
const LONGEST: usize = 500;

impl Default for Recipe {
    fn default() -> Self {
        Self {
            seed: 1,
            soft_nodes: 400,
            hard_nodes: 4000,
            opening: 8,
            balance: 500,
            chess960: 100,
            double: 100,
            win_score: 2500,
            win_plies: 4,
            draw_score: 5,
            draw_plies: 12,
            block: 64,
        }
    }
}

/// Random numbers that are the same everywhere, for ever (Steele, Lea & Flood 2014, "Fast
/// splittable pseudorandom number generators").
#[derive(Debug)]
struct SplitMix(u64);

impl SplitMix {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is small: the bias is below `n / 2^64`.
    fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

/// One thread's engine.
#[derive(Debug)]
pub struct Player {
    searcher: Searcher,
    signals: Signals,
    sender: Sender<Report<Move>>,
    reports: Receiver<Report<Move>>,
}

impl Player {
    /// A player with an empty memory.
    ///
    /// # Errors
    /// If there is no memory for its table.
    pub fn new() -> Result<Self, String> {
        // A game has some 100,000 nodes; a table of 2 MiB holds them, and is soon emptied.
        let settings = Settings { hash: 2, threads: 1, ..Settings::default() };
        let (sender, reports) = unbounded();
        let searcher = Searcher::new(&settings)?;
        Ok(Self { searcher, signals: Signals::default(), sender, reports })
    }

    /// The best move and its score for the side to move, that of the last iteration that was finished;
    /// `None` if there is no legal move.
    fn think(&mut self, record: &Record, recipe: &Recipe) -> Option<(Move, i32)> {
        let limits = Limits {
            nodes: Some(recipe.hard_nodes),
            soft_nodes: Some(recipe.soft_nodes),
            ..Limits::default()
        };
        let root = Root { record: record.clone(), search_moves: Vec::new() };
        self.searcher.search(&root, &limits, &self.signals, &self.sender);
        let (mut score, mut best) = (0, None);
        for report in self.reports.try_iter() {
            if let Report::Info(info) = report {
                if info.bound == Bound::Exact {
                    score = info.score;
                }
            } else if let Report::Done { best: mv, .. } = report {
                best = mv;
            }
        }
        best.map(|mv| (mv, score))
    }

    /// Plays the game with this number.
    pub fn play(&mut self, recipe: &Recipe, number: u64) -> SelfGame {
        // The seed is mixed before the number is added: games of near seeds do not overlap.
        let mut random = SplitMix(SplitMix(recipe.seed).next() ^ number);
        random.0 = random.next();
        loop {
            self.searcher.forget();
            let (arrays, mut record) = start(recipe, number, &mut random);
            let opening = record.moves().len() as u8;
            let Some((_, score)) = self.think(&record, recipe) else { continue };
            if score.abs() > recipe.balance {
                continue;
            }
            let (scores, outcome) = self.finish(recipe, &mut record);
            if !scores.is_empty() {
                return SelfGame {
                    arrays,
                    opening,
                    moves: record.moves().to_vec(),
                    scores,
                    outcome,
                };
            }
        }
    }

    fn finish(&mut self, recipe: &Recipe, record: &mut Record) -> (Vec<i16>, Outcome) {
        let mut scores = Vec::new();
        let (mut winning, mut losing, mut level) = (0, 0, 0);
        loop {
            if let Some(outcome) = ended(record) {
                return (scores, outcome);
            }
            let Some((mv, score)) = self.think(record, recipe) else {
                return (scores, Outcome::Draw);
            };
            let white = record.position().side_to_move() == Color::White;
            let score = if white { score } else { -score };
            scores.push(score as i16); // scores end at 32,001
            record.push(mv);
            let count = |count: u32, holds: bool| if holds { count + 1 } else { 0 };
            winning = count(winning, score >= recipe.win_score);
            losing = count(losing, score <= -recipe.win_score);
            let late = record.moves().len() >= FIRST_DRAW;
            level = count(level, late && score.abs() <= recipe.draw_score);
            let decided = |plies: u32| plies >= recipe.win_plies || is_decisive(score) && plies > 1;
            if decided(winning) {
                return (scores, Outcome::Win);
            }
            if decided(losing) {
                return (scores, Outcome::Loss);
            }
            if level >= recipe.draw_plies || record.moves().len() >= LONGEST {
                return (scores, Outcome::Draw);
            }
        }
    }
}

/// The outcome by the laws of chess, draws claimed at once.
fn ended(record: &Record) -> Option<Outcome> {
    let position = record.position();
    if record.is_checkmate() {
        let white = position.side_to_move() == Color::White;
        return Some(if white { Outcome::Loss } else { Outcome::Win });
    }
    let drawn = record.is_stalemate()
        || record.is_threefold()
        || record.is_fifty_moves()
        || position.has_insufficient_material();
    drawn.then_some(Outcome::Draw)
}

fn start(recipe: &Recipe, number: u64, random: &mut SplitMix) -> ([u16; 2], Record) {
    let plies = usize::from(recipe.opening) + (number % 2) as usize;
    let kind = random.below(1000) as u32;
    loop {
        let white = random.below(960) as u16;
        let arrays = if kind < recipe.double {
            [white, random.below(960) as u16]
        } else if kind < recipe.double + recipe.chess960 {
            [white; 2]
        } else {
            [USUAL_ARRAY; 2]
        };
        let mut record = Record::new(format::start(arrays));
        if play_random(&mut record, plies, random) {
            return (arrays, record);
        }
    }
}

/// False if the game ended on the way.
fn play_random(record: &mut Record, plies: usize, random: &mut SplitMix) -> bool {
    for _ in 0..plies {
        let moves = format::ordered_moves(record.position());
        if moves.is_empty() {
            return false;
        }
        record.push(moves[random.below(moves.len())]);
    }
    !record.position().legal_moves().is_empty()
}

/// What a run has done so far.
#[derive(Debug, Default)]
pub struct Progress {
    /// Games finished by any thread.
    pub games: AtomicU64,
    /// Positions with a score.
    pub positions: AtomicU64,
    /// Set it to end the run behind the blocks now being played.
    pub stop: AtomicBool,
}

/// Plays blocks `first..last` on `threads` threads and writes them in order.
///
/// # Errors
/// If the output does not take a block, or there is no memory for the players.
pub fn run(
    recipe: &Recipe,
    (first, last): (u64, u64),
    threads: usize,
    progress: &Progress,
    output: &mut impl Write,
) -> io::Result<()> {
    let players: Result<Vec<Player>, String> = (0..threads.max(1)).map(|_| Player::new()).collect();
    let players = players.map_err(io::Error::other)?;
    let next = AtomicU64::new(first);
    // Bounded: a thread that runs ahead of a slow block waits here.
    let (sender, blocks) = bounded(4 * threads.max(1));
    thread::scope(|scope| {
        for mut player in players {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while !progress.stop.load(Relaxed) {
                    let block = next.fetch_add(1, Relaxed);
                    if block >= last {
                        break;
                    }
                    let games = play_block(&mut player, recipe, block, progress);
                    if sender.send((block, games)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let written = write_in_order(&blocks, first, output);
        progress.stop.store(true, Relaxed);
        drop(blocks);
        written
    })
}

fn play_block(
    player: &mut Player,
    recipe: &Recipe,
    block: u64,
    progress: &Progress,
) -> Vec<SelfGame> {
    (block * recipe.block..(block + 1) * recipe.block)
        .map(|number| {
            let game = player.play(recipe, number);
            progress.games.fetch_add(1, Relaxed);
            progress.positions.fetch_add(game.scores.len() as u64, Relaxed);
            game
        })
        .collect()
}

fn write_in_order(
    blocks: &Receiver<(u64, Vec<SelfGame>)>,
    first: u64,
    output: &mut impl Write,
) -> io::Result<()> {
    let mut waiting = BTreeMap::new();
    let mut next = first;
    for (number, games) in blocks {
        waiting.insert(number, games);
        while let Some(games) = waiting.remove(&next) {
            format::write_block(output, &games)?;
            output.flush()?;
            next += 1;
        }
    }
    Ok(())
}

/// Whether a position is worth learning from: quiet, not in check, no mate in sight.
pub fn is_quiet(position: &Position, mv: Move, score: i16) -> bool {
    !position.in_check() && !mv.is_capture() && mv.promotion().is_none() && score.abs() < 3000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quick() -> Recipe {
        Recipe { soft_nodes: 20, hard_nodes: 200, block: 2, ..Recipe::default() }
    }

    fn file(threads: usize, ranges: &[(u64, u64)]) -> Vec<u8> {
        let mut output = Vec::new();
        for &range in ranges {
            run(&quick(), range, threads, &Progress::default(), &mut output).unwrap();
        }
        output
    }

    #[test]
    fn a_seed_gives_the_same_file_on_any_number_of_threads_and_after_any_interruption() {
        let whole = file(1, &[(0, 4)]);
        assert_eq!(file(3, &[(0, 4)]), whole);
        assert_eq!(file(2, &[(0, 1), (1, 4)]), whole);
    }

    #[test]
    fn games_are_different_from_each_other() {
        let mut player = Player::new().unwrap();
        let games: Vec<SelfGame> = (0..4).map(|number| player.play(&quick(), number)).collect();
        assert!(games.windows(2).all(|pair| pair[0].moves != pair[1].moves));
    }
}
