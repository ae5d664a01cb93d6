//! The clock: how long to think about this move.
//!
//! Two bounds. After the soft one no new iteration begins; at the hard one the search ends wherever
//! it is. Both are measured from the moment the request was read.

use std::time::{Duration, Instant};

use crate::engine::{Clock, Limits};

/// Moves that a sudden-death clock is spread over.
const HORIZON: u32 = 24;
/// The largest share of the clock that one move may take, in percent.
const LARGEST_SHARE: u32 = 60;
/// One move may take the clock divided by this, whatever its overheads are.
const LEAST_SHARE: u32 = 50;
/// Thinking goes on at least this long, whatever the clock says: a move must be found.
const LEAST: Duration = Duration::from_millis(1);

/// The time limits of one search.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeManager {
    start: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
}

impl TimeManager {
    /// The bounds for `limits`, when `overhead` is lost on the way to the opponent's clock. Whoever
    /// `ponders` too has a part of his moves ready before the clock runs, and can spend more on the
    /// others (Stockfish: a quarter).
    pub(super) fn new(limits: &Limits, overhead: Duration, ponders: bool) -> Self {
        let clock = limits.clock.map(|clock| clock_bounds(clock, overhead));
        let fixed = limits.move_time.map(|time| time.saturating_sub(overhead).max(LEAST));
        let hard = match (clock.map(|(_, hard)| hard), fixed) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let soft = clock.map(|(soft, hard)| if ponders { (soft * 5 / 4).min(hard) } else { soft });
        let (soft, hard) = if limits.infinite { (None, None) } else { (soft, hard) };
        Self { start: limits.start, soft, hard }
    }

    /// Since the request was read.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The search must end now.
    pub(super) fn is_over(&self) -> bool {
        self.hard.is_some_and(|hard| self.elapsed() >= hard)
    }

    /// Another iteration is not worth beginning. `scale` stretches or shrinks the soft bound.
    pub(super) fn is_spent(&self, scale: f64) -> bool {
        self.soft.is_some_and(|soft| self.elapsed() >= soft.mul_f64(scale))
    }

    /// The move is played on a clock, not at a fixed time or depth.
    pub(super) const fn on_clock(&self) -> bool {
        self.soft.is_some()
    }
}

/// Soft and hard bound for a clock.
fn clock_bounds(clock: Clock, overhead: Duration) -> (Duration, Duration) {
    let left = clock.time.saturating_sub(overhead).max(LEAST);
    let moves = clock.moves_to_go.map_or(HORIZON, |moves| moves.clamp(1, 2 * HORIZON));
    // Every move to come brings its increment and loses its overhead: without the latter a game at
    // 1+0.01 s settles at six increments on the clock, too near to nothing for any delay.
    let to_come = clock.time + clock.increment * (moves - 1);
    let soft = to_come.saturating_sub(overhead * (moves + 2)) / moves;
    // Where the overheads of so many moves would take the whole clock, a move still gets its share.
    let soft = soft.max(left / LEAST_SHARE);
    let largest = if moves == 1 { 90 } else { LARGEST_SHARE };
    let most = (left * largest / 100).min(soft * 5);
    let hard = most.min(left).max(LEAST);
    (soft.min(hard), hard)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVERHEAD: Duration = Duration::from_millis(10);

    fn bounds(time: u64, increment: u64, moves_to_go: Option<u32>) -> (Duration, Duration) {
        let clock = Clock {
            time: Duration::from_millis(time),
            increment: Duration::from_millis(increment),
            moves_to_go,
        };
        clock_bounds(clock, OVERHEAD)
    }

    /// Whatever is sent, the hard bound leaves the overhead on the clock.
    #[test]
    fn no_clock_is_overspent() {
        for time in [0, 1, 9, 10, 11, 20, 100, 1000, 60_000, 10_000_000] {
            for increment in [0, 1, 10, 1000, 100_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let (soft, hard) = bounds(time, increment, moves_to_go);
                    assert!(soft <= hard);
                    let room = Duration::from_millis(time.saturating_sub(10).max(1));
                    assert!(hard <= room, "{time}+{increment}/{moves_to_go:?}: {hard:?}");
                }
            }
        }
    }

    /// A game of any length ends before the clock does: each move takes a share of what is left.
    #[test]
    fn three_hundred_moves_at_the_soft_bound_do_not_flag() {
        let mut left = Duration::from_secs(1);
        for _ in 0..300 {
            let (_, hard) = clock_bounds(
                Clock { time: left, increment: Duration::from_millis(10), moves_to_go: None },
                OVERHEAD,
            );
            assert!(hard < left);
            left = left.saturating_sub(hard) + Duration::from_millis(10);
        }
    }

    /// Without increment, and with less on the clock than the overheads of the moves to come.
    #[test]
    fn a_large_overhead_leaves_time_to_think() {
        let clock = Clock {
            time: Duration::from_millis(7_800),
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let (soft, hard) = clock_bounds(clock, Duration::from_millis(300));
        assert!(soft >= Duration::from_millis(100) && hard >= soft, "{soft:?} {hard:?}");
    }

    #[test]
    fn the_last_move_before_the_control_takes_most_of_the_clock() {
        assert!(bounds(10_000, 0, Some(1)).1 > Duration::from_secs(8));
    }

    #[test]
    fn whoever_ponders_thinks_longer_on_his_own_time() {
        let clock = Clock { time: Duration::from_mins(1), ..Clock::default() };
        let limits = Limits { clock: Some(clock), ..Limits::default() };
        let [alone, pondering] = [false, true].map(|ponders| {
            let time = TimeManager::new(&limits, OVERHEAD, ponders);
            assert!(time.soft <= time.hard);
            time
        });
        assert!(pondering.soft > alone.soft && pondering.hard == alone.hard);
    }

    #[test]
    fn infinite_has_no_bounds() {
        let limits = Limits {
            infinite: true,
            move_time: Some(Duration::from_millis(5)),
            ..Limits::default()
        };
        let time = TimeManager::new(&limits, OVERHEAD, false);
        assert!(!time.is_over() && !time.is_spent(1.0) && time.hard.is_none());
    }
}
