//! Semihosting: what start-up code of stock libraries asks of a debugger.
//!
//! A call is `svc #0x123456` with the operation in `r0` and a parameter, mostly the address of a
//! block of words, in `r1`. Writing and exiting work; reading finds the end of the input; there are
//! no files, no clock, no command line.
//!
//! Source: Semihosting for AArch32 and AArch64, Release 2.0 (ARM-software/abi-aa,
//! `semihosting.rst`).

/// The number of the supervisor call.
pub const SEMIHOSTING: u32 = 0x12_3456;

/// The reason of an ordinary end, `ADP_Stopped_ApplicationExit`.
const ORDINARY_END: u32 = 0x2_0026;

const FAILED: u32 = u32::MAX;

/// What a call needs of the machine that makes it. All values are clear.
pub trait Console {
    /// What can go wrong: memory that is not there, values that are secret.
    type Error;

    /// The word at an address.
    ///
    /// # Errors
    /// As the machine decides.
    fn word_at(&mut self, address: u32) -> Result<u32, Self::Error>;
    /// The byte at an address.
    ///
    /// # Errors
    /// As the machine decides.
    fn byte_at(&mut self, address: u32) -> Result<u8, Self::Error>;
    /// Replaces a word.
    ///
    /// # Errors
    /// As the machine decides.
    fn set_word_at(&mut self, address: u32, value: u32) -> Result<(), Self::Error>;
    /// The stack pointer.
    ///
    /// # Errors
    /// As the machine decides.
    fn stack_pointer(&mut self) -> Result<u32, Self::Error>;
    /// Writes so many bytes out.
    ///
    /// # Errors
    /// As the machine decides.
    fn write_out(&mut self, address: u32, count: u32) -> Result<(), Self::Error>;
}

/// What a call comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// This value in `r0`.
    Value(u32),
    /// The program ends.
    Exit,
    /// The program ends as after an error.
    Abort,
    /// The operation is not known.
    Unknown,
}

/// Carries out an operation.
///
/// # Errors
/// As the machine decides.
pub fn semihosting<C: Console>(
    console: &mut C,
    operation: u32,
    parameter: u32,
) -> Result<Reply, C::Error> {
    let field = |number: u32| parameter.wrapping_add(4 * number);
    Ok(match operation {
        // SYS_OPEN: the terminal is all there is, and any handle is it.
        0x01 => Reply::Value(1),
        // SYS_CLOSE
        0x02 => Reply::Value(0),
        // SYS_WRITEC
        0x03 => {
            console.write_out(parameter, 1)?;
            Reply::Value(0)
        }
        // SYS_WRITE0
        0x04 => {
            let mut count = 0;
            while console.byte_at(parameter.wrapping_add(count))? != 0 {
                count += 1;
            }
            console.write_out(parameter, count)?;
            Reply::Value(0)
        }
        // SYS_WRITE: handle, address, count; the number of bytes that were not written.
        0x05 => {
            let (address, count) = (console.word_at(field(1))?, console.word_at(field(2))?);
            console.write_out(address, count)?;
            Reply::Value(0)
        }
        // SYS_READ: all of them were not read.
        0x06 => Reply::Value(console.word_at(field(2))?),
        // SYS_ISTTY
        0x09 => Reply::Value(1),
        // SYS_ERRNO, SYS_FLEN
        0x0c | 0x13 => Reply::Value(0),
        // SYS_GET_CMDLINE: none.
        0x15 => {
            console.set_word_at(field(1), 0)?;
            Reply::Value(FAILED)
        }
        // SYS_HEAPINFO: heap, its limit, stack, its limit. Zeros, so that the program takes its own
        // heap; the stack that there is.
        0x16 => {
            let block = console.word_at(parameter)?;
            let stack = console.stack_pointer()?;
            for (number, word) in [0, 0, stack, 0].into_iter().enumerate() {
                console.set_word_at(block.wrapping_add(4 * number as u32), word)?;
            }
            Reply::Value(0)
        }
        // SYS_EXIT
        0x18 if parameter == ORDINARY_END => Reply::Exit,
        0x18 => Reply::Abort,
        // SYS_EXIT_EXTENDED: reason, code.
        0x20 if console.word_at(parameter)? == ORDINARY_END => Reply::Exit,
        0x20 => Reply::Abort,
        // SYS_SEEK, SYS_TMPNAM, SYS_REMOVE, SYS_RENAME, SYS_CLOCK, SYS_TIME, SYS_SYSTEM,
        // SYS_ELAPSED, SYS_TICKFREQ
        0x0a | 0x0d..=0x12 | 0x30 | 0x31 => Reply::Value(FAILED),
        _ => Reply::Unknown,
    })
}
