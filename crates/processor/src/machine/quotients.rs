//! Quotients and remainders by clear numbers, as compilers write them.
//!
//! `x / 10` becomes a product with `⌈2³⁵/10⌉` of which the upper bits are kept, and `x % 10` what
//! ten times that leaves of x. As products and sums of 32 bits both are dear; as what they are, a
//! remainder is a few lookups and a quotient about one for each bit or less ([`library::divide`]).
//!
//! So a product with a clear number is noted, and where its lower bits are dropped it becomes a
//! quotient if it is that of every value that x can have (see [`notes`]). Of a signed x it is less
//! by one than the quotient where x is negative; the sum with x's sign is. Quotients and their multiples
//! are noted, too, and `x − d·⌊x/d⌋` becomes the remainder. What nobody reads then is never evaluated.
//!
//! The notes hold everywhere, whatever path is taken: they say what words are as functions of others.
//! They belong to the circuit that is being recorded and end with it.

mod notes;

use a32::{ShiftKind, Signedness};
use circuits::{Wire, library};

use super::word::{Wires, Word};
use super::{Symbolic, units};
use notes::{Product, Quotient, largest};

pub(super) use notes::Quotients;

/// Bits of words whose functions are found by themselves.
const FEW: u32 = 8;

impl Symbolic {
    /// The upper word of a product of two words, if that is a quotient. Notes it otherwise.
    pub(super) fn quotient_of_upper(
        &mut self,
        signedness: Signedness,
        a: &Word,
        b: &Word,
        upper: &Word,
    ) -> Option<Word> {
        let (Some((of, factor)), Word::Secret(upper)) = (secret_by_clear(a, b), upper) else {
            return None;
        };
        let product = Product::upper(of, factor, signedness);
        if signedness == Signedness::Signed && factor >> 31 == 1 {
            self.quotients.lacking.insert(**upper, product);
            return None;
        }
        self.quotients.products.insert(**upper, product);
        if product.is_signed {
            return None;
        }
        let quotient = self.quotient_of(&product, &Word::from_wires(**upper));
        if let Some(Word::Secret(wires)) = &quotient {
            self.quotients.products.insert(**wires, product);
        }
        quotient
    }

    /// Notes the sum of a signed product's upper word and another word, if that completes it.
    pub(super) fn note_completed_upper(&mut self, a: &Word, b: &Word, addend: &Word, sum: &Word) {
        if let (Some((of, factor)), Word::Secret(addend), Word::Secret(sum)) =
            (secret_by_clear(a, b), addend, sum)
            && factor >> 31 == 1
            && **addend == of
        {
            let product = Product::upper(of, factor, Signedness::Signed);
            self.quotients.products.insert(**sum, product);
        }
    }

    /// Notes a product that was cut to a word, if nothing was cut; and that of a quotient.
    pub(super) fn note_lower_product(&mut self, a: &Word, b: &Word, product: &Word) {
        let (Some((of, factor)), Word::Secret(wires)) = (secret_by_clear(a, b), product) else {
            return;
        };
        if (largest(&of) * u64::from(factor)) >> 32 == 0 {
            let noted = Product {
                of,
                factor: factor.into(),
                below: 0,
                is_signed: false,
            };
            self.quotients.products.insert(**wires, noted);
        }
        self.inverses.note_product(&of, factor, product);
        if let Some((quotient, times)) = self.quotients.multiple(&of) {
            let times = times.wrapping_mul(factor);
            self.quotients.note_multiple(product, quotient, times);
        }
    }

    /// A shift of a word by a clear amount, if it makes a quotient. Notes what it makes otherwise.
    pub(super) fn quotient_of_shift(
        &mut self,
        kind: ShiftKind,
        word: &Wires,
        amount: u32,
        shifted: &Word,
    ) -> Option<Word> {
        match kind {
            ShiftKind::RotateRight => self.inverses.note_turned(word, amount, shifted),
            ShiftKind::Left => self.quotients.note_doubled(word, amount, shifted),
            ShiftKind::LogicalRight => {
                self.quotients.note_half(word, amount, shifted);
                return self.quotient_without_lowest(word, amount, shifted);
            }
            ShiftKind::ArithmeticRight => {
                let product = *self.quotients.products.get(word)?;
                // A shift of the sign is one of zeros where there is none.
                if product.is_positive() {
                    return self.quotient_without_lowest(word, amount, shifted);
                }
                if let (true, Word::Secret(wires)) = (product.is_signed, shifted) {
                    let shifted = product.shifted(amount);
                    self.quotients.products.insert(**wires, shifted);
                }
            }
        }
        None
    }

    /// A product of a number that is not negative without its lowest bits, if that is a quotient. What is one
    /// already is not divided anew.
    fn quotient_without_lowest(
        &mut self,
        word: &Wires,
        amount: u32,
        shifted: &Word,
    ) -> Option<Word> {
        let product = self.quotients.products.get(word)?.shifted(amount);
        let is_quotient = self.quotients.quotients.contains_key(word);
        (!product.is_signed && !is_quotient).then(|| self.quotient_of(&product, shifted))?
    }

    /// A word without its lowest bits, if that makes it the multiple of a quotient.
    pub(super) fn multiple_of_mask(&mut self, word: &Word, mask: &Word) -> Option<Word> {
        let (Some((wires, mask)), false) = (secret_by_clear(word, mask), self.quotients.is_empty())
        else {
            return None;
        };
        let amount = mask.trailing_zeros();
        if amount == 0 || mask != u32::MAX << (amount & 31) {
            return None;
        }
        let (shifted, _) = units::shift_wires(ShiftKind::LogicalRight, &wires, amount);
        let quotient = self.quotient_without_lowest(&wires, amount, &shifted)?;
        let mut shifted = quotient.wires();
        shifted.rotate_right(amount as usize);
        shifted[..amount as usize].fill(Wire::FALSE);
        let shifted = Word::from_wires(shifted);
        if let Word::Secret(quotient) = &quotient {
            self.quotients
                .note_multiple(&shifted, **quotient, 1 << amount);
        }
        Some(shifted)
    }

    /// A word that was made of a product as the quotient that it is: divided, where that takes no more.
    fn quotient_of(&mut self, product: &Product, made: &Word) -> Option<Word> {
        let mut quotient = product.quotient()?;
        let Quotient {
            of,
            divisor,
            signedness,
            ..
        } = quotient;
        // Of lookups of four bits a pass finds all functions of so few, and finds fewer lookups where the sum
        // that leaves the remainder is whole.
        let finds = self.builder.profile().max_value() == Some(15);
        let is_few = largest(&of) >> FEW == 0;
        if finds && is_few && ![3, 5, 7].contains(&(divisor >> divisor.trailing_zeros())) {
            return None;
        }
        quotient.is_product = !library::divides_as_cheaply(
            &mut self.builder,
            units::signed(signedness),
            &of,
            divisor.into(),
            product.factor,
        );
        let word = match quotient.is_product {
            true => made.clone(),
            false => Word::from_slice(&self.divide_by_clear(&quotient).quotient),
        };
        self.quotients.note_quotient(&word, quotient);
        Some(word)
    }

    /// Notes what a division by a number makes.
    pub(super) fn note_quotient(
        &mut self,
        signedness: Signedness,
        of: &Word,
        divisor: u32,
        quotient: &Word,
    ) {
        // A signed number's divisor may be negative: what is taken from the word then is added.
        let is_plain = divisor > 1 && (signedness == Signedness::Unsigned || divisor >> 31 == 0);
        if let (Word::Secret(of), true) = (of, is_plain) {
            let noted = Quotient {
                of: **of,
                divisor,
                signedness,
                is_product: false,
            };
            self.quotients.note_quotient(quotient, noted);
        }
    }

    fn divide_by_clear(&mut self, quotient: &Quotient) -> library::Divided {
        let signedness = units::signed(quotient.signedness);
        let divisor = Word::Clear(quotient.divisor).wires();
        library::divide(&mut self.builder, signedness, &quotient.of, &divisor)
    }

    /// The sum of two words and a carry, if it is a quotient or a remainder. Notes what it is otherwise.
    pub(super) fn division_of_sum(
        &mut self,
        a: &Word,
        b: &Word,
        carry: Wire,
        sum: &Word,
    ) -> Option<Word> {
        if self.quotients.is_empty() {
            return None;
        }
        let (Word::Secret(a), Word::Secret(b), Word::Secret(wires)) = (a, b, sum) else {
            return None;
        };
        let is_difference = carry.as_constant()?;
        if let Some(product) = self.signed_product(a, b, is_difference) {
            return self.quotient_of(&product, sum);
        }
        let second = match is_difference {
            true => b.map(|wire| !wire),
            false => **b,
        };
        match is_difference {
            true => self.quotients.note_difference(a, &second, wires),
            false => self.quotients.note_sum(a, &second, wires),
        }
        let (word, times) = self.quotients.multiple(&second)?;
        if let Some((same, first)) = self.quotients.multiple(a)
            && same == word
        {
            let times = match is_difference {
                true => first.wrapping_sub(times),
                false => first.wrapping_add(times),
            };
            self.quotients.note_multiple(sum, word, times);
            return None;
        }
        let quotient = *self.quotients.quotients.get(&word)?;
        let dropped = quotient.goes_into(times, a).filter(|_| is_difference)?;
        if quotient.is_product {
            return Some(less_than(times, quotient.signedness, wires));
        }
        let rest = self.divide_by_clear(&quotient).remainder;
        let low = &a[..dropped];
        Some(Word::from_slice(&[low, &rest[..32 - dropped]].concat()))
    }

    /// A product of a signed number with one more where that is negative: less its sign, or with its highest
    /// bit added.
    fn signed_product(&self, a: &Wires, b: &Wires, is_difference: bool) -> Option<Product> {
        [(a, b), (b, a)].into_iter().find_map(|(word, sign)| {
            let product = *self.quotients.products.get(word)?;
            let signs = [product.of[31], word[31]];
            let is_sign = match is_difference {
                // All bits are the opposite of the sign; a difference has its operands in order.
                true => word == a && sign.iter().all(|&wire| wire == !product.of[31]),
                false => {
                    signs.contains(&sign[0]) && sign[1..].iter().all(|&wire| wire == Wire::FALSE)
                }
            };
            (product.is_signed && is_sign && product.quotient().is_some()).then_some(product)
        })
    }
}

/// A word that is less than a number in size.
fn less_than(number: u32, signedness: Signedness, word: &Wires) -> Word {
    let bits = number.ilog2() as usize + 1;
    let above = match signedness {
        Signedness::Unsigned => Wire::FALSE,
        Signedness::Signed => word[bits.min(31)],
    };
    Word::from_wires(std::array::from_fn(|at| match at < bits {
        true => word[at],
        false => above,
    }))
}

/// The secret one of two words, and the clear one.
pub(super) fn secret_by_clear(a: &Word, b: &Word) -> Option<(Wires, u32)> {
    match (a, b) {
        (Word::Secret(word), Word::Clear(number)) | (Word::Clear(number), Word::Secret(word)) => {
            Some((**word, *number))
        }
        _ => None,
    }
}
