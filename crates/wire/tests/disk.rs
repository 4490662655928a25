//! Files appear whole or not at all, and only the right people may read them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use tfhe::KeyId;
use wire::{
    Access, Existing, Fingerprint, Kind, PendingFile, WireError, container, read_container,
    read_from, write_atomically,
};

fn sample(payload: &[u8]) -> Vec<u8> {
    container::seal(
        Kind::Outputs,
        Fingerprint([1; 32]),
        KeyId::from_bytes([2; 16]),
        payload,
    )
    .unwrap()
    .to_vec()
}

fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn io_kind(result: Result<(), WireError>) -> ErrorKind {
    match result {
        Err(WireError::Io { kind, .. }) => kind,
        other => panic!("not an I/O error: {other:?}"),
    }
}

#[test]
fn what_is_written_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.bct");
    write_atomically(&path, &sample(b"first"), Access::Shared, Existing::Keep).unwrap();
    write_atomically(&path, &sample(b"second"), Access::Shared, Existing::Replace).unwrap();
    let (header, payload) = read_container(&path, Some(Kind::Outputs)).unwrap();
    assert_eq!(
        (header.kind, payload.as_slice()),
        (Kind::Outputs, b"second".as_slice())
    );
    assert_eq!(names(directory.path()), ["a.bct"]);
    assert_eq!(
        read_container(&path, Some(Kind::ServerKey)).unwrap_err(),
        WireError::WrongKind {
            found: Kind::Outputs,
            expected: Kind::ServerKey
        }
    );
}

#[test]
fn an_existing_file_is_kept_when_asked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.bct");
    fs::write(&path, "precious").unwrap();
    let result = write_atomically(&path, &sample(b"new"), Access::Shared, Existing::Keep);
    assert_eq!(io_kind(result), ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    assert_eq!(names(directory.path()), ["a.bct"]);
}

#[test]
fn a_pending_file_that_is_dropped_leaves_no_trace() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.bct");
    let pending = PendingFile::stage(&path, b"half", Access::OwnerOnly, Existing::Replace).unwrap();
    assert_eq!(names(directory.path()).len(), 1);
    drop(pending);
    assert!(names(directory.path()).is_empty());
}

#[test]
fn a_missing_directory_is_an_error() {
    let path = Path::new("/nonexistent/directory/a.bct");
    let result = write_atomically(path, b"", Access::Shared, Existing::Replace);
    assert_eq!(io_kind(result), ErrorKind::NotFound);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error() {
    let result = write_atomically(
        Path::new("/dev/full"),
        b"bytes",
        Access::Shared,
        Existing::Replace,
    );
    assert_eq!(io_kind(result), ErrorKind::StorageFull);
}

#[cfg(unix)]
#[test]
fn secret_files_are_for_their_owner_and_links_stay_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("real");
    let link = directory.path().join("link");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    symlink(&path, &link).unwrap();
    write_atomically(&link, b"secret", Access::OwnerOnly, Existing::Replace).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&path).unwrap(), b"secret");
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn a_declared_length_is_not_believed() {
    // The largest length that the kind allows, and nothing behind it.
    let mut bytes = sample(b"");
    bytes[60..68].copy_from_slice(&Kind::Outputs.payload_limit().to_le_bytes());
    assert_eq!(
        read_from(bytes.as_slice(), None).unwrap_err(),
        WireError::Truncated {
            length: 100,
            expected: 100 + Kind::Outputs.payload_limit()
        }
    );
    bytes[60..68].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(
        read_from(bytes.as_slice(), None).unwrap_err(),
        WireError::Oversized {
            kind: Kind::Outputs,
            declared: u64::MAX,
            limit: Kind::Outputs.payload_limit()
        }
    );
}
