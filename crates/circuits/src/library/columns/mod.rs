//! Sums of many weighted bits: columns of bits are gathered first, then added once.
//!
//! Multipliers, sums of several words and bit counts all end here, so that carries ripple once and
//! compressors see full columns. Constants fold while bits arrive; equal bits of a column become
//! one bit of the next, opposite ones a constant.
//!
//! * Targets with lookups: a plan of compressors and final slices is made on counts alone, for
//!   several target heights, and the best is built ([`plan`]).
//! * Targets with gates: full adders, earliest bits first ([`adders`]).

mod adders;
pub(super) mod dadda;
pub(super) mod estimate;
mod plan;
pub(super) mod wallace;

use super::weighted;
use super::word::Word;
use crate::{Builder, Wire};

/// A sum that is being collected, modulo a power of two.
pub(super) struct Columns {
    bits: Vec<Vec<Wire>>,
    /// What clear bits add to each column.
    clear: Vec<i64>,
}

impl Columns {
    /// An empty sum modulo 2^`width`.
    pub(super) fn new(width: usize) -> Self {
        Self {
            bits: vec![Vec::new(); width],
            clear: vec![0; width],
        }
    }

    pub(super) fn width(&self) -> usize {
        self.bits.len()
    }

    /// Adds `bit·2^column`; columns beyond the width do not count.
    pub(super) fn push(&mut self, column: usize, bit: Wire) {
        let Some(bits) = self.bits.get_mut(column) else {
            return;
        };
        match bit.as_constant() {
            Some(value) => self.clear[column] += i64::from(value),
            None => bits.push(bit),
        }
    }

    /// Adds a clear number times `2^column`.
    pub(super) fn push_clear(&mut self, column: usize, value: i64) {
        if let Some(clear) = self.clear.get_mut(column) {
            *clear += value;
        }
    }

    /// Subtracts `bit·2^column`: `−x = (1 − x) − 1`.
    pub(super) fn push_negative(&mut self, column: usize, bit: Wire) {
        self.push(column, !bit);
        if let Some(clear) = self.clear.get_mut(column) {
            *clear -= 1;
        }
    }

    /// Adds a word, its lowest bit in `column`.
    pub(super) fn push_word(&mut self, column: usize, word: &[Wire]) {
        for (at, &bit) in word.iter().enumerate() {
            self.push(column + at, bit);
        }
    }

    /// Subtracts a word.
    pub(super) fn push_word_negative(&mut self, column: usize, word: &[Wire]) {
        for (at, &bit) in word.iter().enumerate() {
            self.push_negative(column + at, bit);
        }
    }

    /// Adds all up.
    pub(super) fn sum(mut self, b: &mut Builder) -> Word {
        self.settle();
        match weighted::capacity(b) {
            Some(capacity) => plan::build(b, &self.bits, capacity),
            None => adders::build(b, self.bits),
        }
    }

    /// Pairs of equal and opposite bits leave their column; clear bits become at most one per
    /// column.
    fn settle(&mut self) {
        let mut carry = 0;
        for column in 0..self.width() {
            let mut bits = std::mem::take(&mut self.bits[column]);
            bits.sort_unstable();
            let mut kept: Vec<Wire> = Vec::with_capacity(bits.len());
            for bit in bits {
                // Sorted, so that a wire stands beside its equal or its inverse.
                match kept.last() {
                    Some(&last) if last == bit => {
                        kept.pop();
                        self.push(column + 1, bit);
                    }
                    Some(&last) if last == !bit => {
                        kept.pop();
                        self.clear[column] += 1;
                    }
                    _ => kept.push(bit),
                }
            }
            let clear = self.clear[column] + carry;
            carry = clear.div_euclid(2);
            if clear.rem_euclid(2) == 1 {
                kept.push(Wire::TRUE);
            }
            self.bits[column] = kept;
        }
    }
}
