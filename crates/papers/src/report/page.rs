//! The place of a page or a chart on the disk: made sure of before the work whose result it will hold.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::control::Control;
use crate::error::PapersError;

/// Written into every page: only such files are replaced.
pub(super) const GENERATOR: &str = "blindcore papers";
/// The mark stands at the beginning of a page.
const SEARCHED_BYTES: u64 = 4096;

/// A page to come. It appears whole, by renaming, or not at all.
#[derive(Debug)]
pub(crate) struct Page {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Page {
    /// Makes sure that the page can be written. A file that is no page of ours is not replaced.
    pub(crate) fn reserve(path: &Path, control: &Control) -> Result<Self, PapersError> {
        match std::fs::File::open(path) {
            Ok(file) => {
                let mut beginning = Vec::new();
                file.take(SEARCHED_BYTES)
                    .read_to_end(&mut beginning)
                    .map_err(|error| PapersError::io(path, "read", error))?;
                if !String::from_utf8_lossy(&beginning).contains(GENERATOR) {
                    return Err(PapersError::Occupied {
                        path: path.to_path_buf(),
                    });
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(PapersError::io(path, "open", error)),
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let temporary = Builder::new()
            .prefix(".blindcore-page-")
            .tempfile_in(folder)
            .map_err(|error| PapersError::io(path, "create", error))?;
        (control.leaves)(temporary.path());
        Ok(Self {
            path: path.to_path_buf(),
            temporary,
        })
    }

    /// Fills the page and puts it in its place.
    pub(crate) fn write(mut self, page: &str) -> Result<(), PapersError> {
        self.temporary
            .write_all(page.as_bytes())
            .and_then(|()| self.temporary.as_file().sync_all())
            .map_err(|error| PapersError::io(&self.path, "write", error))?;
        readable(&self.temporary);
        self.temporary
            .persist(&self.path)
            .map_err(|error| PapersError::io(&self.path, "write", error.error))?;
        Ok(())
    }
}

/// Temporary files are their owner's alone; a page holds nothing secret.
#[cfg(unix)]
fn readable(file: &NamedTempFile) {
    use std::os::unix::fs::PermissionsExt;
    // A page that only its owner can read is still a page.
    let _ = file
        .as_file()
        .set_permissions(std::fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
fn readable(_: &NamedTempFile) {}
