//! `blindcore circuit inspect`: what a circuit is and what it would cost.

use circuits::{Profile, passes};
use serde_json::{Value, json};
use session::circuit::{Mapped, words};

use super::super::{calibration, print, print_json, threads};
use super::{file, profile};
use crate::arguments::CircuitInspect;
use crate::failure::Failure;
use crate::progress::duration;

/// Describes a circuit file.
pub(super) fn inspect(arguments: &CircuitInspect) -> Result<(), Failure> {
    let loaded = file::load(&arguments.file, arguments.from)?;
    let netlist = &loaded.netlist;
    let interface = netlist.interface();
    let gates = netlist.circuit(&Profile::gate_simulation());
    let cost = passes::cost(&gates, &Profile::gate_simulation());
    let depth = passes::operation_depth(&gates);

    let parameters = arguments.set.parameters();
    let workers = threads(arguments.threads);
    let calibration = calibration(&parameters, arguments.fft)?;
    let mut profile = profile(&parameters, workers);
    calibration.apply(&mut profile);
    let mapped = Mapped::new(netlist, &profile);
    let seconds = passes::makespan(&mapped.circuit, &profile) / 1e9;

    if arguments.json {
        let ports = |ports: &[circuits::formats::Port]| -> Vec<Value> {
            let port = |port: &circuits::formats::Port| json!({"name": port.name, "bits": port.width, "signed": port.meaning == circuits::formats::Meaning::Signed});
            ports.iter().map(port).collect()
        };
        return print_json(&json!({
            "file": arguments.file.display().to_string(),
            "format": loaded.format.name(),
            "name": interface.name,
            "inputs": ports(&interface.inputs),
            "outputs": ports(&interface.outputs),
            "gates": netlist.gates(),
            "kinds": netlist.kinds(),
            "and": cost.and,
            "xor": cost.xor,
            "gate_depth": depth,
            "and_depth": cost.depth,
            "lookups": mapped.cost.bootstraps,
            "depth": mapped.cost.depth,
            "parameters": parameters.name(),
            "threads": workers.get(),
            "bootstrap_seconds": calibration.batched.as_secs_f64(),
            "seconds": seconds,
        }));
    }
    let kinds: Vec<String> = netlist
        .kinds()
        .iter()
        .map(|(kind, count)| format!("{count} {kind}"))
        .collect();
    let name = match interface.name.as_str() {
        "" => String::new(),
        name => format!(" '{}'", name.escape_debug()),
    };
    print(&format!(
        "{}: a circuit{name}, {}\n\
         inputs    {}\n\
         outputs   {}\n\
         gates     {} ({})\n\
         folded    {} ANDs, {} XORs; depth {depth}, of ANDs alone {}\n\
         lookups   {}, depth {}\n\
         time      {} on {workers} {} ({} a lookup, measured here; {})\n",
        arguments.file.display(),
        loaded.format,
        words::listed(&interface.inputs),
        words::listed(&interface.outputs),
        netlist.gates(),
        kinds.join(", "),
        cost.and,
        cost.xor,
        cost.depth,
        mapped.cost.bootstraps,
        mapped.cost.depth,
        duration(seconds),
        if workers.get() == 1 {
            "thread"
        } else {
            "threads"
        },
        duration(calibration.batched.as_secs_f64()),
        parameters.name(),
    ))
}
