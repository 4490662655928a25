//! Two paths from one secret condition: the state before, what is known on a path, and the state
//! that both become where they meet.
//!
//! On a path the condition is a constant: bits of registers and flags that are its wire become
//! known, a second branch on it is none, and a register that was chosen by it is what was chosen.
//! Where the paths meet, what differs is selected by the condition. What one of them wrote and the
//! other did not is selected against the old value. Equal values and known bits cost nothing.

use std::collections::HashMap;
use std::rc::Rc;

use circuits::Wire;
use circuits::ir::Signal;

use super::addition::Addition;
use super::journal::Changes;
use super::{Choice, Floats, Symbolic, Word, Zero};

/// The most tests of words that the zero flag may stand for before it is computed: what two paths
/// share counts twice, so that without a limit the number doubles with each branch.
const ZERO_TESTS: u32 = 16;

/// Everything of a machine but its memory and what is recorded.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) pc: u32,
    registers: [Word; 15],
    choices: [Option<Rc<Choice>>; 15],
    negative: Wire,
    carry: Wire,
    overflow: Wire,
    saturation: Wire,
    greater_or_equal: [Wire; 4],
    zero: Zero,
    floats: Rc<Floats>,
    monitor: Wire,
    flags_of: Option<Rc<Addition>>,
    noted: usize,
    astray: Wire,
    strays: Vec<Wire>,
    /// Where registers are saved on the stack.
    pushed: Vec<u32>,
    call: u32,
}

/// Conditions that are known on the present path, by signal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(HashMap<Signal, bool>);

impl Known {
    /// The value of a wire that is known without being constant.
    #[inline]
    pub(super) fn value(&self, wire: Wire) -> Option<bool> {
        if self.0.is_empty() {
            return wire.as_constant();
        }
        let known = self.0.get(&wire.signal());
        known.map_or(wire.as_constant(), |value| Some(value ^ wire.is_inverted()))
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Symbolic {
    /// The state without its memory.
    pub(crate) fn snapshot(&self) -> Snapshot {
        Snapshot {
            pc: self.pc,
            registers: self.registers.clone(),
            choices: self.choices.clone(),
            negative: self.negative,
            carry: self.carry,
            overflow: self.overflow,
            saturation: self.saturation,
            greater_or_equal: self.greater_or_equal,
            zero: self.zero.clone(),
            floats: Rc::clone(&self.floats),
            monitor: self.monitor,
            flags_of: self.flags_of.clone(),
            noted: self.noted.len(),
            astray: self.astray,
            strays: self.strays.clone(),
            pushed: self.objects.saved().to_vec(),
            call: self.call,
        }
    }

    /// Makes the state without its memory what it was; an instruction in progress is dropped.
    pub(crate) fn reinstate(&mut self, snapshot: &Snapshot) {
        let snapshot = snapshot.clone();
        self.pc = snapshot.pc;
        self.registers = snapshot.registers;
        self.choices = snapshot.choices;
        self.negative = snapshot.negative;
        self.carry = snapshot.carry;
        self.overflow = snapshot.overflow;
        self.saturation = snapshot.saturation;
        self.greater_or_equal = snapshot.greater_or_equal;
        self.zero = snapshot.zero;
        self.floats = snapshot.floats;
        self.monitor = snapshot.monitor;
        self.flags_of = snapshot.flags_of;
        self.astray = snapshot.astray;
        self.strays = snapshot.strays;
        self.objects.set_saved(snapshot.pushed);
        self.call = snapshot.call;
        for (pc, _) in self.noted.drain(snapshot.noted..) {
            self.noted_at.remove(&pc);
        }
        self.predicate = None;
        self.target = None;
        self.finished = false;
        self.written = None;
    }

    /// As [`reinstate`](Self::reinstate), on another of several paths: what any of them noted stays
    /// noted.
    pub(crate) fn resume(&mut self, snapshot: &Snapshot) {
        let noted = Snapshot {
            noted: self.noted.len(),
            ..snapshot.clone()
        };
        self.reinstate(&noted);
    }

    /// Makes a register what it was.
    pub(crate) fn put_back(&mut self, number: usize, snapshot: &Snapshot) {
        let number = number % 15;
        self.registers[number] = snapshot.registers[number].clone();
        self.choices[number].clone_from(&snapshot.choices[number]);
    }

    /// Stores again what a path stored, in the journal that is open.
    pub(crate) fn store_again(&mut self, changes: &Changes) {
        for (address, cell) in changes {
            self.memory.note(*address, 1);
            self.memory.restore_cell(*address, *cell);
            self.code.invalidate(*address, 1);
        }
    }

    /// From here on a wire has this value, which the state has taken note of before.
    pub(crate) fn know(&mut self, wire: Wire, value: bool) {
        self.known
            .0
            .insert(wire.signal(), value ^ wire.is_inverted());
    }

    /// Nothing is known of wires any more that are not constant; bits that became known stay so.
    pub(crate) fn forget_all(&mut self) {
        self.known.clear();
    }

    /// Drops the instruction in progress; gives the secret condition that it stands under.
    pub(crate) fn drop_instruction(&mut self) -> Option<Wire> {
        self.target = None;
        self.predicate.take()
    }

    /// The conjunction of two bits.
    pub(crate) fn both(&mut self, a: Wire, b: Wire) -> Wire {
        self.builder.and(a, b)
    }

    /// The disjunction of bits.
    pub(crate) fn any(&mut self, bits: &[Wire]) -> Wire {
        self.builder.any(bits)
    }

    /// Remembers when paths could not go on, and when loops would have gone on beyond their bounds.
    pub(crate) fn note_ended(&mut self, faults: &[Wire], exceeded: &[Wire]) {
        for (bit, more) in [(&mut self.faulted, faults), (&mut self.exceeded, exceeded)] {
            let all: Vec<Wire> = more.iter().copied().chain([*bit]).collect();
            *bit = self.builder.any(&all);
        }
    }

    /// From here on, and until [`forget_all`](Self::forget_all), a wire has this value.
    pub(crate) fn assume(&mut self, wire: Wire, value: bool) {
        let signal = wire.signal();
        let positive = value ^ wire.is_inverted();
        self.known.0.insert(signal, positive);
        self.settle_choices();
        let known = |bit: Wire| match bit.signal() == signal {
            true => Wire::constant(positive ^ bit.is_inverted()),
            false => bit,
        };
        let mut assume = |word: &mut Word| {
            if let Word::Secret(wires) = word
                && wires.iter().any(|wire| wire.signal() == signal)
            {
                let rewired = wires.map(known);
                self.origins.rewire(wires, rewired, known);
                *word = Word::from_wires(rewired);
            }
        };
        self.registers.iter_mut().for_each(&mut assume);
        if !self.floats.is_clear() {
            let floats = Rc::make_mut(&mut self.floats);
            floats.all_mut().for_each(&mut assume);
            floats.flags = floats.flags.map(known);
        }
        self.negative = known(self.negative);
        self.carry = known(self.carry);
        self.overflow = known(self.overflow);
        self.saturation = known(self.saturation);
        self.monitor = known(self.monitor);
        self.greater_or_equal = self.greater_or_equal.map(known);
        if let Zero::Known(zero) = &mut self.zero {
            *zero = known(*zero);
        }
    }

    /// Registers that were written under a condition that is known hold the side that it chose,
    /// so that where paths meet only that side is selected.
    fn settle_choices(&mut self) {
        let pairs = self.registers.iter_mut().zip(&mut self.choices);
        for (register, chosen) in pairs {
            let Some(choice) = chosen.as_deref() else {
                continue;
            };
            if let Some(holds) = self.known.value(choice.condition) {
                *register = if holds { &choice.new } else { &choice.old }.clone();
                *chosen = None;
            }
        }
    }

    /// As [`assume`](Self::assume), in memory too and for good: the wire is revealed.
    pub(crate) fn reveal(&mut self, wire: Wire, value: bool) {
        self.assume(wire, value);
        let signal = wire.signal();
        let positive = value ^ wire.is_inverted();
        self.origins.reveal(signal, positive);
        let mut known = Vec::new();
        for (address, byte) in self.memory.secret_bytes() {
            if byte.iter().any(|bit| bit.signal() == signal) {
                known.push((
                    address,
                    byte.map(|bit| match bit.signal() == signal {
                        true => Wire::constant(positive ^ bit.is_inverted()),
                        false => bit,
                    }),
                ));
            }
        }
        for (address, byte) in known {
            self.memory.initialise(address, byte);
        }
    }

    /// Undoes what was stored since the last journal was opened, and closes it; gives what was.
    /// Instructions that a path decoded from what it had stored are forgotten.
    pub(crate) fn roll_back(&mut self) -> Changes {
        let changes = self.memory.roll_back();
        for address in changes.keys() {
            self.code.invalidate(*address, 1);
        }
        changes
    }

    /// The present state where `condition` fails and another where it holds become one. Memory's
    /// journal is that of the present path, and becomes that of both; `memory` is what the other
    /// path did to the same memory.
    pub(crate) fn merge(&mut self, condition: Wire, other: Snapshot, memory: &Changes) {
        for number in 0..self.registers.len() {
            let (new, old) = (&other.registers[number], &self.registers[number]);
            let same_choice = match (&other.choices[number], &self.choices[number]) {
                (Some(a), Some(b)) => Rc::ptr_eq(a, b),
                (None, None) => true,
                _ => false,
            };
            if new == old {
                if !same_choice {
                    self.choices[number] = None;
                }
                continue;
            }
            let (new, old) = (new.clone(), old.clone());
            self.registers[number] = self.choose(condition, &new, &old);
            self.choices[number] = Some(Rc::new(Choice {
                condition,
                new,
                old,
            }));
        }
        for (flag, new) in [
            (&mut self.negative, other.negative),
            (&mut self.carry, other.carry),
            (&mut self.overflow, other.overflow),
            (&mut self.saturation, other.saturation),
            (&mut self.monitor, other.monitor),
        ] {
            *flag = self.builder.mux(condition, new, *flag);
        }
        for (flag, new) in self.greater_or_equal.iter_mut().zip(other.greater_or_equal) {
            *flag = self.builder.mux(condition, new, *flag);
        }
        self.merge_floats(condition, &other.floats);
        self.merge_strays(condition, other.astray, &other.strays);
        self.merge_zero(condition, other.zero);
        let same_sum = match (&self.flags_of, &other.flags_of) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            _ => false,
        };
        if !same_sum {
            self.flags_of = None;
        }
        self.merge_memory(condition, memory);
    }

    /// What one path alone noted counts where that path is taken.
    fn merge_strays(&mut self, condition: Wire, astray: Wire, strays: &[Wire]) {
        self.astray = self.builder.mux(condition, astray, self.astray);
        let pairs = self.strays.iter().zip(strays);
        let shared = pairs.take_while(|(a, b)| a == b).count();
        let own: Vec<Wire> = self.strays.drain(shared..).collect();
        let (own, new) = (self.builder.any(&own), self.builder.any(&strays[shared..]));
        let stray = self.builder.mux(condition, new, own);
        if stray != Wire::FALSE {
            self.strays.push(stray);
        }
    }

    fn merge_zero(&mut self, condition: Wire, new: Zero) {
        let old = std::mem::replace(&mut self.zero, Zero::Known(Wire::FALSE));
        let tests = new.tests() + old.tests();
        self.zero = match (new, old) {
            (Zero::Known(new), Zero::Known(old)) => {
                Zero::Known(self.builder.mux(condition, new, old))
            }
            (Zero::Of(a, b), Zero::Of(c, d)) if a == c && b == d => Zero::Of(a, b),
            (new, old) if new.is(&old) => old,
            (new, old) => Zero::Either {
                condition,
                new: Rc::new(new),
                old: Rc::new(old),
                tests,
            },
        };
        if tests > ZERO_TESTS {
            self.zero_flag();
        }
    }

    fn merge_memory(&mut self, condition: Wire, changes: &Changes) {
        let before = self.memory.noted();
        let mut addresses: Vec<u32> = changes.keys().chain(before.keys()).copied().collect();
        addresses.sort_unstable();
        addresses.dedup();
        let mut words: Vec<u32> = addresses.iter().map(|address| address & !3).collect();
        words.dedup();
        let words: Vec<_> = words
            .into_iter()
            .map(|address| {
                let old = self.memory.word(address);
                let places = (0..4).map(|i| address.wrapping_add(i));
                let new = places.zip(old.chunks(8)).flat_map(|(at, old)| {
                    let new = changes.get(&at).or_else(|| before.get(&at));
                    new.map_or_else(|| old.to_vec(), |new| new.byte.to_vec())
                });
                let new: Vec<_> = new.collect();
                (address, Word::from_slice(&new), Word::from_slice(&old))
            })
            .collect();
        for address in addresses {
            let old = self.memory.cell(address);
            let new = changes.get(&address).or_else(|| before.get(&address));
            let Some(new) = new.copied().filter(|new| *new != old) else {
                continue;
            };
            let byte =
                std::array::from_fn(|i| self.builder.mux(condition, new.byte[i], old.byte[i]));
            let written = new.written || old.written;
            // What only the other path stored to is not in this one's journal yet.
            self.memory.note(address, 1);
            self.memory
                .restore_cell(address, super::journal::Cell { byte, written });
            self.code.invalidate(address, 1);
        }
        // A pointer in memory may have been moved on one of the paths.
        for (address, new, old) in words {
            let one = Word::from_slice(&self.memory.word(address));
            if new != old {
                self.note_choice(condition, &new, &old, &one);
                self.note_numbers(&one, &[&new, &old]);
            }
        }
    }
}

impl Snapshot {
    pub(crate) fn stack_pointer(&self) -> &Word {
        &self.registers[13]
    }
}

impl Zero {
    fn tests(&self) -> u32 {
        match self {
            Self::Known(_) => 0,
            Self::Of(..) => 1,
            Self::Either { tests, .. } => *tests,
        }
    }

    /// Whether the two are one choice, which neither of two paths has changed.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Either {
                    condition,
                    new,
                    old,
                    ..
                },
                Self::Either {
                    condition: other,
                    new: other_new,
                    old: other_old,
                    ..
                },
            ) => condition == other && Rc::ptr_eq(new, other_new) && Rc::ptr_eq(old, other_old),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use circuits::{Profile, sim};

    use super::super::{Objects, Span};
    use super::*;
    use crate::program::Program;

    /// A pointer that was made before the branch, and of which the condition is part of the index
    /// but no bit: each path reads what it means, and so does what comes after them.
    #[test]
    fn an_address_made_before_the_branch_is_the_same_on_both_paths() {
        let program = Program::load(include_bytes!("../../tests/programs/tables.elf")).unwrap();
        let words = program.variable("words").unwrap().address;
        let mut machine = Symbolic::new(&Profile::lookup_simulation());
        machine.objects = Objects::new(
            &program,
            &[],
            Span {
                start: 0x7000_0000,
                size: 0x1000,
            },
        );
        let bytes: Vec<u8> = (0..64u8).collect();
        machine.memory.add(words, 64, &bytes, true, false);
        let index = machine.inputs(4);
        machine.place(0, Word::from_slice(&index));
        machine.place(1, Word::Clear(words + 4));
        let execute = |machine: &mut Symbolic, word: u32| {
            let instruction = a32::decode(word).unwrap();
            a32::execute(machine, &instruction).unwrap();
        };
        // add r2, r1, r0, lsl #2
        execute(&mut machine, 0xe081_2100);
        let condition = index[3];
        let pointer = machine.peek(2).wires();
        assert!(pointer.iter().all(|w| w.signal() != condition.signal()));
        let mut outputs = Vec::new();
        let before = machine.snapshot();
        for holds in [true, false] {
            machine.reinstate(&before);
            machine.assume(condition, holds);
            // ldr r3, [r2]
            execute(&mut machine, 0xe592_3000);
            outputs.extend(machine.peek(3).wires());
            machine.forget_all();
        }
        machine.reinstate(&before);
        execute(&mut machine, 0xe592_3000);
        outputs.extend(machine.peek(3).wires());
        let lanes: Vec<u64> = (0..4)
            .map(|bit| (0..16).fold(0, |lanes, lane| lanes | (lane >> bit & 1) << lane))
            .collect();
        let found = sim::evaluate(&machine.finish(&outputs), &lanes).unwrap();
        for lane in 0..16u32 {
            let value = |from: usize| {
                let bits = found[from..from + 32].iter().enumerate();
                bits.fold(0, |value, (i, bit)| value | ((bit >> lane & 1) as u32) << i)
            };
            let at = 4 * lane + 4;
            // The variable has twelve words.
            let expected = match lane {
                0..11 => u32::from_le_bytes(std::array::from_fn(|i| at as u8 + i as u8)),
                _ => 0,
            };
            let path = if lane & 8 == 8 { 0 } else { 32 };
            assert_eq!(value(path), expected, "index {lane} on its path");
            assert_eq!(value(64), expected, "index {lane} afterwards");
        }
    }

    /// An instruction that one path stored and executed is not the other one's.
    #[test]
    fn what_a_path_stored_is_decoded_on_that_path_only() {
        let mut machine = Symbolic::new(&Profile::lookup_simulation());
        machine.memory.add(0x1000, 16, &[0; 16], true, true);
        let nop = 0xe320_f000;
        machine.memory.open_journal();
        machine.memory.store_clear(0x1004, 4, nop).unwrap();
        machine.code.insert(0x1004, a32::decode(nop).unwrap());
        let generation = machine.code.generation();
        assert_eq!(machine.roll_back().len(), 4);
        assert_eq!(machine.code.find(0x1004), None);
        assert!(machine.code.generation() > generation);
        assert_eq!(machine.memory.fetch(0x1004), Some(Some(0)));
    }
}
