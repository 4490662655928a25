//! The noise of sums of bits that selectors chose.
//!
//! A choice's result has the noise of the bit that was chosen, and that of the product. Which bit was
//! chosen is secret, so the worst counts. Bits that one condition chose were chosen from the same
//! side: a sum is gone through once for each side of the condition of its newest choice, and what
//! both sides have in common is added up as it is. So neighbours of a word that come from one
//! rotation are counted exactly.
//!
//! That takes as many steps as a sum has combinations of conditions. Where they are too many, all
//! bits count as if they had the same error, each with the most that it can have ([`Most`]), or by
//! where their errors can come from ([`apart`](super::apart)); and where that is within the limit,
//! nobody asks for more. Many conditions are those of loads: from
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

use super::apart::apart;
use super::table::Function;
use super::variance::{Origin, look_through, variance_of};
use super::{HalfNoise, Load, Op, Signal, Term, Wire};
use crate::NoiseModel;
use crate::profile::{ChoiceNoise, Tail};

/// A condition that may be any: no signal's.
const ANY: Signal = Signal(u32::MAX);

/// Combinations that are gone through, at most: six conditions, one more than a shift has.
const COMBINATIONS: u32 = 1 << 6;

/// The most variance that one function of a rotation has: `‖v‖²` of one that changes at each of
/// sixteen values.
pub(crate) const ROTATION: f64 = 16.0;

/// What a product adds to a half, beside what it adds to a bit: as much at sixteen times the scale.
const HALF_SHARE: f64 = 1.0 / 256.0;

/// The most noise that a bit can have, whatever is fused later.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Most {
    /// The variance of what was chosen.
    pub(crate) carried: f64,
    /// Choices in a row; of halves by their share.
    pub(crate) depth: f64,
    /// Of them those by one condition of this circuit, at most.
    own: f64,
    /// And those by one condition of circuits before.
    before: f64,
    /// The conditions that chose, as a set of their numbers modulo 128, and the newest.
    conditions: u128,
    newest: u32,
}

/// The share of all products that one rotation's selectors have at least.
const LEAST: f64 = 1e-9;

/// The products of `depth` choices of which one condition made `repeated` at most, as a normal
/// variance under a tail. The weight is convex: the worst is that few conditions made as many as
/// they may. Two of a rotation count as one.
fn weight_of(tail: Tail, (depth, repeated): (f64, f64), variance: f64) -> f64 {
    if depth <= 0.0 {
        return 0.0;
    }
    // What came with a checkpoint may say anything.
    let of_rotation = (2.0 * repeated).clamp(LEAST * depth, depth);
    (depth / of_rotation).ceil() * tail.weight(of_rotation * variance)
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
            Op::Disjoint { terms } | Op::Subtotal { terms } => Some(terms),
            _ => None,
        }
    }

    /// Whether a signal is a bit at scale 1/2.
    fn is_half(&self, signal: Signal) -> bool;
}

/// The variance of `Σ weight·bit` over wires: the worst of what may have been chosen, products by
/// the weight of their tails.
pub(crate) fn variance<N: Network>(
    network: &N,
    terms: impl IntoIterator<Item = (Wire, i8)>,
    model: &NoiseModel,
    buffer: &mut Vec<(u32, Function, i32)>,
) -> f64 {
    variance_or_more(network, terms, model, buffer, f64::INFINITY)
}

/// The variance where it is at most `enough`, otherwise some number above that.
pub(crate) fn variance_or_more<N: Network>(
    network: &N,
    terms: impl IntoIterator<Item = (Wire, i8)>,
    model: &NoiseModel,
    buffer: &mut Vec<(u32, Function, i32)>,
    enough: f64,
) -> f64 {
    let mut bits = Vec::new();
    look_through(terms, |signal| network.summands_of(signal), &mut bits);
    if let [(bit, weight)] = *bits {
        if weight.abs() == 1 && network.is_half(bit) {
            return network.most_of(bit).variance(model);
        }
        // Nearly all that is asked of a single bit.
        if let Some(Op::Lookup { .. }) = network.op_of(bit) {
            let alone = variance_of([(network.origin_of(bit).0, weight)], model, buffer);
            if alone <= model.limit {
                return alone;
            }
        }
    }
    let mut search = Search {
        network,
        model,
        buffer,
        enough,
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
        if let Some(apart) = search.apart(&bits)
            && apart <= model.limit
        {
            return apart;
        }
    }
    let worst = search.worst(bits.clone());
    if worst <= model.limit {
        return worst;
    }
    // Where one condition chose twice in a row, products are counted one by one there, and all as
    // one here.
    worst.min(most_of_bits(network, &bits, model, &mut Vec::new()).variance(model))
}

impl Most {
    /// Of an input that is a half.
    pub(crate) fn of_input(noise: &HalfNoise) -> Self {
        Self {
            carried: noise.carried,
            depth: noise.products,
            before: noise.repeated,
            ..Self::default()
        }
    }

    /// What the next circuit has to know of it.
    pub(crate) fn as_input(&self) -> HalfNoise {
        HalfNoise {
            carried: self.carried,
            products: self.depth,
            repeated: self.repeated(),
        }
    }

    /// Products by one condition, at most.
    fn repeated(&self) -> f64 {
        self.own + self.before
    }

    /// Whether one condition may have chosen twice in a row.
    fn repeats(&self) -> bool {
        self.repeated() > 1.0
    }

    /// The variance of a bit by itself, at most: products by the weight of their tails.
    pub(crate) fn variance(&self, model: &NoiseModel) -> f64 {
        let Some(choice) = model.choice.filter(|_| self.depth > 0.0) else {
            return self.carried;
        };
        let products = (self.depth, self.repeated());
        let under = |tail: &Tail| {
            let weight = weight_of(*tail, products, choice.variance);
            model.limit * (self.carried + weight) / tail.limit
        };
        choice.tails.iter().map(under).fold(f64::INFINITY, f64::min)
    }

    /// The more of both in every respect.
    fn or(&mut self, other: &Self) {
        self.carried = self.carried.max(other.carried);
        self.depth = self.depth.max(other.depth);
        self.own = self.own.max(other.own);
        self.before = self.before.max(other.before);
        self.conditions |= other.conditions;
        self.newest = self.newest.max(other.newest);
    }

    /// `count` more products by a condition, each of this share.
    fn chosen_by(&mut self, condition: Signal, count: f64, share: f64) {
        let own = 1 << (condition.0 % 128);
        // A number of the set may be another condition's, but not one that is newer than all.
        let is_new = self.conditions & own == 0 || condition.0 > self.newest;
        self.depth += count * share;
        self.own = match is_new {
            true => self.own.max(count * share),
            false => self.own + count * share,
        };
        self.conditions |= own;
        self.newest = self.newest.max(condition.0);
    }

    /// Of a sum of as many bits, if all had this error.
    fn times(mut self, weights: f64) -> Self {
        let square = weights * weights;
        self.carried *= square;
        self.depth *= square;
        self.own *= square;
        self.before *= square;
        self
    }
}

/// A walk over combinations of conditions.
struct Search<'a, N> {
    network: &'a N,
    model: &'a NoiseModel,
    buffer: &'a mut Vec<(u32, Function, i32)>,
    /// Above which nobody asks how much it is.
    enough: f64,
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
pub(super) struct Product {
    pub(super) condition: Signal,
    /// The bits it is between, in order; between rows of bits if `None`.
    pub(super) between: Option<[Signal; 2]>,
    /// Without its sign.
    pub(super) weight: f64,
}

impl<N: Network> Search<'_, N> {
    fn choice(&self, signal: Signal) -> Option<(Signal, [Wire; 2])> {
        match self.network.op_of(signal) {
            Some(Op::Choose {
                select,
                then,
                otherwise,
            }) if !self.network.is_half(signal) => Some((select.signal(), [then, otherwise])),
            _ => None,
        }
    }

    fn is_loaded(&self, signal: Signal) -> bool {
        is_loaded(self.network, signal)
    }

    /// What loaded bits bring along, as one deviation; their products go on the way.
    fn loaded(&mut self, bits: &[(Signal, i32)]) -> f64 {
        let network = self.network;
        let loads = bits.iter().filter_map(|&(signal, weight)| {
            let Some(Op::Load(load)) = network.op_of(signal).filter(|_| is_loaded(network, signal))
            else {
                return None;
            };
            Some((load, network.most_of(signal), f64::from(weight.abs())))
        });
        let loads: Vec<(Load<'_>, Most, f64)> = loads.collect();
        let repeats = loads.iter().any(|(_, most, _)| most.repeats());
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
                product(ANY, weight * most.depth.sqrt());
                continue;
            }
            for bit in load.index() {
                product(bit.wire.signal(), weight);
            }
            // Those of its entries are by conditions that are not known here, other ones.
            for number in load.index().len() as u32..most.depth.ceil() as u32 {
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
            let others = |&&(signal, _): &&(Signal, i32)| !is_loaded(network, signal);
            let origins = bits.iter().filter(others).map(|&(signal, weight)| {
                if network.is_half(signal) {
                    // It will read the bit that a parity makes of it.
                    return (Origin::Parity, weight);
                }
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
            if most > self.enough {
                break;
            }
        }
        self.products.truncate(before);
        most
    }

    /// By where the errors may come from.
    fn apart(&mut self, bits: &[(Signal, i32)]) -> Option<f64> {
        let (normal, products) = apart(self.network, bits, self.model, self.buffer)?;
        let before = std::mem::replace(&mut self.products, products);
        let variance = self.under(normal);
        self.products = before;
        Some(variance)
    }

    /// Of bits that may all have the same error.
    fn together(&mut self, bits: &[(Signal, i32)]) -> f64 {
        let (mut deviation, mut weights, mut depth, mut repeats) = (0.0, 0.0, 0.0_f64, false);
        for &(signal, weight) in bits {
            let most = match self.network.is_half(signal) {
                true => Most {
                    carried: 1.0,
                    ..Most::default()
                },
                false => most(self.network, Wire::from(signal), self.model),
            };
            deviation += f64::from(weight.abs()) * most.carried.sqrt();
            weights += f64::from(weight.abs());
            depth = depth.max(most.depth);
            repeats |= most.repeats();
        }
        let before = self.products.len();
        // Signals that there are none of: different ones, unless a condition's errors add up.
        let product = |number: u32, weight| Product {
            condition: Signal(ANY.0 - number),
            between: Some([Signal(ANY.0 - number); 2]),
            weight,
        };
        match repeats {
            true => self.products.push(product(0, weights * depth.sqrt())),
            false => {
                let all = (0..depth.ceil() as u32).map(|number| product(number, weights));
                self.products.extend(all);
            }
        }
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

/// The bound by where errors come from, and the worst of all combinations.
#[cfg(test)]
pub(super) fn bound_and_worst<N: Network>(
    network: &N,
    bits: &[(Signal, i32)],
    model: &NoiseModel,
) -> (Option<f64>, f64) {
    let mut search = Search {
        network,
        model,
        buffer: &mut Vec::new(),
        enough: f64::INFINITY,
        left: 1 << 16,
        products: Vec::new(),
        known: None,
    };
    (search.apart(bits), search.worst(bits.to_vec()))
}

/// Whether a signal is a bit that was loaded.
fn is_loaded<N: Network>(network: &N, signal: Signal) -> bool {
    matches!(network.op_of(signal), Some(Op::Load(_))) && !network.is_half(signal)
}

/// The most noise that a bit can have, whatever is fused later.
pub(crate) fn most<N: Network>(network: &N, wire: Wire, model: &NoiseModel) -> Most {
    let signal = wire.signal();
    if network.is_half(signal) {
        return network.most_of(signal);
    }
    let carried = match network.op_of(signal) {
        None | Some(Op::Selector { .. }) => 0.0,
        Some(Op::Input(_)) => model.fresh,
        Some(Op::Choose { .. } | Op::Load(_)) => return network.most_of(signal),
        Some(Op::Parity { .. }) => 1.0,
        Some(Op::Disjoint { terms } | Op::Subtotal { terms }) => {
            let mut deviation = 0.0;
            let mut all = Most::default();
            for term in terms {
                let own = most(network, term.wire, model);
                deviation += own.carried.sqrt();
                all.or(&own);
            }
            all.carried = deviation * deviation;
            let weights = terms.len() as f64;
            // Products of as many bits at once, by one condition for all that is known.
            all.depth *= weights * weights;
            all.own = all.depth;
            return all;
        }
        Some(_) => ROTATION,
    };
    Most {
        carried,
        ..Most::default()
    }
}

/// That of a half that is the sum of distinct bits.
pub(crate) fn most_of_sum<N: Network>(
    network: &N,
    terms: impl IntoIterator<Item = (Wire, i8)>,
    model: &NoiseModel,
) -> Most {
    let mut bits = Vec::new();
    look_through(terms, |signal| network.summands_of(signal), &mut bits);
    most_of_bits(network, &bits, model, &mut Vec::new())
}

/// That of a sum of distinct signals that are no sums of disjoint bits: halves and what was chosen
/// count as if they all had the same error, which the others have, too.
fn most_of_bits<N: Network>(
    network: &N,
    bits: &[(Signal, i32)],
    model: &NoiseModel,
    buffer: &mut Vec<(u32, Function, i32)>,
) -> Most {
    let is_chosen = |signal: Signal| {
        network.is_half(signal)
            || matches!(network.op_of(signal), Some(Op::Choose { .. } | Op::Load(_)))
    };
    let plain = bits.iter().filter(|(signal, _)| !is_chosen(*signal));
    let origins = plain.map(|&(signal, weight)| {
        let (origin, inverted) = network.origin_of(signal);
        (origin, if inverted { -weight } else { weight })
    });
    let normal = variance_of(origins, model, buffer);
    let (mut deviation, mut weights, mut all) = (0.0, 0.0, Most::default());
    for &(signal, weight) in bits.iter().filter(|(signal, _)| is_chosen(*signal)) {
        let own = most(network, Wire::from(signal), model);
        let weight = f64::from(weight.abs());
        deviation += weight * own.carried.sqrt();
        weights += weight;
        all.or(&own);
    }
    let mut all = all.times(weights);
    all.carried = match deviation > 0.0 {
        true => (normal.sqrt() + deviation).powi(2),
        false => normal,
    };
    all
}

/// That of a choice, a load or a store.
pub(crate) fn most_of_chosen<N: Network>(network: &N, op: &Op<'_>, model: &NoiseModel) -> Most {
    match *op {
        Op::Choose {
            select,
            then,
            otherwise,
        } => {
            let sides = [then, otherwise];
            most_of_choices(network, [select.signal()], sides, model)
        }
        Op::Load(load) => {
            let index = load.index().iter().map(|bit| bit.wire.signal());
            let entries = load.entries().iter().map(|entry| entry.wire);
            most_of_choices(network, index, entries, model)
        }
        Op::Store(store) => {
            let conditions = || store.conditions().iter().map(|bit| bit.wire.signal());
            let entries = store.entries().iter().map(|entry| entry.wire);
            let mut all = most_of_all(network, entries, model);
            // What is written comes beside what is loaded and taken away.
            let mut word = most_of_all(network, store.word().iter().map(|bit| bit.wire), model);
            conditions().for_each(|bit| all.chosen_by(bit, 1.0, HALF_SHARE));
            conditions().for_each(|bit| word.chosen_by(bit, 2.0, HALF_SHARE));
            all.or(&word);
            all
        }
        Op::Linear { terms } => {
            let terms = terms.iter().map(|term| (term.wire, term.weight));
            most_of_sum(network, terms, model)
        }
        _ => Most::default(),
    }
}

/// That of any of some bits, behind a choice by each of some conditions.
fn most_of_choices<N: Network>(
    network: &N,
    conditions: impl IntoIterator<Item = Signal>,
    sides: impl Clone + IntoIterator<Item = Wire>,
    model: &NoiseModel,
) -> Most {
    let is_half = |wire: Wire| network.is_half(wire.signal());
    let share = match sides.clone().into_iter().any(is_half) {
        true => HALF_SHARE,
        false => 1.0,
    };
    let mut all = most_of_all(network, sides, model);
    for condition in conditions {
        all.chosen_by(condition, 1.0, share);
    }
    all
}

/// That of any of some bits.
pub(crate) fn most_of_all<N: Network>(
    network: &N,
    wires: impl IntoIterator<Item = Wire>,
    model: &NoiseModel,
) -> Most {
    let (mut all, mut last) = (Most::default(), None);
    for wire in wires {
        // Neighbours are often of one array.
        let own = most(network, wire, model);
        if last != Some(own) {
            all.or(&own);
            last = Some(own);
        }
    }
    all
}
