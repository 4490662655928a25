//! What is written beside the page: charts as files of their own, and rows of a record.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::simulated::{Row, Scaled};
use super::{Shapes, Study, charts};
use crate::control::Control;
use crate::error::{PapersError, internal};
use crate::report::Page;

/// Where charts and rows go, if anywhere.
#[derive(Clone, Debug, Default)]
pub struct ScaleFiles {
    /// A folder for charts as SVG.
    pub charts: Option<PathBuf>,
    /// A CSV file, to which rows are added.
    pub rows: Option<PathBuf>,
}

/// Their places, made sure of.
pub(super) struct Files {
    charts: Vec<(PathBuf, Page)>,
    rows: Option<PathBuf>,
}

const COLUMNS: [&str; 22] = [
    "date",
    "commit",
    "machine",
    "command",
    "program",
    "jobs",
    "lookups",
    "windows",
    "chain_seconds",
    "one_core_seconds",
    "batch_milliseconds",
    "network_bits_per_second",
    "machines",
    "cores_of_machine",
    "seconds",
    "bound_seconds",
    "speedup",
    "efficiency",
    "of_bound",
    "bytes_sent",
    "busiest_link",
    "ciphertexts",
];

impl Files {
    pub(super) fn reserve(
        files: &ScaleFiles,
        shapes: &Shapes,
        control: &Control,
    ) -> Result<Self, PapersError> {
        let mut pages = Vec::new();
        if let Some(folder) = &files.charts {
            fs::create_dir_all(folder).map_err(|error| PapersError::io(folder, "create", error))?;
            for name in charts::names(shapes) {
                let path = folder.join(name);
                pages.push((path.clone(), Page::reserve(&path, control)?));
            }
        }
        if let Some(path) = &files.rows {
            check_rows(path)?;
        }
        Ok(Self {
            charts: pages,
            rows: files.rows.clone(),
        })
    }

    /// Writes all; their names.
    pub(super) fn write(self, study: &Study, shapes: &Shapes) -> Result<Vec<String>, PapersError> {
        let mut written = Vec::new();
        for ((path, page), chart) in self.charts.into_iter().zip(charts::all(study, shapes)) {
            let drawing = chart.alone().map_err(internal)?;
            page.write(&drawing)?;
            written.push(path.display().to_string());
        }
        if let Some(path) = self.rows {
            let rows = rows(study).map_err(internal)?;
            add(&path, &rows).map_err(|error| PapersError::io(&path, "write", error))?;
            written.push(path.display().to_string());
        }
        Ok(written)
    }
}

fn header() -> String {
    COLUMNS.join(",")
}

/// Rows are added to what has the same columns, and to nothing else.
fn check_rows(path: &Path) -> Result<(), PapersError> {
    match fs::read_to_string(path) {
        Ok(text) if text.lines().next() == Some(&header()) => Ok(()),
        Ok(_) => Err(PapersError::Occupied {
            path: path.to_path_buf(),
        }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(PapersError::io(path, "read", error)),
    }
}

fn add(path: &Path, rows: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().append(true).create(true).open(path)?;
    if file.metadata()?.len() == 0 {
        writeln!(file, "{}", header())?;
    }
    file.write_all(rows)?;
    file.sync_all()
}

fn rows(study: &Study) -> Result<Vec<u8>, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for program in &study.programs {
        for row in &program.rows {
            writer.write_record(record(study, program, row))?;
        }
    }
    writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))
}

fn record(study: &Study, program: &Scaled, row: &Row) -> Vec<String> {
    let batches: Vec<String> = study
        .batches
        .iter()
        .map(|nanoseconds| format!("{:.4}", nanoseconds * 1e-6))
        .collect();
    let mut fields: Vec<String> = study.provenance.of_record().map(str::to_owned).to_vec();
    fields.extend([
        program.name.clone(),
        program
            .jobs
            .map_or_else(String::new, |jobs| jobs.to_string()),
        program.lookups.to_string(),
        program.windows.to_string(),
        format!("{:.6}", program.chain),
        format!("{:.6}", program.one_core),
        batches.join(" "),
        row.network
            .map_or_else(String::new, |bits| format!("{bits}")),
        row.machines.to_string(),
        row.cores.to_string(),
        format!("{:.6}", row.seconds),
        format!("{:.6}", row.bound),
        format!("{:.3}", row.speedup),
        format!("{:.4}", row.efficiency),
        format!("{:.4}", row.of_bound()),
        row.bytes_sent.to_string(),
        format!("{:.4}", row.busiest_link),
        row.ciphertexts.to_string(),
    ]);
    fields
}
