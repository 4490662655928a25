//! Exact transforms for cyclotomic rings of odd squarefree index.

mod arithmetic;
mod error;
mod index;
mod moduli;
mod plan;
mod pointwise;
mod rotate;
mod transform;

#[cfg(test)]
mod tests;

pub use error::CyclotomicError;
pub use index::{Index, MOST_INDEX};
pub use moduli::{MOST_BITS, primes};
pub use plan::Plan;
pub use pointwise::wraps;
pub use rotate::rotate;
