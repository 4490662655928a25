//! What is done word by word.

use super::plan::Plan;
use super::sums::{Combine, MOST_PRODUCTS, Products};
use crate::integers::primes::arch::{Kernel, Modulus, Residues};
use crate::integers::primes::butterfly::splat;

/// Words of the widest register.
const WIDEST: usize = 8;

impl Plan {
    /// `a ← a + b`.
    pub fn add(&self, a: &mut [u64], b: &[u64]) {
        self.check_length(a);
        self.check_length(b);
        let q = self.q;
        self.machine.dispatch(Sums { a, b, q });
    }

    /// `a ← a − b`.
    pub fn sub(&self, a: &mut [u64], b: &[u64]) {
        self.check_length(a);
        self.check_length(b);
        let q = self.q;
        self.machine.dispatch(Differences { a, b, q });
    }

    /// `a ← −a`.
    pub fn negate(&self, a: &mut [u64]) {
        self.words(a, Negate);
    }

    /// Adds a number below `q` to every word. On evaluations that adds the constant; on
    /// coefficients it adds [`Index::one`](super::Index::one) times the constant.
    pub fn add_constant(&self, a: &mut [u64], constant: u64) {
        self.check_word(constant);
        self.words(a, AddConstant(constant));
    }

    /// `a ← a·b`, word by word.
    pub fn multiply(&self, a: &mut [u64], b: &[u64]) {
        self.pairs(a, b, Multiply);
    }

    /// `sum ← sum + a·b`, word by word.
    pub fn multiply_add(&self, sum: &mut [u64], a: &[u64], b: &[u64]) {
        self.accumulate(sum, &[[a, b]], true);
    }

    /// `into ← Σ a·b` over all pairs, word by word.
    pub fn sum_products(&self, into: &mut [u64], pairs: &[[&[u64]; 2]]) {
        if pairs.is_empty() {
            self.check_length(into);
            into.fill(0);
        }
        for (number, pairs) in pairs.chunks(MOST_PRODUCTS).enumerate() {
            self.accumulate(into, pairs, number > 0);
        }
    }

    /// `a ← a·factor`, the factor being below `q`. Words may be any numbers below `2^50`.
    pub fn scale(&self, a: &mut [u64], factor: u64) {
        self.words(a, Scale(self.factor(factor)));
    }

    /// `sum ← sum + a·factor`, the factor being below `q` and the words of `a` any numbers below
    /// `2^50`.
    pub fn scale_add(&self, sum: &mut [u64], a: &[u64], factor: u64) {
        self.pairs(sum, a, ScaleAdd(self.factor(factor)));
    }

    /// `a ← (a + b)·factor`, the factor being below `q`.
    pub fn add_scale(&self, a: &mut [u64], b: &[u64], factor: u64) {
        self.pairs(a, b, AddScale(self.factor(factor)));
    }

    /// `into ← Σ sources[i]·weights[i]`: words of other moduli, any numbers below `2^50`, with
    /// weights below `q`.
    ///
    /// A number `x` below `Q = Π q_i` is `Σ x_i·(Q/q_i) − w·Q` with `x_i = x·(Q/q_i)^(−1) mod q_i`
    /// (see [`Self::scale`]) and `w` the [`wraps`](super::wraps) of these, so that with the
    /// residues of `Q/q_i`, and that of `−Q` for `w` as one source more, this gives `x mod q`
    /// (Halevi, Polyakov and Shoup, *An improved RNS variant of the BFV homomorphic encryption
    /// scheme*, 2019, §2.2).
    ///
    /// # Panics
    /// Unless there are as many weights as sources.
    pub fn combine(&self, into: &mut [u64], sources: &[&[u64]], weights: &[u64]) {
        assert_eq!(sources.len(), weights.len(), "a weight for each source");
        self.check_length(into);
        sources.iter().for_each(|source| self.check_length(source));
        weights.iter().for_each(|weight| self.check_word(*weight));
        if sources.is_empty() {
            into.fill(0);
        }
        let groups = sources
            .chunks(MOST_PRODUCTS)
            .zip(weights.chunks(MOST_PRODUCTS));
        for (number, (sources, weights)) in groups.enumerate() {
            whole_and_rest(into, sources, |into, sources| {
                self.machine.dispatch(Combine {
                    modulus: &self.constants,
                    into,
                    sources,
                    weights,
                    add: number > 0,
                });
            });
        }
    }

    /// `into ← words mod q`, of any numbers below `2^50`.
    pub fn reduce_from(&self, into: &mut [u64], words: &[u64]) {
        self.reduce_centred_from(into, words, u64::MAX >> 12);
    }

    /// The same of the words modulo another modulus of at most 50 bits that are nearest to 0, above
    /// half of it the negative ones.
    pub fn reduce_centred_from(&self, into: &mut [u64], words: &[u64], modulus: u64) {
        let centre = Centre {
            half: modulus / 2,
            negative: (self.q - modulus % self.q) % self.q,
        };
        self.pairs(into, words, centre);
    }

    fn factor(&self, factor: u64) -> [u64; 2] {
        self.check_word(factor);
        self.machine.factor(factor, self.q)
    }

    fn check_word(&self, x: u64) {
        assert!(x < self.q, "{x} is no residue modulo {}", self.q);
    }

    fn words<O: OfWord>(&self, a: &mut [u64], operation: O) {
        self.check_length(a);
        whole_and_rest(a, &[], |a, _| {
            self.machine.dispatch(Words {
                modulus: &self.constants,
                a,
                operation,
            });
        });
    }

    fn pairs<O: OfPair>(&self, a: &mut [u64], b: &[u64], operation: O) {
        self.check_length(a);
        self.check_length(b);
        whole_and_rest(a, &[b], |a, sources| {
            self.machine.dispatch(Pairs {
                modulus: &self.constants,
                a,
                b: sources[0],
                operation,
            });
        });
    }

    fn accumulate(&self, into: &mut [u64], pairs: &[[&[u64]; 2]], add: bool) {
        self.check_length(into);
        let sources = pairs.as_flattened();
        sources.iter().for_each(|source| self.check_length(source));
        whole_and_rest(into, sources, |into, sources| {
            self.machine.dispatch(Products {
                modulus: &self.constants,
                into,
                sources,
                add,
            });
        });
    }
}

/// Calls with the words that fill vectors of any instruction set and, if there are others, with
/// these among zeros.
pub(super) fn whole_and_rest(
    into: &mut [u64],
    sources: &[&[u64]],
    mut call: impl FnMut(&mut [u64], &[&[u64]]),
) {
    let whole = into.len() / WIDEST * WIDEST;
    if whole == into.len() {
        call(into, sources);
        return;
    }
    let parts: Vec<&[u64]> = sources.iter().map(|source| &source[..whole]).collect();
    call(&mut into[..whole], &parts);
    let copy = |words: &[u64]| {
        let mut copy = [0; WIDEST];
        copy[..words.len() - whole].copy_from_slice(&words[whole..]);
        copy
    };
    let copies: Vec<[u64; WIDEST]> = sources.iter().map(|source| copy(source)).collect();
    let copies: Vec<&[u64]> = copies.iter().map(|copy| &copy[..]).collect();
    let mut rest = copy(into);
    call(&mut rest, &copies);
    let count = into.len() - whole;
    into[whole..].copy_from_slice(&rest[..count]);
}

/// The canonical residue of one below the limit, as an integer.
#[inline(always)]
pub(super) fn finished<V: Residues>(v: V, p: V::Prime, x: V::Word) -> V::Word {
    v.canonical(p, v.clean(v.reduce(p, x)))
}

/// `a + b`, of residues. All there is to do is to load and store: plain words, which the compiler
/// puts into vectors.
struct Sums<'a> {
    a: &'a mut [u64],
    b: &'a [u64],
    q: u64,
}

/// `a − b`, likewise.
struct Differences<'a> {
    a: &'a mut [u64],
    b: &'a [u64],
    q: u64,
}

impl Kernel for Sums<'_> {
    #[inline(always)]
    fn run<V: Residues>(self, _: V) {
        for (a, &b) in self.a.iter_mut().zip(self.b) {
            let sum = *a + b;
            // Where the sum is below q, the difference wraps to a huge number.
            *a = sum.min(sum.wrapping_sub(self.q));
        }
    }
}

impl Kernel for Differences<'_> {
    #[inline(always)]
    fn run<V: Residues>(self, _: V) {
        for (a, &b) in self.a.iter_mut().zip(self.b) {
            let difference = a.wrapping_sub(b);
            *a = difference.min(difference.wrapping_add(self.q));
        }
    }
}

struct Words<'a, O> {
    modulus: &'a Modulus,
    a: &'a mut [u64],
    operation: O,
}

impl<O: OfWord> Kernel for Words<'_, O> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        let p = v.prime(self.modulus);
        for a in v.vectors_mut(self.a) {
            let x = v.enter(v.load(a));
            v.store(a, finished(v, p, self.operation.apply(v, p, x)));
        }
    }
}

struct Pairs<'a, O> {
    modulus: &'a Modulus,
    a: &'a mut [u64],
    b: &'a [u64],
    operation: O,
}

impl<O: OfPair> Kernel for Pairs<'_, O> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        let p = v.prime(self.modulus);
        for (a, b) in v.vectors_mut(self.a).iter_mut().zip(v.vectors(self.b)) {
            let (x, y) = (v.enter(v.load(a)), v.enter(v.load(b)));
            v.store(a, finished(v, p, self.operation.apply(v, p, x, y)));
        }
    }
}

/// What becomes of a word.
trait OfWord: Copy {
    /// Results are below 4.
    fn apply<V: Residues>(self, v: V, p: V::Prime, x: V::Word) -> V::Word;
}

/// What becomes of a word and another.
trait OfPair: Copy {
    /// Results are below 4.
    fn apply<V: Residues>(self, v: V, p: V::Prime, x: V::Word, y: V::Word) -> V::Word;
}

#[derive(Clone, Copy)]
struct Negate;
#[derive(Clone, Copy)]
struct AddConstant(u64);
#[derive(Clone, Copy)]
struct Scale([u64; 2]);
#[derive(Clone, Copy)]
struct Multiply;
#[derive(Clone, Copy)]
struct ScaleAdd([u64; 2]);
#[derive(Clone, Copy)]
struct AddScale([u64; 2]);
#[derive(Clone, Copy)]
struct Centre {
    half: u64,
    negative: u64,
}

impl OfWord for Negate {
    #[inline(always)]
    fn apply<V: Residues>(self, v: V, p: V::Prime, x: V::Word) -> V::Word {
        v.sub::<2>(p, v.enter(v.splat(0)), x)
    }
}

impl OfWord for AddConstant {
    #[inline(always)]
    fn apply<V: Residues>(self, v: V, _: V::Prime, x: V::Word) -> V::Word {
        v.add(x, v.enter(v.splat(self.0)))
    }
}

impl OfWord for Scale {
    #[inline(always)]
    fn apply<V: Residues>(self, v: V, p: V::Prime, x: V::Word) -> V::Word {
        v.mul(p, x, splat(v, self.0))
    }
}

impl OfPair for Multiply {
    #[inline(always)]
    fn apply<V: Residues>(self, v: V, p: V::Prime, x: V::Word, y: V::Word) -> V::Word {
        v.settle(p, v.accumulate(p, v.no_products(), x, y))
    }
}

impl OfPair for ScaleAdd {
    #[inline(always)]
    fn apply<V: Residues>(self, v: V, p: V::Prime, x: V::Word, y: V::Word) -> V::Word {
        v.mul_add(p, x, y, splat(v, self.0))
    }
}

impl OfPair for AddScale {
    #[inline(always)]
    fn apply<V: Residues>(self, v: V, p: V::Prime, x: V::Word, y: V::Word) -> V::Word {
        v.mul(p, v.add(x, y), splat(v, self.0))
    }
}

impl OfPair for Centre {
    #[inline(always)]
    fn apply<V: Residues>(self, v: V, p: V::Prime, _: V::Word, y: V::Word) -> V::Word {
        let half = v.enter(v.splat(self.half));
        let negative = v.enter(v.splat(self.negative));
        v.add(v.reduce(p, y), v.where_above(y, half, negative))
    }
}
