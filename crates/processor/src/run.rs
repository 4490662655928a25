//! A run on ciphertexts.

use std::fmt;
use std::sync::Arc;

use circuits::exec::{Begin, Cancel, ExecError, Keeper, Partial, run_kept};
use circuits::{Circuit, Gates, Pool, passes};

use crate::error::RunError;
use crate::execution::{EndBit, Evaluate, Execution, Query, QueryBit, Window};
use crate::host::{Answer, Checkpoint, Host, Nobody, Part, Question, Start};
use crate::plan::{Plan, operations, plan_until};
use crate::program::Program;
use crate::state::{State, StateError};
use crate::task::Task;
use values::Type;

/// Results of the thousand operations that a bounded run may be ahead of the program's order
/// ([`Pool::keeping`]): a few have four, most one.
const REACH: usize = 2048;

/// A bit of an output.
#[derive(Debug)]
pub enum Bit<B> {
    /// Known: the program computed it without secrets.
    Clear(bool),
    /// A ciphertext.
    Secret(Arc<B>),
}

impl<B> Clone for Bit<B> {
    fn clone(&self) -> Self {
        match self {
            Self::Clear(value) => Self::Clear(*value),
            Self::Secret(bit) => Self::Secret(Arc::clone(bit)),
        }
    }
}

/// A wanted output with its bits.
#[derive(Clone, Debug)]
pub struct Output<B> {
    /// The variable's name, or the function's for the result of a call.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its bits in the order of [`values`].
    pub bits: Vec<Bit<B>>,
}

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct Outcome<B> {
    /// The outputs: the wanted variables, then the result of a call.
    pub outputs: Vec<Output<B>>,
    /// Executed instructions.
    pub instructions: u64,
}

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The window being evaluated, from 0.
    pub window: usize,
    /// How many there will be.
    pub windows: usize,
    /// Whether the numbers of what will be are those of the whole run. A run that asks knows only
    /// what comes before its first question, and exceeds them afterwards.
    pub end_known: bool,
    /// Instructions whose nodes have been evaluated so far; within a window by its share of nodes,
    /// since instructions overlap there.
    pub instructions: u64,
    /// Instructions executed so far; those on secret data may not have been evaluated yet.
    pub executed: u64,
    /// How many will be.
    pub instructions_planned: u64,
    /// Nodes evaluated so far.
    pub nodes: usize,
    /// How many will be.
    pub nodes_planned: usize,
}

/// Told how far a run is, often, from whichever thread just finished something.
pub type Observer = Arc<dyn Fn(Progress) + Send + Sync>;

/// How to run: threads, an observer, a way to stop.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use blindcore_processor::{
///     Content, Control, Input, Observer, Outcome, Output, Program, Progress, Task, plan, run_planned,
/// };
/// use circuits::exec::Cancel;
/// use circuits::{Profile, sim::Simulator};
///
/// let program = Program::load(b".data a\n LOAD R0, a\n ADD R0, R0, 5\n STORE R0, a")?;
/// let secret = Input { variable: program.variable("a")?.clone(), content: Content::Secret };
/// let task = Task { inputs: vec![secret], ..Task::default() };
///
/// let last: Arc<Mutex<Option<Progress>>> = Arc::default();
/// let watched = Arc::clone(&last);
/// let observer: Observer = Arc::new(move |progress| *watched.lock().unwrap() = Some(progress));
/// let control = Control {
///     threads: 1,
///     observer: Some(observer),
///     cancel: Cancel::new(),
///     memory: Some(1 << 20),
/// };
///
/// let profile = Profile::lookup_simulation();
/// let plan = plan(&program, &task, &profile)?;
/// let bits = (0..32).map(|at| Arc::new(37u64 >> at & 1)).collect();
/// let outcome: Outcome<u64> = run_planned(&program, &task, &Simulator::new(profile), bits, &control, &plan)?;
/// let output: &Output<u64> = &outcome.outputs[0];
/// assert_eq!((&*output.name, output.bits.len()), ("a", 32));
/// let last = last.lock().unwrap().expect("one for each batch");
/// assert_eq!((last.nodes, last.end_known), (last.nodes_planned, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Control {
    /// Worker threads; 0 takes as many as the machine has.
    pub threads: usize,
    /// Who watches.
    pub observer: Option<Observer>,
    /// The run ends with [`RunError::Cancelled`] soon after this is cancelled.
    pub cancel: Cancel,
    /// Bytes that ciphertexts should take at most. Where parallelism would take more, operations go
    /// by the program's order instead, which keeps what the program itself holds and little else;
    /// what that takes ([`WindowPlan::cost`](crate::WindowPlan::cost)) no bound can make less.
    /// `None` takes what parallelism brings.
    pub memory: Option<u64>,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("threads", &self.threads)
            .field("observed", &self.observer.is_some())
            .field("cancel", &self.cancel)
            .field("memory", &self.memory)
            .finish()
    }
}

/// Runs a program on ciphertexts.
///
/// `secrets` are the bits that [`Task::secrets`] lists, in its order; each is freed at its last
/// use, unless the caller holds on to it. The program is planned first, so that [`Progress`] knows
/// the end and nothing is evaluated for a program that would stop at a secret branch.
///
/// Time and memory accesses depend on the program, its clear data and the engine, not on secrets.
///
/// # Errors
/// See [`RunError`].
pub fn run<G: Gates>(
    program: &Program,
    task: &Task,
    engine: &G,
    secrets: Vec<Arc<G::Bit>>,
    control: &Control,
) -> Result<Outcome<G::Bit>, RunError> {
    check_count(task, &secrets)?;
    let planned = plan_until(program, task, engine.profile(), &control.cancel)?;
    run_planned(program, task, engine, secrets, control, &planned)
}

fn check_count<B>(task: &Task, secrets: &[Arc<B>]) -> Result<(), RunError> {
    let (expected, given) = (task.secret_bits(), secrets.len());
    if expected == given {
        Ok(())
    } else {
        Err(RunError::SecretCount { expected, given })
    }
}

/// Runs a program that was planned before, as [`run`] does: for callers that show the plan first.
///
/// `planned` must come from [`plan`](crate::plan()) with the same program, task and profile;
/// another one makes [`Progress`] meaningless, not the result.
///
/// # Errors
/// See [`RunError`].
pub fn run_planned<G: Gates>(
    program: &Program,
    task: &Task,
    engine: &G,
    secrets: Vec<Arc<G::Bit>>,
    control: &Control,
    planned: &Plan,
) -> Result<Outcome<G::Bit>, RunError> {
    Run::new(program, task, engine)
        .control(control)
        .planned(planned)
        .start(Start::Fresh(secrets))
}

/// Somebody who evaluates the windows of a run in place of this machine alone.
///
/// ```
/// use std::sync::Arc;
///
/// use blindcore_processor::{Content, Input, Program, Run, RunError, Solver, Start, Task, WindowRun};
/// use circuits::{Gates as _, Pool, Profile, run, sim::Simulator};
///
/// /// Counts what it evaluates.
/// struct Counting<'a>(&'a Simulator, usize);
///
/// impl Solver<Simulator> for Counting<'_> {
///     fn solve(&mut self, window: &WindowRun<'_>, inputs: Vec<Arc<u64>>, pool: &Pool) -> Result<Vec<Arc<u64>>, RunError> {
///         assert_eq!(window.number, 0);
///         self.1 += window.circuit.len();
///         Ok(run(self.0, window.circuit, &inputs, pool)?)
///     }
/// }
///
/// let program = Program::load(b".data a\n LOAD R0, a\n ADD R0, R0, 5\n STORE R0, a")?;
/// let secret = Input { variable: program.variable("a")?.clone(), content: Content::Secret };
/// let task = Task { inputs: vec![secret], ..Task::default() };
/// let engine = Simulator::new(Profile::lookup_simulation());
/// let bits = (0..32).map(|at| Arc::new(37u64 >> at & 1)).collect();
/// let mut counting = Counting(&engine, 0);
/// Run::new(&program, &task, &engine).solver(&mut counting).start(Start::Fresh(bits))?;
/// assert!(counting.1 > 32);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Solver<G: Gates> {
    /// Evaluates a window's circuit; the outputs must be those that [`circuits::run`] would give.
    ///
    /// # Errors
    /// Why it could not, which ends the run.
    fn solve(
        &mut self,
        window: &WindowRun<'_>,
        inputs: Vec<Arc<G::Bit>>,
        pool: &Pool,
    ) -> Result<Vec<Arc<G::Bit>>, RunError>;
}

/// A window that is to be evaluated.
#[derive(Clone, Copy, Debug)]
pub struct WindowRun<'a> {
    /// Which, from 0 at the program's beginning.
    pub number: usize,
    /// What.
    pub circuit: &'a Circuit,
}

/// A run that is set up: with somebody who answers the program's questions, keeps its checkpoints
/// and takes what it writes; under some control; towards the end of a plan. What is not said is
/// [`Nobody`], [`Control::default`], none.
pub struct Run<'a, G: Gates> {
    program: &'a Program,
    task: &'a Task,
    engine: &'a G,
    host: Option<&'a mut dyn Host<G::Bit>>,
    solver: Option<&'a mut dyn Solver<G>>,
    control: Option<&'a Control>,
    planned: Option<&'a Plan>,
    expected: Option<Expected>,
}

/// What a run is expected to come to, for [`Progress`]: what a [`Plan`] says, for those who keep no more of
/// it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expected {
    /// Windows.
    pub windows: usize,
    /// Instructions.
    pub instructions: u64,
    /// Nodes, as [`Progress::nodes`] counts them.
    pub nodes: usize,
    /// Whether that is the program's end, and not only its first question.
    pub is_end: bool,
}

impl From<&Plan> for Expected {
    fn from(plan: &Plan) -> Self {
        Self {
            windows: plan.windows.len(),
            instructions: plan.instructions,
            nodes: plan.nodes(),
            is_end: plan.complete,
        }
    }
}

impl<'a, G: Gates> Run<'a, G> {
    /// A run of the program on an engine.
    pub fn new(program: &'a Program, task: &'a Task, engine: &'a G) -> Self {
        Self {
            program,
            task,
            engine,
            host: None,
            solver: None,
            control: None,
            planned: None,
            expected: None,
        }
    }

    /// The world outside.
    #[must_use]
    pub fn host(self, host: &'a mut dyn Host<G::Bit>) -> Self {
        let host = Some(host);
        Self { host, ..self }
    }

    /// Who evaluates windows, in place of this machine alone. Parts of windows are not kept then.
    #[must_use]
    pub fn solver(self, solver: &'a mut dyn Solver<G>) -> Self {
        let solver = Some(solver);
        Self { solver, ..self }
    }

    /// Threads, observer, a way to stop.
    #[must_use]
    pub fn control(self, control: &'a Control) -> Self {
        let control = Some(control);
        Self { control, ..self }
    }

    /// The plan that [`Progress`] counts towards; a program with an [obstacle](Plan::obstacle) is
    /// not begun. It must come from [`plan`](crate::plan()) with the same program, task and
    /// profile. Without it [`Progress::end_known`] is false.
    #[must_use]
    pub fn planned(self, plan: &'a Plan) -> Self {
        let (planned, expected) = (Some(plan), Some(plan.into()));
        Self {
            planned,
            expected,
            ..self
        }
    }

    /// As [`planned`](Self::planned), of a plan that had no obstacle, and of which no more was kept.
    #[must_use]
    pub fn expecting(self, expected: Expected) -> Self {
        let expected = Some(expected);
        Self { expected, ..self }
    }

    /// Runs, from the beginning or from a checkpoint.
    ///
    /// Time and memory accesses depend on the program, its clear data, the engine and the answers,
    /// not on anything else that is secret.
    ///
    /// # Errors
    /// See [`RunError`]; an error of the host is [`RunError::Host`].
    pub fn start(self, start: Start<G::Bit>) -> Result<Outcome<G::Bit>, RunError> {
        let control = Control::default();
        let mut nobody = Nobody;
        let Self {
            program,
            task,
            engine,
            ..
        } = self;
        let host = match self.host {
            Some(host) => host,
            None => &mut nobody,
        };
        let control = self.control.unwrap_or(&control);
        if let Some(obstacle) = self.planned.and_then(Plan::obstacle) {
            return Err(obstacle);
        }
        run_hosted(
            (program, task, engine),
            start,
            host,
            self.solver,
            control,
            self.expected,
        )
    }
}

fn run_hosted<G: Gates>(
    (program, task, engine): (&Program, &Task, &G),
    start: Start<G::Bit>,
    host: &mut dyn Host<G::Bit>,
    solver: Option<&mut dyn Solver<G>>,
    control: &Control,
    expected: Option<Expected>,
) -> Result<Outcome<G::Bit>, RunError> {
    let expected = expected.unwrap_or_default();
    let mut progress = Progress {
        window: 0,
        windows: expected.windows,
        end_known: expected.is_end,
        instructions: 0,
        executed: 0,
        instructions_planned: expected.instructions,
        nodes: 0,
        nodes_planned: expected.nodes,
    };
    let mut base = [0; 32];
    let (mut execution, bits) = match start {
        Start::Fresh(secrets) => {
            check_count(task, &secrets)?;
            (Execution::new(program, task, engine.profile())?, secrets)
        }
        Start::Resumed { state, bits } => {
            let (expected, given) = (state.bits(), bits.len());
            if expected != given {
                let source = StateError::Count { expected, given };
                return Err(RunError::State { source });
            }
            let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
            progress.window = count(state.counters.windows);
            progress.instructions = state.counters.executed;
            progress.executed = state.counters.executed;
            progress.nodes = count(state.counters.nodes);
            base = hash_of(&state);
            let execution = Execution::resume(program, task, engine.profile(), &state)?;
            (execution, bits)
        }
    };
    let mut evaluator = Evaluator {
        engine,
        control,
        host,
        solver: match solver {
            Some(solver) => Some(solver),
            None => None,
        },
        bits,
        progress,
        base,
        begins: true,
    };
    let end = execution.run(&mut evaluator, &control.cancel)?;
    // A plan that ended at a question did not know the end.
    if end.outputs.is_empty() && end.written == 0 {
        return Err(RunError::NoOutput {
            entry: execution.entry().to_owned(),
        });
    }
    let bit = |bit: &EndBit| match *bit {
        EndBit::Clear(value) => Bit::Clear(value),
        EndBit::Secret(index) => Bit::Secret(Arc::clone(&evaluator.bits[index])),
    };
    let outputs = end.outputs.iter().map(|output| Output {
        name: output.name.clone(),
        ty: output.ty.clone(),
        bits: output.bits.iter().map(bit).collect(),
    });
    Ok(Outcome {
        outputs: outputs.collect(),
        instructions: end.instructions,
    })
}

/// Evaluates windows; `bits` are what the last one left, the inputs of the next.
struct Evaluator<'a, G: Gates> {
    engine: &'a G,
    control: &'a Control,
    host: &'a mut dyn Host<G::Bit>,
    solver: Option<&'a mut dyn Solver<G>>,
    bits: Vec<Arc<G::Bit>>,
    progress: Progress,
    /// Where the next window begins: a hash of the state; zeros at the program's beginning.
    base: [u8; 32],
    /// Whether the next window is the run's first.
    begins: bool,
}

/// A hash of a state that a run goes on from.
fn hash_of(state: &State) -> [u8; 32] {
    blake3::hash(&state.to_bytes()).into()
}

impl<G: Gates> Evaluator<'_, G> {
    /// Evaluates a window's circuit, from what was evaluated of it before; the host gets what is
    /// evaluated until it is done.
    fn evaluate(&mut self, circuit: &Circuit, pool: &Pool) -> Result<Vec<Arc<G::Bit>>, RunError> {
        // Handed over, so that the scheduler frees them at their last use.
        let inputs = std::mem::take(&mut self.bits);
        if let Some(solver) = &mut self.solver {
            let window = WindowRun {
                number: self.progress.window,
                circuit,
            };
            return solver.solve(&window, inputs, pool);
        }
        Ok(self.evaluate_here(circuit, inputs, pool)?)
    }

    fn evaluate_here(
        &mut self,
        circuit: &Circuit,
        inputs: Vec<Arc<G::Bit>>,
        pool: &Pool,
    ) -> Result<Vec<Arc<G::Bit>>, ExecError<G::Error>> {
        let inputs = Begin::Inputs(inputs);
        let begins = std::mem::take(&mut self.begins);
        let Some(every) = self.host.parts_every() else {
            return run_kept(self.engine, circuit, inputs, pool, None);
        };
        let window: [u8; 32] = blake3::Hasher::new()
            .update(&self.base)
            .update(&circuit.fingerprint())
            .finalize()
            .into();
        // Unless a checkpoint follows, the next one begins behind this one.
        self.base = window;
        let before = match begins {
            true => self.host.begun(&window),
            false => None,
        };
        let begin = before.map_or(inputs, |part| {
            Begin::Partial(Partial {
                evaluated: part.evaluated,
                values: part.values,
            })
        });
        let host = &mut *self.host;
        let mut keep = |Partial { evaluated, values }| {
            host.part(Part {
                window,
                evaluated,
                values,
            });
        };
        let keeper = Keeper::new(every, &mut keep);
        run_kept(self.engine, circuit, begin, pool, Some(keeper))
    }
}

impl<G: Gates> Evaluate for Evaluator<'_, G> {
    fn ask(&mut self, query: Query) -> Result<Option<Answer>, RunError> {
        let bit = |bit: &QueryBit| match *bit {
            QueryBit::Clear(value) => Some(Bit::Clear(value)),
            QueryBit::Secret { number, inverted } => {
                let bit = self.bits.get(number)?;
                Some(Bit::Secret(match inverted {
                    true => Arc::new(self.engine.not(bit)),
                    false => Arc::clone(bit),
                }))
            }
        };
        let bits: Option<Vec<_>> = query.bits.iter().map(bit).collect();
        let Some(bits) = bits else {
            return Err(RunError::LostBit);
        };
        let question = Question {
            number: query.number,
            site: query.site,
            address: query.address,
            asked: query.asked,
            bits,
        };
        let answer = self.host.ask(&question);
        answer.map(Some).map_err(|source| RunError::Host { source })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        let written = self.host.write(bytes);
        written.map_err(|source| RunError::Host { source })
    }

    fn window(&mut self, window: Window) -> Result<(), RunError> {
        let mut pool = Pool::new(self.control.threads).with_cancel(self.control.cancel.clone());
        if let Some(memory) = self.control.memory {
            let bits = memory / self.engine.profile().bytes_per_bit.max(1);
            let bits = usize::try_from(bits).unwrap_or(usize::MAX);
            // What the program's order keeps comes on top of what was computed ahead.
            let in_order = passes::peak_bits(&window.circuit) + REACH;
            pool = pool.with_bit_limit(bits.saturating_sub(in_order));
        }
        if let Some(observer) = &self.control.observer {
            let (observer, before) = (Arc::clone(observer), self.progress);
            observer(before);
            let instructions = window.instructions;
            pool = pool.with_progress(move |progress| {
                // An instruction's nodes are scattered over the window: a proportional share.
                let share = u128::from(instructions) * progress.done as u128;
                let share = share / progress.total.max(1) as u128;
                observer(Progress {
                    instructions: before.instructions + share as u64,
                    nodes: before.nodes + progress.done,
                    ..before
                });
            });
        }
        let outputs = self.evaluate(&window.circuit, &pool)?;
        // What the next window does not take is freed here.
        let kept = window.kept.iter();
        self.bits = kept.map(|index| Arc::clone(&outputs[*index])).collect();
        self.progress.instructions += window.instructions;
        self.progress.executed = self.progress.instructions;
        self.progress.nodes += operations(&window.circuit, &window.profile);
        self.progress.window += 1;
        if let Some(observer) = &self.control.observer {
            observer(self.progress);
        }
        Ok(())
    }

    fn executed(&mut self, instructions: u64) {
        self.progress.executed = instructions;
        if let Some(observer) = &self.control.observer {
            observer(self.progress);
        }
    }

    fn checkpoint(&mut self, save: &mut dyn FnMut() -> Option<State>) -> Result<(), RunError> {
        let Some(mut state) = save() else {
            return Ok(());
        };
        state.counters.windows = self.progress.window as u64;
        state.counters.nodes = self.progress.nodes as u64;
        if self.host.parts_every().is_some() {
            self.base = hash_of(&state);
        }
        let checkpoint = Checkpoint {
            state: &state,
            bits: &self.bits,
            progress: self.progress,
        };
        let kept = self.host.checkpoint(&checkpoint);
        kept.map_err(|source| RunError::Host { source })
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<ExecError<E>> for RunError {
    fn from(error: ExecError<E>) -> Self {
        match error {
            ExecError::Cancelled => Self::Cancelled,
            ExecError::Partial => Self::State {
                source: StateError::Malformed {
                    reason: ExecError::<E>::Partial.to_string(),
                },
            },
            error => Self::Evaluation {
                source: Box::new(error),
            },
        }
    }
}
