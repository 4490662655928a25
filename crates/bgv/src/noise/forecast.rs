//! What an evaluation will come to, before there is a key or a ciphertext: the same policy and the
//! same estimates that [`Evaluator`](crate::Evaluator) goes by, on levels and noises alone.

use super::{Noise, Origin, Traced, policy};
use crate::{Error, Level, Parameters};

/// The level and the noise that a ciphertext of two parts would have.
#[derive(Clone, Debug)]
pub struct Forecast {
    level: Level,
    noise: Traced,
}

impl Forecast {
    /// Of an encryption with the secret key, by a number of its own: two of one number are one
    /// ciphertext.
    #[must_use]
    pub fn fresh(parameters: &Parameters, number: u64) -> Self {
        Self {
            level: parameters.top(),
            noise: Traced::own(Noise::fresh(parameters), Origin::numbered(number)),
        }
    }

    /// Of an encryption with the public key, which has more noise; by a number as
    /// [`fresh`](Self::fresh).
    #[must_use]
    pub fn fresh_public(parameters: &Parameters, number: u64) -> Self {
        Self {
            level: parameters.top(),
            noise: Traced::own(Noise::fresh_public(parameters), Origin::numbered(number)),
        }
    }

    /// Of a constant that everybody can read.
    #[must_use]
    pub fn constant(parameters: &Parameters, bit: bool) -> Self {
        Self {
            level: parameters.top(),
            noise: Traced::constant(bit),
        }
    }

    /// Where in the chain of moduli it would be.
    #[must_use]
    pub fn level(&self) -> Level {
        self.level
    }

    /// Its noise.
    #[must_use]
    pub fn noise(&self) -> Noise {
        *self.noise.noise()
    }

    /// log2 of the largest noise that its level holds over its own: how many bits are left.
    #[must_use]
    pub fn room(&self, parameters: &Parameters) -> f64 {
        parameters.most_noise(self.level) - self.noise().log2_bound()
    }

    /// Of [`Evaluator::not`](crate::Evaluator::not).
    #[must_use]
    pub fn not(&self) -> Self {
        Self {
            noise: self.noise.not(),
            level: self.level,
        }
    }

    /// Of [`Evaluator::xor`](crate::Evaluator::xor).
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`].
    pub fn xor(&self, other: &Self, parameters: &Parameters) -> Result<Self, Error> {
        let level = self.level.min(other.level);
        let (a, b) = (
            self.switch_to(level, parameters)?,
            other.switch_to(level, parameters)?,
        );
        let noise = a.noise.plus(&b.noise);
        Self { level, noise }.bounded("a sum", parameters)
    }

    /// Of [`Evaluator::and`](crate::Evaluator::and).
    ///
    /// # Errors
    /// [`Error::NoiseExhausted`].
    pub fn and(&self, other: &Self, parameters: &Parameters) -> Result<Self, Error> {
        let from = self.level_of_product(other, parameters);
        let (a, b) = (
            self.switch_to(from, parameters)?,
            other.switch_to(from, parameters)?,
        );
        let noise = a.noise.times(&b.noise);
        let product = Self { level: from, noise }.bounded("a product", parameters)?;
        let level = policy::after_product(parameters, product.noise.noise(), from);
        let noise = product.noise.key_switched(parameters, from, level);
        Self { level, noise }.bounded("a relinearisation", parameters)
    }

    /// The level at which [`and`](Self::and) multiplies.
    #[must_use]
    pub fn level_of_product(&self, other: &Self, parameters: &Parameters) -> Level {
        let operands = [
            (self.noise.noise(), self.level),
            (other.noise.noise(), other.level),
        ];
        policy::before_product(parameters, operands)
    }

    /// Of [`Evaluator::switch_to`](crate::Evaluator::switch_to).
    ///
    /// # Errors
    /// [`Error::LevelOutOfRange`] above its own, [`Error::NoiseExhausted`].
    pub fn switch_to(&self, level: Level, parameters: &Parameters) -> Result<Self, Error> {
        if level == self.level {
            return Ok(self.clone());
        }
        parameters.check_level(level, self.level)?;
        let noise = self.noise.switched(parameters, self.level, level, 2);
        Self { level, noise }.bounded("a switch of the modulus", parameters)
    }

    fn bounded(self, operation: &'static str, parameters: &Parameters) -> Result<Self, Error> {
        let (noise, most) = (self.noise().log2_bound(), parameters.most_noise(self.level));
        // Not a number where variances overflowed.
        if noise <= most {
            return Ok(self);
        }
        Err(Error::NoiseExhausted {
            operation,
            noise,
            most,
            level: self.level,
        })
    }
}

impl crate::Ciphertext {
    /// Its level and noise, to forecast what is computed from it.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        Forecast {
            level: self.level(),
            noise: self.traced().clone(),
        }
    }
}
