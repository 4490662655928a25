//! What secret bits can be on the present path, by function.
//!
//! A path is taken where all its conditions came out its way. That is a function of the secrets,
//! `care`, and what contradicts it does not happen there: a branch is decided, an index has few
//! values. [`Diagrams`] decide that where the functions are small; where they are not, nothing is
//! known, and both sides of a branch are executed. Outside of paths everything can happen that the
//! bits themselves allow, so a comparison that never holds is no secret anywhere.

use std::rc::Rc;

use circuits::Wire;
use circuits::diagrams::Function;
use circuits::library::{self, Code};

use super::Symbolic;
use super::word::Wires;

impl Symbolic {
    /// The value of a condition that has only one on the present path.
    pub(crate) fn decided(&mut self, condition: Wire) -> Option<bool> {
        // On a path that cannot be taken everything is as true as false.
        if self.care == Function::FALSE {
            return None;
        }
        let holds = match self.compared() {
            Some(word) => self.diagrams.of_comparison(&self.builder, condition, &word),
            None => self.diagrams.of_condition(&self.builder, condition),
        };
        let holds = holds?;
        if self.diagrams.and(self.care, holds) == Some(Function::FALSE) {
            return Some(false);
        }
        let never = self.diagrams.without(self.care, holds) == Some(Function::FALSE);
        never.then_some(true)
    }

    /// Where the present path is taken and a condition holds, and where it does not hold; more
    /// than that where these are too large.
    pub(crate) fn cares(&mut self, condition: Wire) -> [Function; 2] {
        let care = self.care;
        let Some(holds) = self.diagrams.of_condition(&self.builder, condition) else {
            return [care, care];
        };
        let both = [
            self.diagrams.and(care, holds),
            self.diagrams.without(care, holds),
        ];
        both.map(|side| side.unwrap_or(care))
    }

    /// Where one of several paths is taken; nothing where that is too large.
    pub(crate) fn any_care(&mut self, cares: &[Function]) -> Option<Function> {
        cares
            .iter()
            .try_fold(Function::FALSE, |any, care| self.diagrams.or(any, *care))
    }

    /// Where these conditions have these values, or more.
    pub(crate) fn care_of(&mut self, facts: impl Iterator<Item = (Wire, bool)>) -> Function {
        facts.fold(Function::TRUE, |care, (condition, value)| {
            let condition = condition.invert_if(!value);
            let holds = self.diagrams.of_condition(&self.builder, condition);
            let both = holds.and_then(|holds| self.diagrams.and(care, holds));
            both.unwrap_or(care)
        })
    }

    /// The values that a word can have for the instruction in progress, ascending; nothing if they
    /// are more than `limit`, or if that is too much work.
    pub(crate) fn feasible(&mut self, word: &[Wire], limit: usize) -> Option<Vec<u32>> {
        let mut care = self.care;
        if let Some(condition) = self.predicate {
            let holds = self.diagrams.of_condition(&self.builder, condition);
            let both = holds.and_then(|holds| self.diagrams.and(care, holds));
            care = both.unwrap_or(care);
        }
        let known = <&Wires>::try_from(word).ok();
        let values = match known.and_then(|word| self.numbers.get(word)) {
            Some(numbers) => {
                let numbers = Rc::clone(numbers);
                let possible = |number: &u32| self.is_possible(word, *number, care);
                numbers.iter().copied().filter(possible).collect()
            }
            None => self.diagrams.values(&self.builder, word, care, limit)?,
        };
        (!values.is_empty()).then_some(values)
    }

    /// Whether a word can have a value where `care` holds, as far as is known.
    fn is_possible(&mut self, word: &[Wire], value: u32, care: Function) -> bool {
        let bits = word.iter().enumerate();
        let left = bits.fold(care, |care, (at, bit)| {
            let bit = bit.invert_if(value >> at & 1 == 0);
            let holds = self.diagrams.of(&self.builder, bit);
            let both = holds.and_then(|holds| self.diagrams.and(care, holds));
            both.unwrap_or(care)
        });
        left != Function::FALSE
    }

    /// For each of some sets of values whether a word has one of them, if it has one of any.
    pub(crate) fn one_of(&mut self, word: &[Wire], sets: &[&[u32]]) -> Vec<Wire> {
        let pairs = sets.iter().enumerate();
        let pairs = pairs.flat_map(|(set, values)| values.iter().map(move |value| (*value, set)));
        let (values, set_of): (Vec<u32>, Vec<usize>) = pairs.unzip();
        let code = Code::new(&mut self.builder, word, &values);
        let entries: Vec<(u32, Vec<Wire>)> = code
            .values
            .iter()
            .map(|&(index, place)| {
                let is_in = |set| Wire::constant(set == set_of[place]);
                (index, (0..sets.len()).map(is_in).collect())
            })
            .collect();
        let build = &mut self.builder;
        library::select_from(build, &code.index, Wire::TRUE, sets.len(), &entries)
    }
}
