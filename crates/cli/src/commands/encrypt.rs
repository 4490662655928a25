//! `blindcore encrypt`: values of a program's variables, for the holder of the server key. The key
//! is the owner's secret one, or the public one that the owner has published.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use circuits::exec::Cancel;

use files::{Existing, PendingFile};
use processor::Content;
use serde_json::{Value, json};
use session::owner::{EncryptionKey, TableBatch};
use session::program::{Execution, Program, Row, Table};
use session::schemes::bgv::refuse_too_deep as too_deep;
use session::schemes::scheme_of;
use session::{Control, ErrorKind, Progress};
use wire::{Kind, Role, Scheme, Variable, WireError};

use super::protection::KeyFile;
use super::warning;
use super::{bytes, load, pipes, print_json, reserve_for};
use crate::arguments::Encrypt;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::{Display, Steps, Watcher};

/// Encrypts the values and writes the inputs file.
pub(crate) fn encrypt(arguments: &Encrypt, interrupt: &Interrupt) -> Result<(), Failure> {
    pipes::refuse_json(arguments.json, &arguments.out)?;
    if scheme_of(&arguments.key) == Scheme::Bgv || Table::is_among(&arguments.values)? {
        return table(arguments, interrupt);
    }
    let program = load(&arguments.program)?;
    let mut assignments = Vec::new();
    for text in &arguments.values {
        assignments.extend(program.assignments(text)?);
    }
    let row = Row::new(&program, &assignments, arguments.call.as_ref())?;
    let mut report = String::new();
    for (Variable { name, kind }, given) in row.variables.iter().zip(&row.given) {
        report.push_str(&format!("{name}: {kind}"));
        if let zeros @ 1.. = (kind.elements() as usize).saturating_sub(*given) {
            report.push_str(&format!(", {given} values, then {zeros} zeros"));
        }
        report.push('\n');
    }

    // The key comes last: a wrong value is cheaper to find.
    wire::check_variables(&row.variables).map_err(|error| Failure::file(&arguments.out, &error))?;
    let key = KeyFile::new(&arguments.key, &arguments.unlocking).quietly(arguments.quiet);
    let file = sealed(
        key,
        &arguments.out,
        &row.variables,
        &row.bits,
        arguments.quiet,
        interrupt,
    )?;
    let (count, length) = (row.bits.len(), file.length());
    interrupt.check()?;
    file.commit()
        .map_err(|error| Failure::file(&arguments.out, &error))?;
    if arguments.json {
        let variables = row.variables.iter().zip(&row.given);
        let variables: Vec<Value> = variables
            .map(|(Variable { name, kind }, given)| {
                json!({ "name": name, "type": kind.to_string(), "given": given })
            })
            .collect();
        return print_json(&json!({
            "file": arguments.out,
            "bytes": length,
            "bits": count,
            "variables": variables,
        }));
    }
    if arguments.quiet {
        return Ok(());
    }
    let text = format!(
        "{report}{}: {count} encrypted bits, {}\n",
        arguments.out.display(),
        bytes(length)
    );
    pipes::tell(&arguments.out, &text)
}

/// Encrypts the bits of one row with a key of whichever scheme, into a file that waits for its
/// name.
pub(super) fn sealed(
    key: KeyFile<'_>,
    out: &Path,
    variables: &[Variable],
    bits: &[bool],
    quiet: bool,
    interrupt: &Interrupt,
) -> Result<PendingFile, Failure> {
    let scheme = scheme_of(key.path);
    if scheme == Scheme::Bgv {
        let message = format!(
            "{}: a key of BGV encrypts tables of values: use `encrypt`, `run` and `decrypt` with a program",
            key.path.display()
        );
        return Err(Failure::new(Code::Key, message));
    }
    let kind = Kind::of(scheme, Role::Inputs);
    let place = reserve_for(kind, out, Existing::ReplaceKind(kind), interrupt)?;
    let watcher = Arc::new(Watcher::new(quiet, Display::new(true)));
    let control = Control {
        cancel: interrupt.cancel(),
        observer: Some(watcher.observer()),
        ..Control::default()
    };
    let key = EncryptionKey::read(key.path, &control, || key.read())?;
    watcher.finish();
    let encryptor = key.encryptor();
    if let Some(parameters) = encryptor.broken_parameters().filter(|_| !quiet) {
        warning::warn(parameters);
    }
    let bytes = encryptor.encrypt(variables, bits, &control)?;
    place
        .fill(&bytes)
        .map_err(|error| Failure::file(out, &error))
}

/// How long a program is looked through before its inputs are encrypted.
const LOOK: Duration = Duration::from_secs(5);

/// Refuses a program that the key could not run, before inputs of hundreds of megabytes are
/// encrypted for it. What takes long to find out is left to `plan` and `run`.
fn refuse_too_deep(
    program: &Program,
    table: &Table,
    arguments: &Encrypt,
    (parameters, public): (&bgv::Parameters, bool),
    interrupt: &Interrupt,
) -> Result<(), Failure> {
    let call = arguments.call.as_ref();
    let inputs = table.variables.iter().map(|variable| {
        let named = program.find_input(&variable.name, Some(&variable.kind), call)?;
        Ok::<_, session::Error>((named, Content::Secret))
    });
    let execution = Execution {
        call: arguments.call.clone(),
        ..Execution::default()
    };
    let Ok(task) = program.task(&execution, inputs.collect::<Result<_, _>>()?) else {
        return Ok(());
    };
    let (cancel, asked) = (Cancel::new(), interrupt.cancel());
    let (done, ended) = mpsc::channel::<()>();
    let checked = thread::scope(|scope| {
        let (cancel, asked) = (&cancel, &asked);
        scope.spawn(move || {
            let begin = Instant::now();
            let tick = Duration::from_millis(20);
            while ended.recv_timeout(tick) == Err(RecvTimeoutError::Timeout) {
                if asked.is_cancelled() || begin.elapsed() > LOOK {
                    cancel.cancel();
                }
            }
        });
        let checked = too_deep(program, &task, parameters, public, cancel);
        drop(done);
        checked
    });
    interrupt.check()?;
    checked.map_err(|error| {
        let mut failure = Failure::from(error);
        let advice = "; `plan --engine bgv` names a set of parameters that is large enough for `keygen`, \
                      and --any-depth encrypts nevertheless, for a run that leaves something out (--output)";
        failure.message.push_str(advice);
        failure
    })
}

/// Encrypts a table and writes the inputs file, a batch at a time.
fn table(arguments: &Encrypt, interrupt: &Interrupt) -> Result<(), Failure> {
    let program = load(&arguments.program)?;
    let wrong = |error: WireError| Failure::file(&arguments.out, &error);
    let table = Table::read(&program, &arguments.values, arguments.call.as_ref())?;
    wire::check_variables(&table.variables).map_err(wrong)?;
    let key = KeyFile::new(&arguments.key, &arguments.unlocking).quietly(arguments.quiet);
    let key = EncryptionKey::read(key.path, &Control::default(), || key.read())?;
    let encryptor = key.encryptor();
    if let Some((parameters, public)) = encryptor.levelled().filter(|_| !arguments.any_depth) {
        refuse_too_deep(&program, &table, arguments, (parameters, public), interrupt)?;
    }
    let batches = encryptor.batches(table.rows).map_err(|error| {
        let message = format!("{}: {}", arguments.out.display(), error.message);
        session::Error::new(ErrorKind::Input, message)
    })?;
    let scheme = scheme_of(&arguments.key);
    let head = encryptor.head(table.rows)?;
    let kind = match head.is_empty() {
        true => Kind::of(scheme, Role::Inputs),
        false => Kind::of(scheme, Role::InputTable),
    };
    let place = reserve_for(kind, &arguments.out, Existing::ReplaceKind(kind), interrupt)?;
    let mut file = place.begin();
    file.append(&head).map_err(wrong)?;

    let vectors = table.width() as u64;
    let steps = Arc::new(Steps::new(arguments.quiet, u64::from(batches) * vectors));
    let observer = Arc::clone(&steps);
    let control = Control {
        cancel: interrupt.cancel(),
        observer: Some(Arc::new(move |progress| {
            if let Progress::Encryption { done, .. } = progress {
                observer.reach(done);
            }
        })),
        ..Control::default()
    };
    let slots = encryptor.slots();
    let part = if slots == 1 { "row" } else { "batch" };
    for number in 0..batches {
        steps.begin(format!("{part} {} of {batches}", number + 1));
        interrupt.check()?;
        let bits = table.batch(number, slots);
        let batch = TableBatch {
            rows: table.rows,
            number,
        };
        let bytes = encryptor.encrypt_batch(&table.variables, &bits, batch, &control)?;
        file.append(&bytes).map_err(wrong)?;
        steps.reach(vectors);
    }
    steps.finish();
    let file = file.finish().map_err(wrong)?;
    let length = file.length();
    interrupt.check()?;
    file.commit().map_err(wrong)?;
    if arguments.json {
        let variables = table.variables.iter();
        let variables: Vec<Value> = variables
            .map(|Variable { name, kind }| json!({ "name": name, "type": kind.to_string() }))
            .collect();
        return print_json(&json!({
            "file": arguments.out,
            "bytes": length,
            "bits": vectors,
            "rows": table.rows,
            "batches": batches,
            "slots": slots,
            "variables": variables,
        }));
    }
    if arguments.quiet {
        return Ok(());
    }
    let names: Vec<String> = table
        .variables
        .iter()
        .map(|variable| format!("{}: {}", variable.name, variable.kind))
        .collect();
    let rows = match table.rows {
        1 => "1 row".to_owned(),
        rows => format!("{rows} rows"),
    };
    let of_slots = match batches {
        _ if slots == 1 => String::new(),
        1 => format!(" in {slots} slots"),
        _ => format!(" in {batches} batches of {slots} slots"),
    };
    let text = format!(
        "{}\n{}: {rows} of {vectors} encrypted bits{of_slots}, {}\n",
        names.join("\n"),
        arguments.out.display(),
        bytes(length)
    );
    pipes::tell(&arguments.out, &text)
}
