//! Negacyclic transforms: products of polynomials modulo `X^N + 1` over the 64-bit torus, by one of
//! a family of FFT processors: this crate's complex FFT of `N/2` points, with kernels for plain
//! Rust, AVX2 and AVX-512 from one source, and others to compare it with ([`Fft`]).
//!
//! A [`Plan`] fixes the ring and the processor. Its transforms take and give torus polynomials
//! (`u64`), with gadget decomposition fused into the first pass and rounding modulo 2^64 into the
//! last; its products work on spectra, down to the whole block step of a blind rotation.
//!
//! ```
//! use blindcore_transforms::torus::{Fft, Plan, PolynomialSize, oracle};
//!
//! let plan = Plan::new(PolynomialSize::new(64)?, Fft::detect())?;
//! let (digits, torus) = (vec![-3i64; 64], vec![1u64 << 40; 64]);
//! let (mut a, mut b) = (plan.digit_spectra(1), plan.torus_spectra(1));
//! let mut product = plan.torus_spectra(1);
//! plan.forward_signed(&mut a, &digits);
//! plan.forward_torus(&mut b, &torus);
//! plan.multiply_add(&mut product, &b, &a);
//! let mut result = vec![0u64; 64];
//! plan.inverse_torus(&mut result, &mut product);
//! let digits: Vec<u64> = digits.iter().map(|&d| d as u64).collect();
//! assert_eq!(result, oracle::negacyclic_product(&digits, &torus));
//! # Ok::<(), blindcore_transforms::torus::TransformError>(())
//! ```
//!
//! Accuracy: the error of a product is that of 53-bit arithmetic, or none. [`accuracy`] measures
//! it, and [`laws`] has the bounds that every plan is held to. Cost: the transform of 1,024 points
//! takes about 31,000 fused operations each way; [`speed`] measures processors side by side.

pub mod accuracy;
mod error;
pub(crate) mod gadget;
mod key_shape;
pub mod laws;
pub(crate) mod negacyclic;
pub(crate) mod ntt;
pub mod oracle;
mod plan;
mod processors;
mod size;
mod spectra;
pub mod speed;
pub(crate) mod twiddles;

pub use error::TransformError;
pub use gadget::Gadget;
pub use key_shape::{ColumnStep, KeyIndex, KeyShape};
pub use plan::Plan;
pub use processors::{Fft, InPlace, Point, Processor};
pub use size::PolynomialSize;
pub use spectra::Spectra;
