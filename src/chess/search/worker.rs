//! One searching thread: its histories, its stack, its counters.

use std::{
    ops::{Index, IndexMut},
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::Duration,
};

use crossbeam_channel::Sender;

use super::{
    Memory,
    correction::Corrections,
    history::{Arrival, CONTINUATIONS, Histories},
    line::Line,
    pv::PvTable,
    tables::{Probing, Verdict},
    time::TimeManager,
    tt::TranspositionTable,
};
use crate::{
    chess::{
        bitboard::Bitboard,
        eval::Evaluator,
        moves::Move,
        position::Position,
        record::Record,
        score::{DRAW, MAX_PLY, Score},
    },
    engine::{Bound, Limits, Report, Signals},
};

/// Nodes between two looks at the clock, less one: a power of two less one.
const CLOCK_MASK: u64 = 511;

/// Milliseconds of silence before a sign of life.
const HEARTBEAT: u64 = 1000;

/// Even the first iteration may not go on for ever.
const FIRST_ITERATION: u64 = 50_000;

/// What all threads of a search see.
#[derive(Debug)]
pub(super) struct Shared<'a> {
    pub(super) tt: &'a TranspositionTable,
    pub(super) probing: Probing<'a>,
    pub(super) signals: &'a Signals,
    pub(super) limits: &'a Limits,
    pub(super) time: TimeManager,
    /// Nodes that a player of limited strength may look at, whatever the limits say.
    pub(super) budget: Option<u64>,
    /// Set by the main thread when the search must end.
    pub(super) abort: AtomicBool,
    /// Nodes and table hits of each thread, written now and then.
    pub(super) counters: Vec<Counters>,
    /// Searching threads are on every processor: each lets others run now and then. Without it the
    /// thread that answers the GUI waits for a tick of the system in one wake of a hundred: p99 of
    /// `isready` 4.5 to 5.1 ms against 0.8 to 1.0, of `stop` 5.4 against 1.4 to 2.3 (2 processors).
    pub(super) polite: bool,
    /// `ln(n)` in 32nds, for the reductions.
    pub(super) logarithms: [i32; 256],
    pub(super) reports: &'a Sender<Report<Move>>,
    /// Milliseconds at which something was last said.
    pub(super) last_report: AtomicU64,
}

/// What one thread has counted; a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
pub(super) struct Counters {
    pub(super) nodes: AtomicU64,
    pub(super) tb_hits: AtomicU64,
}

impl Shared<'_> {
    /// Nodes of all threads, a little behind for all but the asking one.
    pub(super) fn nodes(&self) -> u64 {
        self.counters.iter().map(|counter| counter.nodes.load(Relaxed)).sum()
    }

    /// Tablebase hits of all threads.
    pub(super) fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counter| counter.tb_hits.load(Relaxed)).sum()
    }

    /// A sign of life in a long iteration, once a second.
    fn heartbeat(&self) {
        let time = self.time.elapsed();
        let now = time.as_millis() as u64;
        if now >= self.last_report.load(Relaxed) + HEARTBEAT {
            self.last_report.store(now, Relaxed);
            let (nodes, hashfull) = (self.nodes(), self.tt.hashfull());
            // The receiver is gone only when the program ends.
            let _ = self.reports.send(Report::Heartbeat { nodes, time, hashfull });
        }
    }

    /// True once every thread must come home.
    #[inline]
    pub(super) fn must_stop(&self) -> bool {
        self.abort.load(Relaxed) || self.signals.stopped()
    }
}

/// What the search remembers of one ply of the line it is looking at.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ply {
    /// The move made here; `None` for a null move.
    pub(super) mv: Option<Move>,
    /// Static evaluation; `None` in check.
    pub(super) eval: Option<Score>,
    /// A quiet move that failed high here.
    pub(super) killer: Option<Move>,
    /// Which piece came where with the move made here; `None` for a null move.
    pub(super) arrival: Option<Arrival>,
    /// What the other side attacked when the move was made.
    pub(super) threats: Bitboard,
    /// The move made here took something or made a queen.
    pub(super) noisy: bool,
    /// Place of the move made here in the order, from 1.
    pub(super) count: usize,
    /// Whole plies by which the move made here is reduced while its child is searched.
    pub(super) reduction: i32,
    /// Plies of double extension on the line to here.
    pub(super) extensions: i32,
    /// The node was on the principal variation once.
    pub(super) was_pv: bool,
    /// How often nodes here failed high since the grandparent was opened.
    pub(super) cutoffs: u32,
    /// The move that the search to find whether it is singular leaves out.
    pub(super) excluded: Option<Move>,
}

/// Plies kept below the root, so that "two plies ago" always exists.
const BELOW: usize = 8;

/// The line being looked at, from some plies before the root.
#[derive(Debug)]
pub(super) struct Stack(Vec<Ply>);

impl Stack {
    fn new() -> Self {
        Self(vec![Ply::default(); MAX_PLY + BELOW + 8])
    }

    /// The entry `back` plies before `ply`, which may lie before the root.
    pub(super) fn before(&self, ply: usize, back: usize) -> &Ply {
        &self.0[ply + BELOW - back]
    }

    /// What the moves 1, 2, 4 and 6 plies before `ply` brought where.
    pub(super) fn continued(&self, ply: usize) -> [Option<Arrival>; 4] {
        CONTINUATIONS.map(|back| self.before(ply, back).arrival)
    }
}

impl Index<usize> for Stack {
    type Output = Ply;
    fn index(&self, ply: usize) -> &Ply {
        &self.0[ply + BELOW]
    }
}

impl IndexMut<usize> for Stack {
    fn index_mut(&mut self, ply: usize) -> &mut Ply {
        &mut self.0[ply + BELOW]
    }
}

/// A move of the root, with what is known of it.
#[derive(Debug, Clone)]
pub(super) struct RootMove {
    pub(super) mv: Move,
    /// Score of this iteration, or minus infinity if none is exact.
    pub(super) score: Score,
    /// How `score` bounds the truth: not exact while a window that failed is searched again.
    pub(super) bound: Bound,
    /// Score of the iteration before.
    pub(super) previous: Score,
    pub(super) seldepth: usize,
    pub(super) nodes: u64,
    pub(super) pv: Vec<Move>,
    /// What the endgame tables say of it; `None` if they say nothing.
    pub(super) verdict: Option<Verdict>,
}

/// One thread's view of a search.
#[derive(Debug)]
pub(super) struct Worker<'a> {
    pub(super) index: usize,
    pub(super) shared: &'a Shared<'a>,
    pub(super) histories: &'a mut Histories,
    pub(super) corrections: &'a mut Corrections,
    pub(super) evaluator: &'a mut Evaluator,
    pub(super) root: Position,
    pub(super) root_moves: Vec<RootMove>,
    /// First root move that is still open: those before it are the lines already reported.
    pub(super) pv_index: usize,
    /// End of the root moves that are open: behind it are those that endgame tables rank lower.
    pub(super) pv_end: usize,
    pub(super) stack: Stack,
    pub(super) pv: PvTable,
    /// The positions before the one looked at.
    pub(super) line: Line,
    pub(super) root_depth: i32,
    pub(super) completed_depth: i32,
    pub(super) seldepth: usize,
    pub(super) nodes: u64,
    /// Where null moves are forbidden, so that a verification cannot verify itself.
    pub(super) null_move_from: usize,
    /// The move would have been played by now, had the search not been pondering.
    pub(super) ends_with_ponderhit: bool,
    /// Something was done that may have taken long: the clock is looked at with the next node.
    pub(super) clock_is_due: bool,
    stopped: bool,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        index: usize,
        shared: &'a Shared<'a>,
        memory: &'a mut Memory,
        record: &Record,
        root_moves: Vec<RootMove>,
    ) -> Self {
        let Memory { histories, corrections, evaluator } = memory;
        histories.new_root();
        evaluator.reset(record.position());
        Self {
            index,
            shared,
            histories,
            corrections,
            evaluator,
            root: record.position().clone(),
            pv_index: 0,
            pv_end: root_moves.len(),
            root_moves,
            stack: Stack::new(),
            pv: PvTable::new(),
            line: Line::new(record),
            root_depth: 0,
            completed_depth: 0,
            seldepth: 0,
            nodes: 0,
            null_move_from: 0,
            ends_with_ponderhit: false,
            clock_is_due: false,
            stopped: false,
        }
    }

    pub(super) const fn is_main(&self) -> bool {
        self.index == 0
    }

    /// True once this thread must come home; everything searched since is void.
    #[inline]
    pub(super) const fn stopped(&self) -> bool {
        self.stopped
    }

    /// Counts a node and asks whether the search must end.
    pub(super) fn count_node(&mut self) {
        self.nodes += 1;
        if self.nodes & CLOCK_MASK == 0 {
            self.shared.counters[self.index].nodes.store(self.nodes, Relaxed);
            if self.shared.polite {
                thread::yield_now();
            }
        }
        if self.completed_depth == 0 && self.root_depth <= 1 {
            // Whatever is asked, the first iteration is finished: a move and a score must be had.
            self.stopped = self.nodes > FIRST_ITERATION;
            return;
        }
        let is_over = if self.is_main() { self.limit_reached() } else { self.time_is_up() };
        if is_over {
            self.shared.abort.store(true, Relaxed);
        }
        if self.shared.must_stop() {
            self.stopped = true;
        }
    }

    /// With many more threads than processors the main thread may have to wait long for its turn:
    /// the others look at the clock, too.
    fn time_is_up(&self) -> bool {
        self.nodes & CLOCK_MASK == 0
            && !self.shared.signals.pondering()
            && self.shared.time.is_over()
    }

    /// Publishes the exact count: at the end of an iteration and of the search.
    pub(super) fn publish_nodes(&self) {
        self.shared.counters[self.index].nodes.store(self.nodes, Relaxed);
    }

    fn limit_reached(&mut self) -> bool {
        let limits = self.shared.limits;
        if self.shared.budget.is_some_and(|most| self.nodes >= most) {
            return true;
        }
        if let Some(most) = limits.nodes
            && self.shared.counters.len() == 1
            && self.nodes >= most
        {
            return !self.shared.signals.pondering();
        }
        if self.nodes & CLOCK_MASK != 0 && !self.clock_is_due {
            return false;
        }
        self.clock_is_due = false;
        self.shared.heartbeat();
        if self.shared.signals.pondering() {
            return false;
        }
        self.ends_with_ponderhit
            || limits.nodes.is_some_and(|most| self.shared.nodes() >= most)
            || self.shared.time.is_over()
    }

    /// Since the request was read.
    pub(super) fn elapsed(&self) -> Duration {
        self.shared.time.elapsed()
    }

    /// Plays `mv` on a copy of `position`, on the line that this thread is looking at.
    pub(super) fn make(&mut self, position: &Position, ply: usize, mv: Move) -> Position {
        self.shared.tt.prefetch(position.key_after(mv));
        let entry = &mut self.stack[ply];
        entry.mv = Some(mv);
        entry.arrival = Some(Arrival::new(position.moved(mv), mv));
        entry.noisy = mv.is_noisy();
        self.stack[ply + 1].extensions = self.stack[ply].extensions;
        self.line.push(position);
        self.evaluator.make(position, mv);
        let mut child = position.clone();
        child.play(mv);
        self.count_node();
        child
    }

    /// Passes the move.
    pub(super) fn make_null(&mut self, position: &Position, ply: usize) -> Position {
        let entry = &mut self.stack[ply];
        entry.mv = None;
        entry.arrival = None;
        entry.noisy = false;
        self.stack[ply + 1].extensions = self.stack[ply].extensions;
        self.line.push_pass(position);
        self.evaluator.make_null();
        let mut child = position.clone();
        child.play_null();
        self.shared.tt.prefetch(child.key());
        self.count_node();
        child
    }

    /// Takes the last move off the line.
    pub(super) fn unmake(&mut self) {
        self.line.pop();
        self.evaluator.unmake();
    }

    /// Takes a pass off the line.
    pub(super) fn unmake_null(&mut self) {
        self.line.pop_pass();
        self.evaluator.unmake();
    }

    /// A draw by repetition, by the fifty-move rule or for want of material.
    pub(super) fn is_draw(&self, position: &Position) -> bool {
        if position.has_insufficient_material() {
            return true;
        }
        if position.halfmove_clock() >= 100 {
            // FIDE 9.3 and 9.6: a mate on the last move counts.
            return !position.in_check() || position.count_legal_moves() > 0;
        }
        self.line.repeats(position)
    }

    /// The static evaluation of `position`, which is not in check.
    pub(super) fn evaluate(&mut self, position: &Position) -> Score {
        self.evaluator.evaluate(position)
    }

    /// The score of a draw, or one more or less by the node count: lines that only differ in how
    /// they are drawn are not all the same, which keeps the search from settling on the first
    /// ("draw jitter", Stockfish).
    pub(super) const fn draw_score(&self) -> Score {
        DRAW - 1 + (self.nodes & 2) as Score
    }
}

impl RootMove {
    pub(super) fn new(mv: Move, verdict: Option<Verdict>) -> Self {
        let (score, seldepth, nodes) = (-crate::chess::score::INFINITE, 0, 0);
        Self {
            mv,
            score,
            bound: Bound::Exact,
            previous: score,
            seldepth,
            nodes,
            pv: vec![mv],
            verdict,
        }
    }

    /// Its rank among the root moves by the endgame tables: a lower one is never played.
    pub(super) fn rank(&self) -> i32 {
        self.verdict.map_or(0, |verdict| verdict.rank)
    }

    /// The score to show and to compare: that of the last iteration which gave one.
    pub(super) const fn known_score(&self) -> Score {
        if self.score == -crate::chess::score::INFINITE { self.previous } else { self.score }
    }
}
