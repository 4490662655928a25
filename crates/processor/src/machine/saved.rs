//! The machine between two circuits, as data.
//!
//! After a [cut](Symbolic::cut) nothing is recorded, and every secret bit of the state is an input
//! of the next circuit, perhaps inverted. So a bit is a constant or the number of an input: a state
//! holds no ciphertext; with the ciphertexts beside it, in the order of their numbers, exactly the
//! machine that was saved can be restored.
//!
//! Memory is kept as what differs from the program's own segments, so that a state is as large as
//! what the program did, not as what it could have done.

use std::rc::Rc;

use a32::{FloatFlag, FloatMode, FloatWord};
use circuits::{Builder, Wire};
use serde::{Deserialize, Serialize};

use super::memory::SavedRegion;
use super::origin::{BASES, Base, Origin};
use super::{Byte, Floats, HalfRun, Symbolic, Word, Zero, with_refreshed_inputs};

/// Flags in a saved machine, at most: more than any release ever has.
const FLAG_LIMIT: usize = 64;

/// The number of the floating-point unit's mode among its words.
const MODE: usize = FloatWord::COUNT;

const MISSING: &str = "it names a ciphertext that it does not have";

/// A constant, or an input: 0, 1, or 2·(number + 1) + inversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedBit(u64);

/// A register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SavedWord {
    Clear(u32),
    Secret(Box<[SavedBit; 32]>),
}

/// Everything of a machine that the next instruction can depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedMachine {
    integers: SavedIntegers,
    floats: SavedFloats,
    /// The places of those origins that are exact; ascending.
    exact: Vec<u32>,
}

/// All but the floating-point unit: a machine as it was saved before there was one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedIntegers {
    /// How many ciphertexts belong to it.
    inputs: u32,
    pc: u32,
    registers: [SavedWord; 15],
    /// In the order of [`Symbolic::each_flag`].
    flags: Vec<SavedBit>,
    regions: Vec<SavedRegion>,
    /// Ascending.
    secrets: Vec<(u32, [SavedBit; 8])>,
    /// The bits of a question that is to be asked next, if there is one: a condition, four flags, a
    /// target, or the operands of an addition.
    pending: Vec<SavedBit>,
    origins: Vec<SavedOrigin>,
    /// Where registers are saved on the stack.
    pushed: Vec<u32>,
}

/// The floating-point unit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct SavedFloats {
    /// The words of its registers and, as number 64, the mode, without those that are zero;
    /// ascending.
    words: Vec<(u8, SavedWord)>,
    /// In the order of [`FloatFlag::ALL`]; empty where all are zero.
    flags: Vec<SavedBit>,
}

/// What a word that may be an address is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SavedOrigin {
    word: [SavedBit; 32],
    bases: Vec<Base>,
    displacement: u32,
    index: [SavedBit; 32],
    factors: Option<(u32, [SavedBit; 32])>,
}

impl SavedBit {
    fn of(builder: &Builder, wire: Wire) -> Option<Self> {
        if let Some(value) = wire.as_constant() {
            return Some(Self(value.into()));
        }
        let number = builder.input_number(wire)?;
        Some(Self(
            2 * (u64::from(number) + 1) + u64::from(wire.is_inverted()),
        ))
    }

    /// The input that it is, `None` for a constant.
    fn input(self) -> Option<u64> {
        (self.0 / 2).checked_sub(1)
    }

    fn wire(self, inputs: &[Wire]) -> Option<Wire> {
        let inverted = self.0 & 1 == 1;
        match self.input() {
            None => Some(Wire::constant(inverted)),
            Some(number) => {
                let wire = inputs.get(usize::try_from(number).ok()?)?;
                Some(wire.invert_if(inverted))
            }
        }
    }
}

impl SavedWord {
    /// `None` if a bit is no input of the circuit in progress.
    fn of(builder: &Builder, word: &Word) -> Option<Self> {
        match word {
            Word::Clear(value) => Some(Self::Clear(*value)),
            Word::Secret(wires) => {
                let bits: Option<Vec<_>> = wires
                    .iter()
                    .map(|wire| SavedBit::of(builder, *wire))
                    .collect();
                Some(Self::Secret(bits?.try_into().ok()?))
            }
        }
    }

    fn word(&self, inputs: &[Wire]) -> Result<Word, &'static str> {
        match self {
            Self::Clear(value) => Ok(Word::Clear(*value)),
            Self::Secret(bits) => {
                let wires: Option<Vec<_>> = bits.iter().map(|bit| bit.wire(inputs)).collect();
                Ok(Word::from_slice(&wires.ok_or(MISSING)?))
            }
        }
    }

    fn bits(&self) -> &[SavedBit] {
        match self {
            Self::Clear(_) => &[],
            Self::Secret(bits) => &bits[..],
        }
    }
}

impl SavedFloats {
    fn of(builder: &Builder, floats: &Floats) -> Option<Self> {
        let words = (0..).zip(floats.all());
        let words = words.filter(|(_, word)| **word != Word::Clear(0));
        let words = words.map(|(number, word)| Some((number, SavedWord::of(builder, word)?)));
        let flags: &[Wire] = if floats.flags.iter().all(|wire| *wire == Wire::FALSE) {
            &[]
        } else {
            &floats.flags
        };
        let flags = flags.iter().map(|wire| SavedBit::of(builder, *wire));
        Some(Self {
            words: words.collect::<Option<_>>()?,
            flags: flags.collect::<Option<_>>()?,
        })
    }

    fn restore(&self, inputs: &[Wire]) -> Result<Rc<Floats>, &'static str> {
        let mut floats = Floats::new();
        if self.words.is_empty() && self.flags.is_empty() {
            return Ok(floats);
        }
        let new = Rc::make_mut(&mut floats);
        for (number, word) in &self.words {
            let slot = new.all_mut().nth(usize::from(*number));
            *slot.ok_or("it has more floating-point registers than there are")? =
                word.word(inputs)?;
        }
        for (flag, bit) in new.flags.iter_mut().zip(&self.flags) {
            *flag = bit.wire(inputs).ok_or(MISSING)?;
        }
        Ok(floats)
    }

    fn bits(&self) -> impl Iterator<Item = SavedBit> {
        let words = self.words.iter().flat_map(|(_, word)| word.bits());
        words.chain(&self.flags).copied()
    }

    fn check(&self) -> Result<(), &'static str> {
        if ![0, FloatFlag::ALL.len()].contains(&self.flags.len()) {
            return Err("it has other floating-point flags than there are");
        }
        if self
            .words
            .last()
            .is_some_and(|(number, _)| usize::from(*number) > MODE)
        {
            return Err("it has more floating-point registers than there are");
        }
        if !self.words.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Err("its floating-point registers are out of order");
        }
        match self.words.last() {
            Some((number, SavedWord::Clear(mode)))
                if usize::from(*number) == MODE && mode & !FloatMode::MASK != 0 =>
            {
                Err("its mode of floating point has other bits than there are")
            }
            _ => Ok(()),
        }
    }
}

impl From<SavedIntegers> for SavedMachine {
    fn from(integers: SavedIntegers) -> Self {
        Self {
            integers,
            floats: SavedFloats::default(),
            exact: Vec::new(),
        }
    }
}

impl SavedMachine {
    /// What a build without floating point saved of it.
    #[cfg(test)]
    pub(crate) fn integers(&self) -> &SavedIntegers {
        &self.integers
    }

    /// The number of ciphertexts that belong to it.
    pub(crate) fn inputs(&self) -> usize {
        self.integers.inputs as usize
    }

    /// The address of the next instruction.
    pub(crate) fn pc(&self) -> u32 {
        self.integers.pc
    }

    /// Checks what can be checked without the program.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let mut seen = 0u64;
        let mut bits = Vec::new();
        self.floats.check()?;
        bits.extend(self.floats.bits());
        let this = &self.integers;
        for register in &this.registers {
            bits.extend_from_slice(register.bits());
        }
        bits.extend_from_slice(&this.flags);
        if ![0, 1, 4, 32, 65].contains(&this.pending.len()) {
            return Err("it asks about bits as no question has them");
        }
        bits.extend_from_slice(&this.pending);
        bits.extend(this.secrets.iter().flat_map(|(_, byte)| *byte));
        for origin in &this.origins {
            let factor = origin.factors.iter().flat_map(|(_, bits)| *bits);
            bits.extend(origin.word.into_iter().chain(origin.index).chain(factor));
            if origin.bases.is_empty() || origin.bases.len() > BASES {
                return Err("it has an address of no object or of too many");
            }
        }
        for input in bits.into_iter().filter_map(SavedBit::input) {
            seen = seen.max(input.saturating_add(1));
        }
        if seen > u64::from(this.inputs) {
            return Err("it names other ciphertexts than it has");
        }
        if this.flags.len() > FLAG_LIMIT {
            return Err("it has too many flags");
        }
        if !this.secrets.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Err("its secret bytes are out of order");
        }
        this.regions.iter().try_for_each(SavedRegion::check)
    }
}

impl Symbolic {
    /// The machine as data, between two circuits; `initial` is what the program brings for each
    /// region, zeros after it. `None` if something is recorded that no circuit has computed.
    pub(crate) fn save<'i>(
        &mut self,
        initial: impl Iterator<Item = &'i [u8]>,
    ) -> Option<SavedMachine> {
        let mut choices = self.choices.iter().chain(&self.floats.choices);
        if self.nodes() > 0 || choices.any(Option::is_some) {
            return None;
        }
        self.zero_flag();
        let mut flags = Vec::new();
        self.each_flag(&mut |wire| flags.push(*wire));
        // Last, and only where it is open: machines without it were saved so.
        flags.extend((self.monitor != Wire::FALSE).then_some(self.monitor));
        let bit = |wire: &Wire| SavedBit::of(&self.builder, *wire);
        let word = |word: &Word| SavedWord::of(&self.builder, word);
        let registers: Option<Vec<_>> = self.registers.iter().map(word).collect();
        let secrets = self.memory.secrets().into_iter().map(|(address, byte)| {
            let bits: Option<Vec<_>> = byte.iter().map(bit).collect();
            Some((address, bits?.try_into().ok()?))
        });
        let wires = |wires: &[Wire; 32]| -> Option<[SavedBit; 32]> {
            let bits: Option<Vec<_>> = wires.iter().map(bit).collect();
            bits?.try_into().ok()
        };
        let origins = self.origins.iter().map(|(word, origin)| {
            let factors = match &origin.factors {
                Some((number, factor)) => Some((*number, wires(factor)?)),
                None => None,
            };
            Some(SavedOrigin {
                word: wires(word)?,
                bases: origin.bases.clone(),
                displacement: origin.displacement,
                index: wires(&origin.index)?,
                factors,
            })
        });
        let integers = SavedIntegers {
            inputs: u32::try_from(self.provenance.len()).ok()?,
            pc: self.pc,
            registers: registers?.try_into().ok()?,
            flags: flags.iter().map(bit).collect::<Option<_>>()?,
            secrets: secrets.collect::<Option<_>>()?,
            pending: self.pending.iter().map(bit).collect::<Option<_>>()?,
            origins: origins.collect::<Option<_>>()?,
            pushed: self.objects.saved().to_vec(),
            regions: self.memory.save(initial),
        };
        let exact = self.origins.iter().zip(0..);
        let exact = exact.filter(|((_, origin), _)| origin.exact);
        Some(SavedMachine {
            integers,
            floats: SavedFloats::of(&self.builder, &self.floats)?,
            exact: exact.map(|(_, place)| place).collect(),
        })
    }

    /// Makes this the machine that was saved. Its memory has to be the program's, as it is before
    /// anything was put there. Makes as many inputs as the saved machine says it has: a caller that
    /// has it from outside first compares that number with the number of ciphertexts.
    pub(crate) fn restore(
        &mut self,
        saved: &SavedMachine,
        halves: &[HalfRun],
    ) -> Result<(), &'static str> {
        let profile = self.builder.profile().clone();
        self.builder = Builder::new(&with_refreshed_inputs(profile));
        self.forget_words();
        self.provenance.clear();
        HalfRun::check(halves, saved.inputs())?;
        let mut inputs = Vec::new();
        for run in halves {
            inputs.extend(self.inputs(run.first as usize - inputs.len()));
            inputs.extend(self.inputs_at_half(run));
        }
        inputs.extend(self.inputs(saved.inputs() - inputs.len()));
        self.floats = saved.floats.restore(&inputs)?;
        let exact = &saved.exact;
        let saved = &saved.integers;
        let bit = |bit: SavedBit| {
            let wire = bit.wire(&inputs);
            wire.ok_or(MISSING)
        };
        let bits = |bits: &[SavedBit]| bits.iter().map(|b| bit(*b)).collect::<Result<Vec<_>, _>>();
        for (number, word) in saved.registers.iter().enumerate() {
            self.place(number, word.word(&inputs)?);
        }
        let mut flags = bits(&saved.flags)?.into_iter();
        self.zero = Zero::Known(Wire::FALSE);
        let mut missing = false;
        self.each_flag(&mut |flag| match flags.next() {
            Some(wire) => *flag = wire,
            None => missing = true,
        });
        self.monitor = flags.next().unwrap_or(Wire::FALSE);
        if missing || flags.next().is_some() {
            return Err("it has other flags than this build");
        }
        self.pending = bits(&saved.pending)?;
        let wires =
            |bits: &[SavedBit; 32]| bits.map(|bit| bit.wire(&inputs).unwrap_or(Wire::FALSE));
        let origins = saved.origins.iter().zip(0..).map(|(origin, place)| {
            let restored = Origin {
                exact: exact.binary_search(&place).is_ok(),
                bases: origin.bases.clone(),
                displacement: origin.displacement,
                index: wires(&origin.index),
                factors: origin
                    .factors
                    .as_ref()
                    .map(|(number, bits)| (*number, wires(bits))),
            };
            (wires(&origin.word), restored)
        });
        self.origins = origins.collect();
        self.objects.set_saved(saved.pushed.clone());
        self.pc = saved.pc;
        self.target = None;
        self.memory.restore(&saved.regions)?;
        for (address, byte) in &saved.secrets {
            let byte: Byte = std::array::from_fn(|i| byte[i])
                .map(|b: SavedBit| b.wire(&inputs).unwrap_or(Wire::FALSE));
            if !self.memory.initialise(*address, byte) {
                return Err("it has a secret byte where the program has no memory");
            }
        }
        Ok(())
    }
}
