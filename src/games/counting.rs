//! Arithmetic of games: dice, one roll of backgammon, positions of English draughts, and where the
//! best-known games stand in the field.

use std::collections::BTreeSet;

use crate::game::{Properties, Sum};

/// The distinct rolls of two dice, larger die first, with their probabilities.
pub fn two_dice() -> Vec<((u8, u8), f64)> {
    (1..=6)
        .flat_map(|high| (1..=high).map(move |low| (high, low)))
        .map(|roll| (roll, if roll.0 == roll.1 { 1.0 / 36.0 } else { 1.0 / 18.0 }))
        .collect()
}

/// One side's checkers and the other's, as its opponent's obstacles: a turn of backgammon for the
/// side that moves upward, from point 1 to 24, and bears off beyond.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Backgammon {
    /// Own checkers by point; index 0 is the bar, 25 is off.
    pub own: [u8; 26],
    /// The opponent's by point; 25 is his bar.
    pub other: [u8; 26],
}

impl Backgammon {
    /// Moves one checker from a point by some pips; `None` if the rules forbid it.
    #[must_use]
    pub fn step(&self, from: u8, pips: u8) -> Option<Self> {
        let (start, target) = (usize::from(from), usize::from(from + pips));
        let blocked_by_bar = self.own[0] > 0 && from != 0;
        if self.own[start] == 0 || blocked_by_bar || from > 24 {
            return None;
        }
        let mut next = self.clone();
        next.own[start] -= 1;
        if target > 24 {
            let home = self.own[..19].iter().all(|&count| count == 0);
            // A die too large bears off only the rearmost checker.
            let rearmost = target == 25 || self.own[19..start].iter().all(|&count| count == 0);
            next.own[25] += 1;
            return (home && rearmost).then_some(next);
        }
        if self.other[target] > 1 {
            return None;
        }
        next.other[25] += self.other[target];
        next.other[target] = 0;
        next.own[target] += 1;
        Some(next)
    }

    /// The distinct positions a roll can lead to: both dice must be played if they can, else the
    /// larger, a double four times. The position itself if nothing can be played.
    pub fn after_roll(&self, dice: (u8, u8)) -> BTreeSet<Self> {
        let orders: Vec<Vec<u8>> = if dice.0 == dice.1 {
            vec![vec![dice.0; 4]]
        } else {
            vec![vec![dice.0, dice.1], vec![dice.1, dice.0]]
        };
        let mut ends: Vec<(usize, u8, Self)> = vec![];
        for order in &orders {
            self.play_on(order, 0, 0, &mut ends);
        }
        let most = ends.iter().map(|(played, pips, _)| (*played, *pips)).max();
        ends.into_iter()
            .filter(|(played, pips, _)| Some((*played, *pips)) == most)
            .map(|(.., end)| end)
            .collect()
    }

    fn play_on(&self, dice: &[u8], played: usize, pips: u8, ends: &mut Vec<(usize, u8, Self)>) {
        let mut stuck = true;
        if let Some((&die, rest)) = dice.split_first() {
            for next in (0..=24).filter_map(|from| self.step(from, die)) {
                stuck = false;
                next.play_on(rest, played + 1, pips + die, ends);
            }
        }
        if stuck {
            ends.push((played, pips, self.clone()));
        }
    }
}

const fn choose(n: u64, k: u64) -> u64 {
    let (mut result, mut i) = (1, 0);
    if k > n {
        return 0;
    }
    while i < k {
        result = result * (n - i) / (i + 1);
        i += 1;
    }
    result
}

/// Positions of English draughts with exactly `pieces` pieces, men of neither colour on their last
/// row, the side to move not counted (Schaeffer, *One Jump Ahead*, 1997).
pub fn draughts_positions(pieces: u64) -> u64 {
    let mut total = 0;
    for black_men in 0..=pieces {
        for white_men in 0..=pieces - black_men {
            // Four squares only black men may use, four only white men, 24 both.
            let men: u64 = (0..=black_men.min(4))
                .flat_map(|b| (0..=white_men.min(4)).map(move |w| (b, w)))
                .map(|(b, w)| {
                    let (inner_black, inner_white) = (black_men - b, white_men - w);
                    choose(4, b)
                        * choose(4, w)
                        * choose(24, inner_black)
                        * choose(24_u64.saturating_sub(inner_black), inner_white)
                })
                .sum();
            let kings = pieces - black_men - white_men;
            let free = 32_u64.saturating_sub(black_men + white_men);
            total += men * choose(free, kings) * (1 << kings);
        }
    }
    total
}

/// The place in the field of a game known by name; `None` if it is not listed.
pub fn known_game(name: &str) -> Option<Properties> {
    let (players, chance, perfect_information, sum) = match name {
        "chess" | "checkers" | "go" | "othello" | "tic-tac-toe" | "connect four" => {
            (2, false, true, Sum::Zero)
        }
        "backgammon" | "dice board game" => (2, true, true, Sum::Zero),
        "spinner chips" => (2, true, true, Sum::Constant(1.0)),
        "monopoly" => (4, true, true, Sum::General),
        "battleships" | "blind tic-tac-toe" => (2, false, false, Sum::Zero),
        "bridge" => (4, true, false, Sum::Zero),
        "poker" | "scrabble" => (2, true, false, Sum::Zero),
        "nuclear war" => (4, true, false, Sum::General),
        _ => return None,
    };
    Some(Properties { players, chance, perfect_information, sum })
}
