//! Montgomery's product in two rings of half the length: no transform has the length of the product.
//!
//! Let `R = 2^(64·r) + 1` and `Q = 2^(64·q) + 1` with `r` and `q` multiples of `δ = q − r`, which makes them coprime.
//! For `d` coprime to `R`, `m = −a·b/d mod R` is computed in the first ring, and `S = (a·b + m·d)/R`, an integer
//! below `2d` and below `Q`, in the second, where one inverse transform gives `T = S·R mod Q`. There
//! `2^(64·δ)·R = 2^(64·δ) − 1`, so `S = 2^(64·δ)·T/(2^(64·δ) − 1) mod Q`: a rotation, and a division that takes linear
//! time, because `Q = 2` modulo that divisor says which multiple of `Q` makes it exact.
//!
//! In the first ring there are two transforms of operands, one back, one forth and one back around the product by
//! `−1/d`; in the second three forth and one back: nine of half the length, where the product alone takes three of
//! the whole and Barrett's residue six. (After McLaughlin, New frameworks for Montgomery's modular multiplication method,
//! 2004, who has `2^n − 1` and `2^n + 1`.)

use crate::transform::{Factor, Family, Spectrum, Transform};
use crate::{Error, Multiplier, Options, checksum, gcd, limbs};

/// Lengths that are tried for the second ring.
const TRIES: usize = 8;

/// Both rings with what is fixed in them.
#[derive(Debug)]
pub(super) struct Rings {
    first: Transform,
    second: Transform,
    /// `−1/d` in the first ring.
    opposite: Spectrum,
    /// `d` in the second.
    modulus: Spectrum,
    /// `d` modulo `2^61 − 1`.
    residue: u64,
}

impl Rings {
    /// For an odd modulus; `None` if no two rings fit or the modulus has a divisor in common with the first.
    pub(super) fn new(
        d: &[u64],
        family: Family,
        options: Options,
        with: &Multiplier,
    ) -> Result<Option<Self>, Error> {
        let first = match Transform::new(family, true, d.len(), 1, options.threads) {
            Err(Error::Oversize { .. }) => return Ok(None),
            made => made?,
        };
        let mut wanted = first.limbs() + 1;
        let mut second = None;
        for _ in 0..TRIES {
            let made = match Transform::new(family, true, wanted, 2, options.threads) {
                Err(Error::Oversize { .. }) => return Ok(None),
                made => made?,
            };
            let step = made.limbs() - first.limbs();
            if first.limbs() % step == 0 {
                second = Some(made);
                break;
            }
            wanted = made.limbs() + 1;
        }
        let Some(second) = second else {
            return Ok(None);
        };
        let radix = radix(first.limbs());
        let Some(mut opposite) = gcd::invert_with(d, &radix, with)? else {
            return Ok(None);
        };
        // Of 1/d = 2^(64·r), which has no room in the ring's limbs, only d = −1 is the inverse.
        limbs::subtract_from(&mut opposite, &radix);
        if opposite[first.limbs()] != 0 {
            return Ok(None);
        }
        let mut opposite_spectrum = first.spectrum();
        first.forward(&opposite[..first.limbs()], &mut opposite_spectrum)?;
        let mut modulus = second.spectrum();
        second.forward(d, &mut modulus)?;
        Ok(Some(Self {
            first,
            second,
            opposite: opposite_spectrum,
            modulus,
            residue: checksum::residue(d),
        }))
    }

    /// `R`.
    pub(super) fn radix(&self) -> Vec<u64> {
        radix(self.first.limbs())
    }

    /// `out = S`, below `2d`, in one limb more than `d` has, for factors of which one is below `d` and neither longer;
    /// false, with `out` of no meaning, if a check failed.
    pub(super) fn multiply(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
        with: &Multiplier,
    ) -> Result<bool, Error> {
        let (r, q) = (self.first.limbs(), self.second.limbs());
        with.with_scratch((r + 1) + (q + 1), |scratch| {
            let (m, t) = scratch.split_at_mut(r + 1);
            let same = std::ptr::eq(a, b);
            let factor = if same { Factor::Same } else { Factor::Limbs(b) };
            // The one residue that takes a limb more is left to the slow way.
            if !self.first.product(m, a, factor)? || m[r] != 0 {
                return Ok(false);
            }
            let product = m[..r].to_vec();
            let opposite = Factor::Kept(&self.opposite);
            let sound = self.first.product(m, &product, opposite)? && m[r] == 0;
            if !sound {
                return Ok(false);
            }
            let m = &m[..r];
            let sound = self.second.with_work(|work| {
                self.second.forward(a, &mut work.first)?;
                if !same {
                    self.second.forward(b, &mut work.second)?;
                }
                let second = if same { &work.first } else { &work.second };
                self.second
                    .multiply_add(&mut work.sum, &work.first, second)?;
                self.second.forward(m, &mut work.first)?;
                self.second
                    .multiply_add(&mut work.sum, &work.first, &self.modulus)?;
                self.second.inverse(&mut work.sum, t)
            })?;
            if !sound {
                return Ok(false);
            }
            divide(out, t, q - r);
            // S·R = a·b + m·d.
            let first = checksum::residue(a);
            let second = if std::ptr::eq(a, b) {
                first
            } else {
                checksum::residue(b)
            };
            let product = checksum::multiply(first, second);
            let multiple = checksum::multiply(checksum::residue(m), self.residue);
            let weight = checksum::add(1 << (3 * r % 61), 1);
            let found = checksum::multiply(checksum::residue(out), weight);
            Ok(found == checksum::add(product, multiple))
        })
    }
}

/// `2^(64·r) + 1`.
fn radix(r: usize) -> Vec<u64> {
    let mut radix = vec![0; r + 1];
    radix[0] = 1;
    radix[r] = 1;
    radix
}

/// The lowest limbs of `S` for `T = S·(2^(64·r) + 1)` modulo `Q`, a residue in `q + 1` limbs, which is spoilt.
fn divide(out: &mut [u64], t: &mut [u64], step: usize) {
    let q = t.len() - 1;
    let residue_top = t[q];
    // 2^(64·δ)·T: what passes the top comes back at the bottom with the other sign.
    t[..q].rotate_right(step);
    let mut wrapped = vec![0; step + 1];
    wrapped[..step].copy_from_slice(&t[..step]);
    wrapped[step] = residue_top;
    t[..step].fill(0);
    t[q] = 0;
    if limbs::subtract_assign(&mut t[..q], &wrapped) {
        // It borrowed 2^(64·q), which is −1: one is due.
        t[q] = u64::from(limbs::increment(&mut t[..q]));
    }
    // k = −T/2 modulo 2^(64·δ) − 1, where sums wrap around and halves are rotations.
    let mut k = vec![0; step];
    for block in t.chunks(step) {
        let mut carry = limbs::add_assign(&mut k, block);
        while carry {
            carry = limbs::increment(&mut k);
        }
    }
    for limb in &mut k {
        *limb = !*limb;
    }
    let lowest = k[0] << 63;
    limbs::shift_right(&mut k, 1);
    k[step - 1] |= lowest;
    // T + k·Q is S·2^(64·δ) − S; its limbs below the q-th are those of T + k.
    limbs::add_assign(t, &k);
    let mut borrow = false;
    for at in 0..out.len() {
        let shifted = if at < step { 0 } else { out[at - step] };
        (out[at], borrow) = limbs::subtract_with_borrow(shifted, t[at], borrow);
    }
}
