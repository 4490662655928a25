//! Engines that evaluate one gate after the other: two gates and a refresh, of which everything
//! else is made. What is made so is correct and may be slow.

use std::sync::Arc;

use super::operand::Operand;
use super::{Gates, Job, LookupJob};
use crate::Builder;
use crate::ir::{Op, Wire};

/// An engine's gates, for those that gain nothing from a batch, or nothing for some of its jobs:
/// their [`Gates::apply_many`] hands jobs to [`one_by_one`](Self::one_by_one).
pub trait GateByGate: Gates {
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
        let differ = GateByGate::xor(self, scratch, then, otherwise)?;
        let change = GateByGate::and(self, scratch, select, &differ)?;
        GateByGate::xor(self, scratch, &change, otherwise)
    }

    /// One operation. Lookups are written out in AND and XOR, as
    /// [`Builder::lookup`] does for targets without lookups; parities and disjoint sums are one XOR
    /// after the other.
    ///
    /// # Errors
    /// The engine's own.
    fn one(
        &self,
        scratch: &mut Self::Scratch,
        job: &Job<'_, Self::Bit>,
    ) -> Result<Vec<Self::Bit>, Self::Error> {
        let bit = match job {
            Job::And(a, b) => GateByGate::and(self, scratch, a, b),
            Job::Xor(a, b) => GateByGate::xor(self, scratch, a, b),
            Job::Mux {
                select,
                then,
                otherwise,
            } => GateByGate::mux(self, scratch, select, then, otherwise),
            Job::Lookup(job) => return lookup(self, scratch, job),
            Job::Parity(bits) | Job::Disjoint(bits) | Job::Subtotal(bits) | Job::Linear(bits) => {
                chain(self, scratch, bits)
            }
            Job::Refresh(a) => GateByGate::refresh(self, scratch, a),
        };
        bit.map(|bit| vec![bit])
    }

    /// Jobs one after the other.
    fn one_by_one(
        &self,
        scratch: &mut Self::Scratch,
        jobs: &[Job<'_, Self::Bit>],
    ) -> Vec<Result<Vec<Self::Bit>, Self::Error>> {
        jobs.iter().map(|job| self.one(scratch, job)).collect()
    }
}

/// One XOR after the other.
fn chain<G: GateByGate + ?Sized>(
    gates: &G,
    scratch: &mut G::Scratch,
    bits: &[&G::Bit],
) -> Result<G::Bit, G::Error> {
    match *bits {
        [] => Ok(gates.constant(false)),
        // Results are owned; the inverse of the inverse copies.
        [only] => Ok(gates.not(&gates.not(only))),
        [a, b, ref rest @ ..] => {
            let first = GateByGate::xor(gates, scratch, a, b)?;
            rest.iter()
                .try_fold(first, |sum, bit| GateByGate::xor(gates, scratch, &sum, bit))
        }
    }
}

/// A lookup in AND and XOR.
fn lookup<G: GateByGate + ?Sized>(
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
            Op::And(a, b) => {
                GateByGate::and(gates, scratch, read(&bits, a).bit(), read(&bits, b).bit())?
            }
            Op::Xor(a, b) => {
                GateByGate::xor(gates, scratch, read(&bits, a).bit(), read(&bits, b).bit())?
            }
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
