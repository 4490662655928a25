//! How long an AND takes here by each FFT processor, alone and in batches, for each parameter set.
//!
//! `cargo run --release -p blindcore-tfhe --example gate_time [SECONDS [PARAMETER_SET]]`
//!
//! Times are of the processor, in milliseconds for each AND, the least of a few rounds in brackets.

use std::time::Instant;

use blindcore_tfhe::gate::{
    GATE_SETS, Gate, GateJob, GateParameters, GateSecretKey, GateServerKey, SeededGateServerKey,
};
use blindcore_tfhe::{Fft, TfheError};
use random::Generator;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().map_or(Ok(1.0), |text| text.parse())?;
    let named = arguments.next();
    let chosen = |set: &GateParameters| match &named {
        Some(name) => set.name() == name,
        None => !set.name().starts_with("TOY"),
    };
    for set in GATE_SETS.into_iter().filter(chosen) {
        let mut generator = Generator::from_entropy()?;
        let secret = GateSecretKey::generate(set, &mut generator)?;
        let begin = Instant::now();
        let seeded = SeededGateServerKey::generate(&secret, &mut generator, 2, &|_, _| {})?;
        println!(
            "{}: {} transforms a gate; key made in {:.2} s, {:.1} MB",
            set.name(),
            set.transforms_per_rotation(),
            begin.elapsed().as_secs_f64(),
            seeded.bytes() as f64 / 1e6,
        );
        for fft in Fft::available() {
            let server = GateServerKey::expand_for(&seeded, fft, 2, &|_, _| {})?;
            print!("  {:8}", fft.to_string());
            for batch in [1, 8, 16] {
                let (mean, least) = measure(&secret, &server, &mut generator, batch, seconds)?;
                print!("  batch {batch:2}: {mean:7.3} ({least:7.3})");
            }
            println!();
        }
    }
    Ok(())
}

/// Mean and least processor time of an AND in milliseconds, in batches of `batch`.
fn measure(
    secret: &GateSecretKey,
    server: &GateServerKey,
    generator: &mut Generator,
    batch: usize,
    seconds: f64,
) -> Result<(f64, f64), TfheError> {
    let bits = secret.encrypt(&[true, false], generator);
    let jobs = vec![GateJob::Two(Gate::And, &bits[0], &bits[1]); batch];
    let mut scratch = server.scratch(batch);
    // The first pass finds cold caches and untouched pages.
    server.gates(&mut scratch, &jobs)?;
    let (begin, used) = (Instant::now(), processor_seconds());
    let (mut least, mut rounds, mut last) = (f64::MAX, 0, used);
    while rounds < 3 || begin.elapsed().as_secs_f64() < seconds {
        server.gates(&mut scratch, &jobs)?;
        let now = processor_seconds();
        least = least.min(now - last);
        (rounds, last) = (rounds + 1, now);
    }
    let mean = (last - used) / f64::from(rounds);
    let [mean, least] = [mean, least].map(|seconds| seconds * 1e3 / batch as f64);
    Ok((mean, least))
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
