//! How long lookups take here, in batches of several sizes, without a real key.
//!
//! `cargo run --release -p blindcore-tfhe --example lookup_time [PARAMETER_SET [SECONDS]]`

use std::time::Instant;

use blindcore_tfhe::{Lookup, P16, PackedInputs, Parameters, ServerKey, TfheError, TruthTable};

fn main() -> Result<(), TfheError> {
    let mut arguments = std::env::args().skip(1);
    let set = arguments
        .next()
        .and_then(|name| Parameters::named(&name))
        .unwrap_or(P16);
    let seconds: f64 = arguments
        .next()
        .and_then(|text| text.parse().ok())
        .unwrap_or(2.0);
    let key = ServerKey::for_timing(set)?;
    // Any bodies under any seed: ciphertexts with masks as uniform as real ones.
    let seed = random::Seed::from_bytes([1; random::Seed::LENGTH]);
    let bits = PackedInputs::from_parts(set, key.key_id(), seed, vec![0; 7]).unpack();
    // A slice of an addition: seven terms, four outputs.
    let terms: Vec<_> = bits.iter().zip([1, 2, 4, 1, 2, 4, 1]).collect();
    let tables = [0, 1, 2, 3].map(|bit| TruthTable::of(|t| t >> bit & 1 == 1));
    let lookup = Lookup {
        terms: &terms,
        constant: 0,
        tables: &tables,
    };
    println!("{}", set.name());
    for batch in [1, 2, 4, 8, 16] {
        let mut scratch = key.scratch(batch);
        let lookups = vec![lookup; batch];
        let (mut best, mut rounds) = (f64::MAX, 0);
        let (begin, used) = (Instant::now(), processor_seconds());
        while begin.elapsed().as_secs_f64() < seconds {
            let start = Instant::now();
            key.lookup_many(&mut scratch, &lookups)?;
            best = best.min(start.elapsed().as_secs_f64());
            rounds += 1;
        }
        let mean = (processor_seconds() - used) / f64::from(rounds);
        let [best, mean] = [best, mean].map(|seconds| seconds * 1e3 / batch as f64);
        println!(
            "batch {batch:2}: {best:6.2} ms a lookup at best, {mean:5.2} ms of processor time"
        );
    }
    Ok(())
}

/// Time that this thread has spent on a processor, where Linux tells: on a busy
/// machine the wall clock measures the neighbours.
fn processor_seconds() -> f64 {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = statistics
        .split(' ')
        .next()
        .and_then(|field| field.parse().ok());
    nanoseconds.unwrap_or(f64::NAN) * 1e-9
}
