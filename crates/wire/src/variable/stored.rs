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
//! Elements 4 to 8 are younger than the first files, which have none of them; whoever reads files
//! without knowing them refuses such a one. Each enumeration stands in a file once, however many
//! variables have it.

use std::collections::HashMap;
use std::sync::Arc;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use super::{
    COUNT_LIMIT, DIMENSION_LIMIT, ENUMERATOR_LIMIT, Element, Enumerators, Type, Variable, Width,
    at_most, is_enumerator,
};

/// Most enumerations of a file, and most enumerators of all together: what goes beyond is stored
/// without names.
const TABLE_LIMIT: usize = 4_096;
const TOTAL_LIMIT: usize = 65_536;

/// The variables of a file.
pub(crate) struct Variables {
    pub(crate) variables: Vec<Variable>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum StoredElement {
    Boolean,
    Character,
    Unsigned(Width),
    Signed(Width),
    Float(Width),
    Raw,
    Field(Element, u8),
    Named(Element, u32),
    NamedField(Element, u8, u32),
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
    fn number(&mut self, names: &'a Enumerators) -> Option<u32> {
        if let Some(known) = self.seen.get(&names.as_ptr()) {
            return *known;
        }
        let number = self.numbers.get(&names[..]).copied().or_else(|| {
            let fits = self.counts.len() < TABLE_LIMIT
                && self.listed.len() + names.len() <= TOTAL_LIMIT
                && names.iter().all(|(name, _)| is_enumerator(name));
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
            let number = kind.names.as_ref().and_then(|names| tables.number(names));
            let element = match (kind.element, kind.width, number) {
                (element, Some(width), Some(number)) => {
                    StoredElement::NamedField(element, width, number)
                }
                (element, None, Some(number)) => StoredElement::Named(element, number),
                (element, Some(width), None) => StoredElement::Field(element, width),
                (Element::Boolean, ..) => StoredElement::Boolean,
                (Element::Character, ..) => StoredElement::Character,
                (Element::Unsigned(width), ..) => StoredElement::Unsigned(width),
                (Element::Signed(width), ..) => StoredElement::Signed(width),
                (Element::Float(width), ..) => StoredElement::Float(width),
                (Element::Raw, ..) => StoredElement::Raw,
            };
            StoredVariable {
                name: name.clone(),
                kind: StoredType {
                    element,
                    dimensions: kind.dimensions.clone(),
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
        let mut tables: Vec<Enumerators> = Vec::new();
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
            let (element, width, names) = match kind.element {
                StoredElement::Boolean => (Element::Boolean, None, None),
                StoredElement::Character => (Element::Character, None, None),
                StoredElement::Unsigned(width) => (Element::Unsigned(width), None, None),
                StoredElement::Signed(width) => (Element::Signed(width), None, None),
                StoredElement::Float(width) => (Element::Float(width), None, None),
                StoredElement::Raw => (Element::Raw, None, None),
                StoredElement::Field(element, width) => (element, Some(width), None),
                StoredElement::Named(element, number) => (element, None, Some(table(number)?)),
                StoredElement::NamedField(element, width, number) => {
                    (element, Some(width), Some(table(number)?))
                }
            };
            let dimensions = kind.dimensions;
            let kind = Type {
                element,
                dimensions,
                width,
                names,
            };
            Ok(Variable { name, kind })
        });
        let variables = variables.collect::<Result<_, A::Error>>()?;
        Ok(Variables { variables })
    }
}

/// The enumerations, if the counts fit what is listed and every name is one.
fn split(counts: &[u32], listed: Vec<(String, i128)>) -> Option<Vec<Enumerators>> {
    if !listed.iter().all(|(name, _)| is_enumerator(name)) {
        return None;
    }
    let mut listed = listed.into_iter();
    let mut tables = Vec::with_capacity(counts.len());
    for count in counts {
        let count = usize::try_from(*count).ok()?;
        if count == 0 || count > ENUMERATOR_LIMIT {
            return None;
        }
        let own: Vec<_> = listed.by_ref().take(count).collect();
        tables.push(Arc::from(own));
        if tables
            .last()
            .is_some_and(|own: &Enumerators| own.len() != count)
        {
            return None;
        }
    }
    listed.next().is_none().then_some(tables)
}
