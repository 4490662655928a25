//! Refreshes: where a lookup's sum would be noisier than the target allows, its noisiest operands
//! are bootstrapped once more by themselves.
//!
//! Two wires share one rotation, `t = x + 2y`, and come out with `‖v‖²` of 4 and 2 (of up to 16);
//! a wire alone with 2. What was refreshed once is used by later readers that need it. A sum that
//! stays too noisy with all operands refreshed (its weights are too large) is written in gates
//! and mapped again.

use std::collections::HashMap;

use super::rebuild::Rebuild;
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, NoiseModel, Profile, Wire};

/// Both bits of `x + 2y`.
const BITS: [u16; 2] = [0b1010, 0b1100];

/// The variance that a refresh leaves at most, the worse of a pair: its `‖v‖²`, above its
/// `4·mean(f²)`.
const REFRESHED: f64 = 4.0;

/// Inserts refreshes so that no lookup exceeds the target's noise limit; for levelled targets so
/// that no value exceeds theirs, and that no more ANDs follow each other than there are levels.
/// Linear.
#[must_use]
pub fn insert_refresh(circuit: &Circuit, profile: &Profile) -> Circuit {
    if let Some(lookup) = profile.lookup {
        return quieten(circuit, profile, &lookup.noise);
    }
    if !profile.has_refresh() {
        return circuit.clone();
    }
    let mut refreshed = match profile.levels {
        Some(levels) => within_levels(circuit, profile, levels),
        None => circuit.clone(),
    };
    if let Some(growth) = &profile.growth {
        refreshed = super::growth::within(&refreshed, profile, growth);
    }
    refreshed
}

fn quieten(circuit: &Circuit, profile: &Profile, model: &NoiseModel) -> Circuit {
    // Nothing to do is the rule.
    if super::noise(circuit, model).worst <= model.limit {
        return circuit.clone();
    }
    // What is written in gates knows no selections, for their sums are not the quietest.
    let mut profile = profile.clone();
    profile.cost.mux = f64::INFINITY;
    let mut rebuild = Rebuild::new(circuit, &profile);
    let mut refreshed: HashMap<Wire, Wire> = HashMap::new();
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let (sum, tables) = match op {
            Op::Lookup { sum, tables } => (sum, tables),
            Op::Selector { .. } => {
                quieten_selector(&mut rebuild, node, &mut refreshed);
                continue;
            }
            _ => {
                rebuild.copy(node);
                continue;
            }
        };
        rebuild.stand_for(node);
        let mut terms = rebuild.terms(&op);
        quieten_terms(&mut rebuild, &mut terms, &mut refreshed);
        let wires = if rebuild.is_quiet(&terms) {
            rebuild
                .build
                .lookup_within(&terms, sum.constant, sum.max, tables.masks())
        } else {
            rebuild
                .build
                .lookup_in_gates(&terms, sum.constant, sum.max, tables.masks())
        };
        for (signal, wire) in circuit.signals_of(node).zip(wires) {
            rebuild.set(signal, wire);
        }
    }
    rebuild.finish()
}

/// Records a selector of a sum that is quiet, its bits refreshed where they have to be.
fn quieten_selector(rebuild: &mut Rebuild<'_>, node: Node, refreshed: &mut HashMap<Wire, Wire>) {
    rebuild.stand_for(node);
    let op = rebuild.circuit.op(node);
    let mut terms = rebuild.terms(&op);
    quieten_terms(rebuild, &mut terms, refreshed);
    let Op::Selector { sum, tables } = op else {
        return;
    };
    if !rebuild.can_select(&terms) {
        rebuild.copy(node);
        return;
    }
    let wires = (rebuild.build).selectors(&terms, sum.constant, sum.max, tables.masks());
    for (signal, wire) in rebuild.circuit.signals_of(node).zip(wires) {
        rebuild.set(signal, wire);
    }
}

/// Refreshes the noisiest terms until their sum is quiet, or none is left to refresh.
fn quieten_terms(
    rebuild: &mut Rebuild<'_>,
    terms: &mut [(Wire, i8)],
    refreshed: &mut HashMap<Wire, Wire>,
) {
    // What was refreshed for somebody else is free.
    if rebuild.is_quiet(terms) {
        return;
    }
    for (wire, _) in terms.iter_mut() {
        if let Some(&quiet) = refreshed.get(&wire.positive()) {
            *wire = quiet.invert_if(wire.is_inverted());
        }
    }
    while !rebuild.is_quiet(terms) {
        // By what a refresh would gain if the terms were independent.
        let mut gains: Vec<(f64, usize)> = Vec::new();
        for (at, &(wire, weight)) in terms.iter().enumerate() {
            let own = rebuild.build.variance(&[(wire, 1)]);
            if own > REFRESHED {
                gains.push((
                    (own - REFRESHED) * f64::from(weight) * f64::from(weight),
                    at,
                ));
            }
        }
        gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let noisiest: Vec<Wire> = gains
            .iter()
            .take(2)
            .map(|&(_, at)| terms[at].0.positive())
            .collect();
        let sum: Vec<(Wire, i8)> = noisiest.iter().copied().zip([2, 1]).collect();
        let quiet = match *noisiest {
            [] => return,
            // Sums of disjoint bits may share noise, or have too much for the weight of 2; alone
            // each of them can be read.
            [first, ..] if sum.len() < 2 || !rebuild.is_quiet(&sum) => {
                vec![rebuild.build.refresh(first)]
            }
            _ => rebuild.build.lookup(&sum, 0, &[BITS[1], BITS[0]]),
        };
        for (noisy, quiet) in noisiest.into_iter().zip(quiet) {
            refreshed.insert(noisy, quiet);
            for (wire, _) in terms
                .iter_mut()
                .filter(|(wire, _)| wire.positive() == noisy)
            {
                *wire = quiet.invert_if(wire.is_inverted());
            }
        }
    }
}

fn within_levels(circuit: &Circuit, profile: &Profile, levels: u32) -> Circuit {
    let mut rebuild = Rebuild::new(circuit, profile);
    // By old signal: ANDs since the last refresh, and the refreshed wire if there is one.
    let mut since = vec![0u32; circuit.signals()];
    let mut fresh: HashMap<Signal, Wire> = HashMap::new();
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let own = u32::from(matches!(
            op,
            Op::And(..) | Op::Mux { .. } | Op::Lookup { .. }
        ));
        let below = op
            .operands()
            .map(|wire| since[wire.signal().index()])
            .max()
            .unwrap_or(0);
        rebuild.stand_for(node);
        let mut after = below + own;
        if own > 0 && after > levels {
            for wire in op.operands() {
                let signal = wire.signal();
                if since[signal.index()] + own > levels && !fresh.contains_key(&signal) {
                    let quiet = rebuild.build.refresh(rebuild.wire(Wire::from(signal)));
                    fresh.insert(signal, quiet);
                    rebuild.set(signal, quiet);
                    since[signal.index()] = 0;
                }
            }
            let below = op
                .operands()
                .map(|wire| since[wire.signal().index()])
                .max()
                .unwrap_or(0);
            after = below + own;
        }
        rebuild.copy(node);
        if let Op::Refresh(_) = op {
            after = 0;
        }
        for signal in circuit.signals_of(node) {
            since[signal.index()] = after;
        }
    }
    rebuild.finish()
}
