//! Before the first instruction: segments, inputs, stack, entry and arguments.

use circuits::exec::Cancel;
use circuits::{Profile, Wire};

use super::{CallResult, Execution, Paths};
use crate::calls::{self, Location};
use crate::error::RunError;
use crate::machine::{Byte, Memory, Objects, Span, Symbolic, Word};
use crate::program::{Function, Program, Variable};
use crate::state::{State, StateError};
use crate::task::{Argument, Content, Entry, Otherwise, Task, Wanted};
use values::{Element, Type, bits_of};

impl<'p> Execution<'p> {
    pub(crate) fn new(
        program: &'p Program,
        task: &'p Task,
        profile: &Profile,
    ) -> Result<Self, RunError> {
        let mut machine = Symbolic::new(profile);
        machine.memory = segments(program);
        for input in &task.inputs {
            place_input(&mut machine, &input.variable, &input.content)?;
        }
        let stack = Span {
            start: free_stack(program, task.limits.stack)?,
            size: task.limits.stack,
        };
        machine
            .memory
            .add(stack.start, stack.size, &[], true, false);
        machine.set_program(program.detours().clone(), program.thread_pointer());
        machine.objects = Objects::new(program, &task.objects, stack);
        let sentinel = free_word(&machine);
        if task.branches.otherwise == Otherwise::ClientHeld || task.branches.both.is_some() {
            machine.remember_operands();
        }
        if task.branches.otherwise == Otherwise::ClientHeld {
            machine.let_targets_be_secret();
        }
        if !program.reads_exceptions() {
            machine.ignore_exceptions();
        }
        let mut execution = Self {
            program,
            entry: String::new(),
            wanted: &task.wanted,
            limits: task.limits,
            branches: task.branches,
            bounds: &task.bounds,
            cancel: Cancel::new(),
            machine,
            paths: Paths::default(),
            questions: 0,
            written: 0,
            sentinel,
            stack: stack.start,
            result: None,
            awaited: None,
            note: false,
            survey: None,
            executed: 0,
            secret: 0,
            window_start: 0,
        };
        execution.check_wanted()?;
        execution.enter(&task.entry)?;
        execution.await_main(task);
        Ok(execution)
    }

    /// Goes on from a state of the same program and task, for whose bits the ciphertexts are there.
    pub(crate) fn resume(
        program: &'p Program,
        task: &'p Task,
        profile: &Profile,
        state: &State,
    ) -> Result<Self, RunError> {
        // What a state does not hold follows from program and task as it did at the start.
        let mut execution = Self::new(program, task, profile)?;
        execution.machine.memory = segments(program);
        execution
            .machine
            .memory
            .add(execution.stack, task.limits.stack, &[], true, false);
        execution
            .machine
            .restore(&state.machine, &state.halves)
            .map_err(|reason| {
                let reason = reason.to_owned();
                RunError::State {
                    source: StateError::Other { reason },
                }
            })?;
        execution.awaited = None;
        execution.machine.set_provenance(&state.provenance);
        execution.executed = state.counters.executed;
        execution.secret = state.counters.secret;
        execution.questions = state.counters.questions;
        execution.written = state.counters.written;
        execution.window_start = state.counters.executed;
        Ok(execution)
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
            Entry::Default => program.beginning().map_err(|none| RunError::NoEntry {
                entry: program.entry_point(),
                first: none.first,
                functions: none.functions,
            })?,
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
            let function = program.function(function)?;
            if let Some((passed, opacity)) = &function.unsupported {
                return Err(RunError::UnsupportedCall {
                    function: function.name.clone(),
                    passed: passed.clone(),
                    opacity: *opacity,
                });
            }
            self.result = result_of(function);
            sp = self.place_arguments(arguments, sp)?;
        }
        self.machine.place(13, Word::Clear(sp));
        self.machine.place(14, Word::Clear(self.sentinel));
        self.machine.pc = address;
        self.entry = match (entry, self.program.place(address).symbol) {
            (Entry::Symbol(name) | Entry::Call { function: name, .. }, _) => name.clone(),
            (_, Some((name, 0))) => name,
            _ => format!("{address:#010x}"),
        };
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
}

/// Memory as the program brings it.
fn segments(program: &Program) -> Memory {
    let mut memory = Memory::default();
    for segment in program.segments() {
        memory.add(
            segment.address,
            segment.size,
            &segment.bytes,
            segment.writable,
            segment.executable,
        );
    }
    memory
}

/// The result's type: as DWARF says; a word where there is no DWARF; none for `void`.
fn result_of(function: &Function) -> Option<CallResult> {
    let word = Element::Integer {
        bits: 32,
        signed: false,
    };
    let ty = match (&function.result, &function.parameters) {
        (Some(ty), _) => ty.clone(),
        (None, None) => Type::scalar(word),
        (None, Some(_)) => return None,
    };
    Some(CallResult {
        name: function.name.clone(),
        ty,
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
        Content::Clear(bytes) if bytes.len() > variable.bits().div_ceil(8) => {
            return Err(outside(bytes.len()));
        }
        Content::Clear(bytes) => bits_of(bytes).into_iter().map(Wire::constant).collect(),
        Content::Secret => machine.inputs(variable.bits()),
    };
    let bits = match variable.ty.as_ref().and_then(Type::width) {
        None => bits,
        // Of the bytes that a bit-field lies in, all other bits stay.
        Some(width) => {
            let addresses = (0..size).map(|i| address.wrapping_add(i));
            let mut all: Vec<Wire> = addresses
                .flat_map(|address| machine.memory.byte(address))
                .collect();
            let own = all.iter_mut().skip(usize::from(variable.shift));
            let own = own.take(usize::from(width));
            own.zip(bits).for_each(|(place, bit)| *place = bit);
            all
        }
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
