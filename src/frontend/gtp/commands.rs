//! Every command, by name.

use std::{fmt::Write as _, fs, io::Write, time::Duration};

use protocol::gtp::Request;

use super::{Count, Dialect, Format, Options, Outcome, Purpose, Session, rules, setup};
use crate::go::{
    Color, Move, Point, Record, benson,
    score::Status,
    search::{Aim, GameClock, Task, TimeSystem},
    sgf,
};

/// The commands, as `list_commands` shows them.
const COMMANDS: &[&str] = &[
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

type Answer = Result<String, String>;

#[expect(clippy::unnecessary_wraps, reason = "the answer of every command that has none")]
fn done() -> Answer {
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
            "gogui-setup_player" => {
                self.record.now.to_move = color(words.first())?;
                done()
            }
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

    fn names(&self, points: impl IntoIterator<Item = Point>) -> String {
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

    /// An empty board; komi, rules and time settings stay, the clocks are full.
    fn clear(&mut self, size: usize) {
        let (komi, rules) = (self.record.now.komi, self.record.now.rules);
        self.record = Record::new(size);
        self.record.set_komi(komi);
        self.record.set_rules(rules);
        self.clocks = [GameClock::new(self.system); 2];
        self.owners = None;
        self.controller.call(crate::go::search::Searcher::forget);
    }

    fn vertex(&self, word: Option<&String>) -> Result<Move, String> {
        let word = word.ok_or("syntax error")?;
        let size = self.record.now.board.size();
        Move::parse(word, size).ok_or_else(|| format!("invalid vertex '{word}'"))
    }

    fn point(&self, word: Option<&String>) -> Result<Point, String> {
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

    fn set_position(&mut self, name: &str, words: &[String]) -> Answer {
        if !words.len().is_multiple_of(2) {
            return Err("syntax error".to_owned());
        }
        let old = &self.record.now;
        if name == "gogui-setup" && old.board.empties().len() < old.board.area() {
            return Err("board not empty".to_owned());
        }
        let mut record = Record::new(old.board.size());
        record.set_komi(old.komi);
        record.set_rules(old.rules);
        for pair in words.chunks(2) {
            let color = color(pair.first())?;
            let point = self.point(pair.get(1))?;
            if !record.start.set_up(color, point) {
                return Err("invalid position".to_owned());
            }
        }
        record.now = record.start.clone();
        self.record = record;
        self.owners = None;
        done()
    }

    fn fixed_handicap(&mut self, word: Option<&String>, fixed: bool) -> Answer {
        let stones: usize = parse(word)?;
        let board = &self.record.now.board;
        let size = board.size();
        if board.empties().len() < board.area() {
            return Err("board not empty".to_owned());
        }
        let most = setup::most_handicap(size);
        if stones < 2 || (fixed && stones > most) || stones >= board.area() || most == 0 {
            return Err("invalid number of stones".to_owned());
        }
        // Free placement may give fewer than asked for (GTP 2, 4.1.2).
        let points = setup::handicap_points(size, stones.min(most));
        self.place(&points);
        Ok(self.names(points))
    }

    fn free_handicap(&mut self, words: &[String]) -> Answer {
        let board = &self.record.now.board;
        if board.empties().len() < board.area() {
            return Err("board not empty".to_owned());
        }
        let bad = || "bad vertex list".to_owned();
        let mut points = Vec::new();
        for word in words {
            let point = Point::parse(word, board.size()).ok_or_else(bad)?;
            if points.contains(&point) {
                return Err(bad());
            }
            points.push(point);
        }
        if points.len() < 2 || points.len() >= board.area() {
            return Err(bad());
        }
        self.place(&points);
        done()
    }

    fn place(&mut self, points: &[Point]) {
        let start = &mut self.record.start;
        for &point in points {
            start.set_up(Color::Black, point);
        }
        start.handicap = points.len();
        start.to_move = Color::White;
        self.record.now = start.clone();
    }

    fn time(&mut self, name: &str, words: &[String]) -> Answer {
        if name == "kata-list_time_settings" {
            return Ok("none absolute canadian byoyomi fischer".to_owned());
        }
        if name == "time_left" {
            let color = color(words.first())?;
            let left = seconds(words.get(1))?;
            let stones: i64 = parse(words.get(2))?;
            self.clocks[color.index()].set_left(left, stones.clamp(0, 1 << 20) as u32);
            return done();
        }
        let system = if name == "time_settings" {
            let (main, period) = (seconds(words.first())?, seconds(words.get(1))?);
            let stones: u32 = parse(words.get(2))?;
            if period.is_zero() {
                TimeSystem::Absolute(main)
            } else {
                TimeSystem::Canadian { main, period, stones }
            }
        } else {
            setup::time_system(words)?
        };
        self.system = system;
        self.clocks = [GameClock::new(system); 2];
        done()
    }

    fn rules(&mut self, name: &str, words: &[String]) -> Answer {
        let new = match name {
            "kata-get-rules" => return Ok(self.record.now.rules.to_json()),
            "kgs-rules" => rules(words.get(..1).ok_or("syntax error")?)?,
            "kata-set-rule" => {
                let mut new = self.record.now.rules;
                let (key, value) = (words.first(), words.get(1));
                new.set(key.ok_or("syntax error")?, value.ok_or("syntax error")?)?;
                new
            }
            _ => rules(words)?,
        };
        self.record.set_rules(new);
        self.owners = None;
        done()
    }

    /// What can be set while the engine runs, under `KataGo`'s names.
    fn parameters(&mut self, name: &str, words: &[String]) -> Answer {
        match name {
            "kata-list-params" => Ok(Options::PARAMETERS.join(" ")),
            "kata-get-param" => self.options.parameter(words.first().ok_or("syntax error")?),
            "kata-get-params" => {
                let pairs = Options::PARAMETERS.iter().map(|&name| {
                    let value = self.options.parameter(name).unwrap_or_default();
                    (name.to_owned(), serde_json::Value::String(value))
                });
                Ok(serde_json::Value::Object(pairs.collect()).to_string())
            }
            "kata-set-param" => {
                let [name, value] = words else { return Err("syntax error".to_owned()) };
                self.set_parameters([(name.clone(), value.clone())])
            }
            _ => {
                let json: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_str(&words.join(" ")).map_err(|_| "syntax error")?;
                self.set_parameters(json.into_iter().map(|(name, value)| {
                    (name, value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                }))
            }
        }
    }

    /// All of them or none.
    fn set_parameters(&mut self, pairs: impl IntoIterator<Item = (String, String)>) -> Answer {
        let mut options = self.options.clone();
        for (name, value) in pairs {
            options.set_parameter(&name, &value)?;
        }
        let threads = options.threads;
        if threads != self.options.threads {
            self.controller.call(move |searcher| searcher.set_threads(threads));
        }
        self.options = options;
        done()
    }

    fn load_sgf(&mut self, words: &[String]) -> Answer {
        let path = words.first().ok_or("syntax error")?;
        let before = if words.len() > 1 { Some(parse(words.get(1))?) } else { None };
        let bytes = fs::read(path).map_err(|_| "cannot load file")?;
        let record = sgf::load(&String::from_utf8_lossy(&bytes), before)
            .map_err(|error| format!("cannot load file: {error}"))?;
        self.record = record;
        self.owners = None;
        Ok(self.record.now.to_move.to_string())
    }

    fn print_sgf(&self, words: &[String]) -> Answer {
        let text = sgf::save(&self.record, None);
        match words.first().map(String::as_str) {
            None | Some("-") => Ok(text),
            Some(path) => match fs::write(path, text) {
                Ok(()) => done(),
                Err(error) => Err(format!("cannot write file: {error}")),
            },
        }
    }

    fn task(&self, color: Color) -> Task {
        Task {
            color,
            playouts: self.options.playouts,
            time: self.allot(color),
            resign: self.options.resign,
            ..Task::new(self.record.now.clone())
        }
    }

    fn genmove(&self, name: &str, words: &[String]) -> Result<(Purpose, Task), String> {
        let color = match name {
            "genmove_black" => Color::Black,
            "genmove_white" => Color::White,
            _ => color(words.first())?,
        };
        let search = name.starts_with("kata-search");
        let mut task = self.task(color);
        task.cleanup = name == "kgs-genmove_cleanup";
        if name == "reg_genmove" {
            task.resign = false;
        }
        let play = !search && name != "reg_genmove";
        let cancellable = name.ends_with("_cancellable");
        Ok((Purpose::Move { play, cancellable, stream: None, prefix: false }, task))
    }

    fn genmove_analyze(&self, name: &str, words: &[String]) -> Result<(Purpose, Task), String> {
        let dialect = if name.starts_with("lz") { Dialect::Leela } else { Dialect::Kata };
        let (color, format) = Format::parse(dialect, words, self.record.now.board.size())?;
        let mut task = self.task(color.unwrap_or(self.record.now.to_move));
        task.avoid.clone_from(&format.avoid);
        task.allow.clone_from(&format.allow);
        let play = !name.starts_with("kata-search");
        let cancellable = name.ends_with("_cancellable");
        Ok((Purpose::Move { play, cancellable, stream: Some(format), prefix: true }, task))
    }

    fn analyze(&self, name: &str, words: &[String]) -> Result<(Purpose, Task), String> {
        let dialect = if name.starts_with("lz") { Dialect::Leela } else { Dialect::Kata };
        let (color, format) = Format::parse(dialect, words, self.record.now.board.size())?;
        let task = Task {
            color: color.unwrap_or(self.record.now.to_move),
            aim: Aim::Analyse,
            avoid: format.avoid.clone(),
            allow: format.allow.clone(),
            ..Task::new(self.record.now.clone())
        };
        Ok((Purpose::Stream(format), task))
    }
}

fn color(word: Option<&String>) -> Result<Color, String> {
    word.and_then(|word| Color::parse(word)).ok_or_else(|| "syntax error".to_owned())
}

fn parse<T: std::str::FromStr>(word: Option<&String>) -> Result<T, String> {
    word.and_then(|word| word.parse().ok()).ok_or_else(|| "syntax error".to_owned())
}

/// Seconds, whole or not; what is below nought is nought, since bridges send it when a clock ran out.
pub(super) fn seconds(word: Option<&String>) -> Result<Duration, String> {
    let seconds: f64 = parse(word)?;
    if seconds.is_nan() {
        return Err("syntax error".to_owned());
    }
    Ok(Duration::from_secs_f64(seconds.clamp(0.0, 1e8)))
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
