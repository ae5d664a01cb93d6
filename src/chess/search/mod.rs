//! The chess search: what [`Searcher`] is asked to think about is searched by one
//! `Worker` a thread over one transposition table ("lazy SMP").

mod alphabeta;
mod correction;
mod extensions;
mod history;
mod iterate;
mod learning;
mod movepick;
mod pruning;
mod pv;
mod qsearch;
mod reductions;
mod time;
mod tt;
pub mod tunables;
mod worker;

use std::{
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use crossbeam_channel::Sender;

use self::{
    correction::Corrections,
    history::Histories,
    time::TimeManager,
    tt::TranspositionTable,
    worker::{Counters, RootMove, Shared, Worker},
};
use super::{
    eval::{self, Evaluator, evaluate, nnue::Network},
    moves::Move,
    record::Record,
    score::{INFINITE, Score, is_mate, mated_in},
    settings::Settings,
    strength::Handicap,
    wdl,
};
use crate::engine::{self, Bound, Info, Limits, Report, Signals};

/// Stack of a searching thread: two kilobytes of moves and positions for each of 250 plies.
const STACK_SIZE: usize = 16 << 20;
/// Before this, fail-highs and fail-lows of the root are not worth a line.
const QUIET_TIME: Duration = Duration::from_secs(3);

/// What a search is asked about.
#[derive(Debug, Clone)]
pub struct Root {
    /// The position, with the game that led to it.
    pub record: Record,
    /// Only these moves are considered; all if empty.
    pub search_moves: Vec<Move>,
}

/// The memory of one thread, kept from search to search.
#[derive(Debug)]
struct Memory {
    histories: Histories,
    corrections: Corrections,
    evaluator: Evaluator,
}

impl Memory {
    fn new(network: Option<Arc<Network>>) -> Self {
        Self {
            histories: Histories::new(),
            corrections: Corrections::new(),
            evaluator: Evaluator::new(network),
        }
    }

    fn clear(&mut self) {
        self.histories.clear();
        self.corrections.clear();
    }
}

/// The chess engine: it owns the table and the memory of its threads.
#[derive(Debug)]
pub struct Searcher {
    settings: Settings,
    table: TranspositionTable,
    memories: Vec<Memory>,
    /// What positions are evaluated with; `None`: the classical evaluation.
    network: Option<Arc<Network>>,
    /// Threads that this machine runs at once.
    processors: usize,
}

impl Searcher {
    /// An engine with these settings.
    ///
    /// # Errors
    /// If a hash table of that size or the network cannot be had.
    pub fn new(settings: &Settings) -> Result<Self, String> {
        let table = TranspositionTable::new(settings.hash).map_err(|error| error.to_string())?;
        let network = eval::network(&settings.eval_file).map_err(|error| error.to_string())?;
        thread::spawn(eval::prepare);
        let memories = (0..settings.threads).map(|_| Memory::new(network.clone())).collect();
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        Ok(Self { settings: settings.clone(), table, memories, network, processors })
    }

    /// Takes over changed settings; what has not changed is left alone.
    ///
    /// # Errors
    /// If a hash table of the new size or the network cannot be had: the old one is kept.
    pub fn apply(&mut self, settings: &Settings) -> Result<(), String> {
        let old = std::mem::replace(&mut self.settings, settings.clone());
        self.memories.resize_with(settings.threads, || Memory::new(self.network.clone()));
        if settings.hash != old.hash {
            match TranspositionTable::new(settings.hash) {
                Ok(mut table) => {
                    table.touch(settings.threads);
                    self.table = table;
                }
                Err(error) => {
                    self.settings.hash = old.hash;
                    return Err(error.to_string());
                }
            }
        }
        if settings.clear_hash != old.clear_hash {
            self.forget();
        }
        if settings.eval_file != old.eval_file {
            match eval::network(&settings.eval_file) {
                Ok(network) => self.take_network(network),
                // What cannot be had is told once, not with every option that is set later.
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    /// What was learnt with another evaluation is of no use.
    fn take_network(&mut self, network: Option<Arc<Network>>) {
        for memory in &mut self.memories {
            memory.evaluator = Evaluator::new(network.clone());
        }
        self.network = network;
        self.forget();
    }

    /// Forgets what earlier games taught: the table and the histories.
    pub fn forget(&mut self) {
        self.table.clear(self.settings.threads);
        self.memories.iter_mut().for_each(Memory::clear);
    }

    /// Searches `root` and says what it finds; returns nodes searched by all threads.
    ///
    /// # Panics
    /// Never: there is always a main thread.
    pub fn search(
        &mut self,
        root: &Root,
        limits: &Limits,
        signals: &Signals,
        reports: &Sender<Report<Move>>,
    ) -> u64 {
        let position = root.record.position();
        let legal = position.legal_moves();
        let moves: Vec<Move> = legal
            .iter()
            .copied()
            .filter(|mv| root.search_moves.is_empty() || root.search_moves.contains(mv))
            .collect();
        if moves.is_empty() {
            say_game_over(root, limits, signals, reports);
            return 0;
        }
        self.table.age();
        let handicap = Handicap::of(&self.settings);
        let (lines, shown, threads) = match handicap {
            Some(Handicap { candidates, .. }) => {
                (candidates, self.settings.multi_pv.min(candidates), 1)
            }
            None => (self.settings.multi_pv, self.settings.multi_pv, self.memories.len()),
        };
        let memories = &mut self.memories[..threads];
        let overhead = Duration::from_millis(self.settings.move_overhead);
        let shared = Shared {
            tt: &self.table,
            signals,
            limits,
            time: TimeManager::new(limits, overhead),
            abort: AtomicBool::new(false),
            budget: handicap.map(|handicap| handicap.nodes),
            counters: memories.iter().map(|_| Counters::default()).collect(),
            polite: threads >= self.processors,
            logarithms: reductions::logarithms(),
            reports,
            last_report: AtomicU64::new(0),
        };
        let reporter = Reporter { reports, shared: &shared, ply: root.record.position(), shown };
        let mut workers: Vec<Worker<'_>> = memories
            .iter_mut()
            .enumerate()
            .map(|(index, memory)| Worker::new(index, &shared, memory, &root.record, &moves))
            .collect();
        let (main, helpers) = workers.split_first_mut().expect("there is at least one thread");
        thread::scope(|scope| {
            for helper in helpers {
                let builder = thread::Builder::new().stack_size(STACK_SIZE);
                // Without the thread the search is weaker, not wrong.
                let _ = builder.spawn_scoped(scope, move || helper.iterate(lines, None));
            }
            main.iterate(lines, Some(&reporter));
            signals.park(limits.infinite);
            shared.abort.store(true, Relaxed);
        });
        let best = choose(&workers);
        let played = handicap.map_or(0, |handicap| draw(handicap, &workers[best]));
        reporter.done(&workers[0], &workers[best], played);
        shared.nodes()
    }
}

impl engine::Searcher for Searcher {
    type Position = Root;
    type Move = Move;

    fn think(
        &mut self,
        root: Root,
        limits: &Limits,
        signals: &Signals,
        reports: &Sender<Report<Move>>,
    ) {
        self.search(&root, limits, signals, reports);
    }
}

/// No legal move: mated or stalemate. The answer waits for leave all the same.
fn say_game_over(root: &Root, limits: &Limits, signals: &Signals, reports: &Sender<Report<Move>>) {
    let position = root.record.position();
    let score = if position.in_check() { mated_in(0) } else { 0 };
    let info = Info {
        depth: 0,
        seldepth: 0,
        multipv: 1,
        score,
        pawn: wdl::pawn(position),
        bound: Bound::Exact,
        wdl: wdl::model(score, position),
        nodes: 0,
        hashfull: 0,
        tb_hits: 0,
        time: limits.start.elapsed(),
        pv: Vec::new(),
    };
    // The receiver is gone only when the program ends.
    let _ = reports.send(Report::Info(info));
    signals.park(limits.infinite);
    let _ = reports.send(Report::Done { best: None, ponder: None });
}

/// The thread whose move is played: each votes for its own with its depth and score.
fn choose(workers: &[Worker<'_>]) -> usize {
    let worst = workers.iter().map(|worker| worker.root_moves[0].known_score()).min().unwrap_or(0);
    let weight = |worker: &Worker<'_>| {
        i64::from(worker.root_moves[0].known_score() - worst + 14)
            * i64::from(worker.completed_depth)
    };
    let votes = |mv: Move| -> i64 {
        workers.iter().filter(|worker| worker.root_moves[0].mv == mv).map(weight).sum()
    };
    let main = &workers[0].root_moves[0];
    if is_mate(main.known_score()) {
        return 0;
    }
    (0..workers.len())
        .filter(|&index| workers[index].completed_depth > 0)
        .max_by_key(|&index| {
            let worker = &workers[index];
            (votes(worker.root_moves[0].mv), weight(worker), std::cmp::Reverse(index))
        })
        .unwrap_or(0)
}

/// The root move that a limited player plays, among the best few.
fn draw(handicap: Handicap, worker: &Worker<'_>) -> usize {
    let candidates = worker.root_moves.iter().take(handicap.candidates).map(RootMove::known_score);
    let scores: Vec<Score> = candidates.take_while(|&score| score != -INFINITE).collect();
    if scores.is_empty() { 0 } else { handicap.draw(&scores, &mut rand::rng()) }
}

/// Turns what a worker knows into reports.
struct Reporter<'a> {
    reports: &'a Sender<Report<Move>>,
    shared: &'a Shared<'a>,
    ply: &'a super::position::Position,
    /// Lines that the user wants to see.
    shown: usize,
}

impl Reporter<'_> {
    /// A finished iteration: its lines, best first.
    fn iteration(&self, worker: &Worker<'_>, depth: i32) {
        for (index, root) in worker.root_moves.iter().take(self.shown).enumerate() {
            self.line(root, depth, index + 1, root.score, Bound::Exact);
        }
    }

    /// The root failed high or low: worth a line only when the iteration takes long.
    fn failed(&self, worker: &Worker<'_>, score: Score, (alpha, _): (Score, Score)) {
        if worker.pv_index == 0 && worker.elapsed() >= QUIET_TIME {
            let bound = if score <= alpha { Bound::Upper } else { Bound::Lower };
            self.line(&worker.root_moves[0], worker.root_depth, 1, score, bound);
        }
    }

    /// The move to play, `played` among those of `best`, with a last line if what was reported is
    /// not the last word.
    fn done(&self, main: &Worker<'_>, best: &Worker<'_>, played: usize) {
        let root = &best.root_moves[played];
        let was_cut_short = main.root_depth != main.completed_depth;
        if best.index != main.index || was_cut_short {
            for (index, root) in best.root_moves.iter().take(self.shown).enumerate() {
                let score = root.known_score();
                let depth = best.completed_depth.max(1);
                let score = if score == -INFINITE { evaluate(self.ply) } else { score };
                self.line(root, depth, index + 1, score, root.bound);
            }
        }
        let ponder = root.pv.get(1).copied();
        let _ = self.reports.send(Report::Done { best: Some(root.mv), ponder });
    }

    fn line(&self, root: &RootMove, depth: i32, multipv: usize, score: Score, bound: Bound) {
        // A draw is shown as one: its jitter is for the search alone.
        let score = if score.abs() <= 1 { 0 } else { score };
        let info = Info {
            depth: depth as u32,
            seldepth: root.seldepth.max(root.pv.len()) as u32,
            multipv: multipv as u32,
            score,
            pawn: wdl::pawn(self.ply),
            bound,
            wdl: wdl::model(score, self.ply),
            nodes: self.shared.nodes(),
            hashfull: self.shared.tt.hashfull(),
            tb_hits: self.shared.tb_hits(),
            time: self.shared.time.elapsed(),
            pv: root.pv.clone(),
        };
        self.shared.last_report.store(info.time.as_millis() as u64, Relaxed);
        let _ = self.reports.send(Report::Info(info));
    }
}
