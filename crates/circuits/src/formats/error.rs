//! What is wrong with a file, where, and what to do about it.

use std::fmt;

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(usize),
    /// A word: its line and the column (in bytes) at which it begins, both counted from 1.
    Column(usize, usize),
    /// A named part of a document whose lines mean nothing: `cell 'x'`, `port 'a'`.
    Part(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("file"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Column(line, column) => write!(f, "line {line}, column {column}"),
            Self::Part(name) => f.write_str(name),
        }
    }
}

/// A file that is no circuit, or none that can be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}{problem}", prefix(place))]
pub struct FormatError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: Problem,
}

fn prefix(place: &Place) -> String {
    match place {
        Place::File => String::new(),
        place => format!("{place}: "),
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A byte that belongs to no UTF-8 text.
    #[error("not a text: circuits are written in ASCII")]
    NotText,
    /// Neither the name nor the content tells the format.
    #[error(
        "no circuit format that is known: Bristol Fashion (.txt, .bristol), BLIF (.blif) and Yosys JSON (.json) are"
    )]
    UnknownFormat,
    /// The file ends too early.
    #[error("the file ends where {expected} should follow: it is truncated")]
    Truncated {
        /// What is missing.
        expected: String,
    },
    /// Something that a line, a cell or a document needs is not there.
    #[error("{expected} is missing")]
    Missing {
        /// What is missing.
        expected: String,
    },
    /// One thing stands where another belongs.
    #[error("'{found}' stands where {expected} should")]
    Unexpected {
        /// What was expected.
        expected: String,
        /// What stands there, shortened.
        found: String,
    },
    /// Two numbers that must agree do not.
    #[error("{found} {what}, but there should be {expected}")]
    Count {
        /// Of what.
        what: String,
        /// How many there should be.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A size beyond what is read.
    #[error("{found} {what} are more than the {limit} that can be")]
    TooMany {
        /// Of what.
        what: String,
        /// How many are declared.
        found: u64,
        /// The most that can be.
        limit: u64,
    },
    /// A wire that is read and never written.
    #[error("'{net}' is read, but no gate and no input drives it")]
    Undriven {
        /// The wire.
        net: String,
    },
    /// A wire that is written twice.
    #[error("'{net}' is driven twice, the first time at {first}")]
    DrivenTwice {
        /// The wire.
        net: String,
        /// Where it was driven first.
        first: Place,
    },
    /// Gates that wait for each other.
    #[error(
        "'{net}' depends on itself: a circuit has no loops (if it is a register, unroll the clock)"
    )]
    Cycle {
        /// A wire on the loop.
        net: String,
    },
    /// A name that is given to two things.
    #[error("two {what} are called '{name}'")]
    SameName {
        /// What they are.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Something that the format has and circuits here have not.
    #[error("{what} cannot be read: {advice}")]
    Unsupported {
        /// What it is.
        what: String,
        /// What to do.
        advice: String,
    },
    /// The document is not JSON, or not of the form that Yosys writes.
    #[error("not a netlist of Yosys (write_json): {reason}")]
    Json {
        /// The parser's words.
        reason: String,
    },
    /// A circuit whose bits are not those that the interface names.
    #[error("a circuit of {found} {what} bits does not fit words of {expected} bits")]
    Interface {
        /// Inputs or outputs.
        what: &'static str,
        /// The bits of the words.
        expected: usize,
        /// The bits of the circuit.
        found: usize,
    },
}

impl Problem {
    pub(super) fn at(self, place: Place) -> FormatError {
        FormatError {
            place,
            problem: self,
        }
    }

    pub(super) fn unexpected(expected: impl Into<String>, found: &str) -> Self {
        Self::Unexpected {
            expected: expected.into(),
            found: shortened(found),
        }
    }
}

/// At most this many characters of what stands in a file, fit for a terminal.
pub(super) fn at_most(limit: usize, text: &str) -> String {
    let shown = text.chars().take(limit).flat_map(char::escape_debug);
    let mut shown: String = shown.collect();
    if text.chars().nth(limit).is_some() {
        shown.push('…');
    }
    shown
}

/// A word that stands in a file, fit for a message.
pub(super) fn shortened(text: &str) -> String {
    at_most(40, text)
}
