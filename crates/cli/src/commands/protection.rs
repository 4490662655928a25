//! Secret keys on their way from and to files: the one place where commands read one, and where a
//! new one gets its passphrase.

use std::path::Path;

use session::owner::SecretKey;
use wire::Passphrase;

use crate::arguments::{Protecting, Unlocking};
use crate::failure::Failure;
use crate::{hardening, passphrase};

/// The file of a key, and what opens it if it is behind a passphrase.
#[derive(Clone, Copy)]
pub(super) struct KeyFile<'a> {
    pub(super) path: &'a Path,
    unlocking: &'a Unlocking,
    quiet: bool,
}

impl<'a> KeyFile<'a> {
    pub(super) fn new(path: &'a Path, unlocking: &'a Unlocking) -> Self {
        KeyFile {
            path,
            unlocking,
            quiet: false,
        }
    }

    /// Without a word about who else may read it, if so.
    pub(super) fn quietly(self, quiet: bool) -> Self {
        KeyFile { quiet, ..self }
    }

    /// Reads the secret key. The passphrase is asked for here, if it is: once for each command.
    pub(super) fn read(self) -> Result<SecretKey, Failure> {
        hardening::begin();
        let key = SecretKey::read(self.path, || {
            passphrase::existing(self.unlocking.file(), self.path)
        });
        hardening::report_unlocked_memory();
        // Of a file that is no key there is nothing to warn of.
        if key.is_ok() && !self.quiet {
            hardening::report_readable(self.path);
        }
        key
    }

    /// Reads a secret key of TFHE.
    pub(super) fn read_tfhe(self) -> Result<tfhe::SecretKey, Failure> {
        match self.read()? {
            SecretKey::Tfhe(key) => Ok(key),
            other => {
                let (found, expected) = (
                    SecretKey::kind_of(other.scheme()),
                    SecretKey::kind_of(wire::Scheme::Tfhe),
                );
                let error = wire::WireError::WrongKind { found, expected };
                Err(Failure::file(self.path, &error))
            }
        }
    }
}

/// The passphrase that a new key shall be behind, if there is to be one.
pub(super) fn new_passphrase(
    protecting: &Protecting,
    secret: &Path,
) -> Result<Option<Passphrase>, Failure> {
    hardening::begin();
    let file = protecting.file();
    if !protecting.passphrase && file.is_none() {
        return Ok(None);
    }
    passphrase::new(file, secret, "--passphrase-file").map(Some)
}

/// What a report adds to the words "the secret key".
pub(super) fn in_words(passphrase: Option<&Passphrase>) -> &'static str {
    match passphrase {
        None => "",
        Some(_) => " behind its passphrase",
    }
}
