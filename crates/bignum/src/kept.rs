//! Operands that are used again, with what was computed of them.

/// A number whose transform is kept: a product with it saves that transform. Made by
/// [`Multiplier::keep`](crate::Multiplier::keep) or [`Modulus::keep`](crate::Modulus::keep), and used with
/// the same value or one of the same options and size.
#[derive(Debug, Clone)]
pub struct Kept {
    pub(crate) limbs: Box<[u64]>,
}

impl Kept {
    /// The number itself.
    #[must_use]
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }
}

/// A factor: a number, or one that was kept.
#[derive(Debug, Clone, Copy)]
pub enum Operand<'a> {
    /// Little-endian limbs.
    Limbs(&'a [u64]),
    /// A number with its transform.
    Kept(&'a Kept),
}

impl<'a> Operand<'a> {
    /// The number.
    #[must_use]
    pub fn limbs(self) -> &'a [u64] {
        match self {
            Self::Limbs(limbs) => limbs,
            Self::Kept(kept) => kept.limbs(),
        }
    }
}

impl<'a> From<&'a [u64]> for Operand<'a> {
    fn from(limbs: &'a [u64]) -> Self {
        Self::Limbs(limbs)
    }
}

impl<'a> From<&'a Vec<u64>> for Operand<'a> {
    fn from(limbs: &'a Vec<u64>) -> Self {
        Self::Limbs(limbs)
    }
}

impl<'a> From<&'a Kept> for Operand<'a> {
    fn from(kept: &'a Kept) -> Self {
        Self::Kept(kept)
    }
}
