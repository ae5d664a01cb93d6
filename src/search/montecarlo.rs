//! Monte-Carlo search: flat sampling, and tree search in its four phases (Coulom 2006) with UCB1
//! (Auer, Cesa-Bianchi & Fischer 2002; UCT: Kocsis & Szepesvári 2006) or PUCT selection (Rosin 2011;
//! Silver et al. 2017), for any number of players and with chance nodes sampled.

use rand::{Rng, RngExt};

use crate::game::{Actor, Game, Payoffs, Player};

use super::control::{Control, Counters, Stopped};

/// Judges a leaf. A playout and a network are both evaluators.
pub trait Evaluator<G: Game> {
    /// Prior weight of each of `moves`, and the value for every player.
    fn evaluate<R: Rng>(&mut self, game: &G, moves: &[G::Move], rng: &mut R)
    -> (Vec<f32>, Payoffs);
}

/// Plays random moves to the end; has no preference among moves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Playout;

impl<G: Game> Evaluator<G> for Playout {
    fn evaluate<R: Rng>(
        &mut self,
        game: &G,
        moves: &[G::Move],
        rng: &mut R,
    ) -> (Vec<f32>, Payoffs) {
        (vec![1.0 / moves.len().max(1) as f32; moves.len()], playout(game.clone(), rng))
    }
}

/// Plays uniformly random moves from `game`, chance by its own probabilities, to the end.
pub fn playout<G: Game, R: Rng>(mut game: G, rng: &mut R) -> Payoffs {
    loop {
        let mv = match game.actor() {
            Actor::Terminal(payoffs) => return payoffs,
            Actor::Chance(outcomes) => sample(&outcomes, rng),
            Actor::Player(_) => {
                let moves: Vec<G::Move> = game.legal_moves().into_iter().collect();
                moves[rng.random_range(..moves.len())]
            }
        };
        game.play(mv);
    }
}

/// One of `outcomes`, each as likely as it says.
///
/// # Panics
/// If there is none.
pub fn sample<M: Copy, R: Rng>(outcomes: &[(M, f64)], rng: &mut R) -> M {
    let mut left = rng.random::<f64>();
    let drawn = outcomes.iter().find(|(_, probability)| {
        left -= probability;
        left < 0.0
    });
    drawn.or(outcomes.last()).expect("a chance node has outcomes").0
}

/// How a move to try is chosen among those of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Selection {
    /// Mean + c sqrt(ln N / n), unvisited moves first. c = 0 is greedy; sqrt 2 is Auer's choice for
    /// rewards in [0, 1].
    Ucb1 {
        /// Weight of exploration.
        c: f64,
    },
    /// Mean + c P sqrt N / (1 + n), with an evaluator's prior P; an unvisited move counts as a draw.
    Puct {
        /// Weight of exploration.
        c: f64,
    },
}

/// What is known of one move: how often it was tried and what it brought the player who made it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Arm {
    /// Simulations through it.
    pub visits: u32,
    /// Sum of rewards, each from 0 (worst) to 1 (best).
    pub reward: f64,
    /// The evaluator's prior.
    pub prior: f32,
}

impl Arm {
    /// Mean reward; 0 if never tried.
    pub fn mean(&self) -> f64 {
        if self.visits == 0 { 0.0 } else { self.reward / f64::from(self.visits) }
    }

    /// Adds one simulation.
    pub fn update(&mut self, reward: f64) {
        self.visits += 1;
        self.reward += reward;
    }

    /// What is added to the mean to make rare moves worth a try; infinite for an unvisited one.
    pub fn ucb1_bonus(&self, parent_visits: u32, c: f64) -> f64 {
        if self.visits == 0 {
            return f64::INFINITY;
        }
        c * (f64::from(parent_visits).ln() / f64::from(self.visits)).sqrt()
    }
}

impl Selection {
    /// How urgent it is to try `arm` of a node visited `parent_visits` times.
    pub fn urgency(self, arm: &Arm, parent_visits: u32) -> f64 {
        match self {
            Self::Ucb1 { c } => arm.mean() + arm.ucb1_bonus(parent_visits, c),
            Self::Puct { c } => {
                let mean = if arm.visits == 0 { 0.5 } else { arm.mean() };
                let spread = f64::from(parent_visits.max(1)).sqrt() / f64::from(1 + arm.visits);
                mean + c * f64::from(arm.prior) * spread
            }
        }
    }

    /// The index of the first most urgent arm; `None` if there is none.
    pub fn select(self, arms: &[Arm], parent_visits: u32) -> Option<usize> {
        first_max(arms.iter().map(|arm| self.urgency(arm, parent_visits)))
    }
}

/// The arm to play in the end: the first of the most visited, whatever its mean.
pub fn most_visited(arms: &[Arm]) -> Option<usize> {
    first_max(arms.iter().map(|arm| f64::from(arm.visits)))
}

/// The index of the first greatest number.
fn first_max(values: impl Iterator<Item = f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (index, value) in values.enumerate() {
        if best.is_none_or(|(_, best)| value > best) {
            best = Some((index, value));
        }
    }
    best.map(|(index, _)| index)
}

/// Backpropagation: every move of the path is credited with what the result is worth to the player
/// who made it, by `reward`.
pub fn back_up<P>(path: &mut [(P, Arm)], reward: impl Fn(&P) -> f64) {
    for (mover, arm) in path {
        arm.update(reward(mover));
    }
}

/// Utilities as rewards: the game's bounds become 0 and 1, so that a draw of a symmetric game is 0.5.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    low: f64,
    width: f64,
}

impl Scale {
    /// The scale of a game. Without finite bounds utilities are taken as they are.
    pub fn of<G: Game>(game: &G) -> Self {
        let (low, high) = game.utility_bounds();
        let width = high - low;
        let finite = low.is_finite() && width.is_finite() && width > 0.0;
        if finite { Self { low, width } } else { Self { low: 0.0, width: 1.0 } }
    }

    /// The reward for a utility.
    pub fn reward(&self, utility: f64) -> f64 {
        (utility - self.low) / self.width
    }

    /// The utility for a reward.
    pub fn utility(&self, reward: f64) -> f64 {
        self.low + reward * self.width
    }
}

/// What a Monte-Carlo search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate<M> {
    /// Mean utility of the decision to its player.
    pub value: f64,
    /// The most visited move, or the best on average where all are tried alike.
    pub decision: Option<M>,
    /// Most visited moves onwards from the root, while a player decides.
    pub pv: Vec<M>,
    /// The root's moves.
    pub arms: Vec<(M, Arm)>,
    /// Simulations done.
    pub simulations: u32,
    /// Nodes are positions stepped through in the tree, leaves are evaluations.
    pub counters: Counters,
}

/// Flat Monte-Carlo: spreads `simulations` playouts evenly over the root's moves and takes the one
/// with the best mean. It never learns that an opponent has a refutation. Stopped early, it answers with
/// what it has.
pub fn flat_monte_carlo<G: Game, R: Rng>(
    game: &G,
    simulations: u32,
    rng: &mut R,
    control: &mut Control<'_>,
) -> Estimate<G::Move> {
    let scale = Scale::of(game);
    let mut arms = untried(game);
    let (player, count) = (game.to_move(), arms.len().max(1));
    let mut done = 0;
    while done < simulations && !arms.is_empty() && control.node().is_ok() {
        let (mv, arm) = &mut arms[done as usize % count];
        let mut child = game.clone();
        child.play(*mv);
        control.counters.leaves += 1;
        arm.update(scale.reward(playout(child, rng)[player]));
        done += 1;
    }
    let best = first_max(arms.iter().map(|(_, arm)| arm.mean())).map(|index| arms[index]);
    Estimate {
        value: best.map_or(0.0, |(_, arm)| scale.utility(arm.mean())),
        decision: best.map(|(mv, _)| mv),
        pv: best.iter().map(|(mv, _)| *mv).collect(),
        arms,
        simulations: done,
        counters: control.counters,
    }
}

/// The moves a player may choose from, none of them tried yet; none where nobody chooses.
pub(super) fn untried<G: Game>(game: &G) -> Vec<(G::Move, Arm)> {
    match game.actor() {
        Actor::Player(_) => game.legal_moves().into_iter().map(|mv| (mv, Arm::default())).collect(),
        Actor::Chance(_) | Actor::Terminal(_) => vec![],
    }
}

/// A search tree, kept between moves if its owner likes.
#[derive(Debug, Clone)]
pub struct Mcts<G: Game> {
    nodes: Vec<Node<G::Move>>,
    selection: Selection,
    scale: Scale,
    /// Nodes added to the tree, evaluations made: what the four phases did.
    pub work: Work,
}

/// What the phases of the tree search did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Nodes added.
    pub expansions: u32,
    /// Evaluations, playouts usually. A simulation that ends at the end of the game needs none.
    pub evaluations: u32,
}

#[derive(Debug, Clone)]
struct Node<M> {
    /// Who chose the edges' moves; `None` for chance.
    player: Option<Player>,
    visits: u32,
    edges: Vec<Edge<M>>,
}

#[derive(Debug, Clone)]
struct Edge<M> {
    mv: M,
    arm: Arm,
    child: Option<u32>,
}

impl<G: Game> Mcts<G> {
    /// A tree of nothing but `root`.
    pub fn new<R: Rng>(
        root: &G,
        selection: Selection,
        evaluator: &mut impl Evaluator<G>,
        rng: &mut R,
    ) -> Self {
        let work = Work::default();
        let mut tree = Self { nodes: vec![], selection, scale: Scale::of(root), work };
        if let Selection::Puct { .. } = selection {
            tree.expand(root, evaluator, rng);
        } else {
            tree.add_node(root, &[]);
        }
        tree
    }

    /// Runs `simulations` more from `root`, which must be the position the tree was made with, fewer
    /// if `control` says so, and tells what the tree holds then.
    pub fn search<R: Rng>(
        &mut self,
        root: &G,
        evaluator: &mut impl Evaluator<G>,
        simulations: u32,
        rng: &mut R,
        control: &mut Control<'_>,
    ) -> Estimate<G::Move> {
        for _ in 0..simulations {
            if self.simulate(root.clone(), evaluator, rng, control).is_err() {
                break;
            }
        }
        self.estimate(control.counters)
    }

    /// One simulation: selection down the tree, expansion by a node, its evaluation, and backup.
    ///
    /// # Errors
    /// If `control` stopped it; the tree is unchanged.
    ///
    /// # Panics
    /// If `game` is not the position the tree was made with.
    pub fn simulate<R: Rng>(
        &mut self,
        mut game: G,
        evaluator: &mut impl Evaluator<G>,
        rng: &mut R,
        control: &mut Control<'_>,
    ) -> Result<Payoffs, Stopped> {
        let mut path: Vec<(usize, usize)> = vec![];
        let mut node = 0;
        let payoffs = loop {
            control.node()?;
            let mv = match game.actor() {
                Actor::Terminal(payoffs) => break payoffs,
                Actor::Chance(outcomes) => sample(&outcomes, rng),
                Actor::Player(_) => {
                    let arms: Vec<Arm> =
                        self.nodes[node].edges.iter().map(|edge| edge.arm).collect();
                    let visits = self.nodes[node].visits;
                    let chosen = self.selection.select(&arms, visits);
                    self.nodes[node].edges[chosen.expect("a node in play has moves")].mv
                }
            };
            let edges = &self.nodes[node].edges;
            let edge =
                edges.iter().position(|edge| edge.mv == mv).expect("a legal move has its edge");
            path.push((node, edge));
            game.play(mv);
            if let Some(child) = self.nodes[node].edges[edge].child {
                node = child as usize;
            } else if let Some(payoffs) = game.outcome() {
                break payoffs; // the end is known: nothing to expand, nothing to play out
            } else {
                self.nodes[node].edges[edge].child = Some(self.nodes.len() as u32);
                control.counters.leaves += 1;
                break self.expand(&game, evaluator, rng);
            }
        };
        for (node, edge) in path {
            let node = &mut self.nodes[node];
            node.visits += 1;
            let reward = node.player.map_or(0.5, |player| self.scale.reward(payoffs[player]));
            node.edges[edge].arm.update(reward);
        }
        Ok(payoffs)
    }

    fn expand<R: Rng>(
        &mut self,
        game: &G,
        evaluator: &mut impl Evaluator<G>,
        rng: &mut R,
    ) -> Payoffs {
        let moves: Vec<G::Move> = game.legal_moves().into_iter().collect();
        let (priors, payoffs) = evaluator.evaluate(game, &moves, rng);
        self.work.evaluations += 1;
        self.work.expansions += u32::from(!self.nodes.is_empty());
        self.add_node(game, &priors);
        payoffs
    }

    fn add_node(&mut self, game: &G, priors: &[f32]) {
        let (player, moves): (_, Vec<G::Move>) = match game.actor() {
            Actor::Terminal(_) => (None, vec![]),
            Actor::Chance(outcomes) => (None, outcomes.into_iter().map(|(mv, _)| mv).collect()),
            Actor::Player(player) => (Some(player), game.legal_moves().into_iter().collect()),
        };
        let prior = |index| priors.get(index).copied().unwrap_or_default();
        let edges = moves
            .into_iter()
            .enumerate()
            .map(|(index, mv)| Edge {
                mv,
                arm: Arm { prior: prior(index), ..Arm::default() },
                child: None,
            })
            .collect();
        self.nodes.push(Node { player, visits: 0, edges });
    }

    /// What the tree says now.
    pub fn estimate(&self, counters: Counters) -> Estimate<G::Move> {
        let root = &self.nodes[0];
        let arms: Vec<(G::Move, Arm)> = root.edges.iter().map(|edge| (edge.mv, edge.arm)).collect();
        let decision = root.player.and_then(|_| Self::favourite(root));
        let mut pv = vec![];
        let mut next = Some(root);
        while let Some(node) = next.filter(|node| node.player.is_some()) {
            let Some(edge) = Self::favourite(node).filter(|edge| edge.arm.visits > 0) else {
                break;
            };
            pv.push(edge.mv);
            next = edge.child.map(|child| &self.nodes[child as usize]);
        }
        Estimate {
            value: decision.map_or(0.0, |edge| self.scale.utility(edge.arm.mean())),
            decision: decision.map(|edge| edge.mv),
            pv,
            arms,
            simulations: root.visits,
            counters,
        }
    }

    fn favourite(node: &Node<G::Move>) -> Option<&Edge<G::Move>> {
        let arms: Vec<Arm> = node.edges.iter().map(|edge| edge.arm).collect();
        most_visited(&arms).map(|index| &node.edges[index])
    }
}
