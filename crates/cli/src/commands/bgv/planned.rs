//! A program's circuit for BGV, and the parameters that it asks for.

use bgv::{Forecast, Parameters, Security};
use circuits::exec::Cancel;
use circuits::library::Architectures;
use circuits::{Builder, Circuit, Profile};
use engines::bgv::{self as engine, Choice, CircuitForecast, TooDeep};
use processor::{OutputPlan, Plan, Task};

use super::super::uninterrupted;
use super::failure;
use crate::failure::{Code, Failure};
use session::Program;

/// No ring that parameters are chosen from has more slots; more rows than these come in batches.
const MOST_SLOTS: usize = 2048;

/// Slots to ask for where there are so many rows.
pub(super) fn slots_for(rows: usize) -> usize {
    rows.min(MOST_SLOTS)
}

/// A run's plan with its circuit.
pub(super) struct Planned {
    pub(super) plan: Plan,
    /// The only window's; empty if the plan ended before.
    pub(super) circuit: Circuit,
}

/// One window, since nothing can be refreshed between two.
pub(super) fn in_one_window(mut task: Task) -> Task {
    task.limits.window = usize::MAX;
    task
}

impl Planned {
    /// Plans a run, which is cut into no windows.
    pub(super) fn new(
        program: &Program,
        task: &Task,
        profile: &Profile,
        cancel: &Cancel,
    ) -> Result<Self, Failure> {
        let mut circuit = Builder::new(profile).finish();
        let plan =
            processor::plan_observed(program.image(), task, profile, cancel, &mut |window| {
                circuit = window.clone();
            });
        let plan = plan.map_err(|error| program.error(&error))?;
        Ok(Self { plan, circuit })
    }

    /// Refuses what no run could do.
    pub(super) fn check(&self, program: &Program) -> Result<(), Failure> {
        let who = "who would have to answer for all rows at once";
        uninterrupted::refuse_obstacles(program, &self.plan, who)
    }

    /// The deepest output.
    pub(super) fn deepest(&self) -> Option<&OutputPlan> {
        // The first of those that are as deep.
        let outputs = self.plan.outputs.iter().rev();
        outputs.max_by_key(|output| output.depth)
    }

    /// What evaluation comes to with a key of these parameters, for inputs that come so, by their numbers.
    pub(super) fn forecast(
        &self,
        program: &Program,
        parameters: &Parameters,
        input: fn(&Parameters, u64) -> Forecast,
    ) -> Result<CircuitForecast, Failure> {
        engine::forecast_of(&self.circuit, parameters, input).map_err(|error| {
            let TooDeep { depth, limit, .. } = *error;
            self.too_deep(
                program,
                depth,
                limit,
                &format!("a key of {}", parameters.name()),
            )
        })
    }

    /// The smallest parameters with a slot for each of so many rows, or with the most slots.
    pub(super) fn choose(&self, program: &Program, rows: usize) -> Result<Choice, Failure> {
        let rows = slots_for(rows);
        engine::choose(&self.circuit, rows, Security::Bits128).map_err(|error| match error {
            bgv::Error::TooDeep { depth, most, .. } => {
                let of = format!("128 bits of security with {rows} slots");
                self.too_deep(program, depth, most, &of)
            }
            other => failure(other),
        })
    }

    fn too_deep(&self, program: &Program, depth: u32, limit: u32, of: &str) -> Failure {
        let deepest = self.deepest().map_or_else(String::new, |output| {
            format!(
                "; the deepest output is {} with {}",
                output.name, output.depth
            )
        });
        // About so many, of sums of two: longer sums between them make more noise.
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
        Failure::new(Code::Limit, message)
    }
}

/// The target before there are parameters.
pub(super) fn profile(architectures: Architectures) -> Profile {
    engine::profile_without_parameters().with_architectures(architectures)
}
