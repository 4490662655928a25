//! The rows as lines of `<date>-roofline.csv`.

use std::path::{Path, PathBuf};

use clock::{Failure, Provenance, Times};
use serde::Serialize;

use crate::arithmetic::Count;

/// Seconds that one lookup, or one pass over the key, takes at least.
#[derive(Clone, Copy, Debug)]
pub struct Floors {
    /// One lookup's arithmetic.
    pub arithmetic: f64,
    /// The same with its shuffles.
    pub arithmetic_and_shuffles: f64,
    /// One pass over the key, in the state in which the last pass left it.
    pub streaming: f64,
    /// One pass over the key from memory.
    pub streaming_from_memory: f64,
}

impl Floors {
    /// The larger of the floors for a lookup's share of a batch.
    pub fn larger(&self, batch: usize) -> f64 {
        self.arithmetic.max(self.streaming / batch as f64)
    }
}

/// One size of batch; times of one lookup.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub batch: usize,
    pub rounds: u64,
    pub lookup: Times,
    /// The rotation alone, on a key that does not stream.
    pub kernels: Times,
}

/// Times in seconds.
#[derive(Serialize)]
struct Line<'a> {
    date: &'a str,
    commit: &'a str,
    machine: &'a str,
    command: &'a str,
    batch: usize,
    rounds: u64,
    vector_operations: u64,
    vector_shuffles: u64,
    streamed_bytes: u64,
    arithmetic_floor: f64,
    arithmetic_and_shuffles_floor: f64,
    streaming_floor: f64,
    streaming_from_memory_floor: f64,
    larger_floor: f64,
    lookup_median: f64,
    lookup_least: f64,
    lookup_most: f64,
    kernels_median: f64,
    ratio: f64,
}

/// Appends `rows` to the record of the day and returns its path.
pub fn keep(
    folder: &Path,
    of: &Provenance,
    count: &Count,
    bytes: u64,
    floors: &Floors,
    rows: &[Row],
) -> Result<PathBuf, Failure> {
    let lines = rows.iter().map(|row| Line {
        date: &of.date,
        commit: &of.commit,
        machine: &of.machine,
        command: &of.command,
        batch: row.batch,
        rounds: row.rounds,
        vector_operations: count.arithmetic,
        vector_shuffles: count.shuffles,
        streamed_bytes: bytes,
        arithmetic_floor: floors.arithmetic,
        arithmetic_and_shuffles_floor: floors.arithmetic_and_shuffles,
        streaming_floor: floors.streaming / row.batch as f64,
        streaming_from_memory_floor: floors.streaming_from_memory / row.batch as f64,
        larger_floor: floors.larger(row.batch),
        lookup_median: row.lookup.median.as_secs_f64(),
        lookup_least: row.lookup.least.as_secs_f64(),
        lookup_most: row.lookup.most.as_secs_f64(),
        kernels_median: row.kernels.median.as_secs_f64(),
        ratio: row.lookup.median.as_secs_f64() / floors.larger(row.batch),
    });
    clock::append(&folder.join(format!("{}-roofline.csv", of.date)), lines)
}
