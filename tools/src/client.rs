//! Drives an engine process over UCI from the GUI's side, and survives whatever it does: each way
//! of failing is a [`Fault`] with a name.

use std::{
    fmt,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use protocol::uci::{self, Answer, Bound};
use serde::{Deserialize, Serialize};

use crate::clock::TimeControl;

/// Longest line that is kept, in bytes. A principal variation of 255 moves has some 1,500.
const LINE_LIMIT: u64 = 1 << 16;
/// Lines within one answer that make a flood: fast searches of a forced line print some thousands.
const FLOOD: u32 = 200_000;
/// Time an engine has to answer `uci`, `isready` and, after a flag fall, `stop`.
const PATIENCE: Duration = Duration::from_secs(10);

/// What to start and how it may think.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineSpec {
    /// How tables call it; unique in a tournament.
    pub name: String,
    /// The program.
    pub command: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Working directory, if not ours.
    pub directory: Option<PathBuf>,
    /// UCI options, in the order given.
    pub options: Vec<(String, String)>,
    /// Its own time control, if not everybody's.
    pub control: Option<TimeControl>,
}

impl EngineSpec {
    /// Reads `cmd=…`, `name=…`, `args=…`, `dir=…`, `tc=…`, `option.NAME=VALUE`.
    ///
    /// # Errors
    /// If a word is none of these, or `cmd` is missing.
    pub fn from_words<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut spec = Self {
            name: String::new(),
            command: PathBuf::new(),
            arguments: Vec::new(),
            directory: None,
            options: Vec::new(),
            control: None,
        };
        for word in words {
            let (key, value) = word.split_once('=').ok_or(format!("'{word}' has no '='"))?;
            match key {
                "cmd" => spec.command = value.into(),
                "name" => value.clone_into(&mut spec.name),
                "args" => spec.arguments = value.split_whitespace().map(str::to_owned).collect(),
                "dir" => spec.directory = Some(value.into()),
                "tc" => spec.control = Some(value.parse()?),
                _ => match key.strip_prefix("option.") {
                    Some(option) => spec.options.push((option.to_owned(), value.to_owned())),
                    None => return Err(format!("an engine has no '{key}'")),
                },
            }
        }
        if spec.command.as_os_str().is_empty() {
            return Err("an engine needs cmd=PROGRAM".into());
        }
        if spec.name.is_empty() {
            spec.name = spec.command.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        }
        Ok(spec)
    }
}

/// A failure that loses the game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The program cannot be started.
    Start(String),
    /// It ended, or closed its output.
    Died(String),
    /// It did not answer the command named.
    Stalled(&'static str),
    /// It printed more lines than anyone could read.
    Flooded,
    /// Its move cannot be played; what it said.
    IllegalMove(String),
    /// It answered after its time was up.
    Late,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(why) => write!(f, "cannot be started: {why}"),
            Self::Died(why) => write!(f, "died: {why}"),
            Self::Stalled(command) => write!(f, "stalled: no answer to {command}"),
            Self::Flooded => f.write_str("flooded: endless output"),
            Self::IllegalMove(text) => write!(f, "illegal move: {text}"),
            Self::Late => f.write_str("loses on time"),
        }
    }
}

impl std::error::Error for Fault {}

/// A score from the engine's point of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Centipawns(i32),
    /// Moves to mate; negative when being mated.
    Mate(i32),
}

impl Score {
    /// In centipawns, a mate as `32000` minus its distance.
    pub const fn centipawns(self) -> i32 {
        match self {
            Self::Centipawns(value) => value,
            // Distances beyond any game are an engine's mistake and must not turn the sign.
            Self::Mate(moves) if moves > 10_000 => 22_000,
            Self::Mate(moves) if moves > 0 => 32_000 - moves,
            Self::Mate(moves) if moves < -10_000 => -22_000,
            Self::Mate(moves) => -32_000 - moves,
        }
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Centipawns(value) => write!(f, "{:+.2}", f64::from(*value) / 100.0),
            Self::Mate(moves) if *moves > 0 => write!(f, "+M{moves}"),
            Self::Mate(moves) => write!(f, "-M{}", moves.unsigned_abs()),
        }
    }
}

/// What the `info` lines of a search have said so far, as far as tables want it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    /// Last finished iteration.
    pub depth: u32,
    /// Value of the position, from the last line that gave more than a bound.
    pub score: Option<Score>,
    /// Nodes searched.
    pub nodes: u64,
    /// Principal variation, also of a line whose score is a bound: a search that is cut short has
    /// no other to show for a new best move.
    pub pv: Vec<String>,
}

impl Info {
    /// Takes over what a line says of the first line of play.
    fn hear(&mut self, line: uci::Info) {
        if line.multipv.is_some_and(|rank| rank != 1) || line.score.is_none() {
            return;
        }
        self.nodes = line.nodes.unwrap_or(self.nodes);
        if !line.pv.is_empty() {
            self.pv = line.pv;
        }
        if line.bound == Bound::Exact {
            self.depth = line.depth.unwrap_or(self.depth);
            self.score = line.score.map(|score| match score {
                uci::Score::Centipawns(value) => Score::Centipawns(value),
                uci::Score::Mate(moves) => Score::Mate(moves),
            });
        }
    }
}

/// An answer to `go`.
#[derive(Debug, Clone)]
pub struct Thought {
    /// The move, not yet known to be legal.
    pub best: String,
    /// From `go` to `bestmove`.
    pub time: Duration,
    /// What the engine last said of its search.
    pub info: Info,
    /// When each best move of the search was first printed without a change since: for suites.
    pub settled: Duration,
    /// Lines that are no message of the protocol.
    pub garbage: u32,
}

struct Line {
    at: Instant,
    text: String,
}

/// A running engine. Dropping it asks the process to quit and, if it does not, ends it.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    /// Names of its options.
    offered: Vec<String>,
    /// What the engine calls itself.
    pub id: String,
}

impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Client {
    /// Starts the program, shakes hands and sets its options.
    ///
    /// # Errors
    /// If it cannot be started or does not answer.
    ///
    /// # Panics
    /// Never: the pipes it takes were asked for.
    pub fn start(spec: &EngineSpec) -> Result<Self, Fault> {
        let mut command = Command::new(&spec.command);
        command.args(&spec.arguments);
        if let Some(directory) = &spec.directory {
            command.current_dir(directory);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| Fault::Start(error.to_string()))?;
        let input = child.stdin.take();
        let output = child.stdout.take().expect("the output was asked for as a pipe");
        // Bounded: an engine that floods is held up by its own full pipe, not by our memory.
        let (sender, lines) = bounded(4096);
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            while let Some(text) = read_line(&mut reader) {
                if sender.send(Line { at: Instant::now(), text }).is_err() {
                    break;
                }
            }
        });
        let (offered, id) = (Vec::new(), spec.name.clone());
        let mut client = Self { child, input, lines, offered, id };
        client.send("uci")?;
        client.await_line("uci", |line, client| {
            if let Some(name) = line.strip_prefix("id name ") {
                name.trim().clone_into(&mut client.id);
            }
            client.offered.extend(option_name(line).map(str::to_owned));
            line.trim() == "uciok"
        })?;
        for (name, value) in &spec.options {
            let value = if value.is_empty() { String::new() } else { format!(" value {value}") };
            client.send(&format!("setoption name {name}{value}"))?;
        }
        client.settle()?;
        Ok(client)
    }

    /// Whether the engine has an option of this name; case does not count.
    pub fn offers(&self, option: &str) -> bool {
        self.offered.iter().any(|name| name.eq_ignore_ascii_case(option))
    }

    /// Prepares for a new game.
    ///
    /// # Errors
    /// If the engine does not answer.
    pub fn new_game(&mut self, chess960: bool) -> Result<(), Fault> {
        if self.offers("UCI_Chess960") {
            self.send(&format!("setoption name UCI_Chess960 value {chess960}"))?;
        }
        self.send("ucinewgame")?;
        self.settle()
    }

    /// Waits until all earlier commands are obeyed.
    ///
    /// # Errors
    /// If the engine does not answer.
    pub fn settle(&mut self) -> Result<(), Fault> {
        self.send("isready")?;
        self.await_line("isready", |line, _| line.trim() == "readyok")
    }

    /// Lets the engine think: `position` and `go` are whole commands. `limit` is the time after
    /// which it is told to stop; if then it still does not answer, it has stalled.
    ///
    /// # Errors
    /// If no `bestmove` comes.
    pub fn think(&mut self, position: &str, go: &str, limit: Duration) -> Result<Thought, Fault> {
        self.send(position)?;
        self.send(go)?;
        let start = Instant::now();
        let mut deadline = start + limit;
        let mut told = false;
        let mut thought = Thought {
            best: String::new(),
            time: Duration::ZERO,
            info: Info::default(),
            settled: Duration::ZERO,
            garbage: 0,
        };
        let mut count = 0;
        loop {
            let line = match self.next_line(deadline, &mut count, "go") {
                Err(Fault::Stalled(_)) if !told => {
                    told = true;
                    self.send("stop")?;
                    deadline = Instant::now() + PATIENCE;
                    continue;
                }
                line => line?,
            };
            let time = line.at.saturating_duration_since(start);
            let (word, rest) = line.text.split_once(' ').unwrap_or((line.text.trim(), ""));
            match word {
                "bestmove" => {
                    rest.split_whitespace()
                        .next()
                        .unwrap_or_default()
                        .clone_into(&mut thought.best);
                    thought.time = time;
                    return Ok(thought);
                }
                "info" => {
                    let before = thought.info.pv.first().cloned();
                    match Answer::parse(&line.text) {
                        Ok(Answer::Info(info)) => thought.info.hear(*info),
                        _ => thought.garbage += 1,
                    }
                    if thought.info.pv.first() != before.as_ref() {
                        thought.settled = time;
                    }
                }
                "" | "readyok" | "id" | "option" => {}
                _ => thought.garbage += 1,
            }
        }
    }

    fn send(&mut self, line: &str) -> Result<(), Fault> {
        let input = self.input.as_mut().ok_or_else(|| Fault::Died("input closed".into()))?;
        let sent = writeln!(input, "{line}").and_then(|()| input.flush());
        sent.map_err(|_| self.obituary())
    }

    fn await_line(
        &mut self,
        command: &'static str,
        mut wanted: impl FnMut(&str, &mut Self) -> bool,
    ) -> Result<(), Fault> {
        let deadline = Instant::now() + PATIENCE;
        let mut count = 0;
        loop {
            let line = self.next_line(deadline, &mut count, command)?;
            if wanted(&line.text, self) {
                return Ok(());
            }
        }
    }

    fn next_line(
        &mut self,
        deadline: Instant,
        count: &mut u32,
        command: &'static str,
    ) -> Result<Line, Fault> {
        *count += 1;
        if *count > FLOOD {
            return Err(Fault::Flooded);
        }
        if Instant::now() >= deadline && self.lines.is_empty() {
            return Err(Fault::Stalled(command));
        }
        match self.lines.recv_deadline(deadline) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(Fault::Stalled(command)),
            Err(RecvTimeoutError::Disconnected) => Err(self.obituary()),
        }
    }

    /// Why the process is no longer there.
    fn obituary(&mut self) -> Fault {
        // The pipe may close a moment before the status can be had.
        for _ in 0..20 {
            match self.child.try_wait() {
                Ok(Some(status)) => return Fault::Died(status.to_string()),
                Ok(None) => thread::sleep(Duration::from_millis(10)),
                Err(error) => return Fault::Died(error.to_string()),
            }
        }
        Fault::Died("closed its output".into())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(b"stop\nquit\n"); // it may be gone already
        }
        for _ in 0..50 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill(); // fails only if it has just ended
        let _ = self.child.wait();
    }
}

/// The name in the line that offers an option.
fn option_name(line: &str) -> Option<&str> {
    let (name, _) = line.strip_prefix("option name ")?.split_once(" type ")?;
    Some(name.trim())
}

/// One line without its end, cut off at the limit; `None` at the end of output.
fn read_line(reader: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    reader.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut bytes).ok()?;
    if bytes.is_empty() {
        return None;
    }
    Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(lines: &[&str]) -> Info {
        let mut info = Info::default();
        for line in lines {
            let Ok(Answer::Info(line)) = Answer::parse(line) else { panic!("{line}") };
            info.hear(*line);
        }
        info
    }

    const WHOLE: &str = "info depth 9 seldepth 12 score cp -31 nodes 12 nps 9 pv e2e4 e7e5";

    #[test]
    fn an_info_line_gives_score_depth_and_line() {
        let info = heard(&[WHOLE]);
        assert_eq!((info.depth, info.score), (9, Some(Score::Centipawns(-31))));
        assert_eq!(info.pv, ["e2e4", "e7e5"]);
    }

    #[test]
    fn second_lines_and_lines_without_a_score_are_not_the_result() {
        for other in [
            "info depth 10 multipv 2 score cp 5 pv d2d4",
            "info string score cp 5",
            "info depth 10 currmove d2d4",
            "info nodes 99 hashfull 3",
        ] {
            assert_eq!(heard(&[WHOLE, other]), heard(&[WHOLE]), "{other}");
        }
    }

    /// A search that is cut short shows its new best move with a bound.
    #[test]
    fn a_bound_gives_the_line_and_keeps_the_score() {
        let info = heard(&[WHOLE, "info depth 9 score cp 5 lowerbound nodes 20 pv d2d4"]);
        assert_eq!((info.depth, info.score), (9, Some(Score::Centipawns(-31))));
        assert_eq!((info.nodes, info.pv), (20, vec!["d2d4".to_owned()]));
    }

    #[test]
    fn a_mate_counts_more_than_any_evaluation() {
        assert!(Score::Mate(1).centipawns() > Score::Mate(9).centipawns());
        assert!(Score::Mate(-1).centipawns() < Score::Mate(-9).centipawns());
        assert!(Score::Mate(i32::MIN).centipawns() < 0);
    }

    #[test]
    fn an_option_may_have_several_words() {
        let line = "option name Use NNUE type check default true";
        assert_eq!(option_name(line), Some("Use NNUE"));
        assert_eq!(option_name("info string option name x type y"), None);
    }

    #[test]
    fn an_endless_line_is_cut_into_pieces() {
        let endless = vec![b'x'; 3 * LINE_LIMIT as usize];
        let mut reader = BufReader::new(&endless[..]);
        assert_eq!(read_line(&mut reader).unwrap().len(), LINE_LIMIT as usize);
    }

    #[test]
    fn a_program_that_is_not_there_is_a_fault_not_a_panic() {
        let spec = EngineSpec::from_words(["cmd=./no-such-program"]).unwrap();
        assert!(matches!(Client::start(&spec), Err(Fault::Start(_))));
        assert!(EngineSpec::from_words(["name=x"]).is_err());
    }

    /// A program that copies its input to its output never says `uciok`, but an end of output
    /// must be noticed at once.
    #[test]
    fn a_program_that_ends_has_died() {
        let spec = EngineSpec::from_words(["cmd=true"]).unwrap();
        assert!(matches!(Client::start(&spec), Err(Fault::Died(_))));
    }
}
