//! Signed gadget decomposition with digits of zero mean, defined so that one level costs a few
//! floating-point operations and needs no carry from another level.
//!
//! Let `f` be the 64-bit torus element read as a signed integer and rounded to 53 bits, and let
//! `R_j(f)` be the multiple of `2^(64 − jb)` nearest to it (ties to even; `R_0 = 0`). The digit of
//! level `j` is `d_j = (R_j(f) − R_{j−1}(f)) / 2^(64 − jb)`.
//!
//! The first digit may be of another width, `a` bits ([`Gadget::with_first`]): then level `j` ends at bit
//! `a + (j − 1)b` in place of `jb`, and the definition is the same.
//!
//! - The digits telescope: `Σ d_j·2^(64 − jb) = R_l(f)`, the closest representative.
//! - Each lies in `[−B/2, B/2]`: rounding is monotone, and `R_{j−1} ± half a coarse step` is itself
//!   a multiple of the finer step, so `R_j` cannot leave that interval.
//! - Negating the input negates every digit, so a uniform input gives digits of mean zero. Digits
//!   in `[−B/2, B/2)` would have mean −1/2, which multiplies every error of a key's rows and turns
//!   into a systematic bias: the same at every use of the key, so that it adds up linearly where
//!   errors add up as squares.

use crate::torus::TransformError;

/// Base and number of levels of a decomposition: `l` digits of `b` bits, most significant first, of
/// which the first may be of another width.
///
/// ```
/// use blindcore_transforms::torus::Gadget;
///
/// // Three digits, of 12, 11 and 11 bits, whose weights are 2^-12, 2^-23 and 2^-34 of the torus.
/// let gadget = Gadget::with_first(12, 11, 3)?;
/// assert_eq!([1, 2, 3].map(|level| gadget.exponent(level)), [12, 23, 34]);
/// let x = 0x0123_4567_89ab_cdef_u64;
/// let sum = (1..=3).fold(0u64, |sum, level| {
///     sum.wrapping_add((gadget.digit(x, level) as u64) << (64 - gadget.exponent(level)))
/// });
/// assert!(x.abs_diff(sum) <= 1 << (63 - 34));
/// # Ok::<(), blindcore_transforms::torus::TransformError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Gadget {
    first: u32,
    base_log: u32,
    levels: u32,
}

impl Gadget {
    /// `levels` digits of `base_log` bits each; `1 ≤ base_log`, `1 ≤ levels`, `base_log · levels ≤
    /// 52`.
    pub const fn new(base_log: u32, levels: u32) -> Result<Self, TransformError> {
        Self::with_first(base_log, base_log, levels)
    }

    /// A first digit of `first` bits, and `levels − 1` more of `base_log` bits each; all three at
    /// least 1, and at most 52 bits together.
    pub const fn with_first(
        first: u32,
        base_log: u32,
        levels: u32,
    ) -> Result<Self, TransformError> {
        let refused = Err(TransformError::UnsupportedGadget { base_log, levels });
        if first == 0 || base_log == 0 || levels == 0 {
            return refused;
        }
        match base_log.checked_mul(levels - 1) {
            Some(more) if more <= 52 && first <= 52 - more => Ok(Self {
                first,
                base_log,
                levels,
            }),
            _ => refused,
        }
    }

    /// Bits per digit, `b = log2 B`; of the first digit, [`Gadget::exponent`] of 1.
    pub const fn base_log(self) -> u32 {
        self.base_log
    }

    /// Bits of the widest digit.
    pub const fn widest(self) -> u32 {
        if self.first > self.base_log {
            self.first
        } else {
            self.base_log
        }
    }

    /// The weight of a level's digit is 2 to minus this, as a fraction of the torus.
    ///
    /// # Panics
    /// If `level` is 0.
    pub const fn exponent(self, level: u32) -> u32 {
        self.first + (level - 1) * self.base_log
    }

    /// Number of digits, `l`.
    pub const fn levels(self) -> u32 {
        self.levels
    }

    /// The digit of one level (`1 ..= levels`, 1 the most significant), by the definition above.
    /// This is the oracle for the fused kernels and serves code outside the hot path.
    ///
    /// # Panics
    /// If `level` is not in `1 ..= levels`.
    pub fn digit(self, torus: u64, level: u32) -> i64 {
        self.scales(level).digit(torus)
    }

    /// The constants of one level for the kernels.
    pub(crate) fn scales(self, level: u32) -> Scales {
        assert!(
            (1..=self.levels).contains(&level),
            "level {level} of a gadget with {} levels",
            self.levels
        );
        let power = |bits: u32| 2f64.powi(bits as i32 - 64);
        Scales {
            fine: power(self.exponent(level)),
            // Level 1 subtracts nothing: a zero scale rounds to zero.
            coarse: if level == 1 {
                0.0
            } else {
                power(self.exponent(level - 1))
            },
            base: (1u64 << self.base_log) as f64,
        }
    }
}

/// `2^(e − 64)` for the level's exponent `e` and for that before it (0 for the first level), and `B`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scales {
    pub(crate) fine: f64,
    pub(crate) coarse: f64,
    pub(crate) base: f64,
}

impl Scales {
    /// The digit of a torus element.
    #[inline(always)]
    pub(crate) fn digit(self, torus: u64) -> i64 {
        let signed = torus as i64 as f64;
        let fine = (signed * self.fine).round_ties_even();
        let coarse = (signed * self.coarse).round_ties_even();
        (fine - coarse * self.base) as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn refuses_what_floating_point_cannot_hold() {
        for (base_log, levels) in [(0, 1), (1, 0), (27, 2), (u32::MAX, 2)] {
            let refused = Err(TransformError::UnsupportedGadget { base_log, levels });
            assert_eq!(Gadget::new(base_log, levels), refused);
        }
        for (first, base_log, levels) in [(0, 4, 2), (53, 1, 1), (12, 11, 5), (u32::MAX, 1, 1)] {
            let refused = Err(TransformError::UnsupportedGadget { base_log, levels });
            assert_eq!(Gadget::with_first(first, base_log, levels), refused);
        }
    }

    #[test]
    fn the_middle_of_the_torus_keeps_its_sign() {
        let gadget = Gadget::new(23, 1).unwrap();
        assert_eq!(gadget.digit((1 << 63) - 1, 1), 1 << 22);
        assert_eq!(gadget.digit(1 << 63, 1), -(1 << 22));
    }

    proptest! {
        #[test]
        fn digits_are_balanced_odd_and_recompose(
            x: u64,
            (first, base_log, levels) in (1u32..=26).prop_flat_map(|b| (1u32..=26, Just(b), 1u32..=1 + 26 / b)),
        ) {
            let gadget = Gadget::with_first(first, base_log, levels).unwrap();
            let mut sum = 0u64;
            for level in 1..=levels {
                let digit = gadget.digit(x, level);
                let bits = if level == 1 { first } else { base_log };
                prop_assert!(digit.unsigned_abs() <= 1 << (bits - 1));
                if x != 1 << 63 {
                    prop_assert_eq!(gadget.digit(x.wrapping_neg(), level), -digit);
                }
                sum = sum.wrapping_add((digit as u64) << (64 - gadget.exponent(level)));
            }
            let error = sum.wrapping_sub(x) as i64;
            // Half a step of the last level, plus the rounding of the input to 53 bits.
            prop_assert!(error.unsigned_abs() <= (1u64 << (63 - gadget.exponent(levels))) + (1 << 9));
        }
    }
}
