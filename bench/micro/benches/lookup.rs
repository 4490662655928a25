//! One bootstrap of both parameter sets: alone, and its share of batches of four, eight and
//! sixteen; and the key switch, the part of it that does not rotate.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use tfhe::{Lookup, P16, P16_UNIFORM, TfheError, TruthTable};

fn main() -> Result<(), TfheError> {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .measurement_time(Duration::from_secs(8))
        .configure_from_args();

    for parameters in [P16, P16_UNIFORM] {
        let key = bench::key(&parameters)?;
        let bits: Vec<_> = (0..7).map(|at| key.constant(at % 2 == 0)).collect();
        // A slice of an addition: three columns and a carry, four functions.
        let weights = [1, 1, 2, 2, 4, 4, 1];
        let terms: Vec<_> = bits.iter().zip(weights).collect();
        let tables = [0, 1, 2, 3].map(|index| TruthTable::of(|t| t >> index & 1 == 1));
        let slice = Lookup {
            terms: &terms,
            constant: 0,
            tables: &tables,
        };

        let mut group = criterion.benchmark_group(format!("lookup/{}", parameters.name()));
        for batch in [1, 4, 8, 16] {
            let lookups = vec![slice; batch];
            let mut scratch = key.scratch(batch);
            group.throughput(Throughput::Elements(batch as u64));
            group.bench_function(format!("batch of {batch}"), |bench| {
                bench.iter(|| key.lookup_many(&mut scratch, black_box(&lookups)));
            });
        }
        let mut scratch = key.scratch(1);
        group.throughput(Throughput::Elements(1));
        group.bench_function("key switch", |bench| {
            bench.iter(|| key.shrink(&mut scratch, black_box(&[&bits[0]])));
        });
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}
