//! Balanced digits of a limb vector.
//!
//! Digit `j` is the signed value of bits `jb .. (j+1)b` plus the highest bit of the digit before
//! it, which that digit, being signed, counted with the wrong sign: so every digit depends on `b +
//! 1` bits and not on a carry, and lies in `[−2^(b−1), 2^(b−1)]`. The highest bit of the last digit
//! goes into one digit more; where there is none, because the operand fills the whole modulus
//! `2^(2Nb) + 1`, it comes back negated at digit 0.
//!
//! For random bits a digit has mean 0 and variance `(2^(2b) + 2)/12`.

use crate::arch::Simd;

/// Where a register's digits lie within the bytes from the first one's first bit on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    /// For each lane the numbers of two adjacent groups of 32 bits that contain the digit and the
    /// bit before.
    halves: [u64; 8],
    /// How far these have to go left for the digit to be at the top.
    shift: [u64; 8],
}

impl Spread {
    /// For digits of `bits` bits, at most 24, the first of which has the bit before it at `start`
    /// in its byte.
    pub(super) fn new(bits: u32, start: u32) -> Self {
        let at = |lane: usize| start + lane as u32 * bits;
        Self {
            halves: std::array::from_fn(|lane| {
                let half = u64::from(at(lane) / 32);
                half | (half + 1) << 32
            }),
            shift: std::array::from_fn(|lane| u64::from(63 - bits - at(lane) % 32)),
        }
    }
}

/// The digits of one operand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits<'a> {
    limbs: &'a [u64],
    bits: usize,
    /// Subtracted from digit 0.
    wrapped: u64,
    /// How many digits may differ from zero.
    len: usize,
    /// For a register whose first digit begins at a byte, and in the middle of one.
    spreads: &'a [Spread; 2],
}

impl<'a> Digits<'a> {
    /// `limbs` must fit `count` digits of `bits` bits.
    pub(super) fn new(limbs: &'a [u64], bits: u32, count: usize, spreads: &'a [Spread; 2]) -> Self {
        let bits = bits as usize;
        let top = count * bits - 1;
        let wrapped = limbs.get(top / 64).map_or(0, |limb| limb >> (top % 64) & 1);
        Self {
            limbs,
            bits,
            wrapped,
            len: (64 * limbs.len()).div_ceil(bits) + 1,
            spreads,
        }
    }

    /// 64 bits from bit `from − 1` on, zeros beyond both ends.
    fn window(self, from: usize) -> u64 {
        let limb = |index: usize| self.limbs.get(index).copied().unwrap_or(0);
        let Some(from) = from.checked_sub(1) else {
            return limb(0) << 1;
        };
        let (index, shift) = (from / 64, from % 64);
        let low = limb(index) >> shift;
        if shift == 0 {
            low
        } else {
            low | limb(index + 1) << (64 - shift)
        }
    }

    fn digit(self, j: usize) -> f64 {
        let shift = 63 - self.bits;
        let window = self.window(j * self.bits) as i64;
        // b + 1 bits, signed; its lowest is the one of the digit before.
        let digit = ((window << shift >> shift) + 1) >> 1;
        let wrapped = if j == 0 { self.wrapped as i64 } else { 0 };
        (digit - wrapped) as f64
    }

    /// The digits from `j`, a multiple of the lanes, on: one for each lane.
    #[inline(always)]
    pub(super) fn vector<S: Simd>(self, simd: S, j: usize) -> S::Float {
        if j >= self.len {
            return simd.splat(0.0);
        }
        let bytes: &[u8] = bytemuck::cast_slice(self.limbs);
        if self.shorts().is_some() {
            let from = (2 * j).wrapping_sub(2);
            let Some(here) = bytes.get(from..from.wrapping_add(2 * S::LANES + 2)) else {
                return simd.load(&simd.pairs(&self.edge(j, S::LANES))[0][0]);
            };
            return shorts(simd, here);
        }
        let first = (j * self.bits).wrapping_sub(1);
        let here = bytes.get(first / 8..).unwrap_or_default();
        if here.len() < 8 * S::LANES || cfg!(target_endian = "big") {
            return simd.load(&simd.pairs(&self.edge(j, S::LANES))[0][0]);
        }
        // Bit 7 of a byte, or bit 3.
        let spread = &self.spreads[usize::from(first % 8 == 3)];
        let halves = simd.load_words(&simd.words(&spread.halves)[0]);
        let shift = simd.load_words(&simd.words(&spread.shift)[0]);
        let windows = simd.shl_each(simd.spread(here, halves), shift);
        let double = simd.sar(windows, 63 - self.bits as u32);
        let digits = simd.sar(simd.add_words(double, simd.splat_words(1)), 1);
        simd.float(digits)
    }

    /// How many digits may differ from zero.
    pub(super) fn count(self) -> usize {
        self.len
    }

    /// The operand's bytes, if digits are pairs of them.
    pub(super) fn shorts(self) -> Option<&'a [u8]> {
        let fits = self.bits == 16 && cfg!(target_endian = "little");
        fits.then(|| bytemuck::cast_slice(self.limbs))
    }

    /// At both ends of the operand, one digit at a time.
    #[cold]
    #[inline(never)]
    fn edge(self, j: usize, lanes: usize) -> [f64; 16] {
        let mut digits = [0.0; 16];
        for (digit, j) in digits[..lanes].iter_mut().zip(j..self.len) {
            *digit = self.digit(j);
        }
        digits
    }
}

/// A vector of digits of 16 bits: as many signed numbers less the sign of the one before each,
/// given with these.
#[inline(always)]
pub(super) fn shorts<S: Simd>(simd: S, bytes: &[u8]) -> S::Float {
    let before = simd.sar(simd.shorts(bytes), 63);
    simd.float(simd.sub_words(simd.shorts(&bytes[2..]), before))
}
