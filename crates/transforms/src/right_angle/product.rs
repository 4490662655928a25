//! Products of spectra, point by point.

use crate::arch::{Kernel, Simd};
use crate::negacyclic::butterfly::{load, mul, mul_add, store};

/// `product = a·b`.
pub(super) struct Multiply<'a> {
    pub(super) product: &'a mut [f64],
    pub(super) a: &'a [f64],
    pub(super) b: &'a [f64],
}

impl Kernel for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (a, b) = (simd.pairs(self.a), simd.pairs(self.b));
        for ((product, a), b) in simd.pairs_mut(self.product).iter_mut().zip(a).zip(b) {
            let x = mul(simd, load(simd, a), load(simd, b));
            store(simd, product, x);
        }
    }
}

/// `sum += a·b`.
pub(super) struct MultiplyAdd<'a> {
    pub(super) sum: &'a mut [f64],
    pub(super) a: &'a [f64],
    pub(super) b: &'a [f64],
}

impl Kernel for MultiplyAdd<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (a, b) = (simd.pairs(self.a), simd.pairs(self.b));
        for ((sum, a), b) in simd.pairs_mut(self.sum).iter_mut().zip(a).zip(b) {
            let product = mul_add(simd, load(simd, a), load(simd, b), load(simd, sum));
            store(simd, sum, product);
        }
    }
}
