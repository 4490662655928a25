//! Encrypted words and expressions over them.
//!
//! Operators record; [`ServerKey::evaluate`] evaluates a whole expression as one circuit, which the
//! library draws for this machine, whose independent operations go to all threads in batches. What
//! an expression computes twice is computed once, and so is what was evaluated before and is there.

mod evaluate;
mod expression;
mod node;
mod secret;

pub use evaluate::Expression;
pub use expression::{Bit, Integer, Word};
