//! `go mate`: proofs that the side to move mates within so many moves.
//!
//! Depth-first proof-number search (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its
//! applications", 2002): of each position it is known how many leaves at least must still be decided
//! to prove the mate, and how many to refute it, and the leaf is opened that is needed for both.
//! Where the defender has few replies there is little to prove: so checks come first by themselves,
//! and no move is ever left out. A proof holds whatever was pruned elsewhere.

use arrayvec::ArrayVec;

use super::worker::Worker;
use crate::{
    chess::{moves::Move, position::Position, score::mate_in},
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

/// A move and what is known of the position behind it.
#[derive(Debug, Clone, Copy)]
struct Child {
    mv: Move,
    numbers: Numbers,
}

type Children = ArrayVec<Child, 256>;

/// A mate that is proved.
#[derive(Debug)]
pub(super) struct Proof {
    /// Moves of the attacker that are enough.
    pub(super) moves: u32,
    /// A line that ends in mate.
    pub(super) line: Vec<Move>,
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
    pub(super) spent: u64,
}

impl Prover {
    /// A prover of mates in up to `moves` moves.
    pub(super) fn new(moves: u32) -> Self {
        let nothing = Entry { key: 0, numbers: Numbers { to_win: 1, to_lose: 1 }, work: 0 };
        let table = vec![nothing; ENTRIES];
        Self { table, moves: 1, asked: moves, pause: 0, line_end: 0, spent: 0 }
    }

    /// Searches on for `nodes` nodes; returns a proof if there is one. Mates in one and two moves are
    /// looked for first; a longer one may not be the shortest.
    pub(super) fn search_on(&mut self, worker: &mut Worker<'_>, nodes: u64) -> Option<Proof> {
        let before = worker.nodes;
        let root = worker.root.clone();
        let mut proof = None;
        while self.moves <= self.asked && proof.is_none() && !is_over(worker, before + nodes) {
            self.pause = before + nodes;
            match self.search(worker, &root, self.moves, true, Numbers::NO_LIMIT) {
                Numbers::WON => {
                    self.line_end = worker.nodes + LINE_NODES;
                    proof = Some(self.line(worker, &root, self.moves));
                }
                Numbers::LOST => self.moves = if self.moves < 2 { 2 } else { self.next_goal() },
                _ => {}
            }
        }
        self.spent += worker.nodes - before;
        proof.filter(|proof| !proof.line.is_empty() && !worker.stopped())
    }

    /// What to look for when there is no mate in `moves`.
    fn next_goal(&self) -> u32 {
        if self.moves == self.asked { self.asked + 1 } else { self.asked }
    }

    /// Opens leaves under `position` until its numbers reach a limit. The attacker, who is to move
    /// if `attacking`, has `left` moves left.
    fn search(
        &mut self,
        worker: &mut Worker<'_>,
        position: &Position,
        left: u32,
        attacking: bool,
        limit: Numbers,
    ) -> Numbers {
        let begin = worker.nodes;
        let mut children = self.children(worker, position, left, attacking);
        loop {
            let numbers = gather(&children, position, attacking);
            if numbers.to_win >= limit.to_win
                || numbers.to_lose >= limit.to_lose
                || is_over(worker, self.pause)
            {
                let work = u32::try_from(worker.nodes - begin).unwrap_or(u32::MAX);
                self.store(Entry { key: key(position, left), numbers, work });
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
            let next = play(worker, position, child.mv);
            let left = left - u32::from(attacking);
            children[best].numbers = self.search(worker, &next, left, !attacking, child_limit);
        }
    }

    /// The moves at `position` with what is known or guessed of each; only one if it decides.
    fn children(
        &mut self,
        worker: &mut Worker<'_>,
        position: &Position,
        left: u32,
        attacking: bool,
    ) -> Children {
        let mut children = Children::new();
        if worker.is_of_the_game(position) {
            // Not to come to a draw by repetition, nothing is repeated.
            let numbers = if attacking { Numbers::WON } else { Numbers::LOST };
            children.extend(position.legal_moves().first().map(|&mv| Child { mv, numbers }));
            return children;
        }
        for &mv in &position.legal_moves() {
            let numbers = if attacking {
                self.attack(worker, position, mv, left - 1)
            } else {
                self.defence(worker, position, mv, left)
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

    /// What is known of the position behind a move of the attacker, who then has `left` moves left.
    fn attack(
        &mut self,
        worker: &mut Worker<'_>,
        position: &Position,
        mv: Move,
        left: u32,
    ) -> Numbers {
        if !position.gives_check(mv) {
            let guess = Numbers { to_win: 1, to_lose: QUIET_REPLIES };
            return if left == 0 {
                Numbers::WON
            } else {
                self.look_up(worker, position, mv, left).unwrap_or(guess)
            };
        }
        let next = play(worker, position, mv);
        match (next.count_legal_moves(), left) {
            (0, _) => Numbers::LOST,
            (_, 0) => Numbers::WON,
            (replies, _) => {
                let guess = Numbers { to_win: 1, to_lose: replies as u32 };
                self.probe(key(&next, left)).unwrap_or(guess)
            }
        }
    }

    /// What is known of the position behind a move of the defender, whose attacker has `left` moves.
    fn defence(
        &mut self,
        worker: &mut Worker<'_>,
        position: &Position,
        mv: Move,
        left: u32,
    ) -> Numbers {
        if let Some(numbers) = self.look_up(worker, position, mv, left) {
            return numbers;
        }
        if left > 1 {
            return Numbers { to_win: 1, to_lose: 1 };
        }
        let next = play(worker, position, mv);
        self.search(worker, &next, 1, true, Numbers::NO_LIMIT)
    }

    /// The table's entry of the position behind a move. The key that is had without playing the move
    /// may be wrong: what it finds is only a hint that to play it is worth while.
    fn look_up(
        &self,
        worker: &mut Worker<'_>,
        position: &Position,
        mv: Move,
        left: u32,
    ) -> Option<Numbers> {
        self.probe(with_moves(position.key_after(mv), left))?;
        self.probe(key(&play(worker, position, mv), left))
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

    /// The line of a proof that the attacker, who is to move, mates in `left` moves. The moves said
    /// are enough against every reply; the line has as many of them, as far as such replies are
    /// found cheaply. It is empty if the table has lost the proof.
    fn line(&mut self, worker: &mut Worker<'_>, position: &Position, left: u32) -> Proof {
        self.pause = worker.nodes + LOST_NODES;
        self.search(worker, position, left, true, Numbers::NO_LIMIT);
        let children = self.children(worker, position, left, true);
        let Some(child) = children.iter().find(|child| child.numbers == Numbers::LOST) else {
            return Proof { moves: left, line: Vec::new() };
        };
        let next = play(worker, position, child.mv);
        let mut replies = next.legal_moves().to_vec();
        if replies.is_empty() {
            return Proof { moves: 1, line: vec![child.mv] };
        }
        let (moves, stubborn) = self.moves_needed(worker, &next, &replies, left - 1);
        replies.rotate_left(stubborn);
        let mut longest = Vec::new();
        for reply in replies {
            let after = play(worker, &next, reply);
            let rest = self.line(worker, &after, moves).line;
            if !rest.is_empty() && rest.len() + 2 > longest.len() {
                longest = [vec![child.mv, reply], rest].concat();
            }
            let over = !longest.is_empty() && is_over(worker, self.line_end);
            if longest.len() as u32 == 2 * moves + 1 || over {
                break;
            }
        }
        Proof { moves: moves + 1, line: longest }
    }

    /// How many moves are enough against each of `replies`, which are all lost in `left`, as far as
    /// can be told cheaply, and a reply for which fewer were not seen to be enough.
    fn moves_needed(
        &mut self,
        worker: &mut Worker<'_>,
        position: &Position,
        replies: &[Move],
        left: u32,
    ) -> (u32, usize) {
        for fewer in (1..left).rev() {
            let holds = |&reply: &Move| {
                let next = play(worker, position, reply);
                self.pause = worker.nodes + STUBBORN_NODES;
                self.search(worker, &next, fewer, true, Numbers::NO_LIMIT) != Numbers::WON
            };
            if let Some(stubborn) = replies.iter().position(holds) {
                return (fewer + 1, stubborn);
            }
        }
        (1, 0)
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

    /// Plays what a proof says.
    pub(super) fn take_proof(&mut self, proof: Proof) {
        let Some(index) = self.root_moves.iter().position(|root| root.mv == proof.line[0]) else {
            return;
        };
        let root = &mut self.root_moves[index];
        root.score = mate_in(2 * proof.moves as usize - 1);
        root.bound = Bound::Exact;
        root.seldepth = proof.line.len();
        root.pv = proof.line;
        self.root_moves[..=index].rotate_right(1);
    }
}

const fn is_over(worker: &Worker<'_>, pause: u64) -> bool {
    worker.nodes >= pause || worker.stopped()
}

fn play(worker: &mut Worker<'_>, position: &Position, mv: Move) -> Position {
    let mut next = position.clone();
    next.play(mv);
    worker.count_node();
    next
}

/// The key of a position with so many moves left: with more of them it is another question.
const fn with_moves(key: u64, left: u32) -> u64 {
    key ^ (left as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

const fn key(position: &Position, left: u32) -> u64 {
    with_moves(position.key(), left)
}

/// The numbers of a position from those of the positions behind its moves.
fn gather(children: &Children, position: &Position, attacking: bool) -> Numbers {
    if children.is_empty() {
        // Mate, or else stalemate or nothing that could still mate.
        return if attacking || position.in_check() { Numbers::LOST } else { Numbers::WON };
    }
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
