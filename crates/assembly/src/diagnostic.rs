//! What is wrong with a text, where, and what to do about it.

use std::fmt;

use thiserror::Error;

use super::place::Position;
use super::{DATA_LIMIT, REGISTER_LIMIT, TEXT_LIMIT};

/// Whether a program with it can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// It has a meaning, though perhaps not the one that was meant.
    Warning,
    /// It has none.
    Error,
}

/// A problem in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What.
    pub problem: Problem,
    /// Where.
    pub at: Position,
}

/// What can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The text is too long.
    #[error("the text has {bytes} bytes; the limit is {TEXT_LIMIT}")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A character that nothing begins with.
    #[error("'{}' means nothing here; a comment begins with ; or //", .0.escape_default())]
    Character(char),
    /// Digits that are no number.
    #[error("'{0}' is not a number: write 42, -1, 0x2a or 0b101010, within 64 bits")]
    NumberFormat(String),
    /// Something else was expected.
    #[error("{expected} expected{}", .found.as_ref().map(|f| format!(", not {f}")).unwrap_or_default())]
    Expected {
        /// What.
        expected: &'static str,
        /// What stands there; `None` at the end of the line.
        found: Option<String>,
    },
    /// No such instruction.
    #[error("there is no instruction '{name}'{}", .advice.as_ref().map(|a| format!("; here it is called {a}")).unwrap_or_default())]
    Instruction {
        /// What was written.
        name: String,
        /// What was probably meant.
        advice: Option<String>,
    },
    /// No such directive.
    #[error("there is no directive '.{0}': there are .bits, .registers, .memory and .data")]
    Directive(String),
    /// A name that registers have.
    #[error("'{0}' is a register's name and can name nothing else")]
    RegisterName(String),
    /// Operands that the instruction does not have.
    #[error("{mnemonic} takes {takes}")]
    Operands {
        /// The instruction.
        mnemonic: String,
        /// What it takes.
        takes: &'static str,
    },
    /// No such register.
    #[error("there is no R{number}: the registers are R0 to R{} (.registers sets how many)", .registers - 1)]
    Register {
        /// Its number.
        number: u32,
        /// How many there are.
        registers: u16,
    },
    /// A number that does not fit.
    #[error("{value} does not fit: {what} is from {least} to {most}")]
    Range {
        /// The number.
        value: i64,
        /// What it stands for.
        what: &'static str,
        /// The least that fits.
        least: i64,
        /// The greatest.
        most: i64,
    },
    /// A bit field that leaves the register.
    #[error("the field of {width} bits from bit {lowest} up leaves the register of {bits} bits")]
    Field {
        /// Its lowest bit.
        lowest: u32,
        /// Its width.
        width: u32,
        /// The register's width.
        bits: u32,
    },
    /// Two results for one register.
    #[error("both halves of the product go to R{0}")]
    SameRegister(u16),
    /// A width that registers cannot have.
    #[error("registers have 16 or 32 bits, not {0}")]
    Bits(i64),
    /// A directive that comes too late.
    #[error(".{0} must stand before the first instruction and before all data")]
    Late(&'static str),
    /// A name or a directive that stands twice.
    #[error("{what} is there already, in line {line}")]
    Repeated {
        /// What.
        what: String,
        /// Where the first stands.
        line: u32,
    },
    /// More values than words.
    #[error("{values} values for {count} words")]
    TooManyValues {
        /// How many values.
        values: usize,
        /// How many words.
        count: u32,
    },
    /// More data than there may be.
    #[error("the data takes more than {DATA_LIMIT} bytes")]
    TooMuchData,
    /// An address without a name in a program without `.memory`.
    #[error(
        "an address without a name counts words of the data memory, and there is none: \
         declare it with .memory WORDS"
    )]
    NoMemory,
    /// A word beyond an array's end.
    #[error("{name} has {count} words: 0 to {}", .count - 1)]
    OutOfArray {
        /// The array.
        name: String,
        /// How many words it has.
        count: u32,
    },
    /// An index into what was not declared.
    #[error("'{0}' is not declared: an array needs .data {0}[WORDS]")]
    UndeclaredArray(String),
    /// A label where data is needed, or the other way about.
    #[error("'{name}' is {is}, not {wanted}")]
    WrongKind {
        /// The name.
        name: String,
        /// What it is.
        is: &'static str,
        /// What is needed.
        wanted: &'static str,
    },
    /// A branch to a label that nobody defines (a warning).
    #[error("the label '{0}' is not defined: the run ends with an error if it goes there")]
    UndefinedLabel(String),
    /// A word that is used without being declared, where others are (a warning).
    #[error("'{0}' is not declared: it is a word of its own that holds 0")]
    UndeclaredWord(String),
}

impl Problem {
    /// Whether it keeps the program from running.
    #[must_use]
    pub fn severity(&self) -> Severity {
        match self {
            Problem::UndefinedLabel(_) | Problem::UndeclaredWord(_) => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// The range of register counts.
    pub(super) fn register_count(value: i64) -> Problem {
        Problem::Range {
            value,
            what: "a number of registers",
            least: 1,
            most: REGISTER_LIMIT.into(),
        }
    }
}

impl Diagnostic {
    /// The problem with its place, its line of the text, and a mark under it:
    ///
    /// ```text
    /// add.hea:1:8: error: there is no R99: the registers are R0 to R31 (.registers sets how many)
    ///    1 | ADD R0 R99 R2
    ///      |        ^^^
    /// ```
    #[must_use]
    pub fn render(&self, file: &str, text: &str) -> String {
        let severity = match self.problem.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let mut shown = format!("{file}:{}: {severity}: {}\n", self.at, self.problem);
        let line = text.lines().nth(self.at.line.saturating_sub(1) as usize);
        // A line that no terminal shows whole helps nobody.
        let Some(line) = line.filter(|line| line.len() <= 200) else {
            return shown;
        };
        // A mark stands below what it marks only if every character takes one place.
        let line: String = line
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        let blank = " ".repeat(self.at.column.saturating_sub(1) as usize);
        let mark = "^".repeat(self.at.length.max(1) as usize);
        shown.push_str(&format!(
            "{:>4} | {line}\n     | {blank}{mark}\n",
            self.at.line
        ));
        shown
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.problem)
    }
}
