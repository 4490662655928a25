//! A run that is set up.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use circuits::exec::Cancel;
use engines::tfhe_lookup::TfheLookup;
use processor::{Answer as Answered, Asked, Host, HostError, Nobody, Question, Site, Start};
use session::evaluator::{self, CheckpointFile, Checkpointing, Evaluation, Given, Planned, Target};
use session::owner::{KeyHolder, Questioned};
use session::policy::{Allowance, Asks, Journal, Policy, Rules, Site as Allowed};
use session::schemes::bgv::BgvSlots;
use session::schemes::tfhe::Tfhe;
use session::schemes::{Adapter, Source};
use session::{Control, Error, ErrorKind, Progress};
use tfhe::LweCiphertext;
use wire::{Record, Scheme, WireError};

use crate::server_key::Computing;
use crate::shared::{self, Workers};
use crate::{Inputs, Outputs, Program, SecretKey, ServerKey};

/// A run of a program with a key, and how it is done.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// # use blindcore::{Keys, Program, Values};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/salaries/salaries.elf");
/// # let program = Program::open(path)?.public("count", 3)?;
/// # let keys = Keys::generate()?;
/// # let inputs = keys.secret.encrypt(&program, &Values::new().set("salary", [1, 2, 3]))?;
/// let outputs = program
///     .runner(&keys.server)
///     .threads(1)
///     .memory(500_000_000)
///     .progress(|progress| println!("{progress:?}"))
///     .run(&inputs)?;
/// # assert_eq!(keys.secret.decrypt(&outputs)?.get::<u32>("total")?, 6);
/// # Ok(())
/// # }
/// ```
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Branches, Cancel, ErrorKind, Keys, Otherwise, Program, Rules, Run, Values};
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-run-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// // Numbers of 100 and more are not kept; whether one is, somebody has to say.
/// let text = b".bits 16\n.data a\nmain: LOAD R0, a\n CMP R0, 100\n B_LO end\n STORE R1, a\nend: HALT";
/// let program = Program::from_bytes("small.hea", text)?.secret(["a"])?.outputs(["a"]).branches(Branches {
///     otherwise: Otherwise::Ask,
///     ..Branches::default()
/// });
/// let keys = Keys::generate()?;
/// let inputs = keys.secret.encrypt(&program, &Values::new().set("a", 7))?;
///
/// // Without somebody who answers, nothing is revealed; with rules, what they allow.
/// let refused = program.run(&keys.server, &inputs).unwrap_err();
/// assert_eq!(refused.kind, ErrorKind::Secret);
/// let rules = Rules::from_toml("max_bits = 2\n[[allow]]\nsite = \"main\"")?;
/// let run = || -> Run {
///     program.runner(&keys.server).answering(&keys.secret, rules.clone(), folder.join("ledger"))
/// };
///
/// // A run that was cancelled leaves a checkpoint, if it had come to one; the next goes on from there.
/// let (cancel, checkpoint) = (Cancel::new(), folder.join("checkpoint"));
/// cancel.cancel();
/// let ended = run().cancel(cancel).checkpoint(&checkpoint).run(&inputs).unwrap_err();
/// assert_eq!(ended.kind, ErrorKind::Interrupted);
/// let outputs = run().checkpoint(&checkpoint).run(&inputs)?;
/// assert_eq!(keys.secret.decrypt(&outputs)?.get::<u16>("a")?, 7);
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok(())
/// # }
/// ```
pub struct Run<'a> {
    program: &'a Program,
    key: &'a ServerKey,
    control: Control,
    checkpoint: Option<PathBuf>,
    answering: Option<Answering<'a>>,
    workers: Option<Workers>,
}

/// Who answers questions.
struct Answering<'a> {
    key: &'a SecretKey,
    rules: Rules,
    ledger: PathBuf,
    decide: Option<Decide<'a>>,
}

/// Whether a question at this site, whose answer reveals so many bits, may be answered.
type Decide<'a> = Box<dyn FnMut(&Site, &Asked, u64) -> bool + Send + 'a>;

/// A run whose questions somebody decides about one by one.
struct Deciding<'d, 'a> {
    engine: &'d TfheLookup,
    image: &'d processor::Program,
    job: &'d str,
    asks: Asks,
    answering: &'d mut Answering<'a>,
}

impl Host<LweCiphertext> for Deciding<'_, '_> {
    fn ask(&mut self, question: &Question<LweCiphertext>) -> Result<Answered, HostError> {
        let Answering {
            key,
            rules,
            ledger,
            decide,
        } = &mut *self.answering;
        // What is not allowed is refused in the same words whoever decides.
        let mut rules = Rules {
            allow: Vec::new(),
            ..rules.clone()
        };
        let policy = Policy::new(&rules, self.image)?;
        let bits = policy.bits(&question.asked);
        if decide
            .as_mut()
            .is_some_and(|decide| decide(&question.site, &question.asked, bits))
        {
            rules.allow.push(Allowance {
                site: Allowed::Address(question.site.place.address),
                answers: None,
            });
        }
        let holder = KeyHolder::new(self.image, rules, ledger.clone(), || key.tfhe())?;
        let mut answerer = holder.answering(self.image, self.asks, Journal::in_memory())?;
        let mut host = Questioned {
            engine: self.engine,
            job: self.job,
            answerer: &mut answerer,
        };
        host.ask(question)
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(program: &'a Program, key: &'a ServerKey) -> Self {
        Self {
            program,
            key,
            control: Control::default(),
            checkpoint: None,
            answering: None,
            workers: None,
        }
    }

    /// Shares the run out among workers (TFHE only): [`threads`](Self::threads) is then how many each of
    /// them has. Programs that ask their key's owner are refused.
    #[must_use]
    pub fn on(mut self, workers: Workers) -> Self {
        self.workers = Some(workers);
        self
    }

    /// Worker threads; 0 is taken for 1. By default all that the machine has.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.control.threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        self
    }

    /// Bytes of memory that the run takes at most: one that needs more is refused. By default it keeps
    /// below a gigabyte where it can.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.control.memory = Some(bytes);
        self
    }

    /// Who is told how far the run is: often, from several threads.
    #[must_use]
    pub fn progress(mut self, observer: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.control.observer = Some(Arc::new(observer));
        self
    }

    /// What ends the run with [`ErrorKind::Interrupted`] when it is cancelled.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.control.cancel = cancel;
        self
    }

    /// Keeps a checkpoint in this file (TFHE only). A run of the same program on the same inputs
    /// that finds one there goes on from it; it is removed at the end.
    #[must_use]
    pub fn checkpoint(mut self, path: impl AsRef<Path>) -> Self {
        self.checkpoint = Some(path.as_ref().to_path_buf());
        self
    }

    /// Answers the program's questions about secrets with this key, as far as the rules allow,
    /// counting what that reveals in the file `ledger` (TFHE only). For tests and demonstrations,
    /// where one process plays both parts; a server asks over a network.
    #[must_use]
    pub fn answering(mut self, key: &'a SecretKey, rules: Rules, ledger: impl AsRef<Path>) -> Self {
        self.answering = Some(Answering {
            key,
            rules,
            ledger: ledger.as_ref().to_path_buf(),
            decide: None,
        });
        self
    }

    /// As [`answering`](Self::answering), and somebody decides about every question: by its place,
    /// what it asks, and how many bits an answer reveals. Of the rules, bounds on bits hold; the
    /// sites that they name do not count.
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Branches, Keys, Otherwise, Program, Rules, Values};
    ///
    /// # let folder = std::env::temp_dir().join(format!("blindcore-deciding-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// let text = b".bits 16\n.data a\nmain: LOAD R0, a\n CMP R0, 100\n B_LO end\n STORE R1, a\nend: HALT";
    /// let program = Program::from_bytes("small.hea", text)?.secret(["a"])?.outputs(["a"]).branches(Branches {
    ///     otherwise: Otherwise::Ask,
    ///     ..Branches::default()
    /// });
    /// let keys = Keys::generate()?;
    /// let inputs = keys.secret.encrypt(&program, &Values::new().set("a", 7))?;
    /// let run = |answer: bool| {
    ///     let run = program.runner(&keys.server);
    ///     run.deciding(&keys.secret, Rules::default(), folder.join("ledger"), move |_, _, bits| answer && bits == 2).run(&inputs)
    /// };
    /// assert_eq!(run(false).unwrap_err().kind, blindcore::ErrorKind::Answer);
    /// assert_eq!(keys.secret.decrypt(&run(true)?)?.get::<u16>("a")?, 7);
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn deciding(
        mut self,
        key: &'a SecretKey,
        rules: Rules,
        ledger: impl AsRef<Path>,
        decide: impl FnMut(&Site, &Asked, u64) -> bool + Send + 'a,
    ) -> Self {
        self.answering = Some(Answering {
            key,
            rules,
            ledger: ledger.as_ref().to_path_buf(),
            decide: Some(Box::new(decide)),
        });
        self
    }

    /// Runs.
    ///
    /// # Errors
    /// As for [`Program::run`].
    pub fn run(self, inputs: &Inputs) -> Result<Outputs, Error> {
        match inputs.scheme() {
            Scheme::Tfhe => self.on_tfhe(inputs),
            Scheme::Bgv => self.on_bgv(inputs),
            _ => Err(Error::new(
                ErrorKind::Key,
                "the inputs are of a scheme that is here only for comparison",
            )),
        }
    }

    fn on_tfhe(mut self, inputs: &Inputs) -> Result<Outputs, Error> {
        let (mut job, _) = Job::<Tfhe>::read(self.program, inputs, &self.control)?;
        if let Some(workers) = &self.workers {
            if self.answering.is_some() || self.control.memory.is_some() {
                let message = "answers and a bound of memory are for a run on one machine";
                return Err(Error::new(ErrorKind::Usage, message));
            }
            let (_, first) = job.given.first()?;
            if let Computing::Tfhe { seeded: key, .. } = &self.key.0 {
                ServerKey::check(first, key.parameters(), key.key_id())?;
            }
            let checkpoint = self.checkpoint.as_deref();
            return shared::run(job, inputs, self.key, workers, &self.control, checkpoint);
        }
        job.target = self.key.target(job.target);
        let planned = job.plan(self.answering.is_some(), &self.control)?;
        let (_, first) = job.given.first()?;
        if let Computing::Tfhe { seeded: key, .. } = &self.key.0 {
            ServerKey::check(first, key.parameters(), key.key_id())?;
        }
        let key = self.key.for_plan(&job.target, &planned)?;
        let engine = planned.engine(key);
        let evaluation = job.evaluation(&planned, engine);

        let lock = self.checkpoint.as_deref().map(evaluator::lock_checkpoints);
        // To the end of the run.
        let _lock = lock.transpose()?;
        let mut checkpoint = self.checkpoint.as_ref().map(|path| {
            let program = self.program.program.hash();
            let given = evaluator::inputs_hash(inputs.to_bytes());
            let run = evaluator::run_hash(program, given, &job.task, &job.places);
            CheckpointFile::new(path.clone(), run, first, Box::new(|_| {}))
        });
        let resumed = match (&mut checkpoint, &self.checkpoint) {
            (Some(file), Some(path)) if path.exists() => Some(file.resume()?),
            _ => None,
        };
        let start = match resumed {
            Some(start) => start,
            None => Start::Fresh(evaluation.secrets(&job.given)?),
        };
        let asks = Asks::from(job.task.branches.otherwise);
        let mut answerer = match &self.answering {
            None => None,
            Some(Answering {
                decide: Some(_), ..
            }) => None,
            Some(Answering {
                key, rules, ledger, ..
            }) => {
                let holder = KeyHolder::new(
                    self.program.program.image(),
                    rules.clone(),
                    ledger.clone(),
                    || key.tfhe(),
                )?;
                let image = self.program.program.image();
                let answerer = holder.answering(image, asks, Journal::in_memory());
                Some(answerer.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?)
            }
        };
        let name = evaluator::attempt();
        let (mut questioned, mut deciding);
        let mut nobody = Nobody;
        let deciders = self.answering.as_mut();
        let host: &mut dyn processor::Host<_> = match (&mut answerer, deciders) {
            (None, None) => &mut nobody,
            (None, Some(answering)) => {
                deciding = Deciding {
                    engine: &evaluation.engine,
                    image: self.program.program.image(),
                    job: &name,
                    asks,
                    answering,
                };
                &mut deciding
            }
            (Some(answerer), _) => {
                questioned = Questioned {
                    engine: &evaluation.engine,
                    job: &name,
                    answerer,
                };
                &mut questioned
            }
        };
        let mut host = Checkpointing {
            file: checkpoint.as_mut(),
            host,
        };
        let ran = evaluation.run(0, &job.given, start, &mut host, &self.control)?;
        if let Some(file) = &checkpoint {
            file.finish();
        }
        encoded(&ran.outputs).and_then(Outputs::from_bytes)
    }

    fn on_bgv(self, inputs: &Inputs) -> Result<Outputs, Error> {
        let asked = [
            ("checkpoints", self.checkpoint.is_some()),
            ("answers", self.answering.is_some()),
            ("workers", self.workers.is_some()),
        ];
        if let Some((what, _)) = asked.iter().find(|(_, asked)| *asked) {
            let message = format!("there are no {what} in BGV");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        let (job, mut later) = Job::<BgvSlots>::read(self.program, inputs, &self.control)?;
        let planned = job.plan(false, &self.control)?;
        let (_, first) = job.given.first()?;
        let batches = BgvSlots::batches(first, &later);
        if let Computing::Bgv(key, _) = &self.key.0 {
            ServerKey::check(first, key.parameters(), key.key_id())?;
        }
        let key = self.key.bgv(&job.target)?;
        let engine = BgvSlots::engine(planned.profile(), key, &self.control)?;
        let evaluation = job.evaluation(&planned, engine);
        let mut bytes = encoded(&evaluation.batch(0, &job.given, &self.control)?.outputs)?;
        for number in 1..batches {
            let next = later
                .next()
                .ok_or_else(|| Error::internal("a table lacks batches"))?;
            let next = next.map_err(|error| wrong_inputs(&error))?;
            let given = Given::joined(vec![(INPUTS.to_owned(), next)])?;
            let ran = evaluation.batch(number, &given, &self.control)?;
            bytes.extend(encoded(&ran.outputs)?);
        }
        Outputs::from_bytes(bytes)
    }
}

/// What messages call inputs that are no file.
pub(crate) const INPUTS: &str = "the inputs";

fn wrong_inputs(error: &WireError) -> Error {
    Error::file(Path::new(INPUTS), error)
}

fn encoded<R: Record>(outputs: &R) -> Result<Vec<u8>, Error> {
    let bytes = wire::encode(outputs).map_err(Error::internal)?;
    Ok(bytes.to_vec())
}

/// What is known of a run before there is an engine.
pub(crate) struct Job<'a, A: Adapter> {
    pub(crate) program: &'a Program,
    pub(crate) given: Given<A>,
    pub(crate) task: processor::Task,
    pub(crate) places: Vec<usize>,
    pub(crate) target: Target,
}

impl<'a, A: Adapter> Job<'a, A> {
    fn read(
        program: &'a Program,
        inputs: &Inputs,
        control: &Control,
    ) -> Result<(Self, A::Later), Error> {
        let bytes = inputs.to_bytes().to_vec();
        let length = bytes.len() as u64;
        let source: Source = Box::new(std::io::Cursor::new(bytes));
        let (first, later) = A::read(source, Some(length)).map_err(|error| wrong_inputs(&error))?;
        let given = Given::joined(vec![(INPUTS.to_owned(), first)])?;
        let (placed, places) = program.placed(&given)?;
        let task = A::task(program.program.task(&program.execution, placed)?);
        let job = Self {
            program,
            given,
            task,
            places,
            target: Target::of(control),
        };
        Ok((job, later))
    }

    pub(crate) fn plan(&self, somebody_answers: bool, control: &Control) -> Result<Planned, Error> {
        let program = &self.program.program;
        let planned = A::plan(program, &self.task, &self.given, &self.target, control)?;
        planned.refuse_obstacles::<A>(program, somebody_answers)?;
        if !self.program.default_zero {
            program.refuse_missing(&planned.plan.unset)?;
        }
        planned
            .check_storable()
            .map_err(|error| Error::new(ErrorKind::Input, error.to_string()))?;
        Ok(planned)
    }

    fn evaluation<'e>(&'e self, planned: &'e Planned, engine: A::Engine) -> Evaluation<'e, A> {
        Evaluation {
            program: &self.program.program,
            task: &self.task,
            places: &self.places,
            planned,
            engine,
        }
    }
}
