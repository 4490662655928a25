//! Addition with carry in, carry out and signed overflow.
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
//! Exact formulas stand in each architecture's module and are what [`Adder::formula`] computes.
//! On targets of gates that adder is taken whose modelled time is least.

mod block_lookahead;
mod brent_kung;
mod carries;
mod carry_select;
mod conditional_sum;
mod groups;
pub(super) mod half_adders;
mod kogge_stone;
pub(super) mod order;
mod prefix;
mod ripple;
mod ripple_mux;
mod ripple_two_and;
mod sklansky;
mod slices;
pub(super) mod states;

use super::choice::Question;
use super::weighted;
use super::word::Word;
use crate::architectures::{Adder, Formula};
use crate::{Builder, Wire};
use carry_select::Blocks;
pub use half_adders::{half_adder_chain, increment};
pub(super) use ripple::full_adder;
pub(super) use slices::settled;

/// A sum and what the processor's flags need of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// The sum modulo 2ⁿ.
    pub sum: Word,
    /// The carry out of the top column: ARM's C, also for subtractions (no borrow).
    pub carry: Wire,
    /// The signed sum does not fit: ARM's V.
    pub overflow: Wire,
}

/// What is chosen from on targets of gates: those that are best for some number of cores come first,
/// since what they leave no chance is not drawn.
const OF_GATES: [Adder; 9] = [
    Adder::RippleMux,
    Adder::ConditionalSum,
    Adder::Ripple,
    Adder::Sklansky,
    Adder::BrentKung,
    Adder::CarrySelect,
    Adder::LookAheadGroups,
    Adder::KoggeStone,
    Adder::RippleTwoAnd,
];

/// Which carries an adder has, for its costs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Carries {
    /// None comes in, and nobody reads the one that comes out: a sum modulo 2ⁿ.
    Dropped,
    /// One comes in; carry out and overflow are read.
    InAndOut,
}

impl Adder {
    /// The architecture for sums of n columns on a builder's target: the forced one; slices where
    /// there are lookups; where there are none, the fastest on the profile's cores, or that of the
    /// fewest levels.
    #[must_use]
    pub fn chosen(b: &mut Builder, n: usize, carries: Carries) -> Self {
        if let Some(forced) = b.profile().architectures.adder {
            return forced;
        }
        if weighted::capacity(b).is_some() {
            return Self::Slices;
        }
        let family = match carries {
            Carries::Dropped => "sum",
            Carries::InAndOut => "sum with carries",
        };
        let question = Question {
            family,
            width: n,
            words: 2,
            candidates: &OF_GATES,
            formula: &|adder: Self| adder.formula(n, carries),
            draw: &|b, adder| {
                let (x, y) = (b.inputs(n), b.inputs(n));
                match carries {
                    Carries::Dropped => add_with(b, adder, &x, &y, Wire::FALSE).sum,
                    Carries::InAndOut => {
                        let carry = b.input();
                        let mut added = add_with(b, adder, &x, &y, carry);
                        added.sum.extend([added.carry, added.overflow]);
                        added.sum
                    }
                }
            },
        };
        question.answer(b)
    }

    /// Where the architecture is from.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Self::Slices => "multi-value bootstrapping (Carpov, Izabachène, Mollimard, 2019)",
            Self::Ripple => "Xu, Chen, Wu, Feng, 2016, algorithm 1; Bomolo, Ntumba, Mbuyi, 2021",
            Self::RippleTwoAnd => "Bomolo, Ntumba, Mbuyi, 2021, §IV-A.2; Xu, Chen, Wu, Feng, 2016",
            Self::RippleMux => "Kilburn, Edwards, Aspinall, 1959",
            Self::BlockLookahead(_) => "Bomolo, Ntumba, Mbuyi, 2021, §III-B",
            Self::LookAheadGroups => "Xu, Chen, Wu, Feng, 2016, algorithm 2",
            Self::CarrySelect => "Bedrij, 1962",
            Self::CarrySelectWhole => "Bomolo, Ntumba, Mbuyi, 2021, §IV-B.5",
            Self::Sklansky | Self::ConditionalSum => "Sklansky, 1960",
            Self::KoggeStone => "Kogge, Stone, 1973; Gong, Negrut, 2020, figure 8",
            Self::BrentKung => "Brent, Kung, 1982",
        }
    }

    /// Gates and depth on targets of gates and selections; `None` for slices, which are made of
    /// lookups.
    #[must_use]
    pub fn formula(self, n: usize, carries: Carries) -> Option<Formula> {
        Some(match self {
            Self::Slices => return None,
            Self::Ripple => ripple::gates(n, carries),
            Self::RippleTwoAnd => ripple_two_and::gates(n, carries),
            Self::RippleMux => ripple_mux::gates(n, carries),
            Self::BlockLookahead(block) => block_lookahead::gates(n, block, carries),
            Self::LookAheadGroups => groups::gates(n, carries),
            Self::CarrySelect => carry_select::gates(Blocks::SquareRoot, n, carries),
            Self::CarrySelectWhole => carry_select::gates(Blocks::Whole, n, carries),
            Self::Sklansky => sklansky::gates(n, carries),
            Self::ConditionalSum => conditional_sum::gates(n, carries),
            Self::KoggeStone => kogge_stone::gates(n, carries),
            Self::BrentKung => brent_kung::gates(n, carries),
        })
    }
}

/// `x + y` modulo 2ⁿ.
pub fn add(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    let adder = Adder::chosen(b, x.len(), Carries::Dropped);
    add_with(b, adder, x, y, Wire::FALSE).sum
}

/// `x + y + carry_in`, by the adder that suits the target. A subtraction `x − y` is
/// `x + ¬y + 1`, and inversions are free.
pub fn add_with_carry(b: &mut Builder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    let adder = Adder::chosen(b, x.len(), Carries::InAndOut);
    add_with(b, adder, x, y, carry_in)
}

/// `x + y + carry_in` by an adder of the caller's choice. Slices on a target without lookups are
/// chains of full adders.
pub fn add_with(b: &mut Builder, adder: Adder, x: &[Wire], y: &[Wire], carry_in: Wire) -> Added {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    match (adder, weighted::capacity(b)) {
        (Adder::Slices, Some(capacity)) => slices::add(b, capacity, x, y, carry_in),
        (Adder::Slices, None) | (Adder::Ripple, _) => ripple::add(b, x, y, carry_in),
        (Adder::RippleTwoAnd, _) => ripple_two_and::add(b, x, y, carry_in),
        (Adder::RippleMux, _) => ripple_mux::add(b, x, y, carry_in),
        (Adder::LookAheadGroups, _) => groups::add(b, x, y, carry_in),
        (Adder::CarrySelect, _) => carry_select::add(b, Blocks::SquareRoot, x, y, carry_in),
        (Adder::CarrySelectWhole, _) => carry_select::add(b, Blocks::Whole, x, y, carry_in),
        (Adder::Sklansky, _) => sklansky::add(b, x, y, carry_in),
        (Adder::ConditionalSum, _) => conditional_sum::add(b, x, y, carry_in),
        (Adder::KoggeStone, _) => kogge_stone::add(b, x, y, carry_in),
        (Adder::BrentKung, _) => brent_kung::add(b, x, y, carry_in),
        (Adder::BlockLookahead(block), _) => block_lookahead::add(b, block, x, y, carry_in),
    }
}
