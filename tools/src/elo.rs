//! Ratings from results: logistic and normalised Elo, 95 % error bars, likelihood of superiority.
//!
//! Games that share an opening, colours swapped, are not independent; counting them in pairs (five
//! outcomes instead of three) gives the right variance. Definitions: Elo 1978 (logistic curve);
//! M. Van den Bergh, "Normalized Elo" (2019), for the rating that does not depend on the draw rate.

/// Half width, in standard deviations, of a two-sided 95 % interval of a normal distribution.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Elo points of one normalised unit: the slope of the logistic curve at even odds, 800 / ln 10.
pub const ELO_PER_SIGMA: f64 = 800.0 / std::f64::consts::LN_10;

/// The result of a game for the player counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// No point.
    Loss,
    /// Half a point.
    Draw,
    /// One point.
    Win,
}

impl Outcome {
    /// The same game as the opponent sees it.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// Half points: 0, 1 or 2.
    pub const fn half_points(self) -> usize {
        self as usize
    }
}

/// Results of one player against one or all of his opponents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Results {
    /// Games by half points: lost, drawn, won.
    pub games: [u64; 3],
    /// Complete pairs by half points of both games: 0, ½, 1, 1½, 2.
    pub pairs: [u64; 5],
    /// Of `pairs[2]`, those of two draws (the rest are a win and a loss).
    pub drawn_pairs: u64,
}

impl Results {
    /// Counts one game, whether or not it has a partner.
    pub const fn add_game(&mut self, outcome: Outcome) {
        self.games[outcome.half_points()] += 1;
    }

    /// Counts a pair. Its games are to be counted by [`Results::add_game`] as well.
    pub const fn add_pair(&mut self, first: Outcome, second: Outcome) {
        self.pairs[first.half_points() + second.half_points()] += 1;
        if matches!((first, second), (Outcome::Draw, Outcome::Draw)) {
            self.drawn_pairs += 1;
        }
    }

    /// Number of games.
    pub fn played(&self) -> u64 {
        self.games.iter().sum()
    }

    /// Points: a win 1, a draw ½.
    pub const fn points(&self) -> f64 {
        self.games[2] as f64 + self.games[1] as f64 / 2.0
    }

    /// Share of drawn games, 0 to 1; NaN without games.
    pub fn draw_ratio(&self) -> f64 {
        self.games[1] as f64 / self.played() as f64
    }

    /// Share of pairs that ended even, 0 to 1; NaN without pairs.
    pub fn even_pair_ratio(&self) -> f64 {
        self.pairs[2] as f64 / self.pairs.iter().sum::<u64>() as f64
    }

    /// Rating from the pairs if there are any, else from single games.
    pub fn estimate(&self) -> Estimate {
        if self.pairs.iter().any(|&n| n > 0) {
            self.estimate_from_pairs()
        } else {
            self.estimate_from_games()
        }
    }

    /// Where all was won or all was lost there is no estimate, but a side and a bound in Elo: were
    /// the truth beyond it, so many results of one kind would come less than once in twenty times
    /// (95 %, one-sided; the "rule of three" of Hanley & Lippman-Hand 1983, not rounded).
    pub fn bound(&self) -> Option<(&'static str, f64)> {
        let pairs: u64 = self.pairs.iter().sum();
        let independent = if pairs > 0 { pairs } else { self.played() };
        let elo = logistic_elo(0.05_f64.powf(1.0 / independent as f64));
        let score = self.estimate().score;
        if score >= 1.0 {
            Some(("above", elo))
        } else if score <= 0.0 {
            Some(("below", -elo))
        } else {
            None
        }
    }

    /// Logistic Elo and half its interval, with so many digits; or side and bound.
    pub fn elo_cells(&self, digits: usize) -> [String; 2] {
        let estimate = self.estimate();
        match self.bound() {
            Some((side, elo)) => [side.to_owned(), format!("{elo:+.0}")],
            None => [estimate.elo, estimate.elo_error].map(|value| shown(value, digits)),
        }
    }

    /// The same as one text.
    pub fn elo_text(&self, digits: usize, plus_minus: &str) -> String {
        self.elo_cells(digits).join(if self.bound().is_some() { " " } else { plus_minus })
    }

    /// The estimate as one line.
    pub fn summary(&self) -> String {
        let estimate = self.estimate();
        format!(
            "Elo {}, nElo {} +/- {}, LOS {} %",
            self.elo_text(2, " +/- "),
            shown(estimate.normalized, 2),
            shown(estimate.normalized_error, 2),
            shown(100.0 * estimate.superiority, 2)
        )
    }

    /// Rating from games taken as independent (trinomial).
    pub fn estimate_from_games(&self) -> Estimate {
        Estimate::new(&self.games, 1.0)
    }

    /// Rating from pairs of games (pentanomial).
    pub fn estimate_from_pairs(&self) -> Estimate {
        Estimate::new(&self.pairs, 2.0)
    }
}

/// A rating difference with its uncertainty. Values are NaN or infinite where the results do not
/// bound them: no games, or nothing but wins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Mean score, 0 to 1.
    pub score: f64,
    /// Half the 95 % interval of the score.
    pub score_error: f64,
    /// Logistic Elo.
    pub elo: f64,
    /// Half the 95 % interval of the logistic Elo.
    pub elo_error: f64,
    /// Normalised Elo.
    pub normalized: f64,
    /// Half the 95 % interval of the normalised Elo.
    pub normalized_error: f64,
    /// Likelihood that the player is the better one, 0 to 1.
    pub superiority: f64,
}

impl Estimate {
    /// From counts of equally spaced scores from 0 to 1, each of `games` games.
    fn new(counts: &[u64], games: f64) -> Self {
        let total: f64 = counts.iter().map(|&n| n as f64).sum();
        let step = 1.0 / (counts.len() - 1) as f64;
        let moment = |f: &dyn Fn(f64) -> f64| {
            counts.iter().enumerate().map(|(i, &n)| n as f64 * f(i as f64 * step)).sum::<f64>()
                / total
        };
        let score = moment(&|x| x);
        let variance = moment(&|x| (x - score).powi(2));
        let deviation = (variance / total).sqrt();
        let score_error = NORMAL_95 * deviation;
        let normalized = |s: f64| (s - 0.5) / (games * variance).sqrt() * ELO_PER_SIGMA;
        let (low, high) = (score - score_error, score + score_error);
        Self {
            score,
            score_error,
            elo: logistic_elo(score),
            elo_error: (logistic_elo(high) - logistic_elo(low)) / 2.0,
            normalized: normalized(score),
            normalized_error: (normalized(high) - normalized(low)) / 2.0,
            superiority: f64::midpoint(
                1.0,
                libm::erf((score - 0.5) / (deviation * std::f64::consts::SQRT_2)),
            ),
        }
    }
}

/// A number with so many digits, or `?` where the results do not bound it.
pub fn shown(value: f64, digits: usize) -> String {
    if value.is_finite() { format!("{value:.digits$}") } else { "?".to_owned() }
}

/// Elo difference that makes `score` the expected one; infinite at 0 and 1, NaN outside.
pub fn logistic_elo(score: f64) -> f64 {
    -400.0 * (1.0 / score - 1.0).log10()
}

/// Expected score of a player `elo` points stronger.
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 0.006, "{actual} is not {expected}");
    }

    /// Values from the unit tests of fastchess 1.x (`elo_test.cpp`), which are those of fishtest.
    #[test]
    fn single_games_give_the_published_ratings() {
        let estimate = Results { games: [96, 111, 136], ..Default::default() }.estimate();
        close(estimate.normalized, 49.77);
        close(estimate.normalized_error, 36.77);
        close(estimate.elo, 40.70);
        close(estimate.elo_error, 30.43);
        close(estimate.superiority * 100.0, 99.60);
        let estimate = Results { games: [89, 123, 76], ..Default::default() }.estimate();
        close(estimate.normalized, -20.76);
        close(estimate.superiority * 100.0, 15.53);
    }

    /// The same source.
    #[test]
    fn pairs_give_the_published_ratings() {
        let estimate = Results { pairs: [34, 54, 63, 64, 75], ..Default::default() }.estimate();
        close(estimate.normalized, 57.94);
        close(estimate.normalized_error, 28.28);
        close(estimate.elo, 55.58);
        close(estimate.elo_error, 27.65);
        let estimate =
            Results { pairs: [332, 433, 498, 333, 334], ..Default::default() }.estimate();
        close(estimate.elo, -8.64);
        close(estimate.elo_error, 10.33);
    }

    /// Thirty wins in a row exclude expected scores below some 1 - 3/30.
    #[test]
    fn nothing_but_wins_gives_a_bound_in_place_of_an_estimate() {
        let won = Results { games: [0, 0, 60], pairs: [0, 0, 0, 0, 30], drawn_pairs: 0 };
        let (side, elo) = won.bound().unwrap();
        assert_eq!(side, "above");
        assert!((expected_score(elo) - 0.9).abs() < 0.01, "{elo}");
        assert_eq!(won.summary(), "Elo above +392, nElo ? +/- ?, LOS 100.00 %");
        let lost = Results { games: [60, 0, 0], pairs: [30, 0, 0, 0, 0], drawn_pairs: 0 };
        assert_eq!(lost.bound(), Some(("below", -elo)));
        let nothing = Results::default();
        assert_eq!(nothing.summary(), "Elo ? +/- ?, nElo ? +/- ?, LOS ? %");
        let even = Results { games: [1, 0, 1], ..Default::default() };
        assert_eq!(even.bound(), None);
    }

    #[test]
    fn elo_and_expected_score_are_inverse() {
        for elo in [-700.0, -12.5, 0.0, 3.0, 400.0] {
            assert!((logistic_elo(expected_score(elo)) - elo).abs() < 1e-9);
        }
    }

    #[test]
    fn the_opponent_sees_the_opposite_rating() {
        let ours = Results { games: [10, 20, 31], pairs: [1, 5, 9, 8, 7], drawn_pairs: 0 };
        let theirs = Results { games: [31, 20, 10], pairs: [7, 8, 9, 5, 1], drawn_pairs: 0 };
        assert!((ours.estimate().elo + theirs.estimate().elo).abs() < 1e-9);
    }

    #[test]
    fn a_pair_is_counted_by_its_half_points() {
        let mut results = Results::default();
        results.add_pair(Outcome::Win, Outcome::Loss);
        results.add_pair(Outcome::Draw, Outcome::Draw);
        results.add_pair(Outcome::Win, Outcome::Draw);
        assert_eq!((results.pairs, results.drawn_pairs), ([0, 0, 2, 1, 0], 1));
    }
}
