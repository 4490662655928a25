//! Floating-point units for secret operands: [`circuits::library::float`] behind words of 32 wires.

use a32::{
    FloatException, FloatFormat, FloatMode, FloatOperation, FloatRounding, Invalid, Precision,
    Signedness,
};
use circuits::library::float::{self, Exceptions, Fixed, Format, Mode, Rounded, Rounding};
use circuits::library::{self, constant};
use circuits::{Builder, Wire};

use super::word::Word;

/// What an operation gives on words of which some are secret.
pub(super) struct Outcome {
    /// The low word first; 0 where there is no second word.
    pub(super) words: [Word; 2],
    exceptions: Exceptions,
}

impl Outcome {
    /// Whether an exception was met.
    pub(super) fn met(&self, exception: FloatException) -> Wire {
        match exception {
            FloatException::InvalidOperation => self.exceptions.invalid,
            FloatException::DivisionByZero => self.exceptions.division_by_zero,
            FloatException::Overflow => self.exceptions.overflow,
            FloatException::Underflow => self.exceptions.underflow,
            FloatException::Inexact => self.exceptions.inexact,
            FloatException::InputDenormal => self.exceptions.input_denormal,
        }
    }
}

/// Draws an operation.
pub(super) fn draw(
    build: &mut Builder,
    operation: FloatOperation,
    mode: FloatMode,
    operands: &[Word],
) -> Outcome {
    let wires: Vec<Wire> = operands.iter().flat_map(Word::wires).collect();
    let value = |format: FloatFormat, number: usize| {
        let width = 32 * format.words();
        &wires[width * number..][..of(format, mode).width()]
    };
    let pair = |precision: Precision| {
        let format = precision.into();
        (of(format, mode), value(format, 0), value(format, 1))
    };
    let own = rounded_by(mode, None);
    let made = match operation {
        FloatOperation::Add(precision) => {
            let (format, a, b) = pair(precision);
            float::add(build, format, own, a, b)
        }
        FloatOperation::Subtract(precision) => {
            let (format, a, b) = pair(precision);
            float::subtract(build, format, own, a, b)
        }
        FloatOperation::Multiply(precision) => {
            let (format, a, b) = pair(precision);
            float::multiply(build, format, own, a, b)
        }
        FloatOperation::Divide(precision) => {
            let (format, a, b) = pair(precision);
            float::divide(build, format, own, a, b)
        }
        FloatOperation::SquareRoot(precision) => {
            float::square_root(build, format_of(precision), own, value(precision.into(), 0))
        }
        FloatOperation::MultiplyAdd(precision) => {
            let (format, a, b) = pair(precision);
            float::multiply_add(build, format, own, a, b, value(precision.into(), 2))
        }
        FloatOperation::MaximumNumber(precision) => {
            let (format, a, b) = pair(precision);
            float::maximum_number(build, format, own, a, b)
        }
        FloatOperation::MinimumNumber(precision) => {
            let (format, a, b) = pair(precision);
            float::minimum_number(build, format, own, a, b)
        }
        FloatOperation::RoundToIntegral {
            precision,
            rounding,
            inexact,
        } => {
            let mode = rounded_by(mode, rounding);
            let x = value(precision.into(), 0);
            float::round_to_integral(build, format_of(precision), mode, inexact, x)
        }
        FloatOperation::Compare(precision, which) => {
            let (format, a, b) = pair(precision);
            compare(build, format, own, which, [a, b])
        }
        FloatOperation::FromFixed {
            precision,
            signedness,
            fraction_bits,
            rounding,
        } => {
            let mode = rounded_by(mode, rounding);
            let fixed = fixed(signedness, fraction_bits);
            float::from_fixed(build, format_of(precision), mode, fixed, &wires[..32])
        }
        FloatOperation::ToFixed {
            precision,
            signedness,
            width,
            fraction_bits,
            rounding,
        } => {
            let fixed = fixed(signedness, fraction_bits);
            let by = rounded_by(mode, rounding);
            let format = precision.into();
            let width = usize::from(width);
            let x = value(format, 0);
            let mut made = float::to_fixed(build, of(format, mode), by, fixed, width, x);
            let sign = match signedness {
                Signedness::Signed => made.value[width - 1],
                Signedness::Unsigned => Wire::FALSE,
            };
            made.value.resize(32, sign);
            made
        }
        FloatOperation::Convert { from, to } => {
            let x = value(from, 0);
            float::convert(build, of(from, mode), of(to, mode), own, x)
        }
    };
    let (low, high) = made.value.split_at(made.value.len().min(32));
    Outcome {
        words: [low, high].map(Word::from_slice),
        exceptions: made.exceptions,
    }
}

/// N, Z, C, V in the highest bits of a word.
fn compare(
    build: &mut Builder,
    format: Format,
    mode: Mode,
    which: Invalid,
    [a, b]: [&[Wire]; 2],
) -> Rounded {
    let which = match which {
        Invalid::Signaling => float::Invalid::Signaling,
        Invalid::Every => float::Invalid::Every,
    };
    let compared = float::compare(build, format, mode, which, a, b);
    let mut value = constant(0, 28);
    value.extend([compared.unordered, !compared.less]);
    value.extend([compared.equal, compared.less]);
    let exceptions = Exceptions {
        invalid: compared.invalid,
        input_denormal: compared.input_denormal,
        ..Exceptions::NONE
    };
    Rounded { value, exceptions }
}

fn of(format: FloatFormat, mode: FloatMode) -> Format {
    match format {
        FloatFormat::Half if mode.alternative_half => Format::ALTERNATIVE_HALF,
        FloatFormat::Half => Format::HALF,
        FloatFormat::Single => Format::SINGLE,
        FloatFormat::Double => Format::DOUBLE,
    }
}

fn format_of(precision: Precision) -> Format {
    match precision {
        Precision::Single => Format::SINGLE,
        Precision::Double => Format::DOUBLE,
    }
}

/// The mode, with the rounding that the operation asks for.
fn rounded_by(mode: FloatMode, asked: Option<FloatRounding>) -> Mode {
    Mode {
        rounding: match asked.unwrap_or(mode.rounding) {
            FloatRounding::NearestEven => Rounding::NearestEven,
            FloatRounding::NearestAway => Rounding::NearestAway,
            FloatRounding::Up => Rounding::Up,
            FloatRounding::Down => Rounding::Down,
            FloatRounding::Zero => Rounding::Zero,
        },
        flush_to_zero: mode.flush_to_zero,
        default_nan: mode.default_nan,
    }
}

fn fixed(signedness: Signedness, fraction: u8) -> Fixed {
    Fixed {
        signedness: match signedness {
            Signedness::Signed => library::Signedness::Signed,
            Signedness::Unsigned => library::Signedness::Unsigned,
        },
        fraction: fraction.into(),
    }
}
