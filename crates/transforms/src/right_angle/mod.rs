//! Products of limb vectors by the complex right-angle convolution of balanced digits: certified double
//! precision.
//!
//! A vector of limbs is a polynomial in `2^b` with small signed coefficients. Modulo `X^(2N) + 1` that
//! polynomial folds to `N` complex numbers `x_j + i·x_(j+N)`, a residue modulo `X^N − i`, and splits into its values
//! at `N` points without a zero being padded: `N` complex points hold a whole product of `2N`
//! digits. Products of values, transformed back and rounded, are the coefficients of the product, because their
//! errors are below one half: a bound derived for this very factorisation, on the exact norms of the
//! operands, says so each time, and where it does not the answer is [`Uncertain`] and an exact algorithm takes over.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use transforms::InstructionSet;
//! use transforms::right_angle::Plan;
//!
//! let plan = Plan::new(4, 1, InstructionSet::detect(), NonZeroUsize::MIN)?;
//! let [mut a, mut b, mut sum] = [plan.spectrum(), plan.spectrum(), plan.spectrum()];
//! plan.forward(&[u64::MAX, 1], &mut a)?;
//! plan.forward(&[3, 5], &mut b)?;
//! plan.multiply_add(&mut sum, &a, &b)?;
//! let mut product = [0; 4];
//! plan.inverse(&mut sum, &mut product)?;
//! assert_eq!(product, [u64::MAX - 2, 0, 10, 0]);
//! # Ok::<(), transforms::right_angle::RightAngleError>(())
//! ```

#![expect(
    clippy::needless_range_loop,
    reason = "the numbers of registers are those of the formulas, and unrolled"
)]

mod butterfly;
mod carry;
mod certificate;
mod digits;
mod error;
mod forward;
mod inverse;
mod plan;
mod product;
mod roots;
mod shape;
mod spectrum;
mod tables;
mod threads;
mod transform;

pub use error::{RightAngleError, Uncertain};
pub use plan::Plan;
pub use spectrum::Spectrum;

#[cfg(test)]
mod tests;
