//! Recryption: a ciphertext's decryption, computed under encryption. What comes out encrypts the
//! same bit with noise that depends on the key alone.
//!
//! With the squashed key (w ≡ Σ x_i·R^(e_i) mod d, the indices e_i encrypted bit by bit in η)
//! decryption is shallow: c·w is a sum of s numbers y_i,e_i that anybody can compute for all
//! indices, the right ones are selected, and the decrypted bit is the parity of that sum less k·d
//! for k = round(Σ y_i,e_i/d), that is the sum of the parities of the y_i,e_i and of k. Fractions
//! are kept to p = 4 bits; s = 15 of them err by 15/32 at most, and e/d by less than 1/32, so k is
//! right.
//!
//! 1. s products c·x_i mod d.
//! 2. From each, what every index would contribute, in the clear: `expansion`.
//! 3. The right contributions, selected bit by bit, s·(p + 1) = 75 sums of 14 products each, with
//!    no transform but the 75 back: `selection`.
//! 4. Their sum, by columns, with a hundred reductions or so: `columns`.
//!
//! Gentry and Halevi, "Implementing Gentry's Fully-Homomorphic Encryption Scheme" (Eurocrypt 2011),
//! §8 and §10, with three changes that leave the result as it is: contributions from one expansion
//! instead of S modular steps (`expansion`), one reduction for a sum of products, and symmetric
//! polynomials by a tree.

mod columns;
mod expansion;
mod selection;

use bignum::Modulus;
use bignum::forms::Bundle;

use crate::{Error, PublicKey};
use work::Threads;

use expansion::Expansion;
use selection::Selection;

#[cfg(feature = "secret")]
pub(crate) use selection::pair;

/// What recryption under one key needs.
pub(crate) struct Recryption {
    modulus: Modulus,
    expansion: Expansion,
    selection: Selection,
    /// Transforms of each block's ciphertexts; empty where they are not kept.
    blocks: Vec<Bundle>,
}

impl Recryption {
    pub(crate) fn new(key: &PublicKey, keep: bool, threads: &Threads) -> Result<Self, Error> {
        let parameters = key.parameters();
        let modulus = key.arithmetic_for_sums(columns::LARGEST_SUM)?;
        let selection = Selection::new(parameters, key.residue_limbs())?;
        let blocks = if keep { 0..parameters.subset() } else { 0..0 };
        let blocks = threads.try_map(blocks.collect(), |block| {
            selection.transformed(key.block(block), key.residue_limbs())
        })?;
        Ok(Self {
            modulus,
            expansion: Expansion::new(parameters, key.modulus())?,
            selection,
            blocks,
        })
    }

    /// An encryption of the bit that `c` encrypts, if its noise is below d/2^(p+1).
    pub(crate) fn recrypt(
        &self,
        key: &PublicKey,
        c: &[u64],
        threads: &Threads,
    ) -> Result<Vec<u64>, Error> {
        let selectors = self.selectors(key, c, threads)?;
        let columns = self.columns(key, &selectors, threads)?;
        columns::rounded_sum(&self.modulus, columns, threads)
    }

    /// Step 2: for each block and index, the public selector.
    pub(crate) fn selectors(
        &self,
        key: &PublicKey,
        c: &[u64],
        threads: &Threads,
    ) -> Result<Vec<Vec<u8>>, Error> {
        let c = self.modulus.keep(c)?;
        threads.try_map((0..key.parameters().subset()).collect(), |block| {
            let mut y = vec![0; key.residue_limbs()];
            self.modulus.multiply_kept(&mut y, &c, key.element(block))?;
            self.expansion.selectors(&y)
        })
    }

    /// Step 3: p + 1 columns of s encrypted bits, the units first.
    pub(crate) fn columns(
        &self,
        key: &PublicKey,
        selectors: &[Vec<u8>],
        threads: &Threads,
    ) -> Result<Vec<Vec<Vec<u64>>>, Error> {
        let blocks = threads.try_map((0..selectors.len()).collect(), |block: usize| {
            let made;
            let bundle = match self.blocks.get(block) {
                Some(kept) => kept,
                None => {
                    let limbs = key.residue_limbs();
                    made = self.selection.transformed(key.block(block), limbs)?;
                    &made
                }
            };
            self.selection
                .bits(&self.modulus, bundle, &selectors[block])
        })?;
        let mut columns = vec![Vec::with_capacity(blocks.len()); key.parameters().precision() + 1];
        for bits in blocks {
            for (column, bit) in columns.iter_mut().zip(bits) {
                column.push(bit);
            }
        }
        Ok(columns)
    }
}
