//! What the paper printed: C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically encrypted arithmetic
//! operations over the integer ring, ISPEC 2016, table 1, one thread of an Intel Core i7 4790 at
//! 3.6 GHz, HElib at 80 bits of security.

use serde::Serialize;

pub(super) const TITLE: &str =
    "Homomorphically Encrypted Arithmetic Operations over the Integer Ring";
pub(super) const SOURCE: &str = "C. Xu, J. Chen, W. Wu, Y. Feng, 2016";

/// What a row computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Operation {
    Addition,
    Subtraction,
    Multiplication,
    /// Quotient and remainder of unsigned words.
    Division,
}

impl Operation {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Addition => "addition",
            Self::Subtraction => "subtraction",
            Self::Multiplication => "multiplication",
            Self::Division => "division",
        }
    }
}

/// A row of table 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    pub(super) operation: Operation,
    /// By the paper's name.
    pub(super) circuit: &'static str,
    pub(super) bits: usize,
    /// The cyclotomic index.
    pub(super) index: u32,
    pub(super) slots: usize,
    /// Levels of the modulus chain.
    pub(super) levels: u32,
    pub(super) seconds: f64,
}

const fn row(
    operation: Operation,
    circuit: &'static str,
    bits: usize,
    index: u32,
    slots: usize,
    levels: u32,
    seconds: f64,
) -> Row {
    Row {
        operation,
        circuit,
        bits,
        index,
        slots,
        levels,
        seconds,
    }
}

use Operation::{Addition, Division, Multiplication, Subtraction};

/// Table 1.
pub(super) const TABLE: [Row; 9] = [
    row(Addition, "RCA", 16, 14_351, 504, 17, 2.16),
    row(Addition, "CLA", 16, 7781, 150, 7, 2.53),
    row(Addition, "CLA", 64, 13_981, 600, 13, 37.69),
    row(Subtraction, "RCS", 16, 14_351, 504, 17, 2.17),
    row(Subtraction, "CLA", 16, 7781, 150, 7, 2.52),
    row(Subtraction, "CLA", 64, 13_981, 600, 13, 37.16),
    row(Multiplication, "RCA", 8, 8191, 630, 9, 4.62),
    row(Multiplication, "RCA", 16, 14_351, 504, 17, 46.32),
    row(Division, "RCA", 4, 18_631, 720, 21, 14.63),
];
