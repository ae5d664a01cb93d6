//! King safety. What threatens a king is added up as danger and then squared, since attackers help
//! each other (the idea of the attack tables of Ed Schröder's Rebel and of Stockfish's king danger).

use super::{
    facts::Facts,
    pawns::{flank, half_board},
    sink::{Group, Sink, Tally, Term},
    tapered::Tapered,
    weights::WEIGHTS,
};
use crate::chess::{
    attacks::{bishop_attacks, king_attacks, knight_attacks, rook_attacks},
    bitboard::Bitboard,
    piece::{Color, PieceKind},
};

/// The middlegame loses the square of the danger over this: 320 units are worth a pawn.
pub const DANGER_DIVISOR: i32 = 1024;
/// The endgame loses a quarter of its own sum.
pub const DANGER_ENDGAME: i32 = 4;
/// More danger than this is not told apart: a queen's worth.
pub const DANGER_LIMIT: i32 = 1200;

/// A king's square, shelter and danger.
pub(super) fn king<S: Sink>(facts: &Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let square = facts.king[us.index()];
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);
    tally.add(&WEIGHTS.piece_square[5][half_board(us, square)], 1);
    let placed = tally.sum + facts.pawns.shelter[us.index()];
    let value = placed - penalty(danger(facts, us, sink));
    sink.term(Term::King, us, value);
    value
}

/// What a sum of danger costs.
fn penalty(danger: Tapered) -> Tapered {
    let mg = danger.mg().clamp(0, DANGER_LIMIT);
    Tapered::new(mg * mg / DANGER_DIVISOR, danger.eg().max(0) / DANGER_ENDGAME)
}

fn danger<S: Sink>(facts: &Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let mut tally = Tally::new(sink, Group::Danger, us);
    tally.add(&WEIGHTS.danger_base, 1);
    attackers(facts, us, &mut tally);
    checks(facts, us, &mut tally);
    surroundings(facts, us, &mut tally);
    tally.sum
}

/// Who attacks the ring, and how.
fn attackers<S: Sink>(facts: &Facts<'_>, us: Color, tally: &mut Tally<'_, S>) {
    let enemy = (!us).index();
    let attackers = &facts.attackers[enemy];
    let mut count = 0;
    for kind in [PieceKind::Knight, PieceKind::Bishop, PieceKind::Rook, PieceKind::Queen] {
        tally.add(&WEIGHTS.danger_attackers[kind.index()], attackers[kind.index()]);
        count += attackers[kind.index()] as usize;
    }
    tally.add(&WEIGHTS.danger_count[count.min(WEIGHTS.danger_count.len() - 1)], 1);
    tally.add(&WEIGHTS.danger_hit, facts.ring_hits[enemy]);
    tally.add(&WEIGHTS.danger_weak, facts.ring[us.index()] & hardly_guarded(facts, us));
    tally.add(&WEIGHTS.danger_no_queen, facts.of(!us, PieceKind::Queen).is_empty());
}

/// Attacked squares that the side guards with king or queen at most.
fn hardly_guarded(facts: &Facts<'_>, us: Color) -> Bitboard {
    let side = us.index();
    let feeble = facts.by(us, PieceKind::King) | facts.by(us, PieceKind::Queen);
    let guarded = facts.attacked_twice[side] | (facts.attacked[side] - feeble);
    facts.attacked[1 - side] - guarded
}

/// Checks that the enemy could give.
fn checks<S: Sink>(facts: &Facts<'_>, us: Color, tally: &mut Tally<'_, S>) {
    let (side, them) = (us.index(), !us);
    let king = facts.king[side];
    let weak = hardly_guarded(facts, us) & facts.attacked_twice[1 - side];
    let safe = (!facts.attacked[side] | weak) - facts.position.by_color(them);
    // The own queen shields for one move only.
    let occupied = facts.occupied - facts.of(us, PieceKind::Queen);
    let (diagonal, straight) = (bishop_attacks(king, occupied), rook_attacks(king, occupied));
    let mut unsafe_checks = Bitboard::EMPTY;
    for (kind, lines) in [
        (PieceKind::Knight, knight_attacks(king)),
        (PieceKind::Bishop, diagonal),
        (PieceKind::Rook, straight),
        (PieceKind::Queen, diagonal | straight),
    ] {
        let checks = lines & facts.by(them, kind);
        // A queen's check that is met by a queen is none.
        let met =
            if kind == PieceKind::Queen { facts.by(us, PieceKind::Queen) } else { Bitboard::EMPTY };
        let unharmed = checks & (safe - met);
        tally.add(&WEIGHTS.danger_check[kind.index()], unharmed.count().min(2) as i32);
        unsafe_checks |= checks - unharmed;
    }
    tally.add(&WEIGHTS.danger_unsafe_check, unsafe_checks - facts.position.by_color(them));
}

/// Shields, pawns and files, and the battle for the flank.
fn surroundings<S: Sink>(facts: &Facts<'_>, us: Color, tally: &mut Tally<'_, S>) {
    let (side, enemy) = (us.index(), (!us).index());
    let king = facts.king[side];
    tally.add(&WEIGHTS.danger_pinned, facts.pinned[side]);
    let camp = if us == Color::White { 0x0000_00FF_FFFF_FFFF } else { 0xFFFF_FFFF_FF00_0000 };
    let camp = flank(king) & Bitboard(camp);
    let attacks =
        (facts.attacked[enemy] & camp).count() + (facts.attacked_twice[enemy] & camp).count();
    tally.add(&WEIGHTS.danger_flank_attack, attacks as i32);
    tally.add(&WEIGHTS.danger_flank_guard, facts.attacked[side] & camp);
    let centre = king.file().clamp(1, 6) as usize;
    let files = 0x07_u64 << (centre - 1);
    let open = Bitboard(files & !facts.pawns.files[side].0);
    tally.add(&WEIGHTS.danger_open_file, open);
    let beside = king_attacks(king);
    tally.add(&WEIGHTS.danger_shelter_pawn, facts.of(us, PieceKind::Pawn) & beside);
    let knights = facts.by(us, PieceKind::Knight) & facts.ring[side];
    tally.add(&WEIGHTS.danger_knight_guard, knights.any());
}
