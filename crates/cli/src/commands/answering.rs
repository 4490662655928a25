//! Who answers a program's questions, and where the records of it stand.

use std::fs;
use std::path::{Path, PathBuf};

use processor::{Answer, Program};
use service::client::Responder;
use session::owner::{Answerer, KeyHolder};
use session::policy::{Journal, JournalError, LedgerError, PolicyError, Refusal, Rules};
use session::question::ReceivedQuestion;

use super::protection::KeyFile;
use crate::arguments::Answering;
use crate::failure::{Code, Failure};

/// Largest file of rules.
const RULES_LIMIT: u64 = 1 << 20;

/// Who answers, as the command line says; `None` if nobody is to.
pub(crate) fn key_holder(
    arguments: &Answering,
    program: &Program,
    quiet: bool,
) -> Result<Option<KeyHolder>, Failure> {
    key_holder_under(arguments, program, Rules::default(), quiet)
}

/// The same, under rules that hold where the arguments name none.
pub(crate) fn key_holder_under(
    arguments: &Answering,
    program: &Program,
    earlier: Rules,
    quiet: bool,
) -> Result<Option<KeyHolder>, Failure> {
    let Some(path) = &arguments.answer_with else {
        return Ok(None);
    };
    let rules = rules(arguments, earlier)?;
    let ledger = match &arguments.ledger {
        Some(ledger) => ledger.clone(),
        None => ledger_beside(path),
    };
    let key = KeyFile::new(path, &arguments.unlocking).quietly(quiet);
    KeyHolder::new(program, rules, ledger, || key.read_tfhe()).map(Some)
}

/// An answerer of questions that come over a network.
pub(crate) struct Respondent<'a>(pub(crate) Answerer<'a>);

impl Responder for Respondent<'_> {
    fn answer(&mut self, question: &ReceivedQuestion) -> Result<Answer, Refusal> {
        self.0.answer(question)
    }
}

impl From<PolicyError> for Failure {
    fn from(error: PolicyError) -> Failure {
        Failure::new(Code::Input, error.to_string())
    }
}

fn rules(arguments: &Answering, earlier: Rules) -> Result<Rules, Failure> {
    let mut rules = match &arguments.policy {
        None if arguments.allow.is_empty() => earlier,
        None => Rules::default(),
        Some(path) => {
            let length = fs::metadata(path).map_err(|error| Failure::io(path, "open", &error))?;
            if length.len() > RULES_LIMIT {
                let message = format!("{}: too large for a policy", path.display());
                return Err(Failure::new(Code::Input, message));
            }
            let text =
                fs::read_to_string(path).map_err(|error| Failure::io(path, "read", &error))?;
            Rules::from_toml(&text).map_err(|error| {
                let message = format!("{}: {error}", path.display());
                Failure::new(Code::Input, message)
            })?
        }
    };
    rules.max_bits = arguments.max_bits.or(rules.max_bits);
    rules.max_bits_of_key = arguments.max_bits_of_key.or(rules.max_bits_of_key);
    rules.allow.extend(arguments.allow.iter().cloned());
    Ok(rules)
}

/// The record of a job's answers: where it was asked for, else in this user's directory of state.
pub(crate) fn journal_of(job: &str, asked: Option<&Path>) -> Result<(Journal, PathBuf), Failure> {
    let path = match asked {
        Some(path) => path.to_path_buf(),
        None => {
            let directory = state_directory().join("answers");
            fs::create_dir_all(&directory)
                .map_err(|error| Failure::io(&directory, "create", &error))?;
            directory.join(format!("{job}.jsonl"))
        }
    };
    let journal = Journal::open(&path).map_err(|error| journal_failure(&error))?;
    Ok((journal, path))
}

/// Where the record of a job's submission stands.
pub(crate) fn submission_of(job: &str) -> PathBuf {
    let name = format!("{job}.json");
    state_directory().join("jobs").join(name)
}

/// Where a key's ledger stands, whatever links lead to the key.
fn ledger_beside(key: &Path) -> PathBuf {
    let mut path = fs::canonicalize(key).unwrap_or_else(|_| key.to_path_buf());
    if path
        .extension()
        .is_some_and(|extension| extension == "secret")
    {
        path.set_extension("ledger");
        return path;
    }
    let mut name = path.into_os_string();
    name.push(".ledger");
    name.into()
}

pub(crate) fn ledger_failure(error: &LedgerError) -> Failure {
    let code = match error {
        LedgerError::Damaged { .. } => Code::File,
        LedgerError::OtherKey { .. } => Code::Key,
        _ => Code::Io,
    };
    Failure::new(code, error.to_string())
}

pub(crate) fn journal_failure(error: &JournalError) -> Failure {
    let code = match error {
        JournalError::Foreign { .. } => Code::File,
        _ => Code::Io,
    };
    Failure::new(code, error.to_string())
}

/// `$XDG_STATE_HOME/blindcore`, by default below `~/.local/state`; here if there is no home.
fn state_directory() -> PathBuf {
    let set = |name| {
        std::env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    let state = set("XDG_STATE_HOME")
        .or_else(|| set("HOME").map(|home| home.join(".local/state")))
        .unwrap_or_default();
    state.join("blindcore")
}
