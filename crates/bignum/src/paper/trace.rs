//! A product with every number on the way to it: what a hardware model is compared with, cycle by
//! cycle.

use crate::Error;

use super::carries::{Beat, LANES, Unit};
use super::stages::{self, Direction};
use super::{DIGIT_BITS, LARGEST_DIGIT, OPERAND_LIMBS, POINTS, PRODUCT_LIMBS, STAGES, field};

/// The transform of one operand. Vectors have 65,536 elements, by position in the memories
/// ([`bank`](super::memory::bank), [`address`](super::memory::address)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The digits of 24 bits, as loaded.
    pub samples: Vec<u64>,
    /// The memory after each stage.
    pub stages: [Vec<u64>; STAGES],
}

/// Everything that the paper's multiplier holds at some time during a product.
///
/// Takes about 7 MB, and a few tenths of a second to compute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Both transforms. In hardware the fourth stage of the first is multiplied by the second's at
    /// once.
    pub operands: [Operand; 2],
    /// The component-wise product of the spectra, by position.
    pub product: Vec<u64>,
    /// The memory after each stage of the inverse; the last holds the sums before carries.
    pub inverse: [Vec<u64>; STAGES],
    /// The 4,096 cycles of the carry unit.
    pub beats: Vec<Beat>,
}

impl Operand {
    /// Cuts a number of at most 12,288 limbs into samples and transforms them.
    ///
    /// # Errors
    /// [`Error::OperandLength`] if it is longer.
    pub fn new(limbs: &[u64]) -> Result<Self, Error> {
        if limbs.len() > OPERAND_LIMBS {
            return Err(Error::OperandLength {
                given: limbs.len(),
                largest: OPERAND_LIMBS,
            });
        }
        let samples = samples(limbs);
        let stages = memories(Direction::Forward, &samples);
        Ok(Self { samples, stages })
    }

    /// What lies in the memory after the last stage.
    pub fn spectrum(&self) -> &[u64] {
        &self.stages[STAGES - 1]
    }
}

impl Trace {
    /// Multiplies two numbers of at most 12,288 limbs each.
    ///
    /// # Errors
    /// [`Error::OperandLength`] if one is longer.
    pub fn new(a: &[u64], b: &[u64]) -> Result<Self, Error> {
        let operands = [Operand::new(a)?, Operand::new(b)?];
        let [a, b] = &operands;
        let pairs = a.spectrum().iter().zip(b.spectrum());
        let product: Vec<u64> = pairs.map(|(&a, &b)| field::multiply(a, b)).collect();
        let inverse = memories(Direction::Inverse, &product);
        let mut unit = Unit::default();
        let (cycles, _) = inverse[STAGES - 1].as_chunks::<LANES>();
        let beats = cycles.iter().map(|sums| unit.step(sums)).collect();
        Ok(Self {
            operands,
            product,
            inverse,
            beats,
        })
    }

    /// The product, 24,576 limbs.
    pub fn limbs(&self) -> Vec<u64> {
        let mut limbs = vec![0; PRODUCT_LIMBS];
        let digits = self.beats.iter().flat_map(|beat| beat.digits);
        for (number, digit) in digits.enumerate() {
            let (limb, bit) = (number * DIGIT_BITS / 64, number * DIGIT_BITS % 64);
            limbs[limb] |= u64::from(digit) << bit;
            if bit > 64 - DIGIT_BITS {
                limbs[limb + 1] |= u64::from(digit) >> (64 - bit);
            }
        }
        limbs
    }
}

/// The digits of a number, and zeros up to 65,536 samples.
fn samples(limbs: &[u64]) -> Vec<u64> {
    let limb = |at: usize| limbs.get(at).copied().unwrap_or(0);
    let sample = |number: usize| {
        let (at, bit) = (number * DIGIT_BITS / 64, number * DIGIT_BITS % 64);
        let both = u128::from(limb(at)) | u128::from(limb(at + 1)) << 64;
        (both >> bit) as u64 & LARGEST_DIGIT
    };
    (0..POINTS).map(sample).collect()
}

/// The memory after each stage.
fn memories(direction: Direction, from: &[u64]) -> [Vec<u64>; STAGES] {
    let powers = field::powers();
    let mut memory = from.to_vec();
    std::array::from_fn(|stage| {
        stages::run(direction, stage, &mut memory, &powers);
        memory.clone()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_digits() {
        // 0x000000_aaaaaa_bbbbbb across the border of limbs.
        let samples = samples(&[0xcccc_bbbb_bbaa_aaaa, 0x0000_0000_0000_dddd]);
        assert_eq!(samples[..4], [0xaa_aaaa, 0xbb_bbbb, 0xdd_cccc, 0xdd]);
        assert!(samples[4..].iter().all(|&sample| sample == 0));
    }

    #[test]
    fn products_that_can_be_seen() {
        let ones = vec![u64::MAX; OPERAND_LIMBS];
        // (2^n − 1)² = 2^2n − 2^(n+1) + 1.
        let trace = Trace::new(&ones, &ones).unwrap();
        let mut square = vec![0; PRODUCT_LIMBS];
        square[0] = 1;
        square[OPERAND_LIMBS] = u64::MAX - 1;
        square[OPERAND_LIMBS + 1..].fill(u64::MAX);
        assert_eq!(trace.limbs(), square);
        // The middle sum is 32,768 products of full digits.
        let largest = 32_768 * LARGEST_DIGIT * LARGEST_DIGIT;
        assert_eq!(trace.inverse[3][32_767], largest);
        assert_eq!(trace.inverse[3][65_535], 0);
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let long = vec![1; OPERAND_LIMBS + 1];
        let refused = Error::OperandLength {
            given: OPERAND_LIMBS + 1,
            largest: OPERAND_LIMBS,
        };
        assert_eq!(Trace::new(&long, &[1]).unwrap_err(), refused);
        assert_eq!(Trace::new(&[], &long).unwrap_err(), refused);
        assert_eq!(
            Trace::new(&[], &[]).unwrap().limbs(),
            vec![0; PRODUCT_LIMBS]
        );
    }
}
