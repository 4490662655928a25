//! Subtraction, negation and conditional negation.
//!
//! `x − y = x + ¬y + 1`, and inversions are free: an addition's cost, ARM's carry (no borrow)
//! and overflow ([`Subtractor::Complement`]); or a chain of borrows ([`Subtractor::Borrow`]).
//! Conditional negation needs less than an XOR and an increment: the carry exists
//! only under the condition, so two columns have the twelve states `x₀ + 2x₁ + 4(s + c)`, n/2
//! lookups instead of 2n/3; with gates n − 1 ANDs.

mod borrow;

use super::add::{Added, Carries, add_with};
use super::bitwise;
use super::weighted::{capacity, functions};
use super::word::{Word, constant};
use crate::architectures::{Adder, Formula, Subtractor};
use crate::{Builder, Wire};

/// A subtractor, apart from its name.
struct Row {
    source: &'static str,
    /// Gates and depth of a difference modulo 2ⁿ, where a formula is known.
    gates: Box<dyn Fn(usize) -> Option<Formula>>,
    subtract: Subtract,
}

type Subtract = Box<dyn Fn(&mut Builder, &[Wire], &[Wire]) -> Added>;

/// The table.
fn row(subtractor: Subtractor) -> Row {
    match subtractor {
        Subtractor::Borrow => Row {
            source: "Xu, Chen, Wu, Feng, 2016, §3.2",
            gates: Box::new(borrow::gates),
            subtract: Box::new(borrow::subtract),
        },
        Subtractor::Complement(adder) => Row {
            source: match adder {
                Adder::KoggeStone => "Gong, Negrut, 2020, §V-C",
                _ => adder.source(),
            },
            gates: Box::new(move |n| complement_gates(adder, n)),
            subtract: Box::new(move |b, x, y| add_with(b, adder, x, &bitwise::not(y), Wire::TRUE)),
        },
    }
}

/// The carry that comes in makes the lowest column's AND an OR; in some adders it costs a gate of
/// its own.
fn complement_gates(adder: Adder, n: usize) -> Option<Formula> {
    match adder {
        Adder::RippleTwoAnd | Adder::BlockLookahead(_) | Adder::LookAheadGroups => None,
        _ => adder.formula(n, Carries::Dropped),
    }
}

impl Subtractor {
    /// The architecture for words of n bits on a builder's target: the forced one, or the
    /// complement by the adder that suits.
    #[must_use]
    pub(in crate::library) fn chosen(b: &mut Builder, n: usize, carries: Carries) -> Self {
        match b.profile().architectures.subtractor {
            Some(forced) => forced,
            None => Self::Complement(Adder::chosen(b, n, carries)),
        }
    }

    /// Where the architecture is from.
    #[must_use]
    pub(in crate::library) fn source(self) -> &'static str {
        row(self).source
    }

    /// Gates and depth of a difference modulo 2ⁿ, where a formula is known.
    #[must_use]
    pub(in crate::library) fn formula(self, n: usize) -> Option<Formula> {
        (row(self).gates)(n)
    }
}

/// Columns that one lookup of conditional negation takes.
const NEGATED_COLUMNS: usize = 2;

/// `x − y` modulo 2ⁿ.
///
/// ```
/// use blindcore_circuits::library::{self, constant};
/// use blindcore_circuits::{Builder, Profile, Wire};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let (x, y) = (constant(3, 8), constant(5, 8));
/// assert_eq!(library::subtract(b, &x, &y), constant(256 - 2, 8));
/// // ARM's carry is 0 where something is borrowed.
/// assert_eq!(library::subtract_with_carry(b, &x, &y).carry, Wire::FALSE);
/// assert_eq!(library::negate(b, &x), constant(256 - 3, 8));
/// assert_eq!(library::negate_if(b, Wire::FALSE, &x), x);
/// ```
pub fn subtract(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    let subtractor = Subtractor::chosen(b, x.len(), Carries::Dropped);
    subtract_with(b, subtractor, x, y).sum
}

/// `x − y` with ARM's carry (1 where nothing is borrowed) and overflow, by the subtractor that
/// suits the target.
pub fn subtract_with_carry(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Added {
    let subtractor = Subtractor::chosen(b, x.len(), Carries::InAndOut);
    subtract_with(b, subtractor, x, y)
}

/// `x − y` by a subtractor of the caller's choice; its carry is ARM's: 1 where nothing is borrowed.
pub(in crate::library) fn subtract_with(
    b: &mut Builder,
    subtractor: Subtractor,
    x: &[Wire],
    y: &[Wire],
) -> Added {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    (row(subtractor).subtract)(b, x, y)
}

/// `−x` modulo 2ⁿ.
pub fn negate(b: &mut Builder, x: &[Wire]) -> Word {
    subtract(b, &constant(0, x.len()), x)
}

/// `−x` where `condition` is 1, `x` where it is 0.
pub fn negate_if(b: &mut Builder, condition: Wire, x: &[Wire]) -> Word {
    match condition.as_constant() {
        Some(false) => return x.to_vec(),
        Some(true) => return negate(b, x),
        None => {}
    }
    let whole = 2 * (1 << NEGATED_COLUMNS) + (1 << NEGATED_COLUMNS) - 1;
    if capacity(b).is_none_or(|capacity| capacity < whole) {
        let flipped: Word = x.iter().map(|&x| b.xor(x, condition)).collect();
        let chosen = Adder::chosen(b, x.len(), Carries::Dropped);
        if !matches!(chosen, Adder::Ripple | Adder::RippleMux | Adder::Slices) {
            return add_with(b, chosen, &flipped, &constant(0, x.len()), condition).sum;
        }
        // The increment's carry: all lower bits of `x` are 0, and the condition holds.
        let mut zero = condition;
        let mut result = Word::with_capacity(x.len());
        for (&flipped, &x) in flipped.iter().zip(x) {
            result.push(b.xor(flipped, zero));
            zero = b.and(zero, !x);
        }
        return result;
    }
    let mut result = Word::with_capacity(x.len());
    // The carry into a column under the condition, 1 as long as only zeros were seen.
    let mut carry = condition;
    for columns in x.chunks(NEGATED_COLUMNS) {
        let width = columns.len();
        let mut terms: Vec<(Wire, i8)> = vec![(condition, 1 << width), (carry, 1 << width)];
        terms.extend(columns.iter().enumerate().map(|(at, &x)| (x, 1 << at)));
        let made = functions(b, &terms, width + 1, |t| {
            let (bits, state) = (t as u32 & ((1 << width) - 1), t >> width);
            let mask = (1u32 << width) - 1;
            match state {
                0 => bits,
                1 => !bits & mask,
                // Negated, and a carry remains if all bits were 0.
                _ => ((!bits & mask) + 1) & mask | u32::from(bits == 0) << width,
            }
        });
        result.extend_from_slice(&made[..width]);
        carry = made[width];
    }
    result
}
