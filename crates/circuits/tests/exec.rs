//! The scheduler agrees with the simulator, frees what it no longer needs, stops when it is told
//! to, and says what failed.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use std::time::Duration;

use blindcore_circuits::exec::{Begin, Cancel, Keeper, Partial, Progress, run_kept, run_owned};
use blindcore_circuits::sim::{self, Simulator};
use blindcore_circuits::{
    Builder, Circuit, ExecError, GateByGate, Gates, Job, Pool, Profile, Wire, laws, passes, run,
};

fn profiles() -> [Profile; 2] {
    [Profile::lookup_simulation(), Profile::gate_simulation()]
}

fn encode(bit: bool) -> u64 {
    if bit { u64::MAX } else { 0 }
}

/// An addition by slices of three bits, chained `times` times, and its inputs.
fn additions(profile: &Profile, bits: usize, times: usize) -> Circuit {
    let mut build = Builder::new(profile);
    let mut sum = build.inputs(bits);
    for _ in 0..times {
        let other = build.inputs(bits);
        let mut carry = Wire::FALSE;
        let mut next = Vec::new();
        for (a, b) in sum.chunks(3).zip(other.chunks(3)) {
            let mut terms = vec![(carry, 1)];
            for (place, (&a, &b)) in a.iter().zip(b).enumerate() {
                terms.extend([(a, 1 << place), (b, 1 << place)]);
            }
            let mut out = build.lookup(&terms, 0, &[0xaaaa, 0xcccc, 0xf0f0, 0xff00]);
            carry = out[a.len()];
            out.truncate(a.len());
            next.extend(out);
        }
        sum = next;
    }
    for (i, &wire) in sum.iter().enumerate() {
        build.output(if i % 2 == 0 { wire } else { !wire });
    }
    build.output(Wire::TRUE);
    build.finish()
}

fn inputs(circuit: &Circuit) -> Vec<u64> {
    let mut state = 1u64;
    let mut next = || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        state ^ state >> 29
    };
    (0..circuit.inputs()).map(|_| next()).collect()
}

fn bits(values: &[u64]) -> Vec<Arc<u64>> {
    values.iter().map(|&value| Arc::new(value)).collect()
}

#[test]
fn simulators_obey_the_laws() {
    for profile in profiles() {
        laws::gates(
            &Simulator::new(profile),
            &encode,
            &|bits| bits & 1 == 1,
            500,
        );
    }
}

/// An engine that has nothing but what the contract requires.
struct Bare(Profile);

impl Gates for Bare {
    type Bit = bool;
    type Scratch = usize;
    type Error = std::io::Error;

    fn profile(&self) -> &Profile {
        &self.0
    }

    fn scratch(&self) -> usize {
        0
    }

    fn constant(&self, value: bool) -> bool {
        value
    }

    fn not(&self, a: &bool) -> bool {
        !a
    }

    fn apply_many(
        &self,
        operations: &mut usize,
        jobs: &[Job<'_, bool>],
    ) -> Vec<Result<Vec<bool>, Self::Error>> {
        self.one_by_one(operations, jobs)
    }
}

impl GateByGate for Bare {
    fn and(&self, operations: &mut usize, a: &bool, b: &bool) -> Result<bool, Self::Error> {
        *operations += 1;
        Ok(*a && *b)
    }

    fn xor(&self, _: &mut usize, a: &bool, b: &bool) -> Result<bool, Self::Error> {
        Ok(a ^ b)
    }

    fn refresh(&self, _: &mut usize, a: &bool) -> Result<bool, Self::Error> {
        Ok(*a)
    }
}

#[test]
fn defaults_obey_the_laws() {
    for profile in profiles() {
        laws::gates(&Bare(profile), &|bit| bit, &|bit| *bit, 500);
    }
}

#[test]
fn the_scheduler_agrees_with_the_simulator() {
    for profile in profiles() {
        let circuit = additions(&profile, 32, 20);
        let values = inputs(&circuit);
        let expected = sim::evaluate(&circuit, &values).unwrap();
        for threads in [1, 2, 5] {
            let engine = Simulator::new(profile.clone());
            let outputs = run(&engine, &circuit, &bits(&values), &Pool::new(threads)).unwrap();
            assert_eq!(
                outputs.iter().map(|bit| **bit).collect::<Vec<_>>(),
                expected
            );
        }
    }
}

#[test]
fn wrong_number_of_inputs() {
    let profile = Profile::lookup_simulation();
    let circuit = additions(&profile, 3, 1);
    let error = run(
        &Simulator::new(profile),
        &circuit,
        &bits(&[0; 5]),
        &Pool::new(1),
    )
    .unwrap_err();
    assert_eq!(
        error,
        ExecError::Inputs {
            expected: 6,
            found: 5
        }
    );
}

#[test]
fn progress_reaches_the_total_and_cancellation_stops() {
    let profile = Profile::lookup_simulation();
    let circuit = additions(&profile, 30, 10);
    let values = bits(&inputs(&circuit));
    let seen = Arc::new(Mutex::new(Vec::<Progress>::new()));
    let observer = Arc::clone(&seen);
    let pool = Pool::new(2).with_progress(move |progress| observer.lock().unwrap().push(progress));
    run(&Simulator::new(profile.clone()), &circuit, &values, &pool).unwrap();
    let takes_time = |node| profile.time(&circuit.op(node)) > 0.0;
    let total = circuit.nodes().filter(|&node| takes_time(node)).count();
    assert!(
        seen.lock()
            .unwrap()
            .contains(&Progress { done: total, total })
    );

    for threads in [1, 3] {
        let cancel = Cancel::new();
        let (token, count) = (cancel.clone(), Arc::new(AtomicUsize::new(0)));
        let counter = Arc::clone(&count);
        let pool = Pool::new(threads)
            .with_cancel(cancel)
            .with_progress(move |progress| {
                counter.fetch_max(progress.done, Ordering::Relaxed);
                if progress.done >= 20 {
                    token.cancel();
                }
            });
        let error = run(&Simulator::new(profile.clone()), &circuit, &values, &pool).unwrap_err();
        assert_eq!(error, ExecError::Cancelled);
        assert!(count.load(Ordering::Relaxed) < 60);
    }
}

/// Fails at its `nth` job; counts the bits that live.
struct Failing {
    profile: Profile,
    nth: usize,
    jobs: AtomicUsize,
    live: Arc<AtomicUsize>,
    peak: AtomicUsize,
    largest: AtomicUsize,
}

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("out of luck")]
struct OutOfLuck;

impl Failing {
    fn new(profile: Profile, nth: usize) -> Self {
        let zero = || AtomicUsize::new(0);
        Self {
            profile,
            nth,
            jobs: zero(),
            live: Arc::new(zero()),
            peak: zero(),
            largest: zero(),
        }
    }

    fn bit(&self) -> Counted {
        let live = self.live.fetch_add(1, Ordering::SeqCst) + 1;
        self.peak.fetch_max(live, Ordering::SeqCst);
        Counted(Arc::clone(&self.live))
    }
}

impl Gates for Failing {
    type Bit = Counted;
    type Scratch = ();
    type Error = OutOfLuck;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) {}

    fn constant(&self, _: bool) -> Counted {
        self.bit()
    }

    fn not(&self, _: &Counted) -> Counted {
        self.bit()
    }

    fn apply_many(
        &self,
        (): &mut (),
        jobs: &[Job<'_, Counted>],
    ) -> Vec<Result<Vec<Counted>, OutOfLuck>> {
        let is_work = |job: &&Job<'_, Counted>| !job.is_sum();
        let work = jobs.iter().filter(is_work).count();
        assert!(work == 0 || work == jobs.len(), "sums among other work");
        self.largest.fetch_max(work, Ordering::SeqCst);
        let answer = |job: &Job<'_, Counted>| {
            if self.jobs.fetch_add(1, Ordering::SeqCst) + 1 == self.nth {
                return Err(OutOfLuck);
            }
            let count = if let Job::Lookup(lookup) = job {
                lookup.tables.len()
            } else {
                1
            };
            Ok((0..count).map(|_| self.bit()).collect())
        };
        jobs.iter().map(answer).collect()
    }
}

#[test]
fn the_first_error_names_its_place() {
    let profile = Profile::lookup_simulation();
    // One slice after the other: the fourth job is the fourth slice.
    let circuit = additions(&profile, 30, 1);
    for threads in [1, 4] {
        let engine = Failing::new(profile.clone(), 4);
        let values: Vec<_> = (0..circuit.inputs())
            .map(|_| Arc::new(engine.bit()))
            .collect();
        let error = run(&engine, &circuit, &values, &Pool::new(threads))
            .err()
            .unwrap();
        let ExecError::Gate {
            op,
            level,
            source,
            wire,
        } = error
        else {
            panic!("{error}")
        };
        assert_eq!((op, level, source), ("lookup", 4, OutOfLuck));
        let node = circuit.source(wire.signal()).unwrap();
        assert_eq!(circuit.level(node), 4);
        drop(values);
        assert_eq!(engine.live.load(Ordering::SeqCst), 0);
    }
}

#[test]
fn bits_are_freed_at_their_last_use() {
    let profile = Profile::lookup_simulation();
    let circuit = additions(&profile, 30, 50);
    let engine = Failing::new(profile, 0);
    let values: Vec<_> = (0..circuit.inputs())
        .map(|_| Arc::new(engine.bit()))
        .collect();
    let outputs = run(&engine, &circuit, &values, &Pool::new(1)).unwrap();
    drop(values);
    assert_eq!(engine.live.load(Ordering::SeqCst), outputs.len());
    // All inputs, the sums in flight on a diagonal of the chain, and a batch of results.
    let beside = engine.peak.load(Ordering::SeqCst) - circuit.inputs();
    assert!(beside < 30 * 8, "{beside} bits at once");
}

/// Many chains of lookups that meet in a tree that is recorded as it is needed.
fn chains(build: &mut Builder, inputs: &[Wire], first: usize, count: usize) -> Wire {
    if count > 1 {
        let left = chains(build, inputs, first, count / 2);
        let right = chains(build, inputs, first + count / 2, count - count / 2);
        let sum = [(left, 1), (right, 2), (inputs[first % inputs.len()], 4)];
        return build.lookup(&sum, 0, &[0b0110_1011])[0];
    }
    let mixed = |step: usize| {
        let x = (64 * first + step) as u64;
        let x = (x ^ x << 29).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ x >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    };
    let at = |step: usize| inputs[(mixed(step) >> 40) as usize % inputs.len()];
    // Four inputs at once, so that no two chains begin alike.
    let begin: Vec<(Wire, i8)> = (0..4).map(|i| (at(24 + i), 1 << i)).collect();
    let begin = build.lookup(&begin, 0, &[0x1b2d])[0];
    (0..12).fold(begin, |bit, step| {
        let sum = [(bit, 1), (at(step), 2), (at(step + 12), 4)];
        build.lookup(&sum, 0, &[0b0110_1011])[0]
    })
}

#[test]
fn a_run_that_is_told_to_keeps_few_bits() {
    let mut profile = Profile::lookup_simulation();
    profile.batch = 8;
    let mut build = Builder::new(&profile);
    let inputs = build.inputs(64);
    let root = chains(&mut build, &inputs, 0, 4096);
    build.output(root);
    let circuit = passes::remove_dead(&build.finish());
    let in_order = passes::peak_bits(&circuit);
    assert!(circuit.len() > 20_000 && in_order < 400, "{in_order}");
    let values: Vec<u64> = self::inputs(&circuit);
    let expected = sim::evaluate(&circuit, &values).unwrap();
    for threads in [1, 3] {
        let peak = |pool: Pool| {
            let engine = Failing::new(profile.clone(), 0);
            let values = (0..circuit.inputs()).map(|_| Arc::new(engine.bit()));
            run_owned(&engine, &circuit, values.collect(), &pool).unwrap();
            engine.peak.load(Ordering::SeqCst)
        };
        // By urgency alone every chain is begun before one is gone on with.
        let wide = peak(Pool::new(threads));
        assert!(wide > 3000, "{wide}");
        for most in [0, 500] {
            // A thousand results within reach, and what the workers hold.
            let bound = most + in_order + 1024 + 3 * 8 * threads;
            let found = peak(Pool::new(threads).with_bit_limit(most));
            assert!(found <= bound, "{found} bits at once, {bound} allowed");
            let engine = Simulator::new(profile.clone());
            let pool = Pool::new(threads).with_bit_limit(most);
            let outputs = run(&engine, &circuit, &bits(&values), &pool).unwrap();
            assert_eq!(*outputs[0], expected[0]);
        }
    }
}

#[test]
fn a_run_keeps_what_a_plan_says() {
    let mut profile = Profile::lookup_simulation();
    (
        profile.batch,
        profile.bytes_per_bit,
        profile.bytes_per_input,
    ) = (8, 1, 1);
    let mut build = Builder::new(&profile);
    let inputs = build.inputs(64);
    let root = chains(&mut build, &inputs, 0, 4096);
    build.output(root);
    let chains = passes::remove_dead(&build.finish());
    for circuit in [chains, additions(&profile, 30, 50)] {
        for threads in [1, 3] {
            profile.cores = threads;
            let planned = passes::peak_bytes(&circuit, &profile) as usize;
            let engine = Failing::new(profile.clone(), 0);
            let values = (0..circuit.inputs()).map(|_| Arc::new(engine.bit()));
            run_owned(&engine, &circuit, values.collect(), &Pool::new(threads)).unwrap();
            let found = engine.peak.load(Ordering::SeqCst);
            println!("{planned} {found}");
            // What workers hold besides, and the order in which threads happen to end.
            let range = planned * 9 / 10 - 3 * 8 * threads..=planned * 11 / 10 + 3 * 8 * threads;
            assert!(range.contains(&found), "{found} bits, {planned} planned");
        }
    }
}

#[test]
fn ready_nodes_are_shared_out_before_they_are_batched() {
    let mut profile = Profile::lookup_simulation();
    profile.batch = 8;
    let mut build = Builder::new(&profile);
    let wires = build.inputs(8);
    for pair in wires.chunks(2) {
        let gate = build.and(pair[0], pair[1]);
        build.output(gate);
    }
    let circuit = build.finish();
    for (threads, largest) in [(1, 4), (2, 2), (4, 1)] {
        let engine = Failing::new(profile.clone(), 0);
        let values: Vec<_> = (0..8).map(|_| Arc::new(engine.bit())).collect();
        run(&engine, &circuit, &values, &Pool::new(threads)).unwrap();
        assert_eq!(engine.largest.load(Ordering::SeqCst), largest);
    }
}

#[test]
fn sums_take_no_place_in_a_batch() {
    let mut profile = Profile::lookup_simulation();
    profile.batch = 8;
    let mut build = Builder::new(&profile);
    let wires = build.inputs(16);
    for group in wires.chunks(4) {
        // One sum is ready from the start, the other reads what was evaluated.
        let first = build.disjoint(&group[..2]);
        let gate = build.and(first, group[2]);
        let second = build.disjoint(&[gate, group[3]]);
        build.output(second);
    }
    let circuit = build.finish();
    let cost = passes::cost(&circuit, &profile);
    assert_eq!((cost.and, cost.disjoint, cost.bootstraps), (4, 8, 4));
    assert_eq!(cost.depth, 1);
    assert_eq!(passes::makespan(&circuit, &profile), 4.0);
    for (threads, largest) in [(1, 4), (2, 2), (4, 1)] {
        let engine = Failing::new(profile.clone(), 0);
        let values: Vec<_> = (0..16).map(|_| Arc::new(engine.bit())).collect();
        run(&engine, &circuit, &values, &Pool::new(threads)).unwrap();
        assert_eq!(engine.largest.load(Ordering::SeqCst), largest);
    }
}

/// Remembers the order of its jobs, by first operand; answers nothing where it is told to.
struct Recording {
    profile: Profile,
    order: Mutex<Vec<u64>>,
    fault: Option<Fault>,
}

#[derive(Clone, Copy, PartialEq)]
enum Fault {
    NoAnswer,
    NoBits,
    Panic,
}

impl Gates for Recording {
    type Bit = u64;
    type Scratch = ();
    type Error = OutOfLuck;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) {}

    fn constant(&self, value: bool) -> u64 {
        u64::from(value)
    }

    fn not(&self, a: &u64) -> u64 {
        *a
    }

    fn apply_many(&self, (): &mut (), jobs: &[Job<'_, u64>]) -> Vec<Result<Vec<u64>, OutOfLuck>> {
        match self.fault {
            None => jobs.iter().map(|job| Ok(vec![self.first(job)])).collect(),
            Some(Fault::NoAnswer) => Vec::new(),
            Some(Fault::NoBits) => jobs.iter().map(|_| Ok(Vec::new())).collect(),
            Some(Fault::Panic) => panic!("broken engine"),
        }
    }
}

impl Recording {
    /// The first operand of a gate, which is its result.
    fn first(&self, job: &Job<'_, u64>) -> u64 {
        match *job {
            Job::And(a, _) => {
                self.order.lock().unwrap().push(*a);
                *a
            }
            Job::Xor(a, _) => *a,
            _ => panic!("no gate"),
        }
    }
}

/// Four independent ANDs, then a chain of three.
fn chain_after_singles(profile: &Profile) -> Circuit {
    let mut build = Builder::new(profile);
    let wires = build.inputs(12);
    for pair in wires[..8].chunks(2) {
        let gate = build.and(pair[0], pair[1]);
        build.output(gate);
    }
    let chain = wires[9..]
        .iter()
        .fold(wires[8], |chain, &wire| build.and(chain, wire));
    build.output(chain);
    build.finish()
}

#[test]
fn the_critical_path_goes_first() {
    let profile = Profile::gate_simulation();
    let circuit = chain_after_singles(&profile);
    let engine = Recording {
        profile,
        order: Mutex::default(),
        fault: None,
    };
    let values: Vec<u64> = (0..12).collect();
    run(&engine, &circuit, &bits(&values), &Pool::new(1)).unwrap();
    let order = engine.order.into_inner().unwrap();
    // The chain's first two gates are more urgent than all others, its last ties and comes later
    // in the program. The second and third gate read the chain as their second operand.
    assert_eq!(order[0], 8);
    assert_eq!(order[2..6], [0, 2, 4, 6]);
}

#[test]
fn engines_that_answer_too_little_are_found_out() {
    let profile = Profile::gate_simulation();
    let circuit = chain_after_singles(&profile);
    for fault in [Fault::NoAnswer, Fault::NoBits] {
        let engine = Recording {
            profile: profile.clone(),
            order: Mutex::default(),
            fault: Some(fault),
        };
        let error = run(&engine, &circuit, &bits(&[0; 12]), &Pool::new(1)).unwrap_err();
        assert!(
            matches!(
                error,
                ExecError::Results {
                    op: "and",
                    level: 1,
                    expected: 1,
                    found: 0,
                    ..
                }
            ),
            "{error}"
        );
    }
}

#[test]
fn an_engine_that_panics_does_not_hang_the_others() {
    let profile = Profile::gate_simulation();
    let circuit = chain_after_singles(&profile);
    let engine = Recording {
        profile,
        order: Mutex::default(),
        fault: Some(Fault::Panic),
    };
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        run(&engine, &circuit, &bits(&[0; 12]), &Pool::new(3))
    }));
    assert!(result.is_err());
}

/// Interrupted after every few batches, on one thread and on several, whatever was in flight then:
/// what is kept leads to the same results, and nothing is evaluated for a circuit that it is not
/// of.
#[test]
fn what_is_kept_of_a_run_is_gone_on_with() {
    for profile in profiles() {
        let circuit = passes::prepare(&additions(&profile, 24, 12), &profile);
        let values = inputs(&circuit);
        let expected: Vec<u64> = sim::evaluate(&circuit, &values).unwrap();
        let engine = Simulator::new(profile.clone());
        for (threads, most) in [(1, 1), (1, 3), (3, 1), (4, 7)] {
            let mut begin = Begin::Inputs(bits(&values));
            let mut rounds = 0;
            let mut last: Option<Partial<u64>> = None;
            let left = loop {
                rounds += 1;
                let pool = Pool::new(threads).with_bit_limit(64);
                let cancel = pool.cancel().clone();
                let (mut seen, mut kept) = (0, None);
                let mut keep = |partial: Partial<u64>| {
                    seen += 1;
                    kept = Some(partial);
                    if seen >= most {
                        cancel.cancel();
                    }
                };
                let keeper = Keeper::new(Duration::ZERO, &mut keep);
                match run_kept(&engine, &circuit, begin, &pool, Some(keeper)) {
                    Ok(outputs) => break outputs,
                    Err(error) => assert_eq!(error, ExecError::Cancelled),
                }
                let done =
                    |partial: &Partial<u64>| partial.evaluated.iter().filter(|done| **done).count();
                let partial = kept.expect("it was cancelled there");
                assert!(done(&partial) > last.as_ref().map_or(0, done), "it goes on");
                last = Some(partial.clone());
                begin = Begin::Partial(partial);
            };
            assert_eq!(left.iter().map(|bit| **bit).collect::<Vec<_>>(), expected);
            // Of several threads others may be done before the one that keeps has its turn.
            assert!(threads > 1 || rounds > 1);
            let Some(mut partial) = last else {
                continue;
            };
            let other = passes::prepare(&additions(&profile, 24, 11), &profile);
            let run = |circuit, partial| {
                let begin = Begin::Partial(partial);
                run_kept(&engine, circuit, begin, &Pool::new(1), None)
            };
            assert_eq!(run(&other, partial.clone()), Err(ExecError::Partial));
            partial.values.pop();
            assert_eq!(run(&circuit, partial), Err(ExecError::Partial));
        }
    }
}
