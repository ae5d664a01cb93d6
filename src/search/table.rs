//! A transposition table: depth, bound and best move of positions already searched.

use std::hash::{Hash, Hasher};

/// How a stored value relates to the true one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundKind {
    /// Equal.
    Exact,
    /// The true value is no less.
    Lower,
    /// The true value is no more.
    Upper,
}

impl BoundKind {
    /// What a fail-soft `value` is, found in the window from `alpha` to `beta`.
    pub fn of(value: f64, alpha: f64, beta: f64) -> Self {
        if value >= beta {
            Self::Lower
        } else if value <= alpha {
            Self::Upper
        } else {
            Self::Exact
        }
    }
}

/// What is remembered of a position, for its player to move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry<M> {
    /// How deep it was searched.
    pub depth: u32,
    /// What `value` says.
    pub bound: BoundKind,
    /// The value found.
    pub value: f64,
    /// The best move, or the one that caused the cut.
    pub best: Option<M>,
}

/// What an entry is good for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Probe {
    /// The value is known.
    Exact(f64),
    /// The value is a bound outside the window: that is enough.
    Cutoff(f64),
    /// The value is at least this, inside the window.
    RaiseAlpha(f64),
    /// The value is at most this, inside the window.
    LowerBeta(f64),
    /// Searched too little; its move may still be good.
    MoveOnly,
}

impl<M> Entry<M> {
    /// What this entry says to a search of `depth` in the window from `alpha` to `beta`.
    pub fn probe(&self, depth: u32, alpha: f64, beta: f64) -> Probe {
        if self.depth < depth {
            return Probe::MoveOnly;
        }
        let value = self.value;
        match self.bound {
            BoundKind::Exact => Probe::Exact(value),
            BoundKind::Lower if value >= beta => Probe::Cutoff(value),
            BoundKind::Lower if value > alpha => Probe::RaiseAlpha(value),
            BoundKind::Upper if value <= alpha => Probe::Cutoff(value),
            BoundKind::Upper if value < beta => Probe::LowerBeta(value),
            BoundKind::Lower | BoundKind::Upper => Probe::MoveOnly,
        }
    }
}

/// A table of fixed size. Buckets of two: one keeps the result that cost most, one the latest.
#[derive(Debug, Clone)]
pub struct Table<K, M> {
    slots: Vec<Option<Slot<K, M>>>,
}

#[derive(Debug, Clone, Copy)]
struct Slot<K, M> {
    key: K,
    entry: Entry<M>,
    work: u32,
}

impl<K: Copy + Eq + Hash, M: Copy> Table<K, M> {
    /// Room for `entries`, rounded up to a power of two.
    pub fn new(entries: usize) -> Self {
        Self { slots: vec![None; entries.next_power_of_two().max(2)] }
    }

    fn bucket(&self, key: K) -> usize {
        let mut hasher = Mix(0);
        key.hash(&mut hasher);
        hasher.finish() as usize & (self.slots.len() - 1) & !1
    }

    /// What is known of a position. The whole key is compared.
    pub fn get(&self, key: K) -> Option<Entry<M>> {
        let bucket = self.bucket(key);
        let here = self.slots[bucket..bucket + 2].iter().flatten();
        here.filter(|slot| slot.key == key).map(|slot| slot.entry).next()
    }

    /// Remembers `entry`, which took `work` nodes to find.
    pub fn put(&mut self, key: K, entry: Entry<M>, work: u64) {
        let bucket = self.bucket(key);
        let slot = Slot { key, entry, work: u32::try_from(work).unwrap_or(u32::MAX) };
        let costly = &mut self.slots[bucket];
        if costly.is_none_or(|old| old.key == key || old.work <= slot.work) {
            let old = costly.replace(slot).filter(|old| old.key != key);
            if old.is_some() {
                self.slots[bucket + 1] = old;
            }
        } else {
            self.slots[bucket + 1] = Some(slot);
        }
    }
}

/// Multiplicative hashing with a final mix (constants of Steele, Lea & Flood's splitmix64, 2014).
struct Mix(u64);

impl Hasher for Mix {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    fn finish(&self) -> u64 {
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}
