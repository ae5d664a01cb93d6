//! Games as PGN (Portable Game Notation, S. J. Edwards 1994), with score, depth and time of each
//! move as comments; and results read back from the PGN of any match runner.

#![expect(clippy::format_push_string, reason = "a dozen short lines a game")]

use std::{
    fmt::Write,
    io::{self, Read},
    ops::ControlFlow,
    time::{SystemTime, UNIX_EPOCH},
};

use pgn_reader::{RawTag, Reader, Visitor};

use crate::{elo::Outcome, game::Game, standings::Played};

/// What a game's tags say that the game itself does not know.
#[derive(Debug, Clone)]
pub struct Tags<'a> {
    /// Name of the tournament.
    pub event: &'a str,
    /// Number of the pair of games, from 1.
    pub round: u64,
    /// White and Black.
    pub players: [&'a str; 2],
    /// As the runner was told.
    pub control: &'a str,
    /// Whether castling is written as in Chess960.
    pub chess960: bool,
}

/// The result in PGN's words.
pub const fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "1-0",
        Outcome::Draw => "1/2-1/2",
        Outcome::Loss => "0-1",
    }
}

/// Today's date in universal time, as PGN writes it (algorithm: H. Hinnant, "chrono-compatible
/// low-level date algorithms").
fn today() -> String {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date((elapsed.as_secs() / 86_400) as i64)
}

fn date(days_since_1970: i64) -> String {
    let days = days_since_1970 + 719_468; // since 1 March of the year 0
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}.{month:02}.{day:02}")
}

/// A game as text, with an empty line at its end.
pub fn write(game: &Game, tags: &Tags<'_>) -> String {
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        text.push_str(&format!("[{name} \"{value}\"]\n"));
    };
    let result = result(game.outcome);
    tag("Event", tags.event);
    tag("Site", "?");
    tag("Date", &today());
    tag("Round", &tags.round.to_string());
    tag("White", tags.players[0]);
    tag("Black", tags.players[1]);
    tag("Result", result);
    tag("FEN", &game.fen);
    tag("SetUp", "1");
    if tags.chess960 {
        tag("Variant", "Chess960");
    }
    tag("TimeControl", tags.control);
    tag("PlyCount", &game.plies.len().to_string());
    tag("Termination", &game.reason);
    text.push('\n');
    write_moves(&mut text, game);
    text.push_str(result);
    text.push_str("\n\n");
    text
}

fn write_moves(text: &mut String, game: &Game) {
    let fields: Vec<&str> = game.fen.split_whitespace().collect();
    let first: u32 = fields.get(5).and_then(|number| number.parse().ok()).unwrap_or(1);
    let black_begins = fields.get(1) == Some(&"b");
    let mut words = Vec::new();
    for (i, ply) in game.plies.iter().enumerate() {
        let half = i as u32 + u32::from(black_begins);
        if half.is_multiple_of(2) {
            words.push(format!("{}.", first + half / 2));
        } else if i == 0 {
            words.push(format!("{first}..."));
        }
        words.push(ply.san.clone());
        let score = ply.score.map_or_else(|| "?".to_owned(), |score| score.to_string());
        words.push(format!("{{{score}/{}", ply.depth));
        words.push(format!("{:.3}s", ply.time.as_secs_f64()));
        words.push(format!("n={}}}", ply.nodes));
    }
    words.push(format!("{{{}}}", game.reason.replace(['{', '}'], "")));
    let mut width = 0;
    for word in words {
        // PGN 8.2.1: lines of less than 80 characters.
        if width + word.len() > 78 {
            text.push('\n');
            width = 0;
        }
        width += word.len() + 1;
        let _ = write!(text, "{word} "); // writing to a string cannot fail
    }
}

#[derive(Default)]
struct Header {
    players: [String; 2],
    round: String,
    fen: String,
    outcome: Option<Outcome>,
}

struct Results;

impl Visitor for Results {
    type Tags = Header;
    type Movetext = Header;
    type Output = Option<Played>;

    fn begin_tags(&mut self) -> ControlFlow<Self::Output, Header> {
        ControlFlow::Continue(Header::default())
    }

    fn tag(
        &mut self,
        header: &mut Header,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<Self::Output> {
        let value = value.decode_utf8_lossy().into_owned();
        match name {
            b"White" => header.players[0] = value,
            b"Black" => header.players[1] = value,
            b"Round" => header.round = value,
            b"FEN" => header.fen = value,
            b"Result" => {
                header.outcome = match value.as_str() {
                    "1-0" => Some(Outcome::Win),
                    "0-1" => Some(Outcome::Loss),
                    "1/2-1/2" => Some(Outcome::Draw),
                    _ => None,
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, header: Header) -> ControlFlow<Self::Output, Header> {
        ControlFlow::Continue(header)
    }

    fn end_game(&mut self, header: Header) -> Self::Output {
        let [white, black] = header.players;
        let pair = format!("{} {}", header.round, header.fen);
        header.outcome.map(|outcome| Played { white, black, outcome, pair })
    }
}

/// The results of all finished games. Two games are a pair if round, opening and players agree.
///
/// # Errors
/// If the input cannot be read.
pub fn results(input: impl Read) -> io::Result<Vec<Played>> {
    let mut reader = Reader::new(input);
    let mut games = Vec::new();
    while let Some(game) = reader.read_game(&mut Results)? {
        games.extend(game);
    }
    Ok(games)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::game::Ply;

    #[test]
    fn dates_are_gregorian() {
        assert_eq!(date(0), "1970.01.01");
        assert_eq!(date(11_016), "2000.02.29");
        assert_eq!(date(20_000), "2024.10.04");
    }

    #[test]
    fn what_is_written_can_be_read() {
        let ply = |san: &str| Ply {
            san: san.into(),
            score: None,
            depth: 3,
            nodes: 9,
            time: Duration::from_millis(12),
        };
        let game = Game {
            fen: "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 7".into(),
            plies: ["Nc6", "Nf3", "d6"].map(ply).into(),
            outcome: Outcome::Loss,
            reason: "White loses on time".into(),
            fault: None,
            warnings: [0; 2],
        };
        let players = ["A \"x\"", "B"];
        let tags = Tags { event: "t", round: 4, players, control: "1+0", chess960: false };
        let text = write(&game, &tags);
        assert!(text.contains("7... Nc6 {?/3 0.012s n=9} 8. Nf3"), "{text}");
        assert!(text.lines().all(|line| line.len() < 80 || line.starts_with('[')));
        let played = results(text.as_bytes()).unwrap();
        assert_eq!(played.len(), 1);
        assert_eq!((played[0].black.as_str(), played[0].outcome), ("B", Outcome::Loss));
    }
}
