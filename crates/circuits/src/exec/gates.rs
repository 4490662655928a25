//! The contract of engines: whatever the scheduler wants evaluated comes in batches, and single
//! operations are batches of one.

use std::any::Any;
use std::slice;
use std::sync::Arc;

use super::{LoadJob, StoreJob};
use crate::Profile;
use crate::ir::Tables;

/// An engine: evaluates operations on bits of its own kind.
///
/// Evaluation keys live in `self`, which workers share; buffers live in the scratch, of which each
/// worker has its own. Bits need no `Clone`: the scheduler shares and frees them. An engine that
/// gains nothing from batches is a [`GateByGate`](super::GateByGate), too, and hands its jobs
/// there. [`laws`](crate::laws) holds the tests that every implementation has to pass.
pub trait Gates: Sync {
    /// One bit, encrypted or not.
    type Bit: Send + Sync;
    /// One worker's buffers.
    type Scratch: Send;
    /// Why an operation failed.
    type Error: std::error::Error + Send + Sync + 'static;

    /// What this engine can do and what it costs.
    fn profile(&self) -> &Profile;

    /// New buffers for one worker.
    fn scratch(&self) -> Self::Scratch;

    /// A bit of known value.
    fn constant(&self, value: bool) -> Self::Bit;

    /// `¬a`, linear in every scheme: it cannot fail and costs next to nothing.
    fn not(&self, a: &Self::Bit) -> Self::Bit;

    /// Independent operations on one worker, one answer for each in order: a lookup has one result
    /// for each table, everything else one. An engine that streams a key reads it once for all of
    /// them. Batches hold up to [`Profile::batch`] jobs of mixed kinds.
    fn apply_many(
        &self,
        scratch: &mut Self::Scratch,
        jobs: &[Job<'_, Self::Bit>],
    ) -> Vec<Result<Vec<Self::Bit>, Self::Error>>;

    /// Functions of sums of at most [`SELECTOR_MAX`](crate::ir::SELECTOR_MAX) that choose
    /// afterwards: for each job and table the bit, and what the engine chooses by. By default
    /// lookups, whose bits are all that is needed.
    fn select_many(
        &self,
        scratch: &mut Self::Scratch,
        jobs: &[LookupJob<'_, Self::Bit>],
    ) -> Vec<Result<Selected<Self::Bit>, Self::Error>> {
        let jobs = jobs.iter().map(LookupJob::again).map(Job::Lookup);
        let jobs: Vec<_> = jobs.collect();
        let results = self.apply_many(scratch, &jobs);
        let with_none = |bits: Vec<Self::Bit>| {
            let bits = bits.into_iter();
            bits.map(|bit| (bit, Selector::default())).collect()
        };
        results
            .into_iter()
            .map(|result| result.map(with_none))
            .collect()
    }

    /// For each pair its second bit where the condition is 1, its first where it is 0. By default
    /// selections.
    fn choose_many(
        &self,
        scratch: &mut Self::Scratch,
        (condition, _): (&Self::Bit, &Selector),
        pairs: &[[&Self::Bit; 2]],
    ) -> Vec<Result<Self::Bit, Self::Error>> {
        let mut choose =
            |&[otherwise, then]: &[&Self::Bit; 2]| self.mux(scratch, condition, then, otherwise);
        pairs.iter().map(&mut choose).collect()
    }

    /// The bits of the word that an index names. By default choices, bit by bit.
    ///
    /// # Errors
    /// The engine's own.
    fn load(
        &self,
        scratch: &mut Self::Scratch,
        job: &LoadJob<'_, Self::Bit>,
    ) -> Result<Vec<Self::Bit>, Self::Error> {
        job.by_choices(self, scratch)
    }

    /// The bits of all words after one was stored. By default choices, bit by bit.
    ///
    /// # Errors
    /// The engine's own.
    fn store(
        &self,
        scratch: &mut Self::Scratch,
        job: &StoreJob<'_, Self::Bit>,
    ) -> Result<Vec<Self::Bit>, Self::Error> {
        job.by_choices(self, scratch)
    }

    /// What two workers share of whom one helps the other with single operations; `None` where they
    /// cannot.
    fn duet(&self) -> Option<Duet> {
        None
    }

    /// From now on a worker shares batches of one operation with whoever accompanies that duet. With
    /// `None`, or when the buffers are dropped, the one before ends.
    fn set_partner(&self, scratch: &mut Self::Scratch, duet: Option<&Duet>) {
        let _ = (scratch, duet);
    }

    /// Whether there is still somebody to share with: a helper may have gone, or the engine finds that
    /// sharing does not pay at present.
    fn is_accompanied(&self, scratch: &Self::Scratch) -> bool {
        let _ = scratch;
        false
    }

    /// Helps the worker who shares this duet until that ends. Results are the same as without help.
    fn accompany(&self, scratch: &mut Self::Scratch, duet: &Duet) {
        let _ = (scratch, duet);
    }

    /// One operation.
    ///
    /// # Errors
    /// The engine's own.
    fn apply(
        &self,
        scratch: &mut Self::Scratch,
        job: &Job<'_, Self::Bit>,
    ) -> Result<Vec<Self::Bit>, Self::Error> {
        match self.apply_many(scratch, slice::from_ref(job)).pop() {
            Some(answer) => answer,
            None => unreachable!("every job has an answer"),
        }
    }

    /// `a ∧ b`
    ///
    /// # Errors
    /// The engine's own.
    fn and(
        &self,
        scratch: &mut Self::Scratch,
        a: &Self::Bit,
        b: &Self::Bit,
    ) -> Result<Self::Bit, Self::Error> {
        self.apply(scratch, &Job::And(a, b)).map(only)
    }

    /// `a ⊕ b`
    ///
    /// # Errors
    /// The engine's own.
    fn xor(
        &self,
        scratch: &mut Self::Scratch,
        a: &Self::Bit,
        b: &Self::Bit,
    ) -> Result<Self::Bit, Self::Error> {
        self.apply(scratch, &Job::Xor(a, b)).map(only)
    }

    /// The same bit with as little noise as the scheme can give it.
    ///
    /// # Errors
    /// The engine's own.
    fn refresh(
        &self,
        scratch: &mut Self::Scratch,
        a: &Self::Bit,
    ) -> Result<Self::Bit, Self::Error> {
        self.apply(scratch, &Job::Refresh(a)).map(only)
    }

    /// `then` where `select` is 1, `otherwise` where it is 0.
    ///
    /// # Errors
    /// The engine's own.
    fn mux(
        &self,
        scratch: &mut Self::Scratch,
        select: &Self::Bit,
        then: &Self::Bit,
        otherwise: &Self::Bit,
    ) -> Result<Self::Bit, Self::Error> {
        let job = Job::Mux {
            select,
            then,
            otherwise,
        };
        self.apply(scratch, &job).map(only)
    }

    /// All functions of one weighted sum.
    ///
    /// # Errors
    /// The engine's own.
    fn lookup(
        &self,
        scratch: &mut Self::Scratch,
        job: &LookupJob<'_, Self::Bit>,
    ) -> Result<Vec<Self::Bit>, Self::Error> {
        self.apply(scratch, &Job::Lookup(job.again()))
    }

    /// Whether an odd number of bits is 1; 0 for none at all.
    ///
    /// # Errors
    /// The engine's own.
    fn parity(
        &self,
        scratch: &mut Self::Scratch,
        bits: &[&Self::Bit],
    ) -> Result<Self::Bit, Self::Error> {
        self.apply(scratch, &Job::Parity(bits.to_vec())).map(only)
    }

    /// Whether one of several bits is 1, of which at most one is; 0 for none at all.
    ///
    /// # Errors
    /// The engine's own.
    fn disjoint(
        &self,
        scratch: &mut Self::Scratch,
        bits: &[&Self::Bit],
    ) -> Result<Self::Bit, Self::Error> {
        self.apply(scratch, &Job::Disjoint(bits.to_vec())).map(only)
    }
}

/// For each table of a job its bit, and what is chosen by.
pub type Selected<B> = Vec<(B, Selector)>;

/// What an engine keeps of a condition to choose by it, shared by all who do: nothing where its bit
/// is enough.
#[derive(Clone, Default)]
pub struct Selector(Option<Arc<dyn Any + Send + Sync>>);

impl Selector {
    /// Of the engine's own kind.
    #[must_use]
    pub fn new<T: Any + Send + Sync>(own: T) -> Self {
        Self(Some(Arc::new(own)))
    }

    /// What was kept, if it is of this kind.
    #[must_use]
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.0.as_deref()?.downcast_ref()
    }

    /// Whether nothing was kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }
}

/// What two workers share while one of them helps the other: an engine's own.
#[derive(Clone)]
pub struct Duet(Arc<dyn Any + Send + Sync>);

impl Duet {
    /// Of the engine's own kind.
    #[must_use]
    pub fn new<T: Any + Send + Sync>(own: T) -> Self {
        Self(Arc::new(own))
    }

    /// What is shared, if it is of this kind.
    #[must_use]
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.0).downcast().ok()
    }
}

impl std::fmt::Debug for Duet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Duet").finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Selector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kept = if self.is_empty() { "nothing" } else { "kept" };
        f.debug_tuple("Selector").field(&kept).finish()
    }
}

/// The one result of what has one.
fn only<B>(mut results: Vec<B>) -> B {
    match results.pop() {
        Some(bit) => bit,
        None => unreachable!("every operation but a lookup has one result"),
    }
}

/// One operation with its operands.
#[derive(Clone, Debug)]
pub enum Job<'a, B> {
    /// Both.
    And(&'a B, &'a B),
    /// Exactly one.
    Xor(&'a B, &'a B),
    /// A selection.
    Mux {
        /// The condition.
        select: &'a B,
        /// The value where the condition is 1.
        then: &'a B,
        /// The value where the condition is 0.
        otherwise: &'a B,
    },
    /// Functions of a weighted sum.
    Lookup(LookupJob<'a, B>),
    /// Whether an odd number of bits is 1.
    Parity(Vec<&'a B>),
    /// Whether one of several bits is 1, of which at most one is.
    Disjoint(Vec<&'a B>),
    /// Bits that are added, for parities: see [`Op::Subtotal`](crate::Op::Subtotal).
    Subtotal(Vec<&'a B>),
    /// The same bit with less noise; of a half the bit.
    Refresh(&'a B),
    /// Whether an odd number of bits is 1, as a half: see [`Op::Linear`](crate::Op::Linear). Only for
    /// engines whose profile has selectors.
    Linear(Vec<&'a B>),
}

impl<B> Job<'_, B> {
    /// Whether ciphertexts are added, and nothing else.
    #[must_use]
    pub fn is_sum(&self) -> bool {
        matches!(
            self,
            Self::Disjoint(_) | Self::Subtotal(_) | Self::Linear(_)
        )
    }
}

/// A lookup with its operands: see [`Sum`](crate::Sum) and [`Tables`] for what holds of them.
#[derive(Clone, Debug)]
pub struct LookupJob<'a, B> {
    /// The weighted bits.
    pub terms: Vec<(&'a B, i8)>,
    /// What is added to them.
    pub constant: i8,
    /// The largest value of the sum; the least is 0.
    pub max: u8,
    /// The functions, one for each result.
    pub tables: Tables<'a>,
}

impl<B> LookupJob<'_, B> {
    /// The same once more; bits need no `Clone`.
    fn again(&self) -> Self {
        Self {
            terms: self.terms.clone(),
            ..*self
        }
    }
}
