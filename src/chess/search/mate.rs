//! `go mate`: proofs that the side to move mates within so many moves.
//!
//! Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002): of each position it is known how many leaves at least must still be decided
//! to prove the mate, and how many to refute it, and the leaf is opened that is needed for both.
//! Where the defender has few replies there is little to prove: so checks come first by themselves,
//! and no move is ever left out. A proof holds whatever was pruned elsewhere.

use arrayvec::ArrayVec;

use super::{Reporter, worker::Worker};
use crate::{
    chess::{
        moves::{MAX_MOVES, Move},
        position::Position,
        score::mate_in,
    },
    engine::Bound,
};

/// A number that no sum of leaves reaches: what is to be shown cannot be.
const NEVER: u32 = u32::MAX;
/// Leaves to prove behind a move that gives no check, before it is looked at: replies that a
/// defender who is free to choose usually has.
const QUIET_REPLIES: u32 = 20;
/// Entries that one position may lie in.
const WAYS: usize = 4;
/// Entries of the table, 24 bytes each.
const ENTRIES: usize = 1 << 20;
/// Nodes that the prover has at least when it is its turn.
const LEAST_TURN: u64 = 10_000;
/// Nodes to find a proof again whose entries the table has lost.
const LOST_NODES: u64 = 100_000;
/// Nodes after which the line is no longer looked for that holds out longest.
const LINE_NODES: u64 = 200_000;
/// Nodes for the question whether a reply holds out longer, when the line is put together.
const STUBBORN_NODES: u64 = 5_000;

/// Leaves still to decide, as the side to move of a position sees it. At a position of the attacker
/// `to_win` proves the mate; at one of the defender it refutes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    to_win: u32,
    to_lose: u32,
}

impl Numbers {
    const WON: Self = Self { to_win: 0, to_lose: NEVER };
    const LOST: Self = Self { to_win: NEVER, to_lose: 0 };
    const NO_LIMIT: Self = Self { to_win: NEVER, to_lose: NEVER };
}

/// What is known of a position with so many moves left.
#[derive(Debug, Clone, Copy)]
struct Entry {
    key: u64,
    numbers: Numbers,
    /// Nodes spent on it: the dearest entries are kept.
    work: u32,
}

/// "White to move mates in `left` moves"; after White's move, that Black does not get away.
#[derive(Debug, Clone)]
struct Problem {
    position: Position,
    /// Moves that the attacker has left.
    left: u32,
    /// The attacker is to move.
    attacking: bool,
}

impl Problem {
    const fn new(position: Position, left: u32) -> Self {
        Self { position, left, attacking: true }
    }

    /// Its key: with more moves left a position is another question.
    const fn key(&self) -> u64 {
        with_moves(self.position.key(), self.left)
    }

    /// What is left of it after a move.
    fn after(&self, worker: &mut Worker<'_>, mv: Move) -> Self {
        let mut position = self.position.clone();
        position.play(mv);
        worker.count_node();
        Self { position, left: self.left_after(), attacking: !self.attacking }
    }

    const fn left_after(&self) -> u32 {
        self.left - self.attacking as u32
    }

    /// The numbers if there is no mate.
    const fn unsolved(&self) -> Numbers {
        if self.attacking { Numbers::LOST } else { Numbers::WON }
    }

    /// The numbers if there is no move.
    const fn without_moves(&self) -> Numbers {
        if self.position.in_check() { Numbers::LOST } else { self.unsolved() }
    }
}

const fn with_moves(key: u64, left: u32) -> u64 {
    key ^ (left as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A move and what is known of the position behind it.
#[derive(Debug, Clone, Copy)]
struct Child {
    mv: Move,
    numbers: Numbers,
}

type Children = ArrayVec<Child, MAX_MOVES>;

/// A mate that is proved.
#[derive(Debug)]
struct Proof {
    /// Moves of the attacker that are enough.
    moves: u32,
    /// A line that ends in mate.
    line: Vec<Move>,
}

/// A search for a proof that can be left and taken up again: its table keeps what it found out.
#[derive(Debug)]
pub(super) struct Prover {
    table: Vec<Entry>,
    /// Moves in which the mate is looked for now, and in which the user asked for it.
    moves: u32,
    asked: u32,
    /// Nodes of its thread at which it pauses, and at which a line must be good enough.
    pause: u64,
    line_end: u64,
    /// Nodes that it has spent.
    spent: u64,
}

impl Prover {
    /// A prover of mates in up to `moves` moves.
    fn new(moves: u32) -> Self {
        let nothing = Entry { key: 0, numbers: Numbers { to_win: 1, to_lose: 1 }, work: 0 };
        let table = vec![nothing; ENTRIES];
        Self { table, moves: 1, asked: moves, pause: 0, line_end: 0, spent: 0 }
    }

    /// Searches on for `nodes` nodes; returns a proof if there is one. Mates in one and two moves are
    /// looked for first; a longer one may not be the shortest.
    fn search_on(&mut self, worker: &mut Worker<'_>, nodes: u64) -> Option<Proof> {
        let before = worker.nodes;
        let mut proof = None;
        while self.moves <= self.asked && proof.is_none() && !is_over(worker, before + nodes) {
            self.pause = before + nodes;
            let problem = Problem::new(worker.root.clone(), self.moves);
            match self.search(worker, &problem, Numbers::NO_LIMIT) {
                Numbers::WON => {
                    self.line_end = worker.nodes + LINE_NODES;
                    proof = Some(self.line(worker, &problem));
                }
                Numbers::LOST => self.moves = self.next_goal(),
                _ => {}
            }
        }
        self.spent += worker.nodes - before;
        proof.filter(|proof| !proof.line.is_empty() && !worker.stopped())
    }

    /// What to look for when there is no mate in `moves`.
    const fn next_goal(&self) -> u32 {
        if self.moves == 1 || self.moves == self.asked { self.moves + 1 } else { self.asked }
    }

    /// Opens leaves of a problem until its numbers reach a limit.
    fn search(&mut self, worker: &mut Worker<'_>, problem: &Problem, limit: Numbers) -> Numbers {
        if worker.line.is_of_the_game(&problem.position) {
            // Not to come to a draw by repetition, nothing is repeated.
            return problem.unsolved();
        }
        let begin = worker.nodes;
        let mut children = self.children(worker, problem);
        if children.is_empty() {
            return problem.without_moves();
        }
        loop {
            let numbers = gather(&children);
            if numbers.to_win >= limit.to_win
                || numbers.to_lose >= limit.to_lose
                || is_over(worker, self.pause)
            {
                let work = u32::try_from(worker.nodes - begin).unwrap_or(u32::MAX);
                self.store(Entry { key: problem.key(), numbers, work });
                return numbers;
            }
            let (best, second) = two_best(&children);
            let child = children[best];
            let others = numbers.to_lose - child.numbers.to_win;
            let child_limit = Numbers {
                to_win: if limit.to_lose == NEVER { NEVER } else { limit.to_lose - others },
                // A little over the next best: fewer changes of mind (Pawlewicz & Lew 2007).
                to_lose: limit.to_win.min(second.saturating_add(1 + second / 4)),
            };
            let next = problem.after(worker, child.mv);
            children[best].numbers = self.search(worker, &next, child_limit);
        }
    }

    /// The moves of a problem with what is known or guessed of each; only one if it decides.
    fn children(&mut self, worker: &mut Worker<'_>, problem: &Problem) -> Children {
        let mut children = Children::new();
        for &mv in &problem.position.legal_moves() {
            let numbers = if problem.attacking {
                self.attack(worker, problem, mv)
            } else {
                self.defence(worker, problem, mv)
            };
            let child = Child { mv, numbers };
            if numbers == Numbers::LOST {
                children.clear();
                children.push(child);
                break;
            }
            children.push(child);
        }
        children
    }

    /// What is known of the position behind a move of the attacker.
    fn attack(&self, worker: &mut Worker<'_>, problem: &Problem, mv: Move) -> Numbers {
        let last = problem.left == 1;
        if problem.position.gives_check(mv) {
            let next = problem.after(worker, mv);
            return match next.position.count_legal_moves() as u32 {
                0 => Numbers::LOST,
                _ if last => Numbers::WON,
                replies => {
                    self.probe(next.key()).unwrap_or(Numbers { to_win: 1, to_lose: replies })
                }
            };
        }
        if last {
            return Numbers::WON;
        }
        let guess = Numbers { to_win: 1, to_lose: QUIET_REPLIES };
        self.look_up(worker, problem, mv).unwrap_or(guess)
    }

    /// What is known of the position behind a move of the defender.
    fn defence(&mut self, worker: &mut Worker<'_>, problem: &Problem, mv: Move) -> Numbers {
        if let Some(numbers) = self.look_up(worker, problem, mv) {
            return numbers;
        }
        if problem.left > 1 {
            return Numbers { to_win: 1, to_lose: 1 };
        }
        let next = problem.after(worker, mv);
        self.search(worker, &next, Numbers::NO_LIMIT)
    }

    /// The table's entry of the position behind a move. The key that is had without playing the move
    /// may be wrong: what it finds is only a hint that to play it is worth while.
    fn look_up(&self, worker: &mut Worker<'_>, problem: &Problem, mv: Move) -> Option<Numbers> {
        self.probe(with_moves(problem.position.key_after(mv), problem.left_after()))?;
        self.probe(problem.after(worker, mv).key())
    }

    fn slot(key: u64) -> usize {
        (key >> 44) as usize % (ENTRIES / WAYS) * WAYS
    }

    fn probe(&self, key: u64) -> Option<Numbers> {
        let entries = &self.table[Self::slot(key)..][..WAYS];
        entries.iter().find(|entry| entry.key == key).map(|entry| entry.numbers)
    }

    fn store(&mut self, mut entry: Entry) {
        let entries = &mut self.table[Self::slot(entry.key)..][..WAYS];
        let same = entries.iter().position(|old| old.key == entry.key);
        let cheapest = || (0..WAYS).min_by_key(|&index| entries[index].work).unwrap_or(0);
        let index = same.unwrap_or_else(cheapest);
        if same.is_some() {
            entry.work = entry.work.saturating_add(entries[index].work);
        }
        entries[index] = entry;
    }

    /// The line of a problem of the attacker that is proved. The moves said are enough against every
    /// reply; the line has as many of them, as far as such replies are found cheaply. It is empty if
    /// the table has lost the proof, or the search must end.
    fn line(&mut self, worker: &mut Worker<'_>, problem: &Problem) -> Proof {
        let nothing = Proof { moves: problem.left, line: Vec::new() };
        self.pause = worker.nodes + LOST_NODES;
        self.search(worker, problem, Numbers::NO_LIMIT);
        let children = self.children(worker, problem);
        let Some(child) = children.iter().find(|child| child.numbers == Numbers::LOST) else {
            return nothing;
        };
        let mut next = problem.after(worker, child.mv);
        let mut replies = next.position.legal_moves().to_vec();
        if replies.is_empty() {
            return Proof { moves: 1, line: vec![child.mv] };
        }
        let stubborn = self.shorten(worker, &mut next, &replies);
        replies.rotate_left(stubborn);
        let mut longest = Vec::new();
        for reply in replies {
            if worker.stopped() {
                return nothing;
            }
            let after = next.after(worker, reply);
            let rest = self.line(worker, &after).line;
            if !rest.is_empty() && rest.len() + 2 > longest.len() {
                longest = [vec![child.mv, reply], rest].concat();
            }
            let over = !longest.is_empty() && is_over(worker, self.line_end);
            if longest.len() as u32 == 2 * next.left + 1 || over {
                break;
            }
        }
        Proof { moves: next.left + 1, line: longest }
    }

    /// Takes as many moves from a proved problem of the defender as can be seen cheaply not to be
    /// needed against any of its replies; returns the place of a reply that may need what is left.
    fn shorten(
        &mut self,
        worker: &mut Worker<'_>,
        problem: &mut Problem,
        replies: &[Move],
    ) -> usize {
        while problem.left > 1 {
            let fewer = Problem { left: problem.left - 1, ..problem.clone() };
            let holds = |&reply: &Move| {
                let next = fewer.after(worker, reply);
                self.pause = worker.nodes + STUBBORN_NODES;
                self.search(worker, &next, Numbers::NO_LIMIT) != Numbers::WON
            };
            if let Some(stubborn) = replies.iter().position(holds) {
                return stubborn;
            }
            *problem = fewer;
        }
        0
    }
}

impl Worker<'_> {
    /// A prover for `go mate`, if this is the thread that answers and a proof would be one: every
    /// move is allowed, and no fifty moves are over before the mate.
    pub(super) fn prover(&self, lines: usize) -> Option<Prover> {
        let moves = self.shared.limits.mate?;
        let free = self.root_moves.len() as u64 == self.root.count_legal_moves();
        let unranked = self.root_moves.iter().all(|root| root.verdict.is_none());
        let in_time = moves < 50 && self.root.halfmove_clock() + 2 * moves < 100;
        let fit = self.is_main() && lines == 1 && free && unranked && in_time && moves > 0;
        fit.then(|| Prover::new(moves))
    }

    /// The prover's turn, after an iteration: as many nodes as the search has had more than it.
    /// True if it has proved the mate, which then is the best line.
    pub(super) fn proves(&mut self, prover: &mut Prover, reporter: &Reporter<'_>) -> bool {
        let nodes = self.nodes.saturating_sub(2 * prover.spent).max(LEAST_TURN);
        let Some(Proof { moves, line }) = prover.search_on(self, nodes) else {
            return false;
        };
        let Some(index) = self.root_moves.iter().position(|root| root.mv == line[0]) else {
            return false;
        };
        let root = &mut self.root_moves[index];
        root.score = mate_in(2 * moves as usize - 1);
        root.bound = Bound::Exact;
        root.seldepth = line.len();
        root.pv = line;
        self.root_moves[..=index].rotate_right(1);
        self.publish_nodes();
        reporter.iteration(self, 2 * moves as i32 - 1);
        true
    }
}

const fn is_over(worker: &Worker<'_>, pause: u64) -> bool {
    worker.nodes >= pause || worker.stopped()
}

/// The numbers of a position from those of the positions behind its moves, of which there are some.
fn gather(children: &Children) -> Numbers {
    let least = children.iter().map(|child| child.numbers.to_lose).min();
    let sum = children.iter().fold(0_u32, |sum, child| match child.numbers.to_win {
        NEVER => NEVER,
        _ if sum == NEVER => NEVER,
        leaves => sum.saturating_add(leaves).min(NEVER - 1),
    });
    Numbers { to_win: least.unwrap_or(NEVER), to_lose: sum }
}

/// The child that is nearest to being lost for its side, and the number of the next.
fn two_best(children: &Children) -> (usize, u32) {
    let (mut best, mut least, mut second) = (0, NEVER, NEVER);
    for (index, child) in children.iter().enumerate() {
        let leaves = child.numbers.to_lose;
        if leaves < least {
            (best, least, second) = (index, leaves, least);
        } else if leaves < second {
            second = leaves;
        }
    }
    (best, second)
}
