//! Room on the disk.

use std::path::Path;

/// Bytes that whoever runs the server may still write below a path; `None` where the system does
/// not say.
#[cfg(unix)]
pub(super) fn free(path: &Path) -> Option<u64> {
    let system = rustix::fs::statvfs(path).ok()?;
    Some(system.f_bavail.saturating_mul(system.f_frsize))
}

/// Bytes that whoever runs the server may still write below a path; `None` where the system does
/// not say.
#[cfg(not(unix))]
pub(super) fn free(_: &Path) -> Option<u64> {
    None
}
