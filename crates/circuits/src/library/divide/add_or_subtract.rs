//! CryptoEmu's divider: non-restoring, one adder–subtractor of fixed width for each bit.
//!
//! A is 0. In each of n steps `[A, Q]` moves left by one place; the sign of A before that decides
//! between `A + D` and `A − D`: SUB, its inverse, is XORed to every bit of D and is the adder's
//! carry in. The quotient's bit is the inverse of A's sign afterwards. A takes n + 1 bits, since
//! `−D ≤ A < D` and D may have its top bit set; twice A is right modulo 2ⁿ⁺¹ in any case.
//!
//! The remainder is A, and `A + D` where A ends negative: n selections (ANDs) and one more
//! addition, dropped where nobody reads it, as the paper does.
//!
//! A divisor of 0 leaves A = x and a quotient of ones; ARM's 0 takes `n − 1` ORs and n ANDs behind
//! the paper's circuit.
//!
//! With the paper's adder, Kogge and Stone's, whose scan of n columns has J joins and P of them
//! with their p; n = 2ˡ, so that `J = nl − n + 1` and `P = nl − 2n + 2`:
//!
//! | step | ANDs and ORs |
//! |---|---|
//! | the first: 1 minus D, an increment | `1 + J − (n − 1 − l)` |
//! | n − 2 in between: an adder of n + 1 columns with a carry in | `n + 2J + P + 2` each |
//! | the last, of which only the sign is read: a tree instead of a scan | `4n − 1 − l` |
//! | ARM's rule | `2n − 1` |
//!
//! (the first shares `n − 1 − l` ANDs with the test for 0); `3n² − n − 2` XORs; `(n − 1)(2l + 5) +
//! l + 2` gates deep. The paper counts `7n² + 2n` gates (`n(n + 6n + 2)`), an adder having 6n, and
//! `2n·log₂n + 5n` levels; its adder has n bits, which is wrong for D with its top bit set.
//!
//! Source: X. Gong, D. Negrut, CryptoEmu, 2020, §V-F, figure 16; the adder is its figure 8.

use super::divided::{Divided, settle};
use crate::architectures::{Adder, Formula};
use crate::library::add::add_with;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// `x / y` for words of the same width.
pub(super) fn divide(b: &mut Builder, adder: Adder, x: &[Wire], y: &[Wire]) -> Divided {
    let n = x.len();
    let mut divisor = y.to_vec();
    divisor.push(Wire::FALSE);
    let mut rest = vec![Wire::FALSE; n + 1];
    let mut quotient = vec![Wire::FALSE; n];
    for at in (0..n).rev() {
        let subtract = !rest[n];
        rest.pop();
        rest.insert(0, x[at]);
        let operand: Word = divisor.iter().map(|&bit| b.xor(bit, subtract)).collect();
        rest = add_with(b, adder, &rest, &operand, subtract).sum;
        quotient[at] = !rest[n];
    }
    let divides = b.any(y);
    settle(b, adder, y, divides, &quotient, &rest)
}

/// The quotient by the adder of Kogge and Stone, for n a power of two from 2 up.
pub(super) const fn gates(n: usize) -> Option<Formula> {
    if n < 2 || !n.is_power_of_two() {
        return None;
    }
    let log = n.ilog2() as usize;
    let (joins, joint) = (n * log + 1 - n, n * log + 2 - 2 * n);
    let first = 1 + joins + log + 1 - n;
    let step = n + 2 * joins + joint + 2;
    let last = 4 * n - 1 - log;
    Some(Formula {
        ands: first + (n - 2) * step + last + 2 * n - 1,
        xors: 3 * n * n - n - 2,
        muxes: 0,
        depth: (n - 1) * (2 * log + 5) + log + 2,
    })
}
