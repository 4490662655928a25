//! A program: what of it is secret, what is public, and how it is executed.

use std::path::Path;

use engines::tfhe_lookup::calibrate_on;
use processor::{Branches, Content};
use session::evaluator::{Estimate, Given, Target, place};
use session::program::{Execution, Placed};
use session::schemes::{self, Adapter};
use session::{Control, Error, ErrorKind};
use tfhe::Fft;

use crate::{Inputs, Outputs, Plan, Run, ServerKey, Value, Values};

/// A program with what is known of its run: which variables are secret, which public, where it
/// begins.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::Program;
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/salaries/salaries.elf");
/// let program = Program::open(path)?.secret(["salary"])?.public("count", 8)?;
/// assert!(program.plan()?.is_runnable());
/// # Ok(())
/// # }
/// ```
///
/// A function is called as if it were written in C, and a text of a few lines is a program, too:
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Branches, Otherwise, Program};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../crates/processor/tests/programs/calls.elf");
/// let score = Program::open(path)?.call("score(income, 25)")?.limit(1_000);
/// assert_eq!(score.plan()?.outputs().collect::<Vec<_>>(), ["calls", "score"]);
///
/// let text = b"
///     .data a
///     .data b
///     LOAD  R0, a     ; secret
///     CMP   R0, 10
///     B_LO  end       ; so is this
///     LOAD  R0, b     ; given by nobody
/// end:
///     STORE R0, a
/// ";
/// let program = Program::from_bytes("bound.hea", text)?
///     .secret(["a"])?
///     .outputs(["a"])
///     .missing_are_zero()
///     .branches(Branches { both: Some(100), otherwise: Otherwise::Refuse });
/// let plan = program.plan()?;
/// assert!(plan.is_runnable() && plan.leaks().is_empty());
/// // From a label on there is nothing to be asked.
/// let end = Program::from_bytes("bound.hea", text)?.secret(["R0"])?.entry("end");
/// assert_eq!(end.plan()?.bootstraps(), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) program: session::Program,
    pub(crate) execution: Execution,
    secret: Vec<String>,
    public: Values,
    pub(crate) default_zero: bool,
}

impl Program {
    /// Reads an A32 ELF file, as `arm-none-eabi-gcc` makes it, or a text in HE assembly.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::Program`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        session::Program::load(path.as_ref()).map(Self::of)
    }

    /// The program of these bytes, which messages call `name`.
    ///
    /// # Errors
    /// [`ErrorKind::Program`].
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        session::Program::from_bytes(Path::new(name), bytes).map(Self::of)
    }

    fn of(program: session::Program) -> Self {
        Self {
            program,
            execution: Execution::default(),
            secret: Vec::new(),
            public: Values::new(),
            default_zero: false,
        }
    }

    /// Names the variables whose values will be encrypted, `NAME` or `NAME:TYPE`. With names,
    /// encryption takes exactly these.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a variable that the program has not.
    pub fn secret<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Self, Error> {
        self.secret.extend(names.into_iter().map(Into::into));
        self.declared()?;
        Ok(self)
    }

    /// Gives a variable a value that everybody may know; the program's work on it costs nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a variable that the program has not, or a value that does not fit
    /// it.
    pub fn public(
        mut self,
        name: impl Into<String>,
        value: impl Into<Value>,
    ) -> Result<Self, Error> {
        self.public = self.public.set(name, value);
        self.declared()?;
        Ok(self)
    }

    /// Calls a function instead of `main`: `score(income, 25, &table)`. Names of arguments are
    /// secrets; the result is an output under the function's name.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for a text that is no call.
    pub fn call(mut self, call: &str) -> Result<Self, Error> {
        self.execution.call = Some(call.parse().map_err(Error::from)?);
        Ok(self)
    }

    /// Begins at a function or label instead of `main`.
    #[must_use]
    pub fn entry(mut self, symbol: impl Into<String>) -> Self {
        self.execution.entry = Some(symbol.into());
        self
    }

    /// Names the variables that are wanted, `NAME` or `NAME:TYPE`; by default all that the program
    /// wrote.
    #[must_use]
    pub fn outputs<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.execution.outputs = names.into_iter().map(Into::into).collect();
        self
    }

    /// What happens where the program branches on a secret; by default a run is refused.
    #[must_use]
    pub fn branches(mut self, branches: Branches) -> Self {
        self.execution.branches = branches;
        self
    }

    /// The most instructions that a run may execute, a hundred million by default.
    #[must_use]
    pub fn limit(mut self, instructions: u64) -> Self {
        self.execution.limits.instructions = instructions;
        self
    }

    /// Takes 0 for variables that the program reads and that nobody gave; by default a run of it is
    /// refused.
    #[must_use]
    pub fn missing_are_zero(mut self) -> Self {
        self.default_zero = true;
        self
    }

    /// What a run on TFHE would cost with the default parameters on this machine, measured for a
    /// moment.
    ///
    /// # Errors
    /// Those of a run that can be known without secrets: a fault, a limit.
    pub fn plan(&self) -> Result<Plan, Error> {
        let task = self.program.task(&self.execution, self.declared()?)?;
        let control = Control::default();
        let parameters = tfhe::P16;
        let planned = schemes::tfhe::plan(
            self.program.image(),
            &task,
            &parameters,
            &Target::of(&control),
        )
        .map_err(|error| self.program.error(&error))?;
        let calibration = calibrate_on(&parameters, Fft::detect()).map_err(Error::internal)?;
        let estimate = Estimate::new(&planned.plan, &parameters, control.threads, &calibration);
        let plan = planned.plan;
        Ok(Plan { plan, estimate })
    }

    /// Runs on ciphertexts, with all of the machine's threads. [`runner`](Self::runner) says more
    /// of how.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for ciphertexts of another key, [`ErrorKind::Secret`] for a program that
    /// branches on a secret, and what a program may do wrong.
    pub fn run(&self, key: &ServerKey, inputs: &Inputs) -> Result<Outputs, Error> {
        self.runner(key).run(inputs)
    }

    /// A run that is set up: threads, memory, progress, checkpoints.
    #[must_use]
    pub fn runner<'a>(&'a self, key: &'a ServerKey) -> Run<'a> {
        Run::new(self, key)
    }

    /// Secret and public variables.
    pub(crate) fn declared(&self) -> Result<Placed, Error> {
        let call = self.execution.call.as_ref();
        let mut declared = self.program.declared(&self.secret, call)?;
        declared.extend(self.public_values()?);
        Ok(declared)
    }

    fn public_values(&self) -> Result<Placed, Error> {
        let call = self.execution.call.as_ref();
        let assignments = self.program.take_apart(self.public.assignments())?;
        let values = assignments.iter().map(|assignment| {
            let named = self.program.find_input(&assignment.name, None, call)?;
            let (bytes, _) = session::program::whole(&named, assignment)?;
            Ok((named, Content::Clear(bytes)))
        });
        values.collect()
    }

    /// What goes where, and which variable of the inputs each secret of the task is.
    pub(crate) fn placed<A: Adapter>(
        &self,
        given: &Given<A>,
    ) -> Result<(Placed, Vec<usize>), Error> {
        let call = self.execution.call.as_ref();
        let (mut placed, places) =
            place(&self.program, call, &given.variables(), std::iter::empty())?;
        placed.extend(self.public_values()?);
        Ok((placed, places))
    }

    /// Refuses values that are not those of the secret variables, if these were named.
    pub(crate) fn check_names<'n>(
        &self,
        given: impl Iterator<Item = &'n str>,
    ) -> Result<(), Error> {
        if self.secret.is_empty() {
            return Ok(());
        }
        let given: Vec<&str> = given.collect();
        let named = |text: &'_ str| text.split(':').next().unwrap_or(text).to_owned();
        let secret: Vec<String> = self.secret.iter().map(|text| named(text)).collect();
        let wrong = |message| Err(Error::new(ErrorKind::Input, message));
        if let Some(missing) = secret.iter().find(|name| !given.contains(&name.as_str())) {
            return wrong(format!("{missing}: there is no value for it"));
        }
        if let Some(other) = given
            .iter()
            .find(|name| !secret.iter().any(|own| own == *name))
        {
            return wrong(format!("{other}: it is not among the secret variables"));
        }
        Ok(())
    }
}
