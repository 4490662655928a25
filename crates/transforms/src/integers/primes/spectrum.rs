//! What a number's transforms are kept in.

use super::error::PrimesError;
use super::field::Primes;
use super::tables::Ring;

/// Bytes of a register, which words are aligned to.
const ALIGNMENT: usize = 64;

/// Transforms modulo three primes: of a number, or of a sum of products. Made by
/// [`super::Plan::spectrum`] and good for plans of the same points, ring, primes and instruction
/// set.
#[derive(Debug)]
pub struct Spectrum {
    pub(super) key: Key,
    pub(super) content: Content,
    /// Aligned words, and before them what aligns them.
    memory: Vec<u64>,
    length: usize,
}

/// What plans and spectra must agree in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) points: usize,
    pub(super) ring: Ring,
    pub(super) primes: Primes,
    pub(super) radix: u32,
}

/// What a spectrum holds, with what bounds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    Operand { limbs: usize },
    Sum { terms: u64 },
}

impl Content {
    fn name(self) -> &'static str {
        match self {
            Self::Empty => "nothing",
            Self::Operand { .. } => "an operand",
            Self::Sum { .. } => "a sum of products",
        }
    }
}

impl Spectrum {
    pub(super) fn new(key: Key, length: usize) -> Self {
        Self {
            key,
            content: Content::Empty,
            memory: vec![0; length + ALIGNMENT / size_of::<u64>()],
            length,
        }
    }

    /// Makes it empty, so that it can hold another number or sum.
    pub fn clear(&mut self) {
        self.content = Content::Empty;
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.memory.as_slice())
    }

    pub(super) fn words(&self) -> &[u64] {
        let start = self.start();
        &self.memory[start..start + self.length]
    }

    pub(super) fn words_mut(&mut self) -> &mut [u64] {
        let start = self.start();
        &mut self.memory[start..start + self.length]
    }

    fn start(&self) -> usize {
        // A hint: kernels take any alignment, at a price.
        self.memory
            .as_ptr()
            .align_offset(ALIGNMENT)
            .min(ALIGNMENT / size_of::<u64>())
    }

    /// Limbs of the operand that it holds.
    pub(super) fn operand(&self) -> Result<usize, PrimesError> {
        match self.content {
            Content::Operand { limbs } => Ok(limbs),
            other => Err(PrimesError::WrongContent {
                found: other.name(),
                expected: "an operand",
            }),
        }
    }

    /// Whether it holds a sum, and of how many terms.
    pub(super) fn sum(&self) -> Result<(bool, u64), PrimesError> {
        match self.content {
            Content::Empty => Ok((false, 0)),
            Content::Sum { terms } => Ok((true, terms)),
            other => Err(PrimesError::WrongContent {
                found: other.name(),
                expected: "a sum of products",
            }),
        }
    }
}

/// Words keep their alignment only where they are.
impl Clone for Spectrum {
    fn clone(&self) -> Self {
        let mut clone = Self::new(self.key, self.length);
        clone.content = self.content;
        clone.words_mut().copy_from_slice(self.words());
        clone
    }
}
