//! Tuning by positions: what short searches give away, by the scores of long ones.
//!
//! A game costs some two hundred searches and tells one of three things. Here every search tells
//! something: its move is looked up among the best moves of a search some forty times as long, and
//! what it falls short of the best of them, as a chance of winning, is its regret. Two builds, two
//! networks or two settings are compared on the same positions. Among our own, 0.001 of mean regret
//! went with 19 Elo at equal nodes, and a minute told what took an hour of games. It is no match:
//! whoever wins here has to show it there.

use std::{
    collections::HashSet,
    fs::{self, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::Path,
    thread,
    time::Duration,
};

use anyhow::{Context, Error, Result, anyhow, bail};
use crossbeam_channel::unbounded;
use parking_lot::Mutex;
use rand::{RngExt, rngs::SmallRng};
use serde::{Deserialize, Serialize};
use tegenspel::{
    chess::{Move, Position, Record, Root, Searcher, Settings},
    engine::{Bound, Info, Limits, Report, Signals},
};

use crate::{
    client::{Client, EngineSpec},
    spsa::{Contest, Trial},
};

/// Centipawns at which the chance of winning is taken to be 0.73.
const SCALE: f64 = 150.0;
/// Beyond these chances a game is decided, and any move as good.
const OPEN: std::ops::Range<f64> = 0.03..0.97;
/// A move that is not among the judged ones is worse than the last of them by at least so much.
const UNKNOWN: f64 = 0.01;
/// Games won less lost, of two, that go with a mean regret of 1: see the figure above.
const PAIRS: f64 = 100.0;
/// Time after which a short search has failed.
const PATIENCE: Duration = Duration::from_mins(1);

/// A position whose best moves are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// The position.
    pub fen: String,
    /// Moves, best first, with their scores in centipawns for the side to move.
    pub moves: Vec<(String, i32)>,
}

fn chance(centipawns: i32) -> f64 {
    1.0 / (1.0 + (-f64::from(centipawns) / SCALE).exp())
}

impl Judged {
    /// Whether it matters which move is played.
    fn is_open(&self) -> bool {
        self.moves.len() > 1 && OPEN.contains(&chance(self.moves[0].1))
    }

    /// The chance of winning that `mv` gives away, 0 to 1.
    pub fn regret(&self, mv: &str) -> f64 {
        let known = self.moves.iter().find(|(name, _)| name == mv);
        let (Some(best), Some(last)) = (self.moves.first(), self.moves.last()) else { return 0.0 };
        match known {
            Some((_, score)) => chance(best.1) - chance(*score),
            None => chance(best.1) - chance(last.1) + UNKNOWN,
        }
    }
}

/// Reads what [`judge`] wrote: the positions where the choice of a move matters.
///
/// # Errors
/// If the file cannot be read, holds a line that is none of these, or no position.
pub fn read(path: &Path) -> Result<Vec<Judged>> {
    let all = lines(path)?;
    let judged: Vec<Judged> = all.into_iter().filter(Judged::is_open).collect();
    if judged.is_empty() {
        bail!("{} holds no position that is open", path.display());
    }
    Ok(judged)
}

fn lines(path: &Path) -> Result<Vec<Judged>> {
    let file = fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    BufReader::new(file)
        .lines()
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_str(&line?)
                .with_context(|| format!("{}, line {}", path.display(), i + 1))
        })
        .collect()
}

/// How positions are judged.
#[derive(Debug, Clone, Copy)]
pub struct Depth {
    /// Nodes of each search.
    pub nodes: u64,
    /// Moves to score.
    pub lines: usize,
    /// Searches at a time.
    pub threads: usize,
}

/// Scores the best moves of each position by a long search of this build and appends them to `out`;
/// positions that are in it already are left out. Calls `told` after each with the number to go.
///
/// # Errors
/// If a position is none, there is no memory, or the file cannot be read or written.
///
/// # Panics
/// If a thread does.
pub fn judge(
    fens: &[String],
    depth: Depth,
    out: &Path,
    told: &(impl Fn(usize) + Sync),
) -> Result<()> {
    let done = if out.exists() { lines(out)? } else { Vec::new() };
    let done: HashSet<&str> = done.iter().map(|judged| judged.fen.as_str()).collect();
    let left = fens.iter().filter(|fen| !done.contains(fen.as_str())).collect::<Vec<_>>();
    let left = Mutex::new(left);
    let file = OpenOptions::new().create(true).append(true).open(out);
    let file = Mutex::new(file.with_context(|| format!("cannot write {}", out.display()))?);
    let work = || -> Result<()> {
        let settings =
            Settings { hash: 64, threads: 1, multi_pv: depth.lines, ..Settings::default() };
        let mut searcher = Searcher::new(&settings).map_err(Error::msg)?;
        loop {
            let (fen, to_go) = {
                let mut left = left.lock();
                let Some(fen) = left.pop() else { return Ok(()) };
                (fen, left.len())
            };
            let judged = Judged { fen: fen.clone(), moves: best_moves(&mut searcher, fen, depth)? };
            writeln!(file.lock(), "{}", serde_json::to_string(&judged)?)?;
            told(to_go);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..depth.threads.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })
}

/// The best moves with the scores of the last iteration that gave them.
fn best_moves(searcher: &mut Searcher, fen: &str, depth: Depth) -> Result<Vec<(String, i32)>> {
    let position = Position::from_fen(fen).map_err(|error| anyhow!("{fen}: {error}"))?;
    let root = Root { record: Record::new(position.clone()), search_moves: Vec::new() };
    let limits = Limits { nodes: Some(depth.nodes), ..Limits::default() };
    let (sender, reports) = unbounded();
    searcher.forget();
    searcher.search(&root, &limits, &Signals::default(), &sender);
    // The newest word on each move: an iteration that was cut short has named some only.
    let mut known = Vec::<Info<Move>>::new();
    for report in reports.try_iter() {
        if let Report::Info(info) = report
            && info.bound == Bound::Exact
            && info.multipv > 0
            && !info.pv.is_empty()
        {
            known.retain(|older| older.pv[0] != info.pv[0]);
            known.push(info);
        }
    }
    known.sort_by_key(|info| std::cmp::Reverse((info.depth, info.score)));
    known.truncate(depth.lines);
    let score = |info: &Info<Move>| info.score * 100 / info.pawn.max(1);
    let mut moves: Vec<(String, i32)> =
        known.iter().map(|info| (position.move_text(info.pv[0], false), score(info))).collect();
    moves.sort_by_key(|(_, score)| -score);
    Ok(moves)
}

/// The regrets of an engine's short searches, `nodes` each, one for every position.
fn regrets<'a>(
    client: &mut Client,
    judged: impl IntoIterator<Item = &'a Judged>,
    nodes: u64,
) -> Result<Vec<f64>> {
    let go = format!("go nodes {nodes}");
    judged
        .into_iter()
        .map(|judged| {
            client.new_game(false)?;
            let thought = client.think(&format!("position fen {}", judged.fen), &go, PATIENCE)?;
            Ok(judged.regret(&thought.best))
        })
        .collect()
}

/// Two engines on the same positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Positions.
    pub positions: usize,
    /// Mean regret of each.
    pub means: [f64; 2],
    /// Share of positions where each played the best move.
    pub agreement: [f64; 2],
    /// Standard error of the difference of the means.
    pub error: f64,
}

impl Comparison {
    fn new(regrets: &[[f64; 2]]) -> Self {
        let n = regrets.len().max(1) as f64;
        let mean = |f: &dyn Fn(&[f64; 2]) -> f64| regrets.iter().map(f).sum::<f64>() / n;
        let means = [0, 1].map(|side| mean(&|pair: &[f64; 2]| pair[side]));
        let agreement =
            [0, 1].map(|side| mean(&|pair: &[f64; 2]| f64::from(u8::from(pair[side] == 0.0))));
        let difference = means[0] - means[1];
        let variance = mean(&|pair: &[f64; 2]| (pair[0] - pair[1] - difference).powi(2));
        Self { positions: regrets.len(), means, agreement, error: (variance / n).sqrt() }
    }
}

/// Compares two engines, `nodes` a search, on `threads` threads.
///
/// # Errors
/// If an engine fails.
///
/// # Panics
/// If a thread does.
pub fn compare(
    engines: &[EngineSpec; 2],
    judged: &[Judged],
    nodes: u64,
    threads: usize,
) -> Result<Comparison> {
    let share = judged.len().div_ceil(threads.max(1)).max(1);
    let work = |part: &[Judged]| -> Result<Vec<[f64; 2]>> {
        let [first, second] = engines.each_ref().map(|spec| -> Result<Vec<f64>> {
            let mut client = Client::start(spec).with_context(|| spec.name.clone())?;
            regrets(&mut client, part, nodes).with_context(|| spec.name.clone())
        });
        Ok(first?.into_iter().zip(second?).map(|(a, b)| [a, b]).collect())
    };
    let parts: Result<Vec<_>> = thread::scope(|scope| {
        let workers: Vec<_> =
            judged.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker does not panic")).collect()
    });
    Ok(Comparison::new(&parts?.concat()))
}

/// Tunes by positions in place of games.
#[derive(Debug)]
pub struct Positions {
    /// The engine, built with the feature `tune`.
    pub engine: EngineSpec,
    /// Where it is asked for moves.
    pub judged: Vec<Judged>,
    /// Nodes of a search.
    pub nodes: u64,
    /// Positions of a step.
    pub batch: usize,
}

impl Contest for Positions {
    fn play(&self, trial: &Trial<'_>, rng: &mut SmallRng) -> Result<f64> {
        let drawn: Vec<&Judged> = (0..self.batch.max(1))
            .map(|_| &self.judged[rng.random_range(..self.judged.len())])
            .collect();
        let mut engines = trial.start(&self.engine)?;
        let [first, second] = engines.each_mut().map(|client| -> Result<f64> {
            Ok(regrets(client, drawn.iter().copied(), self.nodes)?.iter().sum())
        });
        Ok(PAIRS * (second? - first?) / drawn.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(moves: &[(&str, i32)]) -> Judged {
        let moves = moves.iter().map(|&(mv, score)| (mv.to_owned(), score)).collect();
        Judged { fen: String::new(), moves }
    }

    /// The best move costs nothing, a lesser one the difference, one not judged more than any.
    #[test]
    fn regret_grows_with_what_is_given_away() {
        let judged = judged(&[("e2e4", 50), ("d2d4", 20), ("g1f3", -40)]);
        let regrets = ["e2e4", "d2d4", "g1f3", "a2a3"].map(|mv| judged.regret(mv));
        assert!(regrets[0] < 1e-12);
        assert!(regrets.is_sorted() && regrets[3] > regrets[2]);
    }

    #[test]
    fn decided_and_forced_positions_are_left_out() {
        assert!(judged(&[("e2e4", 10), ("d2d4", 0)]).is_open());
        assert!(!judged(&[("e2e4", 900), ("d2d4", 0)]).is_open());
        assert!(!judged(&[("e2e4", 10)]).is_open());
    }

    /// A paired comparison: what both lose alike adds no doubt.
    #[test]
    fn what_is_common_to_both_is_no_error() {
        let regrets: Vec<[f64; 2]> =
            (0..100).map(|i| f64::from(i) / 100.0).map(|r| [r + 0.01, r]).collect();
        let comparison = Comparison::new(&regrets);
        assert!((comparison.means[0] - comparison.means[1] - 0.01).abs() < 1e-12);
        assert!(comparison.error < 1e-9);
    }

    /// The scores are those of real searches, best first, and a second run adds nothing.
    #[test]
    fn positions_are_judged_once() {
        let path = std::env::temp_dir().join(format!("regret-{}.jsonl", std::process::id()));
        let fens = ["4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1".to_owned()];
        let depth = Depth { nodes: 2000, lines: 3, threads: 1 };
        for _ in 0..2 {
            judge(&fens, depth, &path, &|_| ()).unwrap();
        }
        let found = lines(&path).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].moves.len(), 3);
        assert_eq!(found[0].moves[0].0, "e4d5");
        assert!(found[0].moves.is_sorted_by_key(|(_, score)| -score));
    }
}
