//! What a plan refuses, at construction and in use.

/// Why a product by the primes' transforms was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrimesError {
    /// No transform has as many points.
    #[error(
        "a product of {limbs} limbs has no transform here: from 1 to {most} limbs have, and modular ones to {most}"
    )]
    UnsupportedLength {
        /// What was asked for.
        limbs: usize,
        /// The most points of a transform.
        most: usize,
    },
    /// Sums of that many products can exceed what three primes hold.
    #[error(
        "{sums} products of {limbs} limbs can exceed three primes' product: at most {most} are exact"
    )]
    TooManySums {
        /// Products that were to be added.
        sums: usize,
        /// Limbs of each product.
        limbs: usize,
        /// How many would be exact.
        most: usize,
    },
    /// The plan asks for instructions that the machine lacks.
    #[error("this machine has no {set} instructions")]
    UnavailableSet {
        /// What was asked for.
        set: crate::InstructionSet,
    },
    /// An operand, or the product of two, is longer than the transform.
    #[error("{limbs} limbs were given where the transform has room for {room}")]
    TooLong {
        /// What was given; of a product, the sum of its operands' lengths.
        limbs: usize,
        /// The transform's points.
        room: usize,
    },
    /// The output of a modular product must hold every residue.
    #[error("the output has {limbs} limbs: residues of this plan take {expected}")]
    OutputLength {
        /// What was given.
        limbs: usize,
        /// One more than the plan's limbs.
        expected: usize,
    },
    /// The spectrum comes from a plan with other transforms.
    #[error("the spectrum belongs to a plan of another size, modulus or instruction set")]
    ForeignSpectrum,
    /// A sum was used as an operand, or an operand as a sum.
    #[error("the spectrum holds {found} where {expected} is needed")]
    WrongContent {
        /// What it holds.
        found: &'static str,
        /// What the operation takes.
        expected: &'static str,
    },
    /// One product more could exceed what the primes hold.
    #[error("the sum has {terms} terms a coefficient with this product: at most {most} are exact")]
    TooManyTerms {
        /// Terms with this product.
        terms: u64,
        /// How many are exact.
        most: u64,
    },
    /// A bundle has no operand of that number.
    #[error("operand {index} of a bundle of {count}")]
    NoSuchOperand {
        /// The number asked for, from 0.
        index: usize,
        /// How many operands there are.
        count: usize,
    },
}
