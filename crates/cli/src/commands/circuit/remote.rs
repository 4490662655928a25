//! `blindcore circuit run --key`: on somebody's inputs, for whoever holds the secret key.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use circuits::Gates;
use circuits::formats::{Interface, Netlist, Port};
use service::evaluation::Recording;
use tfhe::LweCiphertext;
use wire::{Existing, Inputs, Kind, OutputBit, Outputs, Variable};

use super::super::run::write;
use super::super::{bytes, gentry_halevi, internal, print, read, reserve, threads};
use super::evaluate::Mapped;
use super::words;
use crate::arguments::{CircuitRun, Scheme};
use crate::engine;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::duration;

/// Evaluates the circuit on a file of inputs and writes the file of outputs.
pub(super) fn run(
    arguments: &CircuitRun,
    netlist: &Netlist,
    (key, path, out): (&Path, &Path, &Path),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    if gentry_halevi::scheme_of(path) == Scheme::GentryHalevi {
        return on_gentry_halevi(arguments, netlist, (key, path, out), interrupt);
    }
    let begin = Instant::now();
    // What is cheap to find wrong comes first; the key's expansion comes last.
    let interface = netlist.interface();
    let inputs: Inputs = read(path)?;
    let all: Vec<_> = inputs.bits().unpack().into_iter().map(Arc::new).collect();
    let bits = matched(path, inputs.variables(), &all, &interface.inputs)?;
    drop(all);
    let variables = words::variables(&interface.outputs);
    wire::check_variables(&variables).map_err(|error| Failure::file(out, &error))?;
    let workers = threads(arguments.threads);
    let place = reserve::<Outputs>(out, Existing::ReplaceKind(Kind::Outputs), interrupt)?;
    interrupt.check()?;
    let engine = engine::load(
        key,
        (path, &inputs),
        workers,
        Recording::Narrow,
        Default::default(),
        arguments.fft,
    )?;
    let mapped = Mapped::new(netlist, engine.profile());
    let bits = mapped.evaluate(&engine, &bits, (workers, arguments.quiet), interrupt)?;

    let (known, secret) = stored(&mapped, bits, &interface.outputs);
    let secret: Vec<&LweCiphertext> = secret.iter().map(Arc::as_ref).collect();
    let shrunk = engine
        .key()
        .shrink(&mut engine.scratch(), &secret)
        .map_err(internal)?;
    let outputs = Outputs::new(variables, known, shrunk).map_err(internal)?;
    let length = write(place, &outputs, out)?;
    report(arguments, interface, (out, length), &mapped, begin)
}

/// The same by the scheme that needs products instead of lookups.
fn on_gentry_halevi(
    arguments: &CircuitRun,
    netlist: &Netlist,
    (key, path, out): (&Path, &Path, &Path),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let begin = Instant::now();
    let interface = netlist.interface();
    let inputs: wire::gentry_halevi::Inputs = read(path)?;
    let all: Vec<&[u64]> = inputs.bits().iter().collect();
    let bits = matched(path, inputs.variables(), &all, &interface.inputs)?;
    let variables = words::variables(&interface.outputs);
    wire::check_variables(&variables).map_err(|error| Failure::file(out, &error))?;
    let workers = threads(arguments.threads);
    let existing = Existing::ReplaceKind(Kind::GentryHaleviOutputs);
    let place = reserve::<wire::gentry_halevi::Outputs>(out, existing, interrupt)?;
    interrupt.check()?;
    let manner = (workers, gentry_halevi::MEMORY, arguments.quiet);
    let engine = gentry_halevi::load(key, (path, &inputs), manner, Default::default())?;
    let bits = gentry_halevi::ciphertexts(path, bits.into_iter(), engine.evaluator().key())?;
    let mapped = Mapped::new(netlist, engine.profile());
    let bits = mapped.evaluate(&engine, &bits, (workers, arguments.quiet), interrupt)?;
    let (known, secret) = stored(&mapped, bits, &interface.outputs);
    let key = inputs.bits().key().clone();
    let length = gentry_halevi::written(place, out, key, (variables, known), &secret)?;
    report(arguments, interface, (out, length), &mapped, begin)
}

/// The bits of the outputs as files hold them, and those of them that are ciphertexts.
fn stored<B>(
    mapped: &Mapped,
    bits: Vec<Option<Arc<B>>>,
    ports: &[Port],
) -> (Vec<OutputBit>, Vec<Arc<B>>) {
    let wires = mapped.circuit.outputs().iter();
    // A constant, or a ciphertext.
    let mut bits = wires.zip(bits).map(|(wire, bit)| match bit {
        Some(bit) => Ok(bit),
        None => Err(wire.as_constant() == Some(true)),
    });
    let mut known = Vec::new();
    let mut secret = Vec::new();
    for port in ports {
        let own = bits.by_ref().take(port.width).collect();
        for bit in words::stored(port, own, Err(false)) {
            known.push(match bit {
                Ok(bit) => {
                    secret.push(bit);
                    OutputBit::Secret
                }
                Err(value) => OutputBit::Clear(value),
            });
        }
    }
    (known, secret)
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

/// The ciphertexts of the circuit's inputs, from a file that must hold exactly them.
fn matched<B: Clone>(
    path: &Path,
    variables: &[Variable],
    all: &[B],
    ports: &[Port],
) -> Result<Vec<B>, Failure> {
    let wrong = |message: String| {
        let path = path.display();
        Err(Failure::new(Code::Input, format!("{path}: {message}")))
    };
    let mut rest = all;
    let mut words = Vec::new();
    for variable in variables {
        let bits = variable.kind.bits().unwrap_or(0).min(rest.len());
        let (own, after) = rest.split_at(bits);
        rest = after;
        words.push((variable, own));
    }
    for (variable, _) in &words {
        if !ports.iter().any(|port| port.name == variable.name) {
            let listed = words::listed(ports);
            let name = words::shown(&variable.name);
            return wrong(format!(
                "the circuit has no input '{name}'; there are {listed}"
            ));
        }
    }
    let mut bits = Vec::new();
    for port in ports.iter().filter(|port| port.width > 0) {
        let Some((variable, own)) = words.iter().find(|(v, _)| v.name == port.name) else {
            let name = words::shown(&port.name);
            return wrong(format!("no value for {name}: encrypt it too"));
        };
        let expected = words::storage(port);
        if variable.kind != expected {
            let (name, found) = (words::shown(&port.name), &variable.kind);
            return wrong(format!(
                "{name} is {found}, but the circuit's {} bits are {expected}: encrypt it for this circuit",
                port.width
            ));
        }
        bits.extend(own.iter().take(port.width).cloned());
    }
    Ok(bits)
}
