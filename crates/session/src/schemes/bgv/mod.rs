//! BGV: a ciphertext is a vector of bits, a row of values in each slot, and one run serves all rows
//! of a batch. There is no refresh, so a program's depth decides the parameters, and a run is one
//! window.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::path::Path;
//!
//! use blindcore_session::{ErrorKind, Program};
//! use blindcore_session::parameters::SecurityPromise;
//! use blindcore_session::program::Execution;
//! use blindcore_session::schemes::Adapter;
//! use blindcore_session::schemes::bgv::{
//!     BgvSlots, Estimate, PlannedCircuit, error, in_one_window, profile_without_parameters, slots_for,
//! };
//! use circuits::exec::Cancel;
//! use circuits::library::Architectures;
//!
//! let text = b".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n AND R0, R0, R1\n STORE R0, a";
//! let program = Program::from_bytes(Path::new("may.hea"), text)?;
//! let secrets = program.declared(&["a".to_owned(), "b".to_owned()], None)?;
//! let task = in_one_window(program.task(&Execution::default(), secrets)?);
//! let profile = profile_without_parameters(Architectures::default());
//! let planned = PlannedCircuit::new(&program, &task, &profile, &Cancel::new())?;
//! planned.refuse_obstacles(&program)?;
//! assert_eq!(planned.deepest().map(|output| output.depth), Some(1));
//!
//! // How deep it is decides the parameters.
//! let choice = planned.choose(&program, 1_000)?;
//! assert!(choice.parameters.slots() >= slots_for(1_000));
//! let estimate = Estimate::new(&planned, &choice, 1_000, NonZeroUsize::MIN)?;
//! assert!(estimate.seconds > 0.0 && estimate.batches == 1);
//! assert!(SecurityPromise::of_bgv(&choice.parameters).bits >= 128.0);
//! planned.forecast(&program, &choice.parameters, bgv::Forecast::fresh)?;
//! assert_eq!(error(bgv::Error::Interrupted).kind, ErrorKind::Interrupted);
//! assert_eq!(BgvSlots::task(task.clone()), task);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod estimate;

use std::path::Path;
use std::sync::Arc;

use ::bgv::{EvaluationKey, Forecast, Parameters, Security};
use circuits::exec::Cancel;
use circuits::library::Architectures;
use circuits::{Builder, Circuit, Profile};
use engines::bgv::{self as engine, Bgv, Choice, CircuitForecast, TooDeep, Vector};
use processor::{Branches, Outcome, OutputPlan, Plan, Task};
use wire::bgv::{Batches, FreshVectors, Inputs, Outputs, ServerKey, Vectors};
use wire::{Containers, Kind, Record, Variable, WireError};

pub use estimate::Estimate;

use super::{Adapter, Bits, RunOutputs, Scheme, Source, match_key};
use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::evaluator::{Given, Planned, Target, memory, refuse_obstacles};
use crate::program::Program;

/// No ring that parameters are chosen from has more slots; more rows than these come in batches.
const MOST_SLOTS: usize = 2048;

/// Vectors of bits without bootstrapping.
#[derive(Clone, Copy, Debug)]
pub struct BgvSlots;

impl Adapter for BgvSlots {
    type Content = FreshVectors;
    type Later = Batches<Inputs, Source>;
    type Engine = Bgv;
    type Outputs = Outputs;
    type Key = Arc<EvaluationKey>;

    const SCHEME: Scheme = Scheme::Bgv;
    const OPERATION: &'static str = "operation";
    const UNANSWERED: &'static str = ", who would have to answer for all rows at once: let --branches both execute both \
                                      paths where they rejoin";

    fn read(source: Source, length: Option<u64>) -> Result<(Inputs, Self::Later), WireError> {
        let mut source = Containers::new(source);
        match length {
            Some(length) => Batches::of_whole(source, length),
            None => {
                let first = source.next_container(Some(Kind::BGV_INPUTS))?;
                Batches::of(first, source)
            }
        }
    }

    fn join(files: &[&Inputs]) -> Result<Vec<usize>, WireError> {
        wire::bgv::join(files)
    }

    fn batches(inputs: &Inputs, _: &Self::Later) -> u32 {
        inputs.bits().share().batches()
    }

    fn rows(inputs: &Inputs, _: &Self::Later) -> Option<u32> {
        Some(inputs.bits().share().table_rows())
    }

    fn task(task: Task) -> Task {
        in_one_window(task)
    }

    fn plan(
        program: &Program,
        task: &Task,
        given: &Given<Self>,
        target: &Target,
        control: &Control,
    ) -> Result<Planned, Error> {
        let (_, inputs) = given.first()?;
        let parameters = inputs.parameters().parameters();
        let profile = Self::profile(inputs, target);
        let circuit = PlannedCircuit::new(program, task, &profile, &control.cancel)?;
        // What could not run at all is said first.
        if circuit.plan.obstacle().is_none() && circuit.plan.question.is_none() {
            let input = match given.iter().any(|(_, inputs)| inputs.bits().is_public()) {
                true => Forecast::fresh_public,
                false => Forecast::fresh,
            };
            circuit.forecast(program, parameters, input)?;
        }
        let plan = circuit.plan;
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
    ) -> Result<Arc<EvaluationKey>, Error> {
        let (name, inputs) = given.first()?;
        let wrong = |error: WireError| Error::file(path, &error);
        let file: ServerKey = files::read(path).map_err(wrong)?;
        match_key(name, inputs, file.parameters(), file.key_id())?;
        file.open(control.threads).map(Arc::new).map_err(wrong)
    }

    fn profile(inputs: &Inputs, target: &Target) -> Profile {
        engine::profile(inputs.parameters().parameters()).with_architectures(target.architectures)
    }

    fn engine(profile: Profile, key: Arc<EvaluationKey>, _: &Control) -> Result<Bgv, Error> {
        Bgv::new(&key, profile).map_err(error)
    }

    fn bits(engine: &Bgv, given: &Given<Self>) -> Result<Bits<Self>, Error> {
        let ring = engine.evaluator().ring();
        let mut bits = Vec::new();
        for (name, inputs) in given.iter() {
            let vectors = inputs.bits().expand(ring);
            let vectors = vectors.map_err(|error| Error::file(Path::new(name), &error))?;
            bits.extend(vectors.into_iter().map(|one| Arc::new(Vector::from(one))));
        }
        Ok(bits)
    }

    fn memory(engine: &Bgv, plan: &Plan, control: &Control) -> Result<Option<u64>, Error> {
        let parameters = engine.evaluator().parameters();
        let key = parameters.evaluation_key_size(0) as u64;
        let largest = parameters.ciphertext_size(parameters.top()) as u64;
        let least = plan.total().peak_bits as u64 * largest;
        // A file has half of each input's ciphertext, and what was read of it is there as well, in
        // words of 64 bits.
        let inputs = plan.windows.first().map_or(0, |window| window.inputs);
        let read = parameters.ciphertext_file_size(parameters.top()) as u64;
        let others = key + memory::of_circuits(&plan.windows) + inputs as u64 * read;
        control.memory_of_ciphertexts(others, least).map(Some)
    }

    fn outputs(
        engine: &Bgv,
        given: &Given<Self>,
        outcome: &Outcome<Vector>,
    ) -> Result<Outputs, Error> {
        let (_, inputs) = given.first()?;
        let outputs = RunOutputs::of(outcome);
        let id = inputs.key_id();
        let parameters = engine.evaluator().parameters();
        let mut secret =
            Vectors::new(parameters, id, inputs.bits().share()).map_err(Error::internal)?;
        for bit in &outputs.secret {
            let small = engine.shrink(bit).map_err(Error::internal)?;
            secret.push(small).map_err(Error::internal)?;
        }
        Outputs::new(outputs.variables, outputs.bits, secret).map_err(Error::internal)
    }

    fn variables(outputs: &Outputs) -> &[Variable] {
        outputs.variables()
    }
}

/// An error of the scheme.
#[must_use]
pub fn error(error: ::bgv::Error) -> Error {
    use ::bgv::Error as Scheme;
    match error {
        Scheme::Interrupted => Error::interrupted(),
        Scheme::TooDeep { .. } => Error::new(ErrorKind::Limit, error.to_string()),
        Scheme::InvalidParameters { .. } | Scheme::Insecure { .. } => {
            Error::new(ErrorKind::Usage, error.to_string())
        }
        other => Error::internal(other),
    }
}

/// One window, since nothing can be refreshed between two.
#[must_use]
pub fn in_one_window(mut task: Task) -> Task {
    task.limits.window = usize::MAX;
    task
}

/// Slots to ask for where there are `rows` rows.
#[must_use]
pub fn slots_for(rows: usize) -> usize {
    rows.min(MOST_SLOTS)
}

/// The target before there are parameters.
#[must_use]
pub fn profile_without_parameters(architectures: Architectures) -> Profile {
    engine::profile_without_parameters().with_architectures(architectures)
}

/// Refuses a program that is too deep for a key of these parameters, as a run of it would be. What
/// no run could do, and what is not known in time, is left to the run.
///
/// # Errors
/// [`ErrorKind::Limit`].
pub fn refuse_too_deep(
    program: &Program,
    task: &Task,
    parameters: &Parameters,
    with_public_key: bool,
    cancel: &Cancel,
) -> Result<(), Error> {
    let profile = engine::profile(parameters);
    let planned = |task: &Task| {
        let planned = PlannedCircuit::new(program, task, &profile, cancel).ok()?;
        let runs = planned.plan.obstacle().is_none() && planned.plan.question.is_none();
        runs.then_some(planned)
    };
    let task = in_one_window(task.clone());
    // As a run would be asked to do it.
    let both = || Task {
        branches: Branches {
            both: Some(Branches::MERGE_LIMIT),
            ..Branches::default()
        },
        ..task.clone()
    };
    let Some(planned) = planned(&task).or_else(|| planned(&both())) else {
        return Ok(());
    };
    let input = match with_public_key {
        true => Forecast::fresh_public,
        false => Forecast::fresh,
    };
    planned.forecast(program, parameters, input).map(drop)
}

/// A run's plan with its circuit, from which parameters are chosen.
#[derive(Debug)]
pub struct PlannedCircuit {
    /// The plan.
    pub plan: Plan,
    /// The only window's; empty if the plan ended before.
    pub circuit: Circuit,
}

impl PlannedCircuit {
    /// Plans a run, which is cut into no windows.
    ///
    /// # Errors
    /// Those of planning.
    pub fn new(
        program: &Program,
        task: &Task,
        profile: &Profile,
        cancel: &Cancel,
    ) -> Result<Self, Error> {
        let mut circuit = Builder::new(profile).finish();
        let plan =
            processor::plan_observed(program.image(), task, profile, cancel, &mut |window| {
                circuit = window.clone();
            });
        let plan = plan.map_err(|error| program.error(&error))?;
        Ok(Self { plan, circuit })
    }

    /// Refuses what no run could do.
    ///
    /// # Errors
    /// Those of a run, [`ErrorKind::Secret`] for a question.
    pub fn refuse_obstacles(&self, program: &Program) -> Result<(), Error> {
        refuse_obstacles(program, &self.plan, Some(BgvSlots::UNANSWERED))
    }

    /// The deepest output.
    #[must_use]
    pub fn deepest(&self) -> Option<&OutputPlan> {
        // The first of those that are as deep.
        let outputs = self.plan.outputs.iter().rev();
        outputs.max_by_key(|output| output.depth)
    }

    /// What evaluation comes to with a key of these parameters, for inputs that come so, by their
    /// numbers.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if it is too deep.
    pub fn forecast(
        &self,
        program: &Program,
        parameters: &Parameters,
        input: fn(&Parameters, u64) -> Forecast,
    ) -> Result<CircuitForecast, Error> {
        engine::forecast_of(&self.circuit, parameters, input).map_err(|error| {
            let TooDeep { depth, limit, .. } = *error;
            let of = format!("a key of {}", parameters.name());
            self.too_deep(program, depth, limit, &of)
        })
    }

    /// The smallest parameters with a slot for each of `rows` rows, or with the most slots.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] if there are none.
    pub fn choose(&self, program: &Program, rows: usize) -> Result<Choice, Error> {
        let rows = slots_for(rows);
        engine::choose(&self.circuit, rows, Security::Bits128).map_err(|found| match found {
            ::bgv::Error::TooDeep { depth, most, .. } => {
                let of = format!("128 bits of security with {rows} slots");
                self.too_deep(program, depth, most, &of)
            }
            other => error(other),
        })
    }

    fn too_deep(&self, program: &Program, depth: u32, limit: u32, of: &str) -> Error {
        let deepest = self.deepest().map_or_else(String::new, |output| {
            format!(
                "; the deepest output is {} with {}",
                output.name, output.depth
            )
        });
        // The limit is that of sums of two: longer sums between products make more noise.
        let why = match depth > limit {
            true => format!("{of} allows about {limit}{deepest}"),
            false => format!(
                "the sums between them make more noise than {of} holds, which allows about {limit} where sums are \
                 short{deepest}"
            ),
        };
        let message = format!(
            "{}: the circuit is {depth} ANDs deep, and {why}; there is no refresh in BGV: shorten chains of \
             dependent steps, or use TFHE",
            program.name()
        );
        Error::new(ErrorKind::Limit, message)
    }
}
