//! A shift to the right that tells whether a one was lost.
//!
//! Two bits of the amount at once, the larger ones first, as the barrel shifter has them. With
//! lookups the places below the word are places like others: what moves there is one more function
//! of the lookups that move the rest, and any one of all stages is asked for at the end. Too large
//! an amount has all its bits set.
//!
//! With gates each stage looks at what it loses: it lies in the lowest three groups of as many
//! places as the stage's least step, and the number of the lowest group that is not zero is
//! compared with the two bits of the amount.

use crate::library::shift::{Shift, shift};
use crate::library::weighted::{capacity, functions};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// How far.
pub(super) struct Amount<'a> {
    /// The amount's bits.
    pub(super) bits: &'a [Wire],
    /// Farther than those say: all places are lost.
    pub(super) beyond: Wire,
    /// Everything becomes zero, and counts for nothing.
    pub(super) blank: Wire,
}

/// The word shifted, of it the lowest `width` places, and whether a one was lost at the low end.
/// What stands above those `width` places after the shift must be zero.
pub(super) fn shift_right(
    b: &mut Builder,
    word: &[Wire],
    width: usize,
    amount: &Amount<'_>,
) -> (Word, Wire) {
    let reach = (1usize << amount.bits.len()) - 1;
    let mut stages = Stages::of(word, width);
    let everything = b.or(amount.beyond, amount.blank);
    // All bits set move everything out, if they are enough.
    let saturates = Stages::keeps_what_is_lost(b) && reach >= word.len() && reach > 0;
    let bits = match saturates {
        true => saturated(b, amount.bits, everything),
        false => amount.bits.to_vec(),
    };
    let mut at = bits.len();
    while at > 0 {
        let count = at.min(2);
        let is_first = at == bits.len();
        at -= count;
        let out = match is_first && !saturates {
            true => [everything, amount.beyond],
            false => [Wire::FALSE; 2],
        };
        stages.move_by(b, &bits[at..at + count], at, out);
    }
    if bits.is_empty() {
        stages.move_by(b, &[], 0, [everything, amount.beyond]);
    }
    let (places, lost) = stages.finish(b);
    (places, b.andyn(lost, amount.blank))
}

/// All bits set where `everything`.
fn saturated(b: &mut Builder, bits: &[Wire], everything: Wire) -> Word {
    let mut saturated = Word::new();
    // The pairs that are stages.
    for pair in bits.rchunks(2).rev() {
        let mut terms: Vec<(Wire, i8)> = (pair.iter().enumerate())
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        let full = 1 << pair.len();
        terms.push((everything, full));
        saturated.extend(functions(b, &terms, pair.len(), |t| {
            t.min(i32::from(full) - 1) as u32
        }));
    }
    saturated
}

/// Places on their way down.
pub(super) struct Stages {
    places: Word,
    width: usize,
    lost: Vec<Wire>,
}

impl Stages {
    /// A word of which the lowest `width` places will be kept.
    pub(super) fn of(word: &[Wire], width: usize) -> Self {
        Self {
            places: word.to_vec(),
            width,
            lost: Vec::new(),
        }
    }

    pub(super) fn places(&self) -> &[Wire] {
        &self.places
    }

    /// Whether what is lost costs next to nothing.
    fn keeps_what_is_lost(b: &Builder) -> bool {
        capacity(b).is_some_and(|capacity| capacity >= 15)
    }

    /// One or two bits of the amount, the lower one of step `2^at`; all places go where the first
    /// of `out` holds, and count as lost where the second does.
    pub(super) fn move_by(
        &mut self,
        b: &mut Builder,
        select: &[Wire],
        at: usize,
        [everything, counts]: [Wire; 2],
    ) {
        let step = 1usize << at;
        if counts != Wire::FALSE {
            let all = b.any(&self.places);
            self.lost.push(b.and(all, counts));
        }
        if select.is_empty() {
            self.places = super::flip::keep_if(b, &self.places, !everything);
            return;
        }
        let below = match Self::keeps_what_is_lost(b) && everything == Wire::FALSE {
            true => step * ((1 << select.len()) - 1),
            false => {
                self.lost.push(loss(b, &self.places, step, select));
                0
            }
        };
        let mut word = vec![Wire::FALSE; below];
        word.extend_from_slice(&self.places);
        let mut by = vec![Wire::FALSE; at];
        by.extend_from_slice(select);
        if everything != Wire::FALSE {
            // A bit of the amount that alone moves everything out.
            let top = word.len().next_power_of_two().ilog2() as usize + 1;
            by.resize(top.max(by.len()), Wire::FALSE);
            by.push(everything);
        }
        let moved = shift(b, Shift::LogicalRight, &word, &by, Wire::FALSE).0;
        let (lost, kept) = moved.split_at(below);
        for &bit in lost {
            match b.summands(bit.signal()) {
                Some(terms) if !bit.is_inverted() => {
                    self.lost.extend(terms.iter().map(|term| term.wire));
                }
                _ => self.lost.push(bit),
            }
        }
        self.places = kept.to_vec();
        self.places.truncate(self.width + step - 1);
    }

    /// The places that are kept, and whether a one was lost.
    pub(super) fn finish(mut self, b: &mut Builder) -> (Word, Wire) {
        self.places.truncate(self.width);
        self.places.resize(self.width, Wire::FALSE);
        (self.places, b.any(&self.lost))
    }
}

/// Whether a stage loses a one: `select` says how many steps it moves the places down.
fn loss(b: &mut Builder, places: &[Wire], step: usize, select: &[Wire]) -> Wire {
    let group = |number: usize| {
        let from = (number * step).min(places.len());
        &places[from..(from + step).min(places.len())]
    };
    let first = b.any(group(0));
    let &[low, high] = select else {
        return b.and(first, select[0]);
    };
    let (second, third) = (b.any(group(1)), b.any(group(2)));
    let groups = [(first, 1), (second, 2), (third, 4)];
    let lowest = functions(b, &groups, 2, |t| (t as u32 | 8).trailing_zeros());
    let terms = [(low, 1), (high, 2), (lowest[0], 4), (lowest[1], 8)];
    functions(b, &terms, 1, |t| u32::from(t & 3 > t >> 2))[0]
}
