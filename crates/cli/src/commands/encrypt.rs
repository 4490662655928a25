//! `blindcore encrypt`: values of a program's variables, for whoever holds the server key.

use processor::values::bits_of;
use random::Generator;
use tfhe::SecretKey;
use wire::{Existing, Inputs, Kind, Variable};

use super::{bytes, internal, print, read, reserve};
use crate::arguments::Encrypt;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::subject::{Subject, refuse_repetition, to_wire, whole};
use crate::values::Assignment;

/// Encrypts the values and writes the inputs file.
pub(crate) fn encrypt(arguments: &Encrypt, interrupt: &Interrupt) -> Result<(), Failure> {
    let subject = Subject::load(&arguments.program)?;
    let mut assignments = Vec::new();
    for text in &arguments.values {
        assignments.extend(Assignment::expand(text)?);
    }
    refuse_repetition(
        assignments
            .iter()
            .map(|assignment| assignment.name.as_str()),
    )?;

    let mut report = String::new();
    let mut variables = Vec::new();
    let mut bits = Vec::new();
    for assignment in &assignments {
        let named = subject.find(
            &assignment.name,
            assignment.ty.as_ref(),
            arguments.call.as_ref(),
        )?;
        let (bytes, values) = whole(&named, assignment)?;
        let elements = named.ty.elements();
        bits.extend(bits_of(&bytes));
        variables.push(Variable {
            name: named.name.clone(),
            kind: to_wire(&named.name, &named.ty)?,
        });
        report.push_str(&format!("{}: {}", named.name, named.ty));
        if values < elements as usize {
            report.push_str(&format!(
                ", {values} values, then {} zeros",
                elements as usize - values
            ));
        }
        report.push('\n');
    }

    // The key comes last: a wrong value is cheaper to find.
    wire::check_variables(&variables).map_err(|error| Failure::file(&arguments.out, &error))?;
    let existing = Existing::ReplaceKind(Kind::Inputs);
    let place = reserve::<Inputs>(&arguments.out, existing, interrupt)?;
    let key: SecretKey = read(&arguments.key)?;
    let mut generator = Generator::from_entropy().map_err(internal)?;
    let encrypted = key.encrypt(&bits, &mut generator);
    let count = encrypted.len();
    let inputs =
        Inputs::new(variables, encrypted).map_err(|error| Failure::file(&arguments.out, &error))?;
    let file = wire::encode(&inputs)
        .and_then(|bytes| place.fill(&bytes))
        .map_err(|error| Failure::file(&arguments.out, &error))?;
    let length = file.length();
    interrupt.check()?;
    file.commit()
        .map_err(|error| Failure::file(&arguments.out, &error))?;
    if arguments.quiet {
        return Ok(());
    }
    print(&format!(
        "{report}{}: {count} encrypted bits, {}\n",
        arguments.out.display(),
        bytes(length)
    ))
}
