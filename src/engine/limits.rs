//! How long to think.

use std::time::{Duration, Instant};

/// What the caller asked for; every limit that is set holds, and the first one reached ends the search.
#[derive(Debug, Clone)]
pub struct Limits {
    /// When the request arrived. All times count from here.
    pub start: Instant,
    /// Deepest iteration.
    pub depth: Option<u32>,
    /// Nodes, or playouts: the search stops at once when it has spent them.
    pub nodes: Option<u64>,
    /// Nodes after which no new iteration begins (self-play: an iteration is never cut short).
    pub soft_nodes: Option<u64>,
    /// End as soon as a win in this many moves is proved.
    pub mate: Option<u32>,
    /// Exact time for this move.
    pub move_time: Option<Duration>,
    /// Own clock.
    pub clock: Option<Clock>,
    /// Think until told to stop.
    pub infinite: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Instant::now(),
            depth: None,
            nodes: None,
            soft_nodes: None,
            mate: None,
            move_time: None,
            clock: None,
            infinite: false,
        }
    }
}

impl Limits {
    /// Whether something else than depth or the caller's word ends the search.
    pub const fn is_short_of_time(&self) -> bool {
        self.clock.is_some()
            || self.move_time.is_some()
            || self.nodes.is_some()
            || self.soft_nodes.is_some()
    }
}

/// The clock of the player to move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub time: Duration,
    /// Added after each move.
    pub increment: Duration,
    /// Moves until the next time control; `None` is the rest of the game.
    pub moves_to_go: Option<u32>,
}
