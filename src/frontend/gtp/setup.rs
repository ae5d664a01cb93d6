//! Handicap points, time systems by name, and the picture of a board.

use std::fmt::Write;

use super::commands::seconds;
use crate::go::{Point, Position, search::TimeSystem};

/// Most fixed handicap stones (GTP 2, section 4.1.1): none below 7x7, four on 7x7 and even sizes.
pub(super) const fn most_handicap(size: usize) -> usize {
    if size < 7 {
        0
    } else if size == 7 || size.is_multiple_of(2) {
        4
    } else {
        9
    }
}

/// The points of a fixed handicap: third line below 13x13, else fourth (GTP 2, section 4.1.1).
pub(super) fn handicap_points(size: usize, stones: usize) -> Vec<Point> {
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

/// Reads `none`, `absolute m`, `canadian m t s`, `byoyomi m t periods` and `fischer m inc`.
pub(super) fn time_system(words: &[String]) -> Result<TimeSystem, String> {
    let count = |at: usize| {
        words.get(at).and_then(|word| word.parse().ok()).ok_or_else(|| "syntax error".to_owned())
    };
    let main = || seconds(words.get(1));
    match words.first().map(String::as_str) {
        Some("none") => Ok(TimeSystem::None),
        Some("absolute") => Ok(TimeSystem::Absolute(main()?)),
        Some("canadian") => {
            let (main, period, stones) = (main()?, seconds(words.get(2))?, count(3)?);
            Ok(TimeSystem::Canadian { main, period, stones })
        }
        Some("byoyomi") => {
            let (main, period, periods) = (main()?, seconds(words.get(2))?, count(3)?);
            Ok(TimeSystem::Byoyomi { main, period, periods })
        }
        Some("fischer" | "fischer-capped") => {
            Ok(TimeSystem::Fischer { main: main()?, increment: seconds(words.get(2))? })
        }
        _ => Err("syntax error".to_owned()),
    }
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
    use super::*;

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
