//! The page's place on the disk: made sure of before the work whose result it will hold.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Written into every page: only such files are replaced.
pub(super) const GENERATOR: &str = "blindcore papers";
/// The mark stands at the beginning of a page.
const SEARCHED_BYTES: u64 = 4096;

/// A page to come. It appears whole, by renaming, or not at all.
#[derive(Debug)]
pub(in crate::commands) struct Page {
    path: PathBuf,
    temporary: NamedTempFile,
}

impl Page {
    /// Makes sure that the page can be written. A file that is no page of ours is not replaced.
    pub(in crate::commands) fn reserve(
        path: &Path,
        interrupt: &Interrupt,
    ) -> Result<Self, Failure> {
        match std::fs::File::open(path) {
            Ok(file) => {
                let mut beginning = Vec::new();
                file.take(SEARCHED_BYTES)
                    .read_to_end(&mut beginning)
                    .map_err(|error| Failure::io(path, "read", &error))?;
                if !String::from_utf8_lossy(&beginning).contains(GENERATOR) {
                    return Err(Failure::new(
                        Code::Io,
                        format!(
                            "{}: the file exists and is no page of this command: choose another \
                             name, or remove it first",
                            path.display()
                        ),
                    ));
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::io(path, "open", &error)),
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let temporary = Builder::new()
            .prefix(".blindcore-page-")
            .tempfile_in(folder)
            .map_err(|error| Failure::io(path, "create", &error))?;
        interrupt.removes(temporary.path());
        Ok(Self {
            path: path.to_path_buf(),
            temporary,
        })
    }

    /// Fills the page and puts it in its place.
    pub(in crate::commands) fn write(mut self, page: &str) -> Result<(), Failure> {
        self.temporary
            .write_all(page.as_bytes())
            .and_then(|()| self.temporary.as_file().sync_all())
            .map_err(|error| Failure::io(&self.path, "write", &error))?;
        readable(&self.temporary);
        self.temporary
            .persist(&self.path)
            .map_err(|error| Failure::io(&self.path, "write", &error.error))?;
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
