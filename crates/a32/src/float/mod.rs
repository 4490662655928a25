//! The floating-point unit's state and arithmetic, as an instruction and a machine name them.
//!
//! Thirty-two registers of 64 bits, `d0` ..= `d31`; the first sixteen are `s0` ..= `s31` in pairs.
//! A machine holds them as the 64 words of [`FloatWord`]. The status register FPSCR has flags
//! ([`FloatFlag`]) and a mode ([`FloatMode`]), which must be known.
//!
//! Source: DDI 0406C §A2.6; DDI 0487 for what ARMv8 added.

mod mode;
mod operation;

pub use mode::{FloatException, FloatFlag, FloatMode, FloatRounding};
pub use operation::{FloatFormat, FloatOperation, FloatOutcome, Invalid};

use std::fmt;

use crate::instruction::Half;

/// The width of a floating-point register or operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32 bits: `f32`.
    Single,
    /// 64 bits: `f64`.
    Double,
}

impl Precision {
    /// The number of words of a value: 1 or 2.
    #[must_use]
    pub const fn words(self) -> usize {
        match self {
            Precision::Single => 1,
            Precision::Double => 2,
        }
    }
}

/// One of the 64 words of the floating-point registers: word 2·n is the low half of `dn`, word
/// 2·n + 1 the high half, and `sn` is word n.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FloatWord(u8);

impl FloatWord {
    /// How many there are.
    pub const COUNT: usize = 64;

    /// The word of a number, if there is one.
    #[must_use]
    pub const fn new(number: u8) -> Option<FloatWord> {
        if number < 64 {
            Some(FloatWord(number))
        } else {
            None
        }
    }

    /// All 64, in order.
    pub fn all() -> impl Iterator<Item = FloatWord> {
        (0..64).map(FloatWord)
    }

    /// 0 ..= 63, for a table of 64.
    #[must_use]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The word `distance` after this one, modulo 64.
    pub(crate) const fn after(self, distance: u8) -> FloatWord {
        FloatWord(self.0.wrapping_add(distance) & 63)
    }
}

/// `s0` ..= `s31`, `d0` ..= `d31`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatRegister {
    precision: Precision,
    number: u8,
}

impl FloatRegister {
    /// The register of a number, if there is one.
    #[must_use]
    pub const fn new(precision: Precision, number: u8) -> Option<FloatRegister> {
        if number < 32 {
            Some(FloatRegister { precision, number })
        } else {
            None
        }
    }

    /// The register that four bits of `word` from `four` up and the bit `one` name: the one bit is
    /// the lowest of a single register's number and the highest of a double one's.
    pub(crate) const fn field(
        word: u32,
        precision: Precision,
        four: u32,
        one: u32,
    ) -> FloatRegister {
        let (four, one) = (word >> four & 15, word >> one & 1);
        let number = match precision {
            Precision::Single => four << 1 | one,
            Precision::Double => one << 4 | four,
        };
        FloatRegister {
            precision,
            number: number as u8,
        }
    }

    /// Its width.
    #[must_use]
    pub const fn precision(self) -> Precision {
        self.precision
    }

    /// 0 ..= 31.
    #[must_use]
    pub const fn number(self) -> u8 {
        self.number
    }

    /// Its word, or the low one of its two.
    #[must_use]
    pub const fn word(self) -> FloatWord {
        match self.precision {
            Precision::Single => FloatWord(self.number),
            Precision::Double => FloatWord(self.number << 1),
        }
    }

    /// The register `distance` after this one, modulo 32.
    pub(crate) const fn after(self, distance: u8) -> FloatRegister {
        FloatRegister {
            precision: self.precision,
            number: self.number.wrapping_add(distance) & 31,
        }
    }
}

impl fmt::Display for FloatRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = match self.precision {
            Precision::Single => 's',
            Precision::Double => 'd',
        };
        write!(f, "{letter}{}", self.number)
    }
}

impl fmt::Debug for FloatRegister {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a move of one word names on the floating-point side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatScalar {
    /// A single register.
    Single(FloatRegister),
    /// Half of a double register, `d7[1]`: the bottom or the top word.
    Lane(FloatRegister, Half),
}

impl FloatScalar {
    /// The word that it is.
    #[must_use]
    pub const fn word(self) -> FloatWord {
        match self {
            FloatScalar::Single(register) | FloatScalar::Lane(register, Half::Bottom) => {
                register.word()
            }
            FloatScalar::Lane(register, Half::Top) => register.word().after(1),
        }
    }
}

impl fmt::Display for FloatScalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FloatScalar::Single(register) => write!(f, "{register}"),
            FloatScalar::Lane(register, half) => write!(f, "{register}[{}]", *half as u8),
        }
    }
}
