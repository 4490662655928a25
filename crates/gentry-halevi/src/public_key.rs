//! The public key: d, r, the x_i of the squashed key, and the encrypted indices η.
//!
//! It is 17 MB at dimension 512, 69 MB at 2048 and 284 MB at 8192, nearly all of it η. So the limbs
//! may belong to anybody, a mapped file for instance: they are read where they are used, and making
//! a key from them looks at the modulus and at the top limb of each part.

use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::sync::Arc;

use bignum::{Modulus, Options};

use crate::limbs;
use crate::powers::Root;
use crate::{Ciphertext, Error, KeyId, Noise, Parameters};

/// Whoever holds the limbs of a key: a vector, or a mapped file.
pub type Storage = Arc<dyn AsRef<[u64]> + Send + Sync>;

/// A public key: what is needed to encrypt and to compute.
///
/// The limbs, little-endian, N for each part (N is that of d): d, r, x_1 … x_s, then c ciphertexts
/// of each of the s blocks in turn. Cloning shares them.
#[derive(Clone)]
pub struct PublicKey {
    parameters: Parameters,
    key_id: KeyId,
    part: usize,
    storage: Storage,
    modulus: Arc<Modulus>,
}

impl PublicKey {
    /// A key from its limbs.
    ///
    /// What is checked: the number of limbs; that d is odd, has no zero limb at the top and no more
    /// bits than the parameters allow; that every other part is below d. What is not, for it costs
    /// log2 n products: [`verify`](Self::verify).
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::NotAKey`], [`Error::NotReduced`].
    pub fn from_limbs(parameters: Parameters, storage: Storage) -> Result<Self, Error> {
        let all = (*storage).as_ref();
        let parts = parameters.public_parts();
        let part = all.len() / parts;
        let largest = parameters.largest_modulus_bits();
        // No modulus is so far below its expected size that fewer limbs are worth a look.
        let least = (largest / 128).max(2);
        if part < least || part * parts != all.len() || part > largest.div_ceil(64) {
            return Err(Error::WrongLength {
                what: "a public key",
                expected: parts * largest.div_ceil(64),
                found: all.len(),
            });
        }
        let (d, rest) = all.split_at(part);
        if d[part - 1] == 0 || d[0] & 1 == 0 || limbs::bits(d) > largest {
            return Err(Error::NotAKey {
                reason: "the modulus is even, too large, or has a zero limb at its top",
            });
        }
        for number in rest.chunks_exact(part) {
            if limbs::compare(number, d) != Ordering::Less {
                return Err(Error::NotReduced {
                    what: "a part of the public key",
                });
            }
        }
        let modulus = Arc::new(Modulus::new(d, Options::default())?);
        let key_id = crate::identity::of_root(&rest[..part]);
        Ok(Self {
            parameters,
            key_id,
            part,
            storage,
            modulus,
        })
    }

    /// Checks that r is a root: r^n ≡ −1 modulo d. Takes log2 n squarings.
    ///
    /// # Errors
    /// [`Error::NotAKey`] if it is none.
    pub fn verify(&self) -> Result<(), Error> {
        let mut power = self.root().to_vec();
        let mut square = power.clone();
        for _ in 0..self.parameters.log_dimension() {
            self.modulus.square(&mut square, &power)?;
            std::mem::swap(&mut power, &mut square);
        }
        limbs::add_bit_modulo(&mut power, true, self.modulus());
        if power.iter().all(|&limb| limb == 0) {
            Ok(())
        } else {
            Err(Error::NotAKey {
                reason: "r is no root of x^n + 1",
            })
        }
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

    /// N: limbs of the modulus, and of every ciphertext.
    #[must_use]
    pub fn residue_limbs(&self) -> usize {
        self.part
    }

    /// Every limb of the key, to be written to a file: what [`from_limbs`](Self::from_limbs) takes.
    #[must_use]
    pub fn limbs(&self) -> &[u64] {
        (*self.storage).as_ref()
    }

    /// d.
    #[must_use]
    pub fn modulus(&self) -> &[u64] {
        self.number(0)
    }

    /// r, a root of x^n + 1 modulo d.
    #[must_use]
    pub fn root(&self) -> &[u64] {
        self.number(1)
    }

    /// x_i, the first element of big set `block`, which is below s.
    pub(crate) fn element(&self, block: usize) -> &[u64] {
        self.number(2 + block)
    }

    /// η of one block, which is below s: c ciphertexts, one after the other.
    pub(crate) fn block(&self, block: usize) -> &[u64] {
        let (subset, columns) = (self.parameters.subset(), self.parameters.columns());
        let begin = (2 + subset + block * columns) * self.part;
        &self.limbs()[begin..begin + columns * self.part]
    }

    fn number(&self, index: usize) -> &[u64] {
        &self.limbs()[index * self.part..(index + 1) * self.part]
    }

    /// What powers of r are made of.
    pub(crate) fn root_of(&self) -> Root<'_> {
        Root {
            parameters: &self.parameters,
            modulus: self.modulus(),
            root: self.root(),
        }
    }

    /// d with what single products need.
    pub(crate) fn arithmetic(&self) -> &Modulus {
        &self.modulus
    }

    /// d with what sums of up to `sums` products need.
    pub(crate) fn arithmetic_for_sums(&self, sums: usize) -> Result<Modulus, Error> {
        let options = Options {
            sums,
            threads: NonZeroUsize::MIN,
            ..Options::default()
        };
        Ok(Modulus::new(self.modulus(), options)?)
    }

    /// Checks that a ciphertext belongs to this key.
    pub(crate) fn check(&self, ciphertext: &Ciphertext) -> Result<(), Error> {
        if ciphertext.key_id() == self.key_id {
            Ok(())
        } else {
            Err(Error::WrongKey {
                expected: self.key_id,
                found: ciphertext.key_id(),
            })
        }
    }

    /// A ciphertext of this key from its limbs, as a file holds them.
    ///
    /// # Errors
    /// [`Error::WrongLength`] unless there are N limbs, [`Error::NotReduced`] unless they are below
    /// d.
    pub fn ciphertext(&self, limbs: Vec<u64>, noise: Noise) -> Result<Ciphertext, Error> {
        if limbs.len() != self.part {
            return Err(Error::WrongLength {
                what: "a ciphertext",
                expected: self.part,
                found: limbs.len(),
            });
        }
        if limbs::compare(&limbs, self.modulus()) != Ordering::Less {
            return Err(Error::NotReduced {
                what: "a ciphertext",
            });
        }
        Ok(Ciphertext::new(self.key_id, limbs, noise))
    }
}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PublicKey")
            .field("parameters", &self.parameters)
            .field("key_id", &self.key_id)
            .finish_non_exhaustive()
    }
}
