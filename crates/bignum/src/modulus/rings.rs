//! Montgomery's product in rings of half the length: no transform has the length of the product.
//!
//! For `d` coprime to `R = 2^(64·r) + 1`, `m = −a·b/d mod R` is computed in a first ring, and `S =
//! (a·b + m·d)/R`, an integer below `2d`, in further ones, whose modulus `Q` is above that. There
//! one inverse transform gives `T = S·R mod Q`, and `S` takes linear time:
//!
//! - `Q = 2^(64·q) + 1` with `r` and `q` multiples of `δ = q − r`. As `2^(64·δ)·R = 2^(64·δ) − 1`
//!   modulo `Q`, `S = 2^(64·δ)·T/(2^(64·δ) − 1)`: a rotation, and a division, because `Q = 2`
//!   modulo that divisor says which multiple of `Q` makes it exact.
//! - `Q` the product of two such moduli, with `r` and both exponents few multiples of one block of
//!   limbs: then the inverse of `R` modulo either is sparse ([`blocks`](super::blocks)), and so is
//!   that of one modulo the other, with which the Chinese remainder theorem joins what both know.
//!   Two shorter rings fit better: 12,288 limbs are 24,576 points with digits of 16 bits, and a sum
//!   of two products of 12,289 needs 28,672, but those of 8,192 and 5,120 take 16,384 and 10,240.
//!
//! In the first ring there are two transforms of operands, one back, one forth and one back around
//! the product by `−1/d`; in the second three forth and one back: nine of half the length, where
//! the product alone takes three of the whole and Barrett's residue six. (After McLaughlin, New
//! frameworks for Montgomery's modular multiplication method, 2004, who has `2^n − 1` and `2^n +
//! 1`.)

use super::blocks::{Halved, fold};
use crate::transform::{Factor, Family, Spectrum, Transform};
use crate::{Error, Multiplier, Options, checksum, gcd, limbs};

/// Lengths that are tried for a single second ring.
const TRIES: usize = 8;
/// Blocks of a ring of two, and of the first beside them, at most.
const BLOCKS: usize = 16;

/// All rings with what is fixed in them.
#[derive(Debug)]
pub(crate) struct Rings {
    first: Transform,
    /// `−1/d` in the first ring.
    opposite: Spectrum,
    second: Second,
    /// `d` modulo `2^61 − 1`.
    residue: u64,
}

#[derive(Debug)]
enum Second {
    One(Box<Ring>),
    Two(Box<Two>),
}

/// A ring with the modulus in it.
#[derive(Debug)]
struct Ring {
    transform: Transform,
    modulus: Spectrum,
}

/// Two rings, the longer first, with `1/R` in each, and the inverse of the first one's modulus in
/// the second.
#[derive(Debug)]
struct Two {
    rings: [Ring; 2],
    inverses: [Halved; 2],
    join: Halved,
}

impl Ring {
    fn new(transform: Transform, d: &[u64]) -> Result<Self, Error> {
        let mut residue = vec![0; transform.limbs() + 1];
        fold(&mut residue, d);
        let mut modulus = transform.spectrum();
        transform.forward(&residue[..transform.limbs()], &mut modulus)?;
        Ok(Self { transform, modulus })
    }

    fn limbs(&self) -> usize {
        self.transform.limbs()
    }

    /// `out = a·b + m·d` in the ring, `a²` without a `b`; false, with `out` of no meaning, if
    /// rounding may have spoilt it.
    fn sum(&self, out: &mut [u64], a: &[u64], b: Option<&[u64]>, m: &[u64]) -> Result<bool, Error> {
        self.transform.two_products(out, (a, b), (&self.modulus, m))
    }
}

impl Rings {
    /// For an odd modulus; `None` if no rings fit or the modulus has a divisor in common with the
    /// first.
    pub(super) fn new(
        d: &[u64],
        family: Family,
        options: Options,
        with: &Multiplier,
    ) -> Result<Option<Self>, Error> {
        let Some((first, second)) = fitting(d, family, options)? else {
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
        Self::with_opposite(d, first, second, &opposite).map(Some)
    }

    /// For measurements, which need not wait for the inverse: products take as long as right ones,
    /// and are wrong.
    pub(crate) fn without_inverse(
        d: &[u64],
        family: Family,
        options: Options,
    ) -> Result<Option<Self>, Error> {
        match fitting(d, family, options)? {
            Some((first, second)) => Self::with_opposite(d, first, second, d).map(Some),
            None => Ok(None),
        }
    }

    fn with_opposite(
        d: &[u64],
        first: Transform,
        second: Second,
        opposite: &[u64],
    ) -> Result<Self, Error> {
        let mut spectrum = first.spectrum();
        let limbs = opposite.len().min(first.limbs());
        first.forward(&opposite[..limbs], &mut spectrum)?;
        Ok(Self {
            first,
            opposite: spectrum,
            second,
            residue: checksum::residue(d),
        })
    }

    /// Runs an operation of several products on the threads of the transforms.
    pub(crate) fn within<T: Send>(&self, operation: impl FnOnce() -> T + Send) -> T {
        self.first.within(operation)
    }

    /// `R`.
    pub(super) fn radix(&self) -> Vec<u64> {
        radix(self.first.limbs())
    }

    /// `out = S`, below `2d`, in one limb more than `d` has, for factors of which one is below `d`
    /// and neither longer; false, with `out` of no meaning, if a check failed.
    pub(crate) fn multiply(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
        with: &Multiplier,
    ) -> Result<bool, Error> {
        let r = self.first.limbs();
        let b = (!std::ptr::eq(a, b)).then_some(b);
        with.with_scratch(2 * (r + 1), |scratch| {
            let (product, m) = scratch.split_at_mut(r + 1);
            // The one residue that takes a limb more is left to the slow way.
            let factor = b.map_or(Factor::Same, Factor::Limbs);
            if !self.first.product(product, a, factor)? || product[r] != 0 {
                return Ok(false);
            }
            let opposite = Factor::Kept(&self.opposite);
            if !self.first.product(m, &product[..r], opposite)? || m[r] != 0 {
                return Ok(false);
            }
            let m = &m[..r];
            let sound = match &self.second {
                Second::One(ring) => with.with_scratch(ring.limbs() + 1, |t| {
                    let sound = ring.sum(t, a, b, m)?;
                    if sound {
                        divide(out, t, ring.limbs() - r);
                    }
                    Ok::<_, Error>(sound)
                })?,
                Second::Two(two) => two.sum(out, a, b, m, with)?,
            };
            if !sound {
                return Ok(false);
            }
            // S·R = a·b + m·d.
            let first = checksum::residue(a);
            let product = checksum::multiply(first, b.map_or(first, checksum::residue));
            let multiple = checksum::multiply(checksum::residue(m), self.residue);
            let weight = checksum::add(1 << (3 * r % 61), 1);
            let found = checksum::multiply(checksum::residue(out), weight);
            Ok(found == checksum::add(product, multiple))
        })
    }
}

/// The rings for a modulus, if there are any that fit.
fn fitting(
    d: &[u64],
    family: Family,
    options: Options,
) -> Result<Option<(Transform, Second)>, Error> {
    let first = match Transform::new(family, true, d.len(), 1, options.threads) {
        Err(Error::Oversize { .. }) => return Ok(None),
        made => made?,
    };
    let second = Second::new(d, first.limbs(), family, options)?;
    Ok(second.map(|second| (first, second)))
}

impl Second {
    /// The fewest points for `d`, beside a first ring of `r` limbs.
    fn new(d: &[u64], r: usize, family: Family, options: Options) -> Result<Option<Self>, Error> {
        let ring = |limbs| Transform::ring(family, limbs, 2, options.threads);
        let mut one = None;
        let mut wanted = r + 1;
        for _ in 0..TRIES {
            let Ok((limbs, points)) = ring(wanted) else {
                break;
            };
            if r.is_multiple_of(limbs - r) {
                one = Some((limbs, points));
                break;
            }
            wanted = limbs + 1;
        }
        let make = |limbs| {
            let transform = Transform::new(family, true, limbs, 2, options.threads)?;
            Ring::new(transform, d)
        };
        if let Some((block, [long, short], points)) = pair(d.len(), r, ring)
            && one.is_none_or(|(_, single)| points < single)
            && let Some(join) = Halved::inverse(long, short, block)
            && let Some(first) = Halved::inverse(r / block, long, block)
            && let Some(second) = Halved::inverse(r / block, short, block)
        {
            return Ok(Some(Self::Two(Box::new(Two {
                rings: [make(long * block)?, make(short * block)?],
                inverses: [first, second],
                join,
            }))));
        }
        Ok(match one {
            Some((limbs, _)) => Some(Self::One(Box::new(make(limbs)?))),
            None => None,
        })
    }
}

/// The block, the blocks of both rings, and the points of the pair with the fewest of these.
fn pair(
    n: usize,
    r: usize,
    ring: impl Fn(usize) -> Result<(usize, usize), Error>,
) -> Option<(usize, [usize; 2], usize)> {
    let mut best = None;
    for divisor in (1..=BLOCKS).filter(|divisor| r.is_multiple_of(*divisor)) {
        let block = r / divisor;
        // Moduli of exponents with as many factors of two have a divisor in common.
        let fits = |blocks: usize| {
            (blocks * block < n && blocks.trailing_zeros() != divisor.trailing_zeros())
                .then(|| ring(blocks * block).ok())
                .flatten()
                .filter(|&(limbs, _)| limbs == blocks * block)
                .map(|(_, points)| (blocks, points))
        };
        let rings: Vec<_> = (1..=BLOCKS).filter_map(fits).collect();
        for (at, &(short, some)) in rings.iter().enumerate() {
            for &(long, more) in &rings[at + 1..] {
                let points = some + more;
                if (long + short) * block > n
                    && long.trailing_zeros() != short.trailing_zeros()
                    && best.is_none_or(|(_, _, fewest)| points < fewest)
                {
                    best = Some((block, [long, short], points));
                }
            }
        }
    }
    best
}

impl Two {
    /// `out = S`, in one limb more than `d` has; false, with `out` of no meaning, if a check
    /// failed.
    fn sum(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: Option<&[u64]>,
        m: &[u64],
        with: &Multiplier,
    ) -> Result<bool, Error> {
        let [long, short] = [0, 1].map(|at| self.rings[at].limbs());
        with.with_scratch(6 * (long + 1), |scratch| {
            let (x, scratch) = scratch.split_at_mut(long + 1);
            let (y, scratch) = scratch.split_at_mut(short + 1);
            if !self.residue(0, x, (a, b, m), scratch)?
                || !self.residue(1, y, (a, b, m), scratch)?
            {
                return Ok(false);
            }
            // x + Q·k with k = (y − x)/Q modulo the other.
            let (k, difference) = scratch.split_at_mut(short + 1);
            let difference = &mut difference[..=short];
            fold(difference, x);
            let owed = difference[short];
            let borrow = limbs::subtract_from(&mut difference[..short], &y[..short]);
            difference[short] = 0;
            // The top limbs stand for −1 and a borrow for 1 more.
            let due = owed as i64 - y[short] as i64 + i64::from(borrow);
            super::wrapped::settle(difference, due);
            if difference[short] != 0 {
                return Ok(false);
            }
            self.join.multiply(k, &difference[..short]);
            let (low, above) = k.split_at(out.len() - long);
            out[..=long].copy_from_slice(x);
            out[long + 1..].fill(0);
            limbs::add_assign(out, k);
            let carry = limbs::add_assign(&mut out[long..], low);
            Ok(!carry && limbs::length(above) == 0)
        })
    }

    /// `out = S` in one of the rings; false, with `out` of no meaning, if a check failed.
    fn residue(
        &self,
        at: usize,
        out: &mut [u64],
        (a, b, m): (&[u64], Option<&[u64]>, &[u64]),
        scratch: &mut [u64],
    ) -> Result<bool, Error> {
        let (ring, inverse) = (&self.rings[at], &self.inverses[at]);
        let q = ring.limbs();
        let mut parts = scratch.chunks_exact_mut(q + 1);
        let mut folded = |number| {
            let part = parts.next()?;
            fold(part, number);
            // The one residue that takes a limb more is left to the slow way.
            (part[q] == 0).then_some(&part[..q])
        };
        let (Some(x), y, Some(z)) = (folded(a), b.map(&mut folded), folded(m)) else {
            return Ok(false);
        };
        let (y, Some(t)) = (y, parts.next()) else {
            return Ok(false);
        };
        if y.is_some_and(|y| y.is_none()) || !ring.sum(t, x, y.flatten(), z)? || t[q] != 0 {
            return Ok(false);
        }
        inverse.multiply(out, &t[..q]);
        Ok(true)
    }
}

/// `2^(64·r) + 1`.
fn radix(r: usize) -> Vec<u64> {
    let mut radix = vec![0; r + 1];
    radix[0] = 1;
    radix[r] = 1;
    radix
}

/// The lowest limbs of `S` for `T = S·(2^(64·r) + 1)` modulo `Q`, a residue in `q + 1` limbs, which
/// is spoilt.
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
