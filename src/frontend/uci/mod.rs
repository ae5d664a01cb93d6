//! Chess over UCI.

mod bench;
mod output;
mod session;

use std::io::{self, stdout};

use crossbeam_channel::{Receiver, bounded, select};

use self::session::Session;
use crate::chess::{Searcher, Settings};

/// Runs until `quit` or end of input.
///
/// # Errors
/// If standard output cannot be written, or the engine cannot be set up.
pub fn run() -> io::Result<()> {
    serve(&super::input::lines(), false)
}

/// Runs one command, as if it had been typed, and ends when it is answered.
///
/// # Errors
/// As [`run`].
pub fn run_command(line: &str) -> io::Result<()> {
    let (sender, lines) = bounded(1);
    sender.send(line.as_bytes().to_vec()).map_err(io::Error::other)?;
    drop(sender);
    serve(&lines, true)
}

/// The loop: a line or a report, whichever comes first. It never waits for a search.
fn serve(lines: &Receiver<Vec<u8>>, one_command: bool) -> io::Result<()> {
    let searcher = Searcher::new(&Settings::default()).map_err(io::Error::other)?;
    let mut session = Session::new(stdout(), searcher);
    let reports = session.reports().clone();
    loop {
        select! {
            recv(lines) -> line => match line {
                Ok(line) => if session.obey(&line)?.is_break() { return Ok(()) },
                Err(_) => break,
            },
            recv(reports) -> report => match report {
                Ok(report) => session.report(&report)?,
                Err(_) => return Ok(()),
            },
        }
    }
    while one_command && session.is_busy() {
        match reports.recv() {
            Ok(report) => session.report(&report)?,
            Err(_) => break,
        }
    }
    Ok(())
}
