//! Nodes of an expression: shared, and never taken apart by recursion.

use std::sync::Arc;

use circuits::passes::Provenance;
use tfhe::{KeyId, LweCiphertext, Parameters};

/// What a node is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Bits that somebody encrypted or evaluated.
    Encrypted(Encrypted),
    /// A number that everybody knows.
    Clear(u64),
    /// Something of the operands.
    Operation(Operation),
}

/// What is done to operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Add,
    Subtract,
    Multiply,
    /// Quotient or remainder.
    Divide {
        signed: bool,
        remainder: bool,
    },
    And,
    Or,
    Xor,
    Not,
    /// By a clear number of places.
    ShiftLeft(u32),
    ShiftRight {
        places: u32,
        signed: bool,
    },
    Equal,
    Less {
        signed: bool,
    },
    /// Condition, then, otherwise.
    Select,
    /// One bit of a word, counted from the lowest.
    Place(usize),
    /// A word of bits, the lowest first.
    Join,
    /// To another width.
    Extend {
        signed: bool,
    },
}

/// Encrypted bits of one key.
#[derive(Clone, Debug)]
pub(super) struct Encrypted {
    pub(super) bits: Vec<EncryptedBit>,
    pub(super) parameters: Parameters,
    pub(super) key: KeyId,
}

/// An encrypted bit, or one that evaluation found to be known.
#[derive(Clone, Debug)]
pub(super) enum EncryptedBit {
    Clear(bool),
    Secret {
        ciphertext: Arc<LweCiphertext>,
        /// How the ciphertext was made: equal ones must not be counted as independent.
        provenance: Provenance,
        /// Whether the bit is the complement of what the ciphertext holds.
        inverted: bool,
    },
}

/// A node with its operands.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) width: usize,
    pub(super) operands: Vec<Arc<Node>>,
}

impl Node {
    pub(super) fn leaf(kind: Kind, width: usize) -> Arc<Self> {
        Arc::new(Self {
            kind,
            width,
            operands: Vec::new(),
        })
    }

    pub(super) fn operation(
        operation: Operation,
        width: usize,
        operands: Vec<Arc<Self>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            kind: Kind::Operation(operation),
            width,
            operands,
        })
    }
}

impl Drop for Node {
    /// An expression may be as deep as a loop was long.
    fn drop(&mut self) {
        let mut rest = std::mem::take(&mut self.operands);
        while let Some(node) = rest.pop() {
            if let Some(mut node) = Arc::into_inner(node) {
                rest.append(&mut node.operands);
            }
        }
    }
}
