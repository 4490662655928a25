//! `blindcore decrypt`: values, not bits.

use std::path::Path;

use files::{Access, Existing};
use serde_json::Value;
use session::owner::{Decrypted, SecretKey, decrypt as decrypt_file};
use values::Type;
use wire::{Containers, Scheme};

use super::protection::KeyFile;
use super::{internal, pipes, print};
use crate::arguments::Decrypt;
use crate::failure::{Code, Failure};

/// Decrypts a file and shows its variables. Nothing is shown unless all of it is right.
pub(crate) fn decrypt(arguments: &Decrypt) -> Result<(), Failure> {
    let key = KeyFile::new(&arguments.key, &arguments.unlocking).read()?;
    let mut batches = decrypted(&key, &arguments.file)?;
    if !arguments.only.is_empty() {
        let name = arguments.file.display().to_string();
        let chosen = batches.into_iter();
        let chosen = chosen.map(|batch| batch.only(&name, &arguments.only));
        batches = chosen.collect::<Result<_, _>>()?;
    }
    let text = match arguments.json {
        true => format!("{:#}\n", document(&batches)),
        false if is_table(&batches) => table(&batches)?,
        false => lines(&batches),
    };
    let Some(out) = arguments.out.as_ref().filter(|out| !pipes::is_pipe(out)) else {
        return print(&text);
    };
    let existing = match arguments.force {
        true => Existing::Replace,
        false => Existing::Keep,
    };
    files::write_atomically(out, text.as_bytes(), Access::OwnerOnly, existing)
        .map_err(|error| Failure::file(out, &error))
}

/// Whether they are rows of a table, which may have any number of them.
fn is_table(batches: &[Decrypted]) -> bool {
    batches.first().is_some_and(Decrypted::is_table)
}

/// An object of names and values; of a table a list of them.
fn document(batches: &[Decrypted]) -> Value {
    let object = |(batch, row): (&Decrypted, usize)| {
        let fields = batch.row(row);
        let fields =
            fields.map(|(name, ty, elements)| (name.to_owned(), values::json(ty, &elements)));
        values::document(fields)
    };
    let mut documents: Vec<Value> = rows(batches).map(object).collect();
    match documents.pop() {
        Some(only) if !is_table(batches) => only,
        last => {
            documents.extend(last);
            Value::Array(documents)
        }
    }
}

/// A line for each variable.
fn lines(batches: &[Decrypted]) -> String {
    let fields = rows(batches).flat_map(|(batch, row)| batch.row(row));
    fields
        .map(|(name, ty, elements)| format!("{name} = {}\n", values::text(ty, &elements)))
        .collect()
}

fn rows(batches: &[Decrypted]) -> impl Iterator<Item = (&Decrypted, usize)> {
    let each = batches.iter();
    each.flat_map(|batch| (0..batch.rows()).map(move |row| (batch, row)))
}

/// CSV with a header line.
fn table(batches: &[Decrypted]) -> Result<String, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    if let Some(first) = batches.first() {
        writer.write_record(first.names()).map_err(internal)?;
    }
    for (batch, row) in rows(batches) {
        let fields = batch.row(row);
        let cells = fields.map(|(_, ty, elements)| unquoted(ty, values::text(ty, &elements)));
        writer.write_record(cells).map_err(internal)?;
    }
    let text = writer
        .into_inner()
        .map_err(|error| internal(error.error()))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The batches of a file of outputs, or of inputs.
fn decrypted(key: &SecretKey, path: &Path) -> Result<Vec<Decrypted>, Failure> {
    let mut batches = Vec::new();
    let mut take = |batch| {
        batches.push(batch);
        Ok(())
    };
    if pipes::is_pipe(path) {
        let source = Containers::new(pipes::input("a file of outputs")?);
        decrypt_file(key, pipes::INPUT, source, &mut take)?;
    } else {
        let source = files::containers(path).map_err(|error| Failure::file(path, &error))?;
        decrypt_file(key, &path.display().to_string(), source, &mut take)?;
    }
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
