//! The adder of sums that are read as halves, or of which only the carry is read: four columns in one
//! rotation.
//!
//! `t = Σ 2ⁱ(xᵢ + yᵢ) + c` over four columns takes the values 0 to 31, the whole torus. Its carry,
//! `t ≥ 16`, is negacyclic, and so is each of its other bits XOR the carry. The XOR of both is a sum at
//! scale 1/2, which takes no rotation: ⌈n/4⌉ lookups at depth ⌈n/4⌉, 8 for 32 bits. Whoever needs the
//! bits themselves is served better by three columns ([`slices`](super::slices)); so is a sum whose
//! operands are too noisy for the weight of 8.

use super::slices::{self, settled};
use crate::library::weighted::{capacity, is_quiet_at_large_weights, negacyclic_functions};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// Columns of a lookup.
const COLUMNS: usize = 4;

/// Whether all fours of columns are quiet enough for one lookup.
pub(crate) fn is_quiet_by_fours(b: &Builder, x: &[Wire], y: &[Wire]) -> bool {
    let fours = x.chunks(COLUMNS).zip(y.chunks(COLUMNS));
    let mut terms = fours.map(|(x, y)| weigh(x, y));
    terms.all(|terms| is_quiet_at_large_weights(b, &terms))
}

/// The columns with their weights.
fn weigh(x: &[Wire], y: &[Wire]) -> Vec<(Wire, i8)> {
    let columns = x.iter().zip(y).enumerate();
    let weighed = columns.flat_map(|(at, (&x, &y))| [(x, 1 << at), (y, 1 << at)]);
    weighed.collect()
}

/// Sum, as halves where four columns were added at once, and carry; `None` where the target has no
/// lookups.
pub(crate) fn add_by_fours(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry_in: Wire,
) -> Option<(Word, Wire)> {
    let capacity = capacity(b)?;
    let n = x.len();
    let mut sum = Vec::with_capacity(n);
    let mut carry = carry_in;
    while sum.len() < n {
        let at = sum.len();
        if let Some((bit, next)) = settled(x[at], y[at], carry) {
            sum.push(bit);
            carry = next;
            continue;
        }
        let end = n.min(at + COLUMNS);
        if let Some((bits, next)) = four(b, &x[at..end], &y[at..end], carry) {
            sum.extend(bits);
            carry = next;
            continue;
        }
        let (bits, next) = slices::slice(b, capacity, &x[at..], &y[at..], carry);
        sum.extend(bits);
        carry = next;
    }
    Some((sum, carry))
}

/// Four columns, if their sum is large and quiet enough to be read from the whole torus.
fn four(b: &mut Builder, x: &[Wire], y: &[Wire], carry: Wire) -> Option<(Word, Wire)> {
    let mut columns = x.iter().zip(y);
    if x.len() < COLUMNS || columns.any(|(&x, &y)| x == y || x == !y) {
        return None;
    }
    let mut terms = weigh(x, y);
    terms.push((carry, 1));
    if !is_quiet_at_large_weights(b, &terms) {
        return None;
    }
    // The carry, then each bit XOR the carry.
    let made = negacyclic_functions(b, &terms, 1 + COLUMNS, |t| {
        let carry = t as u32 >> COLUMNS & 1;
        let bits = if carry == 1 { !t as u32 } else { t as u32 };
        carry | (bits & ((1 << COLUMNS) - 1)) << 1
    })?;
    let carry = made[0];
    let bits = made[1..].iter().map(|&bit| b.linear(&[bit, carry]));
    Some((bits.collect(), carry))
}
