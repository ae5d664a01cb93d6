//! What a search says. A front end turns these into its protocol's lines.

use std::time::Duration;

/// A message from a search.
#[derive(Debug, Clone)]
pub enum Report<M> {
    /// Progress.
    Info(Info<M>),
    /// The move of the root being searched now: iteration, move, its number from 1.
    CurrentMove {
        /// Iteration.
        depth: u32,
        /// The move.
        mv: M,
        /// Its place in the order, from 1.
        number: u32,
    },
    /// A heartbeat in a long iteration.
    Heartbeat {
        /// Nodes so far, all threads.
        nodes: u64,
        /// Since the start of the search.
        time: Duration,
        /// Fullness of the transposition table, in thousandths.
        hashfull: u32,
    },
    /// Something a person should read.
    Message(String),
    /// The whole answer of a task that is no search. Ends it, as [`Done`](Self::Done) ends a search.
    Output(String),
    /// Why a task that is no search could not be done. Ends it, too.
    Failure(String),
    /// Everything that was asked before is done.
    Ready,
    /// The end; `best` is `None` if there is no legal move.
    Done {
        /// The move to play.
        best: Option<M>,
        /// The reply expected.
        ponder: Option<M>,
    },
}

/// How a score relates to the true value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The value itself.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// Progress of a search.
#[derive(Debug, Clone)]
pub struct Info<M> {
    /// Finished iteration.
    pub depth: u32,
    /// Longest line looked at, in plies.
    pub seldepth: u32,
    /// Rank of this line among those asked for, from 1.
    pub multipv: u32,
    /// Value of the root for the player to move, in the game's own unit.
    pub score: i32,
    /// The score that is shown as 1.00, in the same unit: an even chance to win.
    pub pawn: i32,
    /// Whether `score` is exact.
    pub bound: Bound,
    /// Win, draw and loss of the player to move, in thousandths.
    pub wdl: [u32; 3],
    /// Nodes so far, all threads.
    pub nodes: u64,
    /// Fullness of the transposition table, in thousandths.
    pub hashfull: u32,
    /// Positions found in tablebases, all threads.
    pub tb_hits: u64,
    /// Since the start of the search.
    pub time: Duration,
    /// Principal variation.
    pub pv: Vec<M>,
}
