//! `blindcore admin`: jobs and quotas of all clients, draining, revoking, reloading.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use service::client::{Certificate, Client};
use service::proto::{
    ClientAccount, ClientJob, DrainOrder, DrainReply, RevokedCertificate, Shares,
};
use service::tls::fingerprint;

use super::jobs::checked;
use super::show::{self, printable};
use super::{connect, failure};
use crate::arguments::{Admin, AdminCancel, AdminDrain, AdminQuota, AdminRevoke, Remote};
use crate::commands::{bytes, print, print_json};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// How often it is looked whether jobs still run.
const PERIOD: Duration = Duration::from_millis(200);

/// Does what an administrator wants.
pub(crate) fn admin(asked: &Admin, interrupt: &Interrupt) -> Result<(), Failure> {
    match asked {
        Admin::Jobs(arguments) => all_jobs(
            &connect(&arguments.remote, interrupt, false)?,
            (arguments.unfinished, arguments.limit),
            arguments.client.as_deref(),
            arguments.json,
        ),
        Admin::Cancel(arguments) => cancel(arguments, interrupt),
        Admin::Quota(arguments) => quota(arguments, interrupt),
        Admin::Drain(arguments) => drain(arguments, interrupt),
        Admin::Revoke(arguments) => revoke(arguments, interrupt),
        Admin::Reload(arguments) => reload(&arguments.remote, interrupt),
    }
}

/// Lists the jobs of all clients, or of one: those that have not ended, or all; so many.
pub(super) fn all_jobs(
    client: &Client,
    (unfinished, limit): (bool, u32),
    of: Option<&str>,
    as_json: bool,
) -> Result<(), Failure> {
    let jobs = client.all_jobs(unfinished, limit, of);
    let jobs = jobs.map_err(|error| failure(&error))?;
    if as_json {
        return print_json(&jobs.iter().map(job_document).collect());
    }
    let rows = jobs.iter().map(|job| {
        let status = job.status.clone().unwrap_or_default();
        [
            printable(&job.client),
            printable(&status.id),
            printable(&status.name),
            show::state(&status).to_owned(),
            show::progress(&status),
        ]
    });
    let titles = ["CLIENT", "JOB", "NAME", "STATE", "PROGRESS"];
    print(&show::columns(titles, rows))
}

/// A job with whose it is.
fn job_document(job: &ClientJob) -> Value {
    let mut shown = show::document(&job.status.clone().unwrap_or_default());
    shown["client"] = job.client.as_str().into();
    shown["client_id"] = job.client_id.as_str().into();
    shown
}

fn cancel(arguments: &AdminCancel, interrupt: &Interrupt) -> Result<(), Failure> {
    for job in &arguments.jobs {
        checked(job)?;
    }
    let client = connect(&arguments.remote, interrupt, false)?;
    let mut ended = Vec::new();
    for job in &arguments.jobs {
        let cancelled = client.cancel_any(job).map_err(|error| failure(&error))?;
        if !arguments.json {
            let state = show::state(&cancelled.status.clone().unwrap_or_default());
            print(&format!(
                "{job} of {}: {state}\n",
                printable(&cancelled.client)
            ))?;
        }
        ended.push(job_document(&cancelled));
    }
    match arguments.json {
        true => print_json(&ended.into()),
        false => Ok(()),
    }
}

fn quota(arguments: &AdminQuota, interrupt: &Interrupt) -> Result<(), Failure> {
    let client = connect(&arguments.remote, interrupt, false)?;
    let accounts = client.quotas(arguments.client.as_deref());
    let accounts = accounts.map_err(|error| failure(&error))?;
    if arguments.json {
        return print_json(&accounts.iter().map(account).collect());
    }
    let rows = accounts.iter().map(|account| {
        let name = match account.name.as_str() {
            "" => "?".to_owned(),
            name => printable(name),
        };
        let role = match (account.refused, account.admin) {
            (true, _) => "refused",
            (_, true) => "admin",
            _ => "",
        };
        let used = account.used.unwrap_or_default();
        let limit = account.limit.unwrap_or_default();
        [
            name,
            printable(&account.id).chars().take(16).collect(),
            part(bytes(used.bytes), limit.bytes, bytes),
            part(used.jobs.to_string(), limit.jobs, |n| n.to_string()),
            part(used.bootstraps.to_string(), limit.bootstraps, |n| {
                n.to_string()
            }),
            part(bytes(used.memory), limit.memory, bytes),
            role.to_owned(),
        ]
    });
    let titles = [
        "CLIENT",
        "CERTIFICATE",
        "STORED",
        "JOBS",
        "BOOTSTRAPS",
        "LARGEST JOB",
        "",
    ];
    print(&show::columns(titles, rows))
}

/// What is used, and of how much if that is bounded.
fn part(used: String, limit: u64, shown: impl Fn(u64) -> String) -> String {
    match limit {
        0 => used,
        limit => format!("{used} of {}", shown(limit)),
    }
}

fn account(account: &ClientAccount) -> Value {
    let shares = |shares: Option<Shares>, bounds: bool| {
        let shares = shares.unwrap_or_default();
        // No limit is none, and not nothing.
        let number = |number: u64| match (number, bounds) {
            (0, true) => Value::Null,
            (number, _) => number.into(),
        };
        json!({
            "bytes": number(shares.bytes),
            "jobs": number(shares.jobs),
            "bootstraps": number(shares.bootstraps),
            "memory_bytes": number(shares.memory),
        })
    };
    json!({
        "client": account.name,
        "client_id": account.id,
        "admin": account.admin,
        "refused": account.refused,
        "used": shares(account.used, false),
        "limit": shares(account.limit, true),
    })
}

fn drain(arguments: &AdminDrain, interrupt: &Interrupt) -> Result<(), Failure> {
    let client = connect(&arguments.remote, interrupt, false)?;
    let order = match (arguments.undo, arguments.stop) {
        (true, _) => DrainOrder::Undo,
        (_, true) => DrainOrder::Stop,
        _ => DrainOrder::Drain,
    };
    let ask = |order| client.drain(order).map_err(|error| failure(&error));
    let mut reply = ask(order)?;
    while arguments.wait && reply.draining && reply.running > 0 {
        thread::sleep(PERIOD);
        if interrupt.check().is_err() {
            let message =
                "interrupted: the server stays drained, `blindcore admin drain --undo` ends that";
            return Err(Failure::new(Code::Interrupted, message));
        }
        reply = ask(DrainOrder::None)?;
    }
    if arguments.wait && !reply.draining {
        let message = "the server takes jobs again: somebody took the drain back, or started the server \
                       anew: drain it again";
        return Err(Failure::new(Code::Server, message));
    }
    let DrainReply {
        draining,
        running,
        queued,
    } = reply;
    if arguments.json {
        return print_json(&json!({
            "draining": draining,
            "stopping": arguments.stop,
            "running": running,
            "queued": queued,
        }));
    }
    let does = match order {
        DrainOrder::Stop => "stops",
        _ if draining => "takes no more jobs",
        _ => "takes jobs",
    };
    let server = client.server();
    print(&format!(
        "{server} {does}: {running} running, {queued} queued\n"
    ))
}

fn revoke(arguments: &AdminRevoke, interrupt: &Interrupt) -> Result<(), Failure> {
    let Some(certificate) = &arguments.certificate else {
        let client = connect(&arguments.remote, interrupt, false)?;
        let list = client.revoked().map_err(|error| failure(&error))?;
        if arguments.json {
            return print_json(&list.iter().map(document).collect());
        }
        let rows = list.iter().map(|it| {
            [
                printable(&it.sha256),
                printable(&it.name),
                day(it.at),
                printable(&it.by),
            ]
        });
        return print(&show::columns(["CERTIFICATE", "NAME", "SINCE", "BY"], rows));
    };
    let which = named(certificate)?;
    let client = connect(&arguments.remote, interrupt, false)?;
    let (certificate, cancelled) = match arguments.undo {
        true => (client.restore(&which).map_err(|error| failure(&error))?, 0),
        false => {
            let reply = client.revoke(&which, arguments.keep_jobs);
            let reply = reply.map_err(|error| failure(&error))?;
            (reply.certificate.unwrap_or_default(), reply.cancelled)
        }
    };
    if arguments.json {
        let mut shown = document(&certificate);
        shown["revoked"] = (!arguments.undo).into();
        shown["cancelled"] = cancelled.into();
        return print_json(&shown);
    }
    let name = match certificate.name.as_str() {
        "" => String::new(),
        name => format!(" ({})", printable(name)),
    };
    let done = match (arguments.undo, arguments.keep_jobs) {
        (true, _) => "not revoked any more".to_owned(),
        (_, true) => "revoked; its jobs go on".to_owned(),
        _ => format!("revoked; {cancelled} of its jobs cancelled"),
    };
    print(&format!(
        "{}{name}: {done}\n",
        printable(&certificate.sha256)
    ))
}

/// Which certificate is meant. What lies in a directory does not decide about that.
fn named(certificate: &Path) -> Result<Certificate, Failure> {
    let text = certificate.to_string_lossy();
    let digits = text.replace(':', "");
    if digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Ok(Certificate::Sha256(digits));
    }
    let is_file = ["/", "\\"].iter().any(|separator| text.contains(separator))
        || [".pem", ".crt"].iter().any(|ending| text.ends_with(ending));
    if !is_file {
        return Ok(Certificate::Name(text.into_owned()));
    }
    let pem = fs::read(certificate).map_err(|error| Failure::io(certificate, "read", &error))?;
    let sha256 = fingerprint(&pem).map_err(|reason| {
        let shown = certificate.display();
        let message = format!("{shown}: {reason}: name the certificate's file, such as cert.pem");
        Failure::new(Code::File, message)
    })?;
    Ok(Certificate::Sha256(sha256))
}

fn document(certificate: &RevokedCertificate) -> Value {
    json!({
        "certificate": certificate.sha256,
        "client": certificate.name,
        "at": certificate.at,
        "by": certificate.by,
    })
}

/// The day of a moment in milliseconds since 1970.
fn day(milliseconds: u64) -> String {
    let seconds = i64::try_from(milliseconds / 1000).unwrap_or(i64::MAX);
    let moment = time::OffsetDateTime::from_unix_timestamp(seconds);
    moment.map_or_else(|_| "?".to_owned(), |moment| moment.date().to_string())
}

fn reload(remote: &Remote, interrupt: &Interrupt) -> Result<(), Failure> {
    let client = connect(remote, interrupt, false)?;
    let later = client.reload().map_err(|error| failure(&error))?;
    let server = client.server();
    let mut text = format!("{server} has read its configuration and certificates anew\n");
    for what in later {
        text.push_str(&format!("{}\n", printable(&what)));
    }
    print(&text)
}
