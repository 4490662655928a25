//! The barrel shifter: one stage for each bit of the amount, smallest step first, so that a word
//! with few secret bits stays narrow as long as possible.
//!
//! In the stage of step k, place p becomes `s ? p−k : p`, that is `¬s·x_p + s·x_{p−k}`: a sum of two
//! bits of which at most one is 1, and the next lookup may as well read both. So all stages but the
//! last only mask: a lookup `t = a + 2b + 4c + 8s` of any three places makes `¬s·a`, `s·a` and so
//! on, six bits for one rotation, n/3 lookups a stage.
//!
//! The last stage has to make bits that stand alone. Places p and p + k read three places and the
//! same condition, sixteen states, so one lookup `t = a + 2m + 4d + 8s` makes both: places are
//! paired along the chains p, p + k, p + 2k, … For a zero-filling shift such a chain has two places,
//! the first of which shifts in a zero, and a flag that clears the word takes its room.
//!
//! Noise: of the three places the noisiest third of all gets weight 1, the quietest weight 4; a
//! masked bit has 8, 4 or 2, and a place the sum of two such.

use std::collections::BTreeMap;

use crate::library::weighted::capacity;
use crate::{Builder, Wire};

/// The weight of the condition in a lookup's sum.
pub(super) const SELECT_WEIGHT: i8 = 8;
/// What a unit of noise in each of the selected bits adds if they are independent: their weights are
/// 1, 2 and 4.
pub(super) const DATA_NOISE: f64 = 21.0;

/// What stands below place 0.
#[derive(Clone, Copy)]
pub(super) enum Ends {
    /// This bit, again and again.
    Fill(Wire),
    /// The top of the track: a rotation.
    Joined,
}

/// A track of wires that are shifted to higher places.
pub(super) struct Barrel {
    /// Places that belong to the word; a carry may follow them.
    pub(super) word: usize,
    pub(super) ends: Ends,
    /// Clears the word, but not the carry.
    pub(super) zero: Wire,
}

/// What a place holds: the sum of two wires of which at most one is 1.
type Bit = [Wire; 2];

/// Places that one lookup masks.
const MASKED: usize = 3;

impl Barrel {
    /// Shifts by `Σ 2ⁱ·amountᵢ` places.
    pub(super) fn shift(&self, b: &mut Builder, track: Vec<Wire>, amount: &[Wire]) -> Vec<Wire> {
        let step_of = |at: usize| match self.ends {
            Ends::Joined => power_of_two_modulo(at, track.len()),
            // Any step beyond the end does the same.
            Ends::Fill(_) => 1usize.checked_shl(at as u32).unwrap_or(track.len()),
        };
        let moves = |at: usize| step_of(at) != 0;
        let chosen = (0..amount.len()).rev();
        let last_choice = chosen
            .filter(|&at| moves(at))
            .find(|&at| amount[at].as_constant().is_none());
        let mut cleared = self.zero == Wire::FALSE;
        let mut bits: Vec<Bit> = track.iter().map(|&wire| [wire, Wire::FALSE]).collect();
        for (at, &select) in amount.iter().enumerate().filter(|&(at, _)| moves(at)) {
            let step = step_of(at);
            if fits_pair(b) && last_choice.is_some_and(|last| at < last) {
                bits = self.masked(b, &bits, step, select);
                continue;
            }
            let last = at + 1 == amount.len() && 2 * step >= self.word;
            let zero = if last && fits_pair(b) {
                self.zero
            } else {
                Wire::FALSE
            };
            let track = self.stage(b, &bits, step, select, zero);
            bits = track.into_iter().map(|wire| [wire, Wire::FALSE]).collect();
            cleared |= last && fits_pair(b);
        }
        let mut track: Vec<Wire> = bits.iter().map(|&bit| whole(b, bit)).collect();
        if !cleared {
            for bit in &mut track[..self.word] {
                *bit = b.and(*bit, !self.zero);
            }
        }
        track
    }

    /// The place from which a shift by `step` fills each place.
    fn below(&self, track: &[Bit], step: usize) -> Vec<Bit> {
        let n = track.len();
        let from = |at: usize| match (self.ends, at.checked_sub(step)) {
            (_, Some(from)) => track[from],
            (Ends::Fill(fill), None) => [fill, Wire::FALSE],
            (Ends::Joined, None) => track[(at + n - step % n) % n],
        };
        (0..n).map(from).collect()
    }

    /// A stage whose results are sums of two masked bits.
    fn masked(&self, b: &mut Builder, track: &[Bit], step: usize, select: Wire) -> Vec<Bit> {
        let below = self.below(track, step);
        match select.as_constant() {
            Some(false) => return track.to_vec(),
            Some(true) => return below,
            None => {}
        }
        // Bits that are to be masked: neither clear nor the same whether they move or not.
        let pairs = track.iter().zip(&below);
        let mut secret: Vec<Bit> = pairs
            .filter(|(stays, moves)| stays != moves)
            .flat_map(|(&stays, &moves)| [stays, moves])
            .filter(|&bit| clear(bit).is_none())
            .collect();
        secret.sort_unstable();
        secret.dedup();
        let noise = |b: &Builder, bit: &Bit| b.variance(&bit.map(|wire| (wire, 1)));
        secret.sort_by(|x, y| noise(b, y).total_cmp(&noise(b, x)));
        // By bit: itself where it stays, itself where it moves.
        let mut masks: BTreeMap<Bit, [Wire; 2]> = BTreeMap::new();
        let third = secret.len().div_ceil(MASKED);
        for first in 0..third {
            let group: Vec<Bit> = secret[first..].iter().step_by(third).copied().collect();
            let mut read = group.clone();
            read.push([select, Wire::FALSE]);
            let made = of_places(b, &read, 2 * group.len(), |places| {
                let (bits, moved) = (places & !(1 << group.len()), places >> group.len());
                if moved == 1 {
                    bits << group.len()
                } else {
                    bits
                }
            });
            for (at, &bit) in group.iter().enumerate() {
                masks.insert(bit, [made[at], made[group.len() + at]]);
            }
        }
        let mask = |bit: Bit, moves: usize| match (clear(bit), masks.get(&bit)) {
            (Some(false), _) => Wire::FALSE,
            (Some(true), _) => [!select, select][moves],
            (None, Some(masked)) => masked[moves],
            (None, None) => bit[0],
        };
        let pairs = track.iter().zip(&below);
        pairs
            .map(|(&stays, &moves)| {
                if stays == moves {
                    stays
                } else {
                    [mask(stays, 0), mask(moves, 1)]
                }
            })
            .collect()
    }

    fn stage(
        &self,
        b: &mut Builder,
        track: &[Bit],
        step: usize,
        select: Wire,
        zero: Wire,
    ) -> Vec<Wire> {
        let mut result = vec![Wire::FALSE; track.len()];
        let fed = self.below(track, step);
        for chain in self.chains(track.len(), step) {
            let mut before = chain.first().map_or([Wire::FALSE; 2], |&first| fed[first]);
            let mut at = 0;
            while let Some(&place) = chain.get(at) {
                let middle = track[place];
                let zero_here = if place < self.word { zero } else { Wire::FALSE };
                let next = chain.get(at + 1).filter(|&&next| {
                    // A pair shares the flag, and there is room for it beside three wires only.
                    let flags = zero_here == zero && (zero == Wire::FALSE || next < self.word);
                    let room = zero == Wire::FALSE || clear(before).is_some();
                    flags && room && !is_free(select, middle, track[next])
                });
                match next {
                    Some(&next) if !is_free(select, before, middle) && fits_pair(b) => {
                        let upper = track[next];
                        [result[place], result[next]] =
                            pair(b, select, zero, [before, middle, upper]);
                        before = upper;
                        at += 2;
                    }
                    _ => {
                        result[place] = single(b, select, zero_here, before, middle);
                        before = middle;
                        at += 1;
                    }
                }
            }
        }
        result
    }

    /// Places in chains such that each is `step` above its predecessor.
    fn chains(&self, length: usize, step: usize) -> Vec<Vec<usize>> {
        match self.ends {
            Ends::Fill(_) => (0..step.min(length))
                .map(|first| (first..length).step_by(step).collect())
                .collect(),
            Ends::Joined => {
                let cycles = greatest_common_divisor(length, step);
                let walk = |first| (0..length / cycles).map(move |i| (first + i * step) % length);
                (0..cycles).map(|first| walk(first).collect()).collect()
            }
        }
    }
}

/// The value of a place that is clear. (A masked bit that is clear is FALSE.)
fn clear([first, second]: Bit) -> Option<bool> {
    match (first.as_constant(), second.as_constant()) {
        (Some(first), Some(second)) => Some(first || second),
        _ => None,
    }
}

/// A place as one wire: a lookup only if two wires may be 1.
fn whole(b: &mut Builder, [first, second]: Bit) -> Wire {
    b.or(first, second)
}

/// Whether a selection needs no gate.
fn is_free(select: Wire, then: Bit, otherwise: Bit) -> bool {
    select.as_constant().is_some()
        || then == otherwise
        || clear(then).is_some() && clear(otherwise).is_some()
}

fn fits_pair(b: &Builder) -> bool {
    capacity(b).is_some_and(|capacity| capacity >= 15)
}

/// `count` functions of up to four places, none of them clear: of the number whose bits they are.
fn of_places(b: &mut Builder, places: &[Bit], count: usize, f: impl Fn(u32) -> u32) -> Vec<Wire> {
    let max = (1u8 << places.len()) - 1;
    let weighted = |(at, bit): (usize, &Bit)| bit.map(|wire| (wire, 1i8 << at));
    let terms: Vec<(Wire, i8)> = places.iter().enumerate().flat_map(weighted).collect();
    let table = |output: usize| {
        (0..=max).fold(0u16, |table, value| {
            table | ((f(u32::from(value)) >> output & 1) as u16) << value
        })
    };
    let tables: Vec<u16> = (0..count).map(table).collect();
    b.lookup_within(&terms, 0, max, &tables)
}

/// Places p and p + k at once; `zero` only where the lowest wire is clear.
fn pair(b: &mut Builder, select: Wire, zero: Wire, [low, middle, high]: [Bit; 3]) -> [Wire; 2] {
    let mut read: Vec<Bit> = Vec::with_capacity(4);
    // Clear bits take no room, a place that comes twice (half-way rotations) takes it once; the
    // condition comes after the bits that may be noisier.
    let mut place = |bit: Bit| {
        if let Some(value) = clear(bit) {
            return Place::Clear(value);
        }
        let known = read.iter().position(|&other| other == bit);
        Place::Bit(known.unwrap_or_else(|| {
            read.push(bit);
            read.len() - 1
        }))
    };
    let condition = |wire: Wire| [wire, Wire::FALSE];
    let [low, middle, high, select, zero] =
        [low, middle, high, condition(select), condition(zero)].map(&mut place);
    let made = of_places(b, &read, 2, |places| {
        let at = |place: Place| match place {
            Place::Clear(value) => u32::from(value),
            Place::Bit(shift) => places >> shift & 1,
        };
        let moved = at(select) == 1;
        let (first, second) = if moved { (low, middle) } else { (middle, high) };
        if at(zero) == 1 {
            0
        } else {
            at(first) | at(second) << 1
        }
    });
    [made[0], made[1]]
}

/// Where a bit of a pair is found in the sum.
#[derive(Clone, Copy)]
enum Place {
    Clear(bool),
    Bit(usize),
}

fn single(b: &mut Builder, select: Wire, zero: Wire, then: Bit, otherwise: Bit) -> Wire {
    let free = is_free(select, then, otherwise);
    let nothing = [Wire::FALSE; 2];
    // Two wires that are summed need a lookup of the sum, and so does the flag.
    let summed = [then, otherwise].iter().any(|bit| bit[1] != Wire::FALSE);
    if fits_pair(b) && !free && (summed || zero != Wire::FALSE) {
        let selects_clear = clear(then).is_some();
        let [first, second] = match selects_clear {
            true => pair(b, select, zero, [then, otherwise, nothing]),
            false => pair(b, select, zero, [nothing, then, otherwise]),
        };
        return if selects_clear { first } else { second };
    }
    let (then, otherwise) = (whole(b, then), whole(b, otherwise));
    let selected = b.mux(select, then, otherwise);
    b.and(selected, !zero)
}

/// `2^exponent mod modulus`.
fn power_of_two_modulo(exponent: usize, modulus: usize) -> usize {
    (0..exponent).fold(1 % modulus, |power, _| power * 2 % modulus)
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}
