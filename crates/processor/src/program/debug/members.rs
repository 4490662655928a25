//! The members of a structure or a union.
//!
//! A member that has no shape of its own becomes bytes; the others keep theirs. A bit-field is told
//! in one of two ways (DWARF 5, section 5.7.6): by its first bit, counted from the structure's
//! first; or, before DWARF 4, by a unit of memory and how far the field's highest bit is from the
//! unit's highest, which is the last byte's in a little-endian machine.

use std::rc::Rc;
use std::sync::Arc;

use gimli::{AttributeValue, UnitOffset};

use super::{Entry, MEMBER_LIMIT, Member, Shape, UnitReader};
use crate::program::opacity::Opacity;
use values::{Element, Type};

/// The members, or `None` if they cannot be told apart, or if there is more to it than members.
pub(super) fn read(
    reader: &mut UnitReader<'_, '_>,
    structure: UnitOffset,
    size: u32,
    union: bool,
    depth: u32,
) -> Option<Vec<Member>> {
    let unit = reader.unit;
    let mut tree = unit.entries_tree(Some(structure)).ok()?;
    let mut children = tree.root().ok()?.children();
    let mut members: Vec<Member> = Vec::new();
    while let Some(child) = children.next().ok()? {
        let entry = child.entry();
        match entry.tag() {
            gimli::DW_TAG_member => {}
            gimli::DW_TAG_inheritance | gimli::DW_TAG_variant_part => return None,
            _ => continue,
        }
        if members.len() >= MEMBER_LIMIT {
            return None;
        }
        let member = member(reader, entry, size, union, depth)?;
        if member.offset.checked_add(member.shape.size()?)? > size {
            return None;
        }
        // A bit-field without a name only keeps others apart.
        if !(member.name.is_empty() && matches!(*member.shape, Shape::BitField { .. })) {
            members.push(member);
        }
    }
    if union {
        return Some(members);
    }
    let places = places(&members)?;
    let are_apart = places.windows(2).all(|pair| pair[0].end <= pair[1].first);
    let is_told = !reader.of_clang || !may_be_displaced(&members, &places, size);
    (are_apart && is_told).then_some(members)
}

/// The bits of a member, counted from the structure's first.
struct Place {
    first: u64,
    end: u64,
    /// What its first bit is a multiple of where nothing is packed; of a bit-field, its unit's.
    alignment: u64,
    /// Whether it is a number, and no bit-field as far as is told.
    is_number: bool,
}

/// Where members are, the first first.
fn places(members: &[Member]) -> Option<Vec<Place>> {
    let mut places = Vec::with_capacity(members.len());
    for member in members {
        let first = 8 * u64::from(member.offset) + u64::from(member.shift);
        let bits = match &*member.shape {
            Shape::BitField { ty, .. } => ty.bits() as u64,
            shape => 8 * u64::from(shape.size()?),
        };
        if bits > 0 {
            let is_number = matches!(
                *member.shape,
                Shape::Element(_) | Shape::Character { .. } | Shape::Named { .. }
            );
            let end = first + bits;
            places.push(Place {
                first,
                end,
                alignment: 8 * u64::from(member.shape.alignment().max(1)),
                is_number,
            });
        }
    }
    places.sort_unstable_by_key(|place| (place.first, place.end));
    Some(places)
}

/// What a structure of these members is a multiple of.
pub(super) fn alignment(members: &[Member]) -> u32 {
    let alignments = members.iter().map(|member| member.shape.alignment());
    alignments.max().unwrap_or(1)
}

/// Whether a bit-field of clang's may be elsewhere than it says: one that is as wide as its type is
/// told as a number that begins with the byte in which the field begins. After a bit-field with a
/// name the two overlap; after one without, which clang does not tell, there only is a gap behind
/// it. In a structure that is not packed such a field begins with a byte, and gaps are what
/// alignment leaves.
fn may_be_displaced(members: &[Member], places: &[Place], size: u32) -> bool {
    let (size, alignment) = (
        8 * u64::from(size),
        8 * u64::from(alignment(members).max(1)),
    );
    let is_aligned = |member: &Member| {
        let is_field = matches!(*member.shape, Shape::BitField { .. });
        is_field
            || member
                .offset
                .is_multiple_of(member.shape.alignment().max(1))
    };
    let is_packed = size % alignment != 0 || !members.iter().all(is_aligned);
    let next = places.iter().skip(1);
    let next = next.map(|place| (place.first, place.alignment));
    let next = next.chain([(size, alignment)]);
    let mut pairs = places.iter().zip(next);
    pairs.any(|(place, (next, alignment))| {
        let aligned = match is_packed {
            true => place.end,
            false => place.end.next_multiple_of(alignment),
        };
        place.is_number && next > aligned
    })
}

fn member<'data>(
    reader: &mut UnitReader<'_, 'data>,
    entry: &Entry<'data>,
    size: u32,
    union: bool,
    depth: u32,
) -> Option<Member> {
    let number = |name| {
        let value = entry.attr_value(name)?.udata_value()?;
        u32::try_from(value).ok()
    };
    let name = match entry.attr_value(gimli::DW_AT_name) {
        Some(name) => reader.string(name)?,
        None => String::new(),
    };
    let ty = entry.attr_value(gimli::DW_AT_type)?;
    let shape = reader.shape_of(&ty, depth + 1);
    let place = |name| match entry.attr_value(name) {
        None if union => Some(0),
        None => None,
        // The form of DWARF 2: an offset to add to the structure's address.
        Some(AttributeValue::Exprloc(expression)) => {
            let mut operations = expression.operations(reader.unit.encoding());
            let added = match operations.next().ok()?? {
                gimli::Operation::PlusConstant { value } => u32::try_from(value).ok()?,
                _ => return None,
            };
            operations.next().ok()?.is_none().then_some(added)
        }
        Some(_) => number(name),
    };
    if entry.attr_value(gimli::DW_AT_bit_size).is_some() {
        let bits = number(gimli::DW_AT_bit_size)?;
        let first = if entry.attr_value(gimli::DW_AT_bit_offset).is_some() {
            let unit = match entry.attr_value(gimli::DW_AT_byte_size) {
                Some(_) => number(gimli::DW_AT_byte_size)?,
                None => shape.as_ref()?.size()?,
            };
            // A field of a packed structure may reach beyond its unit: then this is negative.
            let above = entry.attr_value(gimli::DW_AT_bit_offset)?;
            // Clang writes that as an unsigned number of 64 bits.
            let unsigned = || above.udata_value().map(u64::cast_signed);
            let above = above.sdata_value().or_else(unsigned)?;
            let above = above.checked_add(i64::from(bits))?;
            let start = place(gimli::DW_AT_data_member_location)?;
            let end = i64::from(start.checked_add(unit)?).checked_mul(8)?;
            u32::try_from(end.checked_sub(above)?).ok()?
        } else {
            place(gimli::DW_AT_data_bit_offset)?
        };
        let end = first.checked_add(bits)?;
        if end > size.checked_mul(8)? {
            return None;
        }
        let offset = first / 8;
        let size = end.div_ceil(8) - offset;
        let shape = match shape.as_deref().and_then(|shape| field(shape, bits)) {
            Some(ty) => Shape::BitField { ty, size },
            None => Shape::Opaque {
                size,
                reason: Opacity::BitField,
            },
        };
        return Some(Member {
            name,
            offset,
            shift: (first % 8) as u8,
            shape: Rc::new(shape),
        });
    }
    // Some producers tell every member's place in bits.
    let offset = match number(gimli::DW_AT_data_bit_offset) {
        Some(bits) if bits % 8 == 0 => bits / 8,
        Some(_) => return None,
        None => place(gimli::DW_AT_data_member_location)?,
    };
    Some(Member {
        name,
        offset,
        shift: 0,
        shape: shape?,
    })
}

/// The type of a bit-field of `bits` bits that is declared with this shape.
fn field(shape: &Shape, bits: u32) -> Option<Type> {
    let width = u8::try_from(bits).ok()?;
    match shape {
        Shape::Element(element) => Type::bit_field(*element, width).ok(),
        // Some bits of a character are no text.
        Shape::Character { signed } => {
            let (bits, signed) = (8, *signed);
            Type::bit_field(Element::Integer { bits, signed }, width).ok()
        }
        Shape::Named { element, names } => {
            let ty = Type::bit_field(*element, width).ok()?;
            Some(ty.with_names(Arc::clone(names)))
        }
        _ => None,
    }
}
