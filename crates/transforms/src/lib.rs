//! Negacyclic transforms: products of polynomials modulo `X^N + 1` over the 64-bit torus, by a complex
//! FFT of `N/2` points with kernels for plain Rust, AVX2 and AVX-512 from one source.
//!
//! A [`Plan`] fixes the ring and the instruction set. Its transforms take and give torus polynomials
//! (`u64`), with gadget decomposition fused into the first pass and rounding modulo 2^64 into the last;
//! its products work on spectra, down to the whole block step of a blind rotation.
//!
//! ```
//! use transforms::{Isa, Plan, PolynomialSize, oracle};
//!
//! let plan = Plan::new(PolynomialSize::new(64)?, Isa::detect())?;
//! let (digits, torus) = (vec![-3i64; 64], vec![1u64 << 40; 64]);
//! let (mut a, mut b, mut product) = (plan.spectra(1), plan.spectra(1), plan.spectra(1));
//! plan.forward_signed(&mut a, &digits);
//! plan.forward_torus(&mut b, &torus);
//! plan.multiply_add(&mut product, &a, &b);
//! let mut result = vec![0u64; 64];
//! plan.inverse_torus(&mut result, &mut product);
//! let digits: Vec<u64> = digits.iter().map(|&d| d as u64).collect();
//! assert_eq!(result, oracle::negacyclic_product(&digits, &torus));
//! # Ok::<(), transforms::TransformError>(())
//! ```
//!
//! Accuracy: the error of a product is that of 53-bit arithmetic, see [`laws`] for the bounds that every
//! plan is held to. Cost: the transform of 1,024 points takes about 31,000 fused operations each way.
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod arch;
mod error;
mod gadget;
pub mod laws;
mod negacyclic;
pub mod oracle;
mod plan;
mod size;
mod spectra;
mod twiddles;

pub use arch::Isa;
pub use error::TransformError;
pub use gadget::Gadget;
pub use plan::{KeyIndex, KeyShape, Plan};
pub use size::PolynomialSize;
pub use spectra::Spectra;
