//! The decoder against capstone (the disassembler of LLVM), which shares no code with it.
//!
//! Every word falls into one of the classes of [`Verdict`]; a word that fits none fails the test.
//! Where both decode, the texts must be equal after [`spelling::normal`], operands, condition and
//! writeback included. The classes where the two differ are justified word by word
//! ([`lenient`]), counted, and each must occur.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod examples;
mod lenient;
mod spelling;

use std::collections::{BTreeMap, HashSet};

use blindcore_a32::DecodeError;
use capstone::prelude::*;

/// How the two decoders agree on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    /// Both decode it, to the same text.
    Same,
    /// Both refuse it.
    BothRefuse,
    /// Outside the subset, and capstone's mnemonic is not one of the subset either.
    OutsideSubset,
    /// An exception return (`movs pc, lr`, `ldm … ^`), a transfer of user-mode registers or a
    /// status register other than the flags: a mnemonic of the subset in a form of system mode.
    SystemForm,
    /// A floating-point mnemonic of the subset, on vectors, on halves or on a system register.
    VectorForm,
    /// `BLX` with an immediate, refused because it goes to Thumb.
    Thumb,
    /// `ldr rt, [sp], #-4`, which capstone 5.0.6 takes for `pop {rt}`: it overlooks the sign.
    CapstoneWrong,
    /// UNPREDICTABLE, refused for this reason, decoded by capstone all the same.
    Lenient(&'static str),
}

struct Oracle {
    capstone: Capstone,
    /// Of ARMv7, for `swp`, which ARMv8 took away.
    older: Capstone,
    subset: HashSet<String>,
    counts: BTreeMap<Verdict, u32>,
}

impl Oracle {
    fn new() -> Oracle {
        let arm = || Capstone::new().arm().mode(arch::arm::ArchMode::Arm);
        let extra = [arch::arm::ArchExtraMode::V8].into_iter();
        Oracle {
            capstone: arm().extra_mode(extra).build().unwrap(),
            older: arm().build().unwrap(),
            subset: spelling::subset(),
            counts: BTreeMap::new(),
        }
    }

    /// What capstone reads in a word at address 0.
    fn theirs(&self, word: u32) -> Option<String> {
        let swap = word & 0x0fb0_00f0 == 0x0100_0090;
        let capstone = if swap { &self.older } else { &self.capstone };
        let decoded = capstone.disasm_count(&word.to_le_bytes(), 0, 1).unwrap();
        let instruction = decoded.iter().next()?;
        let (mnemonic, operands) = (
            instruction.mnemonic().unwrap(),
            instruction.op_str().unwrap(),
        );
        Some(spelling::normal(mnemonic, operands))
    }

    fn judge(&self, word: u32) -> Verdict {
        let (ours, theirs) = (blindcore_a32::decode(word), self.theirs(word));
        match (ours, theirs) {
            (Ok(ours), Some(theirs)) => {
                let ours = spelling::ours(ours);
                if word & 0x0fff_0fff == 0x041d_0004 {
                    assert_eq!(ours.replace("4294967292", "4"), theirs, "{word:#010x}");
                    return Verdict::CapstoneWrong;
                }
                assert_eq!(ours, theirs, "{word:#010x}: ours, capstone's");
                Verdict::Same
            }
            (Ok(ours), None) => panic!("{word:#010x}: `{ours}`, which capstone refuses"),
            (Err(error), _) if error.word() != word => panic!("{word:#010x}: {error:?}"),
            (Err(_), None) => Verdict::BothRefuse,
            (Err(DecodeError::Thumb { .. }), Some(theirs)) => {
                assert!(
                    theirs.starts_with("blx ") && !theirs.contains('r'),
                    "{word:#x}: {theirs}"
                );
                Verdict::Thumb
            }
            (Err(DecodeError::Unpredictable { reason, .. }), Some(theirs)) => {
                lenient::justify(word, reason, &theirs);
                Verdict::Lenient(reason)
            }
            (Err(error @ DecodeError::Unsupported { .. }), Some(theirs)) => {
                let (mnemonic, operands) = theirs.split_once(' ').unwrap_or((&theirs, ""));
                let (name, _) = mnemonic.split_once('.').unwrap_or((mnemonic, ""));
                if !self.subset.contains(name) {
                    return Verdict::OutsideSubset;
                }
                if name.starts_with('v') {
                    let ours = error.mnemonic();
                    let expected = ours.starts_with("neon")
                        || ours == "vfp of halves"
                        || ours.ends_with("of a system register");
                    assert!(expected, "{word:#010x}: refused as {ours}, but {theirs}");
                    return Verdict::VectorForm;
                }
                let returns = mnemonic.contains('s') && operands.starts_with("pc, ");
                let status = mnemonic.starts_with("mrs") || mnemonic.starts_with("msr");
                let system = status && !operands.contains("apsr");
                let system = system || mnemonic.starts_with("mrc") || mnemonic.starts_with("mcr");
                assert!(
                    returns || operands.ends_with('^') || system,
                    "{word:#010x}: refused, but {theirs}"
                );
                Verdict::SystemForm
            }
            (Err(error), Some(theirs)) => panic!("{error}, but {theirs}"),
        }
    }

    fn check(&mut self, word: u32) {
        let verdict = self.judge(word);
        *self.counts.entry(verdict).or_default() += 1;
    }

    fn count(&self, verdict: Verdict) -> u32 {
        self.counts.get(&verdict).copied().unwrap_or(0)
    }
}

/// Marsaglia's xorshift64: any seed but 0 gives the same words on every machine.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as u32
    }
}

fn compiled() -> Vec<u32> {
    let (words, rest) = include_bytes!("../data/compiled.bin").as_chunks::<4>();
    assert!(rest.is_empty());
    words
        .iter()
        .map(|&bytes| u32::from_le_bytes(bytes))
        .collect()
}

/// Nothing that the compiler made is outside the subset.
#[test]
fn compiled_words_decode_as_capstone_reads_them() {
    let mut oracle = Oracle::new();
    let words = compiled();
    for &word in &words {
        oracle.check(word);
    }
    assert_eq!(words.len(), 18_896);
    assert_eq!(oracle.count(Verdict::Same), 18_896);
}

/// Compiled words with one to three bits flipped: close to every rule's edge.
#[test]
fn neighbours_of_compiled_words_agree() {
    let mut oracle = Oracle::new();
    let mut random = Words(0x853c_49e6_748f_ea9b);
    for word in compiled() {
        for flips in [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3] {
            let flipped = (0..flips).fold(word, |word, _| word ^ 1 << (random.next() % 32));
            oracle.check(flipped);
        }
    }
    assert!(oracle.count(Verdict::Same) > 250_000);
    assert!(oracle.count(Verdict::CapstoneWrong) > 0);
    assert_every_class_occurs(&oracle);
}

#[test]
#[ignore = "slow: 5 s"]
fn random_words_agree() {
    let mut oracle = Oracle::new();
    let mut random = Words(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2_000_000 {
        oracle.check(random.next());
    }
    assert!(oracle.count(Verdict::Same) > 800_000);
    assert_every_class_occurs(&oracle);
}

/// Words of the spaces where floating point lies, so that its rare rules are met.
#[test]
fn random_words_of_floating_point_agree() {
    // (fixed bits, their values): arithmetic and transfers, loads and stores, no condition.
    const SPACES: [(u32, u32); 3] = [
        (0x0f00_0e00, 0x0e00_0a00),
        (0x0e00_0e00, 0x0c00_0a00),
        (0xff00_0e10, 0xfe00_0a00),
    ];
    let mut oracle = Oracle::new();
    let mut random = Words(0x2545_f491_4f6c_dd1d);
    for i in 0..300_000 {
        let (mask, fixed) = SPACES[i % 3];
        oracle.check(random.next() & !mask | fixed);
    }
    assert!(oracle.count(Verdict::Same) > 100_000);
    for class in FLOATING_POINT {
        assert!(oracle.count(class) > 0, "{class:?}");
    }
}

/// Words of the spaces of `ldrex`, `strex`, `swp`, `crc32`, `mrc` and `mcr`.
#[test]
fn random_words_of_synchronization_agree() {
    const SPACES: [(u32, u32); 3] = [
        (0x0f00_00f0, 0x0100_0090),
        (0x0f90_0df0, 0x0100_0040),
        (0x0fef_0fff, 0x0e0d_0f70),
    ];
    let mut oracle = Oracle::new();
    let mut random = Words(0x1405_7b7e_f767_814f);
    for i in 0..300_000 {
        let (mask, fixed) = SPACES[i % 3];
        oracle.check(random.next() & !mask | fixed);
    }
    assert!(oracle.count(Verdict::Same) > 50_000);
}

const INTEGERS: [Verdict; 14] = [
    Verdict::BothRefuse,
    Verdict::OutsideSubset,
    Verdict::SystemForm,
    Verdict::Thumb,
    Verdict::Lenient("an operand is pc"),
    Verdict::Lenient("a reserved bit is not as it should be"),
    Verdict::Lenient("the base is written back and transferred"),
    Verdict::Lenient("the base is pc and written back"),
    Verdict::Lenient("two results go to one register"),
    Verdict::Lenient("the first register of the pair is odd or lr"),
    Verdict::Lenient("the bit field leaves the register"),
    Verdict::Lenient("the index is one of the loaded registers"),
    Verdict::Lenient("the status goes to another operand"),
    Verdict::Lenient("the base is one of the exchanged registers"),
];

const FLOATING_POINT: [Verdict; 4] = [
    Verdict::VectorForm,
    Verdict::Lenient("the registers go past the last or are more than 16"),
    Verdict::Lenient("the number has a negative number of fraction bits"),
    Verdict::Lenient("the register list is empty"),
];

/// A class that nothing falls into would be an excuse without a reason.
fn assert_every_class_occurs(oracle: &Oracle) {
    for class in INTEGERS {
        assert!(oracle.count(class) > 0, "{class:?}");
    }
    let unexpected = |verdict: &&Verdict| {
        let decoded = [Verdict::Same, Verdict::CapstoneWrong];
        !INTEGERS.contains(verdict)
            && !FLOATING_POINT.contains(verdict)
            && !decoded.contains(verdict)
    };
    assert_eq!(oracle.counts.keys().find(unexpected), None);
}
