//! Checkpoints of a run on this machine: where they stand, what they belong to, when they go.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use processor::{Answer, Host, HostError, Question, Start};
use session::evaluator;
use tfhe::{KeyId, LweCiphertext, Parameters};
use wire::{Inputs, Record};

use super::bytes;
use crate::failure::{Code, Failure};

/// The checkpoint of one run.
pub(crate) struct Keeping {
    path: PathBuf,
    run: [u8; 32],
    parameters: Parameters,
    key: KeyId,
    quiet: bool,
    /// Whether there is one that this run wrote or began with.
    kept: bool,
    /// Whether somebody was told that it cannot be written.
    told: bool,
}

/// Where the checkpoint of a run stands: where it was wanted, else beside the outputs, if those are
/// a file.
pub(crate) fn place(wanted: Option<&Path>, out: &Path) -> Option<PathBuf> {
    if let Some(path) = wanted {
        return Some(path.to_path_buf());
    }
    if fs::metadata(out).is_ok_and(|found| !found.is_file()) {
        return None;
    }
    let mut name: OsString = out.into();
    name.push(".checkpoint");
    Some(name.into())
}

impl Keeping {
    /// Checkpoints at `path` of the run that `run` names.
    pub(crate) fn new(path: PathBuf, run: [u8; 32], inputs: &Inputs, quiet: bool) -> Keeping {
        Keeping {
            path,
            run,
            parameters: *inputs.parameters(),
            key: inputs.key_id(),
            quiet,
            kept: false,
            told: false,
        }
    }

    /// The state to go on from, and says which it is.
    pub(crate) fn resume(&mut self) -> Result<Start<LweCiphertext>, Failure> {
        let checkpoint = files::read_checkpoint(&self.path)
            .map_err(|error| Failure::file(&self.path, &error))?;
        let ours = (&self.parameters, self.key);
        wire::match_keys((checkpoint.parameters(), checkpoint.key_id()), ours)
            .map_err(|error| Failure::file(&self.path, &error))?;
        let (state, start) = evaluator::resume(checkpoint, self.run).map_err(|error| {
            Failure::new(Code::Input, format!("{}: {error}", self.path.display()))
        })?;
        self.kept = true;
        if !self.quiet {
            self.say(&format!(
                "going on after {} instructions, with {} ciphertexts",
                state.instructions(),
                state.bits(),
            ));
        }
        Ok(start)
    }

    /// Tells a run from the beginning that it could go on from somewhere: its first checkpoint will
    /// take the place of what is there.
    pub(crate) fn warn(&self) {
        if !self.quiet && fs::metadata(&self.path).is_ok_and(|found| found.is_file()) {
            self.say("a checkpoint is there, which --resume goes on from; beginning anew");
        }
    }

    /// How the names of all attempts at this run begin.
    pub(crate) fn name(&self) -> String {
        let hash = self.run.iter().take(8);
        let digits: String = hash.map(|byte| format!("{byte:02x}")).collect();
        format!("run-{digits}-")
    }

    /// What to do after a run that did not end, as the end of a message.
    pub(crate) fn remedy(&self) -> String {
        match self.kept {
            true => format!(
                "; the same command with --resume goes on from {}",
                self.path.display()
            ),
            false => String::new(),
        }
    }

    /// The outputs are written: nobody goes on from here.
    pub(crate) fn finish(&self) {
        if self.kept {
            // It may be gone by somebody else's hand.
            let _ = fs::remove_file(&self.path);
        }
    }

    fn say(&self, message: &str) {
        let line = format!("blindcore: {}: {message}", self.path.display());
        // A run does not end because nobody reads about it.
        let _ = writeln!(std::io::stderr(), "{line}");
    }

    fn keep(&mut self, checkpoint: &processor::Checkpoint<'_, LweCiphertext>) {
        let record = evaluator::checkpoint(&self.parameters, self.key, self.run, checkpoint);
        let written = record.and_then(|record| Ok(files::replace_checkpoint(&self.path, &record)?));
        match written {
            Ok(_) => self.kept = true,
            // The run's result is worth more than its checkpoint: it goes on.
            Err(error) if !self.told => {
                self.told = true;
                let size = bytes(16_392 * checkpoint.bits.len() as u64);
                self.say(&format!(
                    "{error}; the run goes on without this checkpoint of {size}"
                ));
            }
            Err(_) => {}
        }
    }
}

/// A host that keeps checkpoints, and leaves all else to another.
pub(crate) struct Kept<'a> {
    pub(crate) keeping: Option<&'a mut Keeping>,
    pub(crate) host: &'a mut dyn Host<LweCiphertext>,
}

impl Host<LweCiphertext> for Kept<'_> {
    fn ask(&mut self, question: &Question<LweCiphertext>) -> Result<Answer, HostError> {
        self.host.ask(question)
    }

    fn checkpoint(
        &mut self,
        checkpoint: &processor::Checkpoint<'_, LweCiphertext>,
    ) -> Result<(), HostError> {
        if let Some(keeping) = &mut self.keeping {
            keeping.keep(checkpoint);
        }
        self.host.checkpoint(checkpoint)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        self.host.write(bytes)
    }
}
