//! The barrel shifter of lookups: two bits of the amount at once.
//!
//! A lookup `t = x + 2y + 4s + 8s'` of two places and two bits of the amount answers `x ∧ [k]` and
//! `y ∧ [k]` for the four steps k that the two bits may mean: eight masked bits for one rotation. A
//! place of the shifted word is the sum of four of them, of which one at most is 1, and such a sum
//! costs nothing ([`Builder::disjoint`]). So n/2 lookups do two stages. Of an odd number of bits
//! the first, of least step, is a stage by itself: `t = x + 2y + 4z + 8s`, n/3 lookups. A bit that
//! fills more than one place (the sign) is masked by all the steps that move it there, which is one
//! more output of the lookup that reads it.
//!
//! Cost: n/2·⌊m/2⌋ + n/3·(m mod 2) lookups at depth ⌈m/2⌉ for m secret bits: 16 at depth 2 for 16
//! bits by 4, 43 at depth 3 for 32 by 5.
//!
//! Amounts beyond the stages should push everything out. Either "too far" is one more bit of the
//! amount, whose step is the whole track; or, cheaper where the word is wide, it sets all bits of
//! the stages after the first: lookups beside the first stage, which reads the bits as they are.
//! What is then left are as many places at the far end as the first stage has steps, and the places
//! of the last stage that would move there are read together with the flag:
//! `t = x + 2(s + 2s' + too far)`, where 4 stands for "nowhere".
//!
//! Noise: places that are paired lie one step of the stage apart, so that of four masked bits two
//! have `‖v‖²` of 4 and two of 2. A place has 12 after a stage of two bits, 16 at most after one of
//! one bit, and the next stage reads it with weights of 1 and 2.

use std::collections::{BTreeMap, BTreeSet};

use super::track::{Ends, Track};
use crate::library::quiet;
use crate::library::weighted::{capacity, functions};
use crate::{Builder, Wire};

/// The largest noise of the places that a lookup of two reads: of weights 1 and 2, as if they came
/// from one rotation.
const TWO_PLACES: f64 = 9.0 * quiet::WORST;
/// Of three, with weights 1, 2 and 4, if they come from different ones.
const THREE_PLACES: f64 = 21.0 * quiet::WORST;

/// Whether the target has lookups of sixteen values.
pub(super) fn fits(b: &Builder) -> bool {
    capacity(b).is_some_and(|capacity| capacity >= 15)
}

/// One bit of the amount, or two, with their steps.
#[derive(Clone)]
struct Stage {
    select: Vec<Wire>,
    steps: Vec<usize>,
}

/// What is left where the amount is too far, after stages that were told so.
struct Leftover {
    too_far: Wire,
    /// The first place that is not empty then.
    from: usize,
}

/// A bit where the amount's part means step k; `within`: and is not too far.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Masked {
    bit: Wire,
    step: usize,
    within: bool,
}

/// Shifts by `Σ 2ⁱ·lowᵢ` places, and everything out where one of the bits `beyond` is 1 (a rotation
/// has none).
pub(super) fn shift(b: &mut Builder, mut track: Track, low: &[Wire], beyond: &[Wire]) -> Track {
    let beyond: Vec<Wire> = beyond
        .iter()
        .copied()
        .filter(|&bit| bit != Wire::FALSE)
        .collect();
    if beyond.contains(&Wire::TRUE) {
        track.places = track.moved(track.places.len());
        return track;
    }
    // Clear bits first: the word stays narrow.
    let mut secret: Vec<(Wire, usize)> = Vec::with_capacity(low.len() + 1);
    for (at, &bit) in low.iter().enumerate() {
        let step = track.step(at);
        match bit.as_constant() {
            Some(true) => track.places = track.moved(step),
            None if step > 0 => secret.push((bit, step)),
            _ => {}
        }
    }
    let mut leftover = None;
    if !beyond.is_empty() {
        let (first, length) = (2 - secret.len() % 2, track.places.len());
        let told: usize = secret.iter().skip(first).map(|(_, step)| step).sum();
        let left = length.saturating_sub(told);
        let later = secret.len().saturating_sub(first) / 2;
        // Lookups of either way: see above. One more bit makes a stage of three places one of two,
        // or adds a stage of three.
        let is_telling_cheaper =
            1 + later + left / 2 <= 1 + length / if first == 1 { 6 } else { 3 };
        if later > 0 && left <= 1 + (1 << first) && is_telling_cheaper {
            let too_far = too_far(b, &secret[first..], &beyond);
            for pair in secret[first..].chunks_mut(2) {
                if let [(low, _), (high, _)] = pair {
                    [*low, *high] = saturated(b, [*low, *high], &beyond);
                }
            }
            leftover = Some(Leftover {
                too_far,
                from: told,
            });
        } else {
            secret.push((b.any(&beyond), length));
        }
    }
    let (first, rest) = secret.split_at(secret.len() % 2);
    let stages: Vec<Stage> = first
        .chunks(1)
        .chain(rest.chunks(2))
        .map(|bits| {
            let (select, steps) = bits.iter().copied().unzip();
            steady(b, Stage { select, steps })
        })
        .collect();
    for (at, stage) in stages.iter().enumerate() {
        let last = at + 1 == stages.len();
        track.places = apply(b, &track, stage, leftover.as_ref().filter(|_| last));
    }
    track
}

/// A stage's bits with little noise, the quieter one last: it gets the largest weight.
fn steady(b: &mut Builder, mut stage: Stage) -> Stage {
    let noise = |b: &Builder, bits: &[Wire]| {
        let weights: &[i8] = if bits.len() == 1 { &[8] } else { &[4, 8] };
        let terms: Vec<(Wire, i8)> = bits.iter().copied().zip(weights.iter().copied()).collect();
        b.variance(&terms)
    };
    match *stage.select.as_slice() {
        [only] if noise(b, &[only]) > b.noise_limit() - THREE_PLACES => {
            stage.select = vec![b.refresh(only)];
        }
        [first, second] => {
            if noise(b, &[second, first]) < noise(b, &[first, second]) {
                stage.select.reverse();
                stage.steps.reverse();
            }
            if noise(b, &stage.select) > b.noise_limit() - TWO_PLACES {
                let [first, second] = [stage.select[0], stage.select[1]];
                stage.select = quiet::renew_pair(b, first, second).to_vec();
            }
        }
        _ => {}
    }
    stage
}

/// Whether the amount exceeds the stages: another function of what saturates the first pair, if its
/// sum leaves room.
fn too_far(b: &mut Builder, secret: &[(Wire, usize)], beyond: &[Wire]) -> Wire {
    match (secret, beyond) {
        ([(low, _), (high, _), ..], &[_] | &[_, _] | &[_, _, _]) => {
            let terms = reaching(*low, *high, beyond, 4);
            if b.variance(&terms) <= b.noise_limit() {
                return functions(b, &terms, 1, |t| u32::from(t >= 4))[0];
            }
            b.any(beyond)
        }
        _ => b.any(beyond),
    }
}

/// Two bits of the amount, both set where it is too far.
fn saturated(b: &mut Builder, [low, high]: [Wire; 2], beyond: &[Wire]) -> [Wire; 2] {
    let weight = match beyond.len() {
        0..=3 => Some(4),
        4 => Some(3),
        _ => None,
    };
    let direct = weight.map(|weight| reaching(low, high, beyond, weight));
    let terms = match direct.filter(|terms| b.variance(terms) <= b.noise_limit()) {
        Some(terms) => terms,
        None => vec![(low, 1), (high, 2), (b.any(beyond), 4)],
    };
    let made = functions(b, &terms, 2, |t| t.min(3) as u32);
    [made[0], made[1]]
}

/// `low + 2·high + weight·Σ beyond`
fn reaching(low: Wire, high: Wire, beyond: &[Wire], weight: i8) -> Vec<(Wire, i8)> {
    let mut terms = vec![(low, 1), (high, 2)];
    terms.extend(beyond.iter().map(|&bit| (bit, weight)));
    terms
}

/// One stage.
fn apply(b: &mut Builder, track: &Track, stage: &Stage, leftover: Option<&Leftover>) -> Vec<Wire> {
    let ways = 1usize << stage.steps.len();
    let by = |way: usize| {
        let chosen = stage.steps.iter().enumerate();
        chosen
            .map(|(at, step)| (way >> at & 1) * step)
            .sum::<usize>()
    };
    let fed: Vec<Vec<Wire>> = (0..ways).map(|way| track.moved(by(way))).collect();
    // By place: the masked bits that it is the sum of; `None` where it stays as it is.
    let places: Vec<Option<Vec<Masked>>> = (0..track.places.len())
        .map(|place| {
            let is_left = leftover.is_some_and(|leftover| place >= leftover.from);
            if !is_left && fed.iter().all(|moved| moved[place] == fed[0][place]) {
                return None;
            }
            let masked = |(step, fed): (usize, &Vec<Wire>)| Masked {
                bit: fed[place],
                step,
                within: is_left && step + 1 == ways,
            };
            let masked = fed.iter().enumerate().map(masked);
            Some(masked.filter(|masked| masked.bit != Wire::FALSE).collect())
        })
        .collect();
    let made = Masks::plan(track, stage, &places).make(b, stage, leftover);
    // The sign fills also what was left.
    let filled = match (leftover, track.ends) {
        (Some(leftover), Ends::Fill(fill)) => b.and(fill, leftover.too_far),
        _ => Wire::FALSE,
    };
    let mut result = Vec::with_capacity(places.len());
    for (place, masked) in places.iter().enumerate() {
        let Some(masked) = masked else {
            result.push(track.places[place]);
            continue;
        };
        let mut bits: Vec<Wire> = masked
            .iter()
            .filter_map(|key| made.get(key))
            .copied()
            .collect();
        if leftover.is_some_and(|leftover| place >= leftover.from) {
            bits.push(filled);
        }
        result.push(b.disjoint(&bits));
    }
    result
}

/// Which masked bits are made together.
struct Masks {
    /// Bits that share lookups, neighbours one step apart.
    shared: Vec<Wire>,
    /// Bits that are read together with the flag.
    alone: Vec<Wire>,
    wanted: BTreeSet<Masked>,
}

impl Masks {
    fn plan(track: &Track, stage: &Stage, places: &[Option<Vec<Masked>>]) -> Self {
        let keys = |place: &Option<Vec<Masked>>| place.clone().unwrap_or_default();
        let (word, carry) = places.split_at(track.word);
        let wanted: BTreeSet<Masked> = places.iter().flat_map(keys).collect();
        let of_word: BTreeSet<Masked> = word.iter().flat_map(keys).collect();
        let plain = |keys: &BTreeSet<Masked>| -> BTreeSet<Wire> {
            keys.iter()
                .filter(|key| !key.within)
                .map(|key| key.bit)
                .collect()
        };
        let alone: BTreeSet<Wire> = of_word
            .iter()
            .filter(|key| key.within)
            .map(|key| key.bit)
            .collect();
        let carry_alone = carry.iter().flat_map(keys).filter(|key| key.within);
        let carry_alone: BTreeSet<Wire> = carry_alone.map(|key| key.bit).collect();
        let (in_word, all) = (plain(&of_word), plain(&wanted));
        // Neighbours lie one step apart. What only the carry needs comes last: often nobody reads
        // it.
        let step = stage.steps.iter().copied().min().unwrap_or(1).max(1);
        let at = |bit: &Wire| track.places.iter().position(|place| place == bit);
        let mut bits: Vec<Wire> = all.difference(&alone).copied().collect();
        bits.retain(|bit| bit.as_constant().is_none());
        bits.sort_by_key(|bit| {
            let place = at(bit).unwrap_or(track.places.len());
            (!in_word.contains(bit), place % step, place / step)
        });
        Self {
            shared: bits,
            alone: alone.union(&carry_alone).copied().collect(),
            wanted,
        }
    }

    /// The bits of each lookup, by weight; one at least.
    fn groups(&self, b: &Builder, stage: &Stage) -> Vec<Vec<Wire>> {
        let mut bits = self.shared.clone();
        let mut groups: Vec<Vec<Wire>> = if stage.select.len() == 1 {
            // The noisiest third gets the least weight.
            let noise = |bit: Wire| b.variance(&[(bit, 1)]);
            bits.sort_by(|&x, &y| noise(y).total_cmp(&noise(x)));
            let third = bits.len().div_ceil(3).max(1);
            let group = |first| bits[first..].iter().step_by(third).copied().collect();
            (0..third.min(bits.len())).map(group).collect()
        } else {
            bits.chunks(2).map(<[Wire]>::to_vec).collect()
        };
        // A clear 1 is masked by the steps alone, in any lookup that knows them.
        if groups.is_empty() {
            groups.push(Vec::new());
        }
        groups
    }

    /// The lookups.
    fn make(
        self,
        b: &mut Builder,
        stage: &Stage,
        leftover: Option<&Leftover>,
    ) -> BTreeMap<Masked, Wire> {
        let mut made = BTreeMap::new();
        for (number, group) in self.groups(b, stage).iter().enumerate() {
            let reads = |bit: Wire| match bit {
                Wire::TRUE => (number == 0).then_some(None),
                _ => group.iter().position(|&other| other == bit).map(Some),
            };
            let count = group.len();
            let mut terms: Vec<(Wire, i8)> = weighted(group, 0);
            terms.extend(weighted(&stage.select, count));
            let keys = self.wanted.iter().filter(|key| !key.within);
            let keys = keys.filter_map(|&key| reads(key.bit).map(|place| (key, place)));
            let (keys, tables): (Vec<Masked>, Vec<u16>) = keys
                .map(|(key, place)| {
                    let holds = |t: usize| {
                        t >> count == key.step && place.is_none_or(|place| t >> place & 1 == 1)
                    };
                    (key, table(holds))
                })
                .unzip();
            if !tables.is_empty() {
                made.extend(keys.into_iter().zip(b.lookup(&terms, 0, &tables)));
            }
        }
        let Some(leftover) = leftover else {
            return made;
        };
        let nowhere = 1usize << stage.select.len();
        for &bit in &self.alone {
            let mut terms = vec![(bit, 1), (leftover.too_far, 2)];
            terms.extend(weighted(&stage.select, 1));
            let keys = self.wanted.iter().filter(|key| key.bit == bit);
            let keys = keys.filter(|key| key.within || !made.contains_key(key));
            let keys: Vec<Masked> = keys.copied().collect();
            // Where too far, the step is the largest: the sum is then `nowhere`.
            let tables = keys.iter().map(|key| {
                let reaches = |step: usize| match key.within {
                    true => step == key.step,
                    false => step == key.step || step == nowhere && key.step + 1 == nowhere,
                };
                table(|t| t & 1 == 1 && reaches(t >> 1))
            });
            let tables: Vec<u16> = tables.collect();
            made.extend(keys.into_iter().zip(b.lookup(&terms, 0, &tables)));
        }
        made
    }
}

/// Wires with weights `2^first`, `2^(first + 1)`, …
fn weighted(wires: &[Wire], first: usize) -> Vec<(Wire, i8)> {
    let weights = wires.iter().enumerate();
    weights
        .map(|(at, &wire)| (wire, 1 << (first + at)))
        .collect()
}

/// The table of a function of values below 16.
fn table(holds: impl Fn(usize) -> bool) -> u16 {
    (0..16).fold(0, |table, t| table | u16::from(holds(t)) << t)
}
