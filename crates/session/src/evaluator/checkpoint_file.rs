//! Checkpoints of a run on this machine: where they stand, what they belong to, when they go.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use processor::{Answer, Host, HostError, Part, Question, Start};
use tfhe::{KeyId, LweCiphertext, Parameters};
use wire::{Inputs, Record};

use super::{EvaluationError, part_file};
use crate::error::{Error, ErrorKind};

/// The checkpoint of one run.
///
/// ```
/// # use std::path::Path;
/// # use blindcore_session::evaluator::{self, Evaluation, Given, Target};
/// # use blindcore_session::owner::{self, Encryptor, Settings};
/// # use blindcore_session::program::{Execution, Row};
/// # use blindcore_session::schemes::{Adapter, tfhe::Tfhe, tfhe::expand};
/// # use blindcore_session::{Control, Program};
/// # use processor::{Branches, Otherwise, Start};
/// use std::rc::Rc;
/// use std::cell::RefCell;
///
/// use blindcore_session::evaluator::{CheckpointFile, Checkpointing, lock_checkpoints};
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-session-checkpoint-{}", std::process::id()));
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
/// // Which run it is: this program on these inputs.
/// let hash = evaluator::inputs_hash(&file);
/// let run = evaluator::run_hash(program.hash(), hash, &task, &places);
/// let messages: Rc<RefCell<Vec<String>>> = Rc::default();
/// let open = || {
///     let messages = Rc::clone(&messages);
///     let report = Box::new(move |text: &str| messages.borrow_mut().push(text.to_owned()));
///     Ok::<_, blindcore_session::Error>(CheckpointFile::new(folder.join("checkpoint"), run, given.first()?.1, report))
/// };
///
/// // One run at a time keeps checkpoints there.
/// let lock = lock_checkpoints(&folder.join("checkpoint"))?;
/// assert!(lock_checkpoints(&folder.join("checkpoint")).is_err());
///
/// // Nobody answers what this program asks, so that its run ends before its end.
/// let mut checkpoint = open()?;
/// let mut host = Checkpointing { file: Some(&mut checkpoint), host: &mut processor::Nobody };
/// let start = Start::Fresh(evaluation.secrets(&given)?);
/// assert!(evaluation.run(0, &given, start, &mut host, &control).is_err());
/// assert!(checkpoint.remedy().contains("--resume"));
///
/// // The next attempt goes on from there. Its name begins as that of every other.
/// let mut again = open()?;
/// assert_eq!(again.name(), checkpoint.name());
/// again.warn();
/// assert!(matches!(again.resume()?, Start::Resumed { .. }));
/// assert_eq!(messages.borrow().len(), 2);
/// assert_ne!(evaluator::attempt(), evaluator::attempt());
/// again.finish();
/// assert!(!folder.join("checkpoint").exists());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CheckpointFile {
    path: PathBuf,
    run: [u8; 32],
    parameters: Parameters,
    key: KeyId,
    report: Box<dyn Fn(&str)>,
    /// Whether there is one that this run wrote or began with.
    kept: bool,
    /// Whether an error of writing it was reported: one report is enough.
    reported: bool,
    /// How often parts of windows are kept.
    every: Option<Duration>,
    /// What was evaluated before of the window that this run begins with.
    begun: Option<Part<LweCiphertext>>,
}

impl CheckpointFile {
    /// Checkpoints at `path` of the run that `run` names; `report` is called with messages for the
    /// user.
    pub fn new(
        path: PathBuf,
        run: [u8; 32],
        inputs: &Inputs,
        report: Box<dyn Fn(&str)>,
    ) -> CheckpointFile {
        CheckpointFile {
            path,
            run,
            parameters: *inputs.parameters(),
            key: inputs.key_id(),
            report,
            kept: false,
            reported: false,
            every: None,
            begun: None,
        }
    }

    /// Keeps parts of windows as well, so often, in a file beside it; and one of the window in
    /// which the run is cancelled.
    #[must_use]
    pub fn with_parts(self, every: Duration) -> Self {
        Self {
            every: Some(every),
            ..self
        }
    }

    /// The file of parts.
    fn part_path(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".part");
        name.into()
    }

    /// Whether anything is there to go on from, of whichever run.
    #[must_use]
    pub fn is_there(&self) -> bool {
        self.path.exists() || self.every.is_some() && self.part_path().exists()
    }

    /// Where to go on from, and says where that is: at the state, or, where a run ended within its
    /// first window, `None` for its beginning.
    ///
    /// # Errors
    /// Those of [`resume`](Self::resume).
    pub fn resume_at(&mut self) -> Result<Option<Start<LweCiphertext>>, Error> {
        self.begun = self.read_part();
        if self.begun.is_some() && !self.path.exists() {
            self.kept = true;
            return Ok(None);
        }
        self.resume().map(Some)
    }

    /// What is kept of a window. What cannot be used costs no more than its own work again.
    fn read_part(&self) -> Option<Part<LweCiphertext>> {
        let path = self.part_path();
        if self.every.is_none() || !path.exists() {
            return None;
        }
        let found = files::read_checkpoint(&path).ok()?;
        wire::match_keys(
            (found.parameters(), found.key_id()),
            (&self.parameters, self.key),
        )
        .ok()?;
        part_file::part(found, self.run)
    }

    fn keep_part(&mut self, part: Part<LweCiphertext>) {
        let path = self.part_path();
        let record = part_file::checkpoint(&self.parameters, self.key, self.run, part);
        let written = record.and_then(|record| Ok(files::replace_checkpoint(&path, &record)?));
        match written {
            Ok(_) => self.kept = true,
            Err(error) if !self.reported => {
                self.reported = true;
                self.say(&format!("{error}; the run goes on without"));
            }
            Err(_) => {}
        }
    }

    /// The part of a window of that name, for going on with it.
    fn begun(&mut self, window: &[u8; 32]) -> Option<Part<LweCiphertext>> {
        let part = self.begun.take()?;
        if part.window != *window {
            self.say(
                "what was computed of the next window was for other --threads, --window, \
                 architectures or selectors; it is computed again",
            );
            return None;
        }
        let done = part.evaluated.iter().filter(|done| **done).count();
        let all = part.evaluated.len();
        self.say(&format!(
            "going on within a window, after {done} of its {all} operations"
        ));
        Some(part)
    }

    fn remove_part(&self) {
        if self.every.is_some() {
            // There may be none.
            let _ = fs::remove_file(self.part_path());
        }
    }

    /// The state to go on from, and says which it is.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn resume(&mut self) -> Result<Start<LweCiphertext>, Error> {
        let checkpoint = self.read()?;
        let (state, start) =
            super::resume(checkpoint, self.run).map_err(|error| self.unusable(&error))?;
        self.kept = true;
        self.say(&format!(
            "going on after {} instructions, with {} ciphertexts",
            state.instructions(),
            state.bits(),
        ));
        Ok(start)
    }

    fn unusable(&self, error: &EvaluationError) -> Error {
        Error::new(
            ErrorKind::Input,
            format!("{}: {error}", self.path.display()),
        )
    }

    /// What stands there, for whoever goes on from it elsewhere.
    ///
    /// # Errors
    /// Those of reading a file; [`ErrorKind::Key`], [`ErrorKind::Input`] for another run's.
    pub fn read(&mut self) -> Result<wire::Checkpoint, Error> {
        let checkpoint =
            files::read_checkpoint(&self.path).map_err(|error| Error::file(&self.path, &error))?;
        let ours = (&self.parameters, self.key);
        wire::match_keys((checkpoint.parameters(), checkpoint.key_id()), ours)
            .map_err(|error| Error::file(&self.path, &error))?;
        if *checkpoint.run() != self.run {
            return Err(self.unusable(&EvaluationError::OtherRun));
        }
        self.kept = true;
        Ok(checkpoint)
    }

    /// A checkpoint that somebody else made takes the place of what stands there.
    pub fn replace(&mut self, checkpoint: &wire::Checkpoint) {
        let written = files::replace_checkpoint(&self.path, checkpoint);
        self.has_kept(
            written.map(drop).map_err(Into::into),
            checkpoint.bits().len(),
        );
    }

    /// Tells a run from the beginning that it could go on from somewhere: its first checkpoint will
    /// take the place of what is there.
    pub fn warn(&self) {
        if self.is_there() {
            self.say("a checkpoint is there, which --resume goes on from; beginning anew");
        }
    }

    /// How the names of all attempts at this run begin.
    pub fn name(&self) -> String {
        let hash = self.run.iter().take(8);
        let digits: String = hash.map(|byte| format!("{byte:02x}")).collect();
        format!("run-{digits}-")
    }

    /// What to do after a run that did not end, as the end of a message.
    pub fn remedy(&self) -> String {
        match self.kept {
            true => format!(
                "; the same command with --resume goes on from {}",
                self.path.display()
            ),
            false => String::new(),
        }
    }

    /// The outputs are written: nobody goes on from here.
    pub fn finish(&self) {
        if self.kept {
            // It may be gone by somebody else's hand.
            let _ = fs::remove_file(&self.path);
            self.remove_part();
        }
    }

    fn say(&self, message: &str) {
        (self.report)(&format!("{}: {message}", self.path.display()));
    }

    fn keep(&mut self, checkpoint: &processor::Checkpoint<'_, LweCiphertext>) {
        let record = super::checkpoint(&self.parameters, self.key, self.run, checkpoint);
        let written = record.and_then(|record| Ok(files::replace_checkpoint(&self.path, &record)?));
        self.has_kept(written.map(drop), checkpoint.bits.len());
    }

    fn has_kept(&mut self, written: Result<(), EvaluationError>, bits: usize) {
        match written {
            Ok(()) => {
                self.kept = true;
                // What was kept before is of a window that is done.
                self.remove_part();
            }
            // The run's result is worth more than its checkpoint: it goes on.
            Err(error) if !self.reported => {
                self.reported = true;
                let size = values::bytes_in_words(16_392 * bits as u64);
                self.say(&format!(
                    "{error}; the run goes on without this checkpoint of {size}"
                ));
            }
            Err(_) => {}
        }
    }
}

/// Keeps other runs from the checkpoints at `path` until it is dropped, or this process ends in
/// whatever way. `None` where the system has no locks there, or nothing can be written.
///
/// # Errors
/// [`ErrorKind::Io`] if another run keeps its checkpoints there: each would replace those of the
/// other, and neither could go on.
pub fn lock_checkpoints(path: &Path) -> Result<Option<files::Lock>, Error> {
    match files::Lock::beside(path) {
        Ok(Some(lock)) => Ok(Some(lock)),
        // What comes of it is said when a checkpoint cannot be written.
        Err(_) => Ok(None),
        Ok(None) => Err(Error::new(
            ErrorKind::Io,
            format!(
                "{}: another run keeps its checkpoints there: wait for it or end it, or name another \
                 file for this one's (--checkpoint)",
                path.display()
            ),
        )),
    }
}

/// A host that keeps checkpoints, and leaves all else to another.
pub struct Checkpointing<'a> {
    /// The file, if there is one.
    pub file: Option<&'a mut CheckpointFile>,
    /// The other.
    pub host: &'a mut dyn Host<LweCiphertext>,
}

impl Host<LweCiphertext> for Checkpointing<'_> {
    fn ask(&mut self, question: &Question<LweCiphertext>) -> Result<Answer, HostError> {
        self.host.ask(question)
    }

    fn checkpoint(
        &mut self,
        checkpoint: &processor::Checkpoint<'_, LweCiphertext>,
    ) -> Result<(), HostError> {
        if let Some(file) = &mut self.file {
            file.keep(checkpoint);
        }
        self.host.checkpoint(checkpoint)
    }

    fn parts_every(&self) -> Option<Duration> {
        self.file.as_ref()?.every
    }

    fn begun(&mut self, window: &[u8; 32]) -> Option<Part<LweCiphertext>> {
        self.file.as_mut()?.begun(window)
    }

    fn part(&mut self, part: Part<LweCiphertext>) {
        if let Some(file) = &mut self.file {
            file.keep_part(part);
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        self.host.write(bytes)
    }
}
