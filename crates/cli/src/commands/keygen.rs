//! `blindcore keygen`: a key pair in two files.

use std::path::{Path, PathBuf};

use random::Generator;
use serde_json::json;
use tfhe::{SecretKey, SeededServerKey};
use wire::{Existing, Fingerprint, WireError};

use super::{bytes, internal, print, print_json, threads};
use crate::arguments::Keygen;
use crate::failure::Failure;

/// Generates a key pair. Both files appear, or neither does.
pub(crate) fn keygen(arguments: &Keygen) -> Result<(), Failure> {
    let parameters = arguments.set.parameters();
    let secret_path = with_ending(&arguments.out, ".secret");
    let server_path = with_ending(&arguments.out, ".server");
    let existing = if arguments.force {
        Existing::Replace
    } else {
        Existing::Keep
    };
    for path in [&secret_path, &server_path] {
        if existing == Existing::Keep && path.symlink_metadata().is_ok() {
            return Err(Failure::file(path, &WireError::exists()));
        }
    }

    let mut generator = Generator::from_entropy().map_err(internal)?;
    let secret = SecretKey::generate(parameters, &mut generator).map_err(internal)?;
    let workers = threads(None).get();
    let server = SeededServerKey::generate(&secret, &mut generator, workers, &|_, _| {})
        .map_err(internal)?;

    let secret_file = wire::stage(&secret_path, &secret, existing)
        .map_err(|error| Failure::file(&secret_path, &error))?;
    let server_file = wire::stage(&server_path, &server, existing)
        .map_err(|error| Failure::file(&server_path, &error))?;
    let server_bytes = server_file.length();
    secret_file
        .commit()
        .map_err(|error| Failure::file(&secret_path, &error))?;
    server_file.commit().map_err(|error| {
        // A secret key without its server key is of no use, unless it replaced another one.
        if existing == Existing::Keep {
            let _ = std::fs::remove_file(&secret_path);
        }
        Failure::file(&server_path, &error)
    })?;

    if arguments.json {
        return print_json(&json!({
            "secret": secret_path.display().to_string(),
            "server": server_path.display().to_string(),
            "server_bytes": server_bytes,
            "key": secret.key_id().to_string(),
            "parameters": parameters.name(),
            "fingerprint": format!("{:?}", Fingerprint::of(&parameters)),
            "security_bits": parameters.promise().security_bits,
            "log2_failure": parameters.promise().log2_failure,
        }));
    }
    print(&format!(
        "{}: the secret key; it encrypts and decrypts, keep it to yourself\n\
         {}: the server key, {}; give it to whoever runs your programs\n\
         parameters {}: {:.0} bits of security, a wrong lookup at most once in 2^{:.0}\n",
        secret_path.display(),
        server_path.display(),
        bytes(server_bytes),
        parameters.name(),
        parameters.promise().security_bits.floor(),
        -parameters.promise().log2_failure,
    ))
}

/// The path with more at its end: `alice.v2` becomes `alice.v2.secret`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
