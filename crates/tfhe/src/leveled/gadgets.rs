//! The gadgets, which are the same for every set.
//!
//! | of | weights 2^- | why these |
//! |---|---|---|
//! | the rotation | 12, 23, 34 | 23 is the lookups' own: a gadget of two levels has a key as large and fifty times the variance |
//! | automorphisms | 4, 8, … 44 | digits of 4 bits keep rounding in double precision below the key's own errors |
//! | S² | 10, 20, 30, 40 | |
//! | selectors, digits of the mask | 5, 10, 15, 20 | the first is the scale of a bit |
//! | selectors, digits of the body | 5, 10, 15 | what these leave out is not multiplied by the key: one level less balances |

use transforms::torus::Gadget;

#[expect(
    clippy::panic,
    reason = "evaluated at compile time: a bad gadget does not build"
)]
const fn gadget(first: u32, base_log: u32, levels: u32) -> Gadget {
    match Gadget::with_first(first, base_log, levels) {
        Ok(gadget) => gadget,
        Err(_) => panic!("invalid gadget"),
    }
}

pub(crate) const ROTATION: Gadget = gadget(12, 11, 3);
pub(crate) const AUTOMORPHISM: Gadget = gadget(4, 4, 11);
pub(crate) const SQUARE: Gadget = gadget(10, 10, 4);
pub(crate) const MASK: Gadget = gadget(5, 5, 4);
pub(crate) const BODY: Gadget = gadget(5, 5, 3);

/// The level of [`ROTATION`] whose rows are those of lookups.
pub(crate) const OF_LOOKUPS: u32 = 2;

/// The others.
pub(crate) const MORE: [u32; 2] = [1, 3];

/// The weight of a level, as a torus element.
pub(crate) fn weight(gadget: Gadget, level: u32) -> u64 {
    1 << (64 - gadget.exponent(level))
}
