//! How noise grows where ciphertexts are added and multiplied: schemes whose gates are no
//! bootstraps.
//!
//! The size of what hides a bit (in Gentry and Halevi's scheme the norm of a polynomial) adds up in
//! sums and multiplies in products. Its logarithm is what is counted here: a sum has hardly more
//! bits than the noisier operand, a product has those of both and some more, since factors may have
//! noises in common. So what counts is a value's degree in fresh bits, not the depth of its
//! circuit: a chain of thirty ANDs with fresh bits is as noisy as their tree.

use crate::{Op, Wire};

/// The noise of a value: a polynomial in independent Gaussian variables.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoiseAmount {
    /// log2 of its norm; 0 for a constant.
    pub bits: f64,
    /// Its degree.
    pub degree: u32,
}

/// The noise of values on one target.
///
/// ```
/// use blindcore_circuits::passes::{self, Growth};
/// use blindcore_circuits::{Builder, NoiseAmount, NoiseGrowth, Profile};
///
/// let fresh = NoiseAmount { bits: 10.0, degree: 1 };
/// let model = NoiseGrowth { fresh, refreshed: NoiseAmount { bits: 30.0, degree: 15 }, limit: 100.0 };
/// // A sum of two has a bit more than either, a product more than both together.
/// assert_eq!(fresh.plus(fresh).bits, 11.0);
/// assert_eq!(fresh.times(fresh), NoiseAmount { bits: 20.5, degree: 2 });
/// assert_eq!(fresh.plus(NoiseAmount::NONE).degree, 1);
/// assert!(fresh.is_within(fresh.times(fresh)));
/// assert_eq!(fresh.or(model.refreshed), model.refreshed);
///
/// let mut profile = Profile::gate_simulation();
/// profile.growth = Some(model);
/// let mut build = Builder::new(&profile);
/// let bits = build.inputs(12);
/// let all = bits.iter().fold(bits[0], |all, &bit| build.and(all, bit));
/// build.output(all);
/// let circuit = build.finish();
/// // A chain of ANDs of twelve bits is too noisy: one refresh, and it is not.
/// let before: Growth = passes::growth(&circuit, &model);
/// assert!(before.worst > model.limit);
/// let prepared = passes::prepare(&circuit, &profile);
/// assert!(passes::growth(&prepared, &model).worst <= model.limit);
/// assert_eq!(passes::cost(&prepared, &profile).refresh, 1);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoiseGrowth {
    /// An input's.
    pub fresh: NoiseAmount,
    /// What a refresh leaves.
    pub refreshed: NoiseAmount,
    /// The most bits that a value may have and still be refreshed and decrypted.
    pub limit: f64,
}

impl NoiseAmount {
    /// A constant's.
    pub const NONE: Self = Self {
        bits: 0.0,
        degree: 0,
    };

    /// `a ⊕ b`: the norm of a sum is at most the sum of the norms.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (low, high) = (self.bits.min(other.bits), self.bits.max(other.bits));
        Self {
            bits: high + (low - high).exp2().ln_1p() / std::f64::consts::LN_2,
            degree: self.degree.max(other.degree),
        }
    }

    /// `a ∧ b`: the norm of a product of degrees k and l is at most the product of the norms times
    /// the root of C(k + l, k), which powers of one variable reach (Bombieri's inequality, for the
    /// norm that Gaussian variables have).
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        let (small, large) = (self.degree.min(other.degree), self.degree.max(other.degree));
        let ways = (1..=small).map(|i| (1.0 + f64::from(large) / f64::from(i)).log2());
        Self {
            bits: self.bits + other.bits + ways.sum::<f64>() / 2.0,
            degree: self.degree.saturating_add(other.degree),
        }
    }

    /// Whether it is no more than another, whatever it is multiplied by.
    #[must_use]
    pub fn is_within(self, other: Self) -> bool {
        self.bits <= other.bits && self.degree <= other.degree
    }

    /// The more of both in either respect.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            bits: self.bits.max(other.bits),
            degree: self.degree.max(other.degree),
        }
    }
}

impl NoiseGrowth {
    /// `a ∧ b`. Where it exceeds the limit it is not counted how far.
    fn and(&self, a: NoiseAmount, b: NoiseAmount) -> NoiseAmount {
        if a.bits + b.bits > self.limit {
            let sum = a.bits + b.bits;
            return NoiseAmount {
                bits: sum,
                ..a.plus(b)
            };
        }
        a.times(b)
    }

    /// The result of an operation whose operands have these. What such a target has no gate for
    /// counts as the gates that it can be written with, a lookup as sixteen products of all its
    /// bits.
    pub(crate) fn result(&self, op: &Op<'_>, noise: impl Fn(Wire) -> NoiseAmount) -> NoiseAmount {
        let sum = |wires: &mut dyn Iterator<Item = Wire>| {
            let first = wires.next().map_or(NoiseAmount::NONE, &noise);
            wires.fold(first, |sum, wire| sum.plus(noise(wire)))
        };
        match *op {
            Op::Input(_) => self.fresh,
            Op::And(a, b) => self.and(noise(a), noise(b)),
            Op::Xor(a, b) => noise(a).plus(noise(b)),
            Op::Mux {
                select,
                then,
                otherwise,
            }
            | Op::Choose {
                select,
                then,
                otherwise,
            } => {
                let differ = noise(then).plus(noise(otherwise));
                self.and(noise(select), differ).plus(noise(otherwise))
            }
            Op::Lookup { sum, .. } | Op::Selector { sum, .. } => {
                let wires = sum.terms.iter().map(|term| noise(term.wire));
                let product = wires.reduce(|a, b| self.and(a, b));
                let product = product.unwrap_or(NoiseAmount::NONE);
                NoiseAmount {
                    bits: product.bits + 4.0,
                    ..product
                }
            }
            Op::Parity { terms }
            | Op::Disjoint { terms }
            | Op::Subtotal { terms }
            | Op::Linear { terms } => sum(&mut terms.iter().map(|term| term.wire)),
            Op::Refresh(_) => self.refreshed,
            // Written as selections before they are evaluated without selectors.
            Op::Store(store) => {
                let data = store.word().iter().chain(store.entries());
                let data = data.map(|term| noise(term.wire));
                let worst = |a: NoiseAmount, b: NoiseAmount| if b.bits > a.bits { b } else { a };
                let worst = data.fold(NoiseAmount::NONE, worst);
                let conditions = store.conditions().iter().map(|term| noise(term.wire));
                let line = conditions.reduce(|a, b| self.and(a, b));
                let line = line.unwrap_or(NoiseAmount::NONE);
                self.and(line, worst.plus(worst)).plus(worst)
            }
            Op::Load(load) => {
                let entries = load.entries().iter().map(|term| noise(term.wire));
                let worst = |a: NoiseAmount, b: NoiseAmount| if b.bits > a.bits { b } else { a };
                let entry = entries.fold(NoiseAmount::NONE, worst);
                let mut bits = load.index().iter().map(|term| noise(term.wire));
                bits.try_fold(entry, |chosen, bit| {
                    Some(self.and(bit, chosen.plus(chosen)).plus(chosen))
                })
                .unwrap_or(entry)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NoiseAmount;

    fn amount(bits: f64, degree: u32) -> NoiseAmount {
        NoiseAmount { bits, degree }
    }

    #[test]
    fn sums_add_norms() {
        assert_eq!(amount(10.0, 2).plus(amount(10.0, 1)), amount(11.0, 2));
        assert_eq!(amount(10.0, 1).plus(amount(1000.0, 1)), amount(1000.0, 1));
        let inverted = amount(9.0_f64.log2(), 1).plus(NoiseAmount::NONE);
        assert!((inverted.bits - 10.0_f64.log2()).abs() < 1e-12);
    }

    #[test]
    fn products_multiply_norms_and_count_what_factors_share() {
        // C(2, 1) = 2 and C(4, 2) = 6 ways.
        assert_eq!(amount(3.0, 1).times(amount(3.0, 1)), amount(6.5, 2));
        let square = amount(3.0, 2).times(amount(4.0, 2));
        assert!((square.bits - 7.0 - 6.0_f64.log2() / 2.0).abs() < 1e-12);
        assert_eq!(amount(5.0, 7).times(NoiseAmount::NONE), amount(5.0, 7));
    }

    #[test]
    fn a_chain_is_as_noisy_as_a_tree() {
        let fresh = amount(3.0, 1);
        let chain = (1..8).fold(fresh, |product, _| product.times(fresh));
        let pair = fresh.times(fresh);
        let four = pair.times(pair);
        let tree = four.times(four);
        assert_eq!(chain.degree, tree.degree);
        assert!((chain.bits - tree.bits).abs() < 1e-9, "{chain:?} {tree:?}");
    }
}
