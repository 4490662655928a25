//! Keys of the Gentry–Halevi scheme.

use std::ops::ControlFlow;
use std::path::Path;

use files::{Access, Existing, Reservation};
use gentry_halevi::{Parameters, Progress, SecretKey, Stage};
use random::Generator;
use serde_json::json;
use wire::{Fingerprint, Kind, Passphrase};

use super::super::{bytes, internal, print, print_json, protection, threads};
use super::{failure, warning};
use crate::arguments::Keygen;
use crate::failure::Failure;
use crate::interrupt::Interrupt;
use crate::progress::Steps;

/// Units of progress in all, and how many have been done when a part begins.
const UNITS: u64 = 1000;

/// Generates a key pair. Both files appear, or neither does.
pub(in super::super) fn keygen(
    arguments: &Keygen,
    (secret_path, server_path): (&Path, &Path),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let parameters = arguments.dimension.unwrap_or_default().parameters();
    let existing = |kind| match arguments.force {
        true => Existing::ReplaceKind(kind),
        false => Existing::Keep,
    };
    let in_file = |path: &Path| {
        let path = path.to_owned();
        move |error: wire::WireError| Failure::file(&path, &error)
    };
    let kind = existing(Kind::GENTRY_HALEVI_SECRET_KEY);
    let secret_place =
        super::super::reserve::<wire::gentry_halevi::SecretKey>(secret_path, kind, interrupt)?;
    let kind = existing(Kind::GENTRY_HALEVI_SERVER_KEY);
    let server_place =
        Reservation::new(server_path, Access::Shared, kind).map_err(in_file(server_path))?;
    if let Some(temporary) = server_place.temporary() {
        interrupt.removes(temporary);
    }
    warning::warn(&parameters);

    let passphrase = protection::wanted(&arguments.protecting, secret_path)?;
    let mut generator = Generator::from_entropy().map_err(internal)?;
    let steps = Steps::new(arguments.json, UNITS);
    steps.begin(format!(
        "a key pair of dimension {}",
        parameters.dimension()
    ));
    let cancel = interrupt.cancel();
    let watch = |progress: Progress| {
        steps.reach(reached(progress));
        match cancel.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let workers = threads(arguments.threads);
    let pair = SecretKey::generate(parameters, &mut generator, workers, &watch);
    steps.finish();
    let (secret, public) = pair.map_err(failure)?;

    let record = wire::gentry_halevi::SecretKey::new(
        &parameters,
        public.modulus(),
        public.root(),
        secret.expose(),
    );
    let secret_file = record
        .and_then(|record| protection::encoded(&record, passphrase.as_ref()))
        .and_then(|bytes| secret_place.fill(&bytes))
        .map_err(in_file(secret_path))?;
    let server_file = files::fill_server_key(server_place, &parameters, public.limbs())
        .map_err(in_file(server_path))?;
    let server_bytes = server_file.length();
    interrupt.check()?;
    // In this scheme neither can be made from the other. Without its secret key a public one is of no
    // use, so it goes if the other does not come.
    server_file.commit().map_err(in_file(server_path))?;
    secret_file.commit().map_err(|error| {
        if !arguments.force {
            let _ = std::fs::remove_file(server_path);
        }
        Failure::file(secret_path, &error)
    })?;
    report(
        arguments,
        &parameters,
        &public,
        (secret_path, server_path),
        (server_bytes, passphrase.as_ref()),
    )
}

fn report(
    arguments: &Keygen,
    parameters: &Parameters,
    public: &gentry_halevi::PublicKey,
    (secret_path, server_path): (&Path, &Path),
    (server_bytes, passphrase): (u64, Option<&Passphrase>),
) -> Result<(), Failure> {
    let bits = 64 * public.residue_limbs()
        - public
            .modulus()
            .last()
            .map_or(0, |top| top.leading_zeros() as usize);
    if arguments.json {
        return print_json(&json!({
            "secret": secret_path.display().to_string(),
            "passphrase": passphrase.is_some(),
            "server": server_path.display().to_string(),
            "server_bytes": server_bytes,
            "key": public.key_id().to_string(),
            "scheme": "gentry-halevi",
            "parameters": parameters.name(),
            "fingerprint": format!("{:?}", Fingerprint::of(parameters)),
            "dimension": parameters.dimension(),
            "modulus_bits": bits,
            "warning": warning::warning(parameters),
        }));
    }
    print(&format!(
        "{}: the secret key{}; it decrypts, keep it to yourself\n\
         {}: the public key, {}; it encrypts (`encrypt --key`) and computes\n\
         parameters {}: a modulus of {bits} bits, no security\n",
        secret_path.display(),
        protection::in_words(passphrase),
        server_path.display(),
        bytes(server_bytes),
        parameters.name(),
    ))
}

/// Units done, of [`UNITS`]: nearly all time goes into the last part.
fn reached(progress: Progress) -> u64 {
    let (begin, end) = match progress.stage {
        Stage::Resultant => (0, 100),
        Stage::Root => (100, 150),
        Stage::Powers => (150, 300),
        _ => (300, UNITS),
    };
    let steps = progress.steps.max(1) as u64;
    begin + (end - begin) * (progress.done as u64).min(steps) / steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_goes_from_part_to_part() {
        let at = |stage, done| {
            reached(Progress {
                stage,
                done,
                steps: 10,
            })
        };
        assert_eq!(at(Stage::Resultant, 0), 0);
        assert_eq!(at(Stage::Resultant, 12), 100);
        assert_eq!(at(Stage::Powers, 5), 225);
        assert_eq!(at(Stage::Encryptions, 10), UNITS);
    }
}
