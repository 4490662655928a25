//! Residues modulo a fixed number.

mod barrett;
mod blocks;
mod montgomery;
mod rings;
mod wrapped;

use std::cmp::Ordering;

use crate::division::Divisor;
use crate::kept::{Kept, Operand};
use crate::multiplier::{check_output, longest};
use crate::tuning::{self, Task};
use crate::{Error, Multiplier, Options, checksum, device, gcd, limbs};

use barrett::Barrett;
pub use montgomery::Montgomery;
pub(crate) use rings::Rings;

/// A fixed modulus. Residues have its length, [`limbs`](Self::limbs), and results are below it.
///
/// Factors need not be below the modulus, only no longer than it; summands must be below it. Times
/// depend on lengths, and by rare corrections on values.
#[derive(Debug)]
pub struct Modulus {
    divisor: Divisor,
    /// Unless products are too short for transforms.
    barrett: Option<Barrett>,
    multiplier: Multiplier,
}

impl Modulus {
    /// The modulus `d`, whose top limb should not be zero: zeros at the top are left out.
    ///
    /// # Errors
    /// [`Error::ZeroModulus`]; those of [`Multiplier::new`].
    pub fn new(d: &[u64], options: Options) -> Result<Self, Error> {
        let modulus = limbs::trim(d);
        if modulus.is_empty() {
            return Err(Error::ZeroModulus);
        }
        let n = modulus.len();
        let multiplier = Multiplier::new(2 * n, options)?;
        let divisor = Divisor::new(modulus, n, &multiplier)?;
        let product = Task::Product {
            shorter: n,
            limbs: 2 * n,
        };
        let barrett = match tuning::family(options.route, options.threads, product) {
            None => None,
            Some(family) => match Barrett::new(&divisor, family, options) {
                Err(Error::Oversize { .. }) => None,
                made => Some(made?),
            },
        };
        Ok(Self {
            divisor,
            barrett,
            multiplier,
        })
    }

    /// The modulus.
    #[must_use]
    pub fn modulus(&self) -> &[u64] {
        self.divisor.number()
    }

    /// Limbs of the modulus and of every residue.
    #[must_use]
    pub fn limbs(&self) -> usize {
        self.divisor.limbs()
    }

    /// `out = a·b mod d`.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`].
    pub fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) -> Result<(), Error> {
        check_output(out, self.limbs())?;
        self.check_operand(a)?;
        self.check_operand(b)?;
        self.residue(out, &[(Operand::Limbs(a), Operand::Limbs(b))])
    }

    /// `out = a² mod d`.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`].
    pub fn square(&self, out: &mut [u64], a: &[u64]) -> Result<(), Error> {
        check_output(out, self.limbs())?;
        self.check_operand(a)?;
        self.residue(out, &[(Operand::Limbs(a), Operand::Limbs(a))])
    }

    /// The number with its transform, for products with it.
    ///
    /// # Errors
    /// [`Error::OperandLength`] if it is longer than the modulus.
    pub fn keep(&self, a: &[u64]) -> Result<Kept, Error> {
        self.check_operand(a)?;
        self.multiplier.keep(a)
    }

    /// `out = a·b mod d` for a kept `a`, and `b` kept or not.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`], [`Error::ForeignOperand`].
    pub fn multiply_kept<'a>(
        &self,
        out: &mut [u64],
        a: &Kept,
        b: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        check_output(out, self.limbs())?;
        let b = b.into();
        self.check_operand(a.limbs())?;
        self.check_operand(b.limbs())?;
        self.residue(out, &[(Operand::Kept(a), b)])
    }

    /// `out = Σ aᵢ·bᵢ mod d`: one inverse transform and one reduction for all products.
    ///
    /// # Errors
    /// [`Error::TooManyProducts`] beyond what the options say; [`Error::OutputLength`],
    /// [`Error::OperandLength`], [`Error::ForeignOperand`].
    pub fn sum_of_products<'a, A, B>(&self, out: &mut [u64], pairs: &[(A, B)]) -> Result<(), Error>
    where
        A: Into<Operand<'a>> + Copy,
        B: Into<Operand<'a>> + Copy,
    {
        check_output(out, self.limbs())?;
        let pairs = self.multiplier.operands(pairs)?;
        for (a, b) in &pairs {
            self.check_operand(a.limbs())?;
            self.check_operand(b.limbs())?;
        }
        self.residue(out, &pairs)
    }

    /// `out = wide mod d`, for a number of any length. Up to twice the modulus's length and a limb
    /// it takes one reduction.
    ///
    /// # Errors
    /// [`Error::OutputLength`].
    pub fn reduce(&self, out: &mut [u64], wide: &[u64]) -> Result<(), Error> {
        check_output(out, self.limbs())?;
        let n = self.limbs();
        if wide.len() < n {
            out[..wide.len()].copy_from_slice(wide);
            out[wide.len()..].fill(0);
            return Ok(());
        }
        if let Some(barrett) = &self.barrett
            && wide.len() > n
            && wide.len() <= 2 * n + 1
            // By a device, a reduction is two products.
            && !device::takes(n, n)
        {
            let reduced = self.multiplier.with_scratch(2 * n + 1, |x| {
                x[..wide.len()].copy_from_slice(wide);
                x[wide.len()..].fill(0);
                barrett.reduce(out, x, checksum::residue(wide), &self.multiplier)
            })?;
            if reduced {
                return Ok(());
            }
        }
        let mut quotient = vec![0; wide.len() - n + 1];
        self.divisor
            .divide(&mut quotient, out, wide, &self.multiplier)
    }

    /// `out = Σ aᵢ·bᵢ mod d` for operands no longer than the modulus.
    fn residue(&self, out: &mut [u64], pairs: &[(Operand<'_>, Operand<'_>)]) -> Result<(), Error> {
        let n = self.limbs();
        self.multiplier.with_scratch(2 * n + 1, |x| {
            if let Some(barrett) = &self.barrett
                && barrett.within(|| {
                    let with = &self.multiplier;
                    match with.unchecked(x, pairs)? {
                        Some(expected) => barrett.reduce(out, x, expected, with),
                        None => Ok(false),
                    }
                })?
            {
                return Ok(());
            }
            // What the transforms cannot do, whole products do, each with its check.
            let length = longest(pairs);
            self.multiplier.products(&mut x[..=length], pairs)?;
            x[length + 1..].fill(0);
            self.reduce(out, x)
        })
    }

    pub(crate) fn multiplier(&self) -> &Multiplier {
        &self.multiplier
    }

    /// `out = a + b mod d` for summands below `d`, of its length.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`]; [`Error::NotReduced`] if the result shows
    /// it.
    pub fn add(&self, out: &mut [u64], a: &[u64], b: &[u64]) -> Result<(), Error> {
        self.check_residues(out, &[a, b])?;
        let carry = limbs::add(out, a, b);
        if carry || limbs::compare(out, self.modulus()) != Ordering::Less {
            limbs::subtract_assign(out, self.modulus());
        }
        Ok(())
    }

    /// `out = a − b mod d` for numbers below `d`, of its length.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`], [`Error::NotReduced`].
    pub fn subtract(&self, out: &mut [u64], a: &[u64], b: &[u64]) -> Result<(), Error> {
        self.check_residues(out, &[a, b])?;
        out.copy_from_slice(a);
        if limbs::subtract_assign(out, b) {
            limbs::add_assign(out, self.modulus());
        }
        Ok(())
    }

    /// `out = −a mod d` for a number below `d`, of its length.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`], [`Error::NotReduced`].
    pub fn negate(&self, out: &mut [u64], a: &[u64]) -> Result<(), Error> {
        self.check_residues(out, &[a])?;
        out.copy_from_slice(a);
        if limbs::length(a) > 0 {
            limbs::subtract_from(out, self.modulus());
        }
        Ok(())
    }

    /// The inverse of `a`, of the modulus's length; `None` if it has none. Time depends on `a`.
    ///
    /// # Errors
    /// Those of [`Multiplier::new`].
    pub fn invert_vartime(&self, a: &[u64]) -> Result<Option<Vec<u64>>, Error> {
        gcd::invert_with(a, self.modulus(), &self.multiplier)
    }

    pub(crate) fn check_operand(&self, a: &[u64]) -> Result<(), Error> {
        if a.len() > self.limbs() {
            return Err(Error::OperandLength {
                given: a.len(),
                largest: self.limbs(),
            });
        }
        Ok(())
    }

    /// Residues are of the modulus's length and below it: comparing looks at the top limb, rarely
    /// at more.
    fn check_residues(&self, out: &[u64], residues: &[&[u64]]) -> Result<(), Error> {
        check_output(out, self.limbs())?;
        for residue in residues {
            if residue.len() != self.limbs() {
                return Err(Error::OperandLength {
                    given: residue.len(),
                    largest: self.limbs(),
                });
            }
            if residue.iter().rev().cmp(self.modulus().iter().rev()) != Ordering::Less {
                return Err(Error::NotReduced);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Route;

    /// What follows the fast way when it fails would hide that it fails.
    #[test]
    fn kept_transforms_do_the_reduction_themselves() {
        for n in [128, 300, 1000] {
            let d: Vec<u64> = (1..=n as u64)
                .map(|at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
                .collect();
            let x: Vec<u64> = (1..2 * n as u64)
                .map(|at| at.wrapping_mul(0xBF58_476D_1CE4_E5B9))
                .collect();
            for route in [Route::Float, Route::Exact] {
                let options = Options {
                    route,
                    ..Options::default()
                };
                let modulus = Modulus::new(&d, options).unwrap();
                let barrett = modulus.barrett.as_ref().unwrap();
                let (mut fast, mut slow) = (vec![0; n], vec![0; n]);
                let mut spoilt = x.clone();
                spoilt.resize(2 * n, 0);
                assert_eq!(
                    barrett.reduce(
                        &mut fast,
                        &mut spoilt,
                        checksum::residue(&x),
                        &modulus.multiplier
                    ),
                    Ok(true)
                );
                let mut quotient = vec![0; x.len()];
                crate::divide(&mut quotient, &mut slow, &x, &d).unwrap();
                assert_eq!(fast, slow, "{route}: {n}");
            }
        }
    }
}
