//! The state of a conversation: what was set, what is on the board, whether a search runs. It is
//! given lines and reports, writes lines and asks for actions; it starts no thread and never waits.

use std::{
    collections::VecDeque,
    io::{self, Write},
    time::{Duration, Instant},
};

use protocol::uci::{self, Answer, Command, Go};

use super::{
    display::{HELP, LICENSE, compiler, diagram, flipped},
    output::{Output, Style, choices, heartbeat},
};
use crate::{
    chess::{Move, OPTIONS, Position, Record, Root, Settings},
    engine::{Clock, Info, Limits, Report, set},
    frontend::input::{LONGEST_QUEUE, TOO_MANY},
};

/// What the session wants done on the thinking thread, in this order.
#[derive(Debug, Clone)]
pub(super) enum Action {
    /// Think.
    Search {
        /// About this.
        root: Box<Root>,
        /// For so long.
        limits: Limits,
        /// The opponent has not moved yet.
        ponder: bool,
    },
    /// Count.
    Perft {
        /// From here.
        position: Position,
        /// So deep.
        depth: u32,
        /// How castling is written.
        chess960: bool,
    },
    /// Run the bench.
    Bench {
        /// Its arguments.
        words: Vec<String>,
        /// The position on the board.
        current: String,
    },
    /// Measure the speed of one thread, of two, and so on.
    SpeedTest {
        /// Its arguments.
        words: Vec<String>,
    },
    /// Say what the endgame tables know of a position.
    LookUp(Box<Position>),
    /// Say how the evaluation of a position comes about.
    Explain(Box<Position>),
    /// Take over changed settings.
    Apply(Box<Settings>),
    /// Forget earlier games.
    Forget,
    /// Report `Ready` when all that was asked before is done.
    Sync,
    /// Wait until all that was asked before is done.
    Settle,
    /// End what is under way.
    Stop,
    /// The awaited move was played.
    PonderHit,
    /// End the program.
    Quit,
}

/// A long task that waits for the one before it, with what it needs to be begun and written.
#[derive(Debug)]
struct Waiting {
    action: Action,
    style: Option<Style>,
    /// `stop` came before it was begun.
    stopped: bool,
}

impl Waiting {
    /// Plies of the game that it keeps.
    fn plies(&self) -> usize {
        match &self.action {
            Action::Search { root, .. } => root.record.moves().len(),
            _ => 0,
        }
    }
}

/// Searches of games that have more plies than this together do not wait: each keeps its own copy.
const MOST_PLIES: usize = 10_000_000;

/// Lines that repeat a score sooner than this are held back in deep iterations: a GUI hung on the 245
/// depths of a trivial mate within a millisecond.
const FLOOD_GAP: Duration = Duration::from_millis(25);
/// Iterations up to this depth are never held back.
const FLOOD_DEPTH: u32 = 20;

/// A UCI session.
#[derive(Debug)]
pub(super) struct Session<W> {
    output: Output<W>,
    settings: Settings,
    record: Record,
    debug: bool,
    /// Between a `go` (or another long task) and its answer.
    busy: bool,
    style: Style,
    /// What came during a task and can only be done after it.
    waiting: VecDeque<Waiting>,
    actions: Vec<Action>,
    /// Lines that were not shown when they came: the newest of each rank.
    held: Vec<Answer>,
    /// Score and time of the last first-ranked line that was shown.
    shown: Option<(i32, Duration)>,
    refused: bool,
}

impl<W: Write> Session<W> {
    pub(super) fn new(out: W) -> Self {
        let record = Record::new(Position::start());
        let settings = Settings::default();
        Self {
            output: Output::new(out),
            style: Style::new(&record, &settings),
            settings,
            record,
            debug: false,
            busy: false,
            waiting: VecDeque::new(),
            actions: Vec::new(),
            held: Vec::new(),
            shown: None,
            refused: false,
        }
    }

    /// What to do now, in order; asked for after each line and each report.
    pub(super) fn take_actions(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.actions)
    }

    /// Nothing is under way, and nothing waits.
    pub(super) const fn is_idle(&self) -> bool {
        !self.busy
    }

    /// Some line was not understood, or not obeyed.
    pub(super) const fn has_refused(&self) -> bool {
        self.refused
    }

    /// Does what a line asks.
    ///
    /// # Errors
    /// If the answer cannot be written.
    pub(super) fn obey(&mut self, line: &[u8]) -> io::Result<()> {
        let arrival = Instant::now();
        let line = uci::decode(line);
        self.output.note_input(&line);
        match uci::parse(&line) {
            Ok(Command::Go(go)) => self.go(&go, self.record.clone(), arrival),
            Ok(Command::Threat(go)) => self.threat(&go, arrival),
            Ok(command) => self.command(command),
            Err(_) if line.starts_with("xboard") => self.output.line(NOT_XBOARD),
            Err(error) => self.refuse(error.to_string()),
        }
    }

    fn command(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Nothing | Command::Register | Command::Go(_) | Command::Threat(_) => {}
            Command::Debug(on) => self.debug = on,
            Command::Uci => return self.introduce(),
            Command::IsReady if self.busy => return self.output.answer(&Answer::ReadyOk),
            Command::IsReady => self.actions.push(Action::Sync),
            Command::NewGame => return self.schedule(Action::Forget, None),
            Command::SetOption { name, value } => {
                return self.set_option(&name, &value.unwrap_or_default());
            }
            Command::Position { fen, moves } => return self.set_position(fen.as_deref(), &moves),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => self.quit(),
            Command::Display => {
                let text = diagram(self.record.position(), self.settings.chess960);
                self.output.line(&text)?;
                if !self.settings.syzygy_path.is_empty() {
                    let position = Box::new(self.record.position().clone());
                    return self.schedule(Action::LookUp(position), None);
                }
            }
            Command::Eval => {
                let position = Box::new(self.record.position().clone());
                return self.schedule(Action::Explain(position), None);
            }
            Command::Flip => return self.set_position(Some(&flipped(self.record.position())), &[]),
            Command::SpeedTest(words) => {
                return self.schedule(Action::SpeedTest { words }, None);
            }
            Command::Bench(words) => {
                let current = self.record.position().to_fen(true);
                return self.schedule(Action::Bench { words, current }, None);
            }
            Command::Compiler => return self.output.line(&compiler()),
            Command::License => return self.output.line(LICENSE),
            Command::Help => return self.output.line(HELP),
        }
        Ok(())
    }

    /// All in one write, and short: some GUIs read no more at once.
    fn introduce(&mut self) -> io::Result<()> {
        let mut answers = vec![
            Answer::Name(format!("Tegenspel {}", env!("CARGO_PKG_VERSION"))),
            Answer::Author("the Tegenspel authors".to_owned()),
        ];
        answers.extend(choices());
        answers.push(Answer::UciOk);
        self.output.answers(&answers)
    }

    fn refuse(&mut self, text: impl Into<String>) -> io::Result<()> {
        self.refused = true;
        self.output.message(text)
    }

    /// A value that does not change anything does nothing: GUIs send all options before each search.
    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        let old = self.settings.clone();
        if tune(name, value) {
            return Ok(());
        }
        if let Err(error) = set(OPTIONS, &mut self.settings, name, value) {
            return self.refuse(uci::quoted(&error.to_string()));
        }
        if self.settings.debug_log != old.debug_log
            && let Err(error) = self.output.open_log(&self.settings.debug_log)
        {
            self.settings.debug_log.clone_from(&old.debug_log);
            self.refuse(format!("the log file cannot be written: {error}"))?;
        }
        if self.settings == old {
            return Ok(());
        }
        self.schedule(Action::Apply(Box::new(self.settings.clone())), None)
    }

    /// The position that is described, or the old one and a message.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> io::Result<()> {
        let start = match fen.map_or_else(|| Ok(Position::start()), Position::from_fen) {
            Ok(start) => start,
            Err(error) => {
                return self.refuse(format!("{error}; the position is unchanged"));
            }
        };
        let mut record = Record::new(start);
        for (index, text) in moves.iter().enumerate() {
            let Some(mv) = record.position().parse_move(text) else {
                let text = uci::quoted(text);
                return self.refuse(format!(
                    "move {} of the list, '{text}', is not legal; the position is unchanged",
                    index + 1
                ));
            };
            record.push(mv);
        }
        self.record = record;
        Ok(())
    }

    /// All that is under way is to end, and then the program.
    fn quit(&mut self) {
        self.stop();
        self.actions.push(Action::Quit);
    }

    /// What must not be lost even when the end does not wait for a task under way: a hash table that
    /// was to be saved is saved, as it was when that was asked for.
    pub(super) fn last_actions(&mut self) -> Vec<Action> {
        if self.settings.save_hash == Settings::default().save_hash {
            return Vec::new();
        }
        let waiting = std::mem::take(&mut self.waiting).into_iter().map(|task| task.action);
        let due = |action: &Action| matches!(action, Action::Apply(_) | Action::Forget);
        waiting.filter(due).chain([Action::Settle]).collect()
    }

    /// What the opponent would do: a search with the right to move passed on.
    fn threat(&mut self, go: &Go, arrival: Instant) -> io::Result<()> {
        let mut passed = self.record.position().clone();
        if passed.in_check() {
            return self.refuse("threat: the side to move is in check, and cannot pass");
        }
        passed.play_null();
        self.go(go, Record::new(passed), arrival)
    }

    fn go(&mut self, go: &Go, record: Record, arrival: Instant) -> io::Result<()> {
        if let Some(word) = &go.unreadable {
            self.refuse(format!("go: cannot read '{}'", uci::quoted(word)))?;
        }
        let position = record.position();
        if let Some(depth) = go.perft {
            let (position, chess960) = (position.clone(), self.settings.chess960);
            return self.schedule(Action::Perft { position, depth, chess960 }, None);
        }
        let (search_moves, illegal) = legal_moves(position, &go.search_moves);
        let limits = limits(go, position, arrival);
        if let Some(text) = illegal {
            self.refuse(format!("searchmoves: '{}' is not legal here", uci::quoted(text)))?;
        }
        if self.debug {
            self.output.message(format!("{limits:?}"))?;
        }
        let style = Style::new(&record, &self.settings);
        let root = Box::new(Root { record, search_moves });
        let search = Action::Search { root, limits, ponder: go.ponder };
        self.schedule(search, Some(style))
    }

    /// Does something now, or when the task under way has ended.
    fn schedule(&mut self, action: Action, style: Option<Style>) -> io::Result<()> {
        let task = Waiting { action, style, stopped: false };
        if !self.busy {
            self.begin(task);
            return Ok(());
        }
        let plies: usize = self.waiting.iter().chain([&task]).map(Waiting::plies).sum();
        if self.waiting.len() >= LONGEST_QUEUE || plies > MOST_PLIES {
            return self.refuse(TOO_MANY);
        }
        self.waiting.push_back(task);
        Ok(())
    }

    fn begin(&mut self, task: Waiting) {
        self.busy = matches!(
            task.action,
            Action::Search { .. }
                | Action::Perft { .. }
                | Action::Bench { .. }
                | Action::SpeedTest { .. }
                | Action::LookUp(_)
                | Action::Explain(_)
        );
        if let Some(style) = task.style {
            self.style = style;
        }
        self.held.clear();
        self.shown = None;
        self.actions.push(task.action);
        if task.stopped {
            self.actions.push(Action::Stop);
        }
    }

    /// A task has ended: what waited for it may begin.
    fn proceed(&mut self) {
        self.busy = false;
        while !self.busy
            && let Some(mut task) = self.waiting.pop_front()
        {
            // Time that is no player's clock counts from here: each of a list of searches has its own.
            if let Action::Search { limits, .. } = &mut task.action
                && limits.clock.is_none()
            {
                limits.start = Instant::now();
            }
            self.begin(task);
        }
    }

    /// Everything asked for so far is to end, begun or not.
    fn stop(&mut self) {
        if self.busy {
            self.actions.push(Action::Stop);
        }
        self.waiting.iter_mut().for_each(|task| task.stopped = true);
    }

    fn ponder_hit(&mut self) {
        if self.busy {
            self.actions.push(Action::PonderHit);
        }
        for task in &mut self.waiting {
            if let Action::Search { ponder, .. } = &mut task.action {
                *ponder = false;
            }
        }
    }

    /// Writes what the thinking thread says.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn report(&mut self, report: &Report<Move>) -> io::Result<()> {
        match report {
            Report::Info(info) => self.info(info),
            Report::CurrentMove { depth, mv, number } if !self.style.minimal => {
                let answer = self.style.current_move(*depth, *mv, *number);
                self.output.answer(&answer)
            }
            Report::Heartbeat { nodes, time, hashfull } if !self.style.minimal => {
                self.output.answer(&heartbeat(*nodes, *time, *hashfull))
            }
            Report::CurrentMove { .. } | Report::Heartbeat { .. } => Ok(()),
            Report::Message(text) => self.output.message(text.as_str()),
            Report::Ready => self.output.answer(&Answer::ReadyOk),
            Report::Output(text) => {
                self.output.line(text)?;
                self.proceed();
                Ok(())
            }
            Report::Failure(text) => {
                self.refuse(text.as_str())?;
                self.proceed();
                Ok(())
            }
            Report::Done { best, ponder } => {
                let mut lines = std::mem::take(&mut self.held);
                lines.push(self.style.best_move(*best, *ponder));
                // Each in a write of its own, but ready for the next `go` before the GUI sees it.
                self.proceed();
                lines.iter().try_for_each(|line| self.output.answer(line))
            }
        }
    }

    /// Shows a line, or keeps it back until there is reason to show it: the end of the search in
    /// minimal mode, something new otherwise.
    fn info(&mut self, info: &Info<Move>) -> io::Result<()> {
        let answer = self.style.info(info);
        let rank = info.multipv.max(1) as usize;
        if rank == 1 {
            let repeats = info.depth > FLOOD_DEPTH
                && self.shown.is_some_and(|(score, time)| {
                    score == info.score && info.time.saturating_sub(time) < FLOOD_GAP
                });
            if !self.style.minimal && !repeats {
                self.shown = Some((info.score, info.time));
                self.held.clear();
                return self.output.answer(&answer);
            }
        } else if self.held.is_empty() {
            return self.output.answer(&answer);
        }
        // The block of an iteration is kept together: its first rank replaces the block before.
        self.held.truncate(rank - 1);
        self.held.push(answer);
        Ok(())
    }
}

/// xboard shows such a line to its user.
const NOT_XBOARD: &str = "tellusererror Tegenspel speaks UCI, not the protocol of xboard: start it \
    through polyglot, or with xboard's option -fUCI";

/// The moves of a list that are legal, and the first that is not.
fn legal_moves<'a>(position: &Position, texts: &'a [String]) -> (Vec<Move>, Option<&'a str>) {
    let mut moves = Vec::new();
    let mut illegal = None;
    for text in texts {
        match position.parse_move(text) {
            Some(mv) if moves.contains(&mv) => {}
            Some(mv) => moves.push(mv),
            None => illegal = illegal.or(Some(text.as_str())),
        }
    }
    (moves, illegal)
}

/// The limits that a `go` sets, for the side to move of `position`. A GUI that names only the other
/// side's clock means a clock: ours is then taken to show the same.
fn limits(go: &Go, position: &Position, start: Instant) -> Limits {
    let own = position.side_to_move().index();
    let side = if go.time[own].is_some() { own } else { 1 - own };
    let clock = go.time[side].map(|time| Clock {
        time,
        increment: go.increment[side].unwrap_or_default(),
        moves_to_go: go.moves_to_go.filter(|&moves| moves > 0),
    });
    Limits {
        start,
        depth: go.depth,
        nodes: go.nodes,
        soft_nodes: None,
        mate: go.mate,
        move_time: go.move_time,
        clock,
        infinite: go.infinite,
    }
}

/// Sets a tunable of the search, in a build that shows them; false if it is none or out of range.
#[cfg(feature = "tune")]
fn tune(name: &str, value: &str) -> bool {
    value.trim().parse().is_ok_and(|value| crate::chess::search::tunables::set_tunable(name, value))
}

#[cfg(not(feature = "tune"))]
const fn tune(_: &str, _: &str) -> bool {
    false
}

#[cfg(test)]
mod tests;
