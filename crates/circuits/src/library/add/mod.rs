//! Addition with carry in, carry out and signed overflow.
//!
//! | | cost for n bits | depth | for |
//! |---|---|---|---|
//! | [`Adder::Slices`] | ⌈n/3⌉ lookups | ⌈n/3⌉ | targets with lookups |
//! | the same, carries ahead | up to ≈ n lookups | down to 1 + log₃n | … and cores to spare |
//! | [`Adder::Ripple`] | n ANDs | n | gates, little noise or bootstrapped |
//! | [`Adder::Prefix`] | ≈ n·log₂n + n ANDs | 1 + ⌈log₂n⌉ | levelled schemes |
//! | [`Adder::BlockLookahead`] | ≈ 4n ANDs, 4n XORs | ≈ 2k + 2n/k gates | comparison with the papers |
//!
//! Without carry and overflow the ripple form costs one AND less: nobody reads the last.

mod block_lookahead;
mod carries;
pub(super) mod order;
mod prefix;
mod ripple;
mod slices;
pub(super) mod states;

use std::num::NonZeroUsize;

use super::columns::Columns;
use super::{Word, weighted};
use crate::{Builder, Wire};
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

/// An adder's architecture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Adder {
    /// Several columns in one lookup, and carries ahead of the chain if that is faster on the
    /// profile's cores.
    Slices,
    /// A chain of full adders.
    Ripple,
    /// A tree of generate and propagate signals.
    Prefix,
    /// Carry look-ahead in blocks of so many columns, in gates: the papers' adder. A last block of
    /// fewer columns takes what is left.
    BlockLookahead(NonZeroUsize),
}

impl Adder {
    /// The architecture that suits a builder's target.
    #[must_use]
    pub fn suited_to(b: &Builder) -> Self {
        match (weighted::capacity(b), b.profile().levels) {
            (Some(_), _) => Self::Slices,
            (None, Some(_)) => Self::Prefix,
            (None, None) => Self::Ripple,
        }
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
        (Adder::Prefix, _) => prefix::add(b, x, y, carry_in),
        (Adder::BlockLookahead(block), _) => block_lookahead::add(b, block, x, y, carry_in),
    }
}

/// The sum of any number of words modulo 2^`width`: shorter words are extended with zeros. All
/// operands go through one compressor tree, so that carries ripple once.
pub fn add_all(b: &mut Builder, width: usize, words: &[&[Wire]]) -> Word {
    let mut columns = Columns::new(width);
    for word in words {
        columns.push_word(0, word);
    }
    columns.sum(b)
}
