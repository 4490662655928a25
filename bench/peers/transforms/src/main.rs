//! Runs the transforms of other libraries and of Blindcore beside each other: one polynomial
//! forward and back, as a blind rotation calls them, rounds interleaved, products checked.
//!
//! tfhe-fft's instruction set is chosen when it is built. `cargo run --release` is the contest on
//! AVX-512; `cargo run --release --no-default-features` restricts tfhe-fft to AVX2, and measures
//! against our AVX2. See `bench/README.md`.

mod bare;
#[cfg(not(feature = "peer-avx512"))]
mod converted;
mod ours;
mod record;
mod side;
#[cfg(feature = "peer-avx512")]
mod tfhe_rs;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clock::{Failure, Provenance, Side as Clocked};
use transforms::torus::Fft;

use side::{Sample, Side};

/// The widest vectors that the peers were built for.
const PEERS: &str = if cfg!(feature = "peer-avx512") {
    "AVX-512"
} else {
    "AVX2"
};

/// Ours on the same vectors: what the ratios refer to.
const OURS: Fft = if cfg!(feature = "peer-avx512") {
    Fft::Avx512
} else {
    Fft::Avx2
};

#[derive(Parser)]
#[command(
    name = "transforms",
    about = "Times transforms of other libraries and of Blindcore beside each other."
)]
struct Arguments {
    /// Degrees of the ring.
    #[arg(long, value_delimiter = ',', default_values_t = [1024, 2048])]
    sizes: Vec<usize>,
    /// Timed rounds of every row.
    #[arg(long, default_value_t = 301)]
    rounds: u64,
    /// Polynomials forward and back in one round.
    #[arg(long, default_value_t = 200)]
    trips: u32,
    /// Where the records are kept.
    #[arg(long, default_value = "../record")]
    record: PathBuf,
    /// Print and keep nothing.
    #[arg(long)]
    no_record: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("transforms: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !OURS.is_available() {
        return Err(format!("this machine has no {OURS}").into());
    }
    let program = format!("transforms[{PEERS}]");
    let provenance = Provenance::of_this_run(&program);
    println!(
        "{}, commit {}, {}; peers restricted to {PEERS}",
        provenance.date, provenance.commit, provenance.machine
    );
    let mut rows = Vec::new();
    for &size in &arguments.sizes {
        let sample = Sample::new(size);
        let mut sides = sides(&sample)?;
        let errors = sides
            .iter_mut()
            .map(|side| side.worst_error(&sample))
            .collect::<Result<Vec<_>, _>>()?;
        let names: Vec<_> = sides.iter().map(|side| side.name()).collect();
        let converts: Vec<_> = sides.iter().map(|side| side.converts()).collect();

        let trips = arguments.trips.max(1);
        let mut clocked: Vec<Clocked<'_>> = sides
            .iter_mut()
            .map(|side| -> Clocked<'_> { Box::new(move |_| Ok(side::time(&mut **side, trips))) })
            .collect();
        let times = clock::interleave(arguments.rounds, &mut clocked)?;
        drop(clocked);

        let Some(&reference) = times.first() else {
            return Err("no side to refer to".into());
        };
        println!("  N = {size}: forward and back; ratio to {}", names[0]);
        println!(
            "  {:<28} {:>26} {:>8} {:>12}",
            "side", "one polynomial, µs", "ratio", "worst error"
        );
        for (at, time) in times.into_iter().enumerate() {
            println!(
                "  {:<28} {:#26} {:>7.2}x {:>12}",
                names[at],
                time.divided(trips),
                time.over(&reference),
                errors[at].map_or(String::new(), |log2| format!("2^{log2:.1}"))
            );
            rows.push(record::Row {
                size,
                side: names[at].clone(),
                converts: converts[at],
                log2_error: errors[at],
                rounds: arguments.rounds,
                time: time.divided(trips),
                reference: names[0].clone(),
                ratio: time.over(&reference),
            });
        }
    }
    if !arguments.no_record {
        let path = record::keep(&arguments.record, &provenance, PEERS, &rows)?;
        println!("kept in {}", path.display());
    }
    Ok(())
}

/// Ours on the peers' vectors first, then tfhe-fft, then every other processor of the family.
fn sides(sample: &Sample) -> Result<Vec<Box<dyn Side>>, Failure> {
    let mut sides: Vec<Box<dyn Side>> = vec![
        Box::new(ours::Ours::new(OURS, sample)?),
        #[cfg(feature = "peer-avx512")]
        Box::new(tfhe_rs::TfheRs::new(sample)),
        #[cfg(not(feature = "peer-avx512"))]
        Box::new(converted::Converted::new(sample)?),
        Box::new(bare::Bare::new(sample)),
    ];
    for fft in Fft::available() {
        let wider = fft == Fft::Avx512 && OURS == Fft::Avx2;
        if fft != OURS && !wider {
            sides.push(Box::new(ours::Ours::new(fft, sample)?));
        }
    }
    Ok(sides)
}
