//! What commands do differently for the Gentry–Halevi scheme: its keys and ciphertexts are other
//! files, its circuits another target. Which scheme is meant is read from the files.

mod encrypt;
mod keygen;
mod plan;
mod run;
mod warning;

pub(super) use encrypt::encrypt;
pub(super) use keygen::keygen;
pub(super) use plan::plan;
pub(super) use run::{load, run, written};

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use gentry_halevi::{Ciphertext, Error, Noise, Parameters, PublicKey, SecretKey};
use wire::gentry_halevi::{Inputs, Numbers, Outputs, ServerKey};
use wire::{Header, Kind, Record, WireError};

use super::internal;
use super::protection::KeyFile;
use crate::arguments::Scheme;
use crate::failure::{Code, Failure};
use crate::progress::Steps;

/// Memory within which the transforms of a key are kept, where nobody says how much there is.
pub(super) const MEMORY: u64 = 1_000_000_000;

/// The scheme of a file; TFHE for whatever is no regular file of ours, so that its readers say what
/// is wrong.
pub(super) fn scheme_of(path: &Path) -> Scheme {
    match kind_of(path).map(Kind::scheme) {
        Some(wire::Scheme::GentryHalevi) => Scheme::GentryHalevi,
        Some(wire::Scheme::Bgv) => Scheme::Bgv,
        _ => Scheme::Tfhe,
    }
}

/// What a regular file of ours says that it is.
pub(super) fn kind_of(path: &Path) -> Option<Kind> {
    // A pipe can be read only once.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    let mut head = file.take(wire::container::HEADER_BYTES as u64);
    head.read_to_end(&mut start).ok()?;
    Header::parse(&start).ok().map(|(header, _)| header.kind)
}

/// An error of the scheme.
pub(super) fn failure(error: Error) -> Failure {
    match error {
        Error::Interrupted => Failure::new(Code::Interrupted, "interrupted"),
        other => internal(other),
    }
}

/// A key that the checksum found whole and the scheme refuses.
fn refused(path: &Path, error: &Error) -> Failure {
    let reason = error.to_string();
    Failure::file(path, &WireError::Malformed { reason })
}

/// Opens a public key where it lies, telling how far the check is.
pub(super) fn public_key(path: &Path, quiet: bool) -> Result<(Arc<ServerKey>, PublicKey), Failure> {
    let steps = Steps::new(
        quiet,
        std::fs::metadata(path).map_or(0, |found| found.len()),
    );
    steps.begin("checking the key");
    let file = files::open_server_key(path, &mut |done, _| steps.reach(done));
    steps.finish();
    let file = Arc::new(file.map_err(|error| Failure::file(path, &error))?);
    let parameters = *file.key().parameters();
    let key = PublicKey::from_limbs(parameters, Arc::clone(&file) as _)
        .map_err(|error| refused(path, &error))?;
    Ok((file, key))
}

/// Reads a secret key.
pub(super) fn secret_key(
    key: KeyFile<'_>,
) -> Result<(wire::gentry_halevi::SecretKey, SecretKey), Failure> {
    let file: wire::gentry_halevi::SecretKey = key.read()?;
    let id = gentry_halevi::KeyId::from_bytes(*file.key_id().as_bytes());
    let secret = SecretKey::from_parts(
        *file.parameters(),
        id,
        file.modulus().to_vec(),
        file.secret().to_vec(),
    );
    let secret = secret.map_err(|error| refused(key.path, &error))?;
    Ok((file, secret))
}

/// The bits of a file of inputs or outputs, decrypted.
pub(super) fn decrypted(
    key: KeyFile<'_>,
    path: &Path,
) -> Result<(Vec<wire::Variable>, Vec<bool>), Failure> {
    let (file, secret) = secret_key(key)?;
    let wrong = |error: WireError| Failure::file(path, &error);
    let kinds = (Kind::GENTRY_HALEVI_INPUTS, Kind::GENTRY_HALEVI_OUTPUTS);
    let (header, payload) = super::read_values(path, kinds).map_err(wrong)?;
    let decrypt = |numbers: &Numbers| -> Result<Vec<bool>, Failure> {
        let bits = numbers.iter().map(|limbs| {
            // What decryption needs to know of the noise it finds itself.
            let noise = Noise::CONSTANT;
            secret.decrypt(&secret.ciphertext(limbs.to_vec(), noise)?)
        });
        bits.collect::<Result<_, Error>>().map_err(|error| {
            let message = format!("{}: does not decrypt: {error}", path.display());
            Failure::new(Code::Key, message)
        })
    };
    if header.kind == Kind::GENTRY_HALEVI_INPUTS {
        let inputs: Inputs = wire::decode_payload(&header, &payload).map_err(wrong)?;
        super::same_key(path, &inputs, &file)?;
        Ok((inputs.variables().to_vec(), decrypt(inputs.bits())?))
    } else {
        let outputs: Outputs = wire::decode_payload(&header, &payload).map_err(wrong)?;
        super::same_key(path, &outputs, &file)?;
        let secret = decrypt(outputs.secret())?;
        let bits = outputs.merge(&secret).unwrap_or_default();
        Ok((outputs.variables().to_vec(), bits))
    }
}

/// Ciphertexts of a file of inputs.
pub(super) fn ciphertexts<'a>(
    path: &Path,
    bits: impl Iterator<Item = &'a [u64]>,
    key: &PublicKey,
) -> Result<Vec<Arc<Ciphertext>>, Failure> {
    let fresh = Noise::fresh(key.parameters());
    let bits = bits.map(|limbs| key.ciphertext(limbs.to_vec(), fresh).map(Arc::new));
    bits.collect::<Result<_, _>>()
        .map_err(|error| refused(path, &error))
}

/// Bytes of a ciphertext, or of any other number, at most.
fn bytes_per_bit(parameters: &Parameters) -> u64 {
    8 * parameters.largest_modulus_bits().div_ceil(64) as u64
}
