//! What the engine says, as lines: one write each, flushed, and copied to the log file if there is
//! one.

use std::{
    fmt::Write as _,
    fs::File,
    io::{self, Write},
    time::Duration,
};

use protocol::uci::{Answer, Bound, Choice, Info, OptionKind, Score};

#[cfg(feature = "tune")]
use crate::chess::search::tunables::TUNABLES;
use crate::{
    chess::{
        Move, OPTIONS, Position, Record, Settings,
        score::{self, TB_WIN, TB_WIN_IN_MAX},
    },
    engine::{self, Kind},
};

/// What a tablebase win is shown as, less the plies to it: Stockfish's figure, which GUIs know.
const SHOWN_TB_WIN: i32 = 20_000;

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
    ///
    /// # Errors
    /// If the file cannot be opened; the log is then what it was.
    pub(super) fn open_log(&mut self, path: &str) -> io::Result<()> {
        let open = || File::options().append(true).create(true).open(path);
        self.log = if path.is_empty() { None } else { Some(open()?) };
        Ok(())
    }

    /// Notes a line that came in.
    pub(super) fn note_input(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            // A full disk must not end a game.
            let _ = log.write_all(format!(">> {line}\n").as_bytes());
        }
    }

    /// Writes a line, or several at once: one write, since some GUIs take what one read gives them
    /// for a whole line.
    ///
    /// # Errors
    /// If there is nobody to read it.
    pub(super) fn line(&mut self, text: &str) -> io::Result<()> {
        if let Some(log) = &mut self.log {
            let copy: String = text.lines().fold(String::new(), |mut copy, line| {
                let _ = writeln!(copy, "<< {line}");
                copy
            });
            let _ = log.write_all(copy.as_bytes());
        }
        self.out.write_all(format!("{text}\n").as_bytes())?;
        self.out.flush()
    }

    pub(super) fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        self.line(&answer.to_string())
    }

    /// Several lines in one write.
    pub(super) fn answers(&mut self, answers: &[Answer]) -> io::Result<()> {
        let lines: Vec<String> = answers.iter().map(Answer::to_string).collect();
        self.line(&lines.join("\n"))
    }

    /// A message to a person.
    pub(super) fn message(&mut self, text: impl Into<String>) -> io::Result<()> {
        self.answer(&Answer::Info(Box::new(Info::text(text))))
    }
}

#[cfg(test)]
impl<W> Output<W> {
    pub(super) const fn inner(&mut self) -> &mut W {
        &mut self.out
    }
}

/// The engine's options, as `uci` lists them; in a `tune` build the tunables of the search, too.
pub(super) fn choices() -> impl Iterator<Item = Answer> {
    let defaults = Settings::default();
    let settings = OPTIONS.iter().map(move |option| {
        let kind = match &option.kind {
            Kind::Spin(range, get, _) => {
                OptionKind::Spin { default: get(&defaults), min: *range.start(), max: *range.end() }
            }
            Kind::Check(get, _) => OptionKind::Check { default: get(&defaults) },
            Kind::Text(get, _) => OptionKind::Text { default: get(&defaults).to_owned() },
            Kind::Combo(words, get, _) => OptionKind::Combo {
                default: get(&defaults).to_owned(),
                choices: words.iter().map(|&word| word.to_owned()).collect(),
            },
            Kind::Button(_) => OptionKind::Button,
        };
        Answer::Option(Choice { name: option.name.to_owned(), kind })
    });
    #[cfg(feature = "tune")]
    let settings = settings.chain(TUNABLES.iter().map(|tunable| {
        let (default, min, max) = (tunable.default, tunable.min, tunable.max);
        let [default, min, max] = [default, min, max].map(i64::from);
        Answer::Option(Choice {
            name: tunable.name.to_owned(),
            kind: OptionKind::Spin { default, min, max },
        })
    }));
    settings
}

/// How the lines of one search are written: where its moves begin, and what was set when it was
/// asked for.
#[derive(Debug, Clone)]
pub(super) struct Style {
    root: Position,
    /// Keys of the positions before the root that may still be repeated.
    past: Vec<u64>,
    chess960: bool,
    show_wdl: bool,
    pub(super) minimal: bool,
}

impl Style {
    pub(super) fn new(record: &Record, settings: &Settings) -> Self {
        let root = record.position().clone();
        let keys = record.keys();
        let reversible = (root.halfmove_clock() as usize).min(keys.len());
        Self {
            root,
            past: keys[keys.len() - reversible..].to_vec(),
            chess960: settings.chess960,
            show_wdl: settings.show_wdl,
            minimal: settings.minimal,
        }
    }

    /// A line of moves as text, as far as it is legal and the game goes on: match runners complain of
    /// moves behind a draw.
    fn moves(&self, moves: &[Move]) -> Vec<String> {
        let mut position = self.root.clone();
        let mut past = self.past.clone();
        let mut texts = Vec::with_capacity(moves.len());
        for &mv in moves {
            if !position.is_legal(mv) {
                break;
            }
            texts.push(position.move_text(mv, self.chess960));
            past.push(position.key());
            position.play(mv);
            if is_drawn(&position, &past) {
                break;
            }
        }
        texts
    }

    pub(super) fn info(&self, info: &engine::Info<Move>) -> Answer {
        Answer::Info(Box::new(Info {
            depth: Some(info.depth),
            seldepth: Some(info.seldepth),
            multipv: Some(info.multipv),
            score: Some(shown_score(info.score, info.pawn)),
            bound: match info.bound {
                engine::Bound::Exact => Bound::Exact,
                engine::Bound::Lower => Bound::Lower,
                engine::Bound::Upper => Bound::Upper,
            },
            wdl: self.show_wdl.then_some(info.wdl),
            nodes: Some(info.nodes),
            nps: Some(per_second(info.nodes, info.time)),
            hashfull: Some(info.hashfull.min(1000)),
            tb_hits: Some(info.tb_hits),
            time: Some(info.time),
            pv: self.moves(&info.pv),
            ..Info::default()
        }))
    }

    pub(super) fn current_move(&self, depth: u32, mv: Move, number: u32) -> Answer {
        Answer::Info(Box::new(Info {
            depth: Some(depth),
            current_move: Some(self.root.move_text(mv, self.chess960)),
            current_move_number: Some(number),
            ..Info::default()
        }))
    }

    pub(super) fn best_move(&self, best: Option<Move>, ponder: Option<Move>) -> Answer {
        let line: Vec<Move> = best.into_iter().chain(ponder).collect();
        let mut texts = self.moves(&line).into_iter();
        Answer::BestMove { best: texts.next(), ponder: texts.next() }
    }
}

/// Drawn by threefold repetition, fifty moves or lack of material; `past` are the keys before.
fn is_drawn(position: &Position, past: &[u64]) -> bool {
    let reversible = position.halfmove_clock() as usize;
    let key = position.key();
    let earlier = past.iter().rev().take(reversible).filter(|&&other| other == key).count();
    earlier >= 2 || reversible >= 100 || position.has_insufficient_material()
}

/// A score as GUIs understand it: a mate in moves, a tablebase win near 20,000, any estimate below.
pub(super) fn shown_score(value: score::Score, pawn: score::Score) -> Score {
    if let Some(moves) = score::moves_to_mate(value) {
        return Score::Mate(moves);
    }
    let size = value.abs();
    let shown = if size >= TB_WIN_IN_MAX {
        SHOWN_TB_WIN - (TB_WIN - size)
    } else {
        // The wide type for safety: a score times a hundred.
        (i64::from(size) * 100 / i64::from(pawn.max(1))).min(i64::from(SHOWN_TB_WIN - 1000)) as i32
    };
    Score::Centipawns(shown * value.signum())
}

pub(super) fn heartbeat(nodes: u64, time: Duration, hashfull: u32) -> Answer {
    Answer::Info(Box::new(Info {
        nodes: Some(nodes),
        nps: Some(per_second(nodes, time)),
        hashfull: Some(hashfull.min(1000)),
        time: Some(time),
        ..Info::default()
    }))
}

/// Nodes a second; a search of no time took a millisecond.
fn per_second(nodes: u64, time: Duration) -> u64 {
    let rate = u128::from(nodes) * 1000 / time.as_millis().max(1);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fen: &str, moves: &str) -> Record {
        let mut record = Record::new(Position::from_fen(fen).unwrap());
        for text in moves.split_whitespace() {
            record.push(record.position().parse_move(text).unwrap());
        }
        record
    }

    fn line(record: &Record, texts: &str) -> Vec<Move> {
        let mut position = record.position().clone();
        texts
            .split_whitespace()
            .map(|text| {
                let mv = position.parse_move(text).unwrap();
                position.play(mv);
                mv
            })
            .collect()
    }

    #[test]
    fn a_line_ends_at_the_third_repetition_counted_with_the_game() {
        let game = record(
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "g1f3 g8f6 f3g1 f6g8",
        );
        let pv = line(&game, "g1f3 g8f6 f3g1 f6g8 e2e4");
        let style = Style::new(&game, &Settings::default());
        assert_eq!(style.moves(&pv), ["g1f3", "g8f6", "f3g1", "f6g8"]);
    }

    #[test]
    fn a_line_ends_at_the_fiftieth_quiet_move_and_without_material() {
        let quiet = record("7k/8/5K2/8/8/8/8/R7 w - - 98 90", "");
        let pv = line(&quiet, "a1a2 h8g8 a2a3 g8h8");
        assert_eq!(Style::new(&quiet, &Settings::default()).moves(&pv).len(), 2);
        let bare = record("8/8/8/3k4/4P3/8/8/3K4 b - - 0 1", "");
        let pv = line(&bare, "d5e4 d1e1");
        assert_eq!(Style::new(&bare, &Settings::default()).moves(&pv), ["d5e4"]);
    }

    #[test]
    fn castling_is_written_as_the_option_says() {
        let game = record("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "");
        let pv = line(&game, "e1g1");
        let settings = Settings { chess960: true, ..Settings::default() };
        assert_eq!(Style::new(&game, &Settings::default()).moves(&pv), ["e1g1"]);
        assert_eq!(Style::new(&game, &settings).moves(&pv), ["e1h1"]);
    }

    #[test]
    fn no_estimate_looks_like_a_mate_or_a_tablebase_win() {
        assert_eq!(shown_score(31_000, 100), Score::Centipawns(19_000));
        assert_eq!(shown_score(-31_000, 100), Score::Centipawns(-19_000));
        assert_eq!(shown_score(TB_WIN - 3, 100), Score::Centipawns(19_997));
        assert_eq!(shown_score(score::mate_in(1), 100), Score::Mate(1));
        assert_eq!(shown_score(score::mated_in(2), 100), Score::Mate(-1));
        assert_eq!(shown_score(0, 100), Score::Centipawns(0));
        assert_eq!(shown_score(-75, 150), Score::Centipawns(-50));
    }

    #[test]
    fn a_search_of_no_time_has_a_finite_speed() {
        assert_eq!(per_second(7, Duration::ZERO), 7000);
        assert_eq!(per_second(u64::MAX, Duration::ZERO), u64::MAX);
    }
}
