//! The laboratory: trees and small games under any search, number by number. `tegenspel tree FILE`,
//! `tegenspel solve GAME`, `tegenspel play GAME`, and a loop over the first two on standard input.

mod draw;
mod options;
mod play;
mod solve;
mod trace;
mod tree;

use std::{
    io::{self, Write},
    time::Instant,
};

use crossbeam_channel::Sender;

use crate::engine::{Controller, Limits, Report, Searcher, Signals};

use super::{Outcome, input};
use options::Options;

const HELP: &str = "\
tegenspel tree FILE [options]       search a tree (.json or .efg; - is standard input)
tegenspel solve GAME [options]      search a small game
tegenspel play GAME [options]       play it: your move as it is listed
tegenspel solve                     read such commands, and stop, quit, from standard input
games: tictactoe[:M,N,K] connect4 nim[:N] pig[:GOAL] kuhn leduc blind
       chess[:FEN, _ for blanks], ending:KRk and the like (solve only)
options (a command refuses what it does not use):
  --algorithm A     minimax negamax alphabeta expectiminimax star1 star2 maxn paranoid
                    mcts puct flat pimc ismcts cfr solver proof
  --depth N --nodes N --time MS       limits
  --window A,B      root window of alphabeta
  --order X,Y,Z     order of the root's moves in a tree
  --model P=M       player P (name or number) of a tree is adversary or random
  --ties T          first, last, worst:P or best:P (maxn)
  --player P        whose value of a tree is asked for
  --bounds L,H      utility bounds of a tree (star1, star2)
  --simulations N --c X --seed N      Monte-Carlo
  --moves M,M,...   moves played before the search (solve, play)
  --table FILE      write every position of an ending with its value
  --steps           every step, as a lecture draws it
  --svg FILE --dot FILE               draw the tree of a file";

/// Runs one command, given as words. What is wrong with it is said on standard error.
pub(super) fn run(words: &[String]) -> io::Result<Outcome> {
    if words.iter().any(|word| word == "--help") {
        return super::print(HELP);
    }
    let told = match words.first().map(String::as_str) {
        Some("solve") if words.len() == 1 => return run_loop().map(|()| Outcome::Done),
        Some("play") => play::run(&words[1..]),
        _ => run_command(words, &|| false, &mut |line| {
            // A reader that has gone away is no reason to fail.
            let _ = writeln!(io::stdout(), "{line}");
        }),
    };
    Ok(match told {
        Ok(()) => Outcome::Done,
        Err(reason) => {
            let _ = writeln!(io::stderr(), "{reason}");
            Outcome::Refused
        }
    })
}

/// `tree …` or `solve …`; says its lines to `say`.
fn run_command(
    words: &[String],
    interrupt: &dyn Fn() -> bool,
    say: &mut dyn FnMut(String),
) -> Result<(), String> {
    let (Some(command), Some(subject)) = (words.first(), words.get(1)) else {
        return Err(format!("what should be searched?\n{HELP}"));
    };
    let options = Options::parse(command, &words[2..])?;
    match command.as_str() {
        "tree" => tree::run(subject, &options, interrupt, say),
        "solve" => solve::run(subject, &options, interrupt, say),
        other => Err(format!("unknown command '{other}'")),
    }
}

/// The laboratory as a thinking thread has it.
#[derive(Debug)]
struct Lab;

impl Searcher for Lab {
    type Position = Vec<String>;
    type Move = String;

    fn think(
        &mut self,
        words: Vec<String>,
        _limits: &Limits,
        signals: &Signals,
        reports: &Sender<Report<String>>,
    ) {
        let start = Instant::now();
        let mut best = None;
        let mut say = |line: String| {
            best = line.strip_prefix("decision: ").map(str::to_owned).or(best.take());
            let _ = reports.send(Report::Message(line));
        };
        let told = match &words[..] {
            [command, file, ..] if command == "tree" && file == "-" => {
                Err("standard input is where commands come from: name a file".to_owned())
            }
            words => run_command(words, &|| signals.stopped(), &mut say),
        };
        if let Err(reason) = told {
            say(format!("error: {reason}"));
        }
        say(format!("time: {} ms", start.elapsed().as_millis()));
        let _ = reports.send(Report::Done { best, ponder: None });
    }
}

/// One command a line; a search's lines come as `info string …`, its end as `bestmove …`.
fn run_loop() -> io::Result<()> {
    let controller = Controller::spawn(Lab);
    let lines = input::channel(input::lines());
    let mut thinking = false;
    let mut out = io::stdout();
    loop {
        crossbeam_channel::select! {
            recv(lines) -> line => {
                let Ok(line) = line else { break };
                let line = String::from_utf8_lossy(&line);
                let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
                match words.first().map(String::as_str) {
                    None => {}
                    Some("quit") => return Ok(()),
                    Some("stop") => controller.signals().stop(),
                    Some("isready") => writeln!(out, "readyok")?,
                    Some(_) if thinking => writeln!(out, "info string error: a search is on; say stop")?,
                    Some(_) => {
                        thinking = true;
                        controller.go(words, Limits::default(), false);
                    }
                }
            }
            recv(controller.reports()) -> report => {
                thinking &= write_report(&mut out, report.ok())?;
            }
        }
    }
    // End of input lets a search finish: a script need not wait for it by itself.
    while thinking {
        thinking = write_report(&mut out, controller.reports().recv().ok())?;
    }
    Ok(())
}

/// Writes what a search said; false once it has ended.
fn write_report(out: &mut impl Write, report: Option<Report<String>>) -> io::Result<bool> {
    match report {
        Some(Report::Message(line)) => {
            let line =
                line.strip_prefix("info ").map_or_else(|| format!("string {line}"), str::to_owned);
            writeln!(out, "info {line}")?;
            Ok(true)
        }
        Some(Report::Done { best, .. }) => {
            writeln!(out, "bestmove {}", best.as_deref().unwrap_or("(none)"))?;
            out.flush()?;
            Ok(false)
        }
        // The laboratory's searches say all in words.
        Some(_) => Ok(true),
        None => Ok(false),
    }
}
