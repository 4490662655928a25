//! The names of an enumeration's values.

use std::sync::Arc;

use std::rc::Rc;

use gimli::{AttributeValue, UnitOffset};

use super::{Entry, MEMBER_LIMIT, Shape, UnitReader, base_type};
use values::{Element, Enumeration};

/// The number that an enumeration is, with names where its enumerators can be read; some older
/// producers do not tell the type underneath, and then it is as wide as the enumeration and signed
/// if an enumerator is negative.
pub(super) fn read(
    reader: &mut UnitReader<'_, '_>,
    enumeration: UnitOffset,
    size: Option<u32>,
    underlying: Option<Rc<Shape>>,
) -> Option<Shape> {
    let element = match underlying.as_deref() {
        Some(Shape::Element(element @ Element::Integer { .. })) => Some(*element),
        Some(Shape::Character { signed }) => Some(Element::Integer {
            bits: 8,
            signed: *signed,
        }),
        Some(Shape::Element(Element::Boolean)) => return Some(Shape::Element(Element::Boolean)),
        // A size of its own is all that is known of it.
        Some(other) => {
            let (size, reason) = (other.size()?, crate::Opacity::Unknown);
            return Some(Shape::Opaque { size, reason });
        }
        None => None,
    };
    let listed = list(reader, enumeration);
    let element = match element {
        Some(element) => element,
        None => {
            let negative =
                |value: &AttributeValue<_>| matches!(value, AttributeValue::Sdata(n) if *n < 0);
            let signed = listed.iter().flatten().any(|(_, value)| negative(value));
            let encoding = if signed {
                gimli::DW_ATE_signed
            } else {
                gimli::DW_ATE_unsigned
            };
            match base_type(encoding, size?, None) {
                Shape::Element(element) => element,
                other => return Some(other),
            }
        }
    };
    let (low, high) = element.range();
    let value = |value: &AttributeValue<_>| {
        let value = match (value, low < 0) {
            (AttributeValue::Sdata(value), _) => i128::from(*value),
            (AttributeValue::Udata(value), _) => i128::from(*value),
            (value, true) => i128::from(value.sdata_value()?),
            (value, false) => i128::from(value.udata_value()?),
        };
        (low..=high).contains(&value).then_some(value)
    };
    let names = listed.and_then(|listed| {
        let pairs = listed
            .into_iter()
            .map(|(name, own)| Some((name, value(&own)?)));
        Enumeration::new(pairs.collect::<Option<Vec<_>>>()?)
    });
    Some(match names {
        Some(names) => Shape::Named {
            element,
            names: Arc::new(names),
        },
        None => Shape::Element(element),
    })
}

type Listed<'data> = Vec<(String, AttributeValue<super::Reader<'data>>)>;

/// The enumerators, or `None` if one of them cannot be read.
fn list<'data>(
    reader: &mut UnitReader<'_, 'data>,
    enumeration: UnitOffset,
) -> Option<Listed<'data>> {
    let unit = reader.unit;
    let mut tree = unit.entries_tree(Some(enumeration)).ok()?;
    let mut children = tree.root().ok()?.children();
    let mut listed = Vec::new();
    while let Some(child) = children.next().ok()? {
        let entry: &Entry<'data> = child.entry();
        if entry.tag() != gimli::DW_TAG_enumerator {
            continue;
        }
        if listed.len() >= MEMBER_LIMIT {
            return None;
        }
        let name = reader.string(entry.attr_value(gimli::DW_AT_name)?)?;
        listed.push((name, entry.attr_value(gimli::DW_AT_const_value)?));
    }
    Some(listed)
}
