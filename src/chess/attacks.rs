//! Where pieces attack, by table. All tables are computed at compile time.
//!
//! Sliding pieces use "fancy" magic bitboards (Pradu Kannan 2007): the occupancy of a square's rays,
//! multiplied by a number found by trial, is a perfect hash into the square's part of one table.
//! The multipliers below were found for this program by random search. No `pext`: it is slow on
//! half of the processors that have it.

use super::{bitboard::Bitboard, piece::Color, square::Square};

/// Squares reached by single steps from each square.
const fn step_attacks(steps: &[(i8, i8)]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let mut i = 0;
        while i < steps.len() {
            let file = (square % 8) as i8 + steps[i].0;
            let rank = (square / 8) as i8 + steps[i].1;
            if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                table[square].0 |= 1 << (rank * 8 + file);
            }
            i += 1;
        }
        square += 1;
    }
    table
}

const KNIGHT: [Bitboard; 64] =
    step_attacks(&[(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]);
const KING: [Bitboard; 64] =
    step_attacks(&[(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]);
const PAWN: [[Bitboard; 64]; 2] =
    [step_attacks(&[(-1, 1), (1, 1)]), step_attacks(&[(-1, -1), (1, -1)])];

/// Squares a pawn of `color` attacks (FIDE 3.7.3).
#[inline]
pub fn pawn_attacks(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// Squares attacked by any pawn of a set.
#[inline]
pub fn pawn_set_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    let forward = pawns.forward(color);
    forward.shift_west() | forward.shift_east()
}

/// Squares a knight attacks (FIDE 3.6).
#[inline]
pub fn knight_attacks(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// Squares a king attacks (FIDE 3.8.1).
#[inline]
pub fn king_attacks(square: Square) -> Bitboard {
    KING[square.index()]
}

const BISHOP_STEPS: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const ROOK_STEPS: [(i8, i8); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

/// The slow definition: along each ray up to and including the first occupied square.
const fn ray_attacks(square: usize, occupied: u64, steps: &[(i8, i8); 4]) -> u64 {
    let mut attacks = 0;
    let mut i = 0;
    while i < 4 {
        let (df, dr) = steps[i];
        let mut file = (square % 8) as i8 + df;
        let mut rank = (square / 8) as i8 + dr;
        while 0 <= file && file < 8 && 0 <= rank && rank < 8 {
            let bit = 1 << (rank * 8 + file);
            attacks |= bit;
            if occupied & bit != 0 {
                break;
            }
            file += df;
            rank += dr;
        }
        i += 1;
    }
    attacks
}

/// One square's hash: occupancy that matters, multiplier, shift, place in the table.
#[derive(Clone, Copy)]
struct Magic {
    mask: u64,
    multiplier: u64,
    shift: u32,
    offset: u32,
}

impl Magic {
    #[inline]
    const fn index(&self, occupied: u64) -> usize {
        let hash = (occupied & self.mask).wrapping_mul(self.multiplier) >> self.shift;
        self.offset as usize + hash as usize
    }
}

const fn magics(multipliers: &[u64; 64], steps: &[(i8, i8); 4], mut offset: u32) -> [Magic; 64] {
    let mut table = [Magic { mask: 0, multiplier: 0, shift: 0, offset: 0 }; 64];
    let mut square = 0;
    while square < 64 {
        let mut edges = 0;
        if square / 8 != 0 {
            edges |= Bitboard::RANKS[0].0;
        }
        if square / 8 != 7 {
            edges |= Bitboard::RANKS[7].0;
        }
        if square % 8 != 0 {
            edges |= Bitboard::FILES[0].0;
        }
        if square % 8 != 7 {
            edges |= Bitboard::FILES[7].0;
        }
        let mask = ray_attacks(square, 0, steps) & !edges;
        let bits = mask.count_ones();
        table[square] = Magic { mask, multiplier: multipliers[square], shift: 64 - bits, offset };
        offset += 1 << bits;
        square += 1;
    }
    table
}

const BISHOP_SIZE: usize = 5_248;
const ROOK_SIZE: usize = 102_400;
static BISHOP_MAGICS: [Magic; 64] = magics(&BISHOP_MULTIPLIERS, &BISHOP_STEPS, 0);
static ROOK_MAGICS: [Magic; 64] = magics(&ROOK_MULTIPLIERS, &ROOK_STEPS, BISHOP_SIZE as u32);
static SLIDERS: [Bitboard; BISHOP_SIZE + ROOK_SIZE] = slider_table();

const fn slider_table() -> [Bitboard; BISHOP_SIZE + ROOK_SIZE] {
    let mut table = [Bitboard::EMPTY; BISHOP_SIZE + ROOK_SIZE];
    let bishops = magics(&BISHOP_MULTIPLIERS, &BISHOP_STEPS, 0);
    let rooks = magics(&ROOK_MULTIPLIERS, &ROOK_STEPS, BISHOP_SIZE as u32);
    let mut square = 0;
    while square < 64 {
        fill(&mut table, &bishops[square], square, &BISHOP_STEPS);
        fill(&mut table, &rooks[square], square, &ROOK_STEPS);
        square += 1;
    }
    table
}

/// Enters a square's attacks for every subset of its mask (carry-rippler enumeration).
const fn fill(table: &mut [Bitboard], magic: &Magic, square: usize, steps: &[(i8, i8); 4]) {
    let mut occupied = 0u64;
    loop {
        table[magic.index(occupied)] = Bitboard(ray_attacks(square, occupied, steps));
        occupied = occupied.wrapping_sub(magic.mask) & magic.mask;
        if occupied == 0 {
            return;
        }
    }
}

/// Squares a bishop attacks, up to and including the first occupied on each diagonal (FIDE 3.2).
#[inline]
pub fn bishop_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    SLIDERS[BISHOP_MAGICS[square.index()].index(occupied.0)]
}

/// Squares a rook attacks, up to and including the first occupied on each line (FIDE 3.3).
#[inline]
pub fn rook_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    SLIDERS[ROOK_MAGICS[square.index()].index(occupied.0)]
}

/// Squares a queen attacks (FIDE 3.4).
#[inline]
pub fn queen_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    bishop_attacks(square, occupied) | rook_attacks(square, occupied)
}

/// Squares a bishop would attack on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    BISHOP_RAYS[square.index()]
}

/// Squares a rook would attack on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    ROOK_RAYS[square.index()]
}

const fn rays(steps: &[(i8, i8); 4]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(ray_attacks(square, 0, steps));
        square += 1;
    }
    table
}

const BISHOP_RAYS: [Bitboard; 64] = rays(&BISHOP_STEPS);
const ROOK_RAYS: [Bitboard; 64] = rays(&ROOK_STEPS);

/// By two squares: those strictly between them, and the whole line through both.
static BETWEEN: [[Bitboard; 64]; 64] = lines().0;
static LINE: [[Bitboard; 64]; 64] = lines().1;

const fn lines() -> ([[Bitboard; 64]; 64], [[Bitboard; 64]; 64]) {
    let mut between = [[Bitboard::EMPTY; 64]; 64];
    let mut line = [[Bitboard::EMPTY; 64]; 64];
    let mut a = 0;
    while a < 64 {
        let mut b = 0;
        while b < 64 {
            let (bit_a, bit_b) = (1u64 << a, 1u64 << b);
            let steps = if BISHOP_RAYS[a].0 & bit_b != 0 {
                Some(&BISHOP_STEPS)
            } else if ROOK_RAYS[a].0 & bit_b != 0 {
                Some(&ROOK_STEPS)
            } else {
                None
            };
            if let Some(steps) = steps {
                between[a][b] = Bitboard(
                    ray_attacks(a, bit_b, steps) & ray_attacks(b, bit_a, steps) & !bit_a & !bit_b,
                );
                line[a][b] =
                    Bitboard(ray_attacks(a, 0, steps) & ray_attacks(b, 0, steps) | bit_a | bit_b);
            }
            b += 1;
        }
        a += 1;
    }
    (between, line)
}

/// The squares strictly between two on one line; none if they are not on one.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole line through two squares, from edge to edge; empty if they are not on one.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

#[rustfmt::skip]
const BISHOP_MULTIPLIERS: [u64; 64] = [
    0x8008029802002200, 0x4291040808802804, 0x0008180040800300, 0x00088A0202AA1050,
    0x000410A800000000, 0x0009100804040009, 0x0801140121080011, 0xA040808400824000,
    0x000008A004040048, 0x0600200440808114, 0x2020410401204403, 0x000404106200C001,
    0x0100011040800026, 0x00080088200A0820, 0x0008004804642080, 0x4000004402981800,
    0x0710002220020088, 0x2010808202020402, 0x8010080844002820, 0x800C000124028000,
    0x0002000422010040, 0x6438402200422000, 0x0010A1004C0C2000, 0x000A00E109010190,
    0x08022010400414C0, 0x8428022220240101, 0x0008088004040010, 0x0008080000220020,
    0x0421010000104000, 0x219102082500A000, 0x0018008042120150, 0x02108020A09C0402,
    0x301C202000890208, 0xA004022000080100, 0x100C024100881200, 0x8000080800460A00,
    0x1004010804440040, 0x420C920080041000, 0x05018C0114440100, 0x00040100308A0080,
    0x0020821042801000, 0x0202026120001C02, 0x0002001044000800, 0x20AA844200800801,
    0x0000012011001200, 0x0860209008808042, 0x0008100080A80200, 0x0808020050420201,
    0x00051C0104C00000, 0x0000840108820022, 0x000A461842080004, 0x2400400914880002,
    0x00040040102481B4, 0x2104A14202020060, 0x0004081041020060, 0x00A0840082005100,
    0x0000412210101482, 0x0108504208042210, 0x000020044C040405, 0x4140050206051401,
    0x0122008051820200, 0x0082800428109100, 0x9104042454440401, 0x141E200C00820848,
];

#[rustfmt::skip]
const ROOK_MULTIPLIERS: [u64; 64] = [
    0x0280038860400010, 0x098020004000B080, 0x2100110008402002, 0x0880080081041000,
    0x0200020020041008, 0x2300040008010012, 0x0C00283004008201, 0x0180010000407A80,
    0x0168800080400020, 0x0010400040201000, 0x1001002001001048, 0x1001002408100100,
    0x0801000408010012, 0x4001000209000400, 0x08A20004C8020001, 0x2002801145002280,
    0x0080860021004200, 0x001000C009402002, 0x00B0002004002800, 0x100A808010020800,
    0x8101010008000410, 0x0244008002000480, 0x0000040010810208, 0x2000020000448534,
    0x4104400480008033, 0x0000810100204000, 0x0440430900200010, 0x4600240900100100,
    0x0060080080040080, 0x0001000300080400, 0x0004084400011002, 0x0023040200008041,
    0x0580050043002080, 0x0400804002802008, 0x0001002001004010, 0x1000200901001000,
    0x4410800801800C00, 0xA012003806001004, 0x0020100104008802, 0x0004808402000041,
    0x0010400170898000, 0x0080500020004004, 0x1040408012020020, 0x8010040008004040,
    0x2001080100110004, 0x0000020004008080, 0x0021010810040002, 0x0800008C43020024,
    0x0000800021005100, 0x0070201040008080, 0x0000D04282006A00, 0x0010014400080240,
    0x0001080110050100, 0x0012000810240600, 0x0402000801040200, 0x028100108A004100,
    0x0050800300102045, 0x8208210040120882, 0x8010600101183441, 0x020B000910006045,
    0x0241001002480005, 0x0081000400880241, 0x0000009008024124, 0x0048122980410402,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The table against the slow definition, on 64 squares and 1,000 occupancies each.
    #[test]
    fn sliders_see_up_to_the_first_piece() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        for square in Square::all() {
            for _ in 0..1000 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let occupied = state & state.rotate_left(19);
                let bishop = ray_attacks(square.index(), occupied, &BISHOP_STEPS);
                let rook = ray_attacks(square.index(), occupied, &ROOK_STEPS);
                assert_eq!(bishop_attacks(square, Bitboard(occupied)).0, bishop);
                assert_eq!(rook_attacks(square, Bitboard(occupied)).0, rook);
            }
        }
    }

    #[test]
    fn between_and_line_of_a1_and_d4() {
        let square = |text: &str| text.parse::<Square>().unwrap();
        assert_eq!(between(square("a1"), square("d4")).count(), 2);
        assert_eq!(line(square("b2"), square("d4")).count(), 8);
        assert!(between(square("a1"), square("b3")).is_empty());
        assert!(line(square("a1"), square("b3")).is_empty());
    }
}
