//! Games out of PGN files, with what belongs to their main line, and back.

use std::{fmt::Write, io, ops::ControlFlow};

use pgn_reader::{Nag, RawComment, RawTag, Reader, SanPlus, Skip, Visitor};

use crate::chess::{Move, Position, Record};

/// Characters of a line of PGN: the standard's export format.
const WIDTH: usize = 79;

/// A move of the main line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) mv: Move,
    pub(super) nags: Vec<u8>,
    pub(super) comments: Vec<String>,
}

/// A game: its tags, its first position, its main line.
#[derive(Debug, Clone)]
pub(super) struct Game {
    /// In the order of the file, `FEN` and `SetUp` among them.
    pub(super) tags: Vec<(String, String)>,
    pub(super) start: Position,
    pub(super) chess960: bool,
    /// Said before the first move.
    pub(super) preface: Vec<String>,
    pub(super) moves: Vec<Played>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub(super) result: String,
    /// Why the game ends before its end in the file, if it does.
    pub(super) fault: Option<String>,
}

impl Game {
    /// The value of a tag, or nothing.
    pub(super) fn tag(&self, name: &str) -> &str {
        self.tags.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The game up to each position: before the first move, after it, and so on.
    pub(super) fn records(&self) -> Vec<Record> {
        let mut record = Record::new(self.start.clone());
        let mut records = vec![record.clone()];
        for played in &self.moves {
            record.push(played.mv);
            records.push(record.clone());
        }
        records
    }
}

struct Games;

impl Visitor for Games {
    type Tags = Vec<(String, String)>;
    type Movetext = (Game, Position);
    type Output = Game;

    fn begin_tags(&mut self) -> ControlFlow<Game, Self::Tags> {
        ControlFlow::Continue(Vec::new())
    }

    fn tag(&mut self, tags: &mut Self::Tags, name: &[u8], value: RawTag<'_>) -> ControlFlow<Game> {
        let name = String::from_utf8_lossy(name).into_owned();
        tags.push((name, value.decode_utf8_lossy().into_owned()));
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, tags: Self::Tags) -> ControlFlow<Game, Self::Movetext> {
        let mut game = Game {
            tags,
            start: Position::start(),
            chess960: false,
            preface: Vec::new(),
            moves: Vec::new(),
            result: "*".to_owned(),
            fault: None,
        };
        let variant = game.tag("Variant").to_ascii_lowercase();
        game.chess960 =
            ["chess960", "chess 960", "fischerandom", "fischerrandom"].contains(&variant.as_str());
        if !game.chess960 && !["", "standard", "from position", "chess"].contains(&variant.as_str())
        {
            game.fault = Some(format!("the variant '{variant}' is not chess"));
        }
        match game.tag("FEN") {
            "" => {}
            fen => match Position::from_fen(fen) {
                Ok(position) => game.start = position,
                Err(error) => game.fault = Some(format!("FEN: {error}")),
            },
        }
        let position = game.start.clone();
        ControlFlow::Continue((game, position))
    }

    fn san(&mut self, (game, position): &mut Self::Movetext, san: SanPlus) -> ControlFlow<Game> {
        if game.fault.is_none() {
            match position.parse_san(&san.to_string()) {
                Ok(mv) => {
                    position.play(mv);
                    game.moves.push(Played { mv, nags: Vec::new(), comments: Vec::new() });
                }
                Err(error) => {
                    let number = position.fullmove_number();
                    game.fault = Some(format!("move {number}: {error}"));
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn nag(&mut self, (game, _): &mut Self::Movetext, nag: Nag) -> ControlFlow<Game> {
        if let (None, Some(last)) = (&game.fault, game.moves.last_mut()) {
            last.nags.push(nag.0);
        }
        ControlFlow::Continue(())
    }

    fn comment(
        &mut self,
        (game, _): &mut Self::Movetext,
        comment: RawComment<'_>,
    ) -> ControlFlow<Game> {
        let text = String::from_utf8_lossy(comment.as_bytes());
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if game.fault.is_none() && !text.is_empty() {
            game.moves.last_mut().map_or(&mut game.preface, |last| &mut last.comments).push(text);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Self::Movetext) -> ControlFlow<Game, Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn outcome(
        &mut self,
        (game, _): &mut Self::Movetext,
        outcome: pgn_reader::Outcome,
    ) -> ControlFlow<Game> {
        game.result = outcome.to_string();
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (game, _): Self::Movetext) -> Game {
        game
    }
}

/// All games of a file.
///
/// # Errors
/// If it is no PGN at all.
pub(super) fn read(bytes: &[u8]) -> io::Result<Vec<Game>> {
    let mut reader = Reader::new(bytes);
    let mut games = Vec::new();
    while let Some(game) = reader.read_game(&mut Games)? {
        games.push(game);
    }
    Ok(games)
}

/// What is written of a move besides the move.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) nags: Vec<u8>,
    pub(super) comment: String,
    /// Moves that would have been better, from the position before the move.
    pub(super) instead: Vec<Move>,
}

/// The game with its notes, one for each move, as PGN.
pub(super) fn write(game: &Game, tags: &[(String, String)], notes: &[Note]) -> String {
    let mut text = String::new();
    for (name, value) in game.tags.iter().chain(tags) {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        // A string takes everything.
        let _ = writeln!(text, "[{name} \"{value}\"]");
    }
    text.push('\n');
    let mut words: Vec<String> = game.preface.iter().map(|text| braces(text)).collect();
    let mut position = game.start.clone();
    let mut needs_number = true;
    for (played, note) in game.moves.iter().zip(notes) {
        words.extend(numbered(&position, played.mv, needs_number));
        let nags = played.nags.iter().chain(&note.nags);
        words.extend(nags.map(|nag| format!("${nag}")));
        let mut comments: Vec<&str> = played.comments.iter().map(String::as_str).collect();
        comments.splice(0..0, (!note.comment.is_empty()).then_some(note.comment.as_str()));
        if !comments.is_empty() {
            words.push(braces(&comments.join(" ")));
        }
        words.extend(variation(&position, &note.instead));
        needs_number = !comments.is_empty() || !note.instead.is_empty();
        position.play(played.mv);
    }
    words.push(game.result.clone());
    let words: Vec<&str> = words.iter().flat_map(|word| word.split(' ')).collect();
    text.push_str(&wrapped(&words));
    text.push('\n');
    text
}

/// A comment; a brace in it would end it.
fn braces(text: &str) -> String {
    format!("{{ {} }}", text.replace('{', "(").replace('}', ")"))
}

/// A move with its number, where it has one.
fn numbered(position: &Position, mv: Move, needs_number: bool) -> Vec<String> {
    let number = position.fullmove_number();
    let san = position.san(mv);
    match position.side_to_move() {
        crate::chess::Color::White => vec![format!("{number}."), san],
        crate::chess::Color::Black if needs_number => vec![format!("{number}..."), san],
        crate::chess::Color::Black => vec![san],
    }
}

/// A line of moves in brackets.
fn variation(position: &Position, line: &[Move]) -> Vec<String> {
    let mut words = line_words(position, line);
    if let (Some(first), true) = (words.first_mut(), !line.is_empty()) {
        first.insert(0, '(');
    }
    if let Some(last) = words.last_mut() {
        last.push(')');
    }
    words
}

/// A line of moves as words.
pub(super) fn line_words(position: &Position, line: &[Move]) -> Vec<String> {
    let mut position = position.clone();
    let mut words = Vec::new();
    for (index, &mv) in line.iter().enumerate() {
        words.extend(numbered(&position, mv, index == 0));
        position.play(mv);
    }
    words
}

/// The words in lines of at most [`WIDTH`].
fn wrapped(words: &[&str]) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in words {
        if width > 0 && width + 1 + word.chars().count() > WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.chars().count();
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[White \"A \\\"Fox\\\" B\"]\n[Result \"1-0\"]\n\n{Before} 1. e4 $1 {good} e5 \
                        (1... c5 2. Nf3) 2. Bc4 Nc6 3. Qh5 Nf6?? 4. Qxf7# 1-0\n\n\
                        [FEN \"8/8/8/8/8/4k3/4p3/4K3 b - - 0 60\"]\n\n60... Kd3 61. Kf2 Kd8 *\n";

    #[test]
    fn the_main_line_is_read_with_what_belongs_to_it() {
        let games = read(TEXT.as_bytes()).unwrap();
        assert_eq!(games.len(), 2);
        let first = &games[0];
        assert_eq!((first.moves.len(), first.result.as_str()), (7, "1-0"));
        assert_eq!(first.tag("White"), "A \"Fox\" B");
        assert_eq!(
            (&first.preface[..], &first.moves[0].nags[..]),
            (&["Before".to_owned()][..], &[1][..])
        );
        assert_eq!(first.moves[5].nags, [4]);
    }

    #[test]
    fn a_game_is_read_up_to_its_first_impossible_move() {
        let broken = &read(TEXT.as_bytes()).unwrap()[1];
        assert_eq!(broken.moves.len(), 2);
        assert!(broken.fault.as_ref().unwrap().starts_with("move 61"), "{:?}", broken.fault);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let game = &read(TEXT.as_bytes()).unwrap()[0];
        let mut notes = vec![Note::default(); 7];
        let mut before = game.start.clone();
        game.moves[..5].iter().for_each(|played| before.play(played.mv));
        let better = before.parse_san("Qe7").unwrap();
        notes[5] =
            Note { nags: vec![2], comment: "[%eval #1] {not} so".into(), instead: vec![better] };
        let text = write(game, &[("Annotator".into(), "x".into())], &notes);
        assert!(text.lines().all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.contains("(3... Qe7)"), "{text}");
        let again = &read(text.as_bytes()).unwrap()[0];
        let moves = |game: &Game| game.moves.iter().map(|played| played.mv).collect::<Vec<_>>();
        assert_eq!(moves(again), moves(game));
        assert_eq!(again.moves[5].nags, [4, 2]);
        assert_eq!(again.moves[5].comments, ["[%eval #1] (not) so"]);
        assert_eq!(again.tag("Annotator"), "x");
    }
}
