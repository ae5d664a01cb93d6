//! Every command by name, and those that play.

use std::{fmt::Write as _, fs, io::Write};

use protocol::gtp::Request;

use super::{Outcome, Session, counting::Count, setup};
use crate::go::{Color, Move, Point, Record, benson, score::Status, search::GameClock};

/// The commands, as `list_commands` shows them.
pub(super) const COMMANDS: &[&str] = &[
    "all_legal",
    "analyze",
    "black",
    "boardsize",
    "captures",
    "cgos-gameover",
    "clear_board",
    "clear_cache",
    "cputime",
    "final_score",
    "final_status",
    "final_status_list",
    "fixed_handicap",
    "genmove",
    "genmove_analyze",
    "genmove_black",
    "genmove_white",
    "get_komi",
    "gg-undo",
    "gogui-analyze_commands",
    "gogui-interrupt",
    "gogui-play_sequence",
    "gogui-setup",
    "gogui-setup_player",
    "gomill-cpu_time",
    "gomill-describe_engine",
    "is_legal",
    "kata-analyze",
    "kata-genmove_analyze",
    "kata-get-param",
    "kata-get-params",
    "kata-get-rules",
    "kata-list-params",
    "kata-list_time_settings",
    "kata-search",
    "kata-search_analyze",
    "kata-search_analyze_cancellable",
    "kata-search_cancellable",
    "kata-set-param",
    "kata-set-params",
    "kata-set-rule",
    "kata-set-rules",
    "kata-time_settings",
    "kgs-game_over",
    "kgs-genmove_cleanup",
    "kgs-rules",
    "kgs-time_settings",
    "known_command",
    "komi",
    "level",
    "list_commands",
    "list_stones",
    "loadsgf",
    "lz-analyze",
    "lz-genmove_analyze",
    "move_history",
    "name",
    "place_free_handicap",
    "play",
    "printsgf",
    "protocol_version",
    "quit",
    "rectangular_boardsize",
    "reg_genmove",
    "set_free_handicap",
    "set_position",
    "set_random_seed",
    "showboard",
    "stop",
    "time_left",
    "time_settings",
    "unconditional_status",
    "undo",
    "version",
    "white",
];

pub(super) type Answer = Result<String, String>;

#[expect(clippy::unnecessary_wraps, reason = "the answer of every command that has none")]
pub(super) fn done() -> Answer {
    Ok(String::new())
}

impl<W: Write> Session<W> {
    pub(super) fn obey(&mut self, request: &Request) -> Outcome {
        let words = &request.arguments[..];
        let search = match request.name.as_str() {
            "genmove"
            | "genmove_black"
            | "genmove_white"
            | "reg_genmove"
            | "kata-search"
            | "kata-search_cancellable"
            | "kgs-genmove_cleanup" => self.genmove(&request.name, words),
            "lz-genmove_analyze"
            | "kata-genmove_analyze"
            | "genmove_analyze"
            | "kata-search_analyze"
            | "kata-search_analyze_cancellable" => self.genmove_analyze(&request.name, words),
            "lz-analyze" | "kata-analyze" | "analyze" => self.analyze(&request.name, words),
            "final_score" => return self.count(Count::Score),
            "final_status_list" => match words.first().map(String::as_str) {
                Some("alive") => return self.count(Count::List(Status::Alive)),
                Some("dead") => return self.count(Count::List(Status::Dead)),
                Some("seki") => return self.count(Count::List(Status::Seki)),
                _ => Err("syntax error".to_owned()),
            },
            "final_status" => match self.point(words.first()) {
                Ok(point) => return self.count(Count::Point(point)),
                Err(error) => Err(error),
            },
            _ => {
                let answer = self.quick(&request.name, words);
                return Outcome::Answer(answer);
            }
        };
        match search {
            Ok(search) => Outcome::Search(Box::new(search)),
            Err(error) => Outcome::Answer(Err(error)),
        }
    }

    fn quick(&mut self, name: &str, words: &[String]) -> Answer {
        match name {
            "protocol_version" => Ok("2".to_owned()),
            "name" => Ok(self.options.name.clone()),
            "version" => Ok(self.options.version.clone()),
            "list_commands" => Ok(COMMANDS.join("\n")),
            "known_command" => {
                let known = words.first().is_some_and(|word| COMMANDS.contains(&word.as_str()));
                Ok(known.to_string())
            }
            "quit" => {
                self.quit = true;
                done()
            }
            "stop" | "gogui-interrupt" | "kgs-game_over" | "cgos-gameover" | "level" => done(),
            "clear_cache" => {
                self.owners = None;
                self.controller.call(crate::go::search::Searcher::forget);
                done()
            }
            "cputime" | "gomill-cpu_time" => {
                Ok(format!("{:.3}", cpu_seconds().unwrap_or(self.started.elapsed().as_secs_f64())))
            }
            "gomill-describe_engine" => {
                Ok(format!("{} {}", self.options.name, self.options.version))
            }
            "kata-list-params" | "kata-get-param" | "kata-get-params" | "kata-set-param"
            | "kata-set-params" => self.parameters(name, words),
            "set_random_seed" => {
                self.options.seed = parse(words.first())?;
                done()
            }
            "time_settings"
            | "kgs-time_settings"
            | "kata-time_settings"
            | "time_left"
            | "kata-list_time_settings" => self.time(name, words),
            "kgs-rules" | "kata-set-rules" | "kata-set-rule" | "kata-get-rules" => {
                self.rules(name, words)
            }
            "gogui-analyze_commands" => Ok("none/Final Score/final_score\n\
                plist/Final Status List/final_status_list %s\n\
                plist/All Legal/all_legal %c\nplist/Pass Alive/unconditional_status %c"
                .to_owned()),
            "showboard" => Ok(format!("\n{}", setup::picture(&self.record.now))),
            "printsgf" => self.print_sgf(words),
            "loadsgf" => self.load_sgf(words),
            _ => self.game(name, words),
        }
    }

    /// Commands that read or change the game.
    fn game(&mut self, name: &str, words: &[String]) -> Answer {
        match name {
            "boardsize" => self.board_size(words.first(), words.first()),
            "rectangular_boardsize" => self.board_size(words.first(), words.get(1)),
            "clear_board" => {
                self.clear(self.record.now.board.size());
                done()
            }
            "komi" => {
                let komi: f32 = parse(words.first())?;
                if !komi.is_finite() || komi.abs() > 10_000.0 {
                    return Err("komi is not a number in range".to_owned());
                }
                self.record.set_komi(komi);
                self.owners = None;
                done()
            }
            "get_komi" => Ok(self.record.now.komi.to_string()),
            "play" => {
                let color = color(words.first())?;
                self.play(color, words.get(1))
            }
            "black" => self.play(Color::Black, words.first()),
            "white" => self.play(Color::White, words.first()),
            "undo" => self.undo(1),
            "gg-undo" => {
                let count = if words.is_empty() { 1 } else { parse(words.first())? };
                self.undo(count)
            }
            "gogui-play_sequence" => self.sequence(words),
            "gogui-setup" | "set_position" => self.set_position(name, words),
            "gogui-setup_player" => self.set_player(words.first()),
            "fixed_handicap" => self.fixed_handicap(words.first(), true),
            "place_free_handicap" => self.fixed_handicap(words.first(), false),
            "set_free_handicap" => self.free_handicap(words),
            "is_legal" => {
                let color = color(words.first())?;
                let mv = self.vertex(words.get(1))?;
                Ok(u8::from(self.record.now.check(color, mv).is_ok()).to_string())
            }
            "all_legal" => {
                let points = self.record.now.legal_points(color(words.first())?);
                Ok(self.names(points))
            }
            "list_stones" => {
                let color = color(words.first())?;
                let board = &self.record.now.board;
                Ok(self.names(board.points().filter(|&point| board.stone(point) == Some(color))))
            }
            "captures" => {
                let color = color(words.first())?;
                Ok(self.record.now.board.captured_by(color).to_string())
            }
            "move_history" => {
                let size = self.record.now.board.size();
                let mut text = String::new();
                for &(color, mv) in self.record.now.moves.iter().rev() {
                    let _ = writeln!(text, "{color} {}", mv.name(size));
                }
                Ok(text)
            }
            "unconditional_status" => {
                let board = &self.record.now.board;
                let safe = benson::pass_alive(board, color(words.first())?);
                Ok(self.names(board.points().filter(|point| safe[point.cell()])))
            }
            _ => Err("unknown command".to_owned()),
        }
    }

    pub(super) fn names(&self, points: impl IntoIterator<Item = Point>) -> String {
        let size = self.record.now.board.size();
        points.into_iter().map(|point| point.name(size)).collect::<Vec<_>>().join(" ")
    }

    fn board_size(&mut self, x: Option<&String>, y: Option<&String>) -> Answer {
        let (x, y): (i64, i64) = (parse(x)?, parse(y)?);
        if x != y || !(2..=crate::go::MAX_SIZE as i64).contains(&x) {
            return Err("unacceptable size".to_owned());
        }
        self.clear(x as usize);
        done()
    }

    /// An empty board; komi, rules and time settings stay.
    fn clear(&mut self, size: usize) {
        let mut record = Record::new(size);
        record.set_komi(self.record.now.komi);
        record.set_rules(self.record.now.rules);
        self.begin(record);
    }

    /// Another game: the clocks are full, and nothing is known of it yet.
    pub(super) fn begin(&mut self, record: Record) {
        self.record = record;
        self.clocks = [GameClock::new(self.system); 2];
        self.owners = None;
        self.controller.call(crate::go::search::Searcher::forget);
    }

    fn vertex(&self, word: Option<&String>) -> Result<Move, String> {
        let word = word.ok_or("syntax error")?;
        let size = self.record.now.board.size();
        Move::parse(word, size).ok_or_else(|| format!("invalid vertex '{word}'"))
    }

    pub(super) fn point(&self, word: Option<&String>) -> Result<Point, String> {
        self.vertex(word)?.point().ok_or_else(|| "invalid vertex".to_owned())
    }

    /// Plays what the controller says. Superko is let pass with a word on standard error: a GUI whose
    /// move is refused loses the thread of the game.
    fn play(&mut self, color: Color, word: Option<&String>) -> Answer {
        let mv = self.vertex(word)?;
        self.play_move(color, mv)
    }

    fn play_move(&mut self, color: Color, mv: Move) -> Answer {
        let now = &self.record.now;
        if let Move::Play(point) = mv {
            now.board
                .check(color, point, now.rules.suicide)
                .map_err(|rule| format!("illegal move ({rule})"))?;
            if now.repeats(color, point) {
                let _ = writeln!(
                    std::io::stderr(),
                    "warning: {color} {} repeats an earlier position",
                    point.name(now.board.size())
                );
            }
        }
        self.record.play(color, mv);
        done()
    }

    fn undo(&mut self, count: usize) -> Answer {
        if self.record.undo(count) { done() } else { Err("cannot undo".to_owned()) }
    }

    fn sequence(&mut self, words: &[String]) -> Answer {
        if !words.len().is_multiple_of(2) {
            return Err("syntax error".to_owned());
        }
        let before = self.record.now.clone();
        for pair in words.chunks(2) {
            let played = color(pair.first()).and_then(|color| self.play(color, pair.get(1)));
            if let Err(error) = played {
                self.record.now = before;
                return Err(error);
            }
        }
        done()
    }
}

pub(super) fn color(word: Option<&String>) -> Result<Color, String> {
    word.and_then(|word| Color::parse(word)).ok_or_else(|| "syntax error".to_owned())
}

pub(super) fn parse<T: std::str::FromStr>(word: Option<&String>) -> Result<T, String> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| "syntax error".to_owned())
}

/// Processor time of this process, from the system's own file; `None` where there is none.
fn cpu_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/self/schedstat").ok()?;
    let own: f64 = text.split_whitespace().next()?.parse().ok()?;
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // Fields 14 and 15, user and system time in hundredths of a second, after the name in brackets.
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let ticks: f64 = fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?;
    Some((ticks / 100.0).max(own / 1e9))
}
