//! Runs perft suites: `perft_suite [--max-nodes N] FILE…`.
//!
//! Two formats are read: EPD rows `FEN ;D1 20 ;D2 400`, and `epd FEN` lines followed by
//! `perft DEPTH COUNT` lines. Fails if a count differs or a position is refused.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool")]

use std::{env, fs, process::ExitCode, time::Instant};

use tegenspel::chess::{Position, perft::perft};

/// What a run has seen so far.
#[derive(Default)]
struct Tally {
    rows: u64,
    skipped: u64,
    nodes: u64,
    mismatches: u64,
}

/// One position with its published counts, by depth.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    fen: &'a str,
    counts: Vec<(u32, u64)>,
}

fn main() -> ExitCode {
    let mut max_nodes = u64::MAX;
    let mut files = Vec::new();
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--max-nodes" {
            let Some(limit) = arguments.next().and_then(|text| text.parse().ok()) else {
                eprintln!("--max-nodes wants a number");
                return ExitCode::FAILURE;
            };
            max_nodes = limit;
        } else {
            files.push(argument);
        }
    }
    if files.is_empty() {
        eprintln!("usage: perft_suite [--max-nodes N] FILE…");
        return ExitCode::FAILURE;
    }
    let mut failed = false;
    for file in files {
        match fs::read_to_string(&file) {
            Ok(text) => failed |= run_file(&file, &text, max_nodes),
            Err(error) => {
                eprintln!("{file}: {error}");
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Runs the rows of one file, says what came of it, and returns whether something differed.
fn run_file(name: &str, text: &str, max_nodes: u64) -> bool {
    let mut tally = Tally::default();
    let start = Instant::now();
    for row in rows(text) {
        match Position::from_fen(row.fen) {
            Ok(position) => run_row(&position, &row, max_nodes, &mut tally),
            Err(error) => {
                println!("{}: {error}", row.fen);
                tally.mismatches += 1;
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{name}: {} counts, {} skipped, {} nodes, {} mismatches, {seconds:.1} s, {:.0} M/s",
        tally.rows,
        tally.skipped,
        tally.nodes,
        tally.mismatches,
        tally.nodes as f64 / seconds / 1e6,
    );
    tally.mismatches > 0
}

fn run_row(position: &Position, row: &Row<'_>, max_nodes: u64, tally: &mut Tally) {
    for &(depth, expected) in &row.counts {
        if expected > max_nodes {
            tally.skipped += 1;
            continue;
        }
        let nodes = perft(position, depth);
        tally.rows += 1;
        tally.nodes += nodes;
        if nodes != expected {
            println!("{} depth {depth}: {nodes}, not {expected}", row.fen);
            tally.mismatches += 1;
        }
    }
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
    fn both_formats_are_read() {
        let rows = rows(
            "# no ; row\nid 1\nepd 8/8 w - -\nperft 1 5\nperft 2 7\nK7 b - - ;D1 20 ; D3 9\r\n",
        );
        let first = Row { fen: "8/8 w - -", counts: vec![(1, 5), (2, 7)] };
        let second = Row { fen: "K7 b - -", counts: vec![(1, 20), (3, 9)] };
        assert_eq!(rows, [first, second]);
    }
}
