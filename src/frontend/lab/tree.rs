//! `tegenspel tree FILE`.

use std::{fs, io::Read};

use rand::{SeedableRng, rngs::SmallRng};

use crate::{
    game::{MAX_PLAYERS, Payoffs, Player, Sum},
    games::{Tree, TreeGame, TreeMove, parse_efg, parse_json},
    search::{
        Answer, Cfr, Control, Counters, Estimate, Event, Mcts, Model, Playout, Pruning, Selection,
        Stopped, alphabeta, determinised, expected, expectimax, expectiminimax, flat_monte_carlo,
        information_set_mcts, maxn, minimax, negamax, paranoid,
    },
};

use super::{
    draw,
    options::Options,
    solve::player_decides,
    trace::{Shown, Trace},
};

type Say<'s> = &'s mut dyn FnMut(String);

pub(super) fn run(
    file: &str,
    options: &Options,
    interrupt: &dyn Fn() -> bool,
    say: Say<'_>,
) -> Result<(), String> {
    let mut tree = read(file)?;
    reorder(&mut tree, &options.order)?;
    if let Some(bounds) = options.bounds {
        tree.narrow_bounds(bounds).map_err(|reason| format!("--bounds: {reason}"))?;
    }
    let properties = tree.properties();
    let algorithm = options.algorithm.as_deref().unwrap_or(match properties {
        _ if properties.sum == Sum::General || properties.players > 2 => "maxn",
        _ if !properties.perfect_information => "cfr",
        _ if properties.chance => "expectiminimax",
        _ => "alphabeta",
    });
    let silent = ["negamax", "mcts", "puct", "flat", "pimc", "ismcts", "cfr"].contains(&algorithm);
    if silent && (options.steps || options.svg.is_some() || options.dot.is_some()) {
        return Err(format!("{algorithm}: it tells no steps and draws no tree"));
    }
    let control = &mut Control::interruptible(options.limits, interrupt);
    match algorithm {
        "maxn" => {
            let ties = options.tie_rule(|name| player(&tree, name))?;
            let mut events = vec![];
            let eval = |_: &_| Payoffs::default();
            let found = maxn(&tree.root(), options.depth, ties, &eval, control, &mut events);
            report(&tree, options, found, &events, say)
        }
        "mcts" | "puct" | "flat" => {
            player_decides(&tree.root()).map_err(|reason| format!("{algorithm}: {reason}"))?;
            estimate(&tree, &sampled(&tree, algorithm, options, control), options, say);
            Ok(())
        }
        "pimc" | "ismcts" | "cfr" => hidden(&tree, algorithm, options, control, say),
        _ => {
            let mut events = vec![];
            let found = scalar(&tree, algorithm, options, control, &mut events)?;
            report(&tree, options, found, &events, say)
        }
    }
}

fn read(file: &str) -> Result<Tree, String> {
    let mut text = String::new();
    let read = if file == "-" {
        std::io::stdin().read_to_string(&mut text).map(|_| ())
    } else {
        fs::read_to_string(file).map(|read| text = read)
    };
    read.map_err(|error| format!("{file}: {error}"))?;
    let efg = text.trim_start_matches('\u{feff}').trim_start().starts_with("EFG");
    let parsed = if efg { parse_efg(&text) } else { parse_json(&text) };
    parsed.map_err(|error| format!("{file}: {error}"))
}

fn reorder(tree: &mut Tree, order: &[String]) -> Result<(), String> {
    let edges = &mut tree.nodes[0].edges;
    for name in order {
        if !edges.iter().any(|edge| edge.name == *name) {
            return Err(format!("--order: the root has no move '{name}'"));
        }
    }
    let place = |name: &str| order.iter().position(|first| first == name).unwrap_or(order.len());
    edges.sort_by_key(|edge| place(&edge.name));
    Ok(())
}

fn player(tree: &Tree, name: &str) -> Result<Player, String> {
    let by_name = tree.players.iter().position(|player| player.eq_ignore_ascii_case(name));
    let by_number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    by_name
        .or(by_number.filter(|&index| index < tree.players.len()))
        .ok_or_else(|| format!("no player '{name}'; there are {}", tree.players.join(", ")))
}

type Found<V> = Result<Answer<TreeMove, V>, Stopped>;

fn scalar(
    tree: &Tree,
    algorithm: &str,
    options: &Options,
    control: &mut Control<'_>,
    events: &mut Vec<Event<TreeMove>>,
) -> Result<Found<f64>, String> {
    let asked = options.player.as_deref().map_or(Ok(0), |name| player(tree, name))?;
    let eval = |_: &_, _: Player| 0.0;
    let depth = options.depth;
    let pruning = match algorithm {
        "minimax" | "negamax" | "alphabeta" | "paranoid" => {
            let why = |mismatch: crate::games::tree::Mismatch| format!("{algorithm}: {mismatch}");
            return Ok(match algorithm {
                "minimax" => {
                    let game = tree.classical().map_err(why)?;
                    minimax(&game, asked, depth, &|_, _| 0.0, control, events)
                }
                "negamax" => {
                    let game = tree.classical().map_err(why)?;
                    negamax(&game, depth, &|_, _| 0.0, control)
                }
                "alphabeta" => {
                    let game = tree.classical().map_err(why)?;
                    alphabeta(&game, asked, depth, options.window, &|_, _| 0.0, control, events)
                }
                _ => {
                    let game = tree.deterministic().map_err(why)?;
                    paranoid(&game, asked, depth, options.window, &|_, _| 0.0, control, events)
                }
            });
        }
        "expectiminimax" => Pruning::Off,
        "star1" => Pruning::Star1,
        "star2" => Pruning::Star2,
        other => return Err(format!("unknown algorithm '{other}'; see tegenspel --help")),
    };
    let (low, high) = tree.bounds;
    if pruning != Pruning::Off && tree.leaves().any(|leaf| leaf[asked] < low || leaf[asked] > high)
    {
        return Err(format!("{algorithm}: the bounds are those of {}", tree.players[0]));
    }
    let mut models: [Model<'_, TreeGame<'_>>; MAX_PLAYERS] = [Model::Adversary; MAX_PLAYERS];
    for (name, model) in &options.models {
        let who = player(tree, name)?;
        models[who] = if model == "random" { Model::Random } else { Model::Adversary };
    }
    let game = tree.root();
    Ok(expectimax(&game, asked, depth, pruning, &models, &eval, control, events))
}

fn sampled(
    tree: &Tree,
    algorithm: &str,
    options: &Options,
    control: &mut Control<'_>,
) -> Estimate<TreeMove> {
    let mut rng = SmallRng::seed_from_u64(options.seed);
    let game = tree.root();
    if algorithm == "flat" {
        return flat_monte_carlo(&game, options.simulations, &mut rng, control);
    }
    let c = options.c;
    let selection = if algorithm == "puct" { Selection::Puct { c } } else { Selection::Ucb1 { c } };
    let mut search = Mcts::new(&game, selection, &mut Playout, &mut rng);
    search.search(&game, &mut Playout, options.simulations, &mut rng, control)
}

fn hidden(
    tree: &Tree,
    algorithm: &str,
    options: &Options,
    control: &mut Control<'_>,
    say: Say<'_>,
) -> Result<(), String> {
    let game = tree.zero_sum().map_err(|mismatch| format!("{algorithm}: {mismatch}"))?;
    if algorithm != "cfr" {
        player_decides(&game).map_err(|reason| format!("{algorithm}: {reason}"))?;
    }
    let (mut rng, deals) = (SmallRng::seed_from_u64(options.seed), options.simulations);
    let found = match algorithm {
        "cfr" => {
            let mut cfr = Cfr::default();
            let _stopped = cfr.train(&game, options.simulations.min(10_000), control);
            let strategy = cfr.strategy();
            say(format!("value: {}", expected(&game, &strategy)[0].shown(2)));
            for ((who, set), moves) in &strategy {
                let set = set.as_ref().map_or_else(|node| format!("node {node}"), Clone::clone);
                let shares: Vec<String> = moves
                    .iter()
                    .map(|(TreeMove(index), share)| format!("{index}: {}", share.shown(2)))
                    .collect();
                say(format!("strategy {} at {set}: {}", tree.players[*who], shares.join(", ")));
            }
            counters(&control.counters, say);
            return Ok(());
        }
        "pimc" => {
            let judge = |deal: &_, player, control: &mut Control<'_>| {
                let (depth, eval) = (options.depth, |_: &_, _| 0.0);
                expectiminimax(deal, player, depth, Pruning::Off, &eval, control, &mut ())
                    .map(|found| found.value)
            };
            determinised(&game, deals, &mut rng, control, judge)
                .map_err(|stopped| stopped.to_string())?
        }
        _ => information_set_mcts(&game, deals, options.c, &mut rng, control),
    };
    estimate(tree, &found, options, say);
    Ok(())
}

/// Value, decision, line, moves and work of a finished search; its steps and pictures if wanted.
fn report<V: Shown + Copy>(
    tree: &Tree,
    options: &Options,
    found: Found<V>,
    events: &[Event<TreeMove, V>],
    say: Say<'_>,
) -> Result<(), String> {
    let trace = Trace::of(tree, events);
    if options.steps {
        trace.steps.iter().for_each(|step| say(step.clone()));
    }
    let answer = found.map_err(|stopped| stopped.to_string())?;
    let players = tree.players.len();
    let value = answer.value.shown(players);
    say(format!("value: {value}"));
    let line = tree.names(&answer.pv);
    say(format!("decision: {}", line.first().map_or("(none)", String::as_str)));
    say(format!("pv: {}", line.join(" ")));
    for (mv, value) in &answer.moves {
        say(format!("move {}: {}", tree.names(&[*mv])[0], value.shown(players)));
    }
    counters(&answer.counters, say);
    let total = tree.leaves().count();
    say(format!("leaves in the tree: {total}"));
    let caption = format!("value {value}   leaves visited {} of {total}", answer.counters.leaves);
    pictures(tree, &trace, &answer.pv, &caption, options)
}

fn pictures(
    tree: &Tree,
    trace: &Trace,
    pv: &[TreeMove],
    caption: &str,
    options: &Options,
) -> Result<(), String> {
    let write = |file: &String, text: String| {
        fs::write(file, text).map_err(|error| format!("{file}: {error}"))
    };
    if let Some(file) = &options.svg {
        write(file, draw::svg(tree, trace, pv, caption))?;
    }
    if let Some(file) = &options.dot {
        write(file, draw::dot(tree, trace, pv))?;
    }
    Ok(())
}

fn counters(counters: &Counters, say: Say<'_>) {
    let Counters { nodes, leaves, cutoffs, table_hits } = counters;
    say(format!("nodes: {nodes}"));
    say(format!("leaves: {leaves}"));
    say(format!("cutoffs: {cutoffs}"));
    if *table_hits > 0 {
        say(format!("table hits: {table_hits}"));
    }
}

/// What sampling says, with the table a lecture on UCB1 shows.
fn estimate(tree: &Tree, found: &Estimate<TreeMove>, options: &Options, say: Say<'_>) {
    let name = |mv: &TreeMove| tree.names(&[*mv]).remove(0);
    say(format!("value: {}", found.value.shown(2)));
    say(format!("decision: {}", found.decision.as_ref().map_or("(none)".to_owned(), name)));
    say(format!("pv: {}", tree.names(&found.pv).join(" ")));
    say("move visits mean bonus ucb1".to_owned());
    for (mv, arm) in &found.arms {
        let bonus = arm.ucb1_bonus(found.simulations, options.c);
        let (mean, total) = (arm.mean(), arm.mean() + bonus);
        say(format!("{} {} {mean:.3} {bonus:.3} {total:.3}", name(mv), arm.visits));
    }
    say(format!("simulations: {}", found.simulations));
    counters(&found.counters, say);
}
