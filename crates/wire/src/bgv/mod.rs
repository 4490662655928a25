//! Files of BGV: vectors of bits, one row of values in each slot.
//!
//! They share the [container](crate::container) with all others and have kinds of their own.
//! Parameter sets are not listed anywhere, since they are chosen for a program: their
//! [fingerprint](Set) spells them out. Every residue takes eight bytes; masks are seeds wherever
//! nobody has computed yet.
//!
//! | file | bytes |
//! |---|---|
//! | secret key | φ |
//! | public key | 8φ for each prime of the top level and each special one |
//! | server key | 8φ for each row of each digit of key switching |
//! | inputs, each bit of a row's values | 8φ for each prime of the top level; twice that if made with a public key |
//! | outputs, each bit | 16φ for each prime of its level |
//!
//! Inputs and outputs of a table with more rows than a vector has slots are several containers in
//! one file, one for each batch of rows ([`Batches`]).

mod batch;
mod fresh;
mod public_key;
#[cfg(feature = "secret")]
mod secret_key;
mod server_key;
mod set;
mod vectors;

pub use batch::{Batched, Batches, Share, join};
pub use fresh::FreshVectors;
pub use public_key::PublicKey;
#[cfg(feature = "secret")]
pub use secret_key::SecretKey;
pub use server_key::ServerKey;
pub use set::Set;
pub use vectors::Vectors;

use bgv::Error;

use crate::payload::{LENGTH_BYTES, PayloadReader, PayloadWriter};
use crate::{Header, Kind, ParameterSet, WireError};

/// Encrypted values of some variables, a vector for each bit.
pub type Inputs = crate::Inputs<FreshVectors>;

/// Values of some variables after a run, a vector for each secret bit.
pub type Outputs = crate::Outputs<Vectors>;

/// Bytes of a row.
fn row_bytes(parameters: &bgv::Parameters) -> usize {
    8 * parameters.degree()
}

/// What the scheme's constructors refuse is malformed content.
fn refused(error: Error) -> WireError {
    WireError::malformed(error.to_string())
}

fn write_rows(writer: &mut PayloadWriter, rows: &[Vec<u64>]) {
    rows.iter().for_each(|row| writer.words64(row));
}

/// `count` rows, which are there: the caller has checked the payload's length.
fn read_rows(
    reader: &mut PayloadReader<'_>,
    parameters: &bgv::Parameters,
    count: usize,
) -> Result<Vec<Vec<u64>>, WireError> {
    (0..count)
        .map(|_| reader.words64(parameters.degree()))
        .collect()
}

/// Refuses unknown parameters, and keys of another length than theirs.
pub(crate) fn check_promises(header: &Header) -> Result<(), WireError> {
    let set = Set::find(&header.fingerprint)?;
    let bulk = match header.kind {
        Kind::BGV_SECRET_KEY => set.parameters().degree(),
        Kind::BGV_PUBLIC_KEY => public_key::bulk(set.parameters()),
        Kind::BGV_SERVER_KEY => server_key::bulk(set.parameters()),
        _ => return Ok(()),
    };
    let expected = (LENGTH_BYTES + bulk) as u64;
    if header.payload_length == expected {
        return Ok(());
    }
    Err(WireError::malformed(format!(
        "{} of the set {} has {expected} bytes, the header declares {}",
        header.kind,
        set.name(),
        header.payload_length
    )))
}
