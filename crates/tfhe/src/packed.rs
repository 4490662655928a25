//! Inputs on their way to the server: seeded GLWE ciphertexts of N bits each.
//!
//! The mask of a GLWE ciphertext is uniform, so a 32-byte seed stands for it;
//! what travels is the body, 8 bytes per bit, against 16 KiB for the LWE
//! ciphertext that the server extracts from it, for nothing, coefficient by
//! coefficient. A last ciphertext holds no more coefficients than bits.

use random::{MaskGenerator, Seed};

use crate::extraction::{double_reversed, extract};
use crate::identity::KeyId;
use crate::lwe::LweCiphertext;
use crate::parameters::Parameters;

/// Freshly encrypted bits, compact.
#[derive(Clone, Debug, PartialEq)]
pub struct PackedInputs {
    parameters: Parameters,
    key_id: KeyId,
    seed: Seed,
    bodies: Vec<u64>,
}

impl PackedInputs {
    /// Inputs from what a file holds: the masks' seed and one body per bit. Bit
    /// i is coefficient i mod N of ciphertext i / N, whose mask is stream i / N
    /// of the seed.
    #[must_use]
    pub fn from_parts(parameters: Parameters, key_id: KeyId, seed: Seed, bodies: Vec<u64>) -> Self {
        Self {
            parameters,
            key_id,
            seed,
            bodies,
        }
    }

    /// The parameter set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The key they are encrypted under.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The masks' seed. Public.
    #[must_use]
    pub fn seed(&self) -> &Seed {
        &self.seed
    }

    /// One torus element per bit.
    #[must_use]
    pub fn bodies(&self) -> &[u64] {
        &self.bodies
    }

    /// Number of bits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Every bit as a ciphertext to compute with: 16 KiB each.
    #[must_use]
    pub fn unpack(&self) -> Vec<LweCiphertext> {
        let n = self.parameters.polynomial_size().get();
        let (mut mask, mut doubled) = (vec![0; n], vec![0; 2 * n]);
        let mut bits = Vec::with_capacity(self.bodies.len());
        for (stream, bodies) in self.bodies.chunks(n).enumerate() {
            MaskGenerator::new(&self.seed, stream as u64).fill(&mut mask);
            double_reversed(&mask, &mut doubled);
            let mut body = vec![0; n];
            body[..bodies.len()].copy_from_slice(bodies);
            bits.extend((0..bodies.len()).map(|position| {
                LweCiphertext::from_elements(self.key_id, extract(&doubled, &body, position))
            }));
        }
        bits
    }
}
