//! Writes fixtures that are not there yet, each named by its format version, to be committed:
//! `cargo run -p blindcore-wire --example write_fixtures`. Those that are there stay.

#![expect(clippy::unwrap_used, reason = "the samples are a test's")]

#[path = "../tests/samples/mod.rs"]
mod samples;

use blindcore_wire::{Header, encode};
use tfhe::TOY_BLOCK;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = samples::secret_key(TOY_BLOCK);
    for (name, bytes) in [
        ("secret-key", encode(&key)?),
        ("server-key", encode(&samples::server_key(&key))?),
        ("selector-key", encode(&samples::selector_key(&key))?),
        ("inputs", encode(&samples::inputs(&key))?),
        ("public-key", encode(&samples::public_key(&key))?),
        ("inputs", encode(&samples::public_inputs(&key))?),
        ("outputs", encode(&samples::outputs(&key))?),
        ("checkpoint", encode(&samples::checkpoint(&key))?),
    ] {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
        let (Header { version, .. }, _) = Header::parse(&bytes)?;
        let path = format!("{directory}/v{version}.{name}");
        if !std::fs::exists(&path)? {
            std::fs::write(&path, &bytes)?;
            println!("{path}: {} bytes", bytes.len());
        }
    }
    Ok(())
}
