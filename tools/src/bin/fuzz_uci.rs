//! Feeds an engine random and mutated lines and checks that it lives, answers every `go` once, writes
//! only lines that can be read, and does not grow.
//!
//! usage: `fuzz_uci ENGINE [LINES [SEED]]`

#![expect(clippy::print_stdout, reason = "a tool reports on standard output")]

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Write},
    process::{ChildStdout, Command as Process, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use protocol::uci::{self, Answer, Command};
use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};

/// Lines between two `isready`: all that is asked for in between is stopped there.
const BLOCK: usize = 200;

/// An engine that is silent for so long has hung.
const PATIENCE: Duration = Duration::from_mins(1);

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
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(engine) = arguments.first() else {
        println!("usage: fuzz_uci ENGINE [LINES [SEED]]");
        return ExitCode::FAILURE;
    };
    let number = |index: usize, default| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (lines, seed) = (number(1, 100_000), number(2, 1));
    match fuzz(engine, lines as usize, seed) {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(fault) => {
            println!("FAULT (seed {seed}): {fault}");
            ExitCode::FAILURE
        }
    }
}

/// What the engine has said so far, as far as it can be counted.
#[derive(Debug, Default)]
struct Heard {
    lines: u64,
    best_moves: u64,
}

fn fuzz(engine: &str, lines: usize, seed: u64) -> Result<String, String> {
    let text = |error: io::Error| error.to_string();
    let mut process =
        Process::new(engine).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(text)?;
    let mut input = process.stdin.take().ok_or("no input")?;
    let output = lines_of(process.stdout.take().ok_or("no output")?);
    let mut random = SmallRng::seed_from_u64(seed);
    let mut heard = Heard::default();
    let mut searches = 0;
    let mut memory = Vec::new();
    let start = Instant::now();
    for block in 0..lines.div_ceil(BLOCK) {
        let mut bytes = Vec::new();
        let mut ready = 1;
        for _ in 0..BLOCK.min(lines - block * BLOCK) {
            let line = line(&mut random);
            match uci::parse(&uci::decode(&line)) {
                Ok(Command::Go(go)) if go.perft.is_none() => searches += 1,
                Ok(Command::IsReady) => ready += 1,
                _ => {}
            }
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(b"stop\nisready\n");
        // The engine reads while it writes, or this hangs: a block is larger than a pipe holds.
        let said = thread::scope(|scope| {
            let writer = scope.spawn(|| input.write_all(&bytes).and_then(|()| input.flush()));
            let said = listen(&output, &mut heard, ready);
            writer.join().map_err(|_| "writer".to_owned())?.map_err(text)?;
            said?;
            // Every search has been stopped: each is to be answered, once.
            while heard.best_moves < searches {
                listen(&output, &mut heard, 0)?;
            }
            if heard.best_moves == searches { Ok(()) } else { Err("too many answers".to_owned()) }
        });
        said.map_err(|fault| {
            format!("block {block}: {fault}\n{}", String::from_utf8_lossy(&bytes))
        })?;
        memory.push(resident(process.id()));
    }
    input.write_all(b"quit\n").map_err(text)?;
    let status = process.wait().map_err(text)?;
    if !status.success() {
        return Err(format!("exit: {status}"));
    }
    let early = memory.get(memory.len() / 5).copied().unwrap_or_default();
    let late = memory.last().copied().unwrap_or_default();
    if late > early + 32 {
        return Err(format!("memory grew from {early} to {late} MiB"));
    }
    Ok(format!(
        "{lines} lines, {searches} searches, {} lines heard in {:.0} s; memory {early} to {late} MiB",
        heard.lines,
        start.elapsed().as_secs_f64()
    ))
}

/// Lines with their ends, read by a thread: a silent engine is to be noticed.
fn lines_of(stdout: ChildStdout) -> Receiver<Vec<u8>> {
    let (sender, lines) = bounded(1024);
    thread::spawn(move || {
        let mut output = BufReader::new(stdout);
        loop {
            let mut line = Vec::new();
            match output.read_until(b'\n', &mut line) {
                Ok(1..) if sender.send(line).is_ok() => {}
                _ => break,
            }
        }
    });
    lines
}

/// Reads until `ready` times `readyok`, or a single line if 0 are awaited.
fn listen(output: &Receiver<Vec<u8>>, heard: &mut Heard, mut ready: usize) -> Result<(), String> {
    loop {
        let bytes = output.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("silence, {ready} readyok awaited"),
            RecvTimeoutError::Disconnected => "the engine is gone".to_owned(),
        })?;
        heard.lines += 1;
        let line = String::from_utf8(bytes).map_err(|_| "output is not UTF-8")?;
        let line = line.strip_suffix('\n').ok_or("a line without an end")?;
        check(line, heard)?;
        if line == "readyok" {
            ready = ready.saturating_sub(1);
        }
        if ready == 0 {
            return Ok(());
        }
    }
}

fn check(line: &str, heard: &mut Heard) -> Result<(), String> {
    if line.chars().any(char::is_control) {
        return Err(format!("control character in {line:?}"));
    }
    let first = line.split(' ').next().unwrap_or_default();
    if !["id", "option", "uciok", "readyok", "info", "bestmove"].contains(&first) {
        return Ok(()); // a text for people: the board, help
    }
    match Answer::parse(line) {
        Ok(answer) if answer.to_string() != line => Err(format!("{line:?} is read as {answer}")),
        Ok(Answer::BestMove { .. }) => {
            heard.best_moves += 1;
            Ok(())
        }
        Ok(_) => Ok(()),
        Err(error) => Err(format!("{line:?}: {error}")),
    }
}

/// A line that neither ends the program nor keeps it busy beyond a `stop`, nor writes files.
fn line(random: &mut SmallRng) -> Vec<u8> {
    loop {
        let line = candidate(random);
        let harmless = match uci::parse(&uci::decode(&line)) {
            Ok(Command::Quit | Command::Bench(_) | Command::SpeedTest(_) | Command::Threat(_)) => {
                false
            }
            Ok(Command::NewGame) => random.random_ratio(1, 10),
            Ok(Command::SetOption { name, value }) => {
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
        };
        if harmless && !line.contains(&b'\n') {
            return line;
        }
    }
}

fn candidate(random: &mut SmallRng) -> Vec<u8> {
    let base = LINES[random.random_range(0..LINES.len())];
    match random.random_range(0..10) {
        0 | 1 => base.as_bytes().to_vec(),
        2 => (0..random.random_range(0..200)).map(|_| random.random()).collect(),
        3 => {
            let mut any = || match random.random_range(0..3) {
                0 => WORDS[random.random_range(0..WORDS.len())],
                _ => LINES[random.random_range(0..LINES.len())],
            };
            [any(), any(), any(), any()].join(" ").into_bytes()
        }
        4..=6 => mutate_words(base, random),
        _ => mutate_bytes(base, random),
    }
}

fn mutate_words(base: &str, random: &mut SmallRng) -> Vec<u8> {
    let mut words: Vec<&str> = base.split(' ').collect();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..words.len());
        let word = WORDS[random.random_range(0..WORDS.len())];
        match random.random_range(0..4) {
            0 => words[at] = word,
            1 => words.insert(at, word),
            2 if words.len() > 1 => drop(words.remove(at)),
            _ => words.insert(at, words[at]),
        }
    }
    words.join(" ").into_bytes()
}

fn mutate_bytes(base: &str, random: &mut SmallRng) -> Vec<u8> {
    let mut bytes = base.as_bytes().to_vec();
    for _ in 0..random.random_range(1..4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..5) {
            0 => bytes[at] = (random.next_u32() & 0xff) as u8,
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, random.random_range(b' '..b'~')),
            3 => bytes.truncate(at),
            _ => bytes.swap(at, 0),
        }
    }
    bytes
}

/// Resident memory of a process in MiB; 0 where the system does not tell.
fn resident(process: u32) -> u64 {
    let pages = fs::read_to_string(format!("/proc/{process}/statm"))
        .ok()
        .and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok())
        .unwrap_or(0);
    (pages * 4096) >> 20
}
