//! Which words are tried, and on which states they may be.

use std::collections::HashMap;

use blindcore_a32::{
    Address, Block, ConstantShift, Direction, FloatInstruction, Indexing, Instruction, LoadKind,
    MoveOperation, Offset, Operand, Operation, Register, RegisterList, ShiftKind, Synchronization,
    WriteBack, decode,
};

use crate::record::{
    ALIGNED, CARRY_CLEAR, DOUBLES, FLOATS, MEMORY, Ours, PAGE, Record, SLOT, SPECIALS,
    TARGETS_IN_MEMORY,
};

const NOP: u32 = 0xe320_f000;
const ALWAYS: u32 = 0xe000_0000;

/// `SplitMix64`.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(crate) fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        self.word() % n
    }
}

/// (fixed bits, their values): the rows of the encoding tables, so that no mnemonic is rare.
const TEMPLATES: &[(u32, u32)] = &[
    (0x0e00_0010, 0x0000_0000), // data processing, registers
    (0x0e00_0090, 0x0000_0010), // data processing, shifts by registers
    (0x0e00_0000, 0x0200_0000), // data processing, immediate
    (0x0fef_0ff0, 0x01a0_0060), // rrx
    (0x0fef_0070, 0x01a0_0000), // mov, lsl
    (0x0f00_00f0, 0x0000_0090), // multiplication
    (0x0f90_0090, 0x0100_0080), // products of halves
    (0x0ff0_f090, 0x0160_0080), // smulxy
    (0x0ff0_f0b0, 0x0120_00a0), // smulwy
    (0x0ff0_00f0, 0x0040_0090), // umaal
    (0x0fb0_0090, 0x0700_0010), // smlad, smlald
    (0x0fb0_f090, 0x0700_f010), // smuad
    (0x0ff0_0010, 0x0750_0010), // smmla
    (0x0ff0_f010, 0x0750_f010), // smmul
    (0x0f90_0ff0, 0x0100_0050), // qadd
    (0x0fa0_0030, 0x06a0_0010), // ssat, usat
    (0x0fb0_0ff0, 0x06a0_0f30), // ssat16, usat16
    (0x0f80_0f10, 0x0600_0f10), // parallel sums
    (0x0ff0_0ff0, 0x0680_0fb0), // sel
    (0x0ff0_00f0, 0x0780_0010), // usada8
    (0x0ff0_f0f0, 0x0780_f010), // usad8
    (0x0ff0_0030, 0x0680_0010), // pkhbt, pkhtb
    (0x0f80_03f0, 0x0680_0070), // extensions and additions
    (0x0f8f_03f0, 0x068f_0070), // extensions
    (0x0ff0_f0f0, 0x0710_f010), // sdiv
    (0x0ff0_f0f0, 0x0730_f010), // udiv
    (0x0fa0_0070, 0x07a0_0050), // ubfx, sbfx
    (0x0fe0_0070, 0x07c0_0010), // bfi
    (0x0fe0_007f, 0x07c0_001f), // bfc
    (0x0fff_0ff0, 0x016f_0f10), // clz
    (0x0fff_0ff0, 0x06ff_0f30), // rbit
    (0x0fff_0f70, 0x06bf_0f30), // rev, rev16
    (0x0fff_0ff0, 0x06ff_0fb0), // revsh
    (0x0fb0_0000, 0x0300_0000), // movw, movt
    (0x0e00_0000, 0x0400_0000), // loads and stores, immediate
    (0x0e00_0010, 0x0600_0000), // loads and stores, register
    (0x0f20_0000, 0x0420_0000), // ldrt
    (0x0f20_0010, 0x0620_0000), // ldrt, register
    (0x0e40_0090, 0x0040_0090), // halves, signed bytes, doubles, immediate
    (0x0e40_0f90, 0x0000_0090), // the same, register
    (0x0f60_0090, 0x0060_0090), // ldrht
    (0x0e00_0000, 0x0800_0000), // ldm, stm
    (0x0fff_0000, 0x08bd_0000), // pop
    (0x0fff_0000, 0x092d_0000), // push
    (0x0fff_0fff, 0x049d_0004), // pop of one
    (0x0fff_0fff, 0x052d_0004), // push of one
    (0x0e00_0000, 0x0a00_0000), // b, bl
    (0x0fff_ffd0, 0x012f_ff10), // bx, blx
    (0x0f90_0fff, 0x0190_0f9f), // ldrex
    (0x0f90_0fff, 0x0190_0e9f), // ldaex
    (0x0f90_0ff0, 0x0180_0f90), // strex
    (0x0f90_0ff0, 0x0180_0e90), // stlex
    (0x0f90_0fff, 0x0190_0c9f), // lda
    (0x0f90_fff0, 0x0180_fc90), // stl
    (0x0fb0_0ff0, 0x0100_0090), // swp
    (0xff90_0df0, 0xe100_0040), // crc32
    (0xffff_ffff, 0xf57f_f01f), // clrex
    (0x0fff_0fff, 0x0e1d_0f70), // mrc
    (0x0fff_0fdf, 0x0e07_0f9a), // mcr
    (0x0fff_0fff, 0x0e07_0f95), // mcr
    (0x0fff_0fff, 0x010f_0000), // mrs
    (0x0ff3_fff0, 0x0120_f000), // msr from a register
    (0x0ff3_f000, 0x0320_f000), // msr of a constant
    (0x0fff_fff8, 0x0320_f000), // hints
    (0x0fff_ffff, 0x0320_f014), // csdb
    (0x0fff_fff0, 0x0320_f0f0), // dbg
    (0xfd30_f000, 0xf510_f000), // pld, pldw
    (0xfd70_f000, 0xf450_f000), // pli
    (0xffff_ffc0, 0xf57f_f040), // barriers
    (0x0f00_0e10, 0x0e00_0a00), // floating-point arithmetic
    (0x0fb0_0e50, 0x0eb0_0a40), // with one source
    (0x0fbf_0e50, 0x0eb4_0a40), // vcmp
    (0x0fbe_0e50, 0x0eb2_0a40), // vcvtb, vcvtt
    (0x0fbe_0e50, 0x0eb6_0a40), // vrintr, vrintz, vrintx, vcvt
    (0x0fb8_0e50, 0x0eb8_0a40), // conversions
    (0x0fb0_0ef0, 0x0eb0_0a00), // vmov of a constant
    (0xff80_0e50, 0xfe00_0a00), // vsel
    (0xffb0_0e10, 0xfe80_0a00), // vmaxnm, vminnm
    (0xffb8_0e50, 0xfeb8_0a40), // vrinta, vcvta
    (0x0fe0_0f7f, 0x0e00_0a10), // vmov of a word
    (0x0fc0_0f7f, 0x0e00_0b10), // vmov of a lane
    (0x0fe0_0ed0, 0x0c40_0a10), // vmov of two words
    (0x0f20_0e00, 0x0d00_0a00), // vldr, vstr
    (0x0fa0_0ee0, 0x0c80_0a00), // vldm, vstm
    (0x0fa0_0ee0, 0x0ca0_0a00), // with writeback
    (0x0fa0_0ee0, 0x0d20_0a00), // downwards
    (0x0fbf_0ee0, 0x0cbd_0a00), // vpop
    (0x0fbf_0ee0, 0x0d2d_0a00), // vpush
    (0x0fff_0fff, 0x0ef1_0a10), // vmrs
    (0x0fff_0fff, 0x0ee1_0a10), // vmsr
];

fn sample(random: &mut Random) -> Option<(u32, Instruction)> {
    let (mask, fixed) = TEMPLATES[random.below(TEMPLATES.len() as u32) as usize];
    let mut word = random.word() & !mask | fixed;
    // A third under a condition; the space without one only where a template asks for it.
    if mask >> 28 == 0 && (random.below(3) > 0 || word >> 28 == 15) {
        word = word & !0xf000_0000 | ALWAYS;
    }
    if word & 0x0e00_0000 == 0x0a00_0000 && word >> 28 != 15 {
        // Somewhere among the landing pads, but not to itself for ever.
        let target = PAGE + 8 * random.below(0x1c0);
        if target == SLOT {
            return None;
        }
        word = word & 0xff00_0000 | target.wrapping_sub(SLOT + 8) >> 2 & 0xff_ffff;
    }
    Some((word, decode(word).ok()?))
}

fn bit(register: Register) -> u32 {
    1 << register.number()
}

/// The rotation of an index after which its shift gives a small number again.
fn unshifted(shift: ConstantShift) -> Option<(u32, u32)> {
    match shift {
        ConstantShift::None => Some((0, 0)),
        ConstantShift::By(ShiftKind::Left, amount) => Some((32 - u32::from(amount), 0)),
        // Up to here the sign stays clear of the index.
        ConstantShift::By(ShiftKind::ArithmeticRight, amount) if amount > 25 => None,
        ConstantShift::By(_, amount) => Some((u32::from(amount) % 32, 0)),
        ConstantShift::Extend => Some((1, CARRY_CLEAR)),
    }
}

/// Makes the base a pointer and the index small; `None` where they are one register.
fn access(record: &mut Record, address: Address) -> Option<()> {
    record.mode |= MEMORY;
    if address.base == Register::PC {
        let Offset::Immediate(offset) = address.offset else {
            return None;
        };
        // A literal of up to eight bytes lies in the page; a condition may hide one that does not.
        let at = match address.direction {
            Direction::Add => SLOT + 8 + u32::from(offset),
            Direction::Subtract => SLOT + 8 - u32::from(offset),
        };
        return (PAGE..=PAGE + 0x1000 - 8).contains(&at).then_some(());
    }
    record.pointers |= bit(address.base);
    if let Offset::Register(index, shift) = address.offset {
        let (rotation, mode) = unshifted(shift)?;
        record.indices |= bit(index);
        record.rotation = rotation;
        record.mode |= mode;
        return (index != address.base).then_some(());
    }
    Some(())
}

fn is_multiple_of_four(address: Address) -> bool {
    match address.offset {
        Offset::Immediate(offset) => offset % 4 == 0,
        Offset::Register(..) => true,
    }
}

/// The states on which an instruction can be tried; `None` if there are none.
fn record(word: u32, instruction: &Instruction) -> Option<Record> {
    let mut record = Record {
        words: vec![word, NOP],
        ..Record::default()
    };
    match instruction.operation {
        Operation::Move {
            op: MoveOperation::Mov,
            rd: Register::PC,
            operand: Operand::Register(rm, ConstantShift::None),
            ..
        } => {
            record.targets = bit(rm);
        }
        Operation::Move { rd, .. } | Operation::Alu { rd, .. } if rd == Register::PC => {
            return None;
        }
        Operation::BranchExchange { rm, .. } => record.targets = bit(rm),
        Operation::Load { kind, rt, address } => {
            access(&mut record, address)?;
            if kind == LoadKind::Word && rt == Register::PC {
                record.mode |= ALIGNED | TARGETS_IN_MEMORY;
                if address.base == Register::PC || !is_multiple_of_four(address) {
                    return None;
                }
            }
        }
        Operation::Store { address, .. } => {
            access(&mut record, address)?;
            if address.base == Register::PC {
                return None;
            }
        }
        Operation::LoadDual { address, .. } | Operation::StoreDual { address, .. } => {
            access(&mut record, address)?;
            record.mode |= ALIGNED;
            let stores = matches!(instruction.operation, Operation::StoreDual { .. });
            if !is_multiple_of_four(address) || (stores && address.base == Register::PC) {
                return None;
            }
        }
        Operation::LoadMultiple(block) => {
            blocks(&mut record, block);
            if block.registers.contains(Register::PC) {
                record.mode |= TARGETS_IN_MEMORY;
            }
        }
        Operation::StoreMultiple(block) => blocks(&mut record, block),
        Operation::Float(float) => floats(&mut record, word, &float)?,
        Operation::Synchronization(which) => synchronization(&mut record, word, which),
        _ => {}
    }
    Some(record)
}

/// An access is aligned to eight bytes first. Before an exclusive store the monitor is closed, or
/// opened by a load from the same address.
fn synchronization(record: &mut Record, word: u32, which: Synchronization) {
    let rn = match which {
        Synchronization::LoadExclusive { rn, .. }
        | Synchronization::StoreExclusive { rn, .. }
        | Synchronization::LoadAcquire { rn, .. }
        | Synchronization::StoreRelease { rn, .. }
        | Synchronization::Swap { rn, .. } => rn,
        _ => return,
    };
    record.mode |= MEMORY;
    record.pointers |= bit(rn);
    let number = u32::from(rn.number());
    let align = 0xe3c0_0007 | number << 16 | number << 12;
    let before = match which {
        Synchronization::StoreExclusive { .. } if word.wrapping_mul(0x9e37_79b1) >> 31 == 0 => {
            // ldrex… of the same size to a register that is not the base.
            let load = word & 0x0060_0000 | 0xe190_0f9f | number << 16;
            load | if number < 2 { 2 } else { 0 } << 12
        }
        Synchronization::StoreExclusive { .. } => 0xf57f_f01f,
        _ => NOP,
    };
    record.words = vec![align, before, word, NOP];
}

fn floats(record: &mut Record, word: u32, instruction: &FloatInstruction) -> Option<()> {
    // Bit 8 is the width of what is read, or of most of it.
    record.mode |= FLOATS | if word >> 8 & 1 == 1 { DOUBLES } else { 0 };
    // A quarter crosses all special numbers.
    if word.wrapping_mul(0x9e37_79b1) >> 30 == 0 {
        record.mode |= SPECIALS;
    }
    match *instruction {
        FloatInstruction::Load { address, .. } => {
            record.mode |= ALIGNED;
            access(record, address)
        }
        FloatInstruction::Store { address, .. } => {
            record.mode |= ALIGNED;
            (address.base != Register::PC).then(|| access(record, address))?
        }
        FloatInstruction::LoadMultiple(block) | FloatInstruction::StoreMultiple(block) => {
            record.mode |= ALIGNED | MEMORY;
            record.pointers = bit(block.base);
            (block.base != Register::PC).then_some(())
        }
        FloatInstruction::WriteStatus { rt } => {
            record.statuses = bit(rt);
            Some(())
        }
        _ => Some(()),
    }
}

fn blocks(record: &mut Record, block: Block) {
    record.mode |= ALIGNED | MEMORY;
    record.pointers = bit(block.base);
}

/// Finds words of a mnemonic, and keeps those of others that it met.
pub(crate) struct Sampler {
    random: Random,
    found: HashMap<&'static str, Vec<Record>>,
    ours: Ours,
}

impl Sampler {
    pub(crate) fn new() -> Sampler {
        Sampler {
            random: Random::new(1),
            found: HashMap::new(),
            ours: Ours::new(),
        }
    }

    /// `words` records of a mnemonic, each to be tried on `states` states.
    pub(crate) fn records(&mut self, name: &str, words: usize, states: u32) -> Vec<Record> {
        for _ in 0..100_000_000 {
            if self
                .found
                .get(name)
                .is_some_and(|found| found.len() >= words)
            {
                break;
            }
            let Some((word, instruction)) = sample(&mut self.random) else {
                continue;
            };
            let found = self.found.entry(instruction.name()).or_default();
            if found.len() >= words {
                continue;
            }
            let Some(mut record) = record(word, &instruction) else {
                continue;
            };
            record.seed = self.random.word() | 1;
            // A literal outside the page is a fault; everything else must work.
            record.count = 1;
            if self.ours.run(&record).is_ok() {
                record.count = states;
                found.push(record);
            }
        }
        let found = self.found.remove(name).unwrap_or_default();
        assert_eq!(found.len(), words, "words of {name}");
        found
    }
}

/// The registers that a sequence's accesses start from; nothing else writes them.
const BASES: [u32; 2] = [9, 10];
const INDEX: u32 = 8;

fn is_kept(register: u32) -> bool {
    register == INDEX || BASES.contains(&register)
}

fn fits_sequence(word: u32, instruction: &Instruction) -> bool {
    let field = |lsb: u32| word >> lsb & 15;
    let based = |address: Address| {
        let near = match address.offset {
            Offset::Immediate(offset) => offset < 256 && is_multiple_of_four(address),
            Offset::Register(index, shift) => {
                u32::from(index.number()) == INDEX && shift == ConstantShift::None
            }
        };
        let far = address.indexing != Indexing::Offset
            && !matches!(address.offset, Offset::Immediate(0..=32));
        BASES.contains(&u32::from(address.base.number())) && near && !far
    };
    let list = |block: Block| {
        let kept = RegisterList::from_mask(0x8700);
        BASES.contains(&u32::from(block.base.number()))
            && block
                .registers
                .iter()
                .all(|register| !kept.contains(register))
    };
    match instruction.operation {
        Operation::Float(float) => fits_float_sequence(word, &float),
        Operation::Load { rt, address, .. } => {
            based(address) && !is_kept(rt.number().into()) && rt != Register::PC
        }
        Operation::Store { address, .. } | Operation::StoreDual { address, .. } => based(address),
        Operation::LoadDual { rt, address } => {
            based(address) && !is_kept(rt.number().into()) && !is_kept(rt.next().number().into())
        }
        Operation::LoadMultiple(block) => list(block),
        Operation::StoreMultiple(block) => BASES.contains(&u32::from(block.base.number())),
        // Whether an exclusive store at another address stores is up to the processor.
        Operation::Synchronization(
            Synchronization::Checksum { .. } | Synchronization::ThreadPointer { .. },
        ) => !is_kept(field(12)),
        Operation::Synchronization(_) => false,
        Operation::Branch { .. } | Operation::BranchExchange { .. } => false,
        Operation::Alu { rd, .. } | Operation::Move { rd, .. } => {
            rd != Register::PC && !is_kept(rd.number().into())
        }
        // The destination is in one of these two places, or in both.
        _ => !is_kept(field(12)) && !is_kept(field(16)),
    }
}

/// Writes to FPSCR stay out: what other instructions leave in a register may ask for short vectors.
fn fits_float_sequence(word: u32, instruction: &FloatInstruction) -> bool {
    let near = |address: Address| BASES.contains(&u32::from(address.base.number()));
    let list = |base: Register| BASES.contains(&u32::from(base.number()));
    match *instruction {
        FloatInstruction::Load { address, .. } | FloatInstruction::Store { address, .. } => {
            near(address)
        }
        // A block moves its base far: only where it stays.
        FloatInstruction::LoadMultiple(block) | FloatInstruction::StoreMultiple(block) => {
            list(block.base) && block.write_back == WriteBack::No
        }
        FloatInstruction::MoveWord { .. } | FloatInstruction::ReadStatus { .. } => {
            !is_kept(word >> 12 & 15)
        }
        FloatInstruction::MovePair { .. } => !is_kept(word >> 12 & 15) && !is_kept(word >> 16 & 15),
        FloatInstruction::WriteStatus { .. } => false,
        _ => true,
    }
}

/// A block of 8 to 32 instructions.
pub(crate) fn sequence(random: &mut Random, states: u32) -> Record {
    let length = 8 + random.below(25) as usize;
    let mut words = Vec::new();
    while words.len() < length {
        if let Some((word, instruction)) = sample(random)
            && fits_sequence(word, &instruction)
        {
            words.push(word);
        }
    }
    if words.len() % 2 == 1 {
        words.push(NOP);
    }
    Record {
        words,
        seed: random.word() | 1,
        count: states,
        pointers: BASES.iter().map(|register| 1 << register).sum(),
        indices: 1 << INDEX,
        mode: ALIGNED | MEMORY | FLOATS,
        ..Record::default()
    }
}
