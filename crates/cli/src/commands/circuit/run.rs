//! `blindcore circuit run`: in the clear, and on ciphertexts of one's own.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use session::Control;
use session::circuit::{Mapped, Trial, words};
use session::evaluator::Target;

use super::super::{internal, print, print_json, threads};
use super::{file, profile, remote};
use crate::arguments::CircuitRun;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::{Display, Watcher, duration};

/// Evaluates the circuit and prints its outputs.
pub(super) fn run(arguments: &CircuitRun) -> Result<(), Failure> {
    let loaded = file::load(&arguments.file, arguments.from)?;
    let netlist = &loaded.netlist;
    if let (Some(key), Some(out)) = (&arguments.key, &arguments.out) {
        let inputs: Vec<&Path> = arguments.inputs.iter().map(Path::new).collect();
        if inputs.is_empty() {
            let message = "--key takes files of encrypted inputs: --inputs FILE …";
            return Err(Failure::new(Code::Usage, message));
        }
        let interrupt = Interrupt::listen()?;
        return remote::run(arguments, netlist, key, &inputs, out, &interrupt);
    }
    let interface = netlist.interface();
    if arguments.inputs.is_empty() && !interface.inputs.is_empty() {
        let listed = words::listed(&interface.inputs);
        let message = format!("the circuit has {listed}: give their values, --inputs VALUE …");
        return Err(Failure::new(Code::Input, message));
    }
    let inputs = words::assigned(interface, &arguments.inputs)?.concat();
    let parameters = arguments.set.parameters();
    let workers = threads(arguments.threads);
    let mapped = Mapped::new(netlist, &profile(&parameters, workers));
    let outputs = mapped.simulate(&inputs)?;

    let mut encrypted = None;
    if arguments.encrypted {
        // A document on standard output, nothing on standard error.
        let quiet = arguments.quiet || arguments.json;
        let watcher = Arc::new(Watcher::new(quiet, Display::new(true)));
        let control = Control {
            threads: workers,
            cancel: Interrupt::listen()?.cancel(),
            observer: Some(watcher.observer()),
            ..Control::default()
        };
        let target = Target {
            fft: arguments.fft,
            ..Target::of(&control)
        };
        let trial = Trial::new(netlist, &inputs, parameters, &target, &control);
        watcher.finish();
        let trial = trial?;
        if trial.outputs != outputs {
            let shown = |bits: &[bool]| words::text(&interface.outputs, bits).replace('\n', ", ");
            return Err(internal(format!(
                "encrypted the circuit says {}but in the clear {}",
                shown(&trial.outputs),
                shown(&outputs)
            )));
        }
        encrypted = Some(trial.time.as_secs_f64());
    }
    if arguments.json {
        return print_json(&json!({
            "outputs": words::document(&interface.outputs, &outputs),
            "gates": netlist.gates(),
            "lookups": mapped.cost.bootstraps,
            "depth": mapped.cost.depth,
            "parameters": parameters.name(),
            "threads": workers.get(),
            "encrypted": encrypted.is_some(),
            "seconds": encrypted,
        }));
    }
    let mut text = words::text(&interface.outputs, &outputs);
    if !arguments.quiet {
        text.push_str(&format!(
            "{} gates as {} ({})\n",
            netlist.gates(),
            mapped.summary(),
            parameters.name()
        ));
        text.push_str(&match encrypted {
            Some(seconds) => format!(
                "evaluated encrypted in {} on {} {}; decrypted it is the same as in the clear\n",
                duration(seconds),
                workers,
                if workers.get() == 1 {
                    "thread"
                } else {
                    "threads"
                },
            ),
            None => "evaluated in the clear (--encrypted evaluates on ciphertexts)\n".to_owned(),
        });
    }
    print(&text)
}
