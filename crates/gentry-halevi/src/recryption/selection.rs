//! The right element of each big set, selected under encryption.
//!
//! The index e of block i is encoded as the e-th pair a < b, and η encrypts 1 at a and at b,
//! else 0. Bit k of the number that belongs to the right element is then Σ over pairs of
//! η_a·η_b·(bit k of the pair's number), and the numbers are public: for each a the η_b whose bit
//! is set are added, and one product for each of the 14 rows a remains, all of them summed before
//! one reduction.
//!
//! There are 256 additions a column and block on average. They are made on the transforms of a
//! block's ciphertexts, 46 of them, so that the 70 sums need no transforms ([`bignum::forms`]).

use bignum::Modulus;
use bignum::forms::{Bundle, Forms, Row};

use crate::{Error, Parameters};

/// What selects: the public part of the work, which does not depend on a key.
pub(crate) struct Selection {
    parameters: Parameters,
    forms: Forms,
}

impl Selection {
    /// For residues of `limbs` limbs.
    pub(crate) fn new(parameters: &Parameters, limbs: usize) -> Result<Self, Error> {
        Ok(Self {
            parameters: *parameters,
            forms: Forms::new(limbs)?,
        })
    }

    /// The transforms of a block's ciphertexts, c residues of equal length one after the other.
    pub(crate) fn transformed(&self, block: &[u64], limbs: usize) -> Result<Bundle, Error> {
        Ok(self.forms.bundle(block.chunks_exact(limbs))?)
    }

    /// Encryptions of the bits, from the most significant one, of the selector that belongs to the
    /// block's secret index.
    pub(crate) fn bits(
        &self,
        modulus: &Modulus,
        block: &Bundle,
        selectors: &[u8],
    ) -> Result<Vec<Vec<u64>>, Error> {
        let width = self.parameters.precision() + 1;
        let rows: Vec<Vec<Row>> = (0..width)
            .rev()
            .map(|k| self.chosen(selectors, k))
            .collect();
        let sums = self.forms.evaluate(block, &rows)?;
        let bits = sums.iter().map(|sum| {
            let mut bit = vec![0; modulus.limbs()];
            modulus.reduce(&mut bit, sum)?;
            Ok(bit)
        });
        bits.collect()
    }

    /// For each row a, the columns b > a whose pair's selector has bit `k`.
    fn chosen(&self, selectors: &[u8], k: usize) -> Vec<Row> {
        let mut rest = selectors;
        let row = |a: usize| {
            let length = (self.parameters.columns() - 1 - a).min(rest.len());
            let (row, after) = rest.split_at(length);
            rest = after;
            let summands = row.iter().enumerate();
            // There are at most 200 columns.
            Row {
                factor: a as u16,
                summands: summands
                    .filter(|(_, selector)| *selector >> k & 1 == 1)
                    .map(|(at, _)| (a + 1 + at) as u16)
                    .collect(),
            }
        };
        (0..self.parameters.rows()).map(row).collect()
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
        let selection = Selection::new(&set, 4).unwrap();
        for index in [0, 1, 44, 45, 300, 511] {
            let mut selectors = vec![0; set.set_size()];
            selectors[index] = 0b01000;
            let (a, b) = pair(index, set.columns());
            for row in selection.chosen(&selectors, 3) {
                let chosen = usize::from(row.factor) == a;
                let expected = if chosen { vec![b as u16] } else { vec![] };
                assert_eq!(row.summands, expected);
            }
            let others = selection.chosen(&selectors, 2);
            assert!(others.iter().all(|row| row.summands.is_empty()));
        }
    }

    #[test]
    fn pairs_are_in_order_and_complete() {
        let pairs: Vec<_> = (0..6).map(|index| pair(index, 4)).collect();
        assert_eq!(pairs, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]);
    }
}
