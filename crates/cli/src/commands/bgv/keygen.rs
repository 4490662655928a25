//! Keys of BGV.

use std::ops::ControlFlow;
use std::path::Path;

use bgv::{Demand, ParameterLiteral, Parameters, Progress, SecretKey, Security};
use files::Existing;
use random::Generator;
use serde_json::json;
use wire::bgv::{PublicKey, ServerKey, Set};
use wire::{Fingerprint, Kind, WireError};

use super::super::keygen::{Paths, commit};
use super::super::{
    BGV_ATTACK, at_least, bytes, internal, print, print_json, protection, reserve, threads,
};
use super::failure;
use super::planned::{Planned, in_one_window, profile, slots_for};
use crate::arguments::{Execution, Keygen, Levelled};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Steps;
use session::Program;

/// Generates a key pair. All files appear, or none does.
pub(in super::super) fn keygen(
    arguments: &Keygen,
    paths: &Paths,
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    if arguments.dimension.is_some() {
        let message = "--dimension is for --scheme gentry-halevi (see --help)";
        return Err(Failure::new(Code::Usage, message));
    }
    let parameters = parameters(&arguments.levelled, interrupt)?;
    let existing = |kind| match arguments.force {
        true => Existing::ReplaceKind(kind),
        false => Existing::Keep,
    };
    let secret_place =
        reserve::<wire::bgv::SecretKey>(&paths.secret, existing(Kind::BGV_SECRET_KEY), interrupt)?;
    let public_place =
        reserve::<PublicKey>(&paths.public, existing(Kind::BGV_PUBLIC_KEY), interrupt)?;
    let server_place =
        reserve::<ServerKey>(&paths.server, existing(Kind::BGV_SERVER_KEY), interrupt)?;

    let passphrase = protection::wanted(&arguments.protecting, &paths.secret)?;
    let mut generator = Generator::from_entropy().map_err(internal)?;
    let steps = Steps::new(arguments.json, 100);
    steps.begin("a key pair of BGV".to_owned());
    let cancel = interrupt.cancel();
    let watch = |progress: Progress| {
        steps.reach(100 * progress.done as u64 / progress.steps.max(1) as u64);
        match cancel.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let workers = threads(arguments.threads);
    let keys = SecretKey::generate(&parameters, &[], &mut generator, workers, &watch);
    steps.finish();
    let keys = keys.map_err(failure)?;

    let in_file = |path: &Path| {
        let path = path.to_owned();
        move |error: WireError| Failure::file(&path, &error)
    };
    let secret_file =
        protection::encoded(&wire::bgv::SecretKey::of(&keys.secret), passphrase.as_ref())
            .and_then(|bytes| secret_place.fill(&bytes))
            .map_err(in_file(&paths.secret))?;
    let public_file = wire::encode(&PublicKey::of(&keys.public))
        .and_then(|bytes| public_place.fill(&bytes))
        .map_err(in_file(&paths.public))?;
    let server_file = wire::encode(&ServerKey::of(&keys.evaluation))
        .and_then(|bytes| server_place.fill(&bytes))
        .map_err(in_file(&paths.server))?;
    let (public_bytes, server_bytes) = (public_file.length(), server_file.length());
    interrupt.check()?;
    commit(
        paths,
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
            "key": keys.secret.key_id().to_string(),
            "scheme": "bgv",
            "parameters": parameters.name(),
            "fingerprint": format!("{:?}", Fingerprint::of(&Set::new(parameters.clone()))),
            "slots": parameters.slots(),
            "depth": parameters.depth(2),
            "security_bits": parameters.security().bits(),
            "log2_failure": bgv::FAILURE_LOG2,
        }));
    }
    print(&format!(
        "{}: the secret key{}; it encrypts and decrypts, keep it to yourself\n\
         {}: the public key, {}; give it to whoever encrypts for you: it reads nothing\n\
         {}: the server key, {}; give it to whoever runs your programs\n\
         parameters {}: {} slots, about {} ANDs in a row, {}, a wrong slot at most once in 2^{:.0}\n",
        paths.secret.display(),
        protection::in_words(passphrase.as_ref()),
        paths.public.display(),
        bytes(public_bytes),
        paths.server.display(),
        bytes(server_bytes),
        parameters.name(),
        parameters.slots(),
        parameters.depth(2),
        at_least(parameters.security().bits().into(), BGV_ATTACK),
        -bgv::FAILURE_LOG2,
    ))
}

/// The parameters that are asked for.
fn parameters(levelled: &Levelled, interrupt: &Interrupt) -> Result<Parameters, Failure> {
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
        return Parameters::for_circuit(&demand, Security::Bits128).map_err(failure);
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
    let profile = profile(circuits::library::Architectures::default());
    let planned = Planned::new(&program, &task, &profile, &interrupt.cancel())?;
    planned.check(&program)?;
    Ok(planned.choose(&program, slots)?.parameters)
}
