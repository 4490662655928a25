//! The floating-point registers and FPSCR: part of every state, untouched by most programs.
//!
//! A state shares them until one of them changes, so a program without floating point pays nothing
//! for its snapshots. They are selected under a secret condition as the other registers are, choices
//! that are remembered included. The mode is a word like the registers, so that two paths may leave
//! different modes; arithmetic asks that it is clear.
//!
//! Exceptions set their flags only where the program can see them
//! ([`Symbolic::ignore_exceptions`]).
//!
//! Arithmetic on clear words happens at once, in [`FloatOperation::compute`]; on secret words it is a
//! circuit ([`float_units`](super::float_units)).

use std::rc::Rc;

use a32::{FloatException, FloatFlag, FloatMode, FloatOperation, FloatWord};
use circuits::Wire;

use super::{Choice, Fault, Symbolic, Word, float_units};

/// The registers as words, the flags of FPSCR in the order of [`FloatFlag::ALL`], its mode.
#[derive(Clone, Debug)]
pub(super) struct Floats {
    pub(super) words: [Word; FloatWord::COUNT],
    /// The choices that words hold the outcome of.
    pub(super) choices: [Option<Rc<Choice>>; FloatWord::COUNT],
    pub(super) flags: [Wire; FloatFlag::ALL.len()],
    pub(super) mode: Word,
}

impl Floats {
    /// All zero.
    pub(super) fn new() -> Rc<Self> {
        Rc::new(Self {
            words: std::array::from_fn(|_| Word::Clear(0)),
            choices: [const { None }; FloatWord::COUNT],
            flags: [Wire::FALSE; FloatFlag::ALL.len()],
            mode: Word::Clear(0),
        })
    }

    /// All words, the mode last.
    pub(super) fn all(&self) -> impl Iterator<Item = &Word> {
        self.words.iter().chain([&self.mode])
    }

    /// All words to write to, the mode last.
    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Word> {
        self.words.iter_mut().chain([&mut self.mode])
    }

    /// Whether no bit is secret and no choice is remembered.
    pub(super) fn is_clear(&self) -> bool {
        self.all().all(|word| !word.is_secret())
            && self.flags.iter().all(|wire| wire.as_constant().is_some())
            && self.choices.iter().all(Option::is_none)
    }
}

impl Symbolic {
    /// The registers and FPSCR, to write to.
    pub(super) fn floats_mut(&mut self) -> &mut Floats {
        Rc::make_mut(&mut self.floats)
    }

    pub(super) fn read_float_word(&mut self, number: FloatWord) -> Word {
        let number = number.index();
        let word = &self.floats.words[number];
        let chosen = match (self.predicate, &self.floats.choices[number]) {
            (_, None) => None,
            (Some(condition), Some(choice)) => choice.under(condition),
            (None, Some(choice)) => {
                let known = self.known.value(choice.condition);
                known.map(|holds| if holds { &choice.new } else { &choice.old })
            }
        };
        let word = chosen.unwrap_or(word).clone();
        self.touched |= word.is_secret();
        word
    }

    pub(super) fn write_float_word(&mut self, number: FloatWord, value: Word) {
        let number = number.index();
        let Some(condition) = self.predicate else {
            let floats = self.floats_mut();
            floats.words[number] = value;
            floats.choices[number] = None;
            return;
        };
        let before = match &self.floats.choices[number] {
            Some(choice) => choice.under(!condition).cloned(),
            None => None,
        };
        let old = before.unwrap_or_else(|| self.floats.words[number].clone());
        let chosen = self.choose(condition, &value, &old);
        let floats = self.floats_mut();
        floats.words[number] = chosen;
        floats.choices[number] = Some(Rc::new(Choice {
            condition,
            new: value,
            old,
        }));
    }

    pub(super) fn read_float_flag(&self, flag: FloatFlag) -> Wire {
        self.floats.flags[flag.index()]
    }

    pub(super) fn write_float_flag(&mut self, flag: FloatFlag, value: Wire) {
        let old = self.read_float_flag(flag);
        let value = self.predicated_bit(value, old);
        if value != old {
            self.floats_mut().flags[flag.index()] = value;
        }
    }

    /// Takes the mode from a value for FPSCR.
    pub(super) fn write_float_mode(&mut self, status: &Word) -> Result<(), Fault> {
        let bits = status.wires().into_iter().enumerate();
        let mut value = 0;
        for (i, wire) in bits.filter(|(i, _)| MODE_AND_VECTORS >> i & 1 == 1) {
            let bit = wire.as_constant().ok_or(Fault::SecretFloatMode)?;
            value |= u32::from(bit) << i;
        }
        if value & FloatMode::VECTORS != 0 {
            return Err(Fault::ShortVectors);
        }
        let new = Word::Clear(value);
        let mode = match self.predicate {
            None => new,
            Some(condition) => {
                let old = self.floats.mode.clone();
                self.choose(condition, &new, &old)
            }
        };
        self.floats_mut().mode = mode;
        Ok(())
    }

    /// Arithmetic, and its exceptions into the flags.
    pub(super) fn compute_float(
        &mut self,
        operation: FloatOperation,
        operands: &[Word],
    ) -> Result<[Word; 2], Fault> {
        let mode = self.floats.mode.clear().ok_or(Fault::SecretFloatMode)?;
        let mode = FloatMode::of(mode);
        let clear: Option<Vec<u32>> = operands.iter().map(Word::clear).collect();
        let Some(operands) = clear else {
            let made = float_units::draw(&mut self.builder, operation, mode, operands);
            for exception in FloatException::ALL {
                let flag = FloatFlag::Met(exception);
                if self.tracks_exceptions {
                    let before = self.read_float_flag(flag);
                    let met = self.builder.or(before, made.met(exception));
                    self.write_float_flag(flag, met);
                }
            }
            return Ok(made.words);
        };
        let outcome = operation.compute(mode, &operands);
        if !self.tracks_exceptions {
            return Ok(outcome.words.map(Word::Clear));
        }
        for exception in FloatException::ALL {
            if outcome.exceptions >> exception.bit() & 1 == 1 {
                self.write_float_flag(FloatFlag::Met(exception), Wire::TRUE);
            }
        }
        Ok(outcome.words.map(Word::Clear))
    }

    /// The floating-point side of [`merge`](Self::merge).
    pub(super) fn merge_floats(&mut self, condition: Wire, other: &Rc<Floats>) {
        if Rc::ptr_eq(&self.floats, other) {
            return;
        }
        for number in 0..FloatWord::COUNT {
            let (new, old) = (&other.words[number], &self.floats.words[number]);
            let same_choice = match (&other.choices[number], &self.floats.choices[number]) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                (None, None) => true,
                _ => false,
            };
            if new == old {
                if !same_choice {
                    self.floats_mut().choices[number] = None;
                }
                continue;
            }
            let (new, old) = (new.clone(), old.clone());
            let chosen = self.choose(condition, &new, &old);
            let floats = self.floats_mut();
            floats.words[number] = chosen;
            floats.choices[number] = Some(Rc::new(Choice {
                condition,
                new,
                old,
            }));
        }
        for flag in FloatFlag::ALL {
            let (new, old) = (other.flags[flag.index()], self.read_float_flag(flag));
            let merged = self.builder.mux(condition, new, old);
            if merged != old {
                self.floats_mut().flags[flag.index()] = merged;
            }
        }
        let old = self.floats.mode.clone();
        let mode = self.choose(condition, &other.mode, &old);
        if mode != old {
            self.floats_mut().mode = mode;
        }
    }
}

/// What has to be known of a value for FPSCR.
const MODE_AND_VECTORS: u32 = FloatMode::MASK | FloatMode::VECTORS;
