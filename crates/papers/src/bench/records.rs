//! Gates of the TFHE library, measured by `bench/peers` on a machine of ours and recorded: no
//! registry offers the library, so that this program cannot run it.
//!
//! The build script gathers the records that exist, `bench/record/*tfhe-lib*.csv`; later rows
//! replace earlier ones.

use serde::{Deserialize, Serialize};

include!(concat!(env!("OUT_DIR"), "/tfhe_library_records.rs"));

/// One gate of the library with one of its FFT processors.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) date: String,
    /// The commit of the library's repository.
    pub(crate) peer_commit: String,
    pub(crate) machine: String,
    /// The library's FFT processor.
    pub(crate) processor: String,
    pub(crate) parameters: String,
    /// What was evaluated; only single gates count here.
    row: String,
    /// Milliseconds for one gate.
    pub(crate) ms: f64,
}

/// The newest row of each processor, in the order in which processors first occur.
pub(crate) fn tfhe_library() -> Vec<Recorded> {
    newest(TFHE_LIBRARY_RECORDS)
}

fn newest(files: &[&str]) -> Vec<Recorded> {
    let mut rows: Vec<Recorded> = Vec::new();
    for file in files {
        // A row that does not parse is no row; the tests read every file that is there.
        for row in csv::Reader::from_reader(file.as_bytes())
            .deserialize::<Recorded>()
            .flatten()
            .filter(|row| row.row == "nand" && row.ms > 0.0)
        {
            match rows.iter_mut().find(|old| old.processor == row.processor) {
                Some(old) if old.date <= row.date => *old = row,
                Some(_) => {}
                None => rows.push(row),
            }
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_parses() {
        for file in TFHE_LIBRARY_RECORDS {
            for row in csv::Reader::from_reader(file.as_bytes()).deserialize::<Recorded>() {
                let row = row.unwrap();
                assert!(row.ms > 0.0 && !row.machine.is_empty(), "{row:?}");
            }
        }
        // The papers' five processors are there, whatever else is recorded.
        let library = tfhe_library();
        for processor in [
            "fftw",
            "nayuki-portable",
            "nayuki-avx",
            "spqlios-avx",
            "spqlios-fma",
        ] {
            assert!(library.iter().any(|row| row.processor == processor));
        }
    }

    #[test]
    fn later_rows_replace_earlier_ones() {
        let head = "date,peer_commit,machine,processor,parameters,row,ms\n";
        let old = format!("{head}2026-01-02,a,m,fftw,p,nand,30\n2026-01-02,a,m,fma,p,nand,20\n");
        let new =
            format!("{head}2026-01-03,b,m,fftw,p,two-nands,70\n2026-01-03,b,m,fftw,p,nand,35\n");
        for files in [[old.as_str(), new.as_str()], [&new, &old]] {
            let mut rows = newest(&files);
            rows.sort_by(|a, b| a.processor.cmp(&b.processor));
            let times: Vec<_> = rows
                .iter()
                .map(|row| (row.processor.as_str(), row.ms))
                .collect();
            assert_eq!(times, [("fftw", 35.0), ("fma", 20.0)]);
        }
    }
}
