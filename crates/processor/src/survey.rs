//! Everything that a program does by secrets: each branch, loop, jump and address, in one go.
//!
//! A plan ends at the first secret branch that a run would be refused for; a survey goes on past it
//! ([`survey`]). It counts nothing: values behind a loop that was left early, or on a path that does
//! not meet the others, stand for what they might be. What was not come to is named.

use std::fmt;

use circuits::Profile;
use circuits::exec::Cancel;

use crate::error::{Access, RunError, Site, Unmerged};
use crate::execution::{Execution, MERGE_LIMIT};
use crate::plan::ObjectPlan;
use crate::program::{Place, Program};
use crate::task::{Branches, Otherwise, Task};

/// A register that a comparison read, or its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Its name.
    pub register: String,
    /// Its value, where all of it is known.
    pub value: Option<u32>,
    /// How many of its bits are secret.
    pub secret_bits: u32,
    /// How many low bits the secret that it is made of has: a number of 8 bits to which a known
    /// one was added has 8, whatever the sum's carries did.
    pub varies_by: u32,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            register,
            value,
            secret_bits,
            ..
        } = self;
        match (value, secret_bits) {
            (Some(value), _) if *value < 10 => write!(f, "{register} = {value}"),
            (Some(value), _) => write!(f, "{register} = {value} ({value:#x})"),
            (None, 1) => write!(f, "{register}: 1 secret bit"),
            (None, bits) => write!(f, "{register}: {bits} secret bits"),
        }
    }
}

/// The instruction whose flags a branch decides by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Its address.
    pub address: u32,
    /// As text.
    pub instruction: String,
    /// What it compared, or its result; empty where that had changed before the branch.
    pub operands: Vec<Operand>,
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.instruction)?;
        for (index, operand) in self.operands.iter().enumerate() {
            f.write_str(if index == 0 { ", with " } else { ", " })?;
            write!(f, "{operand}")?;
        }
        Ok(())
    }
}

/// How often a loop goes round whose end a secret decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// At most so often, whatever the secret is.
    Ends(u64),
    /// So often, as the task or the source says.
    Bound(u64),
    /// Nothing but the secret says. A bound that the bits of what is compared suggest, if they do.
    Open(Option<u64>),
}

/// What depends on a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SecretUse {
    /// Whether a branch is taken.
    Branch {
        /// What decides.
        compared: Option<Comparison>,
        /// Why its two paths cannot both be executed, where they cannot.
        apart: Option<Unmerged>,
    },
    /// Whether a loop goes on, or a function calls itself again.
    Loop {
        /// What decides.
        compared: Option<Comparison>,
        /// How often it goes round.
        rounds: Rounds,
        /// Whether it is a function that calls itself.
        recursion: bool,
    },
    /// Where a jump leads.
    Jump {
        /// How many entries the table behind it has, as far as it is understood.
        entries: usize,
        /// Whether all of them are known, so that each can be a path.
        is_followed: bool,
    },
    /// The address of a load or store, of which it is known what it can reach.
    Access {
        /// Load or store.
        access: Access,
        /// What it selects over.
        objects: Vec<ObjectPlan>,
    },
    /// The address of a load or store, of which it is not known what it can reach.
    Unknown {
        /// Load or store.
        access: Access,
    },
    /// Something else that a run ends with.
    Error {
        /// What it says.
        message: String,
    },
}

/// A place where something depends on a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// Where.
    pub site: Site,
    /// What.
    pub found: SecretUse,
    /// Whether a run of this task ends here.
    pub stops: bool,
}

/// Code that was not come to, though the instructions before it lead there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplored {
    /// Its first instruction.
    pub place: Place,
    /// How many instructions there are.
    pub instructions: usize,
    /// Why it may be that.
    pub reason: String,
}

/// All that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The function or label where execution begins.
    pub entry: String,
    /// Every place, by address.
    pub found: Vec<Surveyed>,
    /// What was left unexplored, by address.
    pub unexplored: Vec<Unexplored>,
    /// Instructions that were explored.
    pub instructions: u64,
}

impl Surveyed {
    /// What to do about it, in words.
    #[must_use]
    pub fn remedy(&self) -> String {
        let value = "write the choice as a value (x = c ? a : b)";
        match &self.found {
            SecretUse::Branch { apart: None, .. } => {
                format!("both paths can be executed (--branches both); or {value}")
            }
            SecretUse::Branch {
                apart: Some(unmerged),
                ..
            } => format!(
                "its paths cannot both be executed: {unmerged}. Let them meet; or {value}; or let \
                 the key's owner answer (--branches both,ask)"
            ),
            SecretUse::Loop {
                rounds: Rounds::Ends(rounds),
                ..
            } => format!(
                "it ends after {rounds} {} whatever the secret is: both paths can be executed \
                 (--branches both); or loop so often and select inside",
                if *rounds == 1 { "round" } else { "rounds" }
            ),
            SecretUse::Loop {
                rounds: Rounds::Bound(rounds),
                ..
            } => {
                format!("bounded: {rounds} rounds, and whether more were wanted is an output")
            }
            SecretUse::Loop {
                rounds: Rounds::Open(likely),
                recursion,
                ..
            } => {
                let site = self.bound_site(*recursion);
                let what = match recursion {
                    true => "its end was not seen: say how deep it calls itself",
                    false => "its end was not seen: say how often it goes round",
                };
                match likely {
                    Some(rounds) => format!(
                        "{what} at most: --bound {site}={rounds}, as many values as the secret \
                         bits that are compared have; or loop up to a public bound and select inside"
                    ),
                    None => format!(
                        "{what} at most: --bound {site}=N, or BLINDCORE_BOUND(N) in the source; \
                         or loop up to a public bound and select inside"
                    ),
                }
            }
            SecretUse::Jump {
                is_followed: true, ..
            } => "every place that it leads to can be executed (--branches both)".to_owned(),
            SecretUse::Jump { .. } => {
                "compile with -fno-jump-tables; call by if and else in place of \
                a pointer; or let the key's owner name the next instruction (--branches client)"
                    .to_owned()
            }
            SecretUse::Access { objects, .. } => {
                let bytes: u64 = objects.iter().map(|object| u64::from(object.size)).sum();
                format!(
                    "each access selects over {bytes} bytes; the smaller the object, the cheaper"
                )
            }
            SecretUse::Unknown { .. } => {
                "index an array that has a symbol with a size, or name the \
                bytes that it may reach: --object ADDRESS:SIZE"
                    .to_owned()
            }
            SecretUse::Error { message } => message.clone(),
        }
    }

    /// The place as `--bound` takes it: a function that calls itself, else a line, an instruction of
    /// a function, an address.
    fn bound_site(&self, recursion: bool) -> String {
        let place = &self.site.place;
        match (&place.symbol, &place.line) {
            (Some((name, _)), _) if recursion => name.clone(),
            (_, Some((file, line))) => {
                format!("{}:{line}", file.rsplit('/').next().unwrap_or(file))
            }
            (Some((name, offset)), None) => format!("{name}+{offset:#x}"),
            (None, None) => format!("{:#x}", place.address),
        }
    }
}

/// Goes through a program as far as its code leads, past everything that depends on a secret.
///
/// # Errors
/// What is wrong before the first instruction, and [`RunError::Cancelled`].
///
/// ```
/// use blindcore_processor::{
///     Comparison, Content, Input, Program, Rounds, SecretUse, Survey, Surveyed, Task, survey,
/// };
/// use circuits::exec::Cancel;
///
/// let program = Program::load(b"
///     .data a
///     .data b
///     main:
///         LOAD  R0, a
///         CMP   R0, 7
///         B_HS  next
///         STORE R0, b
///     next:
///         ADD   R1, R1, 1
///         CMP   R1, R0
///         B_LO  next
///         STORE R1, b
///         HALT
/// ")?;
/// let secret = Input { variable: program.variable("a")?.clone(), content: Content::Secret };
/// let task = Task { inputs: vec![secret], ..Task::default() };
/// let survey: Survey = survey(&program, &task, &Cancel::new())?;
/// let [branch, repeated]: &[Surveyed; 2] = survey.found[..].try_into()?;
/// assert!(branch.stops && branch.remedy().contains("--branches both"));
/// assert!(matches!(&branch.found, SecretUse::Branch { compared: Some(Comparison { .. }), apart: None }));
/// // Nothing but the secret ends the loop.
/// assert!(matches!(&repeated.found, SecretUse::Loop { rounds: Rounds::Open(None), .. }));
/// assert!(repeated.remedy().contains("--bound"));
/// assert!(survey.unexplored.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn survey(program: &Program, task: &Task, cancel: &Cancel) -> Result<Survey, RunError> {
    let limit = task.branches.both.filter(|limit| *limit > 0);
    let explored = Task {
        branches: Branches {
            both: Some(limit.map_or(MERGE_LIMIT, |limit| limit.min(MERGE_LIMIT))),
            otherwise: Otherwise::Refuse,
        },
        ..task.clone()
    };
    // Nothing is counted: the units that are drawn soonest.
    let profile = Profile::gate_simulation();
    let mut execution = Execution::new(program, &explored, &profile)?.noting_secret_uses();
    execution.explore(cancel)?;
    Ok(execution.surveyed(task.branches))
}
