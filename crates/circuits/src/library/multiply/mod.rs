//! Multiplication, with an addend for little or nothing.
//!
//! The multipliers that there are stand in one [`table`]; the first of them is the library's own
//! and the default. An operand that is wholly clear makes it a sum of shifted copies
//! ([`by_constant`]).

mod booth;
pub(super) mod by_constant;
mod carry_save;
mod gathered;
mod pencil_and_paper;
mod problem;
mod product;
mod rows;
mod squaring;
mod table;
mod tree;

pub use by_constant::{copies_for, multiply_by};
pub use product::{multiply, multiply_add, multiply_add_long, multiply_long, multiply_subtract};
pub use squaring::square;
