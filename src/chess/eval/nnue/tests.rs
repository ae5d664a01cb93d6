//! What the network's code promises, on networks of random numbers.

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::SmallRng};

use super::{
    accumulator::Accumulators,
    features::{BUCKETS, INPUTS},
    network::{EMBEDDED, Network, NetworkError, Parameters},
    simd::Level,
};
use crate::chess::{moves::Move, position::Position};

fn random_network(width: usize, seed: u64) -> Network {
    let mut random = SmallRng::seed_from_u64(seed);
    let mut numbers = |count: usize, size: i16| -> Vec<i16> {
        (0..count).map(|_| random.random_range(-size..=size)).collect()
    };
    let parameters = Parameters {
        width,
        hidden: numbers(INPUTS * width, 60),
        biases: numbers(width, 200),
        outputs: numbers(2 * BUCKETS * width, 60),
        output_biases: (0..BUCKETS as i32).map(|bucket| 900 * (bucket - 3)).collect(),
    };
    Network::new(&parameters, format!("random numbers, seed {seed}")).unwrap()
}

/// Walks a random game, evaluating at some positions only, with excursions that are taken back.
fn walk(accumulators: &mut Accumulators, start: Position, random: &mut SmallRng) {
    let mut position = start;
    accumulators.reset(&position);
    for _ in 0..120 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return;
        }
        let mut pick = |moves: &[Move]| moves[random.random_range(0..moves.len())];
        let (aside, mv) = (pick(&moves), pick(&moves));
        if random.random_bool(0.3) {
            accumulators.make(&position, aside);
            let mut other = position.clone();
            other.play(aside);
            compare(accumulators, &other);
            accumulators.unmake();
        } else if random.random_bool(0.1) && !position.in_check() {
            accumulators.make_null();
            let mut other = position.clone();
            other.play_null();
            compare(accumulators, &other);
            accumulators.unmake();
        }
        accumulators.make(&position, mv);
        position.play(mv);
        if random.random_bool(0.5) {
            compare(accumulators, &position);
        }
    }
}

fn compare(accumulators: &mut Accumulators, position: &Position) {
    let kept = accumulators.evaluate(position);
    assert_eq!(kept, accumulators.network().evaluate(position), "{position}");
}

fn layers_are_those_computed_afresh(games: usize) {
    let mut random = SmallRng::seed_from_u64(960);
    let mut accumulators = Accumulators::new(Arc::new(random_network(64, 1)));
    let starts = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p6p/8/8/8/8/P6P/R3K2R w KQkq - 0 1",
        "1rk4r/pp5p/8/8/8/8/PP5P/1RK4R w HBhb - 0 1",
        "6kr/p6p/8/8/8/8/P6P/6KR w Hh - 0 1",
        "rk6/p6p/8/8/8/8/P6P/RK6 b Aa - 0 1",
        "7k/PPPPPP2/8/8/8/8/2pppppp/K7 w - - 0 1",
        "4k3/3p1p2/8/2P1P3/2p1p3/8/3P1P2/4K3 w - - 0 1",
    ];
    for round in 0..games {
        let start = Position::from_fen(starts[round % starts.len()]).unwrap();
        walk(&mut accumulators, start, &mut random);
    }
}

/// Castling in Chess960 may leave king or rook where they are, or exchange them.
#[test]
fn layers_kept_up_to_date_are_those_computed_afresh() {
    layers_are_those_computed_afresh(210);
}

/// The same for longer; `cargo test --release -- --ignored layers_kept`.
#[test]
#[ignore = "long without optimization"]
fn layers_kept_up_to_date_along_a_thousand_games() {
    layers_are_those_computed_afresh(1000);
}

/// The positions of a random game from the start, and the moves between them.
fn random_line(plies: usize, random: &mut SmallRng) -> (Vec<Position>, Vec<Move>) {
    let (mut line, mut played) = (vec![Position::start()], vec![]);
    for _ in 0..plies {
        let mut next = line[line.len() - 1].clone();
        let moves = next.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.random_range(0..moves.len())];
        next.play(mv);
        line.push(next);
        played.push(mv);
    }
    (line, played)
}

fn instruction_sets_evaluate_alike(positions: usize) {
    let mut random = SmallRng::seed_from_u64(3);
    let mut networks: Vec<Network> =
        Level::available().iter().map(|_| random_network(96, 2)).collect();
    for (network, level) in networks.iter_mut().zip(Level::available()) {
        network.level = level;
    }
    let mut all: Vec<Accumulators> =
        networks.into_iter().map(|network| Accumulators::new(Arc::new(network))).collect();
    let mut seen = 0;
    while seen < positions {
        let (line, played) = random_line(80, &mut random);
        for accumulators in &mut all {
            accumulators.reset(&line[0]);
        }
        seen += played.len();
        for (pair, mv) in line.windows(2).zip(played) {
            for accumulators in &mut all {
                accumulators.make(&pair[0], mv);
            }
            let (first, rest) = all.split_first_mut().unwrap();
            let expected = first.evaluate(&pair[1]);
            assert!(rest.iter_mut().all(|other| other.evaluate(&pair[1]) == expected));
        }
    }
}

#[test]
fn every_instruction_set_evaluates_alike() {
    instruction_sets_evaluate_alike(1600);
}

/// The same for longer; `cargo test --release -- --ignored every_instruction_set`.
#[test]
#[ignore = "long without optimization"]
fn every_instruction_set_evaluates_a_million_positions_alike() {
    instruction_sets_evaluate_alike(1_000_000);
}

/// What an evaluation costs at 256 wide, with each instruction set; a figure for a quiet machine:
/// `cargo test --release -- --ignored --nocapture nanoseconds`.
#[test]
#[ignore = "a measurement"]
fn nanoseconds_of_an_evaluation() {
    const LINES: u32 = 300;
    for level in Level::available() {
        let mut network = random_network(256, 5);
        network.level = level;
        let mut accumulators = Accumulators::new(Arc::new(network));
        let mut random = SmallRng::seed_from_u64(6);
        let (mut with_move, mut alone, mut evaluations) = (Duration::ZERO, Duration::ZERO, 0);
        for _ in 0..LINES {
            let (line, played) = random_line(100, &mut random);
            accumulators.reset(&line[0]);
            accumulators.evaluate(&line[0]);
            let start = Instant::now();
            for (pair, mv) in line.windows(2).zip(&played) {
                accumulators.make(&pair[0], *mv);
                black_box(accumulators.evaluate(&pair[1]));
            }
            with_move += start.elapsed();
            let start = Instant::now();
            for _ in &played {
                black_box(accumulators.evaluate(black_box(&line[played.len()])));
            }
            alone += start.elapsed();
            evaluations += played.len();
        }
        let each = |time: Duration| time.as_nanos() as f64 / evaluations as f64;
        println!("{level:?}: {:.0} ns, with its move {:.0} ns", each(alone), each(with_move));
    }
}

/// A position set up by hand may have a board full of men.
#[test]
fn more_men_than_a_game_has_are_summed_up_all_the_same() {
    let full = "qqqqkqqq/qqqqqqqq/qqqqqqqq/8/8/QQQQQQQQ/QQQQQQQQ/QQQQKQQQ w - - 0 1";
    let position = Position::from_fen(full).unwrap();
    let mut accumulators = Accumulators::new(Arc::new(random_network(32, 9)));
    accumulators.reset(&position);
    compare(&mut accumulators, &position);
}

#[test]
fn a_network_is_read_as_it_was_written() {
    let network = random_network(32, 4);
    let read = Network::from_bytes(&network.to_bytes()).unwrap();
    assert_eq!(read.to_bytes(), network.to_bytes());
    assert_eq!(read.record, "random numbers, seed 4");
    assert_eq!(read.evaluate(&Position::start()), network.evaluate(&Position::start()));
}

#[test]
fn what_is_no_network_is_refused_with_the_reason() {
    let bytes = random_network(32, 4).to_bytes();
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = bytes.clone();
        change(&mut bytes);
        Network::from_bytes(&bytes).unwrap_err()
    };
    let length = bytes.len();
    assert_eq!(refused(&|bytes| bytes.clear()), NetworkError::NoNetwork);
    assert_eq!(refused(&|bytes| bytes[0] ^= 1), NetworkError::NoNetwork);
    assert_eq!(refused(&|bytes| bytes.truncate(20)), NetworkError::Length(36, 20));
    assert_eq!(
        refused(&|bytes| bytes.truncate(length - 1)),
        NetworkError::Length(length, length - 1)
    );
    assert_eq!(refused(&|bytes| bytes.push(0)), NetworkError::Length(length, length + 1));
    assert_eq!(refused(&|bytes| bytes[16] = 9), NetworkError::Version(9));
    assert_eq!(refused(&|bytes| bytes[20] = 33), NetworkError::Shape(33, 768, 8));
    for place in [8, 40, 3000, length - 1] {
        assert_eq!(refused(&|bytes| bytes[place] ^= 4), NetworkError::Damaged, "{place}");
    }
}

#[test]
fn weights_that_could_overflow_are_refused() {
    let parameters = |hidden: i16, output: i16| Parameters {
        width: 320,
        hidden: vec![hidden; INPUTS * 320],
        biases: vec![0; 320],
        outputs: vec![output; 2 * BUCKETS * 320],
        output_biases: vec![0; BUCKETS],
    };
    let result = |hidden, output| Network::new(&parameters(hidden, output), String::new());
    assert!(result(505, 50).is_ok());
    assert_eq!(result(506, 50).unwrap_err(), NetworkError::Overflow);
    assert_eq!(result(505, 52).unwrap_err(), NetworkError::Overflow);
    assert_eq!(result(0, 128).unwrap_err(), NetworkError::Overflow);
}

#[test]
fn the_network_of_the_program_can_be_read() {
    assert_eq!(Network::embedded().is_some(), EMBEDDED.is_some());
}
