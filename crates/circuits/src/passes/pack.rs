//! Small lookups side by side: two sums of few values are the digits of one. And lookups over
//! nearly the same bits: see [`share`]; and selections by the same bit: see [`masks`].
//!
//! `t = t₀ + s₀·t₁` with `0 ≤ tᵢ < sᵢ` is a lookup as long as `s₀·s₁` values fit, and answers
//! whatever the two did: two gates cost one rotation. Packing waits for the operands of both, so
//! it must not lengthen the longest path: lookups of the same level are packed first, in the order
//! of the program; then what is left, at any level that neither its operands nor its readers mind.
//! A pack whose sum would be too noisy is not made, nor one that makes a reader's sum so. A parity
//! that stays alone takes the native form, which costs the same and is quieter.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::map::forms::Forms;
use super::rebuild::Rebuild;
use super::{masks, share};
use crate::build::{care, whole};
use crate::ir::{Node, Op};
use crate::{Circuit, Profile, Wire};

/// How often packs that made readers noisy are taken back before refreshes have to help.
const ROUNDS: usize = 3;

/// No pack.
const ALONE: u32 = u32::MAX;

/// Packs lookups whose sums have few values. Near-linear.
pub(super) fn pack_lookups(circuit: &Circuit, profile: &Profile) -> Circuit {
    let Some(max_value) = profile.max_value() else {
        return circuit.clone();
    };
    let mut forbidden = vec![false; circuit.len()];
    let mut packed = circuit.clone();
    for round in 0..ROUNDS {
        let packs = Packs::choose(circuit, max_value + 1, &forbidden);
        let lonely =
            |node: Node| packs.of[node.index()] == ALONE && odd_bits(circuit, node).is_some();
        let is_better_alone = || profile.has_parity() && circuit.nodes().any(lonely);
        if packs.members.is_empty() && !is_better_alone() {
            return circuit.clone();
        }
        let before = forbidden.clone();
        packed = emit(circuit, profile, &packs, &mut forbidden);
        if round + 1 == ROUNDS || forbidden == before {
            break;
        }
    }
    packed
}

/// Which lookups become one.
struct Packs {
    /// By node: its pack, or [`ALONE`].
    of: Vec<u32>,
    members: Vec<Vec<Node>>,
}

/// The values of a node's sum, if something may fit beside it.
fn values(circuit: &Circuit, node: Node, capacity: u8) -> Option<u8> {
    match circuit.op(node) {
        Op::Lookup { sum, .. } if 2 * (sum.max + 1) <= capacity => Some(sum.max + 1),
        _ => None,
    }
}

impl Packs {
    fn choose(circuit: &Circuit, capacity: u8, forbidden: &[bool]) -> Self {
        let (level, deadline) = levels(circuit);
        let mut items: Vec<(u32, Reverse<u8>, Node)> = circuit
            .nodes()
            .filter(|node| !forbidden[node.index()])
            .filter_map(|node| {
                let size = values(circuit, node, capacity)?;
                Some((level[node.index()], Reverse(size), node))
            })
            .collect();
        items.sort_unstable();
        let mut packs = Self {
            of: vec![ALONE; circuit.len()],
            members: Vec::new(),
        };
        let free = circuit.nodes().filter(|node| !forbidden[node.index()]);
        let free = free.map(|node| (level[node.index()], node));
        share::pairs(circuit, free, |one, other| packs.push(vec![one, other]));
        if capacity > masks::LARGEST {
            let free = circuit.nodes().filter(|node| !forbidden[node.index()]);
            let free = free.filter(|node| packs.of[node.index()] == ALONE);
            let free: Vec<_> = free.map(|node| (level[node.index()], node)).collect();
            masks::triples(circuit, free.into_iter(), |members| packs.push(members));
        }
        items.retain(|&(_, _, node)| packs.of[node.index()] == ALONE);
        let mut left: Vec<(u32, u8, Node)> = Vec::new();
        for same in items.chunk_by(|a, b| a.0 == b.0) {
            packs.first_fit(same, capacity, &mut left);
        }
        packs.at_any_level(&left, capacity, &deadline);
        packs
    }

    /// First fit, largest first, among lookups of one level; those that stay alone are `left`.
    fn first_fit(
        &mut self,
        items: &[(u32, Reverse<u8>, Node)],
        capacity: u8,
        left: &mut Vec<(u32, u8, Node)>,
    ) {
        // Open packs by the number of values that still fit.
        let mut open: Vec<Vec<Vec<(u8, Node)>>> = vec![Vec::new(); usize::from(capacity) + 1];
        let mut full = Vec::new();
        for &(_, Reverse(size), node) in items {
            let room = (size..=capacity).find(|&room| !open[usize::from(room)].is_empty());
            let (room, mut members) = match room {
                Some(room) => (room, open[usize::from(room)].pop().unwrap_or_default()),
                None => (capacity, Vec::new()),
            };
            members.push((size, node));
            let product: u32 = members.iter().map(|&(size, _)| u32::from(size)).product();
            let room_left = (u32::from(capacity) / product).min(u32::from(room)) as usize;
            if room_left >= 2 {
                open[room_left].push(members)
            } else {
                full.push(members)
            }
        }
        for members in full.into_iter().chain(open.into_iter().flatten()) {
            match *members {
                [(size, node)] => left.push((items.first().map_or(0, |item| item.0), size, node)),
                _ => self.push(members.into_iter().map(|(_, node)| node).collect()),
            }
        }
    }

    /// Pairs of what is left: a lookup may wait until just before its first reader.
    fn at_any_level(&mut self, left: &[(u32, u8, Node)], capacity: u8, deadline: &[u32]) {
        let mut waiting: Vec<BinaryHeap<Reverse<(u32, Node)>>> =
            vec![BinaryHeap::new(); usize::from(capacity) + 1];
        let mut levels = left.chunk_by(|a, b| a.0 == b.0).peekable();
        while let Some(same) = levels.next() {
            for &(_, size, node) in same {
                waiting[usize::from(size)].push(Reverse((deadline[node.index()], node)));
            }
            // Whoever cannot wait for the next arrivals takes a partner now, the largest that
            // fits, and of these the most urgent.
            let next = levels
                .peek()
                .and_then(|same| same.first())
                .map_or(u32::MAX, |item| item.0);
            for size in (2..=capacity / 2).rev() {
                let urgent = |&Reverse((due, _)): &Reverse<(u32, Node)>| due < next;
                while waiting[usize::from(size)].peek().is_some_and(urgent) {
                    let node = waiting[usize::from(size)].pop();
                    let mut partners = (2..=capacity / size).rev();
                    let partner = partners.find_map(|other| waiting[usize::from(other)].pop());
                    if let (Some(Reverse((_, node))), Some(Reverse((_, partner)))) = (node, partner)
                    {
                        self.push(vec![node, partner]);
                    }
                }
            }
        }
    }

    fn push(&mut self, members: Vec<Node>) {
        for node in &members {
            self.of[node.index()] = self.members.len() as u32;
        }
        self.members.push(members);
    }
}

/// By node: its level, and the last level at which it can be without moving a reader from its own.
fn levels(circuit: &Circuit) -> (Vec<u32>, Vec<u32>) {
    let mut level = vec![0u32; circuit.len()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let operands = op
            .operands()
            .filter_map(|wire| circuit.source(wire.signal()));
        let below = operands
            .map(|source| level[source.index()])
            .max()
            .unwrap_or(0);
        level[node.index()] = below + u32::from(!matches!(op, Op::Input(_) | Op::Disjoint { .. }));
    }
    let last = level.iter().copied().max().unwrap_or(0);
    let mut deadline = vec![last; circuit.len()];
    for node in circuit.nodes().rev() {
        let op = circuit.op(node);
        // A sum takes no time: its bits are due when it is.
        let before = match op {
            Op::Disjoint { .. } => deadline[node.index()],
            _ => level[node.index()].saturating_sub(1),
        };
        for wire in op.operands() {
            if let Some(source) = circuit.source(wire.signal()) {
                let due = &mut deadline[source.index()];
                *due = (*due).min(before);
            }
        }
    }
    (level, deadline)
}

/// Records the packed circuit. Packs whose outputs make a reader too noisy are marked `forbidden`
/// for the next round.
fn emit(circuit: &Circuit, profile: &Profile, packs: &Packs, forbidden: &mut [bool]) -> Circuit {
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut forms = Forms::new(profile.max_value().unwrap_or(0));
    let mut done = vec![false; circuit.len()];
    // Depth first: a pack needs the operands of all its members, which may come later in the
    // program. Levels exclude cycles.
    let mut pending: Vec<Node> = Vec::new();
    for node in circuit.nodes() {
        if let Op::Input(_) = circuit.op(node) {
            rebuild.copy(node);
            done[node.index()] = true;
        }
    }
    for root in circuit.nodes() {
        pending.push(root);
        while let Some(&node) = pending.last() {
            if done[node.index()] {
                pending.pop();
                continue;
            }
            let alone = [node];
            let members = match packs.of[node.index()] {
                ALONE => &alone[..],
                pack => &packs.members[pack as usize],
            };
            let before = pending.len();
            for &member in members {
                let operands = circuit.op(member).operands();
                let sources = operands.filter_map(|wire| circuit.source(wire.signal()));
                pending.extend(sources.filter(|source| !done[source.index()]));
            }
            if pending.len() > before {
                continue;
            }
            pending.pop();
            // What serves several is charged to the first of them.
            if let Some(first) = members.iter().min() {
                rebuild.stand_for(*first);
            }
            let is_packed = members.len() > 1
                && (record_pack(&mut rebuild, members)
                    || masks::record(&mut rebuild, members)
                    || share::record(&mut rebuild, &mut forms, members));
            if !is_packed {
                for &member in members {
                    check_alone(&rebuild, member, packs, forbidden);
                    rebuild.stand_for(member);
                    if !record_parity(&mut rebuild, member) {
                        rebuild.copy(member);
                    }
                }
            }
            for member in members {
                done[member.index()] = true;
            }
        }
    }
    rebuild.finish()
}

/// The bits of which a lookup of one table is the parity, and whether it is inverted.
fn odd_bits(circuit: &Circuit, node: Node) -> Option<(Vec<Wire>, bool)> {
    let Op::Lookup { sum, tables } = circuit.op(node) else {
        return None;
    };
    let &[mask] = tables.masks() else {
        return None;
    };
    if (whole(mask, sum.max) ^ 0xaaaa_aaaa) & care(sum.terms, sum.constant, sum.max) != 0 {
        return None;
    }
    let odd = sum.terms.iter().filter(|term| term.weight % 2 != 0);
    let bits: Vec<Wire> = odd.map(|term| term.wire).collect();
    (bits.len() > 1).then_some((bits, sum.constant % 2 != 0))
}

/// Records a lookup as a native parity if it is one.
fn record_parity(rebuild: &mut Rebuild<'_>, node: Node) -> bool {
    if !rebuild.build.profile().has_parity() {
        return false;
    }
    let Some((bits, mut inverted)) = odd_bits(rebuild.circuit, node) else {
        return false;
    };
    let mut wires: Vec<Wire> = bits.into_iter().map(|bit| rebuild.wire(bit)).collect();
    for wire in &mut wires {
        inverted ^= wire.is_inverted();
        *wire = wire.positive();
    }
    wires.sort_unstable();
    // Bits that have become one are left to the builder, and so are those of one lookup, which
    // it merges.
    let terms: Vec<(Wire, i8)> = wires.iter().map(|&wire| (wire, 1)).collect();
    let distinct = wires
        .windows(2)
        .all(|pair| !rebuild.build.same_node(pair[0], pair[1]));
    if !distinct || wires.first() == Some(&Wire::FALSE) || !rebuild.is_quiet(&terms) {
        return false;
    }
    let parity = rebuild.build.parity_node(&wires).invert_if(inverted);
    for signal in rebuild.circuit.signals_of(node) {
        rebuild.set(signal, parity);
    }
    true
}

/// If a lookup is too noisy by itself, its operands had better not be packed.
fn check_alone(rebuild: &Rebuild<'_>, node: Node, packs: &Packs, forbidden: &mut [bool]) {
    let op = rebuild.circuit.op(node);
    if rebuild.is_quiet(&rebuild.terms(&op)) {
        return;
    }
    for wire in op.operands() {
        if let Some(source) = rebuild.circuit.source(wire.signal()) {
            forbidden[source.index()] |= packs.of[source.index()] != ALONE;
        }
    }
}

/// Records several lookups as one, if the sum is quiet enough in some order of its digits.
fn record_pack(rebuild: &mut Rebuild<'_>, members: &[Node]) -> bool {
    let forwards: Vec<Node> = members.to_vec();
    let backwards: Vec<Node> = members.iter().rev().copied().collect();
    for order in [forwards, backwards] {
        let Some(sum) = Digits::new(rebuild, &order) else {
            continue;
        };
        if !rebuild.is_quiet(&sum.merged_terms()) {
            continue;
        }
        let Ok(constant) = i8::try_from(sum.constant) else {
            continue;
        };
        let max = (sum.radix - 1) as u8;
        let wires = rebuild
            .build
            .lookup_within(&sum.terms, constant, max, &sum.masks);
        let signals: Vec<_> = order
            .iter()
            .flat_map(|&node| rebuild.circuit.signals_of(node))
            .collect();
        for (signal, wire) in signals.into_iter().zip(wires) {
            rebuild.set(signal, wire);
        }
        return true;
    }
    false
}

/// A sum whose digits are the sums of several lookups.
struct Digits {
    terms: Vec<(Wire, i8)>,
    constant: i32,
    /// The number of values.
    radix: u32,
    /// The tables of all members, in order.
    masks: Vec<u16>,
}

impl Digits {
    fn new(rebuild: &Rebuild<'_>, order: &[Node]) -> Option<Self> {
        let mut sum = Self {
            terms: Vec::new(),
            constant: 0,
            radix: 1,
            masks: Vec::new(),
        };
        let sizes = order.iter().map(|&node| match rebuild.circuit.op(node) {
            Op::Lookup { sum, .. } => u32::from(sum.max) + 1,
            _ => u32::MAX,
        });
        let total = sizes.fold(1u32, u32::saturating_mul);
        if total > 16 {
            return None;
        }
        for &node in order {
            let op = rebuild.circuit.op(node);
            let Op::Lookup { sum: digit, tables } = op else {
                return None;
            };
            let (radix, size) = (sum.radix, u32::from(digit.max) + 1);
            for (wire, weight) in rebuild.terms(&op) {
                let weight = i32::from(weight) * radix as i32;
                sum.terms.push((wire, i8::try_from(weight).ok()?));
            }
            sum.constant += i32::from(digit.constant) * radix as i32;
            let wider = |&mask: &u16| {
                (0..total).fold(0u16, |all, t| all | (mask >> (t / radix % size) & 1) << t)
            };
            sum.masks.extend(tables.masks().iter().map(wider));
            sum.radix *= size;
        }
        Some(sum)
    }

    /// The terms with one entry for each wire, as noise sees them.
    fn merged_terms(&self) -> Vec<(Wire, i8)> {
        let positive = |&(wire, weight): &(Wire, i8)| {
            (
                wire.positive(),
                i32::from(weight) * if wire.is_inverted() { -1 } else { 1 },
            )
        };
        let mut terms: Vec<(Wire, i32)> = self.terms.iter().map(positive).collect();
        terms.sort_unstable();
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
        let narrow = |(wire, weight): (Wire, i32)| {
            (
                wire,
                weight.clamp(i32::from(i8::MIN), i32::from(i8::MAX)) as i8,
            )
        };
        terms.into_iter().map(narrow).collect()
    }
}
