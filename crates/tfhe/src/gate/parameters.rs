//! Parameter sets of gate bootstrapping: a literal becomes a validated value in
//! one place, [`GateParameters::new`].
//!
//! They are a type of their own, apart from [`crate::Parameters`], because the
//! schemes differ in what a set has to say: bits live under the small key, the
//! key switch is the classical one from LWE to LWE, and the small key is uniform,
//! so that n is bound to no ring and to no block.

use crate::TfheError;
use crate::parameters::{
    Cost, Decomposition, GlweDimension, Literal, LweDimension, PolynomialSize, Promise, Set,
};

/// The unchecked description of a set: plain data, all fields public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateLiteral {
    /// The set's name, which states its promise or the paper that it is from.
    pub name: &'static str,
    /// What the analysis says: security, and failures of the worst gate on the
    /// noisiest operands ([`super::noise::GateNoise::log2_worst_failure`]).
    pub promise: Promise,
    /// Bits of the small key, n.
    pub lwe_dimension: u32,
    /// Coefficients of a polynomial, N; the big key has one polynomial.
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
    /// Levels of the key-switching key, t.
    pub key_switch_levels: u32,
}

/// A validated parameter set. Compared by value.
///
/// ```
/// use blindcore_tfhe::TfheError;
/// use blindcore_tfhe::gate::{
///     GATE_128_PFAIL_2M64, GATE_SETS, GATE_UNIFORM_128_PFAIL_2M64, GateLiteral, GateParameters,
///     TFHE_2016_93, TFHE_LIB_118,
/// };
///
/// // The sets of the library that the papers used, and ours.
/// let dimensions = [TFHE_2016_93, TFHE_LIB_118].map(|set| set.lwe_dimension().get());
/// assert_eq!(dimensions, [500, 630]);
/// let ours = GATE_UNIFORM_128_PFAIL_2M64;
/// assert!(ours.promise().security_bits >= 128.0);
/// assert!(GATE_128_PFAIL_2M64.promise().security_bits < 128.0);
/// assert_eq!((ours.polynomial_size().get(), ours.glwe_dimension().get()), (1024, 1));
/// let levels = ours.bootstrap_decomposition().levels.get() as u64;
/// let bits = ours.lwe_dimension().get() as u64;
/// assert_eq!(ours.transforms_per_rotation(), 2 * bits * (levels + 1));
/// assert_eq!(ours.bytes_per_bit(), 4 * (bits + 1));
/// assert!(ours.key_switch_decomposition().base_log < ours.bootstrap_decomposition().base_log);
///
/// assert_eq!(GateParameters::named(ours.name()), Some(ours));
/// assert!(GATE_SETS.contains(&ours));
/// let literal = GateLiteral { lwe_dimension: 0, ..*ours.literal() };
/// assert!(matches!(GateParameters::new(literal), Err(TfheError::InvalidParameters { .. })));
/// ```
pub type GateParameters = Set<GateLiteral>;

impl Literal for GateLiteral {
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
        GlweDimension(1)
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

/// Largest n: bounds what a description can make us allocate.
const LARGEST_DIMENSION: u32 = 1 << 12;

/// What must hold of a literal, in the order in which it is asked.
const fn fault(literal: &GateLiteral) -> Option<&'static str> {
    let size = literal.polynomial_size;
    if !size.is_power_of_two() || size < 64 || size > 1 << 15 {
        return Some("polynomial_size must be a power of two between 64 and 32768");
    }
    if literal.lwe_dimension == 0 || literal.lwe_dimension > LARGEST_DIMENSION {
        return Some("lwe_dimension must lie between 1 and 4096");
    }
    let (base, levels) = (literal.bootstrap_base_log, literal.bootstrap_levels);
    if base < 1 || base > 31 || levels < 1 || levels > 52 || base * levels > 52 {
        return Some("the bootstrap gadget needs 1 <= base_log <= 31 and at most 52 bits in all");
    }
    let (base, levels) = (literal.key_switch_base_log, literal.key_switch_levels);
    if base < 1 || base > 16 || levels < 1 || levels > 31 || base * levels > 31 {
        return Some("the key switch gadget needs 1 <= base_log <= 16 and at most 31 bits in all");
    }
    // Elements under the small key have 32 bits (see `GateCiphertext`), whose
    // rounding must disappear in the error.
    if literal.log2_lwe_deviation < -28.0 {
        return Some("the small key's deviation must be at least 2^-28");
    }
    None
}

impl GateParameters {
    /// Validates a literal.
    ///
    /// # Errors
    /// [`TfheError::InvalidParameters`] with the reason.
    pub fn new(literal: GateLiteral) -> Result<Self, TfheError> {
        Self::check(literal).map_err(|reason| TfheError::InvalidParameters {
            name: literal.name,
            reason,
        })
    }

    /// [`GateParameters::new`] for constants: usable at compile time.
    pub(super) const fn check(literal: GateLiteral) -> Result<Self, &'static str> {
        match fault(&literal) {
            Some(reason) => Err(reason),
            None => Set::new_unchecked(
                literal,
                literal.log2_lwe_deviation,
                literal.log2_glwe_deviation,
            ),
        }
    }

    /// The set of this name among [`super::GATE_SETS`].
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        super::GATE_SETS.into_iter().find(|set| set.name() == name)
    }

    /// Bytes of one encrypted bit: n + 1 words of 32 bits.
    #[must_use]
    pub fn bytes_per_bit(&self) -> u64 {
        4 * (u64::from(self.literal().lwe_dimension) + 1)
    }

    /// Transforms of N/2 complex points that one gate's rotation takes, forth and
    /// back: 2n(l + 1).
    #[must_use]
    pub fn transforms_per_rotation(&self) -> u64 {
        2 * u64::from(self.literal().lwe_dimension)
            * (u64::from(self.literal().bootstrap_levels) + 1)
    }

    /// Counts what the set costs: transforms of one rotation, and bytes of keys and bits.
    #[must_use]
    pub fn cost(&self) -> Cost {
        let n = u64::from(self.literal().lwe_dimension);
        let size = u64::from(self.literal().polynomial_size);
        let columns = self.glwe_dimension().get() as u64 + 1;
        let rows = n * columns * u64::from(self.literal().bootstrap_levels);
        let switch_rows = (columns - 1) * size * u64::from(self.literal().key_switch_levels);
        let streamed_bytes = 8 * rows * columns * size;
        Cost {
            transforms: self.transforms_per_rotation(),
            key_switch_transforms: None,
            streamed_bytes,
            // Rows of the key switch are n + 1 words of 32 bits.
            expanded_bytes: streamed_bytes + 4 * switch_rows * (n + 1),
            // Bodies alone: masks grow out of the seed.
            seeded_bytes: 8 * rows * size + 4 * switch_rows + random::Seed::LENGTH as u64,
            bit_bytes: self.bytes_per_bit(),
        }
    }
}
