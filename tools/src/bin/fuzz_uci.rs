//! Feeds an engine random and mutated lines and checks that it lives, answers every `go` once, writes
//! only lines that can be read, and does not grow.
//!
//! usage: `fuzz_uci ENGINE [LINES [SEED]]`

use std::{process::ExitCode, time::Instant};

use protocol::uci::{self, Answer, Command};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use tools::fuzz::{self, Output, Patient, harmless_line, mutate_bytes, mutate_words, noise};

/// Lines between two `isready`: all that is asked for in between is stopped there.
const BLOCK: usize = 200;

/// Well-formed lines to mutate.
const LINES: &[&str] = &[
    "uci",
    "debug on",
    "debug off",
    "isready",
    "ucinewgame",
    "register later",
    "setoption name Hash value 16",
    "setoption name Clear Hash",
    "setoption name Threads value 2",
    "setoption name Threads value 1",
    "setoption name MultiPV value 3",
    "setoption name UCI_Chess960 value true",
    "setoption name UCI_Chess960 value false",
    "setoption name UCI_ShowWDL value true",
    "setoption name Minimal value false",
    "setoption name Move Overhead value 100",
    "position startpos",
    "position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6",
    "position startpos moves f2f3 e7e5 g2g4 d8h4",
    "position fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1 moves e1g1",
    "position fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "position fen 8/8/8/8/8/4k3/4p3/4K3 w - -",
    "position fen k1r5/8/8/PpP5/8/2K5/8/8 w - b6 0 1 moves a5b6",
    "position fen 7k/8/6K1/8/8/8/8/R7 w - - 99 120",
    "position fen R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "go infinite",
    "go ponder wtime 1000 btime 1000 winc 10 binc 10",
    "go wtime 20 btime 30 movestogo 2",
    "go movetime 3",
    "go nodes 300",
    "go depth 3 searchmoves e2e4 d2d4",
    "go mate 2 depth 4",
    "go perft 2",
    "stop",
    "ponderhit",
    "d",
    "eval",
    "flip",
    "compiler",
    "help",
    "xboard",
];

/// Values that break what takes them on trust.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1",
    "255",
    "256",
    "4294967296",
    "99999999999999999999999",
    "1e9",
    "3x",
    "1.5",
    "value",
    "name",
    "moves",
    "fen",
    "startpos",
    "e2e4",
    "e7e8q",
    "e7e8k",
    "0000",
    "a1a1",
    "<empty>",
    "true",
    "8/8/8/8/8/8/8/8",
    "KQkq",
    "w",
    "-",
    "\u{feff}",
    "é",
    "\0",
];

fn main() -> ExitCode {
    fuzz::main("fuzz_uci", fuzz)
}

fn fuzz(engine: &str, lines: usize, seed: u64) -> Result<String, String> {
    let mut patient = Patient::start(engine, &[])?;
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut searches, mut best_moves) = (0, 0);
    // An engine of several protocols goes by the first line: no line of chance may be that.
    patient.treat(b"uci\nisready\n", |output| listen(output, &mut best_moves, 1))?;
    let start = Instant::now();
    for block in 0..lines.div_ceil(BLOCK) {
        let mut bytes = Vec::new();
        let mut ready = 1;
        for _ in 0..BLOCK.min(lines - block * BLOCK) {
            let line = harmless_line(&mut random, candidate, is_harmless);
            match uci::parse(&uci::decode(&line)) {
                Ok(Command::Go(go)) if go.perft.is_none() => searches += 1,
                Ok(Command::IsReady) => ready += 1,
                _ => {}
            }
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(b"stop\nisready\n");
        patient
            .treat(&bytes, |output| {
                listen(output, &mut best_moves, ready)?;
                // Every search has been stopped: each is to be answered, once.
                while best_moves < searches {
                    listen(output, &mut best_moves, 0)?;
                }
                if best_moves == searches { Ok(()) } else { Err("too many answers".to_owned()) }
            })
            .map_err(|fault| format!("block {block}: {fault}"))?;
    }
    let (heard, early, late) = patient.dismiss()?;
    Ok(format!(
        "{lines} lines, {searches} searches, {heard} lines heard in {:.0} s; memory {early} to {late} MiB",
        start.elapsed().as_secs_f64()
    ))
}

/// Reads until `ready` times `readyok`, or a single line if 0 are awaited.
fn listen(output: &mut Output, best_moves: &mut u64, mut ready: usize) -> Result<(), String> {
    loop {
        let line = output.next(|| format!("{ready} readyok"))?;
        *best_moves += u64::from(check(&line)?);
        if line == "readyok" {
            ready = ready.saturating_sub(1);
        }
        if ready == 0 {
            return Ok(());
        }
    }
}

/// Whether a line is well formed, and answers a search.
fn check(line: &str) -> Result<bool, String> {
    if line.chars().any(char::is_control) {
        return Err(format!("control character in {line:?}"));
    }
    let first = line.split(' ').next().unwrap_or_default();
    if !["id", "option", "uciok", "readyok", "info", "bestmove"].contains(&first) {
        return Ok(false); // a text for people: the board, help
    }
    match Answer::parse(line) {
        Ok(answer) if answer.to_string() != line => Err(format!("{line:?} is read as {answer}")),
        Ok(answer) => Ok(matches!(answer, Answer::BestMove { .. })),
        Err(error) => Err(format!("{line:?}: {error}")),
    }
}

/// Whether a line neither ends the program nor keeps it busy beyond a `stop`, nor writes files.
fn is_harmless(line: &[u8], random: &mut SmallRng) -> bool {
    let Ok(command) = uci::parse(&uci::decode(line)) else { return true };
    match command {
        Command::Quit | Command::Bench(_) | Command::SpeedTest(_) | Command::Threat(_) => false,
        Command::NewGame => random.random_ratio(1, 10),
        Command::SetOption { name, value } => {
            let value = value.as_deref().unwrap_or_default().parse().unwrap_or(0);
            match name.to_ascii_lowercase().as_str() {
                "debug log file" | "hashfile" | "save hash" => false,
                "hash" => value <= 16,
                "threads" => value <= 2,
                "clear hash" => random.random_ratio(1, 10),
                _ => true,
            }
        }
        _ => true,
    }
}

fn candidate(random: &mut SmallRng) -> Vec<u8> {
    let base = LINES[random.random_range(0..LINES.len())];
    match random.random_range(0..10) {
        0 | 1 => base.as_bytes().to_vec(),
        2 => noise(random),
        3 => {
            let mut any = || match random.random_range(0..3) {
                0 => WORDS[random.random_range(0..WORDS.len())],
                _ => LINES[random.random_range(0..LINES.len())],
            };
            [any(), any(), any(), any()].join(" ").into_bytes()
        }
        4..=6 => mutate_words(base, WORDS, random),
        _ => mutate_bytes(base, random),
    }
}
