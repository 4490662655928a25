//! Encrypted vectors of bits.

use std::borrow::Cow;

use transforms::cyclotomic::Packed;

use crate::noise::{Origin, Traced};
use crate::{Error, KeyId, Level, Noise, Parameters};

/// One element of the ring: a row of φ(m) residues for each prime of a level, in evaluated form.
pub(crate) type Rows = Vec<Vec<u64>>;

/// The same as ciphertexts have it, in as many bits as primes have.
pub(crate) type PackedRows = Vec<Packed>;

/// A row to compute with.
pub(crate) trait Row: Sync {
    /// Its residues, unpacked if they are packed.
    fn residues(&self) -> Cow<'_, [u64]>;
}

impl Row for Vec<u64> {
    fn residues(&self) -> Cow<'_, [u64]> {
        Cow::Borrowed(self)
    }
}

impl Row for Packed {
    fn residues(&self) -> Cow<'_, [u64]> {
        Cow::Owned(self.unpack())
    }
}

/// An encrypted vector of bits: two ring elements (three after a product that is not relinearised),
/// at a level of the chain of moduli, with an estimate of its noise and the key it belongs to.
///
/// Made by [`PublicKey::encrypt`](crate::PublicKey::encrypt), by `SecretKey::encrypt`, by an
/// [`Evaluator`](crate::Evaluator) or by [`Ciphertext::from_parts`].
///
/// Residues are packed: they take as many bits in memory as their primes have, since a sum takes as
/// long as its bytes take to come and go. In a file they have 64.
///
/// Two are equal if they are the same in a file: what is known of where their noise comes from is
/// in none.
#[derive(Clone, Debug)]
pub struct Ciphertext {
    key_id: KeyId,
    level: Level,
    noise: Traced,
    parts: Vec<PackedRows>,
}

impl PartialEq for Ciphertext {
    fn eq(&self, other: &Self) -> bool {
        self.key_id == other.key_id
            && self.level == other.level
            && self.noise.noise() == other.noise.noise()
            && self.parts == other.parts
    }
}

impl Ciphertext {
    pub(crate) fn new(key_id: KeyId, level: Level, noise: Traced, parts: Vec<PackedRows>) -> Self {
        Self {
            key_id,
            level,
            noise,
            parts,
        }
    }

    /// An encryption, as its noise says.
    pub(crate) fn encryption(
        key_id: KeyId,
        level: Level,
        noise: Noise,
        parts: Vec<PackedRows>,
    ) -> Self {
        let noise = Traced::own(noise, Self::origin(&parts));
        Self::new(key_id, level, noise, parts)
    }

    /// By the mask.
    fn origin(parts: &[PackedRows]) -> Origin {
        Origin::of_mask(parts.get(1).map_or(&[], Vec::as_slice))
    }

    /// Takes a ciphertext read from a file: [`parts`](Self::parts) as they were given, each a
    /// vector of one row for each prime of [`Parameters::primes_of`].
    ///
    /// One that has the noise of an encryption is taken for one. What others have in common is not
    /// in their files, so that in their sums amplitudes are added.
    ///
    /// # Errors
    /// [`Error::LevelOutOfRange`]; [`Error::WrongLength`] unless there are two or three parts of as
    /// many rows as the level has primes and as many words as the ring's degree;
    /// [`Error::NotReduced`].
    pub fn from_parts(
        parameters: &Parameters,
        key_id: KeyId,
        level: Level,
        noise: Noise,
        parts: Vec<Vec<Vec<u64>>>,
    ) -> Result<Self, Error> {
        parameters.check_level(level, parameters.top())?;
        if !(2..=3).contains(&parts.len()) {
            return Err(Error::WrongLength {
                what: "parts of a ciphertext",
                expected: 2,
                found: parts.len(),
            });
        }
        let chosen = parameters.primes_of(level);
        for part in &parts {
            parameters.check_rows("ciphertext", &chosen, part)?;
        }
        let packed = |part: Vec<Vec<u64>>| {
            let rows = part.into_iter().zip(&chosen);
            rows.map(|(row, &number)| Packed::new(&row, parameters.primes()[number]))
                .collect()
        };
        let parts: Vec<PackedRows> = parts.into_iter().map(packed).collect();
        let encryptions = [Noise::fresh(parameters), Noise::fresh_public(parameters)];
        if level == parameters.top() && parts.len() == 2 && encryptions.contains(&noise) {
            return Ok(Self::encryption(key_id, level, noise, parts));
        }
        let noise = Traced::unknown(noise, Self::origin(&parts));
        Ok(Self::new(key_id, level, noise, parts))
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// Where in the chain of moduli it is.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// The estimate of its noise.
    #[must_use]
    pub fn noise(&self) -> Noise {
        *self.noise.noise()
    }

    pub(crate) fn traced(&self) -> &Traced {
        &self.noise
    }

    /// The residues: two parts or three, each with one row for each prime of the level
    /// ([`Parameters::primes_of`]), each row with as many words as the ring's degree, below its
    /// prime. A copy, in words of 64 bits.
    #[must_use]
    pub fn parts(&self) -> Vec<Vec<Vec<u64>>> {
        let rows = self.parts.iter().map(|part| part.iter());
        rows.map(|part| part.map(Packed::unpack).collect())
            .collect()
    }

    /// The rows of all [parts](Self::parts), one after the other: for a file, with a copy of one
    /// row in memory at a time.
    pub fn rows(&self) -> impl Iterator<Item = Vec<u64>> {
        self.parts.iter().flatten().map(Packed::unpack)
    }

    /// How many parts there are.
    #[must_use]
    pub fn part_count(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn packed(&self) -> &[PackedRows] {
        &self.parts
    }

    pub(crate) fn packed_mut(&mut self) -> &mut [PackedRows] {
        &mut self.parts
    }

    pub(crate) fn set_noise(&mut self, noise: Traced) {
        self.noise = noise;
    }

    /// Bytes of its residues in memory.
    #[must_use]
    pub fn size(&self) -> usize {
        self.parts.iter().flatten().map(Packed::size).sum()
    }
}
