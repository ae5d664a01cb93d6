//! Game records in SGF, file formats 1 to 4 (Kierulf, Hollosi): the main line in, a plain record out.

use std::fmt::{self, Write};

use super::{
    point::{Color, MAX_SIZE, Move, Point},
    position::{Position, Record},
    rules::Rules,
    score::result_text,
};

/// Why a text is no game record that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SgfError {
    /// The text breaks off, or has no `(;`.
    Syntax,
    /// A game other than go, or a board that is not square or too large.
    Board(String),
    /// A move that cannot be played, by number from 1.
    Move(usize),
}

impl fmt::Display for SgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax => f.write_str("not an SGF game tree"),
            Self::Board(text) => write!(f, "board '{text}' is not one of 1 to 25 points a side"),
            Self::Move(number) => write!(f, "move {number} is illegal"),
        }
    }
}

impl std::error::Error for SgfError {}

/// One node: properties with their values, as written, lower-case letters of FF 1-3 names dropped.
type Node = Vec<(String, Vec<String>)>;

/// Reads the main line and plays it up to the position before move `before` (from 1), or to its end.
/// If the record names no rules that are known, it is played by `rules`.
///
/// # Errors
/// If it is no go game, or a move on the way cannot be played.
pub fn load(text: &str, before: Option<usize>, rules: Rules) -> Result<Record, SgfError> {
    let nodes = main_line(text)?;
    let root = nodes.first().ok_or(SgfError::Syntax)?;
    let find = |name: &str| {
        root.iter().find(|(key, _)| key == name).and_then(|(_, values)| values.first())
    };
    if let Some(game) = find("GM")
        && game.trim() != "1"
    {
        return Err(SgfError::Board(format!("of game {game}")));
    }
    let size = match find("SZ") {
        None => 19,
        Some(text) => {
            let mut sides = text.split(':').map(|side| side.trim().parse::<usize>());
            match (sides.next(), sides.next(), sides.next()) {
                (Some(Ok(n)), None, _) if (1..=MAX_SIZE).contains(&n) => n,
                (Some(Ok(n)), Some(Ok(m)), None) if n == m && (1..=MAX_SIZE).contains(&n) => n,
                _ => return Err(SgfError::Board(text.clone())),
            }
        }
    };
    let mut record = Record::new(size);
    let komi = find("KM").and_then(|text| text.trim().parse().ok());
    record.set_komi(komi.filter(|komi: &f32| komi.is_finite()).unwrap_or(0.0));
    record.set_rules(find("RU").and_then(|text| Rules::parse(text).ok()).unwrap_or(rules));
    if let Some(stones) = find("HA")
        .and_then(|text| text.trim().parse().ok())
        .filter(|&stones: &usize| stones <= size * size)
    {
        record.start.handicap = stones;
        record.now.handicap = stones;
    }
    play_nodes(&mut record, &nodes, size, before)?;
    Ok(record)
}

fn play_nodes(
    record: &mut Record,
    nodes: &[Node],
    size: usize,
    before: Option<usize>,
) -> Result<(), SgfError> {
    let mut number = 0;
    for node in nodes {
        let setup = node.iter().any(|(key, _)| matches!(key.as_str(), "AB" | "AW" | "AE"));
        if setup {
            set_up(record, node, size);
        }
        for (key, values) in node {
            let color = match key.as_str() {
                "B" => Color::Black,
                "W" => Color::White,
                "PL" => {
                    if let Some(color) = values.first().and_then(|value| player(value)) {
                        record.now.to_move = color;
                        if record.now.moves.is_empty() {
                            record.start.to_move = color;
                        }
                    }
                    continue;
                }
                _ => continue,
            };
            number += 1;
            if before.is_some_and(|before| number >= before) {
                record.now.to_move = color;
                return Ok(());
            }
            let value = values.first().map(String::as_str).unwrap_or_default();
            let mv = parse_move(value, size).ok_or(SgfError::Move(number))?;
            // Records hold what was played under whatever rules: superko is not asked here.
            if let Move::Play(point) = mv
                && record.now.board.check(color, point, true).is_err()
            {
                return Err(SgfError::Move(number));
            }
            record.play(color, mv);
        }
    }
    Ok(())
}

/// Applies AB, AW and AE. The board is built anew, and becomes the start that undo cannot pass.
fn set_up(record: &mut Record, node: &Node, size: usize) {
    let mut stones: Vec<Option<Color>> =
        record.now.board.points().map(|point| record.now.board.stone(point)).collect();
    for (key, values) in node {
        let content = match key.as_str() {
            "AB" => Some(Color::Black),
            "AW" => Some(Color::White),
            "AE" => None,
            _ => continue,
        };
        for (x, y) in values.iter().flat_map(|value| rectangle(value, size)) {
            stones[y * size + x] = content;
        }
    }
    let old = &record.now;
    let mut position = Position::new(size);
    (position.rules, position.komi, position.handicap) = (old.rules, old.komi, old.handicap);
    let black_only = stones.iter().flatten().all(|&color| color == Color::Black);
    for (point, stone) in position.board.points().zip(stones) {
        if let Some(color) = stone {
            position.set_up(color, point);
        }
    }
    position.to_move = if black_only && position.handicap > 1 { Color::White } else { old.to_move };
    record.start = position.clone();
    record.now = position;
}

fn player(value: &str) -> Option<Color> {
    match value.trim() {
        "1" => Some(Color::Black),
        "2" => Some(Color::White),
        text => Color::parse(text),
    }
}

/// Points of a value such as `dd` or the rectangle `aa:cc` (FF4).
fn rectangle(value: &str, size: usize) -> Vec<(usize, usize)> {
    let mut corners = value.split(':').map(|corner| coordinates(corner.trim(), size));
    let Some(Some((x0, y0))) = corners.next() else { return Vec::new() };
    let (x1, y1) = corners.next().flatten().unwrap_or((x0, y0));
    (y0.min(y1)..=y0.max(y1)).flat_map(|y| (x0.min(x1)..=x0.max(x1)).map(move |x| (x, y))).collect()
}

fn coordinates(text: &str, size: usize) -> Option<(usize, usize)> {
    let &[a, b] = text.as_bytes() else { return None };
    let (x, from_top) = (usize::from(a.wrapping_sub(b'a')), usize::from(b.wrapping_sub(b'a')));
    (x < size && from_top < size).then(|| (x, size - 1 - from_top))
}

fn parse_move(text: &str, size: usize) -> Option<Move> {
    let text = text.trim();
    if text.is_empty() || (text == "tt" && size <= 19) {
        return Some(Move::Pass);
    }
    coordinates(text, size).map(|(x, y)| Move::Play(Point::at(x, y, size)))
}

/// Nodes from the root, always into the first variation.
fn main_line(text: &str) -> Result<Vec<Node>, SgfError> {
    let start = text.find('(').ok_or(SgfError::Syntax)?;
    let mut chars = text[start + 1..].chars().peekable();
    let mut nodes: Vec<Node> = Vec::new();
    let mut name = String::new();
    loop {
        match chars.next() {
            None => return Err(SgfError::Syntax),
            Some(')') => break,
            Some(';') => {
                nodes.push(Vec::new());
                name.clear();
            }
            Some('[') => {
                let mut value = String::new();
                loop {
                    match chars.next().ok_or(SgfError::Syntax)? {
                        ']' => break,
                        '\\' => value.extend(chars.next()),
                        c => value.push(c),
                    }
                }
                let node = nodes.last_mut().ok_or(SgfError::Syntax)?;
                if name.is_empty() {
                    if let Some((_, values)) = node.last_mut() {
                        values.push(value);
                    }
                } else {
                    node.push((std::mem::take(&mut name), vec![value]));
                }
            }
            Some(c) if c.is_ascii_uppercase() => name.push(c),
            Some(_) => {}
        }
    }
    if nodes.is_empty() { Err(SgfError::Syntax) } else { Ok(nodes) }
}

/// Writes the game: size, komi, rules, set-up, moves and, if given, the result.
pub fn save(record: &Record, result: Option<f32>) -> String {
    let size = record.now.board.size();
    let point = |point: Point| {
        let (x, y) = point.xy(size);
        format!("{}{}", (b'a' + x as u8) as char, (b'a' + (size - 1 - y) as u8) as char)
    };
    let mut text = format!("(;FF[4]GM[1]SZ[{size}]KM[{}]", record.now.komi);
    if record.start.handicap > 1 {
        let _ = write!(text, "HA[{}]", record.start.handicap);
    }
    if let Some(black_ahead) = result {
        let _ = write!(text, "RE[{}]", result_text(black_ahead));
    }
    for color in Color::BOTH {
        let stones: Vec<_> = record
            .start
            .board
            .points()
            .filter(|&p| record.start.board.stone(p) == Some(color))
            .collect();
        if !stones.is_empty() {
            let _ = write!(text, "A{}", color.letter());
            for stone in stones {
                let _ = write!(text, "[{}]", point(stone));
            }
        }
    }
    // Black is taken to begin, but White after a handicap.
    let player = record.start.to_move;
    if player == Color::White || record.start.handicap > 1 {
        let _ = write!(text, "PL[{}]", player.letter());
    }
    for &(color, mv) in &record.now.moves {
        let _ = write!(text, ";{}[{}]", color.letter(), mv.point().map(point).unwrap_or_default());
    }
    text.push(')');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str, before: Option<usize>) -> Result<Record, SgfError> {
        super::load(text, before, Rules::default())
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let text = "(;FF[4]GM[1]SZ[9]KM[6.5]AB[aa:ba][cc]AW[ii]PL[W];W[dd];B[];W[ee])";
        let record = load(text, None).unwrap();
        assert_eq!(record.now.moves.len(), 3);
        assert_eq!(record.now.board.stone(Point::parse("B9", 9).unwrap()), Some(Color::Black));
        let again = load(&save(&record, None), None).unwrap();
        assert_eq!(again.now.board.hash(), record.now.board.hash());
        assert_eq!(again.now.moves, record.now.moves);
    }

    #[test]
    fn the_main_line_is_the_first_variation() {
        let record = load("(;SZ[9];B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))", None).unwrap();
        let names: Vec<_> = record.now.moves.iter().map(|(_, mv)| mv.name(9)).collect();
        assert_eq!(names, ["A9", "B8", "C7"]);
    }

    /// GTP 2, loadsgf: "the board position … before `move_number`".
    #[test]
    fn loading_stops_before_the_move_that_is_named() {
        let record = load("(;GaMe[1]SZ[9];Black[aa];White[bb];Black[tt])", Some(3)).unwrap();
        assert_eq!(record.now.moves.len(), 2);
        assert_eq!(record.now.to_move, Color::Black);
    }

    /// RU is optional (FF4, game info): a record without it says nothing of the rules.
    #[test]
    fn rules_that_a_record_does_not_name_are_those_in_force() {
        let rules = |text| super::load(text, None, Rules::JAPANESE).unwrap().now.rules;
        assert_eq!(rules("(;SZ[9])"), Rules::JAPANESE);
        assert_eq!(rules("(;SZ[9]RU[of our own])"), Rules::JAPANESE);
        assert_eq!(rules("(;SZ[9]RU[Chinese])"), Rules::CHINESE);
    }

    #[test]
    fn the_player_to_move_is_written_where_readers_would_guess_the_other() {
        for text in ["(;SZ[9]HA[2]AB[cc][gg]PL[B])", "(;SZ[9]PL[W])"] {
            let record = load(text, None).unwrap();
            let again = load(&save(&record, None), None).unwrap();
            assert_eq!(again.start.to_move, record.start.to_move, "{text}");
        }
    }

    #[test]
    fn what_is_no_go_game_is_refused() {
        for text in ["", "(", "(;SZ[9]", "(;GM[2])", "(;SZ[26])", "(;SZ[9:13])", "(;B[zz])", "()"] {
            assert!(load(text, None).is_err(), "{text}");
        }
        assert_eq!(load("(;SZ[9];B[aa];W[aa])", None).err(), Some(SgfError::Move(2)));
    }
}
