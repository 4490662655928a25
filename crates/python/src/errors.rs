//! Errors of the library as exceptions of the package.

use blindcore::{Error, ErrorKind};
use pyo3::prelude::*;

/// The class of `blindcore._errors` for a kind of error.
fn class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "UsageError",
        ErrorKind::Input => "InputError",
        ErrorKind::File => "FileError",
        ErrorKind::Key => "WrongKey",
        ErrorKind::Program => "ProgramError",
        ErrorKind::Fault => "ProgramFault",
        ErrorKind::Limit => "LimitExceeded",
        ErrorKind::Secret => "SecretBranch",
        ErrorKind::Io => "AccessError",
        ErrorKind::Answer => "Refused",
        ErrorKind::Passphrase => "PassphraseError",
        ErrorKind::Interrupted => "Interrupted",
        _ => "InternalError",
    }
}

/// The exception that says what the error says.
pub(crate) fn raised(py: Python<'_>, error: &Error) -> PyErr {
    of_class(py, class(error.kind), &error.message)
}

/// An exception of that class of `blindcore._errors`.
fn of_class(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = PyModule::import(py, "blindcore._errors")
        .and_then(|module| module.getattr(class))
        .and_then(|class| class.call1((message,)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(error) => error,
    }
}

/// A value that does not fit.
pub(crate) fn input(py: Python<'_>, message: &str) -> PyErr {
    of_class(py, "InputError", message)
}

/// What is asked for does not exist or does not go together.
pub(crate) fn usage(py: Python<'_>, message: &str) -> PyErr {
    of_class(py, "UsageError", message)
}

/// Results of the library as results of Python.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, &error))
    }
}
