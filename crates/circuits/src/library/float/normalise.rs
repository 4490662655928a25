//! Bringing the leading one to the top, two bits of the distance at once.
//!
//! Which of four groups of places is the first that is not zero is told by the three upper groups,
//! and these are read as they come from the stage before. So no count is made first.

use crate::library::shift::{Shift, shift};
use crate::library::weighted::functions;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// The word with its leading one in the highest place, and how many zeros were above it. Of a word
/// of zeros the count is any.
pub(super) fn normalise(b: &mut Builder, word: &[Wire]) -> (Word, Word) {
    let mut places = word.to_vec();
    let mut at = word.len().next_power_of_two().ilog2() as usize;
    let mut distance = Word::new();
    while at > 0 {
        let count = at.min(2);
        at -= count;
        let step = 1usize << at;
        let mut group = |number: usize| {
            let end = places.len().saturating_sub(number * step);
            b.any(&places[end.saturating_sub(step)..end])
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
