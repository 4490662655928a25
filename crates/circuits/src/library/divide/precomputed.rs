//! The divider of Xu and others: non-restoring, with −b computed once.
//!
//! A half-adder chain makes `−b = ¬b + 1` before the first step. Each of n steps then adds b or −b
//! to the doubled remainder, as its sign says: a selection for each bit and an addition without
//! carry in, n + 1 bits wide (`−b ≤ R < b`). Instead of the selection, [`add_or_subtract`] has an
//! XOR and a carry in, which is less where a selection costs more than an XOR.
//!
//! The remainder is R, and `R + b` where R ends negative. A divisor of 0 leaves R = x and a
//! quotient of ones; the half adders' last carry knows it, so that ARM's 0 takes n ANDs behind the
//! paper's circuit.
//!
//! A quotient with the one-AND ripple adder of the paper takes `n² + 2n − 1` ANDs, `(2n − 1)²` XORs
//! and `(n − 1)²` selections, `3n² − 2n + 2` gates deep:
//!
//! * n − 1 ANDs and XORs for −b;
//! * n − 1 selections in each step but the first, where the sign is known (the lowest bits of b and
//!   −b are the same), and an AND for the top bit, which is the quotient's bit by ARM's rule as
//!   well;
//! * n ANDs in each addition; the last one needs its sign only.
//!
//! n² ANDs follow each other: the paper's depth `len(a)·len(b)`.
//!
//! Source: C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically encrypted arithmetic operations over the
//! integer ring, 2016, §3.4 (after its reference 5), and its half adder chain, §3.1.
//!
//! [`add_or_subtract`]: super::add_or_subtract

use super::divided::{Divided, settle};
use crate::architectures::{Adder, Formula};
use crate::library::add::{add_with, full_adder};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// `x / y` for words of the same width.
pub(super) fn divide(b: &mut Builder, adder: Adder, x: &[Wire], y: &[Wire]) -> Divided {
    let n = x.len();
    let mut divisor = y.to_vec();
    divisor.push(Wire::FALSE);
    let (minus, zero) = negated(b, y);
    let mut rest = vec![Wire::FALSE; n + 1];
    let mut quotient = vec![Wire::FALSE; n];
    for at in (0..n).rev() {
        let negative = rest[n];
        rest.pop();
        rest.insert(0, x[at]);
        let signed = divisor.iter().zip(&minus);
        let operand: Word = signed
            .map(|(&plus, &minus)| b.mux(negative, plus, minus))
            .collect();
        rest = add_with(b, adder, &rest, &operand, Wire::FALSE).sum;
        quotient[at] = !rest[n];
    }
    settle(b, adder, y, !zero, &quotient, &rest)
}

/// `−x` with a sign above its top bit, and whether x is 0: `¬x + 1` by a chain of half adders, an
/// XOR and an AND for each bit but the lowest.
fn negated(b: &mut Builder, x: &[Wire]) -> (Word, Wire) {
    let mut carry = Wire::TRUE;
    let mut minus: Word = Word::with_capacity(x.len() + 1);
    for &bit in x {
        let (sum, next) = full_adder(b, !bit, Wire::FALSE, carry);
        minus.push(sum);
        carry = next;
    }
    // The sign of ¬x is 1, and the carry out of the other bits turns it for 0 only.
    minus.push(!carry);
    (minus, carry)
}

/// The quotient by the one-AND ripple adder.
pub(super) const fn gates(n: usize) -> Formula {
    if n == 0 {
        return Formula {
            ands: 0,
            xors: 0,
            muxes: 0,
            depth: 0,
        };
    }
    Formula {
        ands: n * n + 2 * n - 1,
        xors: (2 * n - 1) * (2 * n - 1),
        muxes: (n - 1) * (n - 1),
        depth: 3 * n * n + 2 - 2 * n,
    }
}
