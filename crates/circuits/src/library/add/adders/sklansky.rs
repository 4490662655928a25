//! The parallel-prefix adder of Sklansky: the least depth, and the fewest joins at that depth.
//!
//! At every level the upper half of each group of 2, 4, 8 … columns takes in the lower half's last
//! group ([`prefix`](super::prefix)): fan-out up to n/2, which costs nothing here. With m the
//! columns whose carry is read (n − 1, or n with a carry out) there are `J = Σₖ |{i < m : bit k of
//! i is 1}|` joins (m/2·log₂m for powers of two), of which m − 1 reach column 0 and need no p:
//!
//! ```text
//! ANDs = m + 2J − (m − 1)          XORs = 2n − 1 + J          depth = 2 + 2⌈log₂m⌉
//! ```
//!
//! and with carries five XORs more and depth 4 + 2⌈log₂m⌉ (m ≥ 2). In ANDs it is 1 + ⌈log₂m⌉ deep,
//! carry in included.
//!
//! Source: J. Sklansky, Conditional-sum addition logic, IRE Trans. Electronic Computers, 1960.

use super::prefix::{self, Groups, Plus};
use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// Gates and depth.
pub(super) fn gates(n: usize, carries: Carries) -> Formula {
    let m = prefix::carried(n, carries);
    let joins: usize = (0..m).map(|at| at.count_ones() as usize).sum();
    let joint = joins - m.saturating_sub(1);
    Formula {
        depth: depth(n, m, carries),
        ..prefix::gates(Plus::Xor, n, carries, joins, joint)
    }
}

/// Two gates for each level of joins, those of the first and the last column around them.
fn depth(n: usize, m: usize, carries: Carries) -> usize {
    match (m, carries) {
        (0, _) => n.min(1),
        _ => prefix::first(carries) + 2 * m.next_power_of_two().ilog2() as usize + 1,
    }
}

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let mut groups = Groups::new(b, Plus::Xor, x, y, carry_in);
    let mut half = 1;
    while half < groups.len() {
        for at in (0..groups.len()).filter(|at| at & half != 0) {
            // The last column of the lower half of this group.
            groups.join(b, at, (at | (half - 1)) - half);
        }
        half *= 2;
    }
    groups.finish(b)
}
