//! Endings known by theory: wins that are played out by a plan, and draws that material does not
//! show. Sources: Fine, "Basic Chess Endings" (1941); the rules of thumb of Glaurung and Stockfish.

use super::{kpk, pawns::distance};
use crate::chess::{
    attacks::king_attacks,
    bitboard::Bitboard,
    piece::{Color, PieceKind},
    position::Position,
    score::{DRAW, Score, TB_WIN_IN_MAX},
    square::Square,
};

/// A win by theory scores at least this; every other estimate lies below.
pub(super) const KNOWN_WIN: Score = 10_000;
/// A scale of the whole.
pub const WHOLE: i32 = 64;

/// Rough values that tell the endings apart; nothing is weighed with them.
const VALUES: [Score; 6] = [100, 320, 330, 500, 950, 0];
const BISHOP: Score = VALUES[2];
const ROOK: Score = VALUES[3];

/// The corners of the dark squares, and of the light ones.
const DARK_CORNERS: Bitboard = Bitboard(1 | 1 << 63);
const LIGHT_CORNERS: Bitboard = Bitboard(1 << 7 | 1 << 56);
const EDGE_FILES: Bitboard = Bitboard(0x8181_8181_8181_8181);

/// The value for the side to move of an ending whose result theory knows.
pub(super) fn known(position: &Position) -> Option<Score> {
    let strong = if is_bare(position, Color::Black) {
        Color::White
    } else if is_bare(position, Color::White) {
        Color::Black
    } else {
        return None;
    };
    let value = against_bare_king(position, strong)?;
    Some(if position.side_to_move() == strong { value } else { -value })
}

/// A king without company.
fn is_bare(position: &Position, color: Color) -> bool {
    !position.by_color(color).has_several()
}

/// Value of pieces, without pawns.
fn pieces_value(position: &Position, color: Color) -> Score {
    PieceKind::ALL[1..5]
        .iter()
        .map(|&kind| VALUES[kind.index()] * position.of(color, kind).count() as Score)
        .sum()
}

fn against_bare_king(position: &Position, strong: Color) -> Option<Score> {
    let count = |kind| position.of(strong, kind).count();
    let pawns = position.of(strong, PieceKind::Pawn);
    if is_stalemate(position, strong) {
        return Some(DRAW);
    }
    if can_mate(position, strong) {
        let without_pawns = pawns.is_empty();
        let (knights, bishops) = (count(PieceKind::Knight), count(PieceKind::Bishop));
        let only_minors =
            pieces_value(position, strong) < ROOK + BISHOP && (knights, bishops) == (1, 1);
        return Some(if without_pawns && only_minors {
            bishop_and_knight(position, strong)
        } else {
            mating(position, strong)
        });
    }
    if pawns.is_empty() {
        // A minor piece, two knights, bishops of one colour: no mate can be forced.
        return Some(DRAW);
    }
    let pawn = pawns.lowest();
    (pieces_value(position, strong) == 0 && !pawns.has_several())
        .then(|| lone_pawn(position, strong, pawn))
}

/// The bare king has no move and is not in check.
fn is_stalemate(position: &Position, strong: Color) -> bool {
    let weak = !strong;
    position.side_to_move() == weak
        && !position.in_check()
        && (king_attacks(position.king(weak)) - position.by_color(strong))
            .into_iter()
            .all(|to| position.is_attacked(to, strong))
        && position.legal_moves().is_empty()
}

/// Whether the pieces alone force mate on a bare king.
fn can_mate(position: &Position, strong: Color) -> bool {
    let of = |kind| position.of(strong, kind);
    let bishops = of(PieceKind::Bishop);
    let both_colors = (bishops & Bitboard::DARK).any() && (bishops - Bitboard::DARK).any();
    let knights = of(PieceKind::Knight).count();
    (of(PieceKind::Queen) | of(PieceKind::Rook)).any()
        || both_colors
        || knights > 0 && bishops.any()
        || knights > 2
}

/// Drives the bare king to the edge and brings the own king near.
fn mating(position: &Position, strong: Color) -> Score {
    let (king, weak) = (position.king(strong), position.king(!strong));
    let driven = 20 * edge(weak) + 10 * (7 - distance(king, weak));
    (KNOWN_WIN + material(position, strong) + driven).min(TB_WIN_IN_MAX - 1)
}

fn material(position: &Position, strong: Color) -> Score {
    let advanced: i32 = position
        .of(strong, PieceKind::Pawn)
        .into_iter()
        .map(|pawn| i32::from(pawn.relative_to(strong).rank()))
        .sum();
    let pawns = position.of(strong, PieceKind::Pawn).count() as Score;
    pieces_value(position, strong) + 100 * pawns + 8 * advanced
}

/// Mate with bishop and knight is possible in a corner of the bishop's colour only. A step towards
/// it counts for more than all the rest: on the way the king must be let off the edge for a while,
/// and lines that put this off run into the fifty-move rule.
fn bishop_and_knight(position: &Position, strong: Color) -> Score {
    let (king, weak) = (position.king(strong), position.king(!strong));
    let dark = (position.of(strong, PieceKind::Bishop) & Bitboard::DARK).any();
    let corners = if dark { DARK_CORNERS } else { LIGHT_CORNERS };
    let away = corners.into_iter().map(|corner| manhattan(corner, weak)).min().unwrap_or(0);
    let near = 7 - distance(king, weak);
    KNOWN_WIN + material(position, strong) + 100 * (7 - away) + 10 * near + 4 * edge(weak)
}

fn manhattan(a: Square, b: Square) -> i32 {
    i32::from(a.file().abs_diff(b.file()) + a.rank().abs_diff(b.rank()))
}

/// 0 in the centre to 6 in a corner.
fn edge(square: Square) -> i32 {
    let from_centre = |line: u8| i32::from(if line < 4 { 3 - line } else { line - 4 });
    from_centre(square.file()) + from_centre(square.rank())
}

/// King and pawn against king, by the table. A won pawn is worth less than what it becomes.
fn lone_pawn(position: &Position, strong: Color, pawn: Square) -> Score {
    let kings = Color::ALL.map(|color| position.king(color));
    if kpk::is_win(strong, position.side_to_move(), kings, pawn) {
        KNOWN_WIN + 100 + 8 * i32::from(pawn.relative_to(strong).rank())
    } else {
        DRAW
    }
}

/// What is left of the endgame's half of the evaluation, in 64ths, when `strong` stands better.
pub(super) fn scale(position: &Position, strong: Color, passed: Bitboard) -> i32 {
    let pawns = position.of(strong, PieceKind::Pawn);
    let (ours, theirs) = (pieces_value(position, strong), pieces_value(position, !strong));
    if pawns.is_empty() {
        return without_pawns(position, strong, ours, theirs);
    }
    if is_wrong_rook_pawn(position, strong, pawns, ours) {
        return 0;
    }
    if ours == ROOK && theirs == ROOK && is_held_by_rook(position, strong, pawns) {
        return 20;
    }
    if are_opposite_bishops(position) {
        return if ours == BISHOP && theirs == BISHOP {
            (16 + 5 * (passed & position.by_color(strong)).count() as i32).min(WHOLE)
        } else {
            (30 + 3 * position.by_color(strong).count() as i32).min(WHOLE)
        };
    }
    let few = 44 + 8 * pawns.count() as i32;
    few.min(WHOLE)
}

/// Without a pawn, a minor piece more is not enough; nor are two knights.
fn without_pawns(position: &Position, strong: Color, ours: Score, theirs: Score) -> i32 {
    if ours < ROOK {
        return 0;
    }
    let knights_only = ours == 2 * VALUES[1] && position.of(strong, PieceKind::Knight).count() == 2;
    if knights_only {
        return if position.of(!strong, PieceKind::Pawn).any() { 4 } else { 0 };
    }
    if ours - theirs > BISHOP {
        return WHOLE;
    }
    // A rook is held by a minor piece or a pawn; a queen by two pieces.
    if theirs <= BISHOP { 6 } else { 14 }
}

/// Bishops of one colour, or nothing, with pawns on one edge file, and the king in the corner that
/// the bishop does not guard.
fn is_wrong_rook_pawn(position: &Position, strong: Color, pawns: Bitboard, ours: Score) -> bool {
    if (pawns - EDGE_FILES).any() {
        return false;
    }
    let file = Bitboard::FILES[pawns.lowest().file() as usize];
    if (pawns - file).any() {
        return false;
    }
    let bishops = position.of(strong, PieceKind::Bishop);
    if ours != VALUES[2] * bishops.count() as Score {
        return false;
    }
    let last = if strong == Color::White { 7 } else { 0 };
    let promotion = Square::at(pawns.lowest().file(), last);
    let color = if Bitboard::DARK.contains(promotion) { Bitboard::DARK } else { !Bitboard::DARK };
    (bishops & color).is_empty() && distance(position.king(!strong), promotion) <= 1
}

/// Rook and one pawn against a rook: the king before the pawn, or the third-rank defence, holds.
fn is_held_by_rook(position: &Position, strong: Color, pawns: Bitboard) -> bool {
    if pawns.has_several() || position.of(!strong, PieceKind::Pawn).has_several() {
        return false;
    }
    let pawn = pawns.lowest().relative_to(strong);
    let king = position.king(!strong).relative_to(strong);
    let ahead = king.rank() > pawn.rank() && king.file().abs_diff(pawn.file()) <= 1;
    ahead && pawn.rank() < 6
}

/// One bishop each, on squares of different colours.
fn are_opposite_bishops(position: &Position) -> bool {
    let bishops = position.pieces(PieceKind::Bishop);
    bishops.count() == 2
        && Color::ALL.iter().all(|&color| position.of(color, PieceKind::Bishop).any())
        && (bishops & Bitboard::DARK).count() == 1
}
