//! Values that are given: what is secret, what is public, and that no bit is given twice.

use std::collections::HashMap;

use processor::{Content, Type};
use values::{Assignment, InputError};

use super::{Call, Named, Place, Program};
use crate::error::{Error, ErrorKind};

/// Variables and arguments, and what is put there.
pub type Placed = Vec<(Named, Content)>;

impl Program {
    /// Variables as `plan` takes them: secret by `NAME[:TYPE]`, public by `NAME=VALUE`. The call's
    /// secret arguments are secret without being named, and so is what the source marks, unless
    /// it is given a value here.
    pub fn declared(
        &self,
        texts: &[String],
        call: Option<&Call>,
    ) -> Result<Vec<(Named, Content)>, Error> {
        let mut inputs = Vec::new();
        for text in texts {
            if text.contains('=') || text.starts_with('@') {
                inputs.extend(self.public(text, call)?);
            } else {
                let (name, ty) = declared(text)?;
                inputs.push((self.find_input(name, ty.as_ref(), call)?, Content::Secret));
            }
        }
        for (_, name) in call.iter().flat_map(|call| call.secrets()) {
            if !inputs.iter().any(|(named, _)| named.name == name) {
                inputs.push((self.find(name, None, call)?, Content::Secret));
            }
        }
        refuse_overlaps(inputs.iter().map(|(named, _)| (named, "")))?;
        for variable in self.image.secret_variables() {
            let marked = self.find_input(&variable.name, None, None)?;
            let both = inputs.iter().map(|(named, _)| named).chain([&marked]);
            // Given here, in whole or in part.
            if refuse_overlaps(both.map(|named| (named, ""))).is_ok() {
                inputs.push((marked, Content::Secret));
            }
        }
        Ok(inputs)
    }

    /// Public values from one argument.
    pub fn public(&self, text: &str, call: Option<&Call>) -> Result<Vec<(Named, Content)>, Error> {
        let assignments = self.assignments(text)?;
        let inputs = assignments.iter().map(|assignment| {
            let named = self.find_input(&assignment.name, assignment.ty.as_ref(), call)?;
            let (bytes, _) = whole(&named, assignment)?;
            Ok((named, Content::Clear(bytes)))
        });
        inputs.collect()
    }
}

/// Values of variables: one row of them.
#[derive(Clone, Debug)]
pub struct Row {
    /// The variables.
    pub variables: Vec<wire::Variable>,
    /// All of their bits, variable after variable.
    pub bits: Vec<bool>,
    /// How many elements of each variable were given; the others are 0.
    pub given: Vec<usize>,
}

impl Row {
    /// The row that assignments make.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for names, types and values that the program has not, and for what is
    /// given twice.
    pub fn new(
        program: &Program,
        assignments: &[Assignment],
        call: Option<&Call>,
    ) -> Result<Row, Error> {
        let named = assignments
            .iter()
            .map(|assignment| program.find_input(&assignment.name, assignment.ty.as_ref(), call));
        let named = named.collect::<Result<Vec<_>, _>>()?;
        refuse_overlaps(named.iter().map(|named| (named, "")))?;
        let mut row = Row {
            variables: Vec::new(),
            bits: Vec::new(),
            given: Vec::new(),
        };
        for (named, assignment) in named.iter().zip(assignments) {
            let (bytes, given) = whole(named, assignment)?;
            row.bits.extend(bits_of_whole(named, &bytes));
            row.variables.push(wire::Variable {
                name: named.name.clone(),
                kind: named.ty.clone(),
            });
            row.given.push(given);
        }
        Ok(row)
    }
}

/// The bytes of a whole variable, what the assignment gives, then zeros; and how many elements
/// were given.
///
/// ```
/// use std::path::Path;
///
/// use blindcore_session::Program;
/// use blindcore_session::program::{bits_of_whole, refuse_overlaps, whole};
///
/// let text = b".bits 16\n.data codes[4]\n LOAD R0, codes[0]\n STORE R0, codes[1]";
/// let program = Program::from_bytes(Path::new("codes.hea"), text)?;
/// assert!(program.image().is_assembly());
/// let assignments = program.take_apart(program.assignments("codes=3,1")?)?;
/// let codes = program.find_input(&assignments[0].name, None, None)?;
/// // Two of four elements are given, the others are 0.
/// let (bytes, given) = whole(&codes, &assignments[0])?;
/// assert_eq!((bytes, given), (vec![3, 0, 1, 0, 0, 0, 0, 0], 2));
/// assert_eq!(bits_of_whole(&codes, &[3, 0, 1, 0, 0, 0, 0, 0]).len(), 64);
/// // No bit is given twice.
/// assert!(refuse_overlaps([(&codes, "one file"), (&codes, "another")].into_iter()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn whole(named: &Named, assignment: &Assignment) -> Result<(Vec<u8>, usize), Error> {
    if let Some(reason) = &named.typeless
        && !assignment.is_raw()
    {
        let (name, reason) = (named.name.clone(), reason.clone());
        return Err(InputError::NoType { name, reason }.into());
    }
    let values = assignment.elements(&named.ty)?;
    let mut bytes = named
        .ty
        .encode(&values)
        .map_err(|error| Error::new(ErrorKind::Input, format!("{}: {error}", named.name)))?;
    bytes.resize(named.ty.size() as usize, 0);
    Ok((bytes, values.len()))
}

/// The bits of a whole variable that [`whole`] gives.
pub fn bits_of_whole(named: &Named, bytes: &[u8]) -> Vec<bool> {
    let mut bits = values::bits_of(bytes);
    bits.truncate(named.ty.bits());
    bits
}

/// Refuses a name that is given twice.
pub(super) fn refuse_repetition<'n>(names: impl Iterator<Item = &'n str>) -> Result<(), Error> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(Error::new(
                ErrorKind::Input,
                format!("{name} is given twice"),
            ));
        }
    }
    Ok(())
}

/// Refuses to give the same bits twice, under the same name or under two: a structure and one of
/// its fields, two members of a union, or two names of one object. With each comes where it is
/// given, if that is worth telling.
pub fn refuse_overlaps<'n>(given: impl Iterator<Item = (&'n Named, &'n str)>) -> Result<(), Error> {
    let mut names = HashMap::new();
    let mut ranges = Vec::new();
    let both = |first: &str, second: &str| match first == second {
        true => String::new(),
        false => format!(": by {first} and by {second}"),
    };
    for (named, source) in given {
        let name = named.name.as_str();
        if let Some(first) = names.insert(name, source) {
            let message = format!("{name} is given twice{}", both(first, source));
            return Err(Error::new(ErrorKind::Input, message));
        }
        if let Place::Memory(variable) = &named.place {
            ranges.push((variable, name, source));
        }
    }
    ranges.sort_by_key(|(variable, ..)| (variable.address, variable.shift));
    // Before the first overlap, each begins where or after the one before ends.
    for pair in ranges.windows(2) {
        let [(one, first, by), (other, second, and_by)] = pair else {
            continue;
        };
        if one.overlaps(other) {
            let message = format!(
                "{first} and {second} are the same bits{}: give one of them",
                both(by, and_by)
            );
            return Err(Error::new(ErrorKind::Input, message));
        }
    }
    Ok(())
}

/// `NAME` or `NAME:TYPE`.
pub(super) fn declared(text: &str) -> Result<(&str, Option<Type>), Error> {
    match text.split_once(':') {
        None => Ok((text, None)),
        Some((name, ty)) => match ty.parse() {
            Ok(ty) => Ok((name, Some(ty))),
            Err(source) => Err(InputError::Type {
                name: name.to_owned(),
                source,
            }
            .into()),
        },
    }
}
