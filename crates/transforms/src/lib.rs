//! Fast products in the rings that our schemes compute in, with kernels for each instruction set: a
//! folder for each kind of ring, over one `arch` of vectors.
//!
//! | family | multiplies | for |
//! |---|---|---|
//! | [`torus`] | polynomials modulo `X^N + 1` over the 64-bit torus | TFHE's bootstrap and key switch |
//! | [`integers`] | integers of up to millions of bits | Gentry and Halevi's scheme |
//! | [`cyclotomic`] | elements of `Z_q[x]/Φ_m` with a prime `q` of up to 50 bits | BGV |
//!
//! **What each costs**, in vector operations, and where it comes from; each page derives its own.
//!
//! | transform | cost | source |
//! |---|---|---|
//! | the complex FFT of [`torus`] | 31,000 fused operations of one lane for 1,024 points | split rings instead of a twist |
//! | the `ntt` of [`torus`] | 28,000 operations of eight lanes for 2,048 points, exact | Emmart and Weems 2011; Longa and Naehrig 2016 |
//! | [`integers::right_angle`] | 6 operations for a butterfly; three transforms of 49,152 points for 12,288 limbs by as many | Crandall and Pomerance, §9.5 |
//! | [`integers::primes`] | 1.7 million operations of eight lanes for 12,288 limbs by as many | Pollard 1971; Harvey 2014 |
//! | [`integers::columns`] | 0.38 instructions of eight lanes for each product of two limbs | Gueron and Krasnov 2016 |
//! | [`integers::goldilocks_cyclic`] | 65,536 points whatever the length | Wang, Huang, Emmart and Weems 2014 |
//! | [`cyclotomic`] | 88 operations of eight lanes for eight words at `φ = 16,384` | Rader 1968 |
//!
//! Rings share what is the same in them: the right-angle convolution has the butterflies of the
//! torus's FFT, the hardware's algorithm the prime and the limbs of its `ntt`, and cyclotomic rings
//! the residues of [`integers::primes`]. Imports point that way only.
#![deny(unsafe_code)]
// In WebAssembly only the FFT of keys is reachable (`torus::processors`).
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports))]

#[allow(unsafe_code)]
mod arch;
pub mod cyclotomic;
pub mod integers;
mod threads;
pub mod torus;

pub use arch::InstructionSet;
