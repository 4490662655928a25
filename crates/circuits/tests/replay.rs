//! The replay against schedules computed by hand, against bounds that every schedule keeps, and
//! against what the scheduler really does.
use std::sync::{Arc, Mutex};

use blindcore_circuits::exec::{Batch, replay, replay_with};
use blindcore_circuits::library;
use blindcore_circuits::{
    Builder, Circuit, Gates, Job, Pool, Profile, Timing, Wire, passes, run, sim,
};
use proptest::prelude::*;

/// Lookups in batches of four that take 4, 5, 6 and 8 on one busy worker, a half more on two.
fn profile() -> Profile {
    let mut profile = Profile::lookup_simulation();
    profile.batch = 4;
    let row = [4.0, 5.0, 6.0, 8.0];
    let rows = vec![row.to_vec(), row.map(|time| 1.5 * time).to_vec()];
    profile.set_timing(Timing::new(rows).unwrap());
    profile
}

/// Independent ANDs.
fn layer(profile: &Profile, count: usize) -> Circuit {
    let mut b = Builder::new(profile);
    for _ in 0..count {
        let pair = b.inputs(2);
        let both = b.and(pair[0], pair[1]);
        b.output(both);
    }
    b.finish()
}

/// Chains of ANDs, of these lengths.
fn chains(profile: &Profile, lengths: &[usize]) -> Circuit {
    let mut b = Builder::new(profile);
    for &length in lengths {
        let first = b.input();
        let end = (0..length).fold(first, |chain, _| {
            let other = b.input();
            b.and(chain, other)
        });
        b.output(end);
    }
    b.finish()
}

#[test]
fn schedules_by_hand() {
    let profile = profile();
    for (circuit, workers, time, batches) in [
        (layer(&profile, 0), 1, 0.0, 0),
        (layer(&profile, 1), 1, 4.0, 1),
        (layer(&profile, 4), 1, 8.0, 1),
        // 4 + 4 + 1.
        (layer(&profile, 9), 1, 20.0, 3),
        // Two and two, both slowed down.
        (layer(&profile, 4), 2, 7.5, 2),
        // The second works alone as soon as the first is done: 2 of 3 at half speed more.
        (layer(&profile, 3), 2, 6.0 + 5.0 * (1.0 - 6.0 / 7.5), 2),
        // Sixteen: two full batches each, and no halves of halves.
        (layer(&profile, 16), 2, 24.0, 4),
        // A worker more finds nothing to do.
        (chains(&profile, &[3]), 1, 12.0, 3),
        (chains(&profile, &[3]), 2, 12.0, 3),
        (chains(&profile, &[3, 3]), 1, 15.0, 3),
        (chains(&profile, &[3, 3]), 2, 18.0, 6),
        // The long chain goes first, in one batch with the short one, then alone.
        (chains(&profile, &[3, 1]), 1, 13.0, 3),
    ] {
        let schedule = replay(&circuit, &profile, workers);
        assert!(
            (schedule.time - time).abs() < 1e-9,
            "{} nodes on {workers}: {schedule:?} instead of {time}",
            circuit.len()
        );
        assert_eq!(schedule.batches, batches, "{} on {workers}", circuit.len());
        assert_eq!(schedule.rotations, circuit.len() - circuit.inputs());
    }
}

#[test]
fn figures_of_a_schedule() {
    let profile = profile();
    let schedule = replay(&layer(&profile, 16), &profile, 2);
    assert_eq!(schedule.time_of_one, 32.0);
    assert_eq!(schedule.speedup(), 32.0 / 24.0);
    assert_eq!(schedule.efficiency(), 32.0 / 48.0);
    assert_eq!(schedule.busy_share(), 1.0);
    assert_eq!(schedule.mean_batch(), 4.0);
    let nothing = replay(&layer(&profile, 0), &profile, 3);
    assert_eq!((nothing.speedup(), nothing.busy_share()), (1.0, 1.0));
}

#[test]
fn selections_of_two_rotations_take_two_places() {
    let mut profile = Profile::gate_simulation();
    profile.batch = 4;
    profile.set_timing(Timing::new(vec![vec![4.0, 5.0, 6.0, 8.0]]).unwrap());
    // A rotation in a full batch takes 2; a selection 3.5, half less than its two.
    profile.cost.mux = 3.5;
    let mut b = Builder::new(&profile);
    for _ in 0..3 {
        let bits = b.inputs(3);
        let selected = b.mux(bits[0], bits[1], bits[2]);
        b.output(selected);
    }
    let circuit = b.finish();
    let schedule = replay(&circuit, &profile, 1);
    assert_eq!((schedule.batches, schedule.rotations), (2, 6));
    assert!((schedule.time - (8.0 - 1.0 + 5.0 - 0.5)).abs() < 1e-6);
}

/// Computes in the clear and remembers its batches.
struct Recording {
    profile: Profile,
    /// By batch the values of the jobs' first operands: every input has another.
    batches: Mutex<Vec<Vec<u64>>>,
}

impl Gates for Recording {
    type Bit = u64;
    type Scratch = ();
    type Error = std::io::Error;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) {}

    fn constant(&self, value: bool) -> u64 {
        u64::from(value)
    }

    fn not(&self, a: &u64) -> u64 {
        !a
    }

    fn apply_many(&self, (): &mut (), jobs: &[Job<'_, u64>]) -> Vec<Result<Vec<u64>, Self::Error>> {
        // Free sums are in no batch.
        if !jobs.iter().any(Job::is_sum) {
            let batch = jobs.iter().map(|job| mixed(&operands(job))).collect();
            self.batches.lock().unwrap().push(batch);
        }
        let results = |job: &Job<'_, u64>| match job {
            Job::Lookup(lookup) => lookup.tables.len(),
            _ => 1,
        };
        let answer = |job: &Job<'_, u64>| {
            let of_all = mixed(&operands(job));
            Ok((0..results(job) as u64)
                .map(|at| mixed(&[of_all, at]))
                .collect())
        };
        jobs.iter().map(answer).collect()
    }
}

/// Another number for other operands.
fn mixed(operands: &[u64]) -> u64 {
    operands.iter().fold(1, |state, operand| {
        (state ^ operand)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29)
    })
}

fn operands(job: &Job<'_, u64>) -> Vec<u64> {
    match job {
        &Job::And(a, b) | &Job::Xor(a, b) => vec![*a, *b],
        &Job::Mux {
            select,
            then,
            otherwise,
        } => vec![*select, *then, *otherwise],
        Job::Lookup(lookup) => lookup.terms.iter().map(|(bit, _)| **bit).collect(),
        Job::Parity(bits) | Job::Disjoint(bits) | Job::Subtotal(bits) | Job::Linear(bits) => {
            bits.iter().map(|bit| **bit).collect()
        }
        &Job::Refresh(a) => vec![*a],
    }
}

/// By node the number that identifies it to [`Recording`].
fn identities(circuit: &Circuit, inputs: &[u64]) -> Vec<u64> {
    let mut signals = vec![0u64; circuit.signals()];
    let mut of_nodes = vec![0; circuit.len()];
    let mut inputs = inputs.iter();
    for node in circuit.nodes() {
        let read = |wire: Wire| match wire.as_constant() {
            Some(value) => u64::from(value),
            None if wire.is_inverted() => !signals[wire.signal().index()],
            None => signals[wire.signal().index()],
        };
        let read: Vec<u64> = circuit.op(node).operands().map(read).collect();
        of_nodes[node.index()] = mixed(&read);
        let is_input = matches!(circuit.op(node), blindcore_circuits::Op::Input(_));
        for (at, signal) in circuit.signals_of(node).enumerate() {
            signals[signal.index()] = if is_input {
                *inputs.next().unwrap()
            } else {
                mixed(&[mixed(&read), at as u64])
            };
        }
    }
    of_nodes
}

/// On one worker the replay predicts every batch of the scheduler.
fn predicts(circuit: &Circuit, profile: &Profile) {
    let inputs: Vec<u64> = (0..circuit.inputs() as u64).map(|i| mixed(&[i])).collect();
    let engine = Recording {
        profile: profile.clone(),
        batches: Mutex::default(),
    };
    let bits: Vec<Arc<u64>> = inputs.iter().map(|&input| Arc::new(input)).collect();
    run(&engine, circuit, &bits, &Pool::new(1)).unwrap();
    let identities = identities(circuit, &inputs);
    let mut predicted = Vec::new();
    replay_with(circuit, profile, 1, &mut |batch| {
        let nodes = batch.nodes.iter();
        predicted.push(Vec::from_iter(nodes.map(|node| identities[node.index()])));
    });
    assert_eq!(engine.batches.into_inner().unwrap(), predicted);
}

#[test]
fn the_scheduler_does_what_the_replay_says() {
    for profile in [profile(), Profile::lookup_simulation()] {
        let mut b = Builder::new(&profile);
        let (x, y) = (b.inputs(16), b.inputs(16));
        let product = library::multiply(&mut b, &x, &y);
        let sum = library::add(&mut b, &product, &x);
        // Free, and read by lookups.
        let equal = (0..6).map(|value| {
            let masks = [1 << value];
            b.lookup(&[(x[0], 1), (x[1], 2), (x[2], 4)], 0, &masks)[0]
        });
        let equal: Vec<Wire> = equal.collect();
        let one = b.disjoint(&equal);
        let masked = library::and(&mut b, &y, &[one; 16]);
        let product = product.into_iter().chain(masked);
        for wire in product.chain(sum) {
            b.output(wire);
        }
        predicts(&passes::prepare(&b.finish(), &profile), &profile);
    }
}

/// A circuit of ANDs that read random earlier wires.
fn arbitrary() -> impl Strategy<Value = Circuit> {
    prop::collection::vec((any::<u16>(), any::<u16>()), 1..120).prop_map(|pairs| {
        let mut b = Builder::new(&Profile::gate_simulation());
        let mut wires = b.inputs(6);
        for (x, y) in pairs {
            // Mostly late wires, so that there are long paths too.
            let at = |x: u16| wires.len() - 1 - usize::from(x) % wires.len().min(20);
            let both = b.and(wires[at(x)], wires[at(y)]);
            wires.push(both);
            b.output(both);
        }
        b.finish()
    })
}

/// A profile of gates whose batches take `alone` and a unit for each rotation, and longer beside
/// others.
fn gates(batch: usize, alone: f64, beside: f64) -> Profile {
    let mut profile = Profile::gate_simulation();
    profile.batch = batch;
    let row: Vec<f64> = (1..=batch).map(|count| alone + count as f64).collect();
    let slower = row.iter().map(|time| time * beside).collect();
    profile.set_timing(Timing::new(vec![row, slower]).unwrap());
    profile
}

proptest! {
    #[test]
    fn one_worker_takes_the_sum_of_its_batches(circuit in arbitrary(), batch in 1usize..9) {
        let profile = gates(batch, 1.5, 1.3);
        let mut sum = 0.0;
        let mut last = 0.0;
        let schedule = replay_with(&circuit, &profile, 1, &mut |batch| {
            assert_eq!((batch.worker, batch.start), (0, last));
            last = batch.end;
            sum += profile.batch_time(batch.nodes.len());
        });
        prop_assert!((schedule.time - sum).abs() < 1e-6 * sum.max(1.0));
        prop_assert_eq!(schedule.time_of_one, schedule.time);
        predicts(&circuit, &profile);
    }

    #[test]
    fn schedules_are_sound(circuit in arbitrary(), batch in 1usize..9, workers in 1usize..9) {
        let profile = gates(batch, 1.5, 1.3);
        let mut ended = vec![f64::INFINITY; circuit.len()];
        let mut free = vec![0.0f64; workers];
        let mut batches = 0;
        let schedule = replay_with(&circuit, &profile, workers, &mut |batch| {
            batches += 1;
            // Nobody works on two batches at a time, or on what is not there.
            assert!(batch.start >= free[batch.worker] && batch.end > batch.start);
            free[batch.worker] = batch.end;
            for &node in batch.nodes {
                for wire in circuit.op(node).operands() {
                    let source = circuit.source(wire.signal()).unwrap();
                    let input = matches!(circuit.op(source), blindcore_circuits::Op::Input(_));
                    assert!(input || ended[source.index()] <= batch.start);
                }
            }
            for &node in batch.nodes {
                assert_eq!(std::mem::replace(&mut ended[node.index()], batch.end), f64::INFINITY);
            }
        });
        let done = ended.iter().filter(|end| end.is_finite()).count();
        prop_assert_eq!(done, circuit.len() - circuit.inputs());
        prop_assert_eq!(schedule.batches, batches);
        prop_assert!(schedule.busy_share() <= 1.0 + 1e-9);
    }

    #[test]
    fn grahams_bound_holds_without_batches(circuit in arbitrary(), workers in 1usize..9) {
        let profile = gates(1, 0.5, 1.0);
        let one = replay(&circuit, &profile, 1).time;
        let path = replay(&circuit, &profile, circuit.len()).time;
        let schedule = replay(&circuit, &profile, workers);
        let workers = workers as f64;
        prop_assert!(schedule.time >= (one / workers).max(path) - 1e-6);
        prop_assert!(schedule.time <= one / workers + (1.0 - 1.0 / workers) * path + 1e-6);
        prop_assert!(schedule.time <= one + 1e-6);
    }
}

/// Choices by sixteen conditions, which come two to a rotation, and lookups that do not wait for them.
fn choices_and_lookups(profile: &Profile) -> Circuit {
    let mut b = Builder::new(profile);
    let (conditions, words) = (b.inputs(16), b.inputs(17 * 64));
    let (first, others) = words.split_at(64);
    let mut word = first.to_vec();
    for (&condition, other) in conditions.iter().zip(others.chunks(64)) {
        word = library::select(&mut b, condition, other, &word);
    }
    for pair in words.chunks(2).take(40) {
        let both = b.and(pair[0], pair[1]);
        word.push(both);
    }
    word.into_iter().for_each(|bit| b.output(bit));
    passes::prepare(&b.finish(), profile)
}

#[test]
fn batches_read_one_key_and_choices_fill_none() {
    let mut profile = Profile::selector_simulation();
    profile.batch = 8;
    let circuit = choices_and_lookups(&profile);
    for workers in [1, 2, 5] {
        let (mut selectors, mut choices) = (Vec::new(), 0);
        replay_with(&circuit, &profile, workers, &mut |batch: &Batch| {
            let names: Vec<&str> = batch
                .nodes
                .iter()
                .map(|&node| circuit.op(node).name())
                .collect();
            let count = |name| names.iter().filter(|&&own| own == name).count();
            let (made, chosen) = (count("selector"), count("choose"));
            assert!([0, names.len()].contains(&made), "{names:?}");
            assert!([0, names.len()].contains(&chosen), "{names:?}");
            assert!(chosen <= 64 && (chosen > 0 || names.len() <= 8));
            selectors.extend((made > 0).then_some(made));
            choices += chosen;
        });
        // All eight are ready from the start.
        assert_eq!(selectors.iter().sum::<usize>(), 8);
        assert!(workers > 1 || selectors == [8], "{selectors:?}");
        assert_eq!(choices, 16 * 64);
    }
}

/// A run that must keep little goes by the circuit's order, choices among the others, and comes to the
/// same end.
#[test]
fn runs_that_keep_little_choose_the_same() {
    let profile = Profile::selector_simulation();
    let circuit = choices_and_lookups(&profile);
    let engine = sim::Simulator::new(profile);
    let mut state = 1u64;
    let inputs: Vec<u64> = (0..circuit.inputs())
        .map(|_| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            state ^ state >> 29
        })
        .collect();
    let expected = sim::evaluate(&circuit, &inputs).unwrap();
    let inputs: Vec<Arc<u64>> = inputs.into_iter().map(Arc::new).collect();
    for threads in [1, 2, 8] {
        for limit in [0, 300, 1_500] {
            let pool = Pool::new(threads).with_bit_limit(limit);
            let found = run(&engine, &circuit, &inputs, &pool).unwrap();
            let found: Vec<u64> = found.iter().map(|bit| **bit).collect();
            assert_eq!(found, expected, "{threads} threads, {limit} bits");
        }
    }
}
