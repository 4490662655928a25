//! The ledger of a key: what every question cost that was ever decrypted with it, over all jobs, in
//! a file beside it.
//!
//! The journal ([`super::Journal`]) is for people, one for each job. The ledger is what limits are
//! held against: a charge is on the disk before anything is decrypted, so that whatever happens
//! next (an answer, a refusal, a crash) is paid for. It knows
//!
//! - each question by job, number and hash: the same one costs nothing more, another one under an
//!   old number ends the job;
//! - each job that is refused for good;
//! - the bits of each job, and of the key.
//!
//! A line is 32 hexadecimal digits, a space, and JSON:
//!
//! ```text
//! 5b… {"ledger":{"version":1,"key":"c4…"}}
//! 90… {"charge":{"time":"2026-11-22T08:00:00.123Z","job":"6f…","number":0,"question":"c0…","address":"0x00010028","bits":2}}
//! 1e… {"close":{"time":"2026-11-22T08:00:07.004Z","job":"6f…","reason":"question 1 cannot be decrypted"}}
//! ```
//!
//! The digits are the first half of BLAKE3 of the digits before (as 16 bytes, zeros at first) and
//! the JSON. So lines that were changed, taken out or put in show, and the key answers nothing
//! until somebody has looked. What cannot show is a ledger that was removed, cut off at the end of
//! a line, or put back from a copy: it then counts from what is there. A line that a crash cut in
//! two was never answered and is taken away.
//!
//! Several processes may use a ledger: it is locked for as long as a charge takes, and each reads
//! what the others wrote before it decides.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tfhe::KeyId;

use super::journal::{Given, Used, hexadecimal, now, read_address, read_hash};
use super::{Asking, LedgerError};

/// The format that is written and read.
const VERSION: u32 = 1;
/// Longest line that is read back.
const LINE_LIMIT: u64 = 1 << 16;
/// How long to wait for others: a charge takes them milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(5);
/// Digits before a line's JSON.
const DIGITS: usize = 32;

type Check = [u8; DIGITS / 2];

/// What was charged, for one key.
#[derive(Debug, Default)]
pub struct Ledger {
    file: Option<(PathBuf, File)>,
    /// Where what was read ends, with its number of lines and its last check.
    read: u64,
    lines: usize,
    check: Check,
    key: Option<KeyId>,
    jobs: HashMap<String, Account>,
    bits: u64,
}

/// One job's part.
#[derive(Debug, Default)]
pub(super) struct Account {
    pub(super) used: Used,
    /// Why nothing more is answered, if so.
    pub(super) closed: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Entry {
    Ledger {
        version: u32,
        key: String,
    },
    Charge {
        time: String,
        job: String,
        number: u64,
        question: String,
        address: String,
        bits: u64,
    },
    Close {
        time: String,
        job: String,
        reason: String,
    },
}

impl Ledger {
    /// A ledger that is forgotten when it is dropped.
    pub fn in_memory() -> Ledger {
        Ledger::default()
    }

    /// Opens the ledger of a key, or begins one there (mode 0600).
    ///
    /// # Errors
    /// [`LedgerError`]; what is no ledger, is damaged or is another key's is left as it is.
    pub fn open(path: &Path, key: KeyId) -> Result<Ledger, LedgerError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options
            .open(path)
            .map_err(|error| io_error(path, "open", error))?;
        let mut ledger = Ledger {
            file: Some((path.to_path_buf(), file)),
            key: Some(key),
            ..Ledger::default()
        };
        ledger.page()?;
        Ok(ledger)
    }

    /// Bits that all questions to the key have cost, as far as was read last.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// What was charged to a job, as far as was read last.
    pub fn used(&self, job: &str) -> Option<&Used> {
        self.jobs.get(job).map(|account| &account.used)
    }

    /// The ledger as it is now, to oneself until the page is dropped.
    pub(super) fn page(&mut self) -> Result<Page<'_>, LedgerError> {
        self.lock()?;
        // From here on, dropping unlocks.
        let page = Page { ledger: self };
        page.ledger.refresh()?;
        Ok(page)
    }

    fn lock(&self) -> Result<(), LedgerError> {
        let Some((path, file)) = &self.file else {
            return Ok(());
        };
        let begin = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(()),
                Err(TryLockError::WouldBlock) if begin.elapsed() < PATIENCE => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(LedgerError::InUse { path: path.clone() });
                }
                Err(TryLockError::Error(error)) => return Err(io_error(path, "lock", error)),
            }
        }
    }

    /// Reads what other processes wrote, and begins the file if it is empty.
    fn refresh(&mut self) -> Result<(), LedgerError> {
        let Some((path, file)) = &self.file else {
            return Ok(());
        };
        let (path, mut file) = (path.clone(), file);
        let io = |operation| {
            let path = path.as_path();
            move |error| io_error(path, operation, error)
        };
        let found = file.metadata().map_err(io("look at"))?;
        if is_gone(&found) || found.len() < self.read {
            return Err(LedgerError::Gone { path });
        }
        file.seek(SeekFrom::Start(self.read)).map_err(io("read"))?;
        let mut read = Vec::new();
        let mut torn = false;
        let mut whole = self.read;
        let mut reader = BufReader::new(file);
        loop {
            let mut bytes = Vec::new();
            let limited = &mut Read::take(&mut reader, LINE_LIMIT);
            let length = limited.read_until(b'\n', &mut bytes).map_err(io("read"))? as u64;
            if length == 0 {
                break;
            }
            if bytes.pop_if(|last| *last == b'\n').is_none() {
                torn = length < LINE_LIMIT && is_torn(&bytes);
                if torn {
                    break;
                }
            }
            whole += length;
            read.push(bytes);
        }
        drop(reader);
        for bytes in read {
            let damaged = |reason: String| LedgerError::Damaged {
                path: path.clone(),
                line: self.lines + 1,
                reason,
            };
            let (entry, check) = parse(&bytes, &self.check).map_err(damaged)?;
            if let Entry::Ledger { key, .. } = &entry
                && let Some(own) = self.key.filter(|own| own.to_string() != *key)
            {
                return Err(LedgerError::OtherKey {
                    path,
                    expected: own,
                    found: key.clone(),
                });
            }
            let first = self.lines == 0;
            let remembered = self.remember(first, entry);
            remembered.map_err(|reason| LedgerError::Damaged {
                path: path.clone(),
                line: self.lines + 1,
                reason,
            })?;
            self.check = check;
            self.lines += 1;
        }
        self.read = whole;
        if torn && let Some((_, file)) = &self.file {
            file.set_len(whole).map_err(io("shorten"))?;
        }
        if self.lines == 0
            && let Some(key) = self.key
        {
            self.write(Entry::Ledger {
                version: VERSION,
                key: key.to_string(),
            })?;
            // The name must survive a power cut, too; a directory that cannot be synchronised (some
            // network file systems) is no reason to fail.
            let parent = path.parent().filter(|parent| *parent != Path::new(""));
            if let Ok(directory) = File::open(parent.unwrap_or(Path::new("."))) {
                let _ = directory.sync_all();
            }
        }
        Ok(())
    }

    /// Takes in a line; `first` is the one that says whose the ledger is.
    fn remember(&mut self, first: bool, entry: Entry) -> Result<(), String> {
        if first != matches!(entry, Entry::Ledger { .. }) {
            return Err("a ledger begins with its key, and has it once".to_owned());
        }
        match entry {
            Entry::Ledger { version, .. } if version == VERSION => {}
            Entry::Ledger { version, .. } => {
                return Err(format!(
                    "its format {version} is not known: update Blindcore"
                ));
            }
            Entry::Charge {
                job,
                number,
                question,
                address,
                bits,
                ..
            } => {
                let given = Given {
                    question: read_hash(&question).ok_or("its question is no hash")?,
                    address: read_address(&address).ok_or("its address is none")?,
                    answer: None,
                    bits,
                };
                self.jobs.entry(job).or_default().used.give(number, given);
                self.bits = self.bits.saturating_add(bits);
            }
            Entry::Close { job, reason, .. } => {
                let account = self.jobs.entry(job).or_default();
                account.closed.get_or_insert(reason);
            }
        }
        Ok(())
    }

    /// Puts a line on the disk, then into memory.
    fn write(&mut self, entry: Entry) -> Result<(), LedgerError> {
        let Some((path, file)) = &mut self.file else {
            // What was just made reads back.
            let _ = self.remember(matches!(entry, Entry::Ledger { .. }), entry);
            return Ok(());
        };
        let json = serde_json::to_vec(&entry)
            .map_err(|error| io_error(path, "write", io::Error::from(error)))?;
        let check = check(&self.check, &json);
        let digits: String = check.iter().map(|byte| format!("{byte:02x}")).collect();
        let line = [digits.as_bytes(), b" ", &json, b"\n"].concat();
        let written = file.write_all(&line).and_then(|()| file.sync_data());
        if let Err(error) = written {
            // Half a line, or one that may not be on the disk, is none.
            let _ = file.set_len(self.read);
            return Err(io_error(path, "write", error));
        }
        self.read += line.len() as u64;
        let first = self.lines == 0;
        self.lines += 1;
        self.check = check;
        let _ = self.remember(first, entry);
        Ok(())
    }
}

/// A ledger that nobody else changes meanwhile.
#[derive(Debug)]
pub(super) struct Page<'a> {
    ledger: &'a mut Ledger,
}

impl Page<'_> {
    pub(super) fn account(&self, job: &str) -> Option<&Account> {
        self.ledger.jobs.get(job)
    }

    pub(super) fn bits(&self) -> u64 {
        self.ledger.bits
    }

    /// Writes down what a question costs, before it is decrypted.
    pub(super) fn charge(&mut self, asking: &Asking<'_>, bits: u64) -> Result<(), LedgerError> {
        let given = Given {
            question: asking.hash,
            address: asking.address,
            answer: None,
            bits,
        };
        self.adopt(asking.job, asking.number, &given)
    }

    /// Takes over a charge that stands in a journal.
    pub(super) fn adopt(
        &mut self,
        job: &str,
        number: u64,
        given: &Given,
    ) -> Result<(), LedgerError> {
        let question = given.question.iter();
        self.ledger.write(Entry::Charge {
            time: now(),
            job: job.to_owned(),
            number,
            question: question.map(|byte| format!("{byte:02x}")).collect(),
            address: hexadecimal(given.address),
            bits: given.bits,
        })
    }

    /// Writes down that a job gets no more answers.
    pub(super) fn close(&mut self, job: &str, reason: String) -> Result<(), LedgerError> {
        self.ledger.write(Entry::Close {
            time: now(),
            job: job.to_owned(),
            reason,
        })
    }
}

impl Drop for Page<'_> {
    fn drop(&mut self) {
        if let Some((_, file)) = &self.ledger.file {
            // The lock goes with the file at the latest.
            let _ = file.unlock();
        }
    }
}

fn check(before: &Check, json: &[u8]) -> Check {
    let mut hasher = blake3::Hasher::new();
    hasher.update(before).update(json);
    let mut check = Check::default();
    hasher.finalize_xof().fill(&mut check);
    check
}

/// A line without its end, after the line that left this check.
fn parse(line: &[u8], before: &Check) -> Result<(Entry, Check), String> {
    let no_line = || "it is no line of a ledger".to_owned();
    let (digits, rest) = line.split_at_checked(DIGITS).ok_or_else(no_line)?;
    let json = rest.strip_prefix(b" ").ok_or_else(no_line)?;
    let check = check(before, json);
    let expected: String = check.iter().map(|byte| format!("{byte:02x}")).collect();
    if digits != expected.as_bytes() {
        return Err("it, or a line before it, was changed".to_owned());
    }
    let entry = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    Ok((entry, check))
}

/// Whether bytes are a line's beginning, and not a line of which one byte was changed.
fn is_torn(bytes: &[u8]) -> bool {
    let digits = bytes.iter().take(DIGITS).all(u8::is_ascii_hexdigit);
    match bytes.get(DIGITS..) {
        None | Some([]) => digits,
        Some(rest) => {
            let json = rest.strip_prefix(b" ");
            digits
                && json.is_some_and(|json| {
                    serde_json::from_slice::<Entry>(json).is_err_and(|error| error.is_eof())
                })
        }
    }
}

#[cfg(unix)]
fn is_gone(found: &std::fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(found) == 0
}

#[cfg(not(unix))]
fn is_gone(_: &std::fs::Metadata) -> bool {
    false
}

fn io_error(path: &Path, operation: &'static str, error: io::Error) -> LedgerError {
    LedgerError::Io {
        path: path.to_path_buf(),
        operation,
        source: Arc::new(error),
    }
}
