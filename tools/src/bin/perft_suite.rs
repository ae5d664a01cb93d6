//! Runs perft suites: `perft_suite [--max-nodes N] FILE…`.
//!
//! Two formats are read: EPD rows `FEN ;D1 20 ;D2 400`, and `epd FEN` lines followed by
//! `perft DEPTH COUNT` lines. Fails if a count differs, a position is refused, or a file has no
//! count.

use std::{env, fs, io, time::Instant};

use anyhow::{Context, Result, bail};
use tegenspel::chess::{Position, perft::perft};
use tools::output::{quietly, say};

/// What a run has seen so far.
#[derive(Default)]
struct Tally {
    rows: u64,
    skipped: u64,
    nodes: u64,
    mismatches: u64,
}

impl Tally {
    /// A file without a count agrees with nothing.
    const fn is_wrong(&self) -> bool {
        self.mismatches > 0 || self.rows + self.skipped == 0
    }
}

/// One position with its published counts, by depth.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    fen: &'a str,
    counts: Vec<(u32, u64)>,
}

fn main() -> Result<()> {
    quietly(run())
}

fn run() -> Result<()> {
    let mut max_nodes = u64::MAX;
    let mut files = Vec::new();
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--max-nodes" {
            let limit = arguments.next().and_then(|text| text.parse().ok());
            max_nodes = limit.context("--max-nodes wants a number")?;
        } else {
            files.push(argument);
        }
    }
    if files.is_empty() {
        bail!("usage: perft_suite [--max-nodes N] FILE…");
    }
    let mut failed = false;
    for file in files {
        match fs::read_to_string(&file) {
            Ok(text) => failed |= run_file(&file, &text, max_nodes)?,
            Err(error) => {
                say(format_args!("{file}: {error}"))?;
                failed = true;
            }
        }
    }
    if failed {
        bail!("not everything agrees");
    }
    Ok(())
}

/// Runs the rows of one file, says what came of it, and returns whether something is wrong.
fn run_file(name: &str, text: &str, max_nodes: u64) -> io::Result<bool> {
    let mut tally = Tally::default();
    let start = Instant::now();
    for row in rows(text) {
        match Position::from_fen(row.fen) {
            Ok(position) => run_row(&position, &row, max_nodes, &mut tally)?,
            Err(error) => {
                say(format_args!("{}: {error}", row.fen))?;
                tally.mismatches += 1;
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    say(format_args!(
        "{name}: {} counts, {} skipped, {} nodes, {} mismatches, {seconds:.1} s, {:.0} M/s",
        tally.rows,
        tally.skipped,
        tally.nodes,
        tally.mismatches,
        tally.nodes as f64 / seconds / 1e6,
    ))?;
    Ok(tally.is_wrong())
}

fn run_row(
    position: &Position,
    row: &Row<'_>,
    max_nodes: u64,
    tally: &mut Tally,
) -> io::Result<()> {
    for &(depth, expected) in &row.counts {
        if expected > max_nodes {
            tally.skipped += 1;
            continue;
        }
        let nodes = perft(position, depth);
        tally.rows += 1;
        tally.nodes += nodes;
        if nodes != expected {
            say(format_args!("{} depth {depth}: {nodes}, not {expected}", row.fen))?;
            tally.mismatches += 1;
        }
    }
    Ok(())
}

/// The rows of a file in either format.
fn rows(text: &str) -> Vec<Row<'_>> {
    let mut rows: Vec<Row<'_>> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(fen) = line.strip_prefix("epd ") {
            rows.push(Row { fen, counts: Vec::new() });
        } else if let Some(count) = line.strip_prefix("perft ") {
            if let Some(row) = rows.last_mut() {
                row.counts.extend(depth_and_count(count));
            }
        } else if line.contains(';') && !line.starts_with('#') {
            let mut parts = line.split(';').map(str::trim);
            let fen = parts.next().unwrap_or_default();
            let counts = parts.filter_map(|part| depth_and_count(part.strip_prefix('D')?));
            rows.push(Row { fen, counts: counts.collect() });
        }
    }
    rows
}

fn depth_and_count(text: &str) -> Option<(u32, u64)> {
    let (depth, count) = text.split_once(' ')?;
    Some((depth.parse().ok()?, count.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_a_count_is_wrong() {
        assert!(Tally::default().is_wrong());
        assert!(!Tally { skipped: 1, ..Tally::default() }.is_wrong());
        assert!(Tally { rows: 1, mismatches: 1, ..Tally::default() }.is_wrong());
    }

    #[test]
    fn both_formats_are_read() {
        let rows = rows(
            "# no ; row\nid 1\nepd 8/8 w - -\nperft 1 5\nperft 2 7\nK7 b - - ;D1 20 ; D3 9\r\n",
        );
        let first = Row { fen: "8/8 w - -", counts: vec![(1, 5), (2, 7)] };
        let second = Row { fen: "K7 b - -", counts: vec![(1, 20), (3, 9)] };
        assert_eq!(rows, [first, second]);
    }
}
