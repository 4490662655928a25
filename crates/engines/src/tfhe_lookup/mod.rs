//! TFHE with native lookups: one bootstrap evaluates any number of functions of a weighted sum.
//!
//! A bit is an LWE ciphertext under the big key at scale 1/32, so sums of bits are sums of
//! ciphertexts and sixteen values fit the half torus. Every operation of a circuit becomes one
//! lookup: an AND is the function `t = 2` of `t = a + b`, a three-bit adder slice four functions
//! of `t = Σ 2ⁱ(aᵢ + bᵢ) + c`. A parity takes any number of bits, and bits of which at
//! most one is 1 are added without any rotation. Batches of independent operations
//! read the bootstrapping key once.
//!
//! The engine's [`Profile`] carries the parameter set's noise budget in the units of `circuits`:
//! a lookup is allowed when it fails with probability at most the set's promise. Time depends on
//! the circuit and the parameter set only.

mod batch;
mod calibrate;
mod gate;
mod selectors;

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use circuits::exec::{Duet, LoadJob, Selected, Selector, StoreJob};
use circuits::ir::table::is_negacyclic;
use circuits::{Gates, Job, LookupJob, LookupProfile, NoiseModel, OperationCosts, Profile};
use tfhe::leveled::{self, LeveledKey, LeveledWork};
use tfhe::noise::NoiseBudget;
use tfhe::{
    Lookup, LweCiphertext, Parameters, Rotation, Scratch, ServerKey, TfheError, TruthTable,
};

pub use batch::batch;
pub use calibrate::{Calibration, calibrate, calibrate_on, compare, timing};
pub use selectors::with_selectors;
pub use tfhe::gate::Gate;

/// Nanoseconds that a lookup is taken to cost for each transform of its blind rotation, before
/// [`calibrate`] has measured the machine.
const NANOSECONDS_PER_TRANSFORM: f64 = 5_000.0;

/// How much longer a lookup takes by itself, before it was measured: it waits for the key's stream.
const ALONE: f64 = 1.25;

/// What a rotation takes that two threads share, before it was measured: see the record `duet`.
const SHARED: f64 = 0.75;

/// Where a helper kept somebody waiting because the cores are busy with other things: how many rotations
/// are not shared after that.
const PAUSE: usize = 256;

/// A bit of packed inputs: its share of a row, mask and body, its place, and counts of who holds it.
const INPUT_BYTES: u64 = (2 * size_of::<u64>() + size_of::<LweCiphertext>() + 32) as u64;

/// t = a + b: both.
const BOTH: TruthTable = TruthTable(0b100);
/// t = a + b: exactly one.
const ONE: TruthTable = TruthTable(0b010);
/// t = a: the bit itself.
const SAME: TruthTable = TruthTable(0b10);
/// t = otherwise + 2·then + 4·select.
const MUX: TruthTable = TruthTable(0b1100_1010);

/// The engine: a server key and what circuits have to know of it.
#[derive(Clone, Debug)]
pub struct TfheLookup {
    key: Arc<ServerKey>,
    leveled: Option<Arc<LeveledKey>>,
    profile: Profile,
    /// How often from here on nobody is asked to share a rotation.
    pause: Arc<AtomicUsize>,
}

impl TfheLookup {
    /// An engine on a key, for circuits of a profile: [`profile()`] of the key's parameters, and
    /// what is known of threads, of the machine and of the circuits.
    #[must_use]
    pub fn new(key: Arc<ServerKey>, profile: Profile) -> Self {
        Self {
            key,
            leveled: None,
            profile,
            pause: Arc::default(),
        }
    }

    /// The same with the second part of the key, for circuits of a profile
    /// [`with_selectors`].
    #[must_use]
    pub fn with_leveled(mut self, key: Arc<LeveledKey>) -> Self {
        self.leveled = Some(key);
        self
    }

    /// The server key.
    #[must_use]
    pub fn key(&self) -> &Arc<ServerKey> {
        &self.key
    }

    /// Buffers for selectors.
    fn work<'a>(&self, key: &LeveledKey, scratch: &'a mut Buffers) -> &'a mut LeveledWork {
        let Buffers { lookups, leveled } = scratch;
        leveled.get_or_insert_with(|| {
            let mut work = key.work(&self.key, self.profile.batch);
            work.set_partner(lookups.partner().cloned());
            work
        })
    }

    /// A lookup of one function.
    fn one(
        &self,
        scratch: &mut Buffers,
        terms: &[(&LweCiphertext, i8)],
        table: TruthTable,
    ) -> Result<LweCiphertext, TfheError> {
        let lookup = Lookup {
            terms,
            constant: 0,
            tables: &[table],
        };
        only(self.key.lookup_many(&mut scratch.lookups, &[lookup])?)
    }
}

/// The one result of a rotation that has one.
fn only(mut results: Vec<Vec<LweCiphertext>>) -> Result<LweCiphertext, TfheError> {
    match results.pop().and_then(|mut bits| bits.pop()) {
        Some(bit) => Ok(bit),
        None => unreachable!("a lookup of one table has one result"),
    }
}

/// What circuits have to know of a parameter set: costs in proportion to its transforms, and how
/// much noise keeps the failure probability that it promises.
#[must_use]
pub fn profile(parameters: &Parameters) -> Profile {
    let budget = NoiseBudget::new(parameters);
    let steps = parameters
        .lwe_dimension()
        .get()
        .div_ceil(parameters.block_bits());
    let bootstrap = NANOSECONDS_PER_TRANSFORM * 4.0 * steps as f64;
    let cost = OperationCosts {
        and: bootstrap,
        xor: bootstrap,
        mux: bootstrap,
        lookup: bootstrap,
        lookup_alone: ALONE * bootstrap,
        refresh: bootstrap,
    };
    let bytes = 8 * (parameters.big_lwe_dimension().get() as u64 + 1);
    // Allocators have four sizes in an octave: 16,392 bytes take 20,480.
    let bytes_per_bit = bytes + bytes / 4;
    let name = format!("TFHE lookups, {}", parameters.name());
    let mut profile = Profile::new(name, cost, bytes_per_bit);
    profile.bytes_per_input = INPUT_BYTES;
    profile.lookup = Some(LookupProfile {
        max_value: 15,
        negacyclic: true,
        parity: true,
        noise: NoiseModel {
            fresh: budget.fresh_factor(),
            common: budget.common / budget.rotation,
            choice: None,
            limit: budget.largest_factor(parameters.promise().log2_failure),
        },
    });
    profile.shared = (parameters.block_bits() > 1).then_some(SHARED);
    profile.batch = batch(parameters);
    profile
}

/// One worker's buffers.
#[derive(Clone, Debug)]
pub struct Buffers {
    lookups: Scratch,
    /// Made when they are first needed.
    leveled: Option<LeveledWork>,
}

/// A job as what the key evaluates.
enum Prepared<'a> {
    /// Terms, constant and functions.
    Lookup(Vec<(&'a LweCiphertext, i8)>, i8, Vec<TruthTable>),
    /// The same of a sum above 15.
    Negacyclic(Vec<(&'a LweCiphertext, i8)>, i8, Vec<TruthTable>),
    Parity(Vec<&'a LweCiphertext>),
    /// A sum, which takes no rotation.
    Sum(Vec<&'a LweCiphertext>),
    /// A sum at scale 1/2, which takes none either.
    Linear(Vec<&'a LweCiphertext>),
}

impl Prepared<'_> {
    fn rotation(&self) -> Option<Rotation<'_>> {
        match self {
            Self::Lookup(terms, constant, tables) => Some(Rotation::Lookup(Lookup {
                terms,
                constant: *constant,
                tables,
            })),
            Self::Negacyclic(terms, constant, tables) => Some(Rotation::Negacyclic(Lookup {
                terms,
                constant: *constant,
                tables,
            })),
            Self::Parity(bits) => Some(Rotation::Parity(bits)),
            Self::Sum(_) | Self::Linear(_) => None,
        }
    }
}

fn prepare<'a>(job: &Job<'a, LweCiphertext>) -> Prepared<'a> {
    let (terms, constant, tables) = match job {
        Job::And(a, b) => (vec![(*a, 1), (*b, 1)], 0, vec![BOTH]),
        Job::Xor(a, b) => (vec![(*a, 1), (*b, 1)], 0, vec![ONE]),
        Job::Mux {
            select,
            then,
            otherwise,
        } => (
            vec![(*otherwise, 1), (*then, 2), (*select, 4)],
            0,
            vec![MUX],
        ),
        // Of a half the bit.
        Job::Refresh(a) if a.is_half() => return Prepared::Parity(vec![a]),
        Job::Refresh(a) => (vec![(*a, 1)], 0, vec![SAME]),
        Job::Lookup(job) => {
            let tables = job.tables.masks().iter().map(|&mask| TruthTable(mask));
            let tables = tables.collect();
            if is_negacyclic(job.max) {
                return Prepared::Negacyclic(job.terms.clone(), job.constant, tables);
            }
            (job.terms.clone(), job.constant, tables)
        }
        Job::Parity(bits) => return Prepared::Parity(bits.clone()),
        Job::Disjoint(bits) | Job::Subtotal(bits) => return Prepared::Sum(bits.clone()),
        Job::Linear(bits) => return Prepared::Linear(bits.clone()),
    };
    Prepared::Lookup(terms, constant, tables)
}

impl Gates for TfheLookup {
    type Bit = LweCiphertext;
    type Scratch = Buffers;
    type Error = TfheError;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) -> Buffers {
        Buffers {
            lookups: self.key.scratch(self.profile.batch),
            leveled: None,
        }
    }

    fn constant(&self, value: bool) -> LweCiphertext {
        self.key.constant(value)
    }

    fn not(&self, a: &LweCiphertext) -> LweCiphertext {
        a.not()
    }

    fn apply_many(
        &self,
        scratch: &mut Buffers,
        jobs: &[Job<'_, LweCiphertext>],
    ) -> Vec<Result<Vec<LweCiphertext>, TfheError>> {
        let prepared: Vec<Prepared<'_>> = jobs.iter().map(prepare).collect();
        let rotations = prepared.iter().filter_map(Prepared::rotation);
        let rotations: Vec<Rotation<'_>> = rotations.collect();
        match self.key.rotate_many(&mut scratch.lookups, &rotations) {
            Ok(results) => {
                let mut results = results.into_iter();
                let result = |prepared: &Prepared<'_>| match prepared {
                    Prepared::Sum(bits) => self.key.sum(bits).map(|bit| vec![bit]),
                    Prepared::Linear(bits) => self.key.sum_modulo_2(bits).map(|bit| vec![bit]),
                    _ => Ok(results.next().unwrap_or_default()),
                };
                prepared.iter().map(result).collect()
            }
            Err(error) if jobs.len() == 1 => vec![Err(error)],
            // One operand of another key spoils the batch: find out whose it was.
            Err(_) => jobs.iter().map(|job| self.apply(scratch, job)).collect(),
        }
    }

    fn select_many(
        &self,
        scratch: &mut Buffers,
        jobs: &[LookupJob<'_, LweCiphertext>],
    ) -> Vec<Result<Selected<LweCiphertext>, TfheError>> {
        let Some(key) = &self.leveled else {
            let lookup = |job: &LookupJob<'_, LweCiphertext>| {
                let bits = self.lookup(scratch, job)?.into_iter();
                Ok(bits.map(|bit| (bit, Selector::default())).collect())
            };
            return jobs.iter().map(lookup).collect();
        };
        let work = self.work(key, scratch);
        match selectors::select_many(&self.key, key, work, jobs) {
            Ok(made) => made.into_iter().map(Ok).collect(),
            Err(error) if jobs.len() == 1 => vec![Err(error)],
            Err(_) => {
                let mut one = |job| {
                    let made = selectors::select_many(&self.key, key, work, slice::from_ref(job))?;
                    Ok(made.into_iter().next().unwrap_or_default())
                };
                jobs.iter().map(&mut one).collect()
            }
        }
    }

    fn duet(&self) -> Option<Duet> {
        let less_one = |pause: usize| pause.checked_sub(1);
        let pauses = (self.pause).fetch_update(Ordering::Relaxed, Ordering::Relaxed, less_one);
        let is_possible = pauses.is_err() && self.key.can_be_accompanied();
        is_possible.then(|| Duet::new(tfhe::Duet::new()))
    }

    fn set_partner(&self, scratch: &mut Buffers, duet: Option<&Duet>) {
        let partner: Option<Arc<tfhe::Duet>> = duet.and_then(Duet::get);
        if let Some(work) = &mut scratch.leveled {
            work.set_partner(partner.clone());
        }
        scratch.lookups.set_partner(partner);
    }

    fn is_accompanied(&self, scratch: &Buffers) -> bool {
        let Some(duet) = scratch.lookups.partner() else {
            return false;
        };
        if duet.was_abandoned() {
            self.pause.store(PAUSE, Ordering::Relaxed);
        }
        !duet.is_over()
    }

    fn accompany(&self, scratch: &mut Buffers, duet: &Duet) {
        let Some(duet) = duet.get::<tfhe::Duet>() else {
            return;
        };
        // Who cannot help has ended the duet.
        let _ = match (&self.leveled, &mut scratch.leveled) {
            (Some(key), Some(work)) => key.accompany(&self.key, work, &duet),
            // A helper has one rotation at a time.
            (Some(key), None) => key.accompany(&self.key, &mut key.work(&self.key, 1), &duet),
            (None, _) => self.key.accompany(&mut scratch.lookups, &duet),
        };
    }

    fn choose_many(
        &self,
        scratch: &mut Buffers,
        (condition, selector): (&LweCiphertext, &Selector),
        pairs: &[[&LweCiphertext; 2]],
    ) -> Vec<Result<LweCiphertext, TfheError>> {
        match (&self.leveled, selector.get::<leveled::Selector>()) {
            (Some(key), Some(selector)) => {
                let work = self.work(key, scratch);
                let mut choose =
                    |&[zero, one]: &[&LweCiphertext; 2]| key.choose(work, selector, zero, one);
                pairs.iter().map(&mut choose).collect()
            }
            // Without the key a selection is a lookup.
            _ => {
                let mut choose =
                    |&[zero, one]: &[&LweCiphertext; 2]| self.mux(scratch, condition, one, zero);
                pairs.iter().map(&mut choose).collect()
            }
        }
    }

    fn load(
        &self,
        scratch: &mut Buffers,
        job: &LoadJob<'_, LweCiphertext>,
    ) -> Result<Vec<LweCiphertext>, TfheError> {
        match (&self.leveled, selectors::of_bits(&job.index)) {
            (Some(key), Some(index)) => {
                let work = self.work(key, scratch);
                selectors::load(key, work, &index, job)
            }
            _ => job.by_choices(self, scratch),
        }
    }

    fn store(
        &self,
        scratch: &mut Buffers,
        job: &StoreJob<'_, LweCiphertext>,
    ) -> Result<Vec<LweCiphertext>, TfheError> {
        let conditions = job.index.iter().chain(&job.enable);
        match (&self.leveled, selectors::of_bits(conditions)) {
            (Some(key), Some(conditions)) => {
                let work = self.work(key, scratch);
                selectors::store(key, work, &conditions, job)
            }
            _ => job.by_choices(self, scratch),
        }
    }
}
