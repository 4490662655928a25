//! `blindcore circuit run --key`: on encrypted inputs, for the owner of the secret key.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use circuits::formats::Netlist;
use files::Existing;
use session::Control;
use session::circuit::{Evaluated, Evaluation, words};
use session::evaluator::Target;
use session::schemes::gentry_halevi::Integers;
use session::schemes::tfhe::Tfhe;
use session::schemes::{Adapter, scheme_of};
use wire::{Kind, Role, Scheme};

use super::super::given::Opened;
use super::super::run::write;
use super::super::{bytes, pipes, reserve_for, threads};
use crate::arguments::CircuitRun;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::{Display, Watcher, duration};

/// Evaluates the circuit on files of inputs and writes the file of outputs.
pub(super) fn run(
    arguments: &CircuitRun,
    netlist: &Netlist,
    key: &Path,
    paths: &[&Path],
    out: &Path,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let scheme = paths.first().map(|path| scheme_of(path));
    match scheme {
        Some(Scheme::GentryHalevi) => {
            on::<Integers>(arguments, netlist, key, paths, out, interrupt)
        }
        _ => on::<Tfhe>(arguments, netlist, key, paths, out, interrupt),
    }
}

fn on<A: Adapter>(
    arguments: &CircuitRun,
    netlist: &Netlist,
    key: &Path,
    paths: &[&Path],
    out: &Path,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let begin = Instant::now();
    // What is cheap to find wrong comes first; the key comes last.
    let (opened, _) = Opened::<A>::read(paths)?;
    opened.refuse_table("no circuit takes")?;
    let evaluation = Evaluation::new(netlist, &opened.first)?;
    wire::check_variables(&evaluation.variables()).map_err(|error| Failure::file(out, &error))?;
    let watcher = Arc::new(Watcher::new(arguments.quiet, Display::new(true)));
    let control = Control {
        threads: threads(arguments.threads),
        cancel: interrupt.cancel(),
        observer: Some(watcher.observer()),
        ..Control::default()
    };
    let target = Target {
        fft: arguments.fft,
        ..Target::of(&control)
    };
    let kind = Kind::of(A::SCHEME, Role::Outputs);
    let place = reserve_for(kind, out, Existing::ReplaceKind(kind), interrupt)?;
    interrupt.check()?;
    let evaluated = evaluation.run(key, &target, &control);
    watcher.finish();
    let Evaluated { outputs, mapped } = evaluated?;
    let length = write(place, &outputs, out)?;
    if arguments.quiet {
        return Ok(());
    }
    let text = format!(
        "{}: {}, {}; {} in {}\n",
        out.display(),
        words::listed(&netlist.interface().outputs),
        bytes(length),
        mapped.summary(),
        duration(begin.elapsed().as_secs_f64()),
    );
    pipes::tell(out, &text)
}
