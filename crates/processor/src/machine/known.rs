//! What is known of words where the present path is taken.
//!
//! Below ten, `x + 1` is a sum of four bits. So an operation on words of which much is known there is recorded a
//! second time, on what is left of them, and its result noted beside the word that registers and memory hold,
//! with where that holds. Comparisons, further operations and choices read what was noted; the word itself is
//! then read by nobody, and costs nothing. It is what addresses are made of, and what all other notes are about:
//! an index outside its array has to be seen, even on a path on which it can be nothing else.

use std::collections::HashMap;

use circuits::diagrams::Function;
use circuits::{Builder, Wire};

use super::feasible::Care;
use super::word::{Wires, Word};
use super::{Symbolic, units};

/// With fewer upper bits known, nothing is noted.
const MANY: usize = 8;
/// Words with at most so many secret bits, and what is made of them, are looked at closely.
const SHORT: usize = 16;

/// A word's value where `care` holds.
#[derive(Clone, Debug)]
pub(super) struct Known {
    word: Wires,
    care: Care,
}

/// By the bits of a word.
pub(super) type KnownWords = HashMap<Wires, Known>;

impl Symbolic {
    /// Notes what the result of an operation is where the instruction in progress counts, if that is more than
    /// the result shows.
    pub(super) fn note_known<const COUNT: usize>(
        &mut self,
        operands: [&Word; COUNT],
        result: &Word,
        operation: impl FnOnce(&mut Builder, [&Word; COUNT]) -> Word,
    ) {
        let Word::Secret(wires) = result else {
            return;
        };
        let is_anywhere = self.care == Care::ALWAYS && self.predicate.is_none();
        if is_anywhere || self.is_address(result) {
            return;
        }
        let care = match self.predicate {
            Some(condition) => self.care_where(self.care, condition, true),
            None => self.care,
        };
        if care == Care::NEVER {
            return;
        }
        let known = operands.map(|word| self.known_where(care, word));
        let are_short = known.iter().all(is_short);
        let known = known.map(Word::from_wires);
        let is_less = known
            .iter()
            .zip(operands)
            .any(|(known, word)| known != word);
        let word = match is_less {
            true => operation(&mut self.builder, known.each_ref()).wires(),
            false => **wires,
        };
        let word = self.known_above(care, word, are_short);
        if word != **wires {
            self.narrow.insert(**wires, Known { word, care });
        }
    }

    /// A word's bits on the present path.
    pub(super) fn known_here(&mut self, word: &Word) -> Wires {
        self.known_where(self.care, word)
    }

    /// A word's bits where `care` holds.
    fn known_where(&mut self, care: Care, word: &Word) -> Wires {
        let (Word::Secret(wires), false) = (word, care == Care::NEVER) else {
            return word.wires();
        };
        let noted = self.narrow.get(&**wires);
        let noted = noted.filter(|known| care.implies(&mut self.diagrams, known.care));
        match noted.map(|known| known.word) {
            Some(word) => self.known_above(care, word, is_short(&word)),
            None => self.difference_where(care, wires),
        }
    }

    /// A word's bits where `care` holds; of a difference, by its operands: a digit's value is made before the digit
    /// is known to be one.
    fn difference_where(&mut self, care: Care, word: &Wires) -> Wires {
        let Some(operands) = self.operands_of(word).filter(|_| care != Care::ALWAYS) else {
            return self.known_above(care, *word, is_short(word));
        };
        let known = operands.map(|operand| self.known_above(care, operand, is_short(&operand)));
        if known == operands {
            return self.known_above(care, *word, is_short(word));
        }
        let [a, b] = [known[0], known[1].map(|wire| !wire)].map(Word::from_wires);
        let less = units::add_with_carry(&mut self.builder, &a, &b, Wire::TRUE);
        let are_short = known.iter().all(is_short);
        let less = self.known_above(care, less.result.wires(), are_short);
        // A note that holds elsewhere, too, is worth more.
        let before = self.narrow.get(word).map(|known| known.care);
        if less != *word && before.is_none_or(|before| before.implies(&mut self.diagrams, care)) {
            self.narrow.insert(*word, Known { word: less, care });
        }
        less
    }

    /// A word with the upper bits that it has where `care` holds, if they are many. What few secret bits were made
    /// into is looked at closely.
    fn known_above(&mut self, care: Care, word: Wires, is_short: bool) -> Wires {
        let mut known = word;
        let mut found = 0;
        for bit in known.iter_mut().rev() {
            if bit.as_constant().is_some() {
                continue;
            }
            let Some(constant) = self.constant_where(care, *bit, is_short) else {
                break;
            };
            *bit = constant;
            found += 1;
        }
        match found >= MANY {
            true => known,
            false => word,
        }
    }

    /// A bit as a function of secrets, if that was asked before or it is made of few. Of an input that nothing
    /// was asked about nothing is known; it should get its place among the variables beside what it is compared
    /// with.
    fn function_of(&mut self, bit: Wire, is_short: bool) -> Option<Function> {
        let is_input = || self.builder.input_number(bit).is_some();
        match self.diagrams.knows(bit) || is_short && !is_input() {
            true => self.diagrams.of(&self.builder, bit),
            false => None,
        }
    }

    /// The value that a bit always has where `care` holds, if it has one.
    fn constant_where(&mut self, care: Care, bit: Wire, is_short: bool) -> Option<Wire> {
        let is_one = self.function_of(bit, is_short)?;
        if care.excludes(&self.diagrams, is_one) {
            return Some(Wire::FALSE);
        }
        let is_zero = self.diagrams.not(is_one)?;
        care.excludes(&self.diagrams, is_zero).then_some(Wire::TRUE)
    }

    /// One of two words, the first where a condition holds.
    pub(super) fn chosen(&mut self, condition: Wire, then: &Word, otherwise: &Word) -> Word {
        let plain = [then.wires(), otherwise.wires()];
        let short = self.shortened(condition, then, otherwise);
        if short != plain && self.care == Care::ALWAYS {
            // The same function of all secrets: every note about it is true everywhere.
            return self.either_of(condition, short);
        }
        let chosen = self.either_of(condition, plain);
        if short != plain
            && let Word::Secret(wires) = &chosen
        {
            let word = self.either_of(condition, short).wires();
            let care = self.care;
            self.narrow.insert(**wires, Known { word, care });
        }
        chosen
    }

    fn either_of(&mut self, condition: Wire, [a, b]: [Wires; 2]) -> Word {
        Word::from_wires(std::array::from_fn(|i| {
            self.builder.mux(condition, a[i], b[i])
        }))
    }

    /// Two words to choose from, the first where a condition holds, with what is known of each where it is
    /// chosen. Of a bit that one word then has constant there is nothing to choose where the other word's is
    /// that constant, too, whenever one of the two is taken. The choice is the same where the present path is
    /// taken.
    fn shortened(&mut self, condition: Wire, then: &Word, otherwise: &Word) -> [Wires; 2] {
        let plain = [then.wires(), otherwise.wires()];
        if then == otherwise || self.care == Care::NEVER {
            return plain;
        }
        let [fails, holds] =
            [false, true].map(|value| self.care_where(self.care, condition, value));
        let mut short = [
            self.known_where(holds, then),
            self.known_where(fails, otherwise),
        ];
        let are_short = short.each_ref().map(is_short);
        let [a, b] = &mut short;
        for (at, (a, b)) in a.iter_mut().zip(b).enumerate() {
            if plain[0][at] == plain[1][at] {
                (*a, *b) = (plain[0][at], plain[1][at]);
                continue;
            }
            // The constant's side, and where each of the two is chosen.
            let (side, own, opposite) = match (a.as_constant(), b.as_constant()) {
                (Some(_), None) => (0, holds, fails),
                (None, Some(_)) => (1, fails, holds),
                _ => continue,
            };
            let (constant, other) = if side == 0 { (*a, *b) } else { (*b, *a) };
            let differs = other.invert_if(constant == Wire::TRUE);
            let Some(differs) = self.function_of(differs, are_short[1 - side]) else {
                continue;
            };
            let are_same = |care: Care| care.excludes(&self.diagrams, differs);
            if are_same(opposite) {
                (*a, *b) = (constant, constant);
            } else if are_same(own) {
                (*a, *b) = (other, other);
            }
        }
        let is_constant = |bit: &Wire| bit.as_constant().is_some();
        // What was secret stays it: a number would be a clear address.
        match short.iter().flatten().all(is_constant) {
            true => plain,
            false => short,
        }
    }
}

fn is_short(word: &Wires) -> bool {
    let secret = word.iter().filter(|bit| bit.as_constant().is_none());
    secret.count() <= SHORT
}
