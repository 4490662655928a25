//! Noting what words are made of as instructions make them: sums, products, choices, loads.
//!
//! See [`super::origin`] for what is noted, and [`super::select`] for who reads it.

use std::collections::BTreeSet;

use circuits::{Wire, library, library::Word as Bits};

use super::objects::Stack;
use super::origin::{BASES, Base, Origin};
use super::select::FEW_BITS;
use super::word::Wires;
use super::{Symbolic, Word};

impl Symbolic {
    /// Notes what a sum is made of.
    pub(super) fn note_sum(&mut self, a: &Word, b: &Word, carry: Wire, sum: &Word) {
        let (Word::Secret(wires), Some(carry)) = (sum, carry.as_constant()) else {
            return;
        };
        if let (Word::Clear(number), Word::Secret(word))
        | (Word::Secret(word), Word::Clear(number)) = (a, b)
        {
            self.note_numbers_moved(sum, word, number.wrapping_add(carry.into()));
        }
        let origin = match (a, b) {
            (Word::Clear(number), Word::Secret(secret)) => {
                let by = number.wrapping_add(carry.into());
                let mut origin = self.origin_with(secret, *number).moved(by);
                if carry && origin.displacement == by {
                    // `number − x` arrives as `number + ¬x + 1`: at x = 0 it is the number itself.
                    for base in &mut origin.bases {
                        (base.at, base.down) = (*number, true);
                    }
                    return self.origins.insert(**wires, origin);
                }
                if origin.is_difference(by) {
                    return;
                }
                self.member(*number, secret, carry, origin)
            }
            (Word::Secret(secret), Word::Clear(number)) => {
                let by = number.wrapping_add(carry.into());
                let origin = self.origin_with(secret, by).moved(by);
                if origin.is_difference(by) {
                    return;
                }
                self.member(*number, secret, carry, origin)
            }
            (Word::Secret(a), Word::Secret(b)) => {
                let known = [self.origins.get(a), self.origins.get(b)];
                let anchored = |origin: &Option<&Origin>| origin.is_some_and(Origin::is_anchored);
                let (pointer, index, origin) = match (anchored(&known[0]), anchored(&known[1])) {
                    (true, false) => (known[0], known[1], b),
                    (false, true) => (known[1], known[0], a),
                    _ => return,
                };
                let Some(pointer) = pointer.cloned() else {
                    return;
                };
                let few = pointer.exact && !carry;
                let few = few.then(|| self.each_place(&pointer.bases, origin));
                let index = index.cloned().unwrap_or_else(|| Origin::of_index(**origin));
                let (x, y) = (&pointer.index, &index.index);
                let is_plain = x.iter().all(|wire| *wire == Wire::FALSE);
                let factors = index.factors.filter(|_| is_plain && !carry);
                let added = library::add_with_carry(&mut self.builder, x, y, Wire::constant(carry));
                let mut origin = pointer.moved(index.displacement);
                let Ok(sum) = added.sum.try_into() else {
                    return;
                };
                (origin.index, origin.factors, origin.exact) = (sum, factors, false);
                origin.made_of(few.flatten())
            }
            _ => return,
        };
        self.origins.insert(**wires, origin);
    }

    /// The sum of a clear pointer and an index, where that chooses a member of a structure.
    fn member(&self, number: u32, index: &Wires, carry: bool, sum: Origin) -> Origin {
        let is_index = self
            .origins
            .get(index)
            .is_none_or(|origin| !origin.is_anchored());
        let pointers = (is_index && !carry).then(|| Origin::of_pointer(number).bases);
        let places = pointers.and_then(|pointers| self.each_place(&pointers, index));
        sum.made_of(places)
    }

    /// The addresses in the heap that pointers and an index of few values come to: which member of a
    /// structure a secret chose.
    fn each_place(&self, pointers: &[Base], index: &Wires) -> Option<Vec<Base>> {
        if !pointers.iter().all(|base| self.objects.is_in_heap(base.at)) {
            return None;
        }
        let values = values_of(index, FEW_BITS)?;
        let place = |base: &Base, value: u32| Base {
            at: base.at.wrapping_add(value),
            ..*base
        };
        let each = |base| values.iter().map(move |value| place(base, *value));
        let mut bases: Vec<Base> = pointers.iter().flat_map(each).collect();
        bases.sort_unstable();
        bases.dedup();
        (bases.len() <= BASES).then_some(bases)
    }

    /// Notes that a word is a clear number times another.
    pub(super) fn note_product(&mut self, a: &Word, b: &Word, product: &Word) {
        if let (Word::Clear(factor), Word::Secret(secret))
        | (Word::Secret(secret), Word::Clear(factor)) = (a, b)
            && let Word::Secret(product) = product
            && !factor.is_power_of_two()
        {
            let mut origin = Origin::of_index(**product);
            origin.factors = Some((*factor, **secret));
            self.origins.insert(**product, origin);
        }
    }

    /// Whether a word is an address, as far as its origin shows.
    pub(super) fn is_address(&self, word: &Word) -> bool {
        match word {
            Word::Clear(number) => self.objects.is_pointer(*number),
            Word::Secret(wires) => self.origins.get(wires).is_some_and(Origin::is_anchored),
        }
    }

    /// The secret bits that a word is made of with clear numbers, if that is known of it.
    pub(crate) fn index_of(&self, word: &Wires) -> Option<Wires> {
        self.origins.get(word).map(|origin| origin.index)
    }

    /// The clear pointers that a register may have been chosen from.
    pub(crate) fn pointers_in(&self, register: usize) -> Vec<u32> {
        let Word::Secret(wires) = self.peek(register) else {
            return Vec::new();
        };
        let origin = self.origins.get(wires);
        let bases = origin.into_iter().flat_map(|origin| &origin.bases);
        bases.filter_map(|base| base.anchor).collect()
    }

    /// The origin of a word to which a clear number is added.
    fn origin_with(&self, secret: &Wires, number: u32) -> Origin {
        let known = self.origins.get(secret).cloned();
        let mut origin = known.unwrap_or_else(|| Origin::of_index(*secret));
        if !origin.is_anchored() {
            // Constants that were added to the index before count from the pointer.
            let before = origin.displacement;
            for base in &mut origin.bases {
                base.anchor = self.objects.is_pointer(number).then_some(number);
                base.at = before;
            }
        }
        origin
    }

    /// Notes that a word is one of two.
    pub(super) fn note_choice(
        &mut self,
        condition: Wire,
        then: &Word,
        otherwise: &Word,
        one: &Word,
    ) {
        let Word::Secret(wires) = one else {
            return;
        };
        let Some(mut chosen) = self.either(then, otherwise, wires) else {
            return;
        };
        // Pointers that moved alike have an index of their own.
        if let (Some(a), Some(b)) = (self.origin_of(then), self.origin_of(otherwise))
            && a.displacement == b.displacement
        {
            let pairs = a.index.into_iter().zip(b.index);
            let bits: Vec<Wire> = pairs
                .map(|(a, b)| self.builder.mux(condition, a, b))
                .collect();
            chosen.displacement = a.displacement;
            chosen.index = std::array::from_fn(|at| bits[at]);
        }
        self.origins.insert(**wires, chosen);
    }

    /// Notes that a word in memory is what it was, or another one.
    pub(super) fn note_replaced(&mut self, value: &Word, before: &Word, after: &Word) {
        if let Word::Secret(wires) = after
            && self.origins.get(wires).is_none()
            && let Some(origin) = self.either(value, before, wires)
        {
            self.origins.insert(**wires, origin);
        }
    }

    /// What a pointer is made of.
    fn origin_of(&self, word: &Word) -> Option<Origin> {
        match word {
            Word::Clear(number) => {
                let is_pointer = self.objects.is_pointer(*number);
                is_pointer.then(|| Origin::of_pointer(*number))
            }
            Word::Secret(wires) => self.origins.get(wires).filter(|o| o.is_anchored()).cloned(),
        }
    }

    /// What a word is made of that is one of two.
    fn either(&mut self, one: &Word, other: &Word, word: &Wires) -> Option<Origin> {
        let (bases, exact) = match (self.origin_of(one), self.origin_of(other)) {
            (Some(a), Some(b)) => {
                let all = (a.exact && b.exact).then(|| a.bases_with(&b, |base| base));
                match all.flatten() {
                    Some(all) => (all, true),
                    None => (self.bases_of_both(&a, &b)?, false),
                }
            }
            // A pointer or none: a clear number that is none is never meant to be used.
            (Some(origin), None) if other.clear().is_some() => (origin.bases, origin.exact),
            (None, Some(origin)) if one.clear().is_some() => (origin.bases, origin.exact),
            _ => return None,
        };
        Some(Origin {
            bases,
            exact,
            ..Origin::of_index(*word)
        })
    }

    /// The pointers that two words come from, with less said of each where they are many.
    fn bases_of_both(&mut self, a: &Origin, b: &Origin) -> Option<Vec<Base>> {
        let all = [&a.bases[..], &b.bases[..]].concat();
        self.survey_heap(&all);
        let locals = self.locals(&all);
        let stack = Stack {
            pointer: self.registers[13].clear().unwrap_or(0),
            locals: &locals,
            size: 1,
        };
        let simplify = |base| self.objects.simplified(base, &stack);
        let anywhere = |base| self.objects.anywhere_in_heap(base);
        let bases = a.bases_with(b, simplify);
        bases.or_else(|| a.bases_with(b, anywhere))
    }

    /// Notes that a loaded word is one of several pointers, if it is.
    ///
    /// Of a structure in the heap, secret numbers beside the pointers are among the entries. A word
    /// that is used as an address was none of them, and if it was one all the same, the access is
    /// outside its objects.
    pub(super) fn note_pointers(&mut self, word: &Wires, entries: &[(u32, Bits)]) {
        let loaded: Vec<Word> = entries
            .iter()
            .map(|(_, bits)| Word::from_slice(&bits[..32]))
            .collect();
        let all: Vec<&Word> = loaded.iter().collect();
        self.note_numbers(&Word::from_wires(*word), &all);
        let mut bases = Vec::new();
        let (mut numbers, mut is_structure, mut exact) = (false, false, true);
        for loaded in &loaded {
            match loaded {
                Word::Clear(0) => {}
                Word::Clear(number) if self.objects.is_pointer(*number) => {
                    is_structure |= self.objects.is_in_heap(*number);
                    bases.extend(Origin::of_pointer(*number).bases);
                }
                Word::Secret(wires) => match self.origins.get(wires) {
                    Some(origin) if origin.is_anchored() => {
                        is_structure = true;
                        exact &= origin.exact;
                        bases.extend(&origin.bases);
                    }
                    _ => (numbers, exact) = (true, false),
                },
                Word::Clear(_) => numbers = true,
            }
        }
        if numbers && !is_structure {
            return;
        }
        bases.sort_unstable();
        bases.dedup();
        if bases.len() > BASES {
            exact = false;
            let anywhere = bases
                .into_iter()
                .map(|base| self.objects.anywhere_in_heap(base));
            bases = anywhere.collect();
            bases.sort_unstable();
            bases.dedup();
        }
        if !bases.is_empty() && bases.len() <= BASES {
            let origin = Origin {
                bases,
                exact,
                ..Origin::of_index(*word)
            };
            self.origins.insert(*word, origin);
        }
    }

    /// Forgets the origins of words that the state does not hold.
    pub(super) fn drop_dead_origins(&mut self) {
        if self.origins.is_empty() {
            return;
        }
        let mut live: BTreeSet<Wires> = BTreeSet::new();
        let held = self.registers.iter().chain(self.floats.all());
        live.extend(held.filter_map(|word| match word {
            Word::Secret(wires) => Some(**wires),
            Word::Clear(_) => None,
        }));
        let words: BTreeSet<u32> = self
            .memory
            .secret_bytes()
            .iter()
            .map(|(address, _)| address & !3)
            .collect();
        live.extend(words.into_iter().map(|address| self.memory.word(address)));
        let origins = self.origins.take();
        self.origins = origins
            .into_iter()
            .filter(|(word, _)| live.contains(word))
            .collect();
    }
}

/// All values of a word of at most `limit` secret bits.
pub(super) fn values_of(word: &Wires, limit: usize) -> Option<Vec<u32>> {
    let mut signals: Vec<Wire> = word
        .iter()
        .filter(|wire| wire.as_constant().is_none())
        .map(|wire| wire.positive())
        .collect();
    signals.sort_unstable();
    signals.dedup();
    if signals.len() > limit {
        return None;
    }
    let values = (0..1u32 << signals.len()).map(|values| {
        let bit = |wire: &Wire| match signals.binary_search(&wire.positive()) {
            Ok(place) => (values >> place & 1 == 1) ^ wire.is_inverted(),
            Err(_) => *wire == Wire::TRUE,
        };
        let bits = word.iter().enumerate();
        bits.map(|(at, wire)| u32::from(bit(wire)) << at).sum()
    });
    Some(values.collect())
}
