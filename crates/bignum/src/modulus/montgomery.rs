//! Montgomery's product of residues, by three products: the paper's, with kept transforms.
//!
//! With `R = B^m`, `m ≥ n` limbs, and `d′ = −1/d mod R`, the number `t = (x + (x·d′ mod R)·d)/R` is an integer below
//! `2d` for `x < R·d`, and `x/R` modulo `d`. The third product is wanted modulo `R + 1` only, where dividing by `R` is
//! changing the sign: `t = −(x + (x·d′ mod R)·d)`, by transforms of half the length. (Montgomery 1985; the paper's
//! §II counts the same three products at full length.)

use super::wrapped::{self, Factor};
use crate::kept::Operand;
use crate::multiplier::check_output;
use crate::transform::{Family, Transform};
use crate::{Error, Kept, Modulus, Multiplier, Options, checksum, limbs};

/// Residues multiplied by `R` modulo an odd number, for products without a quotient.
///
/// [`Modulus::multiply`] takes as many transforms and works on plain residues; this is for the
/// comparison of both, and for long chains of products that start and end in this form.
#[derive(Debug)]
pub struct Montgomery {
    modulus: Modulus,
    /// Limbs of `R`.
    radix: usize,
    /// `d′`, unless products are short.
    inverse: Option<Factor>,
    rest: Option<Factor>,
    /// `d` and `d′` with their checksums.
    d: Kept,
    d_inverse: Vec<u64>,
    /// `R mod d` squared.
    square: Vec<u64>,
    family: Option<Family>,
}

impl Montgomery {
    /// For an odd modulus.
    ///
    /// # Errors
    /// [`Error::EvenModulus`], and those of [`Modulus::new`].
    pub fn new(d: &[u64], options: Options) -> Result<Self, Error> {
        let modulus = Modulus::new(d, options)?;
        let d = modulus.modulus();
        if d[0] & 1 == 0 {
            return Err(Error::EvenModulus);
        }
        let family = modulus.family();
        let rest = match family {
            Some(family) => {
                let half = Transform::new(family, true, d.len(), 1, options.threads)?;
                Some(Factor::new(half, d)?)
            }
            None => None,
        };
        let radix = match &rest {
            Some(rest) => rest.transform.limbs(),
            None => d.len(),
        };
        let d_inverse = opposite_inverse(d, radix, modulus.multiplier())?;
        let inverse = match family {
            Some(family) => {
                let whole = Transform::new(family, false, 2 * radix, 1, options.threads)?;
                Some(Factor::new(whole, &d_inverse)?)
            }
            None => None,
        };
        let mut power = vec![0; 2 * radix + 1];
        power[2 * radix] = 1;
        let mut square = vec![0; d.len()];
        modulus.reduce(&mut square, &power)?;
        Ok(Self {
            d: Kept::new(d, None),
            radix,
            inverse,
            rest,
            d_inverse,
            square,
            family,
            modulus,
        })
    }

    /// The modulus.
    #[must_use]
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// `out = a·R mod d`.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`].
    pub fn enter(&self, out: &mut [u64], a: &[u64]) -> Result<(), Error> {
        self.multiply(out, a, &self.square)
    }

    /// `out = a/R mod d`.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`].
    pub fn leave(&self, out: &mut [u64], a: &[u64]) -> Result<(), Error> {
        self.multiply(out, a, &[1])
    }

    /// `out = a·b/R mod d` for factors no longer than the modulus, one of them below it.
    ///
    /// # Errors
    /// [`Error::OutputLength`], [`Error::OperandLength`].
    pub fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) -> Result<(), Error> {
        check_output(out, self.modulus.limbs())?;
        self.modulus.check_operand(a)?;
        self.modulus.check_operand(b)?;
        let mut x = vec![0; 2 * self.radix];
        self.modulus
            .multiplier()
            .multiply(&mut x[..a.len() + b.len()], a, b)?;
        if !self.reduce(out, &x)? {
            self.reduce_exactly(out, &x)?;
        }
        Ok(())
    }

    /// `out = x/R mod d` by kept transforms; false, with `out` of no meaning, if a check failed or there are none.
    fn reduce(&self, out: &mut [u64], x: &[u64]) -> Result<bool, Error> {
        let (Some(inverse), Some(rest_factor)) = (&self.inverse, &self.rest) else {
            return Ok(false);
        };
        let mut factor = vec![0; 2 * self.radix];
        if !inverse.multiply(&mut factor, &x[..self.radix])? {
            return Ok(false);
        }
        let factor = &factor[..self.radix];
        let mut rest = vec![0; self.radix + 1];
        if !rest_factor.multiply(&mut rest, factor)? {
            return Ok(false);
        }
        wrapped::subtract_from(&mut rest, x, true);
        // t·R = x + factor·d modulo 2^61 − 1 says whether R + 1, which is less than 2d, was lost.
        let weight = power_of_limb(self.radix);
        let sum = |rest: &[u64]| {
            let t = checksum::multiply(checksum::residue(rest), weight);
            let product =
                checksum::multiply(checksum::residue(factor), Operand::Kept(&self.d).residue());
            t == checksum::add(product, checksum::residue(x))
        };
        let mut right = sum(&rest);
        if !right {
            rest[self.radix] += 1;
            limbs::add_assign(&mut rest, &[1]);
            right = sum(&rest);
        }
        self.finish(out, &mut rest);
        Ok(right && limbs::compare(&rest, self.d.limbs()).is_lt())
    }

    /// The same by whole products.
    fn reduce_exactly(&self, out: &mut [u64], x: &[u64]) -> Result<(), Error> {
        let with = self.modulus.multiplier();
        let (n, m) = (self.modulus.limbs(), self.radix);
        let mut factor = vec![0; 2 * m];
        with.multiply(&mut factor, &x[..m], &self.d_inverse)?;
        let mut sum = vec![0; m + n];
        with.multiply(&mut sum, &factor[..m], self.d.limbs())?;
        sum.resize(2 * m + 1, 0);
        limbs::add_assign(&mut sum, x);
        self.finish(out, &mut sum[m..]);
        Ok(())
    }

    /// `t mod d` for `t < 3d`.
    fn finish(&self, out: &mut [u64], t: &mut [u64]) {
        let d = self.d.limbs();
        for _ in 0..2 {
            if limbs::compare(t, d).is_ge() {
                limbs::subtract_assign(t, d);
            }
        }
        out.copy_from_slice(&t[..d.len()]);
    }

    /// Whether products are computed by kept transforms.
    #[must_use]
    pub fn is_transformed(&self) -> bool {
        self.family.is_some()
    }
}

/// `2^64` to a power, modulo `2^61 − 1`.
fn power_of_limb(exponent: usize) -> u64 {
    1 << (3 * exponent % 61)
}

/// `−1/d mod B^m` for odd `d`, by Newton's iteration from the low limb up: `v ← v·(2 − d·v)`.
fn opposite_inverse(d: &[u64], m: usize, with: &Multiplier) -> Result<Vec<u64>, Error> {
    // Right to 3 bits, and to twice as many with each step.
    let mut limb = d[0];
    for _ in 0..5 {
        limb = limb.wrapping_mul(2u64.wrapping_sub(d[0].wrapping_mul(limb)));
    }
    let mut v = vec![limb];
    while v.len() < m {
        let next = (2 * v.len()).min(m);
        let part = &d[..d.len().min(next)];
        let mut product = vec![0; part.len() + v.len()];
        with.multiply(&mut product, part, &v)?;
        product.resize(next, 0);
        // 2 − d·v, modulo B^next.
        let mut two = vec![0; next];
        two[0] = 2;
        limbs::subtract_from(&mut product, &two);
        let mut longer = vec![0; next + v.len()];
        with.multiply(&mut longer, &product, &v)?;
        longer.truncate(next);
        v = longer;
    }
    let zero = vec![0; m];
    limbs::subtract_from(&mut v, &zero);
    Ok(v)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Route;

    /// What follows the fast way when it fails would hide that it fails.
    #[test]
    fn kept_transforms_do_the_reduction_themselves() {
        for n in [128u64, 300, 1000] {
            let d: Vec<u64> = (1..=n)
                .map(|at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
                .collect();
            let x: Vec<u64> = (1..2 * n)
                .map(|at| at.wrapping_mul(0xBF58_476D_1CE4_E5B9))
                .collect();
            for route in [Route::Float, Route::Exact] {
                let options = Options {
                    route,
                    ..Options::default()
                };
                let montgomery = Montgomery::new(&d, options).unwrap();
                let mut x = x.clone();
                x.resize(2 * montgomery.radix, 0);
                let (mut fast, mut slow) = (vec![0; d.len()], vec![0; d.len()]);
                assert_eq!(montgomery.reduce(&mut fast, &x), Ok(true), "{route}: {n}");
                montgomery.reduce_exactly(&mut slow, &x).unwrap();
                assert_eq!(fast, slow, "{route}: {n}");
            }
        }
    }
}
