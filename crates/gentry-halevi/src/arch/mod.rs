//! Sums of many numbers, by the vector instructions that the machine has.
//!
//! A chain of additions with carry takes a cycle a limb and cannot be spread over a vector. So each limb
//! is added as two halves of 32 bits in 64-bit lanes, which hold the sum of 2^32 of them, and the carries
//! of all numbers are resolved once. A tile of sums stays in registers while all numbers are added to it.
//!
//! One function, compiled for each instruction set; the choice is made once, in [`Adder::new`].

#![allow(unsafe_code)]

/// Limbs whose sums are in registers.
const TILE: usize = 64;

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

    /// `out = carry + Σ numbers` modulo 2^(64·length), for at most 2^31 numbers of the length of `out`, and a
    /// carry from such a sum; returns what goes beyond.
    pub(crate) fn sum(self, out: &mut [u64], numbers: &[&[u64]], carry: u64) -> u64 {
        match self {
            Self::Scalar => sum(out, numbers, carry),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this value exists only where `available` found AVX2.
            Self::Avx2 => unsafe { sum_avx2(out, numbers, carry) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: this value exists only where `available` found AVX-512F.
            Self::Avx512 => unsafe { sum_avx512(out, numbers, carry) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn sum_avx2(out: &mut [u64], numbers: &[&[u64]], carry: u64) -> u64 {
    sum(out, numbers, carry)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn sum_avx512(out: &mut [u64], numbers: &[&[u64]], carry: u64) -> u64 {
    sum(out, numbers, carry)
}

#[inline(always)]
fn sum(out: &mut [u64], numbers: &[&[u64]], mut carry: u64) -> u64 {
    for (index, out) in out.chunks_mut(TILE).enumerate() {
        let begin = index * TILE;
        let (mut low, mut high) = ([0; TILE], [0; TILE]);
        if out.len() == TILE {
            for number in numbers {
                let (tile, _) = number[begin..].as_chunks::<TILE>();
                tile.iter()
                    .take(1)
                    .for_each(|tile| add(&mut low, &mut high, tile));
            }
        } else {
            let mut padded = [0; TILE];
            for number in numbers {
                padded[..out.len()].copy_from_slice(&number[begin..]);
                add(&mut low, &mut high, &padded);
            }
        }
        // Of low + 2^32·high, the part below 2^64 and the few bits above it, which belong to the next limb.
        let (mut limbs, mut above) = ([0; TILE], [0; TILE]);
        for i in 0..TILE {
            limbs[i] = low[i].wrapping_add(high[i] << 32);
            above[i] = (high[i] >> 32) + u64::from(limbs[i] < low[i]);
        }
        let mut wrapped = false;
        for ((out, &limb), &above) in out.iter_mut().zip(&limbs).zip(&above) {
            let (sum, first) = limb.overflowing_add(carry);
            let (sum, second) = sum.overflowing_add(u64::from(wrapped));
            *out = sum;
            (carry, wrapped) = (above, first | second);
        }
        carry += u64::from(wrapped);
    }
    carry
}

#[inline(always)]
fn add(low: &mut [u64; TILE], high: &mut [u64; TILE], tile: &[u64; TILE]) {
    for i in 0..TILE {
        low[i] += tile[i] & 0xffff_ffff;
        high[i] += tile[i] >> 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limbs;

    #[test]
    fn every_instruction_set_adds_as_the_chain_of_carries_does() {
        for length in [1, 7, 8, 63, 64, 65, 100, 256, 300] {
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
                let slices: Vec<&[u64]> = numbers.iter().map(Vec::as_slice).collect();
                let carry = adder.sum(&mut out, &slices, 77);
                out.push(carry);
                assert_eq!(out, expected, "{adder:?}, {length} limbs");
            }
        }
    }
}
