//! The program's variables and functions: symbols joined with what DWARF says about them.

use std::collections::{BTreeMap, HashMap};

use super::debug::{DebugInfo, Shape};
use super::elf::{RawSymbol, SymbolKind};
use crate::values::{Element, Type};

/// The most fields that one structure variable is taken apart into.
const FIELD_LIMIT: usize = 4096;

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
    pub(super) fn is_called(&self, name: &str) -> bool {
        let suffix = self.name.strip_prefix(name);
        suffix.is_some_and(|suffix| {
            let digits = suffix.strip_prefix('.');
            suffix.is_empty()
                || digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
        })
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
        .map(|(address, shape)| (*address, shape))
        .collect();
    for symbol in raw {
        match symbol.kind {
            SymbolKind::Object if symbol.size > 0 => {
                variables.push(variable(symbol, &shapes));
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

fn variable(symbol: RawSymbol, shapes: &HashMap<u32, &Shape>) -> Variable {
    let mut variable = Variable {
        name: symbol.name,
        address: symbol.address,
        size: symbol.size,
        ty: None,
        fields: Vec::new(),
        global: symbol.global,
    };
    // A shape of another size belongs to another object: the bytes of the symbol are what counts.
    if let Some(shape) = shapes
        .get(&symbol.address)
        .filter(|shape| shape.size() == Some(symbol.size))
    {
        let (name, address) = (variable.name.clone(), variable.address);
        match shape.as_type() {
            Some(ty) => variable.ty = Some(ty),
            None if flatten(&name, address, shape, &mut variable.fields).is_none() => {
                variable.fields.clear();
            }
            None => {}
        }
    }
    variable
}

/// Takes a structure apart into its fields; `None` when there are too many or one is not plain.
fn flatten(name: &str, address: u32, shape: &Shape, fields: &mut Vec<Variable>) -> Option<()> {
    if let Some(ty) = shape.as_type() {
        if fields.len() >= FIELD_LIMIT {
            return None;
        }
        let (name, size) = (name.to_owned(), ty.size());
        let fields_of_field = Vec::new();
        fields.push(Variable {
            name,
            address,
            size,
            ty: Some(ty),
            fields: fields_of_field,
            global: false,
        });
        return Some(());
    }
    match shape {
        Shape::Structure { members, .. } => members.iter().try_for_each(|member| {
            let address = address.checked_add(member.offset)?;
            flatten(
                &format!("{name}.{}", member.name),
                address,
                &member.shape,
                fields,
            )
        }),
        Shape::Array { of, count } => {
            let stride = of.size()?;
            if stride == 0 || *count as usize > FIELD_LIMIT {
                return None;
            }
            (0..*count).try_for_each(|i| {
                let address = address.checked_add(i.checked_mul(stride)?)?;
                flatten(&format!("{name}[{i}]"), address, of, fields)
            })
        }
        Shape::Element(_) | Shape::Opaque { .. } => None,
    }
}
