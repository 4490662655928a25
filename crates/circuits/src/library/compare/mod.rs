//! Comparison.
//!
//! * Order: the borrow of a subtraction whose difference nobody reads: ⌈n/3⌉ lookups or n ANDs,
//!   shared with a subtraction of the same operands; where the profile's cores or batches make a
//!   tree faster, that ([`order`](super::add::order)). On gates a tree of selections ([`tree`]) or
//!   the carry of the adder that suits. Signed order is unsigned order with inverted
//!   top bits, and inversions are free.
//! * Order beside a known number: adjacent equal bits of it are one question ([`number`]): 1 to 6
//!   lookups for 32 bits, or as between two words.
//! * Equality: `Σ 2ⁱ(xᵢ − yᵢ)` over three columns is 0 only for equal bits, fifteen values; then
//!   all of these flags at once: ⌈n/3⌉ + 1 lookups at depth 2 up to 45 bits. With gates n XORs and
//!   n − 1 ANDs at depth ⌈log₂n⌉. Bits compared with clear ones need no lookup of their own.
//! * A range of known numbers: the bits in which both ends agree, and a comparison of those below.
//! * Extrema: an order and a selection. Flags: [`flags`](flags()).

mod between;
mod equality;
mod extrema;
mod flags;
mod number;
mod order;
mod tree;

pub use between::between;
pub use equality::{equal, is_zero};
pub use extrema::{maximum, minimum};
pub(super) use flags::overflow_in_two_products;
pub use flags::{Flags, flags};
pub(crate) use order::carry_alone;
pub use order::{less_than_signed, less_than_unsigned};
