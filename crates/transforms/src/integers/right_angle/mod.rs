//! Products of limb vectors by the complex right-angle convolution of balanced digits: certified
//! double precision.
//!
//! A vector of limbs is a polynomial in `2^b` with small signed coefficients. Modulo `X^(2N) + 1`
//! that polynomial folds to `N` complex numbers `x_j + i·x_(j+N)`, a residue modulo `X^N − i`, and
//! splits into its values at `N` points without a zero being padded: `N` complex points hold a
//! whole product of `2N` digits. Products of values, transformed back and rounded, are the
//! coefficients of the product, because their errors are below one half: a bound derived for this
//! very factorisation, on the exact norms of the operands, says so each time, and where it does not
//! the answer is [`Uncertain`] and an exact algorithm takes over.
//!
//! Why: no modular arithmetic costs as little as multiplication and addition of doubles, eight at a
//! time, and digits of 13 to 20 bits leave room for the sums. Cost, in vector operations: forward 6
//! for each radix-2 butterfly, backward 6.7 (8 for the three levels between lanes); a product of
//! 12,288 by 12,288 limbs is three transforms of 49,152 points. Everything between memory and
//! memory is two passes: digits and all stages on columns, in a buffer of the first-level cache;
//! then rows, with the product in between. There is no bit reversal, and no table of twists: the
//! root of a block is absorbed in its butterflies, as in the crate's negacyclic transform.
//!
//! Modulo `X^(2N) + 1` means modulo `2^(2Nb) + 1`: a product that is shorter is the product, and
//! [`Plan::modulo`] is for those who know the rest already (the second product of Barrett's or
//! Montgomery's reduction).
//!
//! Timing depends on the lengths of operands, and at carries and wraps on their values: not for
//! secrets.
//!
//! Sources: Brent and Zimmermann, *Modern Computer Arithmetic*, §3.3; the right-angle convolution
//! is in Crandall and Pomerance, *Prime Numbers*, §9.5; the certificate is derived in
//! `certificate.md`.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use blindcore_transforms::InstructionSet;
//! use blindcore_transforms::integers::right_angle::Plan;
//!
//! let plan = Plan::new(4, 1, InstructionSet::detect(), NonZeroUsize::MIN)?;
//! let [mut a, mut b, mut sum] = [plan.spectrum(), plan.spectrum(), plan.spectrum()];
//! plan.forward(&[u64::MAX, 1], &mut a)?;
//! plan.forward(&[3, 5], &mut b)?;
//! plan.multiply_add(&mut sum, &a, &b)?;
//! let mut product = [0; 4];
//! plan.inverse(&mut sum, &mut product)?;
//! assert_eq!(product, [u64::MAX - 2, 0, 10, 0]);
//! # Ok::<(), blindcore_transforms::integers::right_angle::RightAngleError>(())
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
