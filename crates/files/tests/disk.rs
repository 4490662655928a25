//! Files appear whole or not at all, and only the right people may read them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;

use blindcore_files::{
    Access, Existing, PendingFile, Reservation, read_container, write_atomically,
};
use tfhe::{KeyId, TOY_BLOCK};
use wire::{Fingerprint, Kind, WireError, container, read_from};

fn sample(payload: &[u8]) -> Vec<u8> {
    container::seal(
        Kind::OUTPUTS,
        Fingerprint::of(&TOY_BLOCK),
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
    let (header, payload) = read_container(&path, Some(Kind::OUTPUTS)).unwrap();
    assert_eq!(
        (header.kind, payload.as_slice()),
        (Kind::OUTPUTS, b"second".as_slice())
    );
    assert_eq!(names(directory.path()), ["a.bct"]);
    assert_eq!(
        read_container(&path, Some(Kind::SERVER_KEY)).unwrap_err(),
        WireError::WrongKind {
            found: Kind::OUTPUTS,
            expected: Kind::SERVER_KEY
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

#[test]
fn a_reservation_finds_the_place_and_leaves_no_trace() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.bct");
    let reservation = Reservation::new(&path, Access::Shared, Existing::Replace).unwrap();
    assert!(reservation.temporary().unwrap().exists());
    drop(reservation);
    assert!(names(directory.path()).is_empty());
    let reservation = Reservation::new(&path, Access::Shared, Existing::Replace).unwrap();
    reservation
        .fill(&sample(b"late"))
        .unwrap()
        .commit()
        .unwrap();
    assert_eq!(names(directory.path()), ["a.bct"]);
    let missing = Path::new("/nonexistent/directory/a.bct");
    let result = Reservation::new(missing, Access::Shared, Existing::Replace);
    assert_eq!(io_kind(result.map(drop)), ErrorKind::NotFound);
}

#[test]
fn only_the_same_kind_is_replaced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.bct");
    let write = |kind| {
        write_atomically(
            &path,
            &sample(b"new"),
            Access::Shared,
            Existing::ReplaceKind(kind),
        )
    };
    for content in [&b"precious"[..], &sample(b"outputs"), &sample(b"")[..50]] {
        fs::write(&path, content).unwrap();
        let expected = Kind::INPUTS;
        assert_eq!(write(expected), Err(WireError::Occupied { expected }));
        assert_eq!(fs::read(&path).unwrap(), content);
    }
    for content in [&b""[..], &sample(b"outputs")] {
        fs::write(&path, content).unwrap();
        assert_eq!(write(Kind::OUTPUTS), Ok(()));
    }
    assert_eq!(names(directory.path()), ["a.bct"]);
}

/// Writes past the limit on file sizes, as on a full disk, in a process of its own.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_leaves_the_target() {
    const INSIDE: &str = "BLINDCORE_TEST_FULL_DISK";
    if let Some(path) = std::env::var_os(INSIDE) {
        let bytes = sample(&vec![0; 1 << 16]);
        let result = write_atomically(Path::new(&path), &bytes, Access::Shared, Existing::Replace);
        assert_eq!(io_kind(result), ErrorKind::FileTooLarge);
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.bct");
    fs::write(&path, "precious").unwrap();
    let ended = std::process::Command::new("sh")
        .args([
            "-c",
            "trap '' XFSZ; ulimit -f 1; exec \"$0\" --exact a_disk_that_fills_up_leaves_the_target",
        ])
        .arg(std::env::current_exe().unwrap())
        .env(INSIDE, &path)
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    assert_eq!(names(directory.path()), ["a.bct"]);
}

#[cfg(unix)]
#[test]
fn links_stay_links_even_where_they_lead_nowhere() {
    let directory = tempfile::tempdir().unwrap();
    let link = directory.path().join("link");
    std::os::unix::fs::symlink("later", &link).unwrap();
    write_atomically(&link, b"content", Access::Shared, Existing::Replace).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::read(directory.path().join("later")).unwrap(),
        b"content"
    );
    // A chain without an end is an error of the operating system, and stays as it is.
    let endless = directory.path().join("endless");
    std::os::unix::fs::symlink("endless", &endless).unwrap();
    let before = names(directory.path());
    let _ = write_atomically(&endless, b"content", Access::Shared, Existing::Keep);
    assert_eq!(names(directory.path()), before);
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
    let pending = PendingFile::stage(&link, b"secret", Access::OwnerOnly, Existing::Replace);
    let pending = pending.unwrap();
    // Never more than the owner's, not even before it has its name.
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(pending.temporary().unwrap()), 0o600);
    pending.commit().unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&path).unwrap(), b"secret");
    assert_eq!(mode(&path), 0o600);
}

/// What no content can make good is refused at the header.
#[test]
fn a_header_can_be_enough() {
    struct Nothing;
    impl std::io::Read for Nothing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            panic!("the content was read")
        }
    }
    let start = |kind, fingerprint| {
        let payload = [0; 1000];
        let bytes = container::seal(kind, fingerprint, KeyId::from_bytes([2; 16]), &payload);
        bytes.unwrap()[..container::HEADER_BYTES].to_vec()
    };
    let fingerprint = Fingerprint([1; 32]);
    let unknown = start(Kind::INPUTS, fingerprint);
    assert_eq!(
        read_from(unknown.as_slice().chain(Nothing), None).unwrap_err(),
        WireError::UnknownParameters { fingerprint }
    );
    for kind in [Kind::SECRET_KEY, Kind::SERVER_KEY] {
        let short = start(kind, Fingerprint::of(&TOY_BLOCK));
        let error = read_from(short.as_slice().chain(Nothing), None).unwrap_err();
        assert!(matches!(error, WireError::Malformed { .. }), "{error:?}");
    }
}

#[test]
fn a_declared_length_is_not_believed() {
    // The largest length that the kind allows, and nothing behind it.
    let mut bytes = sample(b"");
    bytes[60..68].copy_from_slice(&Kind::OUTPUTS.payload_limit().to_le_bytes());
    assert_eq!(
        read_from(bytes.as_slice(), None).unwrap_err(),
        WireError::Truncated {
            length: 100,
            expected: 100 + Kind::OUTPUTS.payload_limit()
        }
    );
    bytes[60..68].copy_from_slice(&u64::MAX.to_le_bytes());
    assert_eq!(
        read_from(bytes.as_slice(), None).unwrap_err(),
        WireError::Oversized {
            kind: Kind::OUTPUTS,
            declared: u64::MAX,
            limit: Kind::OUTPUTS.payload_limit()
        }
    );
}
