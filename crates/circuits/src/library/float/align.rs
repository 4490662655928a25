//! A shift to the right that tells whether a one was lost.
//!
//! Two bits of the amount at once, the larger ones first, as the barrel shifter has them. What a
//! stage of steps s, 2s and 3s loses lies in the lowest three groups of s places: the number of the
//! lowest group that is not zero, two bits, is compared with the two bits of the amount in a lookup.

use crate::library::shift::{Shift, shift};
use crate::library::weighted::functions;
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
    let mut places = word.to_vec();
    let mut lost = Vec::new();
    let everything = b.or(amount.beyond, amount.blank);
    let mut at = amount.bits.len();
    while at > 0 {
        let count = at.min(2);
        let is_first = at == amount.bits.len();
        at -= count;
        let select = &amount.bits[at..at + count];
        let step = 1usize << at;
        lost.push(loss(b, &places, step, select));
        let mut by = vec![Wire::FALSE; at];
        by.extend_from_slice(select);
        if is_first {
            let all = b.any(&places);
            lost.push(b.and(all, amount.beyond));
            // A bit of the amount that alone moves everything out.
            let top = places.len().next_power_of_two().ilog2() as usize + 1;
            by.resize(top.max(by.len()), Wire::FALSE);
            by.push(everything);
        }
        places = shift(b, Shift::LogicalRight, &places, &by, Wire::FALSE).0;
        places.truncate(width + step - 1);
    }
    if amount.bits.is_empty() {
        let all = b.any(&places);
        lost.push(b.and(all, amount.beyond));
        places = super::flip::keep_if(b, &places, !everything);
    }
    places.truncate(width);
    places.resize(width, Wire::FALSE);
    let lost = b.any(&lost);
    (places, b.andyn(lost, amount.blank))
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
