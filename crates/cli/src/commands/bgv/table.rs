//! Tables: a CSV file whose header names variables, a row of values for each slot.

use std::path::Path;

use processor::values::bits_of;
use wire::Variable;

use crate::call::Call;
use crate::failure::{Code, Failure};
use crate::subject::{Subject, refuse_repetition, to_wire, whole};
use crate::values::{Assignment, Value};

/// Variables, and for each of their bits its value in every row.
pub(super) struct Table {
    pub(super) variables: Vec<Variable>,
    /// By bit, variable after variable: by row.
    pub(super) bits: Vec<Vec<bool>>,
    pub(super) rows: usize,
}

/// Reads one `@FILE.csv`, and `NAME=VALUE` for what is the same in all rows. A file of more rows than `slots` is
/// refused with their number.
pub(super) fn read(
    subject: &Subject<'_>,
    values: &[String],
    call: Option<&Call>,
    slots: usize,
) -> Result<Table, Failure> {
    let usage = |message: &str| Failure::new(Code::Usage, message.to_owned());
    let mut files = Vec::new();
    let mut same = Vec::new();
    for text in values {
        match text.strip_prefix('@') {
            Some(path) if path.to_ascii_lowercase().ends_with(".csv") => {
                files.push(Path::new(path))
            }
            _ => same.extend(Assignment::expand(text)?),
        }
    }
    let (header, records) = match files[..] {
        [] => (Vec::new(), vec![Vec::new()]),
        [path] => cells(path, slots)?,
        _ => return Err(usage("one @FILE.csv holds all rows: join the files")),
    };
    let names = header.iter().map(String::as_str);
    refuse_repetition(names.chain(same.iter().map(|assignment| assignment.name.as_str())))?;
    let mut table = Table {
        variables: Vec::new(),
        bits: Vec::new(),
        rows: records.len(),
    };
    for (column, name) in header.iter().enumerate() {
        let assignments = records.iter().map(|record| Assignment {
            name: name.clone(),
            ty: None,
            value: Value::Inline(record[column].clone()),
        });
        table.push(subject, call, assignments)?;
    }
    for assignment in same {
        let assignments = std::iter::repeat_n(assignment, records.len());
        table.push(subject, call, assignments)?;
    }
    Ok(table)
}

impl Table {
    /// Appends a variable with its value in every row.
    fn push(
        &mut self,
        subject: &Subject<'_>,
        call: Option<&Call>,
        rows: impl Iterator<Item = Assignment>,
    ) -> Result<(), Failure> {
        let first = self.bits.len();
        for (row, assignment) in rows.enumerate() {
            let named = subject.find(&assignment.name, assignment.ty.as_ref(), call)?;
            let (bytes, _) = whole(&named, &assignment).map_err(|mut failure| {
                if self.rows > 1 {
                    failure.message = format!("row {}: {}", row + 1, failure.message);
                }
                failure
            })?;
            for (at, bit) in bits_of(&bytes).into_iter().enumerate() {
                if row == 0 {
                    self.bits.push(Vec::with_capacity(self.rows));
                }
                self.bits[first + at].push(bit);
            }
            if row == 0 {
                self.variables.push(Variable {
                    name: named.name.clone(),
                    kind: to_wire(&named.name, &named.ty)?,
                });
            }
        }
        Ok(())
    }
}

/// The header and all rows of a CSV file.
fn cells(path: &Path, slots: usize) -> Result<(Vec<String>, Vec<Vec<String>>), Failure> {
    let wrong =
        |message: String| Failure::new(Code::Input, format!("{}: {message}", path.display()));
    let file = std::fs::File::open(path).map_err(|error| Failure::io(path, "open", &error))?;
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_reader(file);
    let row = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
    let header = reader.headers().map_err(|error| wrong(error.to_string()))?;
    let header = row(header);
    if header.iter().all(String::is_empty) {
        return Err(wrong("no header line with names of variables".to_owned()));
    }
    let mut rows = Vec::new();
    let mut count = 0;
    for record in reader.records() {
        let record = record.map_err(|error| wrong(error.to_string()))?;
        count += 1;
        if count <= slots {
            rows.push(row(&record));
        }
    }
    match count {
        0 => Err(wrong("no row of values below the header".to_owned())),
        _ if count > slots => Err(wrong(format!(
            "{count} rows, and the key has {slots} slots: split it into {} files, one for each run",
            count.div_ceil(slots)
        ))),
        _ => Ok((header, rows)),
    }
}
