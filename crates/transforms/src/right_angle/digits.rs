//! Balanced digits of a limb vector.
//!
//! Digit `j` is the signed value of bits `jb .. (j+1)b` plus the highest bit of the digit before it, which that
//! digit, being signed, counted with the wrong sign: so every digit depends on `b + 1` bits and not on a carry, and
//! lies in `[−2^(b−1), 2^(b−1)]`. The highest bit of the last digit goes into one digit more; where there
//! is none, because the operand fills the whole modulus `2^(2Nb) + 1`, it comes back negated at digit 0.
//!
//! For random bits a digit has mean 0 and variance `(2^(2b) + 2)/12`.

/// The digits of one operand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Digits<'a> {
    limbs: &'a [u64],
    bits: u32,
    /// Subtracted from digit 0.
    wrapped: u64,
}

impl<'a> Digits<'a> {
    /// `limbs` must fit `count` digits of `bits` bits, at most 24.
    pub(super) fn new(limbs: &'a [u64], bits: u32, count: usize) -> Self {
        let top = count * bits as usize - 1;
        let wrapped = limbs.get(top / 64).map_or(0, |limb| limb >> (top % 64) & 1);
        Self {
            limbs,
            bits,
            wrapped,
        }
    }

    /// How many digits may differ from zero.
    pub(super) fn len(self) -> usize {
        (64 * self.limbs.len()).div_ceil(self.bits as usize) + 1
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

    pub(super) fn digit(self, j: usize) -> f64 {
        let bits = self.bits;
        let window = self.window(j * bits as usize) as i64;
        // b + 1 bits, signed; its lowest is the one of the digit before.
        let digit = ((window << (63 - bits) >> (63 - bits)) + 1) >> 1;
        let wrapped = if j == 0 { self.wrapped as i64 } else { 0 };
        (digit - wrapped) as f64
    }
}
