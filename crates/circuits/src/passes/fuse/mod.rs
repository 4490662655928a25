//! A lookup that feeds another becomes part of it: `t = α·t₁ + β·r` where `t₁` is the sum of the
//! first and `r` what the second adds to the first's outputs.
//!
//! A full adder's carry (`t₁ ≥ 2` of `t₁ = a + b + c`) read by the next full adder gives
//! `t = t₁ + 2·(a' + b')`, of which both sums and the last carry are functions: three such steps
//! make the slice of an adder of three bits, or, where only the carry is read, of a comparison.
//! Gates in a row give threshold functions (`a ∧ (b ∨ c ∧ d)` is `2a + b + ... `), and so cones of
//! far more inputs than could be enumerated become one lookup: what is looked at here are the at
//! most sixteen values of two sums, never the assignments of their bits.
//!
//! What depends on no more than four bits is one lookup whatever its sums were, with weights of 1, 2, 4
//! and 8: a sum's bits and what is made of them and its operands, as in `x & (x − 1)`.
//!
//! Two lookups are fused if all that is read of either is a function of one such `t`, if that costs
//! no more rotations than both (a small sum fits beside another and counts half) and less depth or
//! fewer rotations, and if neither the sum nor a reader's becomes too noisy. Nothing moves behind
//! its readers: every node has a level, above those of its operands, that only falls; what the
//! first lookup gives to others must come out below their levels. Where depth matters more than
//! rotations, a lookup that others read stays, and its reader does its work once more. Linear but
//! for the readers of a fused lookup, which are looked at up to [`READERS`] of them.

mod compose;
mod graph;
mod readers;

use super::goal::Goal;
use super::rebuild::Rebuild;
use crate::ir::{Node, Op};
use crate::{Circuit, Profile};
use graph::Graph;

/// A lookup read by more nodes is not fused if that makes its outputs noisier.
const READERS: usize = 16;

/// Fuses lookups that feed each other. Near-linear.
pub(super) fn fuse_lookups(circuit: &Circuit, profile: &Profile, goal: Goal) -> Circuit {
    let Some(lookup) = profile.lookup else {
        return circuit.clone();
    };
    let mut graph = Graph::new(circuit, lookup, goal);
    let mut changed = false;
    for node in circuit.nodes() {
        graph.relevel(node);
        while graph.fuse_an_operand(node) {
            changed = true;
        }
    }
    graph.allow_by_bits();
    for node in circuit.nodes() {
        if graph.owner(node) != node {
            continue;
        }
        graph.settle(node);
        while graph.fuse_an_operand(node) {
            changed = true;
        }
    }
    if !changed {
        return circuit.clone();
    }
    emit(&graph, profile)
}

/// Records what is left, operands first: a fused lookup may come before what it was part of.
fn emit(graph: &Graph<'_>, profile: &Profile) -> Circuit {
    let circuit = graph.circuit;
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut done = vec![false; circuit.len()];
    for node in circuit.nodes() {
        if let Op::Input(_) = circuit.op(node) {
            rebuild.copy(node);
            done[node.index()] = true;
        }
    }
    let mut pending: Vec<Node> = Vec::new();
    for root in circuit.nodes() {
        pending.push(graph.owner(root));
        while let Some(&node) = pending.last() {
            if done[node.index()] {
                pending.pop();
                continue;
            }
            let before = pending.len();
            for signal in graph.operands(node) {
                let source = graph.source(signal);
                pending.extend(source.filter(|source| !done[source.index()]));
            }
            if pending.len() > before {
                continue;
            }
            pending.pop();
            done[node.index()] = true;
            match graph.fused(node) {
                None => rebuild.copy(node),
                Some(fused) => {
                    rebuild.stand_for(node);
                    let terms: Vec<_> = fused
                        .terms
                        .iter()
                        .map(|term| (rebuild.wire(term.wire), term.weight))
                        .collect();
                    let masks: Vec<u16> = fused.outputs.iter().map(|&s| graph.mask(s)).collect();
                    let wires =
                        rebuild
                            .build
                            .lookup_within(&terms, fused.constant, fused.max, &masks);
                    for (&signal, wire) in fused.outputs.iter().zip(wires) {
                        rebuild.set(signal, wire);
                    }
                }
            }
        }
    }
    rebuild.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Wire};

    /// A condition that is read by many, directly and through a sum, between random lookups: what is
    /// counted of its readers stays true as lookups are absorbed.
    #[test]
    fn counted_readers_are_those_that_there_are() {
        let profile = Profile::lookup_simulation();
        let lookup = profile.lookup.unwrap();
        let mut fused = 0;
        for (seed, goal) in (0..12).zip([Goal::Rotations, Goal::Depth].into_iter().cycle()) {
            let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed + 1);
            let mut random = |below: usize| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                (state >> 33) as usize % below
            };
            let mut build = Builder::new(&profile);
            let mut wires: Vec<Wire> = build.inputs(12);
            let (a, b, c) = (wires[0], wires[1], wires[2]);
            let added = build.lookup(&[(a, 1), (b, 1), (c, 1)], 0, &[0b1010, 0b1100]);
            let other = build.lookup(&[(wires[3], 1), (wires[4], 1)], 0, &[0b100])[0];
            let chosen = build.disjoint(&[added[0], other]);
            wires.extend([added[0], added[1], chosen]);
            let often = [added[0], added[1], chosen];
            for _ in 0..120 {
                let (x, y) = (wires[random(wires.len())], wires[random(wires.len())]);
                let first = often[random(3)];
                if x.signal() == y.signal() || [x, y].iter().any(|w| w.signal() == first.signal()) {
                    continue;
                }
                let masks = [random(14) as u16 + 1, 0b1100];
                wires.extend(build.lookup(&[(first, 1), (x, 1), (y, 1)], 0, &masks));
            }
            wires.into_iter().for_each(|wire| build.output(wire));
            let circuit = build.finish();
            let mut graph = Graph::new(&circuit, lookup, goal);
            assert!(graph.counts_hold());
            for node in circuit.nodes() {
                graph.relevel(node);
                while graph.fuse_an_operand(node) {
                    fused += 1;
                    assert!(graph.counts_hold(), "seed {seed}, at {node:?}");
                }
            }
            graph.allow_by_bits();
            for node in circuit.nodes() {
                if graph.owner(node) != node {
                    continue;
                }
                graph.settle(node);
                while graph.fuse_an_operand(node) {
                    fused += 1;
                    assert!(graph.counts_hold(), "seed {seed}, at {node:?}");
                }
            }
            assert!(graph.counts_hold());
        }
        assert!(fused > 20, "{fused}");
    }

    /// Lookups over few bits and each other, of which some are done once more for the sake of depth: what these
    /// read is not lost when others are fused.
    #[test]
    fn what_is_done_once_more_finds_its_operands() {
        let profile = Profile::lookup_simulation();
        let mut state = 1_u64;
        let mut random = |below: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as usize % below
        };
        for round in 0..20_000 {
            let mut build = Builder::new(&profile);
            let mut wires: Vec<Wire> = build.inputs(6);
            for _ in 0..40 {
                let near = wires.len().min(9);
                let mut read: Vec<Wire> = Vec::new();
                for _ in 0..2 + random(2) {
                    let wire = wires[wires.len() - 1 - random(near)];
                    if !read.contains(&wire) {
                        read.push(wire);
                    }
                }
                let terms: Vec<(Wire, i8)> =
                    read.iter().map(|&it| (it, 1 + random(2) as i8)).collect();
                let masks = [random(1 << 7) as u16, random(1 << 7) as u16];
                let apart = [masks[0], masks[1] & !masks[0]];
                match random(4) {
                    0 => {
                        let apart = build.lookup(&terms, 0, &apart);
                        wires.push(build.disjoint(&apart));
                        wires.extend(apart);
                    }
                    count => wires.extend(build.lookup(&terms, 0, &masks[..1 + count % 2])),
                }
            }
            for _ in 0..4 {
                let wire = wires[wires.len() - 1 - random(20)];
                build.output(wire);
            }
            let circuit = crate::passes::remove_dead(&build.finish());
            let inputs: Vec<u64> = (0..6)
                .map(|bit| (0..64).fold(0, |lanes, at: u64| lanes | (at >> bit & 1) << at))
                .collect();
            let expected = crate::sim::evaluate(&circuit, &inputs).unwrap();
            for goal in [Goal::Rotations, Goal::Depth] {
                let fused = fuse_lookups(&circuit, &profile, goal);
                let found = crate::sim::evaluate(&fused, &inputs).unwrap();
                assert_eq!(found, expected, "round {round}");
            }
        }
    }
}
