//! What an engine says. Both ways: an engine writes its lines through `Display`, a match runner
//! reads them through [`Answer::parse`].

use std::{
    fmt::{self, Write as _},
    str::{FromStr, SplitAsciiWhitespace},
    time::Duration,
};

use super::ParseError;

/// A line from the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// `id name …`
    Name(String),
    /// `id author …`
    Author(String),
    /// `option name … type …`
    Option(Choice),
    /// `uciok`
    UciOk,
    /// `readyok`
    ReadyOk,
    /// `info …`
    Info(Box<Info>),
    /// `bestmove … [ponder …]`
    BestMove {
        /// The move; `None` (written `(none)`) where there is no legal one.
        best: Option<String>,
        /// The reply expected.
        ponder: Option<String>,
    },
    /// `copyprotection …`, `registration …`: the state (`checking`, `ok`, `error`).
    Status(String),
}

/// An option the engine offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: OptionKind,
}

/// The type of an option, with its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptionKind {
    /// On or off.
    Check {
        /// The default.
        default: bool,
    },
    /// A whole number.
    Spin {
        /// The default.
        default: i64,
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// One of several words.
    Combo {
        /// The default.
        default: String,
        /// All values.
        choices: Vec<String>,
    },
    /// Something to press.
    Button,
    /// Free text, `string` in the protocol; empty is written `<empty>`.
    Text {
        /// The default.
        default: String,
    },
}

/// A score for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Moves (not plies) to mate, negative when being mated.
    Mate(i32),
}

/// How a score relates to the true value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Bound {
    /// The value itself.
    #[default]
    Exact,
    /// The value is at least this: `lowerbound`.
    Lower,
    /// The value is at most this: `upperbound`.
    Upper,
}

/// What an `info` line may say; absent fields are `None` or empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    /// `depth`: iteration, in plies.
    pub depth: Option<u32>,
    /// `seldepth`: longest line, in plies.
    pub seldepth: Option<u32>,
    /// `multipv`: rank of the line, from 1.
    pub multipv: Option<u32>,
    /// `score`
    pub score: Option<Score>,
    /// `lowerbound`, `upperbound`
    pub bound: Bound,
    /// `wdl`: chances of win, draw and loss, in thousandths.
    pub wdl: Option<[u32; 3]>,
    /// `nodes`
    pub nodes: Option<u64>,
    /// `nps`: nodes a second.
    pub nps: Option<u64>,
    /// `hashfull`: in thousandths.
    pub hashfull: Option<u32>,
    /// `tbhits`: positions found in tablebases.
    pub tb_hits: Option<u64>,
    /// `cpuload`: in thousandths.
    pub cpu_load: Option<u32>,
    /// `time`: since the search began, in whole milliseconds on the wire.
    pub time: Option<Duration>,
    /// `currmove`
    pub current_move: Option<String>,
    /// `currmovenumber`: from 1.
    pub current_move_number: Option<u32>,
    /// `refutation`: a move and the line that refutes it.
    pub refutation: Vec<String>,
    /// `currline`: a processor's number and the line it looks at.
    pub current_line: Vec<String>,
    /// `pv`: the best line.
    pub pv: Vec<String>,
    /// `string`: text for a person; always the last on its line.
    pub string: Option<String>,
}

impl Info {
    /// A line that carries text only.
    pub fn text(text: impl Into<String>) -> Self {
        Self { string: Some(text.into()), ..Self::default() }
    }
}

const INFO_WORDS: [&str; 18] = [
    "depth",
    "seldepth",
    "multipv",
    "score",
    "lowerbound",
    "upperbound",
    "wdl",
    "nodes",
    "nps",
    "hashfull",
    "tbhits",
    "cpuload",
    "time",
    "currmove",
    "currmovenumber",
    "refutation",
    "currline",
    "pv",
];

impl Answer {
    /// Reads a line of an engine. Words an `info` line should not hold are skipped.
    ///
    /// # Errors
    /// If the line is no message of the protocol ([`ParseError::Unknown`]; engines print banners) or
    /// holds a value that cannot be read.
    pub fn parse(line: &str) -> Result<Self, ParseError> {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("uciok") => Ok(Self::UciOk),
            Some("readyok") => Ok(Self::ReadyOk),
            Some("bestmove") => parse_best_move(words),
            Some("info") => parse_info(line, words).map(|info| Self::Info(Box::new(info))),
            Some("option") => parse_choice(words).map(Self::Option),
            Some("id") => match words.next() {
                Some("name") => Ok(Self::Name(join(words))),
                Some("author") => Ok(Self::Author(join(words))),
                other => Err(ParseError::malformed("id", other.unwrap_or_default())),
            },
            Some("copyprotection" | "registration") => Ok(Self::Status(line.trim().to_owned())),
            _ => Err(ParseError::Unknown(line.to_owned())),
        }
    }
}

fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn parse_best_move(mut words: SplitAsciiWhitespace<'_>) -> Result<Answer, ParseError> {
    let best = words.next().ok_or_else(|| ParseError::malformed("bestmove", ""))?;
    let ponder = match words.next() {
        Some("ponder") => words.next().filter(|&word| word != "(none)").map(str::to_owned),
        _ => None,
    };
    let best = (!matches!(best, "(none)" | "0000")).then(|| best.to_owned());
    Ok(Answer::BestMove { best, ponder })
}

fn value<T: FromStr>(message: &'static str, word: Option<&str>) -> Result<T, ParseError> {
    let word = word.unwrap_or_default();
    word.parse().map_err(|_| ParseError::malformed(message, word))
}

fn parse_info(line: &str, words: SplitAsciiWhitespace<'_>) -> Result<Info, ParseError> {
    fn number<T: FromStr>(word: Option<&str>) -> Result<Option<T>, ParseError> {
        value("info", word).map(Some)
    }
    let mut info = Info::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        match word {
            "depth" => info.depth = number(words.next())?,
            "seldepth" => info.seldepth = number(words.next())?,
            "multipv" => info.multipv = number(words.next())?,
            "nodes" => info.nodes = number(words.next())?,
            "nps" => info.nps = number(words.next())?,
            "hashfull" => info.hashfull = number(words.next())?,
            "tbhits" => info.tb_hits = number(words.next())?,
            "cpuload" => info.cpu_load = number(words.next())?,
            "time" => info.time = number(words.next())?.map(Duration::from_millis),
            "currmove" => info.current_move = words.next().map(str::to_owned),
            "currmovenumber" => info.current_move_number = number(words.next())?,
            "lowerbound" => info.bound = Bound::Lower,
            "upperbound" => info.bound = Bound::Upper,
            "score" => {
                info.score = Some(match words.next() {
                    Some("cp") => Score::Centipawns(value("info", words.next())?),
                    Some("mate") => Score::Mate(value("info", words.next())?),
                    other => return Err(ParseError::malformed("info", other.unwrap_or_default())),
                });
            }
            "wdl" => {
                let mut next = || value("info", words.next());
                info.wdl = Some([next()?, next()?, next()?]);
            }
            "pv" | "refutation" | "currline" => {
                let mut moves = Vec::new();
                while let Some(mv) =
                    words.next_if(|word| *word != "string" && !INFO_WORDS.contains(word))
                {
                    moves.push(mv.to_owned());
                }
                match word {
                    "pv" => info.pv = moves,
                    "refutation" => info.refutation = moves,
                    _ => info.current_line = moves,
                }
            }
            "string" => {
                let end = word.as_ptr() as usize - line.as_ptr() as usize + word.len();
                info.string = Some(line[end..].trim().to_owned());
                break;
            }
            _ => {}
        }
    }
    Ok(info)
}

fn parse_choice(mut words: SplitAsciiWhitespace<'_>) -> Result<Choice, ParseError> {
    const WORDS: [&str; 6] = ["name", "type", "default", "min", "max", "var"];
    let bad = |word: &str| ParseError::malformed("option", word);
    // Field by field: each runs from its keyword to the next one. `name` comes first and ends only
    // at `type`, so that a name may hold any other word.
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    match words.next() {
        Some("name") => fields.push(("name", Vec::new())),
        other => return Err(bad(other.unwrap_or_default())),
    }
    for word in words {
        let naming = fields.len() == 1;
        if (naming && word == "type") || (!naming && WORDS.contains(&word)) {
            fields.push((word, Vec::new()));
        } else if let Some((_, text)) = fields.last_mut() {
            text.push(word);
        }
    }
    let all = |key: &str| -> Vec<String> {
        fields.iter().filter(|(word, _)| *word == key).map(|(_, text)| text.join(" ")).collect()
    };
    let first = |key: &str| all(key).into_iter().next().unwrap_or_default();
    let number = |key: &str| first(key).parse().map_err(|_| bad(&first(key)));
    let kind = match first("type").as_str() {
        "check" => OptionKind::Check { default: first("default") == "true" },
        "spin" => OptionKind::Spin {
            default: number("default")?,
            min: number("min")?,
            max: number("max")?,
        },
        "combo" => OptionKind::Combo { default: first("default"), choices: all("var") },
        "button" => OptionKind::Button,
        "string" => {
            let default = first("default");
            OptionKind::Text { default: if default == "<empty>" { String::new() } else { default } }
        }
        other => return Err(bad(other)),
    };
    Ok(Choice { name: first("name"), kind })
}

/// One line, without its end. A line break in a text becomes a blank.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "id name {}", one_line(name)),
            Self::Author(author) => write!(f, "id author {}", one_line(author)),
            Self::Option(choice) => choice.fmt(f),
            Self::UciOk => f.write_str("uciok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => info.fmt(f),
            Self::BestMove { best, ponder } => {
                write!(f, "bestmove {}", best.as_deref().unwrap_or("(none)"))?;
                ponder.as_ref().map_or(Ok(()), |mv| write!(f, " ponder {mv}"))
            }
            Self::Status(text) => f.write_str(&one_line(text)),
        }
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match &self.kind {
            OptionKind::Check { default } => write!(f, "check default {default}"),
            OptionKind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            OptionKind::Combo { default, choices } => {
                write!(f, "combo default {default}")?;
                choices.iter().try_for_each(|choice| write!(f, " var {choice}"))
            }
            OptionKind::Button => f.write_str("button"),
            OptionKind::Text { default } if default.is_empty() => {
                f.write_str("string default <empty>")
            }
            OptionKind::Text { default } => write!(f, "string default {}", one_line(default)),
        }
    }
}

fn shown<T: fmt::Display>(value: Option<&T>) -> Option<&dyn fmt::Display> {
    value.map(|value| value as &dyn fmt::Display)
}

/// Fields in the order Stockfish prints them, which GUIs and tests are written against.
impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = String::from("info");
        let mut field = |name: &str, value: Option<&dyn fmt::Display>| {
            value.map_or(Ok(()), |value| write!(line, " {name} {value}"))
        };
        let moves = |moves: &[String]| (!moves.is_empty()).then(|| moves.join(" "));
        let bound = match self.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let score = self.score.map(|score| match score {
            Score::Centipawns(value) => format!("cp {value}{bound}"),
            Score::Mate(value) => format!("mate {value}{bound}"),
        });
        let wdl = self.wdl.map(|[win, draw, loss]| format!("{win} {draw} {loss}"));
        let time = self.time.map(|time| time.as_millis());
        field("depth", shown(self.depth.as_ref()))?;
        field("seldepth", shown(self.seldepth.as_ref()))?;
        field("multipv", shown(self.multipv.as_ref()))?;
        field("score", shown(score.as_ref()))?;
        field("wdl", shown(wdl.as_ref()))?;
        field("nodes", shown(self.nodes.as_ref()))?;
        field("nps", shown(self.nps.as_ref()))?;
        field("hashfull", shown(self.hashfull.as_ref()))?;
        field("tbhits", shown(self.tb_hits.as_ref()))?;
        field("cpuload", shown(self.cpu_load.as_ref()))?;
        field("time", shown(time.as_ref()))?;
        field("currmove", shown(self.current_move.as_ref()))?;
        field("currmovenumber", shown(self.current_move_number.as_ref()))?;
        field("refutation", shown(moves(&self.refutation).as_ref()))?;
        field("currline", shown(moves(&self.current_line).as_ref()))?;
        field("pv", shown(moves(&self.pv).as_ref()))?;
        field("string", shown(self.string.as_deref().map(one_line).as_ref()))?;
        f.write_str(&line)
    }
}

#[cfg(test)]
mod tests {
    use vampirc_uci::{UciMessage, parse_one};

    use super::*;

    fn info() -> Info {
        Info {
            depth: Some(24),
            seldepth: Some(300),
            multipv: Some(1),
            score: Some(Score::Centipawns(-13)),
            bound: Bound::Lower,
            wdl: Some([10, 900, 90]),
            nodes: Some(12_345_678_901_234),
            nps: Some(1_000_000),
            hashfull: Some(1000),
            tb_hits: Some(3),
            time: Some(Duration::from_millis(1500)),
            pv: vec!["e2e4".into(), "e7e8q".into()],
            ..Info::default()
        }
    }

    #[test]
    fn fields_come_in_stockfishs_order() {
        assert_eq!(
            info().to_string(),
            "info depth 24 seldepth 300 multipv 1 score cp -13 lowerbound wdl 10 900 90 \
             nodes 12345678901234 nps 1000000 hashfull 1000 tbhits 3 time 1500 pv e2e4 e7e8q"
        );
    }

    #[test]
    fn what_is_written_is_read_back() {
        let rare = Info {
            cpu_load: Some(1),
            current_move: Some("a7a8n".into()),
            current_move_number: Some(200),
            refutation: vec!["d1h5".into(), "g6h5".into()],
            current_line: vec!["1".into(), "e2e4".into()],
            string: Some("pv  depth is  a word here".into()),
            score: Some(Score::Mate(-200)),
            ..Info::default()
        };
        let option = |name: &str, kind| Answer::Option(Choice { name: name.into(), kind });
        for answer in [
            Answer::Name("Tegenspel 0.1".into()),
            Answer::Author("somebody".into()),
            Answer::UciOk,
            Answer::ReadyOk,
            Answer::Info(Box::new(info())),
            Answer::Info(Box::new(rare)),
            Answer::Info(Box::new(Info::text("hello"))),
            Answer::BestMove { best: Some("e2e4".into()), ponder: Some("e7e5".into()) },
            Answer::BestMove { best: None, ponder: None },
            Answer::Status("registration ok".into()),
            option("Clear Hash", OptionKind::Button),
            option("Hash", OptionKind::Spin { default: 16, min: 1, max: 1 << 40 }),
            option("Ponder", OptionKind::Check { default: true }),
            option("Default min style", OptionKind::Text { default: String::new() }),
            option("Log", OptionKind::Text { default: "a b".into() }),
            option(
                "Style",
                OptionKind::Combo {
                    default: "Solid".into(),
                    choices: vec!["Solid".into(), "Very risky".into()],
                },
            ),
        ] {
            assert_eq!(Answer::parse(&answer.to_string()), Ok(answer));
        }
    }

    /// The reader of another hand: vampirc-uci, within the ranges it knows.
    #[test]
    fn an_independent_reader_understands_our_lines() {
        let info = Info { seldepth: Some(30), nodes: Some(1234), bound: Bound::Exact, ..info() };
        for answer in [
            Answer::Name("Tegenspel 0.1".into()),
            Answer::UciOk,
            Answer::ReadyOk,
            Answer::Info(Box::new(Info { wdl: None, ..info })),
            Answer::BestMove { best: Some("e2e4".into()), ponder: Some("e7e5".into()) },
            Answer::Option(Choice {
                name: "Hash".into(),
                kind: OptionKind::Spin { default: 16, min: 1, max: 1024 },
            }),
        ] {
            let line = answer.to_string();
            let message = parse_one(&line);
            let unknown = matches!(message, UciMessage::Unknown(..));
            assert!(!unknown, "{line}: {message:?}");
        }
    }

    #[test]
    fn a_text_stays_on_its_line() {
        let answer = Answer::Info(Box::new(Info::text("two\nlines")));
        assert_eq!(answer.to_string(), "info string two lines");
    }

    #[test]
    fn unknown_words_of_an_info_line_are_skipped() {
        let line = "info depth 5 knps 12 score cp 3 ebf 1.75 pv e2e4";
        let Ok(Answer::Info(info)) = Answer::parse(line) else { panic!("not an info line") };
        assert_eq!((info.depth, info.pv.len()), (Some(5), 1));
        assert_eq!(info.score, Some(Score::Centipawns(3)));
    }

    #[test]
    fn a_number_that_is_none_is_an_error_and_no_panic() {
        for line in ["info depth", "info nodes 1.5", "info score cp", "info wdl 1 2", "bestmove"] {
            assert!(matches!(Answer::parse(line), Err(ParseError::Malformed { .. })), "{line}");
        }
    }

    #[test]
    fn a_null_move_is_no_move() {
        let none = Answer::BestMove { best: None, ponder: None };
        assert_eq!(Answer::parse("bestmove 0000"), Ok(none.clone()));
        assert_eq!(Answer::parse("bestmove (none)"), Ok(none));
    }
}
