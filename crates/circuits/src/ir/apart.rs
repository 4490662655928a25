//! A bound on sums of bits that many conditions chose, from where their noise may come from.
//!
//! For a fixed side of each condition the errors of different rotations and inputs are independent,
//! and within one rotation deviations add at most. So with d(i, r) the most deviation that any bit
//! which signal i may have chosen brings from rotation r, no combination of conditions exceeds
//! `Σ_r (Σ_i |wᵢ|·d(i, r))²`. That is close where the bits of a sum choose from bits of different
//! rotations, as the columns of a product do whose rows are chosen.
//!
//! Products by different differences are independent, given their selectors. Of those that stand on
//! different ways to one bit only one is on any combination's. Where two bits of the sum may have
//! products of one difference, these count as one error.

use std::collections::BTreeMap;

use super::chosen::{Network, Product};
use super::table::Function;
use super::variance::{Origin, look_through, variance_of};
use super::{Op, Signal, Wire};
use crate::NoiseModel;

/// Choices behind one bit of a sum, at most: also how deep the walk goes.
const CHOICES: usize = 64;

/// What a deviation comes from: a rotation, or a signal that is none of a rotation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Rotation(u32),
    Signal(Signal),
}

/// The variance of what is chosen, and the products, of a sum of distinct signals that are no sums;
/// `None` where a bit was loaded, or chosen twice by one condition, or behind too many choices.
pub(super) fn apart<N: Network>(
    network: &N,
    bits: &[(Signal, i32)],
    model: &NoiseModel,
    buffer: &mut Vec<(u32, Function, i32)>,
) -> Option<(f64, Vec<Product>)> {
    let mut deviations: BTreeMap<Source, f64> = BTreeMap::new();
    let mut products: Vec<Product> = Vec::new();
    let mut errors = Errors::default();
    for &(signal, weight) in bits {
        let weight = f64::from(weight.abs());
        let mut bit = Bit {
            network,
            model,
            buffer,
            deviations: BTreeMap::new(),
            choices: BTreeMap::new(),
            begun: 0,
        };
        let conditions = bit.visit(signal)?;
        for (source, deviation) in bit.deviations {
            *deviations.entry(source).or_insert(0.0) += weight * deviation;
        }
        let first = products.len();
        for (condition, between, _) in bit.choices.into_values() {
            let at = conditions.binary_search(&condition).ok()?;
            errors.may_be((first + at) as u32, between);
        }
        products.extend(conditions.into_iter().map(|condition| Product {
            condition,
            between: None,
            weight,
        }));
    }
    for (number, product) in (0..).zip(&mut products) {
        product.between = Some([Signal(errors.of(number)); 2]);
    }
    let squares = deviations.values().map(|deviation| deviation * deviation);
    Some((squares.sum(), products))
}

/// Which products may have one error.
#[derive(Default)]
struct Errors {
    /// A product of each difference.
    by_difference: BTreeMap<[Signal; 2], u32>,
    /// By product: an earlier one that may have the same error.
    earlier: BTreeMap<u32, u32>,
}

impl Errors {
    /// The first of those that may have this product's error.
    fn of(&self, mut product: u32) -> u32 {
        while let Some(&earlier) = self.earlier.get(&product) {
            product = earlier;
        }
        product
    }

    /// Notes that a product may be one of a difference.
    fn may_be(&mut self, product: u32, difference: [Signal; 2]) {
        let other = *self.by_difference.entry(difference).or_insert(product);
        let (own, other) = (self.of(product), self.of(other));
        if own != other {
            self.earlier.insert(own.max(other), own.min(other));
        }
    }
}

/// A choice: its condition, what it is between, and all conditions from there on.
type Choice = (Signal, [Signal; 2], Vec<Signal>);

/// What one bit of a sum may be.
struct Bit<'a, N> {
    network: &'a N,
    model: &'a NoiseModel,
    buffer: &'a mut Vec<(u32, Function, i32)>,
    deviations: BTreeMap<Source, f64>,
    choices: BTreeMap<Signal, Choice>,
    /// Choices that were looked at.
    begun: usize,
}

impl<N: Network> Bit<'_, N> {
    /// The conditions on the ways to a signal's leaves, each once on any way.
    fn visit(&mut self, signal: Signal) -> Option<Vec<Signal>> {
        if self.network.is_half(signal) {
            return None;
        }
        if let Some((.., conditions)) = self.choices.get(&signal) {
            return Some(conditions.clone());
        }
        match self.network.op_of(signal) {
            Some(Op::Load(_) | Op::Store(_) | Op::Linear { .. }) => None,
            Some(Op::Choose {
                select,
                then,
                otherwise,
            }) => {
                if self.begun == CHOICES {
                    return None;
                }
                self.begun += 1;
                let mut between = [then, otherwise].map(Wire::signal);
                let mut conditions = self.visit(between[0])?;
                conditions.extend(self.visit(between[1])?);
                conditions.sort_unstable();
                conditions.dedup();
                let select = select.signal();
                match conditions.binary_search(&select) {
                    Ok(_) => return None,
                    Err(at) => conditions.insert(at, select),
                }
                between.sort_unstable();
                let choice = (select, between, conditions.clone());
                self.choices.insert(signal, choice);
                Some(conditions)
            }
            _ => {
                self.leaf(signal)?;
                Some(Vec::new())
            }
        }
    }

    /// Notes what a signal that nobody chose brings along.
    fn leaf(&mut self, signal: Signal) -> Option<()> {
        let network = self.network;
        let mut bits = Vec::new();
        look_through(
            [(Wire::from(signal), 1)],
            |signal| network.summands_of(signal),
            &mut bits,
        );
        let mut from: BTreeMap<Source, f64> = BTreeMap::new();
        for (bit, weight) in bits {
            if network.is_half(bit)
                || matches!(network.op_of(bit), Some(Op::Choose { .. } | Op::Load(_)))
            {
                return None;
            }
            let (origin, _) = network.origin_of(bit);
            let source = match origin {
                Origin::Rotation { node, .. } => Source::Rotation(node),
                _ => Source::Signal(bit),
            };
            let variance = variance_of([(origin, weight)], self.model, self.buffer);
            *from.entry(source).or_insert(0.0) += variance.sqrt();
        }
        for (source, deviation) in from {
            let most = self.deviations.entry(source).or_insert(0.0);
            *most = most.max(deviation);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::chosen::bound_and_worst;
    use super::*;
    use crate::{Builder, ChoiceNoise, Profile, Tail};

    /// Numbers that are random enough.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005);
            self.0 = self.0.wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % end
        }
    }

    /// Where products add nothing no chain of choices is too long for a reader.
    #[test]
    fn long_chains_are_left_alone() {
        let mut profile = Profile::selector_simulation();
        let noise = &mut profile.lookup.as_mut().unwrap().noise;
        let tail = Tail {
            square: 0.1,
            limit: noise.limit,
        };
        noise.choice = Some(ChoiceNoise {
            variance: 0.0,
            tails: [tail; 2],
        });
        let model = *noise;
        let mut b = Builder::new(&profile);
        let mut chain = b.input();
        for _ in 0..100_000 {
            let (condition, other) = (b.input(), b.input());
            chain = b.choose(condition, other, chain);
        }
        let bits = [(chain.signal(), 1)];
        assert!(apart(&b, &bits, &model, &mut Vec::new()).is_none());
    }

    #[test]
    fn no_combination_is_worse() {
        let (mut some, mut close) = (0, 0);
        for round in 0..2_000u64 {
            let numbers = &mut Numbers(round);
            let mut profile = Profile::selector_simulation();
            let lookup = profile.lookup.as_mut().unwrap();
            let products = [0.0, 0.4][numbers.below(2)];
            let tail = |square, limit| Tail { square, limit };
            lookup.noise.choice = Some(ChoiceNoise {
                variance: products,
                tails: [tail(0.1, 520.0), tail(0.05, 450.0)],
            });
            let model = lookup.noise;
            let mut b = Builder::new(&profile);
            let conditions = b.inputs(8);
            let mut leaves = b.inputs(4);
            for _ in 0..2 + numbers.below(6) {
                let terms: Vec<(Wire, i8)> = b.inputs(3).into_iter().zip([1, 2, 4]).collect();
                leaves.extend(b.lookup(&terms, 0, &[0xaa, 0xcc, 0x96]));
            }
            // Sums of disjoint bits for all that the builder knows.
            let pair = [leaves[2], leaves[4]];
            leaves.push(b.disjoint(&pair));
            // Each condition at a level of its own, as far as it goes.
            let mut bits = leaves.clone();
            for &condition in &conditions {
                for _ in 0..numbers.below(4) {
                    let [then, otherwise] =
                        [bits.len(), leaves.len()].map(|end| numbers.below(end));
                    let otherwise = leaves[otherwise].invert_if(numbers.below(2) == 1);
                    bits.push(b.choose(condition, bits[then], otherwise));
                }
            }
            let sum = (0..2 + numbers.below(5)).map(|_| {
                let bit = bits[bits.len() - 1 - numbers.below(bits.len().min(16))];
                (bit, [1, 2, 4, -1][numbers.below(4)])
            });
            let mut bits = Vec::new();
            look_through(sum, |signal| b.summands_of(signal), &mut bits);
            if let (Some(bound), worst) = bound_and_worst(&b, &bits, &model) {
                assert!(bound >= worst - 1e-9, "{round}: {bound} < {worst}");
                some += 1;
                close += usize::from(bound < 1.2 * worst);
            }
        }
        // It says something of most sums, and is close for some of them.
        assert!(some > 1_500 && close > 200, "{some} {close}");
    }
}
