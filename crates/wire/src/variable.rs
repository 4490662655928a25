//! Names and types of the values in a file, so that `decrypt` prints values, not bits.
//!
//! A variable is a scalar, an array (of arrays) of one element type, or a bit-field. Its bits
//! follow each other element by element, the least significant bit of an element first, exactly as
//! they lie in the little-endian memory of the program. A file names no addresses: it fits every
//! program that has a variable of that name and size.

mod stored;

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use values::Type;

use crate::WireError;

pub(crate) use stored::Variables;

/// Most variables in one file.
const COUNT_LIMIT: usize = 65_536;
/// Longest name, in bytes.
const NAME_LIMIT: usize = 1_024;
/// Most dimensions of an array.
const DIMENSION_LIMIT: usize = Type::MOST_DIMENSIONS;

/// One variable: what it is called and what it holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// The symbol's name.
    pub name: String,
    /// The type of its value.
    pub kind: Type,
}

/// Reads a list, but stops at the first element too many: three bytes of a file make a variable of
/// fifty in memory.
fn at_most<'de, const LIMIT: usize, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct Bounded<const LIMIT: usize, T>(PhantomData<T>);

    impl<'de, const LIMIT: usize, T: Deserialize<'de>> Visitor<'de> for Bounded<LIMIT, T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {LIMIT}")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut values = Vec::new();
            while let Some(value) = list.next_element()? {
                if values.len() == LIMIT {
                    return Err(A::Error::custom("too many elements"));
                }
                values.push(value);
            }
            Ok(values)
        }
    }

    deserializer.deserialize_seq(Bounded::<LIMIT, T>(PhantomData))
}

/// Whether a file may hold these variables: for callers that want to know before long work begins.
///
/// # Errors
/// [`WireError::Unstorable`] when there are too many, a name is empty, too long, given twice or has
/// control characters, or a type is too large.
pub fn check_variables(variables: &[Variable]) -> Result<(), WireError> {
    check_written(variables).map(|_| ())
}

/// Checks what every file's variables must keep: bounded, printable and distinct names, types that
/// files have. Returns their bits in all.
pub(crate) fn check(variables: &[Variable]) -> Result<usize, String> {
    if variables.len() > COUNT_LIMIT {
        return Err(format!(
            "{} variables (at most {COUNT_LIMIT})",
            variables.len()
        ));
    }
    let mut names = std::collections::HashSet::with_capacity(variables.len());
    let mut total = 0_usize;
    for Variable { name, kind } in variables {
        if name.is_empty() || name.len() > NAME_LIMIT {
            return Err(format!(
                "a name of {} bytes (at least 1, at most {NAME_LIMIT})",
                name.len()
            ));
        }
        // Names reach the terminal: escape sequences must not.
        if name.chars().any(char::is_control) {
            return Err(format!("the name {name:?} has control characters"));
        }
        if !names.insert(name) {
            return Err(format!("two variables are called {name:?}"));
        }
        if let Some(reason) = stored::unstorable(kind) {
            return Err(format!("{name}: {reason}"));
        }
        total = total
            .checked_add(kind.bits())
            .ok_or_else(|| format!("{name} is larger than the address space"))?;
    }
    Ok(total)
}

pub(crate) fn check_read(variables: &[Variable]) -> Result<usize, WireError> {
    check(variables).map_err(WireError::malformed)
}

pub(crate) fn check_written(variables: &[Variable]) -> Result<usize, WireError> {
    check(variables).map_err(|reason| WireError::Unstorable { reason })
}
