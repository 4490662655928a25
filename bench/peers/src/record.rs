//! The machine and the moment of a run, and the CSV files that keep its rows.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use crate::contest::{Failure, Row};

/// Where a figure comes from.
#[derive(Clone, Debug)]
pub struct Provenance {
    pub date: String,
    pub commit: String,
    pub machine: String,
    pub command: String,
}

impl Provenance {
    pub fn of_this_run() -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        Self {
            date: output_of("date", &["-u", "+%Y-%m-%d"]),
            commit: output_of("git", &["describe", "--always", "--dirty", "--exclude=*"]),
            machine: machine(),
            command: format!("peers {}", arguments.join(" "))
                .trim_end()
                .to_owned(),
        }
    }
}

/// Processor, core count and the widest vectors that both sides may use.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        info.lines()
            .find(|line| line.split(':').next().is_some_and(|key| key.trim() == name))
            .and_then(|line| line.split(':').nth(1))
            .map_or("unknown", str::trim)
    };
    let flags = field("flags");
    let vectors = ["avx512f", "avx2"]
        .into_iter()
        .find(|wanted| flags.split(' ').any(|flag| flag == *wanted))
        .unwrap_or("no AVX2");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "{} (family {} model {}); {cores} cores; {vectors}",
        field("model name"),
        field("cpu family"),
        field("model")
    )
}

fn output_of(program: &str, arguments: &[&str]) -> String {
    Command::new(program)
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())
        .map_or("unknown".to_owned(), |output| {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        })
}

/// One line of `<date>-tfhe-rs.csv`. Times in seconds; `ratio` is peer over ours.
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
    peer_big_dimension: usize,
    peer_security: f64,
    peer_log2_failure: f64,
    peer_median: f64,
    peer_least: f64,
    peer_most: f64,
    ours: &'a str,
    our_small_dimension: usize,
    our_big_dimension: usize,
    our_security: f64,
    our_log2_failure: f64,
    our_bootstraps: Option<usize>,
    our_median: f64,
    our_least: f64,
    our_most: f64,
    ratio: f64,
}

/// Appends `rows` to the record of the day and returns its path.
pub fn keep(folder: &Path, of: &Provenance, rows: &[Row]) -> Result<PathBuf, Failure> {
    let lines = rows.iter().map(|row| Line {
        date: &of.date,
        commit: &of.commit,
        machine: &of.machine,
        command: &of.command,
        row: row.operation.name(),
        threads: 1,
        rounds: row.rounds,
        peer: &row.peer.set,
        peer_small_dimension: row.peer.small_dimension,
        peer_big_dimension: row.peer.big_dimension,
        peer_security: row.peer.security,
        peer_log2_failure: row.peer.log2_failure,
        peer_median: row.peer_times.median.as_secs_f64(),
        peer_least: row.peer_times.least.as_secs_f64(),
        peer_most: row.peer_times.most.as_secs_f64(),
        ours: &row.ours.set,
        our_small_dimension: row.ours.small_dimension,
        our_big_dimension: row.ours.big_dimension,
        our_security: row.ours.security,
        our_log2_failure: row.ours.log2_failure,
        our_bootstraps: row.our_bootstraps,
        our_median: row.our_times.median.as_secs_f64(),
        our_least: row.our_times.least.as_secs_f64(),
        our_most: row.our_times.most.as_secs_f64(),
        ratio: row.ratio(),
    });
    append(&folder.join(format!("{}-tfhe-rs.csv", of.date)), lines)
}

/// Appends records to a CSV file, with a header when the file is new.
pub fn append<T: Serialize>(
    path: &Path,
    records: impl IntoIterator<Item = T>,
) -> Result<PathBuf, Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    let new = file.metadata()?.len() == 0;
    let mut writer = csv::WriterBuilder::new().has_headers(new).from_writer(file);
    for record in records {
        writer.serialize(record)?;
    }
    writer.flush()?;
    Ok(path.to_owned())
}
