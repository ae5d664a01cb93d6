//! Threats: what is attacked by something cheaper, or attacked and not guarded, and what may be soon;
//! and space.

use super::{
    facts::Facts,
    pawns::attacks_of,
    sink::{Group, Sink, Tally, Term},
    tapered::Tapered,
    weights::WEIGHTS,
};
use crate::chess::{
    attacks::{bishop_attacks, knight_attacks, rook_attacks},
    bitboard::Bitboard,
    piece::{Color, PieceKind},
};

/// What a side threatens.
pub(super) fn threats<S: Sink>(facts: &Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let (side, them) = (us.index(), !us);
    let enemy = them.index();
    let enemies = facts.position.by_color(them);
    let pieces = enemies - facts.position.pieces(PieceKind::Pawn);
    // Guarded by a pawn, or more often than attacked.
    let strong = facts.by(them, PieceKind::Pawn)
        | (facts.attacked_twice[enemy] - facts.attacked_twice[side]);
    let weak = (enemies - strong) & facts.attacked[side];
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);

    let by_minor = facts.by(us, PieceKind::Knight) | facts.by(us, PieceKind::Bishop);
    let minor_targets = (pieces | weak) & by_minor;
    let rook_targets = weak & facts.by(us, PieceKind::Rook);
    for kind in &PieceKind::ALL[..5] {
        let of_kind = facts.position.pieces(*kind);
        tally.add(&WEIGHTS.threat_minor[kind.index()], minor_targets & of_kind);
        tally.add(&WEIGHTS.threat_rook[kind.index()], rook_targets & of_kind);
    }
    tally.add(&WEIGHTS.threat_king, (weak & facts.by(us, PieceKind::King)).any());
    let unguarded = !facts.attacked[enemy] | (pieces & facts.attacked_twice[side]);
    tally.add(&WEIGHTS.hanging, weak & unguarded);
    let contested = (facts.attacked[enemy] - strong) & facts.attacked[side];
    tally.add(&WEIGHTS.restricted, contested);
    by_pawns(facts, us, pieces, &mut tally);
    on_queen(facts, us, strong, &mut tally);
    let sum = tally.sum;
    sink.term(Term::Threats, us, sum);
    sum
}

/// Pieces that pawns attack, or may attack by a push, where the pawn is not simply lost.
fn by_pawns<S: Sink>(facts: &Facts<'_>, us: Color, targets: Bitboard, tally: &mut Tally<'_, S>) {
    let (side, enemy) = (us.index(), (!us).index());
    let safe = !facts.attacked[enemy] | facts.attacked[side];
    let pawns = facts.of(us, PieceKind::Pawn);
    let attacked = attacks_of(us, pawns & safe) & targets;
    for kind in &PieceKind::ALL[1..5] {
        tally.add(&WEIGHTS.threat_pawn[kind.index()], attacked & facts.position.pieces(*kind));
    }
    let third = Bitboard::RANKS[if us == Color::White { 2 } else { 5 }];
    let once = pawns.forward(us) - facts.occupied;
    let twice = (once & third).forward(us) - facts.occupied;
    let pushes = ((once | twice) & safe) - facts.by(!us, PieceKind::Pawn);
    tally.add(&WEIGHTS.threat_push, (attacks_of(us, pushes) & targets) - attacked);
}

/// Squares from which a queen may be attacked with the next move.
fn on_queen<S: Sink>(facts: &Facts<'_>, us: Color, strong: Bitboard, tally: &mut Tally<'_, S>) {
    let queens = facts.of(!us, PieceKind::Queen);
    if queens.is_empty() || queens.has_several() {
        return;
    }
    let queen = queens.lowest();
    let free = facts.mobility_area[us.index()] - strong;
    let knights = knight_attacks(queen) & facts.by(us, PieceKind::Knight) & free;
    tally.add(&WEIGHTS.knight_on_queen, knights);
    let sliders = bishop_attacks(queen, facts.occupied) & facts.by(us, PieceKind::Bishop)
        | rook_attacks(queen, facts.occupied) & facts.by(us, PieceKind::Rook);
    let backed = sliders & free & facts.attacked_twice[us.index()];
    tally.add(&WEIGHTS.slider_on_queen, backed);
}

/// Safe squares in the centre behind the lines, worth the more the more pieces want room.
pub(super) fn space<S: Sink>(facts: &Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    const CENTRE_FILES: u64 = 0x3C3C_3C3C_3C3C_3C3C;
    let them = !us;
    let ranks: u64 = if us == Color::White { 0x0000_0000_FFFF_FF00 } else { 0x00FF_FFFF_0000_0000 };
    let pawns = facts.of(us, PieceKind::Pawn);
    let safe = Bitboard(ranks & CENTRE_FILES) - (pawns | facts.by(them, PieceKind::Pawn));
    let behind = pawns.forward(them) | pawns.forward(them).forward(them);
    let behind = behind | behind.forward(them);
    let squares = safe.count() + (safe & (behind - facts.attacked[them.index()])).count();
    let pieces = facts.position.by_color(us).count().saturating_sub(4);
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);
    tally.add(&WEIGHTS.space, (squares * pieces * pieces / 64) as i32);
    let sum = tally.sum;
    sink.term(Term::Space, us, sum);
    sum
}
