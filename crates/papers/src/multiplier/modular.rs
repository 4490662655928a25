//! Modular products: GMP's three ways, FLINT's, and ours.

use std::num::NonZeroUsize;

use bignum::{Modulus, Montgomery, Options, Route};

use super::contest::{Compute, Contestant, Pool, Side, described};
use super::peers::{Flint, Gmp, Peers};
use crate::error::{PapersError, internal};

/// Everybody who multiplies residues modulo an odd number whose top bit is set.
pub(super) fn contestants<'a>(
    peers: Peers<'a>,
    modulus: &'a [u64],
    threads: &[usize],
) -> Result<Vec<Contestant<'a>>, PapersError> {
    let Peers { gmp, flint } = peers;
    let mut all = Vec::new();
    if let Some(gmp) = gmp {
        all.push(division(gmp, modulus));
        all.push(barrett(gmp, modulus));
        all.extend(montgomery(gmp, modulus));
    }
    for &count in threads {
        if let Some(flint) = flint.filter(|flint| flint.set_threads(count)) {
            all.extend(flints(flint, modulus, count));
        }
        let threads = NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN);
        for &route in Route::ALL {
            if !["automatic", "float", "exact"].contains(&route.name()) {
                continue;
            }
            let options = Options {
                route,
                threads,
                sums: 1,
            };
            let plan = match Modulus::new(modulus, options) {
                Ok(plan) => plan,
                Err(bignum::Error::Oversize { .. } | bignum::Error::Unavailable { .. }) => continue,
                Err(error) => return Err(internal(error)),
            };
            let pool = Pool::new(threads)?;
            all.push(Contestant {
                side: Side::Ours,
                name: described(route),
                threads: count,
                compute: Box::new(move |out, a, b, times| {
                    pool.run(times, || plan.multiply(out, a, b).map_err(internal))
                }),
            });
            all.push(our_montgomery(modulus, options)?);
        }
    }
    Ok(all)
}

/// Our products in Montgomery's form, of an operand entered into it beforehand, as GMP's.
fn our_montgomery<'a>(modulus: &[u64], options: Options) -> Result<Contestant<'a>, PapersError> {
    let plan = Montgomery::new(modulus, options).map_err(internal)?;
    let pool = Pool::new(options.threads)?;
    let mut known: (Vec<u64>, Vec<u64>) = (Vec::new(), vec![0; modulus.len()]);
    Ok(Contestant {
        side: Side::Ours,
        name: format!("{}, Montgomery", described(options.route)),
        threads: options.threads.get(),
        compute: Box::new(move |out, a, b, times| {
            if known.0 != b {
                plan.enter(&mut known.1, b).map_err(internal)?;
                known.0 = b.to_vec();
            }
            pool.run(times, || plan.multiply(out, a, &known.1).map_err(internal))
        }),
    })
}

/// What cannot fail, as often as it is asked for.
fn repeated<'a>(mut compute: impl FnMut(&mut [u64], &[u64], &[u64]) + 'a) -> Compute<'a> {
    Box::new(move |out, a, b, times| {
        (0..times).for_each(|_| compute(out, a, b));
        Ok(())
    })
}

/// A product and a division.
fn division<'a>(gmp: &'a Gmp, modulus: &'a [u64]) -> Contestant<'a> {
    let n = modulus.len();
    let (mut wide, mut quotient) = (vec![0; 2 * n], vec![0; n + 1]);
    Contestant {
        side: Side::Gmp,
        name: format!("GMP {}, division", gmp.version),
        threads: 1,
        compute: repeated(move |out, a, b| {
            gmp.multiply(&mut wide, a, b);
            gmp.divide(&mut quotient, out, &wide, modulus);
        }),
    }
}

/// Three products: `a·b`, its upper half by the reciprocal, and the quotient by the modulus.
fn barrett<'a>(gmp: &'a Gmp, modulus: &'a [u64]) -> Contestant<'a> {
    let n = modulus.len();
    // The reciprocal ⌊2^(128·n)/d⌋ less 2^(64·n), which it exceeds by n limbs as d has its top bit.
    let mut power = vec![0; 2 * n + 1];
    power[2 * n] = 1;
    let (mut reciprocal, mut rest) = (vec![0; n + 2], vec![0; n]);
    gmp.divide(&mut reciprocal, &mut rest, &power, modulus);
    reciprocal.truncate(n);
    let [mut wide, mut other] = [(); 2].map(|()| vec![0; 2 * n]);
    let mut quotient = vec![0; n];
    Contestant {
        side: Side::Gmp,
        name: format!("GMP {}, Barrett", gmp.version),
        threads: 1,
        compute: repeated(move |out, a, b| {
            gmp.multiply(&mut wide, a, b);
            gmp.multiply(&mut other, &wide[n..], &reciprocal);
            // The quotient, too small by a few at most: (upper·(2^(64·n) + reciprocal))/2^(64·n).
            // It is below the modulus, so that the sum does not overflow.
            quotient.copy_from_slice(&wide[n..]);
            let mut carry = false;
            for (sum, &more) in quotient.iter_mut().zip(&other[n..]) {
                (*sum, carry) = sum.carrying(more, carry);
            }
            gmp.multiply(&mut other, &quotient, modulus);
            let mut borrow = false;
            for (rest, &less) in wide.iter_mut().zip(&other) {
                (*rest, borrow) = rest.borrowing(less, borrow);
            }
            while wide[n] > 0 || !below(&wide[..n], modulus) {
                let mut borrow = false;
                for (rest, &less) in wide.iter_mut().zip(modulus) {
                    (*rest, borrow) = rest.borrowing(less, borrow);
                }
                wide[n] -= u64::from(borrow);
            }
            out.copy_from_slice(&wide[..n]);
        }),
    }
}

/// A product and a reduction, of operands one of which is multiplied by the power that it divides
/// by.
fn montgomery<'a>(gmp: &'a Gmp, modulus: &'a [u64]) -> Option<Contestant<'a>> {
    let n = modulus.len();
    let inverse = gmp.inverse(modulus)?;
    let mut wide = vec![0; 2 * n];
    // The second operand in Montgomery's form, made once for an operand as for a chain of products.
    let mut known: (Vec<u64>, Vec<u64>) = (Vec::new(), vec![0; n]);
    Some(Contestant {
        side: Side::Gmp,
        name: format!("GMP {}, Montgomery", gmp.version),
        threads: 1,
        compute: repeated(move |out, a, b| {
            if known.0 != b {
                let mut shifted = vec![0; n];
                shifted.extend_from_slice(b);
                let mut quotient = vec![0; n + 1];
                gmp.divide(&mut quotient, &mut known.1, &shifted, modulus);
                known.0 = b.to_vec();
            }
            gmp.multiply(&mut wide, a, &known.1);
            gmp.reduce(out, &mut wide, modulus, &inverse);
            if !below(out, modulus) {
                let mut borrow = false;
                for (rest, &less) in out.iter_mut().zip(modulus) {
                    (*rest, borrow) = rest.borrowing(less, borrow);
                }
            }
        }),
    })
}

fn flints<'a>(flint: &'a Flint, modulus: &'a [u64], threads: usize) -> Option<Contestant<'a>> {
    let reciprocal = flint.reciprocal(modulus)?;
    Some(Contestant {
        side: Side::Flint,
        name: format!("FLINT {}", flint.version),
        threads,
        compute: repeated(move |out, a, b| {
            flint.set_threads(threads);
            flint.residue(out, a, b, modulus, &reciprocal);
        }),
    })
}

/// Whether one number of a length is below another.
fn below(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// Sums and differences with carries, limb by limb.
trait Carries: Sized {
    fn carrying(self, other: Self, carry: bool) -> (Self, bool);
    fn borrowing(self, other: Self, borrow: bool) -> (Self, bool);
}

impl Carries for u64 {
    fn carrying(self, other: Self, carry: bool) -> (Self, bool) {
        let (sum, first) = self.overflowing_add(other);
        let (sum, second) = sum.overflowing_add(Self::from(carry));
        (sum, first | second)
    }

    fn borrowing(self, other: Self, borrow: bool) -> (Self, bool) {
        let (difference, first) = self.overflowing_sub(other);
        let (difference, second) = difference.overflowing_sub(Self::from(borrow));
        (difference, first | second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_computes_the_same() {
        let gmp = Gmp::load();
        let n = 200;
        let number = |seed: u64| -> Vec<u64> {
            let step = |x: &u64| Some(x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
            let limbs = std::iter::successors(Some(seed), step).skip(9);
            limbs.map(|x| x ^ x >> 29).take(n).collect()
        };
        let mut modulus = number(3);
        modulus[0] |= 1;
        modulus[n - 1] |= 1 << 63;
        let mut a = vec![u64::MAX; n];
        a[n - 1] = modulus[n - 1] - 1;
        let mut b = number(4);
        b[n - 1] >>= 1;
        let mut product = vec![0; 2 * n];
        bignum::multiply(&mut product, &a, &b).unwrap();
        let (mut quotient, mut expected) = (vec![0; 2 * n], vec![0; n]);
        bignum::divide(&mut quotient, &mut expected, &product, &modulus).unwrap();
        let peers = Peers {
            gmp: gmp.as_ref(),
            flint: None,
        };
        let mut all = contestants(peers, &modulus, &[1]).unwrap();
        assert!(!all.is_empty());
        for contestant in &mut all {
            let mut out = vec![0; n];
            (contestant.compute)(&mut out, &a, &b, 2).unwrap();
            assert_eq!(out, expected, "{}", contestant.name);
        }
    }
}
