//! Variables as metadata have them.
//!
//! | field | |
//! |---|---|
//! | the variables | name; element (below); dimensions |
//! | how many enumerators each enumeration has | only if a variable is one |
//! | the enumerators of all, one after the other: name, value | likewise |
//!
//! An element is its number, then what follows in the table.
//!
//! | | element | |
//! |---|---|---|
//! | 0 to 3 | `bool`, `char`, unsigned, signed | width of the last two |
//! | 4 | float | width |
//! | 5 | raw byte | |
//! | 6 | bit-field | one of the elements 0 to 3, bits |
//! | 7 | enumeration | an integer, the number of the enumeration from 0 |
//! | 8 | bit-field of an enumeration | an integer, bits, the number of the enumeration |
//!
//! The first files have none of the elements 4 to 8; a reader that does not know them refuses a
//! file that has one. Each enumeration stands in a file once, however many variables have it.

use std::collections::HashMap;
use std::sync::Arc;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use values::{Element, Enumeration, Type, ValueError};

use super::{COUNT_LIMIT, DIMENSION_LIMIT, Variable, at_most};

/// Most enumerations of a file, and most enumerators of all together: what goes beyond is stored
/// without names.
const TABLE_LIMIT: usize = 4_096;
const TOTAL_LIMIT: usize = 65_536;

/// The variables of a file.
pub(crate) struct Variables {
    pub(crate) variables: Vec<Variable>,
}

/// Width of a number.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Width {
    Bits8,
    Bits16,
    Bits32,
    Bits64,
}

/// An element without more: the first six of the table.
#[derive(Clone, Copy, Serialize, Deserialize)]
enum Plain {
    Boolean,
    Character,
    Unsigned(Width),
    Signed(Width),
    Float(Width),
    Raw,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum StoredElement {
    Boolean,
    Character,
    Unsigned(Width),
    Signed(Width),
    Float(Width),
    Raw,
    Field(Plain, u8),
    Named(Plain, u32),
    NamedField(Plain, u8, u32),
}

impl Width {
    fn of(bits: u8) -> Option<Self> {
        Some(match bits {
            8 => Self::Bits8,
            16 => Self::Bits16,
            32 => Self::Bits32,
            64 => Self::Bits64,
            _ => return None,
        })
    }

    fn bits(self) -> u8 {
        match self {
            Self::Bits8 => 8,
            Self::Bits16 => 16,
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }
}

impl Plain {
    /// The element as files have it; `None` of one that they do not have.
    fn of(element: Element) -> Option<Self> {
        Some(match element {
            Element::Boolean => Self::Boolean,
            Element::Character => Self::Character,
            Element::Integer { bits, signed } => {
                let width = Width::of(bits)?;
                if signed {
                    Self::Signed(width)
                } else {
                    Self::Unsigned(width)
                }
            }
            Element::Float {
                bits: bits @ (32 | 64),
            } => Self::Float(Width::of(bits)?),
            Element::Raw => Self::Raw,
            _ => return None,
        })
    }

    fn element(self) -> Result<Element, String> {
        let integer = |width: Width, signed| Element::Integer {
            bits: width.bits(),
            signed,
        };
        Ok(match self {
            Self::Boolean => Element::Boolean,
            Self::Character => Element::Character,
            Self::Unsigned(width) => integer(width, false),
            Self::Signed(width) => integer(width, true),
            Self::Float(width @ (Width::Bits32 | Width::Bits64)) => {
                Element::Float { bits: width.bits() }
            }
            Self::Float(width) => return Err(format!("a float of {} bits", width.bits())),
            Self::Raw => Element::Raw,
        })
    }
}

impl From<Plain> for StoredElement {
    fn from(plain: Plain) -> Self {
        match plain {
            Plain::Boolean => Self::Boolean,
            Plain::Character => Self::Character,
            Plain::Unsigned(width) => Self::Unsigned(width),
            Plain::Signed(width) => Self::Signed(width),
            Plain::Float(width) => Self::Float(width),
            Plain::Raw => Self::Raw,
        }
    }
}

/// Why files cannot hold a type, if they cannot.
pub(super) fn unstorable(ty: &Type) -> Option<String> {
    let element = ty.element();
    if Plain::of(element).is_none() {
        return Some(format!("files have no elements of type {element}"));
    }
    let named = ty.names().is_some() && !matches!(element, Element::Integer { .. });
    named.then(|| format!("an enumeration of {element}"))
}

#[derive(Serialize, Deserialize)]
struct StoredType {
    element: StoredElement,
    #[serde(deserialize_with = "at_most::<DIMENSION_LIMIT, _, _>")]
    dimensions: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct StoredVariable {
    name: String,
    kind: StoredType,
}

#[derive(Deserialize)]
struct StoredVariables(
    #[serde(deserialize_with = "at_most::<COUNT_LIMIT, _, _>")] Vec<StoredVariable>,
);

#[derive(Deserialize)]
struct Counts(#[serde(deserialize_with = "at_most::<TABLE_LIMIT, _, _>")] Vec<u32>);

#[derive(Deserialize)]
struct Listed(#[serde(deserialize_with = "at_most::<TOTAL_LIMIT, _, _>")] Vec<(String, i128)>);

/// Numbers for the enumerations of a file.
#[derive(Default)]
struct Tables<'a> {
    /// By the place in memory, since many variables share one.
    seen: HashMap<*const (String, i128), Option<u32>>,
    numbers: HashMap<&'a [(String, i128)], u32>,
    counts: Vec<u32>,
    listed: Vec<&'a (String, i128)>,
}

impl<'a> Tables<'a> {
    fn number(&mut self, names: &'a Enumeration) -> Option<u32> {
        let names = names.enumerators();
        if let Some(known) = self.seen.get(&names.as_ptr()) {
            return *known;
        }
        let number = self.numbers.get(&names[..]).copied().or_else(|| {
            let fits = self.counts.len() < TABLE_LIMIT
                && !names.is_empty()
                && self.listed.len() + names.len() <= TOTAL_LIMIT;
            fits.then(|| {
                let number = self.counts.len() as u32;
                self.counts.push(names.len() as u32);
                self.listed.extend(names.iter());
                self.numbers.insert(names, number);
                number
            })
        });
        self.seen.insert(names.as_ptr(), number);
        number
    }
}

impl Serialize for Variables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tables = Tables::default();
        let stored = self.variables.iter().map(|Variable { name, kind }| {
            // Variables are checked before they are written: no other element gets here.
            let plain = Plain::of(kind.element()).unwrap_or(Plain::Raw);
            let number = kind.names().and_then(|names| tables.number(names));
            let element = match (kind.width(), number) {
                (Some(width), Some(number)) => StoredElement::NamedField(plain, width, number),
                (None, Some(number)) => StoredElement::Named(plain, number),
                (Some(width), None) => StoredElement::Field(plain, width),
                (None, None) => plain.into(),
            };
            StoredVariable {
                name: name.clone(),
                kind: StoredType {
                    element,
                    dimensions: kind.dimensions().to_vec(),
                },
            }
        });
        let stored: Vec<StoredVariable> = stored.collect();
        let mut fields = serializer.serialize_struct("Variables", 3)?;
        fields.serialize_field("variables", &stored)?;
        if !tables.counts.is_empty() {
            fields.serialize_field("counts", &tables.counts)?;
            fields.serialize_field("enumerators", &tables.listed)?;
        }
        fields.end()
    }
}

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const FIELDS: &[&str] = &["variables", "counts", "enumerators"];
        deserializer.deserialize_struct("Variables", FIELDS, Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Variables;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("variables")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Variables, A::Error> {
        let cut = || A::Error::custom("the variables are cut off");
        let StoredVariables(stored) = fields.next_element()?.ok_or_else(cut)?;
        let named = |variable: &StoredVariable| {
            let element = variable.kind.element;
            matches!(
                element,
                StoredElement::Named(..) | StoredElement::NamedField(..)
            )
        };
        let mut tables: Vec<Arc<Enumeration>> = Vec::new();
        if stored.iter().any(named) {
            let Counts(counts) = fields.next_element()?.ok_or_else(cut)?;
            let Listed(listed) = fields.next_element()?.ok_or_else(cut)?;
            tables = split(&counts, listed).ok_or_else(|| {
                A::Error::custom("the names of enumerations are not as they must be")
            })?;
        }
        let variables = stored.into_iter().map(|StoredVariable { name, kind }| {
            let table = |number: u32| {
                let table = tables.get(number as usize).cloned();
                table.ok_or_else(|| A::Error::custom("an enumeration is missing"))
            };
            let (plain, width, names) = match kind.element {
                StoredElement::Boolean => (Plain::Boolean, None, None),
                StoredElement::Character => (Plain::Character, None, None),
                StoredElement::Unsigned(width) => (Plain::Unsigned(width), None, None),
                StoredElement::Signed(width) => (Plain::Signed(width), None, None),
                StoredElement::Float(width) => (Plain::Float(width), None, None),
                StoredElement::Raw => (Plain::Raw, None, None),
                StoredElement::Field(element, width) => (element, Some(width), None),
                StoredElement::Named(element, number) => (element, None, Some(table(number)?)),
                StoredElement::NamedField(element, width, number) => {
                    (element, Some(width), Some(table(number)?))
                }
            };
            let kind = read(plain, width, kind.dimensions)
                .map_err(|reason| A::Error::custom(format!("{name}: {reason}")))?;
            let kind = match names {
                Some(names) => kind.with_names(names),
                None => kind,
            };
            Ok(Variable { name, kind })
        });
        let variables = variables.collect::<Result<_, A::Error>>()?;
        Ok(Variables { variables })
    }
}

/// The type that a file describes.
fn read(plain: Plain, width: Option<u8>, dimensions: Vec<u32>) -> Result<Type, String> {
    let element = plain.element()?;
    let text = |error: ValueError| error.to_string();
    match width {
        Some(_) if !dimensions.is_empty() => Err(format!("an array of bit-fields of {element}")),
        Some(width) => Type::bit_field(element, width).map_err(text),
        None => Type::array(element, dimensions).map_err(text),
    }
}

/// The enumerations, if the counts fit what is listed and every name is one.
fn split(counts: &[u32], listed: Vec<(String, i128)>) -> Option<Vec<Arc<Enumeration>>> {
    let mut listed = listed.into_iter();
    let mut tables = Vec::with_capacity(counts.len());
    for count in counts {
        let count = usize::try_from(*count).ok()?;
        let own: Vec<_> = listed.by_ref().take(count).collect();
        if own.len() != count {
            return None;
        }
        tables.push(Arc::new(Enumeration::new(own)?));
    }
    listed.next().is_none().then_some(tables)
}
