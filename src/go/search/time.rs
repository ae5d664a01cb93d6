//! How long to think about a move, under the time systems that go is played with.

use std::time::Duration;

/// A time system, as the controller of the game sets it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum TimeSystem {
    /// No limit.
    #[default]
    None,
    /// So much for the whole game.
    Absolute(Duration),
    /// After the main time, so many stones in every period.
    Canadian {
        /// Main time.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// Stones to play in it.
        stones: u32,
    },
    /// After the main time, so many periods; one is lost only when it runs out.
    Byoyomi {
        /// Main time.
        main: Duration,
        /// Length of a period.
        period: Duration,
        /// How many.
        periods: u32,
    },
    /// Main time, and an addition after each move.
    Fischer {
        /// Main time.
        main: Duration,
        /// Added after each move.
        increment: Duration,
    },
}

/// One player's clock under a [`TimeSystem`], run from the time his moves take and set right whenever the
/// controller says what is left.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GameClock {
    system: TimeSystem,
    main: Duration,
    /// Left of the current period; meaningless in main time.
    period_left: Duration,
    /// Stones to play, or periods left, once main time is over; 0 in main time.
    stones_left: u32,
}

/// What may be spent on one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allotment {
    /// What an ordinary move should take.
    pub target: Duration,
    /// What no move may exceed.
    pub most: Duration,
}

/// Kept back for the way to the controller and back.
const LAG: Duration = Duration::from_millis(150);

impl GameClock {
    /// A full clock.
    pub const fn new(system: TimeSystem) -> Self {
        let main = match system {
            TimeSystem::None => Duration::ZERO,
            TimeSystem::Absolute(main)
            | TimeSystem::Canadian { main, .. }
            | TimeSystem::Byoyomi { main, .. }
            | TimeSystem::Fischer { main, .. } => main,
        };
        let mut clock = Self { system, main, period_left: Duration::ZERO, stones_left: 0 };
        if main.is_zero() {
            clock.enter_overtime();
        }
        clock
    }

    const fn enter_overtime(&mut self) {
        match self.system {
            TimeSystem::Canadian { period, stones, .. } => {
                self.period_left = period;
                self.stones_left = stones;
            }
            TimeSystem::Byoyomi { period, periods, .. } => {
                self.period_left = period;
                self.stones_left = periods;
            }
            _ => {}
        }
    }

    /// What the controller says is left: in overtime `stones` is not 0 and means stones or periods. Where
    /// the time system has no overtime all that is left is main time, whatever `stones` says.
    pub const fn set_left(&mut self, left: Duration, stones: u32) {
        let has_overtime =
            matches!(self.system, TimeSystem::Canadian { .. } | TimeSystem::Byoyomi { .. });
        if stones == 0 || !has_overtime {
            self.main = left;
            self.stones_left = 0;
        } else {
            self.main = Duration::ZERO;
            self.period_left = left;
            self.stones_left = stones;
        }
    }

    /// Counts a move that took so long.
    pub fn spend(&mut self, spent: Duration) {
        let over = spent.saturating_sub(self.main);
        let was_main = !self.main.is_zero();
        self.main = self.main.saturating_sub(spent);
        match self.system {
            TimeSystem::Fischer { increment, .. } => self.main += increment,
            TimeSystem::Canadian { period, stones, .. } if self.main.is_zero() => {
                if was_main {
                    self.enter_overtime();
                }
                self.period_left = self.period_left.saturating_sub(over);
                self.stones_left = self.stones_left.saturating_sub(1);
                if self.stones_left == 0 {
                    (self.period_left, self.stones_left) = (period, stones);
                }
            }
            TimeSystem::Byoyomi { period, .. } if self.main.is_zero() => {
                if was_main {
                    self.enter_overtime();
                }
                let lost = over.as_nanos() / period.as_nanos().max(1);
                self.stones_left = self.stones_left.saturating_sub(lost as u32).max(1);
                self.period_left = period;
            }
            _ => {}
        }
    }

    /// What to spend on the next move of a game in which about `moves` more are to come from this
    /// player; `None` is no limit.
    pub fn allot(&self, moves: u32) -> Option<Allotment> {
        let moves = moves.max(1);
        let safe = |time: Duration| time.saturating_sub(LAG).max(time / 4);
        let spread = |time: Duration| {
            let time = safe(time);
            Allotment { target: time / moves, most: (time / moves * 3).min(time / 3) }
        };
        Some(match self.system {
            TimeSystem::None => return None,
            TimeSystem::Canadian { period, stones, .. } if stones == 0 && !period.is_zero() => {
                return None;
            }
            TimeSystem::Absolute(_) => spread(self.main),
            TimeSystem::Fischer { increment, .. } => {
                let base = spread(self.main);
                let most = safe(self.main);
                Allotment {
                    target: (base.target + increment * 4 / 5).min(most / 2),
                    most: (base.most + increment * 3 / 2).min(most * 2 / 3),
                }
            }
            TimeSystem::Canadian { period, stones, .. } => {
                if self.stones_left == 0 {
                    let floor = safe(period) / stones.max(1);
                    let base = spread(self.main);
                    Allotment { target: base.target.max(floor), most: base.most.max(floor) }
                } else {
                    let left = safe(self.period_left);
                    let each = left / self.stones_left;
                    Allotment { target: each, most: (each * 2).min(left) }
                }
            }
            TimeSystem::Byoyomi { period, .. } => {
                let floor = safe(period);
                if self.stones_left == 0 {
                    let base = spread(self.main);
                    Allotment { target: base.target.max(floor), most: base.most.max(floor) }
                } else {
                    let left = safe(self.period_left.max(if self.stones_left > 1 {
                        period
                    } else {
                        Duration::ZERO
                    }));
                    Allotment { target: left, most: left }
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// leela-zero#2105: "willing to burn all main time on each move".
    #[test]
    fn main_time_is_spread_with_the_period_as_floor() {
        let clock =
            GameClock::new(TimeSystem::Canadian { main: s(1800), period: s(20), stones: 1 });
        let allotted = clock.allot(60).unwrap();
        assert!(allotted.target >= s(19) && allotted.most < s(120));
    }

    /// GTP 2, `time_settings`: "`byo_yomi_stones` 0 with `byo_yomi_time` > 0 means no time limits".
    #[test]
    fn a_period_for_no_stones_is_no_limit() {
        let system = TimeSystem::Canadian { main: s(1), period: s(1), stones: 0 };
        assert_eq!(GameClock::new(system).allot(30), None);
    }

    #[test]
    fn own_clock_runs_without_the_controller() {
        let mut clock =
            GameClock::new(TimeSystem::Canadian { main: s(5), period: s(30), stones: 3 });
        clock.spend(s(10));
        assert_eq!((clock.period_left, clock.stones_left), (s(25), 2));
        clock.spend(s(5));
        clock.spend(s(5));
        assert_eq!((clock.period_left, clock.stones_left), (s(30), 3));
        let mut clock = GameClock::new(TimeSystem::Fischer { main: s(5), increment: s(2) });
        clock.spend(s(3));
        assert_eq!(clock.main, s(4));
    }

    /// GTP 2, `time_left`: the number of stones is that of a period of overtime.
    #[test]
    fn without_overtime_what_is_left_is_main_time() {
        for system in
            [TimeSystem::Absolute(s(60)), TimeSystem::Fischer { main: s(60), increment: s(2) }]
        {
            let (mut told, mut odd) = (GameClock::new(system), GameClock::new(system));
            told.set_left(s(30), 0);
            odd.set_left(s(30), 25);
            assert_eq!(odd, told, "{system:?}");
            assert_eq!(odd.main, s(30));
        }
        let mut clock =
            GameClock::new(TimeSystem::Canadian { main: s(60), period: s(30), stones: 5 });
        clock.set_left(s(20), 3);
        assert_eq!((clock.main, clock.period_left, clock.stones_left), (s(0), s(20), 3));
    }

    #[test]
    fn no_allotment_exceeds_what_is_left() {
        for left in [0, 1, 50, 149, 151, 1000, 60_000] {
            let left = Duration::from_millis(left);
            for system in [
                TimeSystem::Absolute(left),
                TimeSystem::Fischer { main: left, increment: s(1) },
                TimeSystem::Canadian { main: s(0), period: left, stones: 5 },
                TimeSystem::Byoyomi { main: s(0), period: left, periods: 1 },
            ] {
                let allotted = GameClock::new(system).allot(1).unwrap();
                assert!(allotted.most <= left && allotted.target <= left, "{system:?}");
            }
        }
    }
}
