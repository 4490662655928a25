//! Arrays of words, and which coefficients of which rows their bits stand at.
//!
//! A word of `width` bits takes a *stride*, a power of two; W = N/stride words make a row. Bit j of word w
//! has the number (w mod W)·stride + offset + j in row w / W. An array of fewer words takes the first
//! numbers of one row. Bits that were computed are packed with the next power of two for a stride and
//! without an offset. Where the bits of two words lie further apart in a row that is there (fields of
//! structures, every second word), the stride is theirs, and what is between words is left alone. Numbers
//! become coefficients in one of two orders:
//!
//! | order | coefficient | whose |
//! |---|---|---|
//! | natural | the number | inputs that were packed with an array at the beginning of a ciphertext |
//! | reversed | the number's log2(N) bits from the other end | what is packed here |
//!
//! In either order the numbers that have one bit set are a fixed distance away from those that have not,
//! which is what a load needs. They differ in what packing costs: a packing's first steps must
//! tell bits apart that are N/2, N/4, … coefficients from one another, its last those that are neighbours. 32
//! adjacent coefficients take 223 automorphisms; in the reversed order a word's bits are N/32
//! coefficients apart, and take 37.

use std::ops::RangeInclusive;
use std::sync::Arc;

use random::KeyId;

use crate::error::TfheError;
use crate::lwe::LweCiphertext;
use crate::row::Place;

/// Pairs of words that are looked at for how far apart they lie.
const SAMPLES: usize = 64;

/// A bit of an array that a secret index reaches.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    /// A constant that anybody may know.
    Known(bool),
    /// An encrypted bit.
    Bit(&'a LweCiphertext),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Natural,
    Reversed,
}

impl Order {
    /// The coefficient of a number below `size`, a power of two.
    pub(super) fn coefficient(self, number: usize, size: usize) -> usize {
        match self {
            Self::Natural => number,
            Self::Reversed => (number * 2).reverse_bits() >> size.leading_zeros(),
        }
    }
}

/// The entries of an array by their numbers: arrays of millions of bits need no list of them.
#[derive(Clone, Copy)]
pub struct Entries<'a> {
    /// How many there are.
    pub count: usize,
    /// The entry of each number below that.
    pub at: &'a dyn Fn(usize) -> Entry<'a>,
}

#[cfg(test)]
impl<'a> Entries<'a> {
    /// Those of a list, of which `at` gives one.
    pub(super) fn of(list: &[Entry<'a>], at: &'a dyn Fn(usize) -> Entry<'a>) -> Self {
        let count = list.len();
        Self { count, at }
    }
}

impl std::fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entries")
            .field("count", &self.count)
            .finish_non_exhaustive()
    }
}

/// What a coefficient is to hold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish<'a> {
    pub(super) coefficient: usize,
    pub(super) entry: Entry<'a>,
}

/// Entries in the shape of an array.
#[derive(Clone, Copy)]
pub(super) struct Array<'a> {
    entries: Entries<'a>,
    width: usize,
    stride: usize,
    offset: usize,
    words_of_row: usize,
    /// Coefficients of a row, N.
    pub(super) size: usize,
    pub(super) key_id: KeyId,
    pub(super) rows: usize,
    /// Whether its rows are at scale 1/2.
    pub(super) is_half: bool,
}

impl<'a> Array<'a> {
    /// 2^`index_bits` words of `width` bits, in rows of `size` coefficients under a key.
    pub(super) fn new(
        (size, key_id): (usize, KeyId),
        index_bits: usize,
        entries: Entries<'a>,
        width: usize,
    ) -> Result<Self, TfheError> {
        if index_bits == 0 {
            let reason = "its index has no bits";
            return Err(TfheError::InvalidArray { reason });
        }
        if !(1..=size).contains(&width) {
            let reason = "a word must have at least one bit, and at most as many as a polynomial";
            return Err(TfheError::InvalidArray { reason });
        }
        let words = u32::try_from(index_bits)
            .ok()
            .and_then(|bits| 1_usize.checked_shl(bits));
        let expected = words.and_then(|words| words.checked_mul(width));
        let (Some(words), true) = (words, expected == Some(entries.count)) else {
            return Err(TfheError::WrongLength {
                what: "an array",
                expected: expected.unwrap_or(usize::MAX),
                found: entries.count,
            });
        };
        let stride = width.next_power_of_two();
        let words_of_row = words.min(size / stride);
        Ok(Self {
            entries,
            width,
            stride,
            offset: 0,
            words_of_row,
            size,
            key_id,
            rows: words / words_of_row,
            is_half: false,
        })
    }

    /// The same array in rows at scale 1/2.
    pub(super) fn at_half(self) -> Self {
        Self {
            is_half: true,
            ..self
        }
    }

    /// The same array as its bits may lie in rows that are there, beside other bits: as two neighbouring words
    /// do that stand in one row.
    pub(super) fn as_found(&self) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        let first = |word: usize| {
            let bits = (0..self.width).map(|bit| (bit, (self.entries.at)(word * self.width + bit)));
            let mut bits = bits.filter_map(|(at, entry)| match entry {
                Entry::Bit(bit) => Some((at, bit)),
                Entry::Known(_) => None,
            });
            bits.next()
        };
        let words = self.entries.count / self.width;
        let pairs = (1..words).step_by(words.div_ceil(SAMPLES));
        let mut pairs = pairs.filter_map(|word| Some([first(word - 1)?, first(word)?]));
        // Places of both in one row.
        let together = |[(bit, one), (next_bit, next)]: [(usize, &LweCiphertext); 2]| {
            let places = one.places().flat_map(|place| {
                let others = next.places();
                others.map(move |other| (place.clone(), other))
            });
            let places = places.filter(|(one, other)| Arc::ptr_eq(&one.row, &other.row));
            let places: Vec<_> = places.collect();
            (!places.is_empty()).then_some(([bit, next_bit], places))
        };
        let Some(([bit, next_bit], places)) = pairs.find_map(together) else {
            return found;
        };
        for (place, other) in places {
            for order in [Order::Natural, Order::Reversed] {
                let start = |place: &Place, bit| {
                    let number = order.coefficient(place.coefficient, self.size);
                    number.checked_sub(bit)
                };
                let both = start(&place, bit).zip(start(&other, next_bit));
                let layout = both.and_then(|(start, next)| {
                    let stride = next.checked_sub(start)?;
                    self.strided(stride, start)
                });
                let is_new = |layout: &Self| {
                    let mut known = found.iter().map(Self::layout);
                    known.all(|known| known != layout.layout())
                };
                found.extend(layout.filter(is_new));
            }
        }
        found
    }

    /// The same array of words that are further apart and begin where one begins at number `start`; `None`
    /// where they are no further apart, or by no power of two, or where words would not be in one part each.
    fn strided(&self, stride: usize, start: usize) -> Option<Self> {
        let is_wider = stride > self.stride && stride <= self.size && stride.is_power_of_two();
        let offset = start.checked_rem(stride).filter(|_| is_wider)?;
        let words_of_row = (self.rows * self.words_of_row).min(self.size / stride);
        (offset + self.width <= stride).then_some(Self {
            stride,
            offset,
            words_of_row,
            rows: self.rows * self.words_of_row / words_of_row,
            ..*self
        })
    }

    /// What tells layouts of one array apart.
    fn layout(&self) -> (usize, usize) {
        (self.stride, self.offset)
    }

    /// Bits of the index that name a word of a row.
    pub(super) fn low_bits(&self) -> usize {
        self.words_of_row.ilog2() as usize
    }

    /// By how many coefficients words are apart whose indices differ in one of the low bits.
    pub(super) fn distance(&self, order: Order, index_bit: usize) -> usize {
        order.coefficient(self.stride << index_bit, self.size)
    }

    /// Numbers of a row that are used, log2.
    pub(super) fn log2_used(&self) -> u32 {
        (self.words_of_row * self.stride).ilog2()
    }

    /// The steps of a packing that concern what is used: step i tells bits apart that are N/2^i
    /// coefficients from one another. Coefficients that are not used may hold anything.
    pub(super) fn steps(&self, order: Order) -> RangeInclusive<u32> {
        let (all, used) = (self.size.ilog2(), self.log2_used());
        match order {
            Order::Natural => all - used + 1..=all,
            Order::Reversed => 1..=used,
        }
    }

    /// The steps of a packing that leaves zeros at all coefficients that any word's bits come to when
    /// they are turned to where another word's are.
    pub(super) fn clearing_steps(&self, order: Order) -> RangeInclusive<u32> {
        match order {
            Order::Natural => 1..=self.size.ilog2(),
            Order::Reversed => self.steps(order),
        }
    }

    /// The row and the coefficient of an entry.
    pub(super) fn place(&self, order: Order, number: usize) -> (usize, usize) {
        let (word, bit) = (number / self.width, number % self.width);
        let in_row = (word % self.words_of_row) * self.stride + bit;
        (word / self.words_of_row, self.coefficient(order, in_row))
    }

    /// The coefficient of a bit by its number from the first word's start on.
    pub(super) fn coefficient(&self, order: Order, number: usize) -> usize {
        order.coefficient(self.offset + number, self.size)
    }

    /// What a row is to hold, word after word.
    pub(super) fn wishes(&self, order: Order, row: usize) -> Vec<Wish<'a>> {
        let length = self.words_of_row * self.width;
        let mut wishes = Vec::with_capacity(length);
        for word in 0..self.words_of_row {
            for bit in 0..self.width {
                wishes.push(Wish {
                    coefficient: self.coefficient(order, word * self.stride + bit),
                    entry: (self.entries.at)(row * length + word * self.width + bit),
                });
            }
        }
        wishes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{KeyId, PackedInputs, TOY_BLOCK};
    use random::Seed;

    const KEY: KeyId = KeyId::from_bytes([1; 16]);

    /// Numbers are a permutation, and set bits move them by the same distance.
    #[test]
    fn orders_are_permutations() {
        const SIZE: usize = 64;
        for order in [Order::Natural, Order::Reversed] {
            let coefficient = |number| order.coefficient(number, SIZE);
            let mut all: Vec<usize> = (0..SIZE).map(coefficient).collect();
            for number in 0..SIZE {
                for bit in (0..6).map(|bit| 1 << bit) {
                    if number & bit == 0 {
                        let moved = coefficient(number | bit);
                        assert_eq!(moved, coefficient(number) + coefficient(bit));
                    }
                }
            }
            all.sort_unstable();
            assert!(all.into_iter().eq(0..SIZE));
        }
        assert_eq!(Order::Reversed.coefficient(1, SIZE), SIZE / 2);
    }

    /// Numbers of one row, bits of words that are further apart than they are wide: found where that is a
    /// power of 2.
    #[test]
    fn words_among_others_are_found() {
        let (key, seed) = (KeyId::from_bytes([1; 16]), Seed::from_bytes([2; 32]));
        let bits = PackedInputs::from_parts(TOY_BLOCK, key, seed, vec![0; 512]).unpack();
        let loose = LweCiphertext::trivial(&TOY_BLOCK, key, true);
        let found = |start: usize, apart: usize, width: usize| {
            let word = |number: usize| &bits[start + number / width * apart + number % width];
            let at = |number: usize| match number / width {
                // The first word is known, and the two that follow are in no row.
                0 => Entry::Known(true),
                1 | 2 => Entry::Bit(&loose),
                _ => Entry::Bit(word(number)),
            };
            let count = 8 * width;
            let array = Array::new((512, KEY), 3, Entries { count, at: &at }, width).unwrap();
            let found = array.as_found();
            // What does not hold is found out by planning.
            let holds = |layout: &Array<'_>| {
                let place = |number: usize| start % apart + number / width * apart + number % width;
                (0..count).all(|number| array_place(layout, number) == place(number))
            };
            found.iter().filter(|layout| holds(layout)).count()
        };
        for (start, apart, width, count) in [
            (0, 16, 8, 1),
            (8, 16, 8, 1),
            (64 + 3, 32, 5, 1),
            // As they are packed; not a power of 2; in two elements.
            (0, 8, 8, 0),
            (0, 24, 8, 0),
            (12, 16, 8, 0),
        ] {
            assert_eq!(
                found(start, apart, width),
                count,
                "{width} of {apart} from {start}"
            );
        }
    }

    fn array_place(array: &Array<'_>, number: usize) -> usize {
        array.place(Order::Natural, number).1
    }

    #[test]
    fn strange_shapes_are_refused() {
        let entries = [Entry::Known(false); 16];
        let entries = Entries {
            count: entries.len(),
            at: &|at| entries[at],
        };
        let refused = |index_bits, width| Array::new((8, KEY), index_bits, entries, width).err();
        let strange = |error| matches!(error, Some(TfheError::InvalidArray { .. }));
        assert!(strange(refused(0, 16)));
        assert!(strange(refused(4, 0)));
        assert!(strange(refused(1, 9)));
        for (index_bits, width, expected) in [
            (3, 1, 8),
            (5, 1, 32),
            (63, 2, usize::MAX),
            (64, 1, usize::MAX),
        ] {
            let what = "an array";
            let found = 16;
            assert_eq!(
                refused(index_bits, width),
                Some(TfheError::WrongLength {
                    what,
                    expected,
                    found
                })
            );
        }
        for (index_bits, width, rows) in [(4, 1, 2), (3, 2, 2), (1, 8, 2), (2, 4, 2)] {
            let array = Array::new((8, KEY), index_bits, entries, width).unwrap();
            assert_eq!(array.rows, rows);
        }
    }
}
