//! Selection between two words by one bit.
//!
//! With gates a selection for each bit in which the words differ: n ANDs at depth 1.
//!
//! With lookups `then` where s and `otherwise` where not are bits of which one at most is 1, and
//! such bits are added for nothing ([`Builder::disjoint`]). A lookup `t = x + 2y + 4z + 8s` masks
//! any three bits by the condition or by its complement, so three places take two lookups, where
//! the selection of a place by itself (`t = 4s + 2a + b`) takes one: 2n/3 at depth 1. A bit that
//! several places read, or that stands against a clear one, is read once.
//!
//! Where the target has selectors a place is a choice, of which a pass makes a product or a
//! selection ([`Builder::choose`]).
//!
//! Noise: a masked bit has `‖v‖²` of 8, 4 or 2 by its weight. The bits of a place get weights 1 and
//! 4 or 2 and 2, and so a sum of 10 or 8, unless one bit is noisier than another and had better
//! have the smaller weight.

use std::collections::BTreeMap;

use super::weighted::capacity;
use super::word::Word;
use crate::{Builder, Wire};

/// Bits that one lookup masks.
const MASKED: usize = 3;
/// Functions of a bit and the condition: bit `x + 2s` is the value.
const WHERE_SET: u16 = 0b1000;
const WHERE_CLEAR: u16 = 0b0010;
const DIFFERENT: u16 = 0b0110;

/// `then` where `condition` is 1, `otherwise` where it is 0.
///
/// ```
/// use blindcore_circuits::library::{self, constant};
/// use blindcore_circuits::{Builder, Profile, passes};
///
/// let profile = Profile::lookup_simulation();
/// let mut b = Builder::new(&profile);
/// let (condition, then) = (b.input(), b.inputs(3));
/// let selected = library::select(&mut b, condition, &then, &constant(0b101, 3));
/// selected.iter().for_each(|&bit| b.output(bit));
/// // Three bits masked by their condition are one lookup; the clear word's are the condition's own.
/// let circuit = passes::prepare(&b.finish(), &profile);
/// assert_eq!(passes::cost(&circuit, &profile).bootstraps, 1);
/// ```
pub fn select(b: &mut Builder, condition: Wire, then: &[Wire], otherwise: &[Wire]) -> Word {
    assert_eq!(then.len(), otherwise.len(), "operands of different widths");
    let places: Vec<(Wire, Wire)> = then
        .iter()
        .copied()
        .zip(otherwise.iter().copied())
        .collect();
    if b.profile().selectors.is_some() {
        let places = places.into_iter();
        return places
            .map(|(then, otherwise)| b.choose(condition, then, otherwise))
            .collect();
    }
    let is_wide = capacity(b).is_some_and(|capacity| capacity >= 15);
    let mut masked: BTreeMap<usize, Vec<(Wire, u16)>> = BTreeMap::new();
    if is_wide && condition.as_constant().is_none() {
        let places = places.iter().enumerate();
        let places = places.filter_map(|(at, &(then, otherwise))| {
            Some((at, parts(b, condition, then, otherwise)?))
        });
        masked = places.collect();
        // Places left over from groups of three cost a lookup each either way, and are quieter as
        // selections.
        let distinct = bits(masked.values()).len();
        if distinct == 2 * masked.len() {
            for _ in 0..masked.len() % MASKED {
                masked.pop_last();
            }
        }
        if bits(masked.values()).len().div_ceil(MASKED) >= masked.len() {
            masked.clear();
        }
    }
    let made = masks(b, condition, bits(masked.values()));
    let places = places.into_iter().enumerate();
    places
        .map(|(at, (then, otherwise))| match masked.get(&at) {
            None => b.mux(condition, then, otherwise),
            Some(parts) => {
                let parts = parts.iter().filter_map(|part| made.get(part));
                let parts: Vec<Wire> = parts.copied().collect();
                b.disjoint(&parts)
            }
        })
        .collect()
}

/// A place as functions of single bits and the condition, of which one at most is 1; `None` where
/// it costs nothing, or where the condition is itself one of the bits.
fn parts(b: &Builder, s: Wire, then: Wire, otherwise: Wire) -> Option<Vec<(Wire, u16)>> {
    let one_lookup = b.same_node(then, otherwise) && b.same_node(then, s);
    let is_condition = |bit: Wire| bit.positive() == s.positive();
    if then == otherwise || one_lookup || is_condition(then) || is_condition(otherwise) {
        return None;
    }
    let parts = match (then.as_constant(), otherwise.as_constant()) {
        (Some(_), Some(_)) => return None,
        (Some(value), None) => vec![(otherwise, WHERE_CLEAR | if value { 0b1100 } else { 0 })],
        (None, Some(value)) => vec![(then, WHERE_SET | if value { 0b0011 } else { 0 })],
        (None, None) if then == !otherwise => vec![(otherwise, DIFFERENT)],
        (None, None) => vec![(then, WHERE_SET), (otherwise, WHERE_CLEAR)],
    };
    let positive = |(bit, f): (Wire, u16)| match bit.is_inverted() {
        true => (!bit, (f & 0b0101) << 1 | (f & 0b1010) >> 1),
        false => (bit, f),
    };
    Some(parts.into_iter().map(positive).collect())
}

/// The distinct bits with what is asked of each, in groups: the first bits of three places, then
/// the second ones from the other end.
fn bits<'a>(places: impl Iterator<Item = &'a Vec<(Wire, u16)>>) -> Vec<(Wire, Vec<u16>)> {
    let places: Vec<_> = places.collect();
    let mut found: Vec<(Wire, Vec<u16>)> = Vec::new();
    let mut at: BTreeMap<Wire, usize> = BTreeMap::new();
    for places in places.chunks(MASKED) {
        let first = places.iter().filter_map(|parts| parts.first());
        let second = places.iter().rev().filter_map(|parts| parts.get(1));
        for &(bit, function) in first.chain(second) {
            let place = *at.entry(bit).or_insert_with(|| {
                found.push((bit, Vec::new()));
                found.len() - 1
            });
            if !found[place].1.contains(&function) {
                found[place].1.push(function);
            }
        }
    }
    found
}

/// The functions of bits and the condition, three bits to a lookup.
fn masks(
    b: &mut Builder,
    condition: Wire,
    mut bits: Vec<(Wire, Vec<u16>)>,
) -> BTreeMap<(Wire, u16), Wire> {
    let noise = |b: &Builder, bit: Wire| b.variance(&[(bit, 1)]);
    for group in bits.chunks_mut(MASKED) {
        group.sort_by(|x, y| noise(b, y.0).total_cmp(&noise(b, x.0)));
    }
    let terms = |group: &[(Wire, Vec<u16>)], condition: Wire| -> Vec<(Wire, i8)> {
        let wires = group.iter().map(|(bit, _)| *bit).chain([condition]);
        wires.enumerate().map(|(at, bit)| (bit, 1 << at)).collect()
    };
    let is_noisy = |group| b.variance(&terms(group, condition)) > b.noise_limit();
    let condition = match bits.chunks(MASKED).any(is_noisy) {
        true => b.refresh(condition),
        false => condition,
    };
    let mut made = BTreeMap::new();
    for group in bits.chunks(MASKED) {
        let asked = |(at, (bit, functions)): (usize, &(Wire, Vec<u16>))| {
            let count = group.len();
            let of = move |f: u16| {
                let value = |t: usize| f >> ((t >> at & 1) + 2 * (t >> count)) & 1;
                (0..1 << (count + 1)).fold(0u16, |table, t| table | value(t) << t)
            };
            let bit = *bit;
            let functions = functions.clone().into_iter();
            functions.map(move |f| ((bit, f), of(f)))
        };
        let (keys, tables): (Vec<_>, Vec<u16>) = group.iter().enumerate().flat_map(asked).unzip();
        let wires = b.lookup(&terms(group, condition), 0, &tables);
        made.extend(keys.into_iter().zip(wires));
    }
    made
}
