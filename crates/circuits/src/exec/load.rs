//! A load with its operands, and how it is made of choices.

use std::fmt;

use super::{Gates, Selector};

/// A bit of a load's index.
#[derive(Clone, Copy, Debug)]
pub struct IndexBit<'a, B> {
    /// The bit as it was computed.
    pub bit: &'a B,
    /// What the engine chooses by it.
    pub selector: &'a Selector,
    /// Whether the index has its complement.
    pub inverted: bool,
}

/// A bit of an array.
#[derive(Debug)]
pub enum Entry<'a, B> {
    /// A constant.
    Known(bool),
    /// A bit of the engine's.
    Bit(&'a B),
}

impl<B> Clone for Entry<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for Entry<'_, B> {}

/// A load with its operands: see [`Load`](crate::ir::Load).
pub struct LoadJob<'a, B> {
    /// The index, lowest bit first.
    pub index: Vec<IndexBit<'a, B>>,
    /// The bits of all words by their numbers, word after word, one for each value of the index:
    /// nobody lists those of large arrays.
    pub entries: &'a dyn Fn(usize) -> Entry<'a, B>,
    /// Bits of a word.
    pub width: usize,
    /// The bits of it that are wanted, by their numbers.
    pub columns: &'a [u16],
}

impl<B> fmt::Debug for LoadJob<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadJob")
            .field("index", &self.index.len())
            .field("width", &self.width)
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}

/// A bit of the array or what was chosen of it.
enum Chosen<'a, B> {
    Entry(Entry<'a, B>),
    Own(B),
}

impl<B> LoadJob<'_, B> {
    /// Bits of all words.
    #[must_use]
    pub fn count(&self) -> usize {
        self.width << self.index.len()
    }

    /// Each bit by a tree of choices, the index's lowest bit at the leaves.
    ///
    /// # Errors
    /// The engine's own.
    pub fn by_choices<G: Gates<Bit = B> + ?Sized>(
        &self,
        gates: &G,
        scratch: &mut G::Scratch,
    ) -> Result<Vec<B>, G::Error> {
        let constants = [false, true].map(|value| gates.constant(value));
        let mut bits = Vec::with_capacity(self.columns.len());
        for &column in self.columns {
            let numbers = (usize::from(column)..self.count()).step_by(self.width.max(1));
            let column = numbers.map(|number| Chosen::Entry((self.entries)(number)));
            let mut chosen: Vec<Chosen<'_, B>> = column.collect();
            for IndexBit {
                bit,
                selector,
                inverted,
            } in &self.index
            {
                let of = |chosen| read(chosen, &constants);
                let pairs = chosen.chunks_exact(2).map(|pair| match inverted {
                    false => [of(&pair[0]), of(&pair[1])],
                    true => [of(&pair[1]), of(&pair[0])],
                });
                let pairs: Vec<[&B; 2]> = pairs.collect();
                let results = gates.choose_many(scratch, (bit, selector), &pairs);
                let results: Result<Vec<B>, G::Error> = results.into_iter().collect();
                chosen = results?.into_iter().map(Chosen::Own).collect();
            }
            bits.push(match chosen.pop() {
                Some(Chosen::Own(bit)) => bit,
                // Of an index without bits: the word itself, as its complement's.
                Some(other) => gates.not(&gates.not(read(&other, &constants))),
                None => gates.constant(false),
            });
        }
        Ok(bits)
    }
}

fn read<'a, B>(chosen: &'a Chosen<'_, B>, constants: &'a [B; 2]) -> &'a B {
    match chosen {
        Chosen::Own(bit) => bit,
        Chosen::Entry(Entry::Bit(bit)) => bit,
        Chosen::Entry(Entry::Known(value)) => &constants[usize::from(*value)],
    }
}
