//! The members of a structure.
//!
//! A member that has no shape of its own becomes bytes; the others keep theirs. Bit fields that
//! share bytes become one member, whose name joins theirs (`low+high`).

use std::rc::Rc;

use gimli::UnitOffset;

use super::{Entry, MEMBER_LIMIT, Member, NAME_LIMIT, Shape, UnitReader};
use crate::program::opacity::Opacity;

/// The members, or `None` if they cannot be told apart.
pub(super) fn read(
    reader: &mut UnitReader<'_, '_>,
    structure: UnitOffset,
    size: u32,
    depth: u32,
) -> Option<Vec<Member>> {
    let unit = reader.unit;
    let mut tree = unit.entries_tree(Some(structure)).ok()?;
    let mut children = tree.root().ok()?.children();
    let mut members: Vec<Member> = Vec::new();
    while let Some(child) = children.next().ok()? {
        let entry = child.entry();
        if entry.tag() != gimli::DW_TAG_member {
            continue;
        }
        if members.len() >= MEMBER_LIMIT {
            return None;
        }
        let member = member(reader, entry, depth)?;
        if member.offset.checked_add(member.shape.size()?)? > size {
            return None;
        }
        let joined = members.last_mut().is_some_and(|last| join(last, &member));
        if !joined {
            members.push(member);
        }
    }
    Some(members)
}

fn member<'data>(
    reader: &mut UnitReader<'_, 'data>,
    entry: &Entry<'data>,
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
    if let Some(bits) = number(gimli::DW_AT_bit_size) {
        // DWARF 4 and later count bits from the structure's first; before, only the unit that the
        // field lies in is told without regard to byte order.
        let (offset, size) = match number(gimli::DW_AT_data_bit_offset) {
            Some(first) => {
                let end = first.checked_add(bits)?.div_ceil(8);
                (first / 8, end - first / 8)
            }
            None => {
                let unit = number(gimli::DW_AT_byte_size).or_else(|| shape.as_ref()?.size());
                (number(gimli::DW_AT_data_member_location)?, unit?)
            }
        };
        let reason = Opacity::BitField;
        return Some(Member {
            name,
            offset,
            shape: Rc::new(Shape::Opaque { size, reason }),
        });
    }
    Some(Member {
        name,
        offset: number(gimli::DW_AT_data_member_location)?,
        shape: shape?,
    })
}

/// Joins a bit field to the one before if they share a byte.
fn join(last: &mut Member, next: &Member) -> bool {
    let bits = |member: &Member| match *member.shape {
        Shape::Opaque {
            size,
            reason: Opacity::BitField,
        } => Some((member.offset, member.offset.checked_add(size)?)),
        _ => None,
    };
    let (Some(before), Some(after)) = (bits(last), bits(next)) else {
        return false;
    };
    if after.0 >= before.1 || before.0 > after.0 {
        return false;
    }
    last.shape = Rc::new(Shape::Opaque {
        size: before.1.max(after.1) - before.0,
        reason: Opacity::BitField,
    });
    if last.name.len() + next.name.len() < NAME_LIMIT {
        last.name = format!("{}+{}", last.name, next.name);
    }
    true
}
