//! Passed pawns: how far they are, what stands in their way, and who escorts them.

use super::{
    facts::Facts,
    pawns::{distance, in_front},
    sink::{Group, Sink, Tally, Term},
    tapered::Tapered,
    weights::WEIGHTS,
};
use crate::chess::{attacks::rook_attacks, piece::Color, square::Square};

/// All passed pawns of a side.
pub(super) fn passed<S: Sink>(facts: &Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);
    for square in facts.pawns.passed[us.index()] {
        pawn(facts, us, square, &mut tally);
    }
    let sum = tally.sum;
    sink.term(Term::Passed, us, sum);
    sum
}

fn pawn<S: Sink>(facts: &Facts<'_>, us: Color, square: Square, tally: &mut Tally<'_, S>) {
    let (side, enemy) = (us.index(), (!us).index());
    let rank = square.relative_to(us).rank() as usize;
    let stop = square.bitboard().forward(us);
    let path = in_front(us, square.bitboard());
    let enemies = facts.position.by_color(!us);
    tally.add(&WEIGHTS.passed[rank], 1);
    tally.add(&WEIGHTS.passed_blocked[rank], (stop & enemies).any());
    let free = (path & (enemies | facts.attacked[enemy])).is_empty();
    let safe = (stop & (enemies | facts.attacked[enemy])).is_empty();
    tally.add(&WEIGHTS.passed_safe[rank], safe);
    tally.add(&WEIGHTS.passed_free[rank], free);
    tally.add(&WEIGHTS.passed_guarded[rank], (stop & facts.attacked[side]).any());
    escort(facts, us, square, rank as i32, tally);
    let unstoppable = !facts.position.has_non_pawn_material(!us)
        && (path & facts.occupied).is_empty()
        && is_outside_square(facts, us, square);
    tally.add(&WEIGHTS.passed_unstoppable, unstoppable);
}

/// Kings near, and rooks behind.
fn escort<S: Sink>(
    facts: &Facts<'_>,
    us: Color,
    square: Square,
    rank: i32,
    tally: &mut Tally<'_, S>,
) {
    let (side, enemy) = (us.index(), (!us).index());
    let stop = square.bitboard().forward(us).lowest();
    let beyond = (rank - 2).max(0);
    let near = |king: Square| distance(king, stop).min(5) * beyond;
    tally.add(&WEIGHTS.passed_own_king, near(facts.king[side]));
    tally.add(&WEIGHTS.passed_enemy_king, near(facts.king[enemy]));
    let behind = in_front(!us, square.bitboard()) & rook_attacks(square, facts.occupied);
    let heavy = behind & facts.position.straight_sliders();
    tally.add(&WEIGHTS.passed_rook_behind, heavy & facts.position.by_color(us));
    tally.add(&WEIGHTS.passed_enemy_rook_behind, heavy & facts.position.by_color(!us));
}

/// The rule of the square: the enemy king cannot catch the pawn on a free path.
fn is_outside_square(facts: &Facts<'_>, us: Color, pawn: Square) -> bool {
    let rank = pawn.relative_to(us).rank();
    // A pawn at home goes two squares at once.
    let steps = i32::from(7 - rank.max(2));
    let promotion = Square::at(pawn.file(), if us == Color::White { 7 } else { 0 });
    let first = i32::from(facts.position.side_to_move() != us);
    distance(facts.king[(!us).index()], promotion) - first > steps
}
