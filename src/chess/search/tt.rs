//! The transposition table: what was learned of a position, by its Zobrist key.
//!
//! Clusters of three entries fill half a cache line. Nothing is locked: an entry is one atomic word
//! beside sixteen bits of its key. A reader may pair a new key with an old word; the search takes
//! such an entry for what every entry is, a hint whose move must first be found legal.

use std::{
    fs,
    sync::atomic::{AtomicU16, AtomicU64, Ordering::Relaxed},
    thread,
};

use memmap2::MmapMut;

use crate::{
    chess::{
        moves::Move,
        score::{MATE, MATE_IN_MAX, Score, TB_WIN, TB_WIN_IN_MAX},
    },
    engine::Bound,
};

/// Entries of a cluster.
const ENTRIES: usize = 3;
/// Generations before the count begins again; the age shares a byte with bound and PV flag.
const GENERATIONS: u8 = 32;
/// Least size of a page of memory.
const PAGE: usize = 4096;
/// A table beyond this size, in bytes, is not touched before it is used.
const LARGEST_TOUCHED: usize = 1 << 30;
/// In place of a static evaluation that was not made.
const NO_EVAL: i16 = i16::MIN;

/// One entry, unpacked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Best move, or the one that failed high.
    pub(super) mv: Option<Move>,
    /// Score from this node's own point of view, mates counted from this node.
    pub(super) score: Score,
    /// Static evaluation before any correction; `None` in check.
    pub(super) eval: Option<Score>,
    /// Depth searched, 0 for quiescence.
    pub(super) depth: i32,
    /// How `score` bounds the truth; `None` is never stored, but a torn word may say it.
    pub(super) bound: Option<Bound>,
    /// The node was once on a principal variation.
    pub(super) was_pv: bool,
}

impl Entry {
    fn pack(&self, generation: u8) -> u64 {
        let bound = match self.bound {
            None => 0,
            Some(Bound::Upper) => 1,
            Some(Bound::Lower) => 2,
            Some(Bound::Exact) => 3,
        };
        let flags = bound | u8::from(self.was_pv) << 2 | generation << 3;
        let eval = self.eval.map_or(NO_EVAL, |eval| eval as i16);
        u64::from(self.mv.map_or(0, Move::raw))
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(eval as u16) << 32
            | u64::from(self.depth.clamp(0, 255) as u8) << 48
            | u64::from(flags) << 56
    }

    fn unpack(word: u64) -> Self {
        let eval = (word >> 32) as i16;
        let flags = (word >> 56) as u8;
        Self {
            mv: Move::from_raw(word as u16),
            score: Score::from((word >> 16) as i16),
            eval: (eval != NO_EVAL).then_some(Score::from(eval)),
            depth: i32::from((word >> 48) as u8),
            bound: match flags & 3 {
                0 => None,
                1 => Some(Bound::Upper),
                2 => Some(Bound::Lower),
                _ => Some(Bound::Exact),
            },
            was_pv: flags & 4 != 0,
        }
    }

    /// Whether the score, as a bound, settles a search in the window (`alpha`, `beta`).
    pub(super) const fn decides(&self, alpha: Score, beta: Score) -> bool {
        match self.bound {
            None => false,
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => self.score >= beta,
            Some(Bound::Upper) => self.score <= alpha,
        }
    }

    /// The score at a node `ply` plies from the root: mates counted from the root again.
    ///
    /// A win that lies beyond the fifty-move horizon is only known to be better than any estimate.
    pub(super) fn score_at(&self, ply: usize, halfmove_clock: u32) -> Score {
        let room = 100 - halfmove_clock.min(100) as Score;
        let ply = ply as Score;
        match self.score {
            s if s >= MATE_IN_MAX && MATE - s > room => TB_WIN_IN_MAX - 1,
            s if s <= -MATE_IN_MAX && MATE + s > room => 1 - TB_WIN_IN_MAX,
            s if (TB_WIN_IN_MAX..MATE_IN_MAX).contains(&s) && TB_WIN - s > room => {
                TB_WIN_IN_MAX - 1
            }
            s if (TB_WIN_IN_MAX..MATE_IN_MAX).contains(&-s) && TB_WIN + s > room => {
                1 - TB_WIN_IN_MAX
            }
            s if s >= TB_WIN_IN_MAX => s - ply,
            s if s <= -TB_WIN_IN_MAX => s + ply,
            s => s,
        }
    }
}

/// The inverse of [`Entry::score_at`]: mates counted from the node.
fn score_to_store(score: Score, ply: usize) -> Score {
    match score {
        s if s >= TB_WIN_IN_MAX => s + ply as Score,
        s if s <= -TB_WIN_IN_MAX => s - ply as Score,
        s => s,
    }
}

/// Age in a packed word.
const fn generation_of(word: u64) -> u8 {
    (word >> 59) as u8
}

const fn depth_of(word: u64) -> i32 {
    (word >> 48 & 0xFF) as i32
}

#[repr(C, align(32))]
#[derive(Debug)]
struct Cluster {
    words: [AtomicU64; ENTRIES],
    keys: [AtomicU16; ENTRIES + 1],
}

/// Why a table of the wanted size cannot be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TableError {
    mebibytes: usize,
    reason: String,
}

impl std::fmt::Display for TableError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "a hash table of {} MiB cannot be had: {}", self.mebibytes, self.reason)
    }
}

impl std::error::Error for TableError {}

/// The table, shared by all threads.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    memory: MmapMut,
    clusters: usize,
    generation: u8,
    /// Nothing has been searched since the table was new or cleared.
    clean: bool,
}

impl TranspositionTable {
    /// A table of `mebibytes`. The system gives the memory zeroed, page by page as it is used: to
    /// touch all of it at once was measured at three seconds a gibibyte on a virtual machine.
    pub(super) fn new(mebibytes: usize) -> Result<Self, TableError> {
        Self::in_place_of(None, mebibytes)
    }

    /// As [`Self::new`], where the memory that `old` has will be given back.
    pub(super) fn in_place_of(old: Option<&Self>, mebibytes: usize) -> Result<Self, TableError> {
        let error = |reason| TableError { mebibytes, reason };
        let bytes = mebibytes.checked_mul(1 << 20).ok_or_else(|| error("too large".to_owned()))?;
        if let Some(available) = available_memory(old.map_or(0, |old| old.memory.len() as u64))
            && bytes as u64 > available
        {
            return Err(error(format!("{} MiB are free", available >> 20)));
        }
        let memory = MmapMut::map_anon(bytes).map_err(|os| error(os.to_string()))?;
        #[cfg(target_os = "linux")]
        {
            // Huge pages save a third of the table's cost where the system grants them.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Ok(Self { memory, clusters: bytes / size_of::<Cluster>(), generation: 0, clean: true })
    }

    /// Touches the memory with `threads` threads, so that the first search need not; not that of a
    /// table so large that this would take seconds.
    pub(super) fn touch(&mut self, threads: usize) {
        if self.memory.len() <= LARGEST_TOUCHED {
            self.parts(threads, |part| part.iter_mut().step_by(PAGE).for_each(|byte| *byte = 0));
        }
    }

    /// Gives each of `threads` threads a part of the memory.
    fn parts(&mut self, threads: usize, work: impl Fn(&mut [u8]) + Sync) {
        let share = (self.memory.len() / threads.max(1)).next_multiple_of(PAGE);
        thread::scope(|scope| {
            for part in self.memory.chunks_mut(share) {
                let work = &work;
                scope.spawn(move || work(part));
            }
        });
    }

    #[expect(clippy::cast_ptr_alignment, reason = "a mapping is aligned to pages")]
    fn clusters(&self) -> &[Cluster] {
        // SAFETY: the mapping is page-aligned, lives as long as `self` and holds at least
        // `clusters` clusters; a cluster is atomics only, for which every bit pattern is valid and
        // which may be written through a shared reference. Nothing else ever looks at the memory.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast::<Cluster>(), self.clusters) }
    }

    /// Forgets everything, with `threads` threads.
    pub(super) fn clear(&mut self, threads: usize) {
        self.generation = 0;
        if self.clean {
            return;
        }
        self.clean = true;
        self.parts(threads, |part| part.fill(0));
    }

    /// All that is stored, as it lies in memory.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory
    }

    /// Puts bytes that another table had at `at` there.
    pub(super) fn fill(&mut self, at: usize, bytes: &[u8]) {
        self.clean = false;
        if let Some(place) = self.memory.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    /// The age that new entries get.
    pub(super) const fn generation(&self) -> u8 {
        self.generation
    }

    pub(super) const fn set_generation(&mut self, generation: u8) {
        self.generation = generation % GENERATIONS;
    }

    /// Begins a new search: what earlier ones left is replaced first from now on.
    pub(super) fn age(&mut self) {
        self.clean = false;
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    fn cluster(&self, key: u64) -> &Cluster {
        let index = (u128::from(key) * self.clusters as u128) >> 64;
        &self.clusters()[index as usize]
    }

    /// What is known of `key`.
    pub(super) fn probe(&self, key: u64) -> Option<Entry> {
        let cluster = self.cluster(key);
        (0..ENTRIES).find_map(|i| {
            let word = cluster.words[i].load(Relaxed);
            (cluster.keys[i].load(Relaxed) == key as u16 && word != 0).then(|| Entry::unpack(word))
        })
    }

    /// Stores what a search `ply` plies from the root found; `entry.score` counts from the root.
    pub(super) fn store(&self, key: u64, ply: usize, mut entry: Entry) {
        let cluster = self.cluster(key);
        let slot = self.slot(cluster, key);
        let old = cluster.words[slot].load(Relaxed);
        let same = cluster.keys[slot].load(Relaxed) == key as u16 && old != 0;
        if same {
            if entry.mv.is_none() {
                entry.mv = Move::from_raw(old as u16);
            }
            let keeps = entry.bound != Some(Bound::Exact)
                && generation_of(old) == self.generation
                && entry.depth + 4 + 2 * i32::from(entry.was_pv) <= depth_of(old);
            if keeps {
                return;
            }
        }
        entry.score = score_to_store(entry.score, ply);
        cluster.keys[slot].store(key as u16, Relaxed);
        cluster.words[slot].store(entry.pack(self.generation), Relaxed);
    }

    /// Where `key` goes: its own entry, an empty one, or the shallowest, each generation of age
    /// counting as eight plies.
    fn slot(&self, cluster: &Cluster, key: u64) -> usize {
        let mut slot = 0;
        let mut least = i32::MAX;
        for i in 0..ENTRIES {
            let word = cluster.words[i].load(Relaxed);
            if word == 0 || cluster.keys[i].load(Relaxed) == key as u16 {
                return i;
            }
            let worth = depth_of(word) - 8 * i32::from(self.age_of(word));
            if worth < least {
                (slot, least) = (i, worth);
            }
        }
        slot
    }

    const fn age_of(&self, word: u64) -> u8 {
        (GENERATIONS + self.generation - generation_of(word)) % GENERATIONS
    }

    /// Entries of this search, in thousandths of the table, from a sample of its first thousand
    /// clusters.
    pub(super) fn hashfull(&self) -> u32 {
        let sample = &self.clusters()[..self.clusters.min(1000)];
        let used = sample
            .iter()
            .flat_map(|cluster| &cluster.words)
            .map(|word| word.load(Relaxed))
            .filter(|&word| word != 0 && self.age_of(word) == 0)
            .count();
        (used * 1000 / (sample.len() * ENTRIES)) as u32
    }

    /// Asks the processor to fetch the cluster of `key` while other work is done.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: a prefetch reads nothing that the program can see; the address is a valid one.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.cluster(key)).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }
}

/// Bytes that a table may take in place of one of `old` bytes, where the system tells. Of the old one
/// only that part counts which has been touched: the rest is still free.
fn available_memory(old: u64) -> Option<u64> {
    let touched = bytes_in("/proc/self/status", "RssAnon:").unwrap_or(0).min(old);
    Some(bytes_in("/proc/meminfo", "MemAvailable:")? + touched)
}

/// A number of kibibytes in one of the system's lists, in bytes.
fn bytes_in(list: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(list).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::score::{is_decisive, mate_in};

    fn entry(depth: i32, score: Score) -> Entry {
        let bound = Some(Bound::Exact);
        Entry { mv: Move::from_raw(0x1234), score, eval: Some(-17), depth, bound, was_pv: true }
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let table = TranspositionTable::new(1).unwrap();
        let key = 0x0123_4567_89AB_CDEF;
        assert!(table.probe(key).is_none());
        table.store(key, 0, entry(200, -321));
        let found = table.probe(key).unwrap();
        assert_eq!((found.depth, found.score, found.eval), (200, -321, Some(-17)));
        assert_eq!((found.mv, found.bound), (Move::from_raw(0x1234), Some(Bound::Exact)));
        assert!(found.was_pv);
    }

    #[test]
    fn a_mate_is_counted_from_the_node_that_asks() {
        let table = TranspositionTable::new(1).unwrap();
        table.store(7, 3, entry(5, mate_in(8)));
        assert_eq!(table.probe(7).unwrap().score_at(6, 0), mate_in(11));
    }

    /// A mate in 30 plies cannot be had when the fifty-move rule ends the game in 20.
    #[test]
    fn a_mate_beyond_the_fifty_move_horizon_is_no_proof() {
        let found = Entry { score: MATE - 30, ..entry(5, 0) };
        assert!(!is_decisive(found.score_at(0, 80)));
        assert!(is_decisive(found.score_at(0, 60)));
    }

    /// The same of a win by the endgame tables.
    #[test]
    fn a_table_win_beyond_the_fifty_move_horizon_is_no_proof() {
        for sign in [-1, 1] {
            let found = Entry { score: sign * (TB_WIN - 30), ..entry(5, 0) };
            assert_eq!(found.score_at(0, 80), sign * (TB_WIN_IN_MAX - 1));
            assert_eq!(found.score_at(2, 60), sign * (TB_WIN - 32));
        }
    }

    #[test]
    fn a_table_that_no_machine_has_is_refused() {
        assert!(TranspositionTable::new(usize::MAX >> 21).is_err());
        assert!(TranspositionTable::new(usize::MAX).is_err());
    }

    #[test]
    fn an_older_entry_gives_way_to_a_shallower_new_one() {
        let mut table = TranspositionTable::new(1).unwrap();
        // Keys of one cluster: the high bits choose it.
        (1..=3).for_each(|key| table.store(key, 0, entry(20, 0)));
        (0..4).for_each(|_| table.age());
        table.store(4, 0, entry(1, 0));
        assert!(table.probe(4).is_some());
        assert_eq!((1..=3).filter(|&key| table.probe(key).is_some()).count(), 2);
    }
}
