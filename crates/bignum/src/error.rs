//! The one error type of the crate.

/// Why a computation was refused. No output is written when one of these comes back, except where a
/// function says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The slice for the result does not have the result's length.
    #[error("the result needs {needed} limbs, and its slice has {given}")]
    OutputLength {
        /// Limbs of the result.
        needed: usize,
        /// Limbs of the slice.
        given: usize,
    },
    /// A residue modulo zero.
    #[error("the modulus is zero")]
    ZeroModulus,
    /// Montgomery's reduction divides by a power of two and needs an odd modulus.
    #[error("the modulus is even, and this reduction needs an odd one")]
    EvenModulus,
    /// A division by zero.
    #[error("division by zero")]
    ZeroDivisor,
    /// An operand is longer than what it is used with allows.
    #[error("an operand of {given} limbs is too long here: {largest} limbs at most")]
    OperandLength {
        /// Limbs of the operand.
        given: usize,
        /// What is allowed.
        largest: usize,
    },
    /// An operand that must be below the modulus is not.
    #[error("an operand is not below the modulus")]
    NotReduced,
    /// A sum of more products than was planned for.
    #[error("a sum of {given} products, and {planned} were planned for")]
    TooManyProducts {
        /// Products asked for.
        given: usize,
        /// Products planned for.
        planned: usize,
    },
    /// An operand was kept by another plan, whose transform this one cannot use.
    #[error("an operand was kept by a plan of another size or route")]
    ForeignOperand,
    /// The route has no plan for products of this size.
    #[error("the route {route} has no transform for a product of {limbs} limbs")]
    Oversize {
        /// The route asked for.
        route: crate::Route,
        /// Limbs of the product.
        limbs: usize,
    },
    /// This machine lacks the instructions of a route.
    #[error("this machine cannot run the route {route}")]
    Unavailable {
        /// The route asked for.
        route: crate::Route,
    },
    /// A check of an exact result failed: the machine computes wrongly, or this crate does.
    #[error("a product failed its check modulo 2^61 - 1, by every route")]
    Broken,
}
