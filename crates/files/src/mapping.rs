//! Files in memory without being read: the operating system brings in what is looked at.
//!
//! The one place of this crate with unsafe code. A mapping is a promise that nobody changes the
//! file meanwhile, and no program can keep it for others: a process that writes into the mapped
//! file, or truncates it, makes this one read other numbers, or end with SIGBUS. Files of this
//! crate are never changed, only replaced by rename, after which the mapping still shows the old
//! one.

use std::fs::File;

use memmap2::Mmap;
use wire::WireError;

/// Maps a whole file for reading.
///
/// # Errors
/// [`WireError::Io`].
pub(crate) fn map(file: &File) -> Result<Mmap, WireError> {
    // SAFETY: the mapping is read-only, and seen as bytes and as words, for which all bit patterns
    // are values. That the file does not change is the owner's promise, as the module says; numbers
    // are held against the key's modulus before they are computed with, and no index or length is
    // taken from the mapping after it was checked.
    unsafe { Mmap::map(file) }.map_err(|error| WireError::io("map", &error))
}
