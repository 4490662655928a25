//! Encrypted bits of any scheme, as files of [`Inputs`](crate::Inputs) and
//! [`Outputs`](crate::Outputs) hold them.
//!
//! These files differ between schemes in their [`Kind`], in what their metadata say of the
//! ciphertexts (nothing where a parameter set says it all) and in the ciphertexts themselves.
//! Names, types and which bits are known are the same, and so are the checks.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tfhe::KeyId;

use crate::container::FORMAT_VERSION;
use crate::payload::{PayloadReader, PayloadWriter};
use crate::variable::Variables;
use crate::{Header, Kind, ParameterSet, WireError};

/// Encrypted bits of one key pair, in the order of a file's variables.
pub trait Ciphertexts: Sized {
    /// The scheme's parameter sets.
    type Parameters: ParameterSet;
    /// What metadata say of ciphertexts, before the variables; `()` takes no bytes.
    type Shape: Serialize + DeserializeOwned;

    /// The parameter set they were made with.
    fn parameters(&self) -> &Self::Parameters;

    /// The key pair they belong to.
    fn key_id(&self) -> KeyId;

    /// How many bits there are.
    fn count(&self) -> usize;

    /// The oldest format version that can hold them.
    fn version(&self) -> u16 {
        FORMAT_VERSION
    }

    /// What the metadata say.
    fn shape(&self) -> Self::Shape;

    /// Bytes that they take, or nearly: room to begin with.
    fn bytes(&self) -> usize;

    /// Writes them.
    fn write(&self, writer: &mut PayloadWriter);

    /// Reads `count` bits, the last thing in a payload: an implementation demands their exact
    /// length ([`PayloadReader::expect_bulk`]) before it allocates.
    fn read(
        header: &Header,
        shape: Self::Shape,
        count: usize,
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError>;
}

/// What files of inputs hold.
pub trait InputBits: Ciphertexts {
    /// The files' kind.
    const KIND: Kind;

    /// Reads the bits of variables of these sizes, as [`Ciphertexts::read`]: for schemes where their
    /// places depend on the sizes.
    fn read_of(
        header: &Header,
        shape: Self::Shape,
        sizes: &[usize],
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError> {
        Self::read(header, shape, sizes.iter().sum(), reader)
    }
}

/// What files of outputs hold.
pub trait OutputBits: Ciphertexts {
    /// The files' kind.
    const KIND: Kind;
}

/// The metadata of both.
#[derive(Serialize, Deserialize)]
pub(crate) struct Metadata<S> {
    pub(crate) shape: S,
    pub(crate) variables: Variables,
}
