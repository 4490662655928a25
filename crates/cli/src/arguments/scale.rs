//! `blindcore scale`: which programs, and what the machines are.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use papers::arguments::Output;

use super::machines::{core_count, rate};
use super::{Set, processor, thread_count};

/// `blindcore scale`
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct Scale {
    /// Programs, ELF, C or HE assembly, with their secrets marked in the source; PROGRAM=N is N jobs
    /// that do not wait for each other, such as the rows of a table
    #[arg(required = true, value_name = "PROGRAM[=JOBS]", value_parser = scaled)]
    pub programs: Vec<Scaled>,
    /// Cores of all machines, at most: 1, 2, 4 … are played through
    #[arg(long, value_name = "N", value_parser = core_count, default_value = "4096")]
    pub most: NonZeroUsize,
    /// Cores of each machine
    #[arg(long, value_name = "N", value_parser = thread_count, default_value = "64")]
    pub cores: NonZeroUsize,
    /// What each machine's link carries each way, in bits a second, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = rate, default_value = "10G,25G")]
    pub network: Vec<f64>,
    /// Milliseconds that batches of one lookup, two and so on take, separated by commas: one number
    /// is a lookup's in any batch (default: as measured here, while all cores are busy)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = milliseconds)]
    pub batches: Vec<f64>,
    /// Parameter set
    #[arg(long, value_enum, default_value_t)]
    pub set: Set,
    /// Operations on secrets in a window: more leave machines more to choose from
    #[arg(long, value_name = "OPERATIONS", default_value_t = processor::Limits::default().window as u64, value_parser = clap::value_parser!(u64).range(1..=1 << 22))]
    pub window: u64,
    /// FFT processor that is measured, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, value_name = "NAME", value_parser = processor)]
    pub fft: Option<tfhe::Fft>,
    /// Write the charts to a folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    pub charts: Option<PathBuf>,
    /// Add a row for each program and number of cores to a CSV file
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

const EXAMPLES: &str = "\
Example:
  blindcore scale examples/scale/sort256.c examples/scale/row.c=10000 --html scale.html";

/// A program, and how many jobs of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// The file.
    pub path: PathBuf,
    /// Jobs, where they are counted.
    pub jobs: Option<NonZeroUsize>,
}

/// Jobs are behind the last equals sign, if a number is.
fn scaled(text: &str) -> Result<Scaled, String> {
    let jobs = text
        .rsplit_once('=')
        .and_then(|(path, jobs)| Some((path, jobs.parse::<usize>().ok()?)));
    match jobs {
        None => Ok(Scaled {
            path: text.into(),
            jobs: None,
        }),
        Some((path, jobs)) => match NonZeroUsize::new(jobs) {
            Some(count) if jobs <= MOST_JOBS => Ok(Scaled {
                path: path.into(),
                jobs: Some(count),
            }),
            _ => Err(format!("a number of jobs from 1 to {MOST_JOBS} is wanted")),
        },
    }
}

/// More are as many times the same.
const MOST_JOBS: usize = 1_000_000_000;

fn milliseconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(time) if time.is_finite() && (1e-6..=1e6).contains(&time) => Ok(time),
        _ => Err("a time from 0.000001 to 1000000 milliseconds is wanted".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_jobs() {
        let of = |text| scaled(text).map(|of| (of.path, of.jobs.map(NonZeroUsize::get)));
        assert_eq!(of("a.c"), Ok(("a.c".into(), None)));
        assert_eq!(of("a.c=10"), Ok(("a.c".into(), Some(10))));
        assert_eq!(of("a=b.c"), Ok(("a=b.c".into(), None)));
        assert_eq!(of("a=1.c=7"), Ok(("a=1.c".into(), Some(7))));
        assert!(of("a.c=0").is_err());
    }

    #[test]
    fn times() {
        assert_eq!(milliseconds("2.5"), Ok(2.5));
        for text in ["0", "-1", "NaN", "inf", "two", ""] {
            assert!(milliseconds(text).is_err(), "{text}");
        }
    }
}
