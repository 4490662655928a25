//! Programs that are C files.

use std::ffi::OsStr;
use std::path::Path;

use super::Program;
use crate::error::{Error, ErrorKind};

/// Whether it is a C source by its name.
pub(super) fn is_c(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("c"))
}

/// Compiles it by the compiler's usual optimisation, or takes what it was compiled to before.
#[cfg(feature = "compiler")]
pub(super) fn compile(path: &Path) -> Result<Program, Error> {
    Program::compile(path, &[], None)
}

#[cfg(feature = "compiler")]
impl Program {
    /// Compiles a C file with these options (`-I`, `-D` and the like) by this compiler, or by the
    /// one that is there; takes what it was compiled to before.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    ///
    /// ```
    /// use blindcore_session::{ErrorKind, Program};
    ///
    /// # let path = std::env::temp_dir().join(format!("blindcore-session-{}.c", std::process::id()));
    /// std::fs::write(&path, "unsigned x; int main(void) { x *= FACTOR; return 0; }").unwrap();
    /// match Program::compile(&path, &["-DFACTOR=3".to_owned()], None) {
    ///     Ok(program) => assert!(program.image().variable("x").is_ok()),
    ///     Err(error) => assert_eq!(error.kind, ErrorKind::Program, "no compiler is there"),
    /// }
    /// # std::fs::remove_file(path).unwrap();
    /// ```
    pub fn compile(
        path: &Path,
        options: &[String],
        compiler: Option<&str>,
    ) -> Result<Program, Error> {
        use compiler::{Compiled, Compiler, Sources};

        // A file that is not there is no matter for a compiler.
        std::fs::metadata(path).map_err(|error| Error::io(path, "open", &error))?;
        let compiler = Compiler::find(compiler).map_err(|error| no_program(path, &error))?;
        let mut sources = Sources::files([path]);
        sources.options.extend_from_slice(options);
        let Compiled { elf, messages } =
            Compiled::of(&compiler, &sources).map_err(|error| no_program(path, &error))?;
        let program = Program::from_bytes(path, &elf)?;
        Ok(Program {
            messages,
            ..program
        })
    }
}

#[cfg(feature = "compiler")]
fn no_program(path: &Path, error: &compiler::CompileError) -> Error {
    use compiler::CompileError;

    let path = path.display();
    match error {
        CompileError::Refused { messages, .. } => Error::new(
            ErrorKind::Program,
            format!("{error}\n{}", messages.trim_end()),
        ),
        CompileError::Io { .. } => Error::new(ErrorKind::Io, error.to_string()),
        CompileError::Unusable { .. } => Error::new(ErrorKind::Usage, error.to_string()),
        _ => Error::new(ErrorKind::Program, format!("{path}: {error}")),
    }
}

#[cfg(not(feature = "compiler"))]
pub(super) fn compile(path: &Path) -> Result<Program, Error> {
    let message = format!(
        "{}: a C file, and this was built without the feature `compiler`; compile it first",
        path.display()
    );
    Err(Error::new(ErrorKind::Program, message))
}
