//! Words taken apart and put together by the operations of any machine.

use super::{GROUP, GROUP_LOWS, LEVEL, Line, Planes};

#[inline(always)]
pub(super) fn cut<const LEVELS: usize>(
    words: &[u64; GROUP],
    low: &mut [Line; GROUP_LOWS],
    planes: &mut Planes<LEVELS>,
) {
    let halves = low.iter_mut().flat_map(|line| &mut line.0);
    for (halves, [even, odd]) in halves.zip(words.as_chunks::<2>().0) {
        *halves = even & 0xffff_ffff | odd << 32;
    }
    for (level, planes) in planes.iter_mut().enumerate() {
        for (bytes, words) in planes.iter_mut().zip(words.as_chunks::<8>().0) {
            let mut together = 0;
            for (r, word) in words.iter().enumerate() {
                together |= (word >> (32 + LEVEL * level) & 0xff) << (8 * r);
            }
            *bytes = transposed(together);
        }
        exchange(planes);
    }
}

#[inline(always)]
pub(super) fn join<const LEVELS: usize>(
    low: &[Line; GROUP_LOWS],
    planes: &Planes<LEVELS>,
    words: &mut [u64; GROUP],
) {
    let halves = low.iter().flat_map(|line| &line.0);
    for (halves, [even, odd]) in halves.zip(words.as_chunks_mut::<2>().0) {
        *even = halves & 0xffff_ffff;
        *odd = halves >> 32;
    }
    for (level, planes) in planes.iter().enumerate() {
        let mut bytes = *planes;
        exchange(&mut bytes);
        for (bytes, words) in bytes.iter().zip(words.as_chunks_mut::<8>().0) {
            let together = transposed(*bytes);
            for (r, word) in words.iter_mut().enumerate() {
                *word |= (together >> (8 * r) & 0xff) << (32 + LEVEL * level);
            }
        }
    }
}

/// Exchanges bit `i` of byte `j` and bit `j` of byte `i`: by single bits, pairs and fours.
#[inline(always)]
fn transposed(mut x: u64) -> u64 {
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let moved = (x ^ x >> shift) & mask;
        x ^= moved ^ moved << shift;
    }
    x
}

/// Exchanges byte `i` of number `j` and byte `j` of number `i`.
#[inline(always)]
fn exchange(x: &mut [u64; 8]) {
    for (distance, mask) in [
        (4, 0x0000_0000_ffff_ffff),
        (2, 0x0000_ffff_0000_ffff),
        (1, 0x00ff_00ff_00ff_00ff),
    ] {
        let shift = 8 * distance;
        for i in 0..8 {
            if i & distance == 0 {
                let moved = (x[i] >> shift ^ x[i + distance]) & mask;
                x[i + distance] ^= moved;
                x[i] ^= moved << shift;
            }
        }
    }
}
