//! The rows of a contest as lines of `<date>-<peer>.csv`.

use std::path::{Path, PathBuf};

use clock::{Failure, Provenance};
use serde::Serialize;

use crate::contest::Row;

/// Times in seconds; `ratio` is peer over ours.
#[derive(Serialize)]
struct Line<'a> {
    date: &'a str,
    commit: &'a str,
    machine: &'a str,
    command: &'a str,
    row: &'a str,
    threads: usize,
    rounds: u64,
    peer: &'a str,
    peer_small_dimension: usize,
    peer_ring_degree: usize,
    peer_big_dimension: usize,
    peer_security: f64,
    peer_log2_failure: f64,
    peer_median: f64,
    peer_least: f64,
    peer_most: f64,
    ours: &'a str,
    our_small_dimension: usize,
    our_ring_degree: usize,
    our_big_dimension: usize,
    our_security: f64,
    our_log2_failure: f64,
    our_bootstraps: Option<usize>,
    our_median: f64,
    our_least: f64,
    our_most: f64,
    ratio: f64,
}

/// Appends `rows` to the record of the day for this peer and returns its path.
pub fn keep(folder: &Path, of: &Provenance, peer: &str, rows: &[Row]) -> Result<PathBuf, Failure> {
    let lines = rows.iter().map(|row| Line {
        date: &of.date,
        commit: &of.commit,
        machine: &of.machine,
        command: &of.command,
        row: row.operation.name(),
        threads: row.threads,
        rounds: row.rounds,
        peer: &row.peer.set,
        peer_small_dimension: row.peer.small_dimension,
        peer_ring_degree: row.peer.ring_degree,
        peer_big_dimension: row.peer.big_dimension,
        peer_security: row.peer.security,
        peer_log2_failure: row.peer.log2_failure,
        peer_median: row.peer_times.median.as_secs_f64(),
        peer_least: row.peer_times.least.as_secs_f64(),
        peer_most: row.peer_times.most.as_secs_f64(),
        ours: &row.ours.set,
        our_small_dimension: row.ours.small_dimension,
        our_ring_degree: row.ours.ring_degree,
        our_big_dimension: row.ours.big_dimension,
        our_security: row.ours.security,
        our_log2_failure: row.ours.log2_failure,
        our_bootstraps: row.our_bootstraps,
        our_median: row.our_times.median.as_secs_f64(),
        our_least: row.our_times.least.as_secs_f64(),
        our_most: row.our_times.most.as_secs_f64(),
        ratio: row.ratio(),
    });
    clock::append(&folder.join(format!("{}-{peer}.csv", of.date)), lines)
}
