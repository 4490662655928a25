//! How a call ended, and in which words.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use blindcore::{Error, ErrorKind};

/// How a call ended: the exit code of the command `blindcore` for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    /// All is well.
    Ok = 0,
    /// A defect in Blindcore itself: please report it.
    Internal = 1,
    /// What is asked for does not exist or does not go together; a pointer is null.
    Usage = 2,
    /// A value does not fit its variable, or a name is unknown.
    Input = 3,
    /// A file is not ours, of the wrong kind, truncated, over-long or corrupted.
    File = 4,
    /// Key and file do not belong together, or have different parameters.
    Key = 5,
    /// The program is no A32 ELF that can be loaded, and no right HE assembly.
    Program = 6,
    /// The program did what no program may: bad memory access, unknown instruction.
    Fault = 7,
    /// The program exceeded its limit of instructions, or is too deep for a scheme.
    Limit = 8,
    /// The program branches on, or addresses memory by, a secret.
    Secret = 9,
    /// The operating system refused to read or write a file.
    Io = 10,
    /// A question of the program is not answered.
    Answer = 15,
    /// A secret key's passphrase is missing, wrong or unusable.
    Passphrase = 17,
    /// The caller's function said that the work was to end.
    Interrupted = 130,
}

impl Status {
    fn of(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Usage => Self::Usage,
            ErrorKind::Input => Self::Input,
            ErrorKind::File => Self::File,
            ErrorKind::Key => Self::Key,
            ErrorKind::Program => Self::Program,
            ErrorKind::Fault => Self::Fault,
            ErrorKind::Limit => Self::Limit,
            ErrorKind::Secret => Self::Secret,
            ErrorKind::Io => Self::Io,
            ErrorKind::Answer => Self::Answer,
            ErrorKind::Passphrase => Self::Passphrase,
            ErrorKind::Interrupted => Self::Interrupted,
            _ => Self::Internal,
        }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// One line about the last call of this thread that did not end well: what, where, and what to do
/// next. Empty if there was none. It is there until another call of this thread ends badly.
#[unsafe(no_mangle)]
pub extern "C" fn blindcore_last_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ptr())
}

/// The version of this library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn blindcore_version() -> *const c_char {
    const VERSION: &CStr = {
        let text = concat!(env!("CARGO_PKG_VERSION"), "\0");
        match CStr::from_bytes_with_nul(text.as_bytes()) {
            Ok(text) => text,
            Err(_) => c"unknown",
        }
    };
    VERSION.as_ptr()
}

/// A text for C, which has no zeros within it.
pub(crate) fn text(words: &str) -> CString {
    let bytes: Vec<u8> = words.bytes().filter(|byte| *byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// Does what a function of the interface does, keeps the words of an error, and lets no panic out.
pub(crate) fn call(work: impl FnOnce() -> Result<(), Error>) -> Status {
    let done = catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(Error::internal("the library broke off")));
    match done {
        Ok(()) => Status::Ok,
        Err(error) => {
            LAST.set(text(&error.message));
            Status::of(error.kind)
        }
    }
}
