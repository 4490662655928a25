//! Lookups: any functions of a weighted sum of encrypted bits, from one
//! rotation.
//!
//! weighted sum and constant → half a window added → key switch → mean-compensated
//! modulus switch → blind rotation of the constant polynomial → one extraction
//! per table. The sum t must lie in 0..16 for every value that its bits can
//! take; nothing here can check that. Its noise must stay within
//! [`crate::noise::NoiseBudget::largest_factor`], which is the circuit's affair.
//!
//! # Parities
//!
//! A bit at scale 1/32 times 16 is the bit at scale 1/2, where addition is XOR: Σ 16·xᵢ has
//! the phase p/2 for the parity p of *any number* of bits. A quarter turn back puts p = 0
//! into the middle of the half torus where the test polynomial reads −Δ/2, p = 1
//! into that where it reads Δ/2, so coefficient 0 of the accumulator, plus Δ/2, is p
//! at the scale of bits:
//!
//! weighted sum times 16, less a quarter → key switch → modulus switch → blind
//! rotation → coefficient 0, plus Δ/2.
//!
//! One coefficient is extracted, so that the output has the rotation's own variance, ‖v‖² = 1: no
//! lookup is as quiet. (Its common part counts (v·ΣX^i)² = 1 as well.) Going in, with F the
//! factor of Σ xᵢ, it fails with probability
//!
//! erfc(1/4 / √(2(256·F·V + V_ks + V_ms))) = erfc(1/64 / √(2(F·V + (V_ks + V_ms)/256))):
//!
//! margin and inputs are both 16 times a lookup's, the switches' errors are not. A sum that a
//! lookup may read, a parity may read all the more.

use crate::column_rotation::MASK;
use crate::duet::{Alone, Called, Duet, Side};
use crate::error::TfheError;
use crate::extraction::{double_reversed, extract_parity, extract_table};
use crate::lwe::LweCiphertext;
use crate::modulus_switch::modulus_switch;
use crate::parameters::{BIT_SCALE, TO_HALF};
use crate::scratch::Scratch;
use crate::server_key::ServerKey;
use crate::table::{Range, TruthTable};

/// One rotation's worth of work, of either kind.
#[derive(Clone, Copy, Debug)]
pub enum Rotation<'a> {
    /// Functions of a weighted sum up to 15.
    Lookup(Lookup<'a>),
    /// Functions of one up to 31 that are negacyclic as the ring is: f(t + 16) = ¬f(t). The tables
    /// hold the values up to 15.
    Negacyclic(Lookup<'a>),
    /// Whether an odd number of the bits is 1: one output. A bit that is given twice counts
    /// twice.
    Parity(&'a [&'a LweCiphertext]),
}

/// Functions of a sum: t = Σ weight·bit + constant, and the functions of t that are wanted.
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
    /// # use blindcore_tfhe::{Lookup, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK, TruthTable};
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
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn lookup_many(
        &self,
        scratch: &mut Scratch,
        lookups: &[Lookup<'_>],
    ) -> Result<Vec<Vec<LweCiphertext>>, TfheError> {
        let rotations: Vec<_> = lookups.iter().copied().map(Rotation::Lookup).collect();
        self.rotate_many(scratch, &rotations)
    }

    /// As [`lookup_many`](Self::lookup_many), for lookups and parities mixed.
    ///
    /// # Errors
    /// As [`lookup_many`](Self::lookup_many).
    ///
    /// ```
    /// # use random::Generator;
    /// # use blindcore_tfhe::{Rotation, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK};
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// # let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[true; 33], &mut generator).unpack();
    /// // Thirty-three bits, which no sum below 16 could hold.
    /// let bits: Vec<_> = bits.iter().collect();
    /// let parity = Rotation::Parity(&bits);
    /// let outputs = server.rotate_many(&mut server.scratch(1), &[parity])?;
    /// assert_eq!(secret.decrypt(&outputs[0][0])?, true);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn rotate_many(
        &self,
        scratch: &mut Scratch,
        rotations: &[Rotation<'_>],
    ) -> Result<Vec<Vec<LweCiphertext>>, TfheError> {
        self.check_scratch(scratch)?;
        for rotation in rotations {
            let check = match rotation {
                Rotation::Lookup(_) | Rotation::Negacyclic(_) => LweCiphertext::check_whole,
                Rotation::Parity(_) => LweCiphertext::check,
            };
            for ciphertext in rotation.operands() {
                check(ciphertext, self.parameters(), self.key_id())?;
            }
        }
        let mut outputs = Vec::with_capacity(rotations.len());
        // Nine lookups in batches of at most eight are five and four: a batch of
        // one pays the whole stream of the key.
        let batches = rotations.len().div_ceil(scratch.batch).max(1);
        for batch in rotations.chunks(rotations.len().div_ceil(batches).max(1)) {
            self.rotate(scratch, batch);
            for (index, rotation) in batch.iter().enumerate() {
                let (mask, body) = scratch.rotations.accumulator(index);
                double_reversed(mask, &mut scratch.doubled);
                let bit = |elements| LweCiphertext::from_elements(self.key_id(), elements);
                let extract = |tables: &[TruthTable], range| {
                    let tables = tables.iter();
                    let found =
                        tables.map(|&table| extract_table(&scratch.doubled, body, table, range));
                    found.map(bit).collect()
                };
                outputs.push(match rotation {
                    Rotation::Lookup(lookup) => extract(lookup.tables, Range::Half),
                    Rotation::Negacyclic(lookup) => extract(lookup.tables, Range::Whole),
                    Rotation::Parity(_) => vec![bit(extract_parity(&scratch.doubled, body))],
                });
            }
        }
        Ok(outputs)
    }

    /// From sums to rotated accumulators, for at most `scratch.batch` rotations.
    pub(crate) fn rotate(&self, scratch: &mut Scratch, rotations: &[Rotation<'_>]) {
        let words = scratch.small.len();
        for (index, rotation) in rotations.iter().enumerate() {
            match rotation {
                Rotation::Lookup(lookup) | Rotation::Negacyclic(lookup) => {
                    weighted_sum(lookup, &mut scratch.sum);
                }
                Rotation::Parity(bits) => parity_sum(bits, &mut scratch.sum),
            }
            self.switch_sum(scratch, index);
        }
        let switched: Vec<&[u16]> = scratch
            .switched
            .chunks(words)
            .take(rotations.len())
            .collect();
        if let (Some(duet), [alone]) = (scratch.partner.duet(), &switched[..])
            && self.bootstrap.works_by_columns()
        {
            let rotated = (self.bootstrap).rotate_with(duet, alone, &mut scratch.rotations);
            if rotated.is_ok() {
                return;
            }
        }
        self.bootstrap.rotate(&switched, &mut scratch.rotations);
    }

    /// Switches the sum to the small key and to counts of a rotation, those of number `index`.
    pub(crate) fn switch_sum(&self, scratch: &mut Scratch, index: usize) {
        let words = scratch.small.len();
        self.key_switch
            .switch(&scratch.sum, &mut scratch.key_switch, &mut scratch.small);
        modulus_switch(
            &scratch.small,
            self.parameters().block_bits(),
            self.parameters().log2_rotations(),
            &mut scratch.switched[index * words..][..words],
        );
    }

    /// Whether two threads can share a rotation: with block-binary keys, by processors of this project.
    #[must_use]
    pub fn can_be_accompanied(&self) -> bool {
        self.bootstrap.works_by_columns()
    }

    /// Does half of every single rotation by a thread whose buffers have this duet for a
    /// [partner](Scratch::set_partner), until that ends it. What comes out is the same to the bit.
    ///
    /// # Errors
    /// [`TfheError::WrongScratch`] for strange buffers; the other thread goes on alone.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use random::Generator;
    /// # use blindcore_tfhe::{Duet, Rotation, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK};
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// # let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// # let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[true; 3], &mut generator).unpack();
    /// let parity = [Rotation::Parity(&[&bits[0], &bits[1], &bits[2]])];
    /// let mut scratch = server.scratch(1);
    /// let alone = server.rotate_many(&mut scratch, &parity)?;
    /// let duet = Arc::new(Duet::new());
    /// let together = std::thread::scope(|scope| {
    ///     scope.spawn(|| server.accompany(&mut server.scratch(1), &duet));
    ///     scratch.set_partner(Some(Arc::clone(&duet)));
    ///     let together = server.rotate_many(&mut scratch, &parity);
    ///     scratch.set_partner(None);
    ///     together
    /// });
    /// assert_eq!(together?, alone);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn accompany(&self, scratch: &mut Scratch, duet: &Duet) -> Result<(), TfheError> {
        self.check_scratch(scratch).inspect_err(|_| duet.end())?;
        duet.accompany(|side, called| match called.is_leveled {
            false => self.accompany_lookup(scratch, side, called),
            true => Err(Alone),
        });
        Ok(())
    }

    /// The second thread's part of a lookup's rotation.
    pub(crate) fn accompany_lookup(
        &self,
        scratch: &mut Scratch,
        side: &mut Side<'_>,
        mut called: Called,
    ) -> Result<(), Alone> {
        let (mask, column) = (&mut called.polynomial, &mut scratch.rotations.column);
        let mut body = vec![0; mask.len()];
        (self.bootstrap).rotate_column(side, MASK, &called.switched, [mask, &mut body], column)
    }

    pub(crate) fn check_scratch(&self, scratch: &Scratch) -> Result<(), TfheError> {
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

impl<'a> Rotation<'a> {
    /// The ciphertexts that are read.
    fn operands(&self) -> impl Iterator<Item = &'a LweCiphertext> + use<'a> {
        let (terms, bits): (&'a [(&'a LweCiphertext, i8)], &'a [&'a LweCiphertext]) = match *self {
            Self::Lookup(lookup) | Self::Negacyclic(lookup) => (lookup.terms, &[]),
            Self::Parity(bits) => (&[], bits),
        };
        terms
            .iter()
            .map(|&(bit, _)| bit)
            .chain(bits.iter().copied())
    }
}

/// Σ 16·bit less a quarter of the torus: the parity decides in which half it lies, in the middle.
fn parity_sum(bits: &[&LweCiphertext], sum: &mut [u64]) {
    half_scale_sum(bits, sum);
    if let Some(body) = sum.last_mut() {
        *body = body.wrapping_sub(1 << 62);
    }
}

/// Σ 16·bit, of halves Σ bit: half of the torus where the parity is 1.
pub(crate) fn half_scale_sum(bits: &[&LweCiphertext], sum: &mut [u64]) {
    fn add<'a>(bits: impl Iterator<Item = &'a &'a LweCiphertext>, sum: &mut [u64]) {
        for bit in bits {
            for (sum, x) in sum.iter_mut().zip(&*bit.elements()) {
                *sum = sum.wrapping_add(*x);
            }
        }
    }
    sum.fill(0);
    add(bits.iter().filter(|bit| !bit.is_half()), sum);
    sum.iter_mut().for_each(|sum| *sum <<= TO_HALF);
    add(bits.iter().filter(|bit| bit.is_half()), sum);
}

/// Σ weight·bit + constant, and half a window less half a rotation count: t becomes
/// the middle of the window that rounding then finds. That window holds whole
/// counts, from its first on, so its middle lies half a count below half its width.
pub(crate) fn weighted_sum(lookup: &Lookup<'_>, sum: &mut [u64]) {
    sum.fill(0);
    for &(ciphertext, weight) in lookup.terms {
        let elements = ciphertext.elements();
        let terms = sum.iter_mut().zip(&*elements);
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
    if let Some((body, mask)) = sum.split_last_mut() {
        let constant = (i64::from(lookup.constant) as u64).wrapping_mul(BIT_SCALE);
        *body = body
            .wrapping_add(constant)
            .wrapping_add(window_middle(mask.len()));
    }
}

/// Where a value is put in its window: its least phase is 0. One count is 2^64/2N.
fn window_middle(size: usize) -> u64 {
    BIT_SCALE / 2 - (1 << 62) / size as u64
}

#[cfg(test)]
#[cfg(feature = "secret")]
mod tests {
    use super::*;
    use crate::noise::NoiseBudget;
    use crate::{P16, P16_UNIFORM, Parameters, SecretKey, SeededServerKey, TOY_BLOCK, TOY_UNIFORM};
    use random::Generator;

    fn keys(parameters: Parameters, seed: u8) -> (SecretKey, ServerKey, Generator) {
        let mut generator = Generator::from_key([seed; 32]);
        let secret = SecretKey::generate(parameters, &mut generator).unwrap();
        let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
        let server = ServerKey::expand(&seeded, 2, &|_, _| {}).unwrap();
        (secret, server, generator)
    }

    /// Parities of 0 to 40 bits, in batches with lookups among them, and parities of parities.
    #[test]
    fn parities_of_any_width() {
        for parameters in [TOY_BLOCK, TOY_UNIFORM] {
            let (secret, server, mut generator) = keys(parameters, 1);
            let mut scratch = server.scratch(3);
            let values: Vec<bool> = (0..40).map(|_| generator.below(2) == 1).collect();
            let bits = secret.encrypt(&values, &mut generator).unpack();
            let bits: Vec<&LweCiphertext> = bits.iter().collect();
            let parity = |count: usize| values[..count].iter().fold(false, |odd, bit| odd ^ bit);
            let terms = [(bits[0], 1), (bits[1], 2)];
            let tables = [TruthTable(0b1010), TruthTable(0b0110)];
            let lookup = Lookup {
                terms: &terms,
                constant: 0,
                tables: &tables,
            };
            let mut rotations = vec![Rotation::Lookup(lookup)];
            rotations.extend((0..=40).map(|count| Rotation::Parity(&bits[..count])));
            let results = server.rotate_many(&mut scratch, &rotations).unwrap();
            let decrypt = |bit: &LweCiphertext| secret.decrypt(bit).unwrap();
            assert_eq!(decrypt(&results[0][0]), values[0]);
            assert_eq!(decrypt(&results[0][1]), parity(2));
            for (count, result) in results[1..].iter().enumerate() {
                assert_eq!(result.len(), 1);
                assert_eq!(
                    decrypt(&result[0]),
                    parity(count),
                    "{}: {count}",
                    parameters.name()
                );
            }
            let parities: Vec<&LweCiphertext> = results[1..].iter().map(|bits| &bits[0]).collect();
            let twice = server
                .rotate_many(&mut scratch, &[Rotation::Parity(&parities)])
                .unwrap();
            let expected = (0..=40).fold(false, |odd, count| odd ^ parity(count));
            assert_eq!(decrypt(&twice[0][0]), expected);
        }
    }

    /// Four columns of an addition: every sum from 0 to 31, its carry and its other bits, each XOR
    /// the carry. In batches, alone, and beside lookups of half the range.
    #[test]
    fn negacyclic_functions_of_sums_up_to_31() {
        for parameters in [TOY_BLOCK, TOY_UNIFORM] {
            let (secret, server, mut generator) = keys(parameters, 7);
            let mut scratch = server.scratch(5);
            let slices: Vec<[u32; 3]> = (0..32)
                .map(|sum: u32| [sum.min(15), sum.saturating_sub(15).min(15), sum / 31])
                .collect();
            let bits = |&[x, y, carry]: &[u32; 3]| -> Vec<bool> {
                let bit = |word: u32, at: u32| word >> at & 1 == 1;
                let columns = (0..4).flat_map(|at| [bit(x, at), bit(y, at)]);
                columns.chain([carry == 1]).collect()
            };
            let encrypted: Vec<Vec<LweCiphertext>> = (slices.iter())
                .map(|slice| secret.encrypt(&bits(slice), &mut generator).unpack())
                .collect();
            let weights = [1, 1, 2, 2, 4, 4, 8, 8, 1];
            let terms: Vec<Vec<_>> = (encrypted.iter())
                .map(|bits| bits.iter().zip(weights).collect())
                .collect();
            let tables = [0, 0xaaaa, 0xcccc, 0xf0f0, 0xff00].map(TruthTable);
            let small = [(&encrypted[1][0], 1)];
            let rotations = terms.iter().flat_map(|terms| {
                let whole = Lookup {
                    terms,
                    constant: 0,
                    tables: &tables,
                };
                let half = Lookup {
                    terms: &small,
                    constant: 14,
                    tables: &[TruthTable(0x8000)],
                };
                [Rotation::Negacyclic(whole), Rotation::Lookup(half)]
            });
            let rotations: Vec<_> = rotations.collect();
            let results = server.rotate_many(&mut scratch, &rotations).unwrap();
            for (sum, pair) in results.chunks(2).enumerate() {
                let found: Vec<bool> = (pair[0].iter())
                    .map(|bit| secret.decrypt(bit).unwrap())
                    .collect();
                let carry = sum >= 16;
                let bits = (0..4).map(|at| (sum >> at & 1 == 1) ^ carry);
                let expected: Vec<bool> = [carry].into_iter().chain(bits).collect();
                assert_eq!(found, expected, "{}: {sum}", parameters.name());
                assert_eq!(secret.decrypt(&pair[1][0]), Ok(true));
            }
        }
    }

    #[test]
    fn parities_check_their_operands() {
        let (secret, server, mut generator) = keys(TOY_BLOCK, 2);
        let (other, _, _) = keys(TOY_BLOCK, 3);
        let own = secret.encrypt(&[true], &mut generator).unpack();
        let foreign = other.encrypt(&[true], &mut generator).unpack();
        let bits = [&own[0], &foreign[0]];
        let result = server.rotate_many(&mut server.scratch(1), &[Rotation::Parity(&bits)]);
        assert!(
            matches!(result, Err(TfheError::WrongKey { .. })),
            "{result:?}"
        );
    }

    /// The variance of a parity's output, of the unit: eight samples a round. What goes in are
    /// outputs of lookups with the most noise, sixteen units each.
    fn output_variance(parameters: Parameters, seed: u8, rounds: usize, tolerance: f64) {
        let (secret, server, mut generator) = keys(parameters, seed);
        let budget = NoiseBudget::new(&parameters);
        let mut scratch = server.scratch(8);
        let (mut squares, mut count) = (0.0, 0.0);
        let inputs = secret
            .encrypt(&[true, false, true, true], &mut generator)
            .unpack();
        let terms: Vec<_> = inputs.iter().zip([1, 2, 4, 8]).collect();
        let noisy = Lookup {
            terms: &terms,
            constant: 0,
            tables: &[TruthTable(0xaaaa)],
        };
        let noisy = server.lookup_many(&mut scratch, &[noisy; 8]).unwrap();
        let noisy: Vec<&LweCiphertext> = noisy.iter().map(|outputs| &outputs[0]).collect();
        for _ in 0..rounds {
            let fresh = secret.encrypt(&[true; 64], &mut generator).unpack();
            let sums: Vec<Vec<&LweCiphertext>> = fresh
                .chunks(8)
                .map(|fresh| fresh.iter().chain(noisy.iter().copied()).collect())
                .collect();
            let rotations: Vec<_> = sums.iter().map(|bits| Rotation::Parity(bits)).collect();
            for outputs in server.rotate_many(&mut scratch, &rotations).unwrap() {
                // Eight ones, and eight times the lowest bit of 13.
                assert_eq!(secret.decrypt(&outputs[0]), Ok(false));
                let phase = secret.phase(&outputs[0]).unwrap() as i64 as f64 / 2_f64.powi(64);
                squares += phase * phase;
                count += 1.0;
            }
        }
        let ratio = squares / count / budget.rotation;
        println!(
            "{}: a parity has {ratio:.3} of the unit's variance",
            parameters.name()
        );
        assert!((1.0 / tolerance..tolerance).contains(&ratio), "{ratio}");
    }

    /// 400 samples: √(2/400) = 7 %. With a tolerance of 40 % either way a false alarm is below
    /// 10^-5.
    #[test]
    #[ignore = "slow: 6 s"]
    fn p16_parity_is_one_unit_of_noise() {
        output_variance(P16, 4, 50, 1.4);
    }

    /// 160 samples: √(2/160) = 11 %, and the tolerance is in proportion.
    #[test]
    #[ignore = "real parameters, 10 seconds"]
    fn p16_uniform_parity_is_one_unit_of_noise() {
        output_variance(P16_UNIFORM, 5, 20, 1.65);
    }

    /// As many as of the other set.
    #[test]
    #[ignore = "real parameters, 20 seconds"]
    fn p16_uniform_parity_of_400_samples() {
        output_variance(P16_UNIFORM, 6, 50, 1.4);
    }
}
