//! Parameter sets: an unchecked literal becomes a validated, immutable value
//! in exactly one place, [`Parameters::new`].
//!
//! Every dimension, base and level has a type of its own, so that arguments
//! cannot be swapped. After validation no inner function checks again.

mod cost;
mod dimensions;
mod set;
mod sets;
mod weakened;

#[cfg(feature = "secret")]
use random::BlockSize;

pub use cost::Cost;
pub use dimensions::{
    BaseLog, Decomposition, GlweDimension, LevelCount, LweDimension, PolynomialSize,
};
pub use set::{Literal, Set};
pub use sets::{
    P16, P16_128_PFAIL_2M100, P16_BLOCK_128_PFAIL_2M100, P16_UNIFORM, P16_UNIFORM_128_PFAIL_2M100,
    SETS, TOY_BLOCK, TOY_UNIFORM,
};
pub use weakened::WEAKENED;

use crate::TfheError;

/// Values that fit the half torus of a lookup: t in 0..16.
pub(crate) const LOOKUP_VALUES: usize = 16;

/// Scale of an encrypted bit: 1/32 of the torus in units of 2^-64, so that the
/// sixteen values of a sum of bits fill half the torus.
pub(crate) const BIT_SCALE: u64 = 1 << 59;
/// The scale at which the sum of bits is their XOR: 1/2.
pub(crate) const HALF_SCALE: u64 = 1 << 63;
/// By how many places the scales differ.
pub(crate) const TO_HALF: u32 = HALF_SCALE.trailing_zeros() - BIT_SCALE.trailing_zeros();

/// How the bits of the small key are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SmallKey {
    /// Independent fair bits: the conservative choice.
    Uniform,
    /// Blocks of this many bits, at most one of each block set (eprint
    /// 2023/958): a blind rotation then needs one decomposition per *block*.
    /// A younger assumption; see [`P16_BLOCK_128_PFAIL_2M100`].
    Block(u32),
}

/// What the analysis behind a set says. It is carried for display; nothing in
/// the scheme depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// Bits of security that the least of the attacks on either key has at least; 0 for toys.
    pub security_bits: f64,
    /// Base-2 logarithm of the failure probability of the worst lookup allowed.
    pub log2_failure: f64,
}

/// The unchecked description of a parameter set: plain data, all fields public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterLiteral {
    /// The set's name, which states its promise.
    pub name: &'static str,
    /// What the analysis says.
    pub promise: Promise,
    /// Bits of the small key, n.
    pub lwe_dimension: u32,
    /// Distribution of the small key.
    pub small_key: SmallKey,
    /// Ring polynomials of the big key, k; only 1 is implemented.
    pub glwe_dimension: u32,
    /// Coefficients of a polynomial, N.
    pub polynomial_size: u32,
    /// log2 of the error's deviation under the small key, as a fraction of the torus.
    pub log2_lwe_deviation: f64,
    /// log2 of the error's deviation under the big key.
    pub log2_glwe_deviation: f64,
    /// log2 of the bootstrapping key's base.
    pub bootstrap_base_log: u32,
    /// Levels of the bootstrapping key.
    pub bootstrap_levels: u32,
    /// log2 of the key-switching key's base.
    pub key_switch_base_log: u32,
    /// Levels of the key-switching key.
    pub key_switch_levels: u32,
    /// Degree of the ring in which the small key is seen by the key switch.
    pub key_switch_polynomial_size: u32,
}

/// A validated parameter set. Compared by value.
///
/// ```
/// use blindcore_tfhe::{
///     BaseLog, Decomposition, GlweDimension, LevelCount, LweDimension, P16, P16_UNIFORM,
///     ParameterLiteral, Parameters, PolynomialSize, Promise, SETS, SmallKey, TOY_BLOCK, TfheError,
/// };
///
/// // A set keeps its promise by its numbers.
/// let dimension: LweDimension = P16.lwe_dimension();
/// let size: PolynomialSize = P16.polynomial_size();
/// assert_eq!((dimension.get(), size.get()), (896, 2048));
/// let polynomials: GlweDimension = P16.glwe_dimension();
/// assert_eq!(P16.big_lwe_dimension().get(), polynomials.get() * size.get());
/// assert_eq!((P16.small_key(), P16.block_bits()), (SmallKey::Block(4), 4));
/// let Promise { security_bits, log2_failure } = P16.promise();
/// assert!(security_bits >= 128.0 && log2_failure <= -100.0);
/// let gadget: Decomposition = P16.bootstrap_decomposition();
/// let (base, levels): (BaseLog, LevelCount) = (gadget.base_log, gadget.levels);
/// assert_eq!((base.get(), levels.get()), (23, 1));
/// assert!(P16.key_switch_decomposition().levels > levels);
/// assert_eq!(P16.key_switch_polynomial_size().get(), 128);
///
/// // Files name a set; a fingerprint is made of all that ciphertexts depend on.
/// assert_eq!(Parameters::named(P16_UNIFORM.name()), Some(P16_UNIFORM));
/// assert!(SETS.iter().filter(|set| set.canonical_bytes() == P16.canonical_bytes()).eq([&P16]));
///
/// // Another one is made from a literal, if it holds together.
/// let literal = ParameterLiteral { name: "MINE", lwe_dimension: 65, ..*TOY_BLOCK.literal() };
/// assert!(matches!(Parameters::new(literal), Err(TfheError::InvalidParameters { name: "MINE", .. })));
/// ```
pub type Parameters = Set<ParameterLiteral>;

impl Literal for ParameterLiteral {
    fn name(&self) -> &'static str {
        self.name
    }

    fn promise(&self) -> Promise {
        self.promise
    }

    fn lwe_dimension(&self) -> LweDimension {
        LweDimension(self.lwe_dimension)
    }

    fn glwe_dimension(&self) -> GlweDimension {
        GlweDimension(self.glwe_dimension)
    }

    fn polynomial_size(&self) -> PolynomialSize {
        PolynomialSize(self.polynomial_size)
    }

    fn bootstrap_decomposition(&self) -> Decomposition {
        Decomposition::of(self.bootstrap_base_log, self.bootstrap_levels)
    }

    fn key_switch_decomposition(&self) -> Decomposition {
        Decomposition::of(self.key_switch_base_log, self.key_switch_levels)
    }
}

/// Largest dimension accepted anywhere: bounds what a file can make us allocate.
const LARGEST_DIMENSION: u32 = 1 << 16;

/// What must hold of a literal, in the order in which it is asked.
const fn fault(literal: &ParameterLiteral) -> Option<&'static str> {
    let big = literal.polynomial_size;
    let ring = literal.key_switch_polynomial_size;
    let n = literal.lwe_dimension;
    if literal.glwe_dimension != 1 {
        return Some("glwe_dimension must be 1");
    }
    if !big.is_power_of_two() || big < 64 || big > 1 << 15 {
        return Some("polynomial_size must be a power of two between 64 and 32768");
    }
    if !ring.is_power_of_two() || ring < 16 || ring > big {
        return Some(
            "key_switch_polynomial_size must be a power of two between 16 and polynomial_size",
        );
    }
    if n == 0 || n > LARGEST_DIMENSION || !n.is_multiple_of(ring) {
        return Some(
            "lwe_dimension must be a multiple of key_switch_polynomial_size, at most 65536",
        );
    }
    if let SmallKey::Block(bits) = literal.small_key
        && (bits < 2 || bits > 8 || !n.is_multiple_of(bits))
    {
        return Some("blocks must have between 2 and 8 bits and divide lwe_dimension");
    }
    if !decomposes(literal.bootstrap_base_log, literal.bootstrap_levels) {
        return Some("the bootstrap gadget needs 1 <= base_log <= 31 and at most 52 bits in all");
    }
    if !decomposes(literal.key_switch_base_log, literal.key_switch_levels) {
        return Some("the key switch gadget needs 1 <= base_log <= 31 and at most 52 bits in all");
    }
    None
}

const fn decomposes(base_log: u32, levels: u32) -> bool {
    base_log >= 1 && base_log <= 31 && levels >= 1 && levels <= 52 && base_log * levels <= 52
}

impl Parameters {
    /// Validates a literal.
    ///
    /// # Errors
    /// [`TfheError::InvalidParameters`] with the reason.
    pub fn new(literal: ParameterLiteral) -> Result<Self, TfheError> {
        Self::check(literal).map_err(|reason| TfheError::InvalidParameters {
            name: literal.name,
            reason,
        })
    }

    /// [`Parameters::new`] for constants: usable at compile time.
    const fn check(literal: ParameterLiteral) -> Result<Self, &'static str> {
        match fault(&literal) {
            Some(reason) => Err(reason),
            None => Set::new_unchecked(
                literal,
                literal.log2_lwe_deviation,
                literal.log2_glwe_deviation,
            ),
        }
    }

    /// The set of this name among [`SETS`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        SETS.into_iter().find(|set| set.name() == name)
    }

    /// Bits of the big key as an LWE key, kN.
    #[must_use]
    pub fn big_lwe_dimension(&self) -> LweDimension {
        LweDimension(self.literal().glwe_dimension * self.literal().polynomial_size)
    }

    /// Ring degree of the key switch.
    #[must_use]
    pub fn key_switch_polynomial_size(&self) -> PolynomialSize {
        PolynomialSize(self.literal().key_switch_polynomial_size)
    }

    /// Distribution of the small key.
    #[must_use]
    pub fn small_key(&self) -> SmallKey {
        self.literal().small_key
    }

    /// Bits of the small key that one step of the blind rotation consumes.
    #[must_use]
    pub fn block_bits(&self) -> usize {
        match self.literal().small_key {
            SmallKey::Uniform => 1,
            SmallKey::Block(bits) => bits as usize,
        }
    }

    #[cfg(feature = "secret")]
    pub(crate) fn block_size(&self) -> Option<BlockSize> {
        match self.literal().small_key {
            SmallKey::Uniform => None,
            SmallKey::Block(bits) => BlockSize::new(bits),
        }
    }

    /// An encoding of every field that keys and ciphertexts depend on, equal
    /// for equal sets on every machine and in every version: what a file's
    /// fingerprint hashes. Not the promise, which is opinion.
    #[must_use]
    pub fn canonical_bytes(&self) -> Vec<u8> {
        let set = self.literal();
        let mut bytes = b"blindcore tfhe parameters 1\0".to_vec();
        bytes.extend_from_slice(set.name.as_bytes());
        bytes.push(0);
        let block = match set.small_key {
            SmallKey::Uniform => 1,
            SmallKey::Block(bits) => bits,
        };
        for field in [
            set.lwe_dimension,
            block,
            set.glwe_dimension,
            set.polynomial_size,
            set.bootstrap_base_log,
            set.bootstrap_levels,
            set.key_switch_base_log,
            set.key_switch_levels,
            set.key_switch_polynomial_size,
        ] {
            bytes.extend_from_slice(&field.to_le_bytes());
        }
        for field in [set.log2_lwe_deviation, set.log2_glwe_deviation] {
            bytes.extend_from_slice(&field.to_bits().to_le_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_found_by_name() {
        for set in SETS {
            assert_eq!(Parameters::new(*set.literal()), Ok(set));
            assert_eq!(Parameters::named(set.name()), Some(set));
        }
        assert_eq!(Parameters::named("P15"), None);
    }

    #[test]
    fn fingerprints_differ_between_sets() {
        let mut all: Vec<_> = SETS.iter().map(Parameters::canonical_bytes).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), SETS.len());
    }

    #[test]
    fn invalid_literals_say_why() {
        let good = *P16.literal();
        let reason = |literal| match Parameters::new(literal) {
            Err(TfheError::InvalidParameters { reason, .. }) => reason,
            other => panic!("{other:?}"),
        };
        for (literal, word) in [
            (
                ParameterLiteral {
                    polynomial_size: 2000,
                    ..good
                },
                "polynomial_size",
            ),
            (
                ParameterLiteral {
                    polynomial_size: 0,
                    ..good
                },
                "polynomial_size",
            ),
            (
                ParameterLiteral {
                    lwe_dimension: 890,
                    ..good
                },
                "lwe_dimension",
            ),
            (
                ParameterLiteral {
                    glwe_dimension: 2,
                    ..good
                },
                "glwe_dimension",
            ),
            (
                ParameterLiteral {
                    small_key: SmallKey::Block(3),
                    ..good
                },
                "blocks",
            ),
            (
                ParameterLiteral {
                    log2_glwe_deviation: f64::NAN,
                    ..good
                },
                "deviations",
            ),
            (
                ParameterLiteral {
                    key_switch_levels: 27,
                    ..good
                },
                "key switch gadget",
            ),
            (
                ParameterLiteral {
                    bootstrap_base_log: 32,
                    ..good
                },
                "bootstrap gadget",
            ),
        ] {
            assert!(reason(literal).contains(word), "{}", reason(literal));
        }
    }
}
