//! Floating point as IEEE 754 and ARM have it: words in the format's bits, words out.
//!
//! Every operation is exact: subnormals, signed zeros, infinities and NaNs, five roundings, flush to
//! zero and default NaN. The [`Format`] is any division into sign, exponent and fraction; the
//! [`Mode`] is known when the circuit is drawn. Exceptions are wires of their own beside the result:
//! what nobody reads is dropped, and costs nothing.
//!
//! Which NaN of several is the result, when a result is tiny (before it is rounded), and what is
//! flushed follow the ARM Architecture Reference Manual ARMv7-A, A2.7.
//!
//! How a sum is made for lookups, where what counts is how many there are:
//!
//! * operands are exchanged so that the first has the larger magnitude, three places by two lookups;
//! * NaNs and infinities flow through the sum: beside such an operand the other one is shifted out,
//!   and what remains of the sum is the operand's own bits;
//! * zeros lead in the sum as far as the exponent allows: one shift for normal and subnormal results;
//! * fraction, leading one and exponent are rounded in one addition, whose carry is the next exponent.
//!
//! Source: Muller et al., Handbook of Floating-Point Arithmetic, 2018, chapters 7 and 8.

mod add;
mod align;
mod compare;
mod convert;
mod divide;
mod exponent;
mod extremum;
mod fixed;
mod flip;
mod format;
mod fused;
mod integral;
mod mode;
mod multiply;
mod nan;
mod normalise;
mod outcome;
mod pack;
mod round;
mod square_root;
mod unpack;

pub use add::{add, subtract};
pub use compare::{Compared, Invalid, compare};
pub use convert::convert;
pub use divide::divide;
pub use extremum::{maximum_number, minimum_number};
pub use fixed::{Fixed, from_fixed, to_fixed};
pub use format::Format;
pub use fused::multiply_add;
pub use integral::round_to_integral;
pub use mode::{Mode, Rounding};
pub use multiply::multiply;
pub use outcome::{Exceptions, Rounded};
pub use square_root::square_root;
