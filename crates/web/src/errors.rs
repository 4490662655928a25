//! Errors of the library as errors of JavaScript, which have a `kind`.

use js_sys::Reflect;
use session::{Error, ErrorKind};
use wasm_bindgen::JsValue;

/// What pages compare with.
fn name(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Usage => "usage",
        ErrorKind::Input => "input",
        ErrorKind::File => "file",
        ErrorKind::Key => "key",
        ErrorKind::Program => "program",
        ErrorKind::Fault => "fault",
        ErrorKind::Limit => "limit",
        ErrorKind::Secret => "secret",
        ErrorKind::Io => "io",
        ErrorKind::Answer => "answer",
        ErrorKind::Passphrase => "passphrase",
        ErrorKind::Interrupted => "interrupted",
        _ => "internal",
    }
}

/// The error to throw.
pub(crate) fn thrown(error: &Error) -> JsValue {
    let message = match error.kind {
        // The library speaks of the command line's options.
        ErrorKind::Passphrase if error.message.contains("--passphrase-file") => {
            "the secret key is behind a passphrase: give it"
        }
        _ => &error.message,
    };
    let thrown = js_sys::Error::new(message);
    thrown.set_name("BlindcoreError");
    // A fresh object takes properties.
    let _ = Reflect::set(&thrown, &"kind".into(), &name(error.kind).into());
    thrown.into()
}

/// A value that does not fit.
pub(crate) fn input(message: String) -> JsValue {
    thrown(&Error::new(ErrorKind::Input, message))
}

/// Results of the library as results of JavaScript.
pub(crate) trait OrThrow<T> {
    /// The value, or what is thrown.
    fn or_throw(self) -> Result<T, JsValue>;
}

impl<T> OrThrow<T> for Result<T, Error> {
    fn or_throw(self) -> Result<T, JsValue> {
        self.map_err(|error| thrown(&error))
    }
}
