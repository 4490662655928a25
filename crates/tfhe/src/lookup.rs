//! Lookups: any functions of a weighted sum of encrypted bits, from one
//! rotation.
//!
//! weighted sum and constant → half a window added → key switch → mean-compensated
//! modulus switch → blind rotation of the constant polynomial → one extraction
//! per table. The sum t must lie in 0..16 for every value that its bits can
//! take; nothing here can check that. Its noise must stay within
//! [`crate::noise::NoiseBudget::largest_factor`], which is the circuit's affair.

use crate::error::TfheError;
use crate::extraction::{double_reversed, extract_table};
use crate::lwe::LweCiphertext;
use crate::modulus_switch::modulus_switch;
use crate::parameters::BIT_SCALE;
use crate::scratch::Scratch;
use crate::server_key::ServerKey;
use crate::shrunk::ShrunkBits;
use crate::table::TruthTable;

/// One rotation's worth of work: t = Σ weight·bit + constant, and the functions
/// of t that are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// Bits and their weights.
    pub terms: &'a [(&'a LweCiphertext, i8)],
    /// Added to the weighted sum.
    pub constant: i8,
    /// One output bit for each.
    pub tables: &'a [TruthTable],
}

impl ServerKey {
    /// Evaluates independent lookups; output `[i][j]` is table j of lookup i.
    ///
    /// They pass over the key together, at most [`Scratch::batch`] at a time, on the
    /// calling thread. Running time depends on the number of lookups, terms and
    /// tables only.
    ///
    /// # Errors
    /// [`TfheError::WrongKey`] or [`TfheError::WrongLength`] for a strange
    /// ciphertext, [`TfheError::WrongScratch`] for strange buffers; nothing is
    /// computed then.
    ///
    /// ```
    /// # use random::Generator;
    /// # use tfhe::{Lookup, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK, TruthTable};
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// # let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[true, true, false], &mut generator).unpack();
    /// // A full adder: both bits of x + y + z from one rotation.
    /// let terms: Vec<_> = bits.iter().map(|bit| (bit, 1)).collect();
    /// let tables = [TruthTable::of(|t| t & 1 == 1), TruthTable::of(|t| t >= 2)];
    /// let lookup = Lookup { terms: &terms, constant: 0, tables: &tables };
    /// let outputs = server.lookup_many(&mut server.scratch(1), &[lookup])?;
    /// assert_eq!(secret.decrypt(&outputs[0][0])?, false);
    /// assert_eq!(secret.decrypt(&outputs[0][1])?, true);
    /// # Ok::<(), tfhe::TfheError>(())
    /// ```
    pub fn lookup_many(
        &self,
        scratch: &mut Scratch,
        lookups: &[Lookup<'_>],
    ) -> Result<Vec<Vec<LweCiphertext>>, TfheError> {
        self.check_scratch(scratch)?;
        for (ciphertext, _) in lookups.iter().flat_map(|lookup| lookup.terms) {
            ciphertext.check(self.parameters(), self.key_id())?;
        }
        let mut outputs = Vec::with_capacity(lookups.len());
        // Nine lookups in batches of at most eight are five and four: a batch of
        // one pays the whole stream of the key.
        let batches = lookups.len().div_ceil(scratch.batch).max(1);
        for batch in lookups.chunks(lookups.len().div_ceil(batches).max(1)) {
            self.rotate(scratch, batch);
            for (index, lookup) in batch.iter().enumerate() {
                let (mask, body) = scratch.rotations.accumulator(index);
                double_reversed(mask, &mut scratch.doubled);
                let extract = |table: &TruthTable| {
                    let elements = extract_table(&scratch.doubled, body, &table.vector());
                    LweCiphertext::from_elements(self.key_id(), elements)
                };
                outputs.push(lookup.tables.iter().map(extract).collect());
            }
        }
        Ok(outputs)
    }

    /// Shrinks computed bits for transport to the owner of the key.
    ///
    /// # Errors
    /// As [`ServerKey::lookup_many`].
    pub fn shrink(
        &self,
        scratch: &mut Scratch,
        bits: &[&LweCiphertext],
    ) -> Result<ShrunkBits, TfheError> {
        self.check_scratch(scratch)?;
        for bit in bits {
            bit.check(self.parameters(), self.key_id())?;
        }
        let words = ShrunkBits::words_per_bit(self.parameters());
        let mut elements = vec![0; bits.len() * words];
        for (bit, shrunk) in bits.iter().zip(elements.chunks_mut(words)) {
            self.key_switch
                .switch(bit.elements(), &mut scratch.key_switch, &mut scratch.small);
            modulus_switch(&scratch.small, self.parameters().block_bits(), 16, shrunk);
        }
        ShrunkBits::from_parts(*self.parameters(), self.key_id(), elements)
    }

    /// From sums to rotated accumulators, for at most `scratch.batch` lookups.
    pub(crate) fn rotate(&self, scratch: &mut Scratch, lookups: &[Lookup<'_>]) {
        let words = scratch.small.len();
        let bits = self.parameters().log2_rotations();
        for (lookup, switched) in lookups.iter().zip(scratch.switched.chunks_mut(words)) {
            weighted_sum(lookup, &mut scratch.sum);
            self.key_switch
                .switch(&scratch.sum, &mut scratch.key_switch, &mut scratch.small);
            modulus_switch(
                &scratch.small,
                self.parameters().block_bits(),
                bits,
                switched,
            );
        }
        let switched: Vec<&[u16]> = scratch.switched.chunks(words).take(lookups.len()).collect();
        self.bootstrap.rotate(&switched, &mut scratch.rotations);
    }

    fn check_scratch(&self, scratch: &Scratch) -> Result<(), TfheError> {
        let (expected, found) = if scratch.parameters != *self.parameters() {
            (self.parameters().name(), scratch.parameters.name())
        } else if scratch.fft != self.fft() {
            (self.fft().name(), scratch.fft.name())
        } else {
            return Ok(());
        };
        Err(TfheError::WrongScratch { expected, found })
    }
}

/// Σ weight·bit + constant, and half a window: t becomes the middle of the
/// window that rounding then finds.
pub(crate) fn weighted_sum(lookup: &Lookup<'_>, sum: &mut [u64]) {
    sum.fill(0);
    for &(ciphertext, weight) in lookup.terms {
        let terms = sum.iter_mut().zip(ciphertext.elements());
        let magnitude = weight.unsigned_abs();
        // Weights are powers of two but in rare forms; shifts vectorise where
        // 64-bit products do not.
        let shift = magnitude.trailing_zeros();
        match (magnitude.is_power_of_two(), weight > 0) {
            (true, true) => terms.for_each(|(sum, x)| *sum = sum.wrapping_add(x << shift)),
            (true, false) => terms.for_each(|(sum, x)| *sum = sum.wrapping_sub(x << shift)),
            _ => {
                let weight = i64::from(weight) as u64;
                terms.for_each(|(sum, x)| *sum = sum.wrapping_add(x.wrapping_mul(weight)));
            }
        }
    }
    if let Some(body) = sum.last_mut() {
        let constant = (i64::from(lookup.constant) as u64).wrapping_mul(BIT_SCALE);
        *body = body.wrapping_add(constant).wrapping_add(BIT_SCALE / 2);
    }
}
