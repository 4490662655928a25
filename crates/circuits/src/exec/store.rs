//! A store with its operands, and how it is made of choices.

use std::fmt;

use super::{Entry, Gates, IndexBit};

/// A store with its operands: see [`Store`](crate::ir::Store).
pub struct StoreJob<'a, B> {
    /// The index, lowest bit first.
    pub index: Vec<IndexBit<'a, B>>,
    /// Where it is 0 nothing is stored.
    pub enable: Option<IndexBit<'a, B>>,
    /// The bits of all words by their numbers, word after word, one for each value of the index.
    pub entries: &'a dyn Fn(usize) -> Entry<'a, B>,
    /// What is stored.
    pub word: Vec<Entry<'a, B>>,
}

impl<B> fmt::Debug for StoreJob<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreJob")
            .field("index", &self.index.len())
            .field("is_conditional", &self.enable.is_some())
            .field("width", &self.word.len())
            .finish_non_exhaustive()
    }
}

impl<B> StoreJob<'_, B> {
    /// Bits of all words.
    #[must_use]
    pub fn count(&self) -> usize {
        self.word.len() << self.index.len()
    }

    /// Each bit by one choice after the other, from whether the lowest bit of the index is its word's
    /// on: as many as the index has bits.
    ///
    /// # Errors
    /// The engine's own.
    pub fn by_choices<G: Gates<Bit = B> + ?Sized>(
        &self,
        gates: &G,
        scratch: &mut G::Scratch,
    ) -> Result<Vec<B>, G::Error> {
        let constants = [false, true].map(|value| gates.constant(value));
        let bit = |entry: Entry<'_, B>| match entry {
            Entry::Bit(bit) => gates.not(&gates.not(bit)),
            Entry::Known(value) => gates.not(&constants[usize::from(!value)]),
        };
        let mut bits = Vec::with_capacity(self.count());
        for number in 0..self.count() {
            let place = number / self.word.len();
            let old = bit((self.entries)(number));
            let mut after = bit(self.word[number % self.word.len()]);
            let index = self.index.iter().enumerate();
            let named = index.map(|(i, bit)| (bit, place >> i & 1 == 1));
            for (condition, wanted) in named.chain(self.enable.iter().map(|enable| (enable, true)))
            {
                let pair = match wanted ^ condition.inverted {
                    true => [&old, &after],
                    false => [&after, &old],
                };
                let by = (condition.bit, condition.selector);
                let chosen = gates.choose_many(scratch, by, &[pair]).pop();
                after = match chosen {
                    Some(chosen) => chosen?,
                    None => break,
                };
            }
            bits.push(after);
        }
        Ok(bits)
    }
}
