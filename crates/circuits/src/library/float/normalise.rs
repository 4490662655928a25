//! Bringing the leading one to the top, two bits of the distance at once.
//!
//! Which of four groups of places is the first that is not zero is told by the three upper groups,
//! and these are read as they come from the stage before. So no count is made first.
//!
//! Where an exponent says how far at most, it stands among the places as a one of its own, which
//! only the count sees: the group in which it is counts as not zero, and in the next stage it stands
//! where the exponent's next two bits say, if this group was the first. So no minimum is taken.

use super::align::Stages;
use crate::library::shift::{Shift, shift};
use crate::library::weighted::{capacity, functions};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// The word with its leading one in the highest place, and how many zeros were above it. Of a word
/// of zeros the count is any.
pub(super) fn normalise(b: &mut Builder, word: &[Wire]) -> (Word, Word) {
    normalise_unlike(b, word, Wire::FALSE)
}

/// The same of the highest bit that is not as `sign` is. Of a word without one the lowest bit comes
/// to the top.
pub(super) fn normalise_unlike(b: &mut Builder, word: &[Wire], sign: Wire) -> (Word, Word) {
    let mut places = word.to_vec();
    let mut at = word.len().next_power_of_two().ilog2() as usize;
    let mut distance = Word::new();
    while at > 0 {
        let count = at.min(2);
        at -= count;
        let step = 1usize << at;
        let mut group = |number: usize| {
            let end = places.len().saturating_sub(number * step);
            some_unlike(b, &places[end.saturating_sub(step)..end], sign)
        };
        let select = match count {
            1 => vec![!group(0)],
            _ => {
                let groups = [(group(0), 1), (group(1), 2), (group(2), 4)];
                functions(b, &groups, 2, |t| (t as u32 | 8).trailing_zeros())
            }
        };
        let mut by = vec![Wire::FALSE; at];
        by.extend_from_slice(&select);
        places = shift(b, Shift::Left, &places, &by, Wire::FALSE).0;
        distance.splice(0..0, select);
    }
    (places, distance)
}

/// A word at its place.
pub(super) struct Settled {
    /// The highest place holds the leading one, unless the limit was less.
    pub(super) places: Word,
    /// Whether a one was lost below them.
    pub(super) lost: Wire,
    /// How far up it went.
    pub(super) by: Word,
}

/// The most bits of which one lookup tells whether all are as another bit is.
const ALIKE: usize = 14;

/// Whether a bit is not as `sign` is: in `t = Σ bits + (15 − n)·sign` all are alike at the ends.
fn some_unlike(b: &mut Builder, bits: &[Wire], sign: Wire) -> Wire {
    if sign.as_constant() == Some(false) {
        return b.any(bits);
    }
    if capacity(b).is_none_or(|capacity| capacity < 15) {
        let unlike: Word = bits.iter().map(|&bit| b.xor(bit, sign)).collect();
        return b.any(&unlike);
    }
    let mut some = Word::new();
    for group in bits.chunks(ALIKE) {
        let mut terms: Vec<(Wire, i8)> = group.iter().map(|&bit| (bit, 1)).collect();
        terms.push((sign, 15 - group.len() as i8));
        some.extend(functions(b, &terms, 1, |t| u32::from(t != 0 && t != 15)));
    }
    b.any(&some)
}

/// Where a word goes of which nothing is to be seen; it counts as not moved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Out {
    /// Up, by all that is possible.
    Above,
    /// Nowhere: where it stands it is below all that is kept.
    Below,
}

/// Moves a word, which has `2^bits − 1` places more than are kept, up by as many as zeros lead, but
/// by no more than `limit`; out of sight where the condition of `blank` holds.
pub(super) fn settle(
    b: &mut Builder,
    word: &[Wire],
    bits: usize,
    limit: &[Wire],
    (blank, out): (Wire, Out),
) -> Settled {
    let width = word.len() + 1 - (1 << bits);
    let mut limit = limit.to_vec();
    limit.resize(limit.len().max(bits), Wire::FALSE);
    let mut stages = Stages::of(word, width);
    // Whether the limit's one is among the places that are left: both hold.
    let mut stands = [!b.any(&limit[bits..]), Wire::TRUE];
    let mut by = Word::new();
    let mut at = bits;
    while at > 0 {
        let count = at.min(2);
        at -= count;
        let (step, ways) = (1usize << at, 1usize << count);
        let ends = &limit[at..at + count];
        let (marks, still) = marks(b, ends, stands);
        let mut groups: Vec<(Wire, i8)> = Vec::new();
        for (number, &mark) in marks.iter().enumerate() {
            let places = stages.places();
            let from = (width - 1 + (ways - 1 - number) * step).min(places.len());
            let mut group = places[from..(from + step).min(places.len())].to_vec();
            group.push(mark);
            groups.push((b.any(&group), 1 << number));
        }
        groups.push((blank, 1 << (ways - 1)));
        let mut digit = functions(b, &groups, 2 * count, |t| {
            let last = ways as u32 - 1;
            match (t as u32 >> last, out) {
                (0, _) => (t as u32 | 1 << last).trailing_zeros() * (ways as u32 + 1),
                (_, Out::Above) => last << count,
                (_, Out::Below) => 0,
            }
        });
        let moved = digit.split_off(count);
        let terms: Vec<(Wire, i8)> = (digit.iter().chain(ends).enumerate())
            .map(|(at, &bit)| (bit, 1 << at))
            .collect();
        let same = functions(b, &terms, 1, |t| {
            u32::from(t as u32 % ways as u32 == t as u32 / ways as u32)
        });
        stands = [same[0], still];
        let down: Word = moved.iter().map(|&bit| !bit).collect();
        stages.move_by(b, &down, at, [Wire::FALSE; 2]);
        by.splice(0..0, digit);
    }
    let (places, lost) = stages.finish(b);
    Settled { places, lost, by }
}

/// Where the limit's one stands, by the bits of the limit, among all groups but the last; and
/// whether it stands at all.
fn marks(b: &mut Builder, ends: &[Wire], stands: [Wire; 2]) -> (Vec<Wire>, Wire) {
    let count = ends.len();
    let ways = 1usize << count;
    let terms: Vec<(Wire, i8)> = (ends.iter().chain(&stands).enumerate())
        .map(|(at, &bit)| (bit, 1 << at))
        .collect();
    let mut made = functions(b, &terms, ways, |t| {
        let (end, stands) = (t as usize % ways, t as usize / ways == 3);
        let last = 1u32 << (ways - 1);
        if stands { (1 << end) & !last | last } else { 0 }
    });
    let still = made.pop().unwrap_or(Wire::FALSE);
    (made, still)
}
