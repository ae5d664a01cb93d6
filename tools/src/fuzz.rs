//! What the fuzzers of both protocols share: an engine that is watched, and lines that go wrong.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use rand::{Rng, RngExt, rngs::SmallRng};

use crate::output::say;

/// An engine that is silent for so long has hung.
const PATIENCE: Duration = Duration::from_mins(2);

/// Growth of memory in MiB that is no leak.
const GROWTH: u64 = 32;

/// The main function of a fuzzer: `ENGINE [LINES [SEED]]`, and what it found.
pub fn main(name: &str, fuzz: fn(&str, usize, u64) -> Result<String, String>) -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let number = |index: usize, default: u64| {
        arguments.get(index).map_or(Some(default), |text| text.parse().ok())
    };
    let (report, code) = match (arguments.first(), number(1, 100_000), number(2, 1)) {
        (Some(engine), Some(lines), Some(seed)) => match fuzz(engine, lines as usize, seed) {
            Ok(report) => (report, ExitCode::SUCCESS),
            Err(fault) => (format!("FAULT (seed {seed}): {fault}"), ExitCode::FAILURE),
        },
        _ => (format!("usage: {name} ENGINE [LINES [SEED]]"), ExitCode::FAILURE),
    };
    // Whether or not somebody still reads: the exit code says it, too.
    let _ = say(format_args!("{report}"));
    code
}

/// A running engine, its memory measured after each block of lines.
#[derive(Debug)]
pub struct Patient {
    process: Child,
    input: ChildStdin,
    output: Output,
    memory: Vec<u64>,
}

/// The engine's lines.
#[derive(Debug)]
pub struct Output {
    lines: Receiver<Vec<u8>>,
    /// How many there were.
    pub heard: u64,
}

impl Patient {
    /// Starts an engine.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(engine: &str, arguments: &[&str]) -> Result<Self, String> {
        let mut process = Command::new(engine)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{engine}: {error}"))?;
        let input = process.stdin.take().ok_or("no input")?;
        let lines = lines_of(process.stdout.take().ok_or("no output")?);
        Ok(Self { process, input, output: Output { lines, heard: 0 }, memory: Vec::new() })
    }

    /// Sends lines while `listen` hears what is said to them: a block is larger than a pipe holds, and
    /// who does not read while he writes hangs.
    ///
    /// # Errors
    /// What `listen` found wrong, or that the engine does not read.
    pub fn treat(
        &mut self,
        bytes: &[u8],
        listen: impl FnOnce(&mut Output) -> Result<(), String>,
    ) -> Result<(), String> {
        let Self { process, input, output, .. } = self;
        thread::scope(|scope| {
            let writer = scope.spawn(|| input.write_all(bytes).and_then(|()| input.flush()));
            if let Err(fault) = listen(output) {
                // An engine that has hung does not read: only its end lets the writer go.
                let _ = process.kill();
                return Err(fault);
            }
            writer.join().map_err(|_| "writer".to_owned())?.map_err(|error| error.to_string())
        })
        .map_err(|fault| format!("{fault}\n{}", String::from_utf8_lossy(bytes)))?;
        self.memory.push(resident(self.process.id()));
        Ok(())
    }

    /// Ends the engine; returns its lines and its memory, early and late, in MiB.
    ///
    /// # Errors
    /// If it does not end as it should, or has grown.
    pub fn dismiss(mut self) -> Result<(u64, u64, u64), String> {
        self.input.write_all(b"quit\n").map_err(|error| error.to_string())?;
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match self.process.try_wait().map_err(|error| error.to_string())? {
                Some(status) => break status,
                None if Instant::now() > deadline => return Err("it does not quit".to_owned()),
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        if !status.success() {
            return Err(format!("exit: {status}"));
        }
        let early = self.memory.get(self.memory.len() / 5).copied().unwrap_or_default();
        let late = self.memory.last().copied().unwrap_or_default();
        if late > early + GROWTH {
            return Err(format!("memory grew from {early} to {late} MiB"));
        }
        Ok((self.output.heard, early, late))
    }
}

/// A fuzzer that gives up leaves no engine behind.
impl Drop for Patient {
    fn drop(&mut self) {
        let _ = self.process.kill(); // fails only if it has ended
        let _ = self.process.wait();
    }
}

impl Output {
    /// The next line, without its end; `awaited` says what for.
    ///
    /// # Errors
    /// If there is none, or it is no text.
    pub fn next(&mut self, awaited: impl FnOnce() -> String) -> Result<String, String> {
        let bytes = self.lines.recv_timeout(PATIENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => format!("silence, {} awaited", awaited()),
            RecvTimeoutError::Disconnected => "the engine is gone".to_owned(),
        })?;
        self.heard += 1;
        let mut line = String::from_utf8(bytes).map_err(|_| "output is not UTF-8")?;
        if line.pop() == Some('\n') { Ok(line) } else { Err("a line without an end".to_owned()) }
    }
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

/// Resident memory of a process in MiB; 0 where the system does not tell.
fn resident(process: u32) -> u64 {
    let pages = fs::read_to_string(format!("/proc/{process}/statm"))
        .ok()
        .and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok())
        .unwrap_or(0);
    (pages * 4096) >> 20
}

/// One of the lines that `candidate` makes which `is_harmless` lets pass and which is one line.
pub fn harmless_line(
    random: &mut SmallRng,
    candidate: fn(&mut SmallRng) -> Vec<u8>,
    is_harmless: fn(&[u8], &mut SmallRng) -> bool,
) -> Vec<u8> {
    loop {
        let line = candidate(random);
        if is_harmless(&line, random) && !line.contains(&b'\n') {
            return line;
        }
    }
}

/// Any bytes.
pub fn noise(random: &mut SmallRng) -> Vec<u8> {
    (0..random.random_range(0..200)).map(|_| random.random()).collect()
}

/// A line with some of its words exchanged for those of `dictionary`, doubled or left out.
pub fn mutate_words(base: &str, dictionary: &[&str], random: &mut SmallRng) -> Vec<u8> {
    let mut words: Vec<&str> = base.split(' ').collect();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..words.len());
        let word = dictionary[random.random_range(0..dictionary.len())];
        match random.random_range(0..4) {
            0 => words[at] = word,
            1 => words.insert(at, word),
            2 if words.len() > 1 => drop(words.remove(at)),
            _ => words.insert(at, words[at]),
        }
    }
    words.join(" ").into_bytes()
}

/// A line with some of its bytes changed.
pub fn mutate_bytes(base: &str, random: &mut SmallRng) -> Vec<u8> {
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
