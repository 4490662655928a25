//! A bit as an operation reads it.

use std::sync::Arc;

/// Shared with others, lent by the caller, or made for the operation.
pub(super) enum Operand<'a, B> {
    Shared(Arc<B>),
    Borrowed(&'a B),
    Own(B),
}

impl<B> Operand<'_, B> {
    pub(super) fn bit(&self) -> &B {
        match self {
            Self::Shared(bit) => bit,
            Self::Borrowed(bit) => bit,
            Self::Own(bit) => bit,
        }
    }
}
