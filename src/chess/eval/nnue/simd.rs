//! The network's arithmetic on sixteen-bit lanes, for each instruction set, equal to the bit.
//!
//! The instruction set is chosen once around a whole evaluation ([`dispatch`]): functions with
//! special instructions are not inlined into others, so a choice at every operation would cost more
//! than the operation. That `v * w` fits sixteen bits, and so `v * v * w` needs one `mullo` and one
//! `madd`, is an idea of Leorik (T. Jahn).

/// Sixteen-bit lanes of a [`Block`].
pub const LANES: usize = 32;

/// A cache line of sixteen-bit numbers, the unit of all loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; LANES]);

impl Block {
    /// All lanes 0.
    pub const ZERO: Self = Self([0; LANES]);
}

/// The largest activation: what the trainer calls 1.
pub const QA: i32 = 255;

/// An instruction set that this build has kernels for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Plain Rust, the reference.
    Scalar,
    /// Every 64-bit x86 has it.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// Most since 2013 (Intel) and 2015 (AMD).
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Servers and desktops with 512-bit registers, `F` and `BW`.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Every 64-bit ARM has it.
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl Level {
    /// What this machine has, best last.
    pub fn available() -> Vec<Self> {
        let mut levels = vec![Self::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            levels.push(Self::Sse2);
            if is_x86_feature_detected!("avx2") {
                levels.push(Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                levels.push(Self::Avx512);
            }
        }
        #[cfg(target_arch = "aarch64")]
        levels.push(Self::Neon);
        levels
    }

    /// The best that this machine has.
    pub fn best() -> Self {
        Self::available().pop().unwrap_or(Self::Scalar)
    }
}

/// Arithmetic with one instruction set.
pub trait Kernel {
    /// Sum of `clamp(value, 0, QA)² · weight`, modulo 2³². Weights lie within ±127.
    fn dot(values: &[Block], weights: &[Block]) -> i32;
}

/// Something to be done with whatever instruction set there is. Implementations are
/// `#[inline(always)]`, so that their loops are compiled for it.
pub trait Work {
    /// What comes out.
    type Output;
    /// Does it.
    fn run<K: Kernel>(self) -> Self::Output;
}

/// Does `work` with the instructions of `level`.
#[inline]
pub fn dispatch<W: Work>(level: Level, work: W) -> W::Output {
    match level {
        Level::Scalar => work.run::<Scalar>(),
        #[cfg(target_arch = "x86_64")]
        Level::Sse2 => work.run::<x86::Sse2>(),
        // SAFETY: `Level::available` is where the level comes from; it lists what was detected.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => unsafe { x86::with_avx2(work) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 => unsafe { x86::with_avx512(work) },
        #[cfg(target_arch = "aarch64")]
        Level::Neon => work.run::<arm::Neon>(),
    }
}

/// `target = source + rows added - rows taken`, lane by lane, modulo 2¹⁶. All are equally long.
#[inline(always)]
pub fn update<const ADDED: usize, const TAKEN: usize>(
    target: &mut [Block],
    source: &[Block],
    added: [&[Block]; ADDED],
    taken: [&[Block]; TAKEN],
) {
    let length = target.len();
    let source = &source[..length];
    let added = added.map(|row| &row[..length]);
    let taken = taken.map(|row| &row[..length]);
    for (index, (target, source)) in target.iter_mut().zip(source).enumerate() {
        let mut block = *source;
        for row in added {
            put(&mut block, &row[index]);
        }
        for row in taken {
            take(&mut block, &row[index]);
        }
        *target = block;
    }
}

/// Adds a row.
#[inline(always)]
pub fn add(layer: &mut [Block], row: &[Block]) {
    layer.iter_mut().zip(row).for_each(|(block, row)| put(block, row));
}

/// Takes a row away.
#[inline(always)]
pub fn subtract(layer: &mut [Block], row: &[Block]) {
    layer.iter_mut().zip(row).for_each(|(block, row)| take(block, row));
}

#[inline(always)]
fn put(block: &mut Block, row: &Block) {
    block.0.iter_mut().zip(row.0).for_each(|(lane, value)| *lane = lane.wrapping_add(value));
}

#[inline(always)]
fn take(block: &mut Block, row: &Block) {
    block.0.iter_mut().zip(row.0).for_each(|(lane, value)| *lane = lane.wrapping_sub(value));
}

/// The reference.
#[derive(Debug)]
pub struct Scalar;

impl Kernel for Scalar {
    #[inline(always)]
    fn dot(values: &[Block], weights: &[Block]) -> i32 {
        let lanes = values.iter().zip(weights).flat_map(|(v, w)| v.0.into_iter().zip(w.0));
        lanes.fold(0, |sum: i32, (value, weight)| {
            let value = i32::from(value).clamp(0, QA);
            sum.wrapping_add(value * value * i32::from(weight))
        })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_load_si128, _mm_madd_epi16,
        _mm_max_epi16, _mm_min_epi16, _mm_mullo_epi16, _mm_set1_epi16, _mm_setzero_si128,
        _mm_shuffle_epi32, _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256,
        _mm256_load_si256, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16,
        _mm256_mullo_epi16, _mm256_set1_epi16, _mm256_setzero_si256, _mm512_add_epi32,
        _mm512_load_si512, _mm512_madd_epi16, _mm512_max_epi16, _mm512_min_epi16,
        _mm512_mullo_epi16, _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_setzero_si512,
    };

    use super::{Block, Kernel, QA, Work};

    #[derive(Debug)]
    pub(super) struct Sse2;

    impl Kernel for Sse2 {
        #[inline(always)]
        fn dot(values: &[Block], weights: &[Block]) -> i32 {
            // SAFETY: every 64-bit x86 has SSE2.
            unsafe { dot_sse2(values, weights) }
        }
    }

    #[derive(Debug)]
    struct Avx2;

    impl Kernel for Avx2 {
        #[inline(always)]
        fn dot(values: &[Block], weights: &[Block]) -> i32 {
            // SAFETY: this kernel is private, and only `with_avx2` uses it.
            unsafe { dot_avx2(values, weights) }
        }
    }

    #[derive(Debug)]
    struct Avx512;

    impl Kernel for Avx512 {
        #[inline(always)]
        fn dot(values: &[Block], weights: &[Block]) -> i32 {
            // SAFETY: this kernel is private, and only `with_avx512` uses it.
            unsafe { dot_avx512(values, weights) }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn with_avx512<W: Work>(work: W) -> W::Output {
        work.run::<Avx512>()
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn with_avx2<W: Work>(work: W) -> W::Output {
        work.run::<Avx2>()
    }

    /// Eight lanes of a block.
    #[inline(always)]
    fn eight(block: &Block, index: usize) -> __m128i {
        let lanes = &block.0.as_chunks::<8>().0[index];
        // SAFETY: eight lanes are 16 bytes, and in a block, which is aligned to 64, they begin at a
        // multiple of 16.
        unsafe { _mm_load_si128(lanes.as_ptr().cast()) }
    }

    /// Sixteen lanes of a block.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn sixteen(block: &Block, index: usize) -> __m256i {
        let lanes = &block.0.as_chunks::<16>().0[index];
        // SAFETY: sixteen lanes are 32 bytes, and in a block, which is aligned to 64, they begin at
        // a multiple of 32.
        unsafe { _mm256_load_si256(lanes.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn dot_sse2(values: &[Block], weights: &[Block]) -> i32 {
        let (zero, most) = (_mm_setzero_si128(), _mm_set1_epi16(QA as i16));
        let mut sums = [zero; 4];
        for (value, weight) in values.iter().zip(weights) {
            for (index, sum) in sums.iter_mut().enumerate() {
                let value = _mm_min_epi16(_mm_max_epi16(eight(value, index), zero), most);
                let product = _mm_mullo_epi16(value, eight(weight, index));
                *sum = _mm_add_epi32(*sum, _mm_madd_epi16(product, value));
            }
        }
        let [a, b, c, d] = sums;
        total(_mm_add_epi32(_mm_add_epi32(a, b), _mm_add_epi32(c, d)))
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn dot_avx2(values: &[Block], weights: &[Block]) -> i32 {
        let (zero, most) = (_mm256_setzero_si256(), _mm256_set1_epi16(QA as i16));
        let mut sums = [zero; 2];
        for (value, weight) in values.iter().zip(weights) {
            for (index, sum) in sums.iter_mut().enumerate() {
                let value = _mm256_min_epi16(_mm256_max_epi16(sixteen(value, index), zero), most);
                let product = _mm256_mullo_epi16(value, sixteen(weight, index));
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(product, value));
            }
        }
        let sum = _mm256_add_epi32(sums[0], sums[1]);
        total(_mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum)))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    fn dot_avx512(values: &[Block], weights: &[Block]) -> i32 {
        // SAFETY: a block is 64 bytes, aligned to 64.
        let load = |block: &Block| unsafe { _mm512_load_si512(block.0.as_ptr().cast()) };
        let (zero, most) = (_mm512_setzero_si512(), _mm512_set1_epi16(QA as i16));
        let mut sum = zero;
        for (value, weight) in values.iter().zip(weights) {
            let value = _mm512_min_epi16(_mm512_max_epi16(load(value), zero), most);
            let product = _mm512_mullo_epi16(value, load(weight));
            sum = _mm512_add_epi32(sum, _mm512_madd_epi16(product, value));
        }
        _mm512_reduce_add_epi32(sum)
    }

    /// Sum of the four lanes.
    #[inline]
    #[target_feature(enable = "sse2")]
    fn total(lanes: __m128i) -> i32 {
        let pairs = _mm_add_epi32(lanes, _mm_shuffle_epi32::<0b01_00_11_10>(lanes));
        _mm_cvtsi128_si32(_mm_add_epi32(pairs, _mm_shuffle_epi32::<0b10_11_00_01>(pairs)))
    }
}

#[cfg(target_arch = "aarch64")]
mod arm {
    use std::arch::aarch64::{
        int16x8_t, vaddq_s32, vaddvq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s16, vld1q_s16,
        vmaxq_s16, vminq_s16, vmlal_high_s16, vmlal_s16, vmulq_s16,
    };

    use super::{Block, Kernel, QA};

    #[derive(Debug)]
    pub(super) struct Neon;

    impl Kernel for Neon {
        #[inline(always)]
        fn dot(values: &[Block], weights: &[Block]) -> i32 {
            // SAFETY: every 64-bit ARM has NEON.
            unsafe { dot_neon(values, weights) }
        }
    }

    /// Eight lanes of a block.
    #[inline]
    #[target_feature(enable = "neon")]
    fn eight(block: &Block, index: usize) -> int16x8_t {
        let lanes = &block.0.as_chunks::<8>().0[index];
        // SAFETY: eight lanes are what is read.
        unsafe { vld1q_s16(lanes.as_ptr()) }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn dot_neon(values: &[Block], weights: &[Block]) -> i32 {
        let (zero, most) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
        let mut sums = [vdupq_n_s32(0); 4];
        for (value, weight) in values.iter().zip(weights) {
            for (index, sum) in sums.iter_mut().enumerate() {
                let value = vminq_s16(vmaxq_s16(eight(value, index), zero), most);
                let product = vmulq_s16(value, eight(weight, index));
                *sum = vmlal_s16(*sum, vget_low_s16(product), vget_low_s16(value));
                *sum = vmlal_high_s16(*sum, product, value);
            }
        }
        let [a, b, c, d] = sums;
        vaddvq_s32(vaddq_s32(vaddq_s32(a, b), vaddq_s32(c, d)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Dot<'a>(&'a [Block], &'a [Block]);

    impl Work for Dot<'_> {
        type Output = i32;
        fn run<K: Kernel>(self) -> i32 {
            K::dot(self.0, self.1)
        }
    }

    /// The extremes first: there a lane would overflow.
    #[test]
    fn every_instruction_set_gives_the_sum_of_the_reference() {
        let mut state = 1_u64;
        let mut random = |least: i16, most: i16| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            least + ((state >> 40) % (i32::from(most) - i32::from(least) + 1) as u64) as i16
        };
        let filled = |value| vec![Block([value; LANES]); 8];
        let mut cases = vec![(filled(255), filled(127)), (filled(i16::MAX), filled(-127))];
        for blocks in [1, 4, 8, 9] {
            for _ in 0..500 {
                let values = (0..blocks).map(|_| Block([(); LANES].map(|()| random(-400, 700))));
                let values = values.collect();
                let weights = (0..blocks).map(|_| Block([(); LANES].map(|()| random(-127, 127))));
                cases.push((values, weights.collect()));
            }
        }
        for (values, weights) in &cases {
            let expected = dispatch(Level::Scalar, Dot(values, weights));
            for level in Level::available() {
                assert_eq!(dispatch(level, Dot(values, weights)), expected, "{level:?}");
            }
        }
    }
}
