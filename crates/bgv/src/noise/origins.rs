//! Where noise comes from: what sums of ciphertexts have in common.
//!
//! A sum of independent ciphertexts has the sum of their variances; x ⊕ y ⊕ x has twice the noise
//! of x in it, since integers are added, and a chain u ← u ⊕ v, v ← v ⊕ u has Fibonacci's numbers
//! times that of its beginning. So the normal part of a noise is kept as a list: a [`Share`] for
//! each encryption, rounding and key switching that it consists of, with its deviation, signs left
//! out. Shares of one origin add their deviations, others their variances. That is exact for sums,
//! and for the changes of modulus between them.
//!
//! Products have no list: what came from them is the amplitude of the bound, and amplitudes add
//! whatever ciphertexts have in common. A list that grows too long becomes an amplitude, too, which
//! leaves the bound as it is and later ones too large rather than too small.
//!
//! An origin is known by a number that follows from the ciphertext that it came with: of an
//! encryption from its mask, of a sum by addition, of everything else by mixing; a switch of the
//! modulus leaves it. So a ciphertext that is switched twice to one level, by whatever way, has the
//! same rounding, as it is. Rounding errors of different sums are taken for independent: those of
//! x, y and x ⊕ y are so in pairs, which is what a variance asks for.

use std::sync::Arc;

use super::{Noise, policy};
use crate::parameters::{Level, Parameters};
use transforms::cyclotomic::Packed;

/// Powers of the secret that a normal term may have: those of a ciphertext's parts.
pub(super) const POWERS: usize = 3;
/// Shares that a list holds at most: a few kilobytes beside a ciphertext's hundreds.
const MOST_SHARES: usize = 128;

/// What tells one ciphertext's randomness from another's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Origin(u64);

impl Origin {
    /// Of what has no randomness.
    const NONE: Self = Self(0);

    /// By a number that no other has.
    pub(crate) fn numbered(number: u64) -> Self {
        Self(mixed(number.wrapping_add(0x9e37_79b9_7f4a_7c15)))
    }

    /// By some residues of a mask, uniformly random ones.
    pub(crate) fn of_mask(rows: &[Packed]) -> Self {
        let words = rows
            .iter()
            .flat_map(|row| (0..row.len().min(8)).map(|number| row.word(number)));
        words.fold(Self::numbered(0), Self::mixed_with)
    }

    /// Of something that follows from this and a number.
    pub(crate) fn mixed_with(self, number: u64) -> Self {
        Self(mixed(self.0.rotate_left(17) ^ mixed(number)))
    }

    /// Of a sum: any order of the same terms gives the same.
    fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }

    /// Of a product, whichever factor comes first.
    fn times(self, other: Self) -> Self {
        let (low, high) = (self.min(other), self.max(other));
        Self(mixed(low.0).wrapping_add(mixed(high.0).rotate_left(32))).mixed_with(PRODUCT)
    }
}

/// What happened to a ciphertext, to tell what follows from it.
const PRODUCT: u64 = 1 << 32;
const SWITCH: u64 = 2 << 32;
const KEY_SWITCH: u64 = 3 << 32;

/// A bijection of words without structure (the last steps of SplitMix64, by S. Vigna).
fn mixed(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// What one origin has in a noise: deviations, or, of two noises, covariances.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Share {
    origin: Origin,
    /// By the power of the secret.
    pub(super) terms: [f64; POWERS],
    /// Where the secret is large.
    pub(super) normal: f64,
}

impl Share {
    const NONE: Self = Self {
        origin: Origin::NONE,
        terms: [0.0; POWERS],
        normal: 0.0,
    };

    /// All that is normal in a noise, as deviations.
    fn of(noise: &Noise, origin: Origin) -> Self {
        let [first, second, third, ..] = noise.terms;
        Self {
            origin,
            terms: [first, second, third].map(f64::sqrt),
            normal: noise.normal.sqrt(),
        }
    }

    fn map_with(&self, other: &Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        let mut terms = self.terms;
        for (term, &other) in terms.iter_mut().zip(&other.terms) {
            *term = operation(*term, other);
        }
        Self {
            origin: self.origin,
            terms,
            normal: operation(self.normal, other.normal),
        }
    }
}

/// The noise of a ciphertext with what is known of its origins.
#[derive(Clone, Debug)]
pub(crate) struct Traced {
    noise: Noise,
    origin: Origin,
    /// Sorted, each origin once; `None` where they were not told.
    shares: Option<Arc<[Share]>>,
}

impl Traced {
    /// Of a ciphertext whose normal noise is all its own: an encryption.
    pub(crate) fn own(noise: Noise, origin: Origin) -> Self {
        Self {
            noise,
            origin,
            shares: Some(Arc::from([Share::of(&noise, origin)])),
        }
    }

    /// Of a ciphertext about which nothing else is known: it may have its noise in common with any
    /// other.
    pub(crate) fn unknown(noise: Noise, origin: Origin) -> Self {
        Self {
            noise,
            origin,
            shares: None,
        }
    }

    /// Of a constant.
    pub(crate) fn constant(bit: bool) -> Self {
        let none = Self {
            noise: Noise::of_variance(0.0),
            origin: Origin::NONE,
            shares: Some(Arc::from([])),
        };
        match bit {
            true => none.not(),
            false => none,
        }
    }

    /// Of the complement: the sum with 1, which is as large in every coordinate.
    pub(crate) fn not(&self) -> Self {
        Self {
            noise: self.noise.plus_known(1.0, 1.0),
            ..self.clone()
        }
    }

    /// Of the sum with a message that is not secret.
    pub(crate) fn plus_message(&self, parameters: &Parameters) -> Self {
        Self {
            noise: self.noise.plus_message(parameters),
            ..self.clone()
        }
    }

    pub(crate) fn noise(&self) -> &Noise {
        &self.noise
    }

    /// Of the sum.
    pub(crate) fn plus(&self, other: &Self) -> Self {
        let origin = self.origin.plus(other.origin);
        let (left, right) = (self.with_known_origins(), other.with_known_origins());
        let (a, b) = (left.shares(), right.shares());
        let mut shares = Vec::with_capacity(a.len() + b.len());
        let mut common = Share::NONE;
        let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
        while let (Some(&&left), Some(&&right)) = (a.peek(), b.peek()) {
            if left.origin <= right.origin {
                a.next();
            }
            if right.origin <= left.origin {
                b.next();
            }
            shares.push(match left.origin.cmp(&right.origin) {
                std::cmp::Ordering::Less => left,
                std::cmp::Ordering::Greater => right,
                std::cmp::Ordering::Equal => {
                    let both = left.map_with(&right, |a, b| a * b);
                    common = common.map_with(&both, |a, b| a + b);
                    left.map_with(&right, |a, b| a + b)
                }
            });
        }
        shares.extend(a.chain(b));
        let sum = Self {
            noise: left.noise.plus_sharing(&right.noise, &common),
            origin,
            shares: Some(Arc::from(shares)),
        };
        sum.shortened()
    }

    /// Of the product, which may have its noise in common with anything.
    pub(crate) fn times(&self, other: &Self) -> Self {
        Self {
            noise: self.noise.times(&other.noise),
            origin: self.origin.times(other.origin),
            shares: Some(Arc::from([])),
        }
    }

    /// Of the product with a message that is not secret, of this variance and these coefficients
    /// modulo 2.
    pub(crate) fn times_known(&self, variance: f64, message: &[u8]) -> Self {
        let words = message.chunks(64).map(|chunk| {
            let bits = chunk.iter().enumerate();
            bits.fold(0, |word, (place, &bit)| word | u64::from(bit) << place)
        });
        Self {
            noise: self.noise.times(&Noise::of_variance(variance)),
            origin: words.fold(self.origin, Origin::mixed_with),
            shares: Some(Arc::from([])),
        }
    }

    /// After an automorphism: other coordinates of the same noise are of no use in a list.
    pub(crate) fn rotated(&self, exponent: u32) -> Self {
        Self {
            origin: self.origin.mixed_with(exponent.into()),
            ..self.as_amplitude()
        }
    }

    /// Of a ciphertext of `parts` parts after a switch between levels.
    pub(crate) fn switched(
        &self,
        parameters: &Parameters,
        from: Level,
        to: Level,
        parts: usize,
    ) -> Self {
        if from == to {
            return self.clone();
        }
        let origin = self.origin.mixed_with(SWITCH | u64::from(to.number()));
        let rounding = Noise::of_rounding(parameters, parts);
        let bits = parameters.modulus_bits(to) - parameters.modulus_bits(from);
        // By way of other levels it is rounded to the same, but for the rare error that is nearly
        // half.
        self.scaled(bits)
            .plus(&Self::own(rounding, origin))
            .at(self.origin)
    }

    /// After key switching at a level, fused with the switch to another one (or none).
    pub(crate) fn key_switched(&self, parameters: &Parameters, from: Level, to: Level) -> Self {
        let origin = self.origin.mixed_with(KEY_SWITCH | u64::from(to.number()));
        let bits = parameters.modulus_bits(to) - parameters.modulus_bits(from);
        let added = policy::key_switched(parameters, &Noise::of_variance(0.0), from, to);
        self.scaled(bits).plus(&Self::own(added, origin)).at(origin)
    }

    fn shares(&self) -> &[Share] {
        self.shares.as_deref().unwrap_or_default()
    }

    /// The same where origins are known; where not, an amplitude.
    fn with_known_origins(&self) -> Self {
        match self.shares {
            Some(_) => self.clone(),
            None => self.as_amplitude(),
        }
    }

    fn at(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    /// With deviations multiplied by 2^`log2`.
    fn scaled(&self, log2: f64) -> Self {
        let factor = log2.exp2();
        let scaled = |share: &Share| Share {
            origin: share.origin,
            terms: share.terms.map(|term| term * factor),
            normal: share.normal * factor,
        };
        let shares = self.shares.as_ref();
        Self {
            noise: self.noise.scaled(log2),
            origin: self.origin,
            shares: shares.map(|shares| shares.iter().map(scaled).collect()),
        }
    }

    /// A list that is too long as an amplitude.
    fn shortened(self) -> Self {
        match &self.shares {
            Some(shares) if shares.len() > MOST_SHARES => self.as_amplitude(),
            _ => self,
        }
    }

    /// The same bound, of which nothing is known but that.
    fn as_amplitude(&self) -> Self {
        let mut noise = self.noise;
        noise.rest = noise.bound();
        noise.normal = 0.0;
        Self {
            noise,
            origin: self.origin,
            shares: Some(Arc::from([])),
        }
    }
}
