//! The parallel-prefix adder of Kogge and Stone, as the emulator of encrypted programs draws it: a
//! parallel scan of `(g, p)` in ⌈log₂n⌉ levels, at each of which every column joins the group 1, 2,
//! 4 … columns below it.
//!
//! The paper's join is two ANDs and an OR (figure 7); its subtractor brings a carry in to column 0
//! by two gates more, which fold to one OR for the clear 1 of a subtraction. With m the columns
//! whose carry is read (n − 1, or n with a carry out) there are `J = Σ (m − d)` joins over d = 1,
//! 2, 4 … below m, of which `P = Σ max(m − 2d, 0)` need their p (the paper evaluates the others
//! too, which nobody reads):
//!
//! ```text
//! ANDs and ORs = m + 2J + P          XORs = 2n − 1          depth = 2 + 2⌊log₂m⌋ (+ 1)
//! ```
//!
//! one gate deeper where m is no power of two: at the last level the highest column then waits for
//! its own g of the level before, not for that below it. With carries two ANDs and two XORs more,
//! depth 4 + 2⌊log₂m⌋: column 0 is two gates late, and no other column waits for it but through
//! joins.
//!
//! Source: P. M. Kogge, H. S. Stone, A parallel algorithm for the efficient solution of a general
//! class of recurrence equations, 1973; X. Gong, D. Negrut, CryptoEmu, 2020, §V-B, figure 8, and
//! §V-C.

use super::prefix::{self, Groups, Plus};
use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// The distances of a scan of `columns` columns.
fn distances(columns: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |distance| Some(2 * distance))
        .take_while(move |&distance| distance < columns)
}

/// Gates and depth.
pub(super) fn gates(n: usize, carries: Carries) -> Formula {
    let m = prefix::carried(n, carries);
    let joins = distances(m).map(|distance| m - distance).sum();
    let joint = distances(m).map(|distance| m.saturating_sub(2 * distance));
    Formula {
        depth: depth(n, m, carries),
        ..prefix::gates(Plus::Or, n, carries, joins, joint.sum())
    }
}

fn depth(n: usize, m: usize, carries: Carries) -> usize {
    let ragged = usize::from(carries == Carries::Dropped && !m.is_power_of_two());
    match m.checked_ilog2() {
        None => n.min(1),
        Some(levels) => prefix::first(carries) + 2 * levels as usize + ragged + 1,
    }
}

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let mut groups = Groups::new(b, Plus::Or, x, y, carry_in);
    for distance in distances(groups.len()) {
        // From the top, so that what lies below is still of the level before.
        for at in (distance..groups.len()).rev() {
            groups.join(b, at, at - distance);
        }
    }
    groups.finish(b)
}
