//! A first evaluation: material and piece-square values, tapered between middlegame and endgame.

use std::fmt::Write;

use crate::chess::{
    piece::{Color, PieceKind},
    position::Position,
    score::Score,
    square::Square,
};

/// A middlegame and an endgame value, in centipawns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Tapered {
    mg: Score,
    eg: Score,
}

impl Tapered {
    const fn new(mg: Score, eg: Score) -> Self {
        Self { mg, eg }
    }

    const fn plus(self, other: Self) -> Self {
        Self::new(self.mg + other.mg, self.eg + other.eg)
    }

    const fn minus(self, other: Self) -> Self {
        Self::new(self.mg - other.mg, self.eg - other.eg)
    }

    /// The value at a phase, 24 with all pieces on the board to 0 with none.
    const fn at(self, phase: Score) -> Score {
        (self.mg * phase + self.eg * (PHASE_MAX - phase)) / PHASE_MAX
    }
}

/// Material, by kind: the usual ratios, pawns and rooks gaining as the board empties.
const MATERIAL: [Tapered; 6] = [
    Tapered::new(80, 105),
    Tapered::new(325, 300),
    Tapered::new(345, 320),
    Tapered::new(475, 545),
    Tapered::new(975, 985),
    Tapered::new(0, 0),
];

/// How much of a middlegame each kind makes.
const PHASE: [Score; 6] = [0, 1, 1, 2, 4, 0];
const PHASE_MAX: Score = 24;
/// For the right to move.
const TEMPO: Score = 12;

/// Piece-square values by kind and square, seen from White's side. Derived: each is a formula in
/// the distances from the centre, from the own back rank and from the edge.
const PIECE_SQUARE: [[Tapered; 64]; 6] = piece_square();

const fn piece_square() -> [[Tapered; 64]; 6] {
    let mut table = [[Tapered::new(0, 0); 64]; 6];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square as i32 % 8, square as i32 / 8);
        // 0 on the edge to 3 in the centre.
        let file_centre = if file < 4 { file } else { 7 - file };
        let rank_centre = if rank < 4 { rank } else { 7 - rank };
        let centre = file_centre + rank_centre;
        let central_pawn = if file_centre == 3 && rank >= 3 { 18 } else { 0 };
        let pawn_mg = 3 * (rank - 1) + 2 * file_centre + central_pawn + advanced(rank) / 2;
        table[0][square] = Tapered::new(pawn_mg, 4 * (rank - 1) + advanced(rank) - 6);
        table[1][square] = Tapered::new(9 * centre + 2 * rank - 38, 7 * centre - 25);
        table[2][square] =
            Tapered::new(4 * centre + if rank == 0 { -28 } else { -10 }, 3 * centre - 8);
        let seventh = if rank == 6 { 18 } else { 0 };
        table[3][square] = Tapered::new(4 * file_centre + seventh - 6, seventh / 2 + rank - 3);
        table[4][square] = Tapered::new(2 * centre - 6, 6 * centre - 18);
        // A castled king stays behind his pawns; in the ending he comes to the centre.
        let castled = if file_centre < 3 { 14 } else { -8 };
        let exposed = if rank == 0 { castled } else { -24 * rank };
        table[5][square] = Tapered::new(exposed - 4 * file_centre, 11 * centre - 36);
        square += 1;
    }
    table
}

/// A pawn's growing hope of promotion.
const fn advanced(rank: i32) -> i32 {
    match rank {
        6 => 90,
        5 => 45,
        4 => 18,
        _ => 0,
    }
}

fn value(color: Color, kind: PieceKind, square: Square) -> Tapered {
    MATERIAL[kind.index()].plus(PIECE_SQUARE[kind.index()][square.relative_to(color).index()])
}

fn side(position: &Position, color: Color, kind: PieceKind) -> Tapered {
    position
        .of(color, kind)
        .into_iter()
        .fold(Tapered::default(), |sum, square| sum.plus(value(color, kind, square)))
}

fn phase(position: &Position) -> Score {
    let phase: Score = PieceKind::ALL
        .into_iter()
        .map(|kind| PHASE[kind.index()] * position.pieces(kind).count() as Score)
        .sum();
    phase.min(PHASE_MAX)
}

/// Centipawns for the side to move.
pub(super) fn evaluate(position: &Position) -> Score {
    let us = position.side_to_move();
    let total = PieceKind::ALL.into_iter().fold(Tapered::default(), |sum, kind| {
        sum.plus(side(position, us, kind)).minus(side(position, !us, kind))
    });
    total.at(phase(position)) + TEMPO
}

/// A table of the terms, for people.
pub fn trace(position: &Position) -> String {
    let mut text = String::new();
    let _ =
        writeln!(text, " term    |    White mg     eg |    Black mg     eg |    Total mg     eg");
    for kind in PieceKind::ALL {
        let (white, black) =
            (side(position, Color::White, kind), side(position, Color::Black, kind));
        let total = white.minus(black);
        let _ = writeln!(
            text,
            " {:<7} | {:>11} {:>6} | {:>11} {:>6} | {:>11} {:>6}",
            format!("{kind:?}"),
            white.mg,
            white.eg,
            black.mg,
            black.eg,
            total.mg,
            total.eg
        );
    }
    let score = evaluate(position);
    let white = if position.side_to_move() == Color::White { score } else { -score };
    let _ = writeln!(text, " phase {} of {PHASE_MAX}, tempo {TEMPO}", phase(position));
    let _ = write!(text, "Final evaluation {:+.2} (white side)", f64::from(white) / 100.0);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same position with colours changed is worth the same to the side to move.
    #[test]
    fn the_evaluation_has_no_favourite_colour() {
        for fen in crate::chess::bench::POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            let swapped: String = {
                let fields: Vec<&str> = fen.split(' ').collect();
                let board: Vec<String> = fields[0]
                    .split('/')
                    .rev()
                    .map(|rank| {
                        rank.chars()
                            .map(|c| {
                                if c.is_ascii_uppercase() {
                                    c.to_ascii_lowercase()
                                } else {
                                    c.to_ascii_uppercase()
                                }
                            })
                            .collect()
                    })
                    .collect();
                format!("{} {} - - 0 1", board.join("/"), if fields[1] == "w" { "b" } else { "w" })
            };
            let mirror = Position::from_fen(&swapped).unwrap();
            assert_eq!(evaluate(&position), evaluate(&mirror), "{fen}");
        }
    }
}
