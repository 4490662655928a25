//! `blindcore attend`: answers the questions of a job that was submitted before, from here.

use files::Existing;
use service::client::Submission;
use wire::{Kind, Outputs};

use super::results::fetch_outputs;
use super::submit::follow;
use super::{check_done, connect, refused, show};
use crate::arguments::Attend;
use crate::commands::answering::{
    Respondent, journal_of, key_holder_under, ledger_failure, submission_of,
};
use crate::commands::{load, print, reserve};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Answers until the job has ended.
pub(crate) fn attend(arguments: &Attend, interrupt: &Interrupt) -> Result<(), Failure> {
    let job = super::jobs::checked(&arguments.job)?;
    let submission = Submission::read(&submission_of(job), job).map_err(|error| refused(&error))?;
    let program = load(&arguments.program)?;
    let rules = submission.rules().clone();
    let holder = key_holder_under(
        &arguments.answering,
        program.image(),
        rules,
        arguments.quiet,
    )?;
    let Some(holder) = holder else {
        let message = "to attend to a job is to answer: give --answer-with NAME.secret";
        return Err(Failure::new(Code::Usage, message));
    };
    submission
        .check(program.hash(), holder.key_id())
        .map_err(|error| refused(&error))?;
    let existing = Existing::ReplaceKind(Kind::OUTPUTS);
    let place = match &arguments.out {
        Some(path) => Some((reserve::<Outputs>(path, existing, interrupt)?, path)),
        None => None,
    };
    let client = connect(&arguments.remote, interrupt, arguments.quiet)?;
    let (journal, path) = journal_of(job, arguments.answering.audit.as_deref())?;
    let answerer = holder
        .answering(program.image(), submission.asks(), journal)
        .map_err(|error| ledger_failure(&error))?;
    let status = follow(
        &client,
        job,
        Some((Respondent(answerer), path)),
        arguments.quiet,
    )?;
    check_done(&status)?;
    let line = match place {
        Some((place, path)) => fetch_outputs(&client, &status, place, path, None)?,
        None => format!("job {job} is {}", show::state(&status)),
    };
    match arguments.quiet {
        true => Ok(()),
        false => print(&format!("{line}\n")),
    }
}
