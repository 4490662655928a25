//! Selection between two words by one bit.
//!
//! One selection for each bit in which the words differ, at depth 1: n lookups `t = 4s + 2a + b`,
//! or n ANDs. Two bit positions do not fit one lookup: with the shared condition they have 32
//! states.

use super::Word;
use crate::{Builder, Wire};

/// `then` where `condition` is 1, `otherwise` where it is 0.
pub fn select(b: &mut Builder, condition: Wire, then: &[Wire], otherwise: &[Wire]) -> Word {
    assert_eq!(then.len(), otherwise.len(), "operands of different widths");
    then.iter()
        .zip(otherwise)
        .map(|(&then, &other)| b.mux(condition, then, other))
        .collect()
}
