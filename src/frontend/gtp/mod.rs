//! Go over GTP 2, with the extensions that `GoGui`, Sabaki, Lizzie, q5go and the server bridges use.
//! Commands are answered in order; while one thinks, the next ones wait in a queue. Only analysis ends
//! at any line; `# interrupt` ends every search at once, `quit` one for a move on the clock before long.

mod analysis;
mod commands;
mod counting;
mod options;
mod queue;
mod searches;
mod settings;
mod setup;

use std::{
    io::{self, Write, stdout},
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, select, unbounded};
use protocol::gtp::{Response, is_interrupt, parse};

use analysis::Format;
use counting::Count;
pub use options::{Options, USAGE};
use queue::{Next, Queue};

use crate::{
    engine::{Controller, Limits, Report},
    frontend::input::TOO_MANY,
    go::{
        Color, Move, Record,
        search::{Aim, Analysis, GameClock, Reply, Searcher, Task, TimeSystem},
    },
};

/// How long a move is still thought about when `quit` waits: the program is to end within a second.
const FAREWELL: Duration = Duration::from_millis(500);

/// Runs until `quit` or end of input, as the words after `gtp` on the command line say.
///
/// # Errors
/// If a word is not understood, or standard output cannot be written.
pub fn run(words: &[String]) -> io::Result<()> {
    if matches!(words, [word] if word == "--help" || word == "-h") {
        return writeln!(stdout(), "{USAGE}");
    }
    let options = Options::parse(words.iter().cloned()).map_err(|error| {
        io::Error::new(io::ErrorKind::InvalidInput, format!("{error}\n{USAGE}"))
    })?;
    serve(&options, &super::input::channel(super::input::lines()))
}

/// Whether this is the name of a command.
pub(super) fn knows(name: &str) -> bool {
    commands::COMMANDS.contains(&name)
}

/// Runs until `quit` or until `lines` closes.
///
/// # Errors
/// If standard output cannot be written.
pub fn serve(options: &Options, lines: &Receiver<Vec<u8>>) -> io::Result<()> {
    let mut session = Session::new(stdout(), options.clone());
    let mut input_open = true;
    loop {
        session.run_queue()?;
        if session.quit || (!input_open && session.is_idle()) {
            return Ok(());
        }
        let never = crossbeam_channel::never();
        let lines = if input_open { lines } else { &never };
        let late = session.deadline().map_or_else(crossbeam_channel::never, crossbeam_channel::at);
        select! {
            recv(lines) -> line => if let Ok(line) = line { session.hear(String::from_utf8_lossy(&line).into_owned()) } else {
                // What was asked is answered (scripts come through a pipe and end so), but
                // nothing that would go on for ever.
                input_open = false;
                session.end_stream();
            },
            recv(session.controller.reports()) -> report => match report {
                Ok(Report::Done { best, .. }) => session.finish(best)?,
                Ok(_) => {}
                Err(_) => return Ok(()),
            },
            recv(late) -> _ => session.controller.signals().stop(),
            recv(session.analyses) -> analysis => if let Ok(analysis) = analysis {
                session.show(analysis)?;
            },
        }
    }
}

/// What the running search is for.
enum Purpose {
    /// `genmove` and its kin.
    Move { play: bool, cancellable: bool, stream: Option<Format>, prefix: bool },
    /// `lz-analyze`, `kata-analyze`: until any line comes.
    Stream(Format),
    /// Counting: who owns what.
    Count(Count),
    /// Thinking on the opponent's time: until any line comes.
    Ponder,
}

struct Thinking {
    id: Option<u32>,
    color: Color,
    purpose: Purpose,
    start: Instant,
    /// Whether a clock ends it, not a number of playouts.
    timed: bool,
    /// Whether the response was begun (a stream).
    begun: bool,
    cancelled: bool,
}

/// What a command leads to.
enum Outcome {
    /// An answer now.
    Answer(Result<String, String>),
    /// A search, which will answer.
    Search(Box<(Purpose, Task)>),
}

struct Session<W> {
    out: W,
    options: Options,
    controller: Controller<Searcher>,
    analyses: Receiver<Analysis>,
    analysis_sender: Sender<Analysis>,
    record: Record,
    system: TimeSystem,
    clocks: [GameClock; 2],
    queue: Queue,
    thinking: Option<Thinking>,
    last_analysis: Option<Analysis>,
    /// Owners found for a board, by its key, so that two questions about it agree.
    owners: Option<(u64, Analysis)>,
    started: Instant,
    quit: bool,
    /// Set when `quit` is heard: past that time no search for a move goes on.
    leave_by: Option<Instant>,
    /// Whether no more lines will come.
    closed: bool,
}

impl<W: Write> Session<W> {
    fn new(out: W, options: Options) -> Self {
        let (analysis_sender, analyses) = unbounded();
        let mut record = Record::new(options.size);
        record.set_komi(options.komi);
        record.set_rules(options.rules);
        let searcher = Searcher::new(options.threads, options.megabytes);
        Self {
            out,
            controller: Controller::spawn(searcher),
            analyses,
            analysis_sender,
            record,
            system: TimeSystem::None,
            clocks: [GameClock::new(TimeSystem::None); 2],
            queue: Queue::default(),
            thinking: None,
            last_analysis: None,
            owners: None,
            started: Instant::now(),
            quit: false,
            leave_by: None,
            closed: false,
            options,
        }
    }

    fn is_idle(&self) -> bool {
        self.thinking.is_none() && self.queue.is_empty()
    }

    /// Takes a line in.
    fn hear(&mut self, line: String) {
        self.heed(is_interrupt(&line));
        self.queue.push(line);
        if self.queue.ends() && self.leave_by.is_none() {
            self.leave_by = Some(Instant::now() + FAREWELL);
        }
    }

    /// Something was said: an analysis ends at that, any other search if it was an interrupt.
    fn heed(&mut self, interrupt: bool) {
        let Some(thinking) = &mut self.thinking else { return };
        let cancellable = matches!(thinking.purpose, Purpose::Move { cancellable: true, .. });
        let until_any_line = matches!(thinking.purpose, Purpose::Stream(_) | Purpose::Ponder);
        if interrupt || cancellable || until_any_line {
            thinking.cancelled |= cancellable;
            self.controller.signals().stop();
        }
    }

    /// When the search under way must end because `quit` waits. Counts go on: they are short, and
    /// half of one would be a wrong answer. So does a move of a fixed number of playouts, which is to
    /// be the same every time.
    fn deadline(&self) -> Option<Instant> {
        let thinking = self.thinking.as_ref()?;
        let is_late = thinking.timed && matches!(thinking.purpose, Purpose::Move { .. });
        let stopped = self.controller.signals().stopped();
        self.leave_by.filter(|_| is_late && !stopped)
    }

    /// No more lines will come to end an analysis.
    fn end_stream(&mut self) {
        self.closed = true;
        let purpose = self.thinking.as_ref().map(|thinking| &thinking.purpose);
        if matches!(purpose, Some(Purpose::Stream(_) | Purpose::Ponder)) {
            self.controller.signals().stop();
        }
    }

    /// Obeys the waiting lines until one of them thinks.
    fn run_queue(&mut self) -> io::Result<()> {
        while self.thinking.is_none()
            && !self.quit
            && let Some(next) = self.queue.pop()
        {
            let line = match next {
                Next::Line(line) => line,
                Next::Refused(id) => {
                    self.respond(id, Err(TOO_MANY.to_owned()))?;
                    continue;
                }
            };
            let Some(request) = parse(&line) else { continue };
            match self.obey(&request) {
                Outcome::Answer(result) => self.respond(request.id, result)?,
                Outcome::Search(search) => self.think(request.id, *search)?,
            }
            // What came behind the command that thinks now may end it, too.
            if self.thinking.is_some() && !self.queue.is_empty() {
                self.heed(self.queue.has_interrupt());
            }
        }
        Ok(())
    }

    fn respond(&mut self, id: Option<u32>, result: Result<String, String>) -> io::Result<()> {
        let text = Response { id, result }.to_string();
        self.write(&text)
    }

    /// One write for each response, and flushed.
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    fn think(&mut self, id: Option<u32>, (purpose, mut task): (Purpose, Task)) -> io::Result<()> {
        let format = match &purpose {
            Purpose::Stream(format) | Purpose::Move { stream: Some(format), .. } => Some(format),
            _ => None,
        };
        let interval = format.map_or(Duration::MAX / 4, |format| format.interval);
        let begun = format.is_some();
        task.progress =
            Some((interval.min(Duration::from_secs(1 << 30)), self.analysis_sender.clone()));
        task.seed = self.options.seed;
        if begun {
            let id = id.map(|id| id.to_string()).unwrap_or_default();
            self.write(&format!("={id}\n"))?;
        }
        let start = Instant::now();
        let (color, timed) = (task.color, task.playouts.is_none());
        self.thinking =
            Some(Thinking { id, color, purpose, start, timed, begun, cancelled: false });
        self.controller.go(task, Limits { start, ..Limits::default() }, false);
        if self.closed {
            self.end_stream();
        }
        Ok(())
    }

    /// Shows an analysis, if the running command is a stream.
    fn show(&mut self, analysis: Analysis) -> io::Result<()> {
        let purpose = self.thinking.as_ref().map(|thinking| &thinking.purpose);
        let Some(Purpose::Stream(format) | Purpose::Move { stream: Some(format), .. }) = purpose
        else {
            self.last_analysis = Some(analysis);
            return Ok(());
        };
        let text = format.line(&analysis, &self.record.now);
        self.last_analysis = Some(analysis);
        self.write(&text)
    }

    /// The search is over.
    fn finish(&mut self, best: Option<Reply>) -> io::Result<()> {
        while let Ok(analysis) = self.analyses.try_recv() {
            self.show(analysis)?;
        }
        let Some(thinking) = self.thinking.take() else { return Ok(()) };
        let text = match thinking.purpose {
            Purpose::Stream(_) => return self.write("\n"),
            Purpose::Ponder => return Ok(()),
            Purpose::Count(count) => self.count_answer(count),
            Purpose::Move { play, prefix, .. } => {
                let mut text = if thinking.cancelled {
                    "cancelled".to_owned()
                } else {
                    self.clocks[thinking.color.index()].spend(thinking.start.elapsed());
                    self.made(thinking.color, best, play)
                };
                if prefix {
                    text.insert_str(0, "play ");
                }
                Ok(text)
            }
        };
        if thinking.begun {
            let text = text.unwrap_or_else(|error| error);
            self.write(&format!("{text}\n\n"))?;
        } else {
            self.respond(thinking.id, text)?;
        }
        self.ponder(thinking.color.other())
    }

    /// Thinks on the opponent's time, if that is wanted and it is that.
    fn ponder(&mut self, opponent: Color) -> io::Result<()> {
        let now = &self.record.now;
        let moved = now.moves.last().is_some_and(|&(color, _)| color == opponent.other());
        let wanted = self.options.ponder && !self.closed && self.queue.is_empty();
        if !wanted || !moved || now.is_over() {
            return Ok(());
        }
        let task = Task { color: opponent, aim: Aim::Analyse, ..Task::new(now.clone()) };
        self.think(None, (Purpose::Ponder, task))
    }

    fn made(&mut self, color: Color, best: Option<Reply>, play: bool) -> String {
        let mv = match best {
            Some(Reply::Resign) => return "resign".to_owned(),
            // The tree's superko is exact, but the game's word is the last.
            Some(Reply::Move(mv)) if self.record.now.check(color, mv).is_ok() => mv,
            Some(Reply::Move(_)) | None => Move::Pass,
        };
        if play {
            self.record.play(color, mv);
        }
        mv.name(self.record.now.board.size())
    }
}
