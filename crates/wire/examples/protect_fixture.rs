//! Writes the fixture of a secret key behind a passphrase, to be committed when its format changes:
//! `cargo run -p blindcore-wire --example protect_fixture`.

#![expect(clippy::unwrap_used, reason = "the samples are a test's")]
#![expect(dead_code, reason = "this is one of the samples")]

#[path = "../tests/samples/mod.rs"]
mod samples;

use blindcore_wire::{Cost, Passphrase, encode, protect};
use tfhe::TOY_BLOCK;
use zeroize::Zeroizing;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let open = encode(&samples::secret_key(TOY_BLOCK))?;
    let passphrase = Passphrase::new(Zeroizing::new(b"Blindcore test vector".to_vec()))?;
    let bytes = protect(&open, &passphrase, Cost::new(64, 2, 2)?)?;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/v2.secret-key");
    std::fs::write(path, &bytes)?;
    println!("{path}: {} bytes", bytes.len());
    Ok(())
}
