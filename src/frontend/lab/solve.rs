//! `tegenspel solve GAME`.

use std::fmt::Debug;

use rand::{SeedableRng, rngs::SmallRng};

use crate::{
    chess::{
        Position,
        game_impl::{Endings, MaterialGuide},
    },
    game::{Actor, Deterministic, Exact, Game, Guide, Hidden, Payoffs, Player, Unguided, ZeroSum},
    games::{BlindTicTacToe, ConnectFour, ConnectFourGuide, Nim, Pig, Poker, TicTacToe},
    search::{
        Answer, Cfr, Control, Counters, Estimate, Fate, Features, Mcts, Playout, Proof, Pruning,
        Selection, Solver, UNLIMITED, Universe, alphabeta, deepen, determinised, expected,
        expectiminimax, exploitability, flat_monte_carlo, information_set_mcts, maxn, minimax,
        negamax, paranoid, playout, prove,
    },
};

use super::{options::Options, trace::Shown};

type Say<'s> = &'s mut dyn FnMut(String);

/// Entries of the table proofs are looked up in: 256 MiB of them for Connect Four.
const PROOF_TABLE: usize = 1 << 23;

/// One of the games, by its name on the command line.
#[derive(Debug, Clone)]
pub(super) enum Named {
    TicTacToe(TicTacToe),
    ConnectFour(ConnectFour),
    Nim(Nim),
    Pig(Pig),
    Poker(Poker),
    Blind(BlindTicTacToe),
}

pub(super) fn named(subject: &str) -> Result<Named, String> {
    let (name, size) = subject.split_once(':').unwrap_or((subject, ""));
    let none = || format!("no game '{subject}'; see tegenspel --help");
    let sizes: Option<Vec<u8>> = match size {
        "" => Some(vec![]),
        _ => size.split(',').map(|number| number.parse().ok()).collect(),
    };
    Ok(match (name, sizes.ok_or_else(none)?.as_slice()) {
        ("tictactoe", []) => Named::TicTacToe(TicTacToe::default()),
        ("tictactoe", &[m, n, k]) => {
            Named::TicTacToe(TicTacToe::new(m, n, k).map_err(|error| error.to_string())?)
        }
        ("connect4", []) => Named::ConnectFour(ConnectFour::default()),
        ("nim", []) => Named::Nim(Nim::new(10)),
        ("nim", &[heap]) if heap > 0 => Named::Nim(Nim::new(heap)),
        ("pig", []) => Named::Pig(Pig::new(10)),
        ("pig", &[goal]) if (1..=100).contains(&goal) => Named::Pig(Pig::new(goal)),
        ("kuhn", []) => Named::Poker(Poker::kuhn()),
        ("leduc", []) => Named::Poker(Poker::leduc()),
        ("blind", []) => Named::Blind(BlindTicTacToe::default()),
        _ => return Err(none()),
    })
}

pub(super) fn run(
    subject: &str,
    options: &Options,
    interrupt: &dyn Fn() -> bool,
    say: Say<'_>,
) -> Result<(), String> {
    if options.table.is_some() && !subject.starts_with("ending:") {
        return Err(format!("--table: it is for endings, not for '{subject}'"));
    }
    if options.ties.is_some() && !subject.starts_with("nim") {
        return Err(format!("--ties: it is for nim, not for '{subject}'"));
    }
    let control = &mut Control::interruptible(options.limits, interrupt);
    if let Some(material) = subject.strip_prefix("ending:") {
        return ending(material, options, control, say);
    }
    if let Some(position) = subject.strip_prefix("chess") {
        let fen = position.trim_start_matches(':').replace('_', " ");
        let fen = if fen.is_empty() { Position::start().to_fen(false) } else { fen };
        let game = Position::from_fen(&fen).map_err(|error| error.to_string())?;
        return chess(&after(game, options)?, options, control, say);
    }
    match named(subject)? {
        Named::TicTacToe(game) => {
            classical(&after(game, options)?, Unguided, options, control, say)
        }
        Named::ConnectFour(game) => {
            classical(&after(game, options)?, ConnectFourGuide, options, control, say)
        }
        Named::Nim(game) => several(&after(game, options)?, options, control, say),
        Named::Pig(game) => dice(&after(game, options)?, options, control, say),
        Named::Poker(game) => hidden(&after(game, options)?, options, control, say),
        Named::Blind(game) => hidden(&after(game, options)?, options, control, say),
    }
}

/// Retrograde analysis of a class of chess endings.
fn ending(
    material: &str,
    options: &Options,
    control: &mut Control<'_>,
    say: Say<'_>,
) -> Result<(), String> {
    let mut endings = Endings::default();
    endings.solve(material, control)?;
    let Some((name, class, table)) = endings.tables.last() else { return Ok(()) };
    let count = |wanted: Option<Player>| {
        let winner = |fate| if let Fate::Win { winner, .. } = fate { Some(winner) } else { None };
        table.iter().filter(|fate| winner(*fate) == wanted).count()
    };
    say(format!("ending: {name}"));
    say(format!("positions: {}", table.iter().count()));
    say(format!("won by white: {}", count(Some(0))));
    say(format!("won by black: {}", count(Some(1))));
    say(format!("drawn: {}", count(None)));
    say(format!("longest: mate in {}", table.longest().div_ceil(2)));
    if let Some(file) = &options.table {
        let mut text = String::new();
        for index in 0..class.len() {
            let (Some(position), Some(fate)) = (class.position(index), table.get(index)) else {
                continue;
            };
            let fate = match fate {
                Fate::Draw => "draw".to_owned(),
                Fate::Win { winner: 0, plies } => format!("white {plies}"),
                Fate::Win { plies, .. } => format!("black {plies}"),
            };
            text.push_str(&position.to_fen(false));
            text.push(';');
            text.push_str(&fate);
            text.push('\n');
        }
        std::fs::write(file, text).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}

/// Chess under the generic searches: slow, plain, and an oracle.
fn chess(
    game: &Position,
    options: &Options,
    control: &mut Control<'_>,
    say: Say<'_>,
) -> Result<(), String> {
    let guide = MaterialGuide;
    let eval = |game: &Position, player: Player| guide.evaluate(game, player);
    let (me, depth) = (game.to_move(), if options.depth == UNLIMITED { 4 } else { options.depth });
    let found = match options.algorithm.as_deref().unwrap_or("solver") {
        "minimax" => minimax(game, me, depth, &eval, control, &mut ()),
        "negamax" => negamax(game, depth, &eval, control),
        "alphabeta" => alphabeta(game, me, depth, options.window, &eval, control, &mut ()),
        "solver" => {
            let features = Features { table: 1 << 18, ..Features::EXACT };
            let mut report = |depth, answer: &Answer<_>| say(info(depth, answer));
            Solver::new(guide, features).search(game, depth, control, &mut report)
        }
        other => return Err(unknown(other)),
    };
    let found = found.map_err(|stopped| stopped.to_string())?;
    answer(&found, 2, say);
    Ok(())
}

/// The game after `--moves`.
pub(super) fn after<G: Game>(mut game: G, options: &Options) -> Result<G, String> {
    for text in &options.moves {
        let mv = find_move(&game, text).ok_or_else(|| format!("--moves: '{text}' is not legal"))?;
        game.play(mv);
    }
    Ok(game)
}

/// The legal move, or chance event, that is written `text`.
pub(super) fn find_move<G: Game>(game: &G, text: &str) -> Option<G::Move> {
    if game.outcome().is_some() {
        return None;
    }
    game.legal_moves().into_iter().find(|mv| move_text(mv).eq_ignore_ascii_case(text))
}

pub(super) fn move_text(mv: &impl Debug) -> String {
    format!("{mv:?}").to_lowercase()
}

fn unknown(algorithm: &str) -> String {
    format!("'{algorithm}' does not go with this game; see tegenspel --help")
}

fn classical<G: ZeroSum + Deterministic + Exact>(
    game: &G,
    guide: impl Guide<G>,
    options: &Options,
    control: &mut Control<'_>,
    say: Say<'_>,
) -> Result<(), String> {
    let me = game.to_move();
    let depth = options.depth.min(u32::from(u16::MAX));
    let eval = |_: &G, _: Player| 0.0;
    let found = match options.algorithm.as_deref().unwrap_or("solver") {
        "minimax" => minimax(game, me, depth, &eval, control, &mut ()),
        "negamax" => negamax(game, depth, &eval, control),
        "alphabeta" => alphabeta(game, me, depth, options.window, &eval, control, &mut ()),
        "solver" => {
            // Games here are short: deepening to the end costs little and shows the way.
            let depth = if options.depth == UNLIMITED { 64 } else { depth };
            let features = Features { table: 1 << 20, ..Features::EXACT };
            let mut report = |depth, answer: &Answer<G::Move>| say(info(depth, answer));
            Solver::new(guide, features).search(game, depth, control, &mut report)
        }
        "proof" => {
            proof(game, &guide, control, say);
            return Ok(());
        }
        "mcts" | "puct" | "flat" => return sampled(game, options, control, say),
        other => return Err(unknown(other)),
    };
    let found = found.map_err(|stopped| stopped.to_string())?;
    answer(&found, 2, say);
    Ok(())
}

/// Win, else draw, else loss: each proved or left open.
fn proof<G: ZeroSum + Deterministic + Exact>(
    game: &G,
    guide: &impl Guide<G>,
    control: &mut Control<'_>,
    say: Say<'_>,
) {
    let win = prove(game, 1.0, guide, PROOF_TABLE, control);
    let verdict = match win {
        Proof::Solved(_) | Proof::AtLeast(_) => "solved: the player to move wins",
        Proof::Unsolved => "not solved: stopped before there was a proof",
        Proof::LessThan(_) => match prove(game, 0.0, guide, PROOF_TABLE, control) {
            Proof::Solved(_) | Proof::AtLeast(_) => "solved: a draw",
            Proof::LessThan(_) => "solved: the player to move loses",
            Proof::Unsolved => "not solved: no win for the player to move; stopped before more",
        },
    };
    say(verdict.to_owned());
    counters(&control.counters, say);
}

fn several<G: Deterministic>(
    game: &G,
    options: &Options,
    control: &mut Control<'_>,
    say: Say<'_>,
) -> Result<(), String> {
    let eval = |_: &G| Payoffs::default();
    let depth = options.depth;
    match options.algorithm.as_deref().unwrap_or("maxn") {
        "maxn" => {
            let players = game.properties().players;
            let ties = options.tie_rule(|number| player(number, players))?;
            let found = maxn(game, depth, ties, &eval, control, &mut ());
            let found = found.map_err(|stopped| stopped.to_string())?;
            answer(&found, players, say);
        }
        "paranoid" => {
            let me = game.to_move();
            let judge = |_: &G, _: Player| 0.0;
            let found = paranoid(game, me, depth, options.window, &judge, control, &mut ());
            let found = found.map_err(|stopped| stopped.to_string())?;
            answer(&found, 2, say);
        }
        "mcts" | "puct" | "flat" => return sampled(game, options, control, say),
        other => return Err(unknown(other)),
    }
    Ok(())
}

/// The player of this number, from 1.
fn player(number: &str, players: usize) -> Result<Player, String> {
    let index = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    index
        .filter(|&index| index < players)
        .ok_or_else(|| format!("no player '{number}'; there are {players}"))
}

fn dice<G: ZeroSum>(
    game: &G,
    options: &Options,
    control: &mut Control<'_>,
    say: Say<'_>,
) -> Result<(), String> {
    let pruning = match options.algorithm.as_deref().unwrap_or("star1") {
        "expectiminimax" => Pruning::Off,
        "star1" => Pruning::Star1,
        "star2" => Pruning::Star2,
        "mcts" | "puct" | "flat" => return sampled(game, options, control, say),
        other => return Err(unknown(other)),
    };
    let me = game.to_move();
    // A game of dice need not end: without a depth it is searched as deep as is quickly done.
    let last = if options.depth == UNLIMITED { 6 } else { options.depth };
    let found = deepen(1.min(last), last, |depth| {
        let eval = |_: &G, _: Player| 0.0;
        let found = expectiminimax(game, me, depth, pruning, &eval, control, &mut ())?;
        say(info(depth, &found));
        Ok(found)
    });
    let found = found.map_err(|stopped| stopped.to_string())?;
    answer(&found, 2, say);
    Ok(())
}

fn hidden<G: ZeroSum + Hidden>(
    game: &G,
    options: &Options,
    control: &mut Control<'_>,
    say: Say<'_>,
) -> Result<(), String> {
    let chance = game.chance().is_some();
    let usual = if chance { "cfr" } else { "ismcts" };
    let mut rng = SmallRng::seed_from_u64(options.seed);
    match options.algorithm.as_deref().unwrap_or(usual) {
        "cfr" if game.properties().chance => {
            let mut cfr = Cfr::default();
            let _stopped = cfr.train(game, options.simulations.min(1_000), control);
            let strategy = cfr.strategy();
            say(format!("value: {}", expected(game, &strategy)[0].shown(2)));
            say(format!("exploitability: {}", exploitability(game, &strategy).shown(2)));
            say(format!("information sets: {}", strategy.len()));
            if options.steps {
                for (set, moves) in &strategy {
                    say(format!("strategy {set:?}: {moves:.3?}"));
                }
            }
            counters(&control.counters, say);
            Ok(())
        }
        _ if chance => {
            Err("chance decides first; give the deal with --moves, or use cfr".to_owned())
        }
        "ismcts" => {
            player_decides(game)?;
            let c = options.c;
            let found = information_set_mcts(game, options.simulations, c, &mut rng, control);
            estimate(&found, options, say);
            Ok(())
        }
        "pimc" => {
            player_decides(game)?;
            let mut dice = rng.clone();
            let judge = |deal: &G, player: Player, control: &mut Control<'_>| {
                control.node()?;
                Ok(playout(deal.clone(), &mut dice)[player])
            };
            let found = determinised(game, options.simulations, &mut rng, control, judge)
                .map_err(|stopped| stopped.to_string())?;
            estimate(&found, options, say);
            Ok(())
        }
        other => Err(unknown(other)),
    }
}

/// Sampling says something only where somebody has a choice.
pub(super) fn player_decides(game: &impl Game) -> Result<(), String> {
    match game.actor() {
        Actor::Player(_) => Ok(()),
        Actor::Chance(_) | Actor::Terminal(_) => Err("at the root a player must decide".to_owned()),
    }
}

fn sampled<G: Game>(
    game: &G,
    options: &Options,
    control: &mut Control<'_>,
    say: Say<'_>,
) -> Result<(), String> {
    player_decides(game)?;
    let mut rng = SmallRng::seed_from_u64(options.seed);
    let c = options.c;
    let selection = match options.algorithm.as_deref() {
        Some("flat") => {
            let found = flat_monte_carlo(game, options.simulations, &mut rng, control);
            estimate(&found, options, say);
            return Ok(());
        }
        Some("puct") => Selection::Puct { c },
        _ => Selection::Ucb1 { c },
    };
    let mut search = Mcts::new(game, selection, &mut Playout, &mut rng);
    let found = search.search(game, &mut Playout, options.simulations, &mut rng, control);
    estimate(&found, options, say);
    Ok(())
}

fn line<M: Debug>(moves: &[M]) -> String {
    moves.iter().map(|mv| move_text(mv)).collect::<Vec<_>>().join(" ")
}

fn info<M: Debug>(depth: u32, answer: &Answer<M>) -> String {
    let Counters { nodes, .. } = answer.counters;
    format!(
        "info depth {depth} value {} nodes {nodes} pv {}",
        answer.value.shown(2),
        line(&answer.pv)
    )
}

fn answer<M: Debug, V: Shown>(answer: &Answer<M, V>, players: usize, say: Say<'_>) {
    say(format!("value: {}", answer.value.shown(players)));
    say(format!("decision: {}", answer.decision.as_ref().map_or("(none)".to_owned(), move_text)));
    say(format!("pv: {}", line(&answer.pv)));
    for (mv, value) in &answer.moves {
        say(format!("move {}: {}", move_text(mv), value.shown(players)));
    }
    counters(&answer.counters, say);
}

fn counters(counters: &Counters, say: Say<'_>) {
    let Counters { nodes, leaves, cutoffs, table_hits } = counters;
    say(format!("nodes: {nodes}"));
    say(format!("leaves: {leaves}"));
    say(format!("cutoffs: {cutoffs}"));
    say(format!("table hits: {table_hits}"));
}

fn estimate<M: Debug>(found: &Estimate<M>, options: &Options, say: Say<'_>) {
    say(format!("value: {}", found.value.shown(2)));
    say(format!("decision: {}", found.decision.as_ref().map_or("(none)".to_owned(), move_text)));
    say(format!("pv: {}", line(&found.pv)));
    say("move visits mean bonus ucb1".to_owned());
    for (mv, arm) in &found.arms {
        let bonus = arm.ucb1_bonus(found.simulations, options.c);
        let (mean, total) = (arm.mean(), arm.mean() + bonus);
        say(format!("{} {} {mean:.3} {bonus:.3} {total:.3}", move_text(mv), arm.visits));
    }
    say(format!("simulations: {}", found.simulations));
    counters(&found.counters, say);
}
