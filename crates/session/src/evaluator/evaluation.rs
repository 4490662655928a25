//! A program on an engine: what the runs of all batches have in common, and one batch's run.

use circuits::Gates;
use processor::{Host, Nobody, Start, Task};
use wire::variables_of;

use super::{Given, Planned, placed};
use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::program::Program;
use crate::schemes::{Adapter, Bits};

/// A program that was planned, and the engine that it runs on.
pub struct Evaluation<'a, A: Adapter> {
    /// The program.
    pub program: &'a Program,
    /// What to execute.
    pub task: &'a Task,
    /// Which variable of the inputs each secret of the task is.
    pub places: &'a [usize],
    /// Its plan.
    pub planned: &'a Planned,
    /// The engine, which came of the same plan.
    pub engine: A::Engine,
}

/// What a run of a batch left.
pub struct Ran<A: Adapter> {
    /// Its outputs.
    pub outputs: A::Outputs,
    /// Executed instructions.
    pub instructions: u64,
}

type Bit<A> = <<A as Adapter>::Engine as Gates>::Bit;

impl<A: Adapter> Evaluation<'_, A> {
    /// The ciphertexts of a batch in the order in which the task takes them.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] where they do not fit, [`ErrorKind::File`].
    pub fn secrets(&self, given: &Given<A>) -> Result<Bits<A>, Error> {
        let (name, _) = given.first()?;
        let bits = A::bits(&self.engine, given)?;
        let variables = variables_of(&given.inputs());
        placed(&variables, bits.into_iter(), self.task, self.places)
            .map_err(|error| Error::new(ErrorKind::Input, format!("{name}: {error}")))
    }

    /// Runs the program on one batch, from its beginning to its end; nobody answers questions.
    ///
    /// # Errors
    /// Those of a run.
    pub fn batch(&self, number: u32, given: &Given<A>, control: &Control) -> Result<Ran<A>, Error> {
        let start = Start::Fresh(self.secrets(given)?);
        self.run(number, given, start, &mut Nobody, control)
    }

    /// Runs the program on one batch, from its beginning or a checkpoint.
    ///
    /// # Errors
    /// Those of a run.
    pub fn run(
        &self,
        number: u32,
        given: &Given<A>,
        start: Start<Bit<A>>,
        host: &mut dyn Host<Bit<A>>,
        control: &Control,
    ) -> Result<Ran<A>, Error> {
        let plan = &self.planned.plan;
        let memory = A::memory(&self.engine, plan, control)?;
        let outcome = processor::Run::new(self.program.image(), self.task, &self.engine)
            .planned(plan)
            .host(host)
            .control(&control.of_run(number, memory))
            .start(start)
            .map_err(|error| self.program.error(&error))?;
        Ok(Ran {
            outputs: A::outputs(&self.engine, given, &outcome)?,
            instructions: outcome.instructions,
        })
    }
}
