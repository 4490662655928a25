//! The program's variables and functions: symbols joined with what DWARF says about them.

use serde::{Deserialize, Serialize};

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::debug::{DebugInfo, Global, NAME_LIMIT, Shape};
use super::opacity::{Opacity, Passed};
use super::table::{RawSymbol, SymbolKind};
use values::{Element, Enumeration, Type};

/// The most fields that one structure variable is taken apart into.
const FIELD_LIMIT: usize = 4096;
/// The most types that are looked at while all variables are taken apart: a few bytes of DWARF can
/// describe any number of members, also of such that have no fields.
const VISIT_LIMIT: usize = 1 << 18;

/// A global or static variable, or a field of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Variable {
    /// The symbol, or the path to the field (`point.x`, `rows[2].key`).
    pub name: String,
    /// The address of the first byte.
    pub address: u32,
    /// The size in bytes; of a bit-field, of all bytes that it lies in.
    pub size: u32,
    /// The first bit within the first byte: 0 but for bit-fields.
    pub shift: u8,
    /// The type, if DWARF gives one that is an element, an array of elements or a bit-field.
    pub ty: Option<Type>,
    /// For structures, unions and arrays of them: their fields, in the order of the source. Those
    /// of a union overlap.
    pub fields: Vec<Variable>,
    /// Whether the symbol is visible to the linker (not `static`).
    pub global: bool,
    /// Why there is no type where debugging information describes the variable.
    pub opacity: Option<Opacity>,
}

impl Variable {
    /// The type, or an array of bytes where none is known: raw ones where the debugging information
    /// describes something that has no single type here, such as a structure.
    #[must_use]
    pub fn type_or_bytes(&self) -> Type {
        let bytes = || Type::bytes_of_unknown_type(self.size);
        let described = self.opacity.is_some() || !self.fields.is_empty();
        let unknown = || match described {
            true => Type::array(Element::Raw, vec![self.size]).unwrap_or_else(|_| bytes()),
            false => bytes(),
        };
        self.ty.clone().unwrap_or_else(unknown)
    }

    /// Whether the two have bits in common.
    #[must_use]
    pub fn overlaps(&self, other: &Variable) -> bool {
        let bits = |variable: &Variable| {
            let first = 8 * u64::from(variable.address) + u64::from(variable.shift);
            first..first + variable.bits() as u64
        };
        let (own, other) = (bits(self), bits(other));
        own.start < other.end && other.start < own.end
    }

    /// How many bits it has: those of its bytes, unless it is a bit-field.
    #[must_use]
    pub fn bits(&self) -> usize {
        match self.ty.as_ref().filter(|ty| ty.width().is_some()) {
            Some(ty) => ty.bits(),
            None => 8 * self.size as usize,
        }
    }

    /// This variable seen with another type, as when the user writes `salary:u32[8]`. A bit-field
    /// stays where it is only with a bit-field's type.
    #[must_use]
    pub fn with_type(&self, ty: Type) -> Self {
        let shift = if ty.width().is_some() { self.shift } else { 0 };
        let bits = usize::from(shift) + ty.bits();
        Self {
            size: bits.div_ceil(8) as u32,
            shift,
            ty: Some(ty),
            fields: Vec::new(),
            opacity: None,
            ..self.clone()
        }
    }

    /// The fields, or the variable itself where there are none: what can be shown as values.
    #[must_use]
    pub fn leaves(&self) -> &[Variable] {
        if self.fields.is_empty() {
            std::slice::from_ref(self)
        } else {
            &self.fields
        }
    }

    /// Compilers write `count.0` for a static variable `count` of a function.
    pub(super) fn is_local_of(&self, name: &str) -> bool {
        let suffix = self.name.strip_prefix(name);
        let digits = suffix.and_then(|suffix| suffix.strip_prefix('.'));
        digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    }

    /// Whether it is an object in which clang has merged several variables.
    #[must_use]
    pub fn is_merged(&self) -> bool {
        let name = self.name.strip_prefix(".L").unwrap_or(&self.name);
        let rest = name.strip_prefix("_MergedGlobals");
        rest.is_some_and(|rest| {
            let digits = rest.strip_prefix('.').unwrap_or(rest);
            digits.bytes().all(|byte| byte.is_ascii_digit())
        })
    }

    /// A name that no other variable has: `state@0x00009078`.
    pub(crate) fn name_with_address(&self) -> String {
        format!("{}@{:#010x}", self.name, self.address)
    }

    pub(super) fn field(&self, path: &str) -> Option<&Variable> {
        self.fields.iter().find(|field| field.name == path)
    }
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the source.
    pub name: String,
    /// Its type; pointers count as `u32`.
    pub element: Element,
    /// The names of its values, of an enumeration.
    pub names: Option<Arc<Enumeration>>,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The symbol.
    pub name: String,
    /// The address of the first instruction.
    pub address: u32,
    /// The size of its code in bytes; 0 if unknown.
    pub size: u32,
    /// Whether it is Thumb code, which cannot run here.
    pub thumb: bool,
    /// The parameters, if DWARF describes them and each is a number of at most 64 bits.
    pub parameters: Option<Vec<Parameter>>,
    /// The type of the result, if DWARF gives it; `None` also for `void`.
    pub result: Option<Type>,
    /// What of a call cannot be passed here and why, by its DWARF description.
    pub unsupported: Option<(Passed, Opacity)>,
}

pub(super) struct Symbols {
    pub(super) variables: Vec<Variable>,
    pub(super) functions: Vec<Function>,
    pub(super) labels: BTreeMap<String, u32>,
}

pub(super) fn collect(raw: Vec<RawSymbol>, debug: &DebugInfo) -> Symbols {
    let mut variables = Vec::new();
    let mut functions = Vec::new();
    let mut labels = BTreeMap::new();
    let shapes: HashMap<u32, &Shape> = debug
        .variables
        .iter()
        .map(|(address, global)| (*address, &*global.shape))
        .collect();
    let mut visits = 0;
    for symbol in raw {
        match symbol.kind {
            SymbolKind::Object if symbol.size > 0 => {
                variables.push(variable(symbol, &shapes, &mut visits));
            }
            SymbolKind::Function => {
                let address = symbol.address & !1;
                let signature = debug.functions.get(&address);
                functions.push(Function {
                    name: symbol.name,
                    address,
                    size: symbol.size,
                    thumb: symbol.address & 1 == 1,
                    parameters: signature.and_then(|signature| signature.parameters.clone()),
                    result: signature.and_then(|signature| signature.result.clone()),
                    unsupported: signature.and_then(|signature| signature.unsupported.clone()),
                });
            }
            SymbolKind::Object | SymbolKind::Label => {
                labels.insert(symbol.name, symbol.address);
            }
        }
    }
    add_merged(&mut variables, debug, &shapes, &mut visits);
    // Among aliases the global name comes first, then the first in the alphabet.
    variables.sort_by(|a: &Variable, b| {
        (a.address, !a.global, &a.name).cmp(&(b.address, !b.global, &b.name))
    });
    functions.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    Symbols {
        variables,
        functions,
        labels,
    }
}

/// Takes apart what clang merges: small variables that are used together become one object, whose
/// symbol nobody knows. Its variables mostly have symbols beside it, as aliases; where they have
/// not, DWARF tells where they are. The symbol of the whole goes, unless nothing else is known.
fn add_merged(
    variables: &mut Vec<Variable>,
    debug: &DebugInfo,
    shapes: &HashMap<u32, &Shape>,
    visits: &mut usize,
) {
    let mut merged: Vec<(u32, u32)> = variables
        .iter()
        .filter(|variable| variable.is_merged())
        .map(|variable| (variable.address, variable.size))
        .collect();
    if merged.is_empty() {
        return;
    }
    // How far the objects reach that begin at or before each of them: an object that holds another
    // begins no later, and one of those reaches as far.
    merged.sort_unstable();
    let ends = merged.iter().scan(0, |end: &mut u64, (start, size)| {
        *end = (*end).max(u64::from(*start) + u64::from(*size));
        Some((*start, *end))
    });
    let ends: Vec<(u32, u64)> = ends.collect();
    let within = |address: u32, size: u32| {
        let next = ends.partition_point(|(start, _)| *start <= address);
        let end = next.checked_sub(1).and_then(|at| ends.get(at));
        end.is_some_and(|(_, end)| u64::from(address) + u64::from(size) <= *end)
    };
    let known: HashSet<(u32, u32)> = variables
        .iter()
        .map(|variable| (variable.address, variable.size))
        .collect();
    for (
        address,
        Global {
            shape,
            name,
            external,
        },
    ) in &debug.variables
    {
        let (Some(name), Some(size)) = (name, shape.size().filter(|size| *size > 0)) else {
            continue;
        };
        if within(*address, size) && !known.contains(&(*address, size)) {
            let symbol = RawSymbol {
                name: name.clone(),
                kind: SymbolKind::Object,
                address: *address,
                size,
                global: *external,
            };
            variables.push(variable(symbol, shapes, visits));
        }
    }
    // From the smallest to the largest, since what is no larger than a whole and begins within it
    // is a part of it.
    let sized = |is_merged: bool| {
        let all = variables.iter();
        let all = all.filter(move |variable| variable.is_merged() == is_merged);
        let mut all: Vec<_> = all.map(|own| (own.size, own.address)).collect();
        all.sort_unstable();
        all
    };
    let mut parts = sized(false).into_iter().peekable();
    let mut begins = BTreeSet::new();
    let mut replaced = HashSet::new();
    for (size, address) in sized(true) {
        while let Some((_, part)) = parts.next_if(|(own, _)| *own <= size) {
            begins.insert(part);
        }
        let last = address.saturating_add(size - 1);
        if begins.range(address..=last).next().is_some() {
            replaced.insert((address, size));
        }
    }
    variables.retain(|variable| {
        !variable.is_merged() || !replaced.contains(&(variable.address, variable.size))
    });
}

fn variable(symbol: RawSymbol, shapes: &HashMap<u32, &Shape>, visits: &mut usize) -> Variable {
    let mut variable = Variable {
        name: symbol.name,
        address: symbol.address,
        size: symbol.size,
        shift: 0,
        ty: None,
        fields: Vec::new(),
        global: symbol.global,
        opacity: None,
    };
    // A shape of another size belongs to another object: the bytes of the symbol are what counts.
    let shape = shapes
        .get(&symbol.address)
        .filter(|shape| shape.size() == Some(symbol.size));
    let Some(shape) = shape else {
        return variable;
    };
    match shape {
        Shape::Opaque { reason, .. } => variable.opacity = Some(*reason),
        shape => match shape.as_type() {
            Some(ty) => variable.ty = Some(ty),
            None => {
                let mut fields = Fields {
                    found: Vec::new(),
                    visits,
                };
                if fields
                    .flatten(&variable.name, symbol.address, shape)
                    .is_some()
                {
                    variable.fields = fields.found;
                }
            }
        },
    }
    variable
}

/// The fields of one variable.
struct Fields<'a> {
    found: Vec<Variable>,
    /// Types looked at for all variables.
    visits: &'a mut usize,
}

impl Fields<'_> {
    /// Takes a structure apart; `None` when there is too much of it.
    fn flatten(&mut self, name: &str, address: u32, shape: &Shape) -> Option<()> {
        *self.visits += 1;
        if *self.visits > VISIT_LIMIT || name.len() > NAME_LIMIT {
            return None;
        }
        match (shape.as_type(), shape) {
            // Only as a member has it a place.
            (_, Shape::BitField { .. }) => None,
            (Some(ty), _) => self.push(name, address, 0, ty.size(), Ok(ty)),
            (None, Shape::Opaque { size, reason }) => {
                self.push(name, address, 0, *size, Err(*reason))
            }
            (None, Shape::Structure { members, .. }) => members.iter().try_for_each(|member| {
                let address = address.checked_add(member.offset)?;
                match (member.name.as_str(), &*member.shape) {
                    (own, Shape::BitField { ty, size }) => {
                        let name = format!("{name}.{own}");
                        self.push(&name, address, member.shift, *size, Ok(ty.clone()))
                    }
                    // The members of an anonymous structure or union are reached without it; what
                    // has neither name nor shape is known by its place.
                    ("", shape @ Shape::Structure { .. }) => self.flatten(name, address, shape),
                    ("", shape) => {
                        self.flatten(&format!("{name}.{}", member.offset), address, shape)
                    }
                    (own, shape) => self.flatten(&format!("{name}.{own}"), address, shape),
                }
            }),
            (None, Shape::Array { of, count }) => {
                let stride = of.size()?;
                if stride == 0 || *count as usize > FIELD_LIMIT {
                    return None;
                }
                (0..*count).try_for_each(|i| {
                    let address = address.checked_add(i.checked_mul(stride)?)?;
                    self.flatten(&format!("{name}[{i}]"), address, of)
                })
            }
            // An element is a type.
            (None, Shape::Element(_) | Shape::Character { .. } | Shape::Named { .. }) => None,
        }
    }

    fn push(
        &mut self,
        name: &str,
        address: u32,
        shift: u8,
        size: u32,
        ty: Result<Type, Opacity>,
    ) -> Option<()> {
        if size == 0 {
            return Some(());
        }
        if self.found.len() >= FIELD_LIMIT || name.len() > NAME_LIMIT {
            return None;
        }
        let opacity = ty.as_ref().err().copied();
        self.found.push(Variable {
            name: name.to_owned(),
            address,
            size,
            shift,
            ty: ty.ok(),
            fields: Vec::new(),
            global: false,
            opacity,
        });
        Some(())
    }
}
