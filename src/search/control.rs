//! What every search here is given and gives back: limits and a way to be stopped; counters,
//! value, decision and principal variation.

use std::time::{Duration, Instant};

/// Nodes between two looks at the clock and at the stop signal.
const POLL_INTERVAL: u64 = 1024;

/// How much may be spent; every limit that is set holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    /// Nodes, or simulations' moves.
    pub nodes: Option<u64>,
    /// Time, from the making of the [`Control`].
    pub time: Option<Duration>,
}

/// Exact work counters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Positions visited, leaves included.
    pub nodes: u64,
    /// Positions judged: ends of the game, and positions at the depth limit.
    pub leaves: u64,
    /// Nodes left before their last move was looked at.
    pub cutoffs: u64,
    /// Values taken from a table instead of a search.
    pub table_hits: u64,
}

/// The search was told to stop, or has spent what it may, before it had an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl std::fmt::Display for Stopped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("stopped before the search had an answer")
    }
}

impl std::error::Error for Stopped {}

/// The reins of one search: it counts, and asks here whether to go on.
pub struct Control<'a> {
    /// The work so far.
    pub counters: Counters,
    limits: Limits,
    deadline: Option<Instant>,
    interrupt: Option<&'a dyn Fn() -> bool>,
    next_poll: u64,
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("counters", &self.counters).finish_non_exhaustive()
    }
}

impl Default for Control<'_> {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

impl<'a> Control<'a> {
    /// Reins with these limits. The clock starts now.
    pub fn new(limits: Limits) -> Self {
        Self {
            counters: Counters::default(),
            limits,
            deadline: limits.time.and_then(|time| Instant::now().checked_add(time)),
            interrupt: None,
            next_poll: 0,
        }
    }

    /// As [`new`](Self::new); the search also ends soon after `interrupt` returns true.
    pub fn interruptible(limits: Limits, interrupt: &'a dyn Fn() -> bool) -> Self {
        Self { interrupt: Some(interrupt), ..Self::new(limits) }
    }

    /// Counts one node.
    ///
    /// # Errors
    /// If the search must end; the node that was one too many is not counted.
    #[inline]
    pub fn node(&mut self) -> Result<(), Stopped> {
        if self.counters.nodes >= self.next_poll {
            self.poll()?;
        }
        self.counters.nodes += 1;
        Ok(())
    }

    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        let nodes = self.counters.nodes;
        let spent = self.limits.nodes.is_some_and(|limit| nodes >= limit);
        let late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if spent || late || self.interrupt.is_some_and(|interrupt| interrupt()) {
            self.next_poll = 0; // whoever asks again is told again
            return Err(Stopped);
        }
        self.next_poll = (nodes + POLL_INTERVAL).min(self.limits.nodes.unwrap_or(u64::MAX));
        Ok(())
    }
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer<M, V = f64> {
    /// The value of the root.
    pub value: V,
    /// The first best move, if there is a move to choose.
    pub decision: Option<M>,
    /// The play expected from both sides, the decision first; ends at a chance node.
    pub pv: Vec<M>,
    /// The value of each move of the root, in the order searched. Behind a cut only a bound.
    pub moves: Vec<(M, V)>,
    /// The work done.
    pub counters: Counters,
}

impl<M: Copy, V> Answer<M, V> {
    /// What a search from ply 0 leaves behind.
    pub(super) fn new(
        value: V,
        mut lines: Lines<M>,
        moves: Vec<(M, V)>,
        counters: Counters,
    ) -> Self {
        let pv = lines.take();
        Self { value, decision: pv.first().copied(), pv, moves, counters }
    }
}

/// Principal variations by ply, each the tail of the one before: `lines[ply]` is the best play found
/// from the node now open at `ply` (a triangular table).
#[derive(Debug)]
pub(super) struct Lines<M>(Vec<Vec<M>>);

impl<M: Copy> Lines<M> {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Nothing is known yet from `ply` on.
    #[inline]
    pub(super) fn clear(&mut self, ply: usize) {
        if let Some(line) = self.0.get_mut(ply)
            && !line.is_empty()
        {
            line.clear();
        }
    }

    /// `mv` is best at `ply`; its continuation stands one ply further.
    #[inline(never)]
    pub(super) fn update(&mut self, ply: usize, mv: M) {
        if self.0.len() < ply + 2 {
            self.0.resize_with(ply + 2, Vec::new);
        }
        let (upper, lower) = self.0.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(mv);
        line.extend_from_slice(&lower[0]);
    }

    pub(super) fn take(&mut self) -> Vec<M> {
        self.0.first_mut().map(std::mem::take).unwrap_or_default()
    }
}
