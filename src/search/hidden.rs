//! Hidden information: perfect-information Monte-Carlo as GIB plays bridge (Ginsberg 2001),
//! information-set Monte-Carlo tree search (Cowling, Powley & Whitehouse 2012), and counterfactual
//! regret minimisation (Zinkevich et al. 2007; CFR+: Tammelin 2014).

use std::collections::{BTreeMap, HashMap};

use rand::Rng;

use crate::game::{Actor, Hidden, Payoffs, Player};

use super::{
    control::{Control, Stopped},
    montecarlo::{Arm, Estimate, Scale, Selection, most_visited, playout, sample, untried},
};

/// Deals what the mover does not see anew, `deals` times, scores every move in every deal by `judge`
/// as if all were open, and takes the best average.
///
/// That is not optimal, however many the deals: in each of them the search may play on as if it
/// knew which one it is (strategy fusion; Frank & Basin 1998).
///
/// # Errors
/// If `control` stopped the search.
pub fn determinised<G: Hidden, R: Rng>(
    game: &G,
    deals: u32,
    rng: &mut R,
    control: &mut Control<'_>,
    mut judge: impl FnMut(&G, Player, &mut Control<'_>) -> Result<f64, Stopped>,
) -> Result<Estimate<G::Move>, Stopped> {
    let player = game.to_move();
    let mut arms = untried(game);
    for _ in 0..deals {
        let deal = game.resample(player, rng);
        for (mv, arm) in &mut arms {
            let mut child = deal.clone();
            child.play(*mv);
            arm.update(judge(&child, player, control)?);
        }
    }
    let averages: Vec<f64> = arms.iter().map(|(_, arm)| arm.mean()).collect();
    let decision = best_averages(&averages, 0.0).first().map(|&index| arms[index]);
    Ok(Estimate {
        value: decision.map_or(0.0, |(_, arm)| arm.mean()),
        decision: decision.map(|(mv, _)| mv),
        pv: decision.iter().map(|(mv, _)| *mv).collect(),
        arms,
        simulations: deals,
        counters: control.counters,
    })
}

/// The indices of all averages within `tolerance` of the best.
pub fn best_averages(averages: &[f64], tolerance: f64) -> Vec<usize> {
    let best = averages.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..averages.len()).filter(|&index| averages[index] >= best - tolerance).collect()
}

/// Information-set Monte-Carlo tree search: `simulations` deals, each played through one tree whose
/// nodes are information sets, so that a player chooses alike wherever he cannot tell the difference.
/// An arm's exploration term counts the simulations in which its move was legal.
pub fn information_set_mcts<G: Hidden, R: Rng>(
    game: &G,
    simulations: u32,
    c: f64,
    rng: &mut R,
    control: &mut Control<'_>,
) -> Estimate<G::Move> {
    let mut tree = InformationTree { c, scale: Scale::of(game), sets: HashMap::new() };
    let player = game.to_move();
    let mut done = 0;
    while done < simulations {
        let deal = game.resample(player, rng);
        if tree.simulate(deal, rng, control).is_err() {
            break;
        }
        done += 1;
    }
    let bandit = tree.sets.remove(&game.information(player)).unwrap_or_default();
    let arms: Vec<(G::Move, Arm)> = bandit.iter().map(|(mv, arm, _)| (*mv, *arm)).collect();
    let plain: Vec<Arm> = arms.iter().map(|(_, arm)| *arm).collect();
    let best = most_visited(&plain).map(|index| arms[index]);
    Estimate {
        value: best.map_or(0.0, |(_, arm)| tree.scale.utility(arm.mean())),
        decision: best.map(|(mv, _)| mv),
        pv: best.iter().map(|(mv, _)| *mv).collect(),
        arms,
        simulations: done,
        counters: control.counters,
    }
}

/// Moves, what they brought, and how often each could have been chosen.
type Bandit<M> = Vec<(M, Arm, u32)>;

struct InformationTree<G: Hidden> {
    c: f64,
    scale: Scale,
    sets: HashMap<G::Information, Bandit<G::Move>>,
}

impl<G: Hidden> InformationTree<G> {
    fn simulate<R: Rng>(
        &mut self,
        mut game: G,
        rng: &mut R,
        control: &mut Control<'_>,
    ) -> Result<(), Stopped> {
        let mut path: Vec<(G::Information, usize, Player)> = vec![];
        let payoffs = loop {
            control.node()?;
            let player = match game.actor() {
                Actor::Terminal(payoffs) => break payoffs,
                Actor::Chance(outcomes) => {
                    game.play(sample(&outcomes, rng));
                    continue;
                }
                Actor::Player(player) => player,
            };
            let key = game.information(player);
            let fresh = !self.sets.contains_key(&key);
            let bandit = self.sets.entry(key.clone()).or_default();
            let chosen = Self::choose(bandit, game.legal_moves(), self.c);
            game.play(bandit[chosen].0);
            path.push((key, chosen, player));
            if fresh {
                control.counters.leaves += 1;
                break playout(game, rng);
            }
        };
        for (key, chosen, player) in path {
            let bandit = self.sets.get_mut(&key).expect("the path leads through the tree");
            bandit[chosen].1.update(self.scale.reward(payoffs[player]));
        }
        Ok(())
    }

    fn choose(bandit: &mut Bandit<G::Move>, legal: G::Moves, c: f64) -> usize {
        let mut best: Option<(usize, f64)> = None;
        for mv in legal {
            let index = bandit.iter().position(|(known, ..)| *known == mv).unwrap_or_else(|| {
                bandit.push((mv, Arm::default(), 0));
                bandit.len() - 1
            });
            let (_, arm, available) = &mut bandit[index];
            *available += 1;
            let urgency = Selection::Ucb1 { c }.urgency(arm, *available);
            if best.is_none_or(|(_, best)| urgency > best) {
                best = Some((index, urgency));
            }
        }
        best.expect("a position that is not over has a move").0
    }
}

/// A mixed strategy: what each information set plays, with which probability.
pub type Strategy<I, M> = BTreeMap<I, Vec<(M, f64)>>;

/// Counterfactual regret minimisation for two players: in self-play every information set follows its
/// regrets, and the average strategy tends to an equilibrium. This is CFR+: regrets never fall
/// below 0, players are updated in turn, later iterations weigh more.
#[derive(Debug, Clone)]
pub struct Cfr<G: Hidden> {
    sets: BTreeMap<G::Information, RegretSet<G::Move>>,
    iterations: u32,
}

#[derive(Debug, Clone)]
struct RegretSet<M> {
    moves: Vec<M>,
    /// What is played during one walk: the regrets change on the way.
    current: Vec<f64>,
    regret: Vec<f64>,
    average: Vec<f64>,
}

fn normalised(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    weights.iter().map(|weight| if total > 0.0 { weight / total } else { even }).collect()
}

impl<G: Hidden> Default for Cfr<G> {
    fn default() -> Self {
        Self { sets: BTreeMap::new(), iterations: 0 }
    }
}

impl<G: Hidden> Cfr<G> {
    /// Runs `iterations` more over the whole game.
    ///
    /// # Errors
    /// If `control` stopped the search; the finished iterations stand.
    pub fn train(
        &mut self,
        game: &G,
        iterations: u32,
        control: &mut Control<'_>,
    ) -> Result<(), Stopped> {
        for _ in 0..iterations {
            self.iterations += 1;
            for player in 0..2 {
                self.walk(game, player, 1.0, 1.0, control)?;
                for set in self.sets.values_mut() {
                    for regret in &mut set.regret {
                        *regret = regret.max(0.0);
                    }
                    set.current = normalised(&set.regret);
                }
            }
        }
        Ok(())
    }

    /// The utility to `player` if all follow their current strategies; updates his regrets. `own` is
    /// the probability with which he himself comes here, `others` that of everybody else, chance
    /// included.
    fn walk(
        &mut self,
        game: &G,
        player: Player,
        own: f64,
        others: f64,
        control: &mut Control<'_>,
    ) -> Result<f64, Stopped> {
        control.node()?;
        let mover = match game.actor() {
            Actor::Terminal(payoffs) => {
                control.counters.leaves += 1;
                return Ok(payoffs[player]);
            }
            Actor::Chance(outcomes) => {
                let mut sum = 0.0;
                for (mv, probability) in outcomes {
                    let mut child = game.clone();
                    child.play(mv);
                    sum += probability
                        * self.walk(&child, player, own, others * probability, control)?;
                }
                return Ok(sum);
            }
            Actor::Player(mover) => mover,
        };
        let key = game.information(mover);
        let set = self.sets.entry(key.clone()).or_insert_with(|| {
            let moves: Vec<G::Move> = game.legal_moves().into_iter().collect();
            let none = vec![0.0; moves.len()];
            RegretSet { moves, current: normalised(&none), regret: none.clone(), average: none }
        });
        let (strategy, moves) = (set.current.clone(), set.moves.clone());
        let mut values = Vec::with_capacity(moves.len());
        for (&mv, &probability) in moves.iter().zip(&strategy) {
            let mut child = game.clone();
            child.play(mv);
            let (own, others) = if mover == player {
                (own * probability, others)
            } else {
                (own, others * probability)
            };
            values.push(self.walk(&child, player, own, others, control)?);
        }
        let value: f64 = values.iter().zip(&strategy).map(|(value, p)| value * p).sum();
        if mover == player {
            let weight = f64::from(self.iterations);
            let set = self.sets.get_mut(&key).expect("it was entered above");
            for (index, action) in values.iter().enumerate() {
                set.regret[index] += others * (action - value);
                set.average[index] += weight * own * strategy[index];
            }
        }
        Ok(value)
    }

    /// The average strategy, which is the answer.
    pub fn strategy(&self) -> Strategy<G::Information, G::Move> {
        self.sets
            .iter()
            .map(|(key, set)| {
                let weights = normalised(&set.average);
                (key.clone(), set.moves.iter().copied().zip(weights).collect())
            })
            .collect()
    }
}

/// What `strategy` has `mover` play; all his moves alike where it says nothing.
fn mixed<G: Hidden>(
    game: &G,
    mover: Player,
    strategy: &Strategy<G::Information, G::Move>,
) -> Vec<(G::Move, f64)> {
    strategy.get(&game.information(mover)).cloned().unwrap_or_else(|| {
        let moves: Vec<G::Move> = game.legal_moves().into_iter().collect();
        let even = 1.0 / moves.len() as f64;
        moves.into_iter().map(|mv| (mv, even)).collect()
    })
}

/// What every player gets if all follow `strategy`; where it says nothing they move at random.
pub fn expected<G: Hidden>(game: &G, strategy: &Strategy<G::Information, G::Move>) -> Payoffs {
    let outcomes: Vec<(G::Move, f64)> = match game.actor() {
        Actor::Terminal(payoffs) => return payoffs,
        Actor::Chance(outcomes) => outcomes,
        Actor::Player(mover) => mixed(game, mover, strategy),
    };
    outcomes.into_iter().filter(|(_, p)| *p > 0.0).fold(Payoffs::default(), |sum, (mv, p)| {
        let mut child = game.clone();
        child.play(mv);
        sum + expected(&child, strategy) * p
    })
}

/// What `player` could get at most against `strategy`, if he knew it: his best reply, chosen for each
/// of his information sets as a whole; where it says nothing, it moves at random. An equilibrium is a
/// strategy that nobody can better.
pub fn best_response<G: Hidden>(
    game: &G,
    player: Player,
    strategy: &Strategy<G::Information, G::Move>,
) -> f64 {
    respond(&[(game.clone(), 1.0)], player, strategy)
}

/// The value to `player` of a set of positions with their weights, summed. Positions are advanced
/// until he must choose, gathered by what he knows, and answered alike.
fn respond<G: Hidden>(
    positions: &[(G, f64)],
    player: Player,
    strategy: &Strategy<G::Information, G::Move>,
) -> f64 {
    let mut value = 0.0;
    let mut waiting: BTreeMap<G::Information, Vec<(G, f64)>> = BTreeMap::new();
    let mut open = positions.to_vec();
    while let Some((game, weight)) = open.pop() {
        let outcomes: Vec<(G::Move, f64)> = match game.actor() {
            Actor::Terminal(payoffs) => {
                value += weight * payoffs[player];
                continue;
            }
            Actor::Player(mover) if mover == player => {
                waiting.entry(game.information(player)).or_default().push((game, weight));
                continue;
            }
            Actor::Player(mover) => mixed(&game, mover, strategy),
            Actor::Chance(outcomes) => outcomes,
        };
        for (mv, probability) in outcomes {
            let mut child = game.clone();
            child.play(mv);
            open.push((child, weight * probability));
        }
    }
    for positions in waiting.into_values() {
        let moves = positions[0].0.legal_moves();
        value += moves
            .into_iter()
            .map(|mv| {
                let children: Vec<(G, f64)> = positions
                    .iter()
                    .map(|(game, weight)| {
                        let mut child = game.clone();
                        child.play(mv);
                        (child, *weight)
                    })
                    .collect();
                respond(&children, player, strategy)
            })
            .fold(f64::NEG_INFINITY, f64::max);
    }
    value
}

/// How far `strategy` is from an equilibrium of a two-player zero-sum game: what both players together
/// could gain by best replies.
pub fn exploitability<G: Hidden>(game: &G, strategy: &Strategy<G::Information, G::Move>) -> f64 {
    let replies = best_response(game, 0, strategy) + best_response(game, 1, strategy);
    replies - game.properties().sum.total()
}
