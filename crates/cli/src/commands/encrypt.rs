//! `blindcore encrypt`: values of a program's variables, for whoever holds the server key. The key is the owner's
//! secret one, or the public one that the owner has given away.

use std::path::Path;

use files::{Existing, PendingFile};
use random::Generator;
use tfhe::{PublicKey, SecretKey};
use wire::{Inputs, Kind, Variable, WireError};

use super::protection::KeyFile;
use super::{bgv, bytes, gentry_halevi, internal, print, read, reserve, threads};
use crate::arguments::{Encrypt, Scheme};
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use session::Program;
use session::program::{bits_of_whole, refuse_overlaps, whole};

/// Encrypts the values and writes the inputs file.
pub(crate) fn encrypt(arguments: &Encrypt, interrupt: &Interrupt) -> Result<(), Failure> {
    if gentry_halevi::scheme_of(&arguments.key) == Scheme::Bgv {
        return bgv::encrypt(arguments, interrupt);
    }
    let program = Program::load(&arguments.program)?;
    let mut assignments = Vec::new();
    for text in &arguments.values {
        assignments.extend(program.assignments(text)?);
    }
    let mut report = String::new();
    let mut variables = Vec::new();
    let mut bits = Vec::new();
    let call = arguments.call.as_ref();
    let named = assignments
        .iter()
        .map(|assignment| program.find_input(&assignment.name, assignment.ty.as_ref(), call));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    refuse_overlaps(named.iter().map(|named| (named, "")))?;
    for (named, assignment) in named.iter().zip(&assignments) {
        let (bytes, values) = whole(named, assignment)?;
        let elements = named.ty.elements();
        bits.extend(bits_of_whole(named, &bytes));
        variables.push(Variable {
            name: named.name.clone(),
            kind: named.ty.clone(),
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
    let key = KeyFile::new(&arguments.key, &arguments.unlocking);
    let out = arguments.out.as_path();
    let file = sealed((key, out), variables, &bits, arguments.quiet, interrupt)?;
    let (count, length) = (bits.len(), file.length());
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

/// Encrypts bits with a key of whichever scheme, into a file that waits for its name.
pub(super) fn sealed(
    (key, out): (KeyFile<'_>, &Path),
    variables: Vec<Variable>,
    bits: &[bool],
    quiet: bool,
    interrupt: &Interrupt,
) -> Result<PendingFile, Failure> {
    let scheme = gentry_halevi::scheme_of(key.path);
    if scheme == Scheme::Bgv {
        return Err(bgv::no_single_values(key.path));
    }
    if scheme == Scheme::GentryHalevi {
        let manner = (threads(None), quiet);
        return gentry_halevi::encrypt((key, out), variables, bits, manner, interrupt);
    }
    let wrong = |error: WireError| Failure::file(out, &error);
    let place = reserve::<Inputs>(out, Existing::ReplaceKind(Kind::INPUTS), interrupt)?;
    let encrypted = if gentry_halevi::kind_of(key.path) == Some(Kind::PUBLIC_KEY) {
        let key: PublicKey = read(key.path)?;
        let mut generator = Generator::from_entropy().map_err(internal)?;
        key.encrypt(bits, &mut generator).map_err(internal)?
    } else {
        let key: SecretKey = key.read()?;
        let mut generator = Generator::from_entropy().map_err(internal)?;
        key.encrypt(bits, &mut generator)
    };
    let inputs = Inputs::new(variables, encrypted).map_err(wrong)?;
    wire::encode(&inputs)
        .and_then(|bytes| place.fill(&bytes))
        .map_err(wrong)
}
