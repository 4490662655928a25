//! `blindcore top`: a server and this client's jobs on it, looked at again and again.
//!
//! On a terminal each picture replaces the last one; elsewhere they follow each other, so that a
//! log of them can be kept.

use std::io::IsTerminal;
use std::thread;
use std::time::{Duration, Instant};

use service::client::{Client, ended};
use service::proto::JobState;

use super::{connect, failure, show};
use crate::arguments::Top;
use crate::commands::{bytes, print};
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Jobs in one picture, the newest.
const ROWS: u32 = 40;
/// How often it is looked whether the command was asked to stop.
const STOP_PERIOD: Duration = Duration::from_millis(50);
/// Home, and everything from there on removed.
const CLEAR: &str = "\x1b[H\x1b[J";

/// Shows until Ctrl-C, which is how this command ends well.
pub(crate) fn top(arguments: &Top, interrupt: &Interrupt) -> Result<(), Failure> {
    let client = connect(&arguments.remote, interrupt, false)?;
    let terminal = std::io::stdout().is_terminal();
    while interrupt.check().is_ok() {
        let picture = match picture(&client) {
            Err(_) if interrupt.check().is_err() => return Ok(()),
            picture => picture?,
        };
        let before = if terminal { CLEAR } else { "" };
        print(&format!("{before}{picture}\n"))?;
        let next = Instant::now() + Duration::from_secs(arguments.every);
        while Instant::now() < next && interrupt.check().is_ok() {
            thread::sleep(STOP_PERIOD);
        }
    }
    Ok(())
}

fn picture(client: &Client) -> Result<String, Failure> {
    let about = client.look().map_err(|error| failure(&error))?;
    let mut jobs = client.jobs(false, ROWS).map_err(|error| failure(&error))?;
    // What moves comes first.
    jobs.sort_by_key(ended);
    let rate: f64 = jobs
        .iter()
        .filter(|job| job.state() == JobState::Running)
        .map(|job| job.nodes_per_second)
        .sum();
    let (used, quota) = (
        about.used.unwrap_or_default(),
        about.quota.unwrap_or_default(),
    );
    let limit = match quota.bytes {
        0 => String::new(),
        quota => format!(" of {}", bytes(quota)),
    };
    let draining = if about.draining { ", draining" } else { "" };
    Ok(format!(
        "{}  version {}, {} threads, {} running, {} queued{draining}\n\
         {}  {}{limit} stored, {rate:.0} bootstraps a second\n\n{}",
        client.server(),
        show::printable(&about.version),
        about.threads,
        about.running,
        about.queued,
        show::printable(&about.client),
        bytes(used.bytes),
        show::table(&jobs),
    ))
}
