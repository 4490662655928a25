//! From types to paths.

use std::path::Path;

use wire::gentry_halevi::ServerKey;
use wire::{Checkpoint, Kind, Record, WireError, encode};

use crate::pending::{Access, Existing, PendingFile, Reservation};

/// Makes sure of a place for a record's file before the record exists.
/// [`Reservation::fill`] with its bytes ([`encode`]) and [`PendingFile::commit`] complete it.
///
/// # Errors
/// [`WireError::Io`], [`WireError::Occupied`].
pub fn reserve<R: Record>(path: &Path, existing: Existing) -> Result<Reservation, WireError> {
    Reservation::new(path, Access::of(R::KIND), existing)
}

/// Writes a record beside `path`, complete but for its name, which [`PendingFile::commit`] gives
/// it. Secret keys are for their owner only.
///
/// # Errors
/// [`WireError::Io`], [`WireError::Occupied`], [`WireError::Unstorable`].
pub fn stage<R: Record>(
    path: &Path,
    record: &R,
    existing: Existing,
) -> Result<PendingFile, WireError> {
    PendingFile::stage(path, &encode(record)?, Access::of(R::KIND), existing)
}

/// Writes a record's file; it appears whole or not at all.
///
/// # Errors
/// As for [`stage`].
pub fn write<R: Record>(path: &Path, record: &R, existing: Existing) -> Result<(), WireError> {
    stage(path, record, existing)?.commit()
}

/// Writes a checkpoint's file, replacing an earlier one; it appears whole or not at all. Takes no
/// memory beside the checkpoint's own. Gives the file's length.
///
/// # Errors
/// [`WireError::Io`], [`WireError::Occupied`] where something else is, [`WireError::Unstorable`].
pub fn replace_checkpoint(path: &Path, checkpoint: &Checkpoint) -> Result<u64, WireError> {
    let existing = Existing::ReplaceKind(Kind::CHECKPOINT);
    let place = Reservation::new(path, Access::of(Kind::CHECKPOINT), existing)?;
    let file = place.fill_with(|take| checkpoint.encode_to(take))?;
    let length = file.length();
    file.commit()?;
    Ok(length)
}

/// Writes the file of a Gentry–Halevi server key whose numbers are somewhere else, in the file's
/// order. Takes no memory beside them.
///
/// # Errors
/// [`WireError::Unstorable`] where they are not as many as the parameters have, and
/// [`WireError::Io`].
pub fn fill_server_key(
    place: Reservation,
    parameters: &gentry_halevi::Parameters,
    limbs: &[u64],
) -> Result<PendingFile, WireError> {
    place.fill_with(|take| ServerKey::encode_to(parameters, limbs, take))
}
