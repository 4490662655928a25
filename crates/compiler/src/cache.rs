//! Programs that were compiled before.
//!
//! A program's name in the cache is the hash of all that it comes from: the sources as the
//! preprocessor leaves them (so that headers count), the names of the files, the flags, the
//! compiler's version, the runtime. Nothing is ever out of date, and nothing is removed: the folder
//! can be deleted at any time.

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::CompileError;
use crate::find::Compiler;
use crate::runtime;
use crate::workshop::{Compiled, Sources, Workshop};

impl Compiled {
    /// The program of these sources by the compiler's usual optimisation, from the cache if it is
    /// there, and without the compiler's messages then.
    ///
    /// # Errors
    /// Those of [`Workshop::compile`]. A cache that cannot be read or written is none.
    pub fn of(compiler: &Compiler, sources: &Sources) -> Result<Compiled, CompileError> {
        let workshop = Workshop::open(compiler.clone(), sources.clone())?;
        let optimisation = compiler.usual_optimisation();
        let place = match cache_folder("programs") {
            Some(folder) => Some(folder.join(name(&workshop, optimisation)?)),
            None => None,
        };
        if let Some(elf) = place.as_ref().and_then(|path| fs::read(path).ok()) {
            let messages = String::new();
            return Ok(Compiled { elf, messages });
        }
        let compiled = workshop.compile(optimisation)?;
        if let Some(path) = place {
            // The program is there all the same.
            let _ = keep(&path, &compiled.elf);
        }
        Ok(compiled)
    }
}

/// A folder of Blindcore's own among the user's caches, of things that can be made again. It may not
/// exist yet. `None` where the user has no place for caches.
pub fn cache_folder(name: &str) -> Option<PathBuf> {
    let from = |name: &str| env::var_os(name).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    let cache = from("XDG_CACHE_HOME").filter(absolute);
    let home = || {
        from("HOME")
            .filter(absolute)
            .map(|home| home.join(".cache"))
    };
    let windows = || from("LOCALAPPDATA").filter(absolute);
    let cache = cache.or_else(home).or_else(windows)?;
    Some(cache.join("blindcore").join(name))
}

/// The hash of everything that the program depends on.
fn name(workshop: &Workshop, optimisation: &[&str]) -> Result<String, CompileError> {
    let mut hasher = blake3::Hasher::new();
    // With its length, so that no two lists of parts look the same.
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    let compiler = workshop.compiler();
    part(compiler.name().as_bytes());
    part(compiler.version().as_bytes());
    let flags = [
        &*compiler.to_program(),
        compiler.for_runtime(),
        optimisation,
    ];
    for flag in flags.concat() {
        part(flag.as_bytes());
    }
    for option in &workshop.sources().options {
        part(option.as_bytes());
    }
    for file in &workshop.sources().files {
        part(file.as_os_str().as_encoded_bytes());
    }
    for (name, text) in runtime::FILES {
        part(name.as_bytes());
        part(text.as_bytes());
    }
    part(&workshop.preprocessed()?);
    Ok(format!("{}.elf", hasher.finalize().to_hex()))
}

/// Writes a file that others see whole or not at all.
fn keep(path: &Path, elf: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(elf)?;
    file.persist(path)?;
    Ok(())
}
