//! Addition with carry in, carry out and signed overflow.
//!
//! The [`adders`] that there are stand in one table. Slices of lookups are taken where lookups are
//! native; on targets of gates the adder whose modelled time is least ([`chosen`]).

mod added;
mod adders;
mod chosen;
pub(super) mod half_adders;
pub(super) mod order;
pub(super) mod states;

pub use added::Added;
pub(super) use added::Carries;
pub use adders::add_with;
pub(crate) use adders::{add_by_fours, is_quiet_by_fours};
pub(super) use adders::{full_adder, settled};
pub use chosen::{add, add_with_carry};
pub(super) use half_adders::half_adder_chain;
pub use half_adders::increment;
