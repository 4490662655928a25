//! The adders that there are, each in one row: where it is from, what it costs and how it is drawn.
//!
//! | for n bits | gates | depth in gates | in ANDs | for |
//! |---|---|---|---|---|
//! | [`Adder::Slices`] | ⌈n/3⌉ lookups | ⌈n/3⌉ | | targets with lookups |
//! | the same, carries ahead | up to ≈ n lookups | down to 1 + log₃n | | … and cores to spare |
//! | [`Adder::Ripple`] | 5n | 3n | n | XORs that are free |
//! | [`Adder::RippleTwoAnd`] | 5n | 2n | n | comparison with the papers |
//! | [`Adder::RippleMux`] | 2n, n selections | n | n | bootstrapped gates |
//! | [`Adder::BlockLookahead`] | 8n | 2k + 2n/k | | comparison with the papers |
//! | [`Adder::LookAheadGroups`] | ≈ 6n | 5·log₂n | ≈ 2.5·log₂n | comparison with the papers |
//! | [`Adder::CarrySelect`] | ≈ 10n | ≈ 4√n | | comparison with the papers |
//! | [`Adder::Sklansky`] | 1.5n·log₂n + 3n | 2·log₂n + 2 | 1 + log₂n | levels, many cores |
//! | [`Adder::ConditionalSum`] | 1.5n·log₂n + 2n, a third of them selections | log₂n + 2 | log₂n | levels, many cores |
//! | [`Adder::KoggeStone`] | 3n·log₂n − … | 2·log₂n + 2 | | comparison with the papers |
//! | [`Adder::BrentKung`] | ≈ 8n | ≈ 4·log₂n | 2·log₂n | several cores |
//!
//! Exact formulas stand in each adder's file and are what [`Adder::formula`] computes. A new adder
//! is such a file and a row here, for a new name of [`Adder`].

mod block_lookahead;
mod brent_kung;
mod carries;
mod carry_select;
mod conditional_sum;
mod fours;
mod groups;
mod kogge_stone;
mod prefix;
mod ripple;
mod ripple_mux;
mod ripple_two_and;
mod sklansky;
mod slices;

use super::added::{Added, Carries};
use crate::architectures::{Adder, Formula};
use crate::library::weighted::capacity;
use crate::{Builder, Wire};
use carry_select::Blocks;
pub(crate) use fours::{add_by_fours, is_quiet_by_fours};
pub(in crate::library) use ripple::full_adder;
pub(in crate::library) use slices::settled;

/// An adder, apart from its name.
struct Row {
    source: &'static str,
    /// `None` for an adder of lookups.
    gates: Option<Costs>,
    add: Add,
}

type Costs = Box<dyn Fn(usize, Carries) -> Formula>;
type Add = Box<dyn Fn(&mut Builder, &[Wire], &[Wire], Wire) -> Added>;

/// An adder of gates and selections.
fn of_gates(
    source: &'static str,
    gates: impl Fn(usize, Carries) -> Formula + 'static,
    add: impl Fn(&mut Builder, &[Wire], &[Wire], Wire) -> Added + 'static,
) -> Row {
    Row {
        source,
        gates: Some(Box::new(gates)),
        add: Box::new(add),
    }
}

/// The table.
fn row(adder: Adder) -> Row {
    match adder {
        Adder::Slices => Row {
            source: "multi-value bootstrapping (Carpov, Izabachène, Mollimard, 2019)",
            gates: None,
            add: Box::new(|b, x, y, carry| match capacity(b) {
                Some(capacity) => slices::add(b, capacity, x, y, carry),
                None => ripple::add(b, x, y, carry),
            }),
        },
        Adder::Ripple => of_gates(
            "Xu, Chen, Wu, Feng, 2016, algorithm 1; Bomolo, Ntumba, Mbuyi, 2021",
            ripple::gates,
            ripple::add,
        ),
        Adder::RippleTwoAnd => of_gates(
            "Bomolo, Ntumba, Mbuyi, 2021, §IV-A.2; Xu, Chen, Wu, Feng, 2016",
            ripple_two_and::gates,
            ripple_two_and::add,
        ),
        Adder::RippleMux => of_gates(
            "Kilburn, Edwards, Aspinall, 1959",
            ripple_mux::gates,
            ripple_mux::add,
        ),
        Adder::BlockLookahead(block) => of_gates(
            "Bomolo, Ntumba, Mbuyi, 2021, §III-B",
            move |n, carries| block_lookahead::gates(n, block, carries),
            move |b, x, y, carry| block_lookahead::add(b, block, x, y, carry),
        ),
        Adder::LookAheadGroups => of_gates(
            "Xu, Chen, Wu, Feng, 2016, algorithm 2",
            groups::gates,
            groups::add,
        ),
        Adder::CarrySelect => of_gates(
            "Bedrij, 1962",
            |n, carries| carry_select::gates(Blocks::SquareRoot, n, carries),
            |b, x, y, carry| carry_select::add(b, Blocks::SquareRoot, x, y, carry),
        ),
        Adder::CarrySelectWhole => of_gates(
            "Bomolo, Ntumba, Mbuyi, 2021, §IV-B.5",
            |n, carries| carry_select::gates(Blocks::Whole, n, carries),
            |b, x, y, carry| carry_select::add(b, Blocks::Whole, x, y, carry),
        ),
        Adder::Sklansky => of_gates("Sklansky, 1960", sklansky::gates, sklansky::add),
        Adder::ConditionalSum => of_gates(
            "Sklansky, 1960",
            conditional_sum::gates,
            conditional_sum::add,
        ),
        Adder::KoggeStone => of_gates(
            "Kogge, Stone, 1973; Gong, Negrut, 2020, figure 8",
            kogge_stone::gates,
            kogge_stone::add,
        ),
        Adder::BrentKung => of_gates("Brent, Kung, 1982", brent_kung::gates, brent_kung::add),
    }
}

impl Adder {
    /// Where the architecture is from.
    #[must_use]
    pub(in crate::library) fn source(self) -> &'static str {
        row(self).source
    }

    /// Gates and depth on targets of gates and selections; `None` for slices, which are made of
    /// lookups.
    #[must_use]
    pub(in crate::library) fn formula(self, n: usize, carries: Carries) -> Option<Formula> {
        row(self).gates.map(|gates| gates(n, carries))
    }
}

/// `x + y + carry_in` by an adder of the caller's choice. Slices on a target without lookups are
/// chains of full adders.
pub fn add_with(b: &mut Builder, adder: Adder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    (row(adder).add)(b, x, y, carry_in)
}
