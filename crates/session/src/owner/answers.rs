//! The owner of the secret key while a program runs: here questions are decrypted, and nowhere
//! else.
//!
//! The same policy and the same record stand before it whether the program runs on this machine
//! ([`Questioned`]) or on another one.

use std::borrow::Borrow;
use std::path::PathBuf;

use engines::tfhe_lookup::TfheLookup;
use processor::{Answer, Host, HostError, Program, Question};
use tfhe::{KeyId, LweCiphertext, SecretKey};
use wire::{Inputs, Record};

use crate::error::Error;
use crate::evaluator;
use crate::policy::{
    Asks, Guard, Journal, Ledger, LedgerError, Policy, PolicyError, Refusal, Rules,
};
use crate::question::ReceivedQuestion;

/// A secret key, and the rules by which it is used.
///
/// A run that may ask, with the key at hand:
///
/// ```
/// # use std::path::Path;
/// # use blindcore_session::evaluator::{self, Evaluation, Given, Target};
/// # use blindcore_session::owner::{self, Encryptor, Settings};
/// # use blindcore_session::program::{Execution, Row};
/// # use blindcore_session::schemes::{Adapter, tfhe::Tfhe, tfhe::expand};
/// # use blindcore_session::{Control, Program};
/// # use processor::{Branches, Otherwise, Start};
/// use blindcore_session::Error;
/// use blindcore_session::owner::{Answerer, KeyHolder, Questioned};
/// use blindcore_session::policy::{Asks, Journal, Rules};
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-session-answers-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let control = Control::default();
/// # let program = Program::from_bytes(Path::new("small.hea"), b".bits 16\n.data a\nmain: LOAD R0, a\n CMP R0, 100\n B_LO end\n STORE R1, a\nend: HALT")?;
/// # let pair = owner::generate(&Settings::Tfhe(tfhe::TOY_BLOCK), &control)?;
/// # let row = Row::new(&program, &program.assignments("a=7")?, None)?;
/// # let file = Encryptor::of_secret(&pair.secret).encrypt(&row.variables, &row.bits, &control)?;
/// # let (inputs, _) = Tfhe::read(Box::new(std::io::Cursor::new(file.to_vec())), None)?;
/// # let given: Given<Tfhe> = Given::joined(vec![("a.inputs".to_owned(), inputs)])?;
/// # let (placed, places) = evaluator::place(&program, None, &given.variables(), [].into_iter())?;
/// # let branches = Branches { both: None, otherwise: Otherwise::Ask };
/// # let outputs = vec!["a".to_owned()];
/// # let task = program.task(&Execution { branches, outputs, ..Execution::default() }, placed)?;
/// # let target = Target::of(&control);
/// # let planned = Tfhe::plan(&program, &task, &given, &target, &control)?;
/// # let owner::ServerKeyFile::Tfhe(seeded) = &pair.server else { unreachable!() };
/// # let engine = planned.engine(expand(seeded, target.fft, target.threads)?);
/// # let evaluation: Evaluation<Tfhe> = Evaluation { program: &program, task: &task, places: &places, planned: &planned, engine };
/// // `program` stores nothing where `a` is below 100, and branches on that.
/// let rules = Rules::from_toml("[[allow]]\nsite = \"main\"")?;
/// let owner::SecretKey::Tfhe(secret) = &pair.secret else { unreachable!() };
/// let holder = KeyHolder::new(program.image(), rules, folder.join("ledger"), || Ok::<_, Error>(secret))?;
/// assert_eq!(holder.key_id(), secret.key_id());
/// holder.check("a.inputs", given.first()?.1)?;
/// let asks = Asks::from(task.branches.otherwise);
/// let mut answerer: Answerer<&tfhe::SecretKey> = holder.answering(program.image(), asks, Journal::in_memory())?;
/// assert_eq!(answerer.revealed("the job"), None);
///
/// let mut host = Questioned { engine: &evaluation.engine, job: "the job", answerer: &mut answerer };
/// let start = Start::Fresh(evaluation.secrets(&given)?);
/// evaluation.run(0, &given, start, &mut host, &control)?;
/// assert!(answerer.revealed("the job").is_some());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct KeyHolder<K = SecretKey> {
    key: K,
    rules: Rules,
    policy: Policy,
    ledger: PathBuf,
}

impl<K: Borrow<SecretKey>> KeyHolder<K> {
    /// A key with the rules that its owner answers by and the ledger that counts what was answered.
    /// The key is asked for only when the rules fit the program.
    ///
    /// # Errors
    /// [`PolicyError`]; those of `key`.
    pub fn new<E: From<PolicyError>>(
        program: &Program,
        rules: Rules,
        ledger: PathBuf,
        key: impl FnOnce() -> Result<K, E>,
    ) -> Result<Self, E> {
        let policy = Policy::new(&rules, program)?;
        Ok(KeyHolder {
            key: key()?,
            rules,
            policy,
            ledger,
        })
    }

    /// The rules as they were given.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Which key it is.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.key.borrow().key_id()
    }

    /// Refuses inputs that another key encrypted.
    ///
    /// # Errors
    /// [`ErrorKind::Key`](crate::ErrorKind::Key).
    pub fn check(&self, name: &str, inputs: &Inputs) -> Result<(), Error> {
        wire::match_keys(
            (inputs.parameters(), inputs.key_id()),
            (self.key.borrow().parameters(), self.key.borrow().key_id()),
        )
        .map_err(|error| Error::file(std::path::Path::new(name), &error))
    }

    /// Ready to answer what a job was submitted to ask, on this record, counting in the key's
    /// ledger.
    ///
    /// # Errors
    /// [`LedgerError`].
    pub fn answering(
        self,
        program: &Program,
        asks: Asks,
        journal: Journal,
    ) -> Result<Answerer<'_, K>, LedgerError> {
        let ledger = Ledger::open(&self.ledger, self.key.borrow().key_id())?;
        Ok(Answerer {
            key: self.key,
            guard: Guard::new(program, self.policy, journal, asks).counting(ledger),
        })
    }
}

/// A key holder with a record.
pub struct Answerer<'a, K = SecretKey> {
    key: K,
    guard: Guard<'a>,
}

impl<K: Borrow<SecretKey>> Answerer<'_, K> {
    /// What was revealed to a job, in words; `None` if nothing was.
    #[must_use]
    pub fn revealed(&self, job: &str) -> Option<String> {
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

    /// Answers a question as far as the policy allows.
    ///
    /// # Errors
    /// [`Refusal`].
    pub fn answer(&mut self, question: &ReceivedQuestion) -> Result<Answer, Refusal> {
        let key: &SecretKey = self.key.borrow();
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
pub struct Questioned<'a, 'p, K = SecretKey> {
    /// The run's engine.
    pub engine: &'a TfheLookup,
    /// What the run is called in the record.
    pub job: &'a str,
    /// Who answers.
    pub answerer: &'a mut Answerer<'p, K>,
}

impl<K: Borrow<SecretKey>> Host<LweCiphertext> for Questioned<'_, '_, K> {
    fn ask(&mut self, question: &Question<LweCiphertext>) -> Result<Answer, HostError> {
        // The same words as over a network, so that the record says the same.
        let asked = evaluator::question(self.engine, self.job, question)?;
        let received = ReceivedQuestion::new(&asked)?;
        Ok(self.answerer.answer(&received)?)
    }
}
