//! The machine and the moment of a run, and the CSV files that keep its rows.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use crate::Failure;

/// Where a figure comes from.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// Day, in UTC.
    pub date: String,
    pub commit: String,
    pub machine: String,
    pub command: String,
}

impl Provenance {
    /// Of this process: `program` is its name in the record, its arguments follow.
    pub fn of_this_run(program: &str) -> Self {
        let arguments: Vec<String> = std::env::args()
            .skip(1)
            .map(|it| without_folder(&it))
            .collect();
        Self {
            date: output_of("date", &["-u", "+%Y-%m-%d"]),
            commit: output_of("git", &["describe", "--always", "--dirty", "--exclude=*"]),
            machine: machine(),
            command: format!("{program} {}", arguments.join(" "))
                .trim_end()
                .to_owned(),
        }
    }
}

/// An absolute path without its folders, which mean nothing on another machine.
fn without_folder(argument: &str) -> String {
    let path = Path::new(argument);
    match path.file_name() {
        Some(name) if path.is_absolute() => name.to_string_lossy().into_owned(),
        _ => argument.to_owned(),
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

/// Appends records to a CSV file, with a header when the file is new.
///
/// # Errors
/// If the file cannot be written, or has other columns.
pub fn append<T: Serialize>(
    path: &Path,
    records: impl IntoIterator<Item = T>,
) -> Result<PathBuf, Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.serialize(record)?;
    }
    let rows = String::from_utf8(writer.into_inner()?)?;
    let header = rows.lines().next().unwrap_or_default();
    let known = std::fs::read_to_string(path)?;
    let new = match known.lines().next() {
        None => rows.as_str(),
        Some(columns) if columns == header => &rows[header.len() + 1..],
        Some(_) => return Err(format!("{} has other columns", path.display()).into()),
    };
    file.write_all(new.as_bytes())?;
    Ok(path.to_owned())
}
