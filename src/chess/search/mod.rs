//! The chess search: what [`Searcher`] is asked to think about is searched by one
//! `Worker` a thread over one transposition table ("lazy SMP").

mod alphabeta;
mod correction;
mod extensions;
mod hashfile;
mod history;
mod iterate;
mod learning;
mod line;
mod mate;
mod movepick;
mod pruning;
mod pv;
mod qsearch;
mod reductions;
mod resume;
mod tables;
mod time;
mod tt;
pub mod tunables;
mod worker;

use std::{
    num::NonZero,
    path::Path,
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
    tables::Probing,
    time::TimeManager,
    tt::TranspositionTable,
    worker::{Counters, RootMove, Shared, Worker},
};
use super::{
    book::{Book, BookError},
    eval::{self, Evaluator, evaluate, nnue::Network},
    moves::Move,
    position::Position,
    record::Record,
    score::{INFINITE, Score, is_mate, mated_in},
    settings::Settings,
    strength::Handicap,
    tablebase::Tables,
    wdl,
};
use crate::engine::{self, Bound, Info, Limits, Report, Signals};

/// Stack of a searching thread: room for 250 plies of several kilobytes of moves and positions,
/// and for searches of singularity, which take the same ply twice.
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
    /// Endgame tables.
    tables: Tables,
    book: Option<Book>,
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
        let (tables, _) = Tables::open(&settings.syzygy_path);
        let book = open_book(&settings.book_file).ok().flatten();
        let settings = settings.clone();
        Ok(Self { settings, table, memories, network, tables, book, processors })
    }

    /// Takes over changed settings; what has not changed is left alone. Returns what the user should
    /// read: what was found, and what cannot be had, for which the old one is kept.
    pub fn apply(&mut self, settings: &Settings) -> Vec<String> {
        let mut messages = Vec::new();
        let old = std::mem::replace(&mut self.settings, settings.clone());
        self.memories.resize_with(settings.threads, || Memory::new(self.network.clone()));
        if settings.hash != old.hash {
            // What cannot be had is told once, not with every option that is set later.
            match TranspositionTable::in_place_of(Some(&self.table), settings.hash) {
                Ok(table) => {
                    self.table = table;
                    self.table.touch(settings.threads);
                }
                Err(error) => messages.push(error.to_string()),
            }
        }
        if settings.clear_hash != old.clear_hash {
            self.forget();
        }
        if settings.save_hash != old.save_hash {
            messages.push(self.save_hash());
        }
        if settings.eval_file != old.eval_file {
            match eval::network(&settings.eval_file) {
                Ok(network) => self.take_network(network),
                Err(error) => messages.push(error.to_string()),
            }
        }
        // After all that empties the table.
        if settings.load_hash != old.load_hash {
            messages.push(self.load_hash());
        }
        if settings.syzygy_path != old.syzygy_path {
            let (tables, faults) = Tables::open(&settings.syzygy_path);
            messages.extend(faults);
            messages.push(tables.found().to_string());
            self.tables = tables;
        }
        if settings.book_file != old.book_file {
            match open_book(&settings.book_file) {
                Ok(book) => {
                    messages
                        .extend(book.as_ref().map(|book| format!("Book of {} moves", book.len())));
                    self.book = book;
                }
                Err(error) => messages.push(format!("BookFile: {error}; nothing is changed")),
            }
        }
        messages
    }

    fn save_hash(&self) -> String {
        let path = Path::new(&self.settings.hash_file);
        match hashfile::save(&self.table, path, &self.hash_header()) {
            Ok(()) => format!("the hash table is saved to {}", path.display()),
            Err(error) => error,
        }
    }

    fn load_hash(&mut self) -> String {
        let header = self.hash_header();
        let path = Path::new(&self.settings.hash_file);
        match hashfile::load(&mut self.table, path, &header) {
            Ok(()) => format!("the hash table is loaded from {}", path.display()),
            Err(error) => error,
        }
    }

    /// What a hash file must have in common with this program.
    fn hash_header(&self) -> hashfile::Header {
        let evaluation = self.network.as_ref().map_or("classical".to_owned(), |net| net.name());
        hashfile::Header { keys: Position::start().key(), evaluation }
    }

    /// What the endgame tables say of a position, as text.
    pub fn table_verdict(&self, position: &Position) -> String {
        let Some(wdl) = self.tables.wdl(position) else {
            return match self.tables.take_fault() {
                Some(fault) => format!("Tablebase: {fault}"),
                None => "Tablebase: no verdict".to_owned(),
            };
        };
        let dtz = self.tables.dtz(position).map_or("unknown".to_owned(), |dtz| dtz.to_string());
        format!("Tablebase: {wdl}\nTablebase WDL: {}\nTablebase DTZ: {dtz}", wdl as i32)
    }

    /// How the evaluation of a position comes about, as text.
    pub fn explain(&self, position: &Position) -> String {
        eval::trace(position, self.network.as_deref())
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

    /// A move from the book, where a game is played: an analysis wants to know more, and may be
    /// about what the book says.
    fn book_move(&self, root: &Root, limits: &Limits, signals: &Signals) -> Option<Move> {
        let settings = &self.settings;
        let book = self.book.as_ref().filter(|_| settings.own_book)?;
        let studies = settings.analyse_mode
            || settings.multi_pv > 1
            || limits.infinite
            || limits.mate.is_some()
            || signals.pondering()
            || !root.search_moves.is_empty();
        if studies || root.record.position().fullmove_number() > settings.book_depth {
            return None;
        }
        book.pick(&root.record, settings.book_variety, &mut rand::rng())
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
        if let Some(mv) = self.book_move(root, limits, signals) {
            say_book_move(root, mv, limits, reports);
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
        let mut probing = Probing::new(&self.tables, &self.settings);
        let (root_moves, hits) = root_moves(&mut probing, &root.record, &moves);
        if let Some(fault) = self.tables.take_fault() {
            let _ = reports.send(Report::Message(fault));
        }
        let memories = &mut self.memories[..threads];
        let overhead = Duration::from_millis(self.settings.move_overhead);
        let shared = Shared {
            tt: &self.table,
            probing,
            signals,
            limits,
            time: TimeManager::new(limits, overhead, self.settings.ponder),
            abort: AtomicBool::new(false),
            budget: handicap.map(|handicap| handicap.nodes),
            counters: memories.iter().map(|_| Counters::default()).collect(),
            polite: threads >= self.processors,
            logarithms: reductions::logarithms(),
            reports,
            last_report: AtomicU64::new(0),
        };
        shared.counters[0].tb_hits.store(hits, Relaxed);
        let reporter = Reporter { reports, shared: &shared, ply: root.record.position(), shown };
        let mut workers: Vec<Worker<'_>> = memories
            .iter_mut()
            .enumerate()
            .map(|(index, memory)| {
                Worker::new(index, &shared, memory, &root.record, root_moves.clone())
            })
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

/// The moves of the root, best rank of the endgame tables first, and how often these were asked.
fn root_moves(probing: &mut Probing<'_>, record: &Record, moves: &[Move]) -> (Vec<RootMove>, u64) {
    let Some(verdicts) = probing.rank_root(record, moves) else {
        return (moves.iter().map(|&mv| RootMove::new(mv, None)).collect(), 0);
    };
    let pairs = moves.iter().zip(verdicts.of_moves);
    let mut ranked: Vec<RootMove> =
        pairs.map(|(&mv, verdict)| RootMove::new(mv, Some(verdict))).collect();
    ranked.sort_by_key(|root| -root.rank());
    (ranked, moves.len() as u64)
}

/// The book that a path names; none if it is empty.
fn open_book(path: &str) -> Result<Option<Book>, BookError> {
    if path.is_empty() { Ok(None) } else { Book::load(Path::new(path)).map(Some) }
}

/// A move of the book. GUIs want a score all the same: that of the position as it stands.
fn say_book_move(root: &Root, mv: Move, limits: &Limits, reports: &Sender<Report<Move>>) {
    let score = evaluate(root.record.position());
    // The receiver is gone only when the program ends.
    let _ = reports.send(Report::Message("book move".to_owned()));
    let _ = reports.send(Report::Info(unsearched(root, score, limits, vec![mv])));
    let _ = reports.send(Report::Done { best: Some(mv), ponder: None });
}

/// No legal move: mated or stalemate. The answer waits for leave all the same.
fn say_game_over(root: &Root, limits: &Limits, signals: &Signals, reports: &Sender<Report<Move>>) {
    let score = if root.record.position().in_check() { mated_in(0) } else { 0 };
    // The receiver is gone only when the program ends.
    let _ = reports.send(Report::Info(unsearched(root, score, limits, Vec::new())));
    signals.park(limits.infinite);
    let _ = reports.send(Report::Done { best: None, ponder: None });
}

/// What is said of a position that was not searched; its depth is the length of the line.
fn unsearched(root: &Root, score: Score, limits: &Limits, pv: Vec<Move>) -> Info<Move> {
    let position = root.record.position();
    Info {
        depth: pv.len() as u32,
        seldepth: pv.len() as u32,
        multipv: 1,
        score,
        pawn: wdl::pawn(position),
        bound: Bound::Exact,
        wdl: wdl::model(score, position),
        nodes: 0,
        hashfull: 0,
        tb_hits: 0,
        time: limits.start.elapsed(),
        pv,
    }
}

/// The thread whose move is played: each votes for its own with its depth and score.
fn choose(workers: &[Worker<'_>]) -> usize {
    let scored = workers.iter().filter(|worker| worker.completed_depth > 0);
    let worst = scored.map(|worker| worker.root_moves[0].known_score()).min().unwrap_or(0);
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
    ply: &'a Position,
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
    fn failed(&self, worker: &Worker<'_>, score: Score, bound: Bound) {
        if worker.pv_index == 0 && worker.elapsed() >= QUIET_TIME {
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
        // What the tables know is shown, but a mate that the search has found says more.
        let known = root.verdict.filter(|_| !is_mate(score));
        let (score, bound) = known.map_or((score, bound), |known| (known.score, Bound::Exact));
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
