//! Why a run stops: each error says where, what, and what to do about it.

use std::fmt;

mod class;

pub use class::ErrorClass;

use crate::host::{Answer, Asked, HostError};
use crate::program::{Opacity, Passed, Place, SymbolError};
use crate::state::StateError;

/// An instruction in its place: what a message about it begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Address, symbol, line.
    pub place: Place,
    /// The disassembled instruction.
    pub instruction: String,
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.place, self.instruction)
    }
}

/// What an instruction did with an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// It read.
    Load,
    /// It wrote.
    Store,
    /// It jumped there.
    Execute,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Load => "load from",
            Self::Store => "store to",
            Self::Execute => "jump to",
        })
    }
}

/// Why the two paths of a secret branch could not become one, and where that showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmerged {
    /// The instruction at which it showed.
    pub at: Box<Site>,
    /// What it was.
    pub obstacle: Obstacle,
    /// Where paths are still apart: how far, and where the other one waits.
    pub apart: Option<Box<Apart>>,
}

/// Two paths that have not met: the one that was carried on last, and the one that waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// How many instructions the first one took.
    pub steps: u64,
    /// Where the other one waits.
    pub other: Site,
    /// How many instructions it took.
    pub other_steps: u64,
    /// How many paths there are in all.
    pub paths: usize,
    /// How many calls of its function the first one is in: more than one where that calls itself.
    pub depth: usize,
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            " (where {} instructions led), while the other waits at {} (after {})",
            self.steps, self.other, self.other_steps
        )?;
        if self.paths > 2 {
            write!(f, ", one of {} paths", self.paths)?;
        }
        match self.depth {
            0 | 1 => Ok(()),
            depth => write!(f, "; the function calls itself, {depth} deep"),
        }
    }
}

/// What keeps the two paths of a branch from becoming one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// They are longer than the limit.
    Limit {
        /// The limit in instructions.
        limit: u64,
    },
    /// So much was recorded on them that no memory suffices.
    Size {
        /// Operations recorded.
        operations: u64,
    },
    /// One ends the program.
    Ends,
    /// One calls the supervisor.
    System,
    /// They return to different places.
    Apart {
        /// Where the path goes on which the condition holds.
        holds: u32,
        /// Where the other one goes.
        fails: u32,
    },
    /// They meet with different stack pointers.
    Stack,
    /// One jumps to a secret address.
    Target,
    /// One cannot be executed.
    Fault {
        /// The error that it would end with.
        message: String,
    },
}

impl Obstacle {
    /// Whether paths are apart for too long.
    pub(crate) fn is_limit(&self) -> bool {
        matches!(self, Self::Limit { .. } | Self::Size { .. })
    }
}

impl Unmerged {
    fn remedy(&self) -> &'static str {
        match (self.obstacle.is_limit(), &self.apart) {
            (true, Some(apart)) if apart.depth > 1 => {
                "Bound the function with --bound, as tightly as can be: what a call inside a loop or \
                 two calls do multiplies with each level; compile it with -O1, where no call becomes \
                 a loop; or raise --merge-limit,"
            }
            (true, _) => {
                "If a secret alone ends a loop, bound it with --bound; compile with -O1, which copies \
                 less code; or raise --merge-limit,"
            }
            _ => "Let both paths end in the same place without it,",
        }
    }
}

impl fmt::Display for Unmerged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = &self.at;
        match &self.obstacle {
            Obstacle::Limit { limit } => {
                write!(
                    f,
                    "they are still apart after {limit} instructions, at {at}"
                )?;
                self.apart.iter().try_for_each(|apart| apart.fmt(f))
            }
            Obstacle::Size { operations } => {
                write!(
                    f,
                    "they are still apart after {operations} operations, at {at}"
                )?;
                self.apart.iter().try_for_each(|apart| apart.fmt(f))
            }
            Obstacle::Ends => write!(f, "one of them ends the program, before {at}"),
            Obstacle::System => write!(f, "one of them calls the supervisor, before {at}"),
            Obstacle::Apart { holds, fails } => {
                write!(
                    f,
                    "one goes on at {holds:#010x}, the other at {fails:#010x}"
                )
            }
            Obstacle::Stack => write!(f, "they reach {at} with different stack pointers"),
            Obstacle::Target => write!(f, "one of them jumps to a secret address, at {at}"),
            Obstacle::Fault { message } => write!(f, "on one of them: {message}"),
        }
    }
}

/// Why a program could not be run to its end.
///
/// ```
/// use blindcore_processor::{
///     Branches, Content, Entry, ErrorClass, Input, Obstacle, Otherwise, Program, RunError, Site, Task, Unmerged,
///     plan,
/// };
/// use circuits::Profile;
///
/// let profile = Profile::lookup_simulation();
/// let program = Program::load(&std::fs::read("tests/programs/branches.elf")?)?;
/// let secret = Input { variable: program.variable("a")?.clone(), content: Content::Secret };
/// let branches = Branches { both: Some(3), otherwise: Otherwise::Refuse };
/// let entry = Entry::Symbol("returns".to_owned());
/// let task = Task { entry, inputs: vec![secret], branches, ..Task::default() };
/// let error = plan(&program, &task, &profile)?.obstacle().expect("three instructions are few");
/// let RunError::Unmerged { site, unmerged } = &error else { panic!("{error}") };
/// let (branch, Unmerged { obstacle, .. }): (&Site, _) = (site, unmerged);
/// assert_eq!((&*branch.place.symbol.as_ref().unwrap().0, obstacle), ("steps", &Obstacle::Limit { limit: 3 }));
/// // The code that reports it goes by its class.
/// assert_eq!(error.class(), ErrorClass::Secret);
///
/// // A message says where, what, and what to do.
/// assert!(error.to_string().contains("--branches"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An unknown symbol.
    #[error(transparent)]
    Symbol(#[from] SymbolError),
    /// A clear input longer than its variable, or one that is not in the program's memory.
    #[error(
        "input {name}: {bytes} bytes at {address:#010x} do not lie within the variable's {size} bytes of program memory"
    )]
    InputRange {
        /// The variable.
        name: String,
        /// Its address.
        address: u32,
        /// How many bytes were given.
        bytes: usize,
        /// The size of the variable.
        size: u32,
    },
    /// Start-up code stored over an input before `main` saw it.
    #[error(
        "input {name}: the program's start-up code writes over it before main begins, so the answer \
         would be that of other data: begin at main (leave --entry out), or give the variable an \
         initial value other than zero in the source"
    )]
    InputOverwritten {
        /// The variable.
        name: String,
    },
    /// A wanted output that is not in the program's memory.
    #[error("output {name}: {size} bytes at {address:#010x} are not program memory")]
    OutputRange {
        /// The variable.
        name: String,
        /// Its address.
        address: u32,
        /// Its size.
        size: u32,
    },
    /// Nobody said where the program begins.
    #[error(
        "the program has no main, and {}. Say where to begin: --entry FUNCTION, or \
         --call 'FUNCTION(…)'{}; or link it with -e FUNCTION",
        unchosen(*.entry, .first.as_deref()), among(.functions)
    )]
    NoEntry {
        /// The entry point in the file.
        entry: u32,
        /// The function that stands there, where it is the code's first.
        first: Option<String>,
        /// Functions to choose from; at most the first eight.
        functions: Vec<String>,
    },
    /// The program leaves nothing: no variable is written, none was asked for, no function with a
    /// result was called.
    #[error(
        "{entry} leaves no output: it writes to no variable. Call a function that returns its \
         result (--call 'FUNCTION(…)'), or name the variables that are wanted (--output NAME)"
    )]
    NoOutput {
        /// Where the program began.
        entry: String,
    },
    /// A call that passes what is not a number.
    #[error(
        "{function} cannot be called: {passed}: {opacity}. Write a function around it that takes and returns integers, or let it use global variables"
    )]
    UnsupportedCall {
        /// The function.
        function: String,
        /// The parameter, or the result.
        passed: Passed,
        /// Why.
        opacity: Opacity,
    },
    /// The wrong number of ciphertexts.
    #[error("the task has {expected} secret bits, but {given} ciphertexts were given")]
    SecretCount {
        /// As [`Task::secret_bits`](crate::Task::secret_bits) says.
        expected: usize,
        /// What came.
        given: usize,
    },
    /// No room for the stack between the segments.
    #[error("no free {bytes} bytes of address space for the stack: ask for a smaller one")]
    NoStack {
        /// The size asked for.
        bytes: u32,
    },
    /// The program wants to branch on a secret.
    #[error(
        "{site}: the branch depends on secret data. Write the choice as a value \
         (x = c ? a : b; the compiler predicates it at -O2), or loop up to a public bound and \
         select inside; or execute both paths (--branches both), or let the key's owner answer \
         (--branches ask)"
    )]
    SecretBranch {
        /// Where.
        site: Box<Site>,
    },
    /// The program branches on a secret, and the two paths cannot both be executed.
    #[error(
        "{site}: the branch depends on secret data, and its two paths cannot both be executed: \
         {unmerged}. {} or let the key's owner answer where this fails (--branches both,ask), or write \
         the choice as a value (x = c ? a : b)", unmerged.remedy()
    )]
    Unmerged {
        /// The branch.
        site: Box<Site>,
        /// What stands in the way.
        unmerged: Unmerged,
    },
    /// The program wants to jump to a secret address.
    #[error(
        "{site}: the address to jump to depends on secret data. Choose by if and else between \
         direct calls, or let the key's owner name the next instruction (--branches client)"
    )]
    SecretTarget {
        /// Where.
        site: Box<Site>,
    },
    /// An answer that does not fit its question.
    #[error("{site}: the answer \"{answer}\" does not fit the question: {asked}")]
    Answer {
        /// Where the question was asked.
        site: Box<Site>,
        /// The question.
        asked: Asked,
        /// The answer.
        answer: Answer,
    },
    /// A supervisor call whose arguments are secret.
    #[error("{site}: address and length of what is written must not depend on secret data")]
    SecretArgument {
        /// Where.
        site: Box<Site>,
    },
    /// The program wants to write out a secret.
    #[error(
        "{site}: the byte at {address:#010x} is secret: only public bytes can be written out; make \
         secret results output variables"
    )]
    SecretWrite {
        /// Where.
        site: Box<Site>,
        /// The first secret byte.
        address: u32,
    },
    /// A store to the program's own instructions on one of two paths.
    #[error("{site}: store to {address:#010x}, which holds instructions")]
    CodeStore {
        /// Where.
        site: Box<Site>,
        /// The address.
        address: u32,
    },
    /// The program wants to load or store at a secret address.
    #[error(
        "{site}: the address to {access} depends on secret data, and the object it lies in is \
         unknown. Index a global array, whose symbol has a size, or name the bytes that it may \
         reach with --object ADDRESS:SIZE"
    )]
    SecretAddress {
        /// Where.
        site: Box<Site>,
        /// Load or store.
        access: Access,
    },
    /// An access at a secret address that cannot lie where it is meant to.
    #[error(
        "{site}: the address to {access} depends on secret data, and wherever that leads, it is \
         outside the {size} bytes at {address:#010x} that it seems to mean. Where the program is \
         right, name the bytes that it may reach with --object ADDRESS:SIZE"
    )]
    OutsideObject {
        /// Where.
        site: Box<Site>,
        /// Load or store.
        access: Access,
        /// The first byte of the first object that may be meant.
        address: u32,
        /// Its size.
        size: u32,
    },
    /// An access at a secret address that would select over too much.
    #[error(
        "{site}: the address to {access} depends on secret data, and the access would select over \
         {bytes} bytes at {address:#010x}; at most {limit} are done. Make the object smaller, or \
         name the part that is reached with --object ADDRESS:SIZE"
    )]
    LargeObject {
        /// Where.
        site: Box<Site>,
        /// Load or store.
        access: Access,
        /// The first object.
        address: u32,
        /// The size of all objects that may be meant.
        bytes: u64,
        /// The largest size.
        limit: u64,
    },
    /// The next instruction is secret data.
    #[error("{place}: the instruction word itself is secret: an input overlaps the code")]
    SecretCode {
        /// Where.
        place: Box<Place>,
    },
    /// An access outside the program's memory.
    #[error("{site}: {access} {address:#010x} ({size} bytes) is outside the program's memory{}{}", if *.near_stack { ": the stack overflowed, ask for a larger one" } else { "" }, in_any_case(*.predicated))]
    OutOfRange {
        /// Where.
        site: Box<Site>,
        /// What.
        access: Access,
        /// The address.
        address: u32,
        /// How many bytes.
        size: u32,
        /// Whether the address lies just below the stack.
        near_stack: bool,
        /// Whether the instruction stands under a secret condition: the access
        /// happens whether it holds or not.
        predicated: bool,
    },
    /// A store to a segment that is not writable.
    #[error("{site}: store to {address:#010x}, which the ELF file marks read-only{}", in_any_case(*.predicated))]
    ReadOnly {
        /// Where.
        site: Box<Site>,
        /// The address.
        address: u32,
        /// Whether the instruction stands under a secret condition.
        predicated: bool,
    },
    /// An access that must be aligned and is not.
    #[error("{site}: {access} {address:#010x} must be aligned to 4 bytes{}", in_any_case(*.predicated))]
    Unaligned {
        /// Where.
        site: Box<Site>,
        /// What.
        access: Access,
        /// The address.
        address: u32,
        /// Whether the instruction stands under a secret condition.
        predicated: bool,
    },
    /// A word that is no instruction of the subset.
    #[error("{place}: {reason}")]
    Undecodable {
        /// Where.
        place: Box<Place>,
        /// The word.
        word: u32,
        /// What the decoder says, with the mnemonic if it knows it.
        reason: String,
    },
    /// Execution left the program's code.
    #[error("{place}: nothing to execute here{}", .from.as_ref().map(|f| format!(" (came from {f})")).unwrap_or_default())]
    NotExecutable {
        /// Where.
        place: Box<Place>,
        /// The instruction before.
        from: Option<Box<Site>>,
    },
    /// A jump to Thumb code.
    #[error(
        "{site}: enters Thumb code at {target:#010x}: compile everything with -marm -march=armv7ve"
    )]
    Thumb {
        /// Where.
        site: Box<Site>,
        /// The address, without its lowest bit.
        target: u32,
    },
    /// The entry is Thumb code.
    #[error("{name} is Thumb code: compile with -marm")]
    ThumbEntry {
        /// The symbol.
        name: String,
    },
    /// A supervisor call that means nothing here.
    #[error(
        "{site}: only svc #0, the end of the program, and svc #1, writing r1 bytes at address r0, \
         are known here"
    )]
    UnknownCall {
        /// Where.
        site: Box<Site>,
        /// Its number.
        number: u32,
    },
    /// A semihosting operation that is not known here.
    #[error("{site}: semihosting operation {operation:#x} is not known here")]
    UnknownOperation {
        /// Where.
        site: Box<Site>,
        /// Its number.
        operation: u32,
    },
    /// The mode of floating point (rounding, flush to zero, default NaN, alternative halves) depends
    /// on secret data.
    #[error(
        "{site}: the mode of floating point, in FPSCR, depends on secret data: set it outside of \
         what a secret decides"
    )]
    SecretFloatMode {
        /// Where.
        site: Box<Site>,
    },
    /// A read of FPSCR that is not in the program's file: the program wrote it while it ran, and the
    /// flags of floating-point exceptions were not kept.
    #[error(
        "{site}: reads the flags of floating-point exceptions, which were not kept since nothing \
         in the program's file reads them: let the file have this instruction"
    )]
    LateExceptions {
        /// Where.
        site: Box<Site>,
    },
    /// A write to FPSCR that asks for short vectors, which no processor of ARMv8 has.
    #[error("{site}: asks for short vectors (LEN or STRIDE of FPSCR), which are not supported")]
    ShortVectors {
        /// Where.
        site: Box<Site>,
    },
    /// `BKPT` or `UDF`: the program stops itself.
    #[error("{site}: the program stops itself here as after an error, as __builtin_trap() does")]
    Trap {
        /// Where.
        site: Box<Site>,
    },
    /// The program jumps to itself for ever.
    #[error("{site}: an endless loop: end the program by returning from its entry or by svc #0")]
    EndlessLoop {
        /// Where.
        site: Box<Site>,
    },
    /// The limit on instructions.
    #[error(
        "{place}: still running after {limit} instructions: raise --max-instructions if that is meant"
    )]
    InstructionLimit {
        /// Where the program was.
        place: Box<Place>,
        /// The limit.
        limit: u64,
    },
    /// The circuit cannot be kept within the noise limit for which the target promises its failure
    /// probability. Circuits are made so that this does not happen: a fault of this software, or a
    /// target whose refreshes leave too much noise for any gate.
    #[error(
        "the circuit cannot be kept within the target's noise limit: a value has {worst_noise:.1}, \
         {limit:.1} is allowed. Nothing was evaluated; this is a fault of Blindcore, please report it"
    )]
    NoiseLimit {
        /// The largest noise of a value, in units of the target's noise model.
        worst_noise: f64,
        /// The largest that is allowed.
        limit: f64,
    },
    /// A question about a bit that no window left: a fault of this software.
    #[error(
        "a question about a bit that was not kept; this is a fault of Blindcore, please report it"
    )]
    LostBit,
    /// The run cannot go on from this state.
    #[error("{source}")]
    State {
        /// Why.
        source: StateError,
    },
    /// The host failed: it could not answer a question, keep a checkpoint or take what was written.
    #[error("{source}")]
    Host {
        /// What it says.
        source: HostError,
    },
    /// Somebody cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The engine failed.
    #[error("evaluating the circuit: {source}")]
    Evaluation {
        /// What it says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// Why an entry point is nobody's choice.
fn unchosen(entry: u32, first: Option<&str>) -> String {
    match first {
        Some(name) => format!(
            "the file's entry point is only where its code begins, at {name}, as linkers write \
             where nobody names one"
        ),
        None => format!("the file's entry point {entry:#010x} is not in its code"),
    }
}

/// The functions to choose from.
fn among(functions: &[String]) -> String {
    if functions.is_empty() {
        return String::new();
    }
    format!(" (there are {})", functions.join(", "))
}

/// What to add to a fault under a secret condition.
fn in_any_case(predicated: bool) -> &'static str {
    if predicated {
        ". Its condition is secret, so the access happens whether the condition holds or not: give \
         it a valid address in either case"
    } else {
        ""
    }
}
