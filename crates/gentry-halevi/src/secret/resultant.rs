//! The resultant of v and x^n + 1, and the two lowest coefficients of the scaled inverse of v.
//!
//! d = Π v(ρ) over the roots ρ of x^n + 1. These come in pairs ρ, −ρ, and v(ρ)·v(−ρ) is a
//! polynomial of half the length in ρ²: with v = v_e(x²) + x·v_o(x²) it is v_e² − y·v_o², y = x².
//! So log2 n halvings leave d, and coefficients double in size while their number halves, so that
//! each takes as much time: products of nt-bit integers.
//!
//! The same halvings lead from u to the lowest coefficient of d·u/v, for u/v = u(x)·v(−x) /
//! (v(x)·v(−x)), of which odd powers of x never reach the constant term: u becomes u_e·v_e −
//! y·u_o·v_o. With u = 1 this is w_0 for w = d/v, and with u = x^(−1) = −x^(n−1) it is w_1; both
//! are carried through one chain. (Gentry and Halevi, §4, compute w_1 from the first-order terms of
//! Π(v(ρ) − z) instead, in a second chain.)
//!
//! Six products a halving, the first has only two: 62 of 786,432 bits at n = 2048.

use super::polynomial::Polynomial;
use crate::Error;
use crate::stage::Stage;
use work::Counter;

/// d, w_0 and w_1, two's complement.
pub(super) struct Resultant {
    pub(super) resultant: Polynomial,
    pub(super) inverse: [Polynomial; 2],
}

/// Halves `v` down to its resultant. `counter` is told of log2 n steps.
pub(super) fn resultant(v: &Polynomial, counter: &Counter<'_, Stage>) -> Result<Resultant, Error> {
    let (even, odd) = v.halves();
    let mut v = even.squared()?.minus_shifted(&odd.squared()?);
    // v(−x) = v_e − x·v_o, so the even parts of v(−x) and of x^(−1)·v(−x) are these:
    let mut inverse = [even, odd.negated()];
    counter.step()?;
    while v.len() > 1 {
        let (even, odd) = v.halves();
        for u in &mut inverse {
            let (u_even, u_odd) = u.halves();
            *u = u_even.times(&even)?.minus_shifted(&u_odd.times(&odd)?);
        }
        v = even.squared()?.minus_shifted(&odd.squared()?);
        counter.step()?;
    }
    Ok(Resultant {
        resultant: v,
        inverse,
    })
}
