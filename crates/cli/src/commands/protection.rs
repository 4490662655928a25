//! Secret keys on their way from and to files: the one place where commands read one, and where a new one gets its
//! passphrase.

use std::path::Path;

use wire::{Cost, Passphrase, Record, WireError};
use zeroize::Zeroizing;

use crate::arguments::{Protecting, Unlocking};
use crate::failure::Failure;
use crate::{hardening, passphrase};

/// The file of a key, and what opens it if it is behind a passphrase.
#[derive(Clone, Copy)]
pub(super) struct KeyFile<'a> {
    pub(super) path: &'a Path,
    unlocking: &'a Unlocking,
}

impl<'a> KeyFile<'a> {
    pub(super) fn new(path: &'a Path, unlocking: &'a Unlocking) -> Self {
        KeyFile { path, unlocking }
    }

    /// Reads the secret key. The passphrase is asked for here, if it is: once for each command.
    pub(super) fn read<R: Record>(self) -> Result<R, Failure> {
        hardening::begin();
        let wrong = |error: WireError| Failure::file(self.path, &error);
        let (header, payload) = files::read_container(self.path, Some(R::KIND)).map_err(wrong)?;
        let record = if header.is_protected() {
            // Nobody has to type for a file that asks for too much.
            wire::cost_of(&header, &payload).map_err(wrong)?;
            let file = self.unlocking.file();
            let passphrase = passphrase::existing(file, self.path)?;
            let (header, payload) =
                wire::unprotect(&header, &payload, &passphrase).map_err(wrong)?;
            wire::decode_payload(&header, payload.expose())
        } else {
            wire::decode_payload(&header, &payload)
        };
        hardening::tell();
        record.map_err(wrong)
    }
}

/// The passphrase that a new key shall be behind, if there is to be one.
pub(super) fn wanted(
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

/// The file of a new secret key.
pub(super) fn encoded<R: Record>(
    key: &R,
    passphrase: Option<&Passphrase>,
) -> Result<Zeroizing<Vec<u8>>, WireError> {
    hardening::tell();
    let open = wire::encode(key)?;
    match passphrase {
        None => Ok(open),
        Some(passphrase) => wire::protect(&open, passphrase, Cost::RFC_9106_SECOND),
    }
}

/// What a report adds to the words "the secret key".
pub(super) fn in_words(passphrase: Option<&Passphrase>) -> &'static str {
    match passphrase {
        None => "",
        Some(_) => " behind its passphrase",
    }
}
