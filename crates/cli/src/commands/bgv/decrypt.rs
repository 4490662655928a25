//! Decryption to a table: CSV with a header of names, or a JSON array of objects.

use std::iter::once;
use std::path::Path;

use bgv::{Ciphertext, Error, SecretKey};
use processor::{ASTRAY, Type};
use serde_json::Value;
use values::bytes_of;
use wire::bgv::{Batched, Batches, Inputs, Outputs};
use wire::{Kind, Variable, WireError};

use super::super::decrypt::went_astray;
use super::super::protection::KeyFile;
use super::super::{internal, print, print_json, same_key};
use crate::arguments::Decrypt;
use crate::failure::{Code, Failure};

/// Decrypts a file and prints a row for each that its table has. Nothing is printed unless all of it is right.
pub(in super::super) fn decrypt(arguments: &Decrypt) -> Result<(), Failure> {
    let path = arguments.file.as_path();
    let wrong = |error: WireError| Failure::file(path, &error);
    let file: wire::bgv::SecretKey = KeyFile::new(&arguments.key, &arguments.unlocking).read()?;
    // Once, since the file may be a pipe.
    let mut containers = files::containers(path).map_err(wrong)?;
    let first = containers.next_container(None).map_err(wrong)?;
    let mut rows = match arguments.json {
        true => Rows::Json(Vec::new()),
        false => Rows::Csv(Box::new(csv::Writer::from_writer(Vec::new()))),
    };
    if first.0.kind == Kind::BGV_INPUTS {
        let (first, rest) = Batches::<Inputs, _>::of(first, containers).map_err(wrong)?;
        same_key(path, &first, &file)?;
        let key = file.open().map_err(wrong)?;
        for batch in once(Ok(first)).chain(rest) {
            let batch = batch.map_err(wrong)?;
            let vectors = batch.bits().expand(key.ring()).map_err(wrong)?;
            let bits = decrypted(path, &key, &vectors)?;
            rows.push(path, &batch, &bits)?;
        }
    } else {
        let (first, rest) = Batches::<Outputs, _>::of(first, containers).map_err(wrong)?;
        same_key(path, &first, &file)?;
        let key = file.open().map_err(wrong)?;
        for batch in once(Ok(first)).chain(rest) {
            let batch = batch.map_err(wrong)?;
            let secret = decrypted(path, &key, batch.secret().vectors())?;
            rows.push(path, &batch, &merged(&batch, secret))?;
        }
    }
    match rows {
        Rows::Json(rows) => print_json(&Value::Array(rows)),
        Rows::Csv(writer) => {
            let text = writer
                .into_inner()
                .map_err(|error| internal(error.error()))?;
            print(&String::from_utf8_lossy(&text))
        }
    }
}

/// All bits of a batch, of which the secret ones are given. Known bits are the same in every row.
fn merged(outputs: &Outputs, secret: Vec<Vec<bool>>) -> Vec<Vec<bool>> {
    let rows = outputs.share().rows() as usize;
    let mut secret = secret.into_iter();
    let all = outputs.bits().iter().map(|bit| match bit {
        wire::OutputBit::Clear(value) => vec![*value; rows],
        // There are as many as bits that are secret: readers check it.
        wire::OutputBit::Secret => secret.next().unwrap_or_else(|| vec![false; rows]),
    });
    all.collect()
}

/// What is printed.
enum Rows {
    Csv(Box<csv::Writer<Vec<u8>>>),
    Json(Vec<Value>),
}

impl Rows {
    /// Appends the rows of a batch, whose bits are given slot by slot; before the first of them, the names.
    fn push(
        &mut self,
        path: &Path,
        batch: &impl Batched,
        bits: &[Vec<bool>],
    ) -> Result<(), Failure> {
        let mut columns = Vec::with_capacity(batch.variables().len());
        let mut rest = bits;
        for Variable { name, kind: ty } in batch.variables() {
            let (own, after) = rest.split_at_checked(ty.bits()).ok_or_else(|| {
                let reason = format!("there are not as many bits as {name} has");
                Failure::file(path, &WireError::Malformed { reason })
            })?;
            rest = after;
            columns.push(Column {
                name,
                ty: ty.clone(),
                bits: own,
            });
        }
        let rows = 0..batch.share().rows() as usize;
        if let Some(place) = columns.iter().position(|column| column.name == ASTRAY) {
            let astray = columns.remove(place);
            if rows.clone().any(|row| astray.at(row) != [0]) {
                return Err(went_astray(path));
            }
        }
        match self {
            Rows::Json(all) => all.extend(rows.map(|row| {
                let fields = columns.iter().map(|column| {
                    let value = values::json(&column.ty, &column.at(row));
                    (column.name.to_owned(), value)
                });
                Value::Object(fields.collect())
            })),
            Rows::Csv(writer) => {
                if batch.share().batch() == 0 {
                    let header = columns.iter().map(|column| column.name);
                    writer.write_record(header).map_err(internal)?;
                }
                for row in rows {
                    let cells = columns.iter().map(|column| {
                        unquoted(&column.ty, values::text(&column.ty, &column.at(row)))
                    });
                    writer.write_record(cells).map_err(internal)?;
                }
            }
        }
        Ok(())
    }
}

/// Text as a cell has it: without the quotes that `encrypt` does not need there either.
fn unquoted(ty: &Type, text: String) -> String {
    let inner = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
    match inner {
        Some(plain)
            if ty.dimensions().len() == 1
                && plain.trim() == plain
                && !plain.contains('\\')
                && !plain.starts_with(['"', '[', '{']) =>
        {
            plain.to_owned()
        }
        _ => text,
    }
}

/// A variable's bits in every slot.
struct Column<'a> {
    name: &'a str,
    ty: Type,
    bits: &'a [Vec<bool>],
}

impl Column<'_> {
    /// Its elements in a row.
    fn at(&self, row: usize) -> Vec<i128> {
        let bits = self
            .bits
            .iter()
            .map(|slots| slots.get(row).copied().unwrap_or(false));
        self.ty.decode(&bytes_of(&bits.collect::<Vec<_>>()))
    }
}

fn decrypted(
    path: &Path,
    key: &SecretKey,
    vectors: &[Ciphertext],
) -> Result<Vec<Vec<bool>>, Failure> {
    let bits: Result<_, Error> = vectors.iter().map(|vector| key.decrypt(vector)).collect();
    bits.map_err(|error| {
        let message = format!("{}: does not decrypt: {error}", path.display());
        Failure::new(Code::Key, message)
    })
}
