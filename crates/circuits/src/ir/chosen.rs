//! The noise of sums of bits that selectors chose.
//!
//! A choice's result has the noise of the bit that was chosen, and that of the product. Which bit was
//! chosen is secret, so the worst counts. Bits that one condition chose were chosen from the same
//! side: a sum is gone through once for each side of the condition of its newest choice, and what
//! both sides have in common is added up as it is. So neighbours of a word that come from one
//! rotation are counted exactly.
//!
//! That takes as many steps as a sum has combinations of conditions. Where they are too many, all
//! bits count as if they had the same error, each with the most that it can have ([`Most`]); and
//! where that is within the limit, nobody asks for more. Many conditions are those of loads: from
//! inputs or constants, of which three places are within it, or from computed bits, of which even
//! an exact count is not.
//!
//! # Tails
//!
//! The products of one selector have its errors in common, so that over all selectors their sum is no
//! normal number: its tail falls as e^-x. What a condition's products come to is therefore weighted
//! ([`Tail`]): for any λ, by H. Chernoff's bound, an error of normal variance g and of products of
//! variance p, four to a choice, fails as seldom as one of normal variance
//! `g − Σ (4/λ²)·ln(1 − λ²p/4)` under the limit of that λ. A rotation makes selectors of two
//! conditions, which share errors: which two is not known here, and the worst is that of neighbours
//! by size, since the weight is convex.
//!
//! Products of one difference have one error: the smaller and the larger of two words, `s ? x : y`
//! and `s ? y : x`, or one pair of bits chosen by two conditions of a rotation. Such weights are added
//! before they are squared.
//!
//! A load chooses whole rows: its products are those of one difference of polynomials, and what they
//! add to neighbouring bits of a word is half the same error. All bits that were loaded by a
//! condition count as if it were the whole, from whatever arrays, and so do choices beside them (where
//! entries may have been chosen by the same conditions, by any condition). What an entry brings along may be any entry's: all that was loaded counts as if it had one error, which
//! the rest of the sum has, too.

use super::variance::{Origin, look_through, variance_of};
use super::{Load, Op, Signal, Term, Wire};
use crate::NoiseModel;
use crate::profile::{ChoiceNoise, Tail};

/// A condition that may be any: no signal's.
const ANY: Signal = Signal(u32::MAX);

/// Combinations that are gone through, at most: six conditions, one more than a shift has.
const COMBINATIONS: u32 = 1 << 6;

/// The most variance that one function of a rotation has: `‖v‖²` of one that changes at each of
/// sixteen values.
const ROTATION: f64 = 16.0;

/// The most noise that a bit can have, whatever is fused later.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Most {
    /// The variance of what was chosen.
    pub(crate) carried: f64,
    /// Choices in a row.
    pub(crate) depth: u32,
    /// The conditions that chose, as a set of their numbers modulo 128.
    conditions: u128,
    /// Whether one of them may have chosen twice in a row.
    repeats: bool,
}

/// Where bits come from.
pub(crate) trait Network {
    /// The operation that computes a signal; `None` for the constant.
    fn op_of(&self, signal: Signal) -> Option<Op<'_>>;

    /// Where the noise of a signal that is neither a sum nor chosen comes from, and whether it is
    /// evaluated inverted.
    fn origin_of(&self, signal: Signal) -> (Origin, bool);

    /// What [`most`] says of a choice or a load, as it was recorded.
    fn most_of(&self, chosen: Signal) -> Most;

    /// The bits whose sum a signal is; `None` for one that is not a sum.
    fn summands_of(&self, signal: Signal) -> Option<&[Term]> {
        match self.op_of(signal)? {
            Op::Disjoint { terms } => Some(terms),
            _ => None,
        }
    }
}

/// The variance of `Σ weight·bit` over wires: the worst of what may have been chosen, products by
/// the weight of their tails.
pub(crate) fn variance<N: Network>(
    network: &N,
    terms: impl IntoIterator<Item = (Wire, i8)>,
    model: &NoiseModel,
    buffer: &mut Vec<(u32, u16, i32)>,
) -> f64 {
    let mut bits = Vec::new();
    look_through(terms, |signal| network.summands_of(signal), &mut bits);
    let mut search = Search {
        network,
        model,
        buffer,
        left: COMBINATIONS,
        products: Vec::new(),
        known: None,
    };
    if bits
        .iter()
        .any(|&(signal, _)| search.choice(signal).is_some())
        && !bits.iter().any(|&(signal, _)| search.is_loaded(signal))
    {
        let together = search.together(&bits);
        if together <= model.limit {
            return together;
        }
    }
    search.worst(bits)
}

impl Most {
    /// The variance of a bit by itself, at most: products by the weight of their tails.
    pub(crate) fn variance(&self, model: &NoiseModel) -> f64 {
        let Some(choice) = model.choice.filter(|_| self.depth > 0) else {
            return self.carried;
        };
        let depth = f64::from(self.depth);
        let under = |tail: &Tail| {
            let weight = match self.repeats {
                true => tail.weight(depth * choice.variance),
                false => (depth / 2.0).ceil() * tail.weight(2.0 * choice.variance),
            };
            model.limit * (self.carried + weight) / tail.limit
        };
        choice.tails.iter().map(under).fold(f64::INFINITY, f64::min)
    }
}

/// A walk over combinations of conditions.
struct Search<'a, N> {
    network: &'a N,
    model: &'a NoiseModel,
    buffer: &'a mut Vec<(u32, u16, i32)>,
    left: u32,
    /// The choices on the way.
    products: Vec<Product>,
    /// The last of them that were weighted, and what they came to by each tail: nearly always the
    /// same for all combinations.
    known: Option<Known>,
}

type Known = (Vec<Product>, [f64; 2]);

/// A choice in a sum.
#[derive(Clone, Copy, PartialEq)]
struct Product {
    condition: Signal,
    /// The bits it is between, in order; between rows of bits if `None`.
    between: Option<[Signal; 2]>,
    /// Without its sign.
    weight: f64,
}

impl<N: Network> Search<'_, N> {
    fn choice(&self, signal: Signal) -> Option<(Signal, [Wire; 2])> {
        match self.network.op_of(signal) {
            Some(Op::Choose {
                select,
                then,
                otherwise,
            }) => Some((select.signal(), [then, otherwise])),
            _ => None,
        }
    }

    fn is_loaded(&self, signal: Signal) -> bool {
        matches!(self.network.op_of(signal), Some(Op::Load(_)))
    }

    /// What loaded bits bring along, as one deviation; their products go on the way.
    fn loaded(&mut self, bits: &[(Signal, i32)]) -> f64 {
        let network = self.network;
        let loads = bits.iter().filter_map(|&(signal, weight)| {
            let Op::Load(load) = network.op_of(signal)? else {
                return None;
            };
            Some((load, network.most_of(signal), f64::from(weight.abs())))
        });
        let loads: Vec<(Load<'_>, Most, f64)> = loads.collect();
        let repeats = loads.iter().any(|(_, most, _)| most.repeats);
        let mut deviation = 0.0;
        for (load, most, weight) in loads {
            deviation += weight * most.carried.sqrt();
            let mut product = |condition, weight| {
                self.products.push(Product {
                    condition,
                    between: None,
                    weight,
                });
            };
            if repeats {
                product(ANY, weight * f64::from(most.depth).sqrt());
                continue;
            }
            for bit in load.index() {
                product(bit.wire.signal(), weight);
            }
            // Those of its entries are by conditions that are not known here, other ones.
            for number in load.index().len() as u32..most.depth {
                product(Signal(ANY.0 - 1 - number), weight);
            }
        }
        deviation
    }

    /// Of distinct signals that are no sums.
    fn worst(&mut self, bits: Vec<(Signal, i32)>) -> f64 {
        let chosen = bits.iter().filter_map(|&(signal, _)| {
            let (condition, _) = self.choice(signal)?;
            Some((signal, condition))
        });
        let Some((_, condition)) = chosen.max() else {
            let network = self.network;
            let before = self.products.len();
            let loaded = self.loaded(&bits);
            let others = |&&(signal, _): &&(Signal, i32)| {
                !matches!(network.op_of(signal), Some(Op::Load(_)))
            };
            let origins = bits.iter().filter(others).map(|&(signal, weight)| {
                let (origin, inverted) = network.origin_of(signal);
                (origin, if inverted { -weight } else { weight })
            });
            self.left = self.left.saturating_sub(1);
            let mut normal = variance_of(origins, self.model, self.buffer);
            if loaded > 0.0 {
                normal = (normal.sqrt() + loaded).powi(2);
            }
            let variance = self.under(normal);
            self.products.truncate(before);
            return variance;
        };
        if self.left == 0 {
            return self.together(&bits);
        }
        let before = self.products.len();
        let mut sides = [Vec::new(), Vec::new()];
        for &(signal, weight) in &bits {
            match self.choice(signal) {
                Some((found, operands)) if found == condition => {
                    let mut between = operands.map(Wire::signal);
                    between.sort_unstable();
                    self.products.push(Product {
                        condition,
                        between: Some(between),
                        weight: f64::from(weight.abs()),
                    });
                    for (side, wire) in sides.iter_mut().zip(operands) {
                        side.push((wire, weight));
                    }
                }
                _ => sides
                    .iter_mut()
                    .for_each(|side| side.push((Wire::from(signal), weight))),
            }
        }
        let mut most = 0.0_f64;
        for side in sides {
            let mut bits = Vec::new();
            let network = self.network;
            look_through(side, |signal| network.summands_of(signal), &mut bits);
            most = most.max(self.worst(bits));
        }
        self.products.truncate(before);
        most
    }

    /// Of bits that may all have the same error.
    fn together(&mut self, bits: &[(Signal, i32)]) -> f64 {
        let (mut deviation, mut weights, mut depth, mut repeats) = (0.0, 0.0, 0, false);
        for &(signal, weight) in bits {
            let most = most(self.network, Wire::from(signal), self.model);
            deviation += f64::from(weight.abs()) * most.carried.sqrt();
            weights += f64::from(weight.abs());
            depth = depth.max(most.depth);
            repeats |= most.repeats;
        }
        let before = self.products.len();
        // Signals that there are none of: different ones, unless a condition's errors add up.
        let more = (0..depth).map(|number| Product {
            condition: Signal(ANY.0 - if repeats { 0 } else { number }),
            between: Some([Signal(ANY.0 - number); 2]),
            weight: weights,
        });
        self.products.extend(more);
        let variance = self.under(deviation * deviation);
        self.products.truncate(before);
        variance
    }

    /// Normal noise and the products of the way, as one variance under the model's limit.
    fn under(&mut self, normal: f64) -> f64 {
        let Some(choice) = &self.model.choice else {
            return normal;
        };
        if self.products.is_empty() {
            return normal;
        }
        let weights = match &self.known {
            Some((products, weights)) if *products == self.products => *weights,
            _ => {
                let weights = self.weights(choice);
                self.known = Some((self.products.clone(), weights));
                weights
            }
        };
        let under =
            |(tail, weight): (&Tail, f64)| self.model.limit * (normal + weight) / tail.limit;
        choice
            .tails
            .iter()
            .zip(weights)
            .map(under)
            .fold(f64::INFINITY, f64::min)
    }

    /// What the products of the way count by each tail.
    fn weights(&self, choice: &ChoiceNoise) -> [f64; 2] {
        let weigh = |same: &[Product]| same.iter().map(|product| product.weight).sum::<f64>();
        let mut products = self.products.clone();
        products.sort_unstable_by_key(|product| (product.between, product.condition));
        let rows = products.partition_point(|product| product.between.is_none());
        let (rows, bits) = products.split_at(rows);
        let differences = bits.chunk_by(|a, b| a.between == b.between);
        let mut squares: Vec<(Signal, f64, f64)> = differences
            .filter_map(|same| Some((same.first()?.condition, weigh(same).powi(2), 0.0)))
            .collect();
        let by_rows = rows.chunk_by(|a, b| a.condition == b.condition);
        squares
            .extend(by_rows.filter_map(|same| Some((same.first()?.condition, 0.0, weigh(same)))));
        squares.sort_unstable_by_key(|&(condition, ..)| condition);
        let is_any = squares
            .last()
            .is_some_and(|&(condition, ..)| condition == ANY);
        let by_condition = squares.chunk_by(|a, b| a.0 == b.0 || is_any);
        let by_condition = by_condition.map(|same| {
            let of_bits: f64 = same.iter().map(|&(_, square, _)| square).sum();
            let of_rows: f64 = same.iter().map(|&(.., weight)| weight).sum();
            match of_rows > 0.0 {
                true => (of_bits.sqrt() + of_rows).powi(2),
                false => of_bits,
            }
        });
        let mut squares: Vec<f64> = by_condition.collect();
        squares.sort_unstable_by(|a, b| b.total_cmp(a));
        let rotations = squares.chunks(2);
        let rotations = rotations.map(|pair| choice.variance * pair.iter().sum::<f64>());
        let rotations: Vec<f64> = rotations.collect();
        let weight = |tail: Tail| {
            rotations
                .iter()
                .map(|&products| tail.weight(products))
                .sum()
        };
        choice.tails.map(weight)
    }
}

/// The most noise that a bit can have, whatever is fused later.
pub(crate) fn most<N: Network>(network: &N, wire: Wire, model: &NoiseModel) -> Most {
    let signal = wire.signal();
    let carried = match network.op_of(signal) {
        None | Some(Op::Selector { .. }) => 0.0,
        Some(Op::Input(_)) => model.fresh,
        Some(Op::Choose { .. } | Op::Load(_)) => return network.most_of(signal),
        Some(Op::Parity { .. }) => 1.0,
        Some(Op::Disjoint { terms }) => {
            let all = terms.iter().map(|term| most(network, term.wire, model));
            let mut most = Most::default();
            for own in all {
                most.carried += own.carried.sqrt();
                most.depth = most.depth.max(own.depth);
                most.conditions |= own.conditions;
                most.repeats |= own.repeats;
            }
            most.carried *= most.carried;
            // Products of as many bits at once, by one condition for all that is known.
            most.repeats |= most.depth > 0;
            most.depth = (most.depth).saturating_mul((terms.len() * terms.len()) as u32);
            return most;
        }
        Some(_) => ROTATION,
    };
    Most {
        carried,
        ..Most::default()
    }
}

/// That of a choice or a load.
pub(crate) fn most_of_chosen<N: Network>(network: &N, op: &Op<'_>, model: &NoiseModel) -> Most {
    match *op {
        Op::Choose {
            select,
            then,
            otherwise,
        } => most_of_choices(network, [select.signal()], [then, otherwise], model),
        Op::Load(load) => {
            let index = load.index().iter().map(|bit| bit.wire.signal());
            let entries = load.entries().iter().map(|entry| entry.wire);
            most_of_choices(network, index, entries, model)
        }
        _ => Most::default(),
    }
}

/// That of any of some bits, behind a choice by each of some conditions.
fn most_of_choices<N: Network>(
    network: &N,
    conditions: impl IntoIterator<Item = Signal>,
    sides: impl IntoIterator<Item = Wire>,
    model: &NoiseModel,
) -> Most {
    let mut all = Most::default();
    for side in sides {
        let side = most(network, side, model);
        all.carried = all.carried.max(side.carried);
        all.depth = all.depth.max(side.depth);
        all.conditions |= side.conditions;
        all.repeats |= side.repeats;
    }
    for condition in conditions {
        let own = 1 << (condition.0 % 128);
        all.depth = all.depth.saturating_add(1);
        all.repeats |= all.conditions & own != 0;
        all.conditions |= own;
    }
    all
}
