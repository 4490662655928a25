//! Coefficients to limbs: rounding to integers, carries, and the wrap at `2^(2Nb) + 1`.

/// `1.5·2^52`: adding it rounds a number below 2^51 to an integer, which then stands in the low bits.
pub(super) const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Packs digits of any size, given from the lowest on, into limbs.
#[derive(Debug)]
pub(super) struct Packer<'a> {
    limbs: &'a mut [u64],
    /// The next limb.
    next: usize,
    /// Bits not yet written, and their number: below 64.
    pending: i128,
    count: u32,
}

impl<'a> Packer<'a> {
    pub(super) fn new(limbs: &'a mut [u64]) -> Self {
        Self {
            limbs,
            next: 0,
            pending: 0,
            count: 0,
        }
    }

    /// Adds a coefficient at the next digit, and moves on by `bits`.
    pub(super) fn push(&mut self, coefficient: i64, bits: u32) {
        self.pending += i128::from(coefficient) << self.count;
        self.count += bits;
        if self.count >= 64 {
            if let Some(limb) = self.limbs.get_mut(self.next) {
                *limb = self.pending as u64;
            }
            self.next += 1;
            self.pending >>= 64;
            self.count -= 64;
        }
    }

    /// What goes beyond the highest limb: a signed multiple of it. All bits must be whole limbs.
    pub(super) fn carry(&self) -> i64 {
        self.pending as i64
    }
}

/// Brings `limbs + carry·2^m`, `m` the bits of `limbs`, into `0 ..= 2^m` modulo `2^m + 1`; returns the highest
/// bit, which stands for `2^m` itself.
pub(super) fn wrap(limbs: &mut [u64], carry: i64) -> u64 {
    if carry > 0 {
        let under = subtract(limbs, carry as u64);
        // 2^m more, which is one less than nothing: −1 ≡ 2^m has limbs of ones, and one more leaves zeros.
        return u64::from(under && add(limbs, 1));
    }
    let over = add(limbs, carry.unsigned_abs());
    if !over {
        return 0;
    }
    // 2^m + r, r = limbs: either 2^m itself, or r − 1.
    if limbs.iter().all(|&limb| limb == 0) {
        return 1;
    }
    subtract(limbs, 1);
    0
}

fn add(limbs: &mut [u64], mut carry: u64) -> bool {
    for limb in limbs {
        if carry == 0 {
            return false;
        }
        let (sum, over) = limb.overflowing_add(carry);
        *limb = sum;
        carry = u64::from(over);
    }
    carry != 0
}

fn subtract(limbs: &mut [u64], mut borrow: u64) -> bool {
    for limb in limbs {
        if borrow == 0 {
            return false;
        }
        let (difference, under) = limb.overflowing_sub(borrow);
        *limb = difference;
        borrow = u64::from(under);
    }
    borrow != 0
}
