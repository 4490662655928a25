//! Inputs of several files: people who do not trust each other contribute to one computation, each
//! the variables that are theirs.
//!
//! All belong to one key pair, and no variable is given twice. The order in which they are named
//! means nothing: [`join`] gives them one of their own, so that a run of the same files is the same
//! run. In a single file, their containers follow each other.

use std::collections::HashMap;
use std::io::Read;

use crate::ciphertexts::InputBits;
use crate::containers::Containers;
use crate::{Inputs, Record, Variable, WireError, decode_payload, match_keys};

/// Most files of one run: each takes memory, whatever it holds.
const FILES_LIMIT: usize = 65_536;

/// The order in which files of inputs are used together: that of the names of their first
/// variables. Gives for each place the number of the file that comes there, from 0.
///
/// # Errors
/// [`WireError::OtherFile`] for a file of another key pair than the first one's,
/// [`WireError::GivenTwice`] for a variable that is in two of them, [`WireError::Malformed`] for
/// more than 65,536 files.
pub fn join<C: InputBits>(files: &[&Inputs<C>]) -> Result<Vec<usize>, WireError> {
    if files.len() > FILES_LIMIT {
        return Err(too_many());
    }
    let mut owners = HashMap::new();
    for (number, file) in files.iter().enumerate() {
        if let Some(first) = files.first() {
            let ours = (first.parameters(), first.key_id());
            match_keys((file.parameters(), file.key_id()), ours).map_err(|error| {
                WireError::OtherFile {
                    number,
                    error: Box::new(error),
                }
            })?;
        }
        for variable in file.variables() {
            if let Some(first) = owners.insert(variable.name.as_str(), number) {
                return Err(WireError::GivenTwice {
                    name: variable.name.clone(),
                    files: (first, number),
                });
            }
        }
    }
    let mut order: Vec<usize> = (0..files.len()).collect();
    // Names are distinct, so that only files without variables may come in either order.
    order.sort_by_key(|&number| {
        let variables = files.get(number).map(|file| file.variables());
        variables
            .and_then(<[Variable]>::first)
            .map(|variable| variable.name.as_str())
    });
    Ok(order)
}

fn too_many() -> WireError {
    WireError::malformed(format!("more than {FILES_LIMIT} files of inputs"))
}

/// The variables of files of inputs, one file after the other.
#[must_use]
pub fn variables_of<C>(files: &[&Inputs<C>]) -> Vec<Variable> {
    let variables = files.iter().flat_map(|file| file.variables());
    variables.cloned().collect()
}

/// Reads `length` bytes in which one or several files of inputs follow each other; they come in the
/// order in which they stand there.
///
/// # Errors
/// [`WireError::Io`], those of [`decode`](crate::decode) and of [`join`]. Lengths are counted from
/// the beginning.
pub fn read_joined<C: InputBits>(
    source: impl Read,
    length: u64,
) -> Result<Vec<Inputs<C>>, WireError> {
    let mut containers = Containers::new(source);
    let mut files = Vec::new();
    while files.is_empty() || containers.length() < length {
        if files.len() == FILES_LIMIT {
            return Err(too_many());
        }
        let (header, payload) = containers.next_container(Some(C::KIND))?;
        files.push(decode_payload(&header, &payload)?);
    }
    containers.end()?;
    join(&files.iter().collect::<Vec<_>>())?;
    Ok(files)
}
