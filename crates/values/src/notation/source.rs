//! Values from files and from standard input: JSON documents, CSV columns, raw bytes.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::{Element, Type};

use super::literal::{Literal, word};
use super::piped::{self, piped};
use super::rows::{Rows, next_row, rows_of};
use super::{InputError, shortened};

/// `FILE`, `FILE.json:key` or `FILE.csv:column`; `-` and `-:key` or `-:column` for standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    path: PathBuf,
    selector: Option<String>,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Csv,
    Raw,
    /// JSON or CSV, which it says itself.
    Piped,
}

/// A source together with the variable that it is read for, so that errors can name both.
struct Reading<'a> {
    source: &'a Source,
    name: &'a str,
}

impl Source {
    /// Splits the path from the selector. Only `.json:` and `.csv:` start one, so that other file
    /// names may hold colons.
    pub fn parse(text: &str) -> Source {
        if let Some(rest) = text.strip_prefix('-')
            && (rest.is_empty() || rest.starts_with(':'))
        {
            return Source {
                path: piped::NAME.into(),
                selector: rest.strip_prefix(':').map(str::to_owned),
                format: Format::Piped,
            };
        }
        let endings = [(".json", Format::Json), (".csv", Format::Csv)];
        for (ending, format) in endings {
            if text.to_ascii_lowercase().ends_with(ending) {
                return Source {
                    path: text.into(),
                    selector: None,
                    format,
                };
            }
            let mark = format!("{ending}:");
            if let Some(at) = text.to_ascii_lowercase().find(&mark) {
                let (path, selector) = (&text[..at + ending.len()], &text[at + mark.len()..]);
                return Source {
                    path: path.into(),
                    selector: Some(selector.to_owned()),
                    format,
                };
            }
        }
        Source {
            path: text.into(),
            selector: None,
            format: Format::Raw,
        }
    }

    /// Whether the file holds raw bytes.
    pub fn is_raw(&self) -> bool {
        self.format == Format::Raw
    }

    /// The values of the variable's first elements, in memory order.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn elements(&self, name: &str, ty: &Type) -> Result<Vec<i128>, InputError> {
        let reading = Reading { source: self, name };
        match reading.format()? {
            Format::Json => reading.json()?.elements(name, ty),
            Format::Csv => reading.column(ty)?.elements(name, ty),
            Format::Raw | Format::Piped => reading.raw(ty),
        }
    }

    /// The JSON value; `None` if the file has another format.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn literal(&self, name: &str) -> Result<Option<Literal>, InputError> {
        let reading = Reading { source: self, name };
        match reading.format()? {
            Format::Json => reading.json().map(Some),
            _ => Ok(None),
        }
    }

    /// Whether it is a whole CSV file, of which no column is chosen.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn is_table(&self) -> Result<bool, InputError> {
        let reading = Reading {
            source: self,
            name: "@",
        };
        Ok(self.selector.is_none() && reading.format()? == Format::Csv)
    }

    /// Its rows, if it is CSV.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn rows(&self, name: &str) -> Result<Rows, InputError> {
        let reading = Reading { source: self, name };
        let mut reader = rows_of(reading.open()?);
        let header = reader.headers();
        let header = header.map_err(|error| reading.wrong(error.to_string()))?;
        let mut found = Rows {
            path: self.path.display().to_string(),
            header: header.iter().map(str::to_owned).collect(),
            rows: Vec::new(),
        };
        let mut record = csv::StringRecord::new();
        while next_row(&mut reader, &mut record).map_err(|error| reading.wrong(error))? {
            let line = record.position().map_or(0, csv::Position::line);
            let cells = record.iter().map(str::to_owned).collect();
            found.rows.push((line, cells));
        }
        Ok(found)
    }

    /// The bytes of it, to be read as what it is.
    ///
    /// # Errors
    /// [`InputError::Unreadable`].
    pub fn open(&self) -> Result<Box<dyn Read>, InputError> {
        let reading = Reading {
            source: self,
            name: "@",
        };
        reading.open()
    }

    /// What messages call it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The keys and values of a JSON object.
    ///
    /// # Errors
    /// Any [`InputError`].
    pub fn object(&self) -> Result<Vec<(String, Literal)>, InputError> {
        let reading = Reading {
            source: self,
            name: "@",
        };
        if reading.format()? != Format::Json {
            return Err(reading.wrong("only a .json file can give values to several variables"));
        }
        match reading.document()? {
            serde_json::Value::Object(object) => object
                .iter()
                .map(|(name, value)| {
                    let reading = Reading { source: self, name };
                    Ok((name.clone(), reading.literal(value)?))
                })
                .collect(),
            _ => Err(reading.wrong("not an object of names and values")),
        }
    }
}

/// What a cell of a column of this type is to be.
fn kind(ty: &Type) -> &'static str {
    match ty.element() {
        Element::Float { .. } => "number",
        _ if ty.names().is_some() => "name or a whole number",
        _ => "whole number",
    }
}

/// Reads a JSON text for a variable.
pub(super) fn inline(text: &str, name: &str) -> Result<Literal, InputError> {
    let source = Source {
        path: "JSON".into(),
        selector: None,
        format: Format::Json,
    };
    let reading = Reading {
        source: &source,
        name,
    };
    let value = serde_json::from_str(text).map_err(|error| reading.wrong(error.to_string()))?;
    reading.literal(&value)
}

impl Reading<'_> {
    fn path(&self) -> &Path {
        &self.source.path
    }

    fn wrong(&self, reason: impl Into<String>) -> InputError {
        InputError::Data {
            name: self.name.to_owned(),
            path: self.path().display().to_string(),
            reason: reason.into(),
        }
    }

    /// What it is to be read as.
    fn format(&self) -> Result<Format, InputError> {
        Ok(match self.source.format {
            Format::Piped => match piped::is_json(self.piped()?) {
                true => Format::Json,
                false => Format::Csv,
            },
            format => format,
        })
    }

    fn piped(&self) -> Result<&'static [u8], InputError> {
        piped().map_err(|reason| InputError::Unreadable {
            name: self.name.to_owned(),
            path: self.path().display().to_string(),
            reason,
        })
    }

    fn unreadable(&self, error: &std::io::Error) -> InputError {
        InputError::Unreadable {
            name: self.name.to_owned(),
            path: self.path().display().to_string(),
            reason: error.to_string(),
        }
    }

    fn open(&self) -> Result<Box<dyn Read>, InputError> {
        if self.source.format == Format::Piped {
            return Ok(Box::new(self.piped()?));
        }
        let file = File::open(self.path()).map_err(|error| self.unreadable(&error))?;
        Ok(Box::new(file))
    }

    /// The JSON document, or the part that the selector names.
    fn document(&self) -> Result<serde_json::Value, InputError> {
        let reader = std::io::BufReader::new(self.open()?);
        let mut document: serde_json::Value = serde_json::from_reader(reader).map_err(|error| {
            if error.is_io() {
                self.unreadable(&error.into())
            } else {
                self.wrong(error.to_string())
            }
        })?;
        for key in self
            .source
            .selector
            .iter()
            .flat_map(|selector| selector.split('.'))
        {
            let part = match &mut document {
                serde_json::Value::Object(object) => object.get_mut(key),
                serde_json::Value::Array(items) => key
                    .parse()
                    .ok()
                    .and_then(|index: usize| items.get_mut(index)),
                _ => None,
            };
            document = part
                .map(serde_json::Value::take)
                .ok_or_else(|| self.wrong(format!("no key '{}'", shortened(key))))?;
        }
        Ok(document)
    }

    fn json(&self) -> Result<Literal, InputError> {
        self.literal(&self.document()?)
    }

    fn literal(&self, value: &serde_json::Value) -> Result<Literal, InputError> {
        Literal::from_json(value)
            .ok_or_else(|| self.wrong("a number, a text, a list or an object was expected"))
    }

    /// A column of a CSV file with a header line.
    fn column(&self, ty: &Type) -> Result<Literal, InputError> {
        let mut reader = rows_of(self.open()?);
        let headers = reader
            .headers()
            .map_err(|error| self.wrong(error.to_string()))?
            .clone();
        let names = || headers.iter().map(shortened).collect::<Vec<_>>().join(", ");
        let column = match &self.source.selector {
            Some(wanted) => headers
                .iter()
                .position(|header| header == wanted)
                .ok_or_else(|| {
                    self.wrong(format!(
                        "no column '{}' (there are: {})",
                        shortened(wanted),
                        names()
                    ))
                })?,
            None if headers.len() == 1 => 0,
            None => {
                return Err(self.wrong(format!(
                    "several columns ({}): choose one with :COLUMN after the file",
                    names()
                )));
            }
        };
        let cells_are_text = ty.element() == Element::Character && ty.dimensions().len() > 1;
        let mut items = Vec::new();
        let mut record = csv::StringRecord::new();
        while next_row(&mut reader, &mut record).map_err(|error| self.wrong(error))? {
            let line = record.position().map_or(0, csv::Position::line);
            let cell = record.get(column).unwrap_or_default();
            items.push(if cells_are_text {
                Literal::Text(cell.as_bytes().to_vec())
            } else {
                word(cell, ty).ok_or_else(|| {
                    self.wrong(format!(
                        "line {line}: '{}' is not a {}",
                        shortened(cell),
                        kind(ty)
                    ))
                })?
            });
        }
        Ok(Literal::List(items))
    }

    /// Bytes as they are to stand in the program's memory.
    fn raw(&self, ty: &Type) -> Result<Vec<i128>, InputError> {
        if ty.width().is_some() {
            return Err(self.wrong(format!("{ty} shares its bytes with others: give a number")));
        }
        let mut bytes = Vec::new();
        let limit = u64::from(ty.size());
        self.open()?
            .take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| self.unreadable(&error))?;
        if bytes.len() as u64 > limit {
            return Err(self.wrong(format!("more than the {limit} bytes that {ty} holds")));
        }
        if !bytes.len().is_multiple_of(ty.element().bytes() as usize) {
            return Err(self.wrong(format!(
                "{} bytes do not make whole elements of {}",
                bytes.len(),
                ty.element()
            )));
        }
        Ok(ty.decode(&bytes))
    }
}
