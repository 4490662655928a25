//! Tables under TFHE: a file holds a head, then a container for each row, one after the other.
//!
//! A row is a file of inputs or of outputs as it would stand alone. The head says how many follow,
//! so that a file which lacks rows is as wrong as one that ends within one; each row has a checksum
//! of its own, so that a table is written and read in one pass with one row in memory. All belong
//! to one key pair and have the same variables.
//!
//! | field of the head | bytes |
//! |---|---|
//! | metadata: rows, and of outputs which run they are of (a hash; zeros of inputs) | |

use std::io::{Read, Seek};
use std::iter::FusedIterator;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};
use tfhe::{KeyId, Parameters};
use zeroize::Zeroizing;

use crate::container::HEADER_BYTES;
use crate::containers::Containers;
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::payload::Payload;
use crate::{Header, Inputs, Kind, Outputs, Record, Variable, WireError, decode_payload};

/// A record that can be a row of a table.
pub trait Row: Record<Parameters = Parameters> {
    /// What such tables are.
    const TABLE: Kind;

    /// Its variables, in the order of their bits.
    fn variables(&self) -> &[Variable];
}

impl Row for Inputs {
    const TABLE: Kind = Kind::INPUT_TABLE;

    fn variables(&self) -> &[Variable] {
        self.variables()
    }
}

impl Row for Outputs {
    const TABLE: Kind = Kind::OUTPUT_TABLE;

    fn variables(&self) -> &[Variable] {
        self.variables()
    }
}

/// What a table begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct TableHead<R> {
    parameters: Parameters,
    key: KeyId,
    metadata: Metadata,
    row: PhantomData<R>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Metadata {
    rows: u32,
    run: [u8; 32],
}

impl<R: Row> TableHead<R> {
    /// The head of a table of `rows` rows; `run` says of outputs which run they are of.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] for a table without rows.
    pub fn new(
        parameters: Parameters,
        key: KeyId,
        rows: u32,
        run: [u8; 32],
    ) -> Result<Self, WireError> {
        if rows == 0 {
            let reason = "a table without rows".to_owned();
            return Err(WireError::Unstorable { reason });
        }
        Ok(Self {
            parameters,
            key,
            metadata: Metadata { rows, run },
            row: PhantomData,
        })
    }

    /// How many rows follow.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.metadata.rows
    }

    /// Which run the rows are of.
    #[must_use]
    pub fn run(&self) -> &[u8; 32] {
        &self.metadata.run
    }
}

impl<R: Row> Record for TableHead<R> {
    const KIND: Kind = R::TABLE;
    type Parameters = Parameters;

    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn key_id(&self) -> KeyId {
        self.key
    }
}

impl<R: Row> Payload for TableHead<R> {
    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        Ok(PayloadWriter::new(&self.metadata, 0)?.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        let parameters = header.fingerprint.parameters()?;
        let (metadata, reader) = PayloadReader::new::<Metadata>(payload)?;
        reader.expect_bulk(Some(0))?;
        if metadata.rows == 0 {
            return Err(WireError::malformed("a table without rows"));
        }
        Ok(Self {
            parameters,
            key: header.key,
            metadata,
            row: PhantomData,
        })
    }
}

/// The rows of a table, one in memory at a time. Ends after an error.
#[derive(Debug)]
pub struct TableRows<R, S> {
    head: TableHead<R>,
    source: Containers<S>,
    /// Version and variables of the first row, when that was read.
    first: Option<(u16, Vec<Variable>)>,
    /// Which comes next, from 0.
    next: u32,
}

impl<R: Row, S: Read> TableRows<R, S> {
    /// The rows behind a head that was read from the source.
    ///
    /// # Errors
    /// Those of [`decode_payload`].
    pub fn of(
        (header, payload): &(Header, Zeroizing<Vec<u8>>),
        source: Containers<S>,
    ) -> Result<Self, WireError> {
        Ok(Self {
            head: decode_payload(header, payload)?,
            source,
            first: None,
            next: 0,
        })
    }

    /// The head.
    #[must_use]
    pub fn head(&self) -> &TableHead<R> {
        &self.head
    }

    /// How many rows were read.
    #[must_use]
    pub fn read(&self) -> u32 {
        self.next
    }

    /// Bytes from the file's beginning to the end of what was read.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.source.length()
    }

    fn row(&mut self) -> Result<R, WireError> {
        let (header, payload) = self.source.next_container(Some(R::KIND))?;
        let record: R = decode_payload(&header, &payload)?;
        crate::match_keys(
            (record.parameters(), record.key_id()),
            (&self.head.parameters, self.head.key),
        )?;
        let own = (header.version, record.variables());
        match &self.first {
            None => self.first = Some((own.0, own.1.to_vec())),
            Some((version, variables)) if own == (*version, variables) => {}
            Some(_) => {
                return Err(WireError::malformed(
                    "other variables or another format version than the first row has",
                ));
            }
        }
        if self.next + 1 == self.head.rows() {
            self.source.end()?;
        }
        Ok(record)
    }
}

impl<R: Row, S: Read + Seek> TableRows<R, S> {
    /// Refuses a source of `length` bytes that lacks rows or has more: that is seen from headers
    /// and lengths, while content and checksum of each are looked at when it is read.
    ///
    /// # Errors
    /// [`WireError::Io`], [`WireError::TrailingBytes`], [`WireError::Row`].
    pub fn check(&mut self, length: u64) -> Result<(), WireError> {
        let (begun, rows) = (self.next, self.head.rows());
        self.source
            .check_rest(length, rows - begun, |number, error| WireError::Row {
                number: begun + number + 1,
                rows,
                error: Box::new(error),
            })
    }
}

impl<R: Row, S: Read> Iterator for TableRows<R, S> {
    type Item = Result<R, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        let rows = self.head.rows();
        if self.next >= rows {
            return None;
        }
        let read = self.row().map_err(|error| WireError::Row {
            number: self.next + 1,
            rows,
            error: Box::new(error),
        });
        match read {
            Ok(_) => self.next += 1,
            Err(_) => self.next = rows,
        }
        Some(read)
    }
}

impl<R: Row, S: Read> FusedIterator for TableRows<R, S> {}

/// Reads inputs, of one row or of a table, from a source that can be read only once, and gives
/// their bytes as they are. Memory grows as the bytes really come; what a header rules out, and
/// whatever follows what it promises, ends the reading after its first bytes, which the reader of
/// the inputs then refuses.
///
/// # Errors
/// [`WireError::Io`].
pub fn spool(mut source: impl Read) -> Result<Vec<u8>, WireError> {
    let mut bytes = Vec::new();
    let mut left = 1u64;
    while left > 0 {
        let start = bytes.len();
        take(&mut source, HEADER_BYTES as u64, &mut bytes)?;
        let Ok((header, _)) = Header::parse(bytes.get(start..).unwrap_or_default()) else {
            return Ok(bytes);
        };
        if !matches!(header.kind, Kind::INPUTS | Kind::INPUT_TABLE) {
            return Ok(bytes);
        }
        let came = take(&mut source, header.payload_length, &mut bytes)?;
        if came < header.payload_length {
            return Ok(bytes);
        }
        left -= 1;
        if start == 0 && header.kind == Kind::INPUT_TABLE {
            let head = crate::decode::<TableHead<Inputs>>(&bytes);
            left = head.map_or(0, |head| head.rows().into());
        }
    }
    take(&mut source, 1, &mut bytes)?;
    Ok(bytes)
}

/// Appends up to `count` bytes; how many came.
fn take(source: &mut impl Read, count: u64, bytes: &mut Vec<u8>) -> Result<u64, WireError> {
    let read = source.take(count).read_to_end(bytes);
    let read = read.map_err(|error| WireError::io("read", &error))?;
    Ok(read as u64)
}
