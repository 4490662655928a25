//! What is not the same, said so that one can go and look.

use std::fmt;

use a32::{Flag, FloatWord, Register};

use crate::error::Site;
use crate::program::Place;

/// The first thing in which two machines differ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after instruction {instruction}, {site}: {what}")]
pub struct Difference {
    /// How many instructions the processor had executed, this one included; 0 before the first.
    pub instruction: u64,
    /// The interpreter's last instruction: the one that is wrong, or the last of a path that is.
    pub site: Site,
    /// What differs.
    pub what: Compared,
    /// The output ([`ASTRAY`](crate::ASTRAY), [`FAULTED`](crate::FAULTED) or
    /// [`EXCEEDED`](crate::EXCEEDED)) by which the run had no meaning any more: then the two need
    /// not agree.
    pub undefined: Option<&'static str>,
}

/// What was compared, and both values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compared {
    /// A register.
    Register {
        /// Which.
        register: Register,
        /// The processor's value.
        processor: u32,
        /// The interpreter's value.
        interpreter: u32,
    },
    /// A flag.
    Flag {
        /// Which.
        flag: Flag,
        /// The processor's value.
        processor: bool,
        /// The interpreter's value.
        interpreter: bool,
    },
    /// A word of the floating-point registers.
    FloatWord {
        /// Which.
        word: FloatWord,
        /// The processor's value.
        processor: u32,
        /// The interpreter's value.
        interpreter: u32,
    },
    /// FPSCR.
    FloatStatus {
        /// The processor's value.
        processor: u32,
        /// The interpreter's value.
        interpreter: u32,
    },
    /// A byte of memory.
    Byte {
        /// Where.
        address: u32,
        /// The variable that it belongs to, and its offset there.
        variable: Option<(String, u32)>,
        /// The processor's value.
        processor: u8,
        /// The interpreter's value.
        interpreter: u8,
    },
    /// The address of the next instruction.
    Next {
        /// Where the processor goes on.
        processor: Place,
        /// Where the interpreter goes on.
        interpreter: Place,
    },
    /// The bit that decides a secret branch.
    Condition {
        /// The processor's value.
        processor: bool,
        /// The interpreter's value.
        interpreter: bool,
    },
    /// What the program wrote out (`svc #1`).
    Written {
        /// By the processor.
        processor: Vec<u8>,
        /// By the interpreter.
        interpreter: Vec<u8>,
    },
    /// An output.
    Output {
        /// Its name.
        name: String,
        /// The first bit that differs, which the processor has inverted.
        bit: usize,
    },
    /// The interpreter cannot execute what the processor executed.
    Refused {
        /// Why.
        reason: String,
    },
    /// The interpreter did not come to where the processor joined two paths.
    Apart {
        /// Where the processor is.
        processor: Place,
        /// Instructions that the interpreter executed in search of it.
        steps: u64,
    },
}

impl fmt::Display for Compared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let both = |f: &mut fmt::Formatter<'_>, what: &dyn fmt::Display, values: (u32, u32)| {
            let (processor, interpreter) = values;
            write!(
                f,
                "{what} is {processor:#x} in the processor and {interpreter:#x} in the interpreter"
            )
        };
        match self {
            Self::Register {
                register,
                processor,
                interpreter,
            } => both(f, register, (*processor, *interpreter)),
            Self::Flag {
                flag,
                processor,
                interpreter,
            } => {
                let name = flag_name(*flag);
                both(f, &name, ((*processor).into(), (*interpreter).into()))
            }
            Self::FloatWord {
                word,
                processor,
                interpreter,
            } => {
                let (half, number) = (word.index() % 2, word.index() / 2);
                both(
                    f,
                    &format_args!("d{number}[{half}]"),
                    (*processor, *interpreter),
                )
            }
            Self::FloatStatus {
                processor,
                interpreter,
            } => both(f, &"fpscr", (*processor, *interpreter)),
            Self::Byte {
                address,
                variable,
                processor,
                interpreter,
            } => {
                let values = ((*processor).into(), (*interpreter).into());
                match variable {
                    Some((name, offset)) => both(
                        f,
                        &format_args!("byte {offset} of {name}, at {address:#010x},"),
                        values,
                    ),
                    None => both(f, &format_args!("the byte at {address:#010x}"), values),
                }
            }
            Self::Next {
                processor,
                interpreter,
            } => write!(
                f,
                "the processor goes on at {processor}, the interpreter at {interpreter}"
            ),
            Self::Condition {
                processor,
                interpreter,
            } => both(
                f,
                &"the condition",
                ((*processor).into(), (*interpreter).into()),
            ),
            Self::Written {
                processor,
                interpreter,
            } => write!(
                f,
                "the processor wrote {:?}, the interpreter {:?}",
                String::from_utf8_lossy(processor),
                String::from_utf8_lossy(interpreter)
            ),
            Self::Output { name, bit } => {
                write!(
                    f,
                    "bit {bit} of the output {name} is not what the interpreter's memory has"
                )
            }
            Self::Refused { reason } => {
                write!(
                    f,
                    "the processor executed it, the interpreter cannot: {reason}"
                )
            }
            Self::Apart { processor, steps } => write!(
                f,
                "the processor joined two paths at {processor}, and the interpreter did not come \
                 there within {steps} instructions"
            ),
        }
    }
}

/// The architecture's letter.
fn flag_name(flag: Flag) -> String {
    match flag {
        Flag::Negative => "N".to_owned(),
        Flag::Zero => "Z".to_owned(),
        Flag::Carry => "C".to_owned(),
        Flag::Overflow => "V".to_owned(),
        Flag::Saturation => "Q".to_owned(),
        Flag::GreaterOrEqual(lane) => format!("GE{}", lane.index()),
    }
}
