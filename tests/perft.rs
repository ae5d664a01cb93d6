//! Counts of move paths, against published ones.

use std::fs;

use tegenspel::chess::{Position, perft::perft};

/// Runs the rows `FEN ;D1 20 ;D2 400` of a file in `tests/data`.
fn check(name: &str) {
    let path = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let mut counts = 0;
    for row in rows {
        let (fen, published) = row.split_once(" ;").unwrap();
        let position = Position::from_fen(fen).unwrap();
        for entry in published.split(" ;") {
            let (depth, nodes) = entry.strip_prefix('D').unwrap().split_once(' ').unwrap();
            let nodes: u64 = nodes.parse().unwrap();
            assert_eq!(perft(&position, depth.parse().unwrap()), nodes, "{fen} {entry}");
            counts += 1;
        }
    }
    assert!(counts > 50, "{name} has {counts} counts");
}

#[test]
fn standard_chess_has_the_published_counts() {
    check("standard.perft");
}

#[test]
fn chess960_has_the_published_counts() {
    check("chess960.perft");
}

/// Counts of Niklas Fiekas's `tricky.perft` (library shakmaty): castling rights of inner rooks
/// (X-FEN), checks from checkers that no game brings about, 270 moves at once.
const ODD: &[(&str, u32, u64)] = &[
    ("r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1", 4, 285754),
    ("r1k2r1q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K2R1Q w KQkq - 0 1", 4, 541480),
    ("8/8/8/4B2b/6nN/8/5P2/2R1K2k w Q - 0 1", 4, 118388),
    ("2r5/8/8/8/8/8/6PP/k2KR3 w K - 0 1", 4, 57700),
    ("4r3/3k4/8/8/8/8/6PP/qR1K1R2 w KQ - 0 1", 4, 405636),
    ("8/8/8/5k2/3p4/8/4P3/4K3 w - - 0 1", 5, 19228),
    ("2b5/kpPp4/1p1P4/1P6/6p1/4p1P1/4PpPK/5B2 w - - 0 1", 32, 1),
    ("8/8/8/B2p3Q/2qPp1P1/b7/2P2PkP/4K2R b K - 0 1", 4, 366807),
    ("4rrk1/pbbp2p1/1ppnp3/3n1pqp/3N1PQP/1PPNP3/PBBP2P1/4RRK1 w Ff - 0 1", 3, 71908),
    ("3R4/8/q4k2/2B5/1NK5/3b4/8/8 w - - 0 1", 3, 2854),
    ("2Nq4/2K5/1b6/8/7R/3k4/7P/8 w - - 0 1", 3, 1217),
    ("5R2/2P5/8/4k3/8/3rK2r/8/8 w - - 0 1", 3, 1030),
    ("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", 3, 711),
    ("1b1k4/8/8/1rPpK3/8/8/8/8 w - d6 0 1", 3, 555),
    ("rnbqk1nr/bb3p1p/1q2r3/2pPp3/3P4/7P/1PP1NpPP/R1BQKBNR w KQkq c6 0 1", 3, 2528),
    ("1rrrrrk1/1PPPPPPP/8/8/8/8/8/6K1 b - - 0 1", 3, 1919),
    ("2b5/1nbn4/n3n3/1kn5/n3n3/1n1n4/5RQ1/2KQ1R2 w K - 0 1", 3, 3382),
    ("r2r3k/p7/3p4/8/8/P6P/8/R3K2R b KQq - 0 1", 4, 64639),
    ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 3, 19073),
    ("kBQQQQQQ/BR5Q/Q6Q/Q6Q/Q6Q/Q6Q/Q6Q/KQQQQQQQ w - - 0 1", 1, 270),
];

#[test]
fn odd_positions_have_the_published_counts() {
    for &(fen, depth, nodes) in ODD {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(perft(&position, depth), nodes, "{fen}");
    }
}
