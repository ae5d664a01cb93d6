//! Monte-Carlo.

use rand::{SeedableRng, rngs::SmallRng};
use serde_json::Value;
use tegenspel::search::{
    Arm, Control, Mcts, Playout, Selection, back_up, flat_monte_carlo, most_visited, sample,
};

use super::{
    Answers, answers, numbers,
    trees::{board, search_minimax, tree},
};

pub(crate) fn answer(kind: &str, input: &Value) -> Option<Answers> {
    Some(match kind {
        "ucb1" | "ucb1_unvisited" => ucb1(input),
        "final_move" => {
            let arms = arms(&input["children"]);
            let means = arms.iter().map(Arm::mean);
            let best = means.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap().0;
            answers! { "play" => most_visited(&arms), "best_rate" => best }
        }
        "mcts_backup" => backup(input),
        "mcts_terminal" => terminal(),
        "chance_sampling" => {
            let p = numbers(&input["p"]);
            let mut rng = SmallRng::seed_from_u64(input["seed"].as_u64().unwrap());
            let mut counts = [0_u32; 2];
            for _ in 0..input["n"].as_u64().unwrap() {
                counts[sample(&[(0, p[0]), (1, p[1])], &mut rng)] += 1;
            }
            let ratio = f64::from(counts[0]) / f64::from(counts[1]);
            // Three standard deviations of the ratio at this many samples are less than 0.15.
            let close = (ratio - ratio.round()).abs() <= 0.15;
            answers! { "ratio" => ratio.round(), "tolerance" => if close { 0.15 } else { ratio } }
        }
        "mcts_trap" => trap(input),
        "uct_converge" => {
            let game = board(input);
            let mut rng = SmallRng::seed_from_u64(input["seed"].as_u64().unwrap());
            let selection = Selection::Ucb1 { c: std::f64::consts::SQRT_2 };
            let mut tree = Mcts::new(&game, selection, &mut Playout, &mut rng);
            let simulations = input["iterations"].as_u64().unwrap() as u32;
            let control = &mut Control::default();
            let found = tree.search(&game, &mut Playout, simulations, &mut rng, control);
            answers! { "move" => found.decision }
        }
        _ => return None,
    })
}

/// `[[reward, visits], …]`.
fn arms(children: &Value) -> Vec<Arm> {
    let arm = |pair: &Value| Arm {
        reward: pair[0].as_f64().unwrap(),
        visits: pair[1].as_u64().unwrap() as u32,
        prior: 0.0,
    };
    children.as_array().unwrap().iter().map(arm).collect()
}

fn ucb1(input: &Value) -> Answers {
    let arms = arms(&input["children"]);
    let parent = input["parent"].as_u64().unwrap() as u32;
    let c = input["C"].as_f64().unwrap_or(std::f64::consts::SQRT_2);
    let selection = Selection::Ucb1 { c };
    let all = |f: &dyn Fn(&Arm) -> f64| arms.iter().map(f).collect::<Vec<f64>>();
    answers! {
        "mean_3dp" => all(&Arm::mean),
        "bonus_3dp" => all(&|arm| arm.ucb1_bonus(parent, c)),
        "total_3dp" => all(&|arm| selection.urgency(arm, parent)),
        "select" => selection.select(&arms, parent),
        "play" => most_visited(&arms),
    }
}

fn backup(input: &Value) -> Answers {
    let movers = input["path_movers"].as_array().unwrap();
    let before = input["before"].as_array().unwrap();
    let mut path: Vec<(&str, Arm)> = movers
        .iter()
        .zip(before)
        .map(|(mover, counts)| {
            let (visits, reward) = (counts[0].as_u64().unwrap(), counts[1].as_f64().unwrap());
            (mover.as_str().unwrap(), Arm { visits: visits as u32, reward, prior: 0.0 })
        })
        .collect();
    let result = input["result"].as_str().unwrap();
    back_up(&mut path, |mover| match result {
        "draw" => 0.5,
        winner => f64::from(u8::from(*mover == winner)),
    });
    let after: Vec<(u32, f64)> = path.iter().map(|(_, arm)| (arm.visits, arm.reward)).collect();
    answers! { "after" => after }
}

/// A root whose only move ends the game.
fn terminal() -> Answers {
    let tree = tree(&serde_json::json!({ "kind": "max", "children": [1] }));
    let game = tree.root();
    let mut rng = SmallRng::seed_from_u64(1);
    let selection = Selection::Ucb1 { c: 1.0 };
    let mut search = Mcts::new(&game, selection, &mut Playout, &mut rng);
    let found = search.search(&game, &mut Playout, 5, &mut rng, &mut Control::default());
    answers! {
        "expanded" => search.work.expansions,
        "rollouts" => search.work.evaluations,
        "visits_added_on_path" => found.arms[0].1.visits == 5 && found.simulations == 5,
    }
}

fn trap(input: &Value) -> Answers {
    let tree = tree(&serde_json::json!({ "tree": input["tree"] }));
    let game = tree.root();
    let mut rng = SmallRng::seed_from_u64(input["seed"].as_u64().unwrap());
    let simulations = input["iterations"].as_u64().unwrap() as u32;
    let flat = flat_monte_carlo(&game, simulations, &mut rng, &mut Control::default());
    let selection = Selection::Ucb1 { c: std::f64::consts::SQRT_2 };
    let mut search = Mcts::new(&game, selection, &mut Playout, &mut rng);
    let uct = search.search(&game, &mut Playout, simulations, &mut rng, &mut Control::default());
    let name = |mv| tree.names(&[mv]).remove(0);
    answers! {
        "flat_choice" => name(flat.decision.unwrap()),
        "minimax_choice" => name(search_minimax(&tree).decision.unwrap()),
        "uct_choice" => name(uct.decision.unwrap()),
    }
}
