//! Values as people write them: `a=17`, `b=1,2,3`, `name="text"`, `salary=@salaries.csv:amount`.
//!
//! An assignment is `NAME=VALUE` or `NAME:TYPE=VALUE`; without a type, the program's debugging
//! information gives it. A value is
//!
//! - a number (decimal, `0x`, `0o`, `0b`, `_` between digits, `-` in front), `'c'`, `true`,
//!   `false`;
//! - a list: `1,2,3`, or with brackets or braces, nested for arrays of arrays: `{1,2},{3,4}`;
//! - text in double quotes with C's escapes. For a variable of type `char[]` the quotes may be
//!   missing, since shells eat them: `name=ada` and `pin=1234` are both text there;
//! - for an enumeration one of its names, or a number; for `float` and `double` a decimal number,
//!   `inf` or `nan`, rounded to the nearest that there is;
//! - for a structure a JSON object of its members, `s={"a":1,"b":[2,3]}`, or a list of such for an
//!   array of them, in which structures at the end may be missing and are zero; of a union one
//!   member, or several of the same bits. Or each member by its path: `s.a=1`. An array of
//!   structures is also a whole CSV file, `s=@FILE.csv`, of which each column is a member
//!   (`price`, `at.x`, `tags[0]`) and each row a structure;
//! - `@FILE`: a `.json` document (`@FILE.json:key.key` for a part of it), a column of a `.csv` file
//!   with a header line (`@FILE.csv:column`), or, with any other ending, raw bytes as the program's
//!   memory holds them. `@-`, `@-:key` and `@-:column` read standard input, once for all
//!   variables: JSON if it is that, else CSV.
//!
//! A variable of which nobody knows the type takes raw bytes only, unless a type is written:
//! numbers would be put there as bytes, which nobody means. So does a structure that is not given
//! by its members, and a number of a kind that has no type here (`long double`).
//!
//! Fewer values than the array has elements are allowed, as in C; the rest is zero. More, or a
//! value outside its type's range, is an error.

mod assignment;
mod document;
mod literal;
mod piped;
mod render;
mod rows;
mod source;

pub use assignment::{Assignment, Value};
pub use document::document;
pub use literal::{Literal, number};
pub use render::{json, text};
pub use rows::{Rows, next_row, rows_of};
pub use source::Source;

use crate::{Type, ValueError};

/// Why an argument is not a value that its variable can hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// No `=`, or nothing that can be a name before it.
    #[error("'{text}' is not NAME=VALUE (or NAME:TYPE=VALUE, or @FILE.json)")]
    NotAnAssignment {
        /// The argument.
        text: String,
    },
    /// The written type is none.
    #[error("{name}: {source}")]
    Type {
        /// The variable.
        name: String,
        /// What is wrong with it.
        source: ValueError,
    },
    /// The text is no value.
    #[error("{name}: '{text}' is not a value of type {ty}: {reason}")]
    NotAValue {
        /// The variable.
        name: String,
        /// The part that does not parse, shortened.
        text: String,
        /// The variable's type.
        ty: Box<Type>,
        /// Why.
        reason: &'static str,
    },
    /// A number outside the range of the type.
    #[error("{name}{}: {value} does not fit {}", position(*index, ty), range(ty))]
    OutOfRange {
        /// The variable.
        name: String,
        /// Which element, counted from 0.
        index: usize,
        /// The number.
        value: i128,
        /// The variable's type.
        ty: Box<Type>,
    },
    /// More values than elements.
    #[error("{name}: {given} values, but {ty} holds {elements}")]
    TooMany {
        /// The variable.
        name: String,
        /// How many were given.
        given: usize,
        /// How many fit.
        elements: u32,
        /// The variable's type.
        ty: Box<Type>,
    },
    /// Values for something that has no type.
    #[error("{name}: {reason}")]
    NoType {
        /// The variable.
        name: String,
        /// Why there is none, and what to write.
        reason: String,
    },
    /// A written type, or a file's, that is not the program's.
    #[error("{name}: {given} does not fit the program's variable, which {own}")]
    OtherType {
        /// The variable.
        name: String,
        /// The type that was given.
        given: Box<Type>,
        /// What the program has there: `is u32[8]`.
        own: String,
    },
    /// A data file cannot be read.
    #[error("{name}: {path}: {reason}")]
    Unreadable {
        /// The variable.
        name: String,
        /// The file.
        path: String,
        /// The operating system's words.
        reason: String,
    },
    /// A data file does not hold what the assignment asks of it.
    #[error("{name}: {path}: {reason}")]
    Data {
        /// The variable.
        name: String,
        /// The file.
        path: String,
        /// What is missing or wrong.
        reason: String,
    },
}

/// `[3]` in an array, nothing in a scalar.
fn position(index: usize, ty: &Type) -> String {
    if ty.dimensions().is_empty() {
        String::new()
    } else {
        format!("[{index}]")
    }
}

/// `u8 (0 to 255)`.
fn range(ty: &Type) -> String {
    let (low, high) = ty.range();
    match ty.width() {
        Some(_) => format!("{ty} ({low} to {high})"),
        None => format!("{} ({low} to {high})", ty.element()),
    }
}

/// At most forty characters of what somebody wrote, for a message of one line.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}
