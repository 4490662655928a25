//! Decryption to a table: CSV with a header of names, or a JSON array of objects.

use bgv::{Ciphertext, Error, SecretKey};
use processor::Type;
use processor::values::bytes_of;
use serde_json::Value;
use wire::bgv::{Inputs, Outputs};
use wire::{Kind, Variable, WireError};

use super::super::{internal, print, print_json, read, same_key};
use crate::arguments::Decrypt;
use crate::failure::{Code, Failure};
use crate::subject::from_wire;
use crate::values;

/// Decrypts a file and prints a row for each slot that has one.
pub(in super::super) fn decrypt(arguments: &Decrypt) -> Result<(), Failure> {
    let path = arguments.file.as_path();
    let wrong = |error: WireError| Failure::file(path, &error);
    let file: wire::bgv::SecretKey = read(&arguments.key)?;
    // Once, since the file may be a pipe.
    let (header, payload) = wire::read_container(path, None).map_err(wrong)?;
    let (variables, bits, rows) = if header.kind == Kind::BgvInputs {
        let inputs: Inputs = wire::decode_payload(&header, &payload).map_err(wrong)?;
        same_key(path, &inputs, &file)?;
        let key = file.open().map_err(wrong)?;
        let vectors = inputs.bits().expand(key.ring()).map_err(wrong)?;
        let bits = decrypted(path, &key, &vectors)?;
        (inputs.variables().to_vec(), bits, inputs.bits().rows())
    } else {
        let outputs: Outputs = wire::decode_payload(&header, &payload).map_err(wrong)?;
        same_key(path, &outputs, &file)?;
        let key = file.open().map_err(wrong)?;
        let secret = decrypted(path, &key, outputs.secret().vectors())?;
        let mut secret = secret.into_iter();
        let slots = key.parameters().slots();
        // Known bits are the same in every row.
        let all = outputs.bits().iter().map(|bit| match bit {
            wire::OutputBit::Clear(value) => vec![*value; slots],
            wire::OutputBit::Secret => secret.next().unwrap_or_else(|| vec![false; slots]),
        });
        let all = all.collect();
        (outputs.variables().to_vec(), all, outputs.secret().rows())
    };
    let mut columns = Vec::with_capacity(variables.len());
    let mut rest = bits.as_slice();
    for Variable { name, kind } in variables {
        let ty = from_wire(path, &name, &kind)?;
        let (own, after) = rest
            .split_at_checked(8 * ty.size() as usize)
            .ok_or_else(|| {
                wrong(WireError::Malformed {
                    reason: format!("there are not as many bits as {name} has"),
                })
            })?;
        rest = after;
        columns.push(Column {
            name,
            ty,
            bits: own,
        });
    }
    let rows = 0..rows as usize;
    if arguments.json {
        let rows = rows.map(|row| {
            let fields = columns.iter().map(|column| {
                (
                    column.name.clone(),
                    values::json(&column.ty, &column.at(row)),
                )
            });
            Value::Object(fields.collect())
        });
        return print_json(&Value::Array(rows.collect()));
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = columns.iter().map(|column| column.name.clone());
    writer.write_record(header).map_err(internal)?;
    for row in rows {
        let cells = columns
            .iter()
            .map(|column| unquoted(&column.ty, values::text(&column.ty, &column.at(row))));
        writer.write_record(cells).map_err(internal)?;
    }
    let text = writer
        .into_inner()
        .map_err(|error| internal(error.error()))?;
    print(&String::from_utf8_lossy(&text))
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
    name: String,
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
    path: &std::path::Path,
    key: &SecretKey,
    vectors: &[Ciphertext],
) -> Result<Vec<Vec<bool>>, Failure> {
    let bits: Result<_, Error> = vectors.iter().map(|vector| key.decrypt(vector)).collect();
    bits.map_err(|error| {
        let message = format!("{}: does not decrypt: {error}", path.display());
        Failure::new(Code::Key, message)
    })
}
