//! Tables of more rows than a vector has slots: a file holds a container for each batch of rows,
//! one after the other.
//!
//! Every batch but the last has as many rows as there are slots. Each container says how many rows
//! the whole table has and which batch it is, and has a checksum of its own, so that a file is
//! written and read in one pass with one batch in memory, through a pipe, too, and nothing of a
//! batch is used before all of it was checked. All belong to one key pair and have the same
//! variables. A file that lacks batches is as wrong as one that ends within one.

use std::io::{Read, Seek};
use std::iter::FusedIterator;
use std::marker::PhantomData;

use bgv::Parameters;
use zeroize::Zeroizing;

use super::{Inputs, Outputs};
use crate::containers::Containers;
use crate::{Header, Record, Variable, WireError, decode_payload};

/// Which rows of a table a batch holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    table: u32,
    batch: u32,
    slots: u32,
}

impl Share {
    /// A batch by its number, from 0, of a table of `table` rows.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] if the table has no such batch.
    pub fn new(table: u32, batch: u32, parameters: &Parameters) -> Result<Self, WireError> {
        Self::found(table, batch, parameters).ok_or_else(|| WireError::Unstorable {
            reason: no_batch(table, batch, parameters),
        })
    }

    /// What metadata say.
    pub(super) fn read(table: u32, batch: u32, parameters: &Parameters) -> Result<Self, WireError> {
        Self::found(table, batch, parameters)
            .ok_or_else(|| WireError::malformed(no_batch(table, batch, parameters)))
    }

    fn found(table: u32, batch: u32, parameters: &Parameters) -> Option<Self> {
        // Vectors have at most 65,536 slots.
        let slots = u32::try_from(parameters.slots()).ok()?;
        let share = Share {
            table,
            batch,
            slots,
        };
        (batch < share.batches()).then_some(share)
    }

    /// Refuses another set's slots.
    pub(super) fn check(&self, parameters: &Parameters) -> Result<(), WireError> {
        Self::new(self.table, self.batch, parameters).and_then(|share| match share == *self {
            true => Ok(()),
            false => Err(WireError::Unstorable {
                reason: no_batch(self.table, self.batch, parameters),
            }),
        })
    }

    pub(super) fn shape(&self) -> (u32, u32) {
        (self.table, self.batch)
    }

    /// Rows of the whole table.
    #[must_use]
    pub fn table_rows(&self) -> u32 {
        self.table
    }

    /// Batches that the table has.
    #[must_use]
    pub fn batches(&self) -> u32 {
        self.table.div_ceil(self.slots)
    }

    /// Which one of them this is, from 0.
    #[must_use]
    pub fn batch(&self) -> u32 {
        self.batch
    }

    /// Rows of this batch, at least one.
    #[must_use]
    pub fn rows(&self) -> u32 {
        // There is such a batch, so it begins within the table.
        (self.table - self.batch * self.slots).min(self.slots)
    }
}

fn no_batch(table: u32, batch: u32, parameters: &Parameters) -> String {
    format!(
        "batch {} of {table} rows in vectors of {} slots",
        u64::from(batch) + 1,
        parameters.slots()
    )
}

/// [`join`](crate::join) for batches of tables: they hold the same rows of tables of equal length.
///
/// # Errors
/// As there, and [`WireError::OtherRows`] in a [`WireError::OtherFile`].
pub fn join(files: &[&Inputs]) -> Result<Vec<usize>, WireError> {
    let order = crate::join(files)?;
    let Some(first) = files.first().map(|file| file.bits().share()) else {
        return Ok(order);
    };
    let other = files.iter().position(|file| file.bits().share() != first);
    match other {
        None => Ok(order),
        Some(number) => Err(WireError::OtherFile {
            number,
            error: Box::new(WireError::OtherRows {
                found: files
                    .get(number)
                    .map_or(0, |file| file.bits().share().table_rows()),
                expected: first.table_rows(),
            }),
        }),
    }
}

/// A record that is one batch of a table.
pub trait Batched: Record {
    /// Its rows.
    fn share(&self) -> Share;

    /// Its variables, in the order of their bits.
    fn variables(&self) -> &[Variable];
}

impl Batched for Inputs {
    fn share(&self) -> Share {
        self.bits().share()
    }

    fn variables(&self) -> &[Variable] {
        self.variables()
    }
}

impl Batched for Outputs {
    fn share(&self) -> Share {
        self.secret().share()
    }

    fn variables(&self) -> &[Variable] {
        self.variables()
    }
}

/// The batches of a file after the first, one in memory at a time. Ends after an error.
#[derive(Debug)]
pub struct Batches<R, S> {
    source: Containers<S>,
    /// Of the first.
    header: Header,
    table: Share,
    variables: Vec<Variable>,
    /// Which comes next, from 0.
    next: u32,
    record: PhantomData<R>,
}

impl<R: Batched, S: Read + Seek> Batches<R, S> {
    /// The first batch of a source of `length` bytes that nothing has been read from, and the
    /// others. It must have them all: that is seen from headers and lengths, while content and
    /// checksum of each are looked at when it is read.
    ///
    /// # Errors
    /// Those of [`Batches::of`].
    pub fn of_whole(mut source: Containers<S>, length: u64) -> Result<(R, Self), WireError> {
        let first = source.next_container(Some(R::KIND))?;
        let (first, mut rest) = Batches::of(first, source)?;
        let batches = rest.table.batches();
        rest.source
            .check_rest(length, batches - 1, |number, error| WireError::Batch {
                number: number + 2,
                batches,
                error: Box::new(error),
            })?;
        Ok((first, rest))
    }
}

impl<R: Batched, S: Read> Batches<R, S> {
    /// The first batch from a container that was read, and the others from where it came from.
    ///
    /// # Errors
    /// [`WireError::Io`] and those of [`crate::decode`]; [`WireError::TrailingBytes`] after the
    /// only batch.
    pub fn of(
        first: (Header, Zeroizing<Vec<u8>>),
        source: Containers<S>,
    ) -> Result<(R, Self), WireError> {
        let (header, payload) = first;
        let first: R = decode_payload(&header, &payload)?;
        let table = first.share();
        let mut rest = Batches {
            source,
            header,
            table,
            variables: first.variables().to_vec(),
            next: 1,
            record: PhantomData,
        };
        if table.batch() != 0 {
            return Err(WireError::malformed(format!(
                "batch {} comes first",
                table.batch() + 1
            )));
        }
        if table.batches() == 1 {
            rest.source.end()?;
        }
        Ok((first, rest))
    }

    /// Bytes from the file's beginning to the end of what was read.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.source.length()
    }

    fn read(&mut self) -> Result<R, WireError> {
        let (header, payload) = self.source.next_container(Some(R::KIND))?;
        let origin = |header: &Header| (header.fingerprint, header.key, header.version);
        if origin(&header) != origin(&self.header) {
            return Err(WireError::malformed(
                "other parameters, another key or another format version than the first batch has",
            ));
        }
        let record: R = decode_payload(&header, &payload)?;
        let (share, rows) = (record.share(), self.table.table_rows());
        if (share.batch(), share.table_rows()) != (self.next, rows) {
            return Err(WireError::malformed(format!(
                "it says that it is batch {} of {} rows, the first one {rows} rows",
                share.batch() + 1,
                share.table_rows(),
            )));
        }
        if record.variables() != self.variables {
            return Err(WireError::malformed(
                "other variables than the first batch has",
            ));
        }
        Ok(record)
    }
}

impl<R: Batched, S: Read> Iterator for Batches<R, S> {
    type Item = Result<R, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batches = self.table.batches();
        if self.next >= batches {
            return None;
        }
        let read = self.read().map_err(|error| WireError::Batch {
            number: self.next + 1,
            batches,
            error: Box::new(error),
        });
        self.next += 1;
        let read = match (read, self.next == batches) {
            (Ok(record), true) => self.source.end().map(|()| record),
            (read, _) => read,
        };
        if read.is_err() {
            self.next = batches;
        }
        Some(read)
    }
}

impl<R: Batched, S: Read> FusedIterator for Batches<R, S> {}
