//! Static exchange evaluation: what a series of captures on one square is worth.

use super::{
    attacks::{bishop_attacks, rook_attacks},
    bitboard::Bitboard,
    moves::Move,
    piece::PieceKind,
    position::Position,
};

/// What a piece counts in an exchange, by kind, in centipawns. A king is never taken.
pub const SEE_VALUES: [i32; 6] = [100, 320, 330, 500, 900, 0];

impl Position {
    /// Whether a legal move wins at least `threshold` centipawns, if both sides go on taking on its
    /// target square with their least valuable piece as long as it pays.
    ///
    /// Promotions count, castling wins nothing; pieces that are pinned take part all the same.
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        if mv.is_castle() {
            return threshold <= 0;
        }
        let gain = self.captured(mv).map_or(0, |kind| SEE_VALUES[kind.index()]);
        let (mut next, promoted) = match mv.promotion() {
            Some(kind) => (kind, SEE_VALUES[kind.index()] - SEE_VALUES[0]),
            None => (self.moved(mv).kind(), 0),
        };
        // What the side that has just moved is ahead of the threshold.
        let mut balance = gain + promoted - threshold;
        if balance < 0 {
            return false;
        }
        balance -= SEE_VALUES[next.index()];
        if balance >= 0 {
            return true;
        }
        let (from, to) = (mv.from(), mv.to());
        let mut occupied = self.occupied().without(from).with(to);
        if mv.is_en_passant() {
            occupied = occupied.without(super::square::Square::at(to.file(), from.rank()));
        }
        let mut attackers = self.attackers_to(to, occupied);
        let mut side = !self.side;
        loop {
            attackers &= occupied;
            let ours = attackers & self.by_color(side);
            let Some((kind, set)) = self.least_valuable(ours) else { break };
            next = kind;
            occupied ^= Bitboard(set.0 & set.0.wrapping_neg());
            if matches!(kind, PieceKind::Pawn | PieceKind::Bishop | PieceKind::Queen) {
                attackers |= bishop_attacks(to, occupied) & self.diagonal_sliders();
            }
            if matches!(kind, PieceKind::Rook | PieceKind::Queen) {
                attackers |= rook_attacks(to, occupied) & self.straight_sliders();
            }
            side = !side;
            balance = -balance - 1 - SEE_VALUES[next.index()];
            if balance >= 0 {
                // A king may not take what is defended: then the other side has the last word.
                let defended = (attackers & occupied & self.by_color(side)).any();
                if kind == PieceKind::King && defended {
                    side = !side;
                }
                break;
            }
        }
        side != self.side
    }

    fn least_valuable(&self, set: Bitboard) -> Option<(PieceKind, Bitboard)> {
        PieceKind::ALL
            .into_iter()
            .map(|kind| (kind, set & self.pieces(kind)))
            .find(|(_, pieces)| pieces.any())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first two are the examples of chessprogramming.org, "SEE - The Swap Algorithm".
    #[test]
    fn an_exchange_is_worth_what_the_examples_say() {
        for (fen, mv, value) in [
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", 100 - 320),
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 100),
            ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", 0),
            ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q", 800),
            ("r3k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", 0),
        ] {
            let position = Position::from_fen(fen).unwrap();
            let mv = position.parse_move(mv).unwrap();
            assert!(position.see_ge(mv, value), "{fen}");
            assert!(!position.see_ge(mv, value + 1), "{fen}");
        }
    }
}
