//! The recursive carry look-ahead adder: groups of four columns, groups of four groups, and so on.
//!
//! A column generates (`g = xy`) or propagates (`p = x ⊕ y`) a carry, and four of them together
//!
//! ```text
//! f_g = g₃ ⊕ p₃g₂ ⊕ p₃p₂g₁ ⊕ p₃p₂p₁g₀          f_p = p₃p₂p₁p₀
//! ```
//!
//! which are g and p of the group; groups of groups likewise, up to a level of at most four.
//! Carries then come back down: from the first of a group to the next three by `c' = g ⊕ p·c`. The
//! paper draws 64 columns (three levels) and 16 (two); for other widths the last group of a level
//! has fewer members.
//!
//! A group takes seven ANDs (five where no carry comes in from below, since nobody asks whether the
//! lowest propagates) and three XORs, a carry step one of each. For n = 4ᵏ, k ≥ 2, without a carry
//! in, G = (n − 4)/3 − (k − 1) groups are read (the last of each level is not), and there are S = n
//! − 1 − k steps, one AND of which at every level but the highest is also in the lowest group's
//! f_g:
//!
//! ```text
//! ANDs = (n − 1) + 7G + S − 3(k − 1)          XORs = 2n − 1 + 3G + S          depth = 10k − 4
//! ```
//!
//! 46 ANDs and 53 XORs at depth 16 for 16 bits, 243 and 241 at depth 26 for 64. In ANDs the carries
//! are 5k − 2 deep.
//!
//! Source: C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically encrypted arithmetic operations over the
//! integer ring, 2016, §3.1, algorithm 2 and figure 1.

use crate::architectures::Formula;
use crate::library::add::added::{Added, Carries};
use crate::{Builder, Wire};

/// Members of a group.
const GROUP: usize = 4;

/// Gates and depth, group by group.
pub(super) fn gates(n: usize, carries: Carries) -> Formula {
    let ends = usize::from(carries == Carries::InAndOut);
    if n == 0 {
        return Formula::default();
    }
    // The highest column generates for the carry out alone; the lowest sum is p where nothing comes
    // in; overflow.
    let mut formula = Formula {
        ands: n - 1 + ends,
        xors: 2 * n - 1 + 2 * ends,
        muxes: 0,
        depth: depth(n, ends),
    };
    let (mut size, mut below) = (n, None);
    loop {
        let top = size <= GROUP;
        // The last member is read for the carry out alone.
        for at in 0..size - 1 + ends {
            let counted = at > 0 || ends == 1;
            if let Some(below) = below {
                let members = GROUP.min(below - GROUP * at);
                let (generates, propagates, xors) =
                    [(0, 0, 0), (1, 1, 1), (3, 1, 2), (5, 2, 3)][members - 1];
                formula.ands += generates + propagates * usize::from(counted);
                formula.xors += xors;
            }
            let stepped = top || at % GROUP != GROUP - 1 && at + 1 < size;
            if stepped && counted {
                formula.ands += 1;
                formula.xors += 1;
            }
        }
        if top {
            return formula;
        }
        // Where nothing comes in, p₁g₀ of the lowest group is also the carry's way past its second
        // member.
        formula.ands -= 1 - ends;
        (size, below) = (size.div_ceil(GROUP), Some(size));
    }
}

/// When the last output is there: each level's g and p by group, then the carries from the top
/// down.
fn depth(n: usize, ends: usize) -> usize {
    let mut levels = vec![vec![(1, 1); n]];
    while let Some(last) = levels.last()
        && last.len() > GROUP
    {
        levels.push(last.chunks(GROUP).map(group_depth).collect());
    }
    let after = |carry: Option<usize>, (g, p): (usize, usize)| match carry {
        None => g,
        Some(carry) => 1 + g.max(1 + p.max(carry)),
    };
    let mut into = vec![ends.checked_sub(1)];
    let mut out = into[0];
    for (number, level) in levels.iter().enumerate().rev() {
        let mut carries = Vec::with_capacity(level.len());
        for (members, &carry) in level.chunks(GROUP).zip(&into) {
            let mut carry = carry;
            for &member in members {
                carries.push(carry);
                carry = Some(after(carry, member));
            }
            if number + 1 == levels.len() {
                out = carry;
            }
        }
        into = carries;
    }
    let sums = into
        .iter()
        .map(|carry| carry.map_or(1, |carry| 1 + carry.max(1)));
    let overflow = into
        .last()
        .copied()
        .flatten()
        .max(out)
        .map_or(0, |carry| carry + 1);
    sums.max().unwrap_or(0).max(overflow * ends)
}

/// When f_g and f_p of a group are there.
fn group_depth(members: &[(usize, usize)]) -> (usize, usize) {
    let and = |a: usize, b: usize| 1 + a.max(b);
    match *members {
        [(g0, p0), (g1, p1)] => (and(g1, and(p1, g0)), and(p1, p0)),
        [(g0, p0), (g1, p1), (g2, p2)] => {
            let upper = and(p2, p1);
            let sum = and(g2, and(p2, g1));
            (and(sum, and(upper, g0)), and(upper, p0))
        }
        [(g0, p0), (g1, p1), (g2, p2), (g3, p3)] => {
            let upper = and(p3, p2);
            let sum = and(and(g3, and(p3, g2)), and(upper, g1));
            (and(sum, and(upper, and(p1, g0))), and(upper, and(p1, p0)))
        }
        _ => members.first().copied().unwrap_or_default(),
    }
}

/// What a group of columns does to a carry.
type Group = (Wire, Wire);

/// f_g and f_p of up to four members.
fn group(b: &mut Builder, members: &[Group]) -> Group {
    match *members {
        [(g0, p0), (g1, p1)] => {
            let from_0 = b.and(p1, g0);
            (b.xor(g1, from_0), b.and(p1, p0))
        }
        [(g0, p0), (g1, p1), (g2, p2)] => {
            let upper = b.and(p2, p1);
            let (from_1, from_0) = (b.and(p2, g1), b.and(upper, g0));
            let sum = b.xor(g2, from_1);
            (b.xor(sum, from_0), b.and(upper, p0))
        }
        [(g0, p0), (g1, p1), (g2, p2), (g3, p3)] => {
            let (upper, lower) = (b.and(p3, p2), b.and(p1, p0));
            let from_2 = b.and(p3, g2);
            let from_1 = b.and(upper, g1);
            let lowest = b.and(p1, g0);
            let from_0 = b.and(upper, lowest);
            let sum = b.xor(g3, from_2);
            let sum = b.xor(sum, from_1);
            (b.xor(sum, from_0), b.and(upper, lower))
        }
        _ => members
            .first()
            .copied()
            .unwrap_or((Wire::FALSE, Wire::TRUE)),
    }
}

pub(super) fn add(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let columns: Vec<Group> = x
        .iter()
        .zip(y)
        .map(|(&x, &y)| (b.and(x, y), b.xor(x, y)))
        .collect();
    let propagate: Vec<Wire> = columns.iter().map(|&(_, p)| p).collect();
    let mut levels = vec![columns];
    while let Some(last) = levels.last()
        && last.len() > GROUP
    {
        let groups = last
            .chunks(GROUP)
            .map(|members| group(b, members))
            .collect();
        levels.push(groups);
    }
    // From the top down: the carries into a level's groups become those into their members.
    let (mut into, mut carry_out) = (vec![carry_in], carry_in);
    for (number, level) in levels.iter().enumerate().rev() {
        let mut carries = Vec::with_capacity(level.len());
        for (members, &carry) in level.chunks(GROUP).zip(&into) {
            let mut carry = carry;
            for &(g, p) in members {
                carries.push(carry);
                let passed = b.and(p, carry);
                carry = b.xor(g, passed);
            }
            if number + 1 == levels.len() {
                carry_out = carry;
            }
        }
        into = carries;
    }
    let sum = propagate
        .iter()
        .zip(&into)
        .map(|(&p, &carry)| b.xor(p, carry));
    let sum = sum.collect();
    let overflow = b.xor(into.last().copied().unwrap_or(carry_in), carry_out);
    Added {
        sum,
        carry: carry_out,
        overflow,
    }
}
