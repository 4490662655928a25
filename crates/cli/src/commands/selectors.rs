//! The second part of a server key: made with a key pair, or later of a secret
//! key that is there (`key selectors`).

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::Existing;
use serde_json::json;
use session::owner::generate_selectors;
use session::schemes::tfhe::Selectors;
use session::{Control, Progress};
use tfhe::leveled::SeededLeveledKey;
use wire::{Kind, Record, WireError};

use super::protection::KeyFile;
use super::{bytes, print, print_json, reserve, threads};
use crate::arguments::KeySelectors;
use crate::failure::{Code, Failure};
use crate::hardening;
use crate::interrupt::Interrupt;
use crate::progress::Steps;

/// Units of progress in all.
const UNITS: u64 = 1000;

/// What a selector key is for.
pub(super) const USES: &str = "the second part of the server key, for choices by secrets; `run` uses it where it lies beside NAME.server";

/// What a plan counts on: the selector key that `keygen` makes, unless it is told otherwise.
pub(super) fn expected(is_without: bool) -> Selectors {
    match is_without {
        true => Selectors::Unused,
        false => Selectors::Beside,
    }
}

/// Makes the selector key of a key pair that is there, into a file of its own.
pub(super) fn add(arguments: &KeySelectors, interrupt: &Interrupt) -> Result<(), Failure> {
    hardening::begin();
    let out = match &arguments.out {
        Some(path) => path.clone(),
        None => beside(&arguments.key)?,
    };
    if !arguments.force && out.symlink_metadata().is_ok() {
        return Err(Failure::file(&out, &WireError::exists()));
    }
    let secret = KeyFile::new(&arguments.key, &arguments.unlocking).read_tfhe()?;
    let existing = match arguments.force {
        true => Existing::ReplaceKind(Kind::SELECTOR_KEY),
        false => Existing::Keep,
    };
    let place = reserve::<SeededLeveledKey>(&out, existing, interrupt)?;
    let key = generated(&secret, arguments.json, arguments.threads, interrupt)?;
    let wrong = |error: WireError| Failure::file(&out, &error);
    let file = wire::encode(&key).and_then(|bytes| place.fill_and_erase(bytes));
    let file = file.map_err(wrong)?;
    let length = file.length();
    interrupt.check()?;
    file.commit().map_err(wrong)?;
    if arguments.json {
        return print_json(&json!({
            "selectors": out.display().to_string(),
            "selectors_bytes": length,
            "parameters": key.parameters().name(),
            "key": Record::key_id(&key).to_string(),
        }));
    }
    print(&line(&out, length))
}

/// The key, with progress: it takes some seconds.
pub(super) fn generated(
    secret: &tfhe::SecretKey,
    quiet: bool,
    asked: Option<NonZeroUsize>,
    interrupt: &Interrupt,
) -> Result<SeededLeveledKey, Failure> {
    let (steps, control) = watched(
        quiet,
        "a selector key".to_owned(),
        threads(asked),
        interrupt,
    );
    let key = generate_selectors(secret, &control);
    steps.finish();
    Ok(key?)
}

/// Shows how far the making of keys is.
pub(super) fn watched(
    quiet: bool,
    what: String,
    threads: NonZeroUsize,
    interrupt: &Interrupt,
) -> (Arc<Steps>, Control) {
    let steps = Arc::new(Steps::new(quiet, UNITS));
    steps.begin(what);
    let observer = Arc::clone(&steps);
    let control = Control {
        threads,
        cancel: interrupt.cancel(),
        observer: Some(Arc::new(move |progress| {
            if let Progress::Keys { done, of } = progress {
                observer.reach(UNITS * done / of);
            }
        })),
        ..Control::default()
    };
    (steps, control)
}

/// What is printed of a selector key that was written.
pub(super) fn line(path: &Path, length: u64) -> String {
    format!(
        "{}: the selector key, {}; {USES}\n",
        path.display(),
        bytes(length)
    )
}

/// NAME.selectors beside NAME.secret.
fn beside(secret: &Path) -> Result<PathBuf, Failure> {
    if secret.extension().is_some_and(|ending| ending == "secret") {
        return Ok(secret.with_extension("selectors"));
    }
    let message = format!(
        "{}: not called NAME.secret, so that its selector key has no name: give --out FILE",
        secret.display()
    );
    Err(Failure::new(Code::Usage, message))
}
