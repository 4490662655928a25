//! Division by small clear numbers: short division, digit by digit, in lookups.
//!
//! Going down from the top bit the remainder takes in the next digit, and one lookup of
//! `2ᵏ·remainder + digit`, which is below `2ᵏ·d`, gives the quotient's digit and the next remainder.
//! With sums up to 15 that is two bits a lookup for d = 3, and one for 5 and 7; what has such factors
//! and powers of two is divided by one after the other.
//!
//! **Remainders** are written as d − 1 wires that are added up, the first r of which are 1 where it
//! is r. A lookup has as many outputs as one likes, and with weights of 1 and 2 each the next sum
//! is quiet, where bits of weights 2, 4 and 8 would be too noisy.
//!
//! **Residues.** `2ⁱ mod d` is small in size where it may be negative (1, 2, −1, −2 for 5), so that
//! one lookup takes the residue of ten bits, and four that of 32. A remainder that is read by
//! itself costs no more than that. They also cut the way from top to bottom: quotients begin every
//! few digits, with the residue of what stands above.

use super::divided::Divided;
use super::reciprocal;
use crate::library::add::add_with_carry;
use crate::library::choice::Question;
use crate::library::columns::Columns;
use crate::library::multiply::by_constant::copies;
use crate::library::weighted::{capacity, functions};
use crate::library::word::{Signedness, Word, constant};
use crate::{Builder, Wire};

/// The largest sum of a lookup.
const RANGE: i8 = 15;
/// Bits of the largest sum.
const RANGE_BITS: usize = 4;
/// Digits left for which the remainder is worth a lookup that does not wait for it.
const FEWEST: usize = 4;
/// Lookups for each bit from which on a reciprocal is always cheaper.
const DEAREST: usize = 2;

/// A divisor `2^power · Π factors` that is no power of two.
pub(super) struct Factored {
    power: usize,
    /// 3, 5 or 7 each.
    factors: Vec<i8>,
}

impl Factored {
    fn new(divisor: u128) -> Option<Self> {
        let power = divisor.trailing_zeros() as usize;
        let mut rest = divisor.checked_shr(power as u32).filter(|&odd| odd > 1)?;
        let mut factors = Vec::new();
        // The least first: its quotient takes the fewest lookups, and the others' remainders wait for it.
        for factor in [3, 5, 7] {
            while rest % factor == 0 {
                rest /= factor;
                factors.push(factor as i8);
            }
        }
        (rest == 1).then_some(Self { power, factors })
    }

    /// Whether a quotient of so many bits takes at most three lookups for two of them.
    pub(super) fn is_cheap(&self, width: usize) -> bool {
        let high = width.saturating_sub(self.power);
        2 * self.lookups(high) <= 3 * high
    }

    /// The product of the odd factors.
    fn odd(&self) -> u128 {
        self.factors.iter().map(|&factor| factor as u128).product()
    }

    /// About how many lookups a quotient of so many bits takes.
    fn lookups(&self, width: usize) -> usize {
        let lengths = self.factors.iter().scan(width, |width, &factor| {
            let now = *width;
            *width -= (factor.ilog2() as usize).min(now);
            Some(now.div_ceil(digit_of(factor)))
        });
        lengths.sum()
    }
}

/// Bits of a digit.
fn digit_of(factor: i8) -> usize {
    (RANGE / factor).ilog2() as usize
}

/// A divisor's factors, if dividing words of so many bits by one after the other takes the least
/// time.
pub(super) fn suits(b: &mut Builder, width: usize, divisor: u128) -> Option<Factored> {
    capacity(b).filter(|&capacity| capacity >= RANGE as u32)?;
    let factored = Factored::new(divisor)?;
    let high = width.saturating_sub(factored.power);
    let lookups = factored.lookups(high);
    if lookups <= high || width > reciprocal::WIDEST {
        return Some(factored);
    }
    if lookups > DEAREST * high {
        return None;
    }
    let question = Question {
        family: "quotient by factors",
        width,
        words: usize::try_from(divisor).ok()?,
        candidates: &[true, false],
        formula: &|_| None,
        draw: &|b, by_factors| {
            let x = b.inputs(width);
            match by_factors {
                true => divide(b, &x, &factored).quotient,
                false => reciprocal::divide(b, &x, divisor).quotient,
            }
        },
    };
    question.answer(b).then_some(factored)
}

/// `x / divisor` and what remains, of unsigned words.
pub(super) fn divide(b: &mut Builder, x: &[Wire], divisor: &Factored) -> Divided {
    floor(b, Signedness::Unsigned, x, divisor)
}

/// The same of signed words: rounded towards zero, the remainder with the sign of x. Where that is
/// negative and something remains, the quotient is one more than what is rounded down.
pub(super) fn divide_signed(b: &mut Builder, x: &[Wire], divisor: &Factored) -> Divided {
    let n = x.len();
    let Divided {
        quotient,
        remainder,
    } = floor(b, Signedness::Signed, x, divisor);
    let Some(&sign) = x.last().filter(|&&sign| sign != Wire::FALSE) else {
        return Divided {
            quotient,
            remainder,
        };
    };
    let divisor = divisor.odd() << divisor.power;
    let width = divisor.ilog2() as usize + 1;
    let remains = b.any(&remainder[..width.min(n)]);
    let rounded = b.and(sign, remains);
    let quotient = add_with_carry(b, &quotient, &constant(0, n), rounded).sum;
    // Between −d and d: one bit more, the sign.
    let mut rest = Columns::new(width + 1);
    rest.push_word(0, &remainder[..width.min(n)]);
    for bit in (0..width).filter(|bit| divisor >> bit & 1 == 1) {
        rest.push_negative(bit, rounded);
    }
    let mut remainder = rest.sum(b);
    remainder.resize(n.max(width + 1), remainder[width]);
    remainder.truncate(n);
    Divided {
        quotient,
        remainder,
    }
}

/// The quotient rounded down, and a remainder that is not negative.
fn floor(b: &mut Builder, signedness: Signedness, x: &[Wire], divisor: &Factored) -> Divided {
    let n = x.len();
    // What repeats the highest bit says nothing more.
    let top = match signedness {
        Signedness::Signed => x.last().copied().unwrap_or(Wire::FALSE),
        Signedness::Unsigned => Wire::FALSE,
    };
    let same = x.iter().rev().take_while(|&&bit| bit == top);
    let significant = &x[..n - same.count()];
    let low = &x[..divisor.power.min(n)];
    let mut quotient = significant
        .get(divisor.power..)
        .unwrap_or_default()
        .to_vec();
    let sign = Some(top).filter(|&top| top != Wire::FALSE);
    // x = low + 2ᵖ·(r₁ + d₁·(r₂ + d₂·(… + q))).
    let width = (divisor.odd().ilog2() as usize + 1 + divisor.power).min(n);
    let mut rest = Columns::new(width);
    rest.push_word(0, low);
    let mut weight = 1u128 << divisor.power;
    for &factor in &divisor.factors {
        let remainder = remainder_bits(b, &quotient, sign, factor);
        copies(
            &mut rest,
            Signedness::Unsigned,
            &remainder,
            weight,
            n,
            false,
        );
        quotient = quotient_by(b, &quotient, sign, factor);
        weight *= factor as u128;
    }
    quotient.resize(n, sign.unwrap_or(Wire::FALSE));
    // Nothing is added where there is one odd factor.
    let mut remainder = rest.sum(b);
    remainder.resize(n, Wire::FALSE);
    Divided {
        quotient,
        remainder,
    }
}

/// `⌊x/d⌋` for d of 3, 5 or 7 without its sign, which is that of x.
fn quotient_by(b: &mut Builder, x: &[Wire], sign: Option<Wire>, d: i8) -> Word {
    let digit = digit_of(d);
    let weighted = residues(x, None, d);
    let mut quotient = vec![Wire::FALSE; x.len()];
    // −1 is −1 times d and d − 1.
    let mut remainder: Vec<Wire> = sign.map_or_else(Vec::new, |sign| vec![sign; d as usize - 1]);
    // Terms of the residue of what was read, with the zeros behind it.
    let mut above = residues(x, sign, d).split_off(x.len());
    let mut at = x.len();
    while at > 0 {
        // The first digit is all that a lookup takes, and what is left are whole ones.
        let most = if remainder.is_empty() {
            RANGE_BITS
        } else {
            digit
        };
        let length = ((most - at % digit) / digit * digit + at % digit).min(at);
        let from = at - length;
        if span(&above) + span(&weighted[from..at]) > RANGE as u32 && at >= FEWEST * digit {
            (above, remainder) = above_and_remainder(b, &above, at, d);
        }
        above.extend(&weighted[from..at]);
        let mut terms: Vec<(Wire, i8)> =
            remainder.iter().map(|&wire| (wire, 1 << length)).collect();
        terms.extend(
            x[from..at]
                .iter()
                .enumerate()
                .map(|(i, &bit)| (bit, 1 << i)),
        );
        let made = functions(b, &terms, length + d as usize - 1, |t| {
            let (digit, rest) = (t / i32::from(d), t % i32::from(d));
            (digit | unary(rest) << length) as u32
        });
        quotient[from..at].copy_from_slice(&made[..length]);
        remainder = made[length..].to_vec();
        at = from;
    }
    quotient
}

/// From the terms of a number `z·2ᵃᵗ`: its residue, as terms, and that of z, by one lookup.
fn above_and_remainder(
    b: &mut Builder,
    terms: &[(Wire, i8)],
    at: usize,
    d: i8,
) -> (Vec<(Wire, i8)>, Vec<Wire>) {
    // Half of a residue r is r/2 or (r + d)/2.
    let d = i32::from(d);
    let halved = |residue: i32| (0..at).fold(residue, |r, _| (r + r % 2 * d) / 2);
    let count = d as usize - 1;
    let made = functions(b, terms, 2 * count, |t| {
        let residue = t.rem_euclid(d);
        (unary(residue) | unary(halved(residue)) << count) as u32
    });
    let (above, remainder) = made.split_at(count);
    (
        above.iter().map(|&wire| (wire, 1)).collect(),
        remainder.to_vec(),
    )
}

/// `x mod d` for d of 3, 5 or 7.
fn remainder_bits(b: &mut Builder, x: &[Wire], sign: Option<Wire>, d: i8) -> Word {
    let terms = gathered(b, residues(x, sign, d), d);
    let count = d.ilog2() as usize + 1;
    functions(b, &terms, count, |t| t.rem_euclid(d.into()) as u32)
}

/// A sum of terms modulo d, as wires that are added up.
fn thermometer(b: &mut Builder, terms: &[(Wire, i8)], d: i8) -> Vec<Wire> {
    let terms = gathered(b, terms.to_vec(), d);
    functions(b, &terms, d as usize - 1, |t| {
        unary(t.rem_euclid(d.into())) as u32
    })
}

/// So many ones.
fn unary(number: i32) -> i32 {
    (1 << number) - 1
}

/// Bits, and the sign above them, with the residues of their weights.
fn residues(x: &[Wire], sign: Option<Wire>, d: i8) -> Vec<(Wire, i8)> {
    let mut weight = 1;
    let mut terms = Vec::with_capacity(x.len() + 1);
    for &bit in x {
        terms.push((bit, weight));
        weight = least(2 * weight, d);
    }
    terms.extend(sign.map(|sign| (sign, -weight)));
    terms
}

/// What is the same modulo d, and least in size.
fn least(number: i8, d: i8) -> i8 {
    let residue = number.rem_euclid(d);
    if 2 * residue > d {
        residue - d
    } else {
        residue
    }
}

/// The values between the least and the largest of a sum.
fn span(terms: &[(Wire, i8)]) -> u32 {
    let sizes = terms.iter().map(|&(_, weight)| weight.unsigned_abs());
    sizes.map(u32::from).sum()
}

/// Terms of the same residue that one lookup takes: as many as fit become their residue, until all
/// do.
fn gathered(b: &mut Builder, mut terms: Vec<(Wire, i8)>, d: i8) -> Vec<(Wire, i8)> {
    terms.retain(|&(wire, _)| wire != Wire::FALSE);
    while span(&terms) > RANGE as u32 {
        let mut next = Vec::new();
        let mut group: Vec<(Wire, i8)> = Vec::new();
        for term in terms {
            if span(&group) + u32::from(term.1.unsigned_abs()) > RANGE as u32 {
                let full = std::mem::take(&mut group);
                next.extend(thermometer(b, &full, d).into_iter().map(|wire| (wire, 1)));
            }
            group.push(term);
        }
        next.extend(group);
        terms = next;
    }
    terms
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, passes, sim};

    /// Words of n bits: fresh ones, short ones, some bits of which are clear, others repeated or opposite, signs
    /// that are extended.
    fn words(b: &mut Builder, n: usize) -> Vec<Word> {
        let x = b.inputs(n);
        let short = |top: Wire| -> Word {
            let bits = (0..n).map(|at| if at <= n / 2 { x[at] } else { top });
            bits.collect()
        };
        let mixed = (0..n).map(|at| match at % 5 {
            1 => Wire::TRUE,
            2 => !x[at / 2],
            3 => x[at / 3],
            _ => x[at],
        });
        let mixed = mixed.collect();
        let (unsigned, signed) = (short(Wire::FALSE), short(x[n / 2]));
        vec![x, unsigned, signed, mixed]
    }

    /// Every short word, and random long ones, as the builder leaves them and as all passes do.
    #[test]
    #[ignore = "slow: 6 s"]
    fn quotients_and_remainders_are_right() {
        let profile = Profile::lookup_simulation();
        let mut state = 1u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> 32
        };
        for d in [3_u32, 5, 6, 7, 9, 10, 12, 14, 15, 21, 24, 40, 96, 105] {
            for n in (2..=10).chain([31, 32, 33, 64]) {
                // As a signed number, too, the divisor is positive.
                if u64::from(d) >> (n - 1) != 0 {
                    continue;
                }
                let factors = Factored::new(d.into()).unwrap();
                let mut b = Builder::new(&profile);
                for word in words(&mut b, n) {
                    let made = divide(&mut b, &word, &factors);
                    let signed = divide_signed(&mut b, &word, &factors);
                    let made = [
                        made.quotient,
                        made.remainder,
                        signed.quotient,
                        signed.remainder,
                    ];
                    for wire in word.into_iter().chain(made.concat()) {
                        b.output(wire);
                    }
                }
                let plain = b.finish();
                let circuits = [passes::prepare(&plain, &profile), plain];
                let values: Vec<u64> = match n {
                    ..=10 => (0..1 << n).collect(),
                    _ => (0..128)
                        .map(|_| (random() << 32 | random()) >> (random() % 64))
                        .chain([0, 1, u64::MAX, 1 << (n - 1), (1 << (n - 1)) - 1])
                        .collect(),
                };
                for block in values.chunks(64) {
                    let lane = |bit: usize| {
                        let bits = block.iter().enumerate();
                        bits.fold(0, |all, (lane, x)| all | (x >> bit & 1) << lane)
                    };
                    let inputs: Vec<u64> = (0..n).map(lane).collect();
                    for circuit in &circuits {
                        let answers = sim::evaluate(circuit, &inputs).unwrap();
                        for lane in 0..block.len() {
                            check(&answers, lane, n, d);
                        }
                    }
                }
            }
        }
    }

    /// Words and what was made of them, in one lane, against the host.
    fn check(answers: &[u64], lane: usize, n: usize, d: u32) {
        let word = |bits: &[u64]| {
            let bits = bits.iter().enumerate();
            bits.fold(0, |all, (at, bits)| all | (bits >> lane & 1) << at)
        };
        let above = 64 - n;
        for made in answers.chunks(5 * n) {
            let found: Vec<u64> = made.chunks(n).map(word).collect();
            let x = found[0];
            let signed = (x << above).cast_signed() >> above;
            let cut = |word: i64| word.cast_unsigned() << above >> above;
            let (unsigned, divisor) = (u64::from(d), i64::from(d));
            let expected = [
                x / unsigned,
                x % unsigned,
                cut(signed / divisor),
                cut(signed % divisor),
            ];
            assert_eq!(found[1..], expected, "{x} / {d} of {n} bits");
        }
    }
}
