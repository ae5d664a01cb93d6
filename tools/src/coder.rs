//! An adaptive binary range coder (G. N. N. Martin 1979; the carry handling and the probability
//! update are those of LZMA, I. Pavlov 1999). Symbols are walked bit by bit down a tree of
//! probabilities, so that what was frequent becomes short.

/// Bits of a probability.
const PRECISION: u32 = 12;
/// How fast probabilities follow: each new bit weighs `1 / 2^RATE`.
const RATE: u32 = 5;
/// Below this range, a byte is shifted out.
const TOP: u32 = 1 << 24;

/// Probabilities of the bits of symbols of `BITS` bits.
#[derive(Debug, Clone)]
pub struct Tree {
    bits: u32,
    chances: Vec<u16>,
}

impl Tree {
    /// All symbols of so many bits equally likely.
    pub fn new(bits: u32) -> Self {
        Self { bits, chances: vec![1 << (PRECISION - 1); 1 << bits] }
    }
}

const fn adapt(chance: &mut u16, bit: bool) {
    if bit {
        *chance -= *chance >> RATE;
    } else {
        *chance += ((1 << PRECISION) - *chance) >> RATE;
    }
}

/// Writes symbols.
#[derive(Debug)]
pub struct Encoder {
    low: u64,
    range: u32,
    /// The last byte not yet written, and how many 0xFF behind it: a carry may change them.
    held: u8,
    pending: u64,
    bytes: Vec<u8>,
}

impl Default for Encoder {
    fn default() -> Self {
        Self { low: 0, range: u32::MAX, held: 0, pending: 1, bytes: Vec::new() }
    }
}

impl Encoder {
    /// Writes a symbol, which must fit the tree.
    pub fn symbol(&mut self, tree: &mut Tree, symbol: u32) {
        debug_assert!(symbol < 1 << tree.bits);
        let mut node = 1;
        for shift in (0..tree.bits).rev() {
            let bit = symbol >> shift & 1 == 1;
            let chance = &mut tree.chances[node];
            let bound = (self.range >> PRECISION) * u32::from(*chance);
            if bit {
                self.low += u64::from(bound);
                self.range -= bound;
            } else {
                self.range = bound;
            }
            adapt(chance, bit);
            self.normalize();
            node = node * 2 + usize::from(bit);
        }
    }

    /// Writes the lowest `count` bits of `value`, all equally likely.
    pub fn plain(&mut self, value: u32, count: u32) {
        for shift in (0..count).rev() {
            self.range >>= 1;
            if value >> shift & 1 == 1 {
                self.low += u64::from(self.range);
            }
            self.normalize();
        }
    }

    fn normalize(&mut self) {
        while self.range < TOP {
            self.range <<= 8;
            self.shift();
        }
    }

    fn shift(&mut self) {
        if self.low < 0xFF00_0000 || self.low > u64::from(u32::MAX) {
            let carry = (self.low >> 32) as u8;
            let mut byte = self.held;
            while self.pending > 0 {
                self.bytes.push(byte.wrapping_add(carry));
                byte = 0xFF;
                self.pending -= 1;
            }
            self.held = (self.low >> 24) as u8;
        }
        self.pending += 1;
        self.low = (self.low & 0x00FF_FFFF) << 8;
    }

    /// The bytes written.
    pub fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        self.bytes
    }
}

/// Reads symbols. Behind the end of the bytes it reads zeros: damage is for the caller to notice.
#[derive(Debug)]
pub struct Decoder<'a> {
    code: u32,
    range: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    /// Reads what [`Encoder::finish`] returned.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self { code: 0, range: u32::MAX, bytes: bytes.iter() };
        for _ in 0..5 {
            decoder.code = decoder.code << 8 | decoder.byte();
        }
        decoder
    }

    /// Reads a symbol.
    pub fn symbol(&mut self, tree: &mut Tree) -> u32 {
        let mut node = 1;
        for _ in 0..tree.bits {
            let chance = &mut tree.chances[node];
            let bound = (self.range >> PRECISION) * u32::from(*chance);
            let bit = self.code >= bound;
            if bit {
                self.code -= bound;
                self.range -= bound;
            } else {
                self.range = bound;
            }
            adapt(chance, bit);
            self.normalize();
            node = node * 2 + usize::from(bit);
        }
        node as u32 - (1 << tree.bits)
    }

    /// Reads `count` bits.
    pub fn plain(&mut self, count: u32) -> u32 {
        let mut value = 0;
        for _ in 0..count {
            self.range >>= 1;
            let bit = self.code >= self.range;
            if bit {
                self.code -= self.range;
            }
            value = value << 1 | u32::from(bit);
            self.normalize();
        }
        value
    }

    fn normalize(&mut self) {
        while self.range < TOP {
            self.range <<= 8;
            self.code = self.code << 8 | self.byte();
        }
    }

    fn byte(&mut self) -> u32 {
        self.bytes.next().copied().unwrap_or(0).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_what_is_frequent_is_short() {
        let mut seed = 1_u64;
        let symbols: Vec<u32> = (0..20_000)
            .map(|_| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (seed >> 59).leading_zeros() - 59
                    + if (seed >> 40).trailing_zeros() >= 10 { 200 } else { 0 }
            })
            .collect();
        let mut encoder = Encoder::default();
        let mut tree = Tree::new(8);
        for &symbol in &symbols {
            encoder.symbol(&mut tree, symbol);
            encoder.plain(symbol * 3, 7);
        }
        let bytes = encoder.finish();
        assert!(bytes.len() < 20_000 * 10 / 8, "{}", bytes.len());
        let mut decoder = Decoder::new(&bytes);
        let mut tree = Tree::new(8);
        for &symbol in &symbols {
            assert_eq!(decoder.symbol(&mut tree), symbol);
            assert_eq!(decoder.plain(7), (symbol * 3) & 127);
        }
    }

    /// The hardest case for the carry: long runs of the likely bit, then the unlikely one.
    #[test]
    fn runs_do_not_lose_a_carry() {
        for length in 1..400 {
            let mut encoder = Encoder::default();
            let mut tree = Tree::new(1);
            for i in 0..length {
                encoder.symbol(&mut tree, u32::from(i % 97 != 96));
            }
            let bytes = encoder.finish();
            let (mut decoder, mut tree) = (Decoder::new(&bytes), Tree::new(1));
            assert!((0..length).all(|i| decoder.symbol(&mut tree) == u32::from(i % 97 != 96)));
        }
    }
}
