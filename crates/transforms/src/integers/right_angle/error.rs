//! What a plan refuses.

use crate::InstructionSet;

/// The certificate of a product does not hold: the sum of the bounds on rounding errors is no
/// smaller than one half, so the nearest integers need not be the coefficients. The operands have
/// unusual digits; an exact algorithm has to take over.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("rounding errors up to {bound} do not certify a product; below 0.5 they would")]
pub struct Uncertain {
    /// The bound on the error of a coefficient.
    pub bound: f64,
}

/// Why a plan cannot be made or does not do what it is asked.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RightAngleError {
    /// The machine lacks the instructions.
    #[error("this machine has no {set} instructions")]
    Unavailable {
        /// What was asked for.
        set: InstructionSet,
    },
    /// No transform is long enough.
    #[error(
        "{limbs} limbs and {sums} products in a sum are beyond the longest certified transform"
    )]
    TooLarge {
        /// Limbs of the product, as asked.
        limbs: usize,
        /// Products in a sum, as asked.
        sums: usize,
    },
    /// An operand does not fit the plan.
    #[error("an operand of {limbs} limbs does not fit a plan for {capacity}")]
    OperandTooLong {
        /// The operand's length.
        limbs: usize,
        /// The most that the plan takes.
        capacity: usize,
    },
    /// A spectrum was made by a plan of another shape: other points, digits, instructions, or order
    /// of points.
    #[error("a spectrum of {found} points and its digits do not belong to this plan of {expected}")]
    OtherPlan {
        /// Points of the spectrum.
        found: usize,
        /// Points of the plan.
        expected: usize,
    },
    /// A spectrum holds a sum where an operand is needed, or the other way round.
    #[error("a spectrum holds {found} where {expected} is needed")]
    OtherContent {
        /// What it holds.
        found: &'static str,
        /// What it should hold.
        expected: &'static str,
    },
    /// The threads of a plan could not be started.
    #[error("{threads} threads could not be started")]
    Threads {
        /// How many were asked for.
        threads: usize,
    },
    /// The certificate does not hold.
    #[error(transparent)]
    Uncertain(#[from] Uncertain),
}
