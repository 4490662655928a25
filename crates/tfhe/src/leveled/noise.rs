//! What leveled operations add to the noise, and how often what reads it goes wrong.
//!
//! Variances are of the error as a fraction of the torus, as in [`crate::noise`]; D(b) = (4^b + 2)/12 is
//! the mean square of a digit of b bits, d the block size, σ² the variance of the key's rows, m the
//! selector's bit, L = log2 N, F the transform's rounding in one product by a GGSW ciphertext.
//!
//! A selector's function f combines the thermometers with its steps v_w = f(w) − f(w−1), w = 1, 2, 3.
//! Their errors are coefficients of one rotation at distances of N/16. A part C of its variance V is that
//! of e·ΣX^i/2, the same slowly varying error on all (as in [`crate::noise`]): coefficients at distance
//! x have the correlation 1 − 2x/N in it. So a function has the rotation's variance
//!
//! U = (V − C)·Σ v_w² + C·Σ v_w·v_w'·(1 − |w − w'|/8):
//!
//! V for t >= 2, but 2.1 V for the low bit of t, where Σ v_w² is 3. A parity is like t >= 2.
//!
//! | quantity | variance |
//! |---|---|
//! | V, the rotation | 4nNσ²·ΣD + 2n/(d+1)·(1 + N/2)·4^-34/12 + 2nF |
//! | C, of it | half of the second and the third term |
//! | A, an automorphism, a coefficient | N·4^-44/24 + Nσ²·ΣD + F/2 |
//! | Q, the product by S², a coefficient | N³·4^-40/576 + Nσ²·ΣD + F/2 |
//! | a level, its constant coefficient | U + A·(ν(4^L − 4^4) + 4^4 − 1)/3 |
//! | E, all coefficients of a level together | U + AN·(ν(2^L − 2^4) + 2^4 − 1) |
//! | R, a row that meets digits of the mask, a coefficient | E/2 + Q |
//! | P, packing adds to a bit of a full row | A·(N² − 1)/3 |
//! | a product adds | RN·ΣD(mask) + E·ΣD(body) + m·(N/24·4^-20 + 4^-15/12) + F |
//!
//! Each automorphism's error goes through those after it: step i of L counts 4^(L−i) at the constant
//! coefficient, where it doubles each time, and 2^(L−i)·N over all. The first L − 4 are those that all
//! thermometers share, so that ν = Σ v_w² counts them. Steps of a packing double a bit as well.
//!
//! # Tails
//!
//! A product's error is a sum of products of two normal numbers: a level's constant error, which every
//! use of the selector has in common, times a polynomial of digits. For one selector it is normal; over
//! all of them its tail falls as e^-x, and erfc promises too much. [`log2_tail`] is a bound for both kinds
//! together (H. Chernoff, 1952: the moment generating function of a product of two normal numbers of
//! variance s together is (1 − λ²s)^(-1/2)).

use transforms::torus::Gadget;

use super::gadgets::{AUTOMORPHISM, BODY, MASK, ROTATION, SQUARE};
use crate::noise::square_exp2;
use crate::parameters::Parameters;
use crate::table::TruthTable;

/// The variances of leveled operations under one set, each a fraction of the torus squared.
///
/// ```
/// use blindcore_tfhe::leveled::{LeveledNoise, log2_tail};
/// use blindcore_tfhe::noise::{HALF_WINDOW, NoiseBudget};
/// use blindcore_tfhe::{P16, TruthTable};
///
/// let (noise, budget) = (LeveledNoise::new(&P16), NoiseBudget::new(&P16));
/// // A choice adds two fifths of what a lookup's rotation has; the refreshed bit has next to nothing.
/// let low = TruthTable(0b1010);
/// let units = noise.product(low, true) / budget.rotation;
/// assert!((0.35..0.45).contains(&units));
/// assert!(noise.bit(low) < 1e-5 * budget.rotation);
///
/// // A lookup that reads four bits of weights 1, 2, 4, 8, each chosen five times in a row.
/// let depth = [noise.product(low, true); 5];
/// let chosen: Vec<f64> = depth.iter().flat_map(|x| [85.0 * x / 4.0; 4]).collect();
/// let switches = budget.key_switch + budget.modulus_switch;
/// let bound = log2_tail(HALF_WINDOW, switches, &chosen);
/// assert!(bound < -100.0 && bound > budget.log2_failure(85.0 * 5.0 * units));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeveledNoise {
    /// A coefficient of the rotation with three levels, V.
    pub rotation: f64,
    /// The part of it that all coefficients have in common, C.
    pub common: f64,
    /// What an automorphism adds to a coefficient, A.
    pub automorphism: f64,
    /// What a product by S² adds to a coefficient, Q.
    pub square: f64,
    /// Coefficients of a polynomial, N.
    size: f64,
}

impl LeveledNoise {
    /// The variances under a set.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let n = parameters.lwe_dimension().get() as f64;
        let size = parameters.polynomial_size().get() as f64;
        let errors = square_exp2(parameters.glwe_deviation().log2());
        let set = 1.0 / (parameters.block_bits() as f64 + 1.0);
        let switch = |gadget| size * errors * digits(gadget) + 0.5 * transform(gadget, size);
        let rounding = 2.0 * n * set * (1.0 + size / 2.0) * left_out(ROTATION)
            + 2.0 * n * transform(ROTATION, size);
        Self {
            rotation: 4.0 * n * size * errors * digits(ROTATION) + rounding,
            common: 0.5 * rounding,
            automorphism: size / 2.0 * left_out(AUTOMORPHISM) + switch(AUTOMORPHISM),
            // Coefficients of S² run from −N/4 to N/4.
            square: size.powi(3) / 48.0 * left_out(SQUARE) + switch(SQUARE),
            size,
        }
    }

    /// A level: its constant coefficient, and all coefficients together.
    fn level(&self, function: TruthTable) -> (f64, f64) {
        let value = |t: u32| f64::from(u8::from(function.at(t)));
        let steps = [1, 2, 3].map(|w| value(w) - value(w - 1));
        let (mut nu, mut varying) = (0.0, 0.0);
        for (i, a) in steps.into_iter().enumerate() {
            nu += a * a;
            for (j, b) in steps.into_iter().enumerate() {
                varying += a * b * (1.0 - i.abs_diff(j) as f64 / 8.0);
            }
        }
        let rotation = (self.rotation - self.common) * nu + self.common * varying;
        let size = self.size;
        let constant = (nu * (size * size - 256.0) + 255.0) / 3.0;
        let together = size * (nu * (size - 16.0) + 15.0);
        (
            rotation + self.automorphism * constant,
            rotation + self.automorphism * together,
        )
    }

    /// The refreshed bit that a function's selector has as a by-product.
    #[must_use]
    pub fn bit(&self, function: TruthTable) -> f64 {
        self.level(function).0
    }

    /// A coefficient of a row that meets digits of the mask, R.
    #[must_use]
    pub fn mask_row(&self, function: TruthTable) -> f64 {
        self.level(function).1 / 2.0 + self.square
    }

    /// What a product by the selector of a function adds, where the function is `bit`.
    #[must_use]
    pub fn product(&self, function: TruthTable, bit: bool) -> f64 {
        let (_, together) = self.level(function);
        let left_out = self.size / 2.0 * left_out(MASK) + left_out(BODY);
        self.mask_row(function) * self.size * digits(MASK)
            + together * digits(BODY)
            + f64::from(u8::from(bit)) * left_out
            + transform(MASK, self.size)
    }

    /// What packing adds to a bit in a full row, the most: P.
    #[must_use]
    pub fn packing(&self) -> f64 {
        self.automorphism * (self.size * self.size - 1.0) / 3.0
    }

    /// A bit loaded by `depth` selectors of a function from bits of variance `data`, at most: every
    /// bit of the index is one product, wherever it is in the array.
    #[must_use]
    pub fn load(&self, data: f64, function: TruthTable, depth: u32) -> f64 {
        data + self.packing() + f64::from(depth) * self.product(function, true)
    }
}

impl LeveledNoise {
    /// What a store by `depth` selectors of a function, that of the enabling condition among them, adds to
    /// a bit that is not written, at most: a product for each. In units of the torus, at scale 1/2 as at
    /// scale 1/32.
    #[must_use]
    pub fn store(&self, function: TruthTable, depth: u32) -> f64 {
        f64::from(depth) * self.product(function, true)
    }

    /// What a bit has that was written so, from one of variance `data`: instead of the bit that was there
    /// it has the new one, the products of the load that took the old one away, and a packing.
    #[must_use]
    pub fn stored(&self, data: f64, function: TruthTable, depth: u32) -> f64 {
        data + self.packing() + 2.0 * self.store(function, depth)
    }
}

/// Bits of each digit.
fn bits(gadget: Gadget) -> impl Iterator<Item = u32> {
    (1..=gadget.levels()).map(move |level| match level {
        1 => gadget.exponent(1),
        _ => gadget.base_log(),
    })
}

/// Σ4^b.
fn squares(gadget: Gadget) -> f64 {
    bits(gadget).map(|bits| square_exp2(f64::from(bits))).sum()
}

/// ΣD(b).
fn digits(gadget: Gadget) -> f64 {
    (squares(gadget) + 2.0 * f64::from(gadget.levels())) / 12.0
}

/// The variance of what the digits leave out.
fn left_out(gadget: Gadget) -> f64 {
    square_exp2(-f64::from(gadget.exponent(gadget.levels()))) / 12.0
}

/// F, as [`crate::noise`] has it for one mask polynomial.
fn transform(gadget: Gadget, size: f64) -> f64 {
    let levels = f64::from(gadget.levels());
    0.0117
        * square_exp2(-53.0)
        * squares(gadget)
        * levels.powf(0.01827)
        * size.powf(2.22003)
        * 2f64.powf(1.01827)
}

/// log2 of a bound on the probability that an error leaves ±`margin`: the sum of a normal number of
/// variance `normal` and of independent products of two normal numbers, each of the variance given. A
/// choice is four such products, a quarter of its variance each. Selectors of one rotation have their
/// constant errors in common: their products count as one, with their variances' sum.
///
/// The variances are positive numbers; the bound is at most 1.
#[must_use]
pub fn log2_tail(margin: f64, normal: f64, products: &[f64]) -> f64 {
    let largest = products.iter().copied().fold(0.0, f64::max);
    // λ below the first pole; without products, up to twice the best for a normal number.
    let top = match largest > 0.0 {
        true => 1.0 / largest.sqrt(),
        false => 2.0 * margin / normal,
    };
    const STEPS: u32 = 4000;
    let exponents = (1..STEPS).map(|step| {
        let lambda = top * f64::from(step) / f64::from(STEPS);
        let products = products
            .iter()
            .map(|s| 0.5 * (-lambda * lambda * s).ln_1p());
        lambda * lambda * normal / 2.0 - products.sum::<f64>() - lambda * margin
    });
    let least = exponents.fold(0.0, f64::min);
    (1.0 + least * std::f64::consts::LOG2_E).min(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::log2_two_sided;

    /// Above the exact tail of a normal number and of a product of two, 2/π ∫ K0, which tends to
    /// √(2/(πx))·e^-x; and by no more than such bounds give away.
    #[test]
    fn the_bound_is_one_and_not_far() {
        for deviations in [4.0, 8.0, 12.0] {
            let exact = log2_two_sided(deviations, 1.0);
            let bound = log2_tail(deviations, 1.0, &[]);
            assert!(exact < bound && bound < exact + 6.0, "{exact} {bound}");
        }
        for deviations in [18.0f64, 36.0, 72.0] {
            let decay = deviations * std::f64::consts::LOG2_E;
            let exact = 0.5 * (2.0 / std::f64::consts::PI / deviations).log2() - decay;
            let bound = log2_tail(deviations, 1e-12, &[1.0]);
            assert!(exact < bound && bound < exact + 9.0, "{exact} {bound}");
        }
    }
}
