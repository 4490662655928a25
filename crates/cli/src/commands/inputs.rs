//! Files of inputs of one run: what is in them, whose they are, and where in the program it goes.

use std::path::Path;

use processor::Content;
use tfhe::PackedInputs;
use wire::{Inputs, Record, Variable, WireError};

use super::read;
use crate::arguments::Contributions;
use crate::failure::{Code, Failure};
use session::Program;
use session::program::Call;
use session::program::{Named, Place, refuse_overlaps};

/// Files of one key pair and of distinct variables, in the order in which they are used: that in
/// which they were named does not matter.
pub(crate) struct Files<'a, C = PackedInputs> {
    files: Vec<(&'a Path, Inputs<C>)>,
}

/// A variable of a file.
pub(crate) type Brought<'a> = (&'a Path, &'a Variable);

/// Variables and arguments, and what is put there.
pub(crate) type Placed = Vec<(Named, Content)>;

impl<'a, C> Files<'a, C>
where
    Inputs<C>: Record,
{
    /// Reads them all; `join` says what they must have in common.
    pub(super) fn read(
        paths: &[&'a Path],
        join: impl Fn(&[&Inputs<C>]) -> Result<Vec<usize>, WireError>,
    ) -> Result<Self, Failure> {
        let mut files = Vec::with_capacity(paths.len());
        for path in paths {
            let inputs = read(path).map_err(|mut failure| {
                if failure.code == Code::Io && !files.is_empty() {
                    let advice = "; a public variable is written NAME=VALUE";
                    failure.message.push_str(advice);
                }
                failure
            });
            files.push((*path, inputs?));
        }
        Files::joined(files, join)
    }
}

impl<'a, C> Files<'a, C> {
    /// Those that have been read.
    pub(super) fn joined(
        files: Vec<(&'a Path, Inputs<C>)>,
        join: impl Fn(&[&Inputs<C>]) -> Result<Vec<usize>, WireError>,
    ) -> Result<Self, Failure> {
        let all: Vec<&Inputs<C>> = files.iter().map(|(_, inputs)| inputs).collect();
        let paths: Vec<&Path> = files.iter().map(|(path, _)| *path).collect();
        let order = join(&all).map_err(|error| unlike(&paths, &error))?;
        let mut files: Vec<Option<_>> = files.into_iter().map(Some).collect();
        let files = order
            .iter()
            .filter_map(|&number| files.get_mut(number)?.take());
        Ok(Files {
            files: files.collect(),
        })
    }

    /// The files with their contents.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a Path, &Inputs<C>)> {
        self.files.iter().map(|(path, inputs)| (*path, inputs))
    }

    /// Their contents.
    pub(super) fn inputs(&self) -> Vec<&Inputs<C>> {
        self.files.iter().map(|(_, inputs)| inputs).collect()
    }

    /// One of them: what all have in common can be asked of it.
    pub(super) fn first(&self) -> Result<(&'a Path, &Inputs<C>), Failure> {
        let first = self.iter().next();
        first.ok_or_else(|| Failure::new(Code::Usage, "no file of inputs (see --help)"))
    }

    /// Their variables, one file after the other.
    pub(super) fn variables(&self) -> Vec<Brought<'_>> {
        let variables = self.iter().flat_map(|(path, inputs)| {
            let own = inputs.variables().iter();
            own.map(move |variable| (path, variable))
        });
        variables.collect()
    }

    /// A hash that changes with any of them.
    pub(super) fn hash(&self) -> Result<[u8; 32], Failure> {
        let hashes = self.files.iter().map(|(path, _)| hash(path));
        let hashes = hashes.collect::<Result<Vec<_>, _>>()?;
        Ok(match hashes.as_slice() {
            [only] => *only,
            several => blake3::hash(several.as_flattened()).into(),
        })
    }

    /// Their content, one after the other.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let mut all = Vec::new();
        for (path, _) in &self.files {
            let own = std::fs::read(path).map_err(|error| Failure::io(path, "read", &error))?;
            all.extend(own);
        }
        Ok(all)
    }
}

/// BLAKE3 of a file.
pub(super) fn hash(path: &Path) -> Result<[u8; 32], Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::io(path, "open", &error))?;
    Ok(blake3::hash(&bytes).into())
}

/// Why files do not belong to one run.
fn unlike(paths: &[&Path], error: &WireError) -> Failure {
    let path = |number: usize| {
        paths
            .get(number)
            .map_or("?".into(), |path| path.display().to_string())
    };
    match error {
        WireError::GivenTwice { name, files } => Failure::new(
            Code::Input,
            format!(
                "{name} is given twice: by {} and by {}; each variable comes from one file",
                path(files.0),
                path(files.1)
            ),
        ),
        WireError::OtherFile { number, error } => {
            let (file, first) = (path(*number), path(0));
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
            let code = match error.as_ref() {
                WireError::OtherRows { .. } => Code::Input,
                _ => Code::Key,
            };
            Failure::new(code, message)
        }
        other => Failure::file(paths.first().copied().unwrap_or(Path::new("")), other),
    }
}

/// What goes where: the variables of files, and the public ones of the command line; and which
/// variable of the files each secret of the task is.
pub(crate) fn placed(
    program: &Program,
    call: Option<&Call>,
    variables: &[Brought<'_>],
    given: &Contributions,
) -> Result<(Placed, Vec<usize>), Failure> {
    let mut placed = Vec::new();
    // Where each of them comes from.
    let mut sources = Vec::new();
    for (path, Variable { name, kind: ty }) in variables {
        let found = program.find_input(name, Some(ty), call);
        let named = found.map_err(|failure| {
            let (path, message) = (path.display(), failure.message);
            let advice = ": encrypt it for this program";
            session::Error::new(failure.kind, format!("{path}: {message}{advice}"))
        });
        placed.push((named?, Content::Secret));
        sources.push(path.display().to_string());
    }
    let places = places(&placed);
    for text in given.public() {
        placed.extend(program.public(text, call)?);
        sources.resize(placed.len(), "the command line".to_owned());
    }
    let sources = sources.iter().map(String::as_str);
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
