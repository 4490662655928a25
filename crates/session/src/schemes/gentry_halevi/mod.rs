//! The Gentry–Halevi scheme, broken and here for comparison: bits are integers of hundreds of
//! thousands of bits, and a program's noise is refreshed with the public key.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::path::Path;
//!
//! use blindcore_session::{ErrorKind, Program};
//! use blindcore_session::program::Execution;
//! use blindcore_session::schemes::gentry_halevi::{Estimate, Integers, error, profile};
//! use blindcore_session::schemes::{Adapter, Scheme};
//! use circuits::library::Architectures;
//! use gentry_halevi::Parameters;
//!
//! assert_eq!(Integers::SCHEME, Scheme::GentryHalevi);
//! assert_eq!(error(gentry_halevi::Error::Interrupted).kind, ErrorKind::Interrupted);
//! let text = b".bits 16\n.data a\n LOAD R0, a\n XOR R0, R0, 255\n STORE R0, a";
//! let program = Program::from_bytes(Path::new("not.hea"), text)?;
//! let task = program.task(&Execution::default(), program.declared(&["a".to_owned()], None)?)?;
//! let parameters = Parameters::TOY_32;
//! let profile = profile(&parameters, Architectures::default());
//! let plan = processor::plan(program.image(), &task, &profile)?;
//! // Inversions cost nothing and make no noise: what is left is that of the inputs.
//! let estimate = Estimate::new(&plan, &parameters, &profile, NonZeroUsize::MIN)?;
//! assert_eq!((estimate.cost.and, estimate.cost.refresh), (0, 0));
//! assert!(estimate.noise_bits <= estimate.noise_limit_bits && estimate.key_file_bytes > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod estimate;

use std::iter::{Empty, empty};
use std::path::Path;
use std::sync::Arc;

use ::gentry_halevi::{Ciphertext, Noise, Parameters, PublicKey, Transforms};
use circuits::Profile;
use circuits::library::Architectures;
use engines::gentry_halevi::{self as engine, GentryHalevi};
use processor::{Outcome, Plan, Task};
use wire::gentry_halevi::{Inputs, Key, Numbers, Outputs, ServerKey};
use wire::{OutputBit, Variable, WireError};

pub use estimate::Estimate;

use super::{Adapter, Bits, RunOutputs, Scheme, Source, only_record};
use crate::control::{Control, Progress};
use crate::error::Error;
use crate::evaluator::{Given, Planned, Target};
use crate::program::Program;

/// The scheme of 2011.
#[derive(Clone, Copy, Debug)]
pub struct Integers;

impl Adapter for Integers {
    type Content = Numbers;
    type Later = Empty<Result<Inputs, WireError>>;
    type Engine = GentryHalevi;
    type Outputs = Outputs;
    type Key = PublicKey;

    const SCHEME: Scheme = Scheme::GentryHalevi;
    const OPERATION: &'static str = "operation";
    const UNANSWERED: &'static str = ", for which there is no way in the Gentry–Halevi scheme: let --branches both \
                                      execute both paths where they rejoin";

    fn read(source: Source, _: Option<u64>) -> Result<(Inputs, Self::Later), WireError> {
        Ok((only_record(source)?, empty()))
    }

    fn join(files: &[&Inputs]) -> Result<Vec<usize>, WireError> {
        wire::join(files)
    }

    fn plan(
        program: &Program,
        task: &Task,
        given: &Given<Self>,
        target: &Target,
        control: &Control,
    ) -> Result<Planned, Error> {
        let profile = Self::profile(given.first()?.1, target);
        let plan = processor::plan_until(program.image(), task, &profile, &control.cancel)
            .map_err(|error| program.error(&error))?;
        Ok(Planned {
            plan,
            profile,
            is_wide: false,
        })
    }

    fn read_key(
        path: &Path,
        given: &Given<Self>,
        _: &Target,
        control: &Control,
    ) -> Result<PublicKey, Error> {
        let (name, inputs) = given.first()?;
        let (file, key) = public_key(path, control)?;
        let ours = (inputs.bits().key().parameters(), inputs.bits().key().id());
        wire::match_keys(ours, (file.key().parameters(), file.key().id()))
            .map_err(|error| Error::file(Path::new(name), &error))?;
        Ok(key)
    }

    fn profile(inputs: &Inputs, target: &Target) -> Profile {
        profile(inputs.bits().key().parameters(), target.architectures)
    }

    fn engine(profile: Profile, key: PublicKey, control: &Control) -> Result<GentryHalevi, Error> {
        let transforms = transforms(key.parameters(), control.memory_to_go_by());
        GentryHalevi::new(&key, profile, transforms, control.threads).map_err(error)
    }

    fn bits(engine: &GentryHalevi, given: &Given<Self>) -> Result<Bits<Self>, Error> {
        let key = engine.evaluator().key();
        let mut bits = Vec::new();
        for (name, inputs) in given.iter() {
            bits.extend(ciphertexts(name, inputs.bits().iter(), key)?);
        }
        Ok(bits)
    }

    fn memory(_: &GentryHalevi, _: &Plan, _: &Control) -> Result<Option<u64>, Error> {
        Ok(None)
    }

    fn outputs(
        _: &GentryHalevi,
        given: &Given<Self>,
        outcome: &Outcome<Ciphertext>,
    ) -> Result<Outputs, Error> {
        let (_, inputs) = given.first()?;
        let key = inputs.bits().key().clone();
        let RunOutputs {
            variables,
            bits,
            secret,
        } = RunOutputs::of(outcome);
        outputs_of(key, variables, bits, &secret)
    }

    fn variables(outputs: &Outputs) -> &[Variable] {
        outputs.variables()
    }
}

/// An error of the scheme.
#[must_use]
pub fn error(error: ::gentry_halevi::Error) -> Error {
    match error {
        ::gentry_halevi::Error::Interrupted => Error::interrupted(),
        other => Error::internal(other),
    }
}

/// A number of a file that the checksum found whole and the scheme refuses.
pub(crate) fn refused(name: &str, error: &::gentry_halevi::Error) -> Error {
    let reason = error.to_string();
    Error::file(Path::new(name), &WireError::Malformed { reason })
}

/// A file of outputs; `secret` are the secret ones of the bits in order.
///
/// # Errors
/// [`ErrorKind::Internal`](crate::ErrorKind::Internal).
pub(crate) fn outputs_of(
    key: Key,
    variables: Vec<Variable>,
    bits: Vec<OutputBit>,
    secret: &[Arc<Ciphertext>],
) -> Result<Outputs, Error> {
    let mut numbers = Numbers::new(key);
    for bit in secret {
        numbers.push(bit.limbs()).map_err(Error::internal)?;
    }
    Outputs::new(variables, bits, numbers).map_err(Error::internal)
}

/// Ciphertexts of a file of inputs.
///
/// # Errors
/// [`ErrorKind::File`](crate::ErrorKind::File) for numbers that are none.
pub(crate) fn ciphertexts<'a>(
    name: &str,
    bits: impl Iterator<Item = &'a [u64]>,
    key: &PublicKey,
) -> Result<Vec<Arc<Ciphertext>>, Error> {
    let fresh = Noise::fresh(key.parameters());
    let bits = bits.map(|limbs| key.ciphertext(limbs.to_vec(), fresh).map(Arc::new));
    bits.collect::<Result<_, _>>()
        .map_err(|error| refused(name, &error))
}

/// Opens a public key where it lies, telling how far the check is.
///
/// # Errors
/// Those of reading a file.
pub(crate) fn public_key(
    path: &Path,
    control: &Control,
) -> Result<(Arc<ServerKey>, PublicKey), Error> {
    let file = files::open_server_key(path, &mut |done, of| {
        control.report(Progress::Check { done, of });
    });
    let file = Arc::new(file.map_err(|error| Error::file(path, &error))?);
    let parameters = *file.key().parameters();
    let key = PublicKey::from_limbs(parameters, Arc::clone(&file) as _)
        .map_err(|error| refused(&path.display().to_string(), &error))?;
    Ok((file, key))
}

/// The target of these parameters.
#[must_use]
pub fn profile(parameters: &Parameters, architectures: Architectures) -> Profile {
    engine::profile(parameters).with_architectures(architectures)
}

/// Whether the key's transforms may be kept within so much memory: they take about six times what
/// the key has.
fn transforms(parameters: &Parameters, memory: u64) -> Transforms {
    let key = bytes_per_bit(parameters) * parameters.public_parts() as u64;
    match 7 * key <= memory {
        true => Transforms::Kept,
        false => Transforms::Computed,
    }
}

/// Bytes of a ciphertext, or of any other number, at most.
fn bytes_per_bit(parameters: &Parameters) -> u64 {
    8 * parameters.largest_modulus_bits().div_ceil(64) as u64
}
