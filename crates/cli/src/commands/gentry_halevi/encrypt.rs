//! Encryption by the Gentry–Halevi scheme, with either of a pair's keys: both have modulus and root,
//! and it takes no more.

use std::num::NonZeroUsize;
use std::path::Path;

use files::{Existing, PendingFile};
use gentry_halevi::Encryptor;
use random::Generator;
use wire::gentry_halevi::{Inputs, Key, Numbers};
use wire::{Kind, Variable};

use super::super::protection::KeyFile;
use super::super::{internal, reserve};
use super::{failure, kind_of, warning};
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Encrypts bits and writes them beside the name that they will have.
pub(in super::super) fn encrypt(
    (key, out): (KeyFile<'_>, &Path),
    variables: Vec<Variable>,
    bits: &[bool],
    (threads, quiet): (NonZeroUsize, bool),
    interrupt: &Interrupt,
) -> Result<PendingFile, Failure> {
    let place = reserve::<Inputs>(
        out,
        Existing::ReplaceKind(Kind::GENTRY_HALEVI_INPUTS),
        interrupt,
    )?;
    let wrong = |error: wire::WireError| Failure::file(out, &error);
    let (key, encryptor) = match kind_of(key.path) == Some(Kind::GENTRY_HALEVI_SERVER_KEY) {
        true => {
            let (file, _) = super::public_key(key.path, quiet)?;
            let numbers = (file.modulus(), file.root());
            (
                file.key().clone(),
                encryptor(file.key(), numbers, bits, threads)?,
            )
        }
        false => {
            let file: wire::gentry_halevi::SecretKey = key.read()?;
            let numbers = (file.modulus(), file.root());
            (
                file.key().clone(),
                encryptor(file.key(), numbers, bits, threads)?,
            )
        }
    };
    if !quiet {
        warning::warn(key.parameters());
    }
    let mut generator = Generator::from_entropy().map_err(internal)?;
    let encrypted = encryptor.encrypt(bits, &mut generator).map_err(failure)?;
    let mut numbers = Numbers::new(key);
    for bit in &encrypted {
        numbers.push(bit.limbs()).map_err(internal)?;
    }
    let inputs = Inputs::new(variables, numbers).map_err(wrong)?;
    wire::encode(&inputs)
        .and_then(|bytes| place.fill(&bytes))
        .map_err(wrong)
}

fn encryptor(
    key: &Key,
    numbers: (&[u64], &[u64]),
    bits: &[bool],
    threads: NonZeroUsize,
) -> Result<Encryptor, Failure> {
    let (parameters, memory) = (key.parameters(), Encryptor::MEMORY);
    Encryptor::of_root(parameters, numbers, bits.len(), memory, threads).map_err(failure)
}
