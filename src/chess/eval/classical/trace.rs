//! The evaluation as a table, for people.

use std::fmt::Write;

use super::{
    PHASE_MAX, listen,
    sink::{Table, Term},
};
use crate::chess::{piece::Color, position::Position};

/// Each family of terms, in centipawns, for both sides and both phases; then what becomes of them.
pub fn trace(position: &Position) -> String {
    let mut table = Table::default();
    let score = listen(position, &mut table);
    let mut text = String::new();
    let _ =
        writeln!(text, " term      |    White mg     eg |    Black mg     eg |    Total mg     eg");
    for term in Term::ALL {
        let [white, black] = table.values[term as usize];
        let total = white - black;
        let _ = writeln!(
            text,
            " {:<9} | {:>11} {:>6} | {:>11} {:>6} | {:>11} {:>6}",
            format!("{term:?}"),
            white.mg(),
            white.eg(),
            black.mg(),
            black.eg(),
            total.mg(),
            total.eg()
        );
    }
    if table.scale > 0 || table.phase > 0 {
        let _ = writeln!(
            text,
            " phase {} of {PHASE_MAX}, endgame more winnable by {}, scaled to {} of 64",
            table.phase, table.winnable, table.scale
        );
    }
    let white = if position.side_to_move() == Color::White { score } else { -score };
    let _ = write!(text, "Final evaluation {:+.2} (white side)", f64::from(white) / 100.0);
    text
}
