//! The noise of a gate, step by step, and the probability that it goes wrong.
//!
//! Variances are of the error as a fraction of the torus; B, l and σ are the
//! gadget and the deviation of the key in question, n and N the bits of the small
//! and of the big key.
//!
//! | step | variance |
//! |---|---|
//! | external product, bit set | 2lN·(B²+2)/12·σ² + (1+N/2)·B^(-2l)/12 + F |
//! | external product, bit clear | 2lN·(B²+2)/12·σ² + F |
//! | rotation, V_r | the sum over n products, half of the bits set |
//! | key switch, V_k | N·B^(-2t)/24 + N·t·σ²·(B²+2)/12 |
//! | modulus switch to 2N, V_m | (1 + n/4) / (12·(2N)²) |
//!
//! *External product.* A row's error e meets a digit d with mean square (B²+2)/12
//! ([`crate::gate`] balances digits as [`crate::Lookup`] does); 2l rows of N
//! coefficients each reach a coefficient of the phase. What the digits leave out of
//! the ciphertext, uniform in a step of B^-l, reaches the phase through 1 − S, of
//! squared norm 1 + N/2, but only if the bit is set. F is the rounding of a
//! double-precision transform, the fit of [`crate::noise`]; an exact transform has
//! none, and at the gadgets of the real sets it is less than 2^-42 of the rest.
//!
//! *Rotation.* The CMUX multiplies the difference (X^a − 1)·ACC by the encrypted bit
//! and adds it to ACC: the error of ACC stays as it is, whatever the bit, and that of
//! the product is added.
//!
//! *Key switch.* The remainder of a digit expansion, uniform in a step of B^-t, is
//! multiplied by a bit of the big key: N/2·B^(-2t)/12. Rows count with the digits that
//! multiply them; in the TFHE library, whose key holds every multiple of a row, it
//! would be one row's σ² for every digit that is not 0, half of this for B = 4.
//!
//! *Modulus switch.* Each element's rounding error, 1/12 of a step squared, is
//! multiplied by the key bit less its mean (`modulus_switch`), of variance 1/4.
//!
//! # Gates
//!
//! A gate's output has V_r + V_k, a multiplexer's 2V_r + V_k. A gate with weights w
//! (1 for the AND-like, 2 for XOR and XNOR) on operands of variances V_a and V_b
//! decides at a distance of w/8 with an error of variance w²(V_a + V_b) + V_m:
//!
//! p = c·erfc((w/8 − 1/4N) / √(2(w²(V_a + V_b) + V_m))).
//!
//! c is 1 for XOR, whose form is ±1/4 and errs to either side, and 1/2 for AND, whose
//! form is ±1/8 or ∓3/8 and has an edge at 1/8 on one side only. XOR still fails less
//! often, since the modulus switch counts a quarter in proportion. The 1/4N is half
//! a rotation: the constant polynomial is positive from count 0 on, so that rounding
//! to whole counts moves the edge by that much, against half of the operands.

use crate::noise::{digit_square, log2_two_sided, resolution_square, square_exp2, transform};

use super::gates::Gate;
use super::parameters::GateParameters;

/// Where a bit comes from, which decides how noisy it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GateSource {
    /// The owner encrypted it.
    Fresh,
    /// A gate of two inputs, or a refresh.
    Gate,
    /// A multiplexer: the sum of two rotations.
    Mux,
}

/// The variances of one parameter set, each a fraction of the torus squared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateNoise {
    /// What multiplying by an encrypted 1 adds to a coefficient.
    pub external_product_set: f64,
    /// What multiplying by an encrypted 0 adds to a coefficient.
    pub external_product_clear: f64,
    /// A rotation's output.
    pub rotation: f64,
    /// What the key switch adds.
    pub key_switch: f64,
    /// What the switch to 2N counts adds.
    pub modulus_switch: f64,
    /// A freshly encrypted bit.
    pub fresh: f64,
    /// Half a rotation count, 1/4N of the torus.
    pub(super) half_count: f64,
}

impl GateNoise {
    /// The noise of a set.
    #[must_use]
    pub fn new(parameters: &GateParameters) -> Self {
        let n = parameters.lwe_dimension().get() as f64;
        let size = parameters.polynomial_size().get() as f64;
        let gadget = parameters.bootstrap_decomposition();
        let rows = 2.0 * gadget.levels.get() as f64 * size;
        let ring = square_exp2(parameters.glwe_deviation().log2());
        let clear = rows * digit_square(gadget) * ring + transform(gadget, 1.0, size);
        let decomposition = (1.0 + size / 2.0) * resolution_square(gadget) / 12.0;
        let switch = parameters.key_switch_decomposition();
        let small = square_exp2(parameters.lwe_deviation().log2());
        Self {
            external_product_set: clear + decomposition,
            external_product_clear: clear,
            rotation: n * (clear + decomposition / 2.0),
            key_switch: size * resolution_square(switch) / 24.0
                + size * switch.levels.get() as f64 * small * digit_square(switch),
            modulus_switch: (1.0 + n / 4.0) / (12.0 * (2.0 * size).powi(2)),
            fresh: small,
            half_count: 0.25 / size,
        }
    }

    /// Variance of a bit.
    #[must_use]
    pub fn bit(&self, source: GateSource) -> f64 {
        match source {
            GateSource::Fresh => self.fresh,
            GateSource::Gate => self.rotation + self.key_switch,
            GateSource::Mux => 2.0 * self.rotation + self.key_switch,
        }
    }

    /// log2 of the probability that a gate on such bits goes wrong.
    ///
    /// ```
    /// use blindcore_tfhe::gate::noise::{GateNoise, GateSource};
    /// use blindcore_tfhe::gate::{GATE_UNIFORM_128_PFAIL_2M64, Gate};
    /// let noise = GateNoise::new(&GATE_UNIFORM_128_PFAIL_2M64);
    /// let and = noise.log2_failure(Gate::And, GateSource::Gate, GateSource::Gate);
    /// assert!(and < -64.0);
    /// assert!(noise.log2_failure(Gate::Xor, GateSource::Gate, GateSource::Gate) < and);
    ///
    /// // A multiplexer's output is noisier, and of two of them the worst gate is made.
    /// let mux = GateSource::Mux;
    /// assert!(noise.bit(GateSource::Fresh) < noise.bit(mux));
    /// assert_eq!(noise.log2_worst_failure(), noise.log2_failure(Gate::And, mux, mux));
    /// assert!(noise.log2_mux_failure(mux, mux, mux) > noise.log2_worst_failure());
    /// assert!(noise.log2_decryption_failure(mux) < noise.log2_worst_failure());
    /// ```
    #[must_use]
    pub fn log2_failure(&self, gate: Gate, a: GateSource, b: GateSource) -> f64 {
        let (_, weight, other) = gate.form();
        let squares = [weight, other].map(|weight| f64::from(weight * weight));
        let variance = squares[0] * self.bit(a) + squares[1] * self.bit(b);
        match weight.abs() {
            1 => self.log2_sign_failure(0.125, variance),
            _ => 1.0 + self.log2_sign_failure(0.25, variance),
        }
    }

    /// log2 of a bound on the probability that a multiplexer goes wrong: either of
    /// its rotations.
    #[must_use]
    pub fn log2_mux_failure(
        &self,
        select: GateSource,
        then: GateSource,
        otherwise: GateSource,
    ) -> f64 {
        let ways = [then, otherwise].map(|way| self.log2_failure(Gate::And, select, way));
        // log2(2^x + 2^y) from the larger on: the smaller may underflow.
        let (low, high) = (ways[0].min(ways[1]), ways[0].max(ways[1]));
        high + (low - high).exp2().ln_1p() / std::f64::consts::LN_2
    }

    /// log2 of the failure probability of the gate that fails most often: an AND of
    /// two multiplexers' outputs.
    #[must_use]
    pub fn log2_worst_failure(&self) -> f64 {
        self.log2_failure(Gate::And, GateSource::Mux, GateSource::Mux)
    }

    /// log2 of the probability that a bit decrypts wrongly: no modulus switch.
    #[must_use]
    pub fn log2_decryption_failure(&self, source: GateSource) -> f64 {
        log2_two_sided(0.125, self.bit(source)) - 1.0
    }

    /// That an error reaches past `margin` to one side.
    fn log2_sign_failure(&self, margin: f64, variance: f64) -> f64 {
        let variance = variance + self.modulus_switch;
        log2_two_sided(margin - self.half_count, variance) - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::sets::{
        GATE_128_PFAIL_2M64, GATE_SETS, GATE_UNIFORM_128_PFAIL_2M64, TFHE_2016_93, TFHE_LIB_118,
    };
    use super::*;

    /// Deviations and failures from a second implementation of the formulas (with
    /// mpmath, without the half count, which moves a failure by less than 0.5 %).
    #[test]
    fn noise_of_the_sets() {
        for (set, rotation, switch, modulus, and, xor, worst) in [
            (TFHE_LIB_118, -8.85, -8.21, -9.14, -323.6, -345.4, -256.9),
            (TFHE_2016_93, -8.36, -8.53, -9.30, -322.1, -338.7, -213.8),
            (
                GATE_UNIFORM_128_PFAIL_2M64,
                -7.80,
                -7.34,
                -9.08,
                -98.8,
                -100.0,
                -74.8,
            ),
            (
                GATE_128_PFAIL_2M64,
                -7.81,
                -7.26,
                -9.10,
                -92.9,
                -93.7,
                -71.9,
            ),
        ] {
            let noise = GateNoise::new(&set);
            for (variance, expected) in [
                (noise.rotation, rotation),
                (noise.key_switch, switch),
                (noise.modulus_switch, modulus),
            ] {
                let deviation: f64 = 0.5 * variance.log2();
                assert!(
                    (deviation - expected).abs() < 0.006,
                    "{}: {deviation}",
                    set.name()
                );
            }
            let of = |gate| noise.log2_failure(gate, GateSource::Gate, GateSource::Gate);
            for (failure, expected) in [
                (of(Gate::Nand), and),
                (of(Gate::Xnor), xor),
                (noise.log2_worst_failure(), worst),
            ] {
                assert!(
                    (failure / expected - 1.0).abs() < 0.005,
                    "{}: {failure}",
                    set.name()
                );
            }
        }
    }

    #[test]
    fn every_set_keeps_its_promise() {
        for set in GATE_SETS {
            let worst = GateNoise::new(&set).log2_worst_failure();
            assert!(
                worst <= set.promise().log2_failure,
                "{}: {worst}",
                set.name()
            );
        }
        let noise = GateNoise::new(&GATE_UNIFORM_128_PFAIL_2M64);
        let mux = noise.log2_mux_failure(GateSource::Mux, GateSource::Mux, GateSource::Mux);
        // Either of two rotations.
        assert!((mux - noise.log2_worst_failure() - 1.0).abs() < 1e-9);
        assert!(noise.log2_decryption_failure(GateSource::Mux) < -64.0);
    }
}
