//! Files that appear whole or not at all, and stay after a power cut.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::StoreError;

/// Makes a directory for the server's eyes only.
pub(super) fn make_directory(path: &Path) -> Result<(), StoreError> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder
        .create(path)
        .map_err(|error| StoreError::io("create", path, error))
}

/// Gives a complete file its name: synchronised, renamed, the directory synchronised.
pub(super) fn keep(file: NamedTempFile, target: &Path) -> Result<(), StoreError> {
    file.as_file()
        .sync_all()
        .map_err(|error| StoreError::io("synchronise", file.path(), error))?;
    if let Some(directory) = target.parent() {
        make_directory(directory)?;
        file.persist(target)
            .map_err(|error| StoreError::io("rename to", target, error.error))?;
        synchronise(directory)?;
        if let Some(above) = directory.parent() {
            synchronise(above)?;
        }
    }
    Ok(())
}

/// A directory's names are on the disk.
pub(super) fn synchronise(directory: &Path) -> Result<(), StoreError> {
    // What lies above a relative path of one name.
    let directory = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    File::open(directory)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| StoreError::io("synchronise", directory, error))
}

/// Removes a directory with its files; one that is gone already is no error.
pub(super) fn remove_directory(path: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// Removes a file, or a directory with its files; what is gone already is no error.
pub(super) fn remove(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return remove_directory(path);
    }
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// What is in a directory.
pub(super) fn entries(path: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let read = |error| StoreError::io("read", path, error);
    fs::read_dir(path)
        .map_err(read)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(read))
        .collect()
}
