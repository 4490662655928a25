//! Whether words are equal, or zero.

use crate::library::weighted::{capacity, functions};
use crate::{Builder, Wire};

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
