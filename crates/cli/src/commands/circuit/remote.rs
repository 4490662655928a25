//! `blindcore circuit run --key`: on somebody's inputs, for whoever holds the secret key.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use circuits::Gates;
use circuits::formats::{Interface, Netlist, Port};
use files::Existing;
use processor::{Bit, Outcome, Output};
use session::Control;
use session::evaluator::{Brought, Target};
use session::schemes::gentry_halevi::Integers;
use session::schemes::tfhe::Tfhe;
use session::schemes::{Adapter, scheme_of};
use wire::{Kind, Role, Scheme};

use super::super::given::Opened;
use super::super::run::write;
use super::super::{bytes, print, reserve_for, threads};
use super::evaluate::Mapped;
use super::words;
use crate::arguments::CircuitRun;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::{Display, Watcher, duration};

/// Evaluates the circuit on files of inputs and writes the file of outputs.
pub(super) fn run(
    arguments: &CircuitRun,
    netlist: &Netlist,
    (key, paths, out): (&Path, &[&Path], &Path),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let scheme = paths.first().map(|path| scheme_of(path));
    match scheme {
        Some(Scheme::GentryHalevi) => {
            on::<Integers>(arguments, netlist, (key, paths, out), interrupt)
        }
        _ => on::<Tfhe>(arguments, netlist, (key, paths, out), interrupt),
    }
}

fn on<A: Adapter>(
    arguments: &CircuitRun,
    netlist: &Netlist,
    (key, paths, out): (&Path, &[&Path], &Path),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let begin = Instant::now();
    // What is cheap to find wrong comes first; the key comes last.
    let interface = netlist.interface();
    let (opened, _) = Opened::<A>::read(paths)?;
    let given = opened.first;
    let order = matched(paths, &given.variables(), &interface.inputs)?;
    let variables = words::variables(&interface.outputs);
    wire::check_variables(&variables).map_err(|error| Failure::file(out, &error))?;
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
    let key = A::read_key(key, &given, &target, &control)?;
    watcher.finish();
    let engine = A::engine(A::profile(given.first()?.1, &target), key, &control)?;
    let all = A::bits(&engine, &given)?;
    let bits: Vec<_> = order
        .iter()
        .filter_map(|&number| all.get(number).cloned())
        .collect();
    drop(all);
    let mapped = Mapped::new(netlist, engine.profile());
    let manner = (control.threads, arguments.quiet);
    let bits = mapped.evaluate(&engine, &bits, manner, interrupt)?;
    let outcome = Outcome {
        outputs: stored(&mapped, bits, &interface.outputs),
        instructions: 0,
    };
    let outputs = A::outputs(&engine, &given, &outcome)?;
    let length = write(place, &outputs, out)?;
    report(arguments, interface, (out, length), &mapped, begin)
}

/// The outputs as a run of a program would leave them.
fn stored<B>(mapped: &Mapped, bits: Vec<Option<Arc<B>>>, ports: &[Port]) -> Vec<Output<B>> {
    let wires = mapped.circuit.outputs().iter();
    let mut bits = wires.zip(bits).map(|(wire, bit)| match bit {
        Some(bit) => Bit::Secret(bit),
        None => Bit::Clear(wire.as_constant() == Some(true)),
    });
    let outputs = ports.iter().map(|port| {
        let own = bits.by_ref().take(port.width).collect();
        Output {
            name: port.name.clone(),
            ty: words::storage(port),
            bits: words::stored(port, own, Bit::Clear(false)),
        }
    });
    outputs.filter(|output| !output.bits.is_empty()).collect()
}

fn report(
    arguments: &CircuitRun,
    interface: &Interface,
    (out, length): (&Path, u64),
    mapped: &Mapped,
    begin: Instant,
) -> Result<(), Failure> {
    if arguments.quiet {
        return Ok(());
    }
    print(&format!(
        "{}: {}, {}; {} in {}\n",
        out.display(),
        words::listed(&interface.outputs),
        bytes(length),
        mapped.summary(),
        duration(begin.elapsed().as_secs_f64()),
    ))
}

/// Which bits of the files the circuit's inputs are; the files must hold exactly them.
fn matched(
    files: &[&Path],
    variables: &[Brought<'_>],
    ports: &[Port],
) -> Result<Vec<usize>, Failure> {
    let wrong =
        |path: &str, message: String| Err(Failure::new(Code::Input, format!("{path}: {message}")));
    let mut begin = 0;
    let mut words = Vec::new();
    for (path, variable) in variables {
        words.push((path, variable, begin));
        begin += variable.kind.bits();
    }
    for (path, variable, _) in &words {
        if !ports.iter().any(|port| port.name == variable.name) {
            let listed = words::listed(ports);
            let name = words::shown(&variable.name);
            return wrong(
                path,
                format!("the circuit has no input '{name}'; there are {listed}"),
            );
        }
    }
    let mut bits = Vec::new();
    for port in ports.iter().filter(|port| port.width > 0) {
        let Some((path, variable, begin)) = words.iter().find(|(_, v, _)| v.name == port.name)
        else {
            let name = words::shown(&port.name);
            let files: Vec<String> = files
                .iter()
                .map(|path| path.display().to_string())
                .collect();
            let message = format!("{}: no value for {name}: encrypt it too", files.join(", "));
            return Err(Failure::new(Code::Input, message));
        };
        let expected = words::storage(port);
        if variable.kind != expected {
            let (name, found) = (words::shown(&port.name), &variable.kind);
            return wrong(
                path,
                format!(
                    "{name} is {found}, but the circuit's {} bits are {expected}: encrypt it for this circuit",
                    port.width
                ),
            );
        }
        bits.extend(*begin..begin + port.width);
    }
    Ok(bits)
}
