//! Knights, bishops, rooks and queens: their squares, what they see, and how far they can go.

use super::{
    facts::Facts,
    pawns::{distance, half_board},
    sink::{Group, Sink, Tally, Term},
    tapered::Tapered,
    weights::WEIGHTS,
};
use crate::chess::{
    attacks::{
        between, bishop_attacks, bishop_rays, knight_attacks, line, rook_attacks, rook_rays,
    },
    bitboard::Bitboard,
    piece::{Color, PieceKind},
    square::Square,
};

/// Ranks on which an outpost may stand, by colour.
const OUTPOST_RANKS: [Bitboard; 2] =
    [Bitboard(0x0000_FFFF_FF00_0000), Bitboard(0x0000_00FF_FFFF_0000)];
const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// All pieces of one side but pawns and king. Fills the attack maps.
pub(super) fn pieces<S: Sink>(facts: &mut Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    knights(facts, us, sink)
        + bishops(facts, us, sink)
        + rooks(facts, us, sink)
        + queens(facts, us, sink)
}

/// A pinned piece attacks along the pin alone.
#[inline]
fn unpinned(facts: &Facts<'_>, us: Color, square: Square, attacks: Bitboard) -> Bitboard {
    if facts.pinned[us.index()].contains(square) {
        attacks & line(facts.king[us.index()], square)
    } else {
        attacks
    }
}

#[inline]
fn mobility(facts: &Facts<'_>, us: Color, attacks: Bitboard) -> usize {
    (attacks & facts.mobility_area[us.index()]).count() as usize
}

/// Squares in enemy land that a pawn guards and no enemy pawn can ever attack.
fn outposts(facts: &Facts<'_>, us: Color) -> Bitboard {
    (OUTPOST_RANKS[us.index()] & facts.by(us, PieceKind::Pawn))
        - facts.pawns.attack_span[(!us).index()]
}

/// What knights and bishops have in common: pawns before them, the way to their king.
fn minor<S: Sink>(facts: &Facts<'_>, us: Color, square: Square, tally: &mut Tally<'_, S>) {
    let pawns = facts.position.pieces(PieceKind::Pawn);
    let in_front = square.bitboard().forward(us);
    tally.add(&WEIGHTS.minor_behind_pawn, (in_front & pawns).any());
    tally.add(&WEIGHTS.minor_king_distance, distance(square, facts.king[us.index()]));
}

fn knights<S: Sink>(facts: &mut Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let kind = PieceKind::Knight;
    let outposts = outposts(facts, us);
    let mut roaming = Tally::new(&mut *sink, Group::Linear, us);
    for square in facts.of(us, kind) {
        let attacks = unpinned(facts, us, square, knight_attacks(square));
        facts.note(us, kind, attacks);
        roaming.add(&WEIGHTS.knight_mobility[mobility(facts, us, attacks)], 1);
    }
    let roaming = roaming.sum;
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);
    for square in facts.of(us, kind) {
        tally.add(&WEIGHTS.material[1], 1);
        tally.add(&WEIGHTS.piece_square[1][half_board(us, square)], 1);
        minor(facts, us, square, &mut tally);
        if outposts.contains(square) {
            tally.add(&WEIGHTS.knight_outpost, 1);
        } else {
            let reachable = knight_attacks(square) & outposts;
            let free = reachable - facts.position.by_color(us);
            tally.add(&WEIGHTS.knight_reaches_outpost, free.any());
        }
    }
    let sum = tally.sum;
    sink.term(Term::Mobility, us, roaming);
    sink.term(Term::Knights, us, sum);
    sum + roaming
}

fn bishops<S: Sink>(facts: &mut Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let kind = PieceKind::Bishop;
    let outposts = outposts(facts, us);
    let pawns = facts.position.pieces(PieceKind::Pawn);
    let own_pawns = facts.of(us, PieceKind::Pawn);
    let rammed = own_pawns & facts.occupied.forward(!us);
    // A bishop supports what its queen attacks beyond it.
    let occupied = facts.occupied - facts.of(us, PieceKind::Queen);
    let mut roaming = Tally::new(&mut *sink, Group::Linear, us);
    for square in facts.of(us, kind) {
        let attacks = unpinned(facts, us, square, bishop_attacks(square, occupied));
        facts.note(us, kind, attacks);
        roaming.add(&WEIGHTS.bishop_mobility[mobility(facts, us, attacks)], 1);
    }
    let roaming = roaming.sum;
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);
    for square in facts.of(us, kind) {
        tally.add(&WEIGHTS.material[2], 1);
        tally.add(&WEIGHTS.piece_square[2][half_board(us, square)], 1);
        minor(facts, us, square, &mut tally);
        tally.add(&WEIGHTS.bishop_outpost, outposts.contains(square));
        let dark = Bitboard::DARK.contains(square);
        let color = if dark { Bitboard::DARK } else { !Bitboard::DARK };
        tally.add(&WEIGHTS.bishop_pawn, own_pawns & color);
        tally.add(&WEIGHTS.bishop_rammed_pawn, rammed & color);
        let centre = bishop_attacks(square, pawns) & CENTRE;
        tally.add(&WEIGHTS.long_diagonal, centre.has_several());
    }
    let sum = tally.sum;
    sink.term(Term::Mobility, us, roaming);
    sink.term(Term::Bishops, us, sum);
    sum + roaming
}

fn rooks<S: Sink>(facts: &mut Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let kind = PieceKind::Rook;
    let side = us.index();
    // A rook supports what the major pieces before it attack.
    let occupied = facts.occupied - (facts.of(us, PieceKind::Queen) | facts.of(us, kind));
    let mut roaming = Tally::new(&mut *sink, Group::Linear, us);
    let mut trapped = 0;
    for square in facts.of(us, kind) {
        let attacks = unpinned(facts, us, square, rook_attacks(square, occupied));
        facts.note(us, kind, attacks);
        let reach = mobility(facts, us, attacks);
        roaming.add(&WEIGHTS.rook_mobility[reach], 1);
        let open = !facts.pawns.files[side].contains(square);
        if reach <= 3 && !open && is_shut_in(facts.king[side], square) {
            trapped += 1;
        }
    }
    let roaming = roaming.sum;
    let can_castle = facts.position.castling().bits() & 3 << (2 * side) != 0;
    let seventh = seventh_rank_matters(facts, us);
    let rammed = facts.of(us, PieceKind::Pawn) & facts.occupied.forward(!us);
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);
    tally.add(&WEIGHTS.rook_trapped, trapped * if can_castle { 1 } else { 2 });
    for square in facts.of(us, kind) {
        tally.add(&WEIGHTS.material[3], 1);
        tally.add(&WEIGHTS.piece_square[3][half_board(us, square)], 1);
        if facts.pawns.files[side].contains(square) {
            let file = Bitboard::FILES[square.file() as usize];
            tally.add(&WEIGHTS.rook_closed, (file & rammed).any());
        } else if facts.pawns.files[1 - side].contains(square) {
            tally.add(&WEIGHTS.rook_half_open, 1);
        } else {
            tally.add(&WEIGHTS.rook_open, 1);
        }
        let on_seventh = square.relative_to(us).rank() == 6;
        tally.add(&WEIGHTS.rook_seventh, on_seventh && seventh);
    }
    let sum = tally.sum;
    sink.term(Term::Mobility, us, roaming);
    sink.term(Term::Rooks, us, sum);
    sum + roaming
}

/// The king stands between a rook and the centre.
const fn is_shut_in(king: Square, rook: Square) -> bool {
    if king.file() < 4 { rook.file() < king.file() } else { rook.file() > king.file() }
}

/// The enemy king is on his last rank, or pawns are on the seventh.
fn seventh_rank_matters(facts: &Facts<'_>, us: Color) -> bool {
    let king = facts.king[(!us).index()].relative_to(us);
    let rank = Bitboard::RANKS[if us == Color::White { 6 } else { 1 }];
    king.rank() == 7 || (facts.of(!us, PieceKind::Pawn) & rank).any()
}

fn queens<S: Sink>(facts: &mut Facts<'_>, us: Color, sink: &mut S) -> Tapered {
    let kind = PieceKind::Queen;
    let mut roaming = Tally::new(&mut *sink, Group::Linear, us);
    for square in facts.of(us, kind) {
        let all = bishop_attacks(square, facts.occupied) | rook_attacks(square, facts.occupied);
        let attacks = unpinned(facts, us, square, all);
        facts.note(us, kind, attacks);
        roaming.add(&WEIGHTS.queen_mobility[mobility(facts, us, attacks)], 1);
    }
    let roaming = roaming.sum;
    let mut tally = Tally::new(&mut *sink, Group::Linear, us);
    for square in facts.of(us, kind) {
        tally.add(&WEIGHTS.material[4], 1);
        tally.add(&WEIGHTS.piece_square[4][half_board(us, square)], 1);
        tally.add(&WEIGHTS.queen_exposed, is_exposed(facts, us, square));
    }
    let sum = tally.sum;
    sink.term(Term::Mobility, us, roaming);
    sink.term(Term::Queens, us, sum);
    sum + roaming
}

/// One piece alone stands between a queen and an enemy bishop or rook.
fn is_exposed(facts: &Facts<'_>, us: Color, queen: Square) -> bool {
    let snipers = bishop_rays(queen) & facts.of(!us, PieceKind::Bishop)
        | rook_rays(queen) & facts.of(!us, PieceKind::Rook);
    snipers.into_iter().any(|sniper| {
        let shield = between(queen, sniper) & facts.occupied;
        shield.any() && !shield.has_several()
    })
}
