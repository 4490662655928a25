//! Types of values, as the processor and as files have them.

use std::sync::Arc;

use processor::{Element, Enumeration, Type};

use super::EvaluationError;

/// The type of a variable in a file, as the processor has it.
///
/// # Errors
/// [`EvaluationError::TooLarge`] if it exceeds a program's address space.
pub fn from_wire(name: &str, ty: &wire::Type) -> Result<Type, EvaluationError> {
    let integer = |width: wire::Width, signed| Element::Integer {
        bits: width.bits() as u8,
        signed,
    };
    let element = match ty.element {
        wire::Element::Boolean => Element::Boolean,
        wire::Element::Character => Element::Character,
        wire::Element::Unsigned(width) => integer(width, false),
        wire::Element::Signed(width) => integer(width, true),
        wire::Element::Float(width) => Element::Float {
            bits: width.bits() as u8,
        },
        wire::Element::Raw => Element::Raw,
    };
    let plain = match ty.width {
        Some(width) => Type::bit_field(element, width),
        None => Type::array(element, ty.dimensions.clone()),
    };
    let plain = plain.map_err(|error| EvaluationError::TooLarge {
        name: name.to_owned(),
        reason: error.to_string(),
    })?;
    let names = ty.names.clone().and_then(Enumeration::new);
    Ok(match names {
        Some(names) => plain.with_names(Arc::new(names)),
        None => plain,
    })
}

/// The type of a program's variable, as files have it.
///
/// # Errors
/// [`EvaluationError::NoFormat`].
pub fn to_wire(name: &str, ty: &Type) -> Result<wire::Type, EvaluationError> {
    let element = match ty.element() {
        Element::Boolean => Some(wire::Element::Boolean),
        Element::Character => Some(wire::Element::Character),
        Element::Integer { bits, signed } => {
            wire::Width::from_bits(u32::from(bits)).map(|width| match signed {
                false => wire::Element::Unsigned(width),
                true => wire::Element::Signed(width),
            })
        }
        Element::Float { bits } => {
            wire::Width::from_bits(u32::from(bits)).map(wire::Element::Float)
        }
        Element::Raw => Some(wire::Element::Raw),
        _ => None,
    };
    let element = element.ok_or_else(|| EvaluationError::NoFormat {
        name: name.to_owned(),
        ty: ty.clone(),
    })?;
    Ok(wire::Type {
        element,
        dimensions: ty.dimensions().to_vec(),
        width: ty.width(),
        names: ty.names().map(|names| Arc::clone(names.enumerators())),
    })
}

/// A variable of a file.
///
/// # Errors
/// As for [`to_wire`].
pub fn variable(name: &str, ty: &Type) -> Result<wire::Variable, EvaluationError> {
    Ok(wire::Variable {
        name: name.to_owned(),
        kind: to_wire(name, ty)?,
    })
}
