//! The parallel-prefix adder of Sklansky, for schemes that pay for depth.
//!
//! Each column generates (`g = xy`) or propagates (`p = x ⊕ y`) a carry; two adjacent groups
//! combine to `(g₁ ⊕ p₁g₀, p₁p₀)`. Sklansky's tree doubles the groups at every level: depth
//! 1 + ⌈log₂n⌉, the least there is. For n = 2ᵏ it has n/2·k nodes, of which n − 1 reach column 0
//! and need no `p`, so that n + 2·(n/2·k) − (n − 1) = nk + 1 ANDs give all carries.
//! The carry in belongs to column 0: `g₀` is the majority of three bits, still one AND.
//!
//! Source: J. Sklansky, Conditional-sum addition logic, IRE Trans. Electronic Computers, 1960.

use super::{Added, full_adder};
use crate::{Builder, Wire};

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let n = x.len();
    let columns: Vec<Wire> = x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect();
    let mut propagate = columns.clone();
    let mut generate: Vec<Wire> = x.iter().zip(y).map(|(&x, &y)| b.and(x, y)).collect();
    if let (Some(first), Some(&x), Some(&y)) = (generate.first_mut(), x.first(), y.first()) {
        *first = full_adder(b, x, y, carry_in).1;
    }
    let mut half = 1;
    while half < n {
        for at in (0..n).filter(|at| at & half != 0) {
            // The last column of the lower half of this group.
            let below = (at | (half - 1)) - half;
            let carried = b.and(propagate[at], generate[below]);
            generate[at] = b.xor(generate[at], carried);
            // Groups that reach column 0 have nothing below them to propagate.
            if at >= 2 * half {
                propagate[at] = b.and(propagate[at], propagate[below]);
            }
        }
        half *= 2;
    }
    let carry_into = |at: usize| if at == 0 { carry_in } else { generate[at - 1] };
    let sum = columns
        .iter()
        .enumerate()
        .map(|(at, &p)| b.xor(p, carry_into(at)))
        .collect();
    let carry = carry_into(n);
    let overflow = b.xor(carry, carry_into(n.saturating_sub(1)));
    Added {
        sum,
        carry,
        overflow,
    }
}
