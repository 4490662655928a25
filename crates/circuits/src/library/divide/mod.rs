//! Division with remainder, by ARM's rules.
//!
//! | | quotient | remainder |
//! |---|---|---|
//! | `x / 0` | 0 | x |
//! | `INT_MIN / −1` | INT_MIN | 0 |
//! | signed | rounds towards zero | has the sign of x |
//!
//! * By a secret divisor: non-restoring with growing width ([`nonrestoring`]), about n²/3 + 2n
//!   lookups or n²/2 + 4n ANDs, fewer if the divisor has clear zeros at its top; for signed words
//!   conditional negations of both operands and of each result that is read, n/2 lookups each.
//! * By a clear divisor: a multiplication by its reciprocal
//!   ([`reciprocal`]); by a power of two: free.
//!
//! A remainder that nobody reads costs nothing: its nodes are dropped.

mod nonrestoring;
mod reciprocal;

use std::fmt;
use std::str::FromStr;

use super::architectures::{UnknownArchitecture, by_name};
use super::{Signedness, Word, clear_value, negate_if};
use crate::{Builder, Wire};

/// A divider's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Divider {
    /// A subtraction or an addition for each bit of the quotient, in remainders of growing width.
    NonRestoring,
}

impl Divider {
    /// All architectures.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::NonRestoring]
    }
}

impl fmt::Display for Divider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NonRestoring => "non-restoring",
        })
    }
}

impl FromStr for Divider {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        by_name("divider", Self::all(), name)
    }
}

/// A quotient and its remainder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divided {
    /// `x / y`, 0 where y is 0.
    pub quotient: Word,
    /// `x − y·quotient`.
    pub remainder: Word,
}

/// `x / y` and what remains.
pub fn divide(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Divided {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    let (Some(&x_sign), Some(&y_sign), Signedness::Signed) = (x.last(), y.last(), signedness)
    else {
        return divide_unsigned(b, x, y);
    };
    // The magnitude of INT_MIN is right as an unsigned number.
    let (x, y) = (negate_if(b, x_sign, x), negate_if(b, y_sign, y));
    let magnitudes = divide_unsigned(b, &x, &y);
    let negative = b.xor(x_sign, y_sign);
    Divided {
        quotient: negate_if(b, negative, &magnitudes.quotient),
        remainder: negate_if(b, x_sign, &magnitudes.remainder),
    }
}

fn divide_unsigned(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Divided {
    match clear_value(y) {
        Some(0) => Divided {
            quotient: super::constant(0, x.len()),
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
        Some(divisor) if x.len() <= reciprocal::WIDEST => reciprocal::divide(b, x, divisor),
        _ => nonrestoring::divide(b, x, y),
    }
}
