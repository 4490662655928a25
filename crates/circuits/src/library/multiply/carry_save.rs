//! The iterative multiplier of CryptoEmu: n additions into a register that shifts right.
//!
//! P is 0. In iteration i the row `A·B_i` is added to P by an adder of n bits with a carry out, and
//! `[carry, P, B]` moves right by one place: the sum's lowest bit is bit i of the product, what is
//! left with the carry on top is the next P. After n iterations P is the product's upper half.
//!
//! Signed words take the modified rows of Baugh and Wooley ([`rows`](super::rows)) and a last
//! addition of `1 + 2ⁿ⁻¹` to P: the ones in columns n and 2n − 1.
//!
//! With the paper's adder, Kogge and Stone's, whose scan has `J = Σ (n − d)` joins over d = 1, 2, 4
//! … below n, and `P = Σ max(n − 2d, 0)` of them with their p:
//!
//! | | ANDs and ORs | XORs |
//! |---|---|---|
//! | unsigned, n ≥ 2 | `n² + (n − 1)(n + 2J + P) − 2` | `(n − 1)(2n − 1) − 1` |
//! | signed, n ≥ 2 | and `Σ (n − 1 − d)` over d below n − 1 | and `n − 1` |
//!
//! The first row is the first P: no addition. The second addition's P has no top bit yet, which
//! saves three gates. The depth is a recurrence, about `n·(log₂n + 3)`: low bits of a sum are there
//! before its carry, and the next scan begins with them.
//!
//! The paper counts `7n²` gates (`n² + n·6n`) and `2n·log₂n + 3n` levels, and `6n` and `2·log₂n +
//! 3` more for signed words: an adder of 6n gates, which is one join for each column instead of one
//! at each level, and n additions; and adders one after the other.
//!
//! The lowest n bits are the same circuit; what only the upper half needs is dropped.
//!
//! Source: X. Gong, D. Negrut, CryptoEmu, 2020, §V-E, figures 13 and 15; the adder is its figure 8.

use super::rows::products;
use crate::architectures::{Adder, Formula};
use crate::library::add::add_with;
use crate::library::columns::estimate::{Arrival, Estimate};
use crate::library::word::{Signedness, Word};
use crate::{Builder, Wire};

/// All 2n bits of `x·y`.
pub(super) fn multiply(
    b: &mut Builder,
    adder: Adder,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
) -> Word {
    let n = x.len();
    let mut upper = vec![Wire::FALSE; n];
    let mut product = Word::with_capacity(2 * n);
    for i in 0..n {
        let row = products(b, signedness, x, y, i, n);
        let added = add_with(b, adder, &upper, &row, Wire::FALSE);
        let (&lowest, rest) = added.sum.split_first().unwrap_or((&Wire::FALSE, &[]));
        product.push(lowest);
        upper = rest.to_vec();
        upper.push(added.carry);
    }
    // Words of one bit have both ones in the same column, where they are nothing.
    if signedness == Signedness::Signed && n > 1 {
        let mut ones = vec![Wire::FALSE; n];
        ones[0] = Wire::TRUE;
        ones[n - 1] = Wire::TRUE;
        upper = add_with(b, adder, &upper, &ones, Wire::FALSE).sum;
    }
    product.append(&mut upper);
    product
}

/// All 2n bits by the adder of Kogge and Stone.
pub(super) fn gates(signedness: Signedness, n: usize) -> Formula {
    if n < 2 {
        return Formula {
            ands: n,
            depth: n,
            ..Formula::default()
        };
    }
    let distances = |columns: usize| {
        let all = std::iter::successors(Some(1), |distance| Some(2 * distance));
        all.take_while(move |&distance| distance < columns)
    };
    let joins = |columns: usize| -> usize { distances(columns).map(|d| columns - d).sum() };
    let joint: usize = distances(n).map(|d| n.saturating_sub(2 * d)).sum();
    let mut formula = Formula {
        ands: n * n + (n - 1) * (n + 2 * joins(n) + joint) - 2,
        xors: (n - 1) * (2 * n - 1) - 1,
        muxes: 0,
        depth: depth(signedness, n),
    };
    if signedness == Signedness::Signed {
        formula.ands += joins(n - 1);
        formula.xors += n - 1;
    }
    formula
}

/// Gates on the longest path.
fn depth(signedness: Signedness, n: usize) -> usize {
    let mut estimate = Estimate::default();
    let row = vec![Arrival::After { ands: 1, gates: 1 }; n];
    let mut upper = row[1..].to_vec();
    upper.push(Arrival::Clear(false));
    for _ in 1..n {
        let mut sum = scan(&mut estimate, &upper, &row);
        upper = sum.split_off(1);
    }
    if signedness == Signedness::Signed {
        // 1 in the lowest column; that in the highest, whose carry is dropped, is an inversion.
        let mut one = vec![Arrival::Clear(false); n - 1];
        one[0] = Arrival::Clear(true);
        let below = scan(&mut estimate, &upper[..n - 1], &one);
        estimate.xor(upper[n - 1], below[n - 1]);
    }
    estimate.formula.depth
}

/// When the sum of two rows is there, its carry on top.
fn scan(estimate: &mut Estimate, x: &[Arrival], y: &[Arrival]) -> Vec<Arrival> {
    let n = x.len();
    let columns: Vec<Arrival> = (0..n).map(|at| estimate.xor(x[at], y[at])).collect();
    let mut generate: Vec<Arrival> = (0..n).map(|at| estimate.and(x[at], y[at])).collect();
    let mut propagate = columns.clone();
    let mut distance = 1;
    while distance < n {
        for at in (distance..n).rev() {
            let passed = estimate.and(propagate[at], generate[at - distance]);
            // An OR takes as long as an XOR.
            generate[at] = estimate.xor(generate[at], passed);
            propagate[at] = estimate.and(propagate[at], propagate[at - distance]);
        }
        distance *= 2;
    }
    let mut sum = vec![columns[0]];
    let above = columns.iter().skip(1).zip(&generate);
    sum.extend(above.map(|(&column, &carry)| estimate.xor(column, carry)));
    sum.push(generate[n - 1]);
    sum
}
