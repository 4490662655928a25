//! Why a word is not an instruction of the subset.

use thiserror::Error;

/// A word that [`decode`](crate::decode()) refuses. It does not know where the word stands; its
/// caller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// `BLX` with an immediate: it always goes to Thumb code.
    #[error(
        "{word:#010x} (blx to a constant address) calls Thumb code, which is not supported: \
         compile and link everything with -marm"
    )]
    Thumb {
        /// The refused word.
        word: u32,
    },
    /// An instruction, or a class of them, outside the subset.
    #[error("{word:#010x} ({mnemonic}) is not supported")]
    Unsupported {
        /// The refused word.
        word: u32,
        /// The mnemonic in lower case, or the name of its class.
        mnemonic: &'static str,
    },
    /// An instruction of the subset in an encoding whose result the architecture leaves open.
    #[error("{word:#010x} ({mnemonic}) is unpredictable: {reason}")]
    Unpredictable {
        /// The refused word.
        word: u32,
        /// The mnemonic in lower case.
        mnemonic: &'static str,
        /// The rule it breaks.
        reason: &'static str,
    },
    /// A word that the architecture gives no meaning.
    #[error("{word:#010x} is not an A32 instruction")]
    Undefined {
        /// The refused word.
        word: u32,
    },
}

impl DecodeError {
    /// The refused word.
    #[must_use]
    pub const fn word(&self) -> u32 {
        match *self {
            DecodeError::Thumb { word }
            | DecodeError::Unsupported { word, .. }
            | DecodeError::Unpredictable { word, .. }
            | DecodeError::Undefined { word } => word,
        }
    }

    /// The best name known for the refused word.
    #[must_use]
    pub const fn mnemonic(&self) -> &'static str {
        match *self {
            DecodeError::Thumb { .. } => "blx",
            DecodeError::Unsupported { mnemonic, .. }
            | DecodeError::Unpredictable { mnemonic, .. } => mnemonic,
            DecodeError::Undefined { .. } => "undefined",
        }
    }
}
