//! Whoever holds the secret key while a program runs: here questions are decrypted, and nowhere else.
//!
//! The same policy and the same record stand before it whether the program runs on this machine
//! ([`Questioned`]) or on another one ([`Responder`]).

use std::fs;
use std::path::{Path, PathBuf};

use engines::tfhe_lookup::TfheLookup;
use processor::{Answer, Host, HostError, Program, Question};
use service::client::Responder;
use session::evaluator;
use session::policy::{
    Guard, Journal, JournalError, Ledger, LedgerError, Policy, PolicyError, Refusal, Rules,
};
use session::question::ReceivedQuestion;
use tfhe::{KeyId, LweCiphertext, SecretKey};
use wire::{Inputs, Record};

use super::protection::KeyFile;
use super::same_key;
use crate::arguments::Answering;
use crate::failure::{Code, Failure};

/// Largest file of rules.
const RULES_LIMIT: u64 = 1 << 20;

/// A secret key, and the rules by which it is used.
pub(crate) struct KeyHolder {
    key: SecretKey,
    rules: Rules,
    policy: Policy,
    ledger: PathBuf,
}

impl KeyHolder {
    /// Reads key and rules; `None` if nobody is to answer.
    pub(crate) fn new(
        arguments: &Answering,
        program: &Program,
    ) -> Result<Option<KeyHolder>, Failure> {
        KeyHolder::under(arguments, program, Rules::default())
    }

    /// The same, under rules that hold where the arguments name none.
    pub(crate) fn under(
        arguments: &Answering,
        program: &Program,
        earlier: Rules,
    ) -> Result<Option<KeyHolder>, Failure> {
        let Some(path) = &arguments.answer_with else {
            return Ok(None);
        };
        let rules = rules(arguments, earlier)?;
        let policy = Policy::new(&rules, program).map_err(|error| unusable(&error))?;
        let key: SecretKey = KeyFile::new(path, &arguments.unlocking).read()?;
        let ledger = match &arguments.ledger {
            Some(ledger) => ledger.clone(),
            None => ledger_beside(path),
        };
        Ok(Some(KeyHolder {
            key,
            rules,
            policy,
            ledger,
        }))
    }

    /// The rules as they were given.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Which key it is.
    pub(crate) fn key_id(&self) -> KeyId {
        self.key.key_id()
    }

    /// Refuses inputs that another key encrypted.
    pub(crate) fn check(&self, path: &Path, inputs: &Inputs) -> Result<(), Failure> {
        same_key(path, inputs, &self.key)
    }

    /// Ready to answer, on this record, counting in the key's ledger.
    pub(crate) fn answering<'a>(
        self,
        program: &'a Program,
        journal: Journal,
    ) -> Result<Answerer<'a>, Failure> {
        let ledger = Ledger::open(&self.ledger, self.key.key_id());
        let ledger = ledger.map_err(|error| ledger_failure(&error))?;
        Ok(Answerer {
            key: self.key,
            guard: Guard::new(program, self.policy, journal).counting(ledger),
        })
    }
}

/// A key holder with a record.
pub(crate) struct Answerer<'a> {
    key: SecretKey,
    guard: Guard<'a>,
}

impl Answerer<'_> {
    /// What was revealed to a job, in words; `None` if nothing was.
    pub(crate) fn revealed(&self, job: &str) -> Option<String> {
        let ledger = self.guard.ledger();
        let used = ledger.used(job)?;
        let (answers, bits) = (used.answers(&(0..u32::MAX)), used.bits());
        let plural = |count: u64, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let (answers, bits) = (plural(answers, "answer"), plural(bits, "bit"));
        let all = plural(ledger.bits(), "bit");
        Some(format!(
            "{answers}, {bits} revealed, {all} by this key in all"
        ))
    }
}

impl Responder for Answerer<'_> {
    fn answer(&mut self, question: &ReceivedQuestion) -> Result<Answer, Refusal> {
        let key = &self.key;
        let record = question.record();
        let matched = wire::match_keys(
            (record.parameters(), record.key_id()),
            (key.parameters(), key.key_id()),
        );
        if let Err(error) = matched {
            let asking = question.asking();
            let refusal = Refusal::OtherKey {
                number: asking.number,
                reason: error.to_string(),
            };
            return Err(self.guard.refuse(&asking, refusal));
        }
        self.guard.answer(&question.asking(), || {
            let secret = key.decrypt_shrunk(record.secret());
            let secret = secret.map_err(|error| error.to_string())?;
            let all = record.merge(&secret).ok_or("it has too few bits")?;
            Ok::<_, String>(question.bits(&all))
        })
    }
}

/// A run on this machine that may ask.
pub(crate) struct Questioned<'a, 'p> {
    pub(crate) engine: &'a TfheLookup,
    pub(crate) job: &'a str,
    pub(crate) answerer: &'a mut Answerer<'p>,
}

impl Host<LweCiphertext> for Questioned<'_, '_> {
    fn ask(&mut self, question: &Question<LweCiphertext>) -> Result<Answer, HostError> {
        // The same words as over a network, so that the record says the same.
        let asked = evaluator::question(self.engine, self.job, question)?;
        let received = ReceivedQuestion::new(&asked)?;
        Ok(self.answerer.answer(&received)?)
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

fn unusable(error: &PolicyError) -> Failure {
    Failure::new(Code::Input, error.to_string())
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

fn ledger_failure(error: &LedgerError) -> Failure {
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
