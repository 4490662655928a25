//! The front end without cryptography: clear instructions on the simulator's engine, and the plan
//! of an example, which is what `blindcore plan` does between its start and its answer.

use circuits::Profile;
use circuits::sim::Simulator;
use criterion::{Criterion, Throughput};
use engines::tfhe_lookup;
use processor::{Content, Control, Input, Program, Task, plan, run_planned};

/// A sieve, a checksum and a sort: no secret, over a million instructions.
const CLEAR: &[u8] = include_bytes!("../../../crates/processor/tests/programs/clear.elf");
const XTEA: &[u8] = include_bytes!("../../../examples/xtea/xtea.elf");

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    clear_instructions(&mut criterion)?;
    planning(&mut criterion)?;
    criterion.final_summary();
    Ok(())
}

fn clear_instructions(criterion: &mut Criterion) -> Result<(), Box<dyn std::error::Error>> {
    let program = Program::load(CLEAR)?;
    let task = Task::default();
    let engine = Simulator::new(Profile::lookup_simulation());
    let planned = plan(&program, &task, &Profile::lookup_simulation())?;
    let control = Control {
        threads: 1,
        ..Control::default()
    };
    let mut group = criterion.benchmark_group("processor");
    group.throughput(Throughput::Elements(planned.instructions));
    group.bench_function("clear instructions", |bench| {
        bench.iter(|| run_planned(&program, &task, &engine, Vec::new(), &control, &planned));
    });
    group.finish();
    Ok(())
}

fn planning(criterion: &mut Criterion) -> Result<(), Box<dyn std::error::Error>> {
    let program = Program::load(XTEA)?;
    let secret = |name| -> Result<Input, Box<dyn std::error::Error>> {
        Ok(Input {
            variable: program.variable(name)?.clone(),
            content: Content::Secret,
        })
    };
    let task = Task {
        inputs: vec![secret("key")?, secret("plain")?],
        ..Task::default()
    };
    let mut group = criterion.benchmark_group("plan xtea");
    for threads in [1, 2] {
        let mut profile = tfhe_lookup::profile(&tfhe::P16);
        profile.cores = threads;
        for (recording, profile) in [
            ("narrow", profile.clone()),
            ("wide", profile.for_wide_circuits()),
        ] {
            group.bench_function(format!("{recording}, {threads} threads"), |bench| {
                bench.iter(|| plan(&program, &task, &profile));
            });
        }
    }
    group.finish();
    Ok(())
}
