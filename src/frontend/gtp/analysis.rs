//! Analysis lines in the dialects of Leela Zero (`lz-`, whole numbers) and `KataGo` (`kata-`, decimals).

use std::{fmt::Write, time::Duration};

use crate::go::{
    Color, Move, Point, Position,
    search::{Analysis, Candidate},
};

/// Whose words are spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Leela,
    Kata,
}

/// What an analysis command asked for.
#[derive(Debug, Clone)]
pub(super) struct Format {
    pub(super) dialect: Dialect,
    pub(super) interval: Duration,
    pub(super) min_moves: usize,
    pub(super) max_moves: usize,
    pub(super) ownership: bool,
    pub(super) pv_visits: bool,
    pub(super) root_info: bool,
    /// Whose moves are restricted, and where.
    avoid: Vec<(Color, Point)>,
    allow: Vec<(Color, Point)>,
}

/// An hour: a stream without an interval reports once, at its end.
const NO_INTERVAL: Duration = Duration::from_hours(1);

impl Format {
    /// Reads `[colour] [interval] [key value]…`, in any order of keys; the colour is returned apart.
    pub(super) fn parse(
        dialect: Dialect,
        words: &[String],
        size: usize,
    ) -> Result<(Option<Color>, Self), String> {
        let mut format = Self {
            dialect,
            interval: NO_INTERVAL,
            min_moves: 0,
            max_moves: usize::MAX,
            ownership: false,
            pv_visits: false,
            root_info: false,
            avoid: Vec::new(),
            allow: Vec::new(),
        };
        let mut words = words.iter().map(String::as_str).peekable();
        let color = words.peek().and_then(|word| Color::parse(word));
        if color.is_some() {
            words.next();
        }
        if let Some(interval) = words.peek().and_then(|word| centiseconds(word)) {
            format.interval = interval;
            words.next();
        }
        while let Some(key) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("no value for '{key}'"));
            match key {
                "interval" => {
                    let text = value()?;
                    format.interval = centiseconds(text).ok_or("invalid interval")?;
                }
                "minmoves" => {
                    format.min_moves = value()?.parse().map_err(|_| "invalid minmoves")?;
                }
                "maxmoves" => {
                    format.max_moves = value()?.parse().map_err(|_| "invalid maxmoves")?;
                }
                "ownership" => format.ownership = boolean(value()?)?,
                "pvVisits" => format.pv_visits = boolean(value()?)?,
                "rootInfo" => format.root_info = boolean(value()?)?,
                "ownershipStdev" | "movesOwnership" | "movesOwnershipStdev" | "noResultValue" => {
                    boolean(value()?)?;
                }
                "avoid" | "allow" => {
                    let player = Color::parse(value()?).ok_or("invalid color")?;
                    let moves = value()?
                        .split(',')
                        .map(|word| Move::parse(word, size).ok_or("invalid vertex"))
                        .collect::<Result<Vec<Move>, _>>()?;
                    value()?.parse::<u32>().map_err(|_| "invalid depth")?;
                    let list = if key == "avoid" { &mut format.avoid } else { &mut format.allow };
                    let points = moves.into_iter().filter_map(Move::point);
                    list.extend(points.map(|point| (player, point)));
                }
                _ => return Err(format!("unknown key '{key}'")),
            }
        }
        Ok((color, format))
    }

    /// Points to avoid, and the only ones to look at, where `color` is to move: what is said of the
    /// opponent's moves holds further down, and the search restricts its root only.
    pub(super) fn restrictions(&self, color: Color) -> (Vec<Point>, Vec<Point>) {
        let own = |list: &[(Color, Point)]| -> Vec<Point> {
            list.iter().filter(|(player, _)| *player == color).map(|&(_, point)| point).collect()
        };
        (own(&self.avoid), own(&self.allow))
    }

    /// One line of the stream, with its newline.
    pub(super) fn line(&self, analysis: &Analysis, position: &Position) -> String {
        let size = position.board.size();
        let mut text = String::new();
        let shown = |(order, candidate): &(usize, &Candidate)| {
            *order < self.max_moves.max(1)
                && (candidate.visits > 0 || *order < self.min_moves.max(1))
        };
        for (order, candidate) in analysis.candidates.iter().enumerate().filter(shown) {
            if order > 0 {
                text.push(' ');
            }
            self.candidate(&mut text, order, candidate, analysis, size);
        }
        if self.dialect == Dialect::Kata {
            let winrate = analysis.winrate;
            if self.root_info {
                let _ = write!(
                    text,
                    " rootInfo visits {} utility {:.6} winrate {winrate:.6} scoreMean {:.6} \
                     scoreLead {:.6}",
                    analysis.visits,
                    2.0 * winrate - 1.0,
                    analysis.lead,
                    analysis.lead
                );
            }
            if self.ownership {
                text.push_str(" ownership");
                let sign = if analysis.color == Color::Black { 1.0 } else { -1.0 };
                for y in (0..size).rev() {
                    for x in 0..size {
                        let own = sign * analysis.ownership[Point::at(x, y, size).cell()];
                        let _ = write!(text, " {own:.4}");
                    }
                }
            }
        }
        text.push('\n');
        text
    }

    fn candidate(
        &self,
        text: &mut String,
        order: usize,
        candidate: &Candidate,
        analysis: &Analysis,
        size: usize,
    ) {
        let Candidate { visits, winrate, lcb, prior, .. } = *candidate;
        let mv = candidate.mv.name(size);
        let _ = match self.dialect {
            Dialect::Leela => {
                let whole = |share: f32| (share * 10_000.0).round() as u32;
                write!(
                    text,
                    "info move {mv} visits {visits} winrate {} prior {} lcb {} order {order}",
                    whole(winrate),
                    whole(prior),
                    whole(lcb)
                )
            }
            Dialect::Kata => {
                let lead = analysis.lead;
                write!(
                    text,
                    "info move {mv} visits {visits} edgeVisits {visits} utility {:.6} \
                     winrate {winrate:.6} scoreMean {lead:.6} scoreStdev 0.000000 \
                     scoreLead {lead:.6} scoreSelfplay {lead:.6} prior {prior:.6} lcb {lcb:.6} \
                     utilityLcb {:.6} weight {:.2} order {order}",
                    2.0 * winrate - 1.0,
                    2.0 * lcb - 1.0,
                    f64::from(visits)
                )
            }
        };
        text.push_str(" pv");
        for mv in &candidate.pv {
            let _ = write!(text, " {}", mv.name(size));
        }
        if self.pv_visits {
            text.push_str(" pvVisits");
            for visits in &candidate.pv_visits {
                let _ = write!(text, " {visits}");
            }
        }
    }
}

fn centiseconds(text: &str) -> Option<Duration> {
    let number: f64 = text.parse().ok()?;
    (0.0..=1e9).contains(&number).then(|| Duration::from_secs_f64((number / 100.0).max(0.01)))
}

fn boolean(text: &str) -> Result<bool, String> {
    text.to_ascii_lowercase().parse().map_err(|_| format!("'{text}' is neither true nor false"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<(Option<Color>, Format), String> {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        Format::parse(Dialect::Kata, &words, 9)
    }

    /// Pachi #134: `lz-analyze b 100` was misread and hung the GUI.
    #[test]
    fn colour_interval_and_keys_are_read_in_every_usual_form() {
        let (color, format) = parse("b 100").unwrap();
        assert_eq!((color, format.interval), (Some(Color::Black), Duration::from_secs(1)));
        let (color, format) = parse("interval 10 ownership true minmoves 2").unwrap();
        assert!(color.is_none() && format.ownership && format.min_moves == 2);
        let (_, format) = parse("w 1 avoid w C3,D4,pass 5 allow b A1 1").unwrap();
        assert_eq!((format.avoid.len(), format.allow.len()), (2, 1));
        for words in ["b x", "avoid b", "avoid b Z9 1", "ownership maybe", "interval"] {
            assert!(parse(words).is_err(), "{words}");
        }
    }

    /// `KataGo`, `kata-analyze`: `avoid` and `allow` restrict the moves of the player they name.
    #[test]
    fn a_restriction_holds_for_its_player_only() {
        let (_, format) = parse("avoid w C3,D4 5 allow b A1 1").unwrap();
        let points = |words: &[&str]| -> Vec<Point> {
            words.iter().map(|word| Point::parse(word, 9).unwrap()).collect()
        };
        assert_eq!(format.restrictions(Color::White), (points(&["C3", "D4"]), Vec::new()));
        assert_eq!(format.restrictions(Color::Black), (Vec::new(), points(&["A1"])));
    }
}
