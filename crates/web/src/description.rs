//! What a file is.

use std::path::Path;

use session::description::Description;
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::errors::OrThrow;

/// What a file of ours is and holds, as `blindcore inspect --json` says it; no key is needed.
///
/// # Errors
/// For what is none of ours, or damaged.
#[wasm_bindgen]
pub fn describe(bytes: Vec<u8>) -> Result<String, JsValue> {
    // It may be a secret key, of which this is the glue's copy.
    let bytes = Zeroizing::new(bytes);
    let name = "the file";
    let described = Description::of_bytes(name, &bytes).or_throw()?;
    let mut document = described.document(Path::new(name));
    if let Some(members) = document.as_object_mut() {
        members.remove("file");
    }
    Ok(document.to_string())
}

/// The BLAKE3 hash of bytes, in hexadecimal: what a server calls them.
#[wasm_bindgen(js_name = blake3OfBytes)]
#[must_use]
pub fn blake3_of_bytes(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_string()
}
