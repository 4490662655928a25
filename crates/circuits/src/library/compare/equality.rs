//! Whether words are equal, or zero.

use crate::library::weighted::{
    capacity, functions, has_negacyclic, is_quiet_at_large_weights, negacyclic_functions,
};
use crate::{Builder, Wire};

/// Columns of one sum of the whole torus.
const WIDE: usize = 4;

/// XORs from which on they are taken for a comparison.
const MANY: usize = 8;

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
    let mut rest = &pairs[..];
    while !rest.is_empty() {
        if let Some((slice, after)) = rest.split_at_checked(WIDE)
            && let Some(same) = no_wide_difference(b, slice)
        {
            agree.push(same);
            rest = after;
            continue;
        }
        let (slice, after) = rest.split_at(columns.min(rest.len()));
        rest = after;
        agree.push(match range {
            Some(_) => no_difference(b, slice),
            None => b.xnor(slice[0].0, slice[0].1),
        });
    }
    b.all(&agree)
}

/// `Σ 2ⁱ(xᵢ − yᵢ)`
fn difference(pairs: &[(Wire, Wire)]) -> Vec<(Wire, i8)> {
    let weighted = |(at, &(x, y)): (usize, &(Wire, Wire))| [(x, 1i8 << at), (y, -(1i8 << at))];
    pairs.iter().enumerate().flat_map(weighted).collect()
}

fn no_difference(b: &mut Builder, pairs: &[(Wire, Wire)]) -> Wire {
    let terms = difference(pairs);
    functions(b, &terms, 1, |difference| u32::from(difference == 0))[0]
}

/// The same of four columns by sums of the whole torus, if the target has them and their noise
/// allows it: whether a difference is negative, and whether it is positive, of which one is at most.
fn no_wide_difference(b: &mut Builder, pairs: &[(Wire, Wire)]) -> Option<Wire> {
    let terms = difference(pairs);
    if !has_negacyclic(b) || !is_quiet_at_large_weights(b, &terms) {
        return None;
    }
    let sides = negacyclic_functions(b, &terms, 2, |difference| {
        u32::from(difference >= 0) | u32::from(difference > 0) << 1
    })?;
    Some(!b.disjoint(&[!sides[0], sides[1]]))
}

/// Whether all bits are 0. Bits of one lookup are asked together, in that lookup: the zero flag of
/// a sum of 32 bits costs one lookup more than the sum. Many XORs are asked whether their operands
/// are equal: strings are compared by an OR of such words, whose bits nobody else reads.
pub fn is_zero(b: &mut Builder, x: &[Wire]) -> Wire {
    if capacity(b).is_none() {
        return !b.any(x);
    }
    let bits = b.any_below_gates(x);
    let mut pairs: Vec<(Wire, Wire)> = bits.iter().filter_map(|&bit| b.differing(bit)).collect();
    if pairs.len() < MANY {
        return !b.any(x);
    }
    pairs.sort_unstable();
    pairs.dedup();
    let (left, right): (Vec<Wire>, Vec<Wire>) = pairs.into_iter().unzip();
    let same = equal(b, &left, &right);
    let mut others = vec![!same];
    others.extend(bits.into_iter().filter(|&bit| b.differing(bit).is_none()));
    !b.any(&others)
}
