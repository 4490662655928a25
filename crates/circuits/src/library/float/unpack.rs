//! What the bits of an operand stand for (`FPUnpack`).
//!
//! One lookup reads the whole exponent of a single: `t = e₀ + 2(e₁ + … + e₇)` is 0 for subnormals
//! and zeros, 15 for infinities and NaNs, and odd where the lowest bit is set.

use super::format::Format;
use super::mode::Mode;
use crate::library::weighted::{capacity, functions};
use crate::library::word::Word;
use crate::{Builder, Wire};

/// An operand in its parts. What nobody reads of it costs nothing.
#[derive(Clone, Debug)]
pub(super) struct Unpacked {
    /// The sign.
    pub(super) negative: Wire,
    /// The exponent field, 1 for subnormals and zeros too: what a place of the significand counts.
    pub(super) exponent: Word,
    /// The exponent field as it is.
    pub(super) field: Word,
    /// The largest exponent of a number.
    pub(super) nearly_infinite: Wire,
    /// The fraction, below its leading one: zero where a subnormal is flushed.
    pub(super) fraction: Word,
    /// The leading one: not set for zeros and subnormals.
    pub(super) leading: Wire,
    /// Infinity or NaN.
    pub(super) special: Wire,
    pub(super) infinite: Wire,
    pub(super) nan: Wire,
    pub(super) signaling: Wire,
    /// Zero, of either sign, or flushed to it.
    pub(super) zero: Wire,
    /// A subnormal that was flushed.
    pub(super) flushed: Wire,
}

impl Unpacked {
    /// Fraction and leading one.
    pub(super) fn significand(&self) -> Word {
        let mut significand = self.fraction.clone();
        significand.push(self.leading);
        significand
    }
}

/// Takes an operand apart.
///
/// # Panics
/// If it has not the format's width.
pub(super) fn unpack(b: &mut Builder, format: Format, mode: Mode, bits: &[Wire]) -> Unpacked {
    assert_eq!(bits.len(), format.width(), "an operand of another width");
    let (fraction, rest) = bits.split_at(format.fraction);
    let (exponent, sign) = rest.split_at(format.exponent);
    let (below, quiet) = fraction.split_at(format.fraction - 1);
    let (negative, quiet) = (sign[0], quiet[0]);

    let Ends {
        leading,
        lowest,
        special,
        nearly,
    } = ends(b, exponent);
    let special = if format.has_infinity {
        special
    } else {
        Wire::FALSE
    };
    let mut counted = exponent.to_vec();
    counted[0] = lowest;

    let low = b.any(below);
    let kinds = functions(b, &[(special, 1), (low, 2), (quiet, 4)], 3, |t| {
        let (special, low, quiet) = (t & 1 == 1, t & 2 == 2, t & 4 == 4);
        let nan = special && (low || quiet);
        u32::from(special && !nan) | u32::from(nan) << 1 | u32::from(nan && !quiet) << 2
    });
    let (infinite, nan, signaling) = (kinds[0], kinds[1], kinds[2]);
    let fraction_any = b.or(low, quiet);
    let (fraction, zero, flushed) = if mode.flushes(format) {
        let flushed = b.andny(leading, fraction_any);
        (
            super::flip::keep_if(b, fraction, leading),
            !leading,
            flushed,
        )
    } else {
        (fraction.to_vec(), b.nor(leading, fraction_any), Wire::FALSE)
    };
    Unpacked {
        negative,
        exponent: counted,
        field: exponent.to_vec(),
        nearly_infinite: nearly,
        fraction,
        leading,
        special,
        infinite,
        nan,
        signaling,
        zero,
        flushed,
    }
}

/// What is asked of an exponent field.
struct Ends {
    /// It is not zero.
    leading: Wire,
    /// Its lowest bit, set if it is zero.
    lowest: Wire,
    /// All bits are set.
    special: Wire,
    /// All bits but the lowest are set.
    nearly: Wire,
}

fn ends(b: &mut Builder, exponent: &[Wire]) -> Ends {
    let (&first, upper) = exponent.split_first().unwrap_or((&Wire::FALSE, &[]));
    let mut terms = vec![(first, 1)];
    let most = if capacity(b).is_some_and(|capacity| capacity > 2 * upper.len() as u32) {
        terms.extend(upper.iter().map(|&bit| (bit, 2)));
        2 * upper.len() as i32
    } else {
        // That all are set implies that some are, so their sum tells both.
        let (some, all) = (b.any(upper), b.all(upper));
        terms.extend([(some, 2), (all, 2)]);
        4
    };
    let made = functions(b, &terms, 4, |t| {
        let is_odd_or_zero = t & 1 == 1 || t == 0;
        u32::from(t != 0)
            | u32::from(is_odd_or_zero) << 1
            | u32::from(t == most + 1) << 2
            | u32::from(t == most) << 3
    });
    Ends {
        leading: made[0],
        lowest: made[1],
        special: made[2],
        nearly: made[3],
    }
}
