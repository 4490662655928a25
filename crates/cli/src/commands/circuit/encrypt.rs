//! `blindcore circuit encrypt`: words of a circuit, for the holder of the server key.

use super::super::encrypt::sealed;
use super::super::protection::KeyFile;
use super::super::{bytes, pipes};
use super::file;
use crate::arguments::CircuitEncrypt;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use session::circuit::words;

/// Encrypts the values and writes the inputs file.
pub(super) fn encrypt(arguments: &CircuitEncrypt, interrupt: &Interrupt) -> Result<(), Failure> {
    let loaded = file::load(&arguments.file, arguments.from)?;
    let interface = loaded.netlist.interface();
    let values = words::some(interface, &arguments.values)?;
    let mut bits = Vec::new();
    let mut ports = Vec::new();
    for (port, word) in interface.inputs.iter().zip(values) {
        // What is not given is somebody else's.
        if let Some(word) = word {
            bits.extend(words::stored(port, word, false));
            ports.push(port.clone());
        }
    }
    let variables = words::variables(&ports);
    let out = &arguments.out;
    let wrong = |error: wire::WireError| Failure::file(out, &error);
    wire::check_variables(&variables).map_err(wrong)?;
    let key = KeyFile::new(&arguments.key, &arguments.unlocking).quietly(arguments.quiet);
    let file = sealed(key, out, &variables, &bits, arguments.quiet, interrupt)?;
    let length = file.length();
    interrupt.check()?;
    file.commit().map_err(wrong)?;
    if arguments.quiet {
        return Ok(());
    }
    let text = format!(
        "{}: {}, {}\n",
        out.display(),
        words::listed(&ports),
        bytes(length)
    );
    pipes::tell(out, &text)
}
