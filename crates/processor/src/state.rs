//! The state of a run between two windows, as data.
//!
//! A state holds everything of a run that its continuation can depend on, but no ciphertext: it
//! says which bit is which of the ciphertexts that are kept beside it
//! ([`Checkpoint::bits`](crate::Checkpoint::bits)). It holds no secret, since at that point every
//! bit that depends on one is a ciphertext.
//!
//! Its bytes are a version and one postcard message. They may come from anywhere: reading them
//! checks all that can be checked without the program, and going on from a state checks it against
//! the program before it is used. A forged state can at worst compute something else, which the
//! party that runs the program can do anyway; it cannot make the processor panic, or allocate more
//! than the length of the bytes justifies.

use circuits::passes::Provenance;
use serde::{Deserialize, Serialize};

use crate::machine::{HalfRun, SavedIntegers, SavedMachine};

/// The version that this build writes, and reads, where no bit is at scale 1/2; version 5 says which
/// are. It reads version 2 too, which knew no floating-point unit: there it is as a program begins
/// with it. Version 3 did not say which pointers were chosen from some without an index; version 1
/// knew neither provenances nor strays.
const VERSION: u8 = 4;
const WITH_HALVES: u8 = 5;
const WITHOUT_FLOATS: u8 = 2;

/// The most that anything is counted to.
const COUNT_LIMIT: u64 = 1 << 60;

/// What a machine needs to go on, without ciphertexts. Opaque.
///
/// Bytes that are no state say so:
///
/// ```
/// use blindcore_processor::{State, StateError};
///
/// assert!(matches!(State::from_bytes(&[]), Err(StateError::Version { found: 0 })));
/// assert!(matches!(State::from_bytes(&[200, 1, 2]), Err(StateError::Version { found: 200 })));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    pub(crate) counters: Counters,
    pub(crate) machine: SavedMachine,
    /// How the ciphertexts were made, in their order.
    pub(crate) provenance: Vec<Provenance>,
    /// Which of them are at scale 1/2.
    pub(crate) halves: Vec<HalfRun>,
}

/// How far a run was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counters {
    /// Executed instructions.
    pub(crate) executed: u64,
    /// Those of them that touched secret bits.
    pub(crate) secret: u64,
    /// Evaluated windows.
    pub(crate) windows: u64,
    /// Evaluated nodes.
    pub(crate) nodes: u64,
    /// Answered questions.
    pub(crate) questions: u64,
    /// Bytes written by `svc #1`.
    pub(crate) written: u64,
}

/// Why bytes are no state, or a state cannot be gone on from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A version of the format that this build does not read.
    #[error("a state of format version {found}, which this build does not read")]
    Version {
        /// What the bytes say; 0 if there are none.
        found: u8,
    },
    /// The bytes are not what the version prescribes.
    #[error("a malformed state: {reason}")]
    Malformed {
        /// What does not fit.
        reason: String,
    },
    /// It is a state, but of another program or task.
    #[error("the state belongs to another program or task: {reason}")]
    Other {
        /// What does not fit.
        reason: String,
    },
    /// Another number of ciphertexts than the state has.
    #[error("the state has {expected} ciphertexts, {given} were given")]
    Count {
        /// Ciphertexts of the state.
        expected: usize,
        /// Ciphertexts given.
        given: usize,
    },
}

/// The message after the version.
type Content<Machine> = (Counters, Machine, Vec<Provenance>);

impl Counters {
    /// What is wrong with them: they go on being added to.
    fn check(&self) -> Result<(), &'static str> {
        let Self {
            executed,
            secret,
            windows,
            nodes,
            questions,
            written,
        } = *self;
        let all = [executed, secret, windows, nodes, questions, written];
        if all.iter().any(|count| *count > COUNT_LIMIT) || secret > executed {
            return Err("it counts more than any run has");
        }
        Ok(())
    }
}

impl State {
    /// The state as bytes, in a format with a version.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let content = (&self.counters, &self.machine, &self.provenance);
        let message = match self.halves.is_empty() {
            true => postcard::to_extend(&content, vec![VERSION]),
            false => postcard::to_extend(&(content, &self.halves), vec![WITH_HALVES]),
        };
        // Into memory, and of types that all have a form: nothing here can fail.
        message.unwrap_or_default()
    }

    /// Reads [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// [`StateError::Version`] or [`StateError::Malformed`]; no bytes make it panic.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let malformed = |reason: String| StateError::Malformed { reason };
        let read = match bytes.split_first() {
            Some((&WITH_HALVES, message)) => {
                postcard::take_from_bytes::<(Content<SavedMachine>, Vec<HalfRun>)>(message)
            }
            Some((&VERSION, message)) => {
                let read = postcard::take_from_bytes::<Content<SavedMachine>>(message);
                read.map(|(content, rest)| ((content, Vec::new()), rest))
            }
            Some((&WITHOUT_FLOATS, message)) => {
                let read = postcard::take_from_bytes::<Content<SavedIntegers>>(message);
                read.map(|((counters, machine, provenance), rest)| {
                    (((counters, machine.into(), provenance), Vec::new()), rest)
                })
            }
            found => {
                let found = found.map_or(0, |(version, _)| *version);
                return Err(StateError::Version { found });
            }
        };
        let (((counters, machine, provenance), halves), rest) =
            read.map_err(|error| malformed(error.to_string()))?;
        if !rest.is_empty() {
            return Err(malformed(format!("{} bytes too many", rest.len())));
        }
        counters
            .check()
            .map_err(|reason| malformed(reason.to_owned()))?;
        machine
            .check()
            .map_err(|reason| malformed(reason.to_owned()))?;
        HalfRun::check(&halves, machine.inputs()).map_err(|reason| malformed(reason.to_owned()))?;
        if provenance.len() != machine.inputs() {
            let (inputs, given) = (machine.inputs(), provenance.len());
            let reason =
                format!("it says of {given} ciphertexts how they were made, and has {inputs}");
            return Err(malformed(reason));
        }
        Ok(Self {
            counters,
            machine,
            provenance,
            halves,
        })
    }

    /// How many ciphertexts belong to it.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.machine.inputs()
    }

    /// Executed instructions.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.counters.executed
    }

    /// Evaluated windows.
    #[must_use]
    pub fn windows(&self) -> u64 {
        self.counters.windows
    }

    /// Answered questions: the number of the next one.
    #[must_use]
    pub fn questions(&self) -> u64 {
        self.counters.questions
    }

    /// Bytes that the program wrote (`svc #1`): what a run that goes on from here does not write
    /// again.
    #[must_use]
    pub fn written(&self) -> u64 {
        self.counters.written
    }

    /// The address of the next instruction.
    #[must_use]
    pub fn address(&self) -> u32 {
        self.machine.pc()
    }
}

#[cfg(test)]
mod tests {
    use circuits::Profile;

    use super::*;
    use crate::machine::{Symbolic, Word};

    /// A state of version 2 is one of a machine without floating-point registers.
    #[test]
    fn a_state_from_before_floating_point_is_read() {
        let mut machine = Symbolic::new(&Profile::lookup_simulation());
        machine.place(3, Word::Clear(77));
        let machine = machine.save(std::iter::empty()).unwrap();
        let state = State {
            counters: Counters::default(),
            machine: machine.clone(),
            provenance: Vec::new(),
            halves: Vec::new(),
        };
        let content = (&state.counters, machine.integers(), &state.provenance);
        let old = postcard::to_extend(&content, vec![WITHOUT_FLOATS]).unwrap();
        assert_eq!(State::from_bytes(&old), Ok(state.clone()));
        let new = state.to_bytes();
        assert_eq!(State::from_bytes(&new), Ok(state));
        assert!(new.len() > old.len());
        let torn = State::from_bytes(&old[..old.len() - 1]);
        assert!(
            matches!(torn, Err(StateError::Malformed { .. })),
            "{torn:?}"
        );
    }
}
