//! The machine and the moment of a run.

use std::num::NonZeroUsize;

use time::OffsetDateTime;

/// Where figures come from.
#[derive(Clone, Debug)]
pub(in super::super) struct Provenance {
    /// Processor, cores, and the widest vectors.
    pub(in super::super) machine: String,
    /// Year, month and day, in UTC.
    pub(in super::super) date: String,
    /// This program's version and the commit that it was built from.
    pub(in super::super) version: String,
}

impl Provenance {
    pub(in super::super) fn of_this_run() -> Self {
        Self {
            machine: machine(),
            date: OffsetDateTime::now_utc().date().to_string(),
            version: format!(
                "{}, commit {}",
                env!("CARGO_PKG_VERSION"),
                env!("BLINDCORE_COMMIT")
            ),
        }
    }
}

/// As the records in `bench/record` spell it, so that rows of one machine can be told.
fn machine() -> String {
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
