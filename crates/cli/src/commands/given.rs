//! Files of inputs as the command line names them.

use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

use session::Program;
use session::evaluator::{Given, place};
use session::program::{Call, Placed};
use session::schemes::Adapter;
use wire::{Inputs, Scheme, WireError};

use super::{internal, pipes};
use crate::arguments::Contributions;
use crate::failure::{Code, Failure};

/// Files that belong to one run: the first batch of each.
pub(crate) struct Opened<'a, A: Adapter> {
    pub(crate) first: Given<A>,
    /// Batches of each.
    pub(crate) batches: u32,
    /// Rows of each, if they are tables.
    pub(crate) rows: Option<u32>,
    origins: Vec<Origin<'a>>,
}

/// Where a file's bytes are to be had again.
#[derive(Clone)]
enum Origin<'a> {
    File(&'a Path),
    /// Of a pipe they are kept.
    Kept(Arc<[u8]>),
    /// Of a pipe that is too large for that.
    Gone(&'a Path),
}

impl Origin<'_> {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Origin::File(path) => {
                std::fs::read(path).map_err(|error| Failure::io(path, "read", &error))
            }
            Origin::Kept(bytes) => Ok(bytes.to_vec()),
            Origin::Gone(path) => Err(internal(format!("{} is read twice", path.display()))),
        }
    }
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
        let mut shapes = Vec::with_capacity(paths.len());
        let mut origins = Vec::with_capacity(paths.len());
        for path in paths {
            let name = path.display().to_string();
            let (batch, others, origin) = open::<A>(path).map_err(|(error, mut failure)| {
                if matches!(error, Some(WireError::Io { .. })) && !first.is_empty() {
                    let advice = "; a public variable is written NAME=VALUE";
                    failure.message.push_str(advice);
                }
                failure
            })?;
            shapes.push((A::batches(&batch, &others), A::rows(&batch, &others)));
            origins.push(origin);
            first.push((name.clone(), batch));
            later.push((name, others));
        }
        let (batches, rows) = shapes.first().copied().unwrap_or((1, None));
        let names: Vec<String> = first.iter().map(|(name, _)| name.clone()).collect();
        let first = Given::joined(first)?;
        // After what is said of the files' keys and variables.
        if let Some(other) = shapes.iter().position(|shape| *shape != shapes[0]) {
            let words = |rows: Option<u32>| match rows {
                None => "one row of values".to_owned(),
                Some(rows) => format!("a table of {rows} rows"),
            };
            let name = |number: usize| names[number].as_str();
            let message = format!(
                "{}: {}, {} has {}: row by row, all inputs of a run belong together",
                name(other),
                words(shapes[other].1),
                name(0),
                words(shapes[0].1),
            );
            return Err(Failure::new(Code::Input, message));
        }
        // In the order in which they are used.
        let origins = first.iter().filter_map(|(name, _)| {
            let mut named = names.iter().zip(&origins);
            let found = named.find(|(own, _)| *own == name);
            found.map(|(_, origin)| origin.clone())
        });
        let origins = origins.collect();
        let opened = Opened {
            first,
            batches,
            rows,
            origins,
        };
        Ok((opened, Later(later)))
    }

    /// Refuses tables where they have no place.
    pub(crate) fn refuse_table(&self, where_not: &str) -> Result<(), Failure> {
        if self.rows.is_none() || A::SCHEME == Scheme::Bgv {
            return Ok(());
        }
        let (name, _) = self.first.first()?;
        let message = format!("{name}: a table of rows, which {where_not}: use `run`");
        Err(Failure::new(Code::Input, message))
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
        let hashes = self.origins.iter().map(|origin| {
            let hash: [u8; 32] = blake3::hash(&origin.bytes()?).into();
            Ok(hash)
        });
        let hashes = hashes.collect::<Result<Vec<_>, Failure>>()?;
        Ok(match hashes.as_slice() {
            [only] => *only,
            several => blake3::hash(several.as_flattened()).into(),
        })
    }

    /// Their names and contents.
    pub(crate) fn files(&self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let names = self.first.iter().map(|(name, _)| name.to_owned());
        let both = names.zip(&self.origins);
        both.map(|(name, origin)| Ok((name, origin.bytes()?)))
            .collect()
    }

    /// Their content, one after the other.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let mut all = Vec::new();
        for origin in &self.origins {
            all.extend(origin.bytes()?);
        }
        Ok(all)
    }
}

/// The first batch of a file, the others, and where its bytes are to be had again; an error of the
/// file beside the failure.
type Found<'a, A> = (
    Inputs<<A as Adapter>::Content>,
    <A as Adapter>::Later,
    Origin<'a>,
);

fn open<A: Adapter>(path: &Path) -> Result<Found<'_, A>, (Option<WireError>, Failure)> {
    let wrong = |error: WireError| {
        let failure = Failure::file(path, &error);
        (Some(error), failure)
    };
    let source: Box<dyn Read + Send> = if pipes::is_pipe(path) {
        let input = pipes::input("a file of inputs");
        Box::new(input.map_err(|failure| (None, failure))?)
    } else {
        let (file, length) = files::open(path).map_err(wrong)?;
        if length.is_some() {
            let (first, later) = A::read(Box::new(file), length).map_err(wrong)?;
            return Ok((first, later, Origin::File(path)));
        }
        Box::new(file)
    };
    // A run on TFHE reads its inputs twice, since their hash says which run it is.
    if A::SCHEME == Scheme::Tfhe {
        let bytes: Arc<[u8]> = wire::spool(source).map_err(wrong)?.into();
        let length = Some(bytes.len() as u64);
        let copy = Box::new(Cursor::new(Arc::clone(&bytes)));
        let (first, later) = A::read(copy, length).map_err(wrong)?;
        return Ok((first, later, Origin::Kept(bytes)));
    }
    let (first, later) = A::read(Box::new(pipes::Once(source)), None).map_err(wrong)?;
    Ok((first, later, Origin::Gone(path)))
}

/// Why a program does not run on these inputs.
pub(super) fn unusable(path: &Path, error: &impl std::fmt::Display) -> Failure {
    Failure::new(Code::Input, format!("{}: {error}", path.display()))
}
