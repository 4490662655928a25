//! The noise of every step, and the probability that a lookup goes wrong.
//!
//! All variances are of the error as a *fraction of the torus*: an error of
//! 2^63 units of 2^-64 is 1/2. Write B and l for a gadget's base and levels, n
//! and σ_n for the small key, k, N and σ for the big one, d for the block size
//! (1 for a uniform key).
//!
//! | step | variance |
//! |---|---|
//! | fresh, with the secret key | σ² |
//! | fresh, with the public key | (1 + N/2 + kN/2)·σ² |
//! | key switch | kN·B^(-2l)/24 + kN·l·σ_n²·(B²+2)/12 |
//! | modulus switch to w | (1 + n·Var(s)) / (12w²), Var(s) = d/(d+1)² |
//! | rotation, block | 2n(k+1)lN·(B²+2)/12·σ² + 2n/(d+1)·(1+kN/2)·B^(-2l)/12 + 2n·F |
//! | rotation, uniform | n(k+1)lN·(B²+2)/12·σ² + n/2·(1+kN/2)·B^(-2l)/12 + n·F |
//!
//! The public key's three terms are e₂, e·u and e₁·s, u and s uniform binary
//! ([`crate::PublicKey`]). Bits of one such ciphertext have them in common in part: at worst a sum
//! of fresh bits has the square of its weights' sum for the sum of their squares. For 32 bits held
//! at scale 1/2, the most that a lookup takes, that is still less than 2^-37 units.
//!
//! F is the rounding error of one external product by a double-precision
//! transform: 0.0117·2^-106·B²·l^1.018·k^1.220·N^2.220·(k+1)^1.018. The form is the
//! fit of tfhe-rs (`noise_formulas`), whose constant is 0.00705. Ours are 0.0099
//! with fused multiply-add (the other terms made negligible: B = 2^26, σ = 2^-63)
//! and 0.0117 without, from the difference of whole rotations at P16. The larger
//! counts, so that a promise holds on every machine; with fused arithmetic a
//! rotation of P16 has nine tenths of the variance given here. The factor 2 of
//! the block form comes from the products being multiplied by X^a − 1. The
//! modulus switch removes the mean of its rounding
//! errors (eprint 2025/809); without that Var(s) would be E\[s²\].
//!
//! # How narrow a key may be stored
//!
//! Were the key's spectra stored as multiples of Δ, every coefficient of its rows would be off by
//! Δ²/(12M), M = N/2, in the body and in the mask, and the mask's part reaches the phase times the
//! big key: σ² grows by Δ²/(12M)·(1 + kN/2). Measured (`measured::narrow`), a key of P16 in steps
//! of 2^19 units has rotations of 2^-13.90, as predicted, in place of 2^-14.71. A fiftieth more
//! variance, which is what the limits of the circuits have to spare, allows 2^15 units, and a
//! fixed-point number at that step has 57 bits with room for points of seven deviations (56 with
//! room for six). The formula so allows seven bytes for eight. They would have to be spread and
//! converted, three vector operations for every eight numbers where a block step has four and is
//! what limits batches: the key is stored as doubles.
//!
//! # Lookups
//!
//! A lookup's input is a weighted sum of outputs of earlier rotations. Output j
//! of a rotation is extracted with the integer vector v_j
//! (multi-value bootstrapping: its steps); outputs of one rotation share their noise. With V the
//! rotation's variance, the sum's is V times its *factor*, and the lookup fails
//! with probability
//!
//! erfc(1/64 / √(2(factor·V + V_ks + V_ms))),
//!
//! 1/64 being half a window of the sixteen values in the half torus.
//!
//! Were the coefficients of a rotation independent, the factor would be
//! Σ over rotations ‖Σ_j w_j·v_j‖². They are not. Rounding errors of the mask reach
//! the phase multiplied by the big key, whose bits have mean 1/2; half of their
//! variance is therefore that of e·ΣX^i/2, the same slowly varying error on every
//! coefficient. v multiplies it by v·ΣX^i = 2f: that share M of V
//! ([`NoiseBudget::common`]) counts 4·mean(f²), with f = Σ_j w_j·f_j, and only the
//! rest counts ‖v‖². It is *less* for everything that oscillates (bit 0 of t: 2
//! for 16; an addition in the noisiest alignment: 94 for 562), and more for a
//! function like t >= 1 (3.75 for 2).

mod kinds;
mod tail;

use crate::parameters::{Decomposition, Parameters, SmallKey};

pub use kinds::{HALF_WINDOW_OF_PARITY, KINDS, Kind, Source};
use tail::log2_erfc;
pub(crate) use tail::log2_two_sided;

/// Half of a lookup's window: 1/64 of the torus.
pub const HALF_WINDOW: f64 = 1.0 / 64.0;

/// The variances of one parameter set, each a fraction of the torus squared.
///
/// ```
/// use blindcore_tfhe::noise::{ExternalProduct, HALF_WINDOW, NoiseBudget};
/// use blindcore_tfhe::{P16, P16_UNIFORM};
///
/// let budget = NoiseBudget::new(&P16);
/// // A lookup sees its inputs' noise and that of both switches.
/// let sum = 10.0;
/// assert_eq!(budget.lookup(sum), sum * budget.rotation + budget.key_switch + budget.modulus_switch);
/// assert!(budget.lookup(sum).sqrt() < HALF_WINDOW / 10.0);
/// // One output has ‖v‖² times a rotation's noise, but for the part that all coefficients share.
/// assert_eq!(budget.output(1.0, 0.25), budget.rotation);
/// // A product by a bit that is set has what the digits leave out, too.
/// let product: ExternalProduct = budget.external_product;
/// assert_eq!(product.variance(true) - product.variance(false), product.decomposition);
/// // Without rounding in the transform there is less of it.
/// assert!(NoiseBudget::new(&P16_UNIFORM).with_exact_transform().rotation < NoiseBudget::new(&P16_UNIFORM).rotation);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseBudget {
    /// One output of a rotation with ‖v‖² = 1: the unit of every factor.
    pub rotation: f64,
    /// The part of it that all coefficients have in common; see the module.
    pub common: f64,
    /// What one multiplication by an encrypted bit of the small key adds.
    pub external_product: ExternalProduct,
    /// What the key switch adds.
    pub key_switch: f64,
    /// What the switch to 2N rotations adds.
    pub modulus_switch: f64,
    /// An input bit freshly encrypted with the secret key.
    pub fresh: f64,
    /// An input bit freshly encrypted with the public key.
    pub public: f64,
    /// What switching an output to 16 bits per element adds.
    pub shrink: f64,
    /// What rounding a row of outputs to 16 bits per element adds to each.
    pub shrink_row: f64,
}

/// The variance of one external product, by its causes: the product of a GLWE ciphertext by the
/// GGSW encryption of a bit of the small key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExternalProduct {
    /// Products that add up in one rotation: n, twice that for blocks, whose products are
    /// multiplied by X^a − 1.
    pub products: f64,
    /// How often the bit is set: 1/2, or 1/(d + 1) for blocks.
    pub set: f64,
    /// The errors of the key's rows, weighed by the digits.
    pub errors: f64,
    /// What the digits leave out of the ciphertext: arises only where the bit is set.
    pub decomposition: f64,
    /// Rounding in the transform.
    pub transform: f64,
}

impl ExternalProduct {
    /// One product by a set bit, or by a clear one.
    #[must_use]
    pub fn variance(&self, set: bool) -> f64 {
        self.errors + self.transform + if set { self.decomposition } else { 0.0 }
    }

    /// A rotation.
    fn rotation(&self) -> f64 {
        self.products * (self.errors + self.set * self.decomposition + self.transform)
    }

    /// The part of a rotation that all its coefficients have in common.
    fn common(&self) -> f64 {
        0.5 * self.products * (self.set * self.decomposition + self.transform)
    }
}

impl NoiseBudget {
    /// The budget of a set, for a key of mean weight.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        Self::with_weights(parameters, &Weights::mean(parameters))
    }

    /// The budget of one key, and of the steps that really count. The difference matters where keys
    /// are short: of 32 bits in blocks, 26 are clear, give or take one, and of eight steps the
    /// first finds a constant without a mask, whose digits are next to nothing. Either doubles or
    /// halves a failure probability of 2^-12.
    #[cfg(test)]
    #[cfg(feature = "secret")]
    pub(crate) fn of_key(secret: &crate::SecretKey) -> Self {
        let parameters = secret.parameters();
        let mut budget = Self::with_weights(parameters, &Weights::of(secret));
        let steps = parameters.lwe_dimension().get() / parameters.block_bits();
        budget.external_product.products *= 1.0 - 1.0 / steps as f64;
        budget.rotation = budget.external_product.rotation();
        budget.common = budget.external_product.common();
        budget
    }

    fn with_weights(parameters: &Parameters, weights: &Weights) -> Self {
        let rotations = f64::from(parameters.log2_rotations()).exp2();
        let external_product = external_product(parameters, weights);
        let fresh = square_exp2(parameters.glwe_deviation().log2());
        let ring = parameters.polynomial_size().get() as f64;
        Self {
            rotation: external_product.rotation(),
            common: external_product.common(),
            external_product,
            key_switch: key_switch(parameters, weights),
            modulus_switch: modulus_switch(weights, rotations),
            fresh,
            public: fresh * (1.0 + ring / 2.0 + weights.big),
            shrink: modulus_switch(weights, 65536.0),
            shrink_row: (1.0 + weights.big) / 12.0 / (65536.0 * 65536.0),
        }
    }

    /// The same set on a processor whose transform does not round (`ntt`).
    #[must_use]
    pub fn with_exact_transform(mut self) -> Self {
        self.external_product.transform = 0.0;
        self.rotation = self.external_product.rotation();
        self.common = self.external_product.common();
        self
    }

    /// A fresh input bit's variance in units of one rotation output, by whichever key it was
    /// encrypted: that of the public one, which is the larger.
    ///
    /// ```
    /// use blindcore_tfhe::{P16, noise::NoiseBudget};
    /// let budget = NoiseBudget::new(&P16);
    /// assert!(budget.fresh < budget.public);
    /// // Nothing that a lookup notices, even where 32 bits at scale 1/2 have all noise in common.
    /// assert!(f64::powi(32.0 * 16.0, 2) * budget.fresh_factor() < f64::exp2(-37.0));
    /// ```
    #[must_use]
    pub fn fresh_factor(&self) -> f64 {
        self.public / self.rotation
    }

    /// Variance of one output, exactly: `norm_squared` is ‖v‖² of its vector,
    /// `mean_square` the mean of f² over the sixteen values.
    #[must_use]
    pub fn output(&self, norm_squared: f64, mean_square: f64) -> f64 {
        (self.rotation - self.common) * norm_squared + self.common * 4.0 * mean_square
    }

    /// Variance of what a lookup whose inputs have this factor sees.
    #[must_use]
    pub fn lookup(&self, factor: f64) -> f64 {
        factor * self.rotation + self.key_switch + self.modulus_switch
    }

    /// log2 of the probability that such a lookup goes wrong.
    #[must_use]
    pub fn log2_failure(&self, factor: f64) -> f64 {
        log2_two_sided(HALF_WINDOW, self.lookup(factor))
    }

    /// The largest factor whose lookup fails with probability at most
    /// 2^`log2_failure`; 0 if even exact inputs would fail more often.
    ///
    /// ```
    /// use blindcore_tfhe::{P16, noise::NoiseBudget};
    /// let budget = NoiseBudget::new(&P16);
    /// let limit = budget.largest_factor(-100.0);
    /// // An addition whose operands are each shifted by a bit against the slices that
    /// // made them: ‖v‖² is 562, 4·mean(f²) is 94.
    /// let common = budget.common / budget.rotation;
    /// assert!(limit > (1.0 - common) * 562.0 + common * 94.0);
    /// assert!(budget.log2_failure(limit) <= -99.999);
    /// ```
    #[must_use]
    pub fn largest_factor(&self, log2_failure: f64) -> f64 {
        // erfc decreases, so bisection on the number of deviations converges;
        // 64 deviations are 2^-2960.
        let (mut low, mut high) = (0.0, 64.0);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if log2_erfc(middle / std::f64::consts::SQRT_2) > log2_failure {
                low = middle;
            } else {
                high = middle;
            }
        }
        let variance = (HALF_WINDOW / high).powi(2);
        ((variance - self.key_switch - self.modulus_switch) / self.rotation).max(0.0)
    }

    /// log2 of the probability that an output bit of this factor, shrunk for
    /// transport, by itself or in a row, is decrypted wrongly: less than that of a lookup that reads it.
    ///
    /// ```
    /// use blindcore_tfhe::{P16, noise::NoiseBudget};
    /// let budget = NoiseBudget::new(&P16);
    /// // A lookup's output has 16 at most, a sum of several as much as may be read.
    /// assert!(budget.log2_output_failure(16.0) < -390.0);
    /// let limit = budget.largest_factor(-100.0);
    /// assert!(budget.log2_output_failure(limit) < -160.0);
    /// ```
    #[must_use]
    pub fn log2_output_failure(&self, factor: f64) -> f64 {
        let shrinking = self.shrink_row.max(self.key_switch + self.shrink);
        log2_two_sided(HALF_WINDOW, factor * self.rotation + shrinking)
    }
}

pub(crate) fn square_exp2(log2: f64) -> f64 {
    (2.0 * log2).exp2()
}

/// (B² + 2)/12: the mean square of a balanced digit.
pub(crate) fn digit_square(gadget: Decomposition) -> f64 {
    (square_exp2(f64::from(gadget.base_log.0)) + 2.0) / 12.0
}

/// B^(-2l): the square of the least digit's weight.
pub(crate) fn resolution_square(gadget: Decomposition) -> f64 {
    square_exp2(-f64::from(gadget.base_log.0 * gadget.levels.0))
}

/// F: rounding in the transforms of one external product, with k mask polynomials of `size`
/// coefficients.
pub(crate) fn transform(gadget: Decomposition, k: f64, size: f64) -> f64 {
    0.0117
        * square_exp2(f64::from(gadget.base_log.0) - 53.0)
        * f64::from(gadget.levels.0).powf(1.01827)
        * k.powf(1.22003)
        * size.powf(2.22003)
        * (k + 1.0).powf(1.01827)
}

/// What of the keys decides how errors of masks reach a phase.
struct Weights {
    /// Share of the small key's bits that are set.
    set: f64,
    /// Σ(s − E\[s\])² over the small key.
    centred: f64,
    /// Set bits of the big key.
    big: f64,
}

impl Weights {
    /// On average: n·Var(s), kN/2.
    fn mean(parameters: &Parameters) -> Self {
        let d = parameters.block_bits() as f64;
        Self {
            set: 1.0 / (d + 1.0),
            centred: parameters.lwe_dimension().get() as f64 * d / (d + 1.0).powi(2),
            big: parameters.big_lwe_dimension().get() as f64 / 2.0,
        }
    }

    #[cfg(test)]
    #[cfg(feature = "secret")]
    fn of(secret: &crate::SecretKey) -> Self {
        let mean = Self::mean(secret.parameters()).set;
        let weight = |bits: &[u8]| bits.iter().map(|&bit| f64::from(bit)).sum::<f64>();
        let small = secret.small_bits();
        let (n, set) = (small.len() as f64, weight(small));
        Self {
            set: set / n,
            centred: set * (1.0 - mean).powi(2) + (n - set) * mean.powi(2),
            big: weight(secret.big_bits()),
        }
    }
}

fn key_switch(parameters: &Parameters, weights: &Weights) -> f64 {
    let gadget = parameters.key_switch_decomposition();
    let big = parameters.big_lwe_dimension().get() as f64;
    let key = square_exp2(parameters.lwe_deviation().log2());
    weights.big * resolution_square(gadget) / 12.0
        + big * f64::from(gadget.levels.0) * key * digit_square(gadget)
}

/// To the modulus `w`, with the mean of the rounding errors removed.
fn modulus_switch(weights: &Weights, w: f64) -> f64 {
    (1.0 + weights.centred) / (12.0 * w * w)
}

fn external_product(parameters: &Parameters, weights: &Weights) -> ExternalProduct {
    let gadget = parameters.bootstrap_decomposition();
    let levels = f64::from(gadget.levels.0);
    let n = parameters.lwe_dimension().get() as f64;
    let k = parameters.glwe_dimension().get() as f64;
    let size = parameters.polynomial_size().get() as f64;
    let key = square_exp2(parameters.glwe_deviation().log2());
    let products = match parameters.small_key() {
        SmallKey::Uniform => n,
        SmallKey::Block(_) => 2.0 * n,
    };
    ExternalProduct {
        products,
        set: weights.set,
        errors: (k + 1.0) * levels * size * digit_square(gadget) * key,
        decomposition: (1.0 + weights.big) * resolution_square(gadget) / 12.0,
        transform: transform(gadget, k, size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{P16, P16_128_PFAIL_2M100, P16_UNIFORM};

    /// Values of a second implementation of the table's formulas; the failures
    /// are those of an addition whose operands are shifted by a bit, and of t in its
    /// four bits.
    #[test]
    fn budgets_of_the_sets() {
        let deviation = |variance: f64| 0.5 * variance.log2();
        for (set, rotation, switch, modulus, addition, value) in [
            (P16, -14.71, -10.57, -10.21, -111.46, -119.30),
            (
                P16_128_PFAIL_2M100,
                -14.60,
                -11.40,
                -10.21,
                -123.80,
                -140.85,
            ),
            (P16_UNIFORM, -14.86, -12.01, -9.89, -114.65, -122.80),
        ] {
            let budget = NoiseBudget::new(&set);
            assert!(
                (deviation(budget.rotation) - rotation).abs() < 0.006,
                "{budget:?}"
            );
            assert!(
                (deviation(budget.key_switch) - switch).abs() < 0.006,
                "{budget:?}"
            );
            assert!(
                (deviation(budget.modulus_switch) - modulus).abs() < 0.006,
                "{budget:?}"
            );
            let share = budget.common / budget.rotation;
            let failure = |norm, mean| budget.log2_failure((1.0 - share) * norm + share * mean);
            assert!((failure(562.0, 94.0) - addition).abs() < 0.02);
            assert!((failure(240.0, 310.0) - value).abs() < 0.02);
        }
    }

    #[test]
    fn the_largest_factor_is_where_the_promise_ends() {
        for (set, expected) in [
            (P16, 489.5),
            (P16_128_PFAIL_2M100, 602.9),
            (P16_UNIFORM, 576.8),
        ] {
            let budget = NoiseBudget::new(&set);
            let limit = budget.largest_factor(set.promise().log2_failure);
            assert!((budget.log2_failure(limit) - set.promise().log2_failure).abs() < 1e-6);
            assert!((limit - expected).abs() < 0.1, "{limit}");
            assert_eq!(budget.largest_factor(-1e4), 0.0);
        }
    }
}
