//! What a worker is given: nodes with what they read, by itself or with another worker's help, or another
//! worker to help.

use std::sync::Arc;

use super::{Duet, Selector};
use crate::ir::{Node, Wire};

/// A node and what it reads.
pub(super) struct Taken<B> {
    pub(super) node: Node,
    /// In the order of its operands.
    pub(super) bits: Vec<(Option<Arc<B>>, Wire)>,
    /// What a choice or a load is made by, where that is there.
    pub(super) selectors: Vec<Selector>,
}

/// What a worker does next.
pub(super) enum Turn<B> {
    /// A batch.
    Evaluate(Vec<Taken<B>>, Share),
    /// Helps another one.
    Accompany(Duet),
    /// Lets its partner go, and asks again.
    Part,
}

/// With whom.
pub(super) enum Share {
    With(Duet),
    AsBefore,
    Nobody,
}
