//! Names and types of the values in a file, so that `decrypt` prints values, not bits.
//!
//! A variable is a scalar, an array (of arrays) of one element type, or a bit-field. Its bits follow each other
//! element by element, the least significant bit of an element first, exactly as they lie in the
//! little-endian memory of the program. A file names no addresses: it fits every program that has
//! a variable of that name and size.

mod stored;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::WireError;

pub(crate) use stored::Variables;

/// Most variables in one file.
const COUNT_LIMIT: usize = 65_536;
/// Longest name, in bytes.
const NAME_LIMIT: usize = 1_024;
/// Most dimensions of an array.
const DIMENSION_LIMIT: usize = 8;
/// Most enumerators of an enumeration.
const ENUMERATOR_LIMIT: usize = 4_096;
/// Longest name of an enumerator, in bytes.
const ENUMERATOR_NAME_LIMIT: usize = 255;

/// Names of values, in the order of the source.
pub type Enumerators = Arc<[(String, i128)]>;

/// Type of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Element {
    /// `_Bool`: one byte that is 0 or 1.
    Boolean,
    /// `char`: one byte of text.
    Character,
    /// An unsigned integer of that width.
    Unsigned(Width),
    /// A two's-complement integer of that width.
    Signed(Width),
    /// A binary floating-point number of IEEE 754, of 32 or 64 bits.
    Float(Width),
    /// A byte of something that has no type here.
    Raw,
}

/// Width of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Width {
    /// 8 bits.
    Bits8,
    /// 16 bits.
    Bits16,
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
}

impl Width {
    /// The number of bits.
    pub const fn bits(self) -> u32 {
        match self {
            Width::Bits8 => 8,
            Width::Bits16 => 16,
            Width::Bits32 => 32,
            Width::Bits64 => 64,
        }
    }

    /// The width of that many bits, if there is one.
    pub const fn from_bits(bits: u32) -> Option<Width> {
        Some(match bits {
            8 => Width::Bits8,
            16 => Width::Bits16,
            32 => Width::Bits32,
            64 => Width::Bits64,
            _ => return None,
        })
    }
}

impl Element {
    /// Bits of one element.
    pub const fn bits(self) -> u32 {
        match self {
            Element::Boolean | Element::Character | Element::Raw => 8,
            Element::Unsigned(width) | Element::Signed(width) | Element::Float(width) => {
                width.bits()
            }
        }
    }
}

impl fmt::Display for Element {
    /// As types are written on the command line: `u32`, `i8`, `char`, `bool`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Boolean => f.write_str("bool"),
            Element::Character => f.write_str("char"),
            Element::Unsigned(width) => write!(f, "u{}", width.bits()),
            Element::Signed(width) => write!(f, "i{}", width.bits()),
            Element::Float(width) => write!(f, "f{}", width.bits()),
            Element::Raw => f.write_str("raw"),
        }
    }
}

/// Element type and dimensions; no dimension means a scalar.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// Type of each element.
    pub element: Element,
    /// Array dimensions, outermost first.
    pub dimensions: Vec<u32>,
    /// Of a bit-field, how many bits it has: at least one, at most the element's. It has no
    /// dimensions, and its bits stand alone.
    pub width: Option<u8>,
    /// Names of an enumeration's values; its elements are integers.
    pub names: Option<Enumerators>,
}

impl Type {
    /// A scalar.
    pub fn scalar(element: Element) -> Type {
        Type {
            element,
            dimensions: Vec::new(),
            width: None,
            names: None,
        }
    }

    /// An array of one dimension.
    pub fn array(element: Element, count: u32) -> Type {
        Type {
            dimensions: vec![count],
            ..Type::scalar(element)
        }
    }

    /// Number of elements; `None` where it exceeds the address space.
    pub fn elements(&self) -> Option<usize> {
        self.dimensions
            .iter()
            .try_fold(1_usize, |product, &dimension| {
                product.checked_mul(usize::try_from(dimension).ok()?)
            })
    }

    /// Number of bits; `None` where it exceeds the address space.
    pub fn bits(&self) -> Option<usize> {
        match self.width {
            Some(width) => Some(usize::from(width)),
            None => self.elements()?.checked_mul(self.element.bits() as usize),
        }
    }
}

impl fmt::Display for Type {
    /// As types are written on the command line: `u32[8]`; of a bit-field `u32:5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.element)?;
        if let Some(width) = self.width {
            return write!(f, ":{width}");
        }
        self.dimensions
            .iter()
            .try_for_each(|dimension| write!(f, "[{dimension}]"))
    }
}

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

/// Checks what every file's variables must keep: bounded, printable and distinct names, bounded
/// types. Returns their bits in all.
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
        check_parts(name, kind)?;
        if kind.dimensions.len() > DIMENSION_LIMIT {
            return Err(format!("{name} has more than {DIMENSION_LIMIT} dimensions"));
        }
        total = kind
            .bits()
            .and_then(|bits| total.checked_add(bits))
            .ok_or_else(|| format!("{name} is larger than the address space"))?;
    }
    Ok(total)
}

/// Checks what makes a float, a bit-field or an enumeration.
fn check_parts(name: &str, kind: &Type) -> Result<(), String> {
    if let Element::Float(width) = kind.element
        && width < Width::Bits32
    {
        return Err(format!("{name} is a float of {} bits", width.bits()));
    }
    let whole = !matches!(kind.element, Element::Float(_) | Element::Raw);
    if let Some(width) = kind.width {
        let fits = width > 0 && u32::from(width) <= kind.element.bits();
        if !fits || !whole || !kind.dimensions.is_empty() {
            let element = kind.element;
            return Err(format!(
                "{name} is a bit-field of {width} bits of {element}"
            ));
        }
    }
    let Some(names) = &kind.names else {
        return Ok(());
    };
    if !matches!(kind.element, Element::Unsigned(_) | Element::Signed(_)) {
        return Err(format!("{name} is an enumeration of {}", kind.element));
    }
    if names.is_empty() || names.len() > ENUMERATOR_LIMIT {
        let count = names.len();
        return Err(format!(
            "{name} has names for {count} values (at least 1, at most {ENUMERATOR_LIMIT})"
        ));
    }
    Ok(())
}

/// Whether a name can be an enumerator's: what C allows, so that it is no number and nothing that a
/// terminal obeys.
fn is_enumerator(name: &str) -> bool {
    let first = name.chars().next();
    first.is_some_and(|first| first.is_alphabetic() || first == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.len() <= ENUMERATOR_NAME_LIMIT
}

pub(crate) fn check_read(variables: &[Variable]) -> Result<usize, WireError> {
    check(variables).map_err(WireError::malformed)
}

pub(crate) fn check_written(variables: &[Variable]) -> Result<usize, WireError> {
    check(variables).map_err(|reason| WireError::Unstorable { reason })
}
