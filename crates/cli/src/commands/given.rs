//! Files of inputs as the command line names them.

use std::path::Path;

use session::Program;
use session::evaluator::{Given, place};
use session::program::{Call, Placed};
use session::schemes::Adapter;
use wire::WireError;

use super::internal;
use crate::arguments::Contributions;
use crate::failure::{Code, Failure};

/// Files that belong to one run: the first batch of each.
pub(crate) struct Opened<'a, A: Adapter> {
    pub(crate) first: Given<A>,
    paths: Vec<&'a Path>,
}

/// Where the other batches come from.
pub(crate) struct Later<A: Adapter>(Vec<(String, A::Later)>);

impl<A: Adapter> Later<A> {
    /// The next batch of every file.
    pub(crate) fn next(&mut self) -> Result<Given<A>, Failure> {
        let next = self.0.iter_mut().map(|(name, batches)| {
            let batch = batches
                .next()
                .ok_or_else(|| internal("a table lacks batches"))?;
            let batch = batch.map_err(|error| Failure::file(Path::new(name), &error))?;
            Ok((name.clone(), batch))
        });
        Ok(Given::joined(next.collect::<Result<_, Failure>>()?)?)
    }
}

impl<'a, A: Adapter> Opened<'a, A> {
    /// Reads the first batch of them all.
    pub(crate) fn read(paths: &[&'a Path]) -> Result<(Self, Later<A>), Failure> {
        let mut first = Vec::with_capacity(paths.len());
        let mut later = Vec::with_capacity(paths.len());
        for path in paths {
            let name = path.display().to_string();
            let (batch, others) = A::open(path).map_err(|error| {
                let mut failure = Failure::file(path, &error);
                if matches!(error, WireError::Io { .. }) && !first.is_empty() {
                    let advice = "; a public variable is written NAME=VALUE";
                    failure.message.push_str(advice);
                }
                failure
            })?;
            first.push((name.clone(), batch));
            later.push((name, others));
        }
        let first = Given::joined(first)?;
        // In the order in which they are used.
        let paths = first.iter().filter_map(|(name, _)| {
            let mut named = paths.iter().copied();
            named.find(|path| path.display().to_string() == name)
        });
        let paths = paths.collect();
        Ok((Opened { first, paths }, Later(later)))
    }

    /// What goes where in a program.
    pub(crate) fn place(
        &self,
        program: &Program,
        call: Option<&Call>,
        given: &Contributions,
    ) -> Result<(Placed, Vec<usize>), Failure> {
        Ok(place(
            program,
            call,
            &self.first.variables(),
            given.public(),
        )?)
    }

    /// A hash that changes with any of them.
    pub(crate) fn hash(&self) -> Result<[u8; 32], Failure> {
        let hashes = self.paths.iter().map(|path| hash(path));
        let hashes = hashes.collect::<Result<Vec<_>, _>>()?;
        Ok(match hashes.as_slice() {
            [only] => *only,
            several => blake3::hash(several.as_flattened()).into(),
        })
    }

    /// Their content, one after the other.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let mut all = Vec::new();
        for path in &self.paths {
            let own = std::fs::read(path).map_err(|error| Failure::io(path, "read", &error))?;
            all.extend(own);
        }
        Ok(all)
    }
}

/// BLAKE3 of a file.
fn hash(path: &Path) -> Result<[u8; 32], Failure> {
    let bytes = std::fs::read(path).map_err(|error| Failure::io(path, "open", &error))?;
    Ok(blake3::hash(&bytes).into())
}

/// Why a program does not run on these inputs.
pub(super) fn unusable(path: &Path, error: &impl std::fmt::Display) -> Failure {
    Failure::new(Code::Input, format!("{}: {error}", path.display()))
}
