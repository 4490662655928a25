//! Exact transforms for cyclotomic rings of odd squarefree index.

// Loops over registers have constant bounds and index several arrays.
#![allow(clippy::needless_range_loop)]

mod arithmetic;
mod butterfly;
mod error;
mod index;
mod moduli;
mod passes;
mod plan;
mod pointwise;
mod rotate;
mod shape;
mod tables;

#[cfg(test)]
mod tests;

pub use error::CyclotomicError;
pub use index::{Index, MOST_INDEX};
pub use moduli::{MOST_BITS, primes};
pub use plan::Plan;
pub use pointwise::wraps;
pub use rotate::rotate;
