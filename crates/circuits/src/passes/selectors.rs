//! Which choices are products with a selector, and the selectors.
//!
//! A selector costs a few lookups, and then a choice next to nothing; without one a choice is two
//! thirds of a lookup. So before gates are mapped what each condition decides is counted, choices
//! and selections alike: where it is little all are selections, where it is much all are choices
//! ([`settle`]). After all other passes conditions that
//! are ready together get their selectors from one rotation, as functions of `t = a + 2b`
//! ([`make`]).

use std::collections::{BTreeMap, HashMap, HashSet};

use super::rebuild::Rebuild;
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, Profile, SelectorProfile, Wire};

/// Functions of `t = a + 2b`.
const BOTH: [u16; 2] = [0b1010, 0b1100];
/// The function of a bit alone. What is not reached repeats what is: one step, the least noise.
const ALONE: u16 = 0b1110;

/// How much a bit of a load's index decides: so much that it always has a selector.
const LOAD: usize = 1 << 20;

/// The conditions of a choice, a load or a store that have no selector yet.
fn unmade(circuit: &Circuit, node: Node) -> Vec<Signal> {
    let conditions: Vec<Signal> = match circuit.op(node) {
        Op::Choose { select, .. } => vec![select.signal()],
        Op::Load(load) => load.index().iter().map(|bit| bit.wire.signal()).collect(),
        Op::Store(store) => {
            let conditions = store.conditions().iter();
            conditions.map(|bit| bit.wire.signal()).collect()
        }
        _ => return Vec::new(),
    };
    let is_unmade = |signal: &Signal| {
        let source = circuit.source(*signal);
        source.is_some_and(|source| !matches!(circuit.op(source), Op::Selector { .. }))
    };
    conditions.into_iter().filter(is_unmade).collect()
}

/// The condition of a choice or a selection that has no selector yet.
fn condition(circuit: &Circuit, node: Node) -> Option<Signal> {
    match circuit.op(node) {
        Op::Choose { .. } => unmade(circuit, node).first().copied(),
        Op::Mux { select, .. } => Some(select.signal()),
        _ => None,
    }
}

/// By node: its level. Every operation counts, so that of two of one level none needs the other.
fn levels(circuit: &Circuit) -> Vec<u32> {
    let mut levels = vec![0u32; circuit.len()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let operands = op.operands();
        let sources = operands.filter_map(|wire| circuit.source(wire.signal()));
        let below = sources.map(|source| levels[source.index()]).max();
        levels[node.index()] = below.unwrap_or(0) + u32::from(!matches!(op, Op::Input(_)));
    }
    levels
}

/// Conditions and how much each decides, by level; selections count where they are `wanted`.
fn conditions(circuit: &Circuit, wanted: bool) -> BTreeMap<u32, Vec<(Signal, usize)>> {
    let mut counts: BTreeMap<Signal, usize> = BTreeMap::new();
    for node in circuit.nodes() {
        if let (Op::Mux { select, .. }, true) = (circuit.op(node), wanted) {
            *counts.entry(select.signal()).or_insert(0) += 1;
            continue;
        }
        let decides = match circuit.op(node) {
            // A selection cannot read halves.
            Op::Choose { .. } if circuit.signals_of(node).any(|it| circuit.is_half(it)) => LOAD,
            Op::Choose { .. } => 1,
            Op::Load(_) | Op::Store(_) => LOAD,
            _ => continue,
        };
        for signal in unmade(circuit, node) {
            *counts.entry(signal).or_insert(0) += decides;
        }
    }
    let mut by_level: BTreeMap<u32, Vec<(Signal, usize)>> = BTreeMap::new();
    if counts.is_empty() {
        return by_level;
    }
    let levels = levels(circuit);
    for (signal, count) in counts {
        let level = circuit
            .source(signal)
            .map_or(0, |node| levels[node.index()]);
        by_level.entry(level).or_default().push((signal, count));
    }
    by_level
}

/// Whether a selector at this price is cheaper than selections.
fn pays(profile: &Profile, selectors: SelectorProfile, price: f64, count: usize) -> bool {
    let count = count as f64;
    // No core takes less than one lookup.
    let lookups = (count * 2.0 / 3.0 / profile.cores as f64).max(1.0);
    price + count * selectors.choice < lookups * profile.cost.lookup
}

/// Writes choices as selections where a selector of their condition would not pay, and selections as
/// choices where it does: authors need not know what else a condition decides.
pub(super) fn settle(circuit: &Circuit, profile: &Profile) -> Circuit {
    let mut many: HashSet<Signal> = HashSet::new();
    for (_, mut conditions) in conditions(circuit, true) {
        let Some(selectors) = profile.selectors else {
            continue;
        };
        let half = |&(_, count): &(Signal, usize)| {
            pays(profile, selectors, selectors.rotation / 2.0, count)
        };
        conditions.sort_unstable_by_key(|&(signal, count)| (std::cmp::Reverse(count), signal));
        let mut enough = conditions.partition_point(half);
        // The last one of an odd number pays for a rotation of its own.
        if enough % 2 == 1
            && !pays(
                profile,
                selectors,
                selectors.rotation,
                conditions[enough - 1].1,
            )
        {
            enough -= 1;
        }
        many.extend(conditions[..enough].iter().map(|&(signal, _)| signal));
    }
    let is_other = |node: Node| {
        let is_choice = matches!(circuit.op(node), Op::Choose { .. });
        condition(circuit, node).is_some_and(|condition| many.contains(&condition) != is_choice)
    };
    if !circuit.nodes().any(is_other) {
        return circuit.clone();
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    for node in circuit.nodes() {
        let (
            Op::Choose {
                select,
                then,
                otherwise,
            }
            | Op::Mux {
                select,
                then,
                otherwise,
            },
            true,
        ) = (circuit.op(node), is_other(node))
        else {
            rebuild.copy(node);
            continue;
        };
        rebuild.stand_for(node);
        let is_selection = matches!(circuit.op(node), Op::Mux { .. });
        let [select, then, otherwise] = [select, then, otherwise].map(|wire| rebuild.wire(wire));
        let selected = match is_selection {
            true => rebuild.build.choose(select, then, otherwise),
            false => rebuild.build.mux(select, then, otherwise),
        };
        for signal in circuit.signals_of(node) {
            rebuild.set(signal, selected);
        }
    }
    super::remove_dead(&rebuild.finish())
}

/// Makes a selector of every condition of a choice that has none.
pub(super) fn make(circuit: &Circuit, profile: &Profile) -> Circuit {
    let mut partner: HashMap<Signal, Option<Signal>> = HashMap::new();
    for (_, conditions) in conditions(circuit, false) {
        for pair in conditions.chunks(2) {
            match *pair {
                [(a, _), (b, _)] => {
                    partner.insert(a, Some(b));
                    partner.insert(b, Some(a));
                }
                _ => partner.extend(pair.iter().map(|&(alone, _)| (alone, None))),
            }
        }
    }
    if partner.is_empty() {
        return circuit.clone();
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut made: HashMap<Signal, Wire> = HashMap::new();
    let mut done = vec![false; circuit.len()];
    // A condition's partner may come later in the program: what it needs is pulled before.
    let mut pending: Vec<Node> = Vec::new();
    for root in circuit.nodes() {
        pending.push(root);
        while let Some(&node) = pending.last() {
            if done[node.index()] {
                pending.pop();
                continue;
            }
            let conditions = unmade(circuit, node);
            let partner = |signal: &Signal| partner.get(signal).copied().flatten();
            let others = conditions.iter().filter_map(partner);
            let operands = circuit.op(node).operands().map(Wire::signal).chain(others);
            let sources = operands.filter_map(|signal| circuit.source(signal));
            let before = pending.len();
            pending.extend(sources.filter(|source| !done[source.index()]));
            if pending.len() > before {
                continue;
            }
            pending.pop();
            done[node.index()] = true;
            rebuild.stand_for(node);
            for condition in &conditions {
                if !made.contains_key(condition) {
                    selectors(&mut rebuild, *condition, partner(condition), &mut made);
                }
            }
            let selector = |rebuild: &Rebuild<'_>, wire: Wire| match made.get(&wire.signal()) {
                Some(selector) => selector.invert_if(wire.is_inverted()),
                None => rebuild.wire(wire),
            };
            match circuit.op(node) {
                Op::Choose {
                    select,
                    then,
                    otherwise,
                } => {
                    let select = selector(&rebuild, select);
                    let [then, otherwise] = [then, otherwise].map(|wire| rebuild.wire(wire));
                    let chosen = rebuild.build.choose(select, then, otherwise);
                    for signal in circuit.signals_of(node) {
                        rebuild.set(signal, chosen);
                    }
                }
                Op::Load(load) => {
                    let index = load.index().iter();
                    let index: Vec<Wire> = index.map(|bit| selector(&rebuild, bit.wire)).collect();
                    rebuild.copy_load(node, &load, &index);
                }
                Op::Store(store) => {
                    let conditions = store.conditions().iter();
                    let conditions = conditions.map(|bit| selector(&rebuild, bit.wire));
                    let conditions: Vec<Wire> = conditions.collect();
                    rebuild.copy_store(node, &store, &conditions);
                }
                _ => rebuild.copy(node),
            }
        }
    }
    rebuild.finish()
}

/// Records selectors of one condition or two.
fn selectors(
    rebuild: &mut Rebuild<'_>,
    first: Signal,
    second: Option<Signal>,
    made: &mut HashMap<Signal, Wire>,
) {
    let wire = |rebuild: &Rebuild<'_>, signal| rebuild.wire(Wire::from(signal));
    let own = wire(rebuild, first);
    if let Some(second) = second {
        let other = wire(rebuild, second);
        let terms = [(own.positive(), 1), (other.positive(), 2)];
        if rebuild.can_select(&terms) && rebuild.is_quiet(&terms) {
            let pair = rebuild.build.selectors(&terms, 0, 3, &BOTH);
            if let [one, two] = *pair {
                made.insert(first, one.invert_if(own.is_inverted()));
                made.insert(second, two.invert_if(other.is_inverted()));
                return;
            }
        }
    }
    let terms = [(own.positive(), 1)];
    let selector = match rebuild.can_select(&terms) {
        true => rebuild.build.selectors(&terms, 0, 1, &[ALONE])[0].invert_if(own.is_inverted()),
        false => own,
    };
    made.insert(first, selector);
}

/// Whether all sums are within the target's limit, in a circuit with choices; others are.
pub(super) fn are_quiet(circuit: &Circuit, profile: &Profile) -> bool {
    let is_choice = |node| {
        let op = circuit.op(node);
        matches!(
            op,
            Op::Choose { .. } | Op::Load(_) | Op::Store(_) | Op::Linear { .. }
        )
    };
    let model = profile.lookup.map(|lookup| lookup.noise);
    model.is_none_or(|model| {
        !circuit.nodes().any(is_choice) || super::noise::is_quiet(circuit, &model)
    })
}
