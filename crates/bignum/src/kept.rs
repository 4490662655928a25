//! Operands that are used again, with what was computed of them.

use crate::checksum;
use crate::transform::{Key, Spectrum};

/// A number whose transform is kept: a product with it saves that transform. Made by
/// [`Multiplier::keep`](crate::Multiplier::keep) or [`Modulus::keep`](crate::Modulus::keep), and
/// used with the same value or one of the same options and size.
#[derive(Debug, Clone)]
pub struct Kept {
    limbs: Box<[u64]>,
    /// Modulo `2^61 − 1`.
    residue: u64,
    spectrum: Option<(Key, Spectrum)>,
}

impl Kept {
    pub(crate) fn new(limbs: &[u64], spectrum: Option<(Key, Spectrum)>) -> Self {
        Self {
            limbs: limbs.into(),
            residue: checksum::residue(limbs),
            spectrum,
        }
    }

    /// The number itself.
    #[must_use]
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    /// Its spectrum, if it is of this plan.
    pub(crate) fn spectrum(&self, key: Key) -> Option<&Spectrum> {
        match &self.spectrum {
            Some((own, spectrum)) if *own == key => Some(spectrum),
            _ => None,
        }
    }

    pub(crate) fn is_foreign(&self, key: Option<Key>) -> bool {
        self.spectrum.as_ref().map(|(own, _)| *own) != key
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

    /// Modulo `2^61 − 1`.
    pub(crate) fn residue(self) -> u64 {
        match self {
            Self::Limbs(limbs) => checksum::residue(limbs),
            Self::Kept(kept) => kept.residue,
        }
    }

    /// Its spectrum, if it was kept by this plan.
    pub(crate) fn spectrum(self, key: Key) -> Option<&'a Spectrum> {
        match self {
            Self::Limbs(_) => None,
            Self::Kept(kept) => kept.spectrum(key),
        }
    }

    pub(crate) fn is_foreign(self, key: Option<Key>) -> bool {
        match self {
            Self::Limbs(_) => false,
            Self::Kept(kept) => kept.is_foreign(key),
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
