//! Which of two words is less.

use super::{number, tree};
use crate::architectures::{Adder, Comparator, Formula, Subtractor};
use crate::library::add::{add_with, add_with_carry, order, settled, states};
use crate::library::bitwise;
use crate::library::choice::Question;
use crate::library::subtract::subtract_with;
use crate::library::weighted::{capacity, has_negacyclic};
use crate::{Builder, Wire};

/// A comparator, apart from its name.
struct Row {
    source: &'static str,
    /// Gates and depth for words of n bits, where a formula is known.
    gates: Option<fn(usize) -> Formula>,
    less_than: LessThan,
}

type LessThan = Box<dyn Fn(&mut Builder, &[Wire], &[Wire]) -> Wire>;

/// The table.
fn row(comparator: Comparator) -> Row {
    match comparator {
        Comparator::Tree => Row {
            source: "states and selections of groups of columns, after Sklansky, 1960",
            gates: Some(tree::gates),
            less_than: Box::new(|b, x, y| match capacity(b) {
                Some(_) => of_lookups(b, x, y),
                None => tree::less_than(b, x, y),
            }),
        },
        Comparator::Borrow => Row {
            source: Subtractor::Borrow.source(),
            gates: Some(chain),
            less_than: Box::new(|b, x, y| !subtract_with(b, Subtractor::Borrow, x, y).carry),
        },
        Comparator::Carry(adder) => Row {
            source: Subtractor::Complement(adder).source(),
            gates: match adder {
                Adder::Ripple => Some(chain),
                _ => None,
            },
            less_than: Box::new(move |b, x, y| {
                !add_with(b, adder, x, &bitwise::not(y), Wire::TRUE).carry
            }),
        },
    }
}

impl Comparator {
    /// Where the architecture is from.
    #[must_use]
    pub(in crate::library) fn source(self) -> &'static str {
        row(self).source
    }

    /// Gates and depth, where a formula is known.
    #[must_use]
    pub(in crate::library) fn formula(self, n: usize) -> Option<Formula> {
        row(self).gates.map(|gates| gates(n))
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
pub(in crate::library) fn less_than_with(
    b: &mut Builder,
    comparator: Comparator,
    x: &[Wire],
    y: &[Wire],
) -> Wire {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    (row(comparator).less_than)(b, x, y)
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
    if let Some(carry) = number::carry(b, x, y, carry) {
        return !carry;
    }
    let tree = match capacity(b) {
        // Once all is recorded a pass finds the fastest form, unless the difference is read, too: then
        // its carry costs nothing.
        _ if has_negacyclic(b) && !order::is_half_clear(x, y) => None,
        Some(capacity) if capacity >= states::RANGE => order::carry(b, x, y, carry),
        _ => None,
    };
    match tree {
        Some(carry) => !carry,
        None => !add_with_carry(b, x, y, carry).carry,
    }
}

/// The carry out of `x + y + carry` whose sum nobody reads, where that is faster than by the adder; `None`
/// where it is not.
pub(crate) fn carry_alone(b: &mut Builder, x: &[Wire], y: &[Wire], carry: Wire) -> Option<Wire> {
    number::carry(b, x, y, carry).or_else(|| order::carry(b, x, y, carry))
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
