//! Files of inputs of one run: what is in them, whose they are, and where in the program it goes.

use std::path::Path;

use processor::Content;
use wire::{Inputs, Variable, WireError};

use crate::error::{Error, ErrorKind};
use crate::program::{Call, Named, Place, Placed, Program, refuse_overlaps};
use crate::schemes::Adapter;

/// Batches of inputs of one key pair and of distinct variables, each with the name of its file, in
/// the order in which they are used: that in which they were named does not matter.
#[derive(Debug)]
pub struct Given<A: Adapter + ?Sized> {
    files: Vec<(String, Inputs<A::Content>)>,
}

/// A variable of a file, and the file's name.
pub type Brought<'a> = (&'a str, &'a Variable);

impl<A: Adapter + ?Sized> Given<A> {
    /// Checks that these belong together.
    ///
    /// # Errors
    /// [`ErrorKind::Key`], [`ErrorKind::Input`].
    pub fn joined(files: Vec<(String, Inputs<A::Content>)>) -> Result<Self, Error> {
        let all: Vec<&Inputs<A::Content>> = files.iter().map(|(_, inputs)| inputs).collect();
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        let order = A::join(&all).map_err(|error| unlike(&names, &error))?;
        let mut files: Vec<Option<_>> = files.into_iter().map(Some).collect();
        let files = order
            .iter()
            .filter_map(|&number| files.get_mut(number)?.take());
        Ok(Given {
            files: files.collect(),
        })
    }

    /// The files' names with their contents.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Inputs<A::Content>)> {
        self.files
            .iter()
            .map(|(name, inputs)| (name.as_str(), inputs))
    }

    /// Their contents.
    #[must_use]
    pub fn inputs(&self) -> Vec<&Inputs<A::Content>> {
        self.files.iter().map(|(_, inputs)| inputs).collect()
    }

    /// One of them: what all have in common can be asked of it.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] if there is none.
    pub fn first(&self) -> Result<(&str, &Inputs<A::Content>), Error> {
        let first = self.iter().next();
        first.ok_or_else(|| Error::new(ErrorKind::Usage, "no file of inputs (see --help)"))
    }

    /// Their variables, one file after the other.
    #[must_use]
    pub fn variables(&self) -> Vec<Brought<'_>> {
        let variables = self.iter().flat_map(|(name, inputs)| {
            let own = inputs.variables().iter();
            own.map(move |variable| (name, variable))
        });
        variables.collect()
    }
}

/// Why files do not belong to one run.
fn unlike(names: &[&str], error: &WireError) -> Error {
    let name = |number: usize| names.get(number).copied().unwrap_or("?");
    match error {
        WireError::GivenTwice { name: both, files } => Error::new(
            ErrorKind::Input,
            format!(
                "{both} is given twice: by {} and by {}; each variable comes from one file",
                name(files.0),
                name(files.1)
            ),
        ),
        WireError::OtherFile { number, error } => {
            let (file, first) = (name(*number), name(0));
            let message = match error.as_ref() {
                WireError::OtherKey { found, expected } => format!(
                    "{file}: made with key {found}, {first} with key {expected}: all inputs of a run are \
                     encrypted for one key pair"
                ),
                WireError::OtherParameters { found, expected } => format!(
                    "{file}: made with parameter set {found}, {first} with {expected}: all inputs of a run \
                     are encrypted for one key pair"
                ),
                WireError::OtherRows { found, expected } => format!(
                    "{file}: a table of {found} rows, {first} has {expected}: row by row, all inputs of a \
                     run belong together"
                ),
                other => format!("{file}: {other}"),
            };
            let kind = match error.as_ref() {
                WireError::OtherRows { .. } => ErrorKind::Input,
                _ => ErrorKind::Key,
            };
            Error::new(kind, message)
        }
        other => Error::file(Path::new(names.first().copied().unwrap_or("")), other),
    }
}

/// What goes where: the variables of files, and public ones as `NAME=VALUE`; and which variable of
/// the files each secret of the task is.
///
/// # Errors
/// [`ErrorKind::Input`] for names, types and values that the program has not.
pub fn place<'t>(
    program: &Program,
    call: Option<&Call>,
    variables: &[Brought<'_>],
    public: impl Iterator<Item = &'t str>,
) -> Result<(Placed, Vec<usize>), Error> {
    let mut placed = Vec::new();
    // Where each of them comes from.
    let mut sources = Vec::new();
    for (file, Variable { name, kind: ty }) in variables {
        let found = program.find_input(name, Some(ty), call);
        let named = found.map_err(|error| {
            let advice = ": encrypt it for this program";
            Error::new(error.kind, format!("{file}: {}{advice}", error.message))
        });
        placed.push((named?, Content::Secret));
        sources.push(*file);
    }
    let places = places(&placed);
    for text in public {
        placed.extend(program.public(text, call)?);
        sources.resize(placed.len(), "the command line");
    }
    let sources = sources.into_iter();
    refuse_overlaps(placed.iter().map(|(named, _)| named).zip(sources))?;
    Ok((placed, places))
}

/// Which variable of the files each secret of the task is: variables in memory come first, then the
/// call's arguments by position.
fn places(placed: &[(Named, Content)]) -> Vec<usize> {
    let mut memory = Vec::new();
    let mut arguments = Vec::new();
    for (index, (named, _)) in placed.iter().enumerate() {
        match named.place {
            Place::Memory(_) => memory.push(index),
            Place::Argument(position) => arguments.push((position, index)),
        }
    }
    arguments.sort_by_key(|(position, _)| *position);
    memory.extend(arguments.into_iter().map(|(_, index)| index));
    memory
}
