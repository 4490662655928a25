//! Floating-point operations of functions that are recorded: those of C, by the library's circuits.

use circuits::library::float::{self, Fixed, Format, Invalid, Mode, Rounding};
use circuits::{Builder, Wire};

/// An operation by its name, for operands whose width says their format; `None` for others.
///
/// Conversions to integers go towards zero, as in C, and end at the largest or smallest number, or at 0
/// for what is no number, as on ARM. The lesser and the greater of two are IEEE 754-2008's `minNum` and
/// `maxNum`.
pub(crate) fn apply(
    b: &mut Builder,
    operation: &str,
    operands: &[Vec<Wire>],
    signed: bool,
    amount: usize,
) -> Option<Vec<Wire>> {
    let mode = Mode::IEEE;
    let fixed = match signed {
        true => Fixed::SIGNED,
        false => Fixed::UNSIGNED,
    };
    Some(match (operation, operands) {
        ("float_of_integer", [x]) => float::from_fixed(b, format(amount)?, mode, fixed, x).value,
        ("integer_of_float", [x]) => {
            let towards_zero = Mode {
                rounding: Rounding::Zero,
                ..mode
            };
            float::to_fixed(b, of(x)?, towards_zero, fixed, amount, x).value
        }
        ("float_of_float", [x]) => float::convert(b, of(x)?, format(amount)?, mode, x).value,
        ("float_square_root", [x]) => float::square_root(b, of(x)?, mode, x).value,
        ("float_negate", [x]) => with_sign(x, |sign| !sign)?,
        ("float_absolute", [x]) => with_sign(x, |_| Wire::FALSE)?,
        (_, [x, y]) if x.len() != y.len() => return None,
        ("float_add", [x, y]) => float::add(b, of(x)?, mode, x, y).value,
        ("float_subtract", [x, y]) => float::subtract(b, of(x)?, mode, x, y).value,
        ("float_multiply", [x, y]) => float::multiply(b, of(x)?, mode, x, y).value,
        ("float_divide", [x, y]) => float::divide(b, of(x)?, mode, x, y).value,
        ("float_minimum", [x, y]) => float::minimum_number(b, of(x)?, mode, x, y).value,
        ("float_maximum", [x, y]) => float::maximum_number(b, of(x)?, mode, x, y).value,
        ("float_less" | "float_equal" | "float_at_most", [x, y]) => {
            let found = float::compare(b, of(x)?, mode, Invalid::Signaling, x, y);
            vec![match operation {
                "float_less" => found.less,
                "float_equal" => found.equal,
                _ => b.or(found.less, found.equal),
            }]
        }
        _ => return None,
    })
}

fn of(word: &[Wire]) -> Option<Format> {
    format(word.len())
}

fn format(bits: usize) -> Option<Format> {
    [Format::SINGLE, Format::DOUBLE]
        .into_iter()
        .find(|format| format.width() == bits)
}

fn with_sign(word: &[Wire], change: impl Fn(Wire) -> Wire) -> Option<Vec<Wire>> {
    let (&sign, rest) = word.split_last()?;
    Some([rest, &[change(sign)]].concat())
}
