//! The signature: fixed positions to a fixed depth, whose node count names a version of the search.

use std::time::{Duration, Instant};

use crossbeam_channel::unbounded;

use super::{
    position::Position,
    record::Record,
    samples::POSITIONS,
    search::{Root, Searcher},
    settings::Settings,
};
use crate::engine::{Limits, Report, Signals};

/// Depth of the signature.
pub const DEPTH: u32 = 12;

/// What a bench measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// Nodes of all positions.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
}

impl Measured {
    /// Nodes per second.
    pub fn nps(self) -> u64 {
        (u128::from(self.nodes) * 1_000_000_000 / self.time.as_nanos().max(1)) as u64
    }
}

/// Searches each position within `limits` (whose start is ignored), from a clean memory, and tells
/// `progress` of each result. Once `signals` say stop, what is left is hardly looked at.
///
/// # Errors
/// If a position cannot be read, or the table cannot be had.
pub fn bench(
    positions: &[impl AsRef<str>],
    settings: &Settings,
    limits: &Limits,
    signals: &Signals,
    progress: &mut impl FnMut(usize, &str, Option<&Report<super::moves::Move>>),
) -> Result<Measured, String> {
    let mut searcher = Searcher::new(settings)?;
    let mut measured = Measured { nodes: 0, time: Duration::ZERO };
    for (index, fen) in positions.iter().enumerate() {
        let fen = fen.as_ref();
        let position = Position::from_fen(fen).map_err(|error| format!("{fen}: {error}"))?;
        let root = Root { record: Record::new(position), search_moves: Vec::new() };
        let (sender, reports) = unbounded();
        let start = Instant::now();
        let limits = Limits { start, ..limits.clone() };
        measured.nodes += searcher.search(&root, &limits, signals, &sender);
        measured.time += start.elapsed();
        let last = reports.try_iter().filter(|report| matches!(report, Report::Info(_))).last();
        progress(index, fen, last.as_ref());
    }
    Ok(measured)
}

/// How fast a number of threads is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speed {
    /// Nodes of all searches, and their time.
    pub measured: Measured,
    /// What a search filled of the table at most, in thousandths.
    pub hashfull: u32,
    /// Longest time from a request to its first line.
    pub first_line: Duration,
}

/// Searches `POSITIONS` one after the other, as in one long game, each for `each`.
///
/// # Errors
/// If the table cannot be had.
pub fn speed(settings: &Settings, each: Duration, signals: &Signals) -> Result<Speed, String> {
    let mut searcher = Searcher::new(settings)?;
    // The pages of the table are the system's to give, once: that is no part of the speed.
    searcher.forget();
    let measured = Measured { nodes: 0, time: Duration::ZERO };
    let mut speed = Speed { measured, hashfull: 0, first_line: Duration::ZERO };
    for fen in POSITIONS {
        if signals.stopped() {
            break;
        }
        let position = Position::from_fen(fen).map_err(|error| format!("{fen}: {error}"))?;
        let root = Root { record: Record::new(position), search_moves: Vec::new() };
        let (sender, reports) = unbounded();
        let start = Instant::now();
        let limits = Limits { start, move_time: Some(each), ..Limits::default() };
        speed.measured.nodes += searcher.search(&root, &limits, signals, &sender);
        speed.measured.time += start.elapsed();
        let lines: Vec<_> = reports
            .try_iter()
            .filter_map(|report| if let Report::Info(info) = report { Some(info) } else { None })
            .collect();
        if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
            speed.first_line = speed.first_line.max(first.time);
            speed.hashfull = speed.hashfull.max(last.hashfull);
        }
    }
    Ok(speed)
}
