//! What an index, a prime or a plan is refused for.

/// Why a cyclotomic ring, its primes or a plan was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CyclotomicError {
    /// The index is even, divisible by a square, or out of range.
    #[error("no ring has the index {m} here: odd squarefree numbers from 3 to {most} are indices")]
    UnsupportedIndex {
        /// What was asked for.
        m: u32,
        /// The largest index.
        most: u32,
    },
    /// Transforms exist modulo primes `q ≡ 1` modulo a step that the index fixes.
    #[error("{q} is no modulus of index {m}: primes below 2^{bits} that are 1 modulo {step} are")]
    UnsuitableModulus {
        /// What was asked for.
        q: u64,
        /// The ring's index.
        m: u32,
        /// What moduli are 1 modulo.
        step: u64,
        /// Moduli are below that power of two.
        bits: u32,
    },
    /// There are fewer suitable primes of that length.
    #[error("index {m} has {found} of {count} primes of {bits} bits")]
    TooFewPrimes {
        /// The ring's index.
        m: u32,
        /// Bits of each prime.
        bits: u32,
        /// How many were asked for.
        count: usize,
        /// How many there are.
        found: usize,
    },
    /// The plan asks for instructions that the machine lacks.
    #[error("this machine has no {set} instructions")]
    UnavailableSet {
        /// What was asked for.
        set: crate::InstructionSet,
    },
}
