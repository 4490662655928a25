//! What can be wrong with rules, journals and questions.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use processor::{Place, SymbolError};
use tfhe::KeyId;

use super::Site;
use super::sites::site_of;

/// Rules that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A site that is none of the forms.
    #[error(
        "{text:?} is not a site: write a function (gcd), a place in it (gcd+0x1c) or an address (0x10028)"
    )]
    Site {
        /// What was written.
        text: String,
    },
    /// A number of answers that is none.
    #[error("{text:?} does not end in a number of answers: write SITE or SITE:N")]
    Count {
        /// What was written.
        text: String,
    },
    /// A file of rules that cannot be read as one.
    #[error("{}{reason}", .line.map_or(String::new(), |line| format!("line {line}: ")))]
    Rules {
        /// The line, from 1, if known.
        line: Option<usize>,
        /// What is wrong.
        reason: String,
    },
    /// A site that the program does not have.
    #[error("the policy allows {site}, but {source}")]
    Unknown {
        /// The site as written.
        site: Site,
        /// What the program says.
        source: SymbolError,
    },
    /// A site where the program has no instruction.
    #[error(
        "the policy allows {site}, but the program has no instruction at {address:#010x}: sites are multiples of four within its code"
    )]
    NoCode {
        /// The site as written.
        site: Site,
        /// What it stands for.
        address: u32,
    },
}

/// Why a question gets no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The number belongs to another question.
    #[error(
        "question {number} was another one before: the server does not keep to the protocol, or has lost its state"
    )]
    Changed {
        /// The number.
        number: u64,
    },
    /// What is asked does not come from this program.
    #[error(
        "question {number} at {place} is not one that this program asks: {reason}. Either the server runs another program, or this is not the one that was submitted"
    )]
    Foreign {
        /// The question's number.
        number: u64,
        /// Where it claims to be.
        place: Box<Place>,
        /// What does not fit.
        reason: String,
    },
    /// No rule allows this site.
    #[error("the policy allows no answers at {place}: allow them with --allow {}", site_of(.place))]
    Site {
        /// Where.
        place: Box<Place>,
    },
    /// The site has had its answers.
    #[error("the policy allows {limit} answers at {site}, and they have been given")]
    Answers {
        /// The site, as the rule has it.
        site: Site,
        /// The rule's number.
        limit: u64,
    },
    /// The bits are used up.
    #[error(
        "an answer at {place} would reveal {bits} more, {used} have been revealed, and the policy allows {limit} bits in all: allow more with --max-bits"
    )]
    Bits {
        /// Where.
        place: Box<Place>,
        /// What the answer would cost.
        bits: u64,
        /// What answers to this job have cost.
        used: u64,
        /// The bound.
        limit: u64,
    },
    /// The key's bits are used up.
    #[error(
        "an answer at {place} would reveal {bits} bits more, answers with this key have revealed {used} to all jobs together, and the policy allows {limit}: allow more with --max-bits-of-key, or take a new key"
    )]
    KeyBits {
        /// Where.
        place: Box<Place>,
        /// What the answer would cost.
        bits: u64,
        /// What answers to all jobs have cost.
        used: u64,
        /// The bound.
        limit: u64,
    },
    /// Something before this question ended the job's answers.
    #[error(
        "question {number} is refused, as all further ones of this job: {reason}. Cancel the job; what its server may know by now, the ledger counts"
    )]
    Closed {
        /// The question's number.
        number: u64,
        /// What ended them.
        reason: String,
    },
    /// The ciphertexts belong to another key.
    #[error("question {number} is under another key than this one: {reason}")]
    OtherKey {
        /// The question's number.
        number: u64,
        /// Which.
        reason: String,
    },
    /// The bits could not be had.
    #[error("question {number} cannot be decrypted: {reason}")]
    Undecryptable {
        /// The question's number.
        number: u64,
        /// Why.
        reason: String,
    },
    /// The jump goes where the program has no instruction.
    #[error("question {number} at {place} jumps to no instruction of the program")]
    Nowhere {
        /// The question's number.
        number: u64,
        /// Where.
        place: Box<Place>,
    },
    /// What cannot be recorded is not answered.
    #[error("the answer cannot be recorded, and so is not given: {0}")]
    Journal(#[from] JournalError),
    /// What cannot be charged is not decrypted.
    #[error("the answer cannot be counted, and so is not given: {0}")]
    Ledger(#[from] LedgerError),
}

impl Refusal {
    /// Whether other rules could allow the question: then the job may wait for them. Otherwise no
    /// honest run of this program can get an answer. Never true for what depends on decrypted bits:
    /// whether a server gets a refusal must not reveal more than was paid for.
    pub fn is_matter_of_rules(&self) -> bool {
        matches!(
            self,
            Refusal::Site { .. }
                | Refusal::Answers { .. }
                | Refusal::Bits { .. }
                | Refusal::KeyBits { .. }
                | Refusal::Journal(_)
                | Refusal::Ledger(_)
        )
    }
}

/// A journal that cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The operating system refused.
    #[error("{}: cannot {operation}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        operation: &'static str,
        /// What it said.
        source: Arc<io::Error>,
    },
    /// Somebody else answers with this journal.
    #[error(
        "{}: is in use by another process: two that answer with one journal would count apart. Wait for it, or end it", .path.display()
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A line that no journal has.
    #[error(
        "{}, line {line}: is no line of an audit log: {reason}. Name another file, or mend this one", .path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

impl PartialEq for JournalError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for JournalError {}

/// A ledger that cannot be used. Nothing is answered without one.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The operating system refused.
    #[error("{}: cannot {operation}: {source}. Make room or make it writable, or name another place with --ledger", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        operation: &'static str,
        /// What it said.
        source: Arc<io::Error>,
    },
    /// Somebody else keeps it locked.
    #[error("{}: another process has kept it locked for ten seconds: end that one, or wait", .path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It is not what was written.
    #[error(
        "{}, line {line}: the ledger is damaged: {reason}. Nothing is answered by it. Restore an undamaged copy; removing the ledger would forget what answers with this key have revealed, so rather make a new key", .path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// It counts for another key.
    #[error("{}: the ledger of key {found}, not of {expected}: name another place with --ledger", .path.display())]
    OtherKey {
        /// The file.
        path: PathBuf,
        /// The key that was to answer.
        expected: KeyId,
        /// The key in the ledger.
        found: String,
    },
    /// It was removed or cut off while in use.
    #[error("{}: the ledger was removed or cut off while it was in use. Put it back, or take a new key", .path.display())]
    Gone {
        /// The file.
        path: PathBuf,
    },
}

impl PartialEq for LedgerError {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for LedgerError {}
