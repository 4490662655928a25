//! Driving the machine: the loop over instructions and the windows it is cut into; `start` and
//! `finish` hold what comes before and after.
//!
//! A window is a circuit that is ready to be evaluated. Its inputs are the bits that the one before
//! left (for the first: the task's secrets), its outputs the live bits of the state, each once; the
//! last window's outputs are what the task wanted. Whether anything is evaluated is the business of
//! [`Evaluate`]: a plan counts, a run computes.
//!
//! A cut costs a refresh for every live bit that the window computed: noise is counted within one
//! circuit, so what crosses into the next must come with a noise that does not depend on where it
//! was made. Nor may two inputs share their noise: each knows how it was made ([`Provenance`]), and
//! what a window would compute again is the input that it was. That, and the results that are dead
//! but not yet known to be, are the price of memory; [`Limits::window`] is large for that reason.

mod branches;
mod finish;
mod reached;
mod start;
mod surveyed;
mod unset;

use std::collections::BTreeMap;

use a32::Instruction;
use circuits::exec::Cancel;
use circuits::passes::{self, Provenance};
use circuits::{Circuit, Profile, Wire};

use crate::error::{Obstacle, RunError, Site};
use crate::host::Answer;
use crate::listing::Touch;
use crate::machine::{Callers, Fault, Symbolic, flow};
use crate::plan::{Finding, ObjectPlan, PlannedQuestion, SelectionPlan};
use crate::program::{Program, reads_exceptions};
use crate::state::{Counters, State};
use crate::task::{Bound, Branches, Limits, Wanted};
use values::Type;

pub(crate) use branches::MERGE_LIMIT;
pub(crate) use branches::ask::{Query, QueryBit};
use branches::{Decided, Explored, Paths, PlanEnd};
use reached::Awaited;

/// How many instructions pass between two looks at the cancellation token and two reports: some
/// milliseconds of clear data.
const CANCEL_INTERVAL: u64 = 1 << 14;

/// The same on the paths of a secret branch, where joining takes the time.
const PATHS_INTERVAL: u64 = 1 << 7;

/// A circuit as it will be evaluated, with what it stands for.
pub(crate) struct Window {
    pub(crate) circuit: Circuit,
    /// The target, with the noise that this circuit's inputs have.
    pub(crate) profile: Profile,
    pub(crate) instructions: u64,
    /// The largest noise, within the target's limit and in its unit; 0 where it has none.
    pub(crate) worst_noise: f64,
    /// The outputs that the next window takes as its inputs, or that outputs refer to.
    pub(crate) kept: Vec<usize>,
}

/// Who takes the windows.
pub(crate) trait Evaluate {
    fn window(&mut self, window: Window) -> Result<(), RunError>;

    /// Whether to be told about every instruction.
    fn watches(&self) -> bool {
        false
    }

    /// Told before the first instruction and after each, but not within the paths of a branch of
    /// which both are executed. `executed` counts all instructions, those of such paths included.
    fn settled(&mut self, machine: &mut Symbolic, executed: u64) -> Result<(), RunError> {
        let _ = (machine, executed);
        Ok(())
    }

    /// Told now and then how many instructions were executed.
    fn executed(&mut self, instructions: u64) {
        let _ = instructions;
    }

    /// Told after a window that is not the last one. `save` gives the state that the next one
    /// begins with, its windows and nodes not counted; nothing where there is a time when a state
    /// has no form.
    fn checkpoint(&mut self, save: &mut dyn FnMut() -> Option<State>) -> Result<(), RunError> {
        let _ = save;
        Ok(())
    }

    /// Asks about bits that the last window left; `None` where there is nobody to ask and execution
    /// is to end.
    fn ask(&mut self, query: Query) -> Result<Option<Answer>, RunError>;

    /// Takes what the program wrote out.
    fn write(&mut self, bytes: &[u8]) -> Result<(), RunError>;
}

/// Why an instruction could not simply be executed.
enum Pause {
    /// It is a branch, and whether it is taken is secret.
    Condition(Wire),
    /// It jumps to a secret address.
    Target,
    /// It wrote these bytes out.
    Written(Vec<u8>),
    /// On a path, a function calls itself beyond its bound, or a loop goes on.
    Exceeded,
    /// Two paths do not become one.
    Unmerged(Obstacle),
    /// It cannot be executed.
    Error(RunError),
}

impl From<RunError> for Pause {
    fn from(error: RunError) -> Self {
        Self::Error(error)
    }
}

/// A bit of an output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum EndBit {
    Clear(bool),
    /// An output of the last window.
    Secret(usize),
}

pub(crate) struct EndOutput {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) bits: Vec<EndBit>,
}

/// What execution comes to.
pub(crate) struct End {
    pub(crate) instructions: u64,
    pub(crate) secret_instructions: u64,
    pub(crate) findings: Vec<Finding>,
    /// Where a plan ends because somebody would be asked.
    pub(crate) question: Option<PlannedQuestion>,
    pub(crate) complete: bool,
    /// Bytes written out.
    pub(crate) written: u64,
    pub(crate) outputs: Vec<EndOutput>,
}

/// The result of the call, when its type is known to exist.
struct CallResult {
    name: String,
    ty: Type,
}

/// A program under execution.
pub(crate) struct Execution<'p> {
    program: &'p Program,
    /// Where it began, for people.
    entry: String,
    wanted: &'p Wanted,
    limits: Limits,
    branches: Branches,
    bounds: &'p [Bound],
    /// Who may end it before it ends.
    cancel: Cancel,
    machine: Symbolic,
    paths: Paths,
    /// Answered questions.
    questions: u64,
    /// Bytes written out.
    written: u64,
    /// Returning here ends the program; no memory is there.
    sentinel: u32,
    stack: u32,
    result: Option<CallResult>,
    /// Where execution begins before `main`.
    awaited: Option<Awaited>,
    note: bool,
    /// What was found so far, where everything is to be.
    survey: Option<Box<Explored>>,
    executed: u64,
    secret: u64,
    /// `executed` when the window began.
    window_start: u64,
}

impl<'p> Execution<'p> {
    /// Makes secret branches and addresses findings instead of errors.
    pub(crate) fn noting_secret_uses(mut self) -> Self {
        self.note = true;
        self.machine.note_secret_addresses();
        self
    }

    /// Has everything charged to the instructions that it is recorded for.
    pub(crate) fn charging(mut self) -> Self {
        let functions = self.program.functions().iter();
        let entries = functions.map(|function| function.address & !1).collect();
        self.machine.charge_from(self.machine.pc, entries);
        self
    }

    /// Which instructions of which calls that was.
    pub(crate) fn into_callers(self) -> Callers {
        self.machine.into_callers()
    }

    /// The name of the place where execution began.
    pub(crate) fn entry(&self) -> &str {
        &self.entry
    }

    /// The accesses at secret addresses, by the instruction's address.
    pub(crate) fn selections(&self) -> Vec<SelectionPlan> {
        let selected = self.machine.selected.iter();
        selected
            .map(|((pc, access), selected)| SelectionPlan {
                site: self.site(*pc),
                access: *access,
                bytes: selected.bytes,
                times: selected.times,
                operations: selected.operations,
                objects: selected
                    .objects
                    .iter()
                    .map(|object| ObjectPlan {
                        name: object.name.clone(),
                        address: object.start,
                        size: object.size,
                    })
                    .collect(),
            })
            .collect()
    }

    /// Paths that ended in a fault, and why.
    pub(crate) fn faults(&self) -> &[(Site, String)] {
        &self.paths.faults
    }

    /// The branches at which loops ended at their bounds.
    pub(crate) fn bounded(&self) -> Vec<Site> {
        let mut addresses: Vec<u32> = self.paths.bounded.iter().copied().collect();
        addresses.sort_unstable();
        addresses.into_iter().map(|pc| self.site(pc)).collect()
    }

    /// The machine, and the address that ends the program when it returns there.
    pub(crate) fn machine(&mut self) -> (&mut Symbolic, u32) {
        (&mut self.machine, self.sentinel)
    }

    /// The executed addresses.
    pub(crate) fn touched(&self) -> BTreeMap<u32, Touch> {
        self.machine.code.touched().collect()
    }

    /// Executes to the end.
    pub(crate) fn run(
        &mut self,
        evaluate: &mut dyn Evaluate,
        cancel: &Cancel,
    ) -> Result<End, RunError> {
        self.cancel = cancel.clone();
        let watched = evaluate.watches();
        let mut next = if self.machine.pending.is_empty() {
            Ok(())
        } else {
            self.answer(evaluate).map(|_| ())
        };
        loop {
            if self.paths.are_open() && next.is_ok() {
                next = self.settle();
            }
            if let Err(pause) = next {
                match self.resolve(pause, evaluate)? {
                    Decided::On => next = Ok(()),
                    Decided::Ends(end) => return self.stop(evaluate, end),
                }
                continue;
            }
            if watched && !self.paths.are_open() {
                evaluate.settled(&mut self.machine, self.executed)?;
            }
            if self.machine.pc == self.sentinel || self.machine.finished {
                break;
            }
            if self.machine.nodes() >= self.limits.window && !self.paths.are_open() {
                self.cut(evaluate)?;
            }
            next = self.step();
            // An instruction on secrets may record a selection over a large object.
            // On paths an instruction is as many as there are paths, and each on secrets.
            let is_due = self.executed.is_multiple_of(CANCEL_INTERVAL)
                || (self.paths.are_open() && self.executed.is_multiple_of(PATHS_INTERVAL));
            if is_due || self.machine.touched {
                alive(cancel)?;
            }
            if is_due {
                evaluate.executed(self.executed);
            }
        }
        let (outputs, wires) = self.outputs();
        let profile = self.machine.profile().clone();
        let inputs = self.machine.provenance().to_vec();
        let recorded = self.machine.finish(&wires);
        let (circuit, worst_noise) = prepare(&recorded, &profile, &inputs, cancel)?;
        let kept = (0..wires.len()).collect();
        let window = self.window(circuit, profile, worst_noise, kept);
        evaluate.window(window)?;
        Ok(self.end(true, outputs, None))
    }

    /// Ends a plan at a secret branch: what was recorded still counts.
    fn stop(&mut self, evaluate: &mut dyn Evaluate, end: PlanEnd) -> Result<End, RunError> {
        // A question has ended its window already.
        if let PlanEnd::Finding(_) = end {
            self.cut(evaluate)?;
        }
        Ok(self.end(false, Vec::new(), Some(end)))
    }

    fn end(&self, complete: bool, outputs: Vec<EndOutput>, last: Option<PlanEnd>) -> End {
        let noted = self.machine.noted.iter();
        let mut findings: Vec<_> = noted
            .map(|(pc, access)| Finding::Address(self.site(*pc), *access))
            .collect();
        let mut question = None;
        match last {
            Some(PlanEnd::Finding(finding)) => findings.push(finding),
            Some(PlanEnd::Question(asked)) => question = Some(asked),
            None => {}
        }
        End {
            instructions: self.executed,
            secret_instructions: self.secret,
            findings,
            question,
            complete,
            written: self.written,
            outputs,
        }
    }

    fn cut(&mut self, evaluate: &mut dyn Evaluate) -> Result<(), RunError> {
        let profile = self.machine.profile().clone();
        let (mut worst_noise, cancel) = (0.0, &self.cancel);
        let cut = self.machine.cut(|recorded, profile, inputs| {
            let prepared = prepare(recorded, profile, inputs, cancel)?;
            worst_noise = prepared.1;
            Ok::<_, RunError>(prepared.0)
        })?;
        let window = self.window(cut.circuit, profile, worst_noise, cut.kept);
        evaluate.window(window)?;
        evaluate.checkpoint(&mut || self.save())
    }

    /// The state between two windows.
    fn save(&mut self) -> Option<State> {
        let program = self.program;
        let initial = program
            .segments()
            .iter()
            .map(|segment| segment.bytes.as_slice());
        let counters = Counters {
            executed: self.executed,
            secret: self.secret,
            questions: self.questions,
            written: self.written,
            ..Counters::default()
        };
        Some(State {
            counters,
            machine: self.machine.save(initial)?,
            provenance: self.machine.provenance().to_vec(),
            halves: self.machine.halves(),
        })
    }

    fn window(
        &mut self,
        circuit: Circuit,
        profile: Profile,
        worst_noise: f64,
        kept: Vec<usize>,
    ) -> Window {
        let instructions = self.executed - self.window_start;
        self.window_start = self.executed;
        Window {
            circuit,
            profile,
            instructions,
            worst_noise,
            kept,
        }
    }

    /// One instruction.
    #[inline]
    fn step(&mut self) -> Result<(), Pause> {
        let pc = self.machine.pc;
        if self.executed >= self.limits.instructions {
            let place = Box::new(self.program.place(pc));
            return Err(Pause::Error(RunError::InstructionLimit {
                place,
                limit: self.limits.instructions,
            }));
        }
        let instruction = self.instruction(pc)?;
        self.machine.touched = false;
        self.perform(pc, &instruction)
    }

    /// Executes an instruction and goes on to the next.
    #[inline]
    fn perform(&mut self, pc: u32, instruction: &Instruction) -> Result<(), Pause> {
        if self.branches.both.is_some() && self.fork_targets(pc, instruction)? {
            return Ok(());
        }
        self.machine.charge(pc);
        let executed = a32::execute(&mut self.machine, instruction);
        executed.map_err(|fault| self.pause(fault))?;
        let touched = self.machine.touched;
        self.machine.code.mark(pc, touched);
        self.executed += 1;
        self.secret += u64::from(touched);
        self.arrive(pc)?;
        self.machine.charged(|| flow(instruction, pc), pc);
        if self.paths.are_open() {
            self.follow(pc, instruction)?;
        }
        if self.machine.secret_target.is_some() {
            self.machine.pc = pc;
            return Err(Pause::Target);
        }
        match self.machine.written.take() {
            Some(bytes) => Err(Pause::Written(bytes)),
            None => Ok(()),
        }
    }

    /// Goes where the instruction at `pc` leads.
    #[inline]
    fn arrive(&mut self, pc: u32) -> Result<(), RunError> {
        self.machine.pc = match self.machine.target.take() {
            Some(target) => {
                if self.machine.code.find(target).is_none() && target != self.sentinel {
                    self.check_target(target)?;
                }
                if self.awaited.is_some() {
                    self.reach(target)?;
                }
                target
            }
            None => pc.wrapping_add(4),
        };
        Ok(())
    }

    #[cold]
    fn pause(&self, fault: Fault) -> Pause {
        match fault {
            Fault::SecretCondition(condition) => Pause::Condition(condition),
            Fault::SecretTarget => Pause::Target,
            fault => Pause::Error(self.explain(fault)),
        }
    }

    /// The instruction at an address.
    #[inline]
    fn instruction(&mut self, pc: u32) -> Result<Instruction, RunError> {
        match self.machine.code.find(pc) {
            Some(instruction) => Ok(instruction),
            None => self.fetch(pc),
        }
    }

    /// Decodes the instruction at `pc` and remembers it.
    #[cold]
    fn fetch(&mut self, pc: u32) -> Result<a32::Instruction, RunError> {
        let place = || Box::new(self.program.place(pc));
        match self.machine.memory.fetch(pc) {
            None => Err(RunError::NotExecutable {
                place: place(),
                from: None,
            }),
            Some(None) => Err(RunError::SecretCode { place: place() }),
            Some(Some(word)) => {
                let decoded = self.program.detours().decode(pc, word);
                let instruction = decoded.map_err(|error| RunError::Undecodable {
                    place: place(),
                    word,
                    reason: error.to_string(),
                })?;
                if !self.machine.tracks_exceptions() && reads_exceptions(&instruction) {
                    let site = Box::new(self.site(pc));
                    return Err(RunError::LateExceptions { site });
                }
                self.machine.code.insert(pc, instruction);
                Ok(instruction)
            }
        }
    }

    /// Refuses a jump to nowhere while it is known who jumped.
    #[cold]
    fn check_target(&self, target: u32) -> Result<(), RunError> {
        if self.machine.memory.fetch(target).is_some() {
            return Ok(());
        }
        let from = Some(Box::new(self.site(self.machine.pc)));
        Err(RunError::NotExecutable {
            place: Box::new(self.program.place(target)),
            from,
        })
    }

    fn site(&self, pc: u32) -> Site {
        let instruction = match self.machine.memory.fetch(pc).flatten().map(a32::decode) {
            Some(Ok(instruction)) => instruction.at(pc).to_string(),
            _ => "?".to_owned(),
        };
        Site {
            place: self.program.place(pc),
            instruction,
        }
    }

    #[cold]
    fn explain(&self, fault: Fault) -> RunError {
        let site = Box::new(self.site(self.machine.pc));
        let predicated = self.machine.is_predicated();
        match fault {
            Fault::SecretBranch | Fault::SecretCondition(_) => RunError::SecretBranch { site },
            Fault::SecretTarget => RunError::SecretTarget { site },
            Fault::SecretArgument => RunError::SecretArgument { site },
            Fault::SecretWrite { address } => RunError::SecretWrite { site, address },
            Fault::CodeStore { address } => RunError::CodeStore { site, address },
            Fault::SecretAddress(access) => RunError::SecretAddress { site, access },
            Fault::Outside {
                access,
                address,
                size,
            } => RunError::OutsideObject {
                site,
                access,
                address,
                size,
            },
            Fault::LargeObject {
                access,
                address,
                bytes,
            } => RunError::LargeObject {
                site,
                access,
                address,
                bytes,
                limit: self.machine.size_limit(),
            },
            Fault::OutOfRange {
                access,
                address,
                size,
            } => {
                let near_stack = address < self.stack && self.stack - address <= 1 << 16;
                RunError::OutOfRange {
                    site,
                    access,
                    address,
                    size,
                    near_stack,
                    predicated,
                }
            }
            Fault::ReadOnly { address } => RunError::ReadOnly {
                site,
                address,
                predicated,
            },
            Fault::Unaligned { access, address } => RunError::Unaligned {
                site,
                access,
                address,
                predicated,
            },
            Fault::Thumb { target } => RunError::Thumb { site, target },
            Fault::UnknownCall { number } => RunError::UnknownCall { site, number },
            Fault::UnknownOperation { operation } => RunError::UnknownOperation { site, operation },
            Fault::SecretFloatMode => RunError::SecretFloatMode { site },
            Fault::ShortVectors => RunError::ShortVectors { site },
            Fault::Trap => RunError::Trap { site },
            Fault::EndlessLoop => RunError::EndlessLoop { site },
        }
    }
}

/// An error if somebody has cancelled; others may have their turn here.
fn alive(cancel: &Cancel) -> Result<(), RunError> {
    cancel.rest();
    match cancel.is_cancelled() {
        true => Err(RunError::Cancelled),
        false => Ok(()),
    }
}

/// A circuit as the target evaluates it, with the variance of its noisiest sum.
///
/// The failure probability that parameters promise holds for sums up to the target's limit.
/// Mapping keeps it by construction; here it is checked on the very circuit that is evaluated, in
/// linear time. `inputs` says how the circuit's inputs were made: what one of them holds already is
/// not computed again, for it would be the same ciphertext and not one with noise of its own.
fn prepare(
    circuit: &Circuit,
    profile: &Profile,
    inputs: &[Provenance],
    cancel: &Cancel,
) -> Result<(Circuit, f64), RunError> {
    let circuit = passes::prepare_while(circuit, profile, inputs, &|| alive(cancel))?;
    let (worst_noise, limit) = match (profile.lookup, &profile.growth) {
        (Some(lookup), _) => {
            let model = &lookup.noise;
            (passes::noise(&circuit, model).worst, model.limit)
        }
        (None, Some(model)) => (passes::growth(&circuit, model).worst, model.limit),
        (None, None) => return Ok((circuit, 0.0)),
    };
    if worst_noise > limit {
        return Err(RunError::NoiseLimit { worst_noise, limit });
    }
    Ok((circuit, worst_noise))
}
