//! What groups of columns do to a carry, in lookups: kill it, pass it on, make one.
//!
//! The state of a group is a number of 0, 1 or 2, and those numbers add up as columns do: two bits
//! `x + y` of one column *are* its state, and three adjacent groups with a carry below them,
//! `t = c + u₀ + 2u₁ + 4u₂ ≤ 15`, send out a carry where `t ≥ 8`. Without the carry, `t ≥ 8` says
//! that the three make one and `t = 7` that they pass it on: two bits `[t ≥ 7] + [t ≥ 8]` are the
//! state of the whole. So every node of a carry tree is one rotation of three digits, columns or
//! groups alike.
//!
//! Where a lookup may read the whole torus, four digits fit: `t = c + u₀ + 2u₁ + 4u₂ + 8u₃ ≤ 31`, and
//! both `t ≥ 16` and, of sums up to 30, `t ≥ 15` are negacyclic.
//!
//! Noise: the two bits have edges at 7 and at 8 only, a digit's variance is 6 where that of a
//! slice's sum bits is 16 or 8.
//!
//! Source: the states are those of parallel-prefix adders (R. P. Brent and H. T. Kung, A regular
//! layout for parallel adders, 1982), three at once.

use crate::library::weighted::{functions, negacyclic_functions};
use crate::{Builder, Wire};

/// Digits that one lookup of any functions joins.
pub(in crate::library) const DIGITS: usize = 3;
/// Digits that one of negacyclic functions does.
pub(in crate::library) const WIDE: usize = 4;
/// The sum that they and a carry need.
pub(in crate::library) const RANGE: u32 = 15;

/// The state of a group of columns: the sum of these bits.
#[derive(Clone, Copy, Debug)]
pub(in crate::library) struct Digit(pub(in crate::library) [Wire; 2]);

/// The digits with their weights, lowest first.
pub(in crate::library) fn weigh(digits: &[Digit]) -> Vec<(Wire, i8)> {
    let weighted = |(at, digit): (usize, &Digit)| digit.0.map(|wire| (wire, 1i8 << at));
    digits.iter().enumerate().flat_map(weighted).collect()
}

/// The state of adjacent groups, lowest first: three, or four columns of which one bit each is
/// clear.
pub(in crate::library) fn join(b: &mut Builder, digits: &[Digit]) -> Digit {
    if let [only] = digits {
        return *only;
    }
    let whole = 1i32 << digits.len();
    let made = asked(b, &weigh(digits), 2, |t| {
        u32::from(t >= whole - 1) | u32::from(t >= whole) << 1
    });
    Digit([made[0], made[1]])
}

/// The carry out of up to three groups with a carry into the lowest.
pub(in crate::library) fn carry_out(b: &mut Builder, carry: Wire, digits: &[Digit]) -> Wire {
    let whole = 1i32 << digits.len();
    let mut terms = weigh(digits);
    terms.push((carry, 1));
    asked(b, &terms, 1, |t| u32::from(t >= whole))[0]
}

/// Thresholds of a sum: of up to 31, where clear bits leave it so large.
fn asked(b: &mut Builder, terms: &[(Wire, i8)], count: usize, f: impl Fn(i32) -> u32) -> Vec<Wire> {
    let is_secret = |(wire, _): &&(Wire, i8)| wire.as_constant().is_none();
    let secret = terms.iter().filter(is_secret);
    let range: u32 = secret
        .map(|(_, weight)| u32::from(weight.unsigned_abs()))
        .sum();
    if range > RANGE
        && let Some(made) = negacyclic_functions(b, terms, count, &f)
    {
        return made;
    }
    functions(b, terms, count, f)
}

/// How a range is split into at most so many `digits` of which all but the last few are as large as
/// the tree's depth allows: each node but one per tree then has three digits.
pub(in crate::library) fn split(length: usize, digits: usize) -> Vec<usize> {
    let mut capacity = 1;
    while digits * capacity < length {
        capacity *= digits;
    }
    let count = digits.min(length);
    let mut left = length;
    let part = |at: usize| {
        let size = capacity.min(left - (count - 1 - at));
        left -= size;
        size
    };
    (0..count).map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of the tree over `length` digits, and its depth.
    fn tree(length: usize, digits: usize) -> (usize, u32) {
        if length == 1 {
            return (0, 0);
        }
        let parts = split(length, digits).into_iter();
        let parts: Vec<_> = parts.map(|length| tree(length, digits)).collect();
        let nodes: usize = parts.iter().map(|part| part.0).sum();
        let depth = parts.iter().map(|part| part.1).max().unwrap();
        (nodes + 1, depth + 1)
    }

    #[test]
    fn trees_have_the_fewest_nodes_and_the_least_depth() {
        for digits in [DIGITS, WIDE] {
            for length in 1..=100 {
                let least = (0..).find(|&depth| digits.pow(depth) >= length);
                let nodes = (length - 1).div_ceil(digits - 1);
                let expected = (nodes, least.unwrap());
                assert_eq!(tree(length, digits), expected, "{length} by {digits}");
            }
        }
    }
}
