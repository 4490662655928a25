//! Comparison.
//!
//! * Order: the borrow of a subtraction whose difference nobody reads: ⌈n/3⌉ lookups or n ANDs,
//!   shared with a subtraction of the same operands; where the profile's cores or batches make a
//!   tree faster, that ([`order`](super::add::order)). On gates a tree of selections ([`tree`]) or
//!   the carry of the adder that suits. Signed order is unsigned order with inverted
//!   top bits, and inversions are free.
//! * Equality: `Σ 2ⁱ(xᵢ − yᵢ)` over three columns is 0 only for equal bits, fifteen values; then all
//!   of these flags at once: ⌈n/3⌉ + 1 lookups at depth 2 up to 45 bits. With gates n XORs and n − 1
//!   ANDs at depth ⌈log₂n⌉. Bits compared with clear ones need no lookup of their own.
//! * Extrema: an order and a selection. Flags: [`flags`](flags()).

mod extrema;
mod flags;
mod tree;

use super::add::{add_with, add_with_carry, order, settled, states};
use super::bitwise;
use super::choice::Question;
use super::subtract::subtract_with;
use super::weighted::{capacity, functions};
use crate::architectures::{Adder, Comparator, Formula, Subtractor};
use crate::{Builder, Wire};
pub use extrema::{maximum, minimum};
pub use flags::{Flags, flags, overflow_in_two_products};

impl Comparator {
    /// Where the architecture is from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Tree => "states and selections of groups of columns, after Sklansky, 1960",
            Self::Borrow => Subtractor::Borrow.source(),
            Self::Carry(adder) => Subtractor::Complement(adder).source(),
        }
    }

    /// Gates and depth, where a formula is known.
    #[must_use]
    pub fn formula(self, n: usize) -> Option<Formula> {
        match self {
            Self::Tree => Some(tree::gates(n)),
            Self::Borrow | Self::Carry(Adder::Ripple) => Some(chain(n)),
            Self::Carry(_) => None,
        }
    }
}

/// A chain of borrows or carries of one AND each, of whose columns only the last result is read.
fn chain(n: usize) -> Formula {
    let above = n.saturating_sub(1);
    Formula {
        ands: n,
        xors: 3 * above,
        muxes: 0,
        depth: n.min(1) + 3 * above,
    }
}

/// What is chosen from on targets of gates.
const OF_GATES: [Comparator; 4] = [
    Comparator::Tree,
    Comparator::Carry(Adder::RippleMux),
    Comparator::Carry(Adder::Ripple),
    Comparator::Carry(Adder::BrentKung),
];

fn chosen(b: &mut Builder, n: usize) -> Comparator {
    if let Some(forced) = b.profile().architectures.comparator {
        return forced;
    }
    if capacity(b).is_some() {
        return Comparator::Tree;
    }
    let question = Question {
        family: "order",
        width: n,
        words: 2,
        candidates: &OF_GATES,
        formula: &|comparator: Comparator| comparator.formula(n),
        draw: &|b, comparator| {
            let (x, y) = (b.inputs(n), b.inputs(n));
            vec![less_than_with(b, comparator, &x, &y)]
        },
    };
    question.answer(b)
}

/// Whether `x < y` as unsigned numbers.
pub fn less_than_unsigned(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Wire {
    let comparator = chosen(b, x.len());
    less_than_with(b, comparator, x, y)
}

/// Whether `x < y` as unsigned numbers, by a comparator of the caller's choice.
pub fn less_than_with(b: &mut Builder, comparator: Comparator, x: &[Wire], y: &[Wire]) -> Wire {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    match comparator {
        Comparator::Tree if capacity(b).is_some() => of_lookups(b, x, y),
        Comparator::Tree => tree::less_than(b, x, y),
        Comparator::Borrow => !subtract_with(b, Subtractor::Borrow, x, y).carry,
        Comparator::Carry(adder) => !add_with(b, adder, x, &bitwise::not(y), Wire::TRUE).carry,
    }
}

/// By the tree of states where that is faster than the adder's chain.
fn of_lookups(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Wire {
    let y = bitwise::not(y);
    // Low columns that pass the carry on or set it cost nothing.
    let mut carry = Wire::TRUE;
    let mut free = 0;
    while let Some((_, next)) = x.get(free).and_then(|&x| settled(x, y[free], carry)) {
        carry = next;
        free += 1;
    }
    let (x, y) = (&x[free..], &y[free..]);
    let tree = match capacity(b) {
        Some(capacity) if capacity >= states::RANGE => order::carry(b, x, y, carry),
        _ => None,
    };
    match tree {
        Some(carry) => !carry,
        None => !add_with_carry(b, x, y, carry).carry,
    }
}

/// Whether `x < y` in two's complement.
pub fn less_than_signed(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Wire {
    let (x, y) = (with_inverted_sign(x), with_inverted_sign(y));
    less_than_unsigned(b, &x, &y)
}

fn with_inverted_sign(x: &[Wire]) -> Vec<Wire> {
    let mut x = x.to_vec();
    if let Some(sign) = x.last_mut() {
        *sign = !*sign;
    }
    x
}

/// Whether all bits are equal.
pub fn equal(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Wire {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    let range = capacity(b);
    let (mut agree, mut pairs) = (Vec::new(), Vec::new());
    for (&x, &y) in x.iter().zip(y) {
        if x.as_constant().is_some() || y.as_constant().is_some() || x.signal() == y.signal() {
            agree.push(b.xnor(x, y));
        } else {
            pairs.push((x, y));
        }
    }
    // Differences of w columns take 2(2ʷ − 1) + 1 values.
    let columns = range.map_or(1, |range| (range / 2 + 1).ilog2() as usize);
    for slice in pairs.chunks(columns) {
        agree.push(match range {
            Some(_) => no_difference(b, slice),
            None => b.xnor(slice[0].0, slice[0].1),
        });
    }
    b.all(&agree)
}

fn no_difference(b: &mut Builder, pairs: &[(Wire, Wire)]) -> Wire {
    let weighted = |(at, &(x, y)): (usize, &(Wire, Wire))| [(x, 1i8 << at), (y, -(1i8 << at))];
    let terms: Vec<_> = pairs.iter().enumerate().flat_map(weighted).collect();
    functions(b, &terms, 1, |difference| u32::from(difference == 0))[0]
}

/// Whether all bits are 0. Bits of one lookup are asked together, in that lookup: the zero flag of
/// a sum of 32 bits costs one lookup more than the sum.
pub fn is_zero(b: &mut Builder, x: &[Wire]) -> Wire {
    !b.any(x)
}
