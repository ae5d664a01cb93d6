//! Properties that every evaluation must have.

use super::*;
use crate::chess::{piece::Piece, score::TB_WIN_IN_MAX, square::Square};

fn at(fen: &str) -> Position {
    Position::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error:?}"))
}

/// Sharp attacks, races, pieces everywhere, beside the positions of the bench.
const SHARP: &[&str] = &[
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2NP1/PP2PPBP/R1BQ1RK1 b - - 0 1",
    "6k1/1p3ppp/p2q4/3P4/1P3n2/P3R1P1/5PQP/6K1 b - - 0 1",
    "8/1P4pk/7p/8/3K4/6P1/p6P/8 b - - 0 1",
    "r2q1rk1/ppp2ppp/3b1n2/3Pn1B1/6b1/2N2N2/PPP1BPPP/R2Q1RK1 w - - 0 1",
    "4r1k1/5ppp/1R6/p7/P2r4/8/5PPP/1R4K1 w - - 0 1",
    "2b5/1p1k1p2/p2p1Pp1/2pPp1P1/P1P1P3/1P1K1B2/8/8 w - - 0 1",
];

fn samples() -> impl Iterator<Item = &'static str> {
    crate::chess::samples::POSITIONS.iter().chain(SHARP).copied()
}

/// The board of a position with the squares exchanged; castling rights are dropped.
fn rearranged(position: &Position, map: impl Fn(Square) -> Square, swap: bool) -> Position {
    let mut fen = String::new();
    for rank in (0..8).rev() {
        for file in 0..8 {
            let square = map(Square::at(file, rank));
            let letter = position.piece_on(square).map_or('1', Piece::to_char);
            let swapped = if letter.is_ascii_uppercase() {
                letter.to_ascii_lowercase()
            } else {
                letter.to_ascii_uppercase()
            };
            fen.push(if swap { swapped } else { letter });
        }
        fen.push(if rank > 0 { '/' } else { ' ' });
    }
    let white = (position.side_to_move() == Color::White) != swap;
    fen += if white { "w - - 0 1" } else { "b - - 0 1" };
    at(&fen)
}

/// The same position with colours changed is worth the same to the side to move.
#[test]
fn the_evaluation_has_no_favourite_colour() {
    for fen in samples() {
        let position = rearranged(&at(fen), |square| square, false);
        let swapped = rearranged(&position, Square::flip_rank, true);
        assert_eq!(evaluate(&position), evaluate(&swapped), "{fen}");
    }
}

/// Without castling, left and right are alike.
#[test]
fn the_evaluation_has_no_favourite_wing() {
    for fen in samples() {
        let position = rearranged(&at(fen), |square| square, false);
        let mirrored = rearranged(&position, Square::flip_file, false);
        assert_eq!(evaluate(&position), evaluate(&mirrored), "{fen}");
    }
}

#[test]
fn a_remembered_pawn_structure_changes_nothing() {
    let mut memory = Memory::default();
    for fen in samples().chain(samples()) {
        let position = at(fen);
        assert_eq!(memory.evaluate(&position), evaluate(&position), "{fen}");
    }
}

/// White's score, whoever moves.
fn white(fen: &str) -> Score {
    let position = at(fen);
    let score = evaluate(&position);
    if position.side_to_move() == Color::White { score } else { -score }
}

#[test]
fn estimates_stay_in_their_band_whatever_the_material() {
    for fen in [
        "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/8/7n/K6k w - - 0 1",
        "8/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQ5/8/8/K3Q2k b - - 0 1",
        "qqqqqqqq/8/1q6/8/7P/4K3/8/R1BQ1BNk w - - 0 1",
        "QQQQQQQQ/8/Q7/8/8/2p5/5k2/1NBRKBRN w - - 0 1",
        "QQQQQQQQ/Q7/8/8/8/8/5k2/RNB1KBNR w - - 0 1",
        "nnnnnnnn/nnnnnnnn/8/8/8/8/PPPPPPPP/4K2k w - - 0 1",
    ] {
        let Ok(position) = Position::from_fen(fen) else { continue };
        let score = evaluate(&position);
        assert!(score.abs() < TB_WIN_IN_MAX, "{fen}: {score}");
        assert_ne!(score, 0, "{fen}");
    }
}

/// Material that mates by force: queen, rook, two bishops, bishop and knight, a pawn that queens.
#[test]
fn a_true_win_scores_above_every_estimate() {
    for fen in [
        "8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
        "8/8/8/3k4/8/8/8/KR6 b - - 0 1",
        "8/8/8/3k4/8/8/8/KBB5 w - - 0 1",
        "8/8/8/3k4/8/8/8/KBN5 b - - 0 1",
        "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1",
    ] {
        assert!(white(fen) >= KNOWN_WIN, "{fen}: {}", white(fen));
        assert!(white(fen) < TB_WIN_IN_MAX, "{fen}");
    }
    for fen in samples() {
        assert!(endgame::known(&at(fen)).is_some() || white(fen).abs() < KNOWN_WIN, "{fen}");
    }
}

/// The way from a won pawn to mate goes uphill.
#[test]
fn a_won_ending_makes_progress() {
    let rising = |fens: &[&str]| {
        assert!(fens.windows(2).all(|pair| white(pair[0]) < white(pair[1])), "{fens:?}");
    };
    rising(&[
        "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1",
        "8/4P1k1/4K3/8/8/8/8/8 b - - 0 1",
        "8/8/4K3/8/8/8/k7/4R3 b - - 0 1",
        "8/8/4K3/8/8/8/k7/4Q3 b - - 0 1",
    ]);
    rising(&[
        "8/8/8/3k4/8/3K4/8/7R b - - 0 1",
        "3k4/8/8/8/8/3K4/8/7R b - - 0 1",
        "3k4/8/3K4/8/8/8/8/7R b - - 0 1",
        "k7/8/1K6/8/8/8/8/7R b - - 0 1",
    ]);
    // The bishop on a light square mates in the corners a8 and h1.
    rising(&[
        "7k/5N2/6K1/8/4B3/8/8/8 b - - 0 1",
        "3k4/5N2/3K4/8/4B3/8/8/8 b - - 0 1",
        "k7/8/1K3N2/8/4B3/8/8/8 b - - 0 1",
    ]);
}

/// Draws of theory: no mating material; stalemate; a held pawn; the wrong bishop.
#[test]
fn endings_drawn_by_theory_are_worth_nothing() {
    for fen in [
        "8/8/8/3k4/8/8/8/KNN5 w - - 0 1",
        "8/8/8/3k4/8/8/8/KB1B4 w - - 0 1",
        "k7/8/1Q6/8/8/8/8/K7 b - - 0 1",
        "4k3/4P3/4K3/8/8/8/8/8 b - - 0 1",
        "7k/8/8/7P/8/8/8/K7 w - - 0 1",
    ] {
        assert_eq!(white(fen), 0, "{fen}");
    }
}

/// More wood than the winner can use: a fraction of the same wood elsewhere.
#[test]
fn fortresses_are_scaled_down() {
    for (drawn, won, share) in [
        // Wrong rook pawn: the bishop does not guard h8.
        ("7k/8/8/7P/8/3B4/8/K7 w - - 0 1", "7k/8/8/7P/8/4B3/8/K7 w - - 0 1", 0),
        // A rook against a minor piece, against a rook and a pawn.
        ("8/8/3k4/4n3/8/8/1R6/4K3 w - - 0 1", "8/3k4/8/4n3/8/4P3/1R6/4K3 w - - 0 1", 4),
        // Bishops of opposite colours, of the same.
        (
            "8/4k3/2b1p3/3pP3/3P4/4B1P1/5K2/8 w - - 0 1",
            "8/3bk3/4p3/3pP3/3P4/5BP1/5K2/8 w - - 0 1",
            2,
        ),
    ] {
        assert!(white(drawn).abs() * share.max(1) <= white(won).abs(), "{drawn} {won}");
        assert!(share > 0 || white(drawn).abs() < 60, "{drawn}: {}", white(drawn));
    }
}

/// Passed pawns: nearer is better; free is better than blocked.
#[test]
fn a_passed_pawn_grows_on_its_way() {
    let pawn = |fen| white(fen);
    let ranks = [
        "4k1n1/8/8/8/8/P7/8/4K1N1 w - - 0 1",
        "4k1n1/8/8/8/P7/8/8/4K1N1 w - - 0 1",
        "4k1n1/8/8/P7/8/8/8/4K1N1 w - - 0 1",
        "4k1n1/8/P7/8/8/8/8/4K1N1 w - - 0 1",
        "4k1n1/P7/8/8/8/8/8/4K1N1 w - - 0 1",
    ];
    assert!(ranks.windows(2).all(|pair| pawn(pair[0]) < pawn(pair[1])));
    assert!(pawn("4k3/n7/P7/8/8/8/8/4K1N1 w - - 0 1") < pawn(ranks[3]));
}

/// The file that the tuner rewrites holds as many numbers as there are weights, and these are they.
#[test]
fn the_weight_file_is_read_as_it_was_compiled() {
    let weights = tuning::parse(tuning::SOURCE).unwrap();
    assert_eq!(weights.len(), tuning::COUNT);
    let tempo = WEIGHTS.tempo;
    let place = (std::ptr::from_ref(&WEIGHTS.tempo).addr() - std::ptr::from_ref(&WEIGHTS).addr())
        / size_of::<Tapered>();
    assert_eq!(weights[place], [tempo.mg(), tempo.eg()]);
    assert_eq!(tuning::parse("static WEIGHTS = s(1, 2);"), None);
}
