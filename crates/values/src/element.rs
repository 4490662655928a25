//! One element of a variable: a number, a truth value, a character, a byte.

use std::fmt;
use std::str::FromStr;

use crate::error::ValueError;

/// What one element of a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Element {
    /// A whole number in two's complement.
    Integer {
        /// Width: 8, 16, 32 or 64.
        bits: u8,
        /// Whether the top bit counts negatively.
        signed: bool,
    },
    /// C's `bool`: one byte, 0 or 1.
    Boolean,
    /// C's `char`: one byte, shown as text.
    Character,
    /// A binary floating-point number of IEEE 754. Its value here is that of its bits, read as an
    /// unsigned integer.
    Float {
        /// Width: 32 or 64.
        bits: u8,
    },
    /// A byte of something that has no type here.
    Raw,
}

impl Element {
    /// An unsigned byte.
    pub const U8: Self = Self::unsigned(8);
    /// An unsigned number of 16 bits.
    pub const U16: Self = Self::unsigned(16);
    /// An unsigned number of 32 bits.
    pub const U32: Self = Self::unsigned(32);
    /// An unsigned number of 64 bits.
    pub const U64: Self = Self::unsigned(64);

    const fn unsigned(bits: u8) -> Self {
        Self::Integer {
            bits,
            signed: false,
        }
    }

    /// Width in bits: 8, 16, 32 or 64.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Integer { bits, .. } | Self::Float { bits } => u32::from(bits),
            Self::Boolean | Self::Character | Self::Raw => 8,
        }
    }

    /// Width in bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        self.bits() / 8
    }

    /// The smallest and the largest value that fits.
    ///
    /// A character accepts −128..=255, since C leaves its sign to the platform; it reads back as
    /// 0..=255.
    #[must_use]
    pub fn range(self) -> (i128, i128) {
        match self {
            Self::Integer {
                bits,
                signed: false,
            } => (0, (1i128 << bits) - 1),
            Self::Integer { bits, signed: true } => {
                (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
            }
            Self::Boolean => (0, 1),
            Self::Character => (-128, 255),
            Self::Float { bits } => (0, (1i128 << bits) - 1),
            Self::Raw => (0, 255),
        }
    }

    /// The value's bits, least significant first.
    ///
    /// # Errors
    /// [`ValueError::OutOfRange`] when the value does not fit.
    pub fn encode(self, value: i128) -> Result<Vec<bool>, ValueError> {
        let (low, high) = self.range();
        if value < low || value > high {
            return Err(ValueError::OutOfRange {
                value,
                element: self,
                low,
                high,
            });
        }
        Ok((0..self.bits()).map(|i| (value >> i) & 1 == 1).collect())
    }

    /// The value that these bits (least significant first) stand for; missing bits read as 0 and
    /// bits beyond the width are ignored.
    #[must_use]
    pub fn decode(self, bits: &[bool]) -> i128 {
        let width = self.bits() as usize;
        let mut value = 0i128;
        for (i, &bit) in bits.iter().take(width).enumerate() {
            value |= i128::from(bit) << i;
        }
        let signed = matches!(self, Self::Integer { signed: true, .. });
        if signed && bits.get(width - 1) == Some(&true) {
            value - (1i128 << width)
        } else {
            value
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { bits, signed } => {
                write!(f, "{}{bits}", if *signed { 'i' } else { 'u' })
            }
            Self::Boolean => f.write_str("bool"),
            Self::Character => f.write_str("char"),
            Self::Float { bits } => write!(f, "f{bits}"),
            Self::Raw => f.write_str("raw"),
        }
    }
}

impl FromStr for Element {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let integer = |bits, signed| Ok(Self::Integer { bits, signed });
        match text {
            "u8" => integer(8, false),
            "u16" => integer(16, false),
            "u32" => integer(32, false),
            "u64" => integer(64, false),
            "i8" => integer(8, true),
            "i16" => integer(16, true),
            "i32" => integer(32, true),
            "i64" => integer(64, true),
            "bool" => Ok(Self::Boolean),
            "char" => Ok(Self::Character),
            "f32" => Ok(Self::Float { bits: 32 }),
            "f64" => Ok(Self::Float { bits: 64 }),
            "raw" => Ok(Self::Raw),
            _ => Err(ValueError::unknown_type(text)),
        }
    }
}
