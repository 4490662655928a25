//! Division with remainder, by ARM's rules.
//!
//! | | quotient | remainder |
//! |---|---|---|
//! | `x / 0` | 0 | x |
//! | `INT_MIN / −1` | INT_MIN | 0 |
//! | signed | rounds towards zero | has the sign of x |
//!
//! * By a secret divisor: non-restoring. The library's own has remainders of growing width
//!   ([`growing_width`]), about n²/3 + 2n lookups or n²/2 + 4n ANDs, fewer if the divisor has clear
//!   zeros at its top; the papers' have n + 1 bits from the first step on ([`add_or_subtract`],
//!   [`precomputed`]). Signed words take conditional negations of both operands and of each result
//!   that is read, n/2 lookups each.
//! * By a clear divisor: a multiplication by its reciprocal ([`reciprocal`]); by one of factors 3, 5
//!   and 7 where lookups are native, digit by digit ([`short`]); by a power of two: free.
//!
//! A remainder that nobody reads costs nothing: its nodes are dropped.

mod add_or_subtract;
mod divided;
mod growing_width;
mod precomputed;
mod reciprocal;
mod short;

use super::choice::Question;
use super::multiply::copies_for;
use super::subtract::negate_if;
use super::word::{Signedness, clear_value, constant};
use crate::architectures::{Adder, Divider, Formula};
use crate::{Builder, Wire};
pub use divided::Divided;

/// A divider, apart from its name.
struct Row {
    source: &'static str,
    /// The adder inside that the source draws.
    adder: Adder,
    /// Gates and depth of an unsigned quotient with that adder, where they are a formula.
    gates: fn(usize) -> Option<Formula>,
    /// Divides unsigned words with an adder inside.
    divide: fn(&mut Builder, Adder, &[Wire], &[Wire]) -> Divided,
}

/// The table.
fn row(divider: Divider) -> Row {
    match divider {
        Divider::GrowingWidth => Row {
            source: "non-restoring, remainders of growing width",
            adder: Adder::Ripple,
            gates: |_| None,
            divide: own,
        },
        Divider::AddOrSubtract => Row {
            source: "Gong, Negrut, 2020, §V-F",
            adder: Adder::KoggeStone,
            gates: add_or_subtract::gates,
            divide: add_or_subtract::divide,
        },
        Divider::Precomputed => Row {
            source: "Xu, Chen, Wu, Feng, 2016, §3.4",
            adder: Adder::Ripple,
            gates: |n| Some(precomputed::gates(n)),
            divide: precomputed::divide,
        },
    }
}

impl Divider {
    /// Where the architecture is from.
    #[must_use]
    pub(in crate::library) fn source(self) -> &'static str {
        row(self).source
    }

    /// Gates and depth of an unsigned quotient with the adder that the source draws, where they are
    /// a formula.
    #[must_use]
    pub(in crate::library) fn formula(self, n: usize) -> Option<Formula> {
        (row(self).gates)(n)
    }
}

/// `x / y` and what remains.
///
/// ```
/// use blindcore_circuits::library::{self, Divided, Signedness, constant};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// // −7 = 2·(−3) − 1.
/// let (x, y) = (constant(256 - 7, 8), constant(2, 8));
/// let expected = Divided { quotient: constant(256 - 3, 8), remainder: constant(255, 8) };
/// assert_eq!(library::divide(b, Signedness::Signed, &x, &y), expected);
/// // Nothing is undefined.
/// let by_zero = library::divide(b, Signedness::Unsigned, &x, &constant(0, 8));
/// assert_eq!(by_zero, Divided { quotient: constant(0, 8), remainder: x });
/// ```
pub fn divide(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Divided {
    let divider = chosen(b, signedness, x, y);
    divide_with(b, divider, signedness, x, y)
}

/// Whether [`divide`] by a clear number takes no more than the upper bits of a product with a clear factor, as
/// compilers write that: digit by digit, or by a reciprocal of no more copies of x. (What asks for multiples of
/// the divisor shares that one, and a factor that is longer than x is multiplied by in parts, with two sums more.)
pub fn divides_as_cheaply(
    b: &mut Builder,
    signedness: Signedness,
    x: &[Wire],
    divisor: u64,
    factor: u64,
) -> bool {
    let is_unsigned = signedness == Signedness::Unsigned;
    match short::suits(b, x.len(), divisor.into()) {
        // The sign takes a sum more.
        Some(factors) => is_unsigned || factors.is_cheap(x.len()),
        None => {
            let own = reciprocal::factor(x, divisor.into()) as u64;
            is_unsigned && copies_for(own) <= copies_for(factor)
        }
    }
}

/// `x / y` and what remains, by a divider of the caller's choice. A clear divisor is divided by as is
/// cheapest if the choice is the library's own.
pub(in crate::library) fn divide_with(
    b: &mut Builder,
    divider: Divider,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
) -> Divided {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    let (Some(&x_sign), Some(&y_sign), Signedness::Signed) = (x.last(), y.last(), signedness)
    else {
        return divide_unsigned(b, divider, x, y);
    };
    if y_sign == Wire::FALSE
        && divider == Divider::GrowingWidth
        && let Some(divisor) = clear_value(y)
        && let Some(factors) = short::suits(b, x.len(), divisor)
    {
        return short::divide_signed(b, x, &factors);
    }
    // The magnitude of INT_MIN is right as an unsigned number.
    let (x, y) = (negate_if(b, x_sign, x), negate_if(b, y_sign, y));
    let magnitudes = divide_unsigned(b, divider, &x, &y);
    let negative = b.xor(x_sign, y_sign);
    Divided {
        quotient: negate_if(b, negative, &magnitudes.quotient),
        remainder: negate_if(b, x_sign, &magnitudes.remainder),
    }
}

/// The widest words for which a scan is ever faster than growing remainders where lookups are
/// native.
const NARROW: usize = 8;

fn chosen(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Divider {
    if let Some(forced) = b.profile().architectures.divider {
        return forced;
    }
    let profile = b.profile();
    let searched = profile.lookup.is_none() || x.len() <= NARROW;
    if clear_value(y).is_some() || profile.levels.is_some() || profile.cores <= 2 || !searched {
        return Divider::GrowingWidth;
    }
    let (family, n) = match signedness {
        Signedness::Unsigned => ("unsigned quotient", x.len()),
        Signedness::Signed => ("signed quotient", x.len()),
    };
    let question = Question {
        family,
        width: n,
        words: 2,
        candidates: &[Divider::GrowingWidth, Divider::AddOrSubtract],
        formula: &|_| None,
        draw: &|b, divider| {
            let (x, y) = (b.inputs(n), b.inputs(n));
            divide_with(b, divider, signedness, &x, &y).quotient
        },
    };
    question.answer(b)
}

fn divide_unsigned(b: &mut Builder, divider: Divider, x: &[Wire], y: &[Wire]) -> Divided {
    let Row { adder, divide, .. } = row(divider);
    let adder = b.profile().architectures.adder.unwrap_or(adder);
    divide(b, adder, x, y)
}

/// The library's own, which chooses its adders itself.
fn own(b: &mut Builder, _: Adder, x: &[Wire], y: &[Wire]) -> Divided {
    match clear_value(y) {
        Some(0) => Divided {
            quotient: constant(0, x.len()),
            remainder: x.to_vec(),
        },
        Some(divisor) if divisor.is_power_of_two() => {
            let (low, high) = x.split_at(divisor.ilog2() as usize);
            let extended = |bits: &[Wire]| {
                let mut word = bits.to_vec();
                word.resize(x.len(), Wire::FALSE);
                word
            };
            Divided {
                quotient: extended(high),
                remainder: extended(low),
            }
        }
        Some(divisor) => match short::suits(b, x.len(), divisor) {
            Some(factors) => short::divide(b, x, &factors),
            None if x.len() <= reciprocal::WIDEST => reciprocal::divide(b, x, divisor),
            None => growing_width::divide(b, x, y),
        },
        None => growing_width::divide(b, x, y),
    }
}
