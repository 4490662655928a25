//! Where something stands in the text.

use std::fmt;

/// A stretch of one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The first character, from 1.
    pub column: u32,
    /// How many characters.
    pub length: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Something and where it stands. Two are equal when the things are, wherever they stand: so a text
/// and its formatted form can be compared.
#[derive(Clone, Copy, Debug)]
pub struct Located<T> {
    /// The thing.
    pub node: T,
    /// Where it stands.
    pub at: Position,
}

impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl<T: Eq> Eq for Located<T> {}
