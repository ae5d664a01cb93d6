//! Chess over UCI.

mod bench;
mod display;
mod output;
mod session;

use std::{
    io::{self, Write, stdout},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::bounded;
use parking_lot::Mutex;

use self::{
    display::perft_text,
    session::{Action, Session},
};
use super::Outcome;
use crate::{
    chess::{Searcher, Settings},
    engine::{Controller, Report},
};

/// How long whoever quits waits for the answers that are due: a search that is told to stop has one
/// within some milliseconds.
const PARTING: Duration = Duration::from_millis(250);

/// Obeys the lines until `quit` or until they end. It never waits for a search.
///
/// The thread that reads answers, too; another passes on what the search says. Each holds the
/// session while it does so, so that one thread prints at a time. A thread for the session alone
/// would be one more to wake before an answer, and with all processors searching that was measured
/// at a tick of the system, four milliseconds, in one case of a hundred.
///
/// # Errors
/// If standard output cannot be written, or the engine cannot be set up.
pub(super) fn converse(
    lines: impl Iterator<Item = Vec<u8>> + Send + 'static,
) -> io::Result<Outcome> {
    let reader = Arc::new(Mutex::new(Conversation::new(stdout())?));
    let listener = Arc::clone(&reader);
    let reports = reader.lock().controller.reports().clone();
    // Whoever ends first ends the program: the other may be waiting for a line or a search.
    let (ended, end) = bounded(2);
    let reader_ended = ended.clone();
    thread::spawn(move || {
        let result = obey(&reader, lines);
        let _ = reader_ended.send(result);
    });
    thread::spawn(move || {
        for report in reports {
            if let Err(error) = listener.lock().pass_on(&report) {
                let _ = ended.send(Err(error));
                break;
            }
        }
    });
    end.recv().unwrap_or(Ok(Outcome::Done))
}

fn obey<W: Write>(
    conversation: &Mutex<Conversation<W>>,
    lines: impl Iterator<Item = Vec<u8>>,
) -> io::Result<Outcome> {
    // The end of input is a `quit`.
    for line in lines.chain([b"quit".to_vec()]) {
        if !conversation.lock().hear(&line)? {
            break;
        }
    }
    let start = Instant::now();
    while !conversation.lock().session.is_idle() && start.elapsed() < PARTING {
        thread::sleep(Duration::from_millis(1)); // the listening thread passes the answers on
    }
    conversation.lock().conclude()?;
    Ok(Outcome::Done)
}

/// Obeys one line, as if it had been typed, and ends when it is answered.
///
/// # Errors
/// As [`converse`].
pub(super) fn answer(line: &str) -> io::Result<Outcome> {
    let mut conversation = Conversation::new(stdout())?;
    let mut goes_on = conversation.hear(line.as_bytes())?;
    while goes_on && !conversation.session.is_idle() {
        match conversation.controller.reports().recv() {
            Ok(report) => goes_on = conversation.pass_on(&report)?,
            Err(_) => break,
        }
    }
    if goes_on {
        conversation.controller.settle();
        conversation.pass_on_all()?;
    }
    Ok(if conversation.session.has_refused() { Outcome::Refused } else { Outcome::Done })
}

/// A session and the thread that thinks for it.
struct Conversation<W> {
    session: Session<W>,
    controller: Controller<Searcher>,
}

impl<W: Write> Conversation<W> {
    fn new(out: W) -> io::Result<Self> {
        let searcher = Searcher::new(&Settings::default()).map_err(io::Error::other)?;
        Ok(Self { session: Session::new(out), controller: Controller::spawn(searcher) })
    }

    /// A line has come; false at `quit`.
    fn hear(&mut self, line: &[u8]) -> io::Result<bool> {
        self.session.obey(line)?;
        Ok(self.act())
    }

    /// The thinking thread has said something; false if the program is to end.
    fn pass_on(&mut self, report: &Report<crate::chess::Move>) -> io::Result<bool> {
        self.session.report(report)?;
        Ok(self.act())
    }

    /// Passes on what has been said so far.
    fn pass_on_all(&mut self) -> io::Result<()> {
        let said: Vec<_> = self.controller.reports().try_iter().collect();
        said.iter().try_for_each(|report| self.pass_on(report).map(drop))
    }

    /// Does what must be done before the end.
    fn conclude(&mut self) -> io::Result<()> {
        for action in self.session.last_actions() {
            self.perform(action);
        }
        self.pass_on_all()
    }

    fn act(&mut self) -> bool {
        self.session.take_actions().into_iter().all(|action| self.perform(action))
    }

    fn perform(&self, action: Action) -> bool {
        let controller = &self.controller;
        match action {
            Action::Search { root, limits, ponder } => controller.go(*root, limits, ponder),
            Action::Perft { position, depth, chess960 } => {
                controller.signals().reset(false);
                controller.run(move |_, signals, reports| {
                    let text = perft_text(&position, depth, chess960, &|| signals.stopped());
                    let _ = reports.send(Report::Output(text));
                });
            }
            Action::Bench { words, current } => {
                controller.signals().reset(false);
                controller.run(move |_, signals, reports| {
                    let result = bench::run(&words, &current, signals);
                    let _ = reports.send(result.map_or_else(Report::Failure, Report::Output));
                });
            }
            Action::SpeedTest { words } => {
                controller.signals().reset(false);
                controller.run(move |_, signals, reports| {
                    let result = bench::speed_test(&words, signals);
                    let _ = reports.send(result.map_or_else(Report::Failure, Report::Output));
                });
            }
            Action::LookUp(position) => controller.run(move |searcher, _, reports| {
                let _ = reports.send(Report::Output(searcher.table_verdict(&position)));
            }),
            Action::Explain(position) => controller.run(move |searcher, _, reports| {
                let _ = reports.send(Report::Output(searcher.explain(&position)));
            }),
            Action::Apply(settings) => controller.run(move |searcher, _, reports| {
                for message in searcher.apply(&settings) {
                    let _ = reports.send(Report::Message(message));
                }
            }),
            Action::Forget => controller.call(Searcher::forget),
            Action::Sync => controller.run(|_, _, reports| {
                let _ = reports.send(Report::Ready);
            }),
            Action::Settle => controller.settle(),
            Action::Stop => controller.signals().stop(),
            Action::PonderHit => controller.signals().ponderhit(),
            Action::Quit => return false,
        }
        true
    }
}
