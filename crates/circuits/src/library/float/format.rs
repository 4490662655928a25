//! How a format divides its bits.

/// A binary format: a sign above an exponent above a fraction.
///
/// ```
/// use blindcore_circuits::library::float::Format;
///
/// assert_eq!(Format::SINGLE.width(), 32);
/// assert_eq!(Format::DOUBLE.bias(), 1023);
/// // Any division of bits is a format.
/// let tiny = Format { exponent: 4, fraction: 3, has_infinity: true };
/// assert_eq!(tiny.width(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Format {
    /// Bits of the exponent, 2 at least.
    pub exponent: usize,
    /// Bits of the fraction, 2 at least: the significand's but the leading one.
    pub fraction: usize,
    /// Whether the largest exponent stands for infinities and NaNs, not for one more exponent.
    pub has_infinity: bool,
}

impl Format {
    /// binary16 of IEEE 754.
    pub const HALF: Self = Self::of(5, 10);
    /// The halves of ARM's alternative format, without infinities and NaNs.
    pub const ALTERNATIVE_HALF: Self = Self {
        has_infinity: false,
        ..Self::HALF
    };
    /// The upper half of a single.
    pub const BFLOAT16: Self = Self::of(8, 7);
    /// binary32: C's `float`.
    pub const SINGLE: Self = Self::of(8, 23);
    /// binary64: C's `double`.
    pub const DOUBLE: Self = Self::of(11, 52);

    const fn of(exponent: usize, fraction: usize) -> Self {
        Self {
            exponent,
            fraction,
            has_infinity: true,
        }
    }

    /// Bits in all.
    #[must_use]
    pub const fn width(self) -> usize {
        1 + self.exponent + self.fraction
    }

    /// The exponent field of numbers from 1 up to 2.
    #[must_use]
    pub const fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The largest exponent field.
    pub(super) const fn largest(self) -> i64 {
        (1 << self.exponent) - 1
    }
}
