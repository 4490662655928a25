//! Encryption with the public key.
//!
//! A bit b becomes c = b + 2·u(r) mod d, where each coefficient of u is +1 or −1 with probability
//! noise/2n each, else 0, drawn by ChaCha20 from the operating system's entropy. The work is in
//! evaluating u at r: the private module `powers` says how.
//!
//! # Timing
//! Which powers are read, and in which order they are added, depends on the noise: who watches the
//! caches of the encrypting machine learns the bit. Encryption happens at the owner of the bit.

use std::num::NonZeroUsize;

use random::Generator;
use zeroize::Zeroizing;

use crate::powers::{Powers, Root};
use crate::stage::Stage;
use crate::{Ciphertext, Error, KeyId, Noise, Parameters, PublicKey, limbs};
use work::Counter;
use work::Threads;

/// Encrypts under one public key: a table of powers of its root, made once.
///
/// ```
/// # #[cfg(feature = "secret")] {
/// use std::num::NonZeroUsize;
/// use blindcore_gentry_halevi::{Encryptor, Parameters, SecretKey};
/// use random::Generator;
/// let mut generator = Generator::from_entropy()?;
/// let one = NonZeroUsize::MIN;
/// let watch = &|_| std::ops::ControlFlow::Continue(());
/// let (secret, public) = SecretKey::generate(Parameters::TOY_32, &mut generator, one, watch)?;
/// let encryptor = Encryptor::new(&public, Encryptor::MEMORY, one)?;
/// let bits = encryptor.encrypt(&[true, false], &mut generator)?;
/// assert_eq!(secret.decrypt(&bits[0])?, true);
/// assert_eq!(secret.decrypt(&bits[1])?, false);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Encryptor {
    parameters: Parameters,
    key_id: KeyId,
    powers: Powers,
    threads: Threads,
}

impl Encryptor {
    /// 64 MiB of powers: 512 of them at dimension 2048.
    pub const MEMORY: usize = 64 << 20;

    /// Makes the table, of about `memory` bytes: as many residues as the largest power of two that
    /// fits, but at least √n, and n at most. It takes as many products; each encryption takes a
    /// transform for each part that the table is smaller than n residues.
    ///
    /// # Errors
    /// [`Error::NoThreads`]; [`Error::Arithmetic`].
    pub fn new(key: &PublicKey, memory: usize, threads: NonZeroUsize) -> Result<Self, Error> {
        let root = key.root_of();
        let babies = root.babies_within(memory);
        Self::with_babies(root, babies, Threads::new(threads)?, None)
    }

    /// Encrypts with nothing of the public key but its modulus and root, which the owner's file
    /// has, too. The table is of the size, within `memory` bytes, by which `bits` encryptions take
    /// least time.
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::NotReduced`] if they are no modulus and root;
    /// [`Error::NoThreads`]; [`Error::Arithmetic`], for an even modulus for instance.
    pub fn of_root(
        parameters: &Parameters,
        modulus: &[u64],
        root: &[u64],
        bits: usize,
        memory: usize,
        threads: NonZeroUsize,
    ) -> Result<Self, Error> {
        let largest = parameters.largest_modulus_bits().div_ceil(64);
        if root.len() != modulus.len() || !(2..=largest).contains(&modulus.len()) {
            return Err(Error::WrongLength {
                what: "the root",
                expected: modulus.len().clamp(2, largest),
                found: root.len(),
            });
        }
        if limbs::compare(root, modulus).is_ge() {
            return Err(Error::NotReduced { what: "the root" });
        }
        let root = Root {
            parameters,
            modulus,
            root,
        };
        let babies = root.babies_for(bits, memory);
        Self::with_babies(root, babies, Threads::new(threads)?, None)
    }

    pub(crate) fn with_babies(
        root: Root<'_>,
        babies: usize,
        threads: Threads,
        counter: Option<&Counter<'_, Stage>>,
    ) -> Result<Self, Error> {
        Ok(Self {
            parameters: *root.parameters,
            key_id: crate::identity::of_root(root.root),
            powers: Powers::new(root, babies, &threads, counter)?,
            threads,
        })
    }

    /// Encrypts bits, each by itself, on all of the encryptor's threads.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if a product failed its check.
    pub fn encrypt(
        &self,
        bits: &[bool],
        generator: &mut Generator,
    ) -> Result<Vec<Ciphertext>, Error> {
        self.encrypt_watched(bits, generator, None)
    }

    pub(crate) fn encrypt_watched(
        &self,
        bits: &[bool],
        generator: &mut Generator,
        counter: Option<&Counter<'_, Stage>>,
    ) -> Result<Vec<Ciphertext>, Error> {
        let keys = generator.fork_keys(bits.len());
        let jobs = bits.iter().zip(keys.expose()).collect();
        self.threads.try_map(jobs, |(&bit, key)| {
            let mut generator = Generator::from_key(*key);
            let noise = noise_polynomial(&self.parameters, &mut generator);
            let limbs = self.powers.encryption(bit, &noise)?;
            counter.map_or(Ok(()), Counter::step)?;
            let noise = Noise::fresh(&self.parameters);
            Ok(Ciphertext::new(self.key_id, limbs, noise))
        })
    }
}

/// n coefficients −1, 0 or 1: each ±1 with probability noise/2n.
fn noise_polynomial(parameters: &Parameters, generator: &mut Generator) -> Zeroizing<Vec<i8>> {
    // Both are small: at most 2·32768 and 32768/2.
    let (range, noise) = (2 * parameters.dimension() as u32, parameters.noise() as u32);
    let coefficients = (0..parameters.dimension()).map(|_| {
        let drawn = generator.below(range);
        i8::from(drawn < noise) - i8::from((noise..2 * noise).contains(&drawn))
    });
    Zeroizing::new(coefficients.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 polynomials: 3,200 coefficients ±1 expected, deviation 56; either sign 1,600,
    /// deviation 40. Six deviations: a false alarm in 10^8, and the generator's key is fixed.
    #[test]
    fn noise_has_the_weight_that_it_should() {
        let mut generator = Generator::from_key([7; 32]);
        let (mut plus, mut minus) = (0, 0);
        for _ in 0..200 {
            for &coefficient in &*noise_polynomial(&Parameters::BROKEN_2048, &mut generator) {
                plus += i32::from(coefficient == 1);
                minus += i32::from(coefficient == -1);
            }
        }
        assert!((plus - 1600).abs() < 240, "{plus}");
        assert!((minus - 1600).abs() < 240, "{minus}");
    }
}
