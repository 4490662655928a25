//! The text as a person wrote it: items in their order, operands as they are spelled.

use super::mnemonic::Mnemonic;
use super::place::{Located, Position};

/// A text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// Its items, in order.
    pub items: Vec<Item>,
}

/// A label, a directive, an instruction, or a line that is only a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Whether empty lines stand before it.
    pub gap: bool,
    /// What it is; `None` for a comment alone.
    pub statement: Option<Statement>,
    /// The comment that ends the line, without its marker and the blanks around it.
    pub comment: Option<String>,
}

/// What an item says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `NAME:`
    Label(Located<String>),
    /// `.NAME …`
    Directive(Located<Directive>),
    /// `MNEMONIC operands`
    Instruction(Code),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its name.
    pub mnemonic: Located<Mnemonic>,
    /// Its operands, in order.
    pub operands: Vec<Located<Operand>>,
}

/// What configures the program or declares data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// `.bits 16`: how wide registers and words of memory are.
    Bits(Located<Number>),
    /// `.registers 8`: how many there are.
    Registers(Located<Number>),
    /// `.memory 64 = 1, 2`: the array that addresses without a name index.
    Memory {
        /// How many words.
        count: Located<Number>,
        /// What the first of them hold; the others hold 0.
        values: Vec<Located<Number>>,
    },
    /// `.data NAME`, `.data NAME[8] = 1, 2`: a word, or an array of words.
    Data {
        /// Its name.
        name: Located<String>,
        /// How many words; one word without.
        count: Option<Located<Number>>,
        /// What the first of them hold; the others hold 0.
        values: Vec<Located<Number>>,
    },
}

/// An operand as it is spelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// `R5`.
    Register(u32),
    /// `42`, `#0x2a`.
    Number(Number),
    /// A data name or a label.
    Name(String),
    /// `table[R2]`, `[7]`: the array's name, none for `.memory`, and which word.
    Indexed(Option<String>, Located<Index>),
}

/// Which word of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// The one whose number the register holds.
    Register(u32),
    /// This one.
    Number(Number),
}

/// A number and how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Its value.
    pub value: i64,
    /// How it is written.
    pub radix: Radix,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// `42`
    Decimal,
    /// `0x2a`
    Hexadecimal,
    /// `0b101010`
    Binary,
}

impl Code {
    /// From the mnemonic to the last operand.
    #[must_use]
    pub fn at(&self) -> Position {
        let begin = self.mnemonic.at;
        let last = self.operands.last().map_or(begin, |operand| operand.at);
        Position {
            length: last.column + last.length - begin.column,
            ..begin
        }
    }
}
