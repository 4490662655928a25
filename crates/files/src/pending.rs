//! Writing files so that nobody ever sees half of one.
//!
//! A file is written under a temporary name beside its target, flushed to the disk, and renamed.
//! After any failure before the rename, the target is as it was. The temporary file is removed
//! when its owner is dropped, so on every error, but not when the process is killed or the machine
//! stops: then an invisible `.blindcore-…` file stays behind. [`Reservation::temporary`] returns
//! its name, for code that ends the process early.
//!
//! Secret files are created with mode 0600, whatever the umask. A symbolic link stays a link: what
//! it points to is written. A target that exists and is no regular file (`/dev/stdout`, a pipe) is
//! written directly.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use wire::container::{HEADER_BYTES, Take};
use wire::{Header, Kind, WireError};
use zeroize::Zeroizing;

/// Links followed before a chain of them counts as endless, as in Linux.
const LINK_LIMIT: usize = 40;

/// Who may read a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Everybody the umask lets.
    Shared,
    /// Its owner only (mode 0600).
    OwnerOnly,
}

impl Access {
    /// Who may read files of this kind: secret keys are their owner's.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        match kind.is_secret_key() {
            true => Self::OwnerOnly,
            false => Self::Shared,
        }
    }
}

/// What to do when the target exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Replace it, whatever it is.
    Replace,
    /// Replace a file of this kind, or an empty one; leave everything else and fail with
    /// [`WireError::Occupied`].
    ReplaceKind(Kind),
    /// Leave it and fail with `AlreadyExists`.
    Keep,
}

/// A place where a file can appear: the target may be written, and an empty temporary file stands
/// beside it. To be had before long work begins whose result must not lack a place.
#[derive(Debug)]
pub struct Reservation {
    /// `None` where the target is written directly.
    temporary: Option<NamedTempFile>,
    target: Target,
    directory: PathBuf,
    existing: Existing,
}

/// Where a content goes in the end.
#[derive(Debug)]
enum Target {
    Path(PathBuf),
    StandardOutput,
}

/// A file whose content is being written.
#[derive(Debug)]
pub struct Filling {
    reservation: Reservation,
    /// What is written directly, empty otherwise.
    direct: Zeroizing<Vec<u8>>,
    length: u64,
}

/// A complete file that waits for its name. Dropped without [`PendingFile::commit`], it leaves no
/// trace.
#[derive(Debug)]
pub struct PendingFile {
    reservation: Reservation,
    /// What is written directly, empty otherwise.
    direct: Zeroizing<Vec<u8>>,
    length: u64,
}

impl Reservation {
    /// Looks at the target and creates the temporary file.
    ///
    /// # Errors
    /// [`WireError::Io`], for example when the directory is missing; [`WireError::Occupied`].
    pub fn new(
        target: &Path,
        access: Access,
        existing: Existing,
    ) -> Result<Reservation, WireError> {
        let target = resolved(target);
        let directory = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let mut temporary = None;
        if !is_direct(&target, existing)? {
            let created = create_in(&directory, access);
            temporary = Some(created.map_err(|e| WireError::io("create", &e))?);
        }
        Ok(Reservation {
            temporary,
            target: Target::Path(target),
            directory,
            existing,
        })
    }

    /// The standard output, which gets the content when it is complete.
    #[must_use]
    pub fn standard_output() -> Reservation {
        Reservation {
            temporary: None,
            target: Target::StandardOutput,
            directory: PathBuf::new(),
            existing: Existing::Replace,
        }
    }

    /// The temporary file, if there is one.
    pub fn temporary(&self) -> Option<&Path> {
        self.temporary.as_ref().map(NamedTempFile::path)
    }

    /// Writes the content and flushes it to the disk.
    ///
    /// # Errors
    /// [`WireError::Io`], for example when the disk is full.
    pub fn fill(self, bytes: &[u8]) -> Result<PendingFile, WireError> {
        self.fill_with(|take| {
            take(bytes);
            Ok(())
        })
    }

    /// As [`fill`](Self::fill), and erases the bytes as soon as they are written.
    ///
    /// # Errors
    /// As for [`fill`](Self::fill).
    pub fn fill_and_erase(self, bytes: Zeroizing<Vec<u8>>) -> Result<PendingFile, WireError> {
        self.fill(&bytes)
    }

    /// As [`fill`](Self::fill), for content that is nowhere as a whole: `parts` passes its parts to
    /// a callback, in order.
    pub(crate) fn fill_with(
        self,
        parts: impl FnOnce(Take<'_>) -> Result<(), WireError>,
    ) -> Result<PendingFile, WireError> {
        let mut filling = self.begin();
        let mut written = Ok(());
        parts(&mut |part| {
            // After the first failure the rest has no place.
            if written.is_ok() {
                written = filling.append(part);
            }
        })?;
        written?;
        filling.finish()
    }

    /// Begins a content that comes bit by bit. What is written directly is kept in memory until it
    /// is complete.
    pub fn begin(self) -> Filling {
        Filling {
            reservation: self,
            direct: Zeroizing::new(Vec::new()),
            length: 0,
        }
    }
}

impl Filling {
    /// Writes more.
    ///
    /// # Errors
    /// [`WireError::Io`], for example when the disk is full.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        self.length += bytes.len() as u64;
        match &mut self.reservation.temporary {
            None => self.direct.extend_from_slice(bytes),
            Some(file) => file
                .write_all(bytes)
                .map_err(|e| WireError::io("write", &e))?,
        }
        Ok(())
    }

    /// Flushes the content to the disk.
    ///
    /// # Errors
    /// [`WireError::Io`].
    pub fn finish(self) -> Result<PendingFile, WireError> {
        if let Some(file) = &self.reservation.temporary {
            file.as_file()
                .sync_all()
                .map_err(|e| WireError::io("write", &e))?;
        }
        Ok(PendingFile {
            reservation: self.reservation,
            direct: self.direct,
            length: self.length,
        })
    }
}

impl PendingFile {
    /// A reservation and its content at once.
    ///
    /// # Errors
    /// Those of [`Reservation::new`] and [`Reservation::fill`].
    pub fn stage(
        target: &Path,
        bytes: &[u8],
        access: Access,
        existing: Existing,
    ) -> Result<PendingFile, WireError> {
        Reservation::new(target, access, existing)?.fill(bytes)
    }

    /// Size of the file, in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The temporary file, if there is one.
    pub fn temporary(&self) -> Option<&Path> {
        self.reservation.temporary()
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`WireError::Io`]; the target is then as it was.
    pub fn commit(self) -> Result<(), WireError> {
        let Reservation {
            temporary,
            target,
            directory,
            existing,
        } = self.reservation;
        let target = match target {
            Target::Path(target) => target,
            Target::StandardOutput => {
                let mut out = io::stdout().lock();
                let written = out.write_all(&self.direct).and_then(|()| out.flush());
                return written.map_err(|e| WireError::io("write", &e));
            }
        };
        let Some(file) = temporary else {
            return OpenOptions::new()
                .write(true)
                .open(&target)
                .and_then(|mut file| file.write_all(&self.direct))
                .map_err(|e| WireError::io("write", &e));
        };
        let renamed = match existing {
            Existing::Replace | Existing::ReplaceKind(_) => file.persist(&target),
            Existing::Keep => file.persist_noclobber(&target),
        };
        renamed.map_err(|e| WireError::io("rename", &e.error))?;
        // The rename itself must survive a power cut too; a directory that cannot be synced (some
        // network file systems) is no reason to fail.
        if let Ok(directory) = File::open(directory) {
            let _ = directory.sync_all();
        }
        Ok(())
    }
}

/// Where links lead, even if nothing is there yet.
fn resolved(target: &Path) -> PathBuf {
    if let Ok(real) = fs::canonicalize(target) {
        return real;
    }
    let mut path = target.to_path_buf();
    // A pipe behind /dev/stdout is there, although it has no path.
    if fs::metadata(target).is_ok() {
        return path;
    }
    for _ in 0..LINK_LIMIT {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    path
}

/// Whether the target is a device or a pipe. Refuses what must not be written.
fn is_direct(target: &Path, existing: Existing) -> Result<bool, WireError> {
    let Ok(metadata) = fs::metadata(target) else {
        return Ok(false);
    };
    if metadata.is_dir() {
        return Err(WireError::io("create", &io::ErrorKind::IsADirectory.into()));
    }
    match existing {
        Existing::Keep => return Err(WireError::exists()),
        Existing::ReplaceKind(kind)
            if metadata.is_file() && metadata.len() > 0 && !holds(target, kind) =>
        {
            return Err(WireError::Occupied { expected: kind });
        }
        Existing::Replace | Existing::ReplaceKind(_) => {}
    }
    Ok(!metadata.is_file())
}

/// Whether a file begins like one of ours that this kind may take the place of.
fn holds(path: &Path, kind: Kind) -> bool {
    let mut start = Vec::with_capacity(HEADER_BYTES);
    let read =
        File::open(path).and_then(|file| file.take(HEADER_BYTES as u64).read_to_end(&mut start));
    read.is_ok() && Header::parse(&start).is_ok_and(|(header, _)| kind.may_replace(header.kind))
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
/// Theirs; the target is then as it was.
pub fn write_atomically(
    target: &Path,
    bytes: &[u8],
    access: Access,
    existing: Existing,
) -> Result<(), WireError> {
    PendingFile::stage(target, bytes, access, existing)?.commit()
}
