//! Architectures found by name.

use std::fmt::Display;

/// A name that no architecture of a family has.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("no {family} is called `{name}`; there are: {}", known.join(", "))]
#[non_exhaustive]
pub struct UnknownArchitecture {
    /// The family, as in "adder".
    pub family: &'static str,
    /// The name that was given.
    pub name: String,
    /// The names that there are.
    pub known: Vec<String>,
}

/// The architecture of a name.
pub(super) fn by_name<T: Display>(
    family: &'static str,
    all: Vec<T>,
    name: &str,
) -> Result<T, UnknownArchitecture> {
    let known: Vec<String> = all.iter().map(T::to_string).collect();
    let found = all.into_iter().zip(&known).find(|(_, own)| *own == name);
    match found {
        Some((architecture, _)) => Ok(architecture),
        None => Err(UnknownArchitecture {
            family,
            name: name.to_owned(),
            known,
        }),
    }
}
