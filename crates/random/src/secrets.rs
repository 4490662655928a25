//! Binary secrets: uniform, and block-binary.
//!
//! A block-binary secret (Lee, Min, Seo, Song, "Faster TFHE bootstrapping with
//! block binary keys", AsiaCCS 2023, eprint 2023/958) is cut into blocks of d
//! bits of which at most one is set; each of the d + 1 possibilities of a block
//! is equally likely. Its entropy is log2(d + 1) bits per block.

use std::num::NonZeroU32;

use crate::{Generator, SecretBuffer};

/// Bits per block of a block-binary secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockSize(NonZeroU32);

impl BlockSize {
    /// A block of `bits` bits; `None` for 0 or more than 2^16.
    #[must_use]
    pub fn new(bits: u32) -> Option<Self> {
        NonZeroU32::new(bits)
            .filter(|bits| bits.get() <= 1 << 16)
            .map(Self)
    }

    /// Bits per block.
    #[must_use]
    pub fn bits(self) -> usize {
        self.0.get() as usize
    }
}

impl Generator {
    /// `length` independent fair bits, one per byte.
    pub fn binary_secret(&mut self, length: usize) -> SecretBuffer<u8> {
        let mut secret = SecretBuffer::new(vec![0; length]);
        self.fill_bytes(secret.expose_mut());
        secret.expose_mut().iter_mut().for_each(|byte| *byte &= 1);
        secret
    }

    /// A block-binary secret of `length` bits, one per byte. A last block that
    /// is cut short is uniform over its own possibilities.
    ///
    /// Every position of a block is written whatever was drawn: neither branch
    /// nor address depends on the secret.
    pub fn block_binary_secret(&mut self, length: usize, block: BlockSize) -> SecretBuffer<u8> {
        let mut secret = SecretBuffer::new(vec![0; length]);
        for bits in secret.expose_mut().chunks_mut(block.bits()) {
            let chosen = self.below(bits.len() as u32 + 1);
            for (position, bit) in bits.iter_mut().enumerate() {
                *bit = u8::from(position as u32 == chosen);
            }
        }
        secret
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_secrets_are_fair() {
        let secret = Generator::from_key([4; 32]).binary_secret(100_000);
        assert!(secret.expose().iter().all(|&bit| bit <= 1));
        let ones: u32 = secret.expose().iter().map(|&bit| u32::from(bit)).sum();
        // Deviation 158; six of them.
        assert!(ones.abs_diff(50_000) < 950, "{ones}");
    }

    #[test]
    fn blocks_hold_at_most_one_bit_each_choice_equally_often() {
        let block = BlockSize::new(4).unwrap();
        let secret = Generator::from_key([5; 32]).block_binary_secret(100_000, block);
        let mut counts = [0_u32; 5];
        for bits in secret.expose().chunks(4) {
            assert!(bits.iter().sum::<u8>() <= 1);
            counts[bits.iter().position(|&bit| bit == 1).unwrap_or(4)] += 1;
        }
        // 25,000 blocks: mean 5,000, deviation 63; six of them.
        assert!(
            counts.iter().all(|count| count.abs_diff(5_000) < 380),
            "{counts:?}"
        );
    }

    #[test]
    fn a_short_last_block_is_filled_and_a_block_of_one_is_uniform() {
        let mut generator = Generator::from_key([6; 32]);
        let secret = generator.block_binary_secret(6, BlockSize::new(4).unwrap());
        assert_eq!(secret.expose().len(), 6);
        let ones: u32 = generator
            .block_binary_secret(10_000, BlockSize::new(1).unwrap())
            .expose()
            .iter()
            .map(|&bit| u32::from(bit))
            .sum();
        assert!(ones.abs_diff(5_000) < 300, "{ones}");
        assert_eq!(BlockSize::new(0), None);
    }
}
