//! The conditional-sum adder: parallel prefix by selections, which saves the columns' own ANDs and
//! a level of them.
//!
//! Where a group propagates its carry is the one below it, and where it does not any bit of its top
//! column that differs will do: `g = p₁ ? g₀ : g₁` with `g = y` for a column, never `xy`. The carry
//! in is a group of its own below column 0, which nothing comes into. Joins are Sklansky's
//! ([`sklansky`](super::sklansky)) over M groups, M − 1 of them columns whose carry is read (M = n,
//! or n + 1 with a carry out): `J = Σ₍ᵢ₌₁…M₋₁₎ |ones of i|` joins, M − 1 of which reach the carry
//! in and need no p:
//!
//! ```text
//! ANDs = J − (M − 1) + 1          XORs = 2n − 1          selections = J − 1          depth = 2 + ⌈log₂n⌉
//! ```
//!
//! for n ≥ 4 without a carry in, where the selection at column 0 is an AND (depth n for fewer).
//! With carries J − n ANDs, 2n + 1 XORs, J selections, and depth 2 + ⌈log₂(n + 1)⌉. A selection
//! written in gates is one AND deep, so that levelled schemes pay ⌈log₂M⌉ levels, where g and p of
//! ANDs cost one more.
//!
//! Source: J. Sklansky, Conditional-sum addition logic, IRE Trans. Electronic Computers, 1960.

use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// Gates and depth.
pub(super) fn gates(n: usize, carries: Carries) -> Formula {
    let ends = usize::from(carries == Carries::InAndOut);
    if n == 0 {
        return Formula::default();
    }
    let groups = n + ends;
    let joins: usize = (1..groups).map(|at| at.count_ones() as usize).sum();
    let first = usize::from(ends == 0 && n > 1);
    let levels = groups.next_power_of_two().ilog2() as usize;
    Formula {
        ands: joins - (groups - 1) + first,
        xors: 2 * n - 1 + 2 * ends,
        muxes: joins - first,
        depth: match (n, ends) {
            (1..=3, 0) => n,
            _ => 2 + levels,
        },
    }
}

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let columns: Vec<Wire> = x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect();
    // By group: the carry in, then the columns.
    let mut carries = [&[carry_in], y].concat();
    let mut propagate = [&[Wire::FALSE], &columns[..]].concat();
    let mut half = 1;
    while half < carries.len() {
        for at in (0..carries.len()).filter(|at| at & half != 0) {
            // The last group of the lower half.
            let below = (at | (half - 1)) - half;
            carries[at] = match (at, carry_in.as_constant()) {
                (1, Some(false)) => b.and(x[0], y[0]),
                (1, Some(true)) => b.or(x[0], y[0]),
                _ => b.mux(propagate[at], carries[below], carries[at]),
            };
            if at >= 2 * half {
                propagate[at] = b.and(propagate[at], propagate[below]);
            }
        }
        half *= 2;
    }
    let sum = columns
        .iter()
        .zip(&carries)
        .map(|(&p, &into)| b.xor(p, into));
    let sum = sum.collect();
    let carry = carries[x.len()];
    let overflow = b.xor(carry, carries[x.len().saturating_sub(1)]);
    Added {
        sum,
        carry,
        overflow,
    }
}
