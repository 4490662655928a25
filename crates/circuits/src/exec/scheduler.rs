//! The scheduler: workers take the most urgent ready nodes, a batch at a time.
//!
//! List scheduling by critical path (Graham 1966; a factor of at most `2 − 1/threads` from the
//! optimum): a node is ready when its operands are, and of the ready nodes the one with the
//! longest way to the end goes first, in program order among equals. All bookkeeping is behind
//! one lock, held for microseconds between operations of milliseconds.
//!
//! A worker takes up to [`Profile::batch`](crate::Profile) nodes, for batches are cheaper for each
//! node; but never more than its share of what is ready, since an idle worker is dearer than a
//! small batch. Sums of disjoint bits are no work where ciphertexts can be added: they take no
//! place in a batch, and go before everything else, for what reads them is not ready without. A bit is freed when its last reader has run. The first error stops all workers.

use std::collections::BinaryHeap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::dependencies::Dependencies;
use super::gates::Operand;
use super::pool::{Pool, Progress};
use super::{ExecError, Gates, Job, LookupJob};
use crate::ir::{Circuit, Node, Op, Wire};

/// Evaluates a circuit on an engine. The circuit should have been prepared for the engine's
/// profile (see [`passes::prepare`](crate::passes::prepare)); one that was not is evaluated by the
/// engine's defaults, and its noise is nobody's promise.
///
/// # Errors
/// If the number of inputs is wrong, if the pool's token cancels the run, or with the first error
/// of the engine, which names the operation, its wire and its level.
pub fn run<G: Gates>(
    gates: &G,
    circuit: &Circuit,
    inputs: &[Arc<G::Bit>],
    pool: &Pool,
) -> Result<Vec<Arc<G::Bit>>, ExecError<G::Error>> {
    if inputs.len() != circuit.inputs() {
        return Err(ExecError::Inputs {
            expected: circuit.inputs(),
            found: inputs.len(),
        });
    }
    let mut dependencies = Dependencies::new(circuit, gates.profile());
    let adds = gates.profile().lookup.is_some();
    let state = State::new(circuit, inputs, &mut dependencies, adds);
    let run = Run {
        gates,
        circuit,
        pool,
        dependencies: &dependencies,
        state: Mutex::new(state),
        changed: Condvar::new(),
        batch: gates.profile().batch.max(1),
    };
    std::thread::scope(|scope| {
        let helpers = pool.threads().min(circuit.len().max(1)) - 1;
        for _ in 0..helpers {
            scope.spawn(|| run.work());
        }
        run.work();
    });
    let state = run
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = state.error {
        return Err(error);
    }
    let output = |&wire: &Wire| match &state.values[wire.signal().index()] {
        Some(bit) if wire.is_inverted() => Ok(Arc::new(gates.not(bit))),
        Some(bit) => Ok(Arc::clone(bit)),
        None => wire
            .as_constant()
            .map(|value| Arc::new(gates.constant(value)))
            .ok_or(ExecError::Cancelled),
    };
    circuit.outputs().iter().map(output).collect()
}

/// What workers share.
struct Run<'a, G: Gates> {
    gates: &'a G,
    circuit: &'a Circuit,
    pool: &'a Pool,
    dependencies: &'a Dependencies,
    state: Mutex<State<G>>,
    changed: Condvar,
    batch: usize,
}

/// What changes as nodes are evaluated.
struct State<G: Gates> {
    /// By signal; `None` before it is computed and after its last use.
    values: Vec<Option<Arc<G::Bit>>>,
    waiting: Vec<u32>,
    reads: Vec<u32>,
    /// By urgency; the complement of the node's number, so that earlier nodes go first.
    ready: BinaryHeap<(u64, u32)>,
    /// Whether ciphertexts can be added.
    adds: bool,
    /// Sums that are ready, if so.
    sums: Vec<Node>,
    done: usize,
    total: usize,
    stopped: bool,
    error: Option<ExecError<G::Error>>,
}

impl<G: Gates> State<G> {
    fn new(
        circuit: &Circuit,
        inputs: &[Arc<G::Bit>],
        dependencies: &mut Dependencies,
        adds: bool,
    ) -> Self {
        let mut values = vec![None; circuit.signals()];
        let waiting = std::mem::take(&mut dependencies.waiting);
        let reads = std::mem::take(&mut dependencies.reads);
        let (mut ready, mut sums) = (Vec::new(), Vec::new());
        let mut total = 0;
        for node in circuit.nodes() {
            let first = circuit.range(node).start;
            if let Op::Input(number) = circuit.op(node) {
                if reads[first] > 0 {
                    values[first] = inputs.get(number as usize).cloned();
                }
                continue;
            }
            total += 1;
            if waiting[node.index()] > 0 {
                continue;
            }
            match circuit.op(node) {
                Op::Disjoint { .. } if adds => sums.push(node),
                _ => ready.push((dependencies.urgency[node.index()], !node.0)),
            }
        }
        Self {
            values,
            waiting,
            reads,
            ready: BinaryHeap::from(ready),
            adds,
            sums,
            done: 0,
            total,
            stopped: false,
            error: None,
        }
    }

    /// One read less; the bit, if that was the last one.
    fn release(&mut self, wire: Wire) -> Option<Arc<G::Bit>> {
        let signal = wire.signal().index();
        self.reads[signal] = self.reads[signal].saturating_sub(1);
        if self.reads[signal] == 0 {
            self.values[signal].take()
        } else {
            None
        }
    }
}

/// A node and the bits that it reads, in the order of its operands.
type Taken<B> = (Node, Vec<(Option<Arc<B>>, Wire)>);

impl<G: Gates> Run<'_, G> {
    fn lock(&self) -> MutexGuard<'_, State<G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker, until everything is done or somebody failed.
    fn work(&self) {
        // An engine that panics must not leave the others waiting for its results.
        let _guard = StopOnPanic(self);
        let mut scratch = None;
        while let Some(taken) = self.take() {
            let scratch = scratch.get_or_insert_with(|| self.gates.scratch());
            let results = self.evaluate(scratch, &taken);
            if let Some(progress) = self.store(taken, results) {
                self.pool.observe(progress);
            }
        }
    }

    /// The next batch, as soon as there is one.
    fn take(&self) -> Option<Vec<Taken<G::Bit>>> {
        let mut state = self.lock();
        loop {
            if self.pool.cancel().is_cancelled() && !state.stopped && state.done < state.total {
                state.stopped = true;
                state.error = Some(ExecError::Cancelled);
                self.changed.notify_all();
            }
            if state.stopped || state.done == state.total {
                return None;
            }
            if !state.sums.is_empty() || !state.ready.is_empty() {
                break;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let mut nodes = std::mem::take(&mut state.sums);
        if nodes.is_empty() {
            let share = state.ready.len().div_ceil(self.pool.threads());
            let share = share.min(self.batch);
            nodes.extend((0..share).map_while(|_| state.ready.pop().map(|(_, node)| Node(!node))));
        }
        let mut taken = Vec::with_capacity(nodes.len());
        for node in nodes {
            let operands = self.circuit.op(node).operands();
            let bits = operands.map(|wire| (state.values[wire.signal().index()].clone(), wire));
            taken.push((node, bits.collect()));
        }
        Some(taken)
    }

    /// The batch's results, one list of bits for each node.
    fn evaluate(
        &self,
        scratch: &mut G::Scratch,
        taken: &[Taken<G::Bit>],
    ) -> Vec<Result<Vec<G::Bit>, G::Error>> {
        let operand = |(bit, wire): &(Option<Arc<G::Bit>>, Wire)| match bit {
            Some(bit) if wire.is_inverted() => Operand::Own(self.gates.not(bit)),
            Some(bit) => Operand::Shared(Arc::clone(bit)),
            None => Operand::Own(self.gates.constant(wire.is_inverted())),
        };
        let operands: Vec<Vec<Operand<'_, G::Bit>>> = taken
            .iter()
            .map(|(_, bits)| bits.iter().map(operand).collect())
            .collect();
        let mut jobs = Vec::with_capacity(taken.len());
        for ((node, _), operands) in taken.iter().zip(&operands) {
            let job = match (self.circuit.op(*node), operands.as_slice()) {
                (Op::And(..), [a, b]) => Job::And(a.bit(), b.bit()),
                (Op::Xor(..), [a, b]) => Job::Xor(a.bit(), b.bit()),
                (Op::Mux { .. }, [select, then, otherwise]) => Job::Mux {
                    select: select.bit(),
                    then: then.bit(),
                    otherwise: otherwise.bit(),
                },
                (Op::Parity { .. }, operands) => {
                    Job::Parity(operands.iter().map(Operand::bit).collect())
                }
                (Op::Disjoint { .. }, operands) => {
                    Job::Disjoint(operands.iter().map(Operand::bit).collect())
                }
                (Op::Refresh(_), [a]) => Job::Refresh(a.bit()),
                (Op::Lookup { sum, tables }, operands) => Job::Lookup(LookupJob {
                    terms: operands
                        .iter()
                        .zip(sum.terms)
                        .map(|(operand, term)| (operand.bit(), term.weight))
                        .collect(),
                    constant: sum.constant,
                    max: sum.max,
                    tables,
                }),
                // Inputs are never ready, and operands come from the same operation.
                _ => continue,
            };
            jobs.push(job);
        }
        self.gates.apply_many(scratch, &jobs)
    }

    /// Keeps what is still to be read, frees what is not, and wakes whoever can go on.
    fn store(
        &self,
        taken: Vec<Taken<G::Bit>>,
        results: Vec<Result<Vec<G::Bit>, G::Error>>,
    ) -> Option<Progress> {
        let mut results = results.into_iter();
        // Declared before the lock, so that bits are dropped after it.
        let mut unused: Vec<Arc<G::Bit>> = Vec::new();
        let mut state = self.lock();
        for (node, bits) in taken {
            let range = self.circuit.range(node);
            let bits_of_node = match results.next() {
                Some(Ok(bits)) if bits.len() == range.len() => bits,
                Some(Ok(bits)) => return self.fail(state, node, Failure::Results(bits.len())),
                None => return self.fail(state, node, Failure::Results(0)),
                Some(Err(source)) => return self.fail(state, node, Failure::Gate(source)),
            };
            for (signal, bit) in range.zip(bits_of_node) {
                if state.reads[signal] > 0 {
                    state.values[signal] = Some(Arc::new(bit));
                }
            }
            for &reader in self.dependencies.readers(node) {
                state.waiting[reader as usize] -= 1;
                if state.waiting[reader as usize] > 0 {
                    continue;
                }
                match self.circuit.op(Node(reader)) {
                    Op::Disjoint { .. } if state.adds => state.sums.push(Node(reader)),
                    _ => {
                        let urgency = self.dependencies.urgency[reader as usize];
                        state.ready.push((urgency, !reader));
                    }
                }
            }
            for (bit, wire) in bits {
                unused.extend(state.release(wire));
                unused.extend(bit);
            }
            state.done += 1;
        }
        let progress = Progress {
            done: state.done,
            total: state.total,
        };
        if state.done == state.total || !state.ready.is_empty() {
            self.changed.notify_all();
        }
        drop(state);
        Some(progress)
    }

    fn fail(
        &self,
        mut state: MutexGuard<'_, State<G>>,
        node: Node,
        failure: Failure<G::Error>,
    ) -> Option<Progress> {
        if state.stopped {
            return None;
        }
        state.stopped = true;
        let range = self.circuit.range(node);
        let (op, level) = (self.circuit.op(node).name(), self.circuit.level(node));
        let wire = self
            .circuit
            .signals_of(node)
            .next()
            .map_or(Wire::FALSE, Wire::from);
        state.error = Some(match failure {
            Failure::Gate(source) => ExecError::Gate {
                op,
                wire,
                level,
                source,
            },
            Failure::Results(found) => ExecError::Results {
                op,
                wire,
                level,
                expected: range.len(),
                found,
            },
        });
        self.changed.notify_all();
        None
    }
}

enum Failure<E> {
    Gate(E),
    Results(usize),
}

/// Stops the other workers if this one unwinds.
struct StopOnPanic<'a, 'b, G: Gates>(&'a Run<'b, G>);

impl<G: Gates> Drop for StopOnPanic<'_, '_, G> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().stopped = true;
            self.0.changed.notify_all();
        }
    }
}
