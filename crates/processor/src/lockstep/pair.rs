//! The two machines, and what of them is compared when.

use a32::{Condition, Flag, FloatException, FloatWord, Interpreter, Permissions, Register};
use circuits::Wire;
use circuits::sim::{self, Values};

use super::{Compared, Difference, LockstepError, Spoil};
use crate::error::{RunError, Site};
use crate::execution::{EndBit, Evaluate, Execution, Query, QueryBit, Window};
use crate::host::{Answer, Asked};
use crate::machine::Symbolic;
use crate::program::Program;
use crate::run::{Bit, Control, Output, Progress};
use crate::task::{Entry, Task};

/// How many instructions pass between two reports to the observer.
const REPORT_INTERVAL: u64 = 1 << 14;

/// The bytes that are compared at once where all are clear.
const PIECE: u32 = 256;

/// The interpreter, and what the processor's wires carry.
pub(super) struct Pair<'a> {
    program: &'a Program,
    task: &'a Task,
    control: &'a Control,
    pub(super) interpreter: Interpreter,
    /// All memory: address and length of each region.
    regions: Vec<(u32, u32)>,
    /// Of the current circuit's inputs; after the last window, of its outputs.
    inputs: Vec<u64>,
    values: Values,
    /// Instructions of the processor when both were compared.
    executed: u64,
    /// Whether all of memory is to be compared.
    whole: bool,
    /// The interpreter's last instruction.
    last: u32,
    /// What the machines' stores touched, kept for its allocation.
    touched: Vec<(u32, u32)>,
    /// What the processor wrote out since both were compared.
    written: Vec<u8>,
    spoil: Spoil,
    pub(super) found: Option<Box<Difference>>,
    pub(super) windows: usize,
    pub(super) signals: u64,
    pub(super) questions: u64,
    pub(super) words: u64,
    pub(super) bytes: u64,
}

impl<'a> Pair<'a> {
    /// An interpreter in the state that the processor begins in.
    pub(super) fn new(
        program: &'a Program,
        task: &'a Task,
        secrets: &[bool],
        execution: &mut Execution<'_>,
        control: &'a Control,
        spoil: Spoil,
    ) -> Result<Self, LockstepError> {
        let (machine, sentinel) = execution.machine();
        let inputs = secrets.iter().map(|bit| if *bit { u64::MAX } else { 0 });
        let mut pair = Self {
            program,
            task,
            control,
            interpreter: Interpreter::new(),
            regions: Vec::new(),
            inputs: inputs.collect(),
            values: Values::default(),
            executed: 0,
            whole: true,
            last: machine.pc,
            touched: Vec::new(),
            written: Vec::new(),
            spoil,
            found: None,
            windows: 0,
            signals: 0,
            questions: 0,
            words: 0,
            bytes: 0,
        };
        if sentinel != Interpreter::RETURN_ADDRESS {
            return Err(LockstepError::ReturnAddress {
                processor: sentinel,
            });
        }
        pair.follow(machine)?;
        let value = |wire: Wire| pair.values.of(wire) & 1 == 1;
        for region in machine.memory.regions() {
            let permissions = Permissions {
                read: true,
                write: region.writable,
                execute: region.executable,
            };
            let addresses = (0..region.size).map(|i| region.base + i);
            let bytes = addresses.map(|address| byte_value(machine, address, &value));
            pair.interpreter
                .map(region.base, bytes.collect(), permissions)?;
            pair.regions.push((region.base, region.size));
        }
        for register in general() {
            let word = machine.register_value(register.index(), &value);
            pair.interpreter.write_register(register, word);
        }
        pair.interpreter.write_register(Register::PC, machine.pc);
        pair.interpreter.set_detours(program.detours().clone());
        pair.interpreter
            .set_thread_pointer(program.thread_pointer());
        pair.interpreter.log_stores();
        machine.memory.log_stores();
        Ok(pair)
    }

    /// Evaluates what was recorded since the last time.
    fn follow(&mut self, machine: &Symbolic) -> Result<(), RunError> {
        let followed = self.values.follow(machine.recorded(), &self.inputs);
        followed.map_err(|error| RunError::Evaluation {
            source: Box::new(error),
        })
    }

    /// Lets the interpreter do what the processor did.
    fn advance(&mut self, machine: &Symbolic, executed: u64) -> Result<(), Box<Compared>> {
        let stack =
            machine.register_value(Register::SP.index(), &|wire| self.values.of(wire) & 1 == 1);
        // Joined paths are several instructions, of which the interpreter executes some.
        let most = executed - self.executed;
        for step in 1..=most {
            self.last = self.interpreter.read_register(Register::PC);
            if let Err(error) = self.interpreter.step() {
                return Err(Box::new(Compared::Refused {
                    reason: error.to_string(),
                }));
            }
            let next = self.interpreter.read_register(Register::PC);
            let there = machine.finished
                || next == machine.pc && self.interpreter.read_register(Register::SP) == stack;
            if there || most == 1 && next == machine.pc {
                return Ok(());
            }
            if step == most {
                break;
            }
        }
        let processor = self.program.place(machine.pc);
        Err(Box::new(if most == 1 {
            let next = self.interpreter.read_register(Register::PC);
            Compared::Next {
                processor,
                interpreter: self.program.place(next),
            }
        } else {
            Compared::Apart {
                processor,
                steps: most,
            }
        }))
    }

    /// Compares registers, flags and the bytes that were stored to.
    fn compare(&mut self, machine: &mut Symbolic) -> Result<(), Box<Compared>> {
        let value = |wire: Wire| self.values.of(wire) & 1 == 1;
        for register in general() {
            let processor = machine.register_value(register.index(), &value);
            let interpreter = self.interpreter.read_register(register);
            if processor != interpreter {
                return Err(Box::new(Compared::Register {
                    register,
                    processor,
                    interpreter,
                }));
            }
        }
        for flag in Flag::ALL {
            let processor = machine.flag_value(flag, &value);
            let interpreter = self.interpreter.read_flag(flag);
            if processor != interpreter {
                return Err(Box::new(Compared::Flag {
                    flag,
                    processor,
                    interpreter,
                }));
            }
        }
        for word in FloatWord::all() {
            let processor = machine.float_word_value(word, &value);
            let interpreter = self.interpreter.read_float_word(word);
            if processor != interpreter {
                return Err(Box::new(Compared::FloatWord {
                    word,
                    processor,
                    interpreter,
                }));
            }
        }
        let exceptions = FloatException::ALL.map(|exception| 1 << exception.bit());
        let compared = if machine.tracks_exceptions() {
            u32::MAX
        } else {
            !exceptions.iter().sum::<u32>()
        };
        let processor = machine.float_status_value(&value) & compared;
        let interpreter = self.interpreter.read_float_status() & compared;
        if processor != interpreter {
            return Err(Box::new(Compared::FloatStatus {
                processor,
                interpreter,
            }));
        }
        if !self.written.is_empty() || !self.interpreter.written().is_empty() {
            let (processor, interpreter) = (
                std::mem::take(&mut self.written),
                self.interpreter.take_written(),
            );
            self.bytes += processor.len() as u64;
            if processor != interpreter {
                return Err(Box::new(Compared::Written {
                    processor,
                    interpreter,
                }));
            }
        }
        // Floating-point registers and FPSCR are 65 more.
        self.words += (15 + Flag::ALL.len() + FloatWord::COUNT + 1) as u64;
        let mut touched = std::mem::take(&mut self.touched);
        machine.memory.take_stores(&mut touched);
        self.interpreter.take_stores(&mut touched);
        if self.whole {
            touched.clear();
            touched.extend(self.pieces());
        }
        for (address, size) in touched.drain(..) {
            self.compare_bytes(machine, address, size)?;
        }
        self.touched = touched;
        self.whole = false;
        Ok(())
    }

    /// All of memory, in pieces of which most hold no secret.
    fn pieces(&self) -> impl Iterator<Item = (u32, u32)> {
        self.regions.iter().flat_map(|&(base, size)| {
            let offsets = (0..size).step_by(PIECE as usize);
            offsets.map(move |offset| (base + offset, PIECE.min(size - offset)))
        })
    }

    fn compare_bytes(
        &mut self,
        machine: &Symbolic,
        address: u32,
        size: u32,
    ) -> Result<(), Box<Compared>> {
        let value = |wire: Wire| self.values.of(wire) & 1 == 1;
        let theirs = self.interpreter.read_bytes(address, size as usize);
        let theirs = theirs.unwrap_or_default();
        self.bytes += u64::from(size);
        // Most of memory is clear, and compared at once.
        if machine.memory.clear_bytes(address, size) == Some(theirs) {
            return Ok(());
        }
        for (address, &interpreter) in (address..).zip(theirs) {
            let processor = byte_value(machine, address, &value);
            if processor != interpreter {
                let variables = self.program.variables().iter();
                let mut around = variables.filter_map(|variable| {
                    let offset = address.wrapping_sub(variable.address);
                    (offset < variable.size).then(|| (variable.name.clone(), offset))
                });
                return Err(Box::new(Compared::Byte {
                    address,
                    variable: around.next(),
                    processor,
                    interpreter,
                }));
            }
        }
        Ok(())
    }

    /// Whether a condition holds in the interpreter.
    fn holds(&self, condition: Condition) -> bool {
        let [n, z, c, v] = [Flag::Negative, Flag::Zero, Flag::Carry, Flag::Overflow]
            .map(|flag| self.interpreter.read_flag(flag));
        match condition {
            Condition::Equal => z,
            Condition::NotEqual => !z,
            Condition::CarrySet => c,
            Condition::CarryClear => !c,
            Condition::Minus => n,
            Condition::Plus => !n,
            Condition::OverflowSet => v,
            Condition::OverflowClear => !v,
            Condition::UnsignedHigher => c && !z,
            Condition::UnsignedLowerOrSame => !c || z,
            Condition::SignedGreaterOrEqual => n == v,
            Condition::SignedLess => n != v,
            Condition::SignedGreater => !z && n == v,
            Condition::SignedLessOrEqual => z || n != v,
            Condition::Always => true,
        }
    }

    fn differ(&mut self, instruction: u64, what: Compared) -> RunError {
        let difference = self.difference(instruction, what);
        self.found = Some(difference);
        // The caller of the run takes the difference from where it stands.
        RunError::Cancelled
    }

    /// As [`differ`](Self::differ), where the processor's state is at hand.
    fn differ_at(&mut self, machine: &Symbolic, instruction: u64, what: Compared) -> RunError {
        let undefined = machine.undefined(&|wire| self.values.of(wire) & 1 == 1);
        let error = self.differ(instruction, what);
        if let Some(found) = &mut self.found {
            found.undefined = undefined;
        }
        error
    }

    fn difference(&self, instruction: u64, what: Compared) -> Box<Difference> {
        let word = self.interpreter.read_bytes(self.last, 4);
        let word = word.and_then(|bytes| bytes.first_chunk().copied());
        let decoded = word.map(|bytes| a32::decode(u32::from_le_bytes(bytes)));
        let site = Site {
            place: self.program.place(self.last),
            instruction: match decoded {
                Some(Ok(instruction)) => instruction.at(self.last).to_string(),
                _ => "?".to_owned(),
            },
        };
        Box::new(Difference {
            instruction,
            site,
            what,
            undefined: None,
        })
    }

    fn report(&self) {
        if let Some(observer) = &self.control.observer {
            observer(Progress {
                window: self.windows,
                windows: 0,
                end_known: false,
                instructions: self.executed,
                executed: self.executed,
                instructions_planned: 0,
                nodes: self.signals as usize + self.values.signals(),
                nodes_planned: 0,
            });
        }
    }

    /// The value of a bit that the last window left.
    pub(super) fn output(&self, bit: &EndBit) -> bool {
        match *bit {
            EndBit::Clear(value) => value,
            EndBit::Secret(index) => self.inputs.get(index).is_some_and(|lanes| lanes & 1 == 1),
        }
    }

    /// Compares outputs with the interpreter's memory, and a call's result with its registers.
    pub(super) fn compare_outputs(
        &mut self,
        outputs: &[Output<bool>],
    ) -> Result<(), Box<Difference>> {
        let call = match &self.task.entry {
            Entry::Call { function, .. } => Some(function.as_str()),
            _ => None,
        };
        for output in outputs {
            let mut shift = 0;
            let bytes: Vec<u8> = match self.program.variable(&output.name) {
                _ if call == Some(output.name.as_str()) => [0, 1]
                    .into_iter()
                    .filter_map(Register::new)
                    .flat_map(|register| self.interpreter.read_register(register).to_le_bytes())
                    .collect(),
                Ok(variable) => {
                    let size = variable.size as usize;
                    shift = usize::from(variable.shift);
                    let bytes = self.interpreter.read_bytes(variable.address, size);
                    bytes.unwrap_or_default().to_vec()
                }
                Err(_) => continue,
            };
            self.bytes += output.bits.len() as u64 / 8;
            let expected = values::bits_of(&bytes);
            let found = output
                .bits
                .iter()
                .map(|bit| matches!(bit, Bit::Clear(true)));
            let expected = expected.into_iter().skip(shift);
            let differs = found.zip(expected).position(|(a, b)| a != b);
            if let Some(bit) = differs {
                let name = output.name.clone();
                let what = Compared::Output { name, bit };
                return Err(self.difference(self.executed, what));
            }
        }
        Ok(())
    }
}

impl Evaluate for Pair<'_> {
    fn watches(&self) -> bool {
        true
    }

    fn settled(&mut self, machine: &mut Symbolic, executed: u64) -> Result<(), RunError> {
        if executed == self.executed && !self.whole {
            return Ok(());
        }
        self.follow(machine)?;
        if executed > self.executed {
            if let Some(spoil) = &mut self.spoil {
                spoil(executed, machine);
            }
            self.whole |= machine.finished || machine.pc == Interpreter::RETURN_ADDRESS;
            let advanced = self.advance(machine, executed);
            advanced.map_err(|what| self.differ_at(machine, executed, *what))?;
            self.executed = executed;
        }
        self.compare(machine)
            .map_err(|what| self.differ_at(machine, executed, *what))?;
        if executed.is_multiple_of(REPORT_INTERVAL) {
            self.report();
        }
        Ok(())
    }

    /// The interpreter stands before the branch, and knows.
    fn ask(&mut self, query: Query) -> Result<Option<Answer>, RunError> {
        let bits = query.bits.iter().map(|bit| match *bit {
            QueryBit::Clear(value) => value,
            QueryBit::Secret { number, inverted } => {
                self.output(&EndBit::Secret(number)) ^ inverted
            }
        });
        let bits: Vec<bool> = bits.collect();
        self.questions += 1;
        self.last = query.address;
        let answer = match query.asked {
            Asked::Condition(condition) => {
                let interpreter = self.holds(condition);
                let processor = bits.first().copied().unwrap_or_default();
                if processor != interpreter {
                    let what = Compared::Condition {
                        processor,
                        interpreter,
                    };
                    return Err(self.differ(self.executed + 1, what));
                }
                Answer::Holds(interpreter)
            }
            Asked::Operands {
                condition,
                holds,
                fails,
                ..
            } => Answer::Next(if self.holds(condition) { holds } else { fails }),
            // Where the processor would go; where the interpreter goes is compared afterwards.
            Asked::Target => Answer::Next(
                (0..)
                    .zip(&bits)
                    .fold(0, |address, (i, bit)| address | u32::from(*bit) << i),
            ),
        };
        Ok(Some(answer))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RunError> {
        self.written.extend_from_slice(bytes);
        Ok(())
    }

    fn window(&mut self, window: Window) -> Result<(), RunError> {
        let outputs = sim::evaluate(&window.circuit, &self.inputs);
        let outputs = outputs.map_err(|error| RunError::Evaluation {
            source: Box::new(error),
        })?;
        let kept = window.kept.iter();
        self.inputs = kept
            .filter_map(|index| outputs.get(*index).copied())
            .collect();
        self.signals += self.values.signals() as u64;
        self.values = Values::default();
        self.windows += 1;
        self.whole = true;
        self.report();
        Ok(())
    }
}

/// The registers that hold values: all but the program counter, which is compared as the next
/// instruction's address.
fn general() -> impl Iterator<Item = Register> {
    Register::all().filter(|register| *register != Register::PC)
}

fn byte_value(machine: &Symbolic, address: u32, value: &impl Fn(Wire) -> bool) -> u8 {
    let wires = machine.memory.byte(address).into_iter().enumerate();
    wires.fold(0, |byte, (i, wire)| byte | u8::from(value(wire)) << i)
}
