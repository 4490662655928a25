//! A word whose bits are inverted or masked under a condition, three places a lookup.

use crate::library::weighted::{capacity, functions};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// Places of a lookup, beside the condition.
const PLACES: usize = 3;

/// The word, inverted where the condition holds.
pub(super) fn invert_if(b: &mut Builder, word: &[Wire], condition: Wire) -> Word {
    by_three(
        b,
        word,
        condition,
        |bits, holds, all| {
            if holds { !bits & all } else { bits }
        },
    )
}

/// The word where the condition holds, else zero.
pub(super) fn keep_if(b: &mut Builder, word: &[Wire], condition: Wire) -> Word {
    by_three(
        b,
        word,
        condition,
        |bits, holds, _| if holds { bits } else { 0 },
    )
}

fn by_three(
    b: &mut Builder,
    word: &[Wire],
    condition: Wire,
    f: impl Fn(u32, bool, u32) -> u32,
) -> Word {
    let places = match capacity(b) {
        Some(capacity) if capacity >= 15 => PLACES,
        _ => 1,
    };
    // Clear bits are no part of a lookup.
    let secret: Vec<usize> = (0..word.len())
        .filter(|&at| word[at].as_constant().is_none())
        .collect();
    let mut result = word.to_vec();
    for (at, bit) in word.iter().enumerate() {
        if let Some(value) = bit.as_constant() {
            let [without, with] = [false, true].map(|holds| f(value.into(), holds, 1) == 1);
            result[at] = b.mux(condition, Wire::constant(with), Wire::constant(without));
        }
    }
    for group in secret.chunks(places) {
        let count = group.len();
        let all = (1 << count) - 1;
        let mut terms: Vec<(Wire, i8)> = group
            .iter()
            .enumerate()
            .map(|(at, &place)| (word[place], 1 << at))
            .collect();
        terms.push((condition, 1 << count));
        let made = functions(b, &terms, count, |t| {
            let t = t as u32;
            f(t & all, t >> count & 1 == 1, all)
        });
        for (&place, wire) in group.iter().zip(made) {
            result[place] = wire;
        }
    }
    result
}

/// Both words, or in the other order where the condition holds: three places of one word and what
/// becomes of them are one lookup.
pub(super) fn exchange_if(b: &mut Builder, x: &[Wire], y: &[Wire], condition: Wire) -> [Word; 2] {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    if capacity(b).is_none_or(|capacity| capacity < 15) {
        let first = (x.iter().zip(y))
            .map(|(&x, &y)| b.mux(condition, y, x))
            .collect();
        let second = (x.iter().zip(y))
            .map(|(&x, &y)| b.mux(condition, x, y))
            .collect();
        return [first, second];
    }
    let mut split = |word: &[Wire]| -> [Word; 2] {
        [keep_if(b, word, !condition), keep_if(b, word, condition)]
    };
    let ([x_stays, x_goes], [y_stays, y_goes]) = (split(x), split(y));
    let first = (x_stays.iter().zip(&y_goes)).map(|(&x, &y)| b.disjoint(&[x, y]));
    let first = first.collect();
    let second = (y_stays.iter().zip(&x_goes)).map(|(&y, &x)| b.disjoint(&[y, x]));
    let second = second.collect();
    [first, second]
}
