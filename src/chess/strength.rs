//! Playing below full strength, as `UCI_LimitStrength` and `Skill Level` ask for.
//!
//! A weaker player sees less and judges less surely; what is played is still one of the moves that
//! look good. So the search gets a number of nodes a move (one thread, whatever is set), works out
//! the best few moves, and one of these is drawn: the more likely, the less it gives away. Neither
//! the lines that are shown nor the threads nor the clock change the strength.

use std::cmp::Reverse;

use rand::{Rng, distr::weighted::WeightedIndex, prelude::Distribution};

use super::{
    score::{MATE_IN_MAX, Score},
    settings::Settings,
};

/// Moves among which a weak player draws one.
const MANY: usize = 4;
/// The same of a strong player, to whom each line that is worked out is one he does not see deeper.
const FEW: usize = 2;
/// From this Elo on a player is strong.
const STRONG: u32 = 2200;

/// The Elo numbers on offer.
pub const LEAST_ELO: u32 = 800;
/// The strongest level below full strength.
pub const MOST_ELO: u32 = 3000;
/// `Skill Level` of full strength.
pub const FULL_SKILL: u32 = 20;

/// Steps of the ladder: Elo, nodes a move, temperature in centipawns. Between two steps the
/// logarithm of the nodes and the temperature go linearly. Measured: see `src/ARCHITECTURE.md`.
const LADDER: [(u32, f64, f64); 7] = [
    (LEAST_ELO, 60.0, 200.0),
    (1200, 300.0, 55.0),
    (1600, 1_700.0, 32.0),
    (2000, 16_000.0, 10.0),
    (2400, 50_000.0, 5.0),
    (2800, 180_000.0, 2.0),
    (MOST_ELO, 400_000.0, 1.0),
];

/// Scores beyond this, in centipawns, are all the same to a weak player: won.
const WON: Score = 1500;

/// How a limited player plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Handicap {
    /// Nodes a move.
    pub nodes: u64,
    /// Moves that are worked out, of which one is drawn.
    pub candidates: usize,
    /// How much worse a move may look, in centipawns, to be drawn `e` times less often.
    pub temperature: f64,
}

impl Handicap {
    /// What the settings ask for; `None` is full strength. `UCI_LimitStrength` outranks
    /// `Skill Level`; whoever analyses wants the truth.
    pub fn of(settings: &Settings) -> Option<Self> {
        if settings.analyse_mode {
            None
        } else if settings.limit_strength {
            Some(Self::at(settings.elo))
        } else if settings.skill < FULL_SKILL {
            Some(Self::at(elo_of_skill(settings.skill)))
        } else {
            None
        }
    }

    /// The handicap that makes a player of this Elo.
    fn at(elo: u32) -> Self {
        let elo = elo.clamp(LEAST_ELO, MOST_ELO);
        let above = LADDER.iter().position(|&(step, ..)| step >= elo).unwrap_or(0).max(1);
        let (low, high) = (LADDER[above - 1], LADDER[above]);
        let share = f64::from(elo - low.0) / f64::from(high.0 - low.0);
        let between = |a: f64, b: f64| a + (b - a) * share;
        Self {
            nodes: between(low.1.ln(), high.1.ln()).exp() as u64,
            candidates: if elo < STRONG { MANY } else { FEW },
            temperature: between(low.2, high.2),
        }
    }

    /// Draws one of the moves with these scores, of which there must be one at least. A mate that is
    /// seen is given, the shortest first: put off at random, games would not end.
    pub fn draw(&self, scores: &[Score], random: &mut impl Rng) -> usize {
        let first = (0..scores.len()).max_by_key(|&index| (scores[index], Reverse(index)));
        if let Some(index) = first.filter(|&index| scores[index] >= MATE_IN_MAX) {
            return index;
        }
        let clipped = |score: Score| f64::from(score.clamp(-WON, WON));
        let best = scores.iter().copied().map(clipped).fold(f64::MIN, f64::max);
        let weight = |&score: &Score| ((clipped(score) - best) / self.temperature).exp();
        WeightedIndex::new(scores.iter().map(weight))
            .map_or(0, |distribution| distribution.sample(random))
    }
}

/// Twenty even steps from the weakest player to one step below the strongest.
const fn elo_of_skill(skill: u32) -> u32 {
    LEAST_ELO + (MOST_ELO - LEAST_ELO) * skill / FULL_SKILL
}

#[cfg(test)]
mod tests {
    use rand::{SeedableRng, rngs::StdRng};

    use super::*;
    use crate::chess::score::mate_in;

    #[test]
    fn a_higher_elo_sees_more_and_errs_less() {
        let ladder: Vec<_> = (LEAST_ELO..=MOST_ELO).step_by(50).map(Handicap::at).collect();
        for pair in ladder.windows(2) {
            assert!(pair[0].nodes < pair[1].nodes, "{pair:?}");
            assert!(pair[0].temperature > pair[1].temperature, "{pair:?}");
        }
    }

    #[test]
    fn full_strength_and_analysis_know_no_handicap() {
        let full = Settings::default();
        assert_eq!(Handicap::of(&full), None);
        let weak = Settings { skill: 3, ..Settings::default() };
        assert!(Handicap::of(&weak).is_some());
        assert_eq!(Handicap::of(&Settings { analyse_mode: true, ..weak }), None);
    }

    /// The softmax of the scores: equal moves equally often, a move one temperature worse `e` times
    /// less often.
    #[test]
    fn worse_moves_are_drawn_less_often() {
        let mut random = StdRng::seed_from_u64(1);
        let player = Handicap { nodes: 1, candidates: 3, temperature: 50.0 };
        let mut counts = [0_u32; 3];
        for _ in 0..30_000 {
            counts[player.draw(&[20, 20, -30], &mut random)] += 1;
        }
        let ratio = f64::from(counts[0]) / f64::from(counts[2]);
        assert!((ratio - std::f64::consts::E).abs() < 0.15, "{counts:?}");
        assert!(counts[0].abs_diff(counts[1]) < 600, "{counts:?}");
    }

    #[test]
    fn a_mate_is_not_given_away_for_a_won_endgame() {
        let mut random = StdRng::seed_from_u64(1);
        let player = Handicap::at(2000);
        assert!((0..1000).all(|_| player.draw(&[31_990, 900, 0], &mut random) == 0));
        let mates = [mate_in(9), 2000, mate_in(3), 5000];
        assert!((0..1000).all(|_| Handicap::at(900).draw(&mates, &mut random) == 2));
    }
}
