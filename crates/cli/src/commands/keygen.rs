//! `blindcore keygen`: a key pair in three files.

use std::path::{Path, PathBuf};

use files::{Existing, PendingFile};
use random::Generator;
use serde_json::json;
use tfhe::{PublicKey, SecretKey, SeededServerKey};
use wire::{Fingerprint, Kind, WireError};

use super::{
    TFHE_ATTACK, at_least, bgv, bytes, gentry_halevi, internal, print, print_json, protection,
    reserve, threads,
};
use crate::arguments::{Keygen, Scheme};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Where the files of a key pair go.
pub(super) struct Paths {
    pub(super) secret: PathBuf,
    /// Not of the Gentry–Halevi scheme, whose server key is the public one.
    pub(super) public: PathBuf,
    pub(super) server: PathBuf,
}

impl Paths {
    fn of(arguments: &Keygen) -> Self {
        let path = |ending| with_ending(&arguments.out, ending);
        Self {
            secret: path(".secret"),
            public: path(".public"),
            server: path(".server"),
        }
    }

    /// Those that a scheme has.
    fn written(&self, scheme: Scheme) -> Vec<&Path> {
        let mut paths = vec![self.secret.as_path(), self.server.as_path()];
        if scheme != Scheme::GentryHalevi {
            paths.push(&self.public);
        }
        paths
    }
}

/// Generates a key pair. All files appear, or none does.
pub(crate) fn keygen(arguments: &Keygen, interrupt: &Interrupt) -> Result<(), Failure> {
    let parameters = arguments.set.parameters();
    let paths = Paths::of(arguments);
    let existing = |kind| match arguments.force {
        true => Existing::ReplaceKind(kind),
        false => Existing::Keep,
    };
    for path in paths.written(arguments.scheme) {
        if !arguments.force && path.symlink_metadata().is_ok() {
            return Err(Failure::file(path, &WireError::exists()));
        }
    }
    if arguments.scheme == Scheme::Bgv {
        return bgv::keygen(arguments, &paths, interrupt);
    }
    if let Some(flag) = arguments.levelled.given() {
        let message = format!("{flag} is for --scheme bgv (see --help)");
        return Err(Failure::new(Code::Usage, message));
    }
    if arguments.scheme == Scheme::GentryHalevi {
        return gentry_halevi::keygen(arguments, (&paths.secret, &paths.server), interrupt);
    }
    if arguments.dimension.is_some() {
        let message = "--dimension is for --scheme gentry-halevi; TFHE has --set (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    let secret_place = reserve::<SecretKey>(&paths.secret, existing(Kind::SECRET_KEY), interrupt)?;
    let public_place = reserve::<PublicKey>(&paths.public, existing(Kind::PUBLIC_KEY), interrupt)?;
    let server_place =
        reserve::<SeededServerKey>(&paths.server, existing(Kind::SERVER_KEY), interrupt)?;

    let passphrase = protection::wanted(&arguments.protecting, &paths.secret)?;
    let mut generator = Generator::from_entropy().map_err(internal)?;
    let secret = SecretKey::generate(parameters, &mut generator).map_err(internal)?;
    let public = PublicKey::generate(&secret, &mut generator);
    let workers = threads(arguments.threads).get();
    let server = SeededServerKey::generate(&secret, &mut generator, workers, &|_, _| {})
        .map_err(internal)?;

    let secret_file = protection::encoded(&secret, passphrase.as_ref())
        .and_then(|bytes| secret_place.fill(&bytes))
        .map_err(|error| Failure::file(&paths.secret, &error))?;
    let public_file = wire::encode(&public)
        .and_then(|bytes| public_place.fill(&bytes))
        .map_err(|error| Failure::file(&paths.public, &error))?;
    let server_file = wire::encode(&server)
        .and_then(|bytes| server_place.fill(&bytes))
        .map_err(|error| Failure::file(&paths.server, &error))?;
    let (public_bytes, server_bytes) = (public_file.length(), server_file.length());
    interrupt.check()?;
    commit(
        &paths,
        (secret_file, public_file, server_file),
        arguments.force,
    )?;

    if arguments.json {
        return print_json(&json!({
            "secret": paths.secret.display().to_string(),
            "passphrase": passphrase.is_some(),
            "public": paths.public.display().to_string(),
            "public_bytes": public_bytes,
            "server": paths.server.display().to_string(),
            "server_bytes": server_bytes,
            "key": secret.key_id().to_string(),
            "parameters": parameters.name(),
            "fingerprint": format!("{:?}", Fingerprint::of(&parameters)),
            "security_bits": parameters.promise().security_bits,
            "log2_failure": parameters.promise().log2_failure,
        }));
    }
    print(&format!(
        "{}: the secret key{}; it encrypts and decrypts, keep it to yourself\n\
         {}: the public key, {}; give it to whoever encrypts for you: it reads nothing\n\
         {}: the server key, {}; give it to whoever runs your programs\n\
         parameters {}: {}, a wrong lookup at most once in 2^{:.0}\n",
        paths.secret.display(),
        protection::in_words(passphrase.as_ref()),
        paths.public.display(),
        bytes(public_bytes),
        paths.server.display(),
        bytes(server_bytes),
        parameters.name(),
        at_least(parameters.promise().security_bits, TFHE_ATTACK),
        -parameters.promise().log2_failure,
    ))
}

/// Gives the files of a key pair their names.
pub(super) fn commit(
    paths: &Paths,
    (secret, public, server): (PendingFile, PendingFile, PendingFile),
    force: bool,
) -> Result<(), Failure> {
    // The secret key last: the others can be made again from the one that they replace, whereas
    // a secret key that is gone takes everything encrypted with it.
    let files = [
        (server, &paths.server),
        (public, &paths.public),
        (secret, &paths.secret),
    ];
    let mut done: Vec<&Path> = Vec::new();
    for (file, path) in files {
        file.commit().map_err(|error| {
            // Without the secret key the others are of no use.
            if !force {
                for path in &done {
                    let _ = std::fs::remove_file(path);
                }
            }
            Failure::file(path, &error)
        })?;
        done.push(path);
    }
    Ok(())
}

/// The path with more at its end: `alice.v2` becomes `alice.v2.secret`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
