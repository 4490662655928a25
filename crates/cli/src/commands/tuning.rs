//! What the multiplier knows of this machine: measured once, and kept among the user's caches.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use bignum::{Tuning, tuning};
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;

use super::internal;
use crate::failure::Failure;

/// A file of thresholds, with what they hold for.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Measured {
    version: String,
    machine: String,
    tuning: Tuning,
}

/// Has the multiplier choose as is fastest on this machine. Measures that, and says so before,
/// unless another run of this version did. A file that cannot be read is measured again, and one
/// that cannot be written is not.
pub(super) fn tune(measuring: impl FnOnce()) -> Result<(), Failure> {
    let (version, machine) = (env!("CARGO_PKG_VERSION"), papers::machine());
    let file = compiler::cache_folder("multiplier").map(|folder| place(&folder));
    let kept = file.as_ref().and_then(|file| read(file));
    let tuning = match kept.filter(|kept| kept.version == version && kept.machine == machine) {
        Some(kept) => kept.tuning,
        None => {
            measuring();
            let tuning = Tuning::measure().map_err(internal)?;
            let measured = Measured {
                version: version.to_owned(),
                machine,
                tuning,
            };
            if let Some(file) = &file {
                // The next run measures again if this one cannot keep it.
                let _ = write(file, &measured);
            }
            measured.tuning
        }
    };
    // A process that multiplied before goes on as it began.
    tuning::install(tuning);
    Ok(())
}

fn place(folder: &Path) -> PathBuf {
    folder.join("tuning.json")
}

fn read(file: &Path) -> Option<Measured> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}

/// Others see the whole file or none.
fn write(file: &Path, measured: &Measured) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(&serde_json::to_vec_pretty(measured)?)?;
    temporary.persist(file)?;
    Ok(())
}
