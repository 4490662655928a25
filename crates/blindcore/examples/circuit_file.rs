//! A circuit in the Bristol format, evaluated on encrypted words.

use blindcore::circuits::formats::Format;
use blindcore::{Bit, Error, ErrorKind, Keys, Word};

/// A multiplier of two words of eight bits.
const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/circuits/multiply8.txt"
);

fn main() -> Result<(), Error> {
    let bytes =
        std::fs::read(FILE).map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?;
    let format = Format::of_content(&bytes).unwrap_or(Format::Bristol);
    let netlist = format
        .read(&bytes)
        .map_err(|error| Error::new(ErrorKind::File, error.to_string()))?;
    println!("{} gates", netlist.gates());

    let keys = Keys::generate()?;
    let (a, b) = (
        keys.secret.encrypt_word(12_u8)?,
        keys.secret.encrypt_word(11_u8)?,
    );
    let inputs: Vec<Bit> = a.bits().into_iter().chain(b.bits()).collect();
    let bits = keys
        .server
        .evaluate_circuit(&inputs, |build, wires| netlist.record(build, wires))?;

    let product = keys.server.evaluate(&Word::<u8>::from_bits(&bits))?;
    println!("{}", keys.secret.decrypt_word(&product)?);
    Ok(())
}
