//! The program as the processor sees it: disassembly, each instruction marked clear or secret.

use std::collections::BTreeMap;

use a32::{Instruction, Operation};

use crate::program::Program;

/// Whether an executed instruction worked on secret bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Touch {
    /// Never: it was computed at once each time.
    Clear,
    /// At least once.
    Secret,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its address.
    pub address: u32,
    /// The function that begins here.
    pub function: Option<String>,
    /// The instruction word.
    pub word: u32,
    /// The disassembly, or the decoder's complaint. Branches name the address that they go to, and
    /// what is there: `bne 0x00008014 <main+0x14>`.
    pub text: String,
    /// What a plan saw it do; `None` if it was not executed.
    pub touch: Option<Touch>,
    /// The source file and line.
    pub source: Option<(String, u32)>,
}

/// All functions of a program.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use blindcore_processor::{Line, Listing, Program, Touch};
///
/// let program = Program::load(&std::fs::read("tests/programs/calls.elf")?)?;
/// let score = program.function("score")?.address;
/// // As a plan would have seen it.
/// let listing = Listing::new(&program, &BTreeMap::from([(score, Touch::Secret)]));
/// let line: &Line = listing.lines.iter().find(|line| line.address == score).unwrap();
/// assert_eq!((line.function.as_deref(), line.touch), (Some("score"), Some(Touch::Secret)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// In address order.
    pub lines: Vec<Line>,
}

impl Listing {
    /// Disassembles every A32 function of a program; `touched` is [`Plan::touched`](crate::Plan),
    /// or empty.
    #[must_use]
    pub fn new(program: &Program, touched: &BTreeMap<u32, Touch>) -> Self {
        let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
        for function in program
            .functions()
            .iter()
            .filter(|function| !function.thumb)
        {
            for (address, word) in program.words(function) {
                let text = match a32::decode(word) {
                    Ok(instruction) => disassembled(program, address, instruction),
                    Err(error) => format!(".word {word:#010x} ; {error}"),
                };
                let name = (address == function.address).then(|| function.name.clone());
                lines.entry(address).or_insert_with(|| Line {
                    address,
                    function: name,
                    word,
                    text,
                    touch: touched.get(&address).copied(),
                    source: program.place(address).line,
                });
            }
        }
        Self {
            lines: lines.into_values().collect(),
        }
    }
}

fn disassembled(program: &Program, address: u32, instruction: Instruction) -> String {
    let text = instruction.at(address).to_string();
    let Operation::Branch { offset, .. } = instruction.operation else {
        return text;
    };
    let target = address.wrapping_add(8).wrapping_add_signed(offset);
    match program.place(target).symbol {
        Some((name, 0)) => format!("{text} <{name}>"),
        Some((name, offset)) => format!("{text} <{name}+{offset:#x}>"),
        None => text,
    }
}
