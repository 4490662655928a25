//! What kind of error ends a run, for the code that reports it.

use super::RunError;

/// Who can correct an error of a run. A face gives each class an exit code, a status or an
/// exception of its own; which error belongs to which class is defined only here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// Values, names, entry, outputs or an answer do not fit the program.
    Input,
    /// The program cannot be run, with any inputs.
    Program,
    /// The program does what no program may: a bad access, an unknown instruction, a trap.
    Fault,
    /// The program exceeds the limit on instructions.
    Limit,
    /// The program wants to know what is secret: a branch, an address, code, something to write.
    Secret,
    /// The state of a checkpoint does not belong to this run, or is damaged.
    Checkpoint,
    /// The host failed; only it knows how.
    Host,
    /// Somebody cancelled.
    Cancelled,
    /// The engine failed, or this software has a defect.
    Internal,
}

impl RunError {
    /// Its class.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        // No wildcard: a new error states its class before it compiles.
        match self {
            Self::Symbol(_)
            | Self::InputRange { .. }
            | Self::InputOverwritten { .. }
            | Self::OutputRange { .. }
            | Self::NoEntry { .. }
            | Self::NoOutput { .. }
            | Self::UnsupportedCall { .. }
            | Self::SecretCount { .. }
            | Self::Answer { .. } => ErrorClass::Input,
            Self::NoStack { .. } | Self::ThumbEntry { .. } => ErrorClass::Program,
            Self::CodeStore { .. }
            | Self::OutOfRange { .. }
            | Self::ReadOnly { .. }
            | Self::Unaligned { .. }
            | Self::Undecodable { .. }
            | Self::NotExecutable { .. }
            | Self::Thumb { .. }
            | Self::UnknownCall { .. }
            | Self::UnknownOperation { .. }
            | Self::LateExceptions { .. }
            | Self::ShortVectors { .. }
            | Self::Trap { .. }
            | Self::EndlessLoop { .. } => ErrorClass::Fault,
            Self::InstructionLimit { .. } => ErrorClass::Limit,
            Self::SecretBranch { .. }
            | Self::Unmerged { .. }
            | Self::SecretTarget { .. }
            | Self::SecretArgument { .. }
            | Self::SecretWrite { .. }
            | Self::SecretAddress { .. }
            | Self::SecretFloatMode { .. }
            | Self::OutsideObject { .. }
            | Self::LargeObject { .. }
            | Self::SecretCode { .. } => ErrorClass::Secret,
            Self::State { .. } => ErrorClass::Checkpoint,
            Self::Host { .. } => ErrorClass::Host,
            Self::Cancelled => ErrorClass::Cancelled,
            Self::NoiseLimit { .. } | Self::LostBit | Self::Evaluation { .. } => {
                ErrorClass::Internal
            }
        }
    }
}
