//! What secret bits can be on the present path, by function.
//!
//! A path is taken where all its conditions came out its way. That is a function of the secrets,
//! `care`, and what contradicts it does not happen there: a branch is decided, an index has few
//! values. [`Diagrams`] decide that where the functions are small; where they are not, nothing is
//! known, and both sides of a branch are executed. Outside of paths everything can happen that the
//! bits themselves allow, so a comparison that never holds is no secret anywhere.

use std::rc::Rc;

use circuits::Wire;
use circuits::diagrams::{Diagrams, Function};
use circuits::library::{self, Code};

use super::Symbolic;
use super::word::Wires;

/// Where a path is taken, by two functions that both hold there: all that was decided, as far as that
/// stays small, and what was decided since it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Care {
    all: Function,
    last: Function,
}

impl Care {
    pub(crate) const ALWAYS: Self = Self {
        all: Function::TRUE,
        last: Function::TRUE,
    };
    pub(crate) const NEVER: Self = Self {
        all: Function::FALSE,
        last: Function::FALSE,
    };

    /// It where a function holds too.
    fn and(self, diagrams: &mut Diagrams, holds: Function) -> Self {
        let care = Self {
            all: diagrams.and(self.all, holds).unwrap_or(self.all),
            last: diagrams.and(self.last, holds).unwrap_or(holds),
        };
        match care.all == Function::FALSE || care.last == Function::FALSE {
            true => Self::NEVER,
            false => care,
        }
    }

    fn each(&mut self) -> [&mut Function; 2] {
        [&mut self.all, &mut self.last]
    }

    /// Whether another one holds wherever this one does.
    pub(super) fn implies(self, diagrams: &mut Diagrams, other: Self) -> bool {
        [other.all, other.last].into_iter().all(|other| {
            let Some(fails) = diagrams.not(other) else {
                return false;
            };
            self.excludes(diagrams, fails)
        })
    }

    fn meets(self, diagrams: &mut Diagrams, holds: Function) -> bool {
        [self.all, self.last]
            .into_iter()
            .all(|care| diagrams.and(care, holds) != Some(Function::FALSE))
    }

    /// Whether a function never holds where the path is taken, as far as that is seen with little work.
    pub(super) fn excludes(self, diagrams: &Diagrams, holds: Function) -> bool {
        diagrams.exclude(self.all, holds) || diagrams.exclude(self.last, holds)
    }
}

impl Symbolic {
    /// Whether [`compact`](Self::compact) should be called before more is asked.
    pub(crate) fn is_crowded(&self) -> bool {
        self.diagrams.is_crowded()
    }

    /// Makes room for more functions; where paths are taken is still known of these, but not what words are
    /// there.
    pub(crate) fn compact<'a>(&mut self, cares: impl Iterator<Item = &'a mut Care>) {
        self.narrow.clear();
        self.compared.forget_paths();
        let mut held: Vec<&mut Function> = self.care.each().into();
        for care in cares {
            held.extend(care.each());
        }
        self.diagrams.compact(&mut held);
    }

    /// The value of a condition that has only one on the present path.
    pub(crate) fn decided(&mut self, condition: Wire) -> Option<bool> {
        // On a path that cannot be taken everything is as true as false.
        if self.care == Care::NEVER {
            return None;
        }
        let condition = self.plain_where(self.care, condition);
        let holds = match self.compared() {
            Some(word) => self.diagrams.of_comparison(&self.builder, condition, &word),
            None => self.diagrams.of_condition(&self.builder, condition),
        };
        let holds = holds?;
        if !self.care.meets(&mut self.diagrams, holds) {
            return Some(false);
        }
        let fails = self.diagrams.not(holds)?;
        (!self.care.meets(&mut self.diagrams, fails)).then_some(true)
    }

    /// Where the present path is taken and a condition holds, and where it does not hold; more
    /// than that where these are too large.
    pub(crate) fn cares(&mut self, condition: Wire) -> [Care; 2] {
        [true, false].map(|value| self.care_where(self.care, condition, value))
    }

    pub(super) fn care_where(&mut self, care: Care, condition: Wire, value: bool) -> Care {
        let condition = self.plain_where(care, condition).invert_if(!value);
        match self.diagrams.of_condition(&self.builder, condition) {
            Some(holds) => care.and(&mut self.diagrams, holds),
            None => care,
        }
    }

    /// Where one of several paths is taken; nothing where that is too large.
    pub(crate) fn any_care(&mut self, cares: &[Care]) -> Option<Care> {
        let mut any = |of: fn(&Care) -> Function| {
            let mut cares = cares.iter().map(of);
            cares.try_fold(Function::FALSE, |any, care| self.diagrams.or(any, care))
        };
        match (any(|care| care.all), any(|care| care.last)) {
            (None, None) => None,
            (all, last) => Some(Care {
                all: all.unwrap_or(Function::TRUE),
                last: last.unwrap_or(Function::TRUE),
            }),
        }
    }

    /// Where these conditions have these values, or more.
    pub(crate) fn care_of(&mut self, facts: impl Iterator<Item = (Wire, bool)>) -> Care {
        facts.fold(Care::ALWAYS, |care, (condition, value)| {
            self.care_where(care, condition, value)
        })
    }

    /// The values that a word can have for the instruction in progress, ascending; nothing if they
    /// are more than `limit`, or if that is too much work.
    pub(crate) fn feasible(&mut self, word: &[Wire], limit: usize) -> Option<Vec<u32>> {
        let care = match self.predicate {
            Some(condition) => self.care_where(self.care, condition, true),
            None => self.care,
        };
        let known = <&Wires>::try_from(word).ok();
        let numbers = known.and_then(|word| self.numbers.get(word)).map(Rc::clone);
        let values = match numbers {
            Some(numbers) => numbers.to_vec(),
            None => {
                let mut values = |care| self.diagrams.values(&self.builder, word, care, limit);
                match values(care.last) {
                    Some(values) if care.last == care.all => return some_of(values),
                    Some(values) => values,
                    None => return some_of(values(care.all)?),
                }
            }
        };
        let possible = |number: &u32| self.is_possible(word, *number, care);
        some_of(values.into_iter().filter(possible).collect())
    }

    /// Whether a word can have a value where `care` holds, as far as is known.
    fn is_possible(&mut self, word: &[Wire], value: u32, care: Care) -> bool {
        let bits = word.iter().enumerate();
        let left = bits.into_iter().try_fold(care, |care, (at, bit)| {
            let bit = bit.invert_if(value >> at & 1 == 0);
            let left = match self.diagrams.of(&self.builder, bit) {
                Some(holds) => care.and(&mut self.diagrams, holds),
                None => care,
            };
            (left != Care::NEVER).then_some(left)
        });
        left.is_some()
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

fn some_of(values: Vec<u32>) -> Option<Vec<u32>> {
    (!values.is_empty()).then_some(values)
}
