//! A program: what of it is secret, what is public, and how it is executed.

use std::path::Path;
use std::sync::Arc;

use ::values::Assignment;
use circuits::Circuit;
use circuits::formats::{Interface, Port};
use engines::tfhe_lookup::{self, calibrate_on};
use processor::{Bit, Branches, Content, LockstepError, lockstep};
use session::evaluator::{Estimate, Given, Target, place};
use session::owner::{Decrypted, undefined_outputs};
use session::profile::Profiled;
use session::program::{Execution, Place, Placed, bits_of_whole, refuse_overlaps, whole};
use session::schemes::tfhe::Selectors;
use session::schemes::{self, Adapter};
use session::{Control, Error, ErrorKind, Progress};
use tfhe::Fft;

use crate::{
    Answer, Drawing, Inputs, Outputs, Plan, Profile, Run, ServerKey, TablePlan, Value, Values,
};

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
/// assert!(program.image().variable("total").is_ok() && program.name().ends_with(".elf"));
/// assert!(program.bytes().starts_with(b"\x7fELF") && program.messages().is_empty());
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

    /// Compiles a C file with these options (`-I`, `-D` and the like) by this compiler, or by the
    /// one that is there, as [`open`](Self::open) does without options.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::Program`] with what the compiler says, [`ErrorKind::Usage`]
    /// if what is asked for is no compiler.
    ///
    /// ```
    /// use blindcore::{ErrorKind, Program};
    ///
    /// let none = Program::compile("nowhere.c", &[], None).unwrap_err();
    /// assert_eq!(none.kind, ErrorKind::Io);
    /// ```
    pub fn compile(
        path: impl AsRef<Path>,
        options: &[String],
        compiler: Option<&str>,
    ) -> Result<Self, Error> {
        session::Program::compile(path.as_ref(), options, compiler).map(Self::of)
    }

    /// What the processor executes: its variables, functions and lines.
    #[must_use]
    pub fn image(&self) -> &processor::Program {
        self.program.image()
    }

    /// Its file: an ELF of the compiler's if it came from C.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.program.bytes()
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        self.program.name()
    }

    /// What a compiler said about the source; empty if nothing was compiled.
    #[must_use]
    pub fn messages(&self) -> &str {
        self.program.messages()
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
    /// [`ErrorKind::Input`] for a variable that the program has not, or for a type that is none or
    /// has not its length.
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Control, Keys, Program, Values};
    ///
    /// // A word of assembly has no sign unless you say so.
    /// let text = b".bits 16\n.data age\n LOAD R0, age\n ADD R0, R0, 1\n STORE R0, age";
    /// let program = Program::from_bytes("older.hea", text)?.secret(["age:i16"])?.outputs(["age:i16"]);
    /// let values = Values::new().set("age", -5);
    /// assert_eq!(program.simulate(&values, &Control::default())?.get::<i16>("age")?, -4);
    /// let keys = Keys::generate()?;
    /// let outputs = program.run(&keys.server, &keys.secret.encrypt(&program, &values)?)?;
    /// assert_eq!(keys.secret.decrypt(&outputs)?.get::<i16>("age")?, -4);
    /// # Ok(())
    /// # }
    /// ```
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
    /// moment. It counts on a server key with [selectors](crate::ServerKey::selectors); without
    /// them a run may take up to three times as many bootstraps.
    ///
    /// # Errors
    /// Those of a run that can be known without secrets: a fault, a limit.
    pub fn plan(&self) -> Result<Plan, Error> {
        self.plan_on(&Control::default())
    }

    /// As [`plan`](Self::plan), for a run on so many threads, until somebody cancels.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan), and [`ErrorKind::Interrupted`].
    pub fn plan_on(&self, control: &Control) -> Result<Plan, Error> {
        let task = self.task()?;
        let parameters = tfhe::P16;
        let target = counting_on_selectors(control);
        let image = self.program.image();
        let planned =
            schemes::tfhe::plan_until(image, &task, &parameters, &target, &control.cancel)
                .map_err(|error| self.program.error(&error))?;
        let calibration = calibrate_on(&parameters, Fft::detect()).map_err(Error::internal)?;
        let estimate = Estimate::new(&planned.plan, &parameters, control.threads, &calibration);
        let plan = planned.plan;
        Ok(Plan { plan, estimate })
    }

    /// What a run over a table of so many rows would cost on BGV, with parameters chosen for this program.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan), and [`ErrorKind::Limit`] for a program that is too deep.
    pub fn plan_table(&self, rows: usize, control: &Control) -> Result<TablePlan, Error> {
        TablePlan::new(self, rows, control)
    }

    /// The task of a run.
    pub(crate) fn task(&self) -> Result<processor::Task, Error> {
        self.program.task(&self.execution, self.declared()?)
    }

    /// Which functions and source lines the bootstraps of [`plan`](Self::plan) are for. Lines are known
    /// of programs that were compiled with `-g`.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan).
    pub fn profile(&self) -> Result<Profile, Error> {
        self.profile_on(&Control::default())
    }

    /// As [`profile`](Self::profile), for a run on so many threads, until somebody cancels.
    ///
    /// # Errors
    /// As for [`plan_on`](Self::plan_on).
    pub fn profile_on(&self, control: &Control) -> Result<Profile, Error> {
        let task = self.task()?;
        let image = self.program.image();
        let error = |error| self.program.error(&error);
        let (target, cancel) = (counting_on_selectors(control), &control.cancel);
        let planned = schemes::tfhe::plan_until(image, &task, &tfhe::P16, &target, cancel);
        let chosen = planned.map_err(error)?.profile();
        let found = Profiled::new(image, &task, &chosen, cancel).map_err(error)?;
        Ok(Profile {
            found,
            program: self.program.clone(),
            threads: control.threads,
        })
    }

    /// What a window of a run became, counted from 0: the circuit that is evaluated between one
    /// checkpoint and the next, its inputs and outputs bit by bit (`i0`, `o0`). Most programs are a
    /// single window, whose inputs are the bits of the secret variables in their order.
    ///
    /// # Errors
    /// As for [`plan_on`](Self::plan_on); [`ErrorKind::Usage`] for a window that is not planned.
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Control, ErrorKind, Program};
    ///
    /// let text = b".bits 16\n.data a\n LOAD R0, a\n ADD R0, R0, 5\n STORE R0, a";
    /// let program = Program::from_bytes("five.hea", text)?.secret(["a"])?;
    /// let drawing = program.window(0, &Control::default())?;
    /// assert_eq!(drawing.circuit().inputs(), 16);
    /// assert_eq!(program.window(1, &Control::default()).unwrap_err().kind, ErrorKind::Usage);
    /// # Ok(())
    /// # }
    /// ```
    pub fn window(&self, number: usize, control: &Control) -> Result<Drawing, Error> {
        let task = self.task()?;
        let image = self.program.image();
        let error = |error| self.program.error(&error);
        let (target, cancel) = (counting_on_selectors(control), &control.cancel);
        let planned = schemes::tfhe::plan_until(image, &task, &tfhe::P16, &target, cancel);
        let profile = planned.map_err(error)?.profile();
        let (mut windows, mut found) = (0, None);
        let mut observe = |circuit: &Circuit| {
            if windows == number {
                found = Some(circuit.clone());
            }
            windows += 1;
        };
        processor::plan_observed(image, &task, &profile, cancel, &mut observe).map_err(error)?;
        let Some(circuit) = found else {
            let message = format!("window {number}: there are {windows}, counted from 0");
            return Err(Error::new(ErrorKind::Usage, message));
        };
        let bits = |letter: char, count: usize| {
            let ports = (0..count).map(|bit| Port::new(format!("{letter}{bit}"), 1));
            ports.collect()
        };
        let interface = Interface {
            name: self.name().to_owned(),
            inputs: bits('i', circuit.inputs()),
            outputs: bits('o', circuit.outputs().len()),
        };
        Drawing::new(interface, circuit)
    }

    /// Runs on clear values, without keys: the circuits that a run would evaluate, compared after
    /// every instruction with a plain interpreter. Questions are answered by the interpreter.
    ///
    /// # Errors
    /// Those of a run; [`ErrorKind::Internal`] where the two differ.
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Control, Program, Values};
    ///
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/salaries/salaries.elf");
    /// let program = Program::open(path)?.public("count", 3)?;
    /// let values = Values::new().set("salary", [5200, 4100, 3950]);
    /// let answer = program.simulate(&values, &Control::default())?;
    /// assert_eq!(answer.get::<u32>("total")?, 13250);
    /// # Ok(())
    /// # }
    /// ```
    pub fn simulate(&self, values: &Values, control: &Control) -> Result<Answer, Error> {
        self.check_names(values.names())?;
        let call = self.execution.call.as_ref();
        let mut placed = Vec::new();
        let mut arguments = Vec::new();
        let mut bits = Vec::new();
        for assignment in self.program.take_apart(self.typed(values))? {
            let ty = assignment.ty.as_ref();
            let named = self.program.find_input(&assignment.name, ty, call)?;
            let (bytes, _) = whole(&named, &assignment)?;
            let own = bits_of_whole(&named, &bytes);
            match named.place {
                Place::Memory(_) => bits.extend(own),
                Place::Argument(position) => arguments.push((position, own)),
            }
            placed.push((named, Content::Secret));
        }
        // Memory as it was given, then arguments by their position.
        arguments.sort_unstable();
        bits.extend(arguments.into_iter().flat_map(|(_, own)| own));
        placed.extend(self.public_values()?);
        refuse_overlaps(placed.iter().map(|(named, _)| (named, "")))?;
        let task = self.program.task(&self.execution, placed)?;

        let observer = control.observer.clone().map(|observer| {
            let tell = move |progress| observer(Progress::Run { batch: 0, progress });
            Arc::new(tell) as processor::Observer
        });
        let control = processor::Control {
            observer,
            cancel: control.cancel.clone(),
            ..processor::Control::default()
        };
        let profile = tfhe_lookup::profile(&tfhe::P16).for_wide_circuits();
        let name = self.program.name();
        let agreed =
            lockstep(self.program.image(), &task, &bits, &profile, &control).map_err(|error| {
                match error {
                    LockstepError::Run(error) => self.program.error(&error),
                    LockstepError::Difference(ref difference) => match difference.undefined {
                        Some(output) => undefined_outputs(name, output),
                        None => Error::internal(format!("{name}: {error}")),
                    },
                    error => Error::new(ErrorKind::Program, format!("{name}: {error}")),
                }
            })?;
        if !self.default_zero {
            self.program.refuse_missing(&agreed.unset)?;
        }
        let values = agreed.outputs.into_iter().map(|output| {
            let bits = output.bits.iter();
            let bits = bits.map(|bit| matches!(bit, Bit::Clear(true)));
            let (name, kind) = (output.name, output.ty);
            (wire::Variable { name, kind }, bits.collect())
        });
        Decrypted::of_row(name, values.collect()).map(|row| Answer::new(vec![row]))
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
            let (bytes, _) = whole(&named, assignment)?;
            Ok((named, Content::Clear(bytes)))
        });
        values.collect()
    }

    /// Values with the types that their variables were declared to have, where they were.
    pub(crate) fn typed(&self, values: &Values) -> Vec<Assignment> {
        let mut assignments = values.assignments();
        for assignment in &mut assignments {
            let types = self.secret.iter().filter_map(|text| text.split_once(':'));
            let mut own = types.filter(|(name, _)| *name == assignment.name);
            // They were read when they were declared.
            assignment.ty = own.next().and_then(|(_, ty)| ty.parse().ok());
        }
        assignments
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
        // A structure stands for its members, and they for it.
        let part = |part: &str, whole: &str| {
            let rest = part.strip_prefix(whole);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let same = |one: &str, other: &str| part(one, other) || part(other, one);
        if let Some(missing) = secret
            .iter()
            .find(|name| !given.iter().any(|own| same(own, name)))
        {
            return wrong(format!("{missing}: there is no value for it"));
        }
        if let Some(other) = given
            .iter()
            .find(|name| !secret.iter().any(|own| same(own, name)))
        {
            return wrong(format!("{other}: it is not among the secret variables"));
        }
        Ok(())
    }
}

/// What plans are made for: keys as `Keys::generate` makes them, of two parts.
fn counting_on_selectors(control: &Control) -> Target {
    Target {
        selectors: Selectors::Beside,
        ..Target::of(control)
    }
}
