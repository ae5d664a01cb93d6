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

/// Squares attacked by any knight of a set.
#[inline]
pub fn knight_set_attacks(knights: Bitboard) -> Bitboard {
    let one = knights.shift_west() | knights.shift_east();
    let two = knights.shift_west().shift_west() | knights.shift_east().shift_east();
    one << 16 | one >> 16 | two << 8 | two >> 8
}

/// Squares a king attacks (FIDE 3.8.1).
#[inline]
pub fn king_attacks(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The rest of a square's rank, file and two diagonals, by line and square.
static LINES: [[u64; 64]; 4] =
    [whole_line(1, 0), whole_line(0, 1), whole_line(1, 1), whole_line(1, -1)];
/// The lines of a rook and of a bishop.
const STRAIGHT: [usize; 2] = [0, 1];
const DIAGONAL: [usize; 2] = [2, 3];

const fn whole_line(files: i8, ranks: i8) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        let mut distance = -7;
        while distance < 8 {
            let file = (square % 8) as i8 + distance * files;
            let rank = (square / 8) as i8 + distance * ranks;
            if distance != 0 && 0 <= file && file < 8 && 0 <= rank && rank < 8 {
                table[square] |= 1 << (rank * 8 + file);
            }
            distance += 1;
        }
        square += 1;
    }
    table
}

/// Attacks along one line by subtraction (Aleks Peshkov's hyperbola quintessence, 2007): taking
/// the slider from the occupied squares borrows from all up to the first blocker; the same on the
/// mirrored board goes the other way.
const fn line_attacks(square: usize, occupied: u64, line: u64) -> u64 {
    let slider = 1u64 << square;
    let blockers = occupied & line;
    let up = blockers.wrapping_sub(slider);
    let down = blockers.reverse_bits().wrapping_sub(slider.reverse_bits()).reverse_bits();
    (up ^ down) & line
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

const fn magics(multipliers: &[u64; 64], lines: [usize; 2], mut offset: u32) -> [Magic; 64] {
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
        let mask = (LINES[lines[0]][square] | LINES[lines[1]][square]) & !edges;
        let bits = mask.count_ones();
        table[square] = Magic { mask, multiplier: multipliers[square], shift: 64 - bits, offset };
        offset += 1 << bits;
        square += 1;
    }
    table
}

const BISHOP_SIZE: usize = 5_248;
const ROOK_SIZE: usize = 102_400;
static BISHOP_MAGICS: [Magic; 64] = magics(&BISHOP_MULTIPLIERS, DIAGONAL, 0);
static ROOK_MAGICS: [Magic; 64] = magics(&ROOK_MULTIPLIERS, STRAIGHT, BISHOP_SIZE as u32);
static SLIDERS: [Bitboard; BISHOP_SIZE + ROOK_SIZE] = slider_table();

#[expect(clippy::large_stack_arrays, reason = "runs in the compiler only")]
const fn slider_table() -> [Bitboard; BISHOP_SIZE + ROOK_SIZE] {
    let mut table = [Bitboard::EMPTY; BISHOP_SIZE + ROOK_SIZE];
    let bishops = magics(&BISHOP_MULTIPLIERS, DIAGONAL, 0);
    let rooks = magics(&ROOK_MULTIPLIERS, STRAIGHT, BISHOP_SIZE as u32);
    let mut square = 0;
    while square < 64 {
        fill(&mut table, &bishops[square], square, DIAGONAL);
        fill(&mut table, &rooks[square], square, STRAIGHT);
        square += 1;
    }
    table
}

/// Enters a square's attacks for every subset of its mask: each subset of one line with each of
/// the other. The hash is linear, so that the compiler, which runs this, need only add.
const fn fill(table: &mut [Bitboard], magic: &Magic, square: usize, lines: [usize; 2]) {
    let (products, attacks, count) = subsets(magic, square, LINES[lines[0]][square]);
    let (others, other_attacks, other_count) = subsets(magic, square, LINES[lines[1]][square]);
    let mut i = 0;
    while i < count {
        let mut j = 0;
        while j < other_count {
            let hash = products[i].wrapping_add(others[j]) >> magic.shift;
            table[magic.offset as usize + hash as usize] = Bitboard(attacks[i] | other_attacks[j]);
            j += 1;
        }
        i += 1;
    }
}

/// For every subset of a line that matters: its product with the multiplier, and the attacks.
const fn subsets(magic: &Magic, square: usize, line: u64) -> ([u64; 64], [u64; 64], usize) {
    let (mut products, mut attacks, mut count) = ([0; 64], [0; 64], 0);
    let mut subset = 0u64;
    loop {
        products[count] = subset.wrapping_mul(magic.multiplier);
        attacks[count] = line_attacks(square, subset, line);
        count += 1;
        // Carry-rippler: the next subset.
        subset = subset.wrapping_sub(line & magic.mask) & line & magic.mask;
        if subset == 0 {
            return (products, attacks, count);
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

const fn rays(lines: [usize; 2]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = Bitboard(LINES[lines[0]][square] | LINES[lines[1]][square]);
        square += 1;
    }
    table
}

const BISHOP_RAYS: [Bitboard; 64] = rays(DIAGONAL);
const ROOK_RAYS: [Bitboard; 64] = rays(STRAIGHT);

/// By two squares: those strictly between them.
static BETWEEN: [[Bitboard; 64]; 64] = pair_table(false);
/// By two squares: the whole line through both.
static LINE: [[Bitboard; 64]; 64] = pair_table(true);

#[expect(clippy::large_stack_arrays, reason = "runs in the compiler only")]
const fn pair_table(whole: bool) -> [[Bitboard; 64]; 64] {
    let mut table = [[Bitboard::EMPTY; 64]; 64];
    let mut i = 0;
    while i < 4 * 64 * 64 {
        let (line, a, b) = (i / (64 * 64), i / 64 % 64, i % 64);
        let (bit_a, bit_b) = (1 << a, 1 << b);
        if LINES[line][a] & bit_b != 0 {
            table[a][b] = Bitboard(if whole {
                LINES[line][a] | bit_a
            } else {
                line_attacks(a, bit_b, LINES[line][a]) & line_attacks(b, bit_a, LINES[line][b])
            });
        }
        i += 1;
    }
    table
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

    /// The slow definition: along each ray up to and including the first occupied square.
    fn walk(square: Square, occupied: u64, steps: [(i8, i8); 4]) -> Bitboard {
        let mut attacks = Bitboard::EMPTY;
        for (files, ranks) in steps {
            let (mut file, mut rank) = (square.file() as i8 + files, square.rank() as i8 + ranks);
            while (0..8).contains(&file) && (0..8).contains(&rank) {
                let reached = Square::at(file as u8, rank as u8);
                attacks = attacks.with(reached);
                if Bitboard(occupied).contains(reached) {
                    break;
                }
                file += files;
                rank += ranks;
            }
        }
        attacks
    }

    /// FIDE 3.2, 3.3, 3.5: on 64 squares, with 1,000 occupancies each.
    #[test]
    fn sliders_see_up_to_the_first_piece() {
        let mut state = 0x2545_F491_4F6C_DD1D_u64;
        for square in Square::all() {
            for _ in 0..1000 {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let occupied = state & state.rotate_left(19);
                let bishop = walk(square, occupied, [(1, 1), (1, -1), (-1, 1), (-1, -1)]);
                let rook = walk(square, occupied, [(1, 0), (-1, 0), (0, 1), (0, -1)]);
                assert_eq!(bishop_attacks(square, Bitboard(occupied)), bishop);
                assert_eq!(rook_attacks(square, Bitboard(occupied)), rook);
                assert_eq!(queen_attacks(square, Bitboard(occupied)), bishop | rook);
            }
        }
    }

    /// FIDE 3.6 and 3.7.3: a set attacks what its members attack.
    #[test]
    fn sets_attack_what_their_members_attack() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        for _ in 0..1000 {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let set = Bitboard(state & state.rotate_left(23));
            let union = |attacks: &dyn Fn(Square) -> Bitboard| {
                set.into_iter().fold(Bitboard::EMPTY, |all, square| all | attacks(square))
            };
            assert_eq!(knight_set_attacks(set), union(&knight_attacks));
            for color in Color::ALL {
                assert_eq!(pawn_set_attacks(color, set), union(&|from| pawn_attacks(color, from)));
            }
        }
    }

    #[test]
    fn squares_on_one_line_have_squares_between_and_a_whole_line() {
        let square = |text: &str| text.parse::<Square>().unwrap();
        let set = |text: &str| text.split(' ').map(square).collect::<Bitboard>();
        assert_eq!(between(square("a1"), square("d4")), set("b2 c3"));
        assert_eq!(between(square("h5"), square("e5")), set("f5 g5"));
        assert_eq!(line(square("d4"), square("b2")), set("a1 b2 c3 d4 e5 f6 g7 h8"));
        assert_eq!(line(square("c7"), square("a5")), set("a5 b6 c7 d8"));
        assert!(between(square("a1"), square("b3")).is_empty());
        assert!(line(square("a1"), square("b3")).is_empty());
        assert!(line(square("a1"), square("a1")).is_empty());
    }
}
