//! The rows as lines of `<date>-transforms.csv`.

use std::path::{Path, PathBuf};

use clock::{Failure, Provenance, Times};
use serde::Serialize;

/// One side's times at one size.
pub struct Row {
    pub size: usize,
    pub side: String,
    pub converts: bool,
    pub log2_error: Option<f64>,
    pub rounds: u64,
    pub time: Times,
    pub reference: String,
    pub ratio: f64,
}

/// Times in seconds, of one polynomial forward and back; `ratio` is this side over the reference.
#[derive(Serialize)]
struct Line<'a> {
    date: &'a str,
    commit: &'a str,
    machine: &'a str,
    command: &'a str,
    peers_restricted_to: &'a str,
    ring_degree: usize,
    side: &'a str,
    converts: bool,
    log2_error: Option<f64>,
    rounds: u64,
    median: f64,
    least: f64,
    most: f64,
    reference: &'a str,
    ratio: f64,
}

/// Appends `rows` to the record of the day and returns its path.
pub fn keep(folder: &Path, of: &Provenance, peers: &str, rows: &[Row]) -> Result<PathBuf, Failure> {
    let lines = rows.iter().map(|row| Line {
        date: &of.date,
        commit: &of.commit,
        machine: &of.machine,
        command: &of.command,
        peers_restricted_to: peers,
        ring_degree: row.size,
        side: &row.side,
        converts: row.converts,
        log2_error: row.log2_error,
        rounds: row.rounds,
        median: row.time.median.as_secs_f64(),
        least: row.time.least.as_secs_f64(),
        most: row.time.most.as_secs_f64(),
        reference: &row.reference,
        ratio: row.ratio,
    });
    clock::append(&folder.join(format!("{}-transforms.csv", of.date)), lines)
}
