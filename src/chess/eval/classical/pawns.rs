//! Pawn structure and the king's shelter: all that depends on pawns and kings alone, kept in a small
//! hash table, since it seldom changes.

use super::{
    sink::{Group, Silent, Sink, Tally},
    tapered::Tapered,
    weights::WEIGHTS,
};
use crate::chess::{
    attacks::{pawn_attacks, pawn_set_attacks},
    bitboard::Bitboard,
    piece::{Color, PieceKind},
    position::Position,
    square::Square,
};

/// What is known of a pawn structure with its two kings.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PawnEntry {
    key: u64,
    /// Structure and piece-square values, by colour.
    pub(super) structure: [Tapered; 2],
    /// Shelter and storm, by the king's colour.
    pub(super) shelter: [Tapered; 2],
    pub(super) passed: [Bitboard; 2],
    /// Squares that pawns attack, now or after pushes.
    pub(super) attack_span: [Bitboard; 2],
    /// Files with a pawn of this colour, whole.
    pub(super) files: [Bitboard; 2],
}

/// Entries of one thread.
#[derive(Debug)]
pub(super) struct PawnTable(Vec<PawnEntry>);

/// Entries; a power of two. One is 104 bytes, so that the table stays in the second-level cache.
const SIZE: usize = 2048;

impl Default for PawnTable {
    fn default() -> Self {
        Self(vec![PawnEntry::default(); SIZE])
    }
}

impl PawnTable {
    /// The entry of this position, made if need be.
    pub(super) fn get(&mut self, position: &Position) -> &PawnEntry {
        let key = key(position);
        let entry = &mut self.0[(key >> 32) as usize % SIZE];
        if entry.key != key {
            *entry = PawnEntry::new(position, &mut Silent);
        }
        entry
    }
}

/// Pawns and both kings' squares. Never 0, which marks an empty entry, but with odds of 2^-64.
fn key(position: &Position) -> u64 {
    let kings = position.king(Color::White).index() * 64 + position.king(Color::Black).index() + 1;
    // The golden ratio spreads the kings over all bits (Knuth, TAOCP 6.4).
    position.pawn_key() ^ (kings as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Squares that a set of pawns attacks.
pub(super) fn attacks_of(color: Color, pawns: Bitboard) -> Bitboard {
    pawn_set_attacks(color, pawns)
}

/// Squares beside.
fn beside(set: Bitboard) -> Bitboard {
    set.shift_west() | set.shift_east()
}

/// Squares strictly in front.
pub(super) fn in_front(color: Color, set: Bitboard) -> Bitboard {
    set.forward(color).forward_fill(color)
}

/// Squares on which enemy pawns can stop or take a pawn on its way.
fn passed_span(color: Color, pawn: Bitboard) -> Bitboard {
    let front = in_front(color, pawn);
    front | beside(front)
}

/// Whole files of the set.
fn file_fill(set: Bitboard) -> Bitboard {
    set.north_fill() | set.south_fill()
}

impl PawnEntry {
    /// Looks at pawns and kings; the listener hears of each weight.
    pub(super) fn new<S: Sink>(position: &Position, sink: &mut S) -> Self {
        let mut entry = Self { key: key(position), ..Self::default() };
        let pawns = Color::ALL.map(|color| position.of(color, PieceKind::Pawn));
        for us in Color::ALL {
            let own = pawns[us.index()];
            let attacks = attacks_of(us, own);
            entry.attack_span[us.index()] = attacks.forward_fill(us);
            entry.files[us.index()] = file_fill(own);
        }
        for us in Color::ALL {
            let (own, enemy) = (pawns[us.index()], pawns[(!us).index()]);
            let mut tally = Tally::new(sink, Group::Linear, us);
            entry.passed[us.index()] = entry.structure(us, own, enemy, &mut tally);
            entry.structure[us.index()] = tally.sum;
            let mut tally = Tally::new(sink, Group::Linear, us);
            shelter(us, position.king(us), own, enemy, &mut tally);
            entry.shelter[us.index()] = tally.sum;
        }
        entry
    }

    /// Weighs each pawn; returns the passed ones.
    fn structure<S: Sink>(
        &self,
        us: Color,
        own: Bitboard,
        enemy: Bitboard,
        tally: &mut Tally<'_, S>,
    ) -> Bitboard {
        let them = !us;
        let doubled = own & in_front(them, own);
        let isolated = own - beside(self.files[us.index()]);
        let opposed = own & in_front(them, enemy);
        // The square before it is guarded by the enemy and can never be by its neighbours.
        let stops = attacks_of(them, enemy) - self.attack_span[us.index()];
        let backward = (own & stops.forward(them)) - isolated;
        let (phalanx, supported) = (own & beside(own), own & attacks_of(us, own));
        let enemy_span = in_front(them, enemy) | self.attack_span[them.index()];
        let passed = own - enemy_span - doubled;
        tally.add(&WEIGHTS.doubled, doubled);
        tally.add(&WEIGHTS.isolated[0], isolated - opposed);
        tally.add(&WEIGHTS.isolated[1], isolated & opposed);
        tally.add(&WEIGHTS.backward[0], backward - opposed);
        tally.add(&WEIGHTS.backward[1], backward & opposed);
        for square in own {
            let rank = square.relative_to(us).rank() as usize;
            tally.add(&WEIGHTS.material[0], 1);
            tally.add(&WEIGHTS.piece_square[0][half_board(us, square)], 1);
            tally.add(&WEIGHTS.phalanx[rank], phalanx.contains(square));
            tally.add(&WEIGHTS.supported[rank], supported.contains(square));
            let may_pass = !(passed | opposed | doubled).contains(square);
            if may_pass && is_candidate(us, square, own, enemy) {
                tally.add(&WEIGHTS.candidate[rank], 1);
            }
        }
        passed
    }
}

/// Whether all enemy pawns that stop this one can be exchanged by it or its neighbours.
fn is_candidate(us: Color, square: Square, own: Bitboard, enemy: Bitboard) -> bool {
    let pawn = square.bitboard();
    let stoppers = enemy & passed_span(us, pawn);
    let levers = enemy & pawn_attacks(us, square);
    let push_levers = enemy & attacks_of(us, pawn.forward(us));
    let supporters = own & pawn_attacks(!us, square);
    stoppers == levers | push_levers
        && supporters.count() >= levers.count()
        && (own & beside(pawn)).count() >= push_levers.count()
}

/// The number of a square in a table of half the board, files mirrored.
#[inline]
pub(super) const fn half_board(us: Color, square: Square) -> usize {
    square.relative_to(us).rank() as usize * 4 + edge_distance(square.file()) as usize
}

/// 0 for the files a and h to 3 for d and e.
#[inline]
const fn edge_distance(file: u8) -> u8 {
    if file < 4 { file } else { 7 - file }
}

/// The three files round the king: own pawns that shelter him, enemy pawns that storm.
fn shelter<S: Sink>(
    us: Color,
    king: Square,
    own: Bitboard,
    enemy: Bitboard,
    tally: &mut Tally<'_, S>,
) {
    // What is behind the king neither shelters nor storms.
    let ahead = Bitboard::RANKS[king.rank() as usize].forward_fill(us);
    let (own_ahead, enemy_ahead) = (own & ahead, enemy & ahead);
    let centre = king.file().clamp(1, 6) as usize;
    for file in centre - 1..=centre + 1 {
        let distance = edge_distance(file as u8) as usize;
        let shield = nearest_rank(us, own_ahead & Bitboard::FILES[file]);
        let storm = nearest_rank(us, enemy_ahead & Bitboard::FILES[file]);
        tally.add(&WEIGHTS.shelter[distance][shield], 1);
        if shield > 0 && storm == shield + 1 {
            tally.add(&WEIGHTS.storm_blocked[storm], 1);
        } else {
            tally.add(&WEIGHTS.storm[distance][storm], 1);
        }
    }
    let flank = flank(king);
    tally.add(&WEIGHTS.king_pawnless_flank, ((own | enemy) & flank).is_empty());
    let nearest = (own | enemy).into_iter().map(|pawn| distance(king, pawn)).min();
    tally.add(&WEIGHTS.king_pawn_distance, nearest.unwrap_or(0));
}

/// The files on which a king's fate is decided.
pub(super) fn flank(king: Square) -> Bitboard {
    let files = match king.file() {
        0..=2 => 0x0F,
        3..=4 => 0x3C,
        _ => 0xF0,
    };
    Bitboard(files * 0x0101_0101_0101_0101)
}

/// Rank, as `us` sees it, of the pawn nearest to its own side; 0 if there is none.
fn nearest_rank(us: Color, pawns: Bitboard) -> usize {
    match (pawns.first(), us) {
        (None, _) => 0,
        (Some(lowest), Color::White) => lowest.rank() as usize,
        (Some(_), Color::Black) => 7 - pawns.highest().rank() as usize,
    }
}

/// A king's steps between two squares.
#[inline]
pub(super) fn distance(a: Square, b: Square) -> i32 {
    let files = a.file().abs_diff(b.file());
    i32::from(files.max(a.rank().abs_diff(b.rank())))
}
