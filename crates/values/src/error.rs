//! What is wrong with a value or a type.

use crate::element::Element;

/// Why a value or a type is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// The element cannot hold the value.
    #[error("{value} does not fit {element} ({low} to {high})")]
    OutOfRange {
        /// The value.
        value: i128,
        /// The type that it should have.
        element: Element,
        /// The smallest value that fits.
        low: i128,
        /// The largest value that fits.
        high: i128,
    },
    /// More values than the variable has elements.
    #[error("{given} values for {elements} elements")]
    TooMany {
        /// How many were given.
        given: usize,
        /// How many fit.
        elements: u32,
    },
    /// A bit-field that the element has not the bits for.
    #[error("a bit-field of {width} bits of {element}")]
    Width {
        /// Its element.
        element: Element,
        /// Its bits.
        width: u8,
    },
    /// Not the name of a type.
    #[error(
        "unknown type '{text}': write u8, u16, u32, u64, i8 to i64, f32, f64, bool or char, arrays as u32[8]"
    )]
    UnknownType {
        /// What was written.
        text: String,
    },
    /// More dimensions than arrays have here.
    #[error(
        "an array of {element} with {given} dimensions: at most {} are taken",
        crate::Type::MOST_DIMENSIONS
    )]
    Dimensions {
        /// Its element.
        element: Element,
        /// How many were given.
        given: usize,
    },
    /// The array exceeds a 32-bit address space.
    #[error("an array of {element} with dimensions {dimensions:?} exceeds 4 GiB")]
    TooLarge {
        /// Its element.
        element: Element,
        /// Its dimensions.
        dimensions: Vec<u32>,
    },
}

impl ValueError {
    /// Of a text that is no type.
    pub(crate) fn unknown_type(text: &str) -> Self {
        Self::UnknownType {
            text: beginning(text),
        }
    }
}

/// As much of what was written as a message needs, without what terminals obey: strangers write
/// types, too.
fn beginning(text: &str) -> String {
    const CHARACTERS: usize = 80;
    let mut short = String::new();
    for (at, character) in text.chars().enumerate() {
        match character {
            _ if at == CHARACTERS => {
                short.push('…');
                break;
            }
            character if character.is_control() => short.extend(character.escape_debug()),
            character => short.push(character),
        }
    }
    short
}
