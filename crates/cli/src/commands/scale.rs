//! `blindcore scale`: programs on one core to thousands, simulated.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use engines::tfhe_lookup::timing;
use papers::{ScaleFiles, ScaleModel, Scaling, Shapes};
use processor::Limits;
use session::program::{Execution, shown};
use tfhe::{Fft, Parameters};

use super::papers::{control, deliver, failure};
use super::{internal, load, warn};
use crate::arguments::Scale;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Records the programs, and has them played through.
pub(crate) fn scale(arguments: &Scale, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    // Whatever is wrong with a program is said before anything is measured.
    let mut programs = Vec::with_capacity(arguments.programs.len());
    for asked in &arguments.programs {
        let program = load(&asked.path)?;
        warn(&program);
        let execution = Execution {
            limits: Limits {
                window: usize::try_from(arguments.window).unwrap_or(usize::MAX),
                ..Limits::default()
            },
            ..Execution::default()
        };
        let task = program.task(&execution, program.declared(&[], None)?)?;
        if task.secret_bits() == 0 {
            let message = format!(
                "{}: nothing in it is secret: mark variables with SECRET (<blindcore.h>)",
                asked.path.display()
            );
            return Err(Failure::new(Code::Usage, message));
        }
        programs.push((asked, program, task));
    }
    let parameters = arguments.set.parameters();
    let (batches, source) = batches(arguments, &parameters)?;
    let model = ScaleModel {
        shapes: Shapes {
            most_cores: arguments.most.get(),
            cores_of_machine: arguments.cores.get(),
            networks: arguments.network.clone(),
        },
        parameters,
        batches,
        source,
    };
    let recording = model.recording();
    let files = ScaleFiles {
        charts: arguments.charts.clone(),
        rows: arguments.csv.clone(),
    };
    let control = control(interrupt);
    let mut study = Scaling::begin(model, &arguments.output, &files, programs.len(), &control)
        .map_err(failure)?;
    for (asked, program, task) in &programs {
        let jobs = asked.jobs.map(NonZeroUsize::get);
        study
            .program(&name(&asked.path, jobs), jobs)
            .map_err(failure)?;
        let mut window = |circuit: &circuits::Circuit| study.window(circuit);
        let cancel = interrupt.cancel();
        let plan =
            processor::plan_observed(program.image(), task, &recording, &cancel, &mut window)
                .map_err(|error| program.error(&error))?;
        if let Some(obstacle) = plan.obstacle() {
            return Err(program.error(&obstacle).into());
        }
    }
    deliver(study.deliver())
}

/// The file without its folder and ending, and how many jobs.
fn name(path: &Path, jobs: Option<usize>) -> String {
    let stem = path.file_stem().map_or(path, Path::new);
    let name = shown(stem);
    match jobs {
        Some(jobs) => format!("{name}, {jobs} jobs"),
        None => name.to_string(),
    }
}

/// Times of batches in nanoseconds, and where they are from.
fn batches(arguments: &Scale, parameters: &Parameters) -> Result<(Vec<f64>, String), Failure> {
    if !arguments.batches.is_empty() {
        let times = arguments.batches.iter().map(|time| time * 1e6);
        return Ok((times.collect(), "as given".to_owned()));
    }
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let fft = arguments.fft.unwrap_or_else(Fft::detect);
    let measured = timing(parameters, fft, cores).map_err(internal)?;
    match measured.rows().last() {
        Some(busy) => Ok((
            busy.clone(),
            format!("measured here, with {cores} cores busy"),
        )),
        None => Err(internal("no batch was measured")),
    }
}
