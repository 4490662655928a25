//! Whether a program can see the sticky flags of floating-point exceptions.
//!
//! On secret operands every one of them is a circuit of its own, and hardly any program looks. Only
//! `VMRS` of FPSCR into a core register shows them, so the code is searched for one. Data among the
//! code that looks like one costs circuits, no more.

use a32::{FloatInstruction, Instruction, Operation};

use super::Program;

/// Whether an instruction reads all of FPSCR.
pub(crate) fn reads_exceptions(instruction: &Instruction) -> bool {
    matches!(
        instruction.operation,
        Operation::Float(FloatInstruction::ReadStatus { rt: Some(_) })
    )
}

impl Program {
    /// Whether any word of what the file has for execution reads all of FPSCR.
    pub(crate) fn reads_exceptions(&self) -> bool {
        let executable = self.segments().iter().filter(|segment| segment.executable);
        executable
            .flat_map(|segment| {
                let first = segment.address.wrapping_neg() as usize & 3;
                let (words, _) = segment
                    .bytes
                    .get(first..)
                    .unwrap_or_default()
                    .as_chunks::<4>();
                words
            })
            .any(|bytes| {
                let word = u32::from_le_bytes(*bytes);
                a32::decode(word).is_ok_and(|instruction| reads_exceptions(&instruction))
            })
    }
}
