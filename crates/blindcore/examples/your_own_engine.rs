//! An engine of your own: circuits run on whatever has two gates. This one computes in the clear
//! and counts.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use blindcore::circuits::{
    self, Builder, GateByGate, Gates, Job, OperationCosts, Pool, Profile, library, passes,
};

struct Counting {
    profile: Profile,
    ands: AtomicU64,
}

impl Gates for Counting {
    type Bit = bool;
    type Scratch = ();
    type Error = Infallible;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) {}

    fn constant(&self, value: bool) -> bool {
        value
    }

    fn not(&self, a: &bool) -> bool {
        !a
    }

    // The one method that the scheduler calls. An engine that gains from batches does all jobs
    // together.
    fn apply_many(
        &self,
        scratch: &mut (),
        jobs: &[Job<'_, bool>],
    ) -> Vec<Result<Vec<bool>, Infallible>> {
        self.one_by_one(scratch, jobs)
    }
}

impl GateByGate for Counting {
    fn and(&self, (): &mut (), a: &bool, b: &bool) -> Result<bool, Infallible> {
        self.ands.fetch_add(1, Ordering::Relaxed);
        Ok(*a && *b)
    }

    fn xor(&self, (): &mut (), a: &bool, b: &bool) -> Result<bool, Infallible> {
        Ok(a ^ b)
    }

    fn refresh(&self, (): &mut (), a: &bool) -> Result<bool, Infallible> {
        Ok(*a)
    }
}

fn main() {
    // What operations cost decides which adders and multipliers the library chooses.
    let cost = OperationCosts {
        and: 1000.0,
        xor: 1.0,
        mux: 1002.0,
        lookup: f64::INFINITY,
        lookup_alone: f64::INFINITY,
        refresh: 1000.0,
    };
    let profile = Profile::new("counting", cost, 1);

    let mut build = Builder::new(&profile);
    let (a, b) = (build.inputs(16), build.inputs(16));
    for wire in library::multiply(&mut build, &a, &b) {
        build.output(wire);
    }
    let circuit = passes::prepare(&build.finish(), &profile);

    let engine = Counting {
        profile,
        ands: AtomicU64::new(0),
    };
    let word = |value: u16| (0..16).map(move |bit| Arc::new(value >> bit & 1 == 1));
    let inputs: Vec<Arc<bool>> = word(113).chain(word(91)).collect();
    match circuits::run(&engine, &circuit, &inputs, &Pool::new(2)) {
        Err(error) => println!("{error}"),
        Ok(bits) => {
            let product = bits
                .iter()
                .rev()
                .fold(0, |sum, bit| 2 * sum + u32::from(**bit));
            let ands = engine.ands.load(Ordering::Relaxed);
            println!("113 · 91 = {product}, with {ands} ANDs");
        }
    }
}
