//! Driving the machine: memory and registers as a task wants them, the loop over instructions,
//! windows, the end.
//!
//! A window is a circuit that is ready to be evaluated. Its inputs are the bits that the one before
//! left (for the first: the task's secrets), its outputs the live bits of the state, each once; the
//! last window's outputs are what the task wanted. Whether anything is evaluated is the business of
//! [`Evaluate`]: a plan counts, a run computes.
//!
//! A cut costs a refresh for every live bit that the window computed: noise is counted within one
//! circuit, so what crosses into the next must come with a noise that does not depend on where it
//! was made. That, and the results that are dead but not yet known to be, are the price of memory;
//! [`Limits::window`] is large for that reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use circuits::exec::Cancel;
use circuits::{Circuit, Profile, Wire};

use crate::calls::{self, Location};
use crate::error::{RunError, Site};
use crate::listing::Touch;
use crate::machine::{Byte, Fault, Symbolic, Word};
use crate::plan::Finding;
use crate::program::{Function, Program, Variable};
use crate::task::{Argument, Content, Entry, Limits, Task, Wanted};
use crate::values::{Element, Type, bits_of};

/// How many instructions pass between two looks at the cancellation token.
const CANCEL_INTERVAL: u64 = 1 << 14;

/// A circuit with the number of instructions that it stands for.
pub(crate) struct Window {
    pub(crate) circuit: Circuit,
    /// The target, with the noise that this circuit's inputs have.
    pub(crate) profile: Profile,
    pub(crate) instructions: u64,
}

/// Who takes the windows.
pub(crate) trait Evaluate {
    fn window(&mut self, window: Window) -> Result<(), RunError>;
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
    pub(crate) complete: bool,
    pub(crate) outputs: Vec<EndOutput>,
}

/// The result of the call, when its type is known to exist.
struct CallResult {
    name: String,
    element: Element,
}

/// A program under execution.
pub(crate) struct Execution<'p> {
    program: &'p Program,
    wanted: &'p Wanted,
    limits: Limits,
    machine: Symbolic,
    /// Returning here ends the program; no memory is there.
    sentinel: u32,
    stack: u32,
    result: Option<CallResult>,
    note: bool,
    executed: u64,
    secret: u64,
    /// `executed` when the window began.
    window_start: u64,
}

impl<'p> Execution<'p> {
    pub(crate) fn new(
        program: &'p Program,
        task: &'p Task,
        profile: &Profile,
    ) -> Result<Self, RunError> {
        let mut machine = Symbolic::new(profile);
        for segment in program.segments() {
            machine.memory.add(
                segment.address,
                segment.size,
                &segment.bytes,
                segment.writable,
                segment.executable,
            );
        }
        for input in &task.inputs {
            place_input(&mut machine, &input.variable, &input.content)?;
        }
        let stack = free_stack(program, task.limits.stack)?;
        machine
            .memory
            .add(stack, task.limits.stack, &[], true, false);
        let sentinel = free_word(&machine);
        let mut execution = Self {
            program,
            wanted: &task.wanted,
            limits: task.limits,
            machine,
            sentinel,
            stack,
            result: None,
            note: false,
            executed: 0,
            secret: 0,
            window_start: 0,
        };
        execution.check_wanted()?;
        execution.enter(&task.entry)?;
        Ok(execution)
    }

    /// Makes secret branches and addresses findings instead of errors.
    pub(crate) fn noting_secret_uses(mut self) -> Self {
        self.note = true;
        self.machine.note_secret_addresses();
        self
    }

    /// The executed addresses.
    pub(crate) fn touched(&self) -> BTreeMap<u32, Touch> {
        self.machine.code.touched().collect()
    }

    fn check_wanted(&self) -> Result<(), RunError> {
        let Wanted::Variables(variables) = self.wanted else {
            return Ok(());
        };
        for variable in variables {
            let (address, size) = (variable.address, variable.size);
            if !self.machine.memory.contains(address, size) {
                return Err(RunError::OutputRange {
                    name: variable.name.clone(),
                    address,
                    size,
                });
            }
        }
        Ok(())
    }

    /// Sets pc, lr, sp and arguments.
    fn enter(&mut self, entry: &Entry) -> Result<(), RunError> {
        let program = self.program;
        let address = match entry {
            Entry::Image => program.entry_point(),
            Entry::Default => program.label("main").unwrap_or(program.entry_point()),
            Entry::Symbol(name) => program.label(name)?,
            Entry::Call { function, .. } => {
                let function = program.function(function)?;
                function.address | u32::from(function.thumb)
            }
        };
        if address & 1 == 1 {
            return Err(RunError::ThumbEntry {
                name: entry.to_string(),
            });
        }
        let mut sp = (self.stack + self.limits.stack) & !7;
        if let Entry::Call {
            function,
            arguments,
        } = entry
        {
            self.result = result_of(program.function(function)?);
            sp = self.place_arguments(arguments, sp)?;
        }
        self.machine.place(13, Word::Clear(sp));
        self.machine.place(14, Word::Clear(self.sentinel));
        self.machine.pc = address;
        Ok(())
    }

    /// Puts arguments into registers and below `sp`; gives the new stack pointer.
    fn place_arguments(&mut self, arguments: &[Argument], sp: u32) -> Result<u32, RunError> {
        let (locations, bytes) = calls::arrange(arguments.iter().map(|argument| argument.element));
        let sp = match sp.checked_sub(bytes).filter(|sp| *sp >= self.stack) {
            Some(sp) => sp,
            None => {
                return Err(RunError::NoStack {
                    bytes: self.limits.stack,
                });
            }
        };
        for (argument, location) in arguments.iter().zip(locations) {
            for (i, word) in self.argument(argument)?.into_iter().enumerate() {
                match location {
                    Location::Register(number) => self.machine.place(number + i, word),
                    Location::Stack(offset) => {
                        let wires = word.wires();
                        for (byte, bits) in wires.as_chunks::<8>().0.iter().enumerate() {
                            let at = sp + offset + 4 * i as u32 + byte as u32;
                            self.machine.memory.initialise(at, *bits);
                        }
                    }
                }
            }
        }
        Ok(sp)
    }

    /// An argument's one or two words.
    fn argument(&mut self, argument: &Argument) -> Result<Vec<Word>, RunError> {
        let width = argument.element.bits() as usize;
        let mut wires = match &argument.content {
            Content::Secret => self.machine.inputs(width),
            Content::Clear(bytes) => bits_of(bytes).into_iter().map(Wire::constant).collect(),
        };
        let signed = matches!(argument.element, Element::Integer { signed: true, .. });
        let sign = wires
            .get(width - 1)
            .copied()
            .filter(|_| signed)
            .unwrap_or(Wire::FALSE);
        wires.resize(width, Wire::FALSE);
        wires.resize(width.next_multiple_of(32), sign);
        Ok(wires.chunks(32).map(Word::from_slice).collect())
    }

    /// Executes to the end.
    pub(crate) fn run(
        &mut self,
        evaluate: &mut dyn Evaluate,
        cancel: &Cancel,
    ) -> Result<End, RunError> {
        let complete = loop {
            if self.machine.pc == self.sentinel || self.machine.finished {
                break true;
            }
            match self.step() {
                Ok(()) => {}
                Err(RunError::SecretBranch { site }) if self.note => {
                    return self.stop(evaluate, Finding::Branch(*site));
                }
                Err(error) => return Err(error),
            }
            if self.machine.nodes() >= self.limits.window {
                self.cut(evaluate)?;
            }
            if self.executed.is_multiple_of(CANCEL_INTERVAL) && cancel.is_cancelled() {
                return Err(RunError::Cancelled);
            }
        };
        let (outputs, wires) = self.outputs();
        let profile = self.machine.profile().clone();
        let circuit = self.machine.finish(&wires);
        self.hand_over(circuit, profile, evaluate)?;
        Ok(self.end(complete, outputs, Vec::new()))
    }

    /// Ends a plan at a secret branch: what was recorded still counts.
    fn stop(&mut self, evaluate: &mut dyn Evaluate, found: Finding) -> Result<End, RunError> {
        self.cut(evaluate)?;
        Ok(self.end(false, Vec::new(), vec![found]))
    }

    fn end(&self, complete: bool, outputs: Vec<EndOutput>, last: Vec<Finding>) -> End {
        let mut seen = BTreeSet::new();
        let noted = self.machine.noted.iter().filter(|(pc, _)| seen.insert(*pc));
        let mut findings: Vec<_> = noted
            .map(|(pc, access)| Finding::Address(self.site(*pc), *access))
            .collect();
        findings.extend(last);
        End {
            instructions: self.executed,
            secret_instructions: self.secret,
            findings,
            complete,
            outputs,
        }
    }

    fn cut(&mut self, evaluate: &mut dyn Evaluate) -> Result<(), RunError> {
        let profile = self.machine.profile().clone();
        let circuit = self.machine.cut();
        self.hand_over(circuit, profile, evaluate)
    }

    fn hand_over(
        &mut self,
        circuit: Circuit,
        profile: Profile,
        to: &mut dyn Evaluate,
    ) -> Result<(), RunError> {
        let instructions = self.executed - self.window_start;
        self.window_start = self.executed;
        to.window(Window {
            circuit,
            profile,
            instructions,
        })
    }

    /// One instruction.
    #[inline]
    fn step(&mut self) -> Result<(), RunError> {
        let pc = self.machine.pc;
        if self.executed >= self.limits.instructions {
            let place = Box::new(self.program.place(pc));
            return Err(RunError::InstructionLimit {
                place,
                limit: self.limits.instructions,
            });
        }
        let instruction = match self.machine.code.find(pc) {
            Some(instruction) => instruction,
            None => self.fetch(pc)?,
        };
        self.machine.touched = false;
        a32::execute(&mut self.machine, &instruction).map_err(|fault| self.explain(fault))?;
        let touched = self.machine.touched;
        self.machine.code.mark(pc, touched);
        self.executed += 1;
        self.secret += u64::from(touched);
        self.machine.pc = match self.machine.target.take() {
            Some(target) => {
                if self.machine.code.find(target).is_none() && target != self.sentinel {
                    self.check_target(target)?;
                }
                target
            }
            None => pc.wrapping_add(4),
        };
        Ok(())
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
                let instruction = a32::decode(word).map_err(|error| RunError::Undecodable {
                    place: place(),
                    word,
                    reason: error.to_string(),
                })?;
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
        match fault {
            Fault::SecretBranch => RunError::SecretBranch { site },
            Fault::SecretAddress(access) => RunError::SecretAddress { site, access },
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
                }
            }
            Fault::ReadOnly { address } => RunError::ReadOnly { site, address },
            Fault::Unaligned { access, address } => RunError::Unaligned {
                site,
                access,
                address,
            },
            Fault::Thumb { target } => RunError::Thumb { site, target },
            Fault::UnknownCall { number } => RunError::UnknownCall { site, number },
            Fault::EndlessLoop => RunError::EndlessLoop { site },
        }
    }

    /// The wanted outputs, and the wires that the last circuit gives for their secret bits.
    fn outputs(&self) -> (Vec<EndOutput>, Vec<Wire>) {
        let mut collector = Collector::default();
        let written;
        let variables: Vec<&Variable> = match self.wanted {
            Wanted::Variables(variables) => variables.iter().flat_map(Variable::leaves).collect(),
            Wanted::Written => {
                written = self.written();
                written.into_iter().flat_map(Variable::leaves).collect()
            }
        };
        for variable in variables {
            let bytes = (0..variable.size).map(|i| variable.address.wrapping_add(i));
            let wires = bytes.flat_map(|address| self.machine.memory.byte(address));
            collector.add(variable.name.clone(), variable.type_or_bytes(), wires);
        }
        if let Some(CallResult { name, element }) = &self.result {
            let words = (0..2).flat_map(|number| self.machine.peek(number).wires());
            let wires = words.take(element.bits() as usize);
            collector.add(name.clone(), Type::scalar(*element), wires);
        }
        (collector.outputs, collector.wires)
    }

    /// The variables that the program wrote to, of aliases the first.
    fn written(&self) -> Vec<&'p Variable> {
        let mut seen = BTreeSet::new();
        let memory = &self.machine.memory;
        self.program
            .variables()
            .iter()
            .filter(|variable| {
                memory.was_written(variable.address, variable.size)
                    && memory.contains(variable.address, variable.size)
                    && seen.insert(variable.address)
            })
            .collect()
    }
}

/// Gathers output bits; each wire leaves the circuit once.
#[derive(Default)]
struct Collector {
    outputs: Vec<EndOutput>,
    wires: Vec<Wire>,
    places: HashMap<Wire, usize>,
}

impl Collector {
    fn add(&mut self, name: String, ty: Type, wires: impl Iterator<Item = Wire>) {
        let mut bits = Vec::new();
        for wire in wires {
            bits.push(match wire.as_constant() {
                Some(value) => EndBit::Clear(value),
                None => EndBit::Secret(*self.places.entry(wire).or_insert_with(|| {
                    self.wires.push(wire);
                    self.wires.len() - 1
                })),
            });
        }
        self.outputs.push(EndOutput { name, ty, bits });
    }
}

/// The result's type: as DWARF says; a word where there is no DWARF; none for `void`.
fn result_of(function: &Function) -> Option<CallResult> {
    let word = Element::Integer {
        bits: 32,
        signed: false,
    };
    let element = match (&function.result, &function.parameters) {
        (Some(element), _) => *element,
        (None, None) => word,
        (None, Some(_)) => return None,
    };
    Some(CallResult {
        name: function.name.clone(),
        element,
    })
}

fn place_input(
    machine: &mut Symbolic,
    variable: &Variable,
    content: &Content,
) -> Result<(), RunError> {
    let (address, size) = (variable.address, variable.size);
    let outside = |bytes: usize| RunError::InputRange {
        name: variable.name.clone(),
        address,
        bytes,
        size,
    };
    if !machine.memory.contains(address, size) {
        return Err(outside(size as usize));
    }
    let bits = match content {
        Content::Clear(bytes) if bytes.len() > size as usize => return Err(outside(bytes.len())),
        Content::Clear(bytes) => bits_of(bytes).into_iter().map(Wire::constant).collect(),
        Content::Secret => machine.inputs(8 * size as usize),
    };
    let (bytes, _): (&[Byte], _) = bits.as_chunks();
    for (i, byte) in bytes.iter().enumerate() {
        machine
            .memory
            .initialise(address.wrapping_add(i as u32), *byte);
    }
    Ok(())
}

/// The lowest address of a free range for the stack: below 2 GiB if that is free, else below some
/// segment or the end of the address space, the highest first. A page on either side stays free.
fn free_stack(program: &Program, size: u32) -> Result<u32, RunError> {
    const PAGE: u64 = 4096;
    let needed = u64::from(size).next_multiple_of(PAGE) + 2 * PAGE;
    let below = |end: u64| {
        let start = end.checked_sub(needed).filter(|start| *start > 0)?;
        let free = program.segments().iter().all(|segment| {
            let from = u64::from(segment.address);
            from + u64::from(segment.size) <= start || end <= from
        });
        u32::try_from(start + PAGE).ok().filter(|_| free)
    };
    let segments = program
        .segments()
        .iter()
        .rev()
        .map(|s| u64::from(s.address) & !(PAGE - 1));
    let mut ends = [1 << 31, (1 << 32) - PAGE].into_iter().chain(segments);
    let found = if size < 8 { None } else { ends.find_map(below) };
    found.ok_or(RunError::NoStack { bytes: size })
}

/// A word-aligned address where nothing is, as high as possible.
fn free_word(machine: &Symbolic) -> u32 {
    (0..=u32::MAX >> 4)
        .map(|i| !15 - 16 * i)
        .find(|address| !machine.memory.contains(*address, 1))
        .unwrap_or(0)
}
