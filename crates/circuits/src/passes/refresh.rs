//! Refreshes: where a lookup's sum would be noisier than the target allows, its noisiest operands
//! are bootstrapped once more by themselves.
//!
//! Two wires share one rotation, `t = x + 2y`, and come out with `‖v‖²` of 4 and 2 (of up to 16);
//! a wire alone with 2. What was refreshed once is used by later readers that need it, and by choices:
//! so a word that is chosen again and again is refreshed once in several times. A sum that
//! stays too noisy with all operands refreshed (its weights are too large) is written in gates
//! and mapped again.
//!
//! Bits that selectors chose are quiet and many, and may all have the same error: their deviations add up.
//! Three of them share a rotation, the one with the largest weight in their reader's sum the quietest.

use std::collections::HashMap;

use super::rebuild::Rebuild;
use super::subtotals;
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, NoiseModel, Profile, Wire};

/// The bits of `2x + y` and of `4x + 2y + z`, as functions of it.
const PAIR: &[u16] = &[0b1100, 0b1010];
const TRIPLE: &[u16] = &[0b1111_0000, 0b1100_1100, 0b1010_1010];

/// The variance that a refresh leaves at most, the worse of a pair: its `‖v‖²`, above its
/// `4·mean(f²)`.
const REFRESHED: f64 = 4.0;

/// Inserts refreshes so that no lookup exceeds the target's noise limit; for levelled targets so
/// that no value exceeds theirs, and that no more ANDs follow each other than there are levels.
/// Linear.
#[must_use]
pub fn insert_refresh(circuit: &Circuit, profile: &Profile) -> Circuit {
    if let Some(lookup) = profile.lookup {
        let whole = subtotals::dissolve(circuit, profile);
        return quieten(whole.as_ref().unwrap_or(circuit), profile, &lookup.noise);
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
    if super::noise::is_quiet(circuit, model) {
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
            Op::Choose {
                then, otherwise, ..
            } => {
                for wire in [then, otherwise] {
                    let old = rebuild.wire(wire.positive());
                    if let Some(&quiet) = refreshed.get(&old.positive()) {
                        rebuild.set(wire.signal(), quiet.invert_if(old.is_inverted()));
                    }
                }
                rebuild.copy(node);
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
    // What came of a refresh by itself or of two; the third of three may be refreshed again.
    let mut done: Vec<Wire> = Vec::new();
    while !rebuild.is_quiet(terms) {
        let mut noisiest = noisiest(rebuild, terms);
        noisiest.retain(|wire| !done.contains(wire));
        noisiest.truncate(3);
        if !noisiest.iter().all(|&wire| rebuild.build.is_chosen(wire)) {
            noisiest.truncate(2);
        }
        let quiet = loop {
            let weights = (0..noisiest.len()).rev().map(|place| 1 << place);
            let sum: Vec<(Wire, i8)> = noisiest.iter().copied().zip(weights).collect();
            match *noisiest {
                [] => return,
                [alone] => break vec![rebuild.build.refresh(alone)],
                _ if rebuild.is_quiet(&sum) => {
                    let bits = if sum.len() == 2 { PAIR } else { TRIPLE };
                    break rebuild.build.lookup(&sum, 0, bits);
                }
                // Sums of disjoint bits may share noise, or have too much for the weight of 2; alone
                // each of them can be read.
                _ => noisiest.truncate(noisiest.len() - 1),
            }
        };
        let is_final = noisiest.len() < TRIPLE.len();
        for (noisy, mut quiet) in noisiest.into_iter().zip(quiet) {
            // Two terms may have become one bit, of which a pair is no lookup but the bit itself.
            let is_same = quiet.positive() == noisy;
            if is_same {
                quiet = rebuild.build.refresh(noisy);
            }
            refreshed.insert(noisy, quiet);
            if is_final || is_same {
                done.push(quiet.positive());
            }
            for (wire, _) in terms
                .iter_mut()
                .filter(|(wire, _)| wire.positive() == noisy)
            {
                *wire = quiet.invert_if(wire.is_inverted());
            }
        }
    }
}

/// The bits of a sum by what a refresh of each would gain, the most first: if all were independent, but
/// for those that were chosen, of which the deviations add up.
fn noisiest(rebuild: &Rebuild<'_>, terms: &[(Wire, i8)]) -> Vec<Wire> {
    let own = |wire| rebuild.build.variance(&[(wire, 1)]);
    let deviation = |&(wire, weight): &(Wire, i8)| match rebuild.build.is_chosen(wire) {
        true => f64::from(weight).abs() * own(wire).sqrt(),
        false => 0.0,
    };
    let chosen: f64 = terms.iter().map(deviation).sum();
    let gains = terms.iter().enumerate().filter_map(|(at, term)| {
        let (wire, square) = (term.0, f64::from(term.1).powi(2));
        let part = (own(wire) * square).max(deviation(term) * chosen);
        let gain = part - REFRESHED * square;
        (gain > 0.0).then_some((gain, at))
    });
    let mut gains: Vec<(f64, usize)> = gains.collect();
    gains.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    gains
        .into_iter()
        .map(|(_, at)| terms[at].0.positive())
        .collect()
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
