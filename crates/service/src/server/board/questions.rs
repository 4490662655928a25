//! Questions of running jobs, and their answers.
//!
//! A question is stored before it is first sent, and from then on sent from the store, so that it
//! stays the same, byte for byte, even if the run is killed. An answer is stored before the run
//! goes on with it, so that nothing is asked twice.

use std::collections::BTreeSet;
use std::sync::PoisonError;
use std::time::Instant;

use prost::Message;
use tonic::Status;

use super::entry::Pause;
use super::{Board, now, shown, storage};
use crate::proto::{self, ErrorCode};
use crate::server::caller::Caller;
use crate::server::store::{Rest, StoreError};

/// What became of a question.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ask {
    Answered(proto::Answer),
    /// The job is to be set aside.
    Paused(Pause),
    /// The job was told to end.
    Stopped,
}

/// A question that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) job: String,
    pub(crate) number: u64,
}

impl Board {
    /// The stored question of this number.
    pub(crate) fn question(
        &self,
        id: &str,
        number: u64,
    ) -> Result<Option<proto::Question>, StoreError> {
        self.store.question(id, number)
    }

    /// Whether a stored question is known to be open, or answered. The disk may have taken it
    /// although it said that it failed.
    pub(crate) fn is_asked(&self, id: &str, number: u64) -> Result<bool, StoreError> {
        let open = |entry: &super::Entry| entry.record.open_question == Some(number);
        let is_open = self.lock().jobs.get(id).is_some_and(open);
        Ok(is_open || self.store.answer(id, number)?.is_some())
    }

    /// Stores a question and lets those who attend hear it.
    pub(crate) fn ask(&self, question: &proto::Question) -> Result<(), StoreError> {
        let mut state = self.lock();
        if let Some(mut entry) = state.jobs.get_mut(&question.job) {
            let mut record = entry.record.clone();
            record.open_question = Some(question.number);
            record.questions = record.questions.max(question.number + 1);
            record.record_bytes += question.encoded_len() as u64;
            self.store.put_question(&record, question)?;
            entry.record = record;
            self.metrics.count_question();
            tracing::info!(job = %question.job, number = question.number, "job asks");
        }
        drop(state);
        self.announce();
        Ok(())
    }

    /// Waits for the answer to a stored question for as long as a job may hold its place.
    pub(crate) fn await_answer(&self, id: &str, number: u64) -> Result<Ask, StoreError> {
        let deadline = Instant::now() + self.settings.grace;
        let mut state = self.lock();
        loop {
            let Some(entry) = state.jobs.get(id) else {
                return Ok(Ask::Stopped);
            };
            if entry.live.as_ref().is_none_or(|live| live.stop.is_some()) {
                return Ok(Ask::Stopped);
            }
            if entry.record.open_question != Some(number)
                && let Some(answer) = self.store.answer(id, number)?
            {
                return Ok(Ask::Answered(answer));
            }
            if state.draining {
                return Ok(Ask::Paused(Pause::Drained));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Ask::Paused(Pause::Parked));
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Takes an answer. The same answer again is harmless.
    pub(crate) fn answer(&self, caller: &Caller, answer: &proto::Answer) -> Result<(), Status> {
        self.settings.policy.again(caller)?;
        let mut state = self.lock();
        let id = answer.job.as_str();
        let entry = state.own(&caller.id, id)?;
        let number = answer.number;
        let Some(question) = self.store.question(id, number).map_err(storage)? else {
            return Err(Status::not_found(format!(
                "job {} has not asked question {number}",
                shown(id)
            )));
        };
        if let Some(earlier) = self.store.answer(id, number).map_err(storage)? {
            if earlier.answer != answer.answer {
                if entry.record.open_question == Some(number) {
                    // The first was kept by a disk that said that it failed: it counts.
                    let mut record = entry.record.clone();
                    record.open_question = None;
                    if record.rest == Rest::Waiting {
                        record.rest = Rest::Queued;
                    }
                    self.store.put_job(&record).map_err(storage)?;
                    state.jobs.put(record);
                    drop(state);
                    self.announce();
                }
                return Err(Status::already_exists(format!(
                    "question {number} of job {id} has another answer: the first one counts"
                )));
            }
            // One that is open still was taken by a disk that said that it failed.
            if entry.record.open_question != Some(number) {
                return Ok(());
            }
        }
        if entry.record.rest.is_end() {
            return Err(Status::failed_precondition(format!(
                "job {id} has ended: nothing is to be answered"
            )));
        }
        check(&question, answer)?;
        let mut record = entry.record.clone();
        record.open_question = None;
        record.record_bytes += answer.encoded_len() as u64;
        let refused = match &answer.answer {
            Some(proto::answer::Answer::Refused(reason)) => Some(printable(reason)),
            _ => None,
        };
        if record.rest == Rest::Waiting {
            record.rest = Rest::Queued;
            if let Some(reason) = &refused {
                record.rest = Rest::Failed;
                record.error = Some(refusal(number, reason));
                record.ended_at = now();
            }
        }
        self.store.put_answer(&record, answer).map_err(storage)?;
        let ended = record.rest.is_end();
        state.jobs.put(record);
        if ended {
            self.metrics.ended(Rest::Failed);
        }
        self.metrics.answered();
        tracing::info!(job = %id, number, refused = refused.is_some(), "answer stored");
        drop(state);
        self.announce();
        Ok(())
    }

    /// Questions without an answer, of these jobs or of all of a client's.
    pub(crate) fn open_questions(&self, caller: &Caller, jobs: &BTreeSet<String>) -> Vec<Asked> {
        let state = self.lock();
        let mine = state.jobs.open_of(&caller.id).map(|entry| &entry.record);
        let attended = mine.filter(|job| jobs.is_empty() || jobs.contains(&job.id));
        attended
            .filter_map(|job| {
                Some(Asked {
                    job: job.id.clone(),
                    number: job.open_question?,
                })
            })
            .collect()
    }
}

/// The error of a job whose client does not answer.
pub(crate) fn refusal(number: u64, reason: &str) -> (i32, String) {
    let message = format!(
        "the client refused to answer question {number}: {}",
        printable(reason)
    );
    (ErrorCode::Refused as i32, message)
}

/// A client's words in a line of ours.
fn printable(text: &str) -> String {
    let plain = text.chars().filter(|letter| !letter.is_control());
    plain.take(500).collect()
}

/// Whether an answer is one to this question.
fn check(question: &proto::Question, answer: &proto::Answer) -> Result<(), Status> {
    use proto::answer::Answer;
    use proto::question::Asked;
    let place = format!("question {} of job {}", question.number, question.job);
    if answer.blake3 != question.blake3 {
        return Err(Status::invalid_argument(format!(
            "the answer is to another question than {place}: its hash differs"
        )));
    }
    let wanted = match (&question.asked, &answer.answer) {
        (_, Some(Answer::Refused(_)))
        | (Some(Asked::Condition(_)), Some(Answer::Holds(_)))
        | (Some(Asked::Operands(_) | Asked::Target(_)), Some(Answer::Next(_))) => return Ok(()),
        (Some(Asked::Condition(_)), _) => "whether the condition holds",
        _ => "the address of the next instruction",
    };
    Err(Status::invalid_argument(format!(
        "{place} is answered by {wanted}"
    )))
}
