//! Values from standard input: read once, to its end, for all variables that take theirs from it.

use std::io::{IsTerminal, Read};
use std::sync::OnceLock;

/// Most bytes of it.
const LIMIT: u64 = 1 << 30;

/// What messages call it.
pub(super) const NAME: &str = "standard input";

/// All of it.
///
/// # Errors
/// In words: it is a terminal, cannot be read, or has no end.
pub(super) fn piped() -> Result<&'static [u8], String> {
    static PIPED: OnceLock<Result<Vec<u8>, String>> = OnceLock::new();
    match PIPED.get_or_init(read) {
        Ok(bytes) => Ok(bytes),
        Err(reason) => Err(reason.clone()),
    }
}

fn read() -> Result<Vec<u8>, String> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return Err("it is a terminal: pipe the values into it, or name a file".to_owned());
    }
    let mut bytes = Vec::new();
    let read = input.lock().take(LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    match bytes.len() as u64 {
        0 => Err("nothing came".to_owned()),
        length if length > LIMIT => Err(format!("more than {LIMIT} bytes")),
        _ => Ok(bytes),
    }
}

/// Whether these bytes are JSON, and not CSV: a number alone is.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    let begins = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(begins, Some(b'{' | b'['))
        || serde_json::from_slice::<serde_json::Value>(bytes).is_ok()
}
