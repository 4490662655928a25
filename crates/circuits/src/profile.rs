//! What a target can do and what it costs: the plain data from which builders and passes choose.
//!
//! Engines make their own profile. A wrong one makes circuits slow, never wrong, but for the noise
//! model: its limit is the engine's promise about failures.

mod growth;
mod timing;

pub use growth::{NoiseAmount, NoiseGrowth};
pub use timing::Timing;

use crate::Op;
use crate::architectures::Architectures;
use crate::ir::table::{LARGEST, LARGEST_NEGACYCLIC};

/// A target. There will be more to know of one: it is made by [`Profile::new`], and its fields are
/// set from there.
///
/// ```
/// use blindcore_circuits::{LookupProfile, NoiseModel, OperationCosts, Profile, Timing};
///
/// // A target of lookups that take a millisecond each, and a quarter less in batches of two.
/// let cost = OperationCosts {
///     and: 1e6,
///     xor: 1e6,
///     mux: 1e6,
///     lookup: 1e6,
///     lookup_alone: 1e6,
///     refresh: 1e6,
/// };
/// let mut profile = Profile::new("mine", cost, 16_384).with_cores(2);
/// profile.lookup = Some(LookupProfile {
///     max_value: 15,
///     negacyclic: true,
///     parity: false,
///     noise: NoiseModel { fresh: 1.0, common: 0.0, choice: None, limit: 600.0 },
/// });
/// profile.batch = 2;
/// assert_eq!(profile.max_value(), Some(15));
/// // A selection that costs no more than a gate is kept.
/// assert!(profile.has_mux() && profile.has_refresh());
///
/// // As measured with one busy worker, then with two.
/// let timing = Timing::new(vec![vec![1e6, 1.5e6], vec![1.2e6, 1.8e6]]).unwrap();
/// assert_eq!(timing.rows().len(), 2);
/// assert_eq!((timing.batch(2, 2), timing.rotation()), (1.8e6, 0.75e6));
/// profile.set_timing(timing);
/// assert_eq!(profile.batch_time(2), 1.5e6);
/// assert_eq!(profile.batch_time_beside(2, 2), 1.8e6);
/// assert_eq!(profile.cost.lookup, 0.75e6);
///
/// // In circuits of many units that are independent, each takes the fewest operations.
/// assert_eq!(profile.for_wide_circuits().cores, 1);
/// // A levelled target has no refresh: its parameters are chosen by a circuit's depth.
/// assert!(!Profile::levelled_simulation().has_refresh());
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Profile {
    /// Who this is, for reports.
    pub name: String,
    /// The native lookup, `None` where there is none: the builder then writes AND and XOR.
    pub lookup: Option<LookupProfile>,
    /// Native selectors, `None` where there are none: choices are then selections.
    pub selectors: Option<SelectorProfile>,
    /// Time for each operation on one thread.
    pub cost: OperationCosts,
    /// Measured times of batches; without them they follow from the costs.
    pub timing: Option<Timing>,
    /// What one rotation takes that two workers share, in times of one alone; `None` where they cannot.
    pub shared: Option<f64>,
    /// How many ANDs may follow each other before a refresh is due; `None` means no bound, and
    /// `Some(u32::MAX)` that depth matters although nothing bounds it yet: parameters will be
    /// chosen by it.
    pub levels: Option<u32>,
    /// How noise grows where gates are no bootstraps; `None` where it does not, or where
    /// [`lookup`](Self::lookup) says so.
    pub growth: Option<NoiseGrowth>,
    /// How many independent rotations one worker evaluates best together; at least 1. Operations
    /// have one each but for [`Profile::rotations`].
    pub batch: usize,
    /// Memory for one evaluated bit, in bytes.
    pub bytes_per_bit: u64,
    /// Memory for a bit as it came from outside, in bytes: less where many share a ciphertext.
    pub bytes_per_input: u64,
    /// Threads that the target will run on: adders trade size for depth when there are many.
    pub cores: usize,
    /// Architectures that units are to be built in; by default the library chooses.
    pub architectures: Architectures,
}

/// A native lookup: any number of functions of one sum of bits, or a parity.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LookupProfile {
    /// The largest value that a sum may take; 15 at most.
    pub max_value: u8,
    /// Whether sums up to 31 have lookups, too, if those up to 15 have: of functions of which
    /// `f(t + 16) = ¬f(t)`.
    pub negacyclic: bool,
    /// Whether one rotation answers the parity of any number of bits
    /// ([`Op::Parity`]) as long as the variance of their sum is within
    /// the limit of [`noise`](Self::noise).
    pub parity: bool,
    /// How noise adds up.
    pub noise: NoiseModel,
}

/// Noise in units of the variance of one rotation's output with `‖v‖² = 1`
/// (see [`table`](crate::ir::table)).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NoiseModel {
    /// The variance of an input.
    pub fresh: f64,
    /// The share of a rotation's variance, 0 to 1, that all its coefficients have in common: it
    /// counts `4·mean(f²)` where the rest counts `‖v‖²`. 0 where nothing is known of it.
    pub common: f64,
    /// That of choices by selectors, where there are any.
    pub choice: Option<ChoiceNoise>,
    /// The largest variance of a sum for which a lookup keeps its failure probability. Below 32,
    /// or below `fresh`, not even a gate of two arbitrary bits is possible, and no pass can help.
    pub limit: f64,
}

/// Native selectors; times in nanoseconds, on one thread and in batches of [`Profile::batch`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SelectorProfile {
    /// A rotation that makes up to two selectors.
    pub rotation: f64,
    /// A choice by one.
    pub choice: f64,
    /// Memory of one.
    pub bytes: u64,
    /// Rows of bits, of which a load chooses whole ones.
    pub row: RowProfile,
}

/// Rows of bits that are chosen together; times in nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RowProfile {
    /// Bits in a row.
    pub bits: usize,
    /// A choice between two rows.
    pub choice: f64,
    /// Bringing one bit that was computed into its row.
    pub pack: f64,
}

impl RowProfile {
    /// Choices that a load makes from so many words, 2^`index`, of a width.
    #[must_use]
    pub fn choices(&self, index: usize, width: usize) -> usize {
        let words = (self.bits / width.max(1).next_power_of_two()).max(1);
        let rows = (1usize << index.min(40)).div_ceil(words);
        rows - 1 + index.min(words.ilog2() as usize)
    }

    /// Those that a store makes, which loads the old word, too.
    #[must_use]
    pub(crate) fn store_choices(&self, store: &crate::ir::Store<'_>) -> usize {
        let index = store.index().len();
        2 * self.choices(index, store.width()) + store.conditions().len() - index
    }

    /// What a store takes: beside choices the packing of the difference, of which the bits of
    /// neighbours take the longest, seven automorphisms each.
    fn store(&self, store: &crate::ir::Store<'_>) -> f64 {
        let packed = 7.0 * self.pack * store.width() as f64;
        self.choice * self.store_choices(store) as f64 + packed
    }

    /// The most bits of a word that is loaded at once.
    #[must_use]
    pub fn widest(&self) -> usize {
        self.bits / 2
    }
}

impl SelectorProfile {
    /// The same on a machine that takes so many times as long.
    pub fn scale(&mut self, factor: f64) {
        let row = &mut self.row;
        for time in [
            &mut self.rotation,
            &mut self.choice,
            &mut row.choice,
            &mut row.pack,
        ] {
            *time *= factor;
        }
    }
}

/// The noise of choices, in units of [`NoiseModel`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ChoiceNoise {
    /// What a choice adds: the sum of four products of two normal numbers, of which one, an error of
    /// the selector, is common to all its choices.
    pub variance: f64,
    /// Ways to weigh such sums, of which the best counts.
    pub tails: [Tail; 2],
}

/// A bound on sums of normal numbers and of products of them, for one λ of H. Chernoff's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tail {
    /// λ², in units of 1 over the variance.
    pub square: f64,
    /// The largest weighted variance that keeps the promise.
    pub limit: f64,
}

impl Tail {
    /// What the choices by one rotation's selectors count, of this variance together: more than
    /// that, and infinitely much where the bound does not hold.
    #[must_use]
    pub fn weight(&self, products: f64) -> f64 {
        let share = self.square * products / 4.0;
        match share < 1.0 {
            true => -4.0 / self.square * (-share).ln_1p(),
            false => f64::INFINITY,
        }
    }
}

/// Nanoseconds for each operation, on one thread and in batches of [`Profile::batch`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OperationCosts {
    /// Both.
    pub and: f64,
    /// Exactly one.
    pub xor: f64,
    /// A selection; where it costs no less than an AND and two XORs it is written with them.
    pub mux: f64,
    /// A lookup of any number of outputs, or a native parity; without meaning where there is no
    /// native one.
    pub lookup: f64,
    /// A lookup that is evaluated by itself: no less than one in a batch.
    pub lookup_alone: f64,
    /// A refresh; infinite where there is none, as in levelled schemes.
    pub refresh: f64,
}

impl Profile {
    /// A target of gates: without lookups, bounds or measured times, for one thread and one
    /// operation at a time; the library chooses all architectures.
    #[must_use]
    pub fn new(name: impl Into<String>, cost: OperationCosts, bytes_per_bit: u64) -> Self {
        Self {
            name: name.into(),
            lookup: None,
            selectors: None,
            cost,
            timing: None,
            shared: None,
            levels: None,
            growth: None,
            batch: 1,
            bytes_per_bit,
            bytes_per_input: bytes_per_bit,
            cores: 1,
            architectures: Architectures::default(),
        }
    }

    /// The profile of a TFHE-like engine for tests and estimates without a key: lookups of values
    /// up to 15, parities, a noise limit of 580, one unit of time for each rotation.
    #[must_use]
    pub fn lookup_simulation() -> Self {
        let cost = OperationCosts {
            and: 1.0,
            xor: 1.0,
            mux: 1.0,
            lookup: 1.0,
            lookup_alone: 1.0,
            refresh: 1.0,
        };
        Self {
            lookup: Some(LookupProfile {
                max_value: 15,
                negacyclic: true,
                parity: true,
                noise: NoiseModel {
                    fresh: 1.0,
                    common: 0.0,
                    choice: None,
                    limit: 580.0,
                },
            }),
            batch: 4,
            ..Self::new("lookup simulation", cost, 8)
        }
    }

    /// The same with selectors: a rotation that makes up to two of them takes four units, a choice
    /// a fiftieth, one between rows of 64 bits a thirtieth.
    #[must_use]
    pub fn selector_simulation() -> Self {
        let mut profile = Self::lookup_simulation();
        profile.name = "selector simulation".to_owned();
        profile.selectors = Some(SelectorProfile {
            rotation: 4.0,
            choice: 0.02,
            bytes: 100,
            row: RowProfile {
                bits: 64,
                choice: 0.03,
                pack: 0.04,
            },
        });
        if let Some(lookup) = &mut profile.lookup {
            lookup.noise.choice = Some(ChoiceNoise {
                variance: 0.4,
                tails: [(0.1, 520.0), (0.05, 450.0)].map(|(square, limit)| Tail { square, limit }),
            });
        }
        profile
    }

    /// The profile of an engine that has AND and XOR only, where an AND costs a unit of time and
    /// an XOR a thousandth.
    #[must_use]
    pub fn gate_simulation() -> Self {
        let cost = OperationCosts {
            and: 1.0,
            xor: 0.001,
            mux: 1.002,
            lookup: 0.0,
            lookup_alone: 0.0,
            refresh: 20.0,
        };
        Self::new("gate simulation", cost, 8)
    }

    /// The profile of a levelled scheme without a refresh, whose parameters will be chosen by the
    /// depth: as [`Self::gate_simulation`], but each AND costs a level, too.
    #[must_use]
    pub fn levelled_simulation() -> Self {
        let gates = Self::gate_simulation();
        Self {
            name: "levelled simulation".to_owned(),
            cost: OperationCosts {
                refresh: f64::INFINITY,
                ..gates.cost
            },
            levels: Some(u32::MAX),
            ..gates
        }
    }

    /// The same target run on `cores` threads, at least one: adders trade size for depth when there
    /// are many.
    #[must_use]
    pub fn with_cores(mut self, cores: usize) -> Self {
        self.cores = cores.max(1);
        self
    }

    /// The same target with architectures that are forced.
    #[must_use]
    pub fn with_architectures(mut self, architectures: Architectures) -> Self {
        self.architectures = architectures;
        self
    }

    /// Time for `count` lookups that one worker evaluates together while no other is busy, in
    /// nanoseconds; as measured, or as [`Self::batch_time_beside`] derives it.
    #[must_use]
    pub fn batch_time(&self, count: usize) -> f64 {
        self.batch_time_beside(count, 1)
    }

    /// Time for a batch of `rotations` rotations while `busy` workers are, this one among them.
    /// Where it was not measured, a full batch is bound by arithmetic, and a small one by the
    /// stream of the key, which it needs once.
    #[must_use]
    pub fn batch_time_beside(&self, rotations: usize, busy: usize) -> f64 {
        match &self.timing {
            Some(timing) => timing.batch(rotations, busy),
            None if rotations == 0 => 0.0,
            None => {
                let alone = match self.lookup {
                    Some(_) => self.cost.lookup_alone,
                    None => 0.0,
                };
                (rotations as f64 * self.rotation()).max(alone)
            }
        }
    }

    /// Takes measured times for the engine's own: those of batches, and the costs of operations of
    /// one rotation. Selections and selectors keep their proportion to an AND.
    pub fn set_timing(&mut self, timing: Timing) {
        let rotation = timing.rotation();
        let cost = &mut self.cost;
        cost.mux *= rotation / cost.and;
        (cost.and, cost.xor, cost.refresh) = (rotation, rotation, rotation);
        if let Some(selectors) = &mut self.selectors {
            selectors.scale(rotation / cost.lookup);
        }
        if self.lookup.is_some() {
            cost.lookup = rotation;
            cost.lookup_alone = timing.batch(1, 1);
        }
        self.timing = Some(timing);
    }

    /// The time of one rotation in a full batch: that of a lookup, or where there is none of an
    /// AND.
    fn rotation(&self) -> f64 {
        match self.lookup {
            Some(_) => self.cost.lookup,
            None => self.cost.and,
        }
    }

    /// How many places of a batch an operation takes: as many as rotations make up its cost, at
    /// least one, but none if it is free. A rotation that makes selectors takes one, however long:
    /// its key is a longer stream, which those of a batch share. A choice by a selector rotates
    /// nothing.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile};
    ///
    /// let mut profile = Profile::lookup_simulation();
    /// // A selection of two rotations takes two places.
    /// profile.cost.mux = 2.0;
    /// let mut build = Builder::new(&profile);
    /// let bits = build.inputs(3);
    /// let selected = build.mux(bits[0], bits[1], bits[2]);
    /// build.output(selected);
    /// let circuit = build.finish();
    /// let places: Vec<usize> = circuit.nodes().map(|node| profile.rotations(&circuit.op(node))).collect();
    /// assert_eq!(places, [0, 0, 0, 2]);
    /// ```
    #[must_use]
    pub fn rotations(&self, op: &Op<'_>) -> usize {
        match op {
            Op::Selector { .. } if self.selectors.is_some() => 1,
            Op::Choose { .. } if self.selectors.is_some() => 0,
            _ => self.places(self.time(op)),
        }
    }

    /// The places of an operation that costs so much.
    pub(crate) fn places(&self, cost: f64) -> usize {
        if cost == 0.0 {
            return 0;
        }
        // What is no number or has no bound counts one; a conversion saturates.
        ((cost / self.rotation()).round() as usize).clamp(1, 1 << 16)
    }

    /// What an operation of several places takes beside their rotations: a selection of two that
    /// ends in one key switch takes less than they do.
    pub(crate) fn beside(&self, cost: f64, places: usize) -> f64 {
        cost - places as f64 * self.rotation()
    }

    /// The same target for circuits that have width of their own: units then take the fewest
    /// operations, and leave it to their neighbours to fill batches and cores.
    #[must_use]
    pub fn for_wide_circuits(mut self) -> Self {
        self.cores = 1;
        self.timing = None;
        self.cost.lookup_alone = self.cost.lookup;
        self
    }

    /// Whether selections are kept, or written with AND and XOR.
    #[must_use]
    pub fn has_mux(&self) -> bool {
        self.cost.mux < self.cost.and + 2.0 * self.cost.xor
    }

    /// Whether there is a refresh at all.
    #[must_use]
    pub fn has_refresh(&self) -> bool {
        self.cost.refresh.is_finite()
    }

    /// Whether parities of any number of bits are native.
    #[must_use]
    pub(crate) fn has_parity(&self) -> bool {
        self.lookup.is_some_and(|lookup| lookup.parity)
    }

    /// Whether progress counts an operation: whether it takes time. Choices, loads and stores by
    /// selectors take little beside the rotations of these.
    #[must_use]
    pub fn is_counted(&self, op: &Op<'_>) -> bool {
        match op {
            Op::Choose { .. } | Op::Load(_) | Op::Store(_) if self.selectors.is_some() => false,
            _ => self.time(op) > 0.0,
        }
    }

    /// Time for an operation on one thread. A parity that is not native is a chain of XORs.
    #[must_use]
    pub fn time(&self, op: &Op<'_>) -> f64 {
        match op {
            Op::Input(_) => 0.0,
            Op::And(..) => self.cost.and,
            Op::Xor(..) => self.cost.xor,
            Op::Mux { .. } => self.cost.mux,
            Op::Lookup { .. } => self.cost.lookup,
            Op::Parity { .. } if self.has_parity() => self.cost.lookup,
            Op::Parity { terms } => self.cost.xor * terms.len().saturating_sub(1) as f64,
            // Ciphertexts that can be looked up by their sum can be added.
            Op::Disjoint { .. } | Op::Subtotal { .. } if self.lookup.is_some() => 0.0,
            Op::Disjoint { terms } | Op::Subtotal { terms } => {
                self.cost.xor * terms.len().saturating_sub(1) as f64
            }
            Op::Refresh(_) => self.cost.refresh,
            Op::Selector { .. } => self.selectors.map_or(self.cost.lookup, |it| it.rotation),
            Op::Choose { .. } => self.selectors.map_or(self.cost.mux, |it| it.choice),
            Op::Load(load) => match self.selectors {
                Some(SelectorProfile { row, .. }) => {
                    row.choice * row.choices(load.index().len(), load.width()) as f64
                }
                None => self.cost.mux * load.entries().len() as f64,
            },
            Op::Store(store) => match self.selectors {
                Some(SelectorProfile { row, .. }) => row.store(store),
                None => self.cost.mux * store.entries().len() as f64,
            },
            Op::Linear { .. } if self.lookup.is_some() => 0.0,
            Op::Linear { terms } => self.cost.xor * terms.len().saturating_sub(1) as f64,
        }
    }

    /// The largest sum that a lookup may have whose functions suit it, `None` where lookups are not
    /// native.
    #[must_use]
    pub(crate) fn largest_sum(&self) -> Option<u8> {
        let max_value = self.max_value()?;
        match self.lookup?.negacyclic && max_value == LARGEST {
            true => Some(LARGEST_NEGACYCLIC),
            false => Some(max_value),
        }
    }

    /// The largest value of a lookup's sum, `None` where lookups are not native.
    #[must_use]
    pub fn max_value(&self) -> Option<u8> {
        self.lookup.map(|lookup| lookup.max_value.min(15))
    }
}
