//! The classical evaluation: weighted features, tapered between middlegame and endgame.
//!
//! `weigh` is the table of contents. Each family of terms is a file of functions; all weights
//! stand in `weights.rs`. The search, the trace and the tuner run the same code and differ in the
//! `Sink` they hand in.

mod endgame;
mod facts;
mod king;
mod kpk;
mod passed;
mod pawns;
mod pieces;
mod sink;
mod tapered;
mod threats;
mod trace;
pub mod tuning;
mod weights;

use self::{
    endgame::{KNOWN_WIN, WHOLE},
    facts::Facts,
    pawns::{PawnEntry, PawnTable},
    sink::{Group, Silent, Sink, Tally, Term},
    tapered::Tapered,
    weights::WEIGHTS,
};
use super::super::{
    bitboard::Bitboard,
    piece::{Color, PieceKind},
    position::Position,
    score::Score,
};

pub use trace::trace;

/// How much of a middlegame each kind makes: the usual shares, 24 in all.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
/// The phase with all pieces on the board.
pub const PHASE_MAX: i32 = 24;
/// Men of one side in any game. With more, from a position set up by hand, only material counts:
/// the sums of [`Tapered`] would overflow.
const MEN: u32 = 16;

/// One thread's memory of pawn structures.
#[derive(Debug, Default)]
pub(super) struct Memory(PawnTable);

impl Memory {
    /// Centipawns for the side to move.
    pub(super) fn evaluate(&mut self, position: &Position) -> Score {
        if let Some(score) = out_of_the_ordinary(position) {
            return score;
        }
        weigh(position, self.0.get(position), &mut Silent)
    }
}

/// Centipawns for the side to move.
pub(super) fn evaluate(position: &Position) -> Score {
    listen(position, &mut Silent)
}

/// Evaluates while `sink` listens.
fn listen<S: Sink>(position: &Position, sink: &mut S) -> Score {
    out_of_the_ordinary(position)
        .unwrap_or_else(|| weigh(position, &PawnEntry::new(position, sink), sink))
}

/// Positions that are not weighed: known endings, and more men than a game has.
fn out_of_the_ordinary(position: &Position) -> Option<Score> {
    if let Some(score) = endgame::known(position) {
        return Some(score);
    }
    let men = Color::ALL.map(|color| position.by_color(color).count());
    (men[0].max(men[1]) > MEN).then(|| material_alone(position))
}

fn material_alone(position: &Position) -> Score {
    let value = |color| -> Score {
        PieceKind::ALL[..5]
            .iter()
            .map(|&kind| {
                WEIGHTS.material[kind.index()].eg() * position.of(color, kind).count() as Score
            })
            .sum()
    };
    let us = position.side_to_move();
    (value(us) - value(!us)).clamp(1 - KNOWN_WIN, KNOWN_WIN - 1)
}

/// The evaluation proper.
fn weigh<S: Sink>(position: &Position, pawns: &PawnEntry, sink: &mut S) -> Score {
    let (white, black) = (Color::White, Color::Black);
    let facts = &mut Facts::new(position, pawns);
    let mut total = structure(facts, white, sink) - structure(facts, black, sink);
    total += pieces::pieces(facts, white, sink) - pieces::pieces(facts, black, sink);
    let facts = &*facts;
    total += imbalance(facts, white, sink) - imbalance(facts, black, sink);
    total += king::king(facts, white, sink) - king::king(facts, black, sink);
    total += threats::threats(facts, white, sink) - threats::threats(facts, black, sink);
    total += passed::passed(facts, white, sink) - passed::passed(facts, black, sink);
    total += threats::space(facts, white, sink) - threats::space(facts, black, sink);
    let us = position.side_to_move();
    let mut tempo = Tally::new(&mut *sink, Group::Linear, us);
    tempo.add(&WEIGHTS.tempo, 1);
    total += if us == white { tempo.sum } else { -tempo.sum };
    let score = blend(facts, total, sink);
    if us == white { score } else { -score }
}

/// Middlegame and endgame become one number, for White.
fn blend<S: Sink>(facts: &Facts<'_>, total: Tapered, sink: &mut S) -> Score {
    let winnable = winnable(facts, sink);
    // Never turns the tables.
    let eg = total.eg() + total.eg().signum() * winnable.max(-total.eg().abs());
    let strong = if eg < 0 { Color::Black } else { Color::White };
    let passed = facts.pawns.passed[0] | facts.pawns.passed[1];
    let scale = endgame::scale(facts.position, strong, passed);
    let phase = phase(facts.position);
    sink.finish(phase, scale, winnable);
    let score = (total.mg() * phase + eg * scale / WHOLE * (PHASE_MAX - phase)) / PHASE_MAX;
    score.clamp(1 - KNOWN_WIN, KNOWN_WIN - 1)
}

fn phase(position: &Position) -> i32 {
    let phase: i32 = PieceKind::ALL[1..5]
        .iter()
        .map(|&kind| PHASE[kind.index()] * position.pieces(kind).count() as i32)
        .sum();
    phase.min(PHASE_MAX)
}

fn structure<S: Sink>(facts: &Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let value = facts.pawns.structure[us.index()];
    sink.term(Term::Pawns, us, value);
    value
}

/// What pieces are worth together (Kaufman, "The evaluation of material imbalances", 1999).
fn imbalance<S: Sink>(facts: &Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let count = |kind| facts.of(us, kind).count() as i32;
    let pawns = count(PieceKind::Pawn) - 5;
    let bishops = facts.of(us, PieceKind::Bishop);
    let pair = (bishops & Bitboard::DARK).any() && (bishops - Bitboard::DARK).any();
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);
    tally.add(&WEIGHTS.bishop_pair, pair);
    tally.add(&WEIGHTS.knight_pawns, count(PieceKind::Knight) * pawns);
    tally.add(&WEIGHTS.rook_pawns, count(PieceKind::Rook) * pawns);
    tally.add(&WEIGHTS.rook_pair, count(PieceKind::Rook) > 1);
    let sum = tally.sum;
    sink.term(Term::Imbalance, us, sum);
    sum
}

/// How winnable an ending is for whoever stands better, in centipawns (the idea is that of
/// Stockfish's initiative).
fn winnable<S: Sink>(facts: &Facts<'_>, sink: &mut S) -> Score {
    let pawns = facts.position.pieces(PieceKind::Pawn);
    let [white, black] = facts.king;
    let files = i32::from(white.file().abs_diff(black.file()));
    let outflanking = files + i32::from(black.rank()) - i32::from(white.rank());
    let west = Bitboard(0x0F0F_0F0F_0F0F_0F0F);
    let both = (pawns & west).any() && (pawns - west).any();
    let infiltrated = white.rank() > 3 || black.rank() < 4;
    let pieces = Color::ALL.into_iter().any(|color| facts.position.has_non_pawn_material(color));
    let mut tally = Tally::new(sink, Group::Winnable, Color::White);
    tally.add(&WEIGHTS.winnable_base, 1);
    tally.add(&WEIGHTS.winnable_passed, facts.pawns.passed[0] | facts.pawns.passed[1]);
    tally.add(&WEIGHTS.winnable_pawn, pawns);
    tally.add(&WEIGHTS.winnable_outflanking, outflanking);
    tally.add(&WEIGHTS.winnable_both_flanks, both);
    tally.add(&WEIGHTS.winnable_infiltration, infiltrated);
    tally.add(&WEIGHTS.winnable_pawn_ending, !pieces);
    tally.sum.eg()
}

/// Makes the tables of known endings.
pub(super) fn prepare() {
    kpk::prepare();
}

#[cfg(test)]
mod tests;
