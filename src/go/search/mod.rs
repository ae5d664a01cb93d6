//! Monte-Carlo tree search: many threads on one tree, which is kept from move to move.

mod decision;
mod time;
mod tree;
mod worker;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;

use decision::{decide, is_about_owners, is_lost};
pub use time::{Allotment, GameClock, TimeSystem};
use tree::{Node, Tree};
pub use worker::{Evaluator, Playout};
use worker::{Totals, Worker};

use super::{
    patterns::Weights,
    playout::Weighted,
    point::{Color, MAX_CELLS, Move, Point},
    position::Position,
    rules::Ko,
    score::Status,
};
use crate::engine::{Limits, Report, Signals};

/// A stone owned by the enemy in this share of playouts is dead.
const DEAD: f32 = 0.7;

/// Searches in a row that must find a game lost before it is given up.
const RESIGN_AFTER: u32 = 2;

/// Board for which the weights are read at the start; others are read when they are needed.
const START_SIZE: usize = 19;

/// Longest line shown.
const LONGEST_PV: usize = 30;

/// What a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// A move to be played.
    Play,
    /// A look at the position: no pass out of courtesy and no resignation applies.
    Analyse,
    /// The owners of the points: passes do not end the game then, since two of them would let every
    /// stone count as it stands.
    Count,
}

/// What to think about.
#[derive(Debug, Clone)]
pub struct Task {
    /// The game so far.
    pub position: Position,
    /// Who is to move, whoever moved last.
    pub color: Color,
    /// Simulations to make, those kept from earlier moves included.
    pub playouts: Option<u64>,
    /// Time to take; stops early when the best move cannot be overtaken.
    pub time: Option<Allotment>,
    /// Cells that may not be played at the root.
    pub avoid: Vec<Point>,
    /// If not empty, the only cells that may be played at the root.
    pub allow: Vec<Point>,
    /// Whether to give up a lost game.
    pub resign: bool,
    /// Whether dead stones must be taken before passing.
    pub cleanup: bool,
    /// Progress is sent here, this often; the last analysis always is.
    pub progress: Option<(Duration, Sender<Analysis>)>,
    /// What the search is for.
    pub aim: Aim,
    /// Seed of the playouts; with one thread and no time the search repeats itself.
    pub seed: u64,
}

impl Task {
    /// Thinks about the position for the player to move, with no limit.
    pub fn new(position: Position) -> Self {
        Self {
            color: position.to_move,
            position,
            playouts: None,
            time: None,
            avoid: Vec::new(),
            allow: Vec::new(),
            resign: false,
            cleanup: false,
            progress: None,
            aim: Aim::Play,
            seed: 0,
        }
    }

    fn last_cell(&self) -> Option<usize> {
        self.recent(0).map(Point::cell)
    }

    /// The point of a recent move, the last being 0.
    fn recent(&self, back: usize) -> Option<Point> {
        let moves = &self.position.moves;
        let at = moves.len().checked_sub(back + 1)?;
        moves[at].1.point()
    }

    /// Whether every move may be played at the root.
    const fn is_free(&self) -> bool {
        self.avoid.is_empty() && self.allow.is_empty()
    }

    fn allows(&self, cell: usize) -> bool {
        let point = Point::new(cell);
        !self.avoid.contains(&point) && (self.allow.is_empty() || self.allow.contains(&point))
    }

    const fn may_pass(&self, nothing_else: bool) -> bool {
        nothing_else || self.allow.is_empty()
    }
}

/// The end of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// A move.
    Move(Move),
    /// The game is given up.
    Resign,
}

/// What is known of one root move.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The move.
    pub mv: Move,
    /// Simulations through it.
    pub visits: u32,
    /// Mean result for the player to move, from 0 to 1.
    pub winrate: f32,
    /// Lower bound of the mean.
    pub lcb: f32,
    /// Share before any visit.
    pub prior: f32,
    /// The line expected, this move first.
    pub pv: Vec<Move>,
    /// Visits of each move of the line.
    pub pv_visits: Vec<u32>,
}

/// What is known of the root.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// Who is to move.
    pub color: Color,
    /// Simulations in the tree.
    pub visits: u32,
    /// Mean result for the player to move, from 0 to 1.
    pub winrate: f32,
    /// Mean margin for the player to move in points, komi counted.
    pub lead: f32,
    /// The moves, best first.
    pub candidates: Vec<Candidate>,
    /// By cell: from -1 (White's in every playout) to 1 (Black's).
    pub ownership: Vec<f32>,
    /// Simulations that lead and owners are from: those of this search, and of those before it that
    /// had the same root.
    pub playouts: u64,
    /// Since the search began.
    pub time: Duration,
}

impl Analysis {
    /// Status of a stone, from who owned its point in the playouts.
    pub fn status(&self, position: &Position, point: Point) -> Status {
        if self.held(position, point) < 1.0 - 2.0 * DEAD { Status::Dead } else { Status::Alive }
    }

    /// Whether a stone is as likely alive as another must be dead to be called so.
    fn is_surely_alive(&self, position: &Position, point: Point) -> bool {
        self.held(position, point) > 2.0 * DEAD - 1.0
    }

    /// How much a stone is its own player's: from -1 (the enemy's in every playout) to 1, as is no stone.
    fn held(&self, position: &Position, point: Point) -> f32 {
        let Some(color) = position.board.stone(point) else { return 1.0 };
        // A chain has one status: the mean over its stones.
        let (mut sum, mut count) = (0.0, 0.0);
        for cell in position.board.chain_cells(point.cell()) {
            sum += self.ownership[cell];
            count += 1.0;
        }
        if color == Color::Black { sum / count } else { -sum / count }
    }
}

/// The go engine.
pub struct Searcher {
    tree: Tree,
    spare: Tree,
    /// Strengths of moves, and the number of their table.
    weights: (usize, Arc<Weights>),
    threads: usize,
    /// What the tree's root was last searched for.
    rooted: Option<Task>,
    totals: Totals,
    /// Searches in a row, by player, that found the game lost.
    lost: [u32; 2],
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Searcher {
    /// An engine with so many threads and megabytes of tree.
    pub fn new(threads: usize, megabytes: usize) -> Self {
        let nodes = (megabytes << 20) / size_of::<Node>() / 2;
        Self {
            tree: Tree::new(nodes),
            spare: Tree::new(nodes),
            weights: (Weights::table_for(START_SIZE), Arc::new(Weights::of_size(START_SIZE))),
            threads: threads.max(1),
            rooted: None,
            totals: Totals::new(),
            lost: [0; 2],
        }
    }

    /// Sets the number of threads.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Forgets the tree, and that a game was going badly.
    pub fn forget(&mut self) {
        self.rooted = None;
        self.lost = [0; 2];
    }

    /// Thinks and answers; progress goes where the task says.
    ///
    /// # Panics
    /// If a searching thread did, which would be a bug.
    pub fn search(&mut self, task: &Task, start: Instant, signals: &Signals) -> (Reply, Analysis) {
        if is_about_owners(task) {
            self.rooted = None;
        }
        self.root(task);
        self.drop_illegal(task);
        let weights = self.weights(task.position.board.size());
        let root = Weighted::new(&task.position.board, &weights);
        let seen = seen(task);
        let stop = AtomicBool::new(false);
        let made = AtomicU64::new(0);
        let (threads, tree, old) = (self.threads, &self.tree, &mut self.totals);
        let worker = |id: usize| {
            let seed = task.seed.wrapping_add(id as u64 * 0x9e37_79b9);
            Worker::new(task, tree, &weights, &root, &seen, Playout::new(&weights, seed))
        };
        thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads)
                .map(|id| {
                    let (stop, made) = (&stop, &made);
                    let mut worker = worker(id);
                    scope.spawn(move || {
                        while !stop.load(Relaxed) {
                            worker.simulate();
                            made.fetch_add(1, Relaxed);
                        }
                        worker.totals
                    })
                })
                .collect();
            let mut first = worker(0);
            let mut watch = Watch::new(task, start, signals);
            // At least one simulation, so that even a search stopped at birth has moves to show.
            loop {
                first.simulate();
                made.fetch_add(1, Relaxed);
                if watch.is_over(tree, made.load(Relaxed), &first.totals, old) {
                    break;
                }
            }
            stop.store(true, Relaxed);
            merge(old, &first.totals);
            for helper in helpers {
                merge(old, &helper.join().expect("a searching thread does not panic"));
            }
        });
        let mut analysis = analyse(&self.tree, task, &self.totals, None);
        analysis.time = start.elapsed();
        let lost = self.gives_up(task, &analysis);
        (decide(task, &analysis, lost), analysis)
    }

    /// Whether the game is to be given up now. What one search says may be its mistake.
    fn gives_up(&mut self, task: &Task, analysis: &Analysis) -> bool {
        if task.aim != Aim::Play || !task.resign {
            return false;
        }
        let count = &mut self.lost[task.color.index()];
        *count = if is_lost(task, analysis) { *count + 1 } else { 0 };
        *count >= RESIGN_AFTER
    }

    fn weights(&mut self, size: usize) -> Arc<Weights> {
        let table = Weights::table_for(size);
        if self.weights.0 != table {
            self.weights = (table, Arc::new(Weights::of_size(size)));
        }
        Arc::clone(&self.weights.1)
    }

    /// Makes the tree's root the task's position: by going down to it, or anew.
    fn root(&mut self, task: &Task) {
        // Owners are counted from the playouts of this search alone: none are to be spared.
        let kept = if task.aim == Aim::Count { None } else { self.find(task) };
        match kept {
            // The same root: what its playouts added up to holds, too.
            Some(0) => {}
            Some(node) => {
                self.spare.adopt(&self.tree, node);
                std::mem::swap(&mut self.tree, &mut self.spare);
                self.totals = Totals::new();
            }
            None => {
                self.tree.clear();
                self.totals = Totals::new();
            }
        }
        self.rooted = Some(Task { progress: None, ..task.clone() });
    }

    /// Drops the tree if the game forbids a move of its root: it was grown too far below an earlier root
    /// for superko to be asked for.
    fn drop_illegal(&mut self, task: &Task) {
        let illegal = |child: u32| {
            let mv = as_move(self.tree.node(child).cell());
            task.position.check(task.color, mv).is_err()
        };
        if self.tree.children(self.tree.root()).any(illegal) {
            self.tree.clear();
            self.totals = Totals::new();
        }
    }

    /// The node that stands for the task's position, if the search can go on from it.
    fn find(&self, task: &Task) -> Option<u32> {
        let last = self.rooted.as_ref()?;
        let (old, new) = (&last.position, &task.position);
        // Where owners are counted passes end nothing. The keys of boards do not tell their size.
        let same = last.aim != Aim::Count
            && old.board.size() == new.board.size()
            && old.rules == new.rules
            && old.white_bonus().to_bits() == new.white_bonus().to_bits()
            && new.moves.starts_with(&old.moves)
            && task.is_free();
        if !same {
            return None;
        }
        let mut board = old.board.clone();
        let mut color = last.color;
        let mut node = 0;
        for &(mover, mv) in &new.moves[old.moves.len()..] {
            if mover != color {
                return None;
            }
            let cell = mv.point().map_or(0, Point::cell);
            node = self.tree.child(self.tree.node(node), cell)?;
            match mv {
                Move::Pass => board.pass(),
                Move::Play(point) => drop(board.play(mover, point)),
            }
            color = color.other();
        }
        // The root itself lacks moves if some were left out; and a search that is to end at a number
        // of playouts begins anew, so that it repeats itself.
        let usable = node != 0 || (last.is_free() && task.playouts.is_none());
        (usable && color == task.color && board.hash() == new.board.hash()).then_some(node)
    }
}

/// Keys that a move may not bring back, in order.
fn seen(task: &Task) -> Vec<u64> {
    let position = &task.position;
    let mut keys: Vec<u64> = match position.rules.ko {
        Ko::Simple => Vec::new(),
        Ko::Positional => position.keys().collect(),
        Ko::Situational => position.situations().collect(),
    };
    // Who is to move here is the task's word.
    keys.push(position.ko_key(position.board.hash(), task.color));
    keys.sort_unstable();
    keys
}

fn merge(into: &mut Totals, from: &Totals) {
    into.playouts += from.playouts;
    into.margin += from.margin;
    for (to, from) in into.owner.iter_mut().zip(&from.owner) {
        *to += from;
    }
}

/// Decides when a search is over, and reports on the way.
struct Watch<'a> {
    task: &'a Task,
    start: Instant,
    signals: &'a Signals,
    next_report: Option<Instant>,
    count: u32,
    /// Mean of the best move when a quarter of the time was spent.
    early_winrate: Option<f32>,
}

impl<'a> Watch<'a> {
    fn new(task: &'a Task, start: Instant, signals: &'a Signals) -> Self {
        let next_report = task.progress.as_ref().map(|(interval, _)| start + *interval);
        Self { task, start, signals, next_report, count: 0, early_winrate: None }
    }

    fn is_over(&mut self, tree: &Tree, made: u64, now: &Totals, before: &Totals) -> bool {
        self.count += 1;
        if self.signals.stopped() {
            return true;
        }
        let visits = tree.root().visits();
        if self.task.playouts.is_some_and(|most| u64::from(visits) >= most) {
            return true;
        }
        // Time and reports every few simulations, a millisecond or so.
        if !self.count.is_multiple_of(8) {
            return false;
        }
        let time = Instant::now();
        if let (Some(at), Some((interval, sender))) = (self.next_report, &self.task.progress)
            && time >= at
        {
            self.next_report = Some(time + *interval);
            let mut analysis = analyse(tree, self.task, now, Some(before));
            analysis.playouts = before.playouts + made;
            analysis.time = time - self.start;
            let _ = sender.send(analysis);
        }
        let Some(allotment) = self.task.time else { return false };
        let spent = time - self.start;
        if spent >= allotment.most {
            return true;
        }
        self.count.is_multiple_of(64) && self.is_decided(tree, made, spent, allotment)
    }

    /// Stops before the target when the second move cannot catch up, and past it unless the two are
    /// close or the value has fallen (Baudiš & Gailly 2012, "Pachi").
    fn is_decided(&mut self, tree: &Tree, made: u64, spent: Duration, time: Allotment) -> bool {
        let (mut best, mut second) = (0, 0);
        let mut winrate = 0.5;
        for child in tree.children(tree.root()) {
            let child = tree.node(child);
            let visits = child.visits();
            if visits > best {
                (best, second) = (visits, best);
                winrate = child.mean();
            } else {
                second = second.max(visits);
            }
        }
        if self.early_winrate.is_none() && spent >= time.target / 4 {
            self.early_winrate = Some(winrate);
        }
        if spent < time.target {
            let rate = made as f64 / spent.as_secs_f64().max(1e-3);
            let left = time.target.saturating_sub(spent).as_secs_f64() * rate;
            return spent > time.target / 8 && f64::from(best - second) > left;
        }
        let close = f64::from(best) < 1.5 * f64::from(second);
        let fallen = self.early_winrate.is_some_and(|early| winrate < early - 0.05);
        !(close || fallen)
    }
}

/// The moves of the root by visits, with their lines.
fn analyse(tree: &Tree, task: &Task, totals: &Totals, more: Option<&Totals>) -> Analysis {
    let root = tree.root();
    let total = u64::max(totals.playouts + more.map_or(0, |more| more.playouts), 1);
    let mut children: Vec<u32> = tree.children(root).collect();
    children.sort_by_key(|&child| std::cmp::Reverse(tree.node(child).visits()));
    let candidates = children
        .iter()
        .map(|&child| {
            let node = tree.node(child);
            let visits = node.visits();
            let mean = node.mean().clamp(0.0, 1.0);
            // Square of the standard error, with one visit at one half so that it is never nought; the
            // bound is two standard errors below the mean.
            let spread = (mean * (1.0 - mean) + 0.25 / (visits + 1) as f32) / (visits + 1) as f32;
            let (pv, pv_visits) = line(tree, child);
            Candidate {
                mv: as_move(node.cell()),
                visits,
                winrate: mean,
                lcb: (mean - 2.0 * spread.sqrt()).max(0.0),
                prior: node.prior(),
                pv,
                pv_visits,
            }
        })
        .collect();
    let margin = (totals.margin + more.map_or(0.0, |more| more.margin)) / total as f64;
    let ownership = (0..MAX_CELLS)
        .map(|cell| {
            let count = totals.owner[cell] + more.map_or(0, |more| more.owner[cell]);
            count as f32 / total as f32
        })
        .collect();
    Analysis {
        color: task.color,
        visits: root.visits(),
        winrate: 1.0 - root.mean().clamp(0.0, 1.0),
        lead: if task.color == Color::Black { margin as f32 } else { -margin as f32 },
        candidates,
        ownership,
        playouts: totals.playouts,
        time: Duration::ZERO,
    }
}

const fn as_move(cell: usize) -> Move {
    if cell == 0 { Move::Pass } else { Move::Play(Point::new(cell)) }
}

fn line(tree: &Tree, child: u32) -> (Vec<Move>, Vec<u32>) {
    let mut node = tree.node(child);
    let mut moves = vec![as_move(node.cell())];
    let mut visits = vec![node.visits()];
    while moves.len() < LONGEST_PV {
        let best = tree.children(node).max_by_key(|&child| tree.node(child).visits());
        let Some(best) = best.map(|best| tree.node(best)).filter(|best| best.visits() > 1) else {
            break;
        };
        node = best;
        moves.push(as_move(node.cell()));
        visits.push(node.visits());
    }
    (moves, visits)
}

impl crate::engine::Searcher for Searcher {
    type Position = Task;
    type Move = Reply;

    fn think(
        &mut self,
        task: Task,
        limits: &Limits,
        signals: &Signals,
        reports: &Sender<Report<Reply>>,
    ) {
        let (reply, analysis) = self.search(&task, limits.start, signals);
        if let Some((_, sender)) = &task.progress {
            let _ = sender.send(analysis);
        }
        let _ = reports.send(Report::Done { best: Some(reply), ponder: None });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Rules;

    /// The position after these moves on 9x9 by turns, at a komi of 7.
    pub(super) fn position(moves: &str) -> Position {
        let mut position = Position::new(9);
        position.komi = 7.0;
        for (i, word) in moves.split_whitespace().enumerate() {
            position.play(Color::BOTH[i % 2], Move::parse(word, 9).unwrap());
        }
        position
    }

    fn search(searcher: &mut Searcher, position: &Position, playouts: u64) -> (Reply, Analysis) {
        let task = Task { playouts: Some(playouts), ..Task::new(position.clone()) };
        searcher.search(&task, Instant::now(), &Signals::default())
    }

    #[test]
    fn a_chain_in_atari_is_taken() {
        let position = position("E5 E4 D4 F5 F4 H8 E3 H7");
        let (reply, _) = search(&mut Searcher::new(1, 64), &position, 600);
        // White E4 has lost its liberties on three sides: D4, F4 and E3 are black, E5 too.
        assert!(position.board.stone(Point::parse("E4", 9).unwrap()).is_none());
        assert!(matches!(reply, Reply::Move(_)));
    }

    #[test]
    fn one_thread_a_seed_and_a_number_of_playouts_give_one_result() {
        let position = position("E5 C4 G4");
        let one = search(&mut Searcher::new(1, 64), &position, 300);
        let two = search(&mut Searcher::new(1, 64), &position, 300);
        let visits = |a: &Analysis| a.candidates.iter().map(|c| c.visits).collect::<Vec<_>>();
        assert_eq!(one.0, two.0);
        assert_eq!(visits(&one.1), visits(&two.1));
    }

    #[test]
    fn the_tree_is_kept_for_the_move_that_was_played() {
        let mut searcher = Searcher::new(1, 64);
        let mut position = position("E5");
        let (_, analysis) = search(&mut searcher, &position, 2000);
        let best = &analysis.candidates[0];
        position.play(Color::White, best.mv);
        let (_, next) = search(&mut searcher, &position, u64::from(best.visits) + 1);
        assert!(next.playouts < 10, "{} of {}", next.playouts, best.visits);
    }

    /// A search of one simulation: all else that it shows was there before.
    fn glance(searcher: &mut Searcher, task: &Task) -> Analysis {
        let signals = Signals::default();
        signals.stop();
        searcher.search(task, Instant::now(), &signals).1
    }

    /// Any line ends an analysis, and GUIs ask for it again at once.
    #[test]
    fn an_analysis_of_the_same_position_keeps_the_tree() {
        let mut searcher = Searcher::new(1, 64);
        let task = Task { aim: Aim::Analyse, ..Task::new(position("E5")) };
        let counted = Task { playouts: Some(300), ..task.clone() };
        searcher.search(&counted, Instant::now(), &Signals::default());
        let next = glance(&mut searcher, &task);
        assert_eq!((next.visits, next.playouts), (301, 301));
        // A root that leaves a move out is of no use to a search that does not.
        let point = Point::parse("C3", 9).unwrap();
        glance(&mut searcher, &Task { avoid: vec![point], ..task.clone() });
        assert_eq!(glance(&mut searcher, &task).visits, 1);
    }

    /// The key of an empty board is 0 at every size, and a cell has one key at all of them.
    #[test]
    fn the_tree_of_a_board_of_another_size_is_not_kept() {
        let mut searcher = Searcher::new(1, 64);
        let point = Point::parse("E5", 9).unwrap();
        let large = Position::new(19);
        let large = Task { playouts: Some(100), allow: vec![point], ..Task::new(large) };
        searcher.search(&large, Instant::now(), &Signals::default());
        let mut small = Position::new(9);
        small.play(Color::Black, Move::Play(point));
        assert_eq!(glance(&mut searcher, &Task::new(small)).visits, 1);
    }

    /// AGA rules (1991), rule 6: a position may not be repeated with the same player to move. Black's
    /// B1 brings back the board after B2, but then it was his turn.
    #[test]
    fn situational_superko_asks_whose_turn_it_was() {
        let mut position = position("D1 A2 C2 H8 B1 B2 A1 C1");
        let b1 = Move::parse("B1", 9).unwrap();
        for (rules, allowed) in [(Rules::AGA, true), (Rules::CHINESE, false)] {
            position.rules = rules;
            let (_, analysis) = search(&mut Searcher::new(1, 8), &position, 20);
            assert_eq!(position.check(Color::Black, b1).is_ok(), allowed);
            assert_eq!(analysis.candidates.iter().any(|c| c.mv == b1), allowed);
        }
    }

    #[test]
    fn a_tree_with_a_move_that_the_game_forbids_is_dropped() {
        let mut position = position("D1 A2 C2 B2 B1 pass A1 C1");
        let mut searcher = Searcher::new(1, 8);
        position.rules.ko = Ko::Simple;
        search(&mut searcher, &position, 20);
        searcher.drop_illegal(&Task::new(position.clone()));
        assert_eq!(searcher.tree.root().visits(), 20);
        position.rules.ko = Ko::Positional;
        searcher.drop_illegal(&Task::new(position));
        assert_eq!(searcher.tree.root().visits(), 0);
    }

    /// Japanese rules, article 8: empty points are counted, not stones. The one simulation is the same
    /// under both rules, and ends below a move of Black's.
    #[test]
    fn where_territory_is_counted_every_stone_costs_a_point() {
        for (moves, stones) in [("E5 C4", 1.0), ("E5 pass C4 pass", 3.0), ("pass E5", 0.0)] {
            let lead = |rules| {
                let mut position = position(moves);
                position.rules = rules;
                search(&mut Searcher::new(1, 8), &position, 1).1.lead
            };
            let difference = lead(Rules::CHINESE) - lead(Rules::JAPANESE);
            assert!((difference - stones).abs() < 1e-3, "{moves}: {difference}");
        }
    }

    #[test]
    fn several_threads_share_the_tree() {
        let (_, analysis) = search(&mut Searcher::new(3, 64), &position("E5"), 1000);
        let sum: u32 = analysis.candidates.iter().map(|c| c.visits).sum();
        assert!(sum + 10 >= analysis.visits && analysis.visits >= 1000);
    }
}
