//! Montgomery's product of residues.
//!
//! With transforms, in rings of half the length ([`rings`](super::rings)), in two thirds of the
//! time of a residue by Barrett's way. Short operands take the three products that the paper's §II
//! counts: with `R = B^n` and `d′ = −1/d mod R`, the number `t = (x + (x·d′ mod R)·d)/R` is an
//! integer below `2d` for `x < R·d`, and `x/R` modulo `d` (Montgomery 1985).

use super::rings::Rings;
use crate::multiplier::check_output;
use crate::tuning::{self, Task};
use crate::{Error, Modulus, Multiplier, Options, limbs};

/// Residues multiplied by some `R` modulo an odd number, for products without a quotient.
///
/// [`Modulus`] works on plain residues; this is for long chains of products that start and end in
/// this form.
#[derive(Debug)]
pub struct Montgomery {
    modulus: Modulus,
    form: Form,
    /// `R²` modulo the modulus.
    square: Vec<u64>,
}

#[derive(Debug)]
enum Form {
    /// `R` is a ring's modulus; with `1/R` modulo `d` for what the rings cannot do.
    Rings {
        rings: Box<Rings>,
        inverse: Vec<u64>,
    },
    /// `R = B^n`; with `−1/d mod R`.
    Limbs { opposite: Vec<u64> },
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
        let with = modulus.multiplier();
        let ring = Task::Rings { limbs: d.len() };
        let rings = match tuning::family(options.route, options.threads, ring) {
            Some(family) => Rings::new(d, family, options, with)?,
            None => None,
        };
        let radix = match &rings {
            Some(rings) => rings.radix(),
            None => {
                let mut radix = vec![0; d.len() + 1];
                radix[d.len()] = 1;
                radix
            }
        };
        let mut residue = vec![0; d.len()];
        modulus.reduce(&mut residue, &radix)?;
        let mut square = vec![0; d.len()];
        modulus.square(&mut square, &residue)?;
        let form = match rings {
            // R and d are coprime, or there were no rings.
            Some(rings) => match modulus.invert_vartime(&residue)? {
                Some(inverse) => Form::Rings {
                    rings: Box::new(rings),
                    inverse,
                },
                None => return Err(Error::Broken),
            },
            None => Form::Limbs {
                opposite: opposite_inverse(d, d.len(), with)?,
            },
        };
        Ok(Self {
            modulus,
            form,
            square,
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
        match &self.form {
            Form::Limbs { opposite } => self.by_limbs(out, a, b, opposite),
            Form::Rings { rings, inverse } => {
                if self.by_rings(rings, out, a, b)? {
                    return Ok(());
                }
                let mut product = vec![0; out.len()];
                self.modulus.multiply(&mut product, a, b)?;
                self.modulus.multiply(out, &product, inverse)
            }
        }
    }

    /// By kept transforms; false, with `out` of no meaning, if a check failed.
    fn by_rings(
        &self,
        rings: &Rings,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
    ) -> Result<bool, Error> {
        let (d, with) = (self.modulus.modulus(), self.modulus.multiplier());
        with.with_scratch(d.len() + 1, |t| {
            if !rings.within(|| rings.multiply(t, a, b, with))? {
                return Ok(false);
            }
            self.finish(out, t);
            // What was below 2d is below d.
            Ok(t[d.len()] == 0 && limbs::compare(t, d).is_lt())
        })
    }

    /// By whole products.
    fn by_limbs(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
        opposite: &[u64],
    ) -> Result<(), Error> {
        let (d, with) = (self.modulus.modulus(), self.modulus.multiplier());
        let n = d.len();
        with.with_scratch(2 * n + (2 * n + 1), |scratch| {
            let (x, sum) = scratch.split_at_mut(2 * n);
            let length = a.len() + b.len();
            with.multiply(&mut x[..length], a, b)?;
            x[length..].fill(0);
            with.multiply(&mut sum[..2 * n], &x[..n], opposite)?;
            let factor = sum[..n].to_vec();
            with.multiply(&mut sum[..2 * n], &factor, d)?;
            sum[2 * n] = 0;
            limbs::add_assign(sum, x);
            self.finish(out, &mut sum[n..]);
            Ok(())
        })
    }

    /// `t mod d` for `t < 3d`.
    fn finish(&self, out: &mut [u64], t: &mut [u64]) {
        let d = self.modulus.modulus();
        for _ in 0..2 {
            if limbs::compare(t, d).is_ge() {
                limbs::subtract_assign(t, d);
            }
        }
        out.copy_from_slice(&t[..d.len()]);
    }
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

    /// What follows the rings when they fail would hide that they fail.
    #[test]
    fn rings_compute_the_product_themselves() {
        for n in [128u64, 300, 1000, 1536] {
            let numbers = |step: u64| -> Vec<u64> {
                (1..=n)
                    .map(|at| at.wrapping_mul(step) ^ at.wrapping_mul(step) >> 29)
                    .collect()
            };
            let mut d = numbers(0x9E37_79B9_7F4A_7C15);
            d[0] |= 1;
            d[n as usize - 1] |= 1 << 63;
            let (mut a, b) = (
                numbers(0xBF58_476D_1CE4_E5B9),
                numbers(0x94D0_49BB_1331_11EB),
            );
            a[n as usize - 1] >>= 1;
            for route in [Route::Float, Route::Exact] {
                let options = Options {
                    route,
                    ..Options::default()
                };
                let montgomery = Montgomery::new(&d, options).unwrap();
                let Form::Rings { rings, inverse } = &montgomery.form else {
                    panic!("{route}: no rings for {n} limbs");
                };
                let (mut fast, mut slow) = (vec![0; d.len()], vec![0; d.len()]);
                assert_eq!(
                    montgomery.by_rings(rings, &mut fast, &a, &b),
                    Ok(true),
                    "{route}: {n}"
                );
                montgomery.modulus.multiply(&mut slow, &a, &b).unwrap();
                let product = slow.clone();
                montgomery
                    .modulus
                    .multiply(&mut slow, &product, inverse)
                    .unwrap();
                assert_eq!(fast, slow, "{route}: {n}");
                assert_eq!(
                    montgomery.by_rings(rings, &mut fast, &a, &a),
                    Ok(true),
                    "{route}: {n}"
                );
                montgomery.modulus.square(&mut slow, &a).unwrap();
                let product = slow.clone();
                montgomery
                    .modulus
                    .multiply(&mut slow, &product, inverse)
                    .unwrap();
                assert_eq!(fast, slow, "{route}: square, {n}");
            }
        }
    }
}
