//! Floating-point arithmetic on plain numbers, as DDI 0406C §A2.7 defines it.
//!
//! Every operation makes its exact result as a sign, an integer and a power of two (of a quotient
//! or a root as many bits as rounding can tell apart, and whether there are more), and rounds that
//! once, in [`round`](round::round). No library is behind it: ARM finds a result tiny before it is
//! rounded, flushes operands and results, and has its own rules which NaN of several is the result,
//! and an oracle has to have all of that by itself. It is held against `qemu-arm`.

mod arithmetic;
mod convert;
mod round;
mod unpack;

use crate::float::{
    FloatException, FloatFlag, FloatFormat, FloatMode, FloatOperation, FloatOutcome, FloatRounding,
};

/// The bits of FPSCR that are flags, and those with the mode.
pub(super) const FLAGS: u32 = flags();
pub(super) const STATUS: u32 = FLAGS | FloatMode::MASK;

const fn flags() -> u32 {
    let (mut i, mut mask) = (0, 0);
    while i < FloatFlag::ALL.len() {
        mask |= 1 << FloatFlag::ALL[i].bit();
        i += 1;
    }
    mask
}

/// One operation's mode and what it has met so far.
struct Context {
    mode: FloatMode,
    exceptions: u32,
}

impl Context {
    fn meet(&mut self, exception: FloatException) {
        self.exceptions |= 1 << exception.bit();
    }

    /// The rounding that an operation asks for, or that of the mode.
    fn rounding(&self, asked: Option<FloatRounding>) -> FloatRounding {
        asked.unwrap_or(self.mode.rounding)
    }
}

/// Carries out an operation.
pub(crate) fn compute(
    operation: FloatOperation,
    mode: FloatMode,
    operands: &[u32],
) -> FloatOutcome {
    let mut context = Context {
        mode,
        exceptions: 0,
    };
    let c = &mut context;
    let value = |format: FloatFormat, number: usize| {
        let word = |i: usize| operands.get(format.words() * number + i).copied();
        let low = u64::from(word(0).unwrap_or(0));
        match format {
            FloatFormat::Half => low & 0xffff,
            FloatFormat::Single => low,
            FloatFormat::Double => u64::from(word(1).unwrap_or(0)) << 32 | low,
        }
    };
    let result = match operation {
        FloatOperation::Add(precision) => {
            let format = precision.into();
            arithmetic::add(c, format, value(format, 0), value(format, 1))
        }
        FloatOperation::Subtract(precision) => {
            let format = precision.into();
            arithmetic::subtract(c, format, value(format, 0), value(format, 1))
        }
        FloatOperation::Multiply(precision) => {
            let format = precision.into();
            arithmetic::multiply(c, format, value(format, 0), value(format, 1))
        }
        FloatOperation::Divide(precision) => {
            let format = precision.into();
            arithmetic::divide(c, format, value(format, 0), value(format, 1))
        }
        FloatOperation::SquareRoot(precision) => {
            let format = precision.into();
            arithmetic::square_root(c, format, value(format, 0))
        }
        FloatOperation::MultiplyAdd(precision) => {
            let format = precision.into();
            let factors = (value(format, 0), value(format, 1));
            arithmetic::multiply_add(c, format, factors, value(format, 2))
        }
        FloatOperation::MaximumNumber(precision) | FloatOperation::MinimumNumber(precision) => {
            let format = precision.into();
            let greatest = matches!(operation, FloatOperation::MaximumNumber(_));
            arithmetic::extreme(c, format, greatest, (value(format, 0), value(format, 1)))
        }
        FloatOperation::Compare(precision, invalid) => {
            let format = precision.into();
            arithmetic::compare(c, format, invalid, (value(format, 0), value(format, 1)))
        }
        FloatOperation::RoundToIntegral {
            precision,
            rounding,
            inexact,
        } => {
            let format = precision.into();
            convert::to_integral(c, format, rounding, inexact, value(format, 0))
        }
        FloatOperation::FromFixed {
            precision,
            signedness,
            fraction_bits,
            rounding,
        } => {
            let word = operands.first().copied().unwrap_or(0);
            let read = (signedness, i32::from(fraction_bits));
            convert::from_fixed(c, precision.into(), read, rounding, word)
        }
        FloatOperation::ToFixed {
            precision,
            signedness,
            width,
            fraction_bits,
            rounding,
        } => {
            let format = precision.into();
            let target = (signedness, u32::from(width), i32::from(fraction_bits));
            convert::to_fixed(c, format, target, rounding, value(format, 0))
        }
        FloatOperation::Convert { from, to } => convert::convert(c, from, to, value(from, 0)),
    };
    FloatOutcome {
        words: [result as u32, (result >> 32) as u32],
        exceptions: context.exceptions,
    }
}
