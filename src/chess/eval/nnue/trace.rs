//! What the network says of a position, as text.

use std::fmt::Write;

use super::{
    features::{BUCKETS, bucket},
    network::{Network, men},
};
use crate::chess::{
    piece::{Color, PieceKind},
    position::Position,
    score::Score,
    square::Square,
};

/// The board with what each man contributes, in pawns for White: the evaluation less that without
/// him. Then the value of each output layer; that which counts is marked.
pub fn trace(network: &Network, position: &Position) -> String {
    let (men, side) = (men(position), position.side_to_move());
    let for_white = |score: Score| if side == Color::White { score } else { -score };
    let whole = network.evaluate_men(&men, side);
    let contribution = |square: Square| -> Option<String> {
        let piece = position.piece_on(square)?;
        if piece.kind() == PieceKind::King {
            return Some(format!("{}", piece.to_char()));
        }
        let others: Vec<_> = men.iter().copied().filter(|&(_, other)| other != square).collect();
        let share = for_white(whole - network.evaluate_men(&others, side));
        Some(format!("{}{:+.2}", piece.to_char(), pawns(share)))
    };
    let mut text = format!("network {}\n", network.name());
    for rank in (0..8).rev() {
        for file in 0..8 {
            let shown = contribution(Square::at(file, rank)).unwrap_or_else(|| ".".to_owned());
            // A string takes everything.
            let _ = write!(text, "{shown:>8}");
        }
        text.push('\n');
    }
    let counts = bucket(men.len() as u32);
    for layer in 0..BUCKETS {
        let value = pawns(for_white(network.evaluate_with(&men, side, layer)));
        let mark = if layer == counts { "  <- this one counts" } else { "" };
        let _ = writeln!(text, "output layer {layer}  {value:+.2}{mark}");
    }
    let _ = write!(text, "network    {:+.2} for White", pawns(for_white(whole)));
    text
}

fn pawns(score: Score) -> f64 {
    f64::from(score) / 100.0
}
