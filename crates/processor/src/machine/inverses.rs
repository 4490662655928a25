//! Whether a number divides a word, as compilers ask it.
//!
//! With an odd d, `x·d⁻¹ mod 2³²` is j where x is `d·j`, and other words take the other values: x is a multiple of
//! d below 2³² if that is at most `⌊(2³² − 1)/d⌋`. For `d·2ᵏ` the product is rotated to the right by k, for signed
//! x a number is added first (Granlund and Montgomery, PLDI 1994, §9). As a product of 32 bits that is dear, as a
//! remainder a few lookups. The notes hold everywhere and end with the circuit, as those of
//! [`quotients`](super::quotients).

use std::collections::HashMap;

use circuits::{Wire, library};

use super::Symbolic;
use super::quotients::secret_by_clear;
use super::word::{Wires, Word};

/// A word that is `(of·odd⁻¹ + moved)` modulo 2³², rotated to the right by `turned`.
#[derive(Clone, Copy, Debug)]
struct Inverse {
    of: Wires,
    odd: u32,
    moved: u32,
    turned: u32,
}

/// By the bits of a word, what it is.
#[derive(Clone, Debug, Default)]
pub(super) struct Inverses(HashMap<Wires, Inverse>);

/// That a word, unsigned or signed, leaves this remainder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Leaves {
    divisor: u32,
    rest: u32,
    is_signed: bool,
}

/// Divisors are less: their remainders cost less than the product.
const LARGEST: u32 = 1 << 16;

impl Inverses {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Notes a product with a clear number.
    pub(super) fn note_product(&mut self, of: &Wires, factor: u32, product: &Word) {
        self.note_moved_product(of, factor, 0, product);
    }

    /// Notes the sum of a product with a clear number and another one.
    pub(super) fn note_accumulated(&mut self, a: &Word, b: &Word, addend: &Word, sum: &Word) {
        if let (Some((of, factor)), Word::Clear(moved)) = (secret_by_clear(a, b), addend) {
            self.note_moved_product(&of, factor, *moved, sum);
        }
    }

    fn note_moved_product(&mut self, of: &Wires, factor: u32, moved: u32, sum: &Word) {
        let Word::Secret(wires) = sum else {
            return;
        };
        if let Some(odd) = inverse(factor).filter(|odd| (3..LARGEST).contains(odd)) {
            let noted = Inverse {
                of: *of,
                odd,
                moved,
                turned: 0,
            };
            self.0.insert(**wires, noted);
        }
    }

    /// Notes the sum of such a product, a clear number and a carry.
    pub(super) fn note_sum(&mut self, a: &Word, b: &Word, carry: Wire, sum: &Word) {
        let (Word::Secret(product), Word::Clear(number), Some(carry), Word::Secret(sum)) =
            (a, b, carry.as_constant(), sum)
        else {
            return;
        };
        if let Some(&noted) = self.0.get(&**product)
            && noted.turned == 0
        {
            let moved = noted.moved.wrapping_add(*number).wrapping_add(carry.into());
            self.0.insert(**sum, Inverse { moved, ..noted });
        }
    }

    /// Notes such a word that was rotated.
    pub(super) fn note_turned(&mut self, word: &Wires, amount: u32, turned: &Word) {
        if let (Some(&noted), Word::Secret(turned)) = (self.0.get(word), turned)
            && noted.turned == 0
        {
            self.0.insert(
                **turned,
                Inverse {
                    turned: amount,
                    ..noted
                },
            );
        }
    }
}

impl Inverse {
    /// What it asks of the word to be at most that number.
    fn asks(&self, most: u32) -> Option<Leaves> {
        let divisor = self.odd.checked_shl(self.turned)?;
        if divisor >> self.turned != self.odd || divisor >= LARGEST {
            return None;
        }
        // The product was that of x − rest, of which multiples of the divisor are those up to the largest x.
        let rest = self.moved.wrapping_mul(self.odd).wrapping_neg();
        if rest < divisor && most == (u32::MAX - rest) / divisor {
            return Some(Leaves {
                divisor,
                rest,
                is_signed: false,
            });
        }
        // −2³¹ is no multiple of what has an odd factor.
        let (below, above) = ((1 << 31) / divisor, i32::MAX.cast_unsigned() / divisor);
        (self.moved == below << self.turned && most == below + above).then_some(Leaves {
            divisor,
            rest: 0,
            is_signed: true,
        })
    }
}

impl Symbolic {
    /// Whether a word is more than a clear number, if that is whether something else has a remainder.
    pub(super) fn is_no_multiple(&mut self, word: &Word, most: u32) -> Option<Wire> {
        let Word::Secret(wires) = word else {
            return None;
        };
        let inverse = *self.inverses.0.get(&**wires)?;
        let Leaves {
            divisor,
            rest,
            is_signed,
        } = inverse.asks(most)?;
        // A signed number and 2³¹, which is one bit inverted, as an unsigned one.
        let mut of = inverse.of;
        of[31] = of[31].invert_if(is_signed);
        let rest = if is_signed { (1 << 31) % divisor } else { rest };
        let divisor = Word::Clear(divisor).wires();
        let unsigned = library::Signedness::Unsigned;
        let divided = library::divide(&mut self.builder, unsigned, &of, &divisor);
        let rest = Word::Clear(rest).wires();
        Some(!library::equal(
            &mut self.builder,
            &divided.remainder,
            &rest,
        ))
    }
}

/// The inverse modulo 2³² of an odd number.
fn inverse(number: u32) -> Option<u32> {
    // Each step of Newton's doubles the number of right bits, of which there are three to begin with.
    let step = |guess: u32, _| guess.wrapping_mul(2_u32.wrapping_sub(number.wrapping_mul(guess)));
    (number % 2 == 1).then(|| (0..4).fold(number, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For words next to multiples and ends, against the remainder.
    #[test]
    fn what_is_asked_is_whether_something_remains() {
        for odd in (3..200_u32).step_by(2).chain([625, 3125, 65_535]) {
            let factor = inverse(odd).unwrap();
            assert_eq!(odd.wrapping_mul(factor), 1);
            for turned in 0..8 {
                let Some(divisor) = odd.checked_mul(1 << turned).filter(|d| *d < LARGEST) else {
                    continue;
                };
                let below = (1 << 31) / divisor;
                let above = i32::MAX.cast_unsigned() / divisor;
                let mut asked: Vec<_> = [0, 1, divisor / 2, divisor - 1]
                    .map(|rest: u32| {
                        let moved = rest.wrapping_mul(factor).wrapping_neg();
                        (moved, (u32::MAX - rest) / divisor, rest, false)
                    })
                    .into();
                asked.push((below << turned, below + above, 0, true));
                for (moved, most, rest, is_signed) in asked {
                    let noted = Inverse {
                        of: [Wire::FALSE; 32],
                        odd,
                        moved,
                        turned,
                    };
                    let expected = Leaves {
                        divisor,
                        rest,
                        is_signed,
                    };
                    assert_eq!(noted.asks(most), Some(expected));
                    assert_eq!(noted.asks(most + 1), None);
                    for middle in [0, divisor, 1 << 31, u32::MAX, u32::MAX / divisor * divisor] {
                        for x in (0..9).map(|at| middle.wrapping_add(at).wrapping_sub(4)) {
                            let word = x
                                .wrapping_mul(factor)
                                .wrapping_add(moved)
                                .rotate_right(turned);
                            let left = match is_signed {
                                true => x
                                    .cast_signed()
                                    .rem_euclid(divisor.cast_signed())
                                    .cast_unsigned(),
                                false => x % divisor,
                            };
                            let remains = left != rest;
                            assert_eq!(word > most, remains, "{x} by {divisor}, {is_signed}");
                        }
                    }
                }
            }
        }
    }
}
