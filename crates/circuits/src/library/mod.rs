//! Functional units: words in, words out.
//!
//! A word is a slice of [`Wire`](crate::Wire)s, least significant bit first, of any width. Every
//! unit folds what is clear: an operand may be constant in whole or in part, and then costs less or
//! nothing. Each unit chooses its architecture from the builder's [`Profile`](crate::Profile):
//!
//! * **lookups** (a sum of bits up to 15, all its functions at once; up to 31, the negacyclic ones):
//!   slices of an addition, comparisons by four columns, 15:4 compressors, products of digits, two
//!   places of a shifter masked by four steps at once;
//! * **gates with few levels**: trees of selections, a level for each doubling;
//! * **gates**: what the model says is fastest on the profile's cores, from chains to trees.
//!
//! A profile can force an architecture for each family ([`Architectures`]); the [`catalogue`] has
//! every operation in every architecture.
//!
//! Where lookups could be had for depth, the modelled time on the profile's cores decides
//! ([`passes::makespan`](crate::passes::makespan)): one core takes chains, several take carries
//! that are computed ahead. A unit knows nothing of what else the circuit does: who builds a
//! circuit of many independent units should say `cores: 1`, for then its width keeps the cores
//! busy, and the fewest lookups are the fastest.
//!
//! | 32 bits | lookups / depth, 1 core | 2 cores | 16 cores | ANDs | form for lookups |
//! |---|---|---|---|---|---|
//! | [`add`], [`subtract`] | 11 / 11 | 19 / 7 | 29 / 4 | 31 | slices of three columns, carries ahead |
//! | the same with selectors, for decryption or XORs alone | 8 / 8 | whichever is faster | | | slices of four columns, the sum as halves |
//! | [`less_than_unsigned`] | 9 / 5 | 10 / 3 | 10 / 3 | 32 | states of four columns, four states each |
//! | [`equal`] | 9 / 2 | the same | the same | 31 | differences of four columns |
//! | [`and`], [`or`], [`xor`] | 16 / 1 | the same | the same | 32, 32, 0 | two bit positions each |
//! | [`select`] | 22 / 1 | the same | the same | 32 | three bits masked at once, sums of two |
//! | [`shift`] by a secret amount | 43–51 / 3–4 | the same | the same | 152–208 | two places masked by two bits of the amount, sums of four |
//! | [`multiply`] | 146 / 32 | 160 / 18 | 157 / 17 | 993 | half squares of sums of digits, compressors, slices |
//! | [`multiply_long`] | 270 / 63 | 294 / 34 | 302 / 28 | 2016 | the same |
//! | [`add_all`] of ten words | 32 / 32 | 43 / 17 | 166 / 12 | 272 | compressors, slices; carry-save rows for many cores |
//! | [`divide`] | 429 / 263 | 541 / 213 | 636 / 180 | 717 | non-restoring, growing width |
//! | [`rom`], 256 constants of any width | 29 / 3 | the same | the same | 265 | an index decoded to lines, twelve by one lookup |
//! | [`select_from`] 16 secret words | 177 / 2 | the same | the same | 480 | three bits masked by a line at once, sums of all |
//! | [`count_leading_zeros`] | 15 / 13 | 15 / 13 | 15 / 13 | 88 | a chain of three bits each |
//!
//! (After all passes; a lookup alone taken to cost 1.25 of one in a batch of eight.)
//!
//! Exact counts for several widths are a snapshot beside the tests (`library_counts.txt`).
//!
//! ```
//! use blindcore_circuits::{Builder, Profile, library, passes};
//!
//! let profile = Profile::lookup_simulation();
//! let mut build = Builder::new(&profile);
//! let (price, budget) = (build.inputs(32), build.inputs(32));
//! let too_dear = library::less_than_unsigned(&mut build, &budget, &price);
//! let rest = library::subtract(&mut build, &budget, &price);
//! build.output(too_dear);
//! rest.iter().for_each(|&bit| build.output(bit));
//!
//! // The comparison is the subtraction's borrow: both together are eleven lookups.
//! let circuit = build.finish();
//! assert_eq!(passes::cost(&circuit, &profile).bootstraps, 11);
//! ```
//!
//! The units run in time that depends on widths, on which bits are clear and on the profile, never
//! on a secret: there is none here, wires carry no values.
//!
//! # Panics
//! Operands of different widths where equal ones are asked for are the caller's mistake and
//! asserted.

mod add;
mod bit_field;
mod bitwise;
pub mod catalogue;
mod choice;
mod columns;
mod compare;
mod digits;
mod divide;
pub mod float;
mod leading_zeros;
mod multiply;
mod population_count;
mod quiet;
mod running;
mod runs;
mod select;
mod shift;
mod squares;
mod subtract;
mod sum;
mod table;
mod weighted;
mod word;

pub use add::{Added, add, add_with, add_with_carry, increment};
use add::{Carries, half_adder_chain};
pub(crate) use add::{add_by_fours, is_quiet_by_fours};
pub use bit_field::{
    clear_field, extract_field, insert_field, reverse_bits, reverse_bytes,
    reverse_bytes_of_halfwords, reverse_bytes_signed,
};
pub use bitwise::{and, and_not, not, or, or_not, xor};
pub(crate) use compare::carry_alone;
use compare::overflow_in_two_products;
pub use compare::{
    Flags, between, equal, flags, is_zero, less_than_signed, less_than_unsigned, maximum, minimum,
};
pub use divide::{Divided, divide, divides_as_cheaply};
pub use leading_zeros::count_leading_zeros;
pub use multiply::{
    copies_for, multiply, multiply_add, multiply_add_long, multiply_by, multiply_long,
    multiply_subtract, square,
};
pub use population_count::population_count;
use population_count::population_count_by_halves;
pub(crate) use running::running_any;
pub use select::select;
pub use shift::{Shift, rotate_left, rotate_right_extended, shift, shift_by};
pub use subtract::{negate, negate_if, subtract, subtract_with_carry};
pub(crate) use sum::add_in_columns;
pub use sum::{add_all, carry_save};
pub use table::{Code, decode, replace_in, rom, select_from};
pub use word::{Signedness, Word, constant};

pub use crate::architectures::{
    Adder, Architectures, Comparator, Divider, Formula, Multiplier, Shifter, Subtractor, Summation,
    UnknownArchitecture,
};
