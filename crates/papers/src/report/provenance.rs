//! The machine, the moment and the circumstances of a run.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use time::OffsetDateTime;

use super::waiting::Waiting;
use values::duration_in_words;

/// The share of its time that a run on a quiet machine may wait for a processor.
const BUSY: f64 = 0.02;

/// Where figures come from. Made when a run begins: it watches the clock and whether the machine is
/// busy.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Provenance {
    /// Processor, cores, and the widest vectors.
    pub(crate) machine: String,
    /// Year, month and day, in UTC.
    date: String,
    /// This program's version and the commit that it was built from.
    version: String,
    /// The command line.
    command: String,
    /// How long the run took.
    seconds: f64,
    /// The share of its time that the run waited for a processor, 0 to 1.
    waited: Option<f64>,
    /// Ctrl-C came before everything was measured.
    interrupted: bool,
    #[serde(skip)]
    began: Instant,
    #[serde(skip)]
    waiting: Waiting,
}

impl Provenance {
    /// Of a run that begins now.
    pub(crate) fn begin() -> Self {
        Self {
            machine: machine(),
            date: OffsetDateTime::now_utc().date().to_string(),
            version: format!(
                "{}, commit {}",
                env!("CARGO_PKG_VERSION"),
                env!("BLINDCORE_COMMIT")
            ),
            command: command(std::env::args().skip(1)),
            seconds: 0.0,
            waited: None,
            interrupted: false,
            began: Instant::now(),
            waiting: Waiting::begin(),
        }
    }

    /// The run is over; it measured everything, or it was interrupted.
    pub(crate) fn end(&mut self, everything: bool) {
        self.seconds = self.began.elapsed().as_secs_f64();
        self.waited = self.waiting.share();
        self.interrupted = !everything;
    }

    /// What a row of a record begins with: date, commit, machine, command.
    pub(crate) fn of_record(&self) -> [&str; 4] {
        [
            &self.date,
            env!("BLINDCORE_COMMIT"),
            &self.machine,
            &self.command,
        ]
    }

    pub(crate) fn interrupted(&self) -> bool {
        self.interrupted
    }

    /// What a report says of it before anything else.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let mut facts = vec![
            ("machine".to_owned(), self.machine.clone()),
            ("date".to_owned(), self.date.clone()),
            ("blindcore".to_owned(), self.version.clone()),
            (
                "command".to_owned(),
                format!("{}, took {}", self.command, duration_in_words(self.seconds)),
            ),
        ];
        if self.interrupted {
            let missing =
                "the run was interrupted: what was not measured is missing, and marked so";
            facts.push(("interrupted".to_owned(), missing.to_owned()));
        }
        if let Some(share) = self.waited.filter(|&share| share > BUSY) {
            let busy = format!(
                "the machine was busy: the run waited {:.0} % of its time for a processor, so that \
                 its times are too long",
                share * 100.0
            );
            facts.push(("caution".to_owned(), busy));
        }
        facts
    }
}

/// The command line without folders, which mean nothing on another machine.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let mut line = "blindcore".to_owned();
    for argument in arguments {
        let path = Path::new(&argument);
        line.push(' ');
        match path.file_name() {
            Some(name) if path.is_absolute() => line.push_str(&name.to_string_lossy()),
            _ => line.push_str(&argument),
        }
    }
    line
}

/// As the records in `bench/record` spell it, so that rows of one machine can be recognised.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    described(&info, cores)
}

fn described(info: &str, cores: usize) -> String {
    let field = |name: &str| {
        let line = info
            .lines()
            .find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split(':').nth(1))
            .map_or("unknown", str::trim)
    };
    let vectors = ["avx512f", "avx2"]
        .into_iter()
        .find(|wanted| field("flags").split(' ').any(|flag| flag == *wanted))
        .unwrap_or("no AVX2");
    format!(
        "{} (family {} model {}); {cores} cores; {vectors}",
        field("model name"),
        field("cpu family"),
        field("model")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_without_folders() {
        let line = ["papers", "fft", "--html", "/tmp/x/page.html"].map(str::to_owned);
        assert_eq!(
            command(line.into_iter()),
            "blindcore papers fft --html page.html"
        );
    }

    #[test]
    fn a_machine_in_words() {
        let info = "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: A: B\n\
                    flags\t\t: fpu avx avx2\n";
        assert_eq!(described(info, 2), "A (family 6 model 207); 2 cores; avx2");
        assert_eq!(
            described("", 1),
            "unknown (family unknown model unknown); 1 cores; no AVX2"
        );
    }
}
