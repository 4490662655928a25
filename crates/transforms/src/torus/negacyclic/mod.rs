//! The negacyclic transform and the products in its domain, each written once for all instruction
//! sets.
//!
//! A real polynomial `x` of degree below `N` folds to `M = N/2` complex numbers `z_j = x_j +
//! i·x_{j+M}`, a residue modulo `X^M − i`. The forward transform splits that ring in two, level by
//! level (`X^n − r²` into `X^(n/2) ∓ r`), down to its values at `ζ^(4k+1)`: the twist of the usual
//! formulation is absorbed in the factors, a factor belongs to a whole block (one broadcast), and
//! the butterfly `a ± w·b` costs six fused operations. Values end up in bit-reversed order, which
//! nobody undoes.
//!
//! The inverse is not that network backwards (its butterfly, `(a − b)·w`, does not fuse: eight
//! operations) but decimation in time: bit-reversed input, the same six-operation butterfly with
//! factors that depend on the position, and one twist at the end, where the scale `1/M` and the
//! reduction modulo 2^64 need a pass over registers anyway.
//!
//! Levels are grouped into passes with all data in registers: radix-4 passes over whole vectors,
//! and one pass of `2·log2 W` levels over groups of `W²` points (`W` lanes): `log2 W` levels
//! between its `W` vectors, a transposition spread among them, and `log2 W` more. The transposition
//! is not undone either; the resulting order is that of `twiddles::exponent`.
//!
//! No closure holds a vector: a closure is a function without the target features of its
//! surroundings, and intrinsics in it are not inlined.

mod bundle;
pub(crate) mod butterfly;
mod constant;
mod forward;
mod inverse;
mod product;
mod weave;

pub(crate) use bundle::{RotateColumn, RotateInPlace, steps};
pub(crate) use constant::{Constant, RealSum, torus};
pub(crate) use forward::{Decompose, Decomposed, Digits, Forward, Input, Integers, Source, Words};
pub(crate) use inverse::{Add, Inverse, Overwrite, Sink, modulo};
pub(crate) use product::{Multiply, MultiplyAdd, Operands, Place, RotateBlock, Start};
