//! What the engine says, as lines: one write each, flushed, and copied to the log file if there is
//! one.

use std::{
    fs::File,
    io::{self, Write},
};

use protocol::uci::{Answer, Bound, Choice, Info, OptionKind, Score};

use crate::{
    chess::{Move, OPTIONS, Position, Settings, score},
    engine::{self, Kind},
};

/// Standard output and the log.
#[derive(Debug)]
pub(super) struct Output<W> {
    out: W,
    log: Option<File>,
}

impl<W: Write> Output<W> {
    pub(super) const fn new(out: W) -> Self {
        Self { out, log: None }
    }

    /// Logs to `path` from now on, or not at all if it is empty.
    pub(super) fn open_log(&mut self, path: &str) -> io::Result<()> {
        self.log = None;
        if !path.is_empty() {
            self.log = Some(File::options().append(true).create(true).open(path)?);
        }
        Ok(())
    }

    /// Notes a line that came in.
    pub(super) fn note_input(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            // A full disk must not end a game.
            let _ = writeln!(log, ">> {line}");
        }
    }

    /// Writes a line, or several at once.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        if let Some(log) = &mut self.log {
            for line in text.lines() {
                let _ = writeln!(log, "<< {line}");
            }
        }
        self.out.write_all(format!("{text}\n").as_bytes())?;
        self.out.flush()
    }

    pub(super) fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        self.line(&answer.to_string())
    }

    /// A message to a person.
    pub(super) fn message(&mut self, text: impl Into<String>) -> io::Result<()> {
        self.answer(&Answer::Info(Box::new(Info::text(text))))
    }
}

/// The engine's options, as `uci` lists them.
pub(super) fn choices() -> Vec<Answer> {
    let defaults = Settings::default();
    OPTIONS
        .iter()
        .map(|option| {
            let kind = match &option.kind {
                Kind::Spin(range, get, _) => OptionKind::Spin {
                    default: get(&defaults),
                    min: *range.start(),
                    max: *range.end(),
                },
                Kind::Check(get, _) => OptionKind::Check { default: get(&defaults) },
                Kind::Text(get, _) => OptionKind::Text { default: get(&defaults).to_owned() },
                Kind::Button(_) => OptionKind::Button,
            };
            Answer::Option(Choice { name: option.name.to_owned(), kind })
        })
        .collect()
}

/// How the lines of one search are written.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) root: Position,
    pub(super) chess960: bool,
    pub(super) show_wdl: bool,
    pub(super) minimal: bool,
}

impl Style {
    /// A line of moves, each from the position it is played in.
    fn moves(&self, moves: &[Move]) -> Vec<String> {
        let mut position = self.root.clone();
        moves
            .iter()
            .map_while(|&mv| {
                position.is_legal(mv).then(|| {
                    let text = position.move_text(mv, self.chess960);
                    position.play(mv);
                    text
                })
            })
            .collect()
    }

    pub(super) fn info(&self, info: &engine::Info<Move>) -> Answer {
        let milliseconds = info.time.as_millis().max(1);
        Answer::Info(Box::new(Info {
            depth: Some(info.depth),
            seldepth: Some(info.seldepth),
            multipv: Some(info.multipv),
            score: Some(match score::moves_to_mate(info.score) {
                Some(moves) => Score::Mate(moves),
                None => Score::Centipawns(info.score),
            }),
            bound: match info.bound {
                engine::Bound::Exact => Bound::Exact,
                engine::Bound::Lower => Bound::Lower,
                engine::Bound::Upper => Bound::Upper,
            },
            wdl: self.show_wdl.then_some(info.wdl),
            nodes: Some(info.nodes),
            nps: Some((u128::from(info.nodes) * 1000 / milliseconds) as u64),
            hashfull: Some(info.hashfull),
            tb_hits: Some(info.tb_hits),
            time: Some(info.time),
            pv: self.moves(&info.pv),
            ..Info::default()
        }))
    }

    pub(super) fn best_move(&self, best: Option<Move>, ponder: Option<Move>) -> Answer {
        let line: Vec<Move> = best.into_iter().chain(ponder).collect();
        let mut texts = self.moves(&line).into_iter();
        Answer::BestMove { best: texts.next(), ponder: texts.next() }
    }
}
