//! From paths to types.

use std::fs::File;
use std::path::Path;

use wire::bgv::{Batched, Batches};
use wire::gentry_halevi::ServerKey;
use wire::{Checkpoint, Containers, Header, InputBits, Inputs, Kind, Record, WireError};
use zeroize::Zeroizing;

use crate::mapping;

fn file(path: &Path) -> Result<File, WireError> {
    File::open(path).map_err(|error| WireError::io("open", &error))
}

/// Opens a file; also its length if it is a regular one, not a pipe or a device.
///
/// # Errors
/// [`WireError::Io`].
pub fn open(path: &Path) -> Result<(File, Option<u64>), WireError> {
    let file = file(path)?;
    let length = regular_length(&file)?;
    Ok((file, length))
}

/// The length of a regular file; `None` of a pipe or a device.
fn regular_length(file: &File) -> Result<Option<u64>, WireError> {
    let metadata = file
        .metadata()
        .map_err(|error| WireError::io("read", &error))?;
    Ok(metadata.is_file().then_some(metadata.len()))
}

/// The containers of a file, or of a pipe by its path.
///
/// # Errors
/// [`WireError::Io`].
pub fn containers(path: &Path) -> Result<Containers<File>, WireError> {
    Ok(Containers::new(file(path)?))
}

/// Reads a container from a file and checks all of it; with `expected`, another kind is refused
/// before its content is read.
///
/// # Errors
/// [`WireError::Io`] and those of [`wire::container::open`].
pub fn read_container(
    path: &Path,
    expected: Option<Kind>,
) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
    wire::read_from(file(path)?, expected)
}

/// Reads a record from its file.
///
/// # Errors
/// [`WireError::Io`] and those of [`wire::decode`].
pub fn read<R: Record>(path: &Path) -> Result<R, WireError> {
    let (header, payload) = read_container(path, Some(R::KIND))?;
    wire::decode_payload(&header, &payload)
}

/// Reads a regular file in which one or several files of inputs follow each other, as
/// [`wire::read_joined`] does.
///
/// # Errors
/// [`WireError::Io`] and those of [`wire::read_joined`].
pub fn read_joined<C: InputBits>(path: &Path) -> Result<Vec<Inputs<C>>, WireError> {
    let file = file(path)?;
    let length = regular_length(&file)?.unwrap_or(0);
    wire::read_joined(file, length)
}

/// The first batch of a file of rows, and the others. A regular file must have them all: that is
/// seen from headers and lengths, while content and checksum of each are looked at when it is read.
///
/// # Errors
/// Those of [`Batches::of`].
pub fn batches<R: Batched>(path: &Path) -> Result<(R, Batches<R, File>), WireError> {
    let (file, length) = open(path)?;
    let mut source = Containers::new(file);
    match length {
        Some(length) => Batches::of_whole(source, length),
        None => {
            let first = source.next_container(Some(R::KIND))?;
            Batches::of(first, source)
        }
    }
}

/// Reads a checkpoint from its file. Takes no memory beside the checkpoint's own, unless the file
/// cannot be read twice.
///
/// # Errors
/// As for [`read()`].
pub fn read_checkpoint(path: &Path) -> Result<Checkpoint, WireError> {
    let mut file = file(path)?;
    match regular_length(&file)? {
        Some(length) => Checkpoint::read_twice(&mut file, length),
        None => read(path),
    }
}

/// Opens the server key of the Gentry–Halevi scheme and checks all of it, telling how many bytes of
/// how many have been checked. A regular file is mapped: nothing is allocated for it, and the
/// operating system drops and reads its pages as it needs memory. A key that comes through a pipe
/// is kept in memory.
///
/// # Errors
/// [`WireError::Io`] and those of [`ServerKey::of_file`].
pub fn open_server_key(
    path: &Path,
    checked: &mut dyn FnMut(u64, u64),
) -> Result<ServerKey, WireError> {
    let file = file(path)?;
    if regular_length(&file)?.is_none() {
        let (header, payload) = wire::read_from(file, Some(Kind::GENTRY_HALEVI_SERVER_KEY))?;
        return ServerKey::from_payload(&header, &payload);
    }
    ServerKey::of_file(mapping::map(&file)?, checked)
}
