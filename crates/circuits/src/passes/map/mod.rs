//! Technology mapping: plain gates become lookups.
//!
//! Five steps. Networks and trees of one kind of gate collapse into wide lookups and parities
//! ([`linear`], [`chains`]). What is left is covered with cones of at most four inputs, each one
//! lookup over the smallest sum that knows its function ([`forms`], [`cuts`]); cones over the same
//! inputs share their sum if one suits all, and adders are kept together ([`adders`]). Lookups that
//! feed each other are fused where one sum knows both ([`fuse`](super::fuse)), which turns chains
//! of adders into slices of three columns and makes cones of any number of inputs.
//! [`pack`](super::pack) then puts small lookups side by side, and in pairs those that share bits.
//!
//! The cover is chosen by area flow, depth second: a cone never lies deeper than its gates did, and
//! rotations are what time is made of. Where cores would have nothing to do, a second cover is made
//! the other way round, and the faster one is taken. Costs: one walk with at most 27 merges a gate
//! and four kept cuts of 20 bytes.

mod adders;
mod chains;
mod cuts;
pub(super) mod forms;
mod kind;
mod linear;

use std::collections::HashMap;
use std::convert::Infallible;

use super::goal::Goal;
use super::rebuild::Rebuild;
use super::subtotals;
use crate::ir::{Node, Op, Signal, table};
use crate::{Circuit, NoiseModel, Profile, Wire};
use adders::Adders;
use cuts::{Cut, KEPT, Ranked, Reach, merge, rank};
use forms::{Form, Forms, LEAVES};

/// Maps all gates into lookups and packs small lookups; a copy if the target has none. For few
/// rotations; if that leaves cores without work, also for little depth, and what is faster on so
/// many cores is taken.
#[must_use]
pub fn map_to_lookups(circuit: &Circuit, profile: &Profile) -> Circuit {
    let whole = subtotals::dissolve(circuit, profile);
    let circuit = whole.as_ref().unwrap_or(circuit);
    let Ok(mapped) = map_while(circuit, profile, &|| Ok::<(), Infallible>(()));
    mapped
}

/// As [`map_to_lookups`], while `alive` says so: it is asked between two walks over the circuit.
pub(super) fn map_while<E>(
    circuit: &Circuit,
    profile: &Profile,
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Circuit, E> {
    if profile.lookup.is_none() {
        return Ok(circuit.clone());
    }
    let few = mapped(circuit, profile, Goal::Rotations, alive)?;
    let cost = super::work(&few, profile);
    if profile.cores <= 1 || profile.cores.saturating_mul(cost.depth) <= cost.bootstraps {
        return Ok(few);
    }
    let shallow = mapped(circuit, profile, Goal::Depth, alive)?;
    // Brent's bound on the time of any greedy schedule.
    let cores = profile.cores as f64;
    let time = |cost: &super::Cost| cost.serial_ns / cores + cost.critical_ns * (1.0 - 1.0 / cores);
    Ok(match time(&super::work(&shallow, profile)) < time(&cost) {
        true => shallow,
        false => few,
    })
}

fn mapped<E>(
    circuit: &Circuit,
    profile: &Profile,
    goal: Goal,
    alive: &dyn Fn() -> Result<(), E>,
) -> Result<Circuit, E> {
    alive()?;
    let covered = cover(circuit, profile, goal);
    alive()?;
    let fused = super::fuse::fuse_lookups(&covered, profile, goal);
    alive()?;
    Ok(super::pack::pack_lookups(&fused, profile))
}

/// Maps all gates into lookups, one for each cone.
fn cover(circuit: &Circuit, profile: &Profile, goal: Goal) -> Circuit {
    let gate = |node| matches!(circuit.op(node), Op::And(..) | Op::Xor(..) | Op::Mux { .. });
    // A sum of two bits has three values: with fewer no gate can be mapped.
    let Some(lookup) = profile.lookup.filter(|lookup| lookup.max_value >= 2) else {
        return circuit.clone();
    };
    if !circuit.nodes().any(gate) {
        return circuit.clone();
    }
    // The smallest sum that knows a selection has seven values.
    let mut profile = profile.clone();
    if lookup.max_value < 6 {
        profile.cost.mux = f64::INFINITY;
    }
    let circuit = &chains::collapse(&super::expand(circuit, &profile), &profile);
    let mut forms = Forms::new(lookup.max_value);
    let chosen = choose(circuit, &mut forms, &lookup.noise, goal);
    emit(circuit, &profile, &mut forms, &chosen)
}

/// By node: the cone of each gate that has one, whether it will be needed or not.
fn choose(
    circuit: &Circuit,
    forms: &mut Forms,
    noise: &NoiseModel,
    goal: Goal,
) -> Vec<Option<Ranked>> {
    let (fresh, limit) = (noise.fresh as f32, noise.limit as f32);
    let mut readers = vec![0u32; circuit.signals()];
    for node in circuit.nodes() {
        for wire in circuit.op(node).operands() {
            readers[wire.signal().index()] += 1;
        }
    }
    for wire in circuit.outputs() {
        readers[wire.signal().index()] += 1;
    }
    let source = Reach {
        flow: 0.0,
        depth: 0,
        variance: fresh,
    };
    let mut reach = vec![source; circuit.signals()];
    let mut kept: Vec<Cut> = Vec::new();
    // By node: its range in `kept`; the first of a range is the chosen one.
    let mut first: Vec<u32> = Vec::with_capacity(circuit.len() + 1);
    let mut chosen: Vec<Option<Ranked>> = vec![None; circuit.len()];
    let mut found: Vec<Ranked> = Vec::new();
    let mut adders = Adders::default();
    for node in circuit.nodes() {
        first.push(kept.len() as u32);
        found.clear();
        let op = circuit.op(node);
        let cuts_of = |wire: Wire| -> OperandCuts<'_> {
            let range = circuit.source(wire.signal()).map_or(0..0, |source| {
                let end = first
                    .get(source.index() + 1)
                    .copied()
                    .unwrap_or(kept.len() as u32);
                first[source.index()] as usize..end as usize
            });
            let flip = if wire.is_inverted() { u16::MAX } else { 0 };
            (Cut::trivial(wire.signal().0), &kept[range], flip)
        };
        let mut consider = |cut: Option<Cut>| {
            let Some(cut) = cut else { return };
            if cut.len > 0 && !found.iter().any(|known| known.cut == cut) {
                adders.note(node, &cut);
                found.push(rank(cut, forms, &reach, limit));
            }
        };
        match op {
            Op::And(a, b) => {
                let (a, b) = (cuts_of(a), cuts_of(b));
                pairs(&a, &b, |x, y| {
                    consider(merge([x, y], |[f, g]| (f ^ a.2) & (g ^ b.2)))
                });
            }
            Op::Xor(a, b) => {
                let (a, b) = (cuts_of(a), cuts_of(b));
                pairs(&a, &b, |x, y| {
                    consider(merge([x, y], |[f, g]| f ^ a.2 ^ g ^ b.2))
                });
            }
            Op::Mux {
                select,
                then,
                otherwise,
            } => {
                let (s, t, o) = (cuts_of(select), cuts_of(then), cuts_of(otherwise));
                // The best two of each: a selection has three operands already.
                let [t, o] =
                    [t, o].map(|(own, cuts, flip)| (own, &cuts[..cuts.len().min(2)], flip));
                pairs(&t, &o, |x, y| {
                    for z in std::iter::once(&s.0).chain(s.1.iter().take(2)) {
                        let select =
                            |[f, g, h]: [u16; 3]| (h ^ s.2) & (f ^ t.2) | !(h ^ s.2) & (g ^ o.2);
                        consider(merge([x, y, z], select));
                    }
                });
            }
            Op::Input(_) => {}
            Op::Disjoint { terms } => {
                let summands = terms.iter().map(|term| reach[term.wire.signal().index()]);
                let sum = summands.fold(source, |sum, bit| Reach {
                    flow: sum.flow + bit.flow,
                    depth: sum.depth.max(bit.depth),
                    variance: sum.variance + bit.variance,
                });
                for signal in circuit.signals_of(node) {
                    let shared = readers[signal.index()].max(1) as f32;
                    reach[signal.index()] = Reach {
                        flow: sum.flow / shared,
                        variance: sum.variance - source.variance,
                        ..sum
                    };
                }
            }
            Op::Lookup { .. }
            | Op::Parity { .. }
            | Op::Subtotal { .. }
            | Op::Refresh(_)
            | Op::Selector { .. }
            | Op::Choose { .. }
            | Op::Load(_)
            | Op::Linear { .. }
            | Op::Store(_) => {
                let operands = op.operands().map(|wire| reach[wire.signal().index()].depth);
                let depth = operands.max().unwrap_or(0) + 1;
                let variance = |signal: Signal| match op {
                    Op::Lookup { .. } => circuit.function(signal).variance(),
                    Op::Parity { .. } => 1,
                    Op::Selector { .. } => 0,
                    // As noisy as what was chosen can be.
                    Op::Choose { .. } | Op::Load(_) | Op::Linear { .. } | Op::Store(_) => 16,
                    _ => table::variance(op.rotation_mask()),
                };
                for signal in circuit.signals_of(node) {
                    let variance = variance(signal) as f32;
                    reach[signal.index()] = Reach {
                        flow: 0.0,
                        depth,
                        variance,
                    };
                }
            }
        }
        found.sort_by(|a, b| {
            let (flow, depth) = (a.flow.total_cmp(&b.flow), a.depth.cmp(&b.depth));
            // However shallow, what no sum knows comes last.
            let unknown = a.form.is_none().cmp(&b.form.is_none());
            unknown.then(match goal {
                Goal::Rotations => flow.then(depth),
                Goal::Depth => depth.then(flow),
            })
        });
        found.truncate(KEPT);
        let Some(&best) = found.first() else { continue };
        kept.extend(found.iter().map(|ranked| ranked.cut));
        chosen[node.index()] = Some(best);
        for signal in circuit.signals_of(node) {
            let shared = readers[signal.index()].max(1) as f32;
            let variance = best
                .form
                .and_then(|form| form.mask(best.cut.function))
                .map_or(16, |mask| {
                    // A lookup beside it repeats a table up to three times.
                    (3 * table::variance(mask)).min(16)
                });
            let (flow, depth) = (best.flow / shared, best.depth);
            reach[signal.index()] = Reach {
                flow,
                depth,
                variance: variance as f32,
            };
        }
    }
    for (node, cut) in adders.pairs() {
        if let Some(known) = &mut chosen[node.index()] {
            let adder = rank(cut, forms, &reach, limit);
            let is_in_time = goal == Goal::Rotations || adder.depth <= known.depth;
            if adder.form.is_some() && is_in_time {
                *known = adder;
            }
        }
    }
    chosen
}

/// The trivial cut of an operand, its node's cuts, and what inverts their tables.
type OperandCuts<'a> = (Cut, &'a [Cut], u16);

fn pairs(a: &OperandCuts<'_>, b: &OperandCuts<'_>, mut each: impl FnMut(&Cut, &Cut)) {
    for x in std::iter::once(&a.0).chain(a.1) {
        for y in std::iter::once(&b.0).chain(b.1) {
            each(x, y);
        }
    }
}

/// Records the cones that are needed.
fn emit(
    circuit: &Circuit,
    profile: &Profile,
    forms: &mut Forms,
    chosen: &[Option<Ranked>],
) -> Circuit {
    let mut needed = vec![false; circuit.signals()];
    for wire in circuit.outputs() {
        needed[wire.signal().index()] = true;
    }
    // Cones by their leaves.
    let mut beside: HashMap<[u32; LEAVES], Vec<(Node, u16)>> = HashMap::new();
    for node in circuit.nodes().rev() {
        let is_needed = needed[circuit.range(node)].contains(&true);
        match &chosen[node.index()] {
            _ if !is_needed => {}
            Some(ranked) => {
                for &leaf in ranked.cut.leaves() {
                    needed[leaf as usize] = true;
                }
                let group = beside.entry(ranked.cut.leaves).or_default();
                group.push((node, ranked.cut.function));
            }
            None => {
                for wire in circuit.op(node).operands() {
                    needed[wire.signal().index()] = true;
                }
            }
        }
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    for node in circuit.nodes() {
        let Some(ranked) = &chosen[node.index()] else {
            if needed[circuit.range(node)].contains(&true)
                || matches!(circuit.op(node), Op::Input(_))
            {
                rebuild.copy(node);
            }
            continue;
        };
        // The first of a group records all: the leaves are there.
        if let Some(group) = beside.remove(&ranked.cut.leaves) {
            record_group(&mut rebuild, forms, &ranked.cut.leaves, &group);
        }
    }
    rebuild.finish()
}

/// Records cones over the same leaves: with one sum where that costs no more than several.
fn record_group(
    rebuild: &mut Rebuild<'_>,
    forms: &mut Forms,
    leaves: &[u32; LEAVES],
    group: &[(Node, u16)],
) {
    let functions: Vec<u16> = group.iter().map(|&(_, function)| function).collect();
    let single: Vec<Option<Form>> = functions
        .iter()
        .map(|&function| forms.best(function))
        .collect();
    let mut apart: Vec<Form> = Vec::new();
    for form in single.iter().flatten() {
        if !apart.contains(form) {
            apart.push(*form);
        }
    }
    let together = forms
        .best_for_all(&functions)
        .filter(|form| form.rotations() <= apart.iter().map(Form::rotations).sum::<f32>());
    let terms_of = |rebuild: &Rebuild<'_>, form: &Form| -> Vec<(Wire, i8)> {
        let weighted = leaves
            .iter()
            .zip(form.weights)
            .filter(|&(_, weight)| weight != 0);
        weighted
            .map(|(&leaf, weight)| (rebuild.wire(Wire::from(Signal(leaf))), weight))
            .collect()
    };
    let together = together.filter(|form| rebuild.is_quiet(&terms_of(rebuild, form)));
    for (&(node, function), own) in group.iter().zip(single) {
        let form = together.or(own);
        let known = form.and_then(|form| form.mask(function).map(|mask| (form, mask)));
        // Every gate has a cone whose sum fits, if only its own operands. Without one its wire
        // would silently be false.
        assert!(
            known.is_some(),
            "no sum knows {function:016b} of {leaves:?}"
        );
        let Some((form, mask)) = known else { continue };
        let terms = terms_of(rebuild, &form);
        rebuild.stand_for(node);
        let wires = rebuild.build.lookup(&terms, form.constant, &[mask]);
        for (signal, wire) in rebuild.circuit.signals_of(node).zip(wires) {
            rebuild.set(signal, wire);
        }
    }
}

/// Maps every gate into a lookup of its own.
pub(super) fn each_gate(circuit: &Circuit, profile: &Profile) -> Circuit {
    let mut rebuild = Rebuild::new(circuit, profile);
    for node in circuit.nodes() {
        let op = circuit.op(node);
        if !matches!(op, Op::And(..) | Op::Xor(..) | Op::Mux { .. }) {
            rebuild.copy(node);
            continue;
        }
        rebuild.stand_for(node);
        let mut constant = 0;
        let mut terms = Vec::new();
        for (wire, weight) in op.rotation_weights() {
            constant -= weight.min(0);
            terms.push((rebuild.wire(wire), weight));
        }
        let wires = rebuild
            .build
            .lookup(&terms, constant, &[op.rotation_mask()]);
        for (signal, wire) in circuit.signals_of(node).zip(wires) {
            rebuild.set(signal, wire);
        }
    }
    rebuild.finish()
}
