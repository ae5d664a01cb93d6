//! One thread's simulations: down the tree by value, RAVE and prior, a playout, and the result back up
//! (Gelly & Silver 2007; RAVE weighting of Silver's schedule as Pachi writes it).

use rand::{SeedableRng, rngs::SmallRng};

use super::{
    Aim, Task,
    tree::{NONE, Node, Tree},
};
use crate::go::{
    Color, Ko, Move, Point, Scoring,
    patterns::{Context, Weights, is_eye},
    playout::{Weighted, count, play_out},
    point::MAX_CELLS,
    score::{area_score, stones_ahead},
};

/// Playouts worth of RAVE at which it and the move's own results weigh the same (Pachi: 3000).
const RAVE_EQUIVALENT: f32 = 3000.0;
/// Visits at one half that every move starts with (Pachi: 14 to 20).
const EVEN: f32 = 12.0;
/// Won visits that a move with prior 1 starts with, by the square root of its prior (Pachi: 210 to 300).
const PRIOR_WINS: f32 = 120.0;
/// How much of a result is the margin rather than the win.
const MARGIN_SHARE: f32 = 0.04;
/// Plies below the root to which superko is exact.
const SUPERKO_PLIES: usize = 12;
/// Longest way down the tree.
const MAX_DEPTH: usize = 256;

/// Judges a leaf: the seam between tree and knowledge. A playout is one; a network may be another.
pub trait Evaluator {
    /// Plays from `state`, `color` to move after `last`, and appends the moves it made up to `line`.
    /// Returns points of Black less those of White on the board at the end, and calls `owner` for
    /// every cell with the number of the colour that has it.
    fn evaluate(
        &mut self,
        state: &mut Weighted,
        color: Color,
        last: Option<usize>,
        line: &mut Vec<(Color, u16)>,
        owner: &mut dyn FnMut(usize, u8),
    ) -> i32;
}

/// The heavy playout.
pub struct Playout<'a> {
    table: &'a Weights,
    rng: SmallRng,
}

impl std::fmt::Debug for Playout<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Playout").finish_non_exhaustive()
    }
}

impl<'a> Playout<'a> {
    /// Playouts by these weights from this seed.
    pub fn new(table: &'a Weights, seed: u64) -> Self {
        Self { table, rng: SmallRng::seed_from_u64(seed) }
    }
}

impl Evaluator for Playout<'_> {
    fn evaluate(
        &mut self,
        state: &mut Weighted,
        color: Color,
        last: Option<usize>,
        line: &mut Vec<(Color, u16)>,
        owner: &mut dyn FnMut(usize, u8),
    ) -> i32 {
        play_out(state, color, last, self.table, &mut self.rng, |color, cell| {
            line.push((color, cell as u16));
        });
        count(&state.board, owner)
    }
}

/// What the results of all simulations add up to, at the root.
#[derive(Debug)]
pub(super) struct Totals {
    /// Simulations.
    pub(super) playouts: u64,
    /// Sum of Black's margin, komi counted.
    pub(super) margin: f64,
    /// By cell: how often Black had it less how often White had it.
    pub(super) owner: Vec<i32>,
}

impl Totals {
    pub(super) fn new() -> Self {
        Self { playouts: 0, margin: 0.0, owner: vec![0; MAX_CELLS] }
    }
}

/// A thread's share of a search.
pub(super) struct Worker<'a, E> {
    task: &'a Task,
    tree: &'a Tree,
    table: &'a Weights,
    evaluator: E,
    root: &'a Weighted,
    state: Weighted,
    /// Keys that no move may bring back, in order.
    seen: &'a [u64],
    line: Vec<(Color, u16)>,
    path: Vec<u32>,
    keys: Vec<u64>,
    first_play: Box<[(u32, u16, u8)]>,
    stamp: u32,
    bonus: f32,
    pub(super) totals: Totals,
}

impl<'a, E: Evaluator> Worker<'a, E> {
    pub(super) fn new(
        task: &'a Task,
        tree: &'a Tree,
        table: &'a Weights,
        root: &'a Weighted,
        seen: &'a [u64],
        evaluator: E,
    ) -> Self {
        Self {
            task,
            tree,
            table,
            evaluator,
            root,
            state: root.clone(),
            seen,
            line: Vec::with_capacity(1024),
            path: Vec::with_capacity(MAX_DEPTH),
            keys: Vec::with_capacity(MAX_DEPTH),
            first_play: vec![(0, 0, 0); MAX_CELLS].into_boxed_slice(),
            stamp: 0,
            bonus: task.position.white_bonus(),
            totals: Totals::new(),
        }
    }

    /// One simulation.
    pub(super) fn simulate(&mut self) {
        self.state.copy_from(self.root);
        self.line.clear();
        self.path.clear();
        self.keys.clear();
        let mut color = self.task.color;
        let mut passes = u32::from(self.task.position.last_move() == Some(Move::Pass));
        let mut index = 0;
        self.path.push(index);
        self.tree.root().visit();
        let mut ended = false;
        while self.path.len() < MAX_DEPTH {
            let node = self.tree.node(index);
            let depth = self.path.len() - 1;
            if !node.is_grown()
                && (depth == 0 || node.visits() >= self.tree.grow_at())
                && !self.tree.is_full()
            {
                let tree = self.tree;
                tree.grow(node, || self.moves(color, depth));
            }
            let Some(child) = self.select(node) else { break };
            index = child;
            let node = self.tree.node(index);
            node.visit();
            self.path.push(index);
            let cell = node.cell();
            self.line.push((color, cell as u16));
            color = color.other();
            if cell == 0 {
                passes += 1;
                self.state.board.pass();
                if passes >= 2 && self.task.aim != Aim::Count {
                    ended = true;
                    break;
                }
            } else {
                passes = 0;
                self.state.play(color.other(), cell, self.table);
            }
            self.keys.push(self.task.position.ko_key(self.state.board.hash(), color));
        }
        let margin = self.leaf(color, ended);
        self.back_up(margin);
    }

    fn leaf(&mut self, color: Color, ended: bool) -> f32 {
        let paid = self.paid();
        let owner = &mut self.totals.owner;
        let mut add = |cell: usize, content: u8| {
            owner[cell] += match content {
                1 => 1,
                2 => -1,
                _ => 0,
            };
        };
        let points = if ended {
            // Two passes: every stone counts as it stands, so a pass that wins so needs no agreement.
            let owners = crate::go::score::area(&self.state.board);
            for point in self.state.board.points() {
                add(point.cell(), owners[point.cell()]);
            }
            area_score(&self.state.board)
        } else {
            let last = self.line.last().map(|&(_, cell)| cell as usize).filter(|&cell| cell != 0);
            let last = if self.line.is_empty() { self.task.last_cell() } else { last };
            self.evaluator.evaluate(&mut self.state, color, last, &mut self.line, &mut add)
        };
        (points - paid) as f32 - self.bonus
    }

    /// What has to be taken off an area, which is what playouts count, under the rules in force: where
    /// territory is counted, the stones that Black has played more than White up to the leaf.
    fn paid(&self) -> i32 {
        match self.task.position.rules.scoring {
            Scoring::Area => 0,
            Scoring::Territory => stones_ahead(&self.state.board),
        }
    }

    /// The child with the best value; `None` at a leaf.
    fn select(&self, node: &Node) -> Option<u32> {
        let mut best = None;
        let mut best_value = -1.0;
        let children = self.tree.children(node);
        for (index, child) in children.clone().zip(self.tree.siblings(&children)) {
            let strength = child.prior().sqrt() * PRIOR_WINS;
            let visits = child.visits() as f32 + EVEN + strength;
            let won = child.wins() + 0.5 * EVEN + strength;
            let (rave_visits, rave_wins) = child.rave();
            // The mean of both, RAVE's share being r / (r + v + v r / k) of r rave visits and v own.
            let value = if rave_visits > 0.0 {
                let other = visits + visits * rave_visits / RAVE_EQUIVALENT;
                (rave_wins * visits + other * won) / (visits * (rave_visits + other))
            } else {
                won / visits
            };
            if value > best_value {
                best_value = value;
                best = Some(index);
            }
        }
        best
    }

    /// Candidates with their priors: legal, no own eye, no repetition, and a pass. Suicide of several
    /// stones is left out even where the rules allow it: it is all but never a good move.
    fn moves(&self, color: Color, depth: usize) -> Vec<(usize, f32)> {
        let board = &self.state.board;
        let point = |back: usize| {
            let from_line = self.line.len().checked_sub(back + 1);
            match from_line {
                Some(at) => {
                    Some(self.line[at].1 as usize).filter(|&cell| cell != 0).map(Point::new)
                }
                None => self.task.recent(back - self.line.len()),
            }
        };
        let context = Context::new(board, color, point(0), point(1));
        let mut moves = Vec::with_capacity(board.empties().len() + 1);
        let mut sum = 0.0;
        for &cell in board.empties() {
            let cell = cell as usize;
            if !board.is_playable(color, cell)
                || is_eye(board.code(cell), color)
                || (depth == 0 && !self.task.allows(cell))
                || (depth < SUPERKO_PLIES && self.repeats(color, cell))
            {
                continue;
            }
            let strength = self
                .table
                .in_tree(&context.features(board, Point::new(cell), true))
                .clamp(1e-4, 1e5);
            sum += strength;
            moves.push((cell, strength));
        }
        if depth > 0 || self.task.may_pass(moves.is_empty()) {
            let strength = self.table.of_pass() * sum.max(1e-3);
            sum += strength;
            moves.push((0, strength));
        }
        for (_, strength) in &mut moves {
            *strength /= sum;
        }
        moves
    }

    fn repeats(&self, color: Color, cell: usize) -> bool {
        let position = &self.task.position;
        if position.rules.ko == Ko::Simple {
            return false;
        }
        let key = position.ko_key(self.state.board.hash_after(color, cell), color.other());
        self.seen.binary_search(&key).is_ok() || self.keys.contains(&key)
    }

    fn back_up(&mut self, margin: f32) {
        let area = self.state.board.area() as f32;
        let win = if margin > 0.0 {
            1.0
        } else if margin < 0.0 {
            0.0
        } else {
            0.5
        };
        let black = (1.0 - MARGIN_SHARE) * win
            + MARGIN_SHARE * (0.5 + 0.5 * (margin / area).clamp(-1.0, 1.0));
        self.totals.playouts += 1;
        self.totals.margin += f64::from(margin);
        let result = |color: Color| if color == Color::Black { black } else { 1.0 - black };
        // First mover on every cell, found from the end backwards while the path is walked up.
        self.stamp += 1;
        let depth = self.path.len() - 1;
        let mut at = self.line.len();
        let mut color =
            if depth.is_multiple_of(2) { self.task.color } else { self.task.color.other() };
        for (ply, &index) in self.path.iter().enumerate().rev() {
            while at > ply {
                at -= 1;
                let (mover, cell) = self.line[at];
                self.first_play[cell as usize] = (self.stamp, at as u16, mover as u8);
            }
            let node = self.tree.node(index);
            // The node's own result belongs to the player who moved into it.
            node.add_result(result(color.other()));
            for child in self.tree.siblings(&self.tree.children(node)) {
                let (stamp, when, mover) = self.first_play[child.cell()];
                if stamp == self.stamp && mover == color as u8 && child.cell() != 0 {
                    let distance = usize::from(when) - ply;
                    let weight = if distance * 2 < self.line.len() { 2 } else { 1 };
                    child.add_rave(result(color), weight);
                }
            }
            color = color.other();
        }
        debug_assert!(self.path.first() == Some(&NONE));
    }
}
