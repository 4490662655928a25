//! Where an address comes from: the provenance of words that are pointers.
//!
//! An access at a secret address selects over the object that the pointer is meant to lie in, and a
//! sum of 32 secret bits does not tell which that is. So sums are remembered as what they are made
//! of: `displacement + index`, a clear number and secret bits, with the clear pointers that went in
//! as anchors. What an access needs, the secret part without the adder that moved it, is then at
//! hand; the adder is dropped where nothing else reads the sum.
//!
//! The record belongs to the *bits* of a word, not to a register: a word with the same wires has
//! the same value, however it was moved, stored and loaded again. So moves, stacks and merges need
//! no care, and clear words know nothing of all this.

use std::collections::BTreeMap;

use circuits::Wire;
use circuits::ir::Signal;
use serde::{Deserialize, Serialize};

use super::word::Wires;

/// The most pointers that a word may have been chosen from.
pub(crate) const BASES: usize = 16;

/// A number of fewer bytes, or of so many below 0, is more likely a difference of addresses than an
/// address.
const NEAR: u32 = 1 << 12;

/// A clear pointer that an address was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Base {
    /// The pointer to which the first secret was added, if there was one.
    pub(crate) anchor: Option<u32>,
    /// It with all constants that were added: the address at index 0.
    pub(crate) at: u32,
    /// Whether the index was subtracted, or may have been.
    pub(crate) down: bool,
}

/// What an address is made of: its value is `displacement + index` modulo 2^32.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The pointers that it may come from, sorted; at least one.
    pub(crate) bases: Vec<Base>,
    pub(crate) displacement: u32,
    pub(crate) index: Wires,
    /// A clear number and secret bits of which the index is the product, where it is one.
    pub(crate) factors: Option<(u32, Wires)>,
    /// Whether the word is always one of the bases' addresses, or no address at all: a pointer that
    /// was chosen from some, without an index.
    pub(crate) exact: bool,
}

impl Origin {
    /// A word of which nothing is known.
    pub(crate) fn of_index(index: Wires) -> Self {
        let base = Base {
            anchor: None,
            at: 0,
            down: false,
        };
        Self {
            bases: vec![base],
            displacement: 0,
            index,
            factors: None,
            exact: false,
        }
    }

    /// A clear pointer.
    pub(crate) fn of_pointer(pointer: u32) -> Self {
        let base = Base {
            anchor: Some(pointer),
            at: pointer,
            down: false,
        };
        Self {
            bases: vec![base],
            displacement: pointer,
            index: [Wire::FALSE; 32],
            factors: None,
            exact: true,
        }
    }

    /// Whether a pointer went in.
    pub(crate) fn is_anchored(&self) -> bool {
        self.bases.iter().any(|base| base.anchor.is_some())
    }

    /// Whether it is no address but a number, the difference of two: the constant that was added last
    /// took all of a pointer away. Such a number may be 0, which of a pointer means that there is none.
    pub(crate) fn is_difference(&self, added: u32) -> bool {
        let is_near_zero = |at: u32| at.wrapping_add(NEAR) < 2 * NEAR;
        let was_far = |base: &Base| !is_near_zero(base.at.wrapping_sub(added));
        let mut bases = self.bases.iter();
        bases.all(|base| base.anchor.is_some() && is_near_zero(base.at) && was_far(base))
    }

    /// With the addresses that the word can be, if they are known.
    pub(crate) fn made_of(mut self, places: Option<Vec<Base>>) -> Self {
        if let Some(places) = places {
            (self.bases, self.exact) = (places, true);
        }
        self
    }

    /// With a clear number added.
    pub(crate) fn moved(mut self, by: u32) -> Self {
        self.displacement = self.displacement.wrapping_add(by);
        for base in &mut self.bases {
            base.at = base.at.wrapping_add(by);
        }
        self
    }

    /// The secret bits that an access selects by.
    pub(crate) fn bits(&self) -> &Wires {
        match &self.factors {
            Some((_, factor)) => factor,
            None => &self.index,
        }
    }

    /// The value of [`bits`](Self::bits) for an address; `None` if the index is a product that
    /// leads there only by wrapping around.
    pub(crate) fn value_at(&self, address: u32) -> Option<u32> {
        let index = address.wrapping_sub(self.displacement);
        match self.factors {
            None => Some(index),
            Some((factor, _)) => {
                let (index, factor) = (index.cast_signed(), factor.cast_signed());
                let is_multiple = index.checked_rem(factor) == Some(0);
                let value = is_multiple.then(|| index.checked_div(factor)).flatten()?;
                Some(value.cast_unsigned())
            }
        }
    }

    /// Every wire, to be read or renamed.
    pub(crate) fn each_wire(&mut self, visit: &mut impl FnMut(&mut Wire)) {
        self.index.iter_mut().for_each(&mut *visit);
        if let Some((_, factor)) = &mut self.factors {
            factor.iter_mut().for_each(visit);
        }
    }

    /// The pointers of both, simplified; `None` if there are too many.
    pub(crate) fn bases_with(
        &self,
        other: &Self,
        simplify: impl Fn(Base) -> Base,
    ) -> Option<Vec<Base>> {
        let both = self.bases.iter().chain(&other.bases).copied();
        let mut bases: Vec<Base> = both.map(simplify).collect();
        bases.sort_unstable();
        bases.dedup();
        (bases.len() <= BASES).then_some(bases)
    }
}

/// The known origins, by the bits of the words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins(BTreeMap<Wires, Origin>);

impl Origins {
    pub(crate) fn get(&self, word: &Wires) -> Option<&Origin> {
        self.0.get(word)
    }

    pub(crate) fn insert(&mut self, word: Wires, origin: Origin) {
        self.0.insert(word, origin);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Wires, &Origin)> {
        self.0.iter()
    }

    /// All, in an order that depends on the words' bits alone.
    pub(crate) fn take(&mut self) -> Vec<(Wires, Origin)> {
        std::mem::take(&mut self.0).into_iter().collect()
    }

    /// Adds what is known of `word` for `rewired`, which is it where some signals are constant, as
    /// `known` says. Words that keep their bits keep their records: such a record is read on other
    /// paths too, where the signals are something else.
    pub(crate) fn rewire(&mut self, word: &Wires, rewired: Wires, known: impl Fn(Wire) -> Wire) {
        if let Some(mut origin) = self.0.get(word).cloned() {
            origin.each_wire(&mut |wire| *wire = known(*wire));
            self.0.insert(rewired, origin);
        }
    }

    /// A signal is a constant for good: of each record that has such a bit the one with the
    /// constant is added, or takes its place.
    pub(crate) fn reveal(&mut self, signal: Signal, positive: bool) {
        let known = |wire: Wire| match wire.signal() == signal {
            true => Wire::constant(positive ^ wire.is_inverted()),
            false => wire,
        };
        let has = |wires: &Wires| wires.iter().any(|wire| wire.signal() == signal);
        let found: Vec<_> = self
            .0
            .iter()
            .filter(|(word, origin)| has(word) || has(&origin.index) || has(origin.bits()))
            .map(|(word, origin)| {
                let mut origin = origin.clone();
                origin.each_wire(&mut |wire| *wire = known(*wire));
                (word.map(known), origin)
            })
            .collect();
        self.0.extend(found);
    }
}

impl FromIterator<(Wires, Origin)> for Origins {
    fn from_iter<I: IntoIterator<Item = (Wires, Origin)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}
