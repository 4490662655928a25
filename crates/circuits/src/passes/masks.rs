//! Selections by the same condition, three for two lookups.
//!
//! A selection `s ? x : y` is the sum of `s∧x` and `¬s∧y`, which are disjoint, and a lookup `t =
//! a + 2b + 4c + 8s` masks any three bits (see [`library::select`](crate::library::select)): the
//! three bits of one side, then those of the other. Predicated instructions of compiled programs
//! are such selections, a word under one condition.

use super::rebuild::Rebuild;
use crate::ir::table::{Function, is_negacyclic};
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, Wire};

/// Selections that are recorded together.
const TOGETHER: usize = 3;
/// The smallest sum that knows a selection reaches this.
const LEAST: u8 = 5;
/// The sum of three bits and the condition reaches this.
pub(super) const LARGEST: u8 = 15;

/// A lookup of one output that is a function of one bit where the condition holds and of another
/// where it does not.
struct Selection {
    condition: Signal,
    /// The bits where it holds and where not, and their functions: bit `x + 2s`.
    sides: [(Signal, u16); 2],
}

/// Groups of three selections of the same level by the same condition.
pub(super) fn triples(
    circuit: &Circuit,
    nodes: impl Iterator<Item = (u32, Node)>,
    mut each: impl FnMut(Vec<Node>),
) {
    let known = nodes.filter_map(|(level, node)| {
        let selection = selection(circuit, node)?;
        Some((level, selection.condition, node))
    });
    let mut offers: Vec<(u32, Signal, Node)> = known.collect();
    offers.sort_unstable();
    for same in offers.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for group in same.chunks_exact(TOGETHER) {
            each(group.iter().map(|&(_, _, node)| node).collect());
        }
    }
}

/// Records three selections as the masks of their bits, if both sums are quiet enough.
pub(super) fn record(rebuild: &mut Rebuild<'_>, members: &[Node]) -> bool {
    let selections = members.iter().map(|&node| selection(rebuild.circuit, node));
    let Some(selections) = selections.collect::<Option<Vec<_>>>() else {
        return false;
    };
    let [first, second, third] = selections.as_slice() else {
        return false;
    };
    let condition = first.condition;
    if second.condition != condition || third.condition != condition {
        return false;
    }
    // The other way round on the other side: each place gets a heavy and a light weight.
    let sides = [[first, second, third], [third, second, first]];
    let terms = [0, 1].map(|side| -> Vec<(Wire, i8)> {
        let bits = sides[side].map(|selection| selection.sides[side].0);
        let bits = bits.into_iter().chain([condition]).enumerate();
        bits.map(|(at, bit)| (rebuild.wire(Wire::from(bit)), 1 << at))
            .collect()
    });
    if !terms
        .iter()
        .all(|terms| is_plain(terms) && rebuild.is_quiet(terms))
    {
        return false;
    }
    let [set, clear] = [0, 1].map(|side| {
        let table = |(at, selection): (usize, &&Selection)| {
            let f = selection.sides[side].1;
            (0..16).fold(0u16, |table, t: u16| {
                table | (f >> ((t >> at & 1) + 2 * (t >> 3)) & 1) << t
            })
        };
        let tables: Vec<u16> = sides[side].iter().enumerate().map(table).collect();
        rebuild.build.lookup(&terms[side], 0, &tables)
    });
    for ((&node, set), clear) in members.iter().zip(set).zip(clear.into_iter().rev()) {
        let selected = rebuild.build.disjoint(&[set, clear]);
        for signal in rebuild.circuit.signals_of(node) {
            rebuild.set(signal, selected);
        }
    }
    true
}

/// Whether the wires are distinct and secret.
fn is_plain(terms: &[(Wire, i8)]) -> bool {
    let mut signals: Vec<Signal> = terms.iter().map(|(wire, _)| wire.signal()).collect();
    signals.sort_unstable();
    signals.windows(2).all(|pair| pair[0] != pair[1]) && signals.first() != Some(&Signal::FALSE)
}

fn selection(circuit: &Circuit, node: Node) -> Option<Selection> {
    let Op::Lookup { sum, tables } = circuit.op(node) else {
        return None;
    };
    let (&[mask], &[a, b, c], LEAST..) = (tables.masks(), sum.terms, sum.max) else {
        return None;
    };
    let terms = [a, b, c];
    let own = Function {
        mask,
        is_negacyclic: is_negacyclic(sum.max),
    };
    // The function of three bits; every assignment has to be within what was promised.
    let mut function = 0u8;
    for minterm in 0..8u8 {
        let chosen = terms.iter().enumerate();
        let chosen = chosen.filter(|(at, _)| minterm >> at & 1 == 1);
        let value =
            i32::from(sum.constant) + chosen.map(|(_, term)| i32::from(term.weight)).sum::<i32>();
        if !(0..=i32::from(sum.max)).contains(&value) {
            return None;
        }
        function |= u8::from(own.at(value)) << minterm;
    }
    let at = |minterm: usize| u16::from(function >> minterm & 1);
    for (s, x, y) in [
        (0, 1, 2),
        (1, 2, 0),
        (2, 0, 1),
        (0, 2, 1),
        (1, 0, 2),
        (2, 1, 0),
    ] {
        let value = |set: usize, x_is: usize, y_is: usize| at(set << s | x_is << x | y_is << y);
        let ignored = [0, 1].iter().all(|&bit| {
            value(1, bit, 0) == value(1, bit, 1) && value(0, 0, bit) == value(0, 1, bit)
        });
        let read = value(1, 0, 0) != value(1, 1, 0) && value(0, 0, 0) != value(0, 0, 1);
        if ignored && read {
            let (held, not_held) = (
                value(1, 0, 0) << 2 | value(1, 1, 0) << 3,
                value(0, 0, 0) | value(0, 0, 1) << 1,
            );
            let signal = |at: usize| terms[at].wire.signal();
            return Some(Selection {
                condition: signal(s),
                sides: [(signal(x), held), (signal(y), not_held)],
            });
        }
    }
    None
}
