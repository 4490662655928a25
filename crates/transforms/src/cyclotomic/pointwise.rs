//! What is done word by word: sums, products, and sums of products over several moduli.

use super::arithmetic::multiply;
use super::plan::Plan;

impl Plan {
    /// `a ← a + b`.
    pub fn add(&self, a: &mut [u64], b: &[u64]) {
        self.each(a, b, |x, y| (x + y) % self.q);
    }

    /// `a ← a − b`.
    pub fn sub(&self, a: &mut [u64], b: &[u64]) {
        self.each(a, b, |x, y| (x + self.q - y) % self.q);
    }

    /// `a ← −a`.
    pub fn negate(&self, a: &mut [u64]) {
        self.check_length(a);
        for x in a {
            *x = (self.q - *x) % self.q;
        }
    }

    /// Adds a number below `q` to every word. On evaluations that adds the constant; on coefficients it adds
    /// [`Index::one`](super::Index::one) times the constant.
    pub fn add_constant(&self, a: &mut [u64], constant: u64) {
        self.check_length(a);
        self.check_word(constant);
        for x in a {
            *x = (*x + constant) % self.q;
        }
    }

    /// `a ← a·b`, word by word.
    pub fn multiply(&self, a: &mut [u64], b: &[u64]) {
        self.each(a, b, |x, y| multiply(x, y, self.q));
    }

    /// `sum ← sum + a·b`, word by word.
    pub fn multiply_add(&self, sum: &mut [u64], a: &[u64], b: &[u64]) {
        self.check_length(sum);
        self.check_length(a);
        self.check_length(b);
        for ((sum, a), b) in sum.iter_mut().zip(a).zip(b) {
            *sum = (*sum + multiply(*a, *b, self.q)) % self.q;
        }
    }

    /// `into ← Σ a·b` over all pairs, word by word, reduced once for all of them.
    pub fn sum_products(&self, into: &mut [u64], pairs: &[[&[u64]; 2]]) {
        self.check_length(into);
        into.fill(0);
        for [a, b] in pairs {
            self.multiply_add(into, a, b);
        }
    }

    /// `a ← a·factor`, the factor being below `q`. Words may be any numbers below `2^50`.
    pub fn scale(&self, a: &mut [u64], factor: u64) {
        self.check_length(a);
        self.check_word(factor);
        for x in a {
            *x = multiply(*x, factor, self.q);
        }
    }

    /// `sum ← sum + a·factor`, the factor being below `q` and the words of `a` any numbers below `2^50`.
    pub fn scale_add(&self, sum: &mut [u64], a: &[u64], factor: u64) {
        self.check_word(factor);
        self.each(sum, a, |x, y| (x + multiply(y, factor, self.q)) % self.q);
    }

    /// `a ← (a + b)·factor`, the factor being below `q`.
    pub fn add_scale(&self, a: &mut [u64], b: &[u64], factor: u64) {
        self.check_word(factor);
        self.each(a, b, |x, y| multiply(x + y, factor, self.q));
    }

    /// `into ← Σ sources[i]·weights[i]`: words of other moduli, any numbers below `2^50`, with weights below `q`.
    ///
    /// A number `x` below `Q = Π q_i` is `Σ x_i·(Q/q_i) − w·Q` with `x_i = x·(Q/q_i)^(−1) mod q_i` (see
    /// [`Self::scale`]) and `w` the [`wraps`] of these, so that with the residues of `Q/q_i`, and that of `−Q` for
    /// `w` as one source more, this gives `x mod q` (Halevi, Polyakov and Shoup, *An improved RNS variant of the
    /// BFV homomorphic encryption scheme*, 2019, §2.2).
    ///
    /// # Panics
    /// Unless there are as many weights as sources.
    pub fn combine(&self, into: &mut [u64], sources: &[&[u64]], weights: &[u64]) {
        assert_eq!(sources.len(), weights.len(), "a weight for each source");
        self.check_length(into);
        into.fill(0);
        for (source, weight) in sources.iter().zip(weights) {
            self.scale_add(into, source, *weight);
        }
    }

    /// `into ← words mod q`, of any numbers below `2^50`.
    pub fn reduce_from(&self, into: &mut [u64], words: &[u64]) {
        self.each(into, words, |_, y| y % self.q);
    }

    /// The same of the words modulo another modulus of at most 50 bits that are nearest to 0, above half of it
    /// the negative ones.
    pub fn reduce_centred_from(&self, into: &mut [u64], words: &[u64], modulus: u64) {
        let negative = (self.q - modulus % self.q) % self.q;
        self.each(into, words, |_, y| {
            let shift = if y > modulus / 2 { negative } else { 0 };
            (y % self.q + shift) % self.q
        });
    }

    fn each(&self, a: &mut [u64], b: &[u64], apply: impl Fn(u64, u64) -> u64) {
        self.check_length(a);
        self.check_length(b);
        for (x, y) in a.iter_mut().zip(b) {
            *x = apply(*x, *y);
        }
    }

    fn check_word(&self, x: u64) {
        assert!(x < self.q, "{x} is no residue modulo {}", self.q);
    }
}

/// `into ← ⌊Σ sources[i]/moduli[i] + 1/2⌋`, of residues below each modulus: how often `Σ x_i·(Q/q_i)` has to be
/// reduced by `Q` to be between `−Q/2` and `Q/2` (see [`Plan::combine`]).
///
/// Sums are in double precision, so that numbers within `2^-50·Q` a modulus of `Q/2` may come out on the other side:
/// a representative that is off by so little of `Q` is as good a one for every use that adds it to noise.
///
/// # Panics
/// Unless there are as many moduli as sources, of as many words as the result.
pub fn wraps(into: &mut [u64], sources: &[&[u64]], moduli: &[u64]) {
    assert_eq!(sources.len(), moduli.len(), "a modulus for each source");
    for source in sources {
        assert_eq!(source.len(), into.len(), "words of a ring element");
    }
    let inverses: Vec<f64> = moduli.iter().map(|&q| 1.0 / q as f64).collect();
    for (position, into) in into.iter_mut().enumerate() {
        let fractions = sources.iter().zip(&inverses);
        let sum: f64 = fractions
            .map(|(x, inverse)| x[position] as f64 * inverse)
            .sum();
        *into = (sum + 0.5) as u64;
    }
}
