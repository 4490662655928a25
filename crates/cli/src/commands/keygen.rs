//! `blindcore keygen`: a key pair in two to four files.

use std::path::{Path, PathBuf};

use bgv::{Demand, ParameterLiteral, Parameters, Security};
use files::{Existing, PendingFile};
use serde_json::{Value, json};
use session::Program;
use session::owner::{KeyPair, SecretKey, ServerKeyFile, Settings, generate};
use session::parameters::SecurityPromise;
use session::schemes::bgv::{
    self as scheme, PlannedCircuit, in_one_window, profile_without_parameters, slots_for,
};
use wire::bgv::Set;
use wire::{Fingerprint, Kind, Passphrase, Role, WireError};

use super::selectors::{self, watched};
use super::warning;
use super::{bytes, print, print_json, protection, reserve_for, threads};
use crate::arguments::{Execution, Keygen, Levelled, Scheme};
use crate::failure::{Code, Failure};
use crate::hardening;
use crate::interrupt::Interrupt;

/// Where the files of a key pair go.
struct Paths {
    secret: PathBuf,
    /// Not of the Gentry–Halevi scheme, whose server key is the public one.
    public: Option<PathBuf>,
    server: PathBuf,
    selectors: PathBuf,
}

impl Paths {
    fn of(arguments: &Keygen) -> Self {
        let path = |ending| with_ending(&arguments.out, ending);
        Self {
            secret: path(".secret"),
            public: (arguments.scheme != Scheme::GentryHalevi).then(|| path(".public")),
            server: path(".server"),
            selectors: path(".selectors"),
        }
    }

    /// Where nothing may be. A selector key counts even if none is asked for: one of an earlier pair
    /// would stand beside the new server key and be refused.
    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.secret, &self.server, &self.selectors];
        files.into_iter().chain(&self.public)
    }
}

/// Generates a key pair. All files appear, or none does.
pub(crate) fn keygen(arguments: &Keygen, interrupt: &Interrupt) -> Result<(), Failure> {
    let paths = Paths::of(arguments);
    for path in paths.all() {
        if !arguments.force && path.symlink_metadata().is_ok() {
            return Err(Failure::file(path, &WireError::exists()));
        }
    }
    let settings = settings(arguments, interrupt)?;
    let scheme = match &settings {
        Settings::Tfhe(_) => wire::Scheme::Tfhe,
        Settings::Bgv(_) => wire::Scheme::Bgv,
        Settings::GentryHalevi(_) => wire::Scheme::GentryHalevi,
    };
    let reserve = |path: &Path, role| {
        let kind = Kind::of(scheme, role);
        let existing = match arguments.force {
            true => Existing::ReplaceKind(kind),
            false => Existing::Keep,
        };
        reserve_for(kind, path, existing, interrupt)
    };
    let secret_place = reserve(&paths.secret, Role::SecretKey)?;
    let public_place = match &paths.public {
        Some(path) => Some(reserve(path, Role::PublicKey)?),
        None => None,
    };
    let server_place = reserve(&paths.server, Role::ServerKey)?;
    let wants_selectors = arguments.scheme == Scheme::Tfhe && !arguments.no_selectors;
    let selectors_place = match wants_selectors {
        true => Some(reserve(&paths.selectors, Role::SelectorKey)?),
        false => None,
    };
    if let Settings::GentryHalevi(parameters) = &settings {
        warning::warn(parameters);
    }

    let passphrase = protection::new_passphrase(&arguments.protecting, &paths.secret)?;
    let pair = generated(&settings, arguments, interrupt)?;
    hardening::report_unlocked_memory();
    let wrong = |path: &Path| {
        let path = path.to_owned();
        move |error: WireError| Failure::file(&path, &error)
    };
    let secret = pair
        .secret
        .encode(passphrase.as_ref())
        .and_then(|bytes| secret_place.fill_and_erase(bytes))
        .map_err(wrong(&paths.secret))?;
    let public = match (&pair.public, public_place, &paths.public) {
        (Some(key), Some(place), Some(path)) => {
            let file = key.encode().and_then(|bytes| place.fill_and_erase(bytes));
            Some((file.map_err(wrong(path))?, path.as_path()))
        }
        _ => None,
    };
    let server = match &pair.server {
        ServerKeyFile::Tfhe(key) => {
            wire::encode(key).and_then(|bytes| server_place.fill_and_erase(bytes))
        }
        ServerKeyFile::Bgv(key) => {
            wire::encode(key).and_then(|bytes| server_place.fill_and_erase(bytes))
        }
        ServerKeyFile::GentryHalevi(key) => {
            files::fill_server_key(server_place, key.parameters(), key.limbs())
        }
    };
    let server = server.map_err(wrong(&paths.server))?;
    let selectors = match (&pair.secret, selectors_place) {
        (SecretKey::Tfhe(secret), Some(place)) => {
            let (quiet, threads) = (arguments.json, arguments.threads);
            let key = selectors::generated(secret, quiet, threads, interrupt)?;
            let file = wire::encode(&key).and_then(|bytes| place.fill_and_erase(bytes));
            Some(file.map_err(wrong(&paths.selectors))?)
        }
        _ => None,
    };
    let lengths = Lengths {
        public: public.as_ref().map_or(0, |(file, _)| file.length()),
        server: server.length(),
        selectors: selectors.as_ref().map(PendingFile::length),
    };
    interrupt.check()?;
    // The secret key last: the others can be made again from the one that they replace, whereas
    // a secret key that is gone takes everything encrypted with it.
    let mut files = vec![(server, paths.server.as_path())];
    files.extend(selectors.map(|file| (file, paths.selectors.as_path())));
    files.extend(public);
    files.push((secret, &paths.secret));
    commit(files, arguments.force)?;
    report(
        arguments,
        &settings,
        &pair,
        &paths,
        &lengths,
        passphrase.as_ref(),
    )
}

/// The keys, with progress where it takes long.
fn generated(
    settings: &Settings,
    arguments: &Keygen,
    interrupt: &Interrupt,
) -> Result<KeyPair, Failure> {
    let what = match settings {
        Settings::Tfhe(_) => None,
        Settings::Bgv(_) => Some("a key pair of BGV".to_owned()),
        Settings::GentryHalevi(parameters) => Some(format!(
            "a key pair of dimension {}",
            parameters.dimension()
        )),
    };
    let quiet = arguments.json || what.is_none();
    let threads = threads(arguments.threads);
    let (steps, control) = watched(quiet, what.unwrap_or_default(), threads, interrupt);
    let pair = generate(settings, &control);
    steps.finish();
    Ok(pair?)
}

/// Gives the files of a key pair their names.
fn commit(files: Vec<(PendingFile, &Path)>, force: bool) -> Result<(), Failure> {
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

/// Lengths of files.
struct Lengths {
    public: u64,
    server: u64,
    selectors: Option<u64>,
}

fn report(
    arguments: &Keygen,
    settings: &Settings,
    pair: &KeyPair,
    paths: &Paths,
    lengths: &Lengths,
    passphrase: Option<&Passphrase>,
) -> Result<(), Failure> {
    let shown = |path: &Path| path.display().to_string();
    if arguments.json {
        let mut document = json!({
            "secret": shown(&paths.secret),
            "passphrase": passphrase.is_some(),
        });
        if let Some(public) = &paths.public {
            document["public"] = shown(public).into();
            document["public_bytes"] = lengths.public.into();
        }
        document["server"] = shown(&paths.server).into();
        document["server_bytes"] = lengths.server.into();
        if let Some(length) = lengths.selectors {
            document["selectors"] = shown(&paths.selectors).into();
            document["selectors_bytes"] = length.into();
        }
        document["key"] = pair.secret.key_id().to_string().into();
        let (Value::Object(document), Value::Object(own)) =
            (&mut document, parameters_json(settings, pair))
        else {
            return Ok(());
        };
        document.extend(own);
        return print_json(&Value::Object(document.clone()));
    }
    let uses = match settings {
        Settings::GentryHalevi(_) => "it decrypts, keep it to yourself",
        _ => "it encrypts and decrypts, keep it to yourself",
    };
    let mut text = format!(
        "{}: the secret key{}; {uses}\n",
        paths.secret.display(),
        protection::in_words(passphrase),
    );
    if let Some(public) = &paths.public {
        text.push_str(&format!(
            "{}: the public key, {}; give it to those who encrypt for you: it reads nothing\n",
            public.display(),
            bytes(lengths.public),
        ));
    }
    let server = match settings {
        Settings::GentryHalevi(_) => "the public key",
        _ => "the server key",
    };
    let uses = match settings {
        Settings::GentryHalevi(_) => "it encrypts (`encrypt --key`) and computes",
        _ => "give it to the server that runs your programs",
    };
    text.push_str(&format!(
        "{}: {server}, {}; {uses}\n",
        paths.server.display(),
        bytes(lengths.server),
    ));
    if let Some(length) = lengths.selectors {
        text.push_str(&selectors::line(&paths.selectors, length));
    } else if paths.selectors.symlink_metadata().is_ok() {
        text.push_str(&format!(
            "{}: of the key pair that was replaced; remove it, or make it again with `key selectors --force`\n",
            paths.selectors.display()
        ));
    }
    text.push_str(&parameters_text(settings, pair));
    print(&text)
}

fn parameters_text(settings: &Settings, pair: &KeyPair) -> String {
    match settings {
        Settings::Tfhe(parameters) => format!(
            "parameters {}: {}, a wrong lookup at most once in 2^{:.0}\n",
            parameters.name(),
            SecurityPromise::of_tfhe(parameters),
            -parameters.promise().log2_failure,
        ),
        Settings::Bgv(parameters) => format!(
            "parameters {}: {} slots, about {} ANDs in a row, {}, a wrong slot at most once in 2^{:.0}\n",
            parameters.name(),
            parameters.slots(),
            parameters.depth(2),
            SecurityPromise::of_bgv(parameters),
            -bgv::FAILURE_LOG2,
        ),
        Settings::GentryHalevi(parameters) => format!(
            "parameters {}: a modulus of {} bits, no security\n",
            parameters.name(),
            modulus_bits(pair),
        ),
    }
}

fn parameters_json(settings: &Settings, pair: &KeyPair) -> Value {
    match settings {
        Settings::Tfhe(parameters) => json!({
            "parameters": parameters.name(),
            "fingerprint": format!("{:?}", Fingerprint::of(parameters)),
            "security_bits": parameters.promise().security_bits,
            "log2_failure": parameters.promise().log2_failure,
        }),
        Settings::Bgv(parameters) => json!({
            "scheme": "bgv",
            "parameters": parameters.name(),
            "fingerprint": format!("{:?}", Fingerprint::of(&Set::new(parameters.clone()))),
            "slots": parameters.slots(),
            "depth": parameters.depth(2),
            "security_bits": parameters.security().bits(),
            "log2_failure": bgv::FAILURE_LOG2,
        }),
        Settings::GentryHalevi(parameters) => json!({
            "scheme": "gentry-halevi",
            "parameters": parameters.name(),
            "fingerprint": format!("{:?}", Fingerprint::of(parameters)),
            "dimension": parameters.dimension(),
            "modulus_bits": modulus_bits(pair),
            "warning": warning::warning(parameters),
        }),
    }
}

/// Bits of the modulus of a Gentry–Halevi key.
fn modulus_bits(pair: &KeyPair) -> usize {
    match &pair.server {
        ServerKeyFile::GentryHalevi(key) => {
            let top = key.modulus().last();
            64 * key.residue_limbs() - top.map_or(0, |top| top.leading_zeros() as usize)
        }
        _ => 0,
    }
}

/// What the command line asks for.
fn settings(arguments: &Keygen, interrupt: &Interrupt) -> Result<Settings, Failure> {
    let usage = |message: &str| Failure::new(Code::Usage, message);
    if arguments.scheme != Scheme::Bgv
        && let Some(flag) = arguments.levelled.given()
    {
        return Err(usage(&format!("{flag} is for --scheme bgv (see --help)")));
    }
    if arguments.scheme != Scheme::Tfhe && arguments.no_selectors {
        return Err(usage("--no-selectors is for --scheme tfhe (see --help)"));
    }
    match (arguments.scheme, arguments.dimension) {
        (Scheme::Tfhe, None) => Ok(Settings::Tfhe(arguments.set.parameters())),
        (Scheme::Tfhe, Some(_)) => Err(usage(
            "--dimension is for --scheme gentry-halevi; TFHE has --set (see --help)",
        )),
        (Scheme::Bgv, None) => Ok(Settings::Bgv(levelled(&arguments.levelled, interrupt)?)),
        (Scheme::Bgv, Some(_)) => Err(usage(
            "--dimension is for --scheme gentry-halevi (see --help)",
        )),
        (Scheme::GentryHalevi, dimension) => Ok(Settings::GentryHalevi(
            dimension.unwrap_or_default().parameters(),
        )),
    }
}

/// The parameters of BGV that are asked for.
fn levelled(levelled: &Levelled, interrupt: &Interrupt) -> Result<Parameters, Failure> {
    let slots = levelled.rows.unwrap_or(1) as usize;
    if let Some(name) = &levelled.parameters {
        let literal = ParameterLiteral::parse(name).ok_or_else(|| {
            let message = format!(
                "--parameters: '{name}' is no set of BGV, as `plan --engine bgv` prints them"
            );
            Failure::new(Code::Usage, message)
        })?;
        let parameters = Parameters::new(literal)
            .map_err(|error| Failure::new(Code::Usage, format!("--parameters: {error}")))?;
        if parameters.slots() < slots {
            let message = format!(
                "--rows {slots}: the set {name} has {} slots",
                parameters.slots()
            );
            return Err(Failure::new(Code::Usage, message));
        }
        return Ok(parameters);
    }
    if let Some(depth) = levelled.depth {
        let demand = Demand {
            slots: slots_for(slots),
            ..Demand::of_depth(depth)
        };
        let parameters = Parameters::for_circuit(&demand, Security::Bits128);
        return Ok(parameters.map_err(scheme::error)?);
    }
    let Some(program) = &levelled.program else {
        let message = "--scheme bgv needs --program, --depth or --parameters: the depth of what is to run decides \
                       the parameters";
        return Err(Failure::new(Code::Usage, message));
    };
    let program = Program::load(program)?;
    let inputs = program.declared(&levelled.variables, levelled.call.as_ref())?;
    let execution = Execution {
        call: levelled.call.clone(),
        max_instructions: 100_000_000,
        stack: 1 << 20,
        window: processor::Limits::default().window as u64,
        ..Execution::default()
    };
    let task = in_one_window(program.task(&execution.resolve()?, inputs)?);
    let profile = profile_without_parameters(circuits::library::Architectures::default());
    let planned = PlannedCircuit::new(&program, &task, &profile, &interrupt.cancel())?;
    planned.refuse_obstacles(&program)?;
    Ok(planned.choose(&program, slots)?.parameters)
}

/// The path with more at its end: `alice.v2` becomes `alice.v2.secret`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
