//! Rows for `bench/record`.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::Command;

use blindcore_gentry_halevi::Parameters;

use super::{Row, statistics};

const HEADER: &str = "date,commit,machine,command,set,threads,operation,rounds,\
    milliseconds_median,least,most,gmp_median,gmp_least,gmp_most,ratio,paper_cpu,paper_gpu";

/// Appends rows to a file, which gets a header if it is empty.
pub(crate) fn write(
    path: &str,
    parameters: &Parameters,
    threads: NonZeroUsize,
    rows: &[Row],
) -> Result<(), Box<dyn Error>> {
    let mut file = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)?;
    if file.metadata()?.len() == 0 {
        writeln!(file, "{HEADER}")?;
    }
    let (date, commit) = (
        output("date", &["+%F"]),
        output("git", &["rev-parse", "--short=7", "HEAD"]),
    );
    let command = format!(
        "times --dimension {} --threads {threads}",
        parameters.dimension()
    );
    let number = |value: f64| match value.is_nan() {
        true => String::new(),
        false => format!("{value:.6}"),
    };
    for row in rows {
        let (ours, gmp) = (statistics(&row.ours), statistics(&row.gmp));
        let times: Vec<String> = ours.iter().chain(&gmp).map(|&time| number(time)).collect();
        let (cpu, gpu) = row.paper.unwrap_or((f64::NAN, f64::NAN));
        writeln!(
            file,
            "{date},{commit},{},{command},{},{threads},\"{}\",{},{},{},{},{}",
            machine(),
            parameters.name(),
            row.operation,
            row.ours.len(),
            times.join(","),
            number(gmp[0] / ours[0]),
            number(cpu),
            number(gpu),
        )?;
    }
    Ok(())
}

fn output(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    text.unwrap_or_default()
}

/// The processor, the cores there are, the best instructions.
fn machine() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.split_once(':'));
        value.map_or("", |(_, value)| value.trim())
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let best = ["avx512f", "avx2"]
        .into_iter()
        .find(|flag| field("flags").split(' ').any(|found| found == *flag));
    format!(
        "{} (family {} model {}); {cores} cores; {}",
        field("model name"),
        field("cpu family"),
        field("model\t"),
        best.unwrap_or("scalar")
    )
}
