//! What is on the board before the first move: records, set-up stones, handicaps; and its picture.

use std::{fmt::Write as _, fs, io::Write};

use super::{
    Session,
    commands::{Answer, color, done, parse},
};
use crate::go::{Color, Point, Position, Record, sgf};

impl<W: Write> Session<W> {
    pub(super) fn load_sgf(&mut self, words: &[String]) -> Answer {
        let path = words.first().ok_or("syntax error")?;
        let before = if words.len() > 1 { Some(parse(words.get(1))?) } else { None };
        let bytes = fs::read(path).map_err(|_| "cannot load file")?;
        let text = String::from_utf8_lossy(&bytes);
        let record = sgf::load(&text, before, self.record.now.rules)
            .map_err(|error| format!("cannot load file: {error}"))?;
        self.begin(record);
        Ok(self.record.now.to_move.to_string())
    }

    pub(super) fn print_sgf(&self, words: &[String]) -> Answer {
        let text = sgf::save(&self.record, None);
        match words.first().map(String::as_str) {
            None | Some("-") => Ok(text),
            Some(path) => match fs::write(path, text) {
                Ok(()) => done(),
                Err(error) => Err(format!("cannot write file: {error}")),
            },
        }
    }

    pub(super) fn set_position(&mut self, name: &str, words: &[String]) -> Answer {
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

    /// Says who moves next. Before the first move it belongs to the set-up, which undo cannot pass.
    pub(super) fn set_player(&mut self, word: Option<&String>) -> Answer {
        let player = color(word)?;
        self.record.now.to_move = player;
        if self.record.now.moves.is_empty() {
            self.record.start.to_move = player;
        }
        done()
    }

    pub(super) fn fixed_handicap(&mut self, word: Option<&String>, fixed: bool) -> Answer {
        let stones: usize = parse(word)?;
        let board = &self.record.now.board;
        let size = board.size();
        if board.empties().len() < board.area() {
            return Err("board not empty".to_owned());
        }
        let most = most_handicap(size);
        if stones < 2 || (fixed && stones > most) || stones >= board.area() || most == 0 {
            return Err("invalid number of stones".to_owned());
        }
        // Free placement may give fewer than asked for (GTP 2, 4.1.2).
        let points = handicap_points(size, stones.min(most));
        self.place(&points);
        Ok(self.names(points))
    }

    pub(super) fn free_handicap(&mut self, words: &[String]) -> Answer {
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
}

/// Most fixed handicap stones (GTP 2, section 4.1.1): none below 7x7, four on 7x7 and even sizes.
const fn most_handicap(size: usize) -> usize {
    if size < 7 {
        0
    } else if size == 7 || size.is_multiple_of(2) {
        4
    } else {
        9
    }
}

/// The points of a fixed handicap: third line below 13x13, else fourth (GTP 2, section 4.1.1).
fn handicap_points(size: usize, stones: usize) -> Vec<Point> {
    let low = if size < 13 { 2 } else { 3 };
    let (mid, high) = (size / 2, size - 1 - low);
    let order = [
        (low, low),
        (high, high),
        (low, high),
        (high, low),
        (low, mid),
        (high, mid),
        (mid, low),
        (mid, high),
    ];
    // Five, seven and nine stones have the centre; it comes last.
    let centre = stones >= 5 && !stones.is_multiple_of(2);
    let mut points: Vec<_> = order[..stones - usize::from(centre)].to_vec();
    if centre {
        points.push((mid, mid));
    }
    points.into_iter().map(|(x, y)| Point::at(x, y, size)).collect()
}

/// The board for people: no empty line within.
pub(super) fn picture(position: &Position) -> String {
    let size = position.board.size();
    let columns = || {
        (0..size).fold(String::from("  "), |text, x| {
            let name = Point::at(x, 0, size).name(size);
            text + " " + &name[..1]
        })
    };
    let mut text = columns();
    text.push('\n');
    let last = position.last_move().and_then(crate::go::Move::point);
    for y in (0..size).rev() {
        let _ = write!(text, "{:2}", y + 1);
        for x in 0..size {
            let point = Point::at(x, y, size);
            let stone = [".", "X", "O", "#"][position.board.cell(point.cell()) as usize];
            let mark = if last == Some(point) { '(' } else { ' ' };
            let _ = write!(text, "{mark}{stone}");
        }
        let _ = writeln!(text, " {}", y + 1);
    }
    let _ = write!(text, "{}\n{} to move", columns(), position.to_move);
    text
}

#[cfg(test)]
mod tests {
    use std::{env, process};

    use protocol::gtp;

    use super::*;
    use crate::{
        frontend::gtp::{Options, Outcome},
        go::{Rules, search::GameClock},
    };

    fn session() -> Session<Vec<u8>> {
        Session::new(Vec::new(), Options { size: 9, megabytes: 8, ..Options::default() })
    }

    fn obey(session: &mut Session<Vec<u8>>, lines: &[&str]) {
        for line in lines {
            let outcome = session.obey(&gtp::parse(line).unwrap());
            assert!(matches!(outcome, Outcome::Answer(Ok(_))), "{line}");
        }
    }

    /// A record is another game: the clocks are full, and the rules stay unless it names some.
    #[test]
    fn loadsgf_begins_a_game_as_clear_board_does() {
        let path = env::temp_dir().join(format!("tegenspel-{}.sgf", process::id()));
        fs::write(&path, "(;SZ[9];B[ee])").unwrap();
        let mut session = session();
        obey(&mut session, &["kata-set-rules japanese", "time_settings 60 0 0", "time_left b 1 0"]);
        session.load_sgf(&[path.display().to_string()]).unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!(session.record.now.rules, Rules::JAPANESE);
        assert_eq!(session.clocks, [GameClock::new(session.system); 2]);
    }

    /// `GoGui`, `gogui-setup_player`: the player to move is part of the position that is set up.
    #[test]
    fn the_player_of_a_set_up_is_kept() {
        let mut session = session();
        let lines = ["gogui-setup b E5 w D4", "gogui-setup_player w", "play w C3", "undo"];
        obey(&mut session, &lines);
        assert_eq!(session.record.now.to_move, Color::White);
        assert!(session.print_sgf(&[]).unwrap().ends_with("PL[W])"));
    }

    /// GTP 2, section 4.1.1, the table.
    #[test]
    fn fixed_handicaps_are_those_of_the_table() {
        let names = |size, stones| {
            let points = handicap_points(size, stones);
            points.into_iter().map(|point| point.name(size)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(19, 2), "D4 Q16");
        assert_eq!(names(19, 5), "D4 Q16 D16 Q4 K10");
        assert_eq!(names(19, 6), "D4 Q16 D16 Q4 D10 Q10");
        assert_eq!(names(9, 9), "C3 G7 C7 G3 C5 G5 E3 E7 E5");
        assert_eq!(
            [most_handicap(6), most_handicap(7), most_handicap(8), most_handicap(9)],
            [0, 4, 4, 9]
        );
    }
}
