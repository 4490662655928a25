//! The adder that suits a target.

use super::added::{Added, Carries};
use super::adders::add_with;
use crate::architectures::Adder;
use crate::library::choice::Question;
use crate::library::weighted::capacity;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// What is chosen from on targets of gates: those that are best for some number of cores come
/// first, since what they leave no chance is not drawn.
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

impl Adder {
    /// The architecture for sums of n columns on a builder's target: the forced one; slices where
    /// there are lookups; where there are none, the fastest on the profile's cores, or that of the
    /// fewest levels.
    #[must_use]
    pub(in crate::library) fn chosen(b: &mut Builder, n: usize, carries: Carries) -> Self {
        if let Some(forced) = b.profile().architectures.adder {
            return forced;
        }
        if capacity(b).is_some() {
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
}

/// `x + y` modulo 2ⁿ.
///
/// ```
/// use blindcore_circuits::library::{self, Added, Adder, constant};
/// use blindcore_circuits::{Builder, Profile, Wire};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let (x, y) = (constant(200, 8), constant(100, 8));
/// assert_eq!(library::add(b, &x, &y), constant(300 - 256, 8));
/// let with_carry = Added { sum: constant(45, 8), carry: Wire::TRUE, overflow: Wire::FALSE };
/// assert_eq!(library::add_with_carry(b, &x, &y, Wire::TRUE), with_carry);
/// // The same by an adder of one's own choice.
/// assert_eq!(library::add_with(b, Adder::KoggeStone, &x, &y, Wire::TRUE), with_carry);
/// assert_eq!(library::increment(b, &x, Wire::TRUE), (constant(201, 8), Wire::FALSE));
///
/// // Many words are added at once; three rows become two without a carry that passes.
/// assert_eq!(library::add_all(b, 8, &[&x, &y, &x, &y]), constant(600 % 256, 8));
/// let [sums, carries] = library::carry_save(b, &x, &y, &constant(1, 8));
/// assert_eq!(library::add(b, &sums, &carries), constant(301 - 256, 8));
/// ```
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
