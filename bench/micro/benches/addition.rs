//! A 32-bit addition and a comparison from ciphertexts to ciphertexts: circuit, scheduler, engine,
//! on one thread and on two, for which the library computes carries ahead. Beside them eight
//! independent ones, which is what a batch makes of work that has width.

use std::time::Duration;

use circuits::{Builder, Circuit, Gates, Pool, Profile, Wire, library, passes};
use criterion::{Criterion, Throughput};
use engines::tfhe_lookup;
use tfhe::{P16, TfheError};

fn main() -> Result<(), TfheError> {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .measurement_time(Duration::from_secs(10))
        .configure_from_args();
    let calibration = tfhe_lookup::calibrate(&P16)?;
    for (name, unit) in [("addition", add as Unit), ("comparison", compare)] {
        let mut group = criterion.benchmark_group(name);
        for (count, threads) in [(1, 1), (8, 1), (1, 2)] {
            let mut profile = tfhe_lookup::profile(&P16).with_cores(threads);
            calibration.apply(&mut profile);
            let (engine, bits) = bench::engine(&P16, profile, count * 64)?;
            let circuit = several(unit, count, engine.profile());
            let pool = Pool::new(threads);
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(format!("{count} of 32 bits, {threads} threads"), |bench| {
                bench.iter(|| circuits::run(&engine, &circuit, &bits, &pool));
            });
        }
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}

/// Something made of two words.
type Unit = fn(&mut Builder, &[Wire], &[Wire]) -> library::Word;

fn add(b: &mut Builder, x: &[Wire], y: &[Wire]) -> library::Word {
    library::add(b, x, y)
}

fn compare(b: &mut Builder, x: &[Wire], y: &[Wire]) -> library::Word {
    vec![library::less_than_unsigned(b, x, y)]
}

/// Units that have nothing to do with each other.
fn several(unit: Unit, count: usize, profile: &Profile) -> Circuit {
    let mut build = Builder::new(profile);
    for _ in 0..count {
        let (x, y) = (build.inputs(32), build.inputs(32));
        for wire in unit(&mut build, &x, &y) {
            build.output(wire);
        }
    }
    passes::prepare(&build.finish(), profile)
}
