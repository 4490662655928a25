//! Carry resolution (§IV-D): sixteen sums of 64 bits a cycle become sixteen digits of 24 bits.
//!
//! A sum is three blocks of 24 bits, the upper of them 16 wide, and overlaps the two digits above
//! its own. **First step**: at each digit the three blocks that meet there are added, and what that
//! exceeds 24 bits by, at most 2, is added to the next one: a *word* `z`, at most two more than the
//! largest digit. **Second step**: a word generates a carry if it exceeds the largest digit and is
//! critical if it equals it; carries of all sixteen follow at once from
//!
//! > `carries = ((generate << 1) + carry in + critical) XOR critical` (equation 13)
//!
//! because the addition runs along critical words as the carry does, and the exclusive-or removes
//! what it left of them. Bit 16 is the carry into the next sixteen.

use super::{DIGIT_BITS, LARGEST_DIGIT};

/// Sums that are resolved in one cycle.
pub const LANES: usize = 16;

/// What one cycle computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beat {
    /// The words between the two steps, at most 25 bits each.
    pub words: [u32; LANES],
    /// Bit `i`: word `i` exceeds the largest digit.
    pub generate: u16,
    /// Bit `i`: word `i` is the largest digit.
    pub critical: u16,
    /// Bit `i`: the carry into word `i`; bit 16: that into the next beat.
    pub carries: u32,
    /// The result.
    pub digits: [u32; LANES],
}

/// The unit between two cycles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unit {
    /// The last two sums of the cycle before, the older first.
    last: [u64; 2],
    /// What the last digit of the first step exceeded 24 bits by.
    excess: u64,
    carry: bool,
}

/// Equation 13. `carry` is that into bit 0.
pub const fn look_ahead(generate: u16, critical: u16, carry: bool) -> u32 {
    let (generate, critical) = (generate as u32, critical as u32);
    ((generate << 1) + carry as u32 + critical) ^ critical
}

impl Unit {
    /// Takes the next sixteen sums, least significant first.
    pub fn step(&mut self, sums: &[u64; LANES]) -> Beat {
        let mut beat = Beat {
            words: [0; LANES],
            generate: 0,
            critical: 0,
            carries: 0,
            digits: [0; LANES],
        };
        for (at, &sum) in sums.iter().enumerate() {
            let blocks = (sum & LARGEST_DIGIT)
                + (self.last[1] >> DIGIT_BITS & LARGEST_DIGIT)
                + (self.last[0] >> (2 * DIGIT_BITS));
            let word = (blocks & LARGEST_DIGIT) + self.excess;
            self.excess = blocks >> DIGIT_BITS;
            self.last = [self.last[1], sum];
            beat.words[at] = word as u32;
            beat.generate |= u16::from(word > LARGEST_DIGIT) << at;
            beat.critical |= u16::from(word == LARGEST_DIGIT) << at;
        }
        beat.carries = look_ahead(beat.generate, beat.critical, self.carry);
        self.carry = beat.carries >> LANES == 1;
        for (at, digit) in beat.digits.iter_mut().enumerate() {
            let carry = beat.carries >> at & 1;
            *digit = (beat.words[at] + carry) & LARGEST_DIGIT as u32;
        }
        beat
    }

    /// Whether nothing is left to carry: the number ended within its digits.
    pub fn is_empty(&self) -> bool {
        let overlapping = self.last[1] >> DIGIT_BITS | self.last[0] >> (2 * DIGIT_BITS);
        overlapping == 0 && self.excess == 0 && !self.carry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_look_ahead_of_eight_words() {
        for generate in 0..256u16 {
            // A word cannot be both.
            for critical in (0..256u16).filter(|critical| critical & generate == 0) {
                for first in [false, true] {
                    let (mut carry, mut expected) = (first, 0);
                    for at in 0..8 {
                        expected |= u32::from(carry) << at;
                        carry = generate >> at & 1 == 1 || carry && critical >> at & 1 == 1;
                    }
                    expected |= u32::from(carry) << 8;
                    let found = look_ahead(generate, critical, first) & 0x1ff;
                    assert_eq!(found, expected, "{generate:b} {critical:b} {first}");
                }
            }
        }
    }

    fn any_sum() -> impl Strategy<Value = u64> {
        prop_oneof![
            Just(0),
            Just(LARGEST_DIGIT),
            Just(u64::MAX),
            Just(1u64 << 24),
            any::<u64>()
        ]
    }

    proptest! {
        #[test]
        fn digits_are_those_of_a_ripple(
            beats in prop::collection::vec(proptest::array::uniform16(any_sum()), 1..5),
        ) {
            let (mut unit, mut carried) = (Unit::default(), 0u128);
            let ending = [[0; LANES]];
            for sums in beats.iter().chain(&ending) {
                let beat = unit.step(sums);
                for (digit, &sum) in beat.digits.into_iter().zip(sums) {
                    carried += u128::from(sum);
                    prop_assert_eq!(u128::from(digit), carried & u128::from(LARGEST_DIGIT));
                    carried >>= DIGIT_BITS;
                }
                prop_assert_eq!(beat.words.iter().filter(|&&word| word > LARGEST_DIGIT as u32 + 2).count(), 0);
            }
            prop_assert_eq!(carried, 0);
            prop_assert!(unit.is_empty());
        }
    }
}
