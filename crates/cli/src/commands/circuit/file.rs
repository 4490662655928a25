//! Circuit files: read by their format, written whole or not at all.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;

use circuits::Circuit;
use circuits::formats::{Format, FormatError, Interface, Netlist, Problem};
use tempfile::Builder;
use wire::WireError;

use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Largest circuit file: a gate takes some twenty bytes.
const FILE_LIMIT: u64 = 1 << 30;

/// A circuit and the format it came in.
pub(super) struct Loaded {
    pub(super) netlist: Netlist,
    pub(super) format: Format,
}

/// Reads a circuit: in the format that was asked for, else by the file's name, else its content.
pub(super) fn load(path: &Path, asked: Option<Format>) -> Result<Loaded, Failure> {
    let file = fs::File::open(path).map_err(|error| Failure::io(path, "open", &error))?;
    let mut bytes = Vec::new();
    // A pipe or a device says no length.
    file.take(FILE_LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::io(path, "read", &error))?;
    if bytes.len() as u64 > FILE_LIMIT {
        let message = format!(
            "{}: too large for a circuit (more than {FILE_LIMIT} bytes)",
            path.display()
        );
        return Err(Failure::new(Code::Circuit, message));
    }
    let format = asked
        .or_else(|| Format::of_name(&path.to_string_lossy()))
        .or_else(|| Format::of_content(&bytes));
    let Some(format) = format else {
        let message = format!("{}: {}", path.display(), Problem::UnknownFormat);
        return Err(Failure::new(Code::Circuit, message));
    };
    let netlist = format.read(&bytes).map_err(|error| refused(path, &error))?;
    Ok(Loaded { netlist, format })
}

/// The format to write: as asked, else by the file's name.
pub(super) fn target(path: &Path, asked: Option<Format>) -> Result<Format, Failure> {
    asked
        .or_else(|| Format::of_name(&path.to_string_lossy()))
        .ok_or_else(|| {
            let message = format!(
                "{}: the name says no format: end it in .txt, .bristol or .blif, or say --to",
                path.display()
            );
            Failure::new(Code::Usage, message)
        })
}

/// Refuses a place that is taken, before there is anything to write.
pub(super) fn vacant(path: &Path, replace: bool) -> Result<(), Failure> {
    if !replace && path.symlink_metadata().is_ok() {
        return Err(Failure::file(path, &WireError::exists()));
    }
    Ok(())
}

/// Writes a circuit, beside its place first; gives the file's length.
pub(super) fn write(
    path: &Path,
    format: Format,
    interface: &Interface,
    circuit: &Circuit,
    replace: bool,
) -> Result<usize, Failure> {
    let text = format
        .write(interface, circuit)
        .map_err(|error| refused(path, &error))?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let interrupt = Interrupt::listen()?;
    let mut temporary = named(&mut Builder::new())
        .tempfile_in(folder)
        .map_err(|error| Failure::io(path, "create", &error))?;
    interrupt.removes(temporary.path());
    temporary
        .write_all(text.as_bytes())
        .and_then(|()| temporary.as_file().sync_all())
        .map_err(|error| Failure::io(path, "write", &error))?;
    interrupt.check()?;
    let placed = match replace {
        true => temporary.persist(path),
        false => temporary.persist_noclobber(path),
    };
    placed.map_err(|error| Failure::io(path, "write", &error.error))?;
    Ok(text.len())
}

fn refused(path: &Path, error: &FormatError) -> Failure {
    Failure::new(Code::Circuit, format!("{}: {error}", path.display()))
}

/// Temporary files are their owner's alone; a circuit holds nothing secret, and the user's umask
/// decides who may read it.
fn named<'a>(builder: &'a mut Builder<'static, 'static>) -> &'a mut Builder<'static, 'static> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.prefix(".blindcore-circuit-")
}
