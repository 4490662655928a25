//! Tables: a CSV file whose header names variables, a row of values in each of its lines.
//!
//! All values are read and checked before anything is encrypted, and kept as the bytes that the
//! program will see, which take less than their text. Bits of a [batch](Table::bits) of rows are
//! spread out when it is its turn.

use std::io::Read;
use std::ops::Range;
use std::path::PathBuf;

use values::{Assignment, Literal, Source, Value, bits_of, next_row, rows_of};
use wire::Variable;

use super::{Call, Named, Program, declared, refuse_overlaps, whole};
use crate::error::{Error, ErrorKind};

/// Variables, and their values in every row.
pub struct Table {
    /// The variables.
    pub variables: Vec<Variable>,
    /// Bytes of a row.
    width: usize,
    /// Which bits of a row are a variable's: all but those above a bit-field.
    used: Vec<bool>,
    /// Row after row, variable after variable.
    bytes: Vec<u8>,
    /// How many rows.
    pub rows: u32,
}

impl Table {
    /// Whether there is a table among values: a whole CSV file, `@FILE.csv`, or one that comes
    /// through standard input, `@-`.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], of standard input.
    pub fn is_among(values: &[String]) -> Result<bool, Error> {
        for text in values {
            if source(text)?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Reads one `@FILE.csv`, and `NAME=VALUE` for what is the same in all rows.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`], [`ErrorKind::Input`], [`ErrorKind::Io`].
    pub fn read(program: &Program, values: &[String], call: Option<&Call>) -> Result<Table, Error> {
        let usage = |message: &str| Error::new(ErrorKind::Usage, message.to_owned());
        let mut files = Vec::new();
        let mut same = Vec::new();
        for text in values {
            match source(text)? {
                Some(file) => files.push(file),
                None => same.extend(program.assignments(text)?),
            }
        }
        let mut lines = match &files[..] {
            [] => None,
            [file] => Some(Lines::open(file)?),
            _ => return Err(usage("one @FILE.csv holds all rows: join the files")),
        };
        let header = lines.as_ref().map_or(&[][..], |lines| &lines.header);
        let mut columns = Vec::with_capacity(header.len());
        for text in header {
            let found =
                declared(text).and_then(|(name, ty)| program.find_input(name, ty.as_ref(), call));
            let found = found.map_err(|mut failure| {
                if let Some(lines) = &lines {
                    let advice = "the first line of a table names the program's variables";
                    failure.message =
                        format!("{}: {}: {advice}", lines.path.display(), failure.message);
                }
                failure
            });
            columns.push(found?);
        }
        let mut variables: Vec<Variable> = columns.iter().map(variable).collect();
        // What is the same in all rows ends each of them.
        let mut tail = Vec::new();
        let mut last = Vec::new();
        for assignment in &same {
            let named = program.find_input(&assignment.name, assignment.ty.as_ref(), call)?;
            tail.extend(whole(&named, assignment)?.0);
            variables.push(variable(&named));
            last.push(named);
        }
        refuse_overlaps(columns.iter().chain(&last).map(|named| (named, "")))?;
        let mut bytes = Vec::new();
        let mut rows = 0u32;
        match &mut lines {
            None => {
                bytes = tail.clone();
                rows = 1;
            }
            Some(lines) => {
                while let Some(cells) = lines.next()? {
                    rows = rows.checked_add(1).ok_or_else(|| {
                        let most = u32::MAX;
                        lines.wrong(&format!(
                            "more than {most} rows: split it into several files"
                        ))
                    })?;
                    for (named, cell) in columns.iter().zip(cells) {
                        let assignment = Assignment {
                            name: named.name.clone(),
                            ty: None,
                            value: Value::Inline(cell),
                        };
                        let (own, _) = whole(named, &assignment).map_err(|mut failure| {
                            failure.message = lines.at(rows, &failure.message);
                            failure
                        })?;
                        bytes.extend(own);
                    }
                    bytes.extend_from_slice(&tail);
                }
                if rows == 0 {
                    return Err(lines.wrong("no row of values below the header"));
                }
            }
        }
        Ok(Self::of(variables, bytes, rows))
    }

    /// A table of columns: a variable each, `NAME` or `NAME:TYPE`, and its value in every row.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for names, types and values that the program has not, for columns of
    /// different lengths, and without any rows.
    ///
    /// ```
    /// use std::path::Path;
    ///
    /// use blindcore_session::Program;
    /// use blindcore_session::program::Table;
    /// use values::Literal;
    ///
    /// let text = b".bits 16\n.data age\n LOAD R0, age\n STORE R0, age";
    /// let program = Program::from_bytes(Path::new("ages.hea"), text)?;
    /// let ages = [41, 7].map(Literal::Number).to_vec();
    /// let table = Table::of_columns(&program, &[("age".to_owned(), ages)], None)?;
    /// assert_eq!((table.rows, table.width()), (2, 16));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_columns(
        program: &Program,
        columns: &[(String, Vec<Literal>)],
        call: Option<&Call>,
    ) -> Result<Table, Error> {
        let wrong = |message: String| Error::new(ErrorKind::Input, message);
        let mut found = Vec::with_capacity(columns.len());
        for (text, _) in columns {
            let (name, ty) = declared(text)?;
            found.push(program.find_input(name, ty.as_ref(), call)?);
        }
        refuse_overlaps(found.iter().map(|named| (named, "")))?;
        let length = columns.first().map_or(0, |(_, values)| values.len());
        if let Some((name, values)) = columns.iter().find(|(_, values)| values.len() != length) {
            let own = values.len();
            return Err(wrong(format!(
                "{name}: {own} rows, the first column has {length}"
            )));
        }
        let rows = u32::try_from(length)
            .map_err(|_| wrong(format!("more than {} rows: split the table", u32::MAX)))?;
        if rows == 0 {
            return Err(wrong("the table has no row".to_owned()));
        }
        let mut bytes = Vec::new();
        for row in 0..length {
            for (named, (_, values)) in found.iter().zip(columns) {
                let assignment = Assignment {
                    name: named.name.clone(),
                    ty: None,
                    value: values
                        .get(row)
                        .cloned()
                        .map_or(Value::Nothing, Value::Ready),
                };
                let (own, _) = whole(named, &assignment)
                    .map_err(|error| Error::new(error.kind, format!("row {row}: {error}")))?;
                bytes.extend(own);
            }
        }
        Ok(Self::of(found.iter().map(variable).collect(), bytes, rows))
    }

    /// Of at least one row.
    fn of(variables: Vec<Variable>, bytes: Vec<u8>, rows: u32) -> Table {
        let used = variables.iter().flat_map(|variable: &Variable| {
            let bits = variable.kind.bits();
            (0..bits.next_multiple_of(8)).map(move |bit| bit < bits)
        });
        Table {
            used: used.collect(),
            variables,
            width: bytes.len() / rows as usize,
            bytes,
            rows,
        }
    }
}

/// The file of a table that an argument names.
fn source(text: &str) -> Result<Option<Source>, Error> {
    let Some(path) = text.strip_prefix('@') else {
        return Ok(None);
    };
    let source = Source::parse(path);
    Ok(source.is_table()?.then_some(source))
}

fn variable(named: &Named) -> Variable {
    Variable {
        name: named.name.clone(),
        kind: named.ty.clone(),
    }
}

impl Table {
    /// Bits of a row.
    pub fn width(&self) -> usize {
        self.used.iter().filter(|used| **used).count()
    }

    /// The bits of a row that are a variable's.
    fn of_variables(&self, row: &[u8]) -> impl Iterator<Item = bool> {
        let all = bits_of(row).into_iter().zip(&self.used);
        all.filter_map(|(bit, used)| used.then_some(bit))
    }

    /// As [`bits`](Self::bits), of the rows of a batch, where each has `slots`.
    #[must_use]
    pub fn batch(&self, batch: u32, slots: usize) -> Vec<Vec<bool>> {
        let slots = u32::try_from(slots).unwrap_or(u32::MAX);
        let first = batch.saturating_mul(slots).min(self.rows);
        self.bits(first..first.saturating_add(slots).min(self.rows))
    }

    /// For each bit of some rows, variable after variable, its value in every one of them.
    pub fn bits(&self, rows: Range<u32>) -> Vec<Vec<bool>> {
        let mut bits = vec![Vec::with_capacity(rows.len()); self.width()];
        let rows = rows.start as usize * self.width..rows.end as usize * self.width;
        let bytes = self.bytes.get(rows).unwrap_or(&[]);
        for row in bytes.chunks_exact(self.width.max(1)) {
            for (own, bit) in bits.iter_mut().zip(self.of_variables(row)) {
                own.push(bit);
            }
        }
        bits
    }
}

/// A CSV file from which rows are read one after the other.
struct Lines {
    path: PathBuf,
    header: Vec<String>,
    reader: csv::Reader<Box<dyn Read>>,
    record: csv::StringRecord,
}

impl Lines {
    fn open(file: &Source) -> Result<Self, Error> {
        let mut lines = Lines {
            path: file.path().to_path_buf(),
            header: Vec::new(),
            reader: rows_of(file.open()?),
            record: csv::StringRecord::new(),
        };
        let header = lines.reader.headers().cloned();
        let header = header.map_err(|error| lines.wrong(&error.to_string()))?;
        lines.header = header.iter().map(str::to_owned).collect();
        if lines.header.iter().all(String::is_empty) {
            return Err(lines.wrong("no header line with names of variables"));
        }
        Ok(lines)
    }

    /// The cells of the next row.
    fn next(&mut self) -> Result<Option<Vec<String>>, Error> {
        match next_row(&mut self.reader, &mut self.record) {
            Ok(false) => Ok(None),
            Ok(true) => Ok(Some(self.record.iter().map(str::to_owned).collect())),
            Err(error) => Err(self.wrong(&error)),
        }
    }

    fn wrong(&self, message: &str) -> Error {
        Error::new(
            ErrorKind::Input,
            format!("{}: {message}", self.path.display()),
        )
    }

    /// What is wrong in a row.
    fn at(&self, row: u32, message: &str) -> String {
        format!("{}: row {row}: {message}", self.path.display())
    }
}
