//! Principal variations, in a triangular table: row `p` is the best line from ply `p` on.

use crate::chess::{moves::Move, score::MAX_PLY};

const ROWS: usize = MAX_PLY + 2;

/// The lines of one thread.
#[derive(Debug)]
pub(super) struct PvTable {
    rows: Vec<[Option<Move>; ROWS]>,
    lengths: [usize; ROWS],
}

impl PvTable {
    pub(super) fn new() -> Self {
        Self { rows: vec![[None; ROWS]; ROWS], lengths: [0; ROWS] }
    }

    /// The line from `ply` on is empty.
    pub(super) fn clear(&mut self, ply: usize) {
        self.lengths[ply] = 0;
    }

    /// The line from `ply` on is `mv` and then the line from the next ply on.
    pub(super) fn set(&mut self, ply: usize, mv: Move) {
        let length = self.lengths[ply + 1].min(ROWS - 1);
        let (rows, below) = self.rows.split_at_mut(ply + 1);
        rows[ply][0] = Some(mv);
        rows[ply][1..=length].copy_from_slice(&below[0][..length]);
        self.lengths[ply] = length + 1;
    }

    /// The line from `ply` on.
    pub(super) fn line(&self, ply: usize) -> impl Iterator<Item = Move> + '_ {
        self.rows[ply][..self.lengths[ply]].iter().flatten().copied()
    }
}
