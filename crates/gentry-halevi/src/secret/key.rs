//! The secret key: one odd coefficient of the scaled inverse of the secret polynomial.
//!
//! c·w mod d, centred, is e with e ≡ b modulo 2. So with k = round(c·w/d), the bit is the parity of
//! c·w − k·d, which is that of c·w plus that of k, for d is odd.
//!
//! # In linear time
//! The parity of c·w takes one AND of two bits. That of k takes c·w/d modulo 2 to a few bits behind
//! the point, and no more: with the fraction w/d = Σ f_i·B^(−i) kept (B = 2^64) and c = Σ c_j·B^j,
//! the products c_j·f_i with i < j are even integers, those with i = j count with their parity, and
//! with i > j + 2 all together are below N·B^(−1) < 2^-48. Two sums of N products remain (i = j + 1
//! and i = j + 2) and one of N parities: 20 µs or so at dimension 2048 instead of a product of
//! 786,432 bits and a division.
//!
//! # Timing
//! [`SecretKey::decrypt`] does the same operations whatever c and w are. Making a key and measuring
//! a margin take products whose time is not promised to be constant, and leave parts of them in
//! working memory that is not wiped.

use std::num::NonZeroUsize;

use bignum::{Modulus, Options};
use random::{Generator, LockedBuffer};
use zeroize::Zeroizing;

use super::generation;
use crate::noise::needed_margin;
use crate::stage::Watch;
use crate::{Ciphertext, Error, KeyId, Noise, Parameters, PublicKey, limbs};

/// The secret key. No `Debug`, no `Clone`; wiped when dropped, and in locked memory where the
/// system allows it.
pub struct SecretKey {
    parameters: Parameters,
    key_id: KeyId,
    modulus: Vec<u64>,
    /// w, as long as d.
    secret: LockedBuffer<u64>,
    /// ⌊w·B^(N+2)/d⌋: N + 2 limbs of the fraction w/d.
    fraction: LockedBuffer<u64>,
}

impl SecretKey {
    /// Draws a key pair, on `threads` threads. `watch` is told how far it is, and may stop it.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; [`Error::NoThreads`]; [`Error::Arithmetic`] if a product failed its
    /// check.
    pub fn generate(
        parameters: Parameters,
        generator: &mut Generator,
        threads: NonZeroUsize,
        watch: Watch<'_>,
    ) -> Result<(Self, PublicKey), Error> {
        let pair = generation::generate(parameters, generator, threads, watch)?;
        Ok((pair.secret, pair.public))
    }

    /// A key from its numbers, as a file holds them: the modulus d and the secret w, both
    /// little-endian of one length. `secret` is wiped when the key is dropped, or now if it is
    /// refused.
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::NotReduced`], [`Error::NotAKey`].
    pub fn from_parts(
        parameters: Parameters,
        key_id: KeyId,
        modulus: Vec<u64>,
        secret: Vec<u64>,
    ) -> Result<Self, Error> {
        let secret = LockedBuffer::taking(secret);
        let (length, largest) = (modulus.len(), parameters.largest_modulus_bits());
        if limbs::bits(&modulus) > largest
            || modulus.first().is_none_or(|low| low & 1 == 0)
            || modulus.last() == Some(&0)
        {
            return Err(Error::NotAKey {
                reason: "the modulus is even, too large, or has a zero limb at its top",
            });
        }
        let w = secret.expose();
        if w.len() != length {
            return Err(Error::WrongLength {
                what: "the secret",
                expected: length,
                found: w.len(),
            });
        }
        if limbs::compare(w, &modulus).is_ge() {
            return Err(Error::NotReduced { what: "the secret" });
        }
        if !odd_when_centred(w, &modulus) {
            return Err(Error::NotAKey {
                reason: "the secret is no odd coefficient",
            });
        }
        let mut shifted = Zeroizing::new(vec![0; length + 2]);
        shifted.extend_from_slice(w);
        let mut quotient = Zeroizing::new(vec![0; shifted.len()]);
        let mut rest = Zeroizing::new(vec![0; length]);
        bignum::divide(&mut quotient, &mut rest, &shifted, &modulus)?;
        // w < d, so the quotient is below B^(N+2).
        let fraction = LockedBuffer::of(&quotient[..length + 2]);
        Ok(Self {
            parameters,
            key_id,
            modulus,
            secret,
            fraction,
        })
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// d, which is public.
    #[must_use]
    pub fn modulus(&self) -> &[u64] {
        &self.modulus
    }

    /// w, for nothing but the owner's file.
    #[must_use]
    pub fn expose(&self) -> &[u64] {
        self.secret.expose()
    }

    /// A ciphertext of this key from its limbs, as a file holds them.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are as many as the modulus has, [`Error::NotReduced`]
    /// unless they are below it.
    pub fn ciphertext(&self, limbs: Vec<u64>, noise: Noise) -> Result<Ciphertext, Error> {
        if limbs.len() != self.modulus.len() {
            return Err(Error::WrongLength {
                what: "a ciphertext",
                expected: self.modulus.len(),
                found: limbs.len(),
            });
        }
        if limbs::compare(&limbs, &self.modulus).is_ge() {
            return Err(Error::NotReduced {
                what: "a ciphertext",
            });
        }
        Ok(Ciphertext::new(self.key_id, limbs, noise))
    }

    /// The encrypted bit. Takes the same time for all ciphertexts and keys of a length.
    ///
    /// # Errors
    /// [`Error::WrongKey`]; [`Error::WrongLength`]; [`Error::NoiseExhausted`] if the noise is so
    /// large that the bit is in doubt: less than p + 1 = 5 bits of margin. (A random residue passes
    /// once in 16 times.)
    pub fn decrypt(&self, ciphertext: &Ciphertext) -> Result<bool, Error> {
        self.check(ciphertext)?;
        let (c, w) = (ciphertext.limbs(), self.secret.expose());
        let (quotient, fraction) = self.quotient(c);
        // Rounding: the first bit behind the point.
        let k = quotient.wrapping_add(fraction >> 63);
        let distance = (fraction as i64).unsigned_abs();
        let needed = needed_margin(&self.parameters);
        // |e|/d is the distance over 2^64.
        if distance >> (64 - needed as u32) != 0 {
            return Err(Error::NoiseExhausted {
                operation: "decryption",
                margin: 64.0 - (distance as f64).log2(),
                needed,
            });
        }
        Ok((c[0] & w[0] ^ k) & 1 == 1)
    }

    /// c·w/d: its integer part, of which only the parity is right, and 64 bits of its fraction.
    fn quotient(&self, c: &[u64]) -> (u64, u64) {
        // Limb f_i stands at N + 2 − i, so those that meet c_j at i = j, j + 1, j + 2 go down as j
        // goes up.
        let f = self.fraction.expose();
        let upwards = || f.iter().rev();
        let (mut low, mut high, mut next) = (0_u128, 0_u64, 0_u128);
        for ((&c, &first), &second) in c.iter().zip(upwards()).zip(upwards().skip(1)) {
            let product = u128::from(c) * u128::from(first);
            low += u128::from(product as u64);
            high = high.wrapping_add((product >> 64) as u64);
            next += (u128::from(c) * u128::from(second)) >> 64;
        }
        // f_0 is 0: w is below d.
        let parity = c
            .iter()
            .skip(1)
            .zip(upwards())
            .fold(0, |parity, (c, f)| parity ^ c & f);
        // The low limbs of the second sum would add N·B^(−1) at most.
        let fraction = low + next;
        let integer = high.wrapping_add((fraction >> 64) as u64);
        (integer ^ parity & 1, fraction as u64)
    }

    /// log2(d/|e|): how many bits are left before a decryption goes wrong. For owners who want to
    /// know, and for tests; infinite for constants that are 0.
    ///
    /// # Errors
    /// [`Error::WrongKey`], [`Error::WrongLength`], [`Error::Arithmetic`].
    pub fn margin(&self, ciphertext: &Ciphertext) -> Result<f64, Error> {
        self.check(ciphertext)?;
        let modulus = Modulus::new(&self.modulus, Options::default())?;
        let mut e = Zeroizing::new(vec![0; self.modulus.len()]);
        modulus.multiply(&mut e, ciphertext.limbs(), self.secret.expose())?;
        let mut opposite = Zeroizing::new(self.modulus.clone());
        limbs::subtract_assign(&mut opposite, &e);
        let distance = limbs::log2(&e).min(limbs::log2(&opposite));
        Ok(limbs::log2(&self.modulus) - distance)
    }

    fn check(&self, ciphertext: &Ciphertext) -> Result<(), Error> {
        if ciphertext.key_id() != self.key_id {
            return Err(Error::WrongKey {
                expected: self.key_id,
                found: ciphertext.key_id(),
            });
        }
        if ciphertext.limbs().len() != self.modulus.len() {
            return Err(Error::WrongLength {
                what: "a ciphertext",
                expected: self.modulus.len(),
                found: ciphertext.limbs().len(),
            });
        }
        Ok(())
    }
}

/// Whether w, as a number between −d/2 and d/2, is odd. (Above d/2 it stands for w − d, of the
/// other parity, as d is odd.)
pub(super) fn odd_when_centred(w: &[u64], d: &[u64]) -> bool {
    let mut double = Zeroizing::new(w.to_vec());
    double.push(0);
    let copy = Zeroizing::new(double.clone());
    limbs::add_assign(&mut double, &copy);
    let above = double[w.len()] == 1 || limbs::compare(&double[..w.len()], d).is_gt();
    (w.first().is_some_and(|low| low & 1 == 1)) != above
}
