//! From centipawns to the chances of winning, drawing and losing.
//!
//! The chance of a win is logistic in the score: at `centre` centipawns it is an even bet, `spread`
//! centipawns more and it comes true three times in four. Both depend on the material that is
//! left: a pawn's worth decides more in an ending than with all men on the board. So a score is
//! shown in units of its centre: +1.00 is an even chance to win (as in Stockfish since 2022). The
//! figures are fitted to games of self-play, by `tune wdl`.

mod fitted;

use super::{
    piece::PieceKind,
    position::Position,
    score::{Score, is_decisive},
};

/// The most material that the model knows, in pawns: that of the array.
pub const MOST_MATERIAL: u32 = 78;
/// The least: with less, it says what it says for this.
pub const LEAST_MATERIAL: u32 = 10;

/// How results depend on scores: the coefficients of two cubic polynomials in the material, as a
/// share of [`MOST_MATERIAL`], the constant first; both give centipawns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// The score at which a win is an even bet.
    pub centre: [f64; 4],
    /// By how much the score must rise for the odds of a win to rise `e` times.
    pub spread: [f64; 4],
}

/// The model of this engine.
pub const MODEL: Model = fitted::MODEL;

impl Model {
    /// Centre and spread at this material.
    pub fn at(&self, material: u32) -> (f64, f64) {
        let material = material.clamp(LEAST_MATERIAL, MOST_MATERIAL);
        let share = f64::from(material) / f64::from(MOST_MATERIAL);
        let value = |[a, b, c, d]: [f64; 4]| ((d * share + c) * share + b) * share + a;
        (value(self.centre).max(1.0), value(self.spread).max(1.0))
    }

    /// Chances of win, draw and loss of the side that has this score, no mate.
    pub fn chances(&self, score: f64, material: u32) -> [f64; 3] {
        let (centre, spread) = self.at(material);
        let above = |score: f64| 1.0 / (1.0 + ((centre - score) / spread).exp());
        let (win, loss) = (above(score), above(-score));
        [win, (1.0 - win - loss).max(0.0), loss]
    }
}

/// What both sides have, in pawns: knights and bishops three, rooks five, queens nine.
pub fn material(position: &Position) -> u32 {
    let worth = [
        (PieceKind::Pawn, 1),
        (PieceKind::Knight, 3),
        (PieceKind::Bishop, 3),
        (PieceKind::Rook, 5),
        (PieceKind::Queen, 9),
    ];
    worth.iter().map(|&(kind, value)| value * position.pieces(kind).count()).sum()
}

/// Win, draw and loss of the side to move, in thousandths.
pub fn model(score: Score, position: &Position) -> [u32; 3] {
    if is_decisive(score) {
        return if score > 0 { [1000, 0, 0] } else { [0, 0, 1000] };
    }
    let [win, _, loss] = MODEL.chances(f64::from(score), material(position));
    let win = (1000.0 * win).round() as u32;
    let loss = (1000.0 * loss).round().min(f64::from(1000 - win)) as u32;
    [win, 1000 - win - loss, loss]
}

/// The score that counts as one pawn here: it is an even chance to win.
pub fn pawn(position: &Position) -> Score {
    MODEL.at(material(position)).0.round() as Score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_chances_are_all_there_is() {
        let position = Position::start();
        for score in -3000..3000 {
            let [win, draw, loss] = model(score, &position);
            assert_eq!(win + draw + loss, 1000, "{score}");
        }
        assert_eq!(model(0, &position)[0], model(0, &position)[2]);
    }

    #[test]
    fn one_pawn_is_an_even_chance_to_win() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let [win, ..] = model(pawn(&position), &position);
            assert!(win.abs_diff(500) <= 3, "{fen}: {win}");
        }
    }

    #[test]
    fn a_better_score_wins_more_and_loses_less_at_any_material() {
        for material in 0..=MOST_MATERIAL {
            let [mut win, mut loss] = [0.0, 1.0];
            for score in (-2000..=2000).step_by(50) {
                let [w, draw, l] = MODEL.chances(f64::from(score), material);
                assert!(w >= win && l <= loss && draw >= 0.0, "{material}: {score}");
                [win, loss] = [w, l];
            }
        }
    }

    #[test]
    fn the_array_is_all_the_material() {
        assert_eq!(material(&Position::start()), MOST_MATERIAL);
    }
}
