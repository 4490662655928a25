//! Order by a tree of selections, for targets of gates.
//!
//! Two words differ first, from the top, where the upper half does if it does, else where the lower
//! half does: with `e` for "equal" and `g` for "which is greater, if they differ"
//!
//! ```text
//! g = e₁ ? g₀ : g₁          e = e₁e₀
//! ```
//!
//! A single column is `e = ¬(x ⊕ y)`, `g = y`: no AND. Halves are joined in order of width, the
//! lowest column as `¬x·y`. For n columns: n − 1 XORs, n − 1 selections, one AND for the lowest
//! column and one for each join that does not reach it, of which there are n − 1 − ⌈log₂n⌉; depth
//! 1 + ⌈log₂n⌉. A chain of selections saves those ANDs, at depth n.
//!
//! Source: the conditional sums of J. Sklansky, 1960, of which only the last carry is asked for.

use crate::architectures::Formula;
use crate::{Builder, Wire};

/// Gates and depth.
pub(super) fn gates(n: usize) -> Formula {
    if n == 0 {
        return Formula::default();
    }
    let levels = n.next_power_of_two().ilog2() as usize;
    Formula {
        ands: n - levels,
        xors: n - 1,
        muxes: n - 1,
        depth: 1 + levels,
    }
}

/// Whether `x < y`.
pub(super) fn less_than(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Wire {
    let mut groups: Vec<(Wire, Wire)> = x
        .iter()
        .zip(y)
        .enumerate()
        .map(|(at, (&x, &y))| match at {
            0 => (Wire::FALSE, b.and(!x, y)),
            _ => (b.xnor(x, y), y),
        })
        .collect();
    // The lowest group stays the largest power of two or all there is: nobody asks whether it is
    // equal.
    while groups.len() > 1 {
        let pairs = groups.chunks(2).map(|pair| match *pair {
            [(equal_below, below), (equal, greater)] => {
                (b.and(equal, equal_below), b.mux(equal, below, greater))
            }
            _ => pair[0],
        });
        groups = pairs.collect();
    }
    groups.first().map_or(Wire::FALSE, |&(_, less)| less)
}
