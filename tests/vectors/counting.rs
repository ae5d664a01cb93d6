//! Sizes, sums and counts.

use std::collections::BTreeSet;

use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tegenspel::{
    game::{Game, Payoffs, Sum, perft},
    games::{
        TicTacToe,
        counting::{Backgammon, draughts_positions, known_game, two_dice},
    },
    search::{Control, arithmetic as math, minimax},
};

use super::{
    Answers, answers, numbers,
    trees::{DEEP, search_alphabeta, tree},
};

fn number(input: &Value, key: &str) -> u64 {
    input[key].as_u64().unwrap()
}

pub(crate) fn answer(kind: &str, input: &Value) -> Option<Answers> {
    Some(match kind {
        "uniform" => {
            let (b, depths) = (number(input, "b"), numbers(&input["depths"]));
            let all = |f: fn(u64, u32) -> u64| depths.iter().map(|&d| f(b, d as u32)).collect();
            let (leaves, nodes): (Vec<u64>, Vec<u64>) =
                (all(math::uniform_leaves), all(math::uniform_nodes));
            answers! { "leaves" => leaves, "total_nodes" => nodes }
        }
        "growth" => {
            let leaves = |key| math::uniform_leaves(number(input, "b"), number(input, key) as u32);
            answers! { "factor" => leaves("to") / leaves("from") }
        }
        "plies" => {
            let (agents, cycles) = (number(input, "agents"), number(input, "cycles"));
            answers! { "plies" => math::plies(agents as u32, cycles as u32) }
        }
        "perfect_ab" | "perfect_ab_budget" => perfect(input),
        "perfect_ab_measured" => measured(input),
        "id_overhead" => {
            let overhead = math::deepening_overhead(number(input, "b"), number(input, "d") as u32);
            answers! { "percent_1dp" => 100.0 * overhead }
        }
        "depth_budget" => {
            let b = number(input, "b");
            let budgets = numbers(&input["budgets"]);
            let depths: Vec<u32> =
                budgets.iter().map(|&budget| math::ideal_depth(b, budget as u64)).collect();
            answers! { "depth_floor" => depths, "perfect_leaves_depth8" => math::perfect_leaves(b, 8) }
        }
        "log10_power" => {
            let log = math::log10_power(number(input, "b"), number(input, "m") as u32);
            answers! { "floor_log10" => log.floor() }
        }
        "constant" => answers! { "value" => constant(input["expr"].as_str().unwrap()) },
        "weighted_sum" => {
            answers! { "value" => math::weighted_sum(&numbers(&input["w"]), &numbers(&input["x"])) }
        }
        "material_eval" => material(input),
        "bishop_pair" => bishops(input),
        "win_above_estimate" => {
            let win = input["win"].as_f64().unwrap();
            let clamped: Vec<f64> = numbers(&input["estimates"])
                .into_iter()
                .map(|estimate| math::clamp_below_win(estimate, win))
                .collect();
            answers! {
                "clamp_ok" => clamped[1].to_bits() == 12_f64.to_bits(),
                "max_nonterminal_below_win" => clamped.iter().all(|estimate| estimate.abs() < win),
            }
        }
        "ttt_counts" | "ttt_extra" => tic_tac_toe(),
        "dice" => dice(),
        "checkers_positions" => {
            let most = number(input, "max_pieces");
            let by_pieces: Vec<u64> = (1..=most).map(draughts_positions).collect();
            answers! { "total" => by_pieces.iter().sum::<u64>(), "by_pieces" => by_pieces }
        }
        "backgammon_moves" => backgammon(input),
        "classification" => {
            let games: Vec<_> = input["games"]
                .as_array()
                .unwrap()
                .iter()
                .map(|name| known_game(name.as_str().unwrap()).unwrap())
                .collect();
            let constant = |sum| sum != Sum::General;
            answers! {
                "stochastic" => games.iter().map(|game| game.chance).collect::<Vec<_>>(),
                "perfect_information" =>
                    games.iter().map(|game| game.perfect_information).collect::<Vec<_>>(),
                "constant_sum" => games.iter().map(|game| constant(game.sum)).collect::<Vec<_>>(),
            }
        }
        _ => return None,
    })
}

fn perfect(input: &Value) -> Answers {
    let (b, m) = (number(input, "b"), number(input, "m") as u32);
    let leaves = math::perfect_leaves(b, m);
    let earlier: u64 = (1..m).map(|depth| math::perfect_leaves(b, depth)).sum();
    let minimax = math::uniform_leaves(b, m);
    answers! {
        "leaves" => leaves,
        "minimax_depth4" => math::uniform_leaves(b, 4),
        "sum_1_to_7" => earlier,
        "ratio_percent" => (100.0 * earlier as f64 / leaves as f64).round(),
        "ab_leaves" => leaves,
        "ab_depth5_leaves" => math::perfect_leaves(b, 5),
        "minimax_leaves" => minimax,
        "fits" => input["budget"].as_u64().is_some_and(|budget| leaves <= budget),
    }
}

/// A uniform tree with random leaves, each node's children best first, and its value.
pub(crate) fn perfectly_ordered(b: u64, m: u32, max: bool, rng: &mut SmallRng) -> (f64, Value) {
    if m == 0 {
        let leaf = f64::from(rng.random_range(-1_000_000..1_000_000));
        return (leaf, json!(leaf));
    }
    let mut children: Vec<(f64, Value)> =
        (0..b).map(|_| perfectly_ordered(b, m - 1, !max, rng)).collect();
    children.sort_by(|a, b| if max { b.0.total_cmp(&a.0) } else { a.0.total_cmp(&b.0) });
    let value = children[0].0;
    let kind = if max { "max" } else { "min" };
    let children: Vec<Value> = children.into_iter().map(|(_, child)| child).collect();
    (value, json!({ "kind": kind, "children": children }))
}

fn measured(input: &Value) -> Answers {
    let mut rng = SmallRng::seed_from_u64(1975);
    let leaves: Vec<u64> = input["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| {
            let (b, m) = (case[0].as_u64().unwrap(), case[1].as_u64().unwrap() as u32);
            let (value, ordered) = perfectly_ordered(b, m, true, &mut rng);
            let (found, _) = search_alphabeta(&tree(&ordered));
            assert_eq!(found.value.to_bits(), value.to_bits());
            assert_eq!(found.counters.leaves, math::perfect_leaves(b, m));
            found.counters.leaves
        })
        .collect();
    answers! { "leaves" => leaves }
}

fn constant(expression: &str) -> u64 {
    let rolls_and_plays = two_dice().len() as u64 * 20;
    match expression {
        "19*19" => math::uniform_leaves(19, 2),
        "(21*20)**2" => math::uniform_leaves(rolls_and_plays, 2),
        "20*(21*20)**3" => 20 * math::uniform_leaves(rolls_and_plays, 3),
        other => panic!("what is {other}?"),
    }
}

fn material(input: &Value) -> Answers {
    let count = |side: &str| {
        let pieces = input[side].as_str().unwrap().chars();
        pieces.map(|piece| input["values"][piece.to_string()].as_f64().unwrap()).sum::<f64>()
    };
    let (white, black) = (count("white"), count("black"));
    let mobility = numbers(&input["mobility"]);
    let features = [white - black, mobility[0] - mobility[1]];
    let weights = [&input["w_material"], &input["w_mobility"]].map(|w| w.as_f64().unwrap());
    answers! {
        "white_material" => white, "black_material" => black, "material" => features[0],
        "mobility" => features[1], "score" => math::weighted_sum(&weights, &features),
    }
}

fn bishops(input: &Value) -> Answers {
    let (bishop, bonus) = (input["bishop"].as_f64().unwrap(), input["bonus"].as_f64().unwrap());
    // The pair is a feature of its own: no weight on the number of bishops says the same.
    let score = |bishops: f64| {
        math::weighted_sum(&[bishop, bonus], &[bishops, f64::from(u8::from(bishops >= 2.0))])
    };
    let additive = math::weighted_sum(&[bishop], &[2.0]);
    answers! { "one" => score(1.0), "two" => score(2.0), "additive_two" => additive }
}

#[derive(Default)]
struct Census {
    games: [u64; 3],
    by_length: [u64; 10],
    nodes: u64,
    positions: BTreeSet<TicTacToe>,
}

impl Census {
    fn take(&mut self, game: TicTacToe, ply: usize) {
        self.nodes += 1;
        self.positions.insert(game);
        if let Some(payoffs) = game.outcome() {
            let winner = (0..2).find(|&player| payoffs[player] > 0.0).unwrap_or(2);
            self.games[winner] += 1;
            self.by_length[ply] += 1;
            return;
        }
        for square in game.legal_moves() {
            let mut child = game;
            child.play(square);
            self.take(child, ply + 1);
        }
    }
}

fn tic_tac_toe() -> Answers {
    let start = TicTacToe::default();
    let mut census = Census::default();
    census.take(start, 0);
    let control = &mut Control::default();
    let value = minimax(&start, 0, DEEP, &|_, _| 0.0, control, &mut ()).unwrap().value;
    let shapes: BTreeSet<TicTacToe> = census.positions.iter().map(TicTacToe::canonical).collect();
    let lengths: serde_json::Map<String, Value> =
        (5..=9).map(|ply| (ply.to_string(), json!(census.by_length[ply]))).collect();
    answers! {
        "orders_9_factorial" => (1..=9_u64).product::<u64>(),
        "games" => census.games.iter().sum::<u64>(),
        "x_wins" => census.games[0],
        "o_wins" => census.games[1],
        "draws" => census.games[2],
        "positions" => census.positions.len(),
        "games_by_length" => lengths,
        "tree_nodes" => census.nodes,
        "positions_up_to_symmetry" => shapes.len(),
        "start_value" => value,
        "terminal_positions" =>
            census.positions.iter().filter(|game| game.outcome().is_some()).count(),
        "perft" => (0..=9).map(|depth| perft(&start, depth)).collect::<Vec<_>>(),
    }
}

type Rolls<'r> = Vec<&'r ((u8, u8), f64)>;

fn dice() -> Answers {
    let rolls = two_dice();
    let (doubles, others): (Rolls<'_>, Rolls<'_>) = rolls.iter().partition(|((a, b), _)| a == b);
    let fraction = |p: f64| [1, (1.0 / p).round() as u64];
    let ordered: f64 = rolls.iter().map(|(_, p)| p * 36.0).sum();
    answers! {
        "ordered" => ordered.round(),
        "distinct" => rolls.len(),
        "doubles" => doubles.len(),
        "p_double" => fraction(doubles[0].1),
        "nondoubles" => others.len(),
        "p_nondouble" => fraction(others[0].1),
        "sum" => rolls.iter().map(|(_, p)| p).sum::<f64>(),
        "nondouble_over_double" => others[0].1 / doubles[0].1,
    }
}

fn backgammon(input: &Value) -> Answers {
    let read = |side: &str| {
        let mut points = [0; 26];
        for (point, count) in input[side].as_object().unwrap() {
            points[point.parse::<usize>().unwrap()] = count.as_u64().unwrap() as u8;
        }
        points
    };
    let start = Backgammon { own: read("white"), other: read("black") };
    let roll = numbers(&input["roll"]);
    let dice = (roll[0] as u8, roll[1] as u8);
    let results = start.after_roll(dice);
    let mut plays: Vec<(Backgammon, [(u8, u8); 2])> = vec![];
    for (first, second) in [dice, (dice.1, dice.0)] {
        for from in 0..=24 {
            let Some(middle) = start.step(from, first) else { continue };
            for next in 0..=24 {
                let Some(end) = middle.step(next, second) else { continue };
                let mut steps = [(from, from + first), (next, next + second)];
                steps.sort_unstable();
                if results.contains(&end) && plays.iter().all(|(known, _)| *known != end) {
                    plays.push((end, steps));
                }
            }
        }
    }
    plays.sort_by_key(|(_, [first, second])| (second.1 != 11, second.0 != 19, first.1));
    let text = |steps: &[(u8, u8); 2]| {
        let [(a, b), (c, d)] = steps;
        format!("({a}-{b},{c}-{d})")
    };
    answers! {
        "plays" => plays.iter().map(|(_, steps)| text(steps)).collect::<Vec<_>>(),
        "distinct_results" => results.len(),
    }
}

/// Payoffs of uneven games are vectors; here so that the type is exercised.
#[test]
fn a_payoff_vector_has_one_share_a_player() {
    assert_eq!(Payoffs::won_by(1, 3).shares(3), [-0.5, 1.0, -0.5]);
}
