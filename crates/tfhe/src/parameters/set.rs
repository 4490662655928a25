//! A validated set of either engine: what both say of themselves.

use random::StandardDeviation;

use super::{Decomposition, GlweDimension, LweDimension, PolynomialSize, Promise};

/// The unchecked description of a set: what the sets of both engines say, in typed numbers.
///
/// A description becomes a [`Set`] by the engine's own check:
/// [`Parameters::new`](super::Parameters::new) for lookups,
/// [`GateParameters::new`](crate::gate::GateParameters::new) for gates.
pub trait Literal: Copy {
    /// The set's name.
    fn name(&self) -> &'static str;

    /// What the analysis behind the set says.
    fn promise(&self) -> Promise;

    /// Bits of the small key, n.
    fn lwe_dimension(&self) -> LweDimension;

    /// Ring polynomials of the big key, k.
    fn glwe_dimension(&self) -> GlweDimension;

    /// Coefficients of a ring polynomial, N.
    fn polynomial_size(&self) -> PolynomialSize;

    /// The bootstrapping key's gadget.
    fn bootstrap_decomposition(&self) -> Decomposition;

    /// The key-switching key's gadget.
    fn key_switch_decomposition(&self) -> Decomposition;
}

/// A validated parameter set: [`Parameters`](super::Parameters) or
/// [`GateParameters`](crate::gate::GateParameters). Compared by value.
///
/// ```
/// use blindcore_tfhe::gate::{GATE_SETS, TFHE_LIB_118};
/// use blindcore_tfhe::{Literal, P16, SETS, Set};
///
/// /// Bits of a set's big key, whichever engine it is for.
/// fn big_bits<L: Literal>(set: &Set<L>) -> usize {
///     set.glwe_dimension().get() * set.polynomial_size().get()
/// }
///
/// assert_eq!((big_bits(&P16), big_bits(&TFHE_LIB_118)), (2048, 1024));
/// assert!(SETS.iter().map(big_bits).chain(GATE_SETS.iter().map(big_bits)).all(|bits| bits >= 256));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Set<L> {
    literal: L,
    lwe_deviation: StandardDeviation,
    glwe_deviation: StandardDeviation,
}

impl<L: Copy> Set<L> {
    /// A set whose description was checked but for its deviations.
    pub(crate) const fn new_unchecked(
        literal: L,
        log2_lwe_deviation: f64,
        log2_glwe_deviation: f64,
    ) -> Result<Self, &'static str> {
        let (Some(lwe_deviation), Some(glwe_deviation)) = (
            StandardDeviation::from_log2(log2_lwe_deviation),
            StandardDeviation::from_log2(log2_glwe_deviation),
        ) else {
            return Err("deviations must lie between 2^-64 and 2^-2");
        };
        Ok(Self {
            literal,
            lwe_deviation,
            glwe_deviation,
        })
    }

    /// The description it was made from.
    #[must_use]
    pub fn literal(&self) -> &L {
        &self.literal
    }

    /// Deviation of errors under the small key.
    #[must_use]
    pub(crate) fn lwe_deviation(&self) -> StandardDeviation {
        self.lwe_deviation
    }

    /// Deviation of errors under the big key.
    #[must_use]
    pub(crate) fn glwe_deviation(&self) -> StandardDeviation {
        self.glwe_deviation
    }
}

impl<L: Literal> Set<L> {
    /// The set's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.literal.name()
    }

    /// What the analysis behind the set says.
    #[must_use]
    pub fn promise(&self) -> Promise {
        self.literal.promise()
    }

    /// Bits of the small key, n.
    #[must_use]
    pub fn lwe_dimension(&self) -> LweDimension {
        self.literal.lwe_dimension()
    }

    /// Ring polynomials of the big key, k.
    #[must_use]
    pub fn glwe_dimension(&self) -> GlweDimension {
        self.literal.glwe_dimension()
    }

    /// Coefficients of a ring polynomial, N.
    #[must_use]
    pub fn polynomial_size(&self) -> PolynomialSize {
        self.literal.polynomial_size()
    }

    /// The bootstrapping key's gadget.
    #[must_use]
    pub fn bootstrap_decomposition(&self) -> Decomposition {
        self.literal.bootstrap_decomposition()
    }

    /// The key-switching key's gadget.
    #[must_use]
    pub fn key_switch_decomposition(&self) -> Decomposition {
        self.literal.key_switch_decomposition()
    }

    /// log2 of 2N, the modulus to which phases are switched.
    pub(crate) fn log2_rotations(&self) -> u32 {
        self.polynomial_size().0.ilog2() + 1
    }
}
