//! Time controls and the clocks that keep them. Time is taken from the system's monotonic clock.

#![expect(clippy::format_push_string, reason = "one short line a move")]

use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

/// How long a player may think. Limits of a move may stand beside a clock.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeControl {
    /// Time at the start, and again after each `moves` moves.
    pub base: Option<Duration>,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until `base` is added again; `None` is sudden death.
    pub moves: Option<u32>,
    /// Exact time of each move.
    pub move_time: Option<Duration>,
    /// Nodes of each move.
    pub nodes: Option<u64>,
    /// Depth of each move.
    pub depth: Option<u32>,
}

impl TimeControl {
    /// Whether anything ends a search.
    pub const fn is_limited(&self) -> bool {
        self.base.is_some()
            || self.move_time.is_some()
            || self.nodes.is_some()
            || self.depth.is_some()
    }
}

/// Reads a number of seconds.
///
/// # Errors
/// If it is none, is negative, or is beyond thirty years.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let value: f64 = text.parse().map_err(|_| format!("'{text}' is not a number of seconds"))?;
    if (0.0..=1e9).contains(&value) {
        Ok(Duration::from_secs_f64(value))
    } else {
        Err(format!("'{text}' is not a number of seconds"))
    }
}

/// Reads parts joined by commas: `40/60+0.6`, `10+0.1`, `st=0.5`, `nodes=5000`, `depth=9`.
impl FromStr for TimeControl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut control = Self::default();
        for part in text.split(',') {
            let number = |value: &str| -> Result<u64, String> {
                match value.parse() {
                    Ok(0) | Err(_) => Err(format!("'{part}' needs a positive whole number")),
                    Ok(number) => Ok(number),
                }
            };
            let count = |value: &str| -> Result<u32, String> {
                u32::try_from(number(value)?).map_err(|_| format!("'{part}' is too large"))
            };
            match part.split_once('=') {
                Some(("st" | "movetime", value)) => control.move_time = Some(seconds(value)?),
                Some(("nodes", value)) => control.nodes = Some(number(value)?),
                Some(("depth", value)) => control.depth = Some(count(value)?),
                Some(_) => return Err(format!("'{part}' is none of st=, nodes=, depth=")),
                None => {
                    let (moves, rest) = match part.split_once('/') {
                        Some((moves, rest)) => (Some(count(moves)?), rest),
                        None => (None, part),
                    };
                    let (base, increment) = rest.split_once('+').unwrap_or((rest, "0"));
                    control.moves = moves;
                    control.base = Some(seconds(base)?);
                    control.increment = seconds(increment)?;
                }
            }
        }
        if control.is_limited() { Ok(control) } else { Err(format!("'{text}' limits nothing")) }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(base) = self.base {
            let moves = self.moves.map_or_else(String::new, |moves| format!("{moves}/"));
            parts.push(format!("{moves}{}+{}", base.as_secs_f64(), self.increment.as_secs_f64()));
        }
        parts.extend(self.move_time.map(|time| format!("st={}", time.as_secs_f64())));
        parts.extend(self.nodes.map(|nodes| format!("nodes={nodes}")));
        parts.extend(self.depth.map(|depth| format!("depth={depth}")));
        f.write_str(&parts.join(","))
    }
}

/// The clock of one player in one game.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    control: TimeControl,
    left: Duration,
    moves_to_go: Option<u32>,
}

impl Clock {
    /// A full clock.
    pub fn new(control: TimeControl) -> Self {
        Self {
            control,
            left: control.base.unwrap_or_default(),
            moves_to_go: control.base.and(control.moves),
        }
    }

    /// Time left; `None` without a clock.
    pub fn left(&self) -> Option<Duration> {
        self.control.base.map(|_| self.left)
    }

    /// Time the next move may take; `None` is unlimited.
    pub fn budget(&self) -> Option<Duration> {
        match (self.left(), self.control.move_time) {
            (Some(left), Some(time)) => Some(left.min(time)),
            (left, time) => left.or(time),
        }
    }

    /// Takes the time of a move off. False if it was more than there was, beyond `margin`.
    pub fn spend(&mut self, spent: Duration, margin: Duration) -> bool {
        if self.budget().is_some_and(|budget| spent > budget + margin) {
            return false;
        }
        if self.control.base.is_some() {
            self.left = self.left.saturating_sub(spent) + self.control.increment;
            if let Some(moves) = &mut self.moves_to_go {
                *moves -= 1;
                if *moves == 0 {
                    *moves = self.control.moves.unwrap_or(1);
                    self.left += self.control.base.unwrap_or_default();
                }
            }
        }
        true
    }

    /// The `go` command of the player to move, whose colour is `white`; the other's clock is
    /// `other`.
    pub fn go_command(&self, other: &Self, white: bool) -> String {
        let mut go = "go".to_owned();
        let mut word = |name: &str, value: u128| go.push_str(&format!(" {name} {value}"));
        let (ours, theirs) = if white { ("w", "b") } else { ("b", "w") };
        if let Some(left) = self.left() {
            for (side, clock) in [(ours, self), (theirs, other)] {
                // An opponent without a clock is told to the engine as one in no hurry.
                let time = clock.left().unwrap_or(left);
                word(&format!("{side}time"), time.as_millis());
                word(&format!("{side}inc"), clock.control.increment.as_millis());
            }
            if let Some(moves) = self.moves_to_go {
                word("movestogo", moves.into());
            }
        }
        if let Some(time) = self.control.move_time {
            word("movetime", time.as_millis());
        }
        if let Some(nodes) = self.control.nodes {
            word("nodes", nodes.into());
        }
        if let Some(depth) = self.control.depth {
            word("depth", depth.into());
        }
        go
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(text: &str) -> Clock {
        Clock::new(text.parse().unwrap())
    }

    #[test]
    fn what_is_read_is_written_again() {
        for text in ["40/60+0.6", "10+0.1", "st=0.5", "nodes=5000", "2+0.02,nodes=10", "depth=9"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_control_that_makes_no_sense_is_refused() {
        for text in ["", "x", "-1", "0/60", "nodes=0", "nodes=-3", "speed=3", "1e300", "nan", "10+"]
        {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
        // Modulo 2^32 this would be no move at all.
        assert!("4294967296/60".parse::<TimeControl>().is_err());
    }

    #[test]
    fn the_increment_comes_after_the_move() {
        let mut clock = clock("1+0.5");
        assert!(clock.spend(Duration::from_millis(900), Duration::ZERO));
        assert_eq!(clock.left(), Some(Duration::from_millis(600)));
        assert!(!clock.spend(Duration::from_millis(601), Duration::ZERO));
    }

    #[test]
    fn the_time_of_the_next_period_comes_with_its_first_move() {
        let mut clock = clock("2/10+0");
        assert!(clock.spend(Duration::from_secs(4), Duration::ZERO));
        assert!(clock.go_command(&clock, true).ends_with("movestogo 1"));
        assert!(clock.spend(Duration::from_secs(5), Duration::ZERO));
        assert_eq!(clock.left(), Some(Duration::from_secs(11)));
        assert!(clock.go_command(&clock, true).ends_with("movestogo 2"));
    }

    #[test]
    fn the_margin_forgives_but_does_not_give() {
        let mut clock = clock("1+0");
        assert!(clock.spend(Duration::from_millis(1005), Duration::from_millis(10)));
        assert_eq!(clock.left(), Some(Duration::ZERO));
    }

    #[test]
    fn black_is_told_his_own_clock_as_btime() {
        let go = clock("10+0.1").go_command(&clock("5+0.2"), false);
        assert_eq!(go, "go btime 10000 binc 100 wtime 5000 winc 200");
        assert_eq!(clock("nodes=7").go_command(&clock("1+0"), true), "go nodes 7");
    }
}
