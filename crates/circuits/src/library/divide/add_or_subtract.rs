//! CryptoEmu's divider: non-restoring, one adder–subtractor of fixed width for each bit.
//!
//! A is 0. In each of n steps `[A, Q]` moves left by one place; the sign of A before that decides
//! between `A + D` and `A − D`: SUB, its inverse, is XORed to every bit of D and is the adder's carry
//! in. The quotient's bit is the inverse of A's sign afterwards. A takes n + 1 bits, since
//! `−D ≤ A < D` and D may have its top bit set; twice A is right modulo 2ⁿ⁺¹ in any case.
//!
//! The remainder is A, and `A + D` where A ends negative: n selections (ANDs) and one more addition,
//! dropped where nobody reads it, as the paper does.
//!
//! A divisor of 0 leaves A = x and a quotient of ones; ARM's 0 takes `n − 1` ORs and n ANDs behind
//! the paper's circuit.
//!
//! With an adder of a(n) gates with a carry in: `n(n + a(n + 1)) + 2n − 1` gates less what the first
//! step, whose A and SUB are clear, does not need. The paper counts `7n² + 2n` gates
//! (`n(n + 6n + 2)`) and `2n·log₂n + 5n` levels, with an adder of n bits, wrong where D has its top bit set.
//!
//! Source: 004 §V-F, figure 16; the adder is its figure 8.

use super::{Divided, settle};
use crate::library::Word;
use crate::library::add::{Adder, add_with};
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
