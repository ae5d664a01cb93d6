//! Who stands where: results of players from lists of games, and the table that shows them.

#![expect(clippy::format_push_string, reason = "one line a player")]

use std::collections::HashMap;

use crate::elo::{Outcome, Results, shown};

/// A finished game, as far as standings want it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// Name of White.
    pub white: String,
    /// Name of Black.
    pub black: String,
    /// For White.
    pub outcome: Outcome,
    /// The same in both games of a pair of the same two players.
    pub pair: String,
}

/// The names in the order of their first game.
pub fn players(games: &[Played]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in games.iter().flat_map(|game| [&game.white, &game.black]) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Results of `player` against everybody, or against one opponent.
pub fn results(games: &[Played], player: &str, opponent: Option<&str>) -> Results {
    let mut results = Results::default();
    let mut waiting: HashMap<(&str, &str), (Outcome, bool)> = HashMap::new();
    for game in games {
        let white = game.white == player;
        let other = match (white, game.black == player) {
            (true, false) => &game.black,
            (false, true) => &game.white,
            _ => continue,
        };
        if opponent.is_some_and(|wanted| wanted != other) {
            continue;
        }
        let outcome = if white { game.outcome } else { game.outcome.reversed() };
        results.add_game(outcome);
        let key = (game.pair.as_str(), other.as_str());
        match waiting.remove(&key) {
            Some((first, was_white)) if was_white != white => results.add_pair(first, outcome),
            _ => {
                waiting.insert(key, (outcome, white));
            }
        }
    }
    results
}

/// Points as White and as Black with the number of games of each.
pub fn by_color(games: &[Played], player: &str) -> [(f64, u64); 2] {
    let mut sums = [(0.0, 0); 2];
    for game in games {
        let (color, outcome) = if game.white == player {
            (0, game.outcome)
        } else if game.black == player {
            (1, game.outcome.reversed())
        } else {
            continue;
        };
        sums[color].0 += outcome.half_points() as f64 / 2.0;
        sums[color].1 += 1;
    }
    sums
}

/// The table, best player first, one line each with a header.
pub fn table(games: &[Played]) -> String {
    let mut rows: Vec<(String, Results)> = players(games)
        .into_iter()
        .map(|name| {
            let results = results(games, &name, None);
            (name, results)
        })
        .collect();
    rows.sort_by(|a, b| b.1.estimate().score.total_cmp(&a.1.estimate().score));
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(6);
    let mut text = format!(
        "{:<width$} {:>8} {:>7} {:>8} {:>7} {:>6} {:>6} {:>6} {:>6}  {}\n",
        "Player", "Elo", "+/-", "nElo", "+/-", "Games", "Score", "Draws", "LOS", "Pairs 0 ½ 1 1½ 2"
    );
    for (name, results) in rows {
        let e = results.estimate();
        let [elo, error] = results.elo_cells(2);
        text += &format!(
            "{name:<width$} {elo:>8} {error:>7} {:>8} {:>7} {:>6} {:>5.1}% {:>5.1}% {:>5}%  {:?}\n",
            shown(e.normalized, 2),
            shown(e.normalized_error, 2),
            results.played(),
            100.0 * results.points() / results.played() as f64,
            100.0 * results.draw_ratio(),
            shown(100.0 * e.superiority, 1),
            results.pairs,
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(white: &str, black: &str, outcome: Outcome, pair: &str) -> Played {
        Played { white: white.into(), black: black.into(), outcome, pair: pair.into() }
    }

    #[test]
    fn only_games_with_colours_swapped_are_a_pair() {
        let games = [
            game("A", "B", Outcome::Win, "1"),
            game("A", "C", Outcome::Win, "1"),
            game("B", "A", Outcome::Draw, "1"),
            game("A", "B", Outcome::Win, "2"),
            game("A", "B", Outcome::Loss, "2"),
        ];
        let all = results(&games, "A", None);
        assert_eq!((all.games, all.pairs), ([1, 1, 3], [0, 0, 0, 1, 0]));
        let other = results(&games, "B", Some("A"));
        assert_eq!((other.games, other.pairs), ([2, 1, 1], [0, 1, 0, 0, 0]));
        assert_eq!(by_color(&games, "A"), [(3.0, 4), (0.5, 1)]);
    }

    #[test]
    fn the_best_player_is_on_top() {
        let text = table(&[game("A", "B", Outcome::Loss, "1"), game("B", "A", Outcome::Draw, "1")]);
        assert!(text.lines().nth(1).unwrap().starts_with('B'), "{text}");
    }

    #[test]
    fn the_table_shows_a_number_a_bound_or_a_question_mark() {
        let text = table(&[game("A", "B", Outcome::Win, "1"), game("B", "A", Outcome::Loss, "1")]);
        assert!(text.contains("above    -512") && text.contains("below    +512"), "{text}");
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }
}
