//! The record of what was asked and answered: an audit log for people, and the memory by which a
//! repeated question costs nothing.
//!
//! A journal is a file of JSON lines, one for each question that came, in their order:
//!
//! ```json
//! {"time":"2026-11-22T08:00:00.123Z","job":"6f…","number":0,"address":"0x00010028","site":"gcd+0x1c","source":"gcd.c:7","asked":"condition","condition":"ne","question":"c0…","bits":2,"answer":true}
//! ```
//!
//! `answer` is `true` or `false` for a condition and an address for a next instruction; a refused
//! question has `refused` instead, with the reason. `bits` is what the question cost: 0 if it stood
//! in the journal before, or was refused before anything was decrypted. A line is on the disk
//! before [`Journal::record`] returns, and so before the answer leaves; a crash in between makes
//! the question come again, and it gets the same answer. A line that a crash cut in two was not
//! answered, and is taken away when the journal is opened again. What limits are held against is
//! the key's ledger ([`super::Ledger`]), which is written before anything is decrypted.
//!
//! One process at a time uses a journal: two would count apart.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use processor::{Answer, Asked, Operands, Place};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::sites::site_of;
use super::{Asking, JournalError};

/// Longest line that is read back: names in programs can be long, but not so long.
const LINE_LIMIT: u64 = 1 << 20;
/// How every line begins.
const BEGINNING: &[u8] = b"{\"time\":";

/// A journal, kept in a file or in memory only.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<(PathBuf, File)>,
    jobs: HashMap<String, Used>,
}

/// What was answered to one job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Used {
    given: HashMap<u64, Given>,
    bits: u64,
}

/// A question that was paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) question: [u8; 32],
    pub(super) address: u32,
    /// `None` for a refusal that reveals something about the secrets, and so counts as an answer.
    pub(super) answer: Option<Answer>,
    pub(super) bits: u64,
}

impl Used {
    /// Bits revealed so far.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Different questions answered so far at these addresses.
    pub fn answers(&self, addresses: &Range<u32>) -> u64 {
        let given = self.given.values();
        given
            .filter(|given| addresses.contains(&given.address))
            .count() as u64
    }

    /// The question of this number.
    pub(super) fn given(&self, number: u64) -> Option<&Given> {
        self.given.get(&number)
    }

    /// All questions, with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (u64, &Given)> {
        self.given.iter().map(|(number, given)| (*number, given))
    }

    /// Adds what a question cost. Of one number the first question stays.
    pub(super) fn give(&mut self, number: u64, given: Given) {
        self.bits = self.bits.saturating_add(given.bits);
        self.given.entry(number).or_insert(given);
    }
}

/// A line, with the fields in the order in which people read them.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    time: String,
    job: String,
    number: u64,
    address: String,
    site: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    asked: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    question: String,
    bits: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

impl Journal {
    /// A journal that is forgotten when it is dropped.
    pub fn in_memory() -> Journal {
        Journal::default()
    }

    /// Opens the journal in a file, or begins one there (mode 0600).
    ///
    /// # Errors
    /// [`JournalError`]; a file that is no journal is left as it is.
    pub fn open(path: &Path) -> Result<Journal, JournalError> {
        let io = |operation| move |error| io_error(path, operation, error);
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(io("open"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::InUse {
                    path: path.to_path_buf(),
                });
            }
            Err(TryLockError::Error(error)) => return Err(io("lock")(error)),
        }
        let mut journal = Journal::default();
        let mut whole = 0;
        let mut reader = BufReader::new(&mut file);
        for number in 1.. {
            let mut bytes = Vec::new();
            let limited = &mut io::Read::take(&mut reader, LINE_LIMIT);
            let length = limited.read_until(b'\n', &mut bytes).map_err(io("read"))?;
            if length == 0 {
                break;
            }
            let foreign = |reason: String| JournalError::Foreign {
                path: path.to_path_buf(),
                line: number,
                reason,
            };
            if bytes.last() != Some(&b'\n') {
                let torn = bytes.starts_with(BEGINNING) || BEGINNING.starts_with(&bytes);
                if !torn || length as u64 == LINE_LIMIT {
                    return Err(foreign(
                        "it does not end, and does not begin like one".to_owned(),
                    ));
                }
                break;
            }
            let line = serde_json::from_slice(&bytes).map_err(|e| foreign(e.to_string()))?;
            journal.remember(line).map_err(foreign)?;
            whole += length as u64;
        }
        if file.metadata().map_err(io("look at"))?.len() > whole {
            file.set_len(whole).map_err(io("shorten"))?;
        }
        file.seek(SeekFrom::End(0)).map_err(io("read"))?;
        journal.file = Some((path.to_path_buf(), file));
        Ok(journal)
    }

    /// What was answered to a job; `None` if nothing was.
    pub fn used(&self, job: &str) -> Option<&Used> {
        self.jobs.get(job)
    }

    /// The last, by their names, of the jobs that something was answered to and whose names begin
    /// so.
    pub fn last(&self, beginning: &str) -> Option<&str> {
        let jobs = self.jobs.keys().map(String::as_str);
        jobs.filter(|job| job.starts_with(beginning)).max()
    }

    pub(super) fn given(&self, job: &str, number: u64) -> Option<&Given> {
        self.jobs.get(job)?.given(number)
    }

    /// Writes down what became of a question, and how many bits that revealed.
    ///
    /// # Errors
    /// [`JournalError::Io`]: then the answer must not leave.
    pub(super) fn record(
        &mut self,
        asking: &Asking<'_>,
        place: &Place,
        outcome: Result<Answer, &str>,
        bits: u64,
    ) -> Result<(), JournalError> {
        let (asked, condition) = match asking.asked {
            Asked::Condition(condition) => ("condition", Some(condition)),
            Asked::Operands { condition, of, .. } => match of {
                Operands::Sum => ("sum", Some(condition)),
                Operands::Flags => ("flags", Some(condition)),
            },
            Asked::Target => ("target", None),
        };
        let line = Line {
            time: now(),
            job: asking.job.to_owned(),
            number: asking.number,
            address: hexadecimal(asking.address),
            site: site_of(place).to_string(),
            source: place
                .line
                .as_ref()
                .map(|(file, line)| format!("{file}:{line}")),
            asked: asked.to_owned(),
            condition: condition.map(|condition| condition.to_string()),
            question: asking
                .hash
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
            bits,
            answer: outcome.ok().map(|answer| match answer {
                Answer::Holds(holds) => Value::Bool(holds),
                Answer::Next(address) => Value::String(hexadecimal(address)),
            }),
            refused: outcome.err().map(str::to_owned),
        };
        if let Some((path, file)) = &mut self.file {
            let written =
                serde_json::to_vec(&line)
                    .map_err(io::Error::from)
                    .and_then(|mut bytes| {
                        bytes.push(b'\n');
                        file.write_all(&bytes)?;
                        file.sync_data()
                    });
            written.map_err(|error| io_error(path, "write", error))?;
        }
        // What was just made reads back.
        let _ = self.remember(line);
        Ok(())
    }

    fn remember(&mut self, line: Line) -> Result<(), String> {
        let answer = match &line.answer {
            None if line.bits == 0 => return Ok(()),
            None => None,
            Some(Value::Bool(holds)) => Some(Answer::Holds(*holds)),
            Some(Value::String(address)) => {
                let address = read_address(address);
                Some(Answer::Next(address.ok_or("its answer is no address")?))
            }
            Some(_) => return Err("its answer is neither true, false nor an address".to_owned()),
        };
        let given = Given {
            question: read_hash(&line.question).ok_or("its question is no hash")?,
            address: read_address(&line.address).ok_or("its address is none")?,
            answer,
            bits: line.bits,
        };
        let used = self.jobs.entry(line.job).or_default();
        used.give(line.number, given);
        Ok(())
    }
}

fn io_error(path: &Path, operation: &'static str, error: io::Error) -> JournalError {
    JournalError::Io {
        path: path.to_path_buf(),
        operation,
        source: Arc::new(error),
    }
}

/// The time as logs have it.
pub(super) fn now() -> String {
    let now = OffsetDateTime::now_utc().format(&Rfc3339);
    now.unwrap_or_default()
}

pub(super) fn hexadecimal(address: u32) -> String {
    format!("{address:#010x}")
}

pub(super) fn read_address(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

pub(super) fn read_hash(text: &str) -> Option<[u8; 32]> {
    let mut hash = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(hash)
}
