//! Names of variables and of secret arguments, with their types.

use processor::{Element, Function, SymbolError, Type, Variable};
use values::{InputError, Renamed, agree, renamed};

use super::{Call, Program};
use crate::error::{Error, ErrorKind};

/// A variable together with the name it has in files and messages.
#[derive(Clone, Debug)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The type that was written, else the program's own.
    pub ty: Type,
    /// Where its values go.
    pub place: Place,
    /// Why values other than raw bytes have no meaning there, where the type is not known.
    pub(super) typeless: Option<String>,
}

/// Where a named value goes.
#[derive(Clone, Debug)]
pub enum Place {
    /// Into memory.
    Memory(Variable),
    /// Into the call's argument at this position.
    Argument(usize),
}

impl Program {
    /// Finds the variable, or the secret argument of the call, that a name means, and settles its
    /// type: the written one, else the one in the debugging information.
    pub fn find(
        &self,
        name: &str,
        written: Option<&Type>,
        call: Option<&Call>,
    ) -> Result<Named, Error> {
        if let Some(call) = call
            && let Some((position, _)) = call.secrets().find(|(_, secret)| *secret == name)
        {
            let function = self.function(call)?;
            let word = Element::Integer {
                bits: 32,
                signed: false,
            };
            let ty = match (written, parameter(function, position)) {
                (Some(ty), Some(element))
                    if ty.dimensions().is_empty() && ty.element().bits() != element.bits() =>
                {
                    let function = &call.function;
                    return Err(Error::new(
                        ErrorKind::Input,
                        format!("{name}: {function} takes {element} there, not {ty}"),
                    ));
                }
                (Some(ty), _) if ty.dimensions().is_empty() => ty.clone(),
                (Some(ty), _) => {
                    return Err(Error::new(
                        ErrorKind::Input,
                        format!("{name}: an argument is one number, not {ty}"),
                    ));
                }
                (None, _) => parameter_type(function, position).unwrap_or(Type::scalar(word)),
            };
            let typeless = (written.is_none() && parameter(function, position).is_none())
                .then(|| {
                    let function = &call.function;
                    format!("the program does not tell what {function} takes there; compile it with -g, or write {name}:u32=…")
                });
            return Ok(Named {
                name: name.to_owned(),
                ty,
                place: Place::Argument(position),
                typeless,
            });
        }
        let variable = self.variable(name)?;
        let ty = written.cloned().unwrap_or_else(|| variable.type_or_bytes());
        let field = variable.ty.as_ref().filter(|own| own.width().is_some());
        if ty.width() != field.and_then(Type::width) {
            let own = match field {
                Some(own) => format!("is a bit-field of type {own}"),
                None => "is no bit-field".to_owned(),
            };
            return Err(Error::new(
                ErrorKind::Input,
                format!("{name}: it {own}, and {ty} is not its type"),
            ));
        }
        if ty.size() > variable.size {
            return Err(Error::new(
                ErrorKind::Input,
                format!(
                    "{name}: {ty} has {} bytes, the program's variable only {}",
                    ty.size(),
                    variable.size
                ),
            ));
        }
        let typeless = match written {
            None if variable.ty.is_none() => Some(typeless(name, variable)),
            _ => None,
        };
        let place = Place::Memory(variable.with_type(ty.clone()));
        Ok(Named {
            name: name.to_owned(),
            ty,
            place,
            typeless,
        })
    }

    /// As [`find`](Self::find), for a value that goes there: a written type must mean what the
    /// program's type means, or have its size where that is not known.
    pub fn find_input(
        &self,
        name: &str,
        written: Option<&Type>,
        call: Option<&Call>,
    ) -> Result<Named, Error> {
        let named = self.find(name, written, call)?;
        let own = match &named.place {
            Place::Memory(_) => {
                let variable = self.variable(name)?;
                // What has no type but bytes takes what has their size.
                let own = variable.ty.as_ref();
                match own.filter(|own| own.element() != Element::Raw) {
                    Some(own) => unlike(&self.as_declared(&named.ty), own),
                    None if variable.size != named.ty.size() => {
                        Some(format!("has {} bytes", variable.size))
                    }
                    None => None,
                }
            }
            Place::Argument(position) => {
                let function = call.map(|call| self.function(call)).transpose()?;
                let own = function.and_then(|function| parameter_type(function, *position));
                own.and_then(|own| unlike(&named.ty, &own))
            }
        };
        match own {
            None => Ok(named),
            Some(own) => Err(InputError::OtherType {
                name: named.name,
                given: Box::new(named.ty),
                own,
            }
            .into()),
        }
    }

    /// A type as the program could have declared it: HE assembly does not say which numbers have a
    /// sign.
    fn as_declared(&self, ty: &Type) -> Type {
        let unsigned = match ty.element() {
            Element::Integer { bits, .. } if self.image.is_assembly() => {
                let signed = false;
                let element = Element::Integer { bits, signed };
                Type::array(element, ty.dimensions().to_vec()).ok()
            }
            _ => None,
        };
        unsigned.unwrap_or_else(|| ty.clone())
    }

    pub(super) fn variable(&self, name: &str) -> Result<&Variable, Error> {
        self.image
            .variable(name)
            .map_err(|error| self.symbol(&error))
    }

    pub(super) fn function(&self, call: &Call) -> Result<&Function, Error> {
        self.image
            .function(&call.function)
            .map_err(|error| self.symbol(&error))
    }

    fn symbol(&self, error: &SymbolError) -> Error {
        Error::new(ErrorKind::Input, format!("{}: {error}", self.name))
    }
}

/// Why a variable takes no numbers, and what to write: the debugging information does not describe
/// it, or not as one value.
fn typeless(name: &str, variable: &Variable) -> String {
    let guess = match variable.size {
        1 => "u8".to_owned(),
        2 => "u16".to_owned(),
        4 => "u32".to_owned(),
        8 => "u64".to_owned(),
        size if size % 4 == 0 => format!("u32[{}]", size / 4),
        size if size % 2 == 0 => format!("u16[{}]", size / 2),
        size => format!("u8[{size}]"),
    };
    let bytes = format!("its bytes ({name}=@FILE.bin)");
    // The elements of an array that has no type are fields.
    let part = variable.fields.first();
    let opacity = variable.opacity.or(part
        .filter(|part| part.name.starts_with(&format!("{name}[")))
        .and_then(|part| part.opacity));
    match (opacity, part) {
        (Some(opacity), _) => {
            format!("{opacity}; give {bytes}, or write a type ({name}:{guess}=…)")
        }
        (None, Some(part)) => {
            format!(
                "{name} is a structure; give its fields ({}=…, or {name}={{\"member\":value,…}}), or {bytes}",
                part.name
            )
        }
        (None, None) => format!(
            "the program does not tell the type of {name}; compile it with -g, or write {name}:{guess}=… if \
             that is its type in the source"
        ),
    }
}

pub(super) fn parameter(function: &Function, position: usize) -> Option<Element> {
    function
        .parameters
        .as_ref()?
        .get(position)
        .map(|parameter| parameter.element)
}

/// The type of a parameter, with the names of its values.
pub(super) fn parameter_type(function: &Function, position: usize) -> Option<Type> {
    let parameter = function.parameters.as_ref()?.get(position)?;
    let ty = Type::scalar(parameter.element);
    Some(match &parameter.names {
        Some(names) => ty.with_names(names.clone()),
        None => ty,
    })
}

/// What sets the program's type apart from one that is given for it, in words; `None` if a value
/// means the same in both.
fn unlike(given: &Type, own: &Type) -> Option<String> {
    if !agree(given, own) {
        return Some(format!("is {own}"));
    }
    let Renamed { name, given, own } = renamed(given, own)?;
    Some(format!("has {name} for {own}, not for {given}"))
}
