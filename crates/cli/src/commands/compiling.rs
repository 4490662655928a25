//! Programs from files, and what a compiler says on the way.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use compiler::CompileError;
use session::Program;

use crate::failure::{Code, Failure};

/// Reads a program, compiles a C file, and shows the compiler's warnings.
pub(super) fn load(path: &Path) -> Result<Program, Failure> {
    let program = Program::load(path)?;
    pass_on(program.messages());
    Ok(program)
}

/// Whether it is a C source by its name.
pub(super) fn is_c(path: &Path) -> bool {
    path.extension() == Some(OsStr::new("c"))
}

/// Shows what the compiler said, as it said it.
pub(super) fn pass_on(messages: &str) {
    // If nobody reads it, the program is what it is all the same.
    let _ = std::io::stderr().write_all(messages.as_bytes());
}

impl From<CompileError> for Failure {
    fn from(error: CompileError) -> Failure {
        let code = match &error {
            CompileError::Refused { messages, .. } => {
                pass_on(messages);
                Code::Program
            }
            CompileError::Io { .. } => Code::Io,
            CompileError::Unusable { .. } => Code::Usage,
            _ => Code::Program,
        };
        Failure::new(code, error.to_string())
    }
}
