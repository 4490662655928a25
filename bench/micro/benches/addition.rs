//! A 32-bit addition from ciphertexts to ciphertexts: circuit, scheduler, engine, on one thread.
//! Beside it eight independent ones, which is what a batch makes of work that has width.

use std::time::Duration;

use circuits::{Builder, Circuit, Gates, Pool, Profile, library, passes};
use criterion::{Criterion, Throughput};
use tfhe::{P16, TfheError};

fn main() -> Result<(), TfheError> {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .measurement_time(Duration::from_secs(10))
        .configure_from_args();
    let mut group = criterion.benchmark_group("addition");
    for count in [1, 8] {
        let (engine, bits) = bench::engine(&P16, count * 64)?;
        let circuit = additions(count, engine.profile());
        let pool = Pool::new(1);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(format!("{count} of 32 bits"), |bench| {
            bench.iter(|| circuits::run(&engine, &circuit, &bits, &pool));
        });
    }
    group.finish();
    criterion.final_summary();
    Ok(())
}

/// So many additions that have nothing to do with each other.
fn additions(count: usize, profile: &Profile) -> Circuit {
    let mut build = Builder::new(profile);
    for _ in 0..count {
        let (a, b) = (build.inputs(32), build.inputs(32));
        for wire in library::add(&mut build, &a, &b) {
            build.output(wire);
        }
    }
    passes::prepare(&build.finish(), profile)
}
