//! What a run needs from its environment: answers to questions, a place for checkpoints, a reader
//! of what the program writes.
//!
//! A program that may branch on secrets needs the owner of the secret key. The processor evaluates
//! the bits that decide, and [`Host::ask`] carries them there: over a network, to a person, to a
//! queue. An answer reveals what it says to the machine that runs the program; the policy for that
//! is the owner's.
//!
//! An error from a host ends the run as [`RunError::Host`](crate::RunError::Host) and can be
//! downcast there. A host that has no answer *yet* returns such an error, and resumes later from
//! the checkpoint that it was given just before the question.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Site;
use crate::run::{Bit, Progress};
use crate::state::State;

/// Why a host could not do what was asked of it.
pub type HostError = Box<dyn std::error::Error + Send + Sync>;

/// The world outside of a run.
///
/// Every method has a default, that of a run that needs nobody.
///
/// ```
/// use std::sync::Arc;
///
/// use blindcore_processor::{
///     Answer, Asked, Bit, Branches, Checkpoint, Content, Host, HostError, Input, Operands, Otherwise, Program, Question,
///     Run, RunError, Start, State, SymbolError, Task, plan,
/// };
/// use circuits::{Gates as _, Profile, sim::Simulator};
///
/// /// The owner of the key: here bits are read as they are.
/// #[derive(Default)]
/// struct Owner {
///     asked: u64,
///     kept: Option<(Vec<u8>, Vec<Arc<u64>>)>,
/// }
///
/// impl Host<u64> for Owner {
///     fn ask(&mut self, question: &Question<u64>) -> Result<Answer, HostError> {
///         self.asked = question.number + 1;
///         let Bit::Secret(bit) = &question.bits[0] else { return Err("not a secret".into()) };
///         match question.asked {
///             Asked::Condition(_) => Ok(Answer::Holds(**bit & 1 == 1)),
///             Asked::Operands { of: Operands::Sum | Operands::Flags, .. } | Asked::Target => {
///                 Err("only conditions are answered".into())
///             }
///         }
///     }
///
///     fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, u64>) -> Result<(), HostError> {
///         self.kept = Some((checkpoint.state.to_bytes(), checkpoint.bits.to_vec()));
///         Ok(())
///     }
/// }
///
/// let program = Program::load(b"
///     .data a
///     .data b
///     .data larger
///     main:
///         LOAD  R0, a
///         LOAD  R1, b
///         STORE R0, larger
///         CMP   R0, R1
///         B_HS  done
///         STORE R1, larger
///     done:
///         HALT
/// ")?;
/// let secret = |name: &str| -> Result<Input, SymbolError> {
///     Ok(Input { variable: program.variable(name)?.clone(), content: Content::Secret })
/// };
/// let branches = Branches { both: None, otherwise: Otherwise::Ask };
/// let task = Task { inputs: vec![secret("a")?, secret("b")?], branches, ..Task::default() };
/// let engine = Simulator::new(Profile::lookup_simulation());
/// // 7 and 9, a bit in each lane of its own word.
/// let bits = || (0..64).map(|at| Arc::new((7u64 | 9 << 32) >> at & 1)).collect();
///
/// let mut owner = Owner::default();
/// let plan = plan(&program, &task, engine.profile())?;
/// let run = Run::new(&program, &task, &engine).host(&mut owner).planned(&plan);
/// let outcome = run.start(Start::Fresh(bits()))?;
/// assert_eq!((owner.asked, &*outcome.outputs[0].name), (1, "larger"));
///
/// // A run goes on from a checkpoint, days later perhaps; that of another task is refused.
/// let (state, kept) = owner.kept.take().expect("one before each question");
/// let state = State::from_bytes(&state)?;
/// assert_eq!((state.bits(), state.questions(), state.windows(), state.written()), (kept.len(), 0, 1, 0));
/// let start = Start::Resumed { state: Box::new(state), bits: kept };
/// let again = Run::new(&program, &task, &engine).host(&mut owner).start(start)?;
/// assert_eq!(again.instructions, outcome.instructions);
///
/// // Nobody answers by default.
/// let alone = Run::new(&program, &task, &engine).start(Start::Fresh(bits()));
/// assert!(matches!(alone, Err(RunError::Host { .. })));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Host<B> {
    /// A secret decides where the program goes on.
    ///
    /// # Errors
    /// The host's reason for not answering; by default always [`Unattended`].
    fn ask(&mut self, question: &Question<B>) -> Result<Answer, HostError> {
        let _ = question;
        Err(Box::new(Unattended))
    }

    /// The state after a window, and before a question is asked. By default nothing happens.
    ///
    /// # Errors
    /// The host's reason for not storing it, which ends the run.
    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, B>) -> Result<(), HostError> {
        let _ = checkpoint;
        Ok(())
    }

    /// How often it wants a [part](Self::part) of the window that is being evaluated; by default
    /// never.
    fn parts_every(&self) -> Option<Duration> {
        None
    }

    /// What was evaluated before of the window, of that name, with which this run begins. By
    /// default nothing was.
    fn begun(&mut self, window: &[u8; 32]) -> Option<Part<B>> {
        let _ = window;
        None
    }

    /// What has been evaluated of a window, at times and when the run is cancelled within it. By
    /// default nothing happens.
    fn part(&mut self, part: Part<B>) {
        let _ = part;
    }

    /// Clear bytes that the program wrote (`svc #1`). By default nobody reads them.
    ///
    /// # Errors
    /// The host's reason for not taking them, which ends the run.
    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        let _ = bytes;
        Ok(())
    }
}

/// A host of a run that needs nobody: it answers nothing, keeps nothing and drops what is written.
///
/// ```
/// use blindcore_processor::{Host, HostError, Nobody, Unattended};
///
/// let mut host = Nobody;
/// assert!(Host::<u64>::write(&mut host, b"dropped").is_ok());
/// // What it says to any question, and how a caller of a run finds that again.
/// let error: HostError = Box::new(Unattended);
/// assert!(error.downcast_ref::<Unattended>().is_some());
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl<B> Host<B> for Nobody {}

/// There is nobody who could answer a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the program asks about secret data, and nobody is there to answer")]
pub struct Unattended;

/// What somebody with the secret key is asked.
#[derive(Clone, Debug)]
pub struct Question<B> {
    /// 0, 1, … within a run; the same question has the same number after a resume.
    pub number: u64,
    /// Where the program asks.
    pub site: Site,
    /// The instruction's address.
    pub address: u32,
    /// What the bits mean, and which answer fits.
    pub asked: Asked,
    /// The bits, in the order that [`Asked`] says, least significant first within a number.
    pub bits: Vec<Bit<B>>,
}

/// What a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    /// Does this condition hold? One bit, 1 where it does; answered by [`Answer::Holds`].
    Condition(a32::Condition),
    /// Where does this branch go? The client-held program counter of the paper's §VII-C: the bits
    /// are what the flags come from, and the answer is the next instruction's address,
    /// [`Answer::Next`].
    Operands {
        /// The branch's condition.
        condition: a32::Condition,
        /// What the bits are.
        of: Operands,
        /// The next instruction where the condition holds.
        holds: u32,
        /// The next instruction where it does not.
        fails: u32,
    },
    /// Where does this jump go? The address, 32 bits; answered by [`Answer::Next`].
    Target,
}

/// What the flags come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operands {
    /// N, Z, C and V of the architecture's `AddWithCarry(a, b, carry)`: 32 bits of a, 32 bits of b,
    /// the carry. A comparison of a with c arrives as b = ¬c and carry 1.
    Sum,
    /// N, Z, C and V themselves, in this order: 4 bits.
    Flags,
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Whether the condition holds.
    Holds(bool),
    /// The address of the next instruction.
    Next(u32),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds(true) => f.write_str("holds"),
            Self::Holds(false) => f.write_str("does not hold"),
            Self::Next(address) => write!(f, "goes on at {address:#010x}"),
        }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Condition(condition) => write!(f, "does {condition} hold?"),
            Self::Operands { condition, .. } => {
                write!(f, "where does the branch on {condition} go?")
            }
            Self::Target => f.write_str("where does the jump go?"),
        }
    }
}

/// A state that a run can go on from.
#[derive(Debug)]
pub struct Checkpoint<'a, B> {
    /// The machine without ciphertexts.
    pub state: &'a State,
    /// The ciphertexts that the state refers to, in its order.
    pub bits: &'a [Arc<B>],
    /// How far the run is.
    pub progress: Progress,
}

/// What has been evaluated of a window. A run goes on from there that begins where the window does,
/// at the checkpoint before it or at the program's beginning, and records the same circuit: with
/// the same threads, forms of units and size of windows.
#[derive(Clone, Debug)]
pub struct Part<B> {
    /// The window: a hash of where it begins and of its circuit.
    pub window: [u8; 32],
    /// By operation of the circuit: whether it is evaluated.
    pub evaluated: Vec<bool>,
    /// Values that are still to be read, by signal in ascending order.
    pub values: Vec<(u32, Arc<B>)>,
}

/// Where a run begins.
#[derive(Clone, Debug)]
pub enum Start<B> {
    /// At the task's entry, with the bits that [`Task::secrets`](crate::Task::secrets) lists.
    Fresh(Vec<Arc<B>>),
    /// At a checkpoint.
    Resumed {
        /// [`Checkpoint::state`].
        state: Box<State>,
        /// [`Checkpoint::bits`].
        bits: Vec<Arc<B>>,
    },
}
