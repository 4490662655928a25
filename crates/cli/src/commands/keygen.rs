//! `blindcore keygen`: a key pair in two files.

use std::path::{Path, PathBuf};

use random::Generator;
use serde_json::json;
use tfhe::{SecretKey, SeededServerKey};
use wire::{Existing, Fingerprint, Kind, WireError};

use super::{
    TFHE_ATTACK, at_least, bgv, bytes, gentry_halevi, internal, print, print_json, reserve, threads,
};
use crate::arguments::{Keygen, Scheme};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Generates a key pair. Both files appear, or neither does.
pub(crate) fn keygen(arguments: &Keygen, interrupt: &Interrupt) -> Result<(), Failure> {
    let parameters = arguments.set.parameters();
    let secret_path = with_ending(&arguments.out, ".secret");
    let server_path = with_ending(&arguments.out, ".server");
    let existing = |kind| match arguments.force {
        true => Existing::ReplaceKind(kind),
        false => Existing::Keep,
    };
    for path in [&secret_path, &server_path] {
        if !arguments.force && path.symlink_metadata().is_ok() {
            return Err(Failure::file(path, &WireError::exists()));
        }
    }
    if arguments.scheme == Scheme::Bgv {
        return bgv::keygen(arguments, (&secret_path, &server_path), interrupt);
    }
    if let Some(flag) = arguments.levelled.given() {
        let message = format!("{flag} is for --scheme bgv (see --help)");
        return Err(Failure::new(Code::Usage, message));
    }
    if arguments.scheme == Scheme::GentryHalevi {
        return gentry_halevi::keygen(arguments, (&secret_path, &server_path), interrupt);
    }
    if arguments.dimension.is_some() {
        let message = "--dimension is for --scheme gentry-halevi; TFHE has --set (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    let secret_place = reserve::<SecretKey>(&secret_path, existing(Kind::SecretKey), interrupt)?;
    let server_place =
        reserve::<SeededServerKey>(&server_path, existing(Kind::ServerKey), interrupt)?;

    let mut generator = Generator::from_entropy().map_err(internal)?;
    let secret = SecretKey::generate(parameters, &mut generator).map_err(internal)?;
    let workers = threads(arguments.threads).get();
    let server = SeededServerKey::generate(&secret, &mut generator, workers, &|_, _| {})
        .map_err(internal)?;

    let secret_file = wire::encode(&secret)
        .and_then(|bytes| secret_place.fill(&bytes))
        .map_err(|error| Failure::file(&secret_path, &error))?;
    let server_file = wire::encode(&server)
        .and_then(|bytes| server_place.fill(&bytes))
        .map_err(|error| Failure::file(&server_path, &error))?;
    let server_bytes = server_file.length();
    interrupt.check()?;
    // The server key first: it can be made again from the secret key that it may replace, whereas
    // a secret key that is gone takes everything encrypted with it.
    server_file
        .commit()
        .map_err(|error| Failure::file(&server_path, &error))?;
    secret_file.commit().map_err(|error| {
        // A server key without its secret key is of no use.
        if !arguments.force {
            let _ = std::fs::remove_file(&server_path);
        }
        Failure::file(&secret_path, &error)
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
         parameters {}: {}, a wrong lookup at most once in 2^{:.0}\n",
        secret_path.display(),
        server_path.display(),
        bytes(server_bytes),
        parameters.name(),
        at_least(parameters.promise().security_bits, TFHE_ATTACK),
        -parameters.promise().log2_failure,
    ))
}

/// The path with more at its end: `alice.v2` becomes `alice.v2.secret`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
