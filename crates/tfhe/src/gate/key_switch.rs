//! The classical key switch, from LWE under the big key to LWE under the small.
//!
//! For each bit S_i of the big key and each level j the key holds an LWE
//! ciphertext of S_i·2^-bj under the small key. A mask element a_i = Σ_j d_ij·2^-bj
//! plus a remainder; the result is (0, body) − Σ d_ij·row_ij, whose phase is
//! body − Σ a_i·S_i (Chillotti, Gama, Georgieva, Izabachène, eprint 2018/421,
//! §4.1, algorithm 2; there each multiple d·row is a row of the key, here it is
//! multiplied out, which makes the key B − 1 times smaller and the errors of the
//! digits correlated: their mean square (B² + 2)/12 counts, [`super::noise`]).
//!
//! Digits are balanced and have mean 0 (see `transforms::torus::Gadget`): rounding to
//! each level telescopes. Nt rows of n + 1 words are 21 MB for the library's
//! set: alone, a key switch waits for memory; a batch passes over the key once.

use crate::parameters::Decomposition;

use super::mask::fill_mask;
use super::seeded_server_key::{SeededGateServerKey, shape};

/// The key-switching key of the gates, expanded: N·t rows of n + 1 elements, in the order of their
/// use.
pub struct GateKeySwitchKey {
    rows: Vec<u32>,
    gadget: Decomposition,
    /// Elements of a row, n + 1.
    words: usize,
}

impl GateKeySwitchKey {
    pub(super) fn expand(seeded: &SeededGateServerKey) -> Self {
        let parameters = seeded.parameters();
        let words = parameters.lwe_dimension().get() + 1;
        let mut rows = vec![0; seeded.key_switch_bodies().len() * words];
        let streams = shape(parameters).streams()..;
        let bodies = seeded.key_switch_bodies().iter().zip(streams);
        for (row, (&body, stream)) in rows.chunks_exact_mut(words).zip(bodies) {
            let (mask, last) = row.split_at_mut(words - 1);
            fill_mask(mask, seeded.seed(), stream);
            last.fill(body);
        }
        Self {
            rows,
            gadget: parameters.key_switch_decomposition(),
            words,
        }
    }

    /// Switches big ciphertexts (mask of N elements, then the body; 64 bits each)
    /// to the small key, into `small` (n + 1 elements for each).
    ///
    /// Which rows are added how depends on the ciphertext, which is public.
    pub(super) fn switch(&self, big: &[u64], small: &mut [u32]) {
        let levels = self.gadget.levels.get();
        let size = self.rows.len() / (self.words * levels);
        let pairs = || big.chunks_exact(size + 1);
        for (big, small) in pairs().zip(small.chunks_exact_mut(self.words)) {
            small.fill(0);
            small[self.words - 1] = (big[size].wrapping_add(1 << 31) >> 32) as u32;
        }
        for (index, rows) in self.rows.chunks_exact(self.words * levels).enumerate() {
            for (big, small) in pairs().zip(small.chunks_exact_mut(self.words)) {
                let digits = digits(big[index], self.gadget);
                for (row, digit) in rows.chunks_exact(self.words).zip(digits) {
                    subtract(small, row, digit);
                }
            }
        }
    }
}

/// The digits of an element, most significant first, in -B/2..=B/2: with r_j the
/// element as a signed number rounded to a multiple of 2^-bj, r_j − r_(j−1).
fn digits(element: u64, gadget: Decomposition) -> impl Iterator<Item = i32> {
    let base_log = gadget.base_log.get() as u32;
    let mut coarse = 0;
    (1..=gadget.levels.get() as u32).map(move |level| {
        // Halves round up; the bit below decides, so nothing overflows.
        let fine = ((element as i64 >> (63 - base_log * level)) + 1) >> 1;
        let digit = fine - (coarse << base_log);
        coarse = fine;
        digit as i32
    })
}

/// sum −= digit·row. The digits of base 4 are shifts; the compiler has no
/// product of 32-bit words on every machine.
fn subtract(sum: &mut [u32], row: &[u32], digit: i32) {
    let pairs = sum.iter_mut().zip(row);
    match digit {
        0 => {}
        1 => pairs.for_each(|(sum, x)| *sum = sum.wrapping_sub(*x)),
        -1 => pairs.for_each(|(sum, x)| *sum = sum.wrapping_add(*x)),
        2 => pairs.for_each(|(sum, x)| *sum = sum.wrapping_sub(x << 1)),
        -2 => pairs.for_each(|(sum, x)| *sum = sum.wrapping_add(x << 1)),
        digit => pairs.for_each(|(sum, x)| *sum = sum.wrapping_sub(x.wrapping_mul(digit as u32))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{BaseLog, LevelCount};

    #[test]
    fn digits_are_balanced_and_recompose() {
        let mut generator = random::Generator::from_key([1; 32]);
        for (base_log, levels) in [(2, 8), (1, 15), (3, 5), (5, 6), (16, 1)] {
            let gadget = Decomposition {
                base_log: BaseLog(base_log),
                levels: LevelCount(levels),
            };
            let step = 64 - base_log * levels;
            let edges = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1, 1 << (step - 1)];
            for element in edges
                .into_iter()
                .chain((0..200).map(|_| generator.uniform()))
            {
                let mut sum = 0_u64;
                for (level, digit) in digits(element, gadget).enumerate() {
                    assert!(digit.unsigned_abs() <= 1 << (base_log - 1), "{digit}");
                    sum =
                        sum.wrapping_add((digit as i64 as u64).wrapping_mul(gadget.weight(level)));
                }
                let rest = sum.wrapping_sub(element) as i64;
                assert!(rest.unsigned_abs() <= 1 << (step - 1), "{element}: {rest}");
            }
        }
    }

    /// The mean of a digit is 0, its mean square (B² + 2)/12: over all elements of 12
    /// bits, in the middle of their steps, exactly.
    #[test]
    fn digits_have_the_moments_of_the_formula() {
        for base_log in [1, 2, 3, 4] {
            let levels = 12 / base_log - 1;
            let gadget = Decomposition {
                base_log: BaseLog(base_log),
                levels: LevelCount(levels),
            };
            for level in 0..levels as usize {
                let (mut sum, mut squares) = (0, 0);
                for x in 0..1_u64 << 12 {
                    let digit = digits((2 * x + 1) << 51, gadget).nth(level).unwrap();
                    sum += digit;
                    squares += digit * digit;
                }
                let base = 1_i32 << base_log;
                assert_eq!(sum, 0);
                assert_eq!(12 * squares, (base * base + 2) << 12);
            }
        }
    }
}
