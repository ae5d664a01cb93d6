//! What one evaluation knows of the board: who attacks what, how often, and what is near a king.

use super::pawns::PawnEntry;
use crate::chess::{
    attacks::king_attacks,
    bitboard::Bitboard,
    piece::{Color, PieceKind},
    position::Position,
    square::Square,
};

/// Attack maps of both sides; filled as the pieces are looked at.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    pub(super) position: &'a Position,
    pub(super) pawns: &'a PawnEntry,
    pub(super) occupied: Bitboard,
    pub(super) king: [Square; 2],
    /// Pieces that shield their own king.
    pub(super) pinned: [Bitboard; 2],
    /// King's surroundings that the enemy wants to attack, without what two pawns guard.
    pub(super) ring: [Bitboard; 2],
    /// Squares that count as mobility.
    pub(super) mobility_area: [Bitboard; 2],
    /// By colour and kind.
    pub(super) attacks: [[Bitboard; 6]; 2],
    /// By anything.
    pub(super) attacked: [Bitboard; 2],
    /// By two at least.
    pub(super) attacked_twice: [Bitboard; 2],
    /// Own pieces, by kind, that attack the enemy king's ring.
    pub(super) attackers: [[i32; 6]; 2],
    /// Attacks on squares right beside the enemy king.
    pub(super) ring_hits: [i32; 2],
}

impl<'a> Facts<'a> {
    pub(super) fn new(position: &'a Position, pawns: &'a PawnEntry) -> Self {
        let king = [position.king(Color::White), position.king(Color::Black)];
        let mut facts = Self {
            position,
            pawns,
            occupied: position.occupied(),
            king,
            pinned: Color::ALL.map(|color| position.pinned(color)),
            ring: [Bitboard::EMPTY; 2],
            mobility_area: [Bitboard::EMPTY; 2],
            attacks: [[Bitboard::EMPTY; 6]; 2],
            attacked: [Bitboard::EMPTY; 2],
            attacked_twice: [Bitboard::EMPTY; 2],
            attackers: [[0; 6]; 2],
            ring_hits: [0; 2],
        };
        for color in Color::ALL {
            facts.open(color);
        }
        facts
    }

    fn open(&mut self, us: Color) {
        let side = us.index();
        let pawns = self.position.of(us, PieceKind::Pawn);
        let king = self.king[side];
        let (west, east) = (pawns.forward(us).shift_west(), pawns.forward(us).shift_east());
        let (by_pawns, by_king) = (west | east, king_attacks(king));
        self.attacks[side][PieceKind::Pawn.index()] = by_pawns;
        self.attacks[side][PieceKind::King.index()] = by_king;
        self.attacked[side] = by_pawns | by_king;
        self.attacked_twice[side] = west & east | by_pawns & by_king;
        // A king on the edge has a ring as large as any other's.
        let centre = Square::at(king.file().clamp(1, 6), king.rank().clamp(1, 6));
        self.ring[side] = (king_attacks(centre) | centre.bitboard()) - (west & east);
        let home = if us == Color::White {
            Bitboard::RANKS[1] | Bitboard::RANKS[2]
        } else {
            Bitboard::RANKS[6] | Bitboard::RANKS[5]
        };
        // A pawn that is blocked or at home is in the way for long.
        let stuck = pawns & (home | self.occupied.forward(!us));
        let enemy_pawns = self.position.of(!us, PieceKind::Pawn);
        let guarded = super::pawns::attacks_of(!us, enemy_pawns);
        self.mobility_area[side] =
            !(stuck | guarded | king.bitboard() | self.position.of(us, PieceKind::Queen));
    }

    /// Notes what a piece attacks.
    #[inline]
    pub(super) fn note(&mut self, us: Color, kind: PieceKind, attacks: Bitboard) {
        let (side, enemy) = (us.index(), (!us).index());
        self.attacks[side][kind.index()] |= attacks;
        self.attacked_twice[side] |= self.attacked[side] & attacks;
        self.attacked[side] |= attacks;
        let near = (attacks & self.ring[enemy]).any();
        self.attackers[side][kind.index()] += i32::from(near);
        self.ring_hits[side] +=
            (attacks & self.attacks[enemy][PieceKind::King.index()]).count() as i32;
    }

    #[inline]
    pub(super) const fn by(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.attacks[color.index()][kind.index()]
    }

    #[inline]
    pub(super) fn of(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.position.of(color, kind)
    }
}
