//! Which numbers a word can be that was chosen from known ones, such as a pointer to one of several
//! nodes.
//!
//! Diagrams know that by function as long as functions are small. A choice of choices, through
//! memory and with other data as conditions, soon is not; the numbers that it is made from remain
//! few. The record belongs to the bits of a word, as that of its origin does, and to the circuit
//! that is being recorded: it ends with it, so that a run that was resumed knows the same.

use std::collections::BTreeSet;
use std::collections::HashMap;
use std::rc::Rc;

use super::word::Wires;
use super::{Symbolic, Word};

/// The most numbers of a word.
const NUMBERS: usize = 64;

/// By the bits of a word, the numbers that it can be, ascending.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers(HashMap<Wires, Rc<[u32]>>);

impl Numbers {
    /// Those of a secret word, if they are known.
    pub(super) fn get(&self, word: &Wires) -> Option<&Rc<[u32]>> {
        self.0.get(word)
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    fn add_to(&self, all: &mut BTreeSet<u32>, word: &Word) -> Option<()> {
        match word {
            Word::Clear(number) => _ = all.insert(*number),
            Word::Secret(wires) => all.extend(self.0.get(&**wires)?.iter()),
        }
        (all.len() <= NUMBERS).then_some(())
    }
}

impl Symbolic {
    /// A word is one of these.
    pub(super) fn note_numbers(&mut self, word: &Word, of: &[&Word]) {
        let Word::Secret(wires) = word else {
            return;
        };
        let mut all = BTreeSet::new();
        if of
            .iter()
            .try_for_each(|one| self.numbers.add_to(&mut all, one))
            .is_some()
        {
            self.numbers.0.insert(**wires, all.into_iter().collect());
        }
    }

    /// A word is another and a clear number.
    pub(super) fn note_numbers_moved(&mut self, word: &Word, from: &Wires, by: u32) {
        if let Word::Secret(wires) = word
            && let Some(numbers) = self.numbers.get(from)
        {
            let mut moved: Vec<u32> = numbers.iter().map(|n| n.wrapping_add(by)).collect();
            moved.sort_unstable();
            self.numbers.0.insert(**wires, moved.into());
        }
    }
}
