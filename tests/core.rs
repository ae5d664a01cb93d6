//! The generic searches against each other, on random trees and on games; published counts; the
//! laboratory's commands through the binary.

#![expect(clippy::float_cmp, reason = "searches agree to the bit")]

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use rand::{RngExt, SeedableRng, rngs::SmallRng};
use serde_json::{Value, json};
use tegenspel::{
    chess::{Position, game_impl::Endings},
    game::{Deterministic, Game, Guide, Hidden, Keyed, Payoffs, Player, Unguided, ZeroSum, perft},
    games::{
        BlindTicTacToe, ConnectFour, ConnectFourGuide, Nim, Pig, PigMove, Poker, PokerMove,
        TicTacToe, Tree, TreeMove, parse_efg, parse_json, tree::NodeKind,
    },
    go,
    search::{
        Answer, Cfr, Control, Fate, Features, Limits, Mcts, Playout, Proof, Pruning, Reachable,
        Selection, Solver, Stopped, Strategy, TieRule, Universe, Window, alphabeta, arithmetic,
        best_response, determinised, expected, expectiminimax, exploitability, flat_monte_carlo,
        information_set_mcts, maxn, minimax, negamax, proof_number_search, prove, retrograde,
    },
};

use crate::{support::Engine, vectors};

const DEEP: u32 = 99;

fn nothing<G>(_: &G, _: Player) -> f64 {
    0.0
}

/// A random tree of up to `plies` plies, with chance nodes if wanted.
fn random_tree(plies: u32, chance: bool, rng: &mut SmallRng) -> Value {
    if plies == 0 || rng.random_range(0..8) == 0 {
        return json!(rng.random_range(-20..=20));
    }
    let kinds = if chance { 3 } else { 2 };
    let kind = ["max", "min", "chance"][rng.random_range(0..kinds)];
    let count = rng.random_range(1..=3);
    let children: Vec<Value> = (0..count).map(|_| random_tree(plies - 1, chance, rng)).collect();
    if kind == "chance" {
        let probs = vec![1.0 / f64::from(count); count as usize];
        return json!({ "kind": kind, "probs": probs, "children": children });
    }
    json!({ "kind": kind, "children": children })
}

fn tree(value: &Value) -> Tree {
    parse_json(&value.to_string()).unwrap()
}

/// Knuth & Moore 1975: with an open window alpha-beta returns the minimax value, at no more leaves.
#[test]
fn alphabeta_returns_the_value_of_minimax_on_10000_random_trees() {
    let mut rng = SmallRng::seed_from_u64(1975);
    for _ in 0..10_000 {
        let tree = tree(&random_tree(5, false, &mut rng));
        let game = tree.classical().unwrap();
        let (mut plain, mut pruned) = (Control::default(), Control::default());
        let exact = minimax(&game, 0, DEEP, &nothing, &mut plain, &mut ()).unwrap();
        let found =
            alphabeta(&game, 0, DEEP, Window::OPEN, &nothing, &mut pruned, &mut ()).unwrap();
        assert_eq!((exact.value, exact.decision), (found.value, found.decision));
        assert!(found.counters.leaves <= exact.counters.leaves);
        let mover = game.to_move();
        let same = negamax(&game, DEEP, &nothing, &mut Control::default()).unwrap().value;
        assert_eq!(same, if mover == 0 { exact.value } else { -exact.value });
        for features in [Features::BARE, Features::EXACT] {
            let mut solver = Solver::new(Unguided, features);
            let control = &mut Control::default();
            let value = solver.search(&game, 8, control, &mut |_, _| {}).unwrap().value;
            assert_eq!(value, same);
        }
    }
}

/// What the first player expects of a tree.
fn expected_by(pruning: Pruning, tree: &Tree) -> Answer<TreeMove> {
    let (game, control) = (tree.zero_sum().unwrap(), &mut Control::default());
    expectiminimax(&game, 0, DEEP, pruning, &nothing, control, &mut ()).unwrap()
}

/// Ballard 1983: Star1 and Star2 return the expectiminimax value; Star1 at no more leaves.
#[test]
fn star1_and_star2_return_the_value_of_expectiminimax() {
    let mut rng = SmallRng::seed_from_u64(1983);
    for _ in 0..10_000 {
        let tree = tree(&random_tree(5, true, &mut rng));
        let exact = expected_by(Pruning::Off, &tree);
        for pruning in [Pruning::Star1, Pruning::Star2] {
            let found = expected_by(pruning, &tree);
            assert!((found.value - exact.value).abs() < 1e-9, "{pruning:?}");
            if pruning == Pruning::Star1 {
                assert!(found.counters.leaves <= exact.counters.leaves);
            }
        }
    }
}

/// Rounding grows with the utilities: what the pruning leaves out must still be no better.
#[test]
fn star1_and_star2_choose_a_best_move_among_large_utilities() {
    let mut rng = SmallRng::seed_from_u64(2004);
    for _ in 0..2_000 {
        let mut tree = tree(&random_tree(5, true, &mut rng));
        for node in &mut tree.nodes {
            if let NodeKind::Leaf(payoffs) = &mut node.kind {
                *payoffs = Payoffs::zero_sum(payoffs[0] * 1e9 / 3.0);
            }
        }
        tree.set_bounds_from_leaves();
        let exact = expected_by(Pruning::Off, &tree);
        for pruning in [Pruning::Star1, Pruning::Star2] {
            let decision = expected_by(pruning, &tree).decision;
            let chosen = exact.moves.iter().find(|(mv, _)| Some(*mv) == decision);
            assert!(chosen.is_none_or(|(_, value)| (value - exact.value).abs() < 1.0));
        }
    }
}

/// What one player gets, the other lacks; the solver answers in the utilities of who moves.
#[test]
fn the_solver_gives_who_moves_his_share_of_a_constant_sum() {
    let tree = tree(&json!({ "kind": "min", "children": [[0.75, 0.25], [0.5, 0.5]] }));
    let game = tree.classical().unwrap();
    let control = &mut Control::default();
    let found = Solver::new(Unguided, Features::EXACT).search(&game, 8, control, &mut |_, _| {});
    assert_eq!(found.unwrap().value, 0.5);
    let proof = |goal| prove(&game, goal, Unguided, 16, &mut Control::default());
    assert_eq!(proof(0.5), Proof::AtLeast(0.5));
    assert_eq!(proof(0.6), Proof::LessThan(0.6));
}

/// A position some random moves from the start; not over.
fn random_position<G: Game>(start: &G, rng: &mut SmallRng) -> G {
    loop {
        let mut game = start.clone();
        for _ in 0..rng.random_range(0..30) {
            let before = game.clone();
            let moves: Vec<G::Move> = game.legal_moves().into_iter().collect();
            game.play(moves[rng.random_range(..moves.len())]);
            if game.outcome().is_some() {
                return before;
            }
        }
        if game.outcome().is_none() {
            return game;
        }
    }
}

fn agree<G>(start: &G, depth: u32, guide: impl Guide<G> + Copy)
where
    G: ZeroSum + Deterministic + Keyed,
{
    let mut rng = SmallRng::seed_from_u64(7);
    for _ in 0..1_000 {
        let game = random_position(start, &mut rng);
        let me = game.to_move();
        let exact = minimax(&game, me, depth, &nothing, &mut Control::default(), &mut ()).unwrap();
        let control = &mut Control::default();
        let bare = alphabeta(&game, me, depth, Window::OPEN, &nothing, control, &mut ()).unwrap();
        assert_eq!(exact.value, bare.value);
        assert!(bare.counters.leaves <= exact.counters.leaves);
        for switches in 0..8_u32 {
            let features = Features {
                table: if switches & 1 == 0 { 0 } else { 1 << 12 },
                killers: switches & 2 != 0,
                deepening: switches & 4 != 0,
                ..Features::EXACT
            };
            let control = &mut Control::default();
            let mut solver = Solver::new(Unguided, features);
            let found = solver.search(&game, depth, control, &mut |_, _| {}).unwrap();
            assert_eq!(exact.value, found.value, "{features:?}");
        }
        // What the guide leaves out is never better than what it keeps.
        let whole = Solver::new(guide, Features::EXACT)
            .search(&game, depth, &mut Control::default(), &mut |_, _| {})
            .unwrap();
        assert_eq!(whole.value, exact.value);
    }
}

#[test]
fn every_switch_of_alphabeta_keeps_the_value_in_1000_positions_of_tic_tac_toe() {
    agree(&TicTacToe::default(), 9, Unguided);
}

#[test]
fn every_switch_of_alphabeta_keeps_the_value_in_1000_positions_of_connect_four() {
    agree(&ConnectFour::default(), 4, ConnectFourGuide);
}

/// John Tromp's counts of move sequences; OEIS A090224 counts the same.
#[test]
fn connect_four_has_the_published_perft() {
    let game = ConnectFour::default();
    for (depth, count) in (1..).zip([7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234]) {
        assert_eq!(perft(&game, depth), count, "depth {depth}");
    }
}

/// OEIS A212693 (John Tromp, after Edelkamp and Kissmann): legal positions after so many plies.
#[test]
fn connect_four_has_the_published_number_of_positions() {
    let counts = [7, 49, 238, 1_120, 4_263, 16_422, 54_859, 184_275, 558_186, 1_662_623];
    let mut games = vec![ConnectFour::default()];
    for count in counts {
        let mut next = std::collections::HashMap::new();
        for game in games.iter().filter(|game| game.outcome().is_none()) {
            for mv in game.legal_moves() {
                let mut child = *game;
                child.play(mv);
                next.insert(child.key(), child);
            }
        }
        assert_eq!(next.len(), count);
        games = next.into_values().collect();
    }
}

/// Positions of which the exhaustive search without any knowledge says the same as proof mode with
/// all of it: Allis' claimeven, forced replies, mirror images.
#[test]
fn what_is_known_of_connect_four_proves_nothing_false() {
    let mut rng = SmallRng::seed_from_u64(1988);
    let mut tried = 0;
    while tried < 60 {
        let mut game = ConnectFour::default();
        for _ in 0..30 {
            let moves: Vec<u8> = game.legal_moves().collect();
            game.play(moves[rng.random_range(..moves.len())]);
            if game.outcome().is_some() {
                break;
            }
        }
        if game.outcome().is_some() {
            continue;
        }
        tried += 1;
        let features = Features { table: 1 << 16, ..Features::BARE };
        let control = &mut Control::default();
        let exact = Solver::new(Unguided, features).search(&game, 42, control, &mut |_, _| {});
        let value = exact.unwrap().value;
        for goal in [0.0, 1.0] {
            let proof = prove(&game, goal, ConnectFourGuide, 1 << 16, &mut Control::default());
            let reached = matches!(proof, Proof::Solved(_) | Proof::AtLeast(_));
            assert_eq!(reached, value >= goal, "{game}{value} {proof:?}");
        }
    }
}

/// Every position of tic-tac-toe, from the ends backwards, against minimax; and proof numbers.
#[test]
fn retrograde_analysis_and_proof_numbers_agree_with_minimax_on_tic_tac_toe() {
    let all = Reachable::new(TicTacToe::default());
    assert_eq!(all.len(), 5_478);
    let outside = |_: &TicTacToe| Fate::Draw;
    let table = retrograde(&all, &outside, &mut Control::default()).unwrap();
    assert_eq!(table.get(0), Some(Fate::Draw));
    for index in (0..all.len()).step_by(7) {
        let game = all.position(index).unwrap();
        let control = &mut Control::default();
        let value = minimax(&game, 0, DEEP, &nothing, control, &mut ()).unwrap().value;
        let expected = match table.get(index).unwrap() {
            Fate::Draw => 0.0,
            Fate::Win { winner: 0, .. } => 1.0,
            Fate::Win { .. } => -1.0,
        };
        assert_eq!(value, expected);
        for goal in [0.0, 1.0] {
            let proof = proof_number_search(&game, 0, goal, &mut Control::default()).unwrap();
            assert_eq!(proof, value >= goal);
        }
    }
}

/// Kuhn 1950: the first player loses 1/18 a hand.
#[test]
fn counterfactual_regret_finds_the_value_of_kuhn_poker() {
    let mut cfr = Cfr::default();
    cfr.train(&Poker::kuhn(), 1_000, &mut Control::default()).unwrap();
    let strategy = cfr.strategy();
    assert!((expected(&Poker::kuhn(), &strategy)[0] + 1.0 / 18.0).abs() < 1e-3);
    assert!(exploitability(&Poker::kuhn(), &strategy) < 1e-3);
    assert_eq!(strategy.len(), 12);
}

/// Where a strategy says nothing its player moves at random, against a best reply as well.
#[test]
fn a_best_reply_gets_no_less_than_random_play_from_a_strategy_that_says_nothing() {
    let (game, silent) = (Poker::kuhn(), Strategy::new());
    let even = expected(&game, &silent);
    for player in 0..2 {
        assert!(best_response(&game, player, &silent) > even[player]);
    }
    assert!(exploitability(&game, &silent) > 0.0);
}

#[test]
fn a_game_that_is_over_leaves_nothing_to_determinise() {
    let mut game = Poker::kuhn();
    for mv in [PokerMove::Deal(2), PokerMove::Deal(0), PokerMove::Call, PokerMove::Call] {
        game.play(mv);
    }
    let mut rng = SmallRng::seed_from_u64(1);
    let control = &mut Control::default();
    let found = determinised(&game, 10, &mut rng, control, |_, _, _| Ok(1.0)).unwrap();
    assert_eq!((found.decision, found.value), (None, 0.0));
}

/// Whoever plays at the terminal must know his card, and only his.
#[test]
fn a_poker_player_is_shown_his_own_card() {
    let mut game = Poker::kuhn();
    game.play(PokerMove::Deal(2));
    assert!(!game.to_string().contains("card"), "{game}");
    game.play(PokerMove::Deal(0));
    assert!(game.to_string().starts_with("card 2, paid"), "{game}");
    game.play(PokerMove::Call);
    assert!(game.to_string().starts_with("card 0, paid"), "{game}");
    game.play(PokerMove::Call);
    assert!(game.to_string().starts_with("cards 2 and 0, paid"), "{game}");
}

#[test]
fn a_pot_of_more_points_than_a_byte_holds_still_wins_at_pig() {
    let mut game = Pig::new(100);
    for _ in 0..50 {
        game.play(PigMove::Roll);
        game.play(PigMove::Die(6));
    }
    game.play(PigMove::Hold);
    assert_eq!(game.outcome(), Some(Payoffs::won_by(0, 2)));
}

/// The value of Leduc hold'em to the first player is -0.0856 (Southey et al. 2005; `OpenSpiel`).
#[test]
fn counterfactual_regret_finds_the_value_of_leduc_poker() {
    let mut cfr = Cfr::default();
    cfr.train(&Poker::leduc(), 150, &mut Control::default()).unwrap();
    let strategy = cfr.strategy();
    assert_eq!(strategy.len(), 288);
    let value = expected(&Poker::leduc(), &strategy)[0];
    assert!((value + 0.0856).abs() < 2e-3, "{value}");
}

/// UCT against perfect play, both colours in turn: not one game is lost.
#[test]
fn tree_search_never_loses_tic_tac_toe_to_perfect_play() {
    for number in 0..20 {
        assert!(result_against_perfect_play(number, 5_000) >= 0.0, "game {number}");
    }
}

/// What UCT gets in a game against a perfect player who picks at random among his best moves.
fn result_against_perfect_play(number: u64, simulations: u32) -> f64 {
    let mut rng = SmallRng::seed_from_u64(number);
    let me = (number % 2) as usize;
    let mut game = TicTacToe::default();
    loop {
        if let Some(payoffs) = game.outcome() {
            return payoffs[me];
        }
        let mv = if game.to_move() == me {
            let selection = Selection::Ucb1 { c: std::f64::consts::SQRT_2 };
            let mut search = Mcts::new(&game, selection, &mut Playout, &mut rng);
            let control = &mut Control::default();
            search.search(&game, &mut Playout, simulations, &mut rng, control).decision.unwrap()
        } else {
            let control = &mut Control::default();
            let player = game.to_move();
            let found = minimax(&game, player, DEEP, &nothing, control, &mut ()).unwrap();
            let best: Vec<u8> =
                found.moves.iter().filter(|(_, v)| *v >= found.value).map(|(mv, _)| *mv).collect();
            best[rng.random_range(..best.len())]
        };
        game.play(mv);
    }
}

/// The figure of 1,000 games; minutes of work, so run by hand.
#[test]
#[ignore = "takes minutes"]
fn tree_search_does_not_lose_one_of_1000_games_of_tic_tac_toe() {
    let lost = (0..1_000).filter(|&n| result_against_perfect_play(n, 5_000) < 0.0).count();
    assert_eq!(lost, 0);
}

/// A move good on average and refuted by one reply: few simulations fall for it, many do not, flat
/// sampling always does.
#[test]
fn few_simulations_fall_into_the_trap_that_flat_sampling_never_sees() {
    let mut trap = vec![json!(1); 8];
    trap[7] = json!(0);
    let tree = tree(&json!({ "kind": "max", "moves": ["trap", "safe"], "children": [
        { "kind": "min", "children": trap }, { "kind": "min", "children": vec![json!(0.5); 8] }] }));
    let game = tree.root();
    let mut rng = SmallRng::seed_from_u64(7);
    let mut choice = |simulations| {
        let selection = Selection::Ucb1 { c: std::f64::consts::SQRT_2 };
        let mut search = Mcts::new(&game, selection, &mut Playout, &mut rng);
        let control = &mut Control::default();
        let found = search.search(&game, &mut Playout, simulations, &mut rng, control);
        tree.names(&[found.decision.unwrap()]).remove(0)
    };
    assert_eq!(choice(16), "trap");
    assert_eq!(choice(4_000), "safe");
    let mut rng = SmallRng::seed_from_u64(7);
    let flat = flat_monte_carlo(&game, 100_000, &mut rng, &mut Control::default());
    assert_eq!(tree.names(&[flat.decision.unwrap()]), ["trap"]);
}

#[test]
fn limits_and_signals_stop_a_search() {
    let game = ConnectFour::default();
    let mut few = Control::new(Limits { nodes: Some(5_000), time: None });
    assert_eq!(minimax(&game, 0, 20, &nothing, &mut few, &mut ()), Err(Stopped));
    assert_eq!(few.counters.nodes, 5_000);
    let mut told = Control::interruptible(Limits::default(), &|| true);
    assert_eq!(minimax(&game, 0, 20, &nothing, &mut told, &mut ()), Err(Stopped));
    let mut few = Control::new(Limits { nodes: Some(50_000), time: None });
    let mut solver = Solver::new(Unguided, Features::EXACT);
    assert!(solver.search(&game, 42, &mut few, &mut |_, _| {}).is_ok());
}

/// The hand-built three-player tree of the worked examples, as Gambit writes it.
#[test]
fn a_gambit_file_gives_the_three_player_example_its_value() {
    let text = include_str!("data/trees/three_players.efg");
    let tree = parse_efg(text).unwrap();
    let control = &mut Control::default();
    let eval = |_: &_| Payoffs::default();
    let found = maxn(&tree.root(), DEEP, TieRule::First, &eval, control, &mut ()).unwrap();
    assert_eq!(found.value.shares(3), [5.0, 4.0, 5.0]);
    assert_eq!(tree.names(&found.pv)[0], "right");
    let broken = text.replacen("{ 1, 2, 6 }", "{ 1, 2 }", 1);
    let error = parse_efg(&broken).unwrap_err();
    assert_eq!(error.line, text.lines().position(|l| l.contains("1, 2, 6")).unwrap() + 1);
}

#[test]
fn a_bad_tree_is_refused_with_line_column_and_reason() {
    for (text, line, reason) in [
        ("{\"kind\":\"max\",\n\"children\":[1,}", 2, "expected value"),
        ("{\"kind\":\"may\",\"children\":[1]}", 1, "none of max"),
        ("{\"kind\":\"chance\",\n\"probs\":[0.5,0.6],\"children\":[1,2]}", 2, "sum to 1"),
        ("{\"kind\":\"max\"}", 1, "children"),
        ("{\"kind\":\"max\",\"children\":[1],\"moves\":[\"a\",\"b\"]}", 1, "2 names"),
        ("{\"kind\":\"player\",\"player\":\"Z\",\"children\":[[1,2,3]]}", 1, "no such player"),
        ("[1,2,3,4,5]", 1, "utilities"),
        ("", 1, "EOF"),
        ("{\"kind\":\"max\",\"bounds\":[0,1],\"children\":[1]}", 1, "beside \"tree\""),
        (
            "{\"kind\":\"max\",\"info\":\"a\",\"children\":[1,\
             {\"kind\":\"max\",\"info\":\"a\",\"children\":[1]}]}",
            1,
            "information set 'a' has 2 moves and 1",
        ),
        (
            "{\"tree\":{\"kind\":\"max\",\"moves\":[\"up\"],\"children\":[[1,2]]},\"players\":[\"A\"]}",
            1,
            "below 'up'",
        ),
    ] {
        let error = parse_json(text).unwrap_err();
        assert_eq!(error.line, line, "{text}");
        assert!(error.column > 0, "{text}");
        assert!(error.reason.contains(reason), "{error}");
    }
    for text in
        ["", "EFG 3", "EFG 2 R \"t\" { \"a\" } p", "EFG 2 R \"t\" { \"a\" } x", "EFG 2 R \"t"]
    {
        assert!(parse_efg(text).is_err(), "{text}");
    }
}

/// Gambit's manual, "Extensive game file format": version 2, players from 1, probabilities of chance,
/// payoffs where an outcome is first named. Longer lines than fit the stack are refused as well.
#[test]
fn a_gambit_file_that_is_no_game_is_refused_where_it_goes_wrong() {
    let chance = "c \"\" 1 \"\" { \"l\" 1.5 \"r\" -0.5 } 0".to_owned();
    let long = "p \"\" 1 1 \"\" { \"l\" } 0 ".repeat(1_000);
    for (body, column, reason) in [
        (chance, 30, "negative"),
        ("p \"\" 0 1 \"\" { \"l\" } 0".to_owned(), 6, "no such player"),
        ("t \"\" 7".to_owned(), 6, "no payoffs yet"),
        (long, 11_023, "500 moves"),
    ] {
        let error = parse_efg(&format!("EFG 2 R \"t\" {{ \"a\" \"b\" }}\n{body}")).unwrap_err();
        assert_eq!((error.line, error.column), (2, column), "{error}");
        assert!(error.reason.contains(reason), "{error}");
    }
    let error = parse_efg("EFG 3 R \"t\" { \"a\" } t \"\" 0").unwrap_err();
    assert_eq!((error.column, error.reason.as_str()), (5, "only version 2 is read"));
}

/// A name of a set is its player's own.
#[test]
fn sets_of_two_players_with_one_name_hide_nothing() {
    let tree = tree(&json!({ "kind": "max", "info": "a", "children": [
        1, { "kind": "min", "info": "a", "children": [1, 2] }] }));
    assert!(tree.properties().perfect_information);
}

#[test]
fn a_resampled_position_looks_the_same_to_who_moves() {
    fn check<G: Hidden>(start: &G, seed: u64) {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut game = start.clone();
        while game.outcome().is_none() {
            let chance = game.chance();
            if chance.is_none() {
                let player = game.to_move();
                let other = game.resample(player, &mut rng);
                assert_eq!(game.information(player), other.information(player));
                let moves = |game: &G| game.legal_moves().into_iter().collect::<Vec<_>>();
                assert_eq!(moves(&game), moves(&other));
            }
            let moves: Vec<G::Move> = game.legal_moves().into_iter().collect();
            game.play(moves[rng.random_range(..moves.len())]);
        }
    }
    for seed in 0..200 {
        check(&Poker::kuhn(), seed);
        check(&Poker::leduc(), seed);
        check(&BlindTicTacToe::default(), seed);
    }
}

#[test]
fn information_set_search_wins_blind_tic_tac_toe_at_once_where_it_can() {
    let mut game = BlindTicTacToe::default();
    for square in [0, 8, 1, 7] {
        game.play(square);
    }
    let mut rng = SmallRng::seed_from_u64(3);
    let found = information_set_mcts(&game, 3_000, 1.0, &mut rng, &mut Control::default());
    assert_eq!(found.decision, Some(2));
}

#[test]
fn three_players_of_nim_and_the_dice_of_pig_are_searched() {
    let control = &mut Control::default();
    let eval = |_: &_| Payoffs::default();
    let nim = maxn(&Nim::new(3), DEEP, TieRule::First, &eval, control, &mut ()).unwrap();
    assert_eq!((nim.value, nim.decision), (Payoffs::won_by(0, 3), Some(3)));
    let value = |pruning| {
        let control = &mut Control::default();
        expectiminimax(&Pig::new(8), 0, 5, pruning, &nothing, control, &mut ()).unwrap()
    };
    let (plain, star) = (value(Pruning::Off), value(Pruning::Star1));
    assert!((plain.value - star.value).abs() < 1e-9 && plain.value > 0.0);
    assert!(star.counters.leaves < plain.counters.leaves);
}

/// Knuth & Moore 1975: no search sees fewer leaves than alpha-beta in a perfectly ordered tree.
#[test]
fn perfect_order_gives_the_minimal_number_of_leaves() {
    assert_eq!(arithmetic::perfect_leaves(35, 8), 3_001_249);
    assert_eq!(arithmetic::perfect_leaves(4, 6), 127);
}

fn binary(arguments: &[&str], input: &str) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_tegenspel"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments ends before it has read anything: the pipe is closed then.
    match process.stdin.take().unwrap().write_all(input.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => panic!("{error}"),
        _ => {}
    }
    process.wait_with_output().unwrap()
}

/// The value after `key: ` in the binary's answer to a tree.
fn said(arguments: &[&str], input: &Value, key: &str) -> String {
    let mut words = vec!["tree", "-"];
    words.extend(arguments);
    let output = binary(&words, &input.to_string());
    let text = String::from_utf8(output.stdout).unwrap();
    let found = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    found
        .unwrap_or_else(|| panic!("no {key}: {text} {}", String::from_utf8_lossy(&output.stderr)))
        .to_owned()
}

/// Every worked example that is a tree, through the built program.
#[test]
fn the_program_answers_the_tree_cases_as_published() {
    let mut run = 0;
    for case in vectors::cases() {
        let (kind, expect) = (case["kind"].as_str().unwrap(), &case["expect"]);
        let (algorithm, value) = match kind {
            "minimax" | "alphabeta" => ("alphabeta", &expect["value"]),
            "negamax_tree" => ("negamax", &expect["value"]),
            "expectiminimax" | "mixed_agents" => ("star2", &expect["value"]),
            "star1" => ("star1", &expect["value"]),
            "paranoid" => ("paranoid", &expect["value"]),
            "maxn" => ("maxn", &expect["vector"]),
            _ => continue,
        };
        let mut file = json!({ "tree": case["input"]["tree"] });
        if let Some(players) = case["input"].get("players") {
            file["players"] = players.clone();
        }
        let mut words = vec!["--algorithm", algorithm];
        if kind == "star1" {
            words.extend(["--bounds", "0,10"]);
        }
        let found = said(&words, &file, "value");
        let found = found.replace('(', "[").replace(')', "]");
        let found: Value = serde_json::from_str(&found).unwrap();
        assert!(same(value, &found), "{}: {found}", case["id"]);
        let best = expect.get("best_move").or(expect.get("move")).or(expect["best_moves"].get(0));
        if let Some(best) = best {
            assert_eq!(said(&words, &file, "decision"), best.as_str().unwrap(), "{}", case["id"]);
        }
        let leaves = ["ab_leaves", "leaves_evaluated", "leaves_with_star1"];
        if let Some(leaves) = leaves.iter().find_map(|key| expect.get(key)) {
            assert_eq!(said(&words, &file, "leaves"), leaves.to_string(), "{}", case["id"]);
        }
        run += 1;
    }
    assert_eq!(run, 31);
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-6,
    }
}

#[test]
fn the_program_refuses_bad_files_and_options_in_words() {
    for (words, input, reason) in [
        (&["tree", "-"][..], "{\"kind\":\"max\",\n \"children\":[1,,2]}", "line 2, column 16"),
        (&["tree", "/nonexistent.json"], "", "/nonexistent.json"),
        (&["tree", "-", "--depth"], "1", "value is missing"),
        (&["tree", "-", "--algorithm", "magic"], "1", "unknown algorithm"),
        (&["solve", "chequers"], "", "no game"),
        (&["solve", "connect4", "--moves", "3,9"], "", "'9' is not legal"),
        (&["tree", "-", "--moves", "1"], "1", "tree has no use for it"),
        (&["solve", "nim", "--svg", "nim.svg"], "", "solve has no use for it"),
        (&["solve", "nim", "--ties", "worst:4"], "", "no player '4'"),
        (&["solve", "kuhn", "--ties", "last"], "", "--ties: it is for nim"),
        (&["solve", "nim", "--table", "nim.txt"], "", "--table: it is for endings"),
        (&["play", "nim", "--depth", "3"], "", "play has no use for it"),
        (&["solve", "nim:5,x"], "", "no game 'nim:5,x'"),
        (&["solve", "nim", "--c", "nan"], "", "--c: 'nan'"),
        (&["tree", "-", "--algorithm", "mcts"], "1", "a player must decide"),
        (&["tree", "-", "--algorithm", "cfr", "--svg", "a.svg"], "1", "draws no tree"),
        (&["tree", "-", "--algorithm", "star1", "--player", "MIN", "--bounds", "0,9"], "1", "MAX"),
    ] {
        let output = binary(words, input);
        assert!(!output.status.success(), "{words:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains(reason), "{words:?}: {told}");
    }
}

/// Frank & Basin 1998: as if all were open the fork is worth 2, to who cannot see the deal nothing.
#[test]
fn the_program_fuses_strategies_deal_by_deal_and_not_by_information_set() {
    let guess = |left, right| json!({ "kind": "max", "info": "g", "children": [left, right] });
    let fork = json!({ "kind": "chance", "probs": [0.5, 0.5],
        "children": [guess(2, -2), guess(-2, 2)] });
    let tree = json!({ "kind": "max", "moves": ["safe", "fork"], "children": [1, fork] });
    let decision =
        |algorithm| said(&["--algorithm", algorithm, "--simulations", "2000"], &tree, "decision");
    assert_eq!(decision("pimc"), "fork");
    assert_eq!(decision("ismcts"), "safe");
}

#[test]
fn the_program_shows_one_payoff_a_player() {
    let output = binary(&["solve", "nim:3"], "");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("move 3: (1, -0.5, -0.5)\n"), "{text}");
}

#[test]
fn the_loop_answers_commands_with_info_lines_and_a_bestmove() {
    let output = binary(&["solve"], "isready\nsolve tictactoe --depth 4\n");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("readyok\n"), "{text}");
    assert!(text.contains("info depth 4 value 0 nodes "), "{text}");
    assert!(text.trim_end().ends_with("bestmove 0"), "{text}");
}

#[test]
fn the_loop_goes_on_after_bytes_that_are_no_text() {
    let mut lab = Engine::start(&["solve"]);
    lab.send_bytes(b"solve n\xffm\n").expect("bestmove (none)");
    lab.send("isready").expect("readyok");
}

/// Both would wait for standard input: the search for its end, the loop for the search.
#[test]
fn the_loop_reads_no_tree_from_where_its_commands_come() {
    let mut lab = Engine::start(&["solve"]);
    let lines = lab.send("tree -").collect("bestmove");
    assert!(lines[0].starts_with("info string error: standard input"), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "bestmove (none)");
}

/// Alpha-beta on Connect Four written out by hand: what the generic one is measured against.
struct ByHand {
    nodes: u64,
    leaves: u64,
}

impl ByHand {
    fn node(&mut self, stones: [u64; 2], plies: u32, depth: u32, mut alpha: f64, beta: f64) -> f64 {
        self.nodes += 1;
        let mover = (plies & 1) as usize;
        if ConnectFour::four(stones[1 - mover]) {
            self.leaves += 1;
            return -1.0;
        }
        if plies == 42 || depth == 0 {
            self.leaves += 1;
            return 0.0;
        }
        let filled = stones[0] | stones[1];
        let mut best = f64::NEG_INFINITY;
        for column in 0..7 {
            let all = 0x3f << (column * 7);
            if filled & all == all {
                continue;
            }
            let mut child = stones;
            child[mover] |= (filled + (1 << (column * 7))) & all;
            let value = -self.node(child, plies + 1, depth - 1, -beta, -alpha);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }
}

/// The same by hand with all that the generic search gives: it can be stopped, it counts cut-offs,
/// it keeps the principal variation and the value of each move of the root.
#[derive(Default)]
struct ByHandInFull {
    nodes: u64,
    leaves: u64,
    cutoffs: u64,
    next_poll: u64,
    lines: Vec<Vec<u8>>,
    moves: Vec<(u8, f64)>,
}

impl ByHandInFull {
    #[cold]
    fn poll(&mut self) -> Result<(), Stopped> {
        self.next_poll = self.nodes + 1024;
        if std::hint::black_box(self.nodes) == u64::MAX { Err(Stopped) } else { Ok(()) }
    }

    #[inline(never)]
    fn update(&mut self, ply: usize, mv: u8) {
        if self.lines.len() < ply + 2 {
            self.lines.resize_with(ply + 2, Vec::new);
        }
        let (upper, lower) = self.lines.split_at_mut(ply + 1);
        upper[ply].clear();
        upper[ply].push(mv);
        upper[ply].extend_from_slice(&lower[0]);
    }

    fn node(
        &mut self,
        stones: [u64; 2],
        ply: u32,
        depth: u32,
        mut alpha: f64,
        beta: f64,
    ) -> Result<f64, Stopped> {
        if self.nodes >= self.next_poll {
            self.poll()?;
        }
        self.nodes += 1;
        if let Some(line) = self.lines.get_mut(ply as usize).filter(|line| !line.is_empty()) {
            line.clear();
        }
        let mover = (ply & 1) as usize;
        let won = ConnectFour::four(stones[1 - mover]);
        if won || ply == 42 || depth == 0 {
            self.leaves += 1;
            return Ok(if won { -1.0 } else { 0.0 });
        }
        let filled = stones[0] | stones[1];
        let mut best = f64::NEG_INFINITY;
        for column in 0..7 {
            let all = 0x3f << (column * 7);
            if filled & all == all {
                continue;
            }
            let mut child = stones;
            child[mover] |= (filled + (1 << (column * 7))) & all;
            let value = -self.node(child, ply + 1, depth - 1, -beta, -alpha)?;
            if ply == 0 {
                self.moves.push((column as u8, value));
            }
            best = best.max(value);
            if value > alpha {
                alpha = value;
                self.update(ply as usize, column as u8);
            }
            if best >= beta {
                self.cutoffs += 1;
                break;
            }
        }
        Ok(best)
    }
}

/// The price of the trait; a figure for a quiet machine, run by hand with --release.
#[test]
#[ignore = "a measurement"]
fn the_generic_layer_costs_little_on_connect_four() {
    const INFINITY: f64 = f64::INFINITY;
    let (mut bare, mut full) = (vec![], vec![]);
    for _ in 0..15 {
        let start = std::time::Instant::now();
        let mut hand = ByHand { nodes: 0, leaves: 0 };
        hand.node([0; 2], 0, 11, -INFINITY, INFINITY);
        let by_hand = start.elapsed().as_secs_f64();
        let start = std::time::Instant::now();
        let mut whole = ByHandInFull::default();
        whole.node([0; 2], 0, 11, -INFINITY, INFINITY).unwrap();
        let in_full = start.elapsed().as_secs_f64();
        let start = std::time::Instant::now();
        let control = &mut Control::default();
        let game = ConnectFour::default();
        let found = alphabeta(&game, 0, 11, Window::OPEN, &nothing, control, &mut ()).unwrap();
        let generic = start.elapsed().as_secs_f64();
        assert_eq!((found.counters.nodes, found.counters.leaves), (hand.nodes, hand.leaves));
        assert_eq!((found.pv, found.moves), (whole.lines[0].clone(), whole.moves));
        bare.push(generic / by_hand);
        full.push(generic / in_full);
    }
    for (name, mut ratios) in [("value alone", bare), ("all that is answered", full)] {
        ratios.sort_by(f64::total_cmp);
        println!("by hand with {name}: median ratio {:.3}", ratios[7]);
    }
}

/// Chess under the generic searches: every switch keeps the value of minimax.
#[test]
fn every_switch_of_alphabeta_keeps_the_value_in_1000_positions_of_chess() {
    agree(&Position::start(), 2, Unguided);
}

/// Go on a board of three by three under the generic searches, positional superko included.
#[test]
fn every_switch_of_alphabeta_keeps_the_value_in_1000_positions_of_go() {
    let mut start = go::Position::new(3);
    start.rules.ko = go::Ko::Positional;
    start.komi = 0.5;
    agree(&start, 2, Unguided);
}

/// Longest mates as published (KRK 16 moves, KQK 10: Thompson 1986), exactly, from all positions.
#[test]
fn retrograde_analysis_finds_the_longest_mates_with_a_rook_and_with_a_queen() {
    let mut endings = Endings::default();
    for (name, moves) in [("KRk", 16), ("KQk", 10)] {
        endings.solve(name, &mut Control::default()).unwrap();
        let (.., table) = endings.tables.last().unwrap();
        assert_eq!(table.longest().div_ceil(2), moves, "{name}");
    }
    let fate = |fen| endings.fate(&Position::from_fen(fen).unwrap());
    assert_eq!(
        fate("8/8/8/8/8/k7/8/K6R w - - 0 1").map(|f| matches!(f, Fate::Win { winner: 0, .. })),
        Some(true)
    );
    assert_eq!(fate("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1"), Some(Fate::Draw));
    assert_eq!(fate("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1"), Some(Fate::Win { winner: 0, plies: 0 }));
}
