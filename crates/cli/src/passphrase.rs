//! Passphrases of secret keys: read from a file, or from the user at the terminal.
//!
//! The terminal is the one that controls the process, so that standard input may be a pipe. What is
//! typed is not shown.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::path::Path;

use wire::Passphrase;
use zeroize::Zeroizing;

use crate::failure::{Code, Failure};
use crate::interrupt;

/// The passphrase that a key is behind.
pub(crate) fn existing(file: Option<&Path>, key: &Path) -> Result<Passphrase, Failure> {
    match file {
        Some(file) => from_file(file),
        None => ask(
            &format!("Passphrase of {}: ", key.display()),
            &format!(
                "{}: the key is behind a passphrase, and there is no terminal to ask for it: give \
                 --passphrase-file FILE or set BLINDCORE_PASSPHRASE_FILE",
                key.display()
            ),
        ),
    }
}

/// The passphrase that a key is to be behind; `option` is what names a file with it.
pub(crate) fn new(file: Option<&Path>, key: &Path, option: &str) -> Result<Passphrase, Failure> {
    if let Some(file) = file {
        return from_file(file);
    }
    let key = key.display();
    let nobody =
        format!("{key}: there is no terminal to ask for the new passphrase: give {option} FILE");
    let first = ask(&format!("New passphrase of {key}: "), &nobody)?;
    let second = ask("The same again: ", &nobody)?;
    match first.equals_vartime(&second) {
        true => Ok(first),
        false => Err(Failure::new(
            Code::Passphrase,
            format!("{key}: the two passphrases differ: nothing was changed"),
        )),
    }
}

/// The content of a file, without the line's end that editors and `echo` write.
fn from_file(path: &Path) -> Result<Passphrase, Failure> {
    let io = |operation| move |error| Failure::io(path, operation, &error);
    let file = File::open(path).map_err(io("open"))?;
    warn_if_shared(path, &file.metadata().map_err(io("open"))?);
    // One more than any passphrase with its line's end has. The room is never too small, so that no
    // copy stays behind.
    let most = Passphrase::LIMIT + 3;
    let mut bytes = Zeroizing::new(Vec::with_capacity(most + 64));
    file.take(most as u64)
        .read_to_end(&mut bytes)
        .map_err(io("read"))?;
    let ends: [&[u8]; 2] = [b"\r\n", b"\n"];
    if let Some(end) = ends.into_iter().find(|end| bytes.ends_with(end)) {
        let length = bytes.len() - end.len();
        bytes.truncate(length);
    }
    usable(path, bytes)
}

fn usable(source: &Path, bytes: Zeroizing<Vec<u8>>) -> Result<Passphrase, Failure> {
    Passphrase::new(bytes).map_err(|error| Failure::file(source, &error))
}

#[cfg(unix)]
fn warn_if_shared(path: &Path, metadata: &Metadata) {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    // A pipe's mode says nothing about who has its other end.
    if metadata.is_file() && metadata.permissions().mode() & 0o077 != 0 {
        let path = path.display();
        let _ = writeln!(
            std::io::stderr(),
            "blindcore: note: {path}: others may read this passphrase: chmod 600 {path}"
        );
    }
}

#[cfg(not(unix))]
fn warn_if_shared(_: &Path, _: &Metadata) {}

/// Asks once; `nobody` is what is wrong without a terminal.
fn ask(prompt: &str, nobody: &str) -> Result<Passphrase, Failure> {
    let typed = interrupt::while_asking(|| rpassword::prompt_password(prompt));
    let typed = typed.map_err(|error| match error.kind() {
        ErrorKind::Interrupted => Failure::new(Code::Interrupted, "interrupted"),
        // Ctrl-D, or a terminal that was closed.
        ErrorKind::UnexpectedEof => Failure::new(Code::Passphrase, "no passphrase was typed"),
        _ => Failure::new(Code::Passphrase, nobody),
    })?;
    usable(
        Path::new("the terminal"),
        Zeroizing::new(typed.into_bytes()),
    )
}
