//! The roofline of one bootstrap (Williams, Waterman, Patterson, CACM 2009): its arithmetic
//! and its bytes are counted, the rates at which this machine can do either are measured, and
//! its time is compared with the larger of the two floors, all in interleaved rounds of one
//! run, on one thread.
//!
//! A batch of B lookups does the arithmetic B times and streams the key once, so that a
//! lookup's share of the streaming falls with B. Between two batches the key is where the
//! last pass left it: in the third-level cache, if that is large enough. The streaming floor is a
//! pass over a buffer of the same size, in huge pages like the key, in that same state;
//! a pass from memory, after the buffer was flushed, is shown beside it.

mod arithmetic;
mod kernels;
mod lookups;
#[allow(unsafe_code)]
mod machine;
mod record;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use clock::{Failure, Provenance, Side};
use tfhe::P16;

use arithmetic::Count;
use kernels::Kernels;
use lookups::Lookups;
use machine::{Machine, Stream};

#[derive(Parser)]
#[command(
    name = "roofline",
    about = "Compares one bootstrap with what the machine allows."
)]
struct Arguments {
    /// Timed rounds of every row.
    #[arg(long, default_value_t = 21)]
    rounds: u64,
    /// Sizes of batches.
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 8, 16])]
    batches: Vec<usize>,
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
            eprintln!("roofline: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let provenance = Provenance::of_this_run("roofline");
    let machine = Machine::detect().ok_or("the peak is measured on AVX2 or AVX-512 only")?;
    let count = Count::of(&P16, machine.lanes());
    let bytes = P16.cost().streamed_bytes;
    println!(
        "{}, commit {}, {}\n  {}, {}",
        provenance.date,
        provenance.commit,
        provenance.machine,
        P16.name(),
        machine.fft()
    );

    let lookups = Lookups::new(&arguments.batches)?;
    let kernels = Kernels::new(&P16, machine.fft())?;
    let buffer = Stream::new(bytes as usize / size_of::<f64>());
    let operations = machine::CHUNK as f64;
    let mut sides: Vec<Side<'_>> = vec![
        Box::new(|_| Ok(machine.multiply_adds())),
        Box::new(|_| Ok(machine.mix())),
        Box::new(|_| Ok(buffer.read(machine))),
        Box::new(|_| Ok(buffer.read_flushed(machine))),
    ];
    for &batch in &arguments.batches {
        let lookups = &lookups;
        let kernels = &kernels;
        sides.push(Box::new(move |_| Ok(kernels.time(batch))));
        sides.push(Box::new(move |_| lookups.time(batch)));
    }
    let times = clock::interleave(arguments.rounds, &mut sides)?;
    drop(sides);
    let [peak, mix, warm, cold, rows @ ..] = &times[..] else {
        return Err("four floors have four times".into());
    };

    let seconds = |times: &clock::Times| times.median.as_secs_f64();
    // The best rate seen, not the median: a floor is what the machine can do.
    let rate = |times: &clock::Times| operations / times.least.as_secs_f64();
    let floors = record::Floors {
        arithmetic: count.arithmetic as f64 / rate(peak),
        arithmetic_and_shuffles: count.total() as f64 / rate(mix),
        streaming: seconds(warm),
        streaming_from_memory: seconds(cold),
    };
    println!(
        "  arithmetic: {:.2} million vector operations of {} lanes, at {:.2} a nanosecond: {:.3} ms",
        count.arithmetic as f64 / 1e6,
        machine.lanes(),
        rate(peak) / 1e9,
        floors.arithmetic * 1e3
    );
    println!(
        "  with {:.2} million shuffles, at {:.2} a nanosecond for that mix: {:.3} ms",
        count.shuffles as f64 / 1e6,
        rate(mix) / 1e9,
        floors.arithmetic_and_shuffles * 1e3
    );
    println!(
        "  streaming: {:.1} MB, {:.3} ms ({:.1} GB/s), from memory {:.3} ms ({:.1} GB/s)",
        bytes as f64 / 1e6,
        floors.streaming * 1e3,
        bytes as f64 / floors.streaming / 1e9,
        floors.streaming_from_memory * 1e3,
        bytes as f64 / floors.streaming_from_memory / 1e9,
    );
    println!(
        "  {:>5} {:>10} {:>26} {:>26} {:>8} {:>8} {:>8}",
        "batch",
        "floor, ms",
        "a lookup, ms",
        "without streaming, ms",
        "× floor",
        "× arith.",
        "× stream"
    );
    let mut lines = Vec::new();
    for (&batch, pair) in arguments.batches.iter().zip(rows.chunks_exact(2)) {
        let row = record::Row {
            batch,
            rounds: arguments.rounds,
            lookup: pair[1].divided(batch as u32),
            kernels: pair[0].divided(batch as u32),
        };
        println!(
            "  {:>5} {:>10.3} {:>26} {:>26} {:>7.2}x {:>7.2}x {:>7.2}x",
            batch,
            floors.larger(batch) * 1e3,
            row.lookup,
            row.kernels,
            seconds(&row.lookup) / floors.larger(batch),
            seconds(&row.lookup) / floors.arithmetic,
            seconds(&row.lookup) / (floors.streaming / batch as f64),
        );
        lines.push(row);
    }
    if !arguments.no_record {
        let path = record::keep(
            &arguments.record,
            &provenance,
            &count,
            bytes,
            &floors,
            &lines,
        )?;
        println!("kept in {}", path.display());
    }
    Ok(())
}
