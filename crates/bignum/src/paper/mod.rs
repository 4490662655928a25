//! The 786,432-bit multiplier of a paper, bit for bit: the golden model of a hardware design.
//!
//! **What.** A number is cut into 32,768 digits of 24 bits, padded to 65,536 samples, and
//! multiplied by Strassen's method over the field of `p = 2^64 − 2^32 + 1` elements: two
//! transforms, a component-wise product, an inverse transform, carries. Sixty-five thousand points
//! are four stages of sixteen, and because 2 is a root of unity of order 192 the transforms of
//! sixteen points are shifts and sums ([`wide`]); twiddle factors stand between the stages
//! ([`stages`]). Samples lie in sixteen memories that every group of sixteen reads without a
//! conflict ([`memory`]), and carries are resolved by a look-ahead in two steps ([`carries`]).
//!
//! **Why.** Whoever builds the circuit needs every number on the way: [`Trace`] has them, and
//! `vectors/multiplier` the beginnings and the digests of some. A few tenths of a second a product:
//! for speed the same algorithm is `transforms::integers::goldilocks_cyclic`, whose every spectrum
//! value a test compares with this one. What the method costs in instructions of a plain processor,
//! beside its competitors, is counted by [`counts`].
//!
//! **Exact when.** A sum of 32,768 products of digits is below `2^15·2^48 < p`.
//!
//! **Source.** V. Santhosh Kumar and R. Mohan, *Fully homomorphic encryption using low power
//! multiplier*, IJERA 5(1), 2015: in substance W. Wang, X. Huang, N. Emmart and C. Weems, *VLSI
//! design of a large-number multiplier for fully homomorphic encryption*, IEEE TVLSI 22(9), 2014.
//! Sections and equations are those of the former. Two of its lines cannot be followed: the printed
//! root ([`field::PRINTED_ROOT`]), and equation 11 without its plus ([`memory`]); and what it calls
//! 64,000 points and 768,000 bits are 65,536 and 786,432.

pub mod carries;
pub mod counts;
pub mod field;
pub mod memory;
pub mod stages;
mod trace;
pub mod vectors;
pub mod wide;

pub use trace::{Operand, Trace};

/// Samples of a transform.
pub const POINTS: usize = 65_536;

/// Points of one transform by shifts.
pub const RADIX: usize = 16;

/// Stages of a transform.
pub const STAGES: usize = 4;

/// Bits of a digit.
pub const DIGIT_BITS: usize = 24;

/// The largest digit, the paper's `MAX_INT`.
pub const LARGEST_DIGIT: u64 = (1 << DIGIT_BITS) - 1;

/// Limbs of the longest operand: 786,432 bits.
pub const OPERAND_LIMBS: usize = POINTS / 2 * DIGIT_BITS / 64;

/// Limbs of a product.
pub const PRODUCT_LIMBS: usize = 2 * OPERAND_LIMBS;
