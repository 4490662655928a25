//! Encryption of a table: a vector for each bit of a row.

use random::Generator;
use wire::bgv::{Inputs, SeededVectors};
use wire::{Existing, Kind, WireError};

use super::super::{bytes, internal, print, read, reserve};
use super::failure;
use super::table::{self, Table};
use crate::arguments::Encrypt;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::subject::Subject;

/// Encrypts a table and writes the inputs file.
pub(in super::super) fn encrypt(arguments: &Encrypt, interrupt: &Interrupt) -> Result<(), Failure> {
    let subject = Subject::load(&arguments.program)?;
    let wrong = |error: WireError| Failure::file(&arguments.out, &error);
    let key: wire::bgv::SecretKey = read(&arguments.key)?;
    let key = key
        .open()
        .map_err(|error| Failure::file(&arguments.key, &error))?;
    let slots = key.parameters().slots();
    let table = table::read(&subject, &arguments.values, arguments.call.as_ref(), slots)?;
    let Table {
        variables,
        bits,
        rows,
    } = table;
    wire::check_variables(&variables).map_err(wrong)?;
    let kind = Existing::ReplaceKind(Kind::BgvInputs);
    let place = reserve::<Inputs>(&arguments.out, kind, interrupt)?;

    let mut generator = Generator::from_entropy().map_err(internal)?;
    let seed = generator.seed();
    let mut vectors =
        SeededVectors::new(key.parameters(), key.key_id(), seed, rows as u32).map_err(wrong)?;
    for (number, bits) in bits.iter().enumerate() {
        interrupt.check()?;
        let vector = key
            .encrypt_seeded(bits, &seed, number as u64, &mut generator)
            .map_err(failure)?;
        vectors.push(vector).map_err(wrong)?;
    }
    let names: Vec<String> = variables
        .iter()
        .map(|variable| format!("{}: {}", variable.name, variable.kind))
        .collect();
    let inputs = Inputs::new(variables, vectors).map_err(wrong)?;
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
        "{}\n{}: {rows} {} of {} encrypted bits in {slots} slots, {}\n",
        names.join("\n"),
        arguments.out.display(),
        if rows == 1 { "row" } else { "rows" },
        bits.len(),
        bytes(length)
    ))
}
