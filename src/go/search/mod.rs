//! Monte-Carlo tree search: many threads on one tree, which is kept from move to move.

mod time;
mod tree;
mod worker;

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

use crossbeam_channel::Sender;

pub use time::{Allotment, GameClock, TimeSystem};
use tree::Tree;
pub use worker::{Evaluator, Playout};
use worker::{Totals, Worker};

use super::{
    benson::pass_alive,
    patterns::Weights,
    playout::Weighted,
    point::{Color, MAX_CELLS, Move, Point},
    position::Position,
    score::{Status, area_score},
};
use crate::engine::{Limits, Report, Signals};

/// Node of the tree, in bytes; what a megabyte of tree is counted by.
const NODE_BYTES: usize = 48;

/// A stone owned by the enemy in this share of playouts is dead.
const DEAD: f32 = 0.7;

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
    /// Simulations made in this search, and the time they took.
    pub playouts: u64,
    /// Since the search began.
    pub time: Duration,
}

impl Analysis {
    /// Status of a stone, from who owned its point in the playouts.
    pub fn status(&self, position: &Position, point: Point) -> Status {
        let Some(color) = position.board.stone(point) else { return Status::Alive };
        // A chain has one status: the mean over its stones.
        let (mut sum, mut count) = (0.0, 0.0);
        for cell in position.board.chain_cells(point.cell()) {
            sum += self.ownership[cell];
            count += 1.0;
        }
        let own = if color == Color::Black { sum / count } else { -sum / count };
        if own < 1.0 - 2.0 * DEAD { Status::Dead } else { Status::Alive }
    }
}

/// The go engine.
pub struct Searcher {
    tree: Tree,
    spare: Tree,
    /// Strengths of moves, and the number of their table.
    weights: (usize, Arc<Weights>),
    threads: usize,
    /// The game the tree's root stands for, and who is to move there.
    rooted: Option<(Position, Color)>,
    totals: Totals,
}

impl std::fmt::Debug for Searcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Searcher").field("threads", &self.threads).finish_non_exhaustive()
    }
}

impl Searcher {
    /// An engine with so many threads and megabytes of tree.
    pub fn new(threads: usize, megabytes: usize) -> Self {
        let nodes = (megabytes << 20) / NODE_BYTES / 2;
        Self {
            tree: Tree::new(nodes),
            spare: Tree::new(nodes),
            weights: (Weights::table_for(START_SIZE), Arc::new(Weights::of_size(START_SIZE))),
            threads: threads.max(1),
            rooted: None,
            totals: Totals::new(),
        }
    }

    /// Sets the number of threads.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.max(1);
    }

    /// Forgets the tree.
    pub fn forget(&mut self) {
        self.rooted = None;
    }

    /// Thinks and answers; progress goes where the task says.
    ///
    /// # Panics
    /// If a searching thread did, which would be a bug.
    pub fn search(&mut self, task: &Task, start: Instant, signals: &Signals) -> (Reply, Analysis) {
        self.root(task);
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
        analysis.playouts = made.load(Relaxed);
        analysis.time = start.elapsed();
        (decide(task, &analysis), analysis)
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
        self.totals = Totals::new();
        match kept {
            Some(0) => {}
            Some(node) => {
                self.spare.adopt(&self.tree, node);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
            None => self.tree.clear(),
        }
        self.rooted = Some((task.position.clone(), task.color));
    }

    fn find(&self, task: &Task) -> Option<u32> {
        let (old, color) = self.rooted.as_ref()?;
        let new = &task.position;
        let same = old.rules == new.rules
            && old.white_bonus().to_bits() == new.white_bonus().to_bits()
            && new.moves.starts_with(&old.moves)
            && task.avoid.is_empty()
            && task.allow.is_empty();
        if !same {
            return None;
        }
        let mut board = old.board.clone();
        let mut color = *color;
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
        (color == task.color && board.hash() == new.board.hash() && node != 0).then_some(node)
    }
}

/// Keys that a move may not bring back.
fn seen(task: &Task) -> HashSet<u64> {
    task.position.keys().chain([task.position.board.hash()]).collect()
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
    first_winrate: Option<f32>,
}

impl<'a> Watch<'a> {
    fn new(task: &'a Task, start: Instant, signals: &'a Signals) -> Self {
        let next_report = task.progress.as_ref().map(|(interval, _)| start + *interval);
        Self { task, start, signals, next_report, count: 0, first_winrate: None }
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
            analysis.playouts = made;
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
        let first = *self.first_winrate.get_or_insert(winrate);
        if spent < time.target {
            let rate = made as f64 / spent.as_secs_f64().max(1e-3);
            let left = time.target.saturating_sub(spent).as_secs_f64() * rate;
            return spent > time.target / 8 && f64::from(best - second) > left;
        }
        let close = f64::from(best) < 1.5 * f64::from(second);
        !(close || winrate < first - 0.05)
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
            // One standard error below the mean, with one visit at one half so that it is never nought.
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

/// A move whose share of won games is less than this below the best is as good.
const AS_GOOD: f32 = 0.1;

/// Playouts that say who owns a point; where the tree was kept, a search may make fewer.
const ENOUGH: u64 = 100;

/// Share of a won game below which it is given up.
const RESIGN_AT: f32 = 0.12;

/// The move to make, once the search is over.
fn decide(task: &Task, analysis: &Analysis) -> Reply {
    let position = &task.position;
    let best = analysis.candidates.first();
    let mv = best.map_or(Move::Pass, |best| best.mv);
    if task.aim != Aim::Play {
        return Reply::Move(mv);
    }
    let sign = if task.color == Color::Black { 1.0 } else { -1.0 };
    let as_it_stands = sign * (area_score(&position.board) as f32 - position.white_bonus());
    let opponent_passed = position.last_move() == Some(Move::Pass);
    if task.cleanup {
        if let Some(mv) = clean(task, analysis) {
            return Reply::Move(mv);
        }
    } else if opponent_passed && as_it_stands > 0.0 {
        // Two passes end the game, and with every stone counted alive it is won.
        return Reply::Move(Move::Pass);
    } else if opponent_passed && position.rules.friendly_pass && settled_win(task, analysis, sign) {
        return Reply::Move(Move::Pass);
    }
    let played = position.moves.len() + 2 * position.handicap;
    let early = played * 5 < position.board.area();
    if task.resign
        && !early
        && best.is_some_and(|best| best.visits > 100 && best.winrate < RESIGN_AT)
    {
        return Reply::Resign;
    }
    if mv == Move::Pass
        && as_it_stands <= 0.0
        && !task.cleanup
        && let Some(other) = instead_of_pass(task, analysis)
    {
        return Reply::Move(other);
    }
    Reply::Move(mv)
}

/// A move to prefer to a pass that would lose if the opponent passed, too: under rules that count every
/// stone any move that is as good, under friendly ones only while something is undecided.
fn instead_of_pass(task: &Task, analysis: &Analysis) -> Option<Move> {
    let friendly = task.position.rules.friendly_pass;
    if friendly && settled(&task.position, analysis) {
        return None;
    }
    let best = analysis.candidates.first()?.winrate;
    let as_good = |candidate: &&Candidate| {
        candidate.mv != Move::Pass && (friendly || candidate.winrate > best - AS_GOOD)
    };
    analysis.candidates.iter().find(as_good).map(|candidate| candidate.mv)
}

/// Whether every point is owned beyond doubt.
fn settled(position: &Position, analysis: &Analysis) -> bool {
    let certain = |point: Point| {
        let own = analysis.ownership[point.cell()].abs();
        own > 0.9 || (position.board.stone(point).is_none() && own < 0.1)
    };
    analysis.playouts >= ENOUGH && position.board.points().all(certain)
}

fn settled_win(task: &Task, analysis: &Analysis, sign: f32) -> bool {
    let position = &task.position;
    settled(position, analysis) && {
        let dead = |point: Point| analysis.status(position, point) == Status::Dead;
        sign * super::score::final_score(position, &dead) > 0.0
    }
}

/// In the cleanup: a move that takes or approaches dead enemy stones; a pass when there are none.
fn clean(task: &Task, analysis: &Analysis) -> Option<Move> {
    let position = &task.position;
    let dead = |point: Point| {
        position.board.stone(point) == Some(task.color.other())
            && analysis.status(position, point) == Status::Dead
    };
    let dead: Vec<Point> = position.board.points().filter(|&point| dead(point)).collect();
    if dead.is_empty() {
        return Some(Move::Pass);
    }
    let liberties: HashSet<u16> = dead
        .iter()
        .flat_map(|point| position.board.liberties(point.cell()).iter().copied())
        .collect();
    analysis
        .candidates
        .iter()
        .find(|c| c.mv.point().is_some_and(|p| liberties.contains(&(p.cell() as u16))))
        .map(|candidate| candidate.mv)
        .or_else(|| {
            let safe = pass_alive(&position.board, task.color);
            let moves = analysis.candidates.iter().map(|candidate| candidate.mv);
            moves.into_iter().find(|mv| mv.point().is_some_and(|p| !safe[p.cell()]))
        })
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

    fn position(moves: &str) -> Position {
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

    #[test]
    fn several_threads_share_the_tree() {
        let (_, analysis) = search(&mut Searcher::new(3, 64), &position("E5"), 1000);
        let sum: u32 = analysis.candidates.iter().map(|c| c.visits).sum();
        assert!(sum + 10 >= analysis.visits && analysis.visits >= 1000);
    }
}
