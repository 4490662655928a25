//! Reading the state without changing it, for a caller that knows the values of wires.
//!
//! [`a32::Machine::flag`] computes Z when it is read, which records nodes. Here it is evaluated
//! instead.

use a32::{Flag, FloatFlag, FloatWord};
use circuits::{Builder, Wire};

use super::{Symbolic, Word, Zero};
use crate::task::{ASTRAY, EXCEEDED, FAULTED};

impl Symbolic {
    /// The circuit as far as it is recorded.
    pub(crate) fn recorded(&self) -> &Builder {
        &self.builder
    }

    /// A register's value, by those of wires.
    #[inline]
    pub(crate) fn register_value(&self, number: usize, value: &impl Fn(Wire) -> bool) -> u32 {
        self.peek(number).value(value)
    }

    /// The output that says that the state means nothing, if one does by the values of wires.
    pub(crate) fn undefined(&self, value: &impl Fn(Wire) -> bool) -> Option<&'static str> {
        let astray = || value(self.astray) || self.strays.iter().any(|stray| value(*stray));
        if value(self.exceeded) {
            Some(EXCEEDED)
        } else if value(self.faulted) {
            Some(FAULTED)
        } else {
            astray().then_some(ASTRAY)
        }
    }

    /// A word of the floating-point registers, by the values of wires.
    pub(crate) fn float_word_value(&self, word: FloatWord, value: &impl Fn(Wire) -> bool) -> u32 {
        self.floats.words[word.index()].value(value)
    }

    /// FPSCR, by the values of wires.
    pub(crate) fn float_status_value(&self, value: &impl Fn(Wire) -> bool) -> u32 {
        let flags = FloatFlag::ALL.into_iter().zip(self.floats.flags);
        flags.fold(self.floats.mode.value(value), |status, (flag, wire)| {
            status | u32::from(value(wire)) << flag.bit()
        })
    }

    /// A flag's value, by those of wires.
    pub(crate) fn flag_value(&self, flag: Flag, value: &impl Fn(Wire) -> bool) -> bool {
        match flag {
            Flag::Negative => value(self.negative),
            Flag::Zero => self.zero.value(value),
            Flag::Carry => value(self.carry),
            Flag::Overflow => value(self.overflow),
            Flag::Saturation => value(self.saturation),
            Flag::GreaterOrEqual(lane) => value(self.greater_or_equal[lane.index()]),
        }
    }
}

impl Word {
    /// The value of all bits, by those of wires.
    #[inline]
    pub(crate) fn value(&self, value: &impl Fn(Wire) -> bool) -> u32 {
        match self {
            Self::Clear(word) => *word,
            Self::Secret(wires) => {
                let bits = wires.iter().enumerate();
                bits.fold(0, |word, (i, wire)| word | u32::from(value(*wire)) << i)
            }
        }
    }
}

impl Zero {
    fn value(&self, value: &impl Fn(Wire) -> bool) -> bool {
        match self {
            Self::Known(wire) => value(*wire),
            Self::Of(low, high) => low.value(value) | high.value(value) == 0,
            Self::Either {
                condition,
                new,
                old,
                ..
            } => if value(*condition) { new } else { old }.value(value),
        }
    }
}
