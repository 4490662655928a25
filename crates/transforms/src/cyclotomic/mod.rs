//! Exact transforms for cyclotomic rings `Z_q[x]/Φ_m` of odd squarefree index, and what residue
//! number systems do word by word.
//!
//! **What.** An element is `φ(m)` words below a prime `q` of at most 50 bits: coefficients, or
//! values at the primitive `m`-th roots of unity. A [`Plan`] takes one to the other in place, and
//! adds and multiplies; [`rotate`](fn@rotate) is an automorphism, the same in both forms;
//! [`Plan::combine`] and [`wraps`] take residues from some primes to others. [`Packed`] rows hold the
//! words of an element in as many bits as the prime has, and are added as they are.
//!
//! ```
//! use std::sync::Arc;
//! use blindcore_transforms::InstructionSet;
//! use blindcore_transforms::cyclotomic::{Index, Plan, primes};
//!
//! let index = Arc::new(Index::new(255)?);
//! let q = primes(&index, 45, 1, &[])?[0];
//! let plan = Plan::new(&index, q, InstructionSet::detect())?;
//! // ζ²·ζ⁷ = ζ⁹ = −ζ^(9 + 85) − ζ^(9 + 170): 3 divides 9, and the cube roots of 1 add up to 0.
//! let zeta = |exponent| {
//!     let mut x = vec![0; index.degree()];
//!     x[index.position(exponent).unwrap_or_default()] = 1;
//!     x
//! };
//! let (mut a, mut b) = (zeta(2), zeta(7));
//! plan.evaluate(&mut a);
//! plan.evaluate(&mut b);
//! plan.multiply(&mut a, &b);
//! plan.interpolate(&mut a);
//! let place = |exponent| index.position(exponent).unwrap_or_default();
//! assert_eq!((a[place(9 + 85)], a[place(9 + 170)]), (q - 1, q - 1));
//! # Ok::<(), blindcore_transforms::cyclotomic::CyclotomicError>(())
//! ```
//!
//! **The basis.** For squarefree `m = p₁·…·p_k` the primitive roots `ζ^e` themselves are an
//! integral basis (Hilbert and Speiser): the tensor product of `x, x², …, x^(p−1)` for each prime,
//! as `1 = −(x + … + x^(p−1))`. Automorphisms permute it without signs; no reduction modulo a
//! polynomial with many terms ever happens.
//!
//! **The transform.** Along an axis `p` let `e = g^b` with a generator `g`. The value at `ω^(1/e)`
//! with `1/e = g^(−a)` is `Σ_b x_b·ω^(g^(b−a))`: a cyclic convolution of length `p − 1` with fixed
//! values (Rader, *Discrete Fourier transforms when the number of data samples is prime*, 1968). In
//! all axes at once, that is a `k`-dimensional convolution: a transform of `(p₁−1)×…×(p_k−1)`
//! points without factors between axes, a product with fixed values, and the inverse transform,
//! which takes points in whatever order the forward one leaves. For Fermat primes (3, 5, 17, 257,
//! 65,537) every length is a power of two and all of it happens in place; other axes are padded to
//! a power of two above `2(p − 1)`. Interpolation is the same convolution with the inverse's
//! values.
//!
//! **Fixed values** are a product over axes too, so that each axis is multiplied with its own where
//! the inverse transform takes it up. No table has more numbers than an axis has points: a plan is
//! a few kilobytes, and a ring with twenty primes keeps all of them in a cache. (Only an innermost
//! axis of more than sixteen points has a table with as many rows as the element has words, for its
//! last pass.)
//!
//! **Order.** Passes of up to four layers of butterflies in registers; where a chunk exceeds the
//! first-level cache the passes have three, because parts whose distance is a power of two share
//! the few ways of a cache's set. What is left of each pass is contiguous, so that it goes through
//! all remaining passes, the turn to the inverse and back while it is in the cache. The last four
//! layers of the innermost axis are those of sixteen consecutive words, taken eight rows at a time
//! and transposed in registers.
//!
//! **Cost.** A layer is `φ/2` butterflies, of three multiply instructions and two additions for
//! eight words with AVX-512; a transform has `2·log₂ φ` layers and a product more for each word and
//! pass. 28 layers at `φ = 16,384` come to about 88 vector instructions for eight words besides
//! loads and stores. The example `cyclotomic` prints times.
//!
//! Time depends on lengths and moduli, never on values.

// Loops over registers have constant bounds and index several arrays.
#![allow(clippy::needless_range_loop)]

mod arithmetic;
mod butterfly;
mod error;
mod index;
mod moduli;
mod packed;
mod passes;
mod plan;
mod pointwise;
mod rotate;
mod shape;
mod sums;
mod tables;

#[cfg(test)]
mod tests;

pub use error::CyclotomicError;
pub use index::{Index, MOST_INDEX};
pub use moduli::{MOST_BITS, primes};
pub use packed::Packed;
pub use plan::Plan;
pub use rotate::rotate;
pub use sums::{even_wraps, wraps};
