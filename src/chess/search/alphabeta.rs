//! The main search: alpha-beta in its principal-variation form (Marsland & Campbell 1982),
//! fail-soft (Fishburn 1983). [`Worker::search`] reads as a table of contents; each step is a
//! function of its own, here, in `pruning.rs` or in `reductions.rs`.

use arrayvec::ArrayVec;

use super::{history, movepick::MovePicker, pruning, reductions, tt::Entry, worker::Worker};
use crate::{
    chess::{
        moves::Move,
        position::Position,
        score::{INFINITE, MAX_PLY, Score, mate_in, mated_in},
    },
    engine::Bound,
};

/// Where a node stands in the tree.
pub(super) trait NodeType {
    /// On the principal variation, searched with an open window.
    const PV: bool;
    /// The root itself.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node of the principal variation below the root.
pub(super) struct Pv;
/// Any other node, searched with a null window.
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}
impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}
impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// What is known of a node before any of its moves is searched.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "facts of a node, each read by its own name")]
pub(super) struct Node {
    pub(super) ply: usize,
    /// Plies still to search.
    pub(super) depth: i32,
    pub(super) alpha: Score,
    pub(super) beta: Score,
    pub(super) pv: bool,
    pub(super) in_check: bool,
    /// Expected to fail high: some move before this one was expected to fail low.
    pub(super) expected_cut: bool,
    /// What the transposition table knows.
    pub(super) tt: Option<Entry>,
    /// Static evaluation, the table's score put in where it says more; meaningless in check.
    pub(super) eval: Score,
    /// The evaluation has risen since the side's last move.
    pub(super) improving: bool,
}

impl Node {
    pub(super) fn tt_move(&self) -> Option<Move> {
        self.tt.and_then(|entry| entry.mv)
    }
}

/// The moves already searched at a node, to be punished when a later one fails high.
#[derive(Debug, Default)]
struct Tried {
    quiet: ArrayVec<Move, 64>,
    noisy: ArrayVec<Move, 32>,
}

impl Tried {
    /// Notes a move; past the capacity the rest are let go, since they matter least.
    fn note(&mut self, mv: Move) {
        let _ = if mv.is_quiet() { self.quiet.try_push(mv) } else { self.noisy.try_push(mv) };
    }
}

/// The best of the moves searched so far.
struct Best {
    score: Score,
    mv: Option<Move>,
    alpha: Score,
}

impl Worker<'_> {
    /// The value of `position`, exact inside the window (`alpha`, `beta`) and a bound outside it.
    ///
    /// After [`Worker::stopped`] the value means nothing.
    pub(super) fn search<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        (mut alpha, mut beta): (Score, Score),
        expected_cut: bool,
    ) -> Score {
        debug_assert!(-INFINITE <= alpha && alpha < beta && beta <= INFINITE);
        debug_assert!(N::PV || alpha == beta - 1);
        if depth <= 0 {
            return self.quiescence::<N>(position, ply, (alpha, beta));
        }
        if N::PV {
            self.pv.clear(ply);
            self.seldepth = self.seldepth.max(ply);
        }
        if !N::ROOT
            && let Some(score) = self.settled(position, ply, &mut alpha, &mut beta)
        {
            return score;
        }
        let mut node = self.open_node::<N>(position, ply, depth, (alpha, beta), expected_cut);
        if let Some(score) = pruning::table_cutoff(&node, position) {
            return score;
        }
        if let Some(score) = pruning::reverse_futility(&node) {
            return score;
        }
        if let Some(score) = self.null_move(position, &node) {
            return score;
        }
        reductions::internal_iterative(&mut node);
        self.search_moves::<N>(position, &node)
    }

    /// Ends a line that needs no search: drawn, too long, or outside the mates still possible.
    pub(super) fn settled(
        &self,
        position: &Position,
        ply: usize,
        alpha: &mut Score,
        beta: &mut Score,
    ) -> Option<Score> {
        if self.stopped() {
            return Some(0);
        }
        if self.is_draw(position) {
            return Some(Self::draw_score());
        }
        if ply >= MAX_PLY {
            return Some(if position.in_check() {
                Self::draw_score()
            } else {
                crate::chess::eval::evaluate(position)
            });
        }
        // Mate-distance pruning: no line from here is better than mating with the next move, nor
        // worse than being mated on the spot.
        *alpha = (*alpha).max(mated_in(ply));
        *beta = (*beta).min(mate_in(ply + 1));
        (*alpha >= *beta).then_some(*alpha)
    }

    /// Gathers what is known of the node.
    fn open_node<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        (alpha, beta): (Score, Score),
        expected_cut: bool,
    ) -> Node {
        let in_check = position.in_check();
        let tt = self.shared.tt.probe(position.key()).map(|mut entry| {
            entry.mv = entry.mv.filter(|&mv| position.is_legal(mv));
            entry.score = entry.score_at(ply, position.halfmove_clock());
            entry
        });
        let raw = match (in_check, tt.and_then(|entry| entry.eval)) {
            (true, _) => None,
            (false, Some(eval)) => Some(eval),
            (false, None) => Some(self.evaluate(position)),
        };
        self.stack[ply].eval = raw;
        let eval = raw.map_or(-INFINITE, |eval| reductions::refine(eval, tt.as_ref()));
        let improving = self.is_improving(ply);
        if in_check {
            // Check extension: the replies are few, and quiescence would judge the check too late.
            let depth = depth + 1;
            return Node {
                ply,
                depth,
                alpha,
                beta,
                pv: N::PV,
                in_check,
                expected_cut,
                tt,
                eval,
                improving,
            };
        }
        Node { ply, depth, alpha, beta, pv: N::PV, in_check, expected_cut, tt, eval, improving }
    }

    /// Whether the evaluation has risen since the same side's last move that was not in check.
    fn is_improving(&self, ply: usize) -> bool {
        let Some(now) = self.stack[ply].eval else { return false };
        [2, 4]
            .into_iter()
            .filter(|&back| back <= ply)
            .find_map(|back| self.stack.before(ply, back).eval)
            .is_some_and(|then| now > then)
    }

    fn search_moves<N: NodeType>(&mut self, position: &Position, node: &Node) -> Score {
        let ply = node.ply;
        let mut picker = self.picker::<N>(position, node);
        let mut best = Best { score: -INFINITE, mv: None, alpha: node.alpha };
        let mut tried = Tried::default();
        let mut count = 0;
        while let Some(mv) = picker.next(position, self.histories) {
            if N::ROOT && !self.root_moves[self.pv_index..].iter().any(|root| root.mv == mv) {
                continue;
            }
            count += 1;
            if !N::ROOT && best.score > -crate::chess::score::MATE_IN_MAX {
                if pruning::late_move(node, count) {
                    picker.skip_quiets();
                }
                if pruning::losing_exchange(position, node, mv) {
                    continue;
                }
            }
            let before = self.nodes;
            let child = self.make(position, ply, mv);
            let score = self.search_child::<N>(&child, node, mv, count, best.alpha);
            self.unmake();
            if self.stopped() {
                return 0;
            }
            if N::ROOT {
                self.note_root_move(mv, score, count, (best.alpha, node.beta), before);
            }
            if score > best.score {
                best.score = score;
                if score > best.alpha {
                    best.mv = Some(mv);
                    if N::PV {
                        self.pv.set(ply, mv);
                    }
                    if score >= node.beta {
                        self.reward(position, node, mv, &tried);
                        break;
                    }
                    best.alpha = score;
                }
            }
            tried.note(mv);
        }
        if count == 0 {
            return if node.in_check { mated_in(ply) } else { Self::draw_score() };
        }
        self.store::<N>(position, node, &best);
        best.score
    }

    fn picker<N: NodeType>(&self, position: &Position, node: &Node) -> MovePicker {
        let table_move =
            if N::ROOT { Some(self.root_moves[self.pv_index].mv) } else { node.tt_move() };
        let killer =
            self.stack[node.ply].killer.filter(|&mv| mv.is_quiet() && position.is_legal(mv));
        MovePicker::new(table_move, killer)
    }

    /// Principal variation search with late move reductions: the first move with the whole window,
    /// the others first with a null window and less depth, then more only if they prove better.
    fn search_child<N: NodeType>(
        &mut self,
        child: &Position,
        node: &Node,
        mv: Move,
        count: usize,
        alpha: Score,
    ) -> Score {
        let depth = node.depth - 1;
        let ply = node.ply + 1;
        let null_window = (-alpha - 1, -alpha);
        if N::PV && count == 1 {
            return -self.search::<Pv>(child, ply, depth, (-node.beta, -alpha), false);
        }
        let reduction = self.reduction(child, node, mv, count);
        let mut score;
        if reduction > 0 {
            let reduced = (depth - reduction).max(1);
            score = -self.search::<NonPv>(child, ply, reduced, null_window, true);
            if score > alpha && reduced < depth {
                score = -self.search::<NonPv>(child, ply, depth, null_window, !node.expected_cut);
            }
        } else {
            score = -self.search::<NonPv>(child, ply, depth, null_window, !node.expected_cut);
        }
        if N::PV && score > alpha {
            score = -self.search::<Pv>(child, ply, depth, (-node.beta, -alpha), false);
        }
        score
    }

    /// Null-move pruning (Beal 1989; Donninger 1993): if even passing holds beta, a move will.
    /// Not with pawns alone, where zugzwang is common; at great depth the cutoff is verified.
    fn null_move(&mut self, position: &Position, node: &Node) -> Option<Score> {
        let passed_before = node.ply > 0 && self.stack.before(node.ply, 1).mv.is_none();
        if passed_before || node.ply < self.null_move_from || !pruning::may_pass(node, position) {
            return None;
        }
        let reduction = pruning::null_move_reduction(node);
        let child = self.make_null(position, node.ply);
        let window = (-node.beta, -node.beta + 1);
        let depth = node.depth - reduction;
        let score = -self.search::<NonPv>(&child, node.ply + 1, depth, window, !node.expected_cut);
        self.unmake();
        if self.stopped() || score < node.beta {
            return None;
        }
        let score = if crate::chess::score::is_decisive(score) { node.beta } else { score };
        if node.depth < pruning::VERIFIED_DEPTH || self.null_move_from > 0 {
            return Some(score);
        }
        self.null_move_from = node.ply + 3 * depth.max(1) as usize / 4;
        let verified =
            self.search::<NonPv>(position, node.ply, depth, (node.beta - 1, node.beta), false);
        self.null_move_from = 0;
        (verified >= node.beta).then_some(score)
    }

    fn note_root_move(
        &mut self,
        mv: Move,
        score: Score,
        count: usize,
        (alpha, beta): (Score, Score),
        before: u64,
    ) {
        let nodes = self.nodes - before;
        let seldepth = self.seldepth;
        let exact_or_first = count == 1 || score > alpha;
        let line: Option<Vec<Move>> = exact_or_first.then(|| {
            std::iter::once(mv)
                .chain(self.pv.line(1).filter(|_| score < beta || count == 1))
                .collect()
        });
        let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) else { return };
        root.nodes += nodes;
        if let Some(line) = line {
            root.score = score;
            root.seldepth = seldepth;
            root.pv = line;
        } else {
            // Not better than the best: its own value is unknown, and the order of the last
            // iteration is kept among all such moves.
            root.score = -INFINITE;
        }
    }

    /// A move failed high: it is remembered, those tried before it are marked down.
    fn reward(&mut self, position: &Position, node: &Node, mv: Move, tried: &Tried) {
        let bonus = history::bonus(node.depth);
        let color = position.side_to_move();
        if mv.is_quiet() {
            self.stack[node.ply].killer = Some(mv);
            self.histories.update_quiet(color, mv, bonus);
            for &other in &tried.quiet {
                self.histories.update_quiet(color, other, -bonus);
            }
        } else {
            self.histories.update_noisy(position, mv, bonus);
        }
        for &other in &tried.noisy {
            self.histories.update_noisy(position, other, -bonus);
        }
    }

    fn store<N: NodeType>(&self, position: &Position, node: &Node, best: &Best) {
        if N::ROOT && self.pv_index > 0 {
            return; // a second line: the best moves were left out
        }
        let bound = if best.score >= node.beta {
            Bound::Lower
        } else if N::PV && best.mv.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let entry = Entry {
            mv: best.mv,
            score: best.score,
            eval: self.stack[node.ply].eval,
            depth: node.depth,
            bound: Some(bound),
            was_pv: N::PV || node.tt.is_some_and(|entry| entry.was_pv),
        };
        self.shared.tt.store(position.key(), node.ply, entry);
    }
}
