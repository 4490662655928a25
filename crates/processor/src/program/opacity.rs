//! What of a program's types this processor has no values for.

use serde::{Deserialize, Serialize};

use std::fmt;

/// Why a type is not a number, nor made of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Opacity {
    /// Floating point: where a call passes it, or of another format than 32 or 64 bits.
    Float,
    /// A union whose members cannot be told.
    Union,
    /// A bit-field of something that is no number.
    BitField,
    /// A number of more than 64 bits.
    Wide,
    /// A structure, where a number is needed.
    Structure,
    /// A type that the debugging information does not describe.
    Unknown,
}

impl fmt::Display for Opacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Float => "floating point is not supported",
            Self::Union => "a union has no single type",
            Self::BitField => "a bit field does not fill its bytes",
            Self::Wide => "numbers of more than 64 bits are not supported",
            Self::Structure => "a structure is not one number",
            Self::Unknown => "the type is not known",
        })
    }
}

/// What a call passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Passed {
    /// The parameter of this name.
    Parameter(String),
    /// The result.
    Result,
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter(name) => write!(f, "parameter {name}"),
            Self::Result => f.write_str("the result"),
        }
    }
}
