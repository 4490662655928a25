//! Writes the fixtures of the current format version, to be committed when the version rises:
//! `cargo run -p blindcore-wire --example write_fixtures`. Those of earlier versions stay.

#![expect(clippy::unwrap_used, reason = "the samples are a test's")]

#[path = "../tests/samples/mod.rs"]
mod samples;

use tfhe::TOY_BLOCK;
use wire::container::FORMAT_VERSION;
use wire::encode;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let key = samples::secret_key(TOY_BLOCK);
    for (name, bytes) in [
        ("secret-key", encode(&key)?),
        ("server-key", encode(&samples::server_key(&key))?),
        ("inputs", encode(&samples::inputs(&key))?),
        ("outputs", encode(&samples::outputs(&key))?),
        ("checkpoint", encode(&samples::checkpoint(&key))?),
    ] {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
        let path = format!("{directory}/v{FORMAT_VERSION}.{name}");
        std::fs::write(&path, &bytes)?;
        println!("{path}: {} bytes", bytes.len());
    }
    Ok(())
}
