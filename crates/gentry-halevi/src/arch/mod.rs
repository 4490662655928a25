//! Sums of many numbers, by the vector instructions that the machine has.
//!
//! A chain of additions with carry takes two to three cycles a limb and cannot be spread over a vector. So
//! each limb is added as two halves of 32 bits in 64-bit lanes, which hold the sum of 2^32 of them, and
//! the carries of all numbers are resolved once: 4 operations for each vector of limbs.
//!
//! One function, compiled for each instruction set; the choice is made once, in [`Adder::new`].

#![allow(unsafe_code)]

/// Limbs that are summed at a time: two accumulators of them stay in the first-level cache.
pub(crate) const BLOCK: usize = 256;

/// The instructions by which sums are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adder {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Adder {
    /// The best that this machine has.
    pub(crate) fn new() -> Self {
        Self::available().last().copied().unwrap_or(Self::Scalar)
    }

    /// All that this machine has, the best last.
    pub(crate) fn available() -> Vec<Self> {
        let mut available = vec![Self::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                available.push(Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f") {
                available.push(Self::Avx512);
            }
        }
        available
    }

    /// `out = carry + Σ numbers` modulo 2^(64·length), for numbers of the length of `out`, at most
    /// [`BLOCK`] limbs; returns what goes beyond.
    pub(crate) fn sum<'a>(
        self,
        out: &mut [u64],
        numbers: impl Iterator<Item = &'a [u64]>,
        carry: u64,
    ) -> u64 {
        let mut halves = Halves {
            low: [0; BLOCK],
            high: [0; BLOCK],
        };
        for number in numbers {
            match self {
                Self::Scalar => halves.add(number),
                #[cfg(target_arch = "x86_64")]
                // SAFETY: this value exists only where `available` found AVX2.
                Self::Avx2 => unsafe { halves.add_avx2(number) },
                #[cfg(target_arch = "x86_64")]
                // SAFETY: this value exists only where `available` found AVX-512F.
                Self::Avx512 => unsafe { halves.add_avx512(number) },
            }
        }
        let lanes = halves.low.iter().zip(&halves.high);
        out.iter_mut()
            .zip(lanes)
            .fold(carry, |carry, (out, (&low, &high))| {
                let sum = u128::from(low) + (u128::from(high) << 32) + u128::from(carry);
                *out = sum as u64;
                (sum >> 64) as u64
            })
    }
}

/// Sums of the low and of the high halves of limbs.
struct Halves {
    low: [u64; BLOCK],
    high: [u64; BLOCK],
}

impl Halves {
    #[inline(always)]
    fn add(&mut self, number: &[u64]) {
        let lanes = self.low.iter_mut().zip(&mut self.high);
        for ((low, high), &limb) in lanes.zip(number) {
            *low += limb & 0xffff_ffff;
            *high += limb >> 32;
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn add_avx2(&mut self, number: &[u64]) {
        self.add(number);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f")]
    fn add_avx512(&mut self, number: &[u64]) {
        self.add(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limbs;

    #[test]
    fn every_instruction_set_adds_as_the_chain_of_carries_does() {
        for length in [1, 7, 8, 100, BLOCK] {
            let numbers: Vec<Vec<u64>> = (0..45)
                .map(|i| (0..length).map(|j| u64::MAX - (i * j) as u64).collect())
                .collect();
            let mut expected = vec![0; length + 1];
            expected[0] = 77;
            for number in &numbers {
                let mut longer = number.clone();
                longer.push(0);
                limbs::add_assign(&mut expected, &longer);
            }
            for adder in Adder::available() {
                let mut out = vec![0; length];
                let carry = adder.sum(&mut out, numbers.iter().map(Vec::as_slice), 77);
                out.push(carry);
                assert_eq!(out, expected, "{adder:?}, {length} limbs");
            }
        }
    }
}
