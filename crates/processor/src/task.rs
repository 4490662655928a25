//! What to run: entry, inputs, wanted outputs, bounds.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::program::Variable;
use values::Element;

/// The name of an output that is no variable: whether an access at a secret address went where it
/// was not selected over, so that it read 0 or stored nothing. The other outputs mean something
/// only where it is false. It is there only if, by the code, that can happen.
pub const ASTRAY: &str = "(outside)";

/// The name of an output that is no variable: whether, at a secret branch of which both paths were
/// executed, the path was taken that ended in a fault. The other outputs mean something only where
/// it is false. It is there only if a path ended so.
pub const FAULTED: &str = "(fault)";

/// The name of an output that is no variable: whether a loop, or a function that calls itself,
/// would have gone on beyond its [`Bound`]. The other outputs mean something only where it is false.
/// It is there only if a loop ended at its bound.
pub const EXCEEDED: &str = "(bound)";

/// What an input holds before the program starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// These bytes, known to everybody. At most the variable's size; the rest keeps the program's
    /// own initial value.
    Clear(Vec<u8>),
    /// Every bit is secret.
    Secret,
}

/// A variable that is given a value before the program starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Where: usually from [`Program::variable`](crate::Program::variable), perhaps through
    /// [`Variable::with_type`].
    pub variable: Variable,
    /// What.
    pub content: Content,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    /// The parameter's name, for reports.
    pub name: String,
    /// The parameter's type.
    pub element: Element,
    /// Its value; clear bytes must be exactly as many as the element has.
    pub content: Content,
}

/// Where execution begins.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Entry {
    /// `main` if there is one, else the ELF's entry point, unless that is only where the code
    /// begins ([`RunError::NoEntry`](crate::RunError::NoEntry)).
    #[default]
    Default,
    /// The ELF's entry point.
    Image,
    /// A function or label.
    Symbol(String),
    /// A function called by the rules of the AAPCS; its result becomes an output.
    Call {
        /// The function.
        function: String,
        /// Its arguments in order.
        arguments: Vec<Argument>,
    },
}

/// Which variables are wanted afterwards. The result of a call comes always.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Wanted {
    /// Every variable that the program wrote to.
    #[default]
    Written,
    /// These.
    Variables(Vec<Variable>),
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// How many instructions may be executed.
    pub instructions: u64,
    /// The size of the stack, in bytes.
    pub stack: u32,
    /// How many nodes a circuit may have before it is evaluated.
    ///
    /// A larger window gives the scheduler more freedom and drops more dead values; a smaller one
    /// needs less memory. One instruction may exceed it, by the size of a division at most.
    pub window: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            instructions: 100_000_000,
            stack: 1 << 20,
            window: 1 << 18,
        }
    }
}

/// What happens at a branch whose condition is secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Branches {
    /// Where the two paths rejoin, execute both and select: the limit on how many instructions
    /// both may have together, inner ones included. `None` never does.
    pub both: Option<u64>,
    /// What happens where they do not, and at every secret branch without [`both`](Self::both).
    pub otherwise: Otherwise,
}

impl Branches {
    /// How many instructions the two paths of a branch may have together, where nobody says: room
    /// for loops of thousands of rounds, and at its end within seconds where paths never meet.
    pub const MERGE_LIMIT: u64 = 100_000;
}

/// What happens at a secret branch of which only one path is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Otherwise {
    /// The run ends with an error.
    #[default]
    Refuse,
    /// The client is sent the encrypted condition and answers whether it holds.
    Ask,
    /// The client is sent what the flags come from and names the next instruction.
    ClientHeld,
}

/// A range of memory that is one object: what an access at a secret address selects from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Object {
    /// Its first byte.
    pub address: u32,
    /// How many bytes.
    pub size: u32,
}

/// How often a loop goes round at most whose end depends on secrets, when both paths of its branch
/// are executed; for a function that calls itself, how deep. Whether it would have gone on is the
/// output [`EXCEEDED`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Bound {
    /// The first byte of the code that it is for: the loops whose first instruction or deciding
    /// branch lies there.
    pub address: u32,
    /// How many bytes of code it is for. The smallest range that holds a loop decides.
    pub size: u64,
    /// The rounds.
    pub rounds: u64,
}

impl Bound {
    /// For every loop.
    #[must_use]
    pub const fn of_all(rounds: u64) -> Self {
        Self {
            address: 0,
            size: 1 << 32,
            rounds,
        }
    }

    /// Whether it is for the code at an address.
    pub(crate) fn holds(&self, address: u32) -> bool {
        u64::from(address.wrapping_sub(self.address)) < self.size
    }
}

/// A program's run, described.
///
/// ```
/// use blindcore_processor::{
///     ASTRAY, Branches, Content, Entry, Input, Limits, Object, Otherwise, Program, Secret, Task, Wanted, plan,
/// };
/// use circuits::Profile;
///
/// let program = Program::load(b".data table[4] = 1, 20, 300, 4000\n.data at\n.data found\nmain:
///     LOAD R0, at\n LOAD R1, table[R0]\n STORE R1, found\n HALT")?;
/// let table = program.variable("table")?;
/// let input = |name, content| -> Result<_, Box<dyn std::error::Error>> {
///     Ok(Input { variable: program.variable(name)?.clone(), content })
/// };
/// let task = Task {
///     entry: Entry::Symbol("main".to_owned()),
///     inputs: vec![
///         input("at", Content::Secret)?,
///         input("table", Content::Clear(7u32.to_le_bytes().to_vec()))?,
///     ],
///     wanted: Wanted::Variables(vec![program.variable("found")?.clone()]),
///     limits: Limits { instructions: 1_000, ..Limits::default() },
///     branches: Branches { both: Some(100), otherwise: Otherwise::Refuse },
///     // What the symbols of a program do not tell; here they do.
///     objects: vec![Object { address: table.address, size: table.size }],
///     bounds: Vec::new(),
/// };
/// assert_eq!(task.secrets(), [Secret { name: "at".to_owned(), bits: 32 }]);
///
/// // An index of 32 bits may leave the table: a bit beside the outputs says whether it did.
/// let plan = plan(&program, &task, &Profile::lookup_simulation())?;
/// let names: Vec<&str> = plan.outputs.iter().map(|output| &*output.name).collect();
/// assert_eq!(names, ["found", ASTRAY]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Task {
    /// Where execution begins.
    pub entry: Entry,
    /// What is put into memory first, in this order: a later input covers an earlier one.
    pub inputs: Vec<Input>,
    /// What is wanted.
    pub wanted: Wanted,
    /// Bounds.
    pub limits: Limits,
    /// What happens at secret branches.
    pub branches: Branches,
    /// Objects that the program's symbols do not tell.
    pub objects: Vec<Object>,
    /// Bounds of loops that end by secrets.
    pub bounds: Vec<Bound>,
}

/// A group of secret bits that a task needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The variable's or argument's name.
    pub name: String,
    /// How many bits.
    pub bits: usize,
}

impl Task {
    /// The secret bits that the task needs, in the order in which [`run`](crate::run()) takes them:
    /// the secret inputs in their order, then the secret arguments in theirs; within each the
    /// order of [`values`].
    #[must_use]
    pub fn secrets(&self) -> Vec<Secret> {
        let secret = |content: &Content| *content == Content::Secret;
        let inputs = self
            .inputs
            .iter()
            .filter(|input| secret(&input.content))
            .map(|input| Secret {
                name: input.variable.name.clone(),
                bits: input.variable.bits(),
            });
        let arguments = match &self.entry {
            Entry::Call { arguments, .. } => arguments.as_slice(),
            _ => &[],
        };
        let arguments = arguments
            .iter()
            .filter(|argument| secret(&argument.content))
            .map(|a| Secret {
                name: a.name.clone(),
                bits: a.element.bits() as usize,
            });
        inputs.chain(arguments).collect()
    }

    /// The number of secret bits in all.
    #[must_use]
    pub fn secret_bits(&self) -> usize {
        self.secrets().iter().map(|secret| secret.bits).sum()
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("main, or the ELF's entry point"),
            Self::Image => f.write_str("the ELF's entry point"),
            Self::Symbol(name) | Self::Call { function: name, .. } => f.write_str(name),
        }
    }
}
