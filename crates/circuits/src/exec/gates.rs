//! The contract of engines: two gates, negation and a refresh; everything else has a default that
//! is correct and may be slow.

use std::sync::Arc;

use crate::ir::{Op, Tables, Wire};
use crate::{Builder, Profile};

/// An engine: evaluates operations on bits of its own kind.
///
/// Evaluation keys live in `self`, which workers share; buffers live in the scratch, of which each
/// worker has its own. Bits need no `Clone`: the scheduler shares and frees them.
/// [`laws`](crate::laws) holds the tests that every implementation has to pass.
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

    /// `a ∧ b`
    ///
    /// # Errors
    /// The engine's own.
    fn and(
        &self,
        scratch: &mut Self::Scratch,
        a: &Self::Bit,
        b: &Self::Bit,
    ) -> Result<Self::Bit, Self::Error>;

    /// `a ⊕ b`
    ///
    /// # Errors
    /// The engine's own.
    fn xor(
        &self,
        scratch: &mut Self::Scratch,
        a: &Self::Bit,
        b: &Self::Bit,
    ) -> Result<Self::Bit, Self::Error>;

    /// The same bit with as little noise as the scheme can give it.
    ///
    /// # Errors
    /// The engine's own.
    fn refresh(&self, scratch: &mut Self::Scratch, a: &Self::Bit)
    -> Result<Self::Bit, Self::Error>;

    /// `then` where `select` is 1, `otherwise` where it is 0; by default one AND and two XORs.
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
        let differ = self.xor(scratch, then, otherwise)?;
        let change = self.and(scratch, select, &differ)?;
        self.xor(scratch, &change, otherwise)
    }

    /// All functions of one weighted sum; by default written out in AND and XOR, as
    /// [`Builder::lookup`] does for targets without lookups.
    ///
    /// # Errors
    /// The engine's own.
    fn lookup(
        &self,
        scratch: &mut Self::Scratch,
        job: &LookupJob<'_, Self::Bit>,
    ) -> Result<Vec<Self::Bit>, Self::Error> {
        expanded_lookup(self, scratch, job)
    }

    /// Whether an odd number of bits is 1; 0 for none at all. By default one XOR after the other.
    ///
    /// # Errors
    /// The engine's own.
    fn parity(
        &self,
        scratch: &mut Self::Scratch,
        bits: &[&Self::Bit],
    ) -> Result<Self::Bit, Self::Error> {
        chain(self, scratch, bits)
    }

    /// Whether one of several bits is 1, of which at most one is; 0 for none at all. By default one
    /// XOR after the other; an engine whose ciphertexts can be added adds them.
    ///
    /// # Errors
    /// The engine's own.
    fn disjoint(
        &self,
        scratch: &mut Self::Scratch,
        bits: &[&Self::Bit],
    ) -> Result<Self::Bit, Self::Error> {
        chain(self, scratch, bits)
    }

    /// One operation, by the method that is made for it; a lookup has one result for each table,
    /// everything else one.
    ///
    /// # Errors
    /// The engine's own.
    fn apply(
        &self,
        scratch: &mut Self::Scratch,
        job: &Job<'_, Self::Bit>,
    ) -> Result<Vec<Self::Bit>, Self::Error> {
        match job {
            Job::And(a, b) => self.and(scratch, a, b).map(|bit| vec![bit]),
            Job::Xor(a, b) => self.xor(scratch, a, b).map(|bit| vec![bit]),
            Job::Mux {
                select,
                then,
                otherwise,
            } => self
                .mux(scratch, select, then, otherwise)
                .map(|bit| vec![bit]),
            Job::Lookup(job) => self.lookup(scratch, job),
            Job::Parity(bits) => self.parity(scratch, bits).map(|bit| vec![bit]),
            Job::Disjoint(bits) => self.disjoint(scratch, bits).map(|bit| vec![bit]),
            Job::Refresh(a) => self.refresh(scratch, a).map(|bit| vec![bit]),
        }
    }

    /// Independent operations on one worker, one answer for each in order. By default one after
    /// the other; an engine that streams a key reads it once for all of them. Batches hold up to
    /// [`Profile::batch`] jobs of mixed kinds.
    fn apply_many(
        &self,
        scratch: &mut Self::Scratch,
        jobs: &[Job<'_, Self::Bit>],
    ) -> Vec<Result<Vec<Self::Bit>, Self::Error>> {
        jobs.iter().map(|job| self.apply(scratch, job)).collect()
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
    /// The same bit with less noise.
    Refresh(&'a B),
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

/// One XOR after the other.
fn chain<G: Gates + ?Sized>(
    gates: &G,
    scratch: &mut G::Scratch,
    bits: &[&G::Bit],
) -> Result<G::Bit, G::Error> {
    match *bits {
        [] => Ok(gates.constant(false)),
        // Results are owned; the inverse of the inverse copies.
        [only] => Ok(gates.not(&gates.not(only))),
        [a, b, ref rest @ ..] => {
            let first = gates.xor(scratch, a, b)?;
            rest.iter()
                .try_fold(first, |sum, bit| gates.xor(scratch, &sum, bit))
        }
    }
}

/// A lookup in AND and XOR.
fn expanded_lookup<G: Gates + ?Sized>(
    gates: &G,
    scratch: &mut G::Scratch,
    job: &LookupJob<'_, G::Bit>,
) -> Result<Vec<G::Bit>, G::Error> {
    let mut profile = gates.profile().clone();
    profile.lookup = None;
    // Without selections either: an engine's `mux` may itself be a lookup.
    profile.cost.mux = f64::INFINITY;
    let mut build = Builder::new(&profile);
    let terms: Vec<(Wire, i8)> = job
        .terms
        .iter()
        .map(|&(_, weight)| (build.input(), weight))
        .collect();
    for wire in build.lookup_within(&terms, job.constant, job.max, job.tables.masks()) {
        build.output(wire);
    }
    let circuit = build.finish();
    let mut bits: Vec<Option<Arc<G::Bit>>> = vec![None; circuit.signals()];
    let read = |bits: &[Option<Arc<G::Bit>>], wire: Wire| match &bits[wire.signal().index()] {
        Some(bit) if wire.is_inverted() => Operand::Own(gates.not(bit)),
        Some(bit) => Operand::Shared(Arc::clone(bit)),
        None => match (
            wire.as_constant(),
            job.terms.get(wire.signal().index().wrapping_sub(1)),
        ) {
            (Some(value), _) => Operand::Own(gates.constant(value)),
            // Inputs are the first nodes and come in order.
            (None, Some(&(bit, _))) if wire.is_inverted() => Operand::Own(gates.not(bit)),
            (None, Some(&(bit, _))) => Operand::Borrowed(bit),
            (None, None) => Operand::Own(gates.constant(false)),
        },
    };
    for node in circuit.nodes() {
        let bit = match circuit.op(node) {
            Op::And(a, b) => gates.and(scratch, read(&bits, a).bit(), read(&bits, b).bit())?,
            Op::Xor(a, b) => gates.xor(scratch, read(&bits, a).bit(), read(&bits, b).bit())?,
            _ => continue,
        };
        if let Some(signal) = circuit.signals_of(node).next() {
            bits[signal.index()] = Some(Arc::new(bit));
        }
    }
    let mut results = Vec::with_capacity(circuit.outputs().len());
    for &wire in circuit.outputs() {
        results.push(match read(&bits, wire) {
            Operand::Own(bit) => bit,
            // Results are owned; the inverse of the inverse copies.
            shared => gates.not(&gates.not(shared.bit())),
        });
    }
    Ok(results)
}

/// A bit as an operation reads it.
pub(super) enum Operand<'a, B> {
    Shared(Arc<B>),
    Borrowed(&'a B),
    Own(B),
}

impl<B> Operand<'_, B> {
    pub(super) fn bit(&self) -> &B {
        match self {
            Self::Shared(bit) => bit,
            Self::Borrowed(bit) => bit,
            Self::Own(bit) => bit,
        }
    }
}
