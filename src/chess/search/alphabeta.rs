//! The main search: alpha-beta in its principal-variation form (Marsland & Campbell 1982),
//! fail-soft (Fishburn 1983). [`Worker::search`] reads as a table of contents; each step is a
//! function of its own, here, in `pruning.rs`, `reductions.rs`, `extensions.rs` or `learning.rs`.

use super::{
    correction::{Corrections, Slots},
    extensions::Verdict,
    history::{Context, Threats},
    learning::Tried,
    movepick::MovePicker,
    pruning,
    reductions::{self, Candidate},
    tt::Entry,
    tunables::{deeper_margin, probcut_improving, probcut_margin},
    worker::Worker,
};
use crate::{
    chess::{
        moves::Move,
        position::Position,
        score::{DRAW, INFINITE, MATE_IN_MAX, MAX_PLY, Score, is_decisive, mate_in, mated_in},
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
    /// Least and greatest score that endgame tables leave possible.
    pub(super) floor: Score,
    pub(super) ceiling: Score,
    pub(super) pv: bool,
    pub(super) in_check: bool,
    /// Expected to fail high: some move before this one was expected to fail low.
    pub(super) expected_cut: bool,
    /// The move left out, in a search for singularity.
    pub(super) excluded: Option<Move>,
    /// What the transposition table knows.
    pub(super) tt: Option<Entry>,
    /// On the principal variation, now or when the table's entry was made.
    pub(super) was_pv: bool,
    /// Static evaluation as it was made, for the table; `None` in check.
    pub(super) raw: Option<Score>,
    /// Where the correction histories look.
    pub(super) slots: Slots,
    /// What they add to it, before scaling.
    pub(super) correction: i32,
    /// Static evaluation, corrected; meaningless in check.
    pub(super) static_eval: Score,
    /// The same, the table's score put in where it says more; meaningless in check.
    pub(super) eval: Score,
    /// The evaluation has risen since the side's last move.
    pub(super) improving: bool,
    /// The last move has made the other side's evaluation worse.
    pub(super) opponent_worsening: bool,
    /// Where the histories look.
    pub(super) context: Context,
}

impl Node {
    pub(super) const fn tt_move(&self) -> Option<Move> {
        match self.tt {
            Some(entry) => entry.mv,
            None => None,
        }
    }
}

/// The best of the moves searched so far.
#[derive(Debug)]
pub(super) struct Best {
    pub(super) score: Score,
    pub(super) mv: Option<Move>,
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
        let tt = self.probe_table(position, ply);
        // Before anything is computed; not on the principal variation, whose line would break off.
        if !N::PV
            && self.stack[ply].excluded.is_none()
            && let Some(entry) = &tt
            && let Some(score) =
                pruning::table_cutoff(entry, position, depth, (alpha, beta), expected_cut)
        {
            self.learn_from_table(position, ply, depth, beta, entry);
            return score;
        }
        let mut node = self.open_node::<N>(position, ply, depth, (alpha, beta), expected_cut, tt);
        if !N::ROOT
            && let Some(score) = self.probe_tables(position, &mut node)
        {
            return score;
        }
        if !N::ROOT {
            self.learn_from_evaluation(position, &node);
            reductions::hindsight(&mut node, self.stack.before(ply, 1));
        }
        if !N::PV
            && !node.in_check
            && node.excluded.is_none()
            && let Some(score) = self.prune_node(position, &node)
        {
            return score;
        }
        reductions::internal_iterative(&mut node);
        if !N::PV
            && let Some(score) =
                pruning::known_probcut(&node).or_else(|| self.probcut(position, &node))
        {
            return score;
        }
        self.search_moves::<N>(position, node)
    }

    /// Ends a line that needs no search: drawn, too long, or outside the mates still possible.
    pub(super) fn settled(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: &mut Score,
        beta: &mut Score,
    ) -> Option<Score> {
        if self.stopped() {
            return Some(0);
        }
        if self.is_draw(position) {
            return Some(self.draw_score());
        }
        if ply >= MAX_PLY {
            return Some(if position.in_check() {
                self.draw_score()
            } else {
                self.evaluate(position)
            });
        }
        if *alpha < DRAW && self.line.can_repeat(position) {
            *alpha = self.draw_score();
            if *alpha >= *beta {
                return Some(*alpha);
            }
        }
        // Mate-distance pruning: no line from here is better than mating with the next move, nor
        // worse than being mated on the spot.
        *alpha = (*alpha).max(mated_in(ply));
        *beta = (*beta).min(mate_in(ply + 1));
        (*alpha >= *beta).then_some(*alpha)
    }

    /// Where the corrections of this node's evaluation are found.
    pub(super) fn correction_slots(&self, position: &Position, ply: usize) -> Slots {
        let back = |plies| self.stack.before(ply, plies).arrival;
        Slots::new(position, back(1), back(2))
    }

    /// Gathers what is known of the node.
    fn open_node<N: NodeType>(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
        (alpha, beta): (Score, Score),
        expected_cut: bool,
        tt: Option<Entry>,
    ) -> Node {
        let in_check = position.in_check();
        let slots = self.correction_slots(position, ply);
        let raw = match (in_check, tt.and_then(|entry| entry.eval)) {
            (true, _) => None,
            (false, Some(eval)) => Some(eval),
            (false, None) => Some(self.evaluate(position)),
        };
        let correction = raw.map_or(0, |_| self.corrections.of(&slots));
        let corrected = raw.map(|raw| Corrections::apply(raw, correction));
        self.stack[ply].eval = corrected;
        self.stack[ply + 1].killer = None;
        self.stack[ply + 2].cutoffs = 0;
        let static_eval = corrected.unwrap_or(-INFINITE);
        let threats = Threats::new(position);
        self.stack[ply].threats = threats.all;
        let was_pv = N::PV || tt.is_some_and(|entry| entry.was_pv);
        self.stack[ply].was_pv = was_pv;
        Node {
            ply,
            depth,
            alpha,
            beta,
            floor: -INFINITE,
            ceiling: INFINITE,
            pv: N::PV,
            in_check,
            expected_cut,
            excluded: self.stack[ply].excluded,
            tt,
            was_pv,
            raw,
            slots,
            correction,
            static_eval,
            eval: corrected.map_or(-INFINITE, |eval| reductions::refine(eval, tt.as_ref())),
            improving: self.is_improving(ply),
            opponent_worsening: corrected
                .zip(self.stack.before(ply, 1).eval)
                .is_some_and(|(now, before)| now > -before),
            context: Context::new(position, ply, self.stack.continued(ply), threats),
        }
    }

    /// The table's entry, fit for use at this node: its move legal, its mates counted from the root.
    pub(super) fn probe_table(&self, position: &Position, ply: usize) -> Option<Entry> {
        self.shared.tt.probe(position.key()).map(|mut entry| {
            entry.mv = entry.mv.filter(|&mv| position.is_legal(mv));
            entry.score = entry.score_at(ply, position.halfmove_clock());
            entry
        })
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

    /// Prunings of the whole node by its evaluation: it is too bad, or too good, to be searched.
    fn prune_node(&mut self, position: &Position, node: &Node) -> Option<Score> {
        if pruning::may_raze(node) {
            let window = (node.alpha, node.beta);
            return Some(self.quiescence::<NonPv>(position, node.ply, window));
        }
        pruning::reverse_futility(node).or_else(|| self.null_move(position, node))
    }

    fn search_moves<N: NodeType>(&mut self, position: &Position, mut node: Node) -> Score {
        let ply = node.ply;
        let mut picker = self.picker::<N>(position, &node);
        let mut best = Best { score: node.floor, mv: None, alpha: node.alpha };
        let mut tried = Tried::default();
        let mut count = 0;
        while let Some(mv) = picker.next(position, self.histories, &node.context) {
            if Some(mv) == node.excluded || (N::ROOT && !self.is_open_at_root(mv)) {
                continue;
            }
            count += 1;
            let candidate = self.candidate(position, &node, mv, count);
            if !N::ROOT
                && best.score > -MATE_IN_MAX
                && let Some(bound) =
                    self.prune_move(position, &node, &candidate, &mut picker, best.alpha)
            {
                // The move was left out because it is worth no more than this, not because it is
                // as bad as those searched: the score must not say less, nor teach it.
                best.score = best.score.max(bound);
                continue;
            }
            let mut extension = 0;
            if !N::ROOT {
                match self.singular(position, &node, mv) {
                    Verdict::Extend(plies) => extension = plies,
                    Verdict::Cut(score) => return score,
                }
            }
            let before = self.nodes;
            self.stack[ply].count = count;
            let child = self.make(position, ply, mv);
            self.stack[ply + 1].extensions += (extension - 1).max(0);
            let score = self.search_child::<N>(&child, &node, &candidate, extension, &best);
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
                        self.stack[ply].cutoffs += 1;
                        break;
                    }
                    best.alpha = score;
                    // A move is found: the others need only be shown to be worse.
                    if (3..14).contains(&node.depth) && !is_decisive(score) {
                        node.depth -= 1;
                    }
                }
            }
            tried.note(mv);
        }
        if count == 0 {
            return match (node.excluded, node.in_check) {
                (Some(_), _) => node.alpha,
                (None, true) => mated_in(ply),
                (None, false) => self.draw_score(),
            };
        }
        self.close_node::<N>(position, &node, best, &tried)
    }

    /// Learns from the finished node and stores it.
    fn close_node<N: NodeType>(
        &mut self,
        position: &Position,
        node: &Node,
        mut best: Best,
        tried: &Tried,
    ) -> Score {
        match best.mv {
            Some(mv) => self.reward(position, node, mv, tried),
            None => self.reward_previous(position, node),
        }
        if best.score >= node.beta && !is_decisive(best.score) && !is_decisive(node.beta) {
            // A fail-high at little depth proves less than it says.
            best.score = (best.score * node.depth + node.beta) / (node.depth + 1);
        }
        best.score = best.score.min(node.ceiling);
        if node.excluded.is_none() {
            self.store::<N>(position, node, &best);
            self.correct_evaluation(node, &best);
        }
        best.score
    }

    fn is_open_at_root(&self, mv: Move) -> bool {
        self.root_moves[self.pv_index..self.pv_end].iter().any(|root| root.mv == mv)
    }

    fn picker<N: NodeType>(&self, position: &Position, node: &Node) -> MovePicker {
        let table_move =
            if N::ROOT { Some(self.root_moves[self.pv_index].mv) } else { node.tt_move() };
        let killer =
            self.stack[node.ply].killer.filter(|&mv| mv.is_quiet() && position.is_legal(mv));
        MovePicker::new(table_move, killer)
    }

    fn candidate(&self, position: &Position, node: &Node, mv: Move, count: usize) -> Candidate {
        let history = if mv.is_quiet() {
            self.histories.quiet_worth(&node.context, position.moved(mv), mv)
        } else {
            self.histories.noisy(position, mv)
        };
        Candidate { mv, count, history }
    }

    /// Whether a move is left out: too late, too weak or too costly for what is to be gained; and
    /// what it is taken to be worth at most, where it is left out by the evaluation. Only once a move
    /// is known that is not mated, and with pieces left, as in endings of pawns alone every tempo
    /// counts.
    fn prune_move(
        &self,
        position: &Position,
        node: &Node,
        candidate: &Candidate,
        picker: &mut MovePicker,
        alpha: Score,
    ) -> Option<Score> {
        let mv = candidate.mv;
        if !position.has_non_pawn_material(position.side_to_move()) {
            return None;
        }
        if pruning::late_move(node, candidate.count) {
            picker.skip_quiets();
        }
        let gives_check = position.gives_check(mv);
        let reduction = self.base_reduction(node.depth, candidate.count)
            - 512 * i32::from(node.improving)
            + 512 * i32::from(!node.pv);
        let reduced = (node.depth - 1 - reduction / 1024).max(0);
        let unknown = |prunes: bool| prunes.then_some(-INFINITE);
        let futility = |bound: Option<Score>| bound.filter(|_| !gives_check);
        if mv.is_noisy() {
            return futility(pruning::futile_noisy(node, alpha, position, candidate, reduced))
                .or_else(|| unknown(pruning::losing_noisy(position, node, candidate)));
        }
        let follow_up = self.histories.quiet_follow_up(&node.context, position.moved(mv), mv);
        if pruning::hopeless_history(reduced, follow_up) {
            return unknown(true);
        }
        let reduced = (reduced + candidate.history / 12_000).max(0);
        futility(pruning::futile_quiet(node, alpha, reduced))
            .or_else(|| unknown(pruning::losing_quiet(position, mv, reduced)))
    }

    /// Principal variation search with late move reductions: the first move with the whole window,
    /// the others first with a null window and less depth, then more only if they prove better.
    fn search_child<N: NodeType>(
        &mut self,
        child: &Position,
        node: &Node,
        candidate: &Candidate,
        extension: i32,
        best: &Best,
    ) -> Score {
        let ply = node.ply + 1;
        let alpha = best.alpha;
        let mut depth = node.depth - 1 + extension;
        let null_window = (-alpha - 1, -alpha);
        let mut score = -INFINITE;
        if node.depth >= 2 && candidate.count > 1 + usize::from(N::ROOT) {
            let reduction = self.reduction(node, candidate, child.in_check()) / 1024;
            let reduced = (depth - reduction).clamp(1, depth.max(1) + i32::from(N::PV));
            self.stack[node.ply].reduction = depth - reduced;
            score = -self.search::<NonPv>(child, ply, reduced, null_window, true);
            self.stack[node.ply].reduction = 0;
            if score > alpha && reduced < depth {
                // How good it looks decides how deep it is looked at again (Stockfish).
                depth += i32::from(score > best.score + deeper_margin() + 2 * depth);
                depth -= i32::from(score < best.score + 9);
                if reduced < depth {
                    let cut = !node.expected_cut;
                    score = -self.search::<NonPv>(child, ply, depth, null_window, cut);
                }
                self.note_research(node, candidate.mv, score > alpha);
            }
        } else if !N::PV || candidate.count > 1 {
            score = -self.search::<NonPv>(child, ply, depth, null_window, !node.expected_cut);
        }
        if N::PV && (candidate.count == 1 || score > alpha) && !self.stopped() {
            score = -self.search::<Pv>(child, ply, depth, (-node.beta, -alpha), false);
        }
        score
    }

    /// A reduced move was searched again: what it followed is told how that went.
    fn note_research(&mut self, node: &Node, mv: Move, held: bool) {
        if let Some(arrival) = self.stack[node.ply].arrival.filter(|_| mv.is_quiet()) {
            let bonus = super::history::bonus(node.depth);
            let bonus = if held { bonus } else { -bonus };
            self.histories.update_continuations(&node.context.continued, arrival, bonus);
        }
    }

    /// Null-move pruning (Beal 1989; Donninger 1993): if even passing holds beta, a move will.
    /// Not with pawns alone, where zugzwang is common; at great depth the cutoff is verified.
    fn null_move(&mut self, position: &Position, node: &Node) -> Option<Score> {
        let passed_before = node.ply > 0 && self.stack.before(node.ply, 1).mv.is_none();
        if passed_before || node.ply < self.null_move_from || !pruning::may_pass(node, position) {
            return None;
        }
        let reduction = pruning::null_move_reduction(node);
        self.stack[node.ply].count = 0;
        let child = self.make_null(position, node.ply);
        let window = (-node.beta, -node.beta + 1);
        let depth = node.depth - reduction;
        let score = -self.search::<NonPv>(&child, node.ply + 1, depth, window, false);
        self.unmake_null();
        if self.stopped() || score < node.beta {
            return None;
        }
        let score = if is_decisive(score) { node.beta } else { score };
        if node.depth < pruning::VERIFIED_DEPTH || self.null_move_from > 0 {
            return Some(score);
        }
        self.null_move_from = node.ply + 3 * depth.max(1) as usize / 4;
        let verified =
            self.search::<NonPv>(position, node.ply, depth, (node.beta - 1, node.beta), false);
        self.null_move_from = 0;
        (verified >= node.beta).then_some(score)
    }

    /// ProbCut (Buro 1995; for captures Stockfish): a capture that beats beta by a margin in a
    /// shallow search will beat beta in a deep one.
    fn probcut(&mut self, position: &Position, node: &Node) -> Option<Score> {
        let beta = node.beta + probcut_margin() - probcut_improving() * i32::from(node.improving);
        let doubted =
            node.tt.is_some_and(|entry| entry.depth >= node.depth - 3 && entry.score < beta);
        if node.depth < 4
            || node.in_check
            || node.excluded.is_some()
            || is_decisive(node.beta)
            || doubted
        {
            return None;
        }
        let mut picker = MovePicker::noisy(node.tt_move(), beta - node.static_eval);
        let window = (-beta, -beta + 1);
        let depth = node.depth - 4;
        while let Some(mv) = picker.next(position, self.histories, &node.context) {
            self.stack[node.ply].count = 1;
            let child = self.make(position, node.ply, mv);
            let mut score = -self.quiescence::<NonPv>(&child, node.ply + 1, window);
            if score >= beta && depth > 0 {
                let cut = !node.expected_cut;
                score = -self.search::<NonPv>(&child, node.ply + 1, depth, window, cut);
            }
            self.unmake();
            if self.stopped() {
                return Some(0);
            }
            if score >= beta {
                let entry = Entry {
                    mv: Some(mv),
                    score,
                    eval: node.raw,
                    depth: depth + 1,
                    bound: Some(Bound::Lower),
                    was_pv: node.was_pv,
                };
                self.shared.tt.store(position.key(), node.ply, entry);
                return Some(if is_decisive(score) { score } else { score - (beta - node.beta) });
            }
        }
        None
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
            root.bound = match score {
                _ if score <= alpha => Bound::Upper,
                _ if score >= beta => Bound::Lower,
                _ => Bound::Exact,
            };
            root.seldepth = seldepth;
            root.pv = line;
        } else {
            // Not better than the best: its own value is unknown, and the order of the last
            // iteration is kept among all such moves.
            root.score = -INFINITE;
        }
    }

    fn store<N: NodeType>(&self, position: &Position, node: &Node, best: &Best) {
        if N::ROOT && (self.pv_index > 0 || !self.asks_all()) {
            return; // moves were left out: the user's choice, or the better lines
        }
        let bound = if best.score >= node.beta {
            Bound::Lower
        } else if N::PV && best.mv.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        // All moves fail against one that was once played on the principal variation: they are
        // likely to be asked about again (Stockfish).
        let refuted = bound == Bound::Upper && node.ply > 0;
        let was_pv = node.was_pv || refuted && self.stack.before(node.ply, 1).was_pv;
        let entry = Entry {
            mv: best.mv,
            score: best.score,
            eval: node.raw,
            // The root's is what its iteration is called: [`Worker::resume`] goes on from there.
            depth: if N::ROOT { self.root_depth } else { node.depth },
            bound: Some(bound),
            was_pv,
        };
        self.shared.tt.store(position.key(), node.ply, entry);
    }
}
