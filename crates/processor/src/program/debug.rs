//! What DWARF says about global variables and functions: their types.
//!
//! Everything here is best effort: an entry that cannot be read or is of no use (a type that is
//! neither number, array, structure nor union) is left out, never an error. What is known by its
//! size only, or laid out in a way that this reader does not follow, is bytes, never a value. Types
//! refer to types: a damaged file may contain a circle, so every walk is bounded in depth, and a
//! short one may describe a tree of any size by naming each type twice, so types are shared, never
//! copied.

mod enumerators;
mod locals;
mod members;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use gimli::{AttributeValue, EndianSlice, LittleEndian, UnitOffset};

use super::elf::Sections;
use super::opacity::{Opacity, Passed};
use super::symbols::Parameter;
use locals::Locals;
use values::{Element, Enumeration, Type};

/// The deepest chain of typedefs, arrays and structures that is followed.
const DEPTH_LIMIT: u32 = 32;
/// The most members that one structure's description may have.
const MEMBER_LIMIT: usize = 4096;
/// The most dimensions that an array has as a whole; one of more is taken apart.
const DIMENSION_LIMIT: usize = Type::MOST_DIMENSIONS;
/// The longest name that is taken, in bytes: names of a file may overlap, so their sum is not
/// bounded by its length.
pub(super) const NAME_LIMIT: usize = 1000;

type Reader<'data> = EndianSlice<'data, LittleEndian>;
type Dwarf<'data> = gimli::Dwarf<Reader<'data>>;
type Unit<'data> = gimli::Unit<Reader<'data>>;
type Entry<'data> = gimli::DebuggingInformationEntry<Reader<'data>>;

/// A C type reduced to its layout: a graph whose walks may be far longer than it is large.
pub(super) enum Shape {
    Element(Element),
    /// C's `char`, with the sign that its compiler gave it.
    Character {
        signed: bool,
    },
    /// A number whose values have names.
    Named {
        element: Element,
        names: Arc<Enumeration>,
    },
    /// Some bits of the bytes that they lie in.
    BitField {
        ty: Type,
        size: u32,
    },
    Array {
        of: Rc<Shape>,
        count: u32,
    },
    /// A structure or a union, whose members overlap.
    Structure {
        members: Vec<Member>,
        size: u32,
        /// What its address is a multiple of, unless it is packed.
        alignment: u32,
    },
    /// Known size, contents without a shape.
    Opaque {
        size: u32,
        reason: Opacity,
    },
}

pub(super) struct Member {
    /// Empty for an anonymous structure or union, whose members count as the outer one's.
    pub(super) name: String,
    pub(super) offset: u32,
    /// Of a bit-field, its first bit in the byte at that offset; else 0.
    pub(super) shift: u8,
    pub(super) shape: Rc<Shape>,
}

impl Shape {
    /// The size in bytes; `None` if it exceeds the address space.
    pub(super) fn size(&self) -> Option<u32> {
        match self {
            Self::Element(element) | Self::Named { element, .. } => Some(element.bytes()),
            Self::Character { .. } => Some(1),
            Self::Array { of, count } => of.size()?.checked_mul(*count),
            Self::Structure { size, .. }
            | Self::Opaque { size, .. }
            | Self::BitField { size, .. } => Some(*size),
        }
    }

    /// What the address is a multiple of where nothing is packed.
    fn alignment(&self) -> u32 {
        match self {
            Self::Element(element) | Self::Named { element, .. } => element.bytes(),
            Self::BitField { ty, .. } => ty.element().bytes(),
            Self::Array { of, .. } => of.alignment(),
            Self::Structure { alignment, .. } => *alignment,
            Self::Character { .. } | Self::Opaque { .. } => 1,
        }
    }

    /// The element, array of elements or bit-field that this is, if it is one.
    pub(super) fn as_type(&self) -> Option<Type> {
        let mut dimensions = Vec::new();
        let mut shape = self;
        loop {
            match shape {
                Self::Array { .. } if dimensions.len() >= DIMENSION_LIMIT => return None,
                Self::Array { of, count } => {
                    dimensions.push(*count);
                    shape = of;
                }
                Self::Element(element) => return Type::array(*element, dimensions).ok(),
                Self::Character { .. } => return Type::array(Element::Character, dimensions).ok(),
                Self::Named { element, names } => {
                    let ty = Type::array(*element, dimensions).ok()?;
                    return Some(ty.with_names(Arc::clone(names)));
                }
                // Arrays of bit-fields do not exist.
                Self::BitField { ty, .. } => {
                    return Some(ty).filter(|_| dimensions.is_empty()).cloned();
                }
                Self::Structure { .. } | Self::Opaque { .. } => return None,
            }
        }
    }
}

#[derive(Clone, Default)]
pub(super) struct Signature {
    pub(super) parameters: Option<Vec<Parameter>>,
    pub(super) result: Option<Type>,
    /// What of it cannot be passed here, and why.
    pub(super) unsupported: Option<(Passed, Opacity)>,
}

/// A variable that lies in memory as a whole.
pub(super) struct Global {
    pub(super) shape: Rc<Shape>,
    /// Its name in the source, if it has one.
    pub(super) name: Option<String>,
    /// Whether other files see it.
    pub(super) external: bool,
}

#[derive(Default)]
pub(super) struct DebugInfo {
    pub(super) variables: HashMap<u32, Global>,
    pub(super) functions: HashMap<u32, Signature>,
    pub(super) locals: Locals,
}

/// Parses what can be parsed of the DWARF sections.
pub(super) fn dwarf<'data>(sections: &Sections<'data>) -> Dwarf<'data> {
    let section = |id: gimli::SectionId| -> Result<Reader<'data>, gimli::Error> {
        Ok(EndianSlice::new(
            sections.get(id.name()).copied().unwrap_or(&[]),
            LittleEndian,
        ))
    };
    gimli::Dwarf::load(section).unwrap_or_default()
}

pub(super) fn read(sections: &Sections<'_>) -> DebugInfo {
    let dwarf = dwarf(sections);
    let mut info = DebugInfo::default();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else {
            continue;
        };
        let mut reader = UnitReader {
            dwarf: &dwarf,
            unit: &unit,
            of_clang: is_of_clang(&dwarf, &unit).unwrap_or(false),
            shapes: HashMap::new(),
        };
        // The entries before a damaged one are still good.
        let _ = reader.read(&mut info);
        info.locals.leave(isize::MIN);
    }
    info
}

struct UnitReader<'a, 'data> {
    dwarf: &'a Dwarf<'data>,
    unit: &'a Unit<'data>,
    of_clang: bool,
    /// Types already reduced, so that a type of many uses is walked once.
    shapes: HashMap<UnitOffset, Option<Rc<Shape>>>,
}

impl<'data> UnitReader<'_, 'data> {
    fn read(&mut self, info: &mut DebugInfo) -> gimli::Result<()> {
        let unit = self.unit;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            info.locals.visit(self, entry);
            match entry.tag() {
                gimli::DW_TAG_variable => {
                    if let Some((address, global)) = self.variable(entry) {
                        info.variables.insert(address, global);
                    }
                }
                gimli::DW_TAG_subprogram => {
                    if let Some((address, signature)) = self.function(entry) {
                        info.functions.insert(address, signature);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn variable(&mut self, entry: &Entry<'data>) -> Option<(u32, Global)> {
        let location = entry.attr_value(gimli::DW_AT_location)?.exprloc_value()?;
        let mut operations = location.operations(self.unit.encoding());
        let mut address = match operations.next().ok()?? {
            gimli::Operation::Address { address } => u32::try_from(address).ok()?,
            gimli::Operation::AddressIndex { index } => {
                u32::try_from(self.dwarf.address(self.unit, index).ok()?).ok()?
            }
            _ => return None,
        };
        // Clang lays small variables into one object and tells how far each is from its start. What
        // follows otherwise describes parts of variables.
        while let Some(operation) = operations.next().ok()? {
            let gimli::Operation::PlusConstant { value } = operation else {
                return None;
            };
            address = address.checked_add(u32::try_from(value).ok()?)?;
        }
        let ty = self.through_origin(entry, gimli::DW_AT_type)?;
        let external = self.through_origin(entry, gimli::DW_AT_external);
        let global = Global {
            shape: self.shape_of(&ty, 0)?,
            name: self
                .through_origin(entry, gimli::DW_AT_name)
                .and_then(|name| self.string(name)),
            external: matches!(external, Some(AttributeValue::Flag(true))),
        };
        Some((address, global))
    }

    fn function(&mut self, entry: &Entry<'data>) -> Option<(u32, Signature)> {
        let low = entry.attr_value(gimli::DW_AT_low_pc)?;
        let address = u32::try_from(self.dwarf.attr_address(self.unit, low).ok()??).ok()?;
        let mut signature = Signature::default();
        if let Some(ty) = self.through_origin(entry, gimli::DW_AT_type) {
            match self.element(&ty) {
                Ok(ty) => signature.result = Some(ty),
                Err(opacity) => signature.unsupported = Some((Passed::Result, opacity)),
            }
        }
        signature.parameters = self.parameters(entry.offset(), &mut signature.unsupported);
        Some((address & !1, signature))
    }

    /// The number or pointer that a type is.
    fn element(&mut self, ty: &AttributeValue<Reader<'data>>) -> Result<Type, Opacity> {
        match self.shape_of(ty, 0).as_deref() {
            // Whether it is passed in core registers, the object's attributes say, which nobody
            // reads.
            Some(Shape::Element(Element::Float { .. })) => Err(Opacity::Float),
            Some(Shape::Element(element)) => Ok(Type::scalar(*element)),
            Some(Shape::Character { .. }) => Ok(Type::scalar(Element::Character)),
            Some(Shape::Named { element, names }) => {
                Ok(Type::scalar(*element).with_names(Arc::clone(names)))
            }
            Some(Shape::Opaque { reason, .. }) => Err(*reason),
            Some(Shape::Structure { .. }) => Err(Opacity::Structure),
            Some(Shape::Array { .. } | Shape::BitField { .. }) | None => Err(Opacity::Unknown),
        }
    }

    /// The parameters, or `None` if one of them is not a number or pointer.
    fn parameters(
        &mut self,
        function: UnitOffset,
        unsupported: &mut Option<(Passed, Opacity)>,
    ) -> Option<Vec<Parameter>> {
        let unit = self.unit;
        let mut tree = unit.entries_tree(Some(function)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut parameters = Vec::new();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_formal_parameter => {
                    let ty = self.through_origin(entry, gimli::DW_AT_type)?;
                    let passed = self.element(&ty);
                    let name = self
                        .through_origin(entry, gimli::DW_AT_name)
                        .and_then(|name| self.string(name))
                        .unwrap_or_else(|| format!("arg{}", parameters.len()));
                    match passed {
                        Ok(ty) => parameters.push(Parameter {
                            name,
                            element: ty.element(),
                            names: ty.names().cloned(),
                        }),
                        Err(opacity) => {
                            *unsupported = Some((Passed::Parameter(name), opacity));
                            return None;
                        }
                    }
                }
                gimli::DW_TAG_unspecified_parameters => return None,
                _ => {}
            }
            if parameters.len() > MEMBER_LIMIT {
                return None;
            }
        }
        Some(parameters)
    }

    /// An attribute of the entry or of the declaration that it completes.
    fn through_origin(
        &self,
        entry: &Entry<'data>,
        name: gimli::DwAt,
    ) -> Option<AttributeValue<Reader<'data>>> {
        let mut value = entry.attr_value(name);
        let mut origin = origin_of(entry);
        for _ in 0..DEPTH_LIMIT {
            if value.is_some() {
                break;
            }
            let entry = self.unit.entry(origin?).ok()?;
            value = entry.attr_value(name);
            origin = origin_of(&entry);
        }
        value
    }

    fn string(&self, value: AttributeValue<Reader<'data>>) -> Option<String> {
        let text = self.dwarf.attr_string(self.unit, value).ok()?;
        (text.len() <= NAME_LIMIT).then(|| printable(&text.to_string_lossy()))
    }

    fn shape_of(&mut self, ty: &AttributeValue<Reader<'data>>, depth: u32) -> Option<Rc<Shape>> {
        let AttributeValue::UnitRef(offset) = *ty else {
            return None;
        };
        if depth > DEPTH_LIMIT {
            return None;
        }
        if let Some(known) = self.shapes.get(&offset) {
            return known.clone();
        }
        // Until the type is known it has no shape: a circle ends here.
        self.shapes.insert(offset, None);
        let shape = self.reduce(offset, depth);
        self.shapes.insert(offset, shape.clone());
        shape
    }

    fn reduce(&mut self, offset: UnitOffset, depth: u32) -> Option<Rc<Shape>> {
        let entry = self.unit.entry(offset).ok()?;
        let size = entry
            .attr_value(gimli::DW_AT_byte_size)
            .and_then(|size| size.udata_value())
            .and_then(|size| u32::try_from(size).ok());
        let inner =
            |reader: &mut Self| reader.shape_of(&entry.attr_value(gimli::DW_AT_type)?, depth + 1);
        let big = AttributeValue::Endianity(gimli::DW_END_big);
        if entry.attr_value(gimli::DW_AT_endianity) == Some(big) {
            let reason = Opacity::Unknown;
            return Some(Rc::new(Shape::Opaque {
                size: size?,
                reason,
            }));
        }
        match entry.tag() {
            gimli::DW_TAG_base_type => {
                let AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding)?
                else {
                    return None;
                };
                let name = entry
                    .attr_value(gimli::DW_AT_name)
                    .and_then(|name| self.string(name));
                Some(Rc::new(base_type(encoding, size?, name.as_deref())))
            }
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type => {
                Some(Rc::new(Shape::Element(Element::Integer {
                    bits: 32,
                    signed: false,
                })))
            }
            gimli::DW_TAG_enumeration_type => {
                let underlying = inner(self);
                enumerators::read(self, offset, size, underlying).map(Rc::new)
            }
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => inner(self),
            gimli::DW_TAG_array_type => {
                let of = inner(self)?;
                if is_strided(&entry) {
                    return None;
                }
                self.dimensions(offset)?
                    .into_iter()
                    .rev()
                    .try_fold(of, |of, count| {
                        let array = Shape::Array { of, count };
                        array.size().map(|_| Rc::new(array))
                    })
            }
            tag @ (gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type) => {
                let size = size?;
                let union = tag == gimli::DW_TAG_union_type;
                let reason = match union {
                    true => Opacity::Union,
                    false => Opacity::Structure,
                };
                let members = members::read(self, offset, size, union, depth);
                Some(Rc::new(match members {
                    None => Shape::Opaque { size, reason },
                    Some(members) => Shape::Structure {
                        alignment: members::alignment(&members),
                        members,
                        size,
                    },
                }))
            }
            _ => Some(Rc::new(Shape::Opaque {
                size: size?,
                reason: Opacity::Unknown,
            })),
        }
    }

    /// The counts of an array's dimensions, the outermost first.
    fn dimensions(&self, array: UnitOffset) -> Option<Vec<u32>> {
        let mut tree = self.unit.entries_tree(Some(array)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut counts = Vec::new();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            if entry.tag() != gimli::DW_TAG_subrange_type {
                continue;
            }
            // Only C's arrays are laid out as is assumed here.
            let lower = entry.attr_value(gimli::DW_AT_lower_bound);
            if is_strided(entry) || lower.is_some_and(|lower| lower.udata_value() != Some(0)) {
                return None;
            }
            let number = |name| entry.attr_value(name).and_then(|value| value.udata_value());
            let count = match number(gimli::DW_AT_count) {
                Some(count) => count,
                None => number(gimli::DW_AT_upper_bound)?.checked_add(1)?,
            };
            counts.push(u32::try_from(count).ok()?);
            if counts.len() > DEPTH_LIMIT as usize {
                return None;
            }
        }
        Some(counts)
    }
}

fn is_of_clang<'data>(dwarf: &Dwarf<'data>, unit: &Unit<'data>) -> Option<bool> {
    let mut entries = unit.entries();
    let producer = entries
        .next_dfs()
        .ok()??
        .attr_value(gimli::DW_AT_producer)?;
    let producer = dwarf.attr_string(unit, producer).ok()?;
    Some(producer.to_string_lossy().contains("clang"))
}

fn origin_of(entry: &Entry<'_>) -> Option<UnitOffset> {
    let origin = entry
        .attr_value(gimli::DW_AT_abstract_origin)
        .or_else(|| entry.attr_value(gimli::DW_AT_specification));
    match origin {
        Some(AttributeValue::UnitRef(offset)) => Some(offset),
        _ => None,
    }
}

/// Whether elements do not follow each other without gaps.
fn is_strided(entry: &Entry<'_>) -> bool {
    [gimli::DW_AT_byte_stride, gimli::DW_AT_bit_stride]
        .iter()
        .any(|stride| entry.attr_value(*stride).is_some())
}

fn base_type(encoding: gimli::DwAte, size: u32, name: Option<&str>) -> Shape {
    let opaque = |reason| Shape::Opaque { size, reason };
    match (encoding, size) {
        (gimli::DW_ATE_float, 4) => return Shape::Element(Element::Float { bits: 32 }),
        (gimli::DW_ATE_float, 8) => return Shape::Element(Element::Float { bits: 64 }),
        (
            gimli::DW_ATE_float
            | gimli::DW_ATE_complex_float
            | gimli::DW_ATE_imaginary_float
            | gimli::DW_ATE_decimal_float,
            _,
        ) => return opaque(Opacity::Float),
        _ => {}
    }
    let bits = match size {
        1 | 2 | 4 | 8 => 8 * size as u8,
        _ => return opaque(Opacity::Wide),
    };
    // What a number of fewer bits has above them, nobody says.
    if name.is_some_and(|name| name.contains("_BitInt")) {
        return opaque(Opacity::Unknown);
    }
    let integer = |signed| Shape::Element(Element::Integer { bits, signed });
    match encoding {
        gimli::DW_ATE_boolean if size == 1 => Shape::Element(Element::Boolean),
        // `uint8_t` has the encoding of a character, too; only the name distinguishes plain `char`.
        gimli::DW_ATE_signed_char | gimli::DW_ATE_unsigned_char
            if size == 1 && name == Some("char") =>
        {
            let signed = encoding == gimli::DW_ATE_signed_char;
            Shape::Character { signed }
        }
        gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => integer(true),
        gimli::DW_ATE_unsigned
        | gimli::DW_ATE_unsigned_char
        | gimli::DW_ATE_address
        | gimli::DW_ATE_UTF => integer(false),
        _ => opaque(Opacity::Unknown),
    }
}

/// A name that can be shown: without control characters.
pub(super) fn printable(name: &str) -> String {
    name.replace(char::is_control, "?")
}
