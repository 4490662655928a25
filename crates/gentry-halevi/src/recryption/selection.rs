//! The right element of each big set, selected under encryption.
//!
//! The index e of block i is encoded as the e-th pair a < b, and η encrypts 1 at a and at b, else 0. Bit k of
//! the number that belongs to the right element is then Σ over pairs of η_a·η_b·(bit k of the pair's
//! number), and the numbers are public: for each a the η_b whose bit is set are added, and one product for
//! each of the 14 rows a remains, all of them summed before one reduction.
//!
//! The additions, 256 a column and block on average, are done on blocks of limbs of all of a block's
//! ciphertexts at a time, which stay in the second-level cache, with lazy carries (see `arch`).

use bignum::{Kept, Modulus, Operand};

use crate::arch::Adder;
use crate::{Error, Parameters, limbs};

/// Limbs of all of a block's ciphertexts that are added at a time: 96 kB.
const STRIP: usize = 256;

/// The ciphertexts of one block: c residues, one after the other.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    /// All of them.
    pub(crate) limbs: &'a [u64],
    /// Transforms of those that begin a row, where they are kept.
    pub(crate) rows: Option<&'a [Kept]>,
}

/// What selects: the public part of the work, which does not depend on a key.
pub(crate) struct Selection {
    parameters: Parameters,
    adder: Adder,
}

impl Selection {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        Self {
            parameters: *parameters,
            adder: Adder::new(),
        }
    }

    /// An encryption of bit `k`, counted from the least significant, of the selector that belongs to the
    /// block's secret index.
    pub(crate) fn bit(
        &self,
        modulus: &Modulus,
        block: Block<'_>,
        selectors: &[u8],
        k: usize,
    ) -> Result<Vec<u64>, Error> {
        let d = modulus.modulus();
        let chosen = self.chosen(selectors, k);
        let mut sums = vec![vec![0; d.len()]; chosen.len()];
        let mut tops = vec![0_u64; chosen.len()];
        let mut numbers: Vec<&[u64]> = Vec::with_capacity(self.parameters.columns());
        for begin in (0..d.len()).step_by(STRIP) {
            let end = d.len().min(begin + STRIP);
            let sums = sums.iter_mut().zip(&mut tops);
            for ((sum, top), chosen) in sums.zip(&chosen) {
                numbers.clear();
                let number = |&b: &u16| &block.limbs[usize::from(b) * d.len()..][begin..end];
                numbers.extend(chosen.iter().map(number));
                *top = self.adder.sum(&mut sum[begin..end], &numbers, *top);
            }
        }
        for (sum, top) in sums.iter_mut().zip(tops) {
            fit(sum, top, d);
        }
        let pairs: Vec<(Operand<'_>, Operand<'_>)> = sums
            .iter()
            .zip(&chosen)
            .enumerate()
            .filter(|(_, (_, chosen))| !chosen.is_empty())
            .map(|(a, (sum, _))| {
                let row = match block.rows {
                    Some(rows) => Operand::Kept(&rows[a]),
                    None => Operand::Limbs(&block.limbs[a * d.len()..(a + 1) * d.len()]),
                };
                (row, Operand::Limbs(sum))
            })
            .collect();
        let mut out = vec![0; d.len()];
        modulus.sum_of_products(&mut out, &pairs)?;
        Ok(out)
    }

    /// For each row a, the columns b > a whose pair's selector has bit `k`.
    fn chosen(&self, selectors: &[u8], k: usize) -> Vec<Vec<u16>> {
        let mut rest = selectors;
        let rows = 0..self.parameters.rows();
        let row = |a: usize| {
            let length = (self.parameters.columns() - 1 - a).min(rest.len());
            let (row, after) = rest.split_at(length);
            rest = after;
            row.iter()
                .enumerate()
                .filter(|(_, selector)| *selector >> k & 1 == 1)
                // There are at most 200 columns.
                .map(|(at, _)| (a + 1 + at) as u16)
                .collect()
        };
        rows.map(row).collect()
    }
}

/// Makes `sum + top·2^(64·length)`, at most a few hundred times d, fit into the length of d: any number
/// congruent to it will do for a factor, and mostly it fits as it is.
fn fit(sum: &mut [u64], mut top: u64, d: &[u64]) {
    while top > 0 {
        // The quotient by the top 64 bits of d, rounded down; what remains is below 2d or so.
        let shift = limbs::bits(d).saturating_sub(64);
        let offset = 64 * sum.len() - shift;
        let high = u128::from(limbs::window(sum, shift)) | u128::from(top) << offset;
        let quotient = high / (u128::from(limbs::window(d, shift)) + 1);
        // At most `top` and six bits.
        top -= limbs::subtract_product(sum, d, (quotient as u64).max(1));
    }
}

/// The e-th pair a < b < `columns` in lexicographic order.
#[cfg(feature = "secret")]
pub(crate) fn pair(index: usize, columns: usize) -> (usize, usize) {
    let (mut a, mut rest) = (0, index);
    while rest >= columns - 1 - a {
        rest -= columns - 1 - a;
        a += 1;
    }
    (a, a + 1 + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_is_chosen_by_its_own_selector() {
        let set = Parameters::BROKEN_512;
        let selection = Selection::new(&set);
        for index in [0, 1, 44, 45, 300, 511] {
            let mut selectors = vec![0; set.set_size()];
            selectors[index] = 0b01000;
            let (a, b) = pair(index, set.columns());
            for (row, chosen) in selection.chosen(&selectors, 3).iter().enumerate() {
                let expected = if row == a { vec![b as u16] } else { vec![] };
                assert_eq!(*chosen, expected);
            }
            assert!(selection.chosen(&selectors, 2).iter().all(Vec::is_empty));
        }
    }

    #[test]
    fn pairs_are_in_order_and_complete() {
        let pairs: Vec<_> = (0..6).map(|index| pair(index, 4)).collect();
        assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    }

    #[test]
    fn sums_are_made_to_fit() {
        for (d, tops) in [
            ([u64::MAX, u64::MAX], 0..45),
            ([5, 1 << 63], 0..22),
            ([5, 1 << 58], 0..1),
        ] {
            for (low, top) in tops.map(|top| (u64::MAX - top, top)) {
                let mut sum = [low, low / 3];
                fit(&mut sum, top, &d);
                let modulo = |limbs: &[u64]| {
                    let (mut quotient, mut rest) = (vec![0; limbs.len()], [0; 2]);
                    bignum::divide(&mut quotient, &mut rest, limbs, &d).unwrap();
                    rest
                };
                assert_eq!(modulo(&sum), modulo(&[low, low / 3, top]));
            }
        }
    }
}
