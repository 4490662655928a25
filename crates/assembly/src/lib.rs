//! HE assembly: the language of the encrypted emulator, read, checked and formatted.
//!
//! Three-address instructions on registers of 16 or 32 bits, a data memory with named words and
//! arrays, labels and branches on the flags. Reading has two steps, so that a formatter can work on
//! what a person wrote and an assembler on what it means:
//!
//! - [`parse()`] gives a [`Source`]: items in their order, comments included. Its `Display` is the
//!   formatter; formatted text parses to an equal [`Source`].
//! - [`check()`] gives a [`Unit`]: operands resolved to registers, values, places and labels, with
//!   warnings; or every error that it found.
//!
//! What a unit becomes is its user's business; the processor turns it into A32 words. Both steps
//! take time linear in the text, which [`TEXT_LIMIT`] bounds.
//!
//! Source: Gong and Negrut, *CryptoEmu: An Instruction Set Emulator for Computation Over Ciphers*,
//! §IV to §VI. `docs/assembly.md` is the language on a page, with what the paper leaves open.
//!
//! ```
//! use blindcore_assembly::{check, parse};
//!
//! let source = parse("MOV R0 R0 42\nLoop_label:\nSUBS R0 R0 #1 ; i--\nB_NE Loop_label").unwrap();
//! let formatted = "    MOV   R0, R0, 42\n\
//!     Loop_label:\n    \
//!         SUBS  R0, R0, 1  ; i--\n    \
//!         B_NE  Loop_label\n";
//! assert_eq!(source.to_string(), formatted);
//! assert_eq!(check(&source).unwrap().steps.len(), 3);
//!
//! let errors = check(&parse("ADD R0 R99 R2").unwrap()).unwrap_err();
//! assert_eq!(
//!     errors[0].render("add.hea", "ADD R0 R99 R2"),
//!     "add.hea:1:8: error: there is no R99: the registers are R0 to R31 (.registers sets how many)\n   \
//!         1 | ADD R0 R99 R2\n     \
//!           |        ^^^\n"
//! );
//! ```

#![forbid(unsafe_code)]

mod check;
mod diagnostic;
mod format;
mod lexer;
mod mnemonic;
mod operands;
mod parser;
mod place;
mod source;
mod unit;

pub use check::check;
pub use diagnostic::{Diagnostic, Problem, Severity};
pub use mnemonic::{Mnemonic, Verb};
pub use parser::parse;
pub use place::{Located, Position};
pub use source::{Code, Directive, Index, Item, Number, Operand, Radix, Source, Statement};
pub use unit::{Action, Binary, Cell, Datum, Label, Step, Target, Unary, Unit, Value, Width};

/// The longest text, in bytes.
///
/// It keeps every branch within the reach of A32's, which is 32 MB: no instruction becomes more
/// than four bytes of code for each of its characters.
pub const TEXT_LIMIT: usize = 4 << 20;

/// The most registers.
pub const REGISTER_LIMIT: u16 = 4096;

/// How many registers there are without `.registers`.
pub const DEFAULT_REGISTERS: u16 = 32;

/// The most data memory, in bytes.
pub const DATA_LIMIT: u32 = 64 << 20;

/// The name of the array that `.memory` declares, and that addresses without a name index.
pub const MEMORY: &str = "MEMORY";
