//! Lower multiplicative depth, for schemes where every level of ANDs makes all others dearer.
//!
//! A product of factors is associative and distributes over sums, and sums are free: so a chain of
//! ANDs becomes a tree in which the latest factors join last, and where a late factor is itself a
//! sum, `a(ef ⊕ d) = aef ⊕ ad`, whose deepest factors meet `a` earlier. The first costs nothing,
//! the second more ANDs.
//!
//! Each round asks for one level less. By the longest way from every node to an output it knows how
//! deep that node may be; nodes that are within stay as they are, and an AND that is not is written
//! again: factors that are products are opened, and if the product of all is still too deep (its
//! factors of depths dᵢ do not satisfy Σ 2^dᵢ ≤ 2^depth, Kraft's inequality), the deepest that is a
//! sum is multiplied out, within a bound on ANDs per node that grows where a round would miss its
//! aim. Rounds end when one misses it for all bounds. Of all rounds that circuit is kept for which
//! ANDs times the square of their levels is least, since a product's time grows with the moduli (a
//! transform for each) and so does its key switching; if none but the last is within the target's
//! levels, that.
//!
//! Time: a recording of the circuit for each round. Source: S. Carpov, P. Aubry, R. Sirdey, A
//! multi-start heuristic for multiplicative depth minimization of boolean circuits, IWOCA 2017,
//! whose two rewritings these are; levels that are asked for node by node take the place of its
//! random cones.

use super::depth::{by_node, multiplicative_depth, own};
use super::rebuild::Rebuild;
use super::remove_dead;
use crate::ir::{Node, Op};
use crate::{Builder, Circuit, Profile, Wire};

/// New ANDs that one AND may become; the more generous bounds where a round misses its aim.
const MOST_ANDS: [usize; 4] = [4, 8, 16, 32];
/// Terms of a sum that are compared with another's.
const MOST_TERMS: usize = 16;
/// Nodes that all rounds together may record: some seconds.
const MOST_NODES: usize = 20_000_000;

/// What lowering the depth came to.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The circuit; the same function.
    pub circuit: Circuit,
    /// Multiplicative depth and ANDs before.
    pub before: (u32, usize),
    /// Multiplicative depth and ANDs of [`Self::circuit`].
    pub after: (u32, usize),
}

/// Lowers the multiplicative depth of a circuit as long as that pays, or as the target's levels
/// ask. Lookups and selections are left as they are, so it is for circuits that were
/// [expanded](super::expand).
#[must_use]
pub fn reduce_depth(circuit: &Circuit, profile: &Profile) -> Reduced {
    let before = figures(circuit);
    let mut best = (circuit.clone(), before);
    let mut now = circuit.clone();
    let mut spent = 0;
    loop {
        let depth = multiplicative_depth(&now).depth;
        if depth <= 1 || spent > MOST_NODES {
            break;
        }
        let rounds = MOST_ANDS.iter().map(|&ands| {
            spent += now.len();
            round(&now, profile, depth - 1, ands)
        });
        let mut rounds = rounds.map(|next| (figures(&next), next));
        let Some((found, next)) = rounds.find(|(found, _)| found.0 < depth) else {
            break;
        };
        if price(found, profile) < price(best.1, profile) {
            best = (next.clone(), found);
        }
        now = next;
    }
    let (circuit, after) = best;
    Reduced {
        circuit,
        before,
        after,
    }
}

/// What a circuit costs, by its levels and ANDs. Too deep is worse than any number of ANDs.
pub(super) fn price((depth, ands): (u32, usize), profile: &Profile) -> (bool, f64) {
    let too_deep = depth > profile.levels.unwrap_or(u32::MAX);
    (too_deep, ands as f64 * f64::from(depth + 1).powi(2))
}

/// Multiplicative depth and ANDs.
pub(super) fn figures(circuit: &Circuit) -> (u32, usize) {
    let and = |node: &Node| own(&circuit.op(*node)) > 0;
    let ands = circuit.nodes().filter(and).count();
    (multiplicative_depth(circuit).depth, ands)
}

/// The circuit again, with every node no deeper than `aim` allows where that can be done.
fn round(circuit: &Circuit, profile: &Profile, aim: u32, ands: usize) -> Circuit {
    let allowed = allowed(circuit, aim);
    let depths = by_node(circuit);
    let mut rebuild = Rebuild::new(circuit, profile);
    for node in circuit.nodes() {
        let Op::And(a, b) = circuit.op(node) else {
            rebuild.copy(node);
            continue;
        };
        let allowed = allowed[node.index()];
        rebuild.stand_for(node);
        let (a, b) = (rebuild.wire(a), rebuild.wire(b));
        let build = &mut rebuild.build;
        let plain = build.depth(a).max(build.depth(b)) + 1;
        // Nodes that are deep enough in the old circuit were made so to save ANDs: they stay.
        let shallow = match plain > allowed && depths[node.index()] > 0 {
            true => Product { build, ands }.of(vec![a, b], allowed),
            false => None,
        };
        match shallow {
            Some(wire) => {
                for signal in circuit.signals_of(node) {
                    rebuild.set(signal, wire);
                }
            }
            None => rebuild.copy(node),
        }
    }
    remove_dead(&rebuild.finish())
}

/// By node: how deep it may be for no output to be deeper than `aim`. What no output needs may be
/// as deep as it likes.
fn allowed(circuit: &Circuit, aim: u32) -> Vec<u32> {
    let mut allowed = vec![u32::MAX; circuit.len()];
    for wire in circuit.outputs() {
        if let Some(source) = circuit.source(wire.signal()) {
            allowed[source.index()] = aim;
        }
    }
    for node in circuit.nodes().rev() {
        let op = circuit.op(node);
        let operands = allowed[node.index()].saturating_sub(own(&op));
        for wire in op.operands() {
            if let Some(source) = circuit.source(wire.signal()) {
                let known = &mut allowed[source.index()];
                *known = (*known).min(operands);
            }
        }
    }
    allowed
}

/// A product that is being written again.
struct Product<'a> {
    build: &'a mut Builder,
    /// How many more ANDs it may take.
    ands: usize,
}

/// What a wire is, as far as products can be opened.
enum Form {
    /// `a ∧ b`
    And(Wire, Wire),
    /// `a ⊕ b`
    Sum(Wire, Wire),
    /// Anything else.
    Other,
}

impl Product<'_> {
    fn form(&self, wire: Wire) -> Form {
        if wire.as_constant().is_some() {
            return Form::Other;
        }
        let (node, _) = self.build.signal(wire.signal().index());
        match self.build.op(node) {
            Op::And(a, b) if !wire.is_inverted() => Form::And(a, b),
            // ¬p = 1 ⊕ p
            Op::And(..) => Form::Sum(Wire::TRUE, !wire),
            Op::Xor(a, b) => {
                // The inversion goes where it costs nothing: to the shallower of both.
                match self.build.depth(a) < self.build.depth(b) {
                    true => Form::Sum(a.invert_if(wire.is_inverted()), b),
                    false => Form::Sum(a, b.invert_if(wire.is_inverted())),
                }
            }
            _ => Form::Other,
        }
    }

    /// The product of all factors at a depth of at most `allowed`, if it can be had.
    fn of(&mut self, mut factors: Vec<Wire>, allowed: u32) -> Option<Wire> {
        // Deep products are opened, since their parts may be combined otherwise.
        loop {
            factors.sort_unstable();
            factors.dedup();
            factors.retain(|&wire| wire != Wire::TRUE);
            let zero = factors.contains(&Wire::FALSE)
                || factors.windows(2).any(|pair| pair[0] == !pair[1]);
            if zero {
                self.ands = self.ands.checked_sub(1)?;
                return Some(Wire::FALSE);
            }
            if self.fits(&factors, allowed) {
                // A term that needs none counts as one: there may be exponentially many.
                self.ands = self.ands.checked_sub(factors.len().max(2) - 1)?;
                return Some(self.build.all(&factors));
            }
            // The deepest first; of equally deep ones products, which cost nothing to open.
            let deepest = factors
                .iter()
                .map(|&wire| self.build.depth(wire))
                .max()
                .unwrap_or(0);
            let deep: Vec<usize> = (0..factors.len())
                .filter(|&at| self.build.depth(factors[at]) == deepest)
                .collect();
            let open = deep.iter().find_map(|&at| match self.form(factors[at]) {
                Form::And(a, b) => Some((at, a, b)),
                _ => None,
            });
            if let Some((at, a, b)) = open {
                factors.swap_remove(at);
                factors.extend([a, b]);
                continue;
            }
            if self.meet(&mut factors, &deep) {
                continue;
            }
            let sum = deep.iter().find_map(|&at| match self.form(factors[at]) {
                Form::Sum(a, b) => Some((at, a, b)),
                _ => None,
            });
            let (at, a, b) = sum?;
            factors.swap_remove(at);
            // More than two ways to fail leave nothing to try.
            let with = |term: Wire| [&factors[..], &[term]].concat();
            let one = self.of(with(a), allowed)?;
            let other = self.of(with(b), allowed)?;
            return Some(self.build.xor(one, other));
        }
    }

    /// `uv = u·¬(u ⊕ v)`: where two deep sums differ by a shallow one, that takes the place of one
    /// of them, as in the carry `(x ⊕ c)(y ⊕ c) ⊕ c`.
    fn meet(&mut self, factors: &mut [Wire], deep: &[usize]) -> bool {
        let Some((&first, others)) = deep.split_first() else {
            return false;
        };
        let Some(own) = self.terms(factors[first]) else {
            return false;
        };
        for &at in others {
            let Some(theirs) = self.terms(factors[at]) else {
                continue;
            };
            let mut all = own.clone();
            all.extend(theirs);
            // What both have vanishes in their sum.
            let mut odd: Vec<Wire> = Vec::with_capacity(all.len());
            all.sort_unstable();
            for wire in all {
                match odd.last() {
                    Some(&last) if last == wire => _ = odd.pop(),
                    _ => odd.push(wire),
                }
            }
            let depth = odd.iter().map(|&wire| self.build.depth(wire)).max();
            if depth.unwrap_or(0) < self.build.depth(factors[at]) {
                factors[at] = !self.build.parity(&odd);
                return true;
            }
        }
        false
    }

    /// The terms of a sum, a constant one among them if it is inverted; `None` if there are too
    /// many.
    fn terms(&self, wire: Wire) -> Option<Vec<Wire>> {
        let mut open = vec![wire.positive()];
        let mut terms = match wire.is_inverted() {
            true => vec![Wire::TRUE],
            false => Vec::new(),
        };
        while let Some(wire) = open.pop() {
            if open.len() + terms.len() > MOST_TERMS {
                return None;
            }
            let (node, _) = self.build.signal(wire.signal().index());
            match self.build.op(node) {
                // A sum's operands are read positive.
                Op::Xor(a, b) => open.extend([a, b]),
                _ => terms.push(wire),
            }
        }
        Some(terms)
    }

    /// Whether a tree of ANDs has room for all: Kraft's inequality.
    fn fits(&self, factors: &[Wire], allowed: u32) -> bool {
        let room = factors.iter().try_fold(0.0_f64, |room, &wire| {
            let depth = self.build.depth(wire);
            let below = allowed.checked_sub(depth)?;
            Some(room + (-f64::from(below)).exp2())
        });
        room.is_some_and(|room| room <= 1.0)
    }
}
