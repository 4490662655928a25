//! Workers that share single operations: nobody waits for help in vain, and nobody is left waiting.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use blindcore_circuits::exec::{Cancel, Duet, run};
use blindcore_circuits::sim::{self, SimulationError, Simulator};
use blindcore_circuits::{Builder, Circuit, ExecError, Gates, Job, Pool, Profile, library, passes};

/// Whoever shares an operation waits until there is somebody to share it with; who helps, until nobody
/// shares any more.
struct Sharing {
    simulator: Simulator,
    /// Operations that were shared, and helpers that came.
    shared: AtomicUsize,
    helpers: AtomicUsize,
    /// The number of the shared operation that panics.
    panics: usize,
    cancels: Option<Cancel>,
}

#[derive(Default)]
struct Both {
    has_come: AtomicBool,
    is_over: AtomicBool,
}

#[derive(Default)]
struct Partner(Option<Arc<Both>>);

impl Drop for Partner {
    fn drop(&mut self) {
        if let Some(both) = &self.0 {
            both.is_over.store(true, Ordering::SeqCst);
        }
    }
}

fn wait_for(event: &AtomicBool) {
    let start = Instant::now();
    while !event.load(Ordering::SeqCst) {
        assert!(start.elapsed() < Duration::from_secs(20), "nobody comes");
        std::thread::yield_now();
    }
}

impl Sharing {
    fn new(profile: &Profile) -> Self {
        Self {
            simulator: Simulator::new(profile.clone()),
            shared: AtomicUsize::new(0),
            helpers: AtomicUsize::new(0),
            panics: 0,
            cancels: None,
        }
    }
}

impl Gates for Sharing {
    type Bit = u64;
    type Scratch = Partner;
    type Error = SimulationError;

    fn profile(&self) -> &Profile {
        self.simulator.profile()
    }

    fn scratch(&self) -> Partner {
        Partner::default()
    }

    fn constant(&self, value: bool) -> u64 {
        self.simulator.constant(value)
    }

    fn not(&self, a: &u64) -> u64 {
        !a
    }

    fn apply_many(
        &self,
        partner: &mut Partner,
        jobs: &[Job<'_, u64>],
    ) -> Vec<Result<Vec<u64>, SimulationError>> {
        if jobs.iter().all(Job::is_sum) {
            return self.simulator.apply_many(&mut (), jobs);
        }
        // Time enough for others to find that there is nothing to do.
        if partner.0.is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(both) = &partner.0 {
            assert_eq!(jobs.len(), 1, "several operations are shared");
            wait_for(&both.has_come);
            let count = self.shared.fetch_add(1, Ordering::SeqCst) + 1;
            assert!(count != self.panics, "broken engine");
            if let Some(cancel) = self.cancels.as_ref().filter(|_| count == 3) {
                cancel.cancel();
            }
        }
        self.simulator.apply_many(&mut (), jobs)
    }

    fn duet(&self) -> Option<Duet> {
        Some(Duet::new(Both::default()))
    }

    fn set_partner(&self, partner: &mut Partner, duet: Option<&Duet>) {
        *partner = Partner(duet.and_then(Duet::get));
    }

    fn is_accompanied(&self, partner: &Partner) -> bool {
        partner.0.is_some()
    }

    fn accompany(&self, _: &mut Partner, duet: &Duet) {
        let both: Arc<Both> = duet.get().unwrap();
        self.helpers.fetch_add(1, Ordering::SeqCst);
        both.has_come.store(true, Ordering::SeqCst);
        wait_for(&both.is_over);
    }
}

/// An adder, of one carry after the other, and beside it, if that is wanted, what several workers can do.
fn chain(profile: &Profile, wide: bool) -> Circuit {
    chain_of(40, profile, wide)
}

fn chain_of(bits: usize, profile: &Profile, wide: bool) -> Circuit {
    let mut build = Builder::new(profile);
    let (x, y) = (build.inputs(bits), build.inputs(bits));
    for bit in library::add(&mut build, &x, &y) {
        build.output(bit);
    }
    if wide {
        for pair in x.chunks(2) {
            let both = build.and(pair[0], pair[1]);
            build.output(both);
        }
    }
    passes::prepare(&build.finish(), profile)
}

fn values(circuit: &Circuit) -> Vec<u64> {
    let next = |at: u64| {
        at.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(at as u32)
    };
    (1..=circuit.inputs() as u64).map(next).collect()
}

fn inputs(values: &[u64]) -> Vec<Arc<u64>> {
    values.iter().map(|&value| Arc::new(value)).collect()
}

#[test]
fn a_chain_is_shared_step_by_step() {
    let profile = Profile::lookup_simulation();
    for wide in [false, true] {
        let circuit = chain(&profile, wide);
        let values = values(&circuit);
        let expected = sim::evaluate(&circuit, &values).unwrap();
        for threads in [1, 2, 3, 8] {
            let mut most = 0;
            // Busy machines may start a second thread late.
            for round in 0..100 {
                if round >= 4 && (most > 0 || threads == 1) {
                    break;
                }
                let engine = Sharing::new(&profile);
                let outputs = run(&engine, &circuit, &inputs(&values), &Pool::new(threads));
                let outputs = outputs.unwrap().into_iter().map(|bit| *bit);
                assert!(outputs.eq(expected.iter().copied()));
                let helpers = engine.helpers.into_inner();
                assert!(helpers <= circuit.len() && (threads > 1 || helpers == 0));
                // A helper stays for a chain.
                let shared = engine.shared.into_inner();
                assert!(helpers <= shared);
                most = most.max(shared);
            }
            assert_eq!(most > 0, threads > 1, "{threads} threads");
        }
    }
}

#[test]
fn helpers_are_let_go_when_a_run_ends_early() {
    let profile = Profile::lookup_simulation();
    let circuit = chain(&profile, false);
    let values = inputs(&values(&circuit));
    for threads in [2, 4] {
        let cancel = Cancel::new();
        let mut engine = Sharing::new(&profile);
        engine.cancels = Some(cancel.clone());
        let pool = Pool::new(threads).with_cancel(cancel);
        match run(&engine, &circuit, &values, &pool) {
            Err(ExecError::Cancelled) => assert_eq!(engine.shared.into_inner(), 3),
            // Two steps at most were shared before the end.
            Ok(_) => assert!(engine.shared.into_inner() < 3),
            Err(error) => panic!("{error}"),
        }
        let mut engine = Sharing::new(&profile);
        engine.panics = 2;
        let broken =
            std::panic::catch_unwind(|| run(&engine, &circuit, &values, &Pool::new(threads)));
        assert!(broken.is_err() || engine.shared.into_inner() < 2);
    }
}

/// Others have their turn once nobody is at anything: also those who share a chain come to rest.
#[test]
#[ignore = "slow: 2 s"]
fn a_run_rests_with_all_its_workers() {
    let profile = Profile::lookup_simulation();
    for wide in [false, true] {
        let circuit = chain_of(400, &profile, wide);
        let values = values(&circuit);
        let expected = sim::evaluate(&circuit, &values).unwrap();
        for threads in [1, 2, 3] {
            let done = Arc::new(AtomicUsize::new(0));
            let rested = Arc::new(Mutex::new(None));
            let (seen, turn) = (Arc::clone(&done), Arc::clone(&rested));
            let cancel = Cancel::new().resting(move || {
                // Who comes meanwhile waits here, too.
                let mut turn = turn.lock().unwrap();
                if turn.is_some() || seen.load(Ordering::SeqCst) < 20 {
                    return;
                }
                // What somebody has in hand comes to its end.
                for _ in 0..100 {
                    let before = seen.load(Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(100));
                    if before == seen.load(Ordering::SeqCst) {
                        *turn = Some(before);
                        return;
                    }
                }
            });
            let counted = Arc::clone(&done);
            let observe = move |_| {
                counted.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(1));
            };
            let pool = Pool::new(threads)
                .with_cancel(cancel)
                .with_progress(observe);
            let engine = Sharing::new(&profile);
            let outputs = run(&engine, &circuit, &inputs(&values), &pool).unwrap();
            let outputs = outputs.into_iter().map(|bit| *bit);
            assert!(outputs.eq(expected.iter().copied()));
            let rested = rested.lock().unwrap().expect("it never rested");
            let all = done.load(Ordering::SeqCst);
            assert!(
                rested + 30 < all,
                "{threads} threads rested after {rested} of {all} batches"
            );
        }
    }
}
