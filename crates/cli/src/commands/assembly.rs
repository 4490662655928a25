//! `blindcore assembly`: checking and formatting texts in HE assembly.

use std::fs;
use std::io::Write;
use std::path::Path;

use assembly::{Datum, Diagnostic, TEXT_LIMIT, Unit, check, parse};

use super::print;
use crate::arguments::{Assembly, AssemblyCheck, AssemblyFormat};
use crate::failure::{Code, Failure};
use session::Program;
use session::program::shown;

/// Does what is asked of a text.
pub(crate) fn assembly(arguments: &Assembly) -> Result<(), Failure> {
    match arguments {
        Assembly::Check(arguments) => check_all(arguments),
        Assembly::Format(arguments) => format_all(arguments),
    }
}

/// Reads a text that is not too long.
fn read(path: &Path) -> Result<String, Failure> {
    let open = |error| Failure::io(path, "open", &error);
    let length = fs::metadata(path).map_err(open)?.len();
    if length > TEXT_LIMIT as u64 {
        let message = format!(
            "{}: {length} bytes; the limit of an assembly text is {TEXT_LIMIT}",
            path.display()
        );
        return Err(Failure::new(Code::Program, message));
    }
    let bytes = fs::read(path).map_err(|error| Failure::io(path, "read", &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{}: no text: byte {at} is not UTF-8", path.display());
        Failure::new(Code::Program, message)
    })
}

/// Prints what is wrong with each file, or what it consists of.
fn check_all(arguments: &AssemblyCheck) -> Result<(), Failure> {
    let mut wrong = 0;
    for path in &arguments.files {
        let text = read(path)?;
        let checked = parse(&text).and_then(|source| check(&source));
        let name = shown(path);
        let render = |found: &[Diagnostic]| -> String {
            found.iter().map(|one| one.render(&name, &text)).collect()
        };
        let report = match &checked {
            Err(errors) => {
                wrong += 1;
                render(errors)
            }
            Ok(unit) => {
                let words = Program::from_bytes(path, text.as_bytes())?.code_words();
                format!(
                    "{}{name}: {}\n",
                    render(&unit.warnings),
                    summary(unit, words)
                )
            }
        };
        print(&report)?;
    }
    match wrong {
        0 => Ok(()),
        wrong => {
            let message = match (wrong, arguments.files.as_slice()) {
                (_, [path]) => format!("{}: cannot be assembled", path.display()),
                (1, _) => "a file cannot be assembled".to_owned(),
                _ => format!("{wrong} files cannot be assembled"),
            };
            Err(Failure::new(Code::Program, message))
        }
    }
}

/// What a program consists of.
fn summary(unit: &Unit, words: u32) -> String {
    let data = |datum: &Datum| match datum.array {
        true => format!("{}[{}]", datum.name, datum.count),
        false => datum.name.clone(),
    };
    let names: Vec<String> = unit.data.iter().take(8).map(data).collect();
    let more = if unit.data.len() > 8 { ", …" } else { "" };
    let data = match names.join(", ") {
        none if none.is_empty() => "no data".to_owned(),
        names => format!("data {names}{more}"),
    };
    format!(
        "{} instructions, {words} of A32; {} registers of {} bits; {data}",
        unit.steps.len(),
        unit.registers,
        unit.width.bits(),
    )
}

/// Formats each file: to standard output, in its place, or only to compare.
fn format_all(arguments: &AssemblyFormat) -> Result<(), Failure> {
    let mut different = Vec::new();
    for path in &arguments.files {
        let text = read(path)?;
        let formatted = match parse(&text) {
            Ok(source) => source.to_string(),
            Err(errors) => return Err(refused(path, &errors)),
        };
        if arguments.check {
            if formatted != text {
                different.push(path.display().to_string());
            }
        } else if !arguments.write {
            print(&formatted)?;
        } else if formatted != text {
            replace(path, &formatted).map_err(|error| Failure::io(path, "write", &error))?;
        }
    }
    if different.is_empty() {
        return Ok(());
    }
    let names = different.join(" ");
    let message = format!("not formatted: run `blindcore assembly format --write {names}`");
    Err(Failure::new(Code::Program, message))
}

/// A text that cannot be formatted, because it cannot be read.
fn refused(path: &Path, errors: &[Diagnostic]) -> Failure {
    let first = errors.first().map(ToString::to_string).unwrap_or_default();
    let message = format!("{}:{first}", path.display());
    Failure::new(Code::Program, message)
}

/// Replaces a file at once, so that a full disk loses nothing; its permissions stay.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let permissions = fs::metadata(path)?.permissions();
    // The name that a link leads to.
    let path = fs::canonicalize(path)?;
    let directory = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(permissions)?;
    file.persist(&path)?;
    Ok(())
}
