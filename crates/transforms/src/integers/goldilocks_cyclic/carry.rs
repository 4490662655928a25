//! Carries: 65,536 sums of products of digits become limbs.
//!
//! Eight sums are three limbs, and a limb is a few shifted sums added in 128 bits; what exceeds 64
//! bits goes on to the next. The chain from limb to limb is one addition with carry, everything
//! else is independent.

/// What eight sums in turn exceed three limbs by, for any sums of 64 bits.
type Carry = u128;

/// Adds up sums, least significant first and one digit of 24 bits apart, eight at a time, to three
/// limbs each; returns what is left. `sums` has eight numbers for every three limbs of `out`, or
/// more.
pub(super) fn resolve(
    out: &mut [u64],
    sums: impl Iterator<Item = [u64; 8]>,
    carry: Carry,
) -> Carry {
    let mut carry = carry;
    for (limbs, sums) in out.chunks_mut(3).zip(sums) {
        let shifted = |at: usize, bits: u32| u128::from(sums[at]) << bits;
        // At bits 0, 24, 48, then 8, 32, 56 of the second limb, 16 and 40 of the third. Each sum is
        // below 2^120, and so with the carry is that of three.
        let terms = [
            shifted(0, 0) + shifted(1, 24) + shifted(2, 48),
            shifted(3, 8) + shifted(4, 32) + shifted(5, 56),
            shifted(6, 16) + shifted(7, 40),
        ];
        for (place, terms) in terms.into_iter().enumerate() {
            let sum = terms + carry;
            if let Some(limb) = limbs.get_mut(place) {
                *limb = sum as u64;
            }
            carry = sum >> 64;
        }
    }
    carry
}

/// Adds a carry to limbs; it ends within a limb or two of almost every number. Returns what is
/// left.
pub(super) fn add(out: &mut [u64], carry: Carry) -> Carry {
    let mut carry = carry;
    for limb in out {
        if carry == 0 {
            break;
        }
        let sum = u128::from(*limb) + (carry & u128::from(u64::MAX));
        *limb = sum as u64;
        carry = (sum >> 64) + (carry >> 64);
    }
    carry
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn limbs_are_those_of_the_sum(
            sums in prop::collection::vec(prop_oneof![Just(u64::MAX), Just(0), any::<u64>()], 24),
            at in 0usize..3,
        ) {
            let number = |sums: &[u64]| {
                let terms = sums.iter().rev();
                terms.fold(rug::Integer::new(), |number, &sum| (number << 24) + sum)
            };
            let eights = |sums: &[u64]| sums.as_chunks().0.to_vec().into_iter();
            let mut limbs = [0; 9];
            // In two parts.
            let (low, high) = limbs.split_at_mut(3 * at);
            let (first, second) = sums.split_at(8 * at);
            let carry = resolve(low, eights(first), 0);
            let mut rest = resolve(high, eights(second), 0);
            rest += add(high, carry);
            let mut found = rug::Integer::from(rest);
            for &limb in limbs.iter().rev() {
                found = (found << 64) + limb;
            }
            prop_assert_eq!(found, number(&sums));
        }
    }

    #[test]
    fn limbs_beyond_the_output_are_left_out() {
        let mut limbs = [0; 2];
        resolve(&mut limbs, [[u64::MAX; 8]].into_iter(), 0);
        let mut all = [0; 3];
        resolve(&mut all, [[u64::MAX; 8]].into_iter(), 0);
        assert_eq!(limbs, all[..2]);
    }
}
