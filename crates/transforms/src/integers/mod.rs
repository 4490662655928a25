//! What multiplies large integers: four methods for what is a product of polynomials once the
//! digits of a number are taken for coefficients, three of them transforms.
//!
//! | module | digits | arithmetic | for |
//! |---|---|---|---|
//! | [`columns`] | 52 bits | sums of halves of products | up to 256 limbs, by definition and without transforms |
//! | [`right_angle`] | 13 to 20 bits | complex numbers in double precision, each result certified | the fastest, wherever its certificate holds |
//! | [`primes`] | 64 bits | modulo three primes of 48 or 50 bits | exact for every operand, and for sums of products |
//! | [`goldilocks_cyclic`] | 24 bits | modulo `2^64 − 2^32 + 1` | the algorithm of a hardware multiplier, for comparison |
//!
//! The residues of [`primes`] and its butterflies also serve the rings of
//! [`cyclotomic`](crate::cyclotomic), which have other passes. They stay here, with the transform
//! that gave them their bounds.

pub mod columns;
pub mod goldilocks_cyclic;
pub mod primes;
pub mod right_angle;
