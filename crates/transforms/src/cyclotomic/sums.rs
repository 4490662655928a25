//! Sums of products and of fractions over several moduli: loops for each number of terms.
//!
//! Two words per product: the sums of products' lower and upper halves are reduced once for up to
//! eight of them, and factors that vary need no quotients.

use super::pointwise::{finished, whole_and_rest};
use crate::InstructionSet;
use crate::integers::primes::arch::{Kernel, Machine, Modulus, Residues};

/// Products in a sum that one loop adds up, of the 15 that it has room for.
pub(super) const MOST_PRODUCTS: usize = 8;

pub(super) struct Products<'a> {
    pub(super) modulus: &'a Modulus,
    pub(super) into: &'a mut [u64],
    /// Factors in pairs.
    pub(super) sources: &'a [&'a [u64]],
    pub(super) add: bool,
}

impl Kernel for Products<'_> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        match self.sources.len() / 2 {
            1 => products::<V, 1>(v, self),
            2 => products::<V, 2>(v, self),
            3 => products::<V, 3>(v, self),
            4 => products::<V, 4>(v, self),
            5 => products::<V, 5>(v, self),
            6 => products::<V, 6>(v, self),
            7 => products::<V, 7>(v, self),
            _ => products::<V, 8>(v, self),
        }
    }
}

#[inline(always)]
fn products<V: Residues, const N: usize>(v: V, call: Products<'_>) {
    let p = v.prime(call.modulus);
    let into = v.vectors_mut(call.into);
    let mut a: [&[V::Words]; N] = [&[]; N];
    let mut b = a;
    for (number, pair) in call.sources.as_chunks::<2>().0.iter().take(N).enumerate() {
        a[number] = &v.vectors(pair[0])[..into.len()];
        b[number] = &v.vectors(pair[1])[..into.len()];
    }
    for i in 0..into.len() {
        let mut sum = v.no_products();
        for k in 0..N {
            let (x, y) = (v.load(&a[k][i]), v.load(&b[k][i]));
            sum = v.accumulate(p, sum, v.enter(x), v.enter(y));
        }
        let sum = v.settle(p, sum);
        let x = if call.add {
            finished(v, p, v.add(sum, v.enter(v.load(&into[i]))))
        } else {
            v.canonical(p, sum)
        };
        v.store(&mut into[i], x);
    }
}

pub(super) struct Combine<'a> {
    pub(super) modulus: &'a Modulus,
    pub(super) into: &'a mut [u64],
    pub(super) sources: &'a [&'a [u64]],
    pub(super) weights: &'a [u64],
    pub(super) add: bool,
}

impl Kernel for Combine<'_> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        match self.sources.len() {
            1 => combine::<V, 1>(v, self),
            2 => combine::<V, 2>(v, self),
            3 => combine::<V, 3>(v, self),
            4 => combine::<V, 4>(v, self),
            5 => combine::<V, 5>(v, self),
            6 => combine::<V, 6>(v, self),
            7 => combine::<V, 7>(v, self),
            _ => combine::<V, 8>(v, self),
        }
    }
}

#[inline(always)]
fn combine<V: Residues, const N: usize>(v: V, call: Combine<'_>) {
    let p = v.prime(call.modulus);
    let into = v.vectors_mut(call.into);
    let mut sources: [&[V::Words]; N] = [&[]; N];
    let mut weights = [v.splat(0); N];
    for (number, (source, weight)) in call.sources.iter().zip(call.weights).take(N).enumerate() {
        sources[number] = &v.vectors(source)[..into.len()];
        weights[number] = v.enter(v.splat(*weight));
    }
    for i in 0..into.len() {
        let mut sum = v.no_products();
        for k in 0..N {
            sum = v.accumulate(p, sum, v.enter(v.load(&sources[k][i])), weights[k]);
        }
        let sum = v.settle(p, sum);
        let x = if call.add {
            finished(v, p, v.add(sum, v.enter(v.load(&into[i]))))
        } else {
            v.canonical(p, sum)
        };
        v.store(&mut into[i], x);
    }
}

/// `into ← ⌊Σ sources[i]/moduli[i] + 1/2⌋`, of residues below each modulus: how often `Σ
/// x_i·(Q/q_i)` has to be reduced by `Q` to be between `−Q/2` and `Q/2` (see
/// [`Plan::combine`](super::Plan::combine)).
///
/// Sums are in double precision, so that numbers within `2^-50·Q` a modulus of `Q/2` may come out
/// on the other side: a representative that is off by so little of `Q` is as good a one for every
/// use that adds it to noise.
///
/// # Panics
/// Unless there are as many moduli as sources, of as many words as the result.
pub fn wraps(into: &mut [u64], sources: &[&[u64]], moduli: &[u64]) {
    all_wraps::<false>(InstructionSet::detect(), into, sources, moduli);
}

/// Like [`wraps`] of odd moduli, or one more where that makes `Σ x_i·(Q/q_i) − w·Q` even: what is
/// subtracted before a division by `Q` that leaves residues modulo 2 as they are.
///
/// # Panics
/// As [`wraps`] does.
pub fn even_wraps(into: &mut [u64], sources: &[&[u64]], moduli: &[u64]) {
    all_wraps::<true>(InstructionSet::detect(), into, sources, moduli);
}

/// By the instructions of a set that the machine has.
pub(super) fn all_wraps<const EVEN: bool>(
    set: InstructionSet,
    into: &mut [u64],
    sources: &[&[u64]],
    moduli: &[u64],
) {
    assert_eq!(sources.len(), moduli.len(), "a modulus for each source");
    for source in sources {
        assert_eq!(source.len(), into.len(), "words of a ring element");
    }
    let inverses: Vec<f64> = moduli.iter().map(|&q| 1.0 / q as f64).collect();
    if let Some(machine) = Machine::new(set) {
        whole_and_rest(into, sources, |into, sources| {
            machine.dispatch(Wraps::<EVEN> {
                into,
                sources,
                inverses: &inverses,
            });
        });
    }
}

struct Wraps<'a, const EVEN: bool> {
    into: &'a mut [u64],
    sources: &'a [&'a [u64]],
    inverses: &'a [f64],
}

impl<const EVEN: bool> Kernel for Wraps<'_, EVEN> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        match self.sources.len() {
            1 => some_wraps::<V, EVEN, 1>(v, self),
            2 => some_wraps::<V, EVEN, 2>(v, self),
            3 => some_wraps::<V, EVEN, 3>(v, self),
            4 => some_wraps::<V, EVEN, 4>(v, self),
            5 => some_wraps::<V, EVEN, 5>(v, self),
            6 => some_wraps::<V, EVEN, 6>(v, self),
            _ => any_wraps(v, self),
        }
    }
}

#[inline(always)]
fn some_wraps<V: Residues, const EVEN: bool, const N: usize>(v: V, call: Wraps<'_, EVEN>) {
    let into = v.vectors_mut(call.into);
    let mut sources: [&[V::Words]; N] = [&[]; N];
    let mut inverses = [0.0; N];
    for (number, (source, inverse)) in call.sources.iter().zip(call.inverses).take(N).enumerate() {
        sources[number] = &v.vectors(source)[..into.len()];
        inverses[number] = *inverse;
    }
    for i in 0..into.len() {
        let mut sum = v.splat(0f64.to_bits());
        let mut odd = v.splat(0);
        for k in 0..N {
            let x = v.load(&sources[k][i]);
            odd = v.parity(odd, x);
            sum = v.add_fraction(sum, v.enter(x), inverses[k]);
        }
        v.store(&mut into[i], whole::<V, EVEN>(v, sum, odd));
    }
}

/// The integer nearest to a sum, or one more if its parity is to be another.
#[inline(always)]
fn whole<V: Residues, const EVEN: bool>(v: V, sum: V::Word, odd: V::Word) -> V::Word {
    let nearest = v.nearest(sum);
    if EVEN {
        let other = v.parity(odd, v.leave(nearest));
        v.leave(v.add(nearest, v.enter(other)))
    } else {
        v.leave(nearest)
    }
}

#[inline(always)]
fn any_wraps<V: Residues, const EVEN: bool>(v: V, call: Wraps<'_, EVEN>) {
    for (i, into) in v.vectors_mut(call.into).iter_mut().enumerate() {
        let mut sum = v.splat(0f64.to_bits());
        let mut odd = v.splat(0);
        for (source, inverse) in call.sources.iter().zip(call.inverses) {
            let x = v.load(&v.vectors(source)[i]);
            odd = v.parity(odd, x);
            sum = v.add_fraction(sum, v.enter(x), *inverse);
        }
        v.store(into, whole::<V, EVEN>(v, sum, odd));
    }
}
