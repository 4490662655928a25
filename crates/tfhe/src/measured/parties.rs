//! An owner and a server, and values encrypted by the one for the other.

use random::Generator;
use transforms::torus::Fft;

use super::samples::Conditions;
use crate::noise::NoiseBudget;
use crate::parameters::Parameters;
use crate::{LweCiphertext, SecretKey, SeededServerKey, ServerKey};

pub(super) struct Parties {
    pub(super) secret: SecretKey,
    pub(super) seeded: SeededServerKey,
    pub(super) server: ServerKey,
    pub(super) generator: Generator,
    /// Variance that a rotation has in addition, by what was done to the key on purpose.
    pub(super) additional: f64,
}

impl Parties {
    /// On this machine's fastest processor.
    pub(super) fn new(parameters: Parameters, seed: u8) -> Self {
        Self::on(Fft::detect(), parameters, seed)
    }

    pub(super) fn on(fft: Fft, parameters: Parameters, seed: u8) -> Self {
        let mut generator = Generator::from_key([seed; 32]);
        let secret = SecretKey::generate(parameters, &mut generator).unwrap();
        let seeded = SeededServerKey::generate(&secret, &mut generator, 2, &|_, _| {}).unwrap();
        let server = ServerKey::expand_for(&seeded, fft, 2, &|_, _| {}).unwrap();
        Self {
            secret,
            seeded,
            server,
            generator,
            additional: 0.0,
        }
    }

    /// What is predicted for this key on this processor.
    pub(super) fn budget(&self) -> NoiseBudget {
        let mut budget = NoiseBudget::of_key(&self.secret);
        budget.rotation += self.additional;
        // Rounding of masks: half of it reaches all coefficients alike.
        budget.common += 0.5 * self.additional;
        match self.server.fft() {
            Fft::Ntt => budget.with_exact_transform(),
            _ => budget,
        }
    }

    pub(super) fn conditions(&self) -> Conditions {
        Conditions {
            set: match self.additional {
                0.0 => self.server.parameters().name(),
                _ => "a key rounded on purpose",
            },
            fft: self.server.fft().name(),
        }
    }

    /// `count` random values of four bits each. Every one is an encryption of its own: the masks
    /// of one encryption are rotations of each other, and their rounding errors have a part in
    /// common.
    pub(super) fn values(&mut self, count: usize) -> (Vec<u32>, Vec<LweCiphertext>) {
        let values: Vec<u32> = (0..count).map(|_| self.generator.below(16)).collect();
        let encrypt = |value: &u32| {
            let bits = [0, 1, 2, 3].map(|i| value >> i & 1 == 1);
            self.secret.encrypt(&bits, &mut self.generator).unpack()
        };
        let bits = values.iter().flat_map(encrypt).collect();
        (values, bits)
    }
}

/// The terms of t for the four bits of a value.
pub(super) fn nibble(bits: &[LweCiphertext]) -> Vec<(&LweCiphertext, i8)> {
    bits.iter().zip([1, 2, 4, 8]).collect()
}
