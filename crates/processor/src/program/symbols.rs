//! The program's variables and functions: symbols joined with what DWARF says about them.

use std::collections::{BTreeMap, HashMap};

use super::debug::{DebugInfo, NAME_LIMIT, Shape};
use super::elf::{RawSymbol, SymbolKind};
use super::opacity::{Opacity, Passed};
use crate::values::{Element, Type};

/// The most fields that one structure variable is taken apart into.
const FIELD_LIMIT: usize = 4096;
/// The most types that are looked at while all variables are taken apart: a few bytes of DWARF can
/// describe any number of members, also of such that have no fields.
const VISIT_LIMIT: usize = 1 << 18;

/// A global or static variable, or a field of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The symbol, or the path to the field (`point.x`, `rows[2].key`).
    pub name: String,
    /// The address of the first byte.
    pub address: u32,
    /// The size in bytes.
    pub size: u32,
    /// The type, if DWARF tells one that is an element or an array of elements.
    pub ty: Option<Type>,
    /// For structures and arrays of structures: their fields, in address order.
    pub fields: Vec<Variable>,
    /// Whether the symbol is visible to the linker (not `static`).
    pub global: bool,
    /// Why there is no type where debugging information describes the variable.
    pub opacity: Option<Opacity>,
}

impl Variable {
    /// The type, or an array of bytes where none is known.
    #[must_use]
    pub fn type_or_bytes(&self) -> Type {
        self.ty
            .clone()
            .unwrap_or_else(|| Type::bytes_of_unknown_type(self.size))
    }

    /// This variable seen with another type, as when the user writes `salary:u32[8]`.
    #[must_use]
    pub fn with_type(&self, ty: Type) -> Self {
        Self {
            size: ty.size(),
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
    /// The parameters, if DWARF tells them and each is a number of at most 64 bits.
    pub parameters: Option<Vec<Parameter>>,
    /// The type of the result, if DWARF tells; `None` also for `void`.
    pub result: Option<Element>,
    /// What of a call cannot be passed here and why, as DWARF tells.
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
        .map(|(address, shape)| (*address, &**shape))
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
                    result: signature.and_then(|signature| signature.result),
                    unsupported: signature.and_then(|signature| signature.unsupported.clone()),
                });
            }
            SymbolKind::Object | SymbolKind::Label => {
                labels.insert(symbol.name, symbol.address);
            }
        }
    }
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

fn variable(symbol: RawSymbol, shapes: &HashMap<u32, &Shape>, visits: &mut usize) -> Variable {
    let mut variable = Variable {
        name: symbol.name,
        address: symbol.address,
        size: symbol.size,
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
            (Some(ty), _) => self.push(name, address, ty.size(), Ok(ty)),
            (None, Shape::Opaque { size, reason }) => self.push(name, address, *size, Err(*reason)),
            (None, Shape::Structure { members, .. }) => members.iter().try_for_each(|member| {
                let address = address.checked_add(member.offset)?;
                match (member.name.as_str(), &*member.shape) {
                    // The members of an anonymous structure are reached without it; an anonymous
                    // union is known by its place.
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
            (None, Shape::Element(_)) => None,
        }
    }

    fn push(
        &mut self,
        name: &str,
        address: u32,
        size: u32,
        ty: Result<Type, Opacity>,
    ) -> Option<()> {
        if size == 0 {
            return Some(());
        }
        if self.found.len() >= FIELD_LIMIT {
            return None;
        }
        let opacity = ty.as_ref().err().copied();
        self.found.push(Variable {
            name: name.to_owned(),
            address,
            size,
            ty: ty.ok(),
            fields: Vec::new(),
            global: false,
            opacity,
        });
        Some(())
    }
}
