//! Addition with carry in, carry out and signed overflow.
//!
//! | | cost for n bits | depth | for |
//! |---|---|---|---|
//! | [`Adder::Slices`] | ⌈n/3⌉ lookups | ⌈n/3⌉ | targets with lookups |
//! | the same, carries ahead | up to ≈ n lookups | down to 1 + log₃n | … and cores to spare |
//! | [`Adder::Ripple`] | n ANDs | n | gates, little noise or bootstrapped |
//! | [`Adder::Sklansky`] | ≈ n·log₂n + n ANDs | 1 + ⌈log₂n⌉ | levelled schemes |
//! | [`Adder::BlockLookahead`] | ≈ 4n ANDs, 4n XORs | ≈ 2k + 2n/k gates | comparison with the papers |
//!
//! Without carry and overflow the ripple form costs one AND less: nobody reads the last.

mod adder;
mod block_lookahead;
mod carries;
pub(super) mod order;
mod ripple;
mod sklansky;
mod slices;
pub(super) mod states;

use super::architectures::Formula;
use super::{Word, weighted};
use crate::{Builder, Wire};
pub use adder::Adder;
pub(super) use ripple::full_adder;
pub(super) use slices::settled;

/// A sum and what the processor's flags need of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// The sum modulo 2ⁿ.
    pub sum: Word,
    /// The carry out of the top column: ARM's C, also for subtractions (no borrow).
    pub carry: Wire,
    /// The signed sum does not fit: ARM's V.
    pub overflow: Wire,
}

impl Adder {
    /// The architecture for a builder's target: the forced one, or the one that suits it.
    #[must_use]
    pub fn suited_to(b: &Builder) -> Self {
        let profile = b.profile();
        let suited = match (weighted::capacity(b), profile.levels) {
            (Some(_), _) => Self::Slices,
            (None, Some(_)) => Self::Sklansky,
            (None, None) => Self::Ripple,
        };
        profile.architectures.adder.unwrap_or(suited)
    }

    /// Gates and depth of the sum of two words modulo 2ⁿ, where no carry comes in; `None` for
    /// slices, which are made of lookups.
    #[must_use]
    pub fn formula(self, n: usize) -> Option<Formula> {
        Some(match self {
            Self::Slices | Self::Ripple | Self::Sklansky => return None,
            Self::BlockLookahead(block) => block_lookahead::gates(n, block),
        })
    }
}

/// `x + y` modulo 2ⁿ.
pub fn add(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    add_with_carry(b, x, y, Wire::FALSE).sum
}

/// `x + y + carry_in`, by the adder that suits the target. A subtraction `x − y` is
/// `x + ¬y + 1`, and inversions are free.
pub fn add_with_carry(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let adder = Adder::suited_to(b);
    add_with(b, adder, x, y, carry_in)
}

/// `x + y + carry_in` by an adder of the caller's choice. Slices on a target without lookups are
/// chains of full adders.
pub fn add_with(b: &mut Builder, adder: Adder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    match (adder, weighted::capacity(b)) {
        (Adder::Slices, Some(capacity)) => slices::add(b, capacity, x, y, carry_in),
        (Adder::Slices, None) | (Adder::Ripple, _) => ripple::add(b, x, y, carry_in),
        (Adder::Sklansky, _) => sklansky::add(b, x, y, carry_in),
        (Adder::BlockLookahead(block), _) => block_lookahead::add(b, block, x, y, carry_in),
    }
}
