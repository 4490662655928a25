//! The processor's state while it executes: registers, flags and memory over known and secret bits.
//!
//! [`Symbolic`] implements [`a32::Machine`], so instructions mean what [`a32::execute()`] says.
//! Nothing is evaluated here; secret operands append nodes to the current [`Builder`]. The zero
//! flag is kept as the words that it is the zero test of until somebody reads it: most are
//! overwritten unread, and a zero test costs gates where N, C and V come with the sum.

mod addition;
mod callers;
#[cfg(test)]
mod choices;
mod code;
mod compared;
mod console;
#[cfg(test)]
mod costs;
mod feasible;
mod float_units;
mod floats;
mod flow;
mod fork;
mod halves;
mod heap;
mod inverses;
mod journal;
mod known;
mod locals;
#[cfg(test)]
mod lockstep;
mod memory;
mod numbers;
mod objects;
mod observed;
mod origin;
mod pointers;
mod quotients;
mod saved;
mod select;
mod symbolic;
mod units;
#[cfg(test)]
mod windows;
mod word;

use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use a32::{Detours, Instruction, Link, Operation};
use circuits::diagrams::Diagrams;
use circuits::ir::table::variance;
use circuits::passes::{self, Provenance};
use circuits::{Builder, Circuit, Profile, Wire};

use crate::error::Access;
use crate::numbering::Numbering;

use addition::Addition;
pub(crate) use callers::Callers;
pub(crate) use code::Code;
pub(crate) use feasible::Care;
use floats::Floats;
pub(crate) use flow::{Flow, flow, repeats};
pub use flow::{jumps_by_data, leaves_the_line};
pub(crate) use fork::Snapshot;
pub(crate) use halves::HalfRun;
pub(crate) use journal::Changes;
pub(crate) use memory::{Byte, Memory};
pub(crate) use objects::{Objects, Span};
use origin::Origins;
pub(crate) use saved::{SavedIntegers, SavedMachine};
pub(crate) use select::Selected;
pub(crate) use word::Word;

/// The table of a refresh: 1 where the bit is.
const REFRESH: u16 = 0b10;
/// Bits that a load reads and that take as much memory as a node.
const READS: usize = 16;

/// Why an instruction could not be executed; where is the caller's knowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A branch under a secret condition; the state is as before the instruction.
    SecretCondition(Wire),
    /// A jump to a secret address.
    SecretTarget,
    /// A branch in the middle of an instruction that stands under a secret condition.
    SecretBranch,
    /// A supervisor call with a secret argument.
    SecretArgument,
    /// The program wants to write out a secret byte.
    SecretWrite {
        address: u32,
    },
    /// A store to decoded instructions, on one of two paths.
    CodeStore {
        address: u32,
    },
    SecretAddress(Access),
    /// No address that the index can lead to lies in the object.
    Outside {
        access: Access,
        address: u32,
        size: u32,
    },
    /// More bytes than one access selects over.
    LargeObject {
        access: Access,
        address: u32,
        bytes: u64,
    },
    OutOfRange {
        access: Access,
        address: u32,
        size: u32,
    },
    ReadOnly {
        address: u32,
    },
    Unaligned {
        access: Access,
        address: u32,
    },
    Thumb {
        target: u32,
    },
    UnknownCall {
        number: u32,
    },
    /// A semihosting operation that is not known.
    UnknownOperation {
        operation: u32,
    },
    /// A mode of floating point that depends on secret data.
    SecretFloatMode,
    /// A write to FPSCR that asks for short vectors.
    ShortVectors,
    Trap,
    EndlessLoop,
}

/// The zero flag: known as a wire, or not yet computed.
#[derive(Clone, Debug)]
enum Zero {
    Known(Wire),
    /// All of these words are zero.
    Of(Word, Word),
    /// One where the condition holds, else the other.
    Either {
        condition: Wire,
        new: Rc<Zero>,
        old: Rc<Zero>,
        /// How many tests computing it takes.
        tests: u32,
    },
}

/// How a register came by its value: `new` where `condition` holds, else `old`.
///
/// Compilers write both arms of a choice under opposite conditions, and use what they wrote under
/// the same one. Where the condition is that of this choice, one of its sides stands for the whole:
/// no selection, and a clear side stays clear, which matters most for addresses.
#[derive(Clone, Debug)]
struct Choice {
    condition: Wire,
    new: Word,
    old: Word,
}

impl Choice {
    /// The value where `condition` holds, if this choice decides it.
    fn under(&self, condition: Wire) -> Option<&Word> {
        if condition == self.condition {
            Some(&self.new)
        } else if condition == !self.condition {
            Some(&self.old)
        } else {
            None
        }
    }
}

/// What happens at a secret address of which the object is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SecretAddresses {
    /// A fault.
    Refuse,
    /// Noted; loads give fresh inputs, stores do nothing. For plans.
    Note,
}

/// A circuit that ends before the program does.
pub(crate) struct Cut {
    pub(crate) circuit: Circuit,
    /// The outputs that the next circuit takes as its inputs, by their number and in order.
    pub(crate) kept: Vec<usize>,
}

/// The machine.
#[derive(Clone, Debug)]
pub(crate) struct Symbolic {
    registers: [Word; 15],
    /// The choices that registers hold the outcome of.
    choices: [Option<Rc<Choice>>; 15],
    negative: Wire,
    carry: Wire,
    overflow: Wire,
    saturation: Wire,
    greater_or_equal: [Wire; 4],
    zero: Zero,
    floats: Rc<Floats>,
    /// Whether an exclusive load was the last of its kind.
    monitor: Wire,
    thread_pointer: u32,
    detours: Arc<Detours>,
    /// Whether the flags of floating-point exceptions are kept: nobody pays who never looks.
    tracks_exceptions: bool,
    pub(crate) memory: Memory,
    pub(crate) code: Code,
    builder: Builder,
    /// How the inputs of the current circuit were made, in their order.
    provenance: Vec<Provenance>,
    /// How many came from outside.
    originals: u64,
    secret_addresses: SecretAddresses,
    /// What accesses at secret addresses select over.
    pub(crate) objects: Objects,
    /// What the words that may be addresses are made of.
    origins: Origins,
    /// What words can be that were chosen from known numbers.
    numbers: numbers::Numbers,
    compared: compared::Compared,
    /// What is known of words where paths are taken.
    narrow: known::KnownWords,
    /// Words that are products with clear numbers, and what is made of them.
    quotients: quotients::Quotients,
    /// Words that are products with inverses of numbers.
    inverses: inverses::Inverses,
    /// Accesses at secret addresses, by instruction.
    pub(crate) selected: BTreeMap<(u32, Access), Selected>,
    /// Whether an access at a secret address left the objects that it was selected over, as far as
    /// that was gathered; and what was not yet.
    astray: Wire,
    strays: Vec<Wire>,
    /// Whether a path was taken that ended in a fault.
    faulted: Wire,
    /// Whether a loop would have gone on beyond its bound.
    exceeded: Wire,
    /// The condition of the instruction in progress, if it is secret.
    predicate: Option<Wire>,
    /// The address of the instruction in progress.
    pub(crate) pc: u32,
    /// Where a branch goes.
    pub(crate) target: Option<u32>,
    /// Where a branch goes whose target is secret, if that may be: see
    /// [`Self::let_targets_be_secret`].
    pub(crate) secret_target: Option<Word>,
    secret_targets: bool,
    /// Conditions that are known without being constant.
    known: fork::Known,
    /// What the builder's bits are as functions, as far as somebody asked.
    diagrams: Diagrams,
    /// Where the present path is taken.
    pub(crate) care: Care,
    /// The addition that set the flags, if that is remembered.
    flags_of: Option<Rc<Addition>>,
    /// The last addition, if that is remembered.
    last_sum: Option<Rc<Addition>>,
    remembers: bool,
    /// The bits of a question that is open between two circuits.
    pub(crate) pending: Vec<Wire>,
    /// Bytes that the instruction in progress wrote out.
    pub(crate) written: Option<Vec<u8>>,
    /// Whether the instruction in progress met a secret bit.
    pub(crate) touched: bool,
    /// Whether the program said `svc #0`.
    pub(crate) finished: bool,
    /// Secret addresses met, if they are noted: each instruction once, in the order met.
    pub(crate) noted: Vec<(u32, Access)>,
    /// The instructions in `noted`.
    noted_at: HashSet<u32>,
    /// The call that is executed, where calls are charged for what they cost.
    call: u32,
    callers: Option<Box<Callers>>,
}

impl Symbolic {
    /// All registers and flags zero, no memory.
    pub(crate) fn new(profile: &Profile) -> Self {
        Self {
            registers: std::array::from_fn(|_| Word::Clear(0)),
            choices: [const { None }; 15],
            negative: Wire::FALSE,
            carry: Wire::FALSE,
            overflow: Wire::FALSE,
            saturation: Wire::FALSE,
            greater_or_equal: [Wire::FALSE; 4],
            zero: Zero::Known(Wire::FALSE),
            floats: Floats::new(),
            monitor: Wire::FALSE,
            thread_pointer: 0,
            detours: Arc::default(),
            tracks_exceptions: true,
            memory: Memory::default(),
            code: Code::default(),
            builder: Builder::new(profile),
            provenance: Vec::new(),
            originals: 0,
            secret_addresses: SecretAddresses::Refuse,
            objects: Objects::default(),
            origins: Origins::default(),
            numbers: numbers::Numbers::default(),
            compared: compared::Compared::default(),
            narrow: known::KnownWords::default(),
            quotients: quotients::Quotients::default(),
            inverses: inverses::Inverses::default(),
            selected: BTreeMap::new(),
            astray: Wire::FALSE,
            faulted: Wire::FALSE,
            exceeded: Wire::FALSE,
            strays: Vec::new(),
            predicate: None,
            pc: 0,
            target: None,
            secret_target: None,
            secret_targets: false,
            known: fork::Known::default(),
            diagrams: Diagrams::default(),
            care: Care::ALWAYS,
            flags_of: None,
            last_sum: None,
            remembers: false,
            pending: Vec::new(),
            written: None,
            touched: false,
            finished: false,
            noted: Vec::new(),
            noted_at: HashSet::new(),
            call: 0,
            callers: None,
        }
    }

    /// Sets what follows from the program alone: routines in whose place others are carried out,
    /// and the address of the thread's own variables.
    pub(crate) fn set_program(&mut self, detours: Arc<Detours>, thread_pointer: u32) {
        self.detours = detours;
        self.thread_pointer = thread_pointer;
    }

    pub(crate) fn note_secret_addresses(&mut self) {
        self.secret_addresses = SecretAddresses::Note;
    }

    /// Takes a jump to a secret address for [`secret_target`](Self::secret_target), not for a
    /// fault.
    pub(crate) fn let_targets_be_secret(&mut self) {
        self.secret_targets = true;
    }

    /// From here on floating-point exceptions leave their flags in FPSCR as they are. For programs
    /// that never look at them.
    pub(crate) fn ignore_exceptions(&mut self) {
        self.tracks_exceptions = false;
    }

    /// Whether the flags of floating-point exceptions are kept.
    pub(crate) fn tracks_exceptions(&self) -> bool {
        self.tracks_exceptions
    }

    /// Fresh secret bits: the next inputs of the current circuit.
    pub(crate) fn inputs(&mut self, count: usize) -> Vec<Wire> {
        let numbers = self.originals..self.originals + count as u64;
        self.originals = numbers.end;
        self.provenance.extend(numbers.map(Provenance::original));
        self.builder.inputs(count)
    }

    /// Fresh secret bits at scale 1/2.
    fn inputs_at_half(&mut self, run: &HalfRun) -> Vec<Wire> {
        let numbers = self.originals..self.originals + u64::from(run.count);
        self.originals = numbers.end;
        self.provenance.extend(numbers.map(Provenance::original));
        let noise = run.noise();
        let inputs = (0..run.count).map(|_| self.builder.input_at_half(noise));
        inputs.collect()
    }

    /// Which inputs of the current circuit are at scale 1/2.
    pub(crate) fn halves(&self) -> Vec<HalfRun> {
        HalfRun::of(self.builder.half_inputs())
    }

    /// How the inputs of the current circuit were made, in their order.
    pub(crate) fn provenance(&self) -> &[Provenance] {
        &self.provenance
    }

    /// Declares it for a machine that was restored, which takes its inputs for originals. Nothing
    /// changes where their number is another.
    pub(crate) fn set_provenance(&mut self, provenance: &[Provenance]) {
        if provenance.len() == self.provenance.len() {
            self.provenance.copy_from_slice(provenance);
        }
    }

    /// Nodes recorded since the last [`cut`](Self::cut). Inputs do not count: a state with more
    /// live bits than a window has nodes would be cut after every instruction.
    pub(crate) fn nodes(&self) -> usize {
        let nodes = self.builder.len().saturating_sub(self.provenance.len());
        // An array of thousands of bits is read by one node.
        nodes + self.builder.loaded() / READS
    }

    /// Whether the instruction in progress stands under a secret condition.
    pub(crate) fn is_predicated(&self) -> bool {
        self.predicate.is_some()
    }

    /// The condition under which an instruction stands, at its address.
    pub(crate) fn condition(&mut self, instruction: &Instruction) -> Result<Wire, Fault> {
        let probe = Instruction {
            operation: Operation::Branch {
                link: Link::No,
                offset: 0,
            },
            ..*instruction
        };
        let outcome = a32::execute(self, &probe);
        let target = self.target.take();
        match outcome {
            Err(Fault::SecretCondition(condition)) => Ok(condition),
            Err(fault) => Err(fault),
            Ok(()) => Ok(Wire::constant(target.is_some())),
        }
    }

    /// The number of the input of the current circuit that a wire is, perhaps inverted.
    pub(crate) fn input_number(&self, wire: Wire) -> Option<usize> {
        self.builder
            .input_number(wire)
            .map(|number| number as usize)
    }

    /// Sets a register from outside, `number` modulo 15.
    pub(crate) fn place(&mut self, number: usize, word: Word) {
        self.registers[number % 15] = word;
        self.choices[number % 15] = None;
    }

    /// Reads a register from outside, `number` modulo 15.
    pub(crate) fn peek(&self, number: usize) -> &Word {
        &self.registers[number % 15]
    }

    /// Ends the current circuit, has it prepared, and begins the next one.
    ///
    /// The outputs of the circuit are the live secret bits, each once and without inversion. What
    /// was computed is refreshed on its way, so that the next circuit may count its inputs' noise
    /// as independent and no larger than [`with_refreshed_inputs`] says.
    ///
    /// Preparing may find that two live bits are the same function, and then one ciphertext leaves
    /// for both; or that a live bit is what an input holds already, from a window before
    /// ([`passes::reuse`]), and then the input leaves for it. The next circuit takes it as one
    /// input: as two, their noise would count as independent. [`Cut::kept`] says which outputs are
    /// its inputs.
    pub(crate) fn cut<E>(
        &mut self,
        prepare: impl FnOnce(&Circuit, &Profile, &[Provenance]) -> Result<Circuit, E>,
    ) -> Result<Cut, E> {
        // What is left of flags is asked by whatever comes next.
        self.compared.clear();
        self.zero_flag();
        self.astray();
        self.choices = [const { None }; 15];
        if !self.floats.is_clear() {
            self.floats_mut().choices = [const { None }; a32::FloatWord::COUNT];
        }
        self.known.clear();
        self.diagrams = Diagrams::default();
        self.forget_words();
        self.care = Care::ALWAYS;
        self.flags_of = None;
        self.last_sum = None;
        self.drop_dead_origins();
        let mut live = Numbering::default();
        let mut outputs = Vec::new();
        self.each_wire(&mut |wire| {
            if live.number(wire.signal().index()) == outputs.len() {
                outputs.push(wire.positive());
            }
        });
        let profile = self.builder.profile().clone();
        if profile.lookup.is_some() || profile.levels.is_some() || profile.growth.is_some() {
            for wire in &mut outputs {
                // What was stored to arrays stays in rows, and says how noisy it is.
                if !self.builder.is_input(*wire) && !self.builder.is_half(*wire) {
                    self.charge_maker(*wire);
                    *wire = self.builder.refresh(*wire);
                }
            }
        }
        let circuit = prepare(&self.finish(&outputs), &profile, &self.provenance)?;
        // A ciphertext has one provenance: its complement would be another ciphertext.
        let (circuit, inverted) = circuit.with_positive_outputs();
        let provenance = passes::provenance(&circuit, &self.provenance);
        let model = profile.lookup.map(|lookup| lookup.noise);
        let halves = model.map(|model| passes::half_outputs(&circuit, &model));
        let halves = halves.unwrap_or_default();
        self.builder = Builder::new(&with_refreshed_inputs(profile));
        self.provenance.clear();

        let mut kept = Vec::new();
        let mut known = Numbering::default();
        let mut inputs: Vec<Wire> = Vec::new();
        let mut next = Vec::with_capacity(outputs.len());
        for (index, (output, inverted)) in circuit.outputs().iter().zip(inverted).enumerate() {
            next.push(match output.as_constant() {
                Some(value) => Wire::constant(value),
                None => {
                    let signal = output.signal().index();
                    let number = known.number(signal);
                    if number == inputs.len() {
                        kept.push(index);
                        self.provenance.push(provenance[signal]);
                        inputs.push(match halves.get(index).copied().flatten() {
                            Some(noise) => self.builder.input_at_half(noise),
                            None => self.builder.input(),
                        });
                    }
                    inputs[number].invert_if(inverted)
                }
            });
        }
        self.each_wire(&mut |wire| {
            if let Some(index) = live.get(wire.signal().index()) {
                *wire = next[index].invert_if(wire.is_inverted());
            }
        });
        Ok(Cut { circuit, kept })
    }

    /// Ends the current circuit with these outputs; what the state holds is then without meaning.
    pub(crate) fn finish(&mut self, outputs: &[Wire]) -> Circuit {
        self.diagrams = Diagrams::default();
        self.forget_words();
        let next = Builder::new(self.builder.profile());
        let mut builder = std::mem::replace(&mut self.builder, next);
        for &wire in outputs {
            builder.output(wire);
        }
        builder.finish()
    }

    /// Forgets what was noted of words: their bits are to be others.
    fn forget_words(&mut self) {
        self.numbers.clear();
        self.compared.clear();
        self.narrow.clear();
        self.quotients.clear();
        self.inverses.clear();
    }

    /// The target as the current circuit sees it.
    pub(crate) fn profile(&self) -> &Profile {
        self.builder.profile()
    }

    /// Visits every secret bit of the state, in a fixed order.
    fn each_wire(&mut self, visit: &mut impl FnMut(&mut Wire)) {
        let mut bit = |wire: &mut Wire| {
            if wire.as_constant().is_none() {
                visit(wire);
            }
        };
        let mut word = |word: &mut Word| {
            if let Word::Secret(shared) = word {
                let mut wires = **shared;
                wires.iter_mut().for_each(&mut bit);
                *word = Word::from_wires(wires);
            }
        };
        self.registers.iter_mut().for_each(&mut word);
        if !self.floats.is_clear() {
            let floats = Rc::make_mut(&mut self.floats);
            floats.all_mut().for_each(&mut word);
            floats.flags.iter_mut().for_each(&mut bit);
        }
        self.each_flag(&mut bit);
        bit(&mut self.monitor);
        for (_, byte) in self.memory.secret_bytes() {
            byte.iter_mut().for_each(&mut bit);
        }
        self.pending.iter_mut().for_each(&mut bit);
        let origins = self
            .origins
            .take()
            .into_iter()
            .map(|(mut word, mut origin)| {
                word.iter_mut().for_each(&mut bit);
                origin.each_wire(&mut bit);
                (word, origin)
            });
        self.origins = origins.collect();
    }

    /// Visits every flag whose wire is known, constant or not, in a fixed order.
    fn each_flag(&mut self, visit: &mut impl FnMut(&mut Wire)) {
        visit(&mut self.negative);
        visit(&mut self.carry);
        visit(&mut self.overflow);
        visit(&mut self.saturation);
        visit(&mut self.astray);
        visit(&mut self.faulted);
        visit(&mut self.exceeded);
        self.greater_or_equal.iter_mut().for_each(&mut *visit);
        if let Zero::Known(wire) = &mut self.zero {
            visit(wire);
        }
    }

    /// Z, computed now if it was not before.
    fn zero_flag(&mut self) -> Wire {
        if let Zero::Known(wire) = self.zero {
            return wire;
        }
        let zero = std::mem::replace(&mut self.zero, Zero::Known(Wire::FALSE));
        let wire = self.zero_test(&zero);
        self.zero = Zero::Known(wire);
        wire
    }

    fn zero_test(&mut self, zero: &Zero) -> Wire {
        match zero {
            Zero::Known(wire) => *wire,
            Zero::Of(word, Word::Clear(0)) => self.zero_of_flags(word),
            Zero::Of(low, high) => {
                let mut wires = [Wire::FALSE; 64];
                wires[..32].copy_from_slice(&low.wires());
                wires[32..].copy_from_slice(&high.wires());
                !self.builder.any(&wires)
            }
            Zero::Either {
                condition,
                new,
                old,
                ..
            } => {
                let (new, old) = (self.zero_test(new), self.zero_test(old));
                self.builder.mux(*condition, new, old)
            }
        }
    }
}

/// A target whose inputs may be as noisy as a refreshed bit.
fn with_refreshed_inputs(mut profile: Profile) -> Profile {
    if let Some(lookup) = &mut profile.lookup {
        lookup.noise.fresh = lookup.noise.fresh.max(f64::from(variance(REFRESH)));
    }
    if let Some(growth) = &mut profile.growth {
        growth.fresh = growth.fresh.or(growth.refreshed);
    }
    profile
}
