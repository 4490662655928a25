//! `blindcore status`, `jobs`, `fetch` and `cancel`.

use files::Existing;
use service::client::ended;
use service::proto::JobStatus;
use tfhe::SeededServerKey;
use wire::{Kind, Outputs};

use super::admin::all_jobs;
use super::results::{Expected, fetch_outputs, fetch_written};
use super::submit::follow;
use super::{check_done, connect, failure, failure_of_job, show};
use crate::arguments::{Cancel, Fetch, Jobs, Status};
use crate::commands::{bytes, print, print_json, read, reserve};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Most jobs in one list.
const LIST_LIMIT: u32 = 1000;

/// A job's id, which is also the name of a file here.
pub(super) fn checked(job: &str) -> Result<&str, Failure> {
    if job.len() == 32 && job.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(job);
    }
    Err(Failure::new(
        Code::Input,
        format!(
            "{job:?} is no job's id, which has 32 hexadecimal digits: `blindcore jobs` lists them"
        ),
    ))
}

/// Says how a job does, or all that have not ended; once, or until it has ended.
pub(crate) fn status(arguments: &Status, interrupt: &Interrupt) -> Result<(), Failure> {
    let Some(job) = &arguments.job else {
        if arguments.watch {
            let message = "--watch follows one job: name it (`blindcore jobs` lists them), or take `blindcore top`";
            return Err(Failure::new(Code::Usage, message));
        }
        let client = connect(&arguments.remote, interrupt, false)?;
        let jobs = client.jobs(true, LIST_LIMIT);
        return list(&jobs.map_err(|error| failure(&error))?, arguments.json);
    };
    let job = checked(job)?;
    let client = connect(&arguments.remote, interrupt, false)?;
    if !arguments.watch {
        let status = client.status(job).map_err(|error| failure(&error))?;
        return match arguments.json {
            true => print_json(&show::document(&status)),
            false => print(&show::text(&status)),
        };
    }
    let status = if arguments.json {
        let mut printed = Ok(());
        let followed = client.follow(job, None, &mut |status| {
            // One line for each, and no more after the reader has gone.
            if printed.is_ok() {
                printed = print(&format!("{}\n", show::document(status)));
            }
        });
        printed?;
        followed.map_err(|error| failure_of_job(job, &error))?
    } else {
        let status = follow(&client, job, None, false)?;
        print(&show::text(&status))?;
        status
    };
    check_done(&status)
}

/// Lists jobs.
pub(crate) fn jobs(arguments: &Jobs, interrupt: &Interrupt) -> Result<(), Failure> {
    let client = connect(&arguments.remote, interrupt, false)?;
    if arguments.all {
        let which = (arguments.unfinished, arguments.limit);
        return all_jobs(&client, which, None, arguments.json);
    }
    let jobs = client.jobs(arguments.unfinished, arguments.limit);
    list(&jobs.map_err(|error| failure(&error))?, arguments.json)
}

fn list(jobs: &[JobStatus], json: bool) -> Result<(), Failure> {
    match json {
        true => print_json(&jobs.iter().map(show::document).collect()),
        false => print(&show::table(jobs)),
    }
}

/// Fetches the outputs of a job that is done.
pub(crate) fn fetch(arguments: &Fetch, interrupt: &Interrupt) -> Result<(), Failure> {
    let job = checked(&arguments.job)?;
    let key: Option<SeededServerKey> = match &arguments.key {
        Some(path) => Some(read(path)?),
        None => None,
    };
    let existing = Existing::ReplaceKind(Kind::OUTPUTS);
    let place = reserve::<Outputs>(&arguments.out, existing, interrupt)?;
    let client = connect(&arguments.remote, interrupt, arguments.quiet)?;
    let mut status = client.status(job).map_err(|error| failure(&error))?;
    if arguments.wait && !ended(&status) {
        status = follow(&client, job, None, arguments.quiet)?;
    }
    check_done(&status)?;
    let expected = key.as_ref().map(|key| Expected {
        parameters: key.parameters(),
        key: key.key_id(),
    });
    let line = fetch_outputs(&client, &status, place, &arguments.out, expected.as_ref())?;
    if let Some(path) = &arguments.written {
        fetch_written(&client, &status, path)?;
    }
    match arguments.quiet {
        true => Ok(()),
        false => print(&format!("{line}\n")),
    }
}

/// Ends jobs, and removes their files if that was asked for.
pub(crate) fn cancel(arguments: &Cancel, interrupt: &Interrupt) -> Result<(), Failure> {
    for job in &arguments.jobs {
        checked(job)?;
    }
    let client = connect(&arguments.remote, interrupt, false)?;
    for job in &arguments.jobs {
        let status = client.cancel(job).map_err(|error| failure(&error))?;
        print(&format!("{job}: {}\n", show::state(&status)))?;
    }
    if arguments.forget {
        let freed = client
            .forget(&arguments.jobs)
            .map_err(|error| failure(&error))?;
        print(&format!(
            "{} are free again on {}\n",
            bytes(freed),
            client.server()
        ))?;
    }
    Ok(())
}
