//! The paper's 192-bit pipelines (§III-D): integers modulo `2^192 − 1`, which `p = 2^64 − 2^32 + 1`
//! divides.
//!
//! A chain of sums, differences and products by powers of two needs no reduction modulo `p` until
//! its end: a carry out of the top comes back at the bottom, a product by `2^j` is a rotation by
//! `j` bits, and `−1` is `2^96`. What is a wire and a ring of adders in hardware is some five
//! instructions here; this is the reference, and the fast form is
//! `transforms::integers::goldilocks_cyclic`.

use super::field::PRIME;

/// An integer modulo `2^192 − 1`, least significant word first. All ones is another zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wide(pub [u64; 3]);

impl Wide {
    /// A sample, padded with zeros on the left.
    pub const fn new(sample: u64) -> Self {
        Self([sample, 0, 0])
    }

    /// The sum; a carry out of the top is added at the bottom.
    #[must_use]
    pub const fn add(self, other: Self) -> Self {
        let (x, y) = (self.0, other.0);
        let (low, carry) = x[0].overflowing_add(y[0]);
        let (middle, carry) = add_carry(x[1], y[1], carry);
        let (high, carry) = add_carry(x[2], y[2], carry);
        // After a carry out the rest is at most 2^192 − 2, so that adding 1 does not carry out
        // again.
        let (low, carry) = low.overflowing_add(carry as u64);
        let (middle, carry) = middle.overflowing_add(carry as u64);
        Self([low, middle, high.wrapping_add(carry as u64)])
    }

    /// The product by `2^bits`: a circular shift.
    #[must_use]
    pub const fn rotate(self, bits: u32) -> Self {
        let (words, bits) = (((bits / 64) % 3) as usize, bits % 64);
        let x = self.0;
        let rotated = [x[(3 - words) % 3], x[(4 - words) % 3], x[(5 - words) % 3]];
        if bits == 0 {
            return Self(rotated);
        }
        let back = 64 - bits;
        Self([
            rotated[0] << bits | rotated[2] >> back,
            rotated[1] << bits | rotated[0] >> back,
            rotated[2] << bits | rotated[1] >> back,
        ])
    }

    /// The difference: `x − y = x + 2^96·y` modulo `p`.
    #[must_use]
    pub const fn sub(self, other: Self) -> Self {
        self.add(other.rotate(96))
    }

    /// One level of carry-save adders (§IV-A): two numbers whose sum is that of three.
    pub const fn carry_save(a: Self, b: Self, c: Self) -> [Self; 2] {
        let (mut sum, mut carries) = ([0; 3], [0; 3]);
        let mut word = 0;
        while word < 3 {
            let (a, b, c) = (a.0[word], b.0[word], c.0[word]);
            sum[word] = a ^ b ^ c;
            carries[word] = a & b | a & c | b & c;
            word += 1;
        }
        [Self(sum), Self(carries).rotate(1)]
    }

    /// The sum of sixteen as in the paper's figure 3: carry-save adders from four numbers to two,
    /// in three levels, and one addition that propagates.
    #[must_use]
    pub const fn sum_of_16(x: &[Self; 16]) -> Self {
        let mut left = *x;
        let mut count = 16;
        while count > 2 {
            let mut group = 0;
            while group < count / 4 {
                let at = 4 * group;
                let [sum, carries] = Self::carry_save(left[at], left[at + 1], left[at + 2]);
                let [sum, carries] = Self::carry_save(sum, carries, left[at + 3]);
                (left[2 * group], left[2 * group + 1]) = (sum, carries);
                group += 1;
            }
            count /= 2;
        }
        left[0].add(left[1])
    }

    /// The canonical element of the field, by equation 7: with six halves `a … f`, most significant
    /// first, `(2^32·e + f) + (2^32·d + a) − (2^32·b + c) − (2^32·a + d)`.
    pub const fn normalize(self) -> u64 {
        let [ef, cd, ab] = self.0;
        let (a, c, d) = (ab >> 32, cd >> 32, cd & 0xffff_ffff);
        let sum = ef as i128 + (d << 32 | a) as i128;
        let minus = (ab << 32 | c) as i128 + (a << 32 | d) as i128;
        (sum - minus).rem_euclid(PRIME as i128) as u64
    }
}

const fn add_carry(x: u64, y: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = x.overflowing_add(y);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

#[cfg(test)]
mod tests {
    use super::super::field::{multiply, power};
    use super::*;
    use proptest::prelude::*;

    /// The element, word by word.
    fn element(x: Wide) -> u64 {
        let word = |at: usize| {
            let place = power(2, 64 * at as u64);
            u128::from(multiply(x.0[at] % PRIME, place))
        };
        ((word(0) + word(1) + word(2)) % u128::from(PRIME)) as u64
    }

    fn any_wide() -> impl Strategy<Value = Wide> {
        // Words of all zeros and all ones make carries run.
        let word = prop_oneof![Just(0), Just(u64::MAX), any::<u64>()];
        [word.clone(), word.clone(), word].prop_map(Wide)
    }

    proptest! {
        #[test]
        fn sums_differences_and_shifts(x in any_wide(), y in any_wide(), bits in 0u32..400) {
            let p = u128::from(PRIME);
            let (a, b) = (u128::from(element(x)), u128::from(element(y)));
            prop_assert_eq!(x.normalize(), element(x));
            prop_assert_eq!(x.add(y).normalize(), ((a + b) % p) as u64);
            prop_assert_eq!(x.sub(y).normalize(), ((a + p - b) % p) as u64);
            let shifted = multiply(element(x), power(2, u64::from(bits)));
            prop_assert_eq!(x.rotate(bits).normalize(), shifted);
        }

        #[test]
        fn sixteen_at_once(x in proptest::array::uniform16(any_wide())) {
            let one_by_one = x.iter().fold(Wide::default(), |sum, &term| sum.add(term));
            prop_assert_eq!(Wide::sum_of_16(&x).normalize(), one_by_one.normalize());
        }
    }

    #[test]
    fn all_ones_is_zero() {
        assert_eq!(Wide([u64::MAX; 3]).normalize(), 0);
        assert_eq!(Wide::new(PRIME).normalize(), 0);
    }
}
