//! Non-restoring division whose remainder grows with the digits read.
//!
//! From the top bit of x on, the partial remainder is doubled, takes in the next bit, and the
//! divisor is subtracted if it was not negative, added if it was: one addition a step, and the
//! quotient's bit is whether the result is not negative. A divisor with its sign to be chosen is an
//! XOR, three bits and the sign in one lookup.
//!
//! **Growing width.** After k steps the bits read are a number c below 2ᵏ, and only the k lowest
//! bits of the divisor, `D' = y mod 2ᵏ`, take part. What is kept is `c − D'` as k bits and a sign,
//! exactly. If y has higher bits, `c < y` whatever that sign says: a flag makes the remainder
//! negative for the next step's choice, not in its value. Adding D' back in the next step, one bit
//! wider, then needs the new top bit of y to count negatively, since `2·(c − y mod 2ᵏ)` lacks twice
//! that bit: the addend is a two's complement number like the rest. Steps after the divisor's last
//! bit keep as many bits as it has, and the sign.
//!
//! A zero divisor is larger than everything, so it only adds to the flag.
//!
//! Per step of width k: ⌈k/3⌉ lookups for the XOR, ⌈(k − 1)/3⌉ for the sum of all but the top
//! column, and one that gives the top column's sum bit, the sign, the next choice and the
//! quotient's bit from six values and the flag. 408 for 32 bits, and 22 for the last correction if
//! somebody reads the remainder. Where the target has selectors a wide XOR is a choice between the divisor
//! and its complement by the sign: 255 rotations for 407, 24 of which make selectors. One division takes as
//! long so, since it waits for each; several at a time take a fifth less. With gates k + 2 ANDs. Source: any text on computer arithmetic,
//! for fixed widths; restoring division would need ⌈k/3⌉ lookups or k ANDs more in each step.

use super::divided::Divided;
use crate::library::add::{add, add_with_carry, full_adder};
use crate::library::select::select;
use crate::library::weighted::{capacity, functions};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// What three bits and a condition need.
const SIGNED_RANGE: u32 = 15;
/// Columns of a slice.
const COLUMNS: usize = 3;

/// The number of bits up to the highest that is not a clear 0.
fn significant(word: &[Wire]) -> usize {
    word.len()
        - word
            .iter()
            .rev()
            .take_while(|&&bit| bit == Wire::FALSE)
            .count()
}

/// `x − (y mod 2ᵏ)` for the x of the bits read so far.
struct Rest {
    low: Word,
    /// The sign of that difference: weight −2ᵏ.
    borrow: Wire,
    /// Whether all of y was too much.
    negative: Wire,
}

pub(super) fn divide(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Divided {
    let n = x.len();
    let divisor = &y[..significant(y)];
    let zero = !b.any(divisor);
    let above = higher_bits(b, divisor, zero);
    let bits_of_divisor = |width: usize| -> Word {
        let mut bits = divisor[..width.min(divisor.len())].to_vec();
        bits.resize(width, Wire::FALSE);
        bits
    };
    let mut quotient = vec![Wire::FALSE; n];
    // Nothing was read, and every divisor is more than that.
    let mut rest = Rest {
        low: Word::new(),
        borrow: Wire::FALSE,
        negative: Wire::TRUE,
    };
    let width = significant(x);
    for (step, &bit) in x[..width].iter().rev().enumerate() {
        let width_now = step + 1;
        let mut doubled = vec![bit];
        doubled.append(&mut rest.low);
        let addend = flip_unless(b, rest.negative, &bits_of_divisor(width_now));
        let grows = width_now < divisor.len();
        let too_much = if grows { above[step] } else { zero };
        let signs = Signs {
            borrow: rest.borrow,
            carry: !rest.negative,
            too_much,
            grows,
        };
        let (low, made) = signs.step(b, &doubled, &addend);
        quotient[width - width_now] = made.fits;
        rest = Rest {
            low,
            borrow: made.borrow,
            negative: made.negative,
        };
        // The value lies between −y and y: what is above the divisor's bits is the sign.
        for bit in rest.low.iter_mut().skip(divisor.len()) {
            *bit = rest.borrow;
        }
    }
    let back = mask(b, rest.negative, &bits_of_divisor(width));
    let mut remainder = add(b, &rest.low, &back);
    remainder.resize(n, Wire::FALSE);
    if divisor.len() < width {
        // The remainder by 0 does not fit the divisor's bits.
        remainder = select(b, zero, x, &remainder);
    }
    Divided {
        quotient,
        remainder,
    }
}

/// For each k: whether the divisor has bits above bit k, or is 0.
fn higher_bits(b: &mut Builder, y: &[Wire], zero: Wire) -> Vec<Wire> {
    let mut above = vec![zero; y.len()];
    let mut seen = zero;
    if capacity(b).is_none_or(|capacity| capacity < SIGNED_RANGE) {
        for (at, &bit) in y.iter().enumerate().skip(1).rev() {
            seen = b.or(seen, bit);
            above[at - 1] = seen;
        }
        return above;
    }
    let Some((_, upper)) = y.split_first() else {
        return above;
    };
    let mut end = upper.len();
    for bits in upper.rchunks(COLUMNS) {
        let width = bits.len();
        // Output j: any bit from j on.
        let flags = functions(b, &with_sign(bits, seen), width, |t| {
            (0..width).fold(0, |flags, at| flags | u32::from(t >> at != 0) << at)
        });
        end -= width;
        above[end..end + width].copy_from_slice(&flags);
        seen = flags[0];
    }
    above
}

/// A number and one more bit above it.
fn with_sign(bits: &[Wire], sign: Wire) -> Vec<(Wire, i8)> {
    bits.iter()
        .chain([&sign])
        .enumerate()
        .map(|(at, &wire)| (wire, 1 << at))
        .collect()
}

/// A function of each bit of `y` and a condition: lookups of three bits of `y` where they are
/// native, gates where they are not.
fn with_condition(
    b: &mut Builder,
    condition: Wire,
    y: &[Wire],
    gate: impl Fn(&mut Builder, Wire, Wire) -> Wire,
    if_set: impl Fn(u32) -> u32,
    if_clear: impl Fn(u32) -> u32,
) -> Word {
    let is_clear = |wire: Wire| wire.as_constant().is_some();
    let native = capacity(b).is_some_and(|capacity| capacity >= SIGNED_RANGE);
    if !native || is_clear(condition) {
        return y.iter().map(|&y| gate(b, condition, y)).collect();
    }
    let mut result: Word = y.to_vec();
    let (clear, secret): (Vec<usize>, Vec<usize>) = (0..y.len()).partition(|&at| is_clear(y[at]));
    for at in clear {
        result[at] = gate(b, condition, y[at]);
    }
    for places in secret.chunks(COLUMNS) {
        let bits: Word = places.iter().map(|&at| y[at]).collect();
        let width = bits.len();
        let made = functions(b, &with_sign(&bits, condition), width, |t| {
            let bits = t as u32 & ((1 << width) - 1);
            if t >> width == 1 {
                if_set(bits)
            } else {
                if_clear(bits)
            }
        });
        for (&at, made) in places.iter().zip(made) {
            result[at] = made;
        }
    }
    result
}

/// Whether a selector of the condition and a choice for each bit of `y` are cheaper than lookups of three.
fn is_chosen(b: &Builder, condition: Wire, y: &[Wire]) -> bool {
    let is_secret = |bit: &&Wire| bit.as_constant().is_none();
    let secret = y.iter().filter(is_secret).count();
    let lookups = secret.div_ceil(COLUMNS) as f64 * b.profile().cost.lookup;
    let selectors = b.profile().selectors;
    let by_selector = selectors.map(|it| it.rotation + secret as f64 * it.choice);
    is_secret(&&condition) && by_selector.is_some_and(|price| price < lookups)
}

/// `y` where the condition is 1, `¬y` where it is 0.
fn flip_unless(b: &mut Builder, condition: Wire, y: &[Wire]) -> Word {
    if is_chosen(b, condition, y) {
        return y.iter().map(|&y| b.choose(condition, y, !y)).collect();
    }
    with_condition(b, condition, y, Builder::xnor, |bits| bits, |bits| !bits)
}

/// `y` where the condition is 1, 0 where it is 0.
fn mask(b: &mut Builder, condition: Wire, y: &[Wire]) -> Word {
    if is_chosen(b, condition, y) {
        return y
            .iter()
            .map(|&y| b.choose(condition, y, Wire::FALSE))
            .collect();
    }
    with_condition(b, condition, y, Builder::and, |bits| bits, |_| 0)
}

/// All of a step that is not in its words.
struct Signs {
    /// The rest's sign.
    borrow: Wire,
    /// The carry in: 1 for a subtraction.
    carry: Wire,
    /// The divisor is larger than any number of this width.
    too_much: Wire,
    /// Because it has more bits, not only because it is 0.
    grows: bool,
}

/// The signs after a step, and the quotient's bit.
struct Made {
    borrow: Wire,
    negative: Wire,
    fits: Wire,
}

impl Signs {
    /// Adds two's complement numbers: `x` with the borrow above its top bit, `y` with its top bit
    /// as the sign. The sum has the width of both and a sign.
    fn step(&self, b: &mut Builder, x: &[Wire], y: &[Wire]) -> (Word, Made) {
        if capacity(b).is_none_or(|capacity| capacity < SIGNED_RANGE) {
            let added = add_with_carry(b, x, y, self.carry);
            let sign = y.last().copied().unwrap_or(Wire::FALSE);
            // carry − sign − borrow is negative if at least two of ¬carry, sign, borrow are set.
            let (_, borrow) = full_adder(b, sign, self.borrow, !added.carry);
            let fits = b.nor(borrow, self.too_much);
            let negative = if self.grows { !fits } else { borrow };
            return (
                added.sum,
                Made {
                    borrow,
                    negative,
                    fits,
                },
            );
        }
        let below = x.len().saturating_sub(1);
        let lower = add_with_carry(b, &x[..below], &y[..below], self.carry);
        let flag = 6;
        let terms = [
            (lower.carry, 1),
            (x[below], 1),
            // 1 in its column and −2 as a sign.
            (y[below], -1),
            (self.borrow, -2),
            (self.too_much, flag),
        ];
        // Without the flag the sum lies between −3 and 2.
        let made = functions(b, &terms, 4, |t| {
            let too_much = t > 2;
            let value = if too_much { t - i32::from(flag) } else { t };
            let borrow = value < 0;
            let negative = borrow || too_much && self.grows;
            let fits = !borrow && !too_much;
            let bits = [value & 1 == 1, borrow, negative, fits];
            bits.iter()
                .rev()
                .fold(0, |bits, &bit| bits << 1 | u32::from(bit))
        });
        let mut sum = lower.sum;
        sum.push(made[0]);
        (
            sum,
            Made {
                borrow: made[1],
                negative: made[2],
                fits: made[3],
            },
        )
    }
}
