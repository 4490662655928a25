//! Test vectors of the golden model, as texts that a hardware description reads (`$readmemh` of
//! SystemVerilog): a hexadecimal number a line, comments after `//`.
//!
//! A case is a pair of operands that anyone can make again ([`CASES`]); its files are every number
//! that the multiplier holds, stage by stage. The whole of a case is 13 MB, so that the repository
//! keeps the beginning of each file and the digest of all of it (`vectors/multiplier`, which a test
//! compares), and `cargo run -p blindcore-bignum --example vectors -- --whole FOLDER` writes the
//! files themselves.

use std::fmt::Write;

use super::memory::{address, bank};
use super::{OPERAND_LIMBS, STAGES, Trace};
use crate::Error;

/// A pair of operands by name.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its folder.
    pub name: &'static str,
    /// What the operands are.
    pub operands: &'static str,
    make: fn() -> [Vec<u64>; 2],
}

/// All cases.
pub const CASES: [Case; 3] = [
    Case {
        name: "random",
        operands: "a: limb i is the (i + 1)-th output of SplitMix64 from state 1; b: from state 2",
        make: || [split_mix(1), split_mix(2)],
    },
    Case {
        name: "ones",
        operands: "a and b: 2^786432 - 1, the largest sums there are",
        make: || [vec![u64::MAX; OPERAND_LIMBS], vec![u64::MAX; OPERAND_LIMBS]],
    },
    Case {
        name: "chain",
        operands: "a: 2^786432 - 1; b: 2^786408 + 1: digits of the product that are critical, one after another",
        make: || {
            let mut b = vec![0; OPERAND_LIMBS];
            b[0] = 1;
            b[OPERAND_LIMBS - 1] = 1 << 40;
            [vec![u64::MAX; OPERAND_LIMBS], b]
        },
    },
];

/// A file: its name, and a line for each number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// With its ending.
    pub name: String,
    /// Numbers, or in the files of positions numbers with a comment that names bank and address.
    pub lines: Vec<String>,
}

impl Case {
    /// The operands, 12,288 limbs each.
    pub fn operands(&self) -> [Vec<u64>; 2] {
        (self.make)()
    }

    /// Everything that happens when they are multiplied.
    ///
    /// # Errors
    /// None for the cases of [`CASES`], whose operands fit.
    pub fn trace(&self) -> Result<Trace, Error> {
        let [a, b] = self.operands();
        Trace::new(&a, &b)
    }
}

/// The files of a product, in the order in which their numbers come about.
pub fn files(trace: &Trace) -> Vec<File> {
    let mut files = Vec::new();
    for (operand, letter) in trace.operands.iter().zip(["a", "b"]) {
        files.push(positions(format!("{letter}-samples.hex"), &operand.samples));
        for (memory, stage) in operand.stages.iter().zip(1..=STAGES) {
            files.push(positions(format!("{letter}-stage-{stage}.hex"), memory));
        }
    }
    files.push(positions(
        "component-product.hex".to_owned(),
        &trace.product,
    ));
    for (memory, stage) in trace.inverse.iter().zip(1..=STAGES) {
        files.push(positions(format!("inverse-stage-{stage}.hex"), memory));
    }
    // One cycle of the carry unit a line, the highest of sixteen first.
    let beats = |name: &str, line: &dyn Fn(&super::carries::Beat) -> String| File {
        name: name.to_owned(),
        lines: trace.beats.iter().map(line).collect(),
    };
    files.push(beats("carry-words.hex", &|beat| row(&beat.words, 7)));
    files.push(beats("carry-generate.hex", &|beat| {
        format!("{:04x}", beat.generate)
    }));
    files.push(beats("carry-critical.hex", &|beat| {
        format!("{:04x}", beat.critical)
    }));
    files.push(beats("carry-carries.hex", &|beat| {
        format!("{:05x}", beat.carries)
    }));
    files.push(beats("product-digits.hex", &|beat| row(&beat.digits, 6)));
    files
}

/// Sixteen numbers of `digits` hexadecimal digits each as one, for a vector of 16 times as many
/// bits.
fn row(numbers: &[u32], digits: usize) -> String {
    numbers.iter().rev().fold(String::new(), |mut row, number| {
        // Formatting into a string cannot fail.
        let _ = write!(row, "{number:0digits$x}");
        row
    })
}

/// 65,536 numbers by position.
fn positions(name: String, memory: &[u64]) -> File {
    let line = |(position, word): (usize, &u64)| {
        let (bank, address) = (bank(position), address(position));
        format!("{word:016x} // {position:04x}: bank {bank:x}, address {address:03x}")
    };
    File {
        name,
        lines: memory.iter().enumerate().map(line).collect(),
    }
}

/// As many outputs of the generator SplitMix64 as an operand has limbs.
fn split_mix(mut state: u64) -> Vec<u64> {
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    };
    (0..OPERAND_LIMBS).map(|_| next()).collect()
}
