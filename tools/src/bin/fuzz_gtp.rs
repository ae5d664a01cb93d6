//! Feeds a go engine random and mutated lines and checks that it lives, answers every command once and in
//! order, writes only well-formed responses, and does not grow.
//!
//! usage: `fuzz_gtp ENGINE [LINES [SEED]]`; the engine is started with few playouts a move.

#![expect(clippy::print_stdout, reason = "a tool reports on standard output")]

use std::{
    collections::VecDeque,
    env, fs,
    io::{self, BufRead, BufReader, Write},
    process::{ChildStdout, Command as Process, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use protocol::gtp;
use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};

/// Lines sent before all their answers are awaited.
const BLOCK: usize = 500;

/// An engine that is silent for so long has hung.
const PATIENCE: Duration = Duration::from_mins(2);

/// Growth of memory in MiB that is no leak.
const GROWTH: u64 = 32;

/// Well-formed lines to mutate.
const LINES: &[&str] = &[
    "protocol_version",
    "name",
    "version",
    "list_commands",
    "known_command play",
    "boardsize 5",
    "boardsize 3",
    "boardsize 7",
    "boardsize 25",
    "rectangular_boardsize 5 5",
    "clear_board",
    "komi 6.5",
    "komi -3",
    "get_komi",
    "play b C3",
    "play w D4",
    "play B a1",
    "play white b1",
    "play black pass",
    "black B2",
    "white C4",
    "undo",
    "gg-undo 2",
    "genmove b",
    "genmove w",
    "reg_genmove b",
    "genmove_white",
    "kgs-genmove_cleanup w",
    "lz-genmove_analyze b 10",
    "kata-genmove_analyze w interval 5 ownership true",
    "genmove_analyze b 3",
    "kata-search b",
    "kata-search_cancellable w",
    "kata-search_analyze_cancellable b interval 1",
    "lz-analyze b 2",
    "kata-analyze interval 1 rootInfo true ownership true pvVisits true",
    "kata-analyze w 1 avoid w A1,B2,pass 3 allow b C3 1 minmoves 2 maxmoves 4",
    "analyze 5",
    "fixed_handicap 2",
    "place_free_handicap 3",
    "set_free_handicap A1 C3",
    "time_settings 60 10 5",
    "time_settings 0 0 0",
    "time_settings 1 1 0",
    "time_left b 10.5 0",
    "time_left w -3 2",
    "kgs-time_settings byoyomi 10 5 3",
    "kgs-time_settings canadian 0 10 5",
    "kgs-time_settings none",
    "kata-time_settings fischer 60 1.5",
    "kata-list_time_settings",
    "final_score",
    "final_status_list dead",
    "final_status_list seki",
    "final_status C3",
    "showboard",
    "list_stones b",
    "all_legal w",
    "is_legal b A1",
    "captures w",
    "move_history",
    "unconditional_status b",
    "kgs-rules japanese",
    "kata-set-rules tromp-taylor",
    "kata-set-rules {\"ko\":\"POSITIONAL\",\"scoring\":\"AREA\",\"suicide\":true}",
    "kata-set-rule suicide false",
    "kata-get-rules",
    "kata-get-param maxPlayouts",
    "kata-get-params",
    "kata-set-param ponderingEnabled true",
    "kata-set-params {\"allowResignation\":\"false\"}",
    "set_position b A1 w C3",
    "gogui-setup b A1 w B2",
    "gogui-setup_player w",
    "gogui-play_sequence b A1 w B2 b C3",
    "gogui-analyze_commands",
    "gogui-interrupt",
    "kgs-game_over",
    "cgos-gameover",
    "clear_cache",
    "printsgf",
    "loadsgf /nowhere.sgf 3",
    "set_random_seed 3",
    "cputime",
    "level 10",
    "stop",
    "# interrupt",
    "",
];

/// Values that break what takes them on trust.
const WORDS: &[&str] = &[
    "0",
    "-1",
    "1",
    "255",
    "4294967296",
    "1e99",
    "nan",
    "inf",
    "3x",
    "1.5",
    "b",
    "W",
    "black",
    "pass",
    "resign",
    "A1",
    "I5",
    "Z25",
    "z26",
    "T0",
    "interval",
    "avoid",
    "allow",
    "true",
    "{",
    "}",
    "\"",
    ":",
    "#",
    "\u{feff}",
    "\u{e9}",
    "\0",
    "\t",
    "=",
    "?",
    "7",
    "00012",
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(engine) = arguments.first() else {
        println!("usage: fuzz_gtp ENGINE [LINES [SEED]]");
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

fn fuzz(engine: &str, lines: usize, seed: u64) -> Result<String, String> {
    let text = |error: io::Error| error.to_string();
    let mut process = Process::new(engine)
        .args(["gtp", "--playouts", "4", "--size", "5", "--memory", "16"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(text)?;
    let mut input = process.stdin.take().ok_or("no input")?;
    let output = lines_of(process.stdout.take().ok_or("no output")?);
    let mut random = SmallRng::seed_from_u64(seed);
    let (mut answered, mut heard) = (0, 0);
    let mut memory = Vec::new();
    let start = Instant::now();
    for block in 0..lines.div_ceil(BLOCK) {
        let mut bytes = Vec::new();
        let mut awaited = VecDeque::new();
        let mut send = |line: &[u8]| {
            if let Some(request) = gtp::parse(&String::from_utf8_lossy(line)) {
                awaited.push_back(request.id);
            }
            bytes.extend_from_slice(line);
            bytes.push(b'\n');
        };
        for _ in 0..BLOCK.min(lines - block * BLOCK) {
            send(&line(&mut random));
        }
        send(b"name");
        answered += awaited.len();
        // The engine reads while it writes, or this hangs: a block is larger than a pipe holds.
        let said = thread::scope(|scope| {
            let writer = scope.spawn(|| input.write_all(&bytes).and_then(|()| input.flush()));
            let said = listen(&output, awaited, &mut heard);
            writer.join().map_err(|_| "writer".to_owned())?.map_err(text)?;
            said
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
    if late > early + GROWTH {
        return Err(format!("memory grew from {early} to {late} MiB"));
    }
    Ok(format!(
        "{lines} lines, {answered} answers, {heard} lines heard in {:.0} s; memory {early} to {late} MiB",
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

/// Reads a response for each id: `=id text` or `?id text`, more lines, and one empty line.
fn listen(
    output: &Receiver<Vec<u8>>,
    mut awaited: VecDeque<Option<u32>>,
    heard: &mut u64,
) -> Result<(), String> {
    let mut inside = false;
    while inside || !awaited.is_empty() {
        let bytes = output.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("silence, {} answers awaited", awaited.len()),
            RecvTimeoutError::Disconnected => "the engine is gone".to_owned(),
        })?;
        *heard += 1;
        let line = String::from_utf8(bytes).map_err(|_| "output is not UTF-8")?;
        let line = line.strip_suffix('\n').ok_or("a line without an end")?;
        if line.chars().any(|c| c.is_control() && c != '\t') {
            return Err(format!("control character in {line:?}"));
        }
        if inside {
            inside = !line.is_empty();
            continue;
        }
        let id = awaited.pop_front().unwrap_or_default();
        let rest = line.strip_prefix(['=', '?']).ok_or_else(|| format!("no response: {line:?}"))?;
        let said = rest.split(' ').next().unwrap_or_default();
        if said != id.map(|id| id.to_string()).unwrap_or_default() {
            return Err(format!("{line:?} where an answer to {id:?} was awaited"));
        }
        inside = true;
    }
    Ok(())
}

/// A line that neither ends the program nor keeps it busy for long, nor writes files.
fn line(random: &mut SmallRng) -> Vec<u8> {
    loop {
        let line = candidate(random);
        let text = String::from_utf8_lossy(&line);
        let harmless = gtp::parse(&text).is_none_or(|request| {
            let words = &request.arguments;
            match request.name.as_str() {
                "quit" => false,
                "printsgf" => words.is_empty(),
                "kata-set-param" | "kata-set-params" => {
                    !text.contains("maxPlayouts") && !text.contains("numSearchThreads")
                }
                // A thousand playouts each, unless the board is the one of the question before.
                "final_score" | "final_status" | "final_status_list" => random.random_ratio(1, 20),
                _ => true,
            }
        });
        if harmless && !line.contains(&b'\n') {
            return line;
        }
    }
}

fn candidate(random: &mut SmallRng) -> Vec<u8> {
    let base = LINES[random.random_range(0..LINES.len())];
    match random.random_range(0..10) {
        0..=2 => base.as_bytes().to_vec(),
        3 => (0..random.random_range(0..200)).map(|_| random.random()).collect(),
        4 => format!("{} {base}", random.random_range(0..100_000)).into_bytes(),
        5..=7 => mutate_words(base, random),
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
