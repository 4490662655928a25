//! `blindcore key`: what is done with a secret key that is there. `key passphrase` puts it behind a
//! passphrase, behind another one, or behind none; `key selectors` is [`selectors`]'.
//!
//! The new file is complete on the disk before it takes the old one's name, so that a process that
//! is killed leaves one of the two.

use files::{Access, Existing, PendingFile};
use wire::{Cost, WireError};

use super::{print, selectors};
use crate::arguments::{Key, KeyPassphrase};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::{hardening, passphrase};

/// Does what is asked for.
pub(crate) fn key(asked: &Key, interrupt: &Interrupt) -> Result<(), Failure> {
    match asked {
        Key::Passphrase(arguments) => change(arguments, interrupt),
        Key::Selectors(arguments) => selectors::add(arguments, interrupt),
    }
}

fn change(arguments: &KeyPassphrase, interrupt: &Interrupt) -> Result<(), Failure> {
    hardening::begin();
    let path = arguments.key.as_path();
    let wrong = |error: WireError| Failure::file(path, &error);
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        let message = format!("{}: no file, which could be replaced", path.display());
        return Err(Failure::new(Code::Io, message));
    }
    let (header, payload) = files::read_container(path, None).map_err(wrong)?;
    if !header.kind.is_secret_key() {
        let message = format!(
            "{}: this is {}, which needs no passphrase: only secret keys go behind one",
            path.display(),
            header.kind
        );
        return Err(Failure::new(Code::File, message));
    }
    let open = if header.is_protected() {
        wire::cost_of(&header, &payload).map_err(wrong)?;
        let file = arguments.unlocking.file();
        let old = passphrase::existing(file, path)?;
        let (header, payload) = wire::unprotect(&header, &payload, &old).map_err(wrong)?;
        wire::container::seal(
            header.kind,
            header.fingerprint,
            header.key,
            payload.expose(),
        )
    } else if arguments.remove {
        return Err(wrong(WireError::NotProtected));
    } else {
        wire::container::seal(header.kind, header.fingerprint, header.key, &payload)
    };
    let open = open.map_err(wrong)?;
    let bytes = if arguments.remove {
        open
    } else {
        let file = arguments.new_passphrase_file.as_deref();
        let new = passphrase::new(file, path, "--new-passphrase-file")?;
        wire::protect(&open, &new, Cost::RFC_9106_SECOND).map_err(wrong)?
    };
    hardening::report_unlocked_memory();
    let existing = Existing::ReplaceKind(header.kind);
    let file = PendingFile::stage(path, &bytes, Access::OwnerOnly, existing).map_err(wrong)?;
    if let Some(temporary) = file.temporary() {
        interrupt.removes(temporary);
    }
    interrupt.check()?;
    file.commit().map_err(wrong)?;
    let now = match arguments.remove {
        true => "lies open: anyone who has the file has the key",
        false => "is behind the new passphrase; copies made before are as they were",
    };
    print(&format!("{}: the secret key {now}\n", path.display()))
}
