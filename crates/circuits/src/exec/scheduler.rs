//! The scheduler: workers take the most urgent ready nodes, a batch at a time.
//!
//! A node is ready when its operands are. Which of the ready nodes a worker gets, and how many for
//! one batch, the [queue](super::queue) says. All bookkeeping is behind one lock, held for
//! microseconds between operations of milliseconds. Operations that are free are done by whoever
//! comes first, before anything else. A bit is freed when its last reader has run. The first error
//! stops all workers.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::apart::Others;
use super::graph::Graph;
use super::operand::Operand;
use super::partial::{Begin, Keeper};
use super::pool::{Pool, Progress};
use super::queue::Queue;
use super::state::State;
use super::turn::{Share, Taken, Turn};
use super::{Entry, ExecError, Gates, IndexBit, Job, LoadJob, LookupJob, Selector, StoreJob};
use crate::Profile;
use crate::ir::{Circuit, Node, Op, Sum, Tables, Wire};

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
    run_owned(gates, circuit, inputs.to_vec(), pool)
}

/// As [`run`], for inputs that nobody else needs: each is freed at its last use, like every result.
///
/// # Errors
/// Those of [`run`].
pub fn run_owned<G: Gates>(
    gates: &G,
    circuit: &Circuit,
    inputs: Vec<Arc<G::Bit>>,
    pool: &Pool,
) -> Result<Vec<Arc<G::Bit>>, ExecError<G::Error>> {
    run_from(gates, circuit, Begin::Inputs(inputs), pool, None)
}

/// As [`run_owned`], from wherever `begin` says.
pub(super) fn run_from<G: Gates>(
    gates: &G,
    circuit: &Circuit,
    begin: Begin<G::Bit>,
    pool: &Pool,
    mut keeper: Option<Keeper<'_, G::Bit>>,
) -> Result<Vec<Arc<G::Bit>>, ExecError<G::Error>> {
    let (evaluated, values) = begin.values(circuit)?;
    let graph = Graph::without(circuit, gates.profile(), &|node| evaluated[node.index()]);
    // Sums alone are done before a thread is there to help.
    let workers = pool.threads().min(graph.taking_time().max(1));
    let mut queue = Queue::new(&graph, gates.profile(), workers);
    if pool.bit_limit().is_some() {
        queue = queue.with_order();
    }
    let before = counted(circuit, gates.profile(), &evaluated);
    let state = State::new(circuit, evaluated, values, queue, pool.bit_limit());
    let run = Run::new(gates, circuit, pool, state, before);
    std::thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(|| run.work(None));
        }
        run.work(keeper.as_mut());
    });
    let state = run.into_state();
    if let Some(error) = state.error {
        let anything = state.queue.done > 0;
        if let (ExecError::Cancelled, Some(keeper), true) = (&error, &mut keeper, anything) {
            keeper.keep(State::<G>::partial(&state.evaluated, &state.values));
        }
        return Err(error);
    }
    state.outputs(gates, circuit).ok_or(ExecError::Cancelled)
}

/// Nodes that progress counts among those that are evaluated.
pub(super) fn counted(circuit: &Circuit, profile: &Profile, evaluated: &[bool]) -> usize {
    let nodes = circuit.nodes().filter(|node| evaluated[node.index()]);
    nodes
        .filter(|node| profile.is_counted(&circuit.op(*node)))
        .count()
}

/// How often a worker that has nothing to do looks for news before it falls asleep: for a tenth of a
/// millisecond or two.
const LOOKS: usize = 4096;

/// How many operations two workers do together before they ask whether other runs have their turn.
const TOGETHER: usize = 32;

/// A condition, and by place in the batch what it chooses between.
type Choices<'a, B> = (&'a B, Vec<(usize, [&'a B; 2])>);

/// What workers share.
pub(super) struct Run<'a, G: Gates> {
    pub(super) gates: &'a G,
    pub(super) circuit: &'a Circuit,
    pub(super) pool: &'a Pool,
    pub(super) state: Mutex<State<'a, G>>,
    pub(super) changed: Condvar,
    /// How often something changed for whoever waits.
    pub(super) changes: AtomicUsize,
    pub(super) started: Instant,
    pub(super) next_worker: AtomicUsize,
    /// Nodes that progress counts and that were evaluated before.
    pub(super) before: usize,
    /// Those who compute the rest, and what is to come from them.
    pub(super) others: Option<Others<'a, G::Bit>>,
}

/// The bits of a node.
type Results<G> = Result<Vec<<G as Gates>::Bit>, <G as Gates>::Error>;

/// What nodes of a batch gave, one list of bits for each, and the selectors that came with them, by
/// signal.
struct Given<G: Gates> {
    results: Vec<Option<Results<G>>>,
    selectors: Vec<(usize, Selector)>,
}

impl<'a, G: Gates> Run<'a, G> {
    pub(super) fn new(
        gates: &'a G,
        circuit: &'a Circuit,
        pool: &'a Pool,
        state: State<'a, G>,
        before: usize,
    ) -> Self {
        Self {
            gates,
            circuit,
            pool,
            state: Mutex::new(state),
            changed: Condvar::new(),
            changes: AtomicUsize::new(0),
            started: Instant::now(),
            next_worker: AtomicUsize::new(0),
            before,
            others: None,
        }
    }

    pub(super) fn into_state(self) -> State<'a, G> {
        let state = self.state.into_inner();
        state.unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State<'a, G>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One worker, until everything is done or somebody failed.
    pub(super) fn work(&self, mut keeper: Option<&mut Keeper<'_, G::Bit>>) {
        // An engine that panics must not leave the others waiting for its results.
        let _guard = StopOnPanic(self);
        let worker = self.next_worker.fetch_add(1, Ordering::Relaxed);
        let mut scratch = None;
        let mut has_partner = false;
        let may_rest = self.pool.cancel().may_rest();
        let mut with_partner = 0;
        loop {
            if may_rest {
                // Who rests would keep a partner waiting.
                with_partner = if has_partner { with_partner + 1 } else { 0 };
                if with_partner > TOGETHER
                    && let Some(scratch) = &mut scratch
                {
                    self.gates.set_partner(scratch, None);
                    (has_partner, with_partner) = (false, 0);
                }
                if !has_partner {
                    self.rest(worker);
                }
            }
            let Some(turn) = self.take(worker, has_partner) else {
                return;
            };
            let scratch = scratch.get_or_insert_with(|| self.gates.scratch());
            let (taken, share) = match turn {
                Turn::Evaluate(taken, share) => (taken, share),
                Turn::Accompany(duet) => {
                    self.gates.accompany(scratch, &duet);
                    continue;
                }
                Turn::Part => (Vec::new(), Share::Nobody),
            };
            match share {
                Share::With(ref duet) => self.gates.set_partner(scratch, Some(duet)),
                Share::Nobody if has_partner => self.gates.set_partner(scratch, None),
                Share::Nobody | Share::AsBefore => {}
            }
            has_partner = match share {
                Share::With(_) => true,
                Share::AsBefore => has_partner,
                Share::Nobody => false,
            };
            if taken.is_empty() {
                continue;
            }
            let given = self.evaluate(scratch, &taken);
            if has_partner && !self.gates.is_accompanied(scratch) {
                self.gates.set_partner(scratch, None);
                has_partner = false;
            }
            if let Some(progress) = self.store(taken, given) {
                self.pool.observe(progress);
            }
            if let Some(keeper) = keeper.as_mut().filter(|keeper| keeper.is_due()) {
                let state = self.lock();
                let left = !state.stopped && state.queue.done < state.queue.total;
                let partial = State::<G>::partial(&state.evaluated, &state.values);
                drop(state);
                if left {
                    keeper.keep(partial);
                }
            }
        }
    }

    /// Waits if other runs have their turn. It has nothing in hand.
    fn rest(&self, worker: usize) {
        self.lock().queue.returned(worker, self.now());
        self.pool.cancel().rest();
    }

    /// Wakes one worker that waits, or all of them. To be called with the state locked.
    fn notify_one(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        self.changed.notify_one();
    }

    pub(super) fn notify_all(&self) {
        self.changes.fetch_add(1, Ordering::Release);
        self.changed.notify_all();
    }

    /// Until there may be something to do. Whoever has just helped with a step of a chain is asked to help
    /// with the next one soon: falling asleep and waking up would take as long as that helps.
    fn wait<'s>(&'s self, mut state: MutexGuard<'s, State<'a, G>>) -> MutexGuard<'s, State<'a, G>> {
        let seen = self.changes.load(Ordering::Acquire);
        let is_news = || self.changes.load(Ordering::Acquire) != seen;
        state.idle += 1;
        drop(state);
        for _ in 0..LOOKS {
            if is_news() {
                break;
            }
            std::hint::spin_loop();
        }
        state = self.lock();
        if !is_news() {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.idle -= 1;
        state
    }

    /// Nanoseconds since the run began.
    fn now(&self) -> f64 {
        self.started.elapsed().as_nanos() as f64
    }

    /// The next batch, as soon as there is one, or somebody to help. Who has a partner keeps it while there
    /// is one operation at a time, and otherwise lets it go.
    fn take(&self, worker: usize, has_partner: bool) -> Option<Turn<G::Bit>> {
        let mut state = self.lock();
        state.queue.returned(worker, self.now());
        loop {
            // Whoever offers counts on somebody.
            if !has_partner && let Some(duet) = state.offers.pop() {
                return Some(Turn::Accompany(duet));
            }
            let left = state.queue.done < state.queue.total;
            if self.pool.cancel().is_cancelled() && !state.stopped && left {
                state.stopped = true;
                state.error = Some(ExecError::Cancelled);
                self.notify_all();
            }
            if state.stopped || !left {
                return None;
            }
            if !state.queue.is_empty() {
                break;
            }
            if has_partner {
                return Some(Turn::Part);
            }
            state = self.wait(state);
        }
        let mut nodes = state.queue.take_free();
        if nodes.is_empty() {
            nodes = state.queue.take(worker, self.now());
        }
        let mut share = Share::Nobody;
        if has_partner || state.offers.len() < state.idle {
            share = match state.queue.alone(&nodes) {
                Some(_) if has_partner => Share::AsBefore,
                Some(1) => self.gates.duet().map_or(Share::Nobody, Share::With),
                _ => Share::Nobody,
            };
        }
        if let Share::With(duet) = &share {
            state.offers.push(duet.clone());
            self.notify_one();
        }
        let taken = nodes.into_iter().map(|node| {
            let node = Node(node);
            let op = self.circuit.op(node);
            let bits = op.operands();
            let bits = bits.map(|wire| (state.values[wire.signal().index()].clone(), wire));
            let selector = |wire: Wire| {
                let known = state.selectors.get(&wire.signal().index());
                known.cloned().unwrap_or_default()
            };
            let selectors = match op {
                Op::Choose { select, .. } => vec![selector(select)],
                Op::Load(_) | Op::Store(_) => {
                    let conditions = op.operands().take(op.conditions());
                    conditions.map(selector).collect()
                }
                _ => Vec::new(),
            };
            Taken {
                node,
                bits: bits.collect(),
                selectors,
            }
        });
        let taken: Vec<Taken<G::Bit>> = taken.collect();
        // A value that is missing must never pass for a constant.
        let is_missing =
            |(bit, wire): &(Option<_>, Wire)| bit.is_none() && wire.as_constant().is_none();
        if taken.iter().any(|taken| taken.bits.iter().any(is_missing)) {
            state.stopped = true;
            state.error = Some(ExecError::Partial);
            self.notify_all();
            return None;
        }
        Some(Turn::Evaluate(taken, share))
    }

    /// A bit as it is read.
    fn operand<'t>(&self, (bit, wire): &'t (Option<Arc<G::Bit>>, Wire)) -> Operand<'t, G::Bit> {
        match bit {
            Some(bit) if wire.is_inverted() => Operand::Own(self.gates.not(bit)),
            Some(bit) => Operand::Borrowed(bit.as_ref()),
            None => Operand::Own(self.gates.constant(wire.is_inverted())),
        }
    }

    /// The batch's results.
    fn evaluate(&self, scratch: &mut G::Scratch, taken: &[Taken<G::Bit>]) -> Given<G> {
        let operands: Vec<Vec<Operand<'_, G::Bit>>> = taken
            .iter()
            .map(|taken| match self.circuit.op(taken.node) {
                // They are looked at where they are.
                Op::Load(_) | Op::Store(_) => Vec::new(),
                _ => taken.bits.iter().map(|bit| self.operand(bit)).collect(),
            })
            .collect();
        let mut given = Given {
            results: taken.iter().map(|_| None).collect(),
            selectors: Vec::new(),
        };
        let mut jobs = Vec::with_capacity(taken.len());
        let mut places = Vec::with_capacity(taken.len());
        let (mut selections, mut choices) = (Vec::new(), BTreeMap::new());
        let mut accesses = Vec::new();
        for (place, (taken, operands)) in taken.iter().zip(&operands).enumerate() {
            let lookup = |sum: Sum<'a>, tables| LookupJob {
                terms: operands
                    .iter()
                    .zip(sum.terms)
                    .map(|(operand, term)| (operand.bit(), term.weight))
                    .collect(),
                constant: sum.constant,
                max: sum.max,
                tables,
            };
            let job = match (self.circuit.op(taken.node), operands.as_slice()) {
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
                (Op::Subtotal { .. }, operands) => {
                    Job::Subtotal(operands.iter().map(Operand::bit).collect())
                }
                (Op::Linear { .. }, operands) => {
                    Job::Linear(operands.iter().map(Operand::bit).collect())
                }
                (Op::Refresh(_), [a]) => Job::Refresh(a.bit()),
                (Op::Lookup { sum, tables }, _) => Job::Lookup(lookup(sum, tables)),
                (Op::Selector { sum, tables }, _) => {
                    selections.push((place, lookup(sum, tables)));
                    continue;
                }
                (Op::Choose { select, .. }, [condition, then, otherwise]) => {
                    let same = choices.entry(select.signal().index());
                    let (_, pairs) = same.or_insert((condition.bit(), Vec::new()));
                    pairs.push((place, [otherwise.bit(), then.bit()]));
                    continue;
                }
                (Op::Load(_) | Op::Store(_), _) => {
                    accesses.push(place);
                    continue;
                }
                // Inputs are never ready, and operands come from the same operation.
                _ => continue,
            };
            jobs.push(job);
            places.push(place);
        }
        let results = match jobs.is_empty() {
            true => Vec::new(),
            false => self.gates.apply_many(scratch, &jobs),
        };
        for (place, result) in places.into_iter().zip(results) {
            given.results[place] = Some(result);
        }
        self.select(scratch, taken, selections, &mut given);
        self.choose(scratch, taken, choices, &mut given);
        for place in accesses {
            let result = self.access(scratch, &taken[place], &mut given);
            given.results[place] = Some(result);
        }
        given
    }

    /// The batch's selectors.
    fn select(
        &self,
        scratch: &mut G::Scratch,
        taken: &[Taken<G::Bit>],
        selections: Vec<(usize, LookupJob<'_, G::Bit>)>,
        given: &mut Given<G>,
    ) {
        if selections.is_empty() {
            return;
        }
        let (places, jobs): (Vec<_>, Vec<_>) = selections.into_iter().unzip();
        let results = self.gates.select_many(scratch, &jobs);
        for (place, result) in places.into_iter().zip(results) {
            given.results[place] = Some(result.map(|made| {
                let (bits, selectors): (Vec<_>, Vec<_>) = made.into_iter().unzip();
                let signals = self.circuit.range(taken[place].node);
                given.selectors.extend(signals.zip(selectors));
                bits
            }));
        }
    }

    /// The batch's choices, those of one condition together.
    fn choose(
        &self,
        scratch: &mut G::Scratch,
        taken: &[Taken<G::Bit>],
        choices: BTreeMap<usize, Choices<'_, G::Bit>>,
        given: &mut Given<G>,
    ) {
        for (signal, (condition, choices)) in choices {
            let (places, pairs): (Vec<_>, Vec<_>) = choices.into_iter().unzip();
            let known = places
                .first()
                .and_then(|&place| taken[place].selectors.first());
            let known = known.cloned().unwrap_or_default();
            let selector = match self.selector(scratch, (signal, condition), known, given) {
                Ok(selector) => selector,
                Err(error) => {
                    if let Some(&place) = places.first() {
                        given.results[place] = Some(Err(error));
                    }
                    continue;
                }
            };
            let chosen = self
                .gates
                .choose_many(scratch, (condition, &selector), &pairs);
            for (place, result) in places.into_iter().zip(chosen) {
                given.results[place] = Some(result.map(|bit| vec![bit]));
            }
        }
    }

    /// What is chosen by: where a condition was evaluated before, there is its bit alone, and the
    /// selector is made again.
    fn selector(
        &self,
        scratch: &mut G::Scratch,
        (signal, condition): (usize, &G::Bit),
        known: Selector,
        given: &mut Given<G>,
    ) -> Result<Selector, G::Error> {
        if !known.is_empty() || self.gates.profile().selectors.is_none() {
            return Ok(known);
        }
        let same = given.selectors.iter().find(|(other, _)| *other == signal);
        if let Some((_, made)) = same {
            return Ok(made.clone());
        }
        let again = LookupJob {
            terms: vec![(condition, 1)],
            constant: 0,
            max: 1,
            tables: Tables::new(&[0b10]),
        };
        let made = match self.gates.select_many(scratch, &[again]).pop() {
            Some(made) => made?.into_iter().next(),
            None => None,
        };
        let selector = made.map(|(_, selector)| selector).unwrap_or_default();
        given.selectors.push((signal, selector.clone()));
        Ok(selector)
    }

    /// A load or a store.
    fn access(
        &self,
        scratch: &mut G::Scratch,
        taken: &Taken<G::Bit>,
        given: &mut Given<G>,
    ) -> Results<G> {
        let op = self.circuit.op(taken.node);
        let (of_conditions, data) = taken.bits.split_at(op.conditions());
        let mut conditions = Vec::with_capacity(of_conditions.len());
        for ((bit, wire), known) in of_conditions.iter().zip(&taken.selectors) {
            // A selector is of the bit as it was computed; an index has no constants.
            let Some(bit) = bit else { continue };
            let signal = wire.signal().index();
            let selector = self.selector(scratch, (signal, bit.as_ref()), known.clone(), given)?;
            conditions.push((bit.as_ref(), selector, wire.is_inverted()));
        }
        let inverted = data.iter().enumerate();
        let inverted = inverted.filter_map(|(number, (bit, wire))| {
            let bit = bit.as_ref().filter(|_| wire.is_inverted())?;
            Some((number, self.gates.not(bit)))
        });
        let inverted: HashMap<usize, G::Bit> = inverted.collect();
        let entry = |number: usize| match &data[number] {
            (Some(bit), _) => Entry::Bit(inverted.get(&number).unwrap_or(bit)),
            (None, wire) => Entry::Known(wire.is_inverted()),
        };
        let conditions = conditions
            .iter()
            .map(|&(bit, ref selector, inverted)| IndexBit {
                bit,
                selector,
                inverted,
            });
        let mut conditions: Vec<IndexBit<'_, G::Bit>> = conditions.collect();
        match op {
            Op::Load(load) => {
                let job = LoadJob {
                    index: conditions,
                    entries: &entry,
                    width: load.width(),
                    columns: load.columns(),
                };
                self.gates.load(scratch, &job)
            }
            Op::Store(store) => {
                let enable = store.enable().and_then(|_| conditions.pop());
                let width = store.width();
                let job = StoreJob {
                    index: conditions,
                    enable,
                    entries: &|number| entry(width + number),
                    word: (0..width).map(entry).collect(),
                };
                self.gates.store(scratch, &job)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Keeps what is still to be read, frees what is not, and wakes whoever can go on.
    fn store(&self, taken: Vec<Taken<G::Bit>>, given: Given<G>) -> Option<Progress> {
        let mut results = given.results.into_iter().map(Option::into_iter);
        // Declared before the lock, so that bits are dropped after it.
        let mut unused: Vec<Arc<G::Bit>> = Vec::new();
        let mut computed: Vec<(u32, Arc<G::Bit>)> = Vec::new();
        let mut state = self.lock();
        for (signal, selector) in given.selectors {
            if state.reads[signal] > 0 && !selector.is_empty() {
                state.selectors.insert(signal, selector);
            }
        }
        for Taken { node, bits, .. } in taken {
            let range = self.circuit.range(node);
            let bits_of_node = match results.next().and_then(|mut one| one.next()) {
                Some(Ok(bits)) if bits.len() == range.len() => bits,
                Some(Ok(bits)) => return self.fail(state, node, Failure::Results(bits.len())),
                None => return self.fail(state, node, Failure::Results(0)),
                Some(Err(source)) => return self.fail(state, node, Failure::Gate(source)),
            };
            for (signal, bit) in range.zip(bits_of_node) {
                if state.reads[signal] > 0 {
                    let bit = Arc::new(bit);
                    if self.others.is_some() {
                        computed.push((signal as u32, Arc::clone(&bit)));
                    }
                    state.values[signal] = Some(bit);
                    state.kept += 1;
                }
            }
            state.queue.finish(node.index());
            state.evaluated[node.index()] = true;
            for (bit, wire) in bits {
                state.release(self.circuit, wire, &mut unused);
                // This operation's own hold on it may be the last.
                unused.extend(bit);
            }
        }
        state.watch();
        let Progress { done, total } = state.queue.progress();
        let progress = Progress {
            done: self.before + done,
            total: self.before + total,
        };
        // One task is this worker's own.
        if state.queue.done == state.queue.total || state.queue.has_several() {
            self.notify_all();
        }
        drop(state);
        for (signal, bit) in computed {
            self.send(signal, &bit);
        }
        Some(progress)
    }

    fn fail(
        &self,
        mut state: MutexGuard<'_, State<'a, G>>,
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
        self.notify_all();
        None
    }
}

enum Failure<E> {
    Gate(E),
    Results(usize),
}

/// Stops the other workers if this one unwinds.
pub(super) struct StopOnPanic<'a, 'b, G: Gates>(pub(super) &'a Run<'b, G>);

impl<G: Gates> Drop for StopOnPanic<'_, '_, G> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().stopped = true;
            self.0.notify_all();
        }
    }
}
