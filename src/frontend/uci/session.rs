//! The state of a conversation: what was set, what is on the board, whether a search runs.

use std::{
    io::{self, Write},
    ops::ControlFlow,
    time::Instant,
};

use crossbeam_channel::Receiver;
use protocol::uci::{self, Answer, Command, Go};

use super::{
    bench,
    output::{Output, Style, choices},
};
use crate::{
    chess::{
        Move, OPTIONS, Position, Record, Root, Searcher, Settings, eval,
        perft::{divide_until, perft},
    },
    engine::{Clock, Controller, Limits, Report, set},
};

/// A UCI session. It is given lines and reports one at a time and never waits for a search.
#[derive(Debug)]
pub(super) struct Session<W> {
    output: Output<W>,
    controller: Controller<Searcher>,
    settings: Settings,
    record: Record,
    /// Between `go` (or another long command) and its answer.
    busy: bool,
    style: Style,
    /// The last line of each rank, held back in minimal mode.
    held: Vec<Answer>,
}

impl<W: Write> Session<W> {
    pub(super) fn new(out: W, searcher: Searcher) -> Self {
        let record = Record::new(Position::start());
        let settings = Settings::default();
        Self {
            output: Output::new(out),
            controller: Controller::spawn(searcher),
            style: style(&record, &settings),
            settings,
            record,
            busy: false,
            held: Vec::new(),
        }
    }

    /// What the thinking thread says.
    pub(super) const fn reports(&self) -> &Receiver<Report<Move>> {
        self.controller.reports()
    }

    /// A search or another long command is under way.
    pub(super) const fn is_busy(&self) -> bool {
        self.busy
    }

    /// Does what a line asks. Breaks at `quit`.
    pub(super) fn obey(&mut self, line: &[u8]) -> io::Result<ControlFlow<()>> {
        let line = uci::decode(line);
        self.output.note_input(&line);
        match uci::parse(&line) {
            Ok(Command::Quit) => return Ok(ControlFlow::Break(())),
            Ok(command) => self.command(command)?,
            Err(error) => self.output.message(error.to_string())?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn command(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Nothing | Command::Debug(_) | Command::Register | Command::Quit => Ok(()),
            Command::Uci => self.introduce(),
            Command::IsReady => self.is_ready(),
            Command::NewGame => {
                self.controller.call(Searcher::forget);
                Ok(())
            }
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves),
            Command::Go(_) | Command::Bench(_) | Command::SpeedTest(_) if self.busy => {
                self.output.message("still busy: the command is ignored")
            }
            Command::Go(go) => self.go(&go),
            Command::Stop => {
                if self.busy {
                    self.controller.signals().stop();
                }
                Ok(())
            }
            Command::PonderHit => {
                self.controller.signals().ponderhit();
                Ok(())
            }
            Command::Display => self.output.line(&diagram(self.record.position())),
            Command::Eval => self.output.line(&eval::trace(self.record.position())),
            Command::Flip => self.flip(),
            Command::Bench(words) | Command::SpeedTest(words) => self.bench(words),
            Command::Compiler => self.output.line(&compiler()),
            Command::License => self.output.line(LICENSE),
            Command::Help => self.output.line(HELP),
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        let name = format!("Tegenspel {}", env!("CARGO_PKG_VERSION"));
        self.output.answer(&Answer::Name(name))?;
        self.output.answer(&Answer::Author("the Tegenspel developers".to_owned()))?;
        for choice in choices() {
            self.output.answer(&choice)?;
        }
        self.output.answer(&Answer::UciOk)
    }

    /// Idle, it asks to wait for slow changes; busy, only whether we are alive.
    fn is_ready(&mut self) -> io::Result<()> {
        if !self.busy {
            self.controller.settle();
            while let Ok(report) = self.controller.reports().try_recv() {
                self.report(&report)?;
            }
        }
        self.output.answer(&Answer::ReadyOk)
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        let value = match value.unwrap_or_default() {
            "<empty>" => "",
            value => value,
        };
        let log = self.settings.debug_log.clone();
        if let Err(error) = set(OPTIONS, &mut self.settings, name, value) {
            return self.output.message(error.to_string());
        }
        if self.settings.debug_log != log
            && let Err(error) = self.output.open_log(&self.settings.debug_log)
        {
            let path = std::mem::take(&mut self.settings.debug_log);
            self.output.message(format!("the log file {path} cannot be opened: {error}"))?;
        }
        let settings = self.settings.clone();
        self.controller.run(move |searcher, _, reports| {
            if let Err(error) = searcher.apply(&settings) {
                let _ = reports.send(Report::Message(error));
            }
        });
        Ok(())
    }

    /// The position that is described, or the old one and a message.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> io::Result<()> {
        let start = match fen.map_or_else(|| Ok(Position::start()), Position::from_fen) {
            Ok(start) => start,
            Err(error) => return self.output.message(error.to_string()),
        };
        let mut record = Record::new(start);
        for text in moves {
            let Some(mv) = record.position().parse_move(text) else {
                let text = uci::quoted(text);
                return self.output.message(format!(
                    "position: '{text}' is not legal after {} moves; the position is unchanged",
                    record.moves().len()
                ));
            };
            record.push(mv);
        }
        self.record = record;
        Ok(())
    }

    fn go(&mut self, go: &Go) -> io::Result<()> {
        if let Some(word) = &go.unreadable {
            self.output.message(format!("go: cannot read '{}'", uci::quoted(word)))?;
        }
        self.style = style(&self.record, &self.settings);
        self.held.clear();
        self.controller.signals().reset(go.ponder);
        self.busy = true;
        if let Some(depth) = go.perft {
            let position = self.record.position().clone();
            let chess960 = self.settings.chess960;
            self.controller.run(move |_, signals, reports| {
                let text = perft_text(&position, depth, chess960, &|| signals.stopped());
                let _ = reports.send(Report::Output(text));
            });
            return Ok(());
        }
        let mut search_moves = Vec::new();
        for text in &go.search_moves {
            match self.record.position().parse_move(text) {
                Some(mv) => search_moves.push(mv),
                None => {
                    let text = uci::quoted(text);
                    self.output.message(format!("searchmoves: '{text}' is not legal here"))?;
                }
            }
        }
        let limits = limits(go, self.record.position());
        let root = Root { record: self.record.clone(), search_moves };
        self.controller.go(root, limits, go.ponder);
        Ok(())
    }

    fn flip(&mut self) -> io::Result<()> {
        match Position::from_fen(&bench::flipped(self.record.position())) {
            Ok(position) => {
                self.record = Record::new(position);
                Ok(())
            }
            Err(error) => self.output.message(error.to_string()),
        }
    }

    fn bench(&mut self, words: Vec<String>) -> io::Result<()> {
        let current = self.record.position().to_string();
        self.busy = true;
        self.controller.signals().reset(false);
        self.controller.run(move |_, _, reports| {
            let _ = reports.send(match bench::run(&words, &current) {
                Ok(text) => Report::Output(text),
                Err(error) => Report::Output(format!("info string bench: {error}")),
            });
        });
        Ok(())
    }

    /// Writes what the thinking thread says.
    pub(super) fn report(&mut self, report: &Report<Move>) -> io::Result<()> {
        match report {
            Report::Info(info) => {
                let answer = self.style.info(info);
                if self.style.minimal {
                    self.held.truncate(info.multipv as usize - 1);
                    self.held.push(answer);
                    return Ok(());
                }
                self.output.answer(&answer)
            }
            Report::CurrentMove { depth, mv, number } => {
                let text = self.style.root.move_text(*mv, self.style.chess960);
                self.output
                    .line(&format!("info depth {depth} currmove {text} currmovenumber {number}"))
            }
            Report::Heartbeat { nodes, time, hashfull } => {
                let milliseconds = time.as_millis();
                let nps = u128::from(*nodes) * 1000 / milliseconds.max(1);
                self.output.line(&format!(
                    "info nodes {nodes} nps {nps} hashfull {hashfull} time {milliseconds}"
                ))
            }
            Report::Message(text) => self.output.message(text.as_str()),
            Report::Output(text) => {
                self.busy = false;
                self.output.line(text)
            }
            Report::Done { best, ponder } => {
                self.busy = false;
                for answer in std::mem::take(&mut self.held) {
                    self.output.answer(&answer)?;
                }
                let answer = self.style.best_move(*best, *ponder);
                self.output.answer(&answer)
            }
        }
    }
}

fn style(record: &Record, settings: &Settings) -> Style {
    Style {
        root: record.position().clone(),
        // A position that only Chess960 has cannot be spoken of in standard notation.
        chess960: settings.chess960,
        show_wdl: settings.show_wdl,
        minimal: settings.minimal,
    }
}

/// The limits that a `go` sets, for the side to move of `position`.
fn limits(go: &Go, position: &Position) -> Limits {
    let side = position.side_to_move().index();
    let clock = go.time[side].map(|time| Clock {
        time,
        increment: go.increment[side].unwrap_or_default(),
        moves_to_go: go.moves_to_go,
    });
    let limited = clock.is_some()
        || go.move_time.is_some()
        || go.depth.is_some()
        || go.nodes.is_some()
        || go.mate.is_some();
    Limits {
        start: Instant::now(),
        depth: go.depth,
        nodes: go.nodes,
        soft_nodes: None,
        mate: go.mate,
        move_time: go.move_time,
        clock,
        infinite: go.infinite || !limited && !go.ponder,
    }
}

fn perft_text(
    position: &Position,
    depth: u32,
    chess960: bool,
    stop: &impl Fn() -> bool,
) -> String {
    let Some(moves) = divide_until(position, depth, stop) else {
        return "info string perft was stopped".to_owned();
    };
    let nodes: u64 =
        if depth == 0 { perft(position, 0) } else { moves.iter().map(|(_, nodes)| nodes).sum() };
    let mut text: String = moves
        .iter()
        .map(|(mv, nodes)| format!("{}: {nodes}\n", position.move_text(*mv, chess960)))
        .collect();
    text.push_str(&format!("\nNodes searched: {nodes}\n"));
    text
}

/// The board as people see it, with what the rules need besides.
fn diagram(position: &Position) -> String {
    use crate::chess::Square;
    const EDGE: &str = " +---+---+---+---+---+---+---+---+\n";
    let mut text = format!("\n{EDGE}");
    for rank in (0..8).rev() {
        for file in 0..8 {
            let piece = position.piece_on(Square::at(file, rank));
            text.push_str(&format!(" | {}", piece.map_or(' ', |piece| piece.to_char())));
        }
        text.push_str(&format!(" | {}\n{EDGE}", rank + 1));
    }
    text.push_str("   a   b   c   d   e   f   g   h\n\n");
    let checkers: Vec<String> = position.checkers().into_iter().map(|sq| sq.to_string()).collect();
    text.push_str(&format!(
        "Fen: {position}\nKey: {:016X}\nCheckers: {}",
        position.key(),
        checkers.join(" ")
    ));
    text
}

fn compiler() -> String {
    format!(
        "Tegenspel {} for {} {}, {}",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH,
        std::env::consts::OS,
        if cfg!(debug_assertions) { "with debug assertions" } else { "release build" },
    )
}

const LICENSE: &str =
    "Tegenspel is free software under the GNU General Public License, version 3 or later.";

const HELP: &str = "\
Tegenspel plays chess over UCI (Universal Chess Interface). Point a chess program at this binary,
or type commands: position startpos moves e2e4, go depth 12, go infinite, stop, quit.
Besides the protocol: d (board), eval (explain), flip, go perft N, bench [hash threads limit file
type], compiler, license. On the command line: any of these commands; --help lists the rest.";
