//! `blindcore circuit encrypt`: words of a circuit, for whoever holds the server key.

use random::Generator;
use tfhe::SecretKey;
use wire::{Existing, Inputs, Kind};

use super::super::{bytes, internal, print, read, reserve};
use super::{file, words};
use crate::arguments::CircuitEncrypt;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Encrypts the values and writes the inputs file.
pub(super) fn encrypt(arguments: &CircuitEncrypt, interrupt: &Interrupt) -> Result<(), Failure> {
    let loaded = file::load(&arguments.file, arguments.from)?;
    let ports = &loaded.netlist.interface().inputs;
    let values = words::assigned(loaded.netlist.interface(), &arguments.values)?;
    let mut bits = Vec::new();
    for (port, word) in ports.iter().zip(values) {
        bits.extend(words::stored(port, word, false));
    }
    let variables = words::variables(ports);
    let out = &arguments.out;
    let wrong = |error: wire::WireError| Failure::file(out, &error);
    wire::check_variables(&variables).map_err(wrong)?;
    let place = reserve::<Inputs>(out, Existing::ReplaceKind(Kind::Inputs), interrupt)?;
    let key: SecretKey = read(&arguments.key)?;
    let mut generator = Generator::from_entropy().map_err(internal)?;
    let encrypted = key.encrypt(&bits, &mut generator);
    let inputs = Inputs::new(variables, encrypted).map_err(wrong)?;
    let file = wire::encode(&inputs)
        .and_then(|bytes| place.fill(&bytes))
        .map_err(wrong)?;
    let length = file.length();
    interrupt.check()?;
    file.commit().map_err(wrong)?;
    if arguments.quiet {
        return Ok(());
    }
    print(&format!(
        "{}: {}, {}\n",
        out.display(),
        words::listed(ports),
        bytes(length)
    ))
}
