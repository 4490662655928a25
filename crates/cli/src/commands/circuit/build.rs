//! `blindcore circuit convert` and `circuit build`: circuits into files.

use circuits::formats::Interface;
use circuits::library::catalogue::{Unit, catalogue};
use circuits::{Profile, passes};

use super::super::print;
use super::file;
use crate::arguments::{CircuitBuild, CircuitConvert};
use crate::failure::{Code, Failure};

/// Writes a circuit in another format; gates are folded and shared on the way.
pub(super) fn convert(arguments: &CircuitConvert) -> Result<(), Failure> {
    let format = file::target(&arguments.output, arguments.to)?;
    file::vacant(&arguments.output, arguments.force)?;
    let loaded = file::load(&arguments.input, arguments.from)?;
    let circuit = loaded.netlist.circuit(&gates());
    let interface = loaded.netlist.interface();
    let length = file::write(
        &arguments.output,
        format,
        interface,
        &circuit,
        arguments.force,
    )?;
    print(&format!(
        "{}: {format}, {length} bytes\n",
        arguments.output.display()
    ))
}

/// Writes a unit of the library.
pub(super) fn build(arguments: &CircuitBuild) -> Result<(), Failure> {
    let unit = named(&arguments.unit)?;
    let format = file::target(&arguments.out, arguments.to)?;
    file::vacant(&arguments.out, arguments.force)?;
    let mut profile = gates();
    profile.architectures = arguments.forced.architectures();
    let drawn = unit.draw(&profile, arguments.width);
    let name = spelled(unit.operation);
    let interface = Interface::numbered(name, &drawn.operands, &drawn.results);
    let length = file::write(
        &arguments.out,
        format,
        &interface,
        &drawn.circuit,
        arguments.force,
    )?;
    let cost = passes::cost(&drawn.circuit, &profile);
    print(&format!(
        "{}: {format}, {length} bytes; {} ANDs, {} XORs, {} selections\n",
        arguments.out.display(),
        cost.and,
        cost.xor,
        cost.mux,
    ))
}

/// Gates and selections: files have no lookups.
fn gates() -> Profile {
    let mut profile = Profile::gate_simulation();
    profile.cost.mux = profile.cost.and;
    profile
}

/// A unit as it is asked for, the library's own choice of its architecture.
fn named(name: &str) -> Result<Unit, Failure> {
    let mut units: Vec<Unit> = catalogue();
    units.retain(Unit::is_default);
    let found = units
        .iter()
        .find(|unit| spelled(unit.operation) == spelled(name));
    found.cloned().ok_or_else(|| {
        let names: Vec<String> = units.iter().map(|unit| spelled(unit.operation)).collect();
        let shown: String = name.chars().take(40).flat_map(char::escape_debug).collect();
        let message = format!("no unit '{shown}'; there are {}", names.join(", "));
        Failure::new(Code::Usage, message)
    })
}

/// Names as they are written on the command line.
fn spelled(name: &str) -> String {
    name.replace('_', "-")
}
