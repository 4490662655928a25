//! Masks of the gate scheme: streams of a public seed, two elements of 32 bits to a word.

use random::{MaskGenerator, Seed};

/// Uniform elements: stream `stream` of `seed`, each word of it two elements.
pub(super) fn fill_mask(mask: &mut [u32], seed: &Seed, stream: u64) {
    let mut words = vec![0; mask.len().div_ceil(2)];
    MaskGenerator::new(seed, stream).fill(&mut words);
    for (pair, word) in mask.chunks_mut(2).zip(words) {
        for (element, half) in pair.iter_mut().zip([word, word >> 32]) {
            *element = half as u32;
        }
    }
}
