//! King and pawn against king, solved when first asked for: 2 x 24 x 64 x 64 positions, one bit
//! each, by retrograde iteration (Ströhlein 1970; the set of squares is that of Stockfish's
//! bitbase: pawns on the files a to d, the rest by mirroring).

use std::sync::LazyLock;

use crate::chess::{
    attacks::{king_attacks, pawn_attacks},
    bitboard::Bitboard,
    piece::Color,
    square::Square,
};

const SIZE: usize = 2 * 24 * 64 * 64;

/// The table; computed once, and constant.
static TABLE: LazyLock<Vec<u64>> = LazyLock::new(solve);

/// Solves the table, if that has not been done.
pub(super) fn prepare() {
    LazyLock::force(&TABLE);
}

/// A position as White, who has the pawn, sees it.
#[derive(Debug, Clone, Copy)]
struct Kpk {
    side: Color,
    strong: Square,
    weak: Square,
    pawn: Square,
}

/// Whether the side with the pawn wins, by perfect play and without regard to the fifty-move rule.
/// `strong` is the colour of the pawn.
pub(super) fn is_win(strong: Color, side: Color, kings: [Square; 2], pawn: Square) -> bool {
    let mirror = |square: Square| {
        let square = square.relative_to(strong);
        if pawn.file() < 4 { square } else { square.flip_file() }
    };
    let side = if side == strong { Color::White } else { Color::Black };
    let position = Kpk {
        side,
        strong: mirror(kings[strong.index()]),
        weak: mirror(kings[(!strong).index()]),
        pawn: mirror(pawn),
    };
    let index = position.index();
    TABLE[index / 64] >> (index % 64) & 1 != 0
}

impl Kpk {
    const fn index(self) -> usize {
        let pawn = self.pawn.file() as usize + 4 * (self.pawn.rank() as usize - 1);
        ((pawn * 2 + self.side.index()) * 64 + self.strong.index()) * 64 + self.weak.index()
    }

    fn from_index(index: usize) -> Self {
        let square = |number: usize| Square::new((number % 64) as u8);
        let pawn = index / (2 * 64 * 64);
        Self {
            side: Color::ALL[index / (64 * 64) % 2],
            strong: square(index / 64),
            weak: square(index),
            pawn: Square::at((pawn % 4) as u8, (pawn / 4) as u8 + 1),
        }
    }

    /// No two men on one square, kings apart, and the side that has moved not in check.
    fn is_legal(self) -> bool {
        self.strong != self.weak
            && self.strong != self.pawn
            && self.weak != self.pawn
            && !king_attacks(self.strong).contains(self.weak)
            && !(self.side == Color::White
                && pawn_attacks(Color::White, self.pawn).contains(self.weak))
    }

    /// What the tables say after one move; `won` knows the positions won so far.
    fn is_won_next(self, won: &dyn Fn(Self) -> bool) -> bool {
        match self.side {
            Color::White => self.white_wins(won),
            Color::Black => self.black_loses(won),
        }
    }

    fn white_wins(self, won: &dyn Fn(Self) -> bool) -> bool {
        let after = Self { side: Color::Black, ..self };
        let taken = king_attacks(self.weak).with(self.weak).with(self.pawn);
        let by_king = (king_attacks(self.strong) - taken)
            .into_iter()
            .any(|strong| won(Self { strong, ..after }));
        if by_king {
            return true;
        }
        let kings = self.strong.bitboard() | self.weak.bitboard();
        let once = self.pawn.bitboard().shift_north() - kings;
        if self.pawn.rank() == 6 {
            return once.first().is_some_and(|square| self.is_promotion_safe(square));
        }
        let second =
            if self.pawn.rank() == 1 { once.shift_north() - kings } else { Bitboard::EMPTY };
        (once | second).into_iter().any(|pawn| won(Self { pawn, ..after }))
    }

    /// A queen or rook that is not lost at once wins: one of the two never stalemates.
    fn is_promotion_safe(self, square: Square) -> bool {
        !king_attacks(self.weak).contains(square) || king_attacks(self.strong).contains(square)
    }

    fn black_loses(self, won: &dyn Fn(Self) -> bool) -> bool {
        let guarded = king_attacks(self.strong) | pawn_attacks(Color::White, self.pawn);
        let moves = king_attacks(self.weak) - guarded - self.strong.bitboard();
        let after = Self { side: Color::White, ..self };
        // Stalemate is a draw, and so is taking the pawn. No pawn mates.
        moves.any()
            && !moves.contains(self.pawn)
            && moves.into_iter().all(|weak| won(Self { weak, ..after }))
    }
}

fn solve() -> Vec<u64> {
    let mut table = vec![0_u64; SIZE / 64];
    loop {
        let mut changed = false;
        for index in 0..SIZE {
            let position = Kpk::from_index(index);
            if table[index / 64] >> (index % 64) & 1 != 0 || !position.is_legal() {
                continue;
            }
            let won = position.is_won_next(&|next: Kpk| {
                next.is_legal() && table[next.index() / 64] >> (next.index() % 64) & 1 != 0
            });
            if won {
                table[index / 64] |= 1 << (index % 64);
                changed = true;
            }
        }
        if !changed {
            return table;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(side: Color, strong: &str, pawn: &str, weak: &str) -> bool {
        let square = |text: &str| text.parse::<Square>().unwrap();
        is_win(Color::White, side, [square(strong), square(weak)], square(pawn))
    }

    /// For the same 2 x 24 x 64 x 64 positions: 30,932 illegal ones (published on talkchess,
    /// topic 46893, 2013), and as many wins as the Syzygy tables of the same ending have.
    #[test]
    fn as_many_positions_are_illegal_and_won_as_published() {
        let all = || (0..SIZE).map(Kpk::from_index);
        assert_eq!(all().filter(|position| !position.is_legal()).count(), 30_932);
        let won = |side: Color| {
            let wins =
                |p: &Kpk| p.side == side && TABLE[p.index() / 64] >> (p.index() % 64) & 1 != 0;
            all().filter(wins).count()
        };
        assert_eq!([won(Color::White), won(Color::Black)], [62_480, 48_802]);
    }

    /// Textbook positions: opposition, key squares, the rook's pawn, the rule of the square.
    #[test]
    fn textbook_endings_are_judged_as_the_textbooks_do() {
        use Color::{Black, White};
        for (side, strong, pawn, weak, wins) in [
            (White, "e6", "e5", "e8", true),
            (Black, "e6", "e5", "e8", true),
            (White, "e5", "e4", "e7", false),
            (Black, "e5", "e4", "e7", true),
            (White, "a6", "a5", "a8", false),
            (White, "a1", "h4", "b5", true),
            (Black, "a1", "h4", "d4", false),
        ] {
            assert_eq!(ask(side, strong, pawn, weak), wins, "{side:?} {strong} {pawn} {weak}");
        }
    }
}
