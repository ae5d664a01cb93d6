//! Chance nodes, lotteries, hidden information.

use rand::{SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tegenspel::{
    game::{Actor, Game, Payoffs, Sum},
    games::{Poker, PokerMove, Tree, TreeMove, parse_json, tree::NodeKind},
    search::{
        Answer, Cfr, Control, Model, Pruning, arithmetic, best_averages, chance_bound,
        determinised, expected, expectimax, expectiminimax, information_set_mcts,
    },
};

use super::{
    Answers, answers, numbers,
    trees::{DEEP, best_moves, child_values, search_minimax, tree},
};

pub(crate) fn search(tree: &Tree, pruning: Pruning) -> Answer<TreeMove> {
    let (game, control) = (tree.zero_sum().unwrap(), &mut Control::default());
    expectiminimax(&game, 0, DEEP, pruning, &|_, _| 0.0, control, &mut ()).unwrap()
}

pub(crate) fn answer(kind: &str, input: &Value) -> Option<Answers> {
    Some(match kind {
        "expectiminimax" | "mixed_agents" => {
            let tree = tree(input);
            let found = search(&tree, Pruning::Off);
            for pruning in [Pruning::Star1, Pruning::Star2] {
                assert!((search(&tree, pruning).value - found.value).abs() < 1e-9);
            }
            answers! {
                "value" => found.value,
                "best_moves" => best_moves(&tree, &found),
                "child_values" => child_values(&found),
            }
        }
        "expectimax_uniform" => uniform_opponent(&tree(input)),
        "chance_bound" => bound(input),
        "star1" => {
            let mut tree = tree(&input["tree"]);
            tree.bounds = (input["lo"].as_f64().unwrap(), input["hi"].as_f64().unwrap());
            let (plain, star) = (search(&tree, Pruning::Off), search(&tree, Pruning::Star1));
            answers! {
                "value" => star.value,
                "best_moves" => tree.names(&[star.decision.unwrap()]),
                "leaves_without_pruning" => plain.counters.leaves,
                "leaves_with_star1" => star.counters.leaves,
            }
        }
        "lottery_transform" => lotteries(input),
        "min_transform" => minima(input),
        "affine_invariance" => affine(input),
        "signed_square" => {
            let kept = |key| arithmetic::keeps_order(&numbers(&input[key]), |x| x * x);
            answers! {
                "positive_order_kept" => kept("positive"), "signed_order_kept" => kept("signed"),
            }
        }
        "constant_sum" => constant_sum(input),
        "strategy_fusion" => fusion(input),
        "pimc_average" => averages(input),
        "kuhn" => kuhn(),
        _ => return None,
    })
}

fn uniform_opponent(tree: &Tree) -> Answers {
    let (game, control) = (tree.root(), &mut Control::default());
    let models = [Model::Adversary, Model::Random];
    let eval = |_: &_, _| 0.0;
    let found = expectimax(&game, 0, DEEP, Pruning::Off, &models, &eval, control, &mut ()).unwrap();
    let minimax = search_minimax(tree);
    let choice = minimax.moves.iter().find(|(mv, _)| Some(*mv) == found.decision).unwrap();
    answers! {
        "values_2dp" => child_values(&found),
        "best_moves" => best_moves(tree, &found),
        "minimax_move" => tree.names(&[minimax.decision.unwrap()])[0],
        "minimax_value_of_choice" => choice.1,
    }
}

fn pairs(value: &Value) -> Vec<(f64, f64)> {
    let pair = |pair: &Value| (pair[0].as_f64().unwrap(), pair[1].as_f64().unwrap());
    value.as_array().unwrap().iter().map(pair).collect()
}

fn bound(input: &Value) -> Answers {
    let low = input["lo"].as_f64().unwrap_or(f64::NEG_INFINITY);
    let high = input["hi"].as_f64().unwrap_or(f64::INFINITY);
    let alpha = input["alpha"].as_f64().unwrap();
    let found = chance_bound(&pairs(&input["seen"]), (low, high), alpha);
    let (least, most) = found.interval;
    answers! {
        // An infinite bound is no number in JSON, and reads null.
        "interval" => [least, most],
        "prune" => found.prune,
        // Under a MIN parent nothing that follows can lift the parent above this child.
        "prune_parent_min_siblings" => found.prune,
    }
}

fn transform(input: &Value) -> impl Fn(f64) -> f64 {
    let power = match input["f"].as_str() {
        Some("cube") => Some(3),
        Some("square") => Some(2),
        _ => None,
    };
    let (a, c) = (input["a"].as_f64().unwrap_or(1.0), input["c"].as_f64().unwrap_or(0.0));
    move |x: f64| power.map_or(a * x + c, |power| x.powi(power))
}

fn choice(values: [f64; 2]) -> &'static str {
    if values[0] >= values[1] { "A" } else { "B" }
}

fn lotteries(input: &Value) -> Answers {
    let lotteries = ["A", "B"].map(|name| pairs(&input[name]));
    let before = [0, 1].map(|i| arithmetic::expected_utility(&lotteries[i], |x| x));
    let after = [0, 1].map(|i| arithmetic::expected_utility(&lotteries[i], transform(input)));
    let least = [0, 1].map(|i| {
        let outcomes: Vec<f64> = lotteries[i].iter().map(|outcome| outcome.1).collect();
        search_minimax(
            &parse_json(&json!({"kind": "min", "children": outcomes}).to_string()).unwrap(),
        )
        .value
    });
    answers! {
        "before" => before, "after" => after, "choice_before" => choice(before),
        "choice_after" => choice(after), "choice_min" => choice(least),
    }
}

fn minima(input: &Value) -> Answers {
    let least = |name: &str, f: &dyn Fn(f64) -> f64| {
        let leaves: Vec<f64> = numbers(&input[name]).into_iter().map(f).collect();
        search_minimax(&tree(&json!({ "kind": "min", "children": leaves }))).value
    };
    let before = ["A", "B"].map(|name| least(name, &|x| x));
    let after = ["A", "B"].map(|name| least(name, &transform(input)));
    answers! {
        "before" => before, "after" => after,
        "choice_before" => choice(before), "choice_after" => choice(after),
    }
}

fn affine(input: &Value) -> Answers {
    let before = tree(&json!({ "tree": input["tree"] }));
    let mut after = before.clone();
    let f = transform(input);
    for node in &mut after.nodes {
        if let NodeKind::Leaf(payoffs) = &mut node.kind {
            *payoffs = Payoffs::zero_sum(f(payoffs[0]));
        }
    }
    let (before, after) = (search(&before, Pruning::Off), search(&after, Pruning::Off));
    answers! { "same_move" => before.decision == after.decision, "value_after" => after.value }
}

fn constant_sum(input: &Value) -> Answers {
    let outcomes: Vec<Payoffs> = input["outcomes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|outcome| Payoffs::from_slice(&numbers(outcome)).unwrap())
        .collect();
    let sum = match Sum::of(&outcomes, 2) {
        Sum::Zero => json!(0),
        Sum::Constant(sum) => json!(sum),
        Sum::General => Value::Null,
    };
    answers! {
        "sum" => sum,
        "scalar_suffices" => tegenspel::games::tree::scalar_suffices(&outcomes, 2),
    }
}

/// The case as a game: chance deals, the player, who does not see the deal, takes the safe action or
/// the fork, and after the fork chooses again, still without seeing.
pub(crate) fn fusion_tree(input: &Value) -> Tree {
    let deal = |index: usize| {
        let safe = &input["actions"]["safe"]["payoff"][index];
        let options = &input["actions"]["fork"]["options"];
        json!({ "kind": "max", "info": "first", "moves": ["safe", "fork"], "children": [safe,
            { "kind": "max", "info": "fork", "moves": ["left", "right"],
              "children": [options["left"][index], options["right"][index]] }] })
    };
    tree(&json!({ "kind": "chance", "probs": input["deals"], "children": [deal(0), deal(1)] }))
}

fn fusion(input: &Value) -> Answers {
    let tree = fusion_tree(input);
    let mut game = tree.zero_sum().unwrap();
    game.play(TreeMove(0));
    let mut rng = SmallRng::seed_from_u64(33);
    let control = &mut Control::default();
    let judge = |deal: &_, player, control: &mut Control<'_>| {
        expectiminimax(deal, player, DEEP, Pruning::Off, &|_, _| 0.0, control, &mut ())
            .map(|found| found.value)
    };
    let fused = determinised(&game, 100, &mut rng, control, judge).unwrap();
    let in_deals = [0, 1].map(|deal| {
        let mut game = tree.zero_sum().unwrap();
        game.play(TreeMove(deal));
        let control = &mut Control::default();
        let eval = |_: &_, _| 0.0;
        let found = expectiminimax(&game, 0, DEEP, Pruning::Off, &eval, control, &mut ()).unwrap();
        name(found.decision)
    });
    let searched = information_set_mcts(&game, 4_000, 2.0, &mut rng, &mut Control::default());
    let mut cfr = Cfr::default();
    let start = tree.zero_sum().unwrap();
    cfr.train(&start, 500, &mut Control::default()).unwrap();
    let strategy = cfr.strategy();
    assert!((expected(&start, &strategy)[0] - 1.0).abs() < 0.05);
    let mut values = serde_json::Map::new();
    for (mv, arm) in &fused.arms {
        values.insert(name(Some(*mv)).to_owned(), json!(arm.mean()));
    }
    // By information set: one choice for all deals.
    let blind = |option: &str| {
        let payoffs = numbers(&input["actions"]["fork"]["options"][option]);
        arithmetic::weighted_sum(&numbers(&input["deals"]), &payoffs)
    };
    let safe = arithmetic::weighted_sum(
        &numbers(&input["deals"]),
        &numbers(&input["actions"]["safe"]["payoff"]),
    );
    answers! {
        "pimc_values" => values,
        "pimc_choice" => name(fused.decision),
        "optimal_in_every_deal" => if in_deals[0] == in_deals[1] { in_deals[0] } else { "none" },
        "information_set_values" => json!({ "safe": safe, "fork": blind("left").max(blind("right")) }),
        "information_set_choice" => name(searched.decision),
    }
}

fn name(mv: Option<TreeMove>) -> &'static str {
    if mv == Some(TreeMove(0)) { "safe" } else { "fork" }
}

fn averages(input: &Value) -> Answers {
    let tricks = input["tricks"].as_object().unwrap();
    let means: Vec<f64> = tricks
        .values()
        .map(|tricks| {
            let mut arm = tegenspel::search::Arm::default();
            for count in numbers(tricks) {
                arm.update(count);
            }
            arm.mean()
        })
        .collect();
    let names: Vec<&String> = tricks.keys().collect();
    let best: Vec<&String> = best_averages(&means, 0.0).into_iter().map(|i| names[i]).collect();
    let averages: serde_json::Map<String, Value> =
        names.iter().zip(&means).map(|(name, mean)| ((*name).clone(), json!(mean))).collect();
    answers! { "averages" => averages, "best" => best }
}

fn kuhn() -> Answers {
    let game = Poker::kuhn();
    let mut cfr = Cfr::default();
    cfr.train(&game, 2_000, &mut Control::default()).unwrap();
    let strategy = cfr.strategy();
    let value = expected(&game, &strategy)[0];
    assert!((value + 1.0 / 18.0).abs() < 1e-3, "{value}");
    let mut first = game.clone();
    first.play(PokerMove::Deal(0));
    first.play(PokerMove::Deal(1));
    let Actor::Chance(cards) = game.actor() else { panic!("chance deals") };
    answers! {
        "value" => [(value * 18.0).round(), 18.0],
        "pure_terminal_histories_per_deal" => ends(&first),
        "deals" => cards.len() * (cards.len() - 1),
        "information_sets" => strategy.len(),
    }
}

fn ends<G: Game>(game: &G) -> u64 {
    if game.outcome().is_some() {
        return 1;
    }
    let moves = game.legal_moves().into_iter();
    moves
        .map(|mv| {
            let mut child = game.clone();
            child.play(mv);
            ends(&child)
        })
        .sum()
}
