//! Comparison.
//!
//! * Order: the borrow of a subtraction whose difference nobody reads: ⌈n/3⌉ lookups or n ANDs,
//!   shared with a subtraction of the same operands; where the profile's cores or batches make a
//!   tree faster, that ([`order`](super::add::order)). Signed order is unsigned order with inverted
//!   top bits, and inversions are free.
//! * Equality: `Σ 2ⁱ(xᵢ − yᵢ)` over three columns is 0 only for equal bits, fifteen values; then all
//!   of these flags at once: ⌈n/3⌉ + 1 lookups at depth 2 up to 45 bits. With gates n − 1 ANDs at
//!   depth ⌈log₂n⌉. Bits compared with clear ones need no lookup of their own.

use std::fmt;
use std::str::FromStr;

use super::add::{add_with_carry, order, settled, states};
use super::architectures::{UnknownArchitecture, by_name};
use super::bitwise;
use super::weighted::{capacity, functions};
use crate::{Builder, Wire};

/// A comparator's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Comparator {
    /// States of groups of columns, joined as far as the profile's cores pay for it.
    Tree,
}

impl Comparator {
    /// All architectures.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::Tree]
    }
}

impl fmt::Display for Comparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tree => "tree",
        })
    }
}

impl FromStr for Comparator {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        by_name("comparator", Self::all(), name)
    }
}

/// Whether `x < y` as unsigned numbers.
pub fn less_than_unsigned(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Wire {
    assert_eq!(x.len(), y.len(), "operands of different widths");
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
