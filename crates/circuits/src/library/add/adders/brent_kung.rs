//! The parallel-prefix adder of Brent and Kung: the fewest joins of a logarithmic depth, for twice
//! the least depth.
//!
//! Up a tree, groups of 2, 4, 8 … columns that end where their size says; down again, groups of
//! half that size fill the gaps ([`prefix`](super::prefix)). With m the columns whose carry is read
//! (n − 1, or n with a carry out): `U = Σ ⌊m/2d⌋` joins up over d = 1, 2, 4 …, of which ⌊log₂m⌋
//! reach column 0 and need no p, and m − 1 − ⌊log₂m⌋ joins down, which all do (so 2m − 2 − ⌊log₂m⌋
//! in all for powers of two):
//!
//! ```text
//! ANDs = m + 2U − ⌊log₂m⌋ + D          XORs = 2n − 1 + U + D
//! ```
//!
//! with D the joins down, and with carries five XORs more. The depth is that of the deepest carry:
//! 2·(2⌊log₂m⌋ − 1) gates of joins where m is a power of two and at least 4.
//!
//! Source: R. P. Brent, H. T. Kung, A regular layout for parallel adders, IEEE Trans.
//! Computers, 1982.

use super::prefix::{self, Groups, Plus};
use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// Joins in order, `(at, below)`: up the tree, then down.
fn joins(m: usize) -> impl Iterator<Item = (usize, usize)> {
    let levels = m.checked_ilog2().unwrap_or(0);
    let pairs = move |first: usize, distance: usize| {
        (first..m)
            .step_by(2 * distance)
            .map(move |at| (at, at - distance))
    };
    let up = (0..levels).flat_map(move |level| pairs((2 << level) - 1, 1 << level));
    let down = (0..levels)
        .rev()
        .flat_map(move |level| pairs((3 << level) - 1, 1 << level));
    up.chain(down)
}

/// Gates and depth.
pub(super) fn gates(n: usize, carries: Carries) -> Formula {
    let m = prefix::carried(n, carries);
    let levels = m.checked_ilog2().unwrap_or(0) as usize;
    let up: usize = (1..=levels).map(|level| m >> level).sum();
    // Every column but those that the way up has brought to column 0 comes down once.
    let down = m.saturating_sub(1 + levels);
    Formula {
        depth: depth(n, m, carries),
        ..prefix::gates(Plus::Xor, n, carries, up + down, up - levels)
    }
}

/// When the last output is there: g and p of each column's group, join by join.
fn depth(n: usize, m: usize, carries: Carries) -> usize {
    let mut groups = vec![(1, 1); m];
    if let Some(lowest) = groups.first_mut() {
        lowest.0 = prefix::first(carries);
    }
    for (at, below) in joins(m) {
        let ((g, p), (g_below, p_below)) = (groups[at], groups[below]);
        groups[at] = (1 + g.max(1 + p.max(g_below)), 1 + p.max(p_below));
    }
    groups.iter().map(|&(g, _)| g + 1).max().unwrap_or(n.min(1))
}

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let mut groups = Groups::new(b, Plus::Xor, x, y, carry_in);
    for (at, below) in joins(groups.len()) {
        groups.join(b, at, below);
    }
    groups.finish(b)
}
