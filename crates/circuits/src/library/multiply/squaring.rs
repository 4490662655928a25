//! Squaring: half of the partial products, for the others are the same.
//!
//! `x_i·x_j` comes twice, which is once in the next column, and `x_i·x_i` is `x_i`: with gates
//! `n(n − 1)/2` ANDs instead of n², and columns half as high. With lookups equal products of digits
//! are one ([`digits`](crate::library::digits)). The builder finds both in
//! [`multiply_long`](super::multiply_long) of a word with itself; this is that by name.
//!
//! With gates and the chain of full adders of [`columns`](crate::library::columns):
//! `n(n − 1)/2 + Σ ⌊m_c/2⌋` ANDs, where column c has m_c bits with the carries from below.
//!
//! Source: T. Chen, A binary multiplication scheme based on squaring, IEEE Trans. Computers, 1971.

use super::product::multiply_long;
use crate::library::word::{Signedness, Word};
use crate::{Builder, Wire};

/// All 2n bits of `x²`.
pub fn square(b: &mut Builder, signedness: Signedness, x: &[Wire]) -> Word {
    multiply_long(b, signedness, x, x)
}
