//! The barrel shifter: one stage for each bit of the amount, smallest step first, so that a word
//! with few secret bits stays narrow as long as possible.
//!
//! In the stage of step k, place p becomes `s ? p−k : p` and place p + k becomes `s ? p : p+k`. The
//! two read three wires and the same condition, sixteen states, so one lookup
//! `t = a + 2m + 4d + 8s` makes both: places are paired along the chains p, p + k, p + 2k, …
//! In the last stage a chain of a zero-filling shift has two places, the first of which shifts in
//! a zero, and a flag that clears the word takes its room.

use crate::library::weighted::{capacity, functions};
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

impl Barrel {
    /// Shifts by `Σ 2ⁱ·amountᵢ` places.
    pub(super) fn shift(&self, b: &mut Builder, track: Vec<Wire>, amount: &[Wire]) -> Vec<Wire> {
        let mut track = track;
        let mut cleared = self.zero == Wire::FALSE;
        for (at, &select) in amount.iter().enumerate() {
            let step = match self.ends {
                Ends::Joined => power_of_two_modulo(at, track.len()),
                // Any step beyond the end does the same.
                Ends::Fill(_) => 1usize.checked_shl(at as u32).unwrap_or(track.len()),
            };
            if step == 0 {
                continue;
            }
            let last = at + 1 == amount.len() && 2 * step >= self.word;
            let room = capacity(b).is_some_and(|capacity| capacity >= 15);
            let zero = if last && room { self.zero } else { Wire::FALSE };
            track = self.stage(b, &track, step, select, zero);
            cleared |= last && room;
        }
        if !cleared {
            for bit in &mut track[..self.word] {
                *bit = b.and(*bit, !self.zero);
            }
        }
        track
    }

    fn stage(
        &self,
        b: &mut Builder,
        track: &[Wire],
        step: usize,
        select: Wire,
        zero: Wire,
    ) -> Vec<Wire> {
        let mut result = track.to_vec();
        for chain in self.chains(track.len(), step) {
            let below = match (self.ends, chain.last()) {
                (Ends::Joined, Some(&last)) => track[last],
                (Ends::Fill(fill), _) => fill,
                (Ends::Joined, None) => Wire::FALSE,
            };
            let mut at = 0;
            let mut before = below;
            while let Some(&place) = chain.get(at) {
                let middle = track[place];
                let zero_here = if place < self.word { zero } else { Wire::FALSE };
                let next = chain.get(at + 1).filter(|&&next| {
                    // A pair shares the flag, and there is room for it beside three wires only.
                    let flags = zero_here == zero && (zero == Wire::FALSE || next < self.word);
                    let room = zero == Wire::FALSE || before.as_constant().is_some();
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

/// Whether a selection needs no gate.
fn is_free(select: Wire, then: Wire, otherwise: Wire) -> bool {
    let clear = |wire: Wire| wire.as_constant().is_some();
    clear(select)
        || then.signal() == otherwise.signal() && then == otherwise
        || clear(then) && clear(otherwise)
}

fn fits_pair(b: &Builder) -> bool {
    capacity(b).is_some_and(|capacity| capacity >= 15)
}

/// Places p and p + k at once; `zero` only where the lowest wire is clear.
fn pair(b: &mut Builder, select: Wire, zero: Wire, [low, middle, high]: [Wire; 3]) -> [Wire; 2] {
    let mut terms: Vec<(Wire, i8)> = Vec::with_capacity(4);
    // Clear bits take no room, a wire that comes twice (half-way rotations) takes it once; the
    // condition comes after the bits that may be noisier.
    let mut place = |wire: Wire| {
        if let Some(value) = wire.as_constant() {
            return Place::Clear(i32::from(value));
        }
        let known = terms.iter().position(|term| term.0 == wire);
        Place::Bit(known.unwrap_or_else(|| {
            terms.push((wire, 1 << terms.len()));
            terms.len() - 1
        }))
    };
    let [low, middle, high, select, zero] = [low, middle, high, select, zero].map(&mut place);
    let made = functions(b, &terms, 2, |t| {
        let at = |place: Place| match place {
            Place::Clear(value) => value,
            Place::Bit(shift) => t >> shift & 1,
        };
        let moved = at(select) == 1;
        let (first, second) = if moved { (low, middle) } else { (middle, high) };
        let bits = at(first) | at(second) << 1;
        if at(zero) == 1 { 0 } else { bits as u32 }
    });
    [made[0], made[1]]
}

/// Where a wire of a pair is found in the sum.
#[derive(Clone, Copy)]
enum Place {
    Clear(i32),
    Bit(usize),
}

fn single(b: &mut Builder, select: Wire, zero: Wire, then: Wire, otherwise: Wire) -> Wire {
    if zero != Wire::FALSE && fits_pair(b) && !is_free(select, then, otherwise) {
        let selects_clear = then.as_constant().is_some();
        let [first, second] = match selects_clear {
            true => pair(b, select, zero, [then, otherwise, Wire::FALSE]),
            false => pair(b, select, zero, [Wire::FALSE, then, otherwise]),
        };
        return if selects_clear { first } else { second };
    }
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
