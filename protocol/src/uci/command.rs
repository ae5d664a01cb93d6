//! What a GUI says.

use std::{iter::Peekable, time::Duration};

use vampirc_uci::{UciMessage, parse_one};

use super::ParseError;

/// A line from the GUI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// A blank line, or a comment after `#`.
    Nothing,
    /// `uci`
    Uci,
    /// `debug on`, `debug off`
    Debug(bool),
    /// `isready`
    IsReady,
    /// `register …`: this engine needs none, whatever is said.
    Register,
    /// `ucinewgame`
    NewGame,
    /// `setoption name … [value …]`
    SetOption {
        /// Option name; may hold single blanks.
        name: String,
        /// Everything after `value`, trimmed at both ends.
        value: Option<String>,
    },
    /// `position …`
    Position {
        /// `None` means `startpos`.
        fen: Option<String>,
        /// Moves in long algebraic notation, not yet known to be legal.
        moves: Vec<String>,
    },
    /// `go …`
    Go(Go),
    /// `stop`
    Stop,
    /// `ponderhit`
    PonderHit,
    /// `quit`
    Quit,
    /// `d`: shows the position. Not in the protocol, as all that follow.
    Display,
    /// `eval`: explains the static evaluation.
    Eval,
    /// `flip`: exchanges the colours.
    Flip,
    /// `threat …`: what the opponent would play if he were to move; limits as those of `go`.
    Threat(Go),
    /// `bench [hash [threads [limit [file [kind]]]]]`
    Bench(Vec<String>),
    /// `speedtest […]`
    SpeedTest(Vec<String>),
    /// `compiler`: how the program was built.
    Compiler,
    /// `license`
    License,
    /// `help`
    Help,
}

/// The parameters of `go`, absent ones left `None`. They do not exclude each other: all that are
/// given hold at the same time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Go {
    /// `wtime`, `btime`: a negative clock is no time left.
    pub time: [Option<Duration>; 2],
    /// `winc`, `binc`
    pub increment: [Option<Duration>; 2],
    /// `movestogo`
    pub moves_to_go: Option<u32>,
    /// `movetime`
    pub move_time: Option<Duration>,
    /// `depth`
    pub depth: Option<u32>,
    /// `nodes`
    pub nodes: Option<u64>,
    /// `mate`
    pub mate: Option<u32>,
    /// `perft`: count positions instead of searching.
    pub perft: Option<u32>,
    /// `searchmoves`, not yet known to be legal.
    pub search_moves: Vec<String>,
    /// `ponder`
    pub ponder: bool,
    /// `infinite`
    pub infinite: bool,
    /// The first word that could not be read; the others count all the same, since a GUI waits for
    /// a move.
    pub unreadable: Option<String>,
}

/// Words of the protocol proper. They are looked for behind words that are none ("the engine should
/// ignore it and try to parse the rest of the string").
const PROTOCOL: [&str; 11] = [
    "uci",
    "debug",
    "isready",
    "setoption",
    "register",
    "ucinewgame",
    "position",
    "go",
    "stop",
    "ponderhit",
    "quit",
];

/// First words of an engine's own lines: nothing behind them is a command, even if it looks so.
const ANSWERS: [&str; 7] = ["id", "option", "uciok", "readyok", "info", "bestmove", "registration"];

/// Reads one line from the GUI, as [`super::decode`] returns it.
///
/// # Errors
/// If the line is no command of the protocol, or one with a value that cannot be read.
pub fn parse(line: &str) -> Result<Command, ParseError> {
    let mut words = line.split_ascii_whitespace();
    let first = words.clone().next().unwrap_or_default();
    if first.is_empty() || first.starts_with('#') {
        return Ok(Command::Nothing);
    }
    if ANSWERS.contains(&first) {
        return Err(ParseError::Unknown(line.to_owned()));
    }
    let rest = words.clone().skip(1);
    match first {
        "d" => return Ok(Command::Display),
        "eval" => return Ok(Command::Eval),
        "flip" => return Ok(Command::Flip),
        "threat" => return Ok(Command::Threat(parse_go(rest))),
        "bench" => return Ok(Command::Bench(rest.map(str::to_owned).collect())),
        "speedtest" => return Ok(Command::SpeedTest(rest.map(str::to_owned).collect())),
        "compiler" => return Ok(Command::Compiler),
        "license" => return Ok(Command::License),
        "help" | "--help" => return Ok(Command::Help),
        "perft" => return Ok(Command::Go(parse_go(words))),
        _ => {}
    }
    let command = words.find(|word| PROTOCOL.contains(word));
    match command {
        Some("go") => Ok(Command::Go(parse_go(words))),
        Some("position") => parse_position(words),
        Some("setoption") => parse_option(line),
        Some("debug") => parse_debug(words.next().unwrap_or_default()),
        Some("register") => Ok(Command::Register),
        Some(word) => plain(word).ok_or_else(|| ParseError::Unknown(line.to_owned())),
        None => Err(ParseError::Unknown(line.to_owned())),
    }
}

/// The commands that are one word.
fn plain(word: &str) -> Option<Command> {
    match parse_one(word) {
        UciMessage::Uci => Some(Command::Uci),
        UciMessage::IsReady => Some(Command::IsReady),
        UciMessage::UciNewGame => Some(Command::NewGame),
        UciMessage::Stop => Some(Command::Stop),
        UciMessage::PonderHit => Some(Command::PonderHit),
        UciMessage::Quit => Some(Command::Quit),
        _ => None,
    }
}

fn parse_debug(word: &str) -> Result<Command, ParseError> {
    match word {
        "on" => Ok(Command::Debug(true)),
        "off" => Ok(Command::Debug(false)),
        _ => Err(ParseError::malformed("debug", word)),
    }
}

const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "perft",
];

fn parse_go<'a>(words: impl Iterator<Item = &'a str>) -> Go {
    let mut go = Go::default();
    let mut words = words.peekable();
    while let Some(word) = words.next() {
        let words = &mut words;
        let understood = match word {
            "ponder" => set(&mut go.ponder),
            "infinite" => set(&mut go.infinite),
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !GO_WORDS.contains(word)) {
                    go.search_moves.push(mv.to_owned());
                }
                Ok(())
            }
            "wtime" => milliseconds(&mut go.time[0], word, words),
            "btime" => milliseconds(&mut go.time[1], word, words),
            "winc" => milliseconds(&mut go.increment[0], word, words),
            "binc" => milliseconds(&mut go.increment[1], word, words),
            "movetime" => milliseconds(&mut go.move_time, word, words),
            "movestogo" => number(&mut go.moves_to_go, word, words),
            "depth" => number(&mut go.depth, word, words),
            "nodes" => number(&mut go.nodes, word, words),
            "mate" => number(&mut go.mate, word, words),
            "perft" => number(&mut go.perft, word, words),
            _ => Err(word),
        };
        if let Err(word) = understood {
            go.unreadable.get_or_insert_with(|| word.to_owned());
        }
    }
    go
}

#[expect(clippy::unnecessary_wraps, reason = "one arm among those that may fail")]
const fn set(flag: &mut bool) -> Result<(), &'static str> {
    *flag = true;
    Ok(())
}

fn milliseconds<'a>(
    field: &mut Option<Duration>,
    keyword: &'a str,
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
) -> Result<(), &'a str> {
    let mut value: Option<u64> = None;
    number(&mut value, keyword, words)?;
    *field = value.map(Duration::from_millis);
    Ok(())
}

/// Reads the number behind a keyword. A number out of range is the nearest one in it: GUIs send
/// negative clocks after a flag fall, and huge values for "no limit". Returns the word at fault,
/// which is the keyword itself if no value follows it.
fn number<'a, T: TryFrom<u64> + Bounded>(
    field: &mut Option<T>,
    keyword: &'a str,
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
) -> Result<(), &'a str> {
    let Some(word) = words.next_if(|word| !GO_WORDS.contains(word)) else {
        return Err(keyword);
    };
    let value = saturating(word).ok_or(word)?;
    *field = Some(T::try_from(value).unwrap_or(T::MAX));
    Ok(())
}

trait Bounded {
    const MAX: Self;
}

impl Bounded for u32 {
    const MAX: Self = Self::MAX;
}

impl Bounded for u64 {
    const MAX: Self = Self::MAX;
}

/// A whole number, negative ones as 0, those beyond 64 bits as the greatest.
fn saturating(word: &str) -> Option<u64> {
    let (negative, digits) = match word.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let add = |sum: u64, digit: &u8| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    Some(if negative { 0 } else { digits.iter().fold(0, add) })
}

fn parse_position<'a>(words: impl Iterator<Item = &'a str>) -> Result<Command, ParseError> {
    let words: Vec<&str> = words.collect();
    let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let fen = match &words[..end] {
        ["startpos"] => None,
        ["fen", fen @ ..] if !fen.is_empty() => Some(fen.join(" ")),
        ["fen"] | [] => return Err(ParseError::malformed("position", "")),
        ["startpos", word, ..] | [word, ..] => {
            return Err(ParseError::malformed("position", word));
        }
    };
    let moves = words.iter().skip(end + 1).map(|&word| word.to_owned()).collect();
    Ok(Command::Position { fen, moves })
}

/// `setoption name N [value V]`, split at the first word that is exactly `value`. The value is taken
/// as it stands: a path may hold two blanks in a row.
fn parse_option(line: &str) -> Result<Command, ParseError> {
    let offset = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    let mut words = line.split_ascii_whitespace().skip_while(|&word| word != "setoption").skip(1);
    match words.next() {
        Some("name") => {}
        other => return Err(ParseError::malformed("setoption", other.unwrap_or_default())),
    }
    let mut name: Vec<&str> = Vec::new();
    let mut value = None;
    for word in words {
        if word == "value" {
            value = Some(line[offset(word) + word.len()..].trim().to_owned());
            break;
        }
        name.push(word);
    }
    if name.is_empty() {
        return Err(ParseError::malformed("setoption", ""));
    }
    Ok(Command::SetOption { name: name.join(" "), value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(line: &str) -> Go {
        match parse(line) {
            Ok(Command::Go(go)) => go,
            other => panic!("{line}: {other:?}"),
        }
    }

    fn option(line: &str) -> (String, Option<String>) {
        match parse(line) {
            Ok(Command::SetOption { name, value }) => (name, value),
            other => panic!("{line}: {other:?}"),
        }
    }

    fn ms(milliseconds: u64) -> Option<Duration> {
        Duration::from_millis(milliseconds).into()
    }

    #[test]
    fn a_depth_beyond_255_does_not_panic() {
        assert_eq!(go("go depth 300").depth, Some(300));
    }

    #[test]
    fn ponder_survives_beside_the_clocks() {
        let go = go("go ponder wtime 1000 btime 900");
        assert!(go.ponder);
        assert_eq!(go.time, [ms(1000), ms(900)]);
    }

    #[test]
    fn every_limit_of_one_go_is_kept() {
        let go = go(
            "go infinite binc 7 winc 6 btime 5 wtime 4 movestogo 3 depth 2 nodes 1 mate 8 movetime 9",
        );
        assert!(go.infinite && go.unreadable.is_none());
        assert_eq!((go.time, go.increment), ([ms(4), ms(5)], [ms(6), ms(7)]));
        assert_eq!((go.moves_to_go, go.depth, go.mate), (Some(3), Some(2), Some(8)));
        assert_eq!((go.nodes, go.move_time), (Some(1), ms(9)));
    }

    #[test]
    fn searchmoves_end_at_the_next_keyword() {
        let go = go("go searchmoves e2e4 d2d4 depth 5");
        assert_eq!((go.search_moves.len(), go.depth), (2, Some(5)));
    }

    #[test]
    fn the_first_word_that_cannot_be_read_is_named_and_the_rest_holds() {
        for (line, word) in [
            ("go depth 3x movetime 100", "3x"),
            ("go movetime 100 nodes 1e6 depth 1.5", "1e6"),
            ("go depth movetime 100", "depth"),
            ("go quickly movetime 100", "quickly"),
            ("go movetime 100 depth", "depth"),
        ] {
            let go = go(line);
            assert_eq!((go.unreadable.as_deref(), go.move_time), (Some(word), ms(100)), "{line}");
            assert_eq!(go.depth, None);
        }
    }

    #[test]
    fn numbers_out_of_range_are_the_nearest_in_it() {
        let go = go("go wtime -4000 nodes 99999999999999999999999 depth 5000000000 movestogo -1");
        assert_eq!((go.time[0], go.nodes), (ms(0), Some(u64::MAX)));
        assert_eq!((go.depth, go.moves_to_go), (Some(u32::MAX), Some(0)));
    }

    #[test]
    fn a_bad_move_is_kept_for_the_engine_to_refuse() {
        let Ok(Command::Position { moves, .. }) = parse("position startpos  moves  e2e4 zzzz e7e5")
        else {
            panic!("not a position");
        };
        assert_eq!(moves, ["e2e4", "zzzz", "e7e5"]);
    }

    #[test]
    fn a_fen_is_taken_as_it_is_but_for_its_blanks() {
        let line =
            "position fen  bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR  w HFhf - moves";
        let fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf -".to_owned();
        assert_eq!(parse(line), Ok(Command::Position { fen: Some(fen), moves: Vec::new() }));
        for line in ["position", "position fen", "position startpos e2e4", "position e2e4"] {
            assert!(matches!(parse(line), Err(ParseError::Malformed { .. })), "{line}");
        }
    }

    #[test]
    fn option_names_and_values_may_hold_blanks() {
        assert_eq!(option("setoption name  Clear   Hash"), ("Clear Hash".into(), None));
        let path = option("setoption name SyzygyPath value  C:\\my  tables ");
        assert_eq!(path, ("SyzygyPath".into(), Some("C:\\my  tables".into())));
        assert_eq!(option("setoption name X value").1.as_deref(), Some(""));
        assert_eq!(option("setoption name ValueScale value 3").0, "ValueScale");
        assert_eq!(option("setoption name Piece Values value 3").0, "Piece Values");
    }

    /// "joho debug on" should switch the debug mode on.
    #[test]
    fn unknown_words_before_a_command_are_ignored() {
        assert_eq!(parse("joho debug on"), Ok(Command::Debug(true)));
        assert_eq!(parse("\u{feff} uci"), Ok(Command::Uci));
        assert!(matches!(parse("debug joho on"), Err(ParseError::Malformed { .. })));
        assert!(matches!(parse("isreadyfoo"), Err(ParseError::Unknown(_))));
        assert!(matches!(parse("info string stop"), Err(ParseError::Unknown(_))));
    }

    #[test]
    fn a_blank_line_and_a_comment_ask_for_nothing() {
        for line in ["", "   ", "# go infinite"] {
            assert_eq!(parse(line), Ok(Command::Nothing));
        }
    }

    #[test]
    fn perft_is_a_kind_of_go() {
        assert_eq!(go("perft 5"), go("go perft 5"));
    }
}
