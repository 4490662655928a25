//! Products of spectra, point by point, by Montgomery's method: both factors vary, so that neither
//! has a quotient. The power of two that it leaves is undone by the constants of the inverse
//! transform's last pass.

use super::arch::{Kernel, Residues};
use super::tables::Tables;

/// `sum = a·b`.
pub(super) struct Multiply<'a> {
    pub(super) tables: &'a Tables,
    pub(super) sum: &'a mut [u64],
    pub(super) a: &'a [u64],
    pub(super) b: &'a [u64],
}

impl Kernel for Multiply<'_> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        let p = v.prime(&self.tables.modulus);
        let factors = v.vectors(self.a).iter().zip(v.vectors(self.b));
        for (sum, (a, b)) in v.vectors_mut(self.sum).iter_mut().zip(factors) {
            v.store(sum, v.product(p, v.load(a), v.load(b)));
        }
    }
}

/// `sum += a·b`.
pub(super) struct MultiplyAdd<'a>(pub(super) Multiply<'a>);

impl Kernel for MultiplyAdd<'_> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        let p = v.prime(&self.0.tables.modulus);
        let factors = v.vectors(self.0.a).iter().zip(v.vectors(self.0.b));
        for (sum, (a, b)) in v.vectors_mut(self.0.sum).iter_mut().zip(factors) {
            let product = v.product(p, v.load(a), v.load(b));
            v.store(sum, v.fold(p, v.add(v.load(sum), product)));
        }
    }
}

/// `a = a·b`, or `a = a²` without a second factor.
pub(super) struct MultiplyAssign<'a> {
    pub(super) tables: &'a Tables,
    pub(super) a: &'a mut [u64],
    pub(super) b: Option<&'a [u64]>,
}

impl Kernel for MultiplyAssign<'_> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        let p = v.prime(&self.tables.modulus);
        let a = v.vectors_mut(self.a);
        match self.b {
            Some(b) => {
                for (a, b) in a.iter_mut().zip(v.vectors(b)) {
                    let product = v.product(p, v.load(a), v.load(b));
                    v.store(a, product);
                }
            }
            None => {
                for a in a {
                    let x = v.load(a);
                    v.store(a, v.product(p, x, x));
                }
            }
        }
    }
}
