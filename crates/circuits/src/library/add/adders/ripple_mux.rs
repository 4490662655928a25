//! The ripple adder of selections: where two bits differ the carry passes, where they agree either
//! is the carry.
//!
//! `p = x ⊕ y`, `s = p ⊕ c`, `c' = p ? c : y`: a column costs two XORs and a selection, the first
//! an AND and an XOR. For n ≥ 2 columns
//!
//! ```text
//! ANDs = 1          XORs = 2n − 1          selections = n − 2          depth = n
//! ```
//!
//! A selection of the TFHE library is two rotations that do not wait for each other: 4n − 4
//! rotations in all, where a full adder of gates takes 5n − 6. With a carry in, carry out and
//! overflow: 2n + 1 XORs, n selections, depth n + 2. Where selections are written in gates this is
//! a full adder with one AND.
//!
//! Source: T. Kilburn, D. B. G. Edwards, D. Aspinall, Parallel addition in digital computers: a new
//! fast carry circuit, Proc. IEE 106B, 1959 (the Manchester carry chain).

use super::ripple;
use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// Gates and depth.
pub(super) const fn gates(n: usize, carries: Carries) -> Formula {
    let (ands, xors, muxes, depth) = match (carries, n) {
        (_, 0) => (0, 0, 0, 0),
        (Carries::Dropped, 1) => (0, 1, 0, 1),
        (Carries::Dropped, _) => (1, 2 * n - 1, n - 2, n),
        (Carries::InAndOut, _) => (0, 2 * n + 1, n, n + 2),
    };
    Formula {
        ands,
        xors,
        muxes,
        depth,
    }
}

fn full_adder(b: &mut Builder, x: Wire, y: Wire, c: Wire) -> (Wire, Wire) {
    let differ = b.xor(x, y);
    let carry = match c.as_constant() {
        Some(false) => b.and(x, y),
        Some(true) => b.or(x, y),
        None => b.mux(differ, c, y),
    };
    (b.xor(differ, c), carry)
}

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    ripple::chain(b, x, y, carry_in, full_adder).finish(b)
}
