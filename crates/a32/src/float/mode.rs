//! The status register FPSCR: its flags, and the mode that rounding depends on.
//!
//! Source: DDI 0406C §B4.1.58.

/// How a result that lies between two numbers of its format is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatRounding {
    /// To the nearest, of two as near to the even one.
    NearestEven,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
    /// To the nearest, of two as near to the one farther from zero. No mode of FPSCR; `VCVTA` and
    /// `VRINTA` round so.
    NearestAway,
}

/// The bits of FPSCR that arithmetic depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatMode {
    /// RMode, bits 22 and 23.
    pub rounding: FloatRounding,
    /// FZ, bit 24: subnormal operands and results become zero.
    pub flush_to_zero: bool,
    /// DN, bit 25: every result that is not a number is the default one.
    pub default_nan: bool,
    /// AHP, bit 26: halves have no infinities and no NaNs, but one more exponent.
    pub alternative_half: bool,
}

impl FloatMode {
    /// The bits of FPSCR that are the mode.
    pub const MASK: u32 = 0x07c0_0000;
    /// LEN and STRIDE: what asks for short vectors where it is not 0.
    pub const VECTORS: u32 = 0x0037_0000;

    /// The mode in a value of FPSCR.
    #[must_use]
    pub const fn of(status: u32) -> FloatMode {
        FloatMode {
            rounding: match status >> 22 & 3 {
                0 => FloatRounding::NearestEven,
                1 => FloatRounding::Up,
                2 => FloatRounding::Down,
                _ => FloatRounding::Zero,
            },
            flush_to_zero: status >> 24 & 1 == 1,
            default_nan: status >> 25 & 1 == 1,
            alternative_half: status >> 26 & 1 == 1,
        }
    }
}

/// What an operation can meet; FPSCR has a cumulative flag for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatException {
    /// IOC: there is no result, as of 0 / 0, or an operand is a signaling NaN.
    InvalidOperation,
    /// DZC: a finite number was divided by zero.
    DivisionByZero,
    /// OFC: the result is too large for its format.
    Overflow,
    /// UFC: the result is subnormal and inexact (found before rounding), or was flushed to zero.
    Underflow,
    /// IXC: the result was rounded.
    Inexact,
    /// IDC: a subnormal operand was flushed to zero.
    InputDenormal,
}

impl FloatException {
    /// All six, in the order of their bits.
    pub const ALL: [FloatException; 6] = [
        FloatException::InvalidOperation,
        FloatException::DivisionByZero,
        FloatException::Overflow,
        FloatException::Underflow,
        FloatException::Inexact,
        FloatException::InputDenormal,
    ];

    /// Its bit in FPSCR: 0 ..= 4, and 7.
    #[must_use]
    pub const fn bit(self) -> u32 {
        match self {
            FloatException::InputDenormal => 7,
            other => other as u32,
        }
    }
}

/// A flag of FPSCR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatFlag {
    /// N: less.
    Negative,
    /// Z: equal.
    Zero,
    /// C: greater, equal or unordered.
    Carry,
    /// V: unordered.
    Overflow,
    /// QC: the vector unit saturated. Nothing here sets it but a write to FPSCR.
    Saturation,
    /// Something that an operation met since the flag was last written.
    Met(FloatException),
}

impl FloatFlag {
    /// All eleven: N, Z, C, V, QC and the exceptions.
    pub const ALL: [FloatFlag; 11] = [
        FloatFlag::Negative,
        FloatFlag::Zero,
        FloatFlag::Carry,
        FloatFlag::Overflow,
        FloatFlag::Saturation,
        FloatFlag::Met(FloatException::InvalidOperation),
        FloatFlag::Met(FloatException::DivisionByZero),
        FloatFlag::Met(FloatException::Overflow),
        FloatFlag::Met(FloatException::Underflow),
        FloatFlag::Met(FloatException::Inexact),
        FloatFlag::Met(FloatException::InputDenormal),
    ];

    /// Its place in [`ALL`](Self::ALL), for a table of eleven.
    #[must_use]
    pub const fn index(self) -> usize {
        match self {
            FloatFlag::Negative => 0,
            FloatFlag::Zero => 1,
            FloatFlag::Carry => 2,
            FloatFlag::Overflow => 3,
            FloatFlag::Saturation => 4,
            FloatFlag::Met(exception) => 5 + exception as usize,
        }
    }

    /// Its bit in FPSCR.
    #[must_use]
    pub const fn bit(self) -> u32 {
        match self {
            FloatFlag::Negative => 31,
            FloatFlag::Zero => 30,
            FloatFlag::Carry => 29,
            FloatFlag::Overflow => 28,
            FloatFlag::Saturation => 27,
            FloatFlag::Met(exception) => exception.bit(),
        }
    }
}
