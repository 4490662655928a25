//! Exponents: short words in two's complement.

use crate::library::columns::Columns;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// `Σ plus − Σ minus + clear` modulo 2^`width`; the words count as unsigned.
pub(super) fn sum(
    b: &mut Builder,
    width: usize,
    plus: &[&[Wire]],
    minus: &[&[Wire]],
    clear: i64,
) -> Word {
    let mut columns = Columns::new(width);
    for word in plus {
        columns.push_word(0, word);
    }
    for word in minus {
        columns.push_word_negative(0, word);
    }
    columns.push_clear(0, clear);
    columns.sum(b)
}

/// Bits of two's complement that hold both numbers.
pub(super) fn width(least: i64, greatest: i64) -> usize {
    let bits = |value: i64| {
        let magnitude = if value < 0 { !value } else { value };
        65 - magnitude.leading_zeros() as usize
    };
    bits(least).max(bits(greatest))
}

/// Whether a number in two's complement is `limit` at least, where `limit > 0`.
pub(super) fn is_at_least(b: &mut Builder, word: &[Wire], limit: i64) -> Wire {
    let Some((&sign, magnitude)) = word.split_last() else {
        return Wire::FALSE;
    };
    if limit >> magnitude.len() != 0 {
        return Wire::FALSE;
    }
    // From the lowest bit up: where the limit has a 1 the number needs one too.
    let mut reaches = Wire::TRUE;
    let mut at = 0;
    while at < magnitude.len() {
        let bit = limit >> at & 1 == 1;
        let run: Vec<Wire> = (at..magnitude.len())
            .take_while(|&next| (limit >> next & 1 == 1) == bit)
            .map(|next| magnitude[next])
            .collect();
        at += run.len();
        let mut all = run;
        all.push(reaches);
        reaches = if bit { b.all(&all) } else { b.any(&all) };
    }
    b.andyn(reaches, sign)
}
