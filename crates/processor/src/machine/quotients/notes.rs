//! What is noted of products with clear numbers, of quotients, and of multiples of these.

use std::collections::HashMap;

use a32::Signedness;
use circuits::Wire;

use crate::machine::word::{Wires, Word};

/// What `⌊of·factor / 2^below⌋` is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    pub(super) of: Wires,
    /// At most 33 bits.
    pub(super) factor: u64,
    pub(super) below: u32,
    /// Of a number that may be negative.
    pub(super) is_signed: bool,
}

impl Product {
    /// The upper word of a product.
    pub(super) fn upper(of: Wires, factor: u32, signedness: Signedness) -> Self {
        Self {
            of,
            factor: factor.into(),
            below: 32,
            is_signed: signedness == Signedness::Signed && of[31] != Wire::FALSE,
        }
    }

    /// The quotient that it is; of a signed number, what that is with its sign added.
    pub(super) fn quotient(&self) -> Option<Quotient> {
        self.quotient_of_all()
            .or_else(|| self.without_zeros()?.quotient_of_all())
    }

    fn quotient_of_all(&self) -> Option<Quotient> {
        let divisor = match self.is_signed {
            false => divisor_of(self.factor, self.below, largest(&self.of))?.0,
            true => {
                let most = i32::MAX.cast_unsigned().into();
                let (divisor, excess) = divisor_of(self.factor, self.below, most)?;
                // The least number has no opposite among these.
                (1..=(1 << self.below) >> 31)
                    .contains(&excess)
                    .then_some(divisor)?
            }
        };
        Some(Quotient {
            of: self.of,
            divisor,
            signedness: match self.is_signed {
                true => Signedness::Signed,
                false => Signedness::Unsigned,
            },
            is_product: false,
        })
    }

    /// The same product of words without zeros at their ends.
    fn without_zeros(&self) -> Option<Self> {
        let zeros = self
            .of
            .iter()
            .take_while(|&&bit| bit == Wire::FALSE)
            .count();
        let (zeros, of_factor) = (zeros as u32 & 31, self.factor.trailing_zeros() & 63);
        let above = match self.is_signed {
            true => self.of[31],
            false => Wire::FALSE,
        };
        let below = self.below.checked_sub(zeros)?.checked_sub(of_factor)?;
        (zeros + of_factor > 0).then(|| Self {
            of: std::array::from_fn(|at| {
                let bit = self.of.get(at + zeros as usize);
                bit.copied().unwrap_or(above)
            }),
            factor: self.factor >> of_factor,
            below,
            ..*self
        })
    }

    /// The same without its lowest bits.
    pub(super) fn shifted(self, amount: u32) -> Self {
        Self {
            below: self.below.saturating_add(amount),
            ..self
        }
    }

    /// Whether it is at least 0 and below 2³¹.
    pub(super) fn is_positive(&self) -> bool {
        let most = u128::from(largest(&self.of)) * u128::from(self.factor);
        !self.is_signed && most >> self.below.min(127) >> 31 == 0
    }
}

/// A quotient, rounded towards zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quotient {
    pub(super) of: Wires,
    pub(super) divisor: u32,
    pub(super) signedness: Signedness,
    /// Made by a product, as the program does, and not by a division.
    pub(super) is_product: bool,
}

impl Quotient {
    /// Whether so many times it is the largest multiple of that number that is not above a word (in size,
    /// where it is signed): it is the word's quotient, or that of the word without its lowest bits, and of how
    /// many.
    pub(super) fn goes_into(&self, times: u32, word: &Wires) -> Option<usize> {
        if times == self.divisor {
            return (self.of == *word).then_some(0);
        }
        let dropped = times
            .trailing_zeros()
            .saturating_sub(self.divisor.trailing_zeros());
        let above = word.iter().copied().skip(dropped as usize);
        let is_same = self.signedness == Signedness::Unsigned
            && u64::from(self.divisor) << dropped == u64::from(times)
            && above
                .chain(std::iter::repeat(Wire::FALSE))
                .zip(self.of)
                .all(|(bit, of)| bit == of);
        is_same.then_some(dropped as usize)
    }
}

/// `of` less the upper word of its product with a factor of which the highest of 33 bits was left out;
/// then half of that. With the upper word, it is half of the whole product.
#[derive(Clone, Copy, Debug)]
struct Rest {
    upper: Wires,
    product: Product,
    is_half: bool,
}

/// By the bits of a word, what it is.
#[derive(Clone, Debug, Default)]
pub(in crate::machine) struct Quotients {
    pub(super) products: HashMap<Wires, Product>,
    /// Signed products less `of`, since their factor has a sign.
    pub(super) lacking: HashMap<Wires, Product>,
    rests: HashMap<Wires, Rest>,
    pub(super) quotients: HashMap<Wires, Quotient>,
    /// A quotient and how many times it, modulo 2³².
    multiples: HashMap<Wires, (Wires, u32)>,
}

impl Quotients {
    pub(in crate::machine) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.products.is_empty() && self.lacking.is_empty() && self.quotients.is_empty()
    }

    /// A word as a multiple of a quotient.
    pub(super) fn multiple(&self, word: &Wires) -> Option<(Wires, u32)> {
        let of_itself = || self.quotients.contains_key(word).then_some((*word, 1));
        self.multiples.get(word).copied().or_else(of_itself)
    }

    pub(super) fn note_multiple(&mut self, word: &Word, quotient: Wires, times: u32) {
        if let Word::Secret(wires) = word {
            self.multiples.entry(**wires).or_insert((quotient, times));
        }
    }

    pub(super) fn note_quotient(&mut self, word: &Word, quotient: Quotient) {
        if let Word::Secret(wires) = word {
            self.quotients.entry(**wires).or_insert(quotient);
        }
    }

    /// Notes a shift of the multiple of a quotient.
    pub(super) fn note_doubled(&mut self, word: &Wires, amount: u32, doubled: &Word) {
        if let Some((quotient, times)) = self.multiple(word) {
            let times = times.checked_shl(amount).unwrap_or(0);
            self.note_multiple(doubled, quotient, times);
        }
    }

    /// Notes half of what a product leaves of a number.
    pub(super) fn note_half(&mut self, word: &Wires, amount: u32, half: &Word) {
        if let (Some(&rest), Word::Secret(half)) = (self.rests.get(word), half)
            && amount == 1
            && !rest.is_half
        {
            let rest = Rest {
                is_half: true,
                ..rest
            };
            self.rests.insert(**half, rest);
        }
    }

    /// Notes what a sum completes.
    pub(super) fn note_sum(&mut self, a: &Wires, b: &Wires, sum: &Wires) {
        for (word, other) in [(a, b), (b, a)] {
            if let Some(&product) = self.lacking.get(word)
                && product.of == *other
            {
                self.products.insert(*sum, product);
            }
            if let Some(rest) = self.rests.get(word)
                && rest.is_half
                && rest.upper == *other
            {
                let whole = Product {
                    factor: rest.product.factor + (1 << 32),
                    below: 33,
                    ..rest.product
                };
                self.products.insert(*sum, whole);
            }
        }
    }

    /// Notes a number less the upper word of its product.
    pub(super) fn note_difference(&mut self, a: &Wires, b: &Wires, difference: &Wires) {
        if let Some(&product) = self.products.get(b)
            && product.of == *a
            && product.below == 32
            && product.factor >> 32 == 0
            && !product.is_signed
        {
            let rest = Rest {
                upper: *b,
                product,
                is_half: false,
            };
            self.rests.insert(*difference, rest);
        }
    }
}

/// The largest number that a word can be, as far as its clear bits say.
pub(super) fn largest(word: &Wires) -> u64 {
    let bits = word.iter().enumerate();
    bits.filter(|(_, bit)| **bit != Wire::FALSE)
        .map(|(at, _)| 1 << at)
        .sum()
}

/// The d and e with `d·factor = 2^shift + e` for which `⌊x·factor / 2^shift⌋` is `⌊x/d⌋` for all x up to
/// `most`, if there are such and d is no power of two.
///
/// With x = q·d + r the product is `q + (r + x·e / 2^shift) / d`, which is less than q + 1 for all r below d if
/// `x·e < 2^shift` (T. Granlund and P. L. Montgomery, Division by invariant integers using multiplication,
/// PLDI 1994, theorem 4.2). For negative x it is `⌈x/d⌉ − 1` if `0 < −x·e ≤ 2^shift`.
fn divisor_of(factor: u64, shift: u32, most: u64) -> Option<(u32, u128)> {
    let one = 1u128.checked_shl(shift)?;
    let factor = u128::from(factor.max(1));
    let divisor = one.div_ceil(factor);
    let excess = divisor * factor - one;
    let is_exact = excess * u128::from(most) < one;
    let is_worth = divisor > 2 && !divisor.is_power_of_two() && divisor <= most.into();
    let divisor = u32::try_from(divisor).ok()?;
    (is_exact && is_worth).then_some((divisor, excess))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What compilers multiply by, and near misses.
    #[test]
    fn divisors_are_those_of_all_values() {
        let of = |factor, shift, most| divisor_of(factor, shift, most).map(|(divisor, _)| divisor);
        let all = u64::from(u32::MAX);
        assert_eq!(of(0xcccc_cccd, 35, all), Some(10));
        assert_eq!(of(0xcccc_cccd, 34, all), Some(5));
        assert_eq!(of(0xaaaa_aaab, 33, all), Some(3));
        assert_eq!(of(0x1_2492_4925, 35, all), Some(7));
        assert_eq!(of(0xcccc_cccc, 35, all), None);
        assert_eq!(of(0x1999_999a, 32, all), None);
        assert_eq!(of(0x1999_999a, 32, (1 << 30) - 1), Some(10));
        assert_eq!(of(0, 32, all), None);
        assert_eq!(of(1 << 31, 34, all), None);
    }

    /// Every product of short words and factors, against division.
    #[test]
    fn what_is_called_a_quotient_is_one() {
        let mut found = 0;
        for factor in 1..600 {
            for shift in 0..14 {
                for most in [6, 63, 100, 255_u32] {
                    let Some((divisor, excess)) = divisor_of(factor, shift, most.into()) else {
                        continue;
                    };
                    found += 1;
                    let least = if excess == 0 { 0 } else { -i64::from(most) };
                    for x in least..=most.into() {
                        let product = (x * factor.cast_signed()) >> shift;
                        let quotient = x / i64::from(divisor) - i64::from(x < 0);
                        assert_eq!(product, quotient, "{x}·{factor} >> {shift}");
                    }
                }
            }
        }
        assert!(found > 100, "{found}");
    }
}
