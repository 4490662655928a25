//! `blindcore circuit run --key`: on somebody's inputs, for whoever holds the secret key.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use circuits::Gates;
use circuits::formats::{Interface, Netlist, Port};
use engines::tfhe_lookup::TfheLookup;
use files::Existing;
use tfhe::LweCiphertext;
use wire::gentry_halevi::Numbers;
use wire::{Kind, OutputBit, Outputs};

use super::super::inputs::{Brought, Files};
use super::super::run::write;
use super::super::{bytes, gentry_halevi, internal, print, reserve, threads};
use super::evaluate::{Mapped, profile};
use super::words;
use crate::arguments::{CircuitRun, Scheme};
use crate::engine;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::duration;

/// Evaluates the circuit on files of inputs and writes the file of outputs.
pub(super) fn run(
    arguments: &CircuitRun,
    netlist: &Netlist,
    (key, paths, out): (&Path, &[&Path], &Path),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let scheme = paths.first().map(|path| gentry_halevi::scheme_of(path));
    if scheme == Some(Scheme::GentryHalevi) {
        return on_gentry_halevi(arguments, netlist, (key, paths, out), interrupt);
    }
    let begin = Instant::now();
    // What is cheap to find wrong comes first; the key's expansion comes last.
    let interface = netlist.interface();
    let files: Files<'_> = Files::read(paths, wire::join)?;
    let all = files.iter().flat_map(|(_, inputs)| inputs.bits().unpack());
    let all: Vec<_> = all.map(Arc::new).collect();
    let bits = matched(paths, &files.variables(), &all, &interface.inputs)?;
    drop(all);
    let variables = words::variables(&interface.outputs);
    wire::check_variables(&variables).map_err(|error| Failure::file(out, &error))?;
    let workers = threads(arguments.threads);
    let place = reserve::<Outputs>(out, Existing::ReplaceKind(Kind::OUTPUTS), interrupt)?;
    interrupt.check()?;
    let key = engine::expanded(key, files.first()?, workers, arguments.fft)?;
    let profile = profile(key.parameters(), workers);
    let engine = TfheLookup::new(key, profile);
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
    (key, paths, out): (&Path, &[&Path], &Path),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let begin = Instant::now();
    let interface = netlist.interface();
    let files: Files<'_, Numbers> = Files::read(paths, wire::join)?;
    // Which file a ciphertext is of, for whoever finds that it is none.
    let all = files
        .iter()
        .flat_map(|(path, inputs)| inputs.bits().iter().map(move |bit| (path, bit)));
    let all: Vec<(&Path, &[u64])> = all.collect();
    let bits = matched(paths, &files.variables(), &all, &interface.inputs)?;
    let variables = words::variables(&interface.outputs);
    wire::check_variables(&variables).map_err(|error| Failure::file(out, &error))?;
    let workers = threads(arguments.threads);
    let existing = Existing::ReplaceKind(Kind::GENTRY_HALEVI_OUTPUTS);
    let place = reserve::<wire::gentry_halevi::Outputs>(out, existing, interrupt)?;
    interrupt.check()?;
    let manner = (workers, gentry_halevi::MEMORY, arguments.quiet);
    let (path, inputs) = files.first()?;
    let engine = gentry_halevi::load(key, (path, inputs), manner, Default::default())?;
    let bits = bits.into_iter().map(|(path, bit)| {
        let own = std::iter::once(bit);
        gentry_halevi::ciphertexts(path, own, engine.evaluator().key())
    });
    let bits = bits.collect::<Result<Vec<_>, _>>()?.concat();
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

/// The ciphertexts of the circuit's inputs, from files that must hold exactly them.
fn matched<B: Clone>(
    files: &[&Path],
    variables: &[Brought<'_>],
    all: &[B],
    ports: &[Port],
) -> Result<Vec<B>, Failure> {
    let wrong = |path: &Path, message: String| {
        let path = path.display();
        Err(Failure::new(Code::Input, format!("{path}: {message}")))
    };
    let mut rest = all;
    let mut words = Vec::new();
    for (path, variable) in variables {
        let bits = variable.kind.bits().min(rest.len());
        let (own, after) = rest.split_at(bits);
        rest = after;
        words.push((path, variable, own));
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
        let Some((path, variable, own)) = words.iter().find(|(_, v, _)| v.name == port.name) else {
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
        bits.extend(own.iter().take(port.width).cloned());
    }
    Ok(bits)
}
