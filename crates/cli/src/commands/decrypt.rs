//! `blindcore decrypt`: values, not bits.

use std::path::Path;

use serde_json::Value;
use session::owner::{Decrypted, SecretKey, decrypt as decrypt_file};
use values::Type;
use wire::Scheme;

use super::protection::KeyFile;
use super::{internal, print, print_json};
use crate::arguments::Decrypt;
use crate::failure::{Code, Failure};

/// Decrypts a file and prints its variables. Nothing is printed unless all of it is right.
pub(crate) fn decrypt(arguments: &Decrypt) -> Result<(), Failure> {
    let key = KeyFile::new(&arguments.key, &arguments.unlocking).read()?;
    let batches = decrypted(&key, &arguments.file)?;
    let is_table = key.scheme() == Scheme::Bgv;
    let rows = batches
        .iter()
        .flat_map(|batch| (0..batch.rows()).map(move |row| batch.row(row)));
    if arguments.json {
        let mut documents: Vec<Value> = rows
            .map(|row| {
                let fields =
                    row.map(|(name, ty, elements)| (name.to_owned(), values::json(ty, &elements)));
                Value::Object(fields.collect())
            })
            .collect();
        return match documents.pop() {
            Some(only) if !is_table => print_json(&only),
            last => {
                documents.extend(last);
                print_json(&Value::Array(documents))
            }
        };
    }
    if !is_table {
        let lines = rows
            .flatten()
            .map(|(name, ty, elements)| format!("{name} = {}\n", values::text(ty, &elements)));
        return print(&lines.collect::<String>());
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    if let Some(first) = batches.first() {
        writer.write_record(first.names()).map_err(internal)?;
    }
    for row in rows {
        let cells = row.map(|(_, ty, elements)| unquoted(ty, values::text(ty, &elements)));
        writer.write_record(cells).map_err(internal)?;
    }
    let text = writer
        .into_inner()
        .map_err(|error| internal(error.error()))?;
    print(&String::from_utf8_lossy(&text))
}

/// The batches of a file of outputs, or of inputs.
fn decrypted(key: &SecretKey, path: &Path) -> Result<Vec<Decrypted>, Failure> {
    let source = files::containers(path).map_err(|error| Failure::file(path, &error))?;
    let mut batches = Vec::new();
    decrypt_file(key, &path.display().to_string(), source, &mut |batch| {
        batches.push(batch);
        Ok(())
    })?;
    Ok(batches)
}

/// The single values of a file.
pub(super) fn decrypted_row(key: KeyFile<'_>, path: &Path) -> Result<Decrypted, Failure> {
    let secret = key.read()?;
    if secret.scheme() == Scheme::Bgv {
        let message = format!(
            "{}: a key of BGV encrypts tables of values: use `encrypt`, `run` and `decrypt` with a program",
            key.path.display()
        );
        return Err(Failure::new(Code::Key, message));
    }
    let mut batches = decrypted(&secret, path)?;
    batches
        .pop()
        .ok_or_else(|| internal("a file without values"))
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
