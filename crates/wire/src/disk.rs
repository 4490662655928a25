//! Reading and writing files so that nobody ever sees half of one.
//!
//! A file is written under a temporary name beside its target, flushed to the disk, and renamed.
//! Whatever goes wrong before the rename (a full disk, a crash, an interrupt), the target is as it
//! was and the temporary file is removed. Secret files are created with mode 0600, whatever the
//! umask. A target that exists and is no regular file (`/dev/stdout`, a pipe) is written directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use zeroize::Zeroizing;

use crate::container::{HEADER_BYTES, Header};
use crate::{Kind, WireError};

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody the umask lets.
    Shared,
    /// Its owner only (mode 0600).
    OwnerOnly,
}

/// What to do when the target exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Replace it.
    Replace,
    /// Leave it and fail with `AlreadyExists`.
    Keep,
}

/// A complete file that waits for its name. Dropped without [`PendingFile::commit`], it leaves no
/// trace.
#[derive(Debug)]
pub struct PendingFile {
    content: Content,
    target: PathBuf,
    existing: Existing,
    length: u64,
}

#[derive(Debug)]
enum Content {
    Staged(NamedTempFile),
    Direct(Zeroizing<Vec<u8>>),
}

impl PendingFile {
    /// Writes `bytes` beside `target` and flushes them to the disk.
    ///
    /// # Errors
    /// [`WireError::Io`], for example when the directory is missing or the disk is full.
    pub fn stage(
        target: &Path,
        bytes: &[u8],
        access: Access,
        existing: Existing,
    ) -> Result<PendingFile, WireError> {
        let length = bytes.len() as u64;
        // A symbolic link stays a link: what it points to is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_path_buf());
        if let Ok(metadata) = fs::metadata(&target) {
            if metadata.is_dir() {
                return Err(WireError::io("create", &io::ErrorKind::IsADirectory.into()));
            }
            if existing == Existing::Keep {
                return Err(WireError::io(
                    "create",
                    &io::ErrorKind::AlreadyExists.into(),
                ));
            }
            if !metadata.is_file() {
                let content = Content::Direct(Zeroizing::new(bytes.to_vec()));
                return Ok(PendingFile {
                    content,
                    target,
                    existing,
                    length,
                });
            }
        }
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut file = create_in(directory, access).map_err(|e| WireError::io("create", &e))?;
        file.write_all(bytes)
            .map_err(|e| WireError::io("write", &e))?;
        file.as_file()
            .sync_all()
            .map_err(|e| WireError::io("write", &e))?;
        Ok(PendingFile {
            content: Content::Staged(file),
            target,
            existing,
            length,
        })
    }

    /// Size of the file, in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`WireError::Io`]; the target is then as it was.
    pub fn commit(self) -> Result<(), WireError> {
        match self.content {
            Content::Direct(bytes) => OpenOptions::new()
                .write(true)
                .open(&self.target)
                .and_then(|mut file| file.write_all(&bytes))
                .map_err(|e| WireError::io("write", &e)),
            Content::Staged(file) => {
                let renamed = match self.existing {
                    Existing::Replace => file.persist(&self.target),
                    Existing::Keep => file.persist_noclobber(&self.target),
                };
                renamed.map_err(|e| WireError::io("rename", &e.error))?;
                // The rename itself must survive a power cut too; a directory that cannot be
                // synced (some network file systems) is no reason to fail.
                if let Some(directory) = self.target.parent()
                    && let Ok(directory) = File::open(directory)
                {
                    let _ = directory.sync_all();
                }
                Ok(())
            }
        }
    }
}

#[cfg(unix)]
fn create_in(directory: &Path, access: Access) -> io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match access {
        Access::Shared => 0o666,
        Access::OwnerOnly => 0o600,
    };
    tempfile::Builder::new()
        .prefix(".blindcore-")
        .permissions(fs::Permissions::from_mode(mode))
        .tempfile_in(directory)
}

#[cfg(not(unix))]
fn create_in(directory: &Path, _access: Access) -> io::Result<NamedTempFile> {
    tempfile::Builder::new()
        .prefix(".blindcore-")
        .tempfile_in(directory)
}

/// Writes a whole file: [`PendingFile::stage`], then [`PendingFile::commit`].
///
/// # Errors
/// [`WireError::Io`]; the target is then as it was.
pub fn write_atomically(
    target: &Path,
    bytes: &[u8],
    access: Access,
    existing: Existing,
) -> Result<(), WireError> {
    PendingFile::stage(target, bytes, access, existing)?.commit()
}

/// Reads a container from a file and checks all of it; with `expected`, another kind is refused
/// before its content is read.
///
/// # Errors
/// [`WireError::Io`] and those of [`crate::container::open`].
pub fn read_container(
    path: &Path,
    expected: Option<Kind>,
) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
    let file = File::open(path).map_err(|e| WireError::io("open", &e))?;
    read_from(file, expected)
}

/// [`read_container`] from any source of bytes.
///
/// # Errors
/// As for [`read_container`].
pub fn read_from(
    mut source: impl Read,
    expected: Option<Kind>,
) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
    let mut start = Vec::with_capacity(HEADER_BYTES);
    source
        .by_ref()
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut start)
        .map_err(|e| WireError::io("read", &e))?;
    let (header, checksum) = Header::parse(&start)?;
    if let Some(expected) = expected {
        header.expect(expected)?;
    }
    // The declared length is a claim: the buffer grows only as the bytes really come. What is
    // small enough to be a secret key fits the first allocation, so that no copy is left behind.
    let limit = header.payload_length + 1;
    let first = limit.min(Kind::SecretKey.payload_limit() + 1) as usize;
    let mut payload = Zeroizing::new(Vec::with_capacity(first));
    source
        .take(limit)
        .read_to_end(&mut payload)
        .map_err(|e| WireError::io("read", &e))?;
    let length = payload.len() as u64;
    if length < header.payload_length {
        return Err(WireError::Truncated {
            length: HEADER_BYTES as u64 + length,
            expected: header.file_length(),
        });
    }
    if length > header.payload_length {
        return Err(WireError::TrailingBytes {
            expected: header.file_length(),
        });
    }
    checksum.check(&header, &payload)?;
    Ok((header, payload))
}
