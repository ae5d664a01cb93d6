//! Minimax, alpha-beta, tables, max^n.

use serde_json::{Value, json};
use tegenspel::{
    game::{Game, Keyed, Payoffs, perft},
    games::{TicTacToe, Tree, parse_json, tree::NodeKind},
    search::{
        Answer, BoundKind, Control, Entry, Event, Probe, Stopped, TieRule, Window, alphabeta,
        deepen, maxn, minimax, negamax, negamax_step, paranoid, ply_adjusted,
    },
};

use super::{Answers, answers, numbers};

type TreeAnswer = Answer<tegenspel::games::TreeMove>;

/// Deeper than any tree here.
pub(crate) const DEEP: u32 = 99;

pub(crate) fn tree(input: &Value) -> Tree {
    let mut file = input.clone();
    if let Some(keys) = file.as_object_mut().filter(|keys| keys.contains_key("tree")) {
        keys.retain(|key, _| key == "tree" || key == "players");
    }
    parse_json(&file.to_string()).unwrap()
}

pub(crate) fn search_minimax(tree: &Tree) -> TreeAnswer {
    let game = tree.classical().unwrap();
    minimax(&game, 0, DEEP, &|_, _| 0.0, &mut Control::default(), &mut ()).unwrap()
}

pub(crate) fn search_alphabeta(tree: &Tree) -> (TreeAnswer, Vec<f64>) {
    let game = tree.classical().unwrap();
    let mut seen = vec![];
    let control = &mut Control::default();
    let answer = alphabeta(&game, 0, DEEP, Window::OPEN, &|_, _| 0.0, control, &mut seen).unwrap();
    let leaf = |event| if let Event::Leaf(value) = event { Some(value) } else { None };
    (answer, seen.into_iter().filter_map(leaf).collect())
}

/// The names of all root moves as good as the best.
pub(crate) fn best_moves(tree: &Tree, answer: &TreeAnswer) -> Vec<String> {
    let best = answer.moves.iter().filter(|(_, value)| (value - answer.value).abs() < 1e-9);
    best.flat_map(|(mv, _)| tree.names(&[*mv])).collect()
}

pub(crate) fn child_values(answer: &TreeAnswer) -> Vec<f64> {
    answer.moves.iter().map(|(_, value)| *value).collect()
}

/// Names of moves as the cases write them: unnamed moves are numbers.
fn pv(tree: &Tree, answer: &TreeAnswer) -> Vec<Value> {
    let name =
        |name: String| name.parse::<u64>().map_or_else(|_| json!(name), |index| json!(index));
    tree.names(&answer.pv).into_iter().map(name).collect()
}

pub(crate) fn answer(kind: &str, input: &Value) -> Option<Answers> {
    Some(match kind {
        "minimax" => plain_minimax(&tree(input)),
        "negamax_tree" => {
            let tree = tree(input);
            let game = tree.classical().unwrap();
            let found = negamax(&game, DEEP, &|_, _| 0.0, &mut Control::default()).unwrap();
            let best = tree.names(&[found.decision.unwrap()]);
            answers! { "value" => found.value, "best_moves" => best }
        }
        "negamax_step" => {
            let (value, index) = negamax_step(&numbers(&input["child_values"])).unwrap();
            answers! { "value" => value, "best_index" => index }
        }
        "alphabeta" => alpha_beta(&tree(input)),
        "ab_node" => alpha_beta_node(input),
        "tt_probe" => probe(input),
        "order_invariance" => orders(input),
        "guarantee" => guarantee(input, "strategy_move"),
        "guarantee_ties" => guarantee(input, "pick"),
        "ply_score" => ply_scores(input),
        "ttt_position" => position(input),
        "ttt_transposition" => {
            let mut keys = input["lines"].as_array().unwrap().iter().map(|line| {
                let mut game = TicTacToe::default();
                for square in numbers(line) {
                    game.play(square as u8);
                }
                game.key()
            });
            answers! { "same_state" => keys.next() == keys.next() }
        }
        "id_interrupt" => interrupted(input),
        "maxn" => max_n(input),
        "maxn_tie" => {
            let possible = [TieRule::WorstFor(0), TieRule::BestFor(0)];
            let tree = tree(&with_players(input));
            answers! { "possible_for_A" => possible.map(|ties| vector_of(&tree, ties).0[0]) }
        }
        "maxn_tierule" => {
            let tree = tree(&with_players(input));
            let with = |ties| {
                let (vector, mv) = vector_of(&tree, ties);
                json!({ "move": mv, "vector": vector.shares(3) })
            };
            answers! {
                "min_for_A" => with(TieRule::WorstFor(0)),
                "max_for_A" => with(TieRule::BestFor(0)),
            }
        }
        "paranoid" => paranoid_value(input),
        _ => return None,
    })
}

fn plain_minimax(tree: &Tree) -> Answers {
    let found = search_minimax(tree);
    let (pruned, _) = search_alphabeta(tree);
    assert_eq!(found.value.to_bits(), pruned.value.to_bits());
    let leaves_below = |name: &str| {
        let edge = tree.nodes[0].edges.iter().find(|edge| edge.name == name)?;
        let leaf = |node: u32| match tree.nodes[node as usize].kind {
            NodeKind::Leaf(payoffs) => Some(payoffs[0]),
            _ => None,
        };
        let below = &tree.nodes[edge.to as usize].edges;
        Some(below.iter().filter_map(|edge| leaf(edge.to)).collect::<Vec<f64>>())
    };
    let mean = leaves_below("B").map(|all| all.iter().sum::<f64>() / all.len().max(1) as f64);
    answers! {
        "value" => found.value,
        "best_moves" => best_moves(tree, &found),
        "child_values" => child_values(&found),
        "pv" => pv(tree, &found),
        "pv_leaf" => leaf_of(tree, &found),
        "total_leaves" => found.counters.leaves,
        "mean_of_leaves_under_B" => mean,
        "ab_leaves" => pruned.counters.leaves,
    }
}

fn leaf_of(tree: &Tree, answer: &TreeAnswer) -> f64 {
    let mut game = tree.root();
    answer.pv.iter().for_each(|mv| game.play(*mv));
    game.outcome().unwrap()[0]
}

fn alpha_beta(tree: &Tree) -> Answers {
    let (found, sequence) = search_alphabeta(tree);
    let mut pruned: Vec<f64> = tree.leaves().map(|leaf| leaf[0]).collect();
    for value in &sequence {
        pruned.remove(pruned.iter().position(|leaf| leaf.to_bits() == value.to_bits()).unwrap());
    }
    answers! {
        "value" => found.value,
        "best_move" => tree.names(&[found.decision.unwrap()])[0],
        "leaves_evaluated" => found.counters.leaves,
        "total_leaves" => tree.leaves().count(),
        "leaf_sequence" => sequence,
        "pruned_leaves" => pruned,
    }
}

fn alpha_beta_node(input: &Value) -> Answers {
    let tree = tree(&json!({ "kind": input["kind"], "children": input["leaves"] }));
    let alpha = input["alpha"].as_f64().unwrap_or(f64::NEG_INFINITY);
    let beta = input["beta"].as_f64().unwrap_or(f64::INFINITY);
    let (game, control) = (tree.classical().unwrap(), &mut Control::default());
    let window = Window::new(alpha, beta);
    let found = alphabeta(&game, 0, DEEP, window, &|_, _| 0.0, control, &mut ()).unwrap();
    let bound = match BoundKind::of(found.value, alpha, beta) {
        BoundKind::Exact => "exact",
        BoundKind::Lower => "lower",
        BoundKind::Upper => "upper",
    };
    answers! {
        "evaluated" => found.counters.leaves, "returned" => found.value, "bound" => bound,
    }
}

fn probe(input: &Value) -> Answers {
    let stored = &input["entry"];
    let bound = match stored["bound"].as_str().unwrap() {
        "exact" => BoundKind::Exact,
        "lower" => BoundKind::Lower,
        _ => BoundKind::Upper,
    };
    let depth = stored["depth"].as_u64().unwrap() as u32;
    let value = stored["value"].as_f64().unwrap();
    let entry = Entry { depth, bound, value, best: Some(0_u8) };
    let need = input["need_depth"].as_u64().unwrap() as u32;
    let (alpha, beta) = (input["alpha"].as_f64().unwrap(), input["beta"].as_f64().unwrap());
    let probe = entry.probe(need, alpha, beta);
    let action = match probe {
        Probe::Exact(_) => "return_exact",
        Probe::Cutoff(_) => "cutoff",
        Probe::RaiseAlpha(_) => "raise_alpha",
        Probe::LowerBeta(_) => "lower_beta",
        Probe::MoveOnly => "search_use_move_only",
    };
    answers! { "action" => action, "exact_known" => matches!(probe, Probe::Exact(_)) }
}

fn permutations(items: &[Value]) -> Vec<Vec<Value>> {
    if items.len() < 2 {
        return vec![items.to_vec()];
    }
    let mut all = vec![];
    for first in 0..items.len() {
        let mut rest = items.to_vec();
        let head = rest.remove(first);
        all.extend(permutations(&rest).into_iter().map(|mut tail| {
            tail.insert(0, head.clone());
            tail
        }));
    }
    all
}

fn orders(input: &Value) -> Answers {
    let children = input["tree"]["children"].as_array().unwrap();
    let run = |children: &[Value]| {
        let tree = tree(&json!({ "kind": "max", "children": children }));
        let (found, _) = search_alphabeta(&tree);
        (found.value, found.counters.leaves)
    };
    let orders = permutations(children);
    let runs: Vec<(f64, u64)> = orders.iter().map(|order| run(order)).collect();
    let inner = orders.iter().all(|order| {
        permutations(order[0]["children"].as_array().unwrap()).into_iter().all(|leaves| {
            let mut order = order.clone();
            order[0]["children"] = json!(leaves);
            run(&order).0.to_bits() == runs[0].0.to_bits()
        })
    });
    let all_same = runs.iter().all(|run| run.0.to_bits() == runs[0].0.to_bits());
    answers! {
        "value_all_orders" => if all_same { json!(runs[0].0) } else { Value::Null },
        "min_leaves" => runs.iter().map(|run| run.1).min(),
        "max_leaves" => runs.iter().map(|run| run.1).max(),
        "orders" => orders.len(),
        "inner_orders" => inner,
    }
}

/// What the strategy that starts with a given move gets against every reply.
fn guarantee(input: &Value, key: &str) -> Answers {
    let tree = tree(input);
    let name = input[key].as_str().unwrap();
    let edge = tree.nodes[0].edges.iter().find(|edge| edge.name == name).unwrap();
    let replies = tree.nodes[edge.to as usize].edges.iter();
    let results: Vec<f64> = replies
        .filter_map(|edge| match tree.nodes[edge.to as usize].kind {
            NodeKind::Leaf(payoffs) => Some(payoffs[0]),
            _ => None,
        })
        .collect();
    let worst = results.iter().copied().fold(f64::INFINITY, f64::min);
    answers! {
        "worst" => worst,
        "floor" => worst,
        "best" => results.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "root" => search_minimax(&tree).value,
    }
}

fn ply_scores(input: &Value) -> Answers {
    let limit = input["limit"].as_f64().unwrap();
    let scores: Vec<f64> = input["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            let utility = match event[0].as_str().unwrap() {
                "win" => 1.0,
                "loss" => -1.0,
                _ => 0.0,
            };
            ply_adjusted(utility, event[1].as_u64().unwrap() as u32, limit)
        })
        .collect();
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    answers! { "scores" => scores, "order_best_first" => order }
}

pub(crate) fn board(input: &Value) -> TicTacToe {
    let turn = usize::from(input["to_move"].as_str() == Some("O"));
    TicTacToe::default().with_stones(input["board"].as_str().unwrap(), turn).unwrap()
}

fn position(input: &Value) -> Answers {
    let game = board(input);
    let me = game.to_move();
    let found = minimax(&game, me, DEEP, &|_, _| 0.0, &mut Control::default(), &mut ()).unwrap();
    let best = found.moves.iter().filter(|(_, value)| value.to_bits() == found.value.to_bits());
    let values: serde_json::Map<String, Value> =
        found.moves.iter().map(|(mv, value)| (mv.to_string(), json!(value))).collect();
    answers! {
        "value" => found.value,
        "best_moves" => best.map(|(mv, _)| *mv).collect::<Vec<u8>>(),
        "move_values" => values,
        "terminal" => game.outcome().is_some(),
        "legal_moves" => perft(&game, 1),
    }
}

fn interrupted(input: &Value) -> Answers {
    let completed = input["completed"].as_array().unwrap();
    let mut iterations = completed.iter().map(|iteration| iteration[1].clone());
    let first = completed[0][0].as_u64().unwrap() as u32;
    let partial = input["partial"][0].as_u64().unwrap() as u32;
    let found = deepen(first, partial, |_| iterations.next().ok_or(Stopped));
    answers! { "move" => found.unwrap() }
}

/// A tree of players as a file writes it: with their names.
fn with_players(input: &Value) -> Value {
    json!({ "players": input["players"], "tree": input["tree"] })
}

fn vector_of(tree: &Tree, ties: TieRule) -> (Payoffs, String) {
    let control = &mut Control::default();
    let found = maxn(&tree.root(), DEEP, ties, &|_| Payoffs::default(), control, &mut ()).unwrap();
    (found.value, tree.names(&[found.decision.unwrap()]).remove(0))
}

fn max_n(input: &Value) -> Answers {
    let tree = tree(&with_players(input));
    let players = tree.players.len();
    let control = &mut Control::default();
    let game = tree.root();
    let found =
        maxn(&game, DEEP, TieRule::First, &|_| Payoffs::default(), control, &mut ()).unwrap();
    let children: Vec<&[f64]> = found.moves.iter().map(|(_, v)| v.shares(players)).collect();
    // What a player would get who could pick each component from another leaf: no outcome at all.
    let mixed: Vec<f64> = (0..players)
        .map(|p| children.iter().map(|child| child[p]).fold(f64::NEG_INFINITY, f64::max))
        .collect();
    answers! {
        "vector" => found.value.shares(players),
        "move" => tree.names(&[found.decision.unwrap()])[0],
        "child_vectors" => children,
        "forbidden" => mixed,
    }
}

fn paranoid_value(input: &Value) -> Answers {
    let tree = tree(&with_players(input));
    let game = tree.deterministic().unwrap();
    let control = &mut Control::default();
    let found = paranoid(&game, 0, DEEP, Window::OPEN, &|_, _| 0.0, control, &mut ()).unwrap();
    // Without pruning: each child searched on its own with an open window.
    let values: Vec<f64> = game
        .legal_moves()
        .map(|mv| {
            let mut child = game;
            child.play(mv);
            let control = &mut Control::default();
            let eval = |_: &_, _| 0.0;
            paranoid(&child, 0, DEEP, Window::OPEN, &eval, control, &mut ()).unwrap().value
        })
        .collect();
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    answers! {
        "value" => found.value,
        "best_moves" => tree.names(&[found.decision.unwrap()]),
        "child_values" => values,
        "ab_same" => best.to_bits() == found.value.to_bits(),
    }
}
