//! Alpha-beta as it plays: iterative deepening (Slate & Atkin 1977), a transposition table, killers,
//! quiescence, extensions with a budget, and, apart from all that, forward pruning. Every feature can
//! be switched off. With `strict_depth` on, the first four of [`Features`] do not change the value;
//! nor does the fifth, if the search goes to the end of the game.

use crate::game::{Deterministic, Exact, Guide, Keyed, Player, ZeroSum};

use super::{
    control::{Answer, Control, Lines, Stopped},
    minimax::ply_adjusted,
    observe::Window,
    table::{BoundKind, Entry, Probe, Table},
};

/// No depth limit: the search goes on to the end of the game.
pub const UNLIMITED: u32 = u32::MAX;

/// Lines longer than this are not followed to the end: a game this long has cycles.
const MAX_PLY: usize = 1_000;

/// Which of the search's features are on.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Features {
    /// Entries of the transposition table; 0 is no table.
    pub table: usize,
    /// Only entries of exactly the depth needed count, so that the value is that of minimax at this
    /// depth. A deeper entry is better, but different.
    pub strict_depth: bool,
    /// Moves that cut at the same ply are tried early elsewhere.
    pub killers: bool,
    /// Depth 1, 2, … instead of the last at once.
    pub deepening: bool,
    /// The guide's bounds are believed. They speak of the whole game, so that a search with a depth
    /// limit sees further with them.
    pub rules_of_thumb: bool,
    // What follows changes the value.
    /// Plies of noisy moves looked at beyond the depth limit.
    pub quiescence: u32,
    /// Plies that forcing moves and only moves may add to a line.
    pub extensions: u32,
    /// Forward pruning: so many moves of a node are searched, the others ignored unseen.
    pub beam: Option<usize>,
    /// Wins count this, less the plies to them, instead of their utility; losses likewise. For games
    /// whose utilities sum to 0, and not with `rules_of_thumb`, which speak of utilities.
    pub win: Option<f64>,
}

impl Features {
    /// Nothing: bare alpha-beta.
    pub const BARE: Self = Self {
        table: 0,
        strict_depth: false,
        killers: false,
        deepening: false,
        rules_of_thumb: false,
        quiescence: 0,
        extensions: 0,
        beam: None,
        win: None,
    };

    /// All that makes it faster without changing its value.
    pub const EXACT: Self =
        Self { table: 1 << 16, strict_depth: true, killers: true, deepening: true, ..Self::BARE };
}

/// A search with its memory.
#[derive(Debug)]
pub struct Solver<G: Keyed, U> {
    guide: U,
    features: Features,
    /// What both players' utilities add up to. Inside the search they add up to 0: negation is exact.
    total: f64,
    table: Option<Table<G::Key, G::Move>>,
    killers: Vec<Option<G::Move>>,
    buffers: Vec<Vec<G::Move>>,
    lines: Lines<G::Move>,
    root_moves: Vec<(G::Move, f64)>,
}

/// What is left to spend below a node.
#[derive(Debug, Clone, Copy)]
struct Reach {
    depth: u32,
    quiescence: u32,
    extensions: u32,
}

impl<G: ZeroSum + Deterministic + Keyed, U: Guide<G>> Solver<G, U> {
    /// A search that remembers nothing yet.
    pub fn new(guide: U, features: Features) -> Self {
        let table = (features.table > 0).then(|| Table::new(features.table));
        let (killers, buffers, root_moves) = (vec![], vec![], vec![]);
        let lines = Lines::new();
        Self { guide, features, total: 0.0, table, killers, buffers, lines, root_moves }
    }

    /// The value for the player to move, `depth` moves ahead, and the last complete iteration's
    /// answer if the search is stopped in a later one; each is also given to `report` as it comes.
    ///
    /// # Errors
    /// If no iteration was completed.
    pub fn search(
        &mut self,
        game: &G,
        depth: u32,
        control: &mut Control<'_>,
        report: &mut impl FnMut(u32, &Answer<G::Move>),
    ) -> Result<Answer<G::Move>, Stopped> {
        let first =
            if self.features.deepening && depth != UNLIMITED { 1.min(depth) } else { depth };
        deepen(first, depth, |depth| {
            let answer = self.iteration(game, depth, Window::OPEN, control)?;
            report(depth, &answer);
            Ok(answer)
        })
    }

    /// One search of `depth` in a window of the player to move.
    ///
    /// # Errors
    /// If `control` stopped it.
    pub fn iteration(
        &mut self,
        game: &G,
        depth: u32,
        window: Window,
        control: &mut Control<'_>,
    ) -> Result<Answer<G::Move>, Stopped> {
        self.total = game.properties().sum.total();
        self.root_moves.clear();
        self.killers.clear();
        let Features { quiescence, extensions, .. } = self.features;
        let reach = Reach { depth, quiescence, extensions };
        let offset = self.offset(game.to_move());
        let (alpha, beta) = (window.alpha - offset, window.beta - offset);
        let value = self.node(game, reach, 0, alpha, beta, control)? + offset;
        let pv = self.lines.take();
        let moves = self.root_moves.iter().map(|&(mv, value)| (mv, value + offset)).collect();
        let decision = pv.first().copied();
        Ok(Answer { value, decision, pv, moves, counters: control.counters })
    }

    fn node(
        &mut self,
        game: &G,
        reach: Reach,
        ply: usize,
        mut alpha: f64,
        mut beta: f64,
        control: &mut Control<'_>,
    ) -> Result<f64, Stopped> {
        control.node()?;
        self.lines.clear(ply);
        let mover = game.to_move();
        if let Some(payoffs) = game.outcome() {
            control.counters.leaves += 1;
            return Ok(self.ending(payoffs[mover] - self.offset(mover), ply));
        }
        if ply > 0 && self.features.rules_of_thumb {
            let (low, high) = self.bounds(game);
            if low >= beta || high <= alpha || low >= high {
                control.counters.leaves += 1;
                return Ok(if low >= beta { low } else { high });
            }
        }
        if reach.depth == 0 {
            return self.quiescence(game, reach.quiescence, ply, alpha, beta, control);
        }
        if ply >= MAX_PLY {
            return Err(Stopped);
        }
        let key = self.guide.table_key(game);
        let entry = self.table.as_ref().and_then(|table| table.get(key));
        if let Some(entry) = entry.filter(|_| ply > 0)
            && (!self.features.strict_depth || entry.depth == reach.depth)
        {
            let value = self.out_of_table(entry.value, ply);
            match (Entry { value, ..entry }).probe(reach.depth, alpha, beta) {
                Probe::Exact(value) | Probe::Cutoff(value) => {
                    control.counters.table_hits += 1;
                    return Ok(value);
                }
                Probe::RaiseAlpha(value) => alpha = value,
                Probe::LowerBeta(value) => beta = value,
                Probe::MoveOnly => {}
            }
        }
        if ply > 0
            && self.features.rules_of_thumb
            && let Some(value) = self.settled_by_a_child(game, beta)
        {
            control.counters.cutoffs += 1;
            return Ok(value);
        }
        let start = control.counters.nodes;
        let remembered = entry.and_then(|entry| entry.best);
        let moves = self.ordered_moves(game, ply, remembered);
        let found = self.moves(game, &moves, reach, ply, (alpha, beta), control);
        self.buffers[ply] = moves;
        let (value, best) = found?;
        let bound = BoundKind::of(value, alpha, beta);
        let stored = self.to_table(value, ply);
        if let Some(table) = &mut self.table {
            let entry = Entry { depth: reach.depth, bound, value: stored, best };
            table.put(key, entry, control.counters.nodes - start);
        }
        Ok(value)
    }

    /// A look at all children before any is searched: one whose bounds, by rule or by table, reach beta
    /// settles the node (enhanced transposition cutoffs: Schaeffer & Plaat 1996).
    fn settled_by_a_child(&self, game: &G, beta: f64) -> Option<f64> {
        let mover = game.to_move();
        for mv in game.legal_moves() {
            let mut child = game.clone();
            child.play(mv);
            if child.outcome().is_some() || child.to_move() == mover {
                continue;
            }
            let (_, most) = self.bounds(&child);
            if -most >= beta {
                return Some(-most);
            }
            let key = self.guide.table_key(&child);
            let entry = self.table.as_ref().and_then(|table| table.get(key));
            let reaches = |entry: &Entry<G::Move>| {
                entry.depth == UNLIMITED && entry.bound != BoundKind::Lower && -entry.value >= beta
            };
            if let Some(entry) = entry.filter(reaches) {
                return Some(-entry.value);
            }
        }
        None
    }

    fn moves(
        &mut self,
        game: &G,
        moves: &[G::Move],
        reach: Reach,
        ply: usize,
        (mut alpha, beta): (f64, f64),
        control: &mut Control<'_>,
    ) -> Result<(f64, Option<G::Move>), Stopped> {
        let mover = game.to_move();
        let mut best = (f64::NEG_INFINITY, None);
        for (index, &mv) in moves.iter().enumerate() {
            let mut child = game.clone();
            child.play(mv);
            let next = self.reach_after(&child, reach, moves.len());
            let value = if child.to_move() == mover {
                self.node(&child, next, ply + 1, alpha, beta, control)?
            } else {
                -self.node(&child, next, ply + 1, -beta, -alpha, control)?
            };
            if ply == 0 {
                self.root_moves.push((mv, value));
            }
            if value > best.0 {
                best = (value, Some(mv));
            }
            if value > alpha {
                alpha = value;
                self.lines.update(ply, mv);
            }
            if alpha >= beta {
                control.counters.cutoffs += u64::from(index + 1 < moves.len());
                self.remember_killer(ply, mv);
                break;
            }
        }
        Ok(best)
    }

    fn reach_after(&self, child: &G, reach: Reach, choices: usize) -> Reach {
        if reach.depth == UNLIMITED {
            return reach;
        }
        if reach.extensions > 0 && (choices == 1 || self.guide.forcing(child)) {
            return Reach { extensions: reach.extensions - 1, ..reach };
        }
        Reach { depth: reach.depth - 1, ..reach }
    }

    /// The guide's order, behind the table's move and the killer; the beam's cut comes last.
    fn ordered_moves(&mut self, game: &G, ply: usize, remembered: Option<G::Move>) -> Vec<G::Move> {
        if self.buffers.len() <= ply {
            self.buffers.resize_with(ply + 1, Vec::new);
        }
        let mut moves = std::mem::take(&mut self.buffers[ply]);
        moves.clear();
        moves.extend(game.legal_moves());
        self.guide.candidates(game, &mut moves);
        let killer = self.killers.get(ply).copied().flatten().filter(|_| self.features.killers);
        for first in [killer, remembered].into_iter().flatten() {
            if let Some(place) = moves.iter().position(|mv| *mv == first) {
                moves[..=place].rotate_right(1);
            }
        }
        if let Some(beam) = self.features.beam {
            moves.truncate(beam.max(1));
        }
        moves
    }

    fn remember_killer(&mut self, ply: usize, mv: G::Move) {
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, None);
        }
        self.killers[ply] = Some(mv);
    }

    /// Noisy moves to their end; whoever moves may also stand pat.
    fn quiescence(
        &mut self,
        game: &G,
        depth: u32,
        ply: usize,
        mut alpha: f64,
        beta: f64,
        control: &mut Control<'_>,
    ) -> Result<f64, Stopped> {
        let mover = game.to_move();
        if let Some(payoffs) = game.outcome() {
            control.counters.leaves += 1;
            return Ok(self.ending(payoffs[mover] - self.offset(mover), ply));
        }
        control.counters.leaves += 1;
        let mut best = self.guide.evaluate(game, mover) - self.offset(mover);
        if depth == 0 || best >= beta {
            return Ok(best);
        }
        alpha = alpha.max(best);
        let mut moves: Vec<G::Move> = game.legal_moves().into_iter().collect();
        self.guide.noisy(game, &mut moves);
        for mv in moves {
            control.node()?;
            let mut child = game.clone();
            child.play(mv);
            let value = if child.to_move() == mover {
                self.quiescence(&child, depth - 1, ply + 1, alpha, beta, control)?
            } else {
                -self.quiescence(&child, depth - 1, ply + 1, -beta, -alpha, control)?
            };
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }

    /// How much more a utility of `player` counts outside the search than in it.
    const fn offset(&self, player: Player) -> f64 {
        if player == 0 { 0.0 } else { self.total }
    }

    fn bounds(&self, game: &G) -> (f64, f64) {
        let (low, high) = self.guide.bounds(game);
        let offset = self.offset(game.to_move());
        (low - offset, high - offset)
    }

    fn ending(&self, utility: f64, ply: usize) -> f64 {
        self.features.win.map_or(utility, |win| ply_adjusted(utility, ply as u32, win))
    }

    /// A win's distance counts from the root in the search, from the node in the table.
    fn to_table(&self, value: f64, ply: usize) -> f64 {
        self.shifted(value, ply as f64)
    }

    fn out_of_table(&self, value: f64, ply: usize) -> f64 {
        self.shifted(value, -(ply as f64))
    }

    fn shifted(&self, value: f64, by: f64) -> f64 {
        match self.features.win {
            Some(win) if value.abs() > win / 2.0 => value + by * value.signum(),
            _ => value,
        }
    }
}

/// Runs `search` for each depth from `first` to `last`. The answer of the last iteration that came to
/// its end: one cut short may have seen only bad moves.
///
/// # Errors
/// If not even the first came to its end.
pub fn deepen<A>(
    first: u32,
    last: u32,
    mut search: impl FnMut(u32) -> Result<A, Stopped>,
) -> Result<A, Stopped> {
    let mut answer = search(first)?;
    for depth in (first..last).map(|depth| depth + 1) {
        match search(depth) {
            Ok(deeper) => answer = deeper,
            Err(Stopped) => break,
        }
    }
    Ok(answer)
}

/// What proof mode knows for certain about a game's value to its player to move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Proof {
    /// Exactly this.
    Solved(f64),
    /// At least this.
    AtLeast(f64),
    /// Less than this.
    LessThan(f64),
    /// Nothing: the search was stopped. Never a guess.
    Unsolved,
}

/// Proves whether the player to move gets at least `goal`, by an exhaustive null-window alpha-beta
/// with a table of `entries`. "Solved" is said only when the whole tree that matters has been seen.
pub fn prove<G: ZeroSum + Deterministic + Exact>(
    game: &G,
    goal: f64,
    guide: impl Guide<G>,
    entries: usize,
    control: &mut Control<'_>,
) -> Proof {
    let features = Features { table: entries, rules_of_thumb: true, ..Features::BARE };
    let window = Window::new(goal - 1e-9 * (1.0 + goal.abs()), goal);
    let best = game.utility_bounds().1;
    match Solver::new(guide, features).iteration(game, UNLIMITED, window, control) {
        Err(Stopped) => Proof::Unsolved,
        Ok(answer) if answer.value >= goal && goal >= best => Proof::Solved(best),
        Ok(answer) if answer.value >= goal => Proof::AtLeast(goal),
        Ok(_) => Proof::LessThan(goal),
    }
}
