//! One module a command. Each takes its arguments, prints its answer to standard output, and fails
//! with one line.

mod answering;
mod assembly;
mod cc;
mod check;
mod circuit;
mod compiling;
mod completions;
mod decrypt;
mod demo;
mod disasm;
mod encrypt;
mod fft;
mod given;
mod inspect;
mod key;
mod keygen;
mod man;
mod multiply;
mod papers;
mod params;
mod pipes;
mod plan;
mod profile;
mod protection;
mod remote;
mod run;
mod scale;
mod selectors;
mod serve;
mod symbols;
mod tls;
mod token;
mod tuning;
mod warning;
mod worker;

pub(crate) use assembly::assembly;
pub(crate) use cc::cc;
pub(crate) use check::check;
pub(crate) use circuit::circuit;
pub(crate) use completions::completions;
pub(crate) use decrypt::decrypt;
pub(crate) use demo::demo;
pub(crate) use disasm::disasm;
pub(crate) use encrypt::encrypt;
pub(crate) use fft::fft;
pub(crate) use inspect::inspect;
pub(crate) use key::key;
pub(crate) use keygen::keygen;
pub(crate) use man::man;
pub(crate) use multiply::multiply;
pub(crate) use papers::{circuits, papers};
pub(crate) use params::params;
pub(crate) use plan::plan;
pub(crate) use profile::profile;
pub(crate) use remote::{admin, attend, cancel, fetch, jobs, status, submit, top};
pub(crate) use run::run;
pub(crate) use scale::scale;
pub(crate) use serve::serve;
pub(crate) use symbols::symbols;
pub(crate) use tls::tls;
pub(crate) use token::token;
pub(crate) use worker::worker;

use compiling::load;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::Path;

use engines::tfhe_lookup::{Calibration, calibrate_on};
use files::{Access, Existing, Reservation};
use session::program::{self, Program};
use tfhe::{Fft, Parameters};
use values::bytes_in_words as bytes;
use wire::{Kind, Record, WireError};

use crate::arguments::Set;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

impl Set {
    /// The parameters behind the name.
    pub(crate) fn parameters(self) -> Parameters {
        match self {
            Set::P16 => tfhe::P16,
            Set::P16Uniform => tfhe::P16_UNIFORM,
        }
    }
}

/// Says on standard error what is strange about a program in assembly.
fn warn(program: &Program) {
    let name = program::shown(Path::new(program.name()));
    for warning in program.image().warnings() {
        // If nobody reads it, the run will tell.
        let _ = writeln!(std::io::stderr(), "blindcore: warning: {name}:{warning}");
    }
}

/// Says what is worth knowing on standard error; nothing if it is to be quiet.
fn teller(quiet: bool) -> Box<dyn Fn(&str)> {
    Box::new(move |message| {
        if !quiet {
            // A run does not end because nobody reads about it.
            let _ = writeln!(std::io::stderr(), "blindcore: {message}");
        }
    })
}

/// Reads a file of ours.
fn read<R: Record>(path: &Path) -> Result<R, Failure> {
    files::read(path).map_err(|error: WireError| Failure::file(path, &error))
}

/// Refuses a file that belongs to another key pair than `key`.
pub(crate) fn same_key<F, K>(path: &Path, file: &F, key: &K) -> Result<(), Failure>
where
    F: Record,
    K: Record<Parameters = F::Parameters>,
{
    wire::match_keys(
        (file.parameters(), file.key_id()),
        (key.parameters(), key.key_id()),
    )
    .map_err(|error| Failure::file(path, &error))
}

/// Makes sure of a place for a file before the work begins whose result it will hold.
fn reserve<R: Record>(
    path: &Path,
    existing: Existing,
    interrupt: &Interrupt,
) -> Result<Reservation, Failure> {
    if pipes::is_pipe(path) {
        let message = "--out - is for `encrypt`, `run` and `decrypt`: name a file";
        return Err(Failure::new(Code::Usage, message));
    }
    reserve_for(R::KIND, path, existing, interrupt)
}

/// The same for a file of a kind.
fn reserve_for(
    kind: Kind,
    path: &Path,
    existing: Existing,
    interrupt: &Interrupt,
) -> Result<Reservation, Failure> {
    if pipes::is_pipe(path) && !kind.is_secret_key() {
        return pipes::output();
    }
    let reservation = Reservation::new(path, Access::of(kind), existing)
        .map_err(|error| Failure::file(path, &error))?;
    if let Some(temporary) = reservation.temporary() {
        interrupt.removes(temporary);
    }
    Ok(reservation)
}

/// Prints to standard output. A reader that has gone away (`| head`) is no failure; a full disk is.
fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::io(Path::new("standard output"), "write", &error))
        }
        _ => Ok(()),
    }
}

/// Prints a JSON document and a line feed.
fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}

/// This machine's times, measured without a key.
fn calibration(parameters: &Parameters, fft: Option<Fft>) -> Result<Calibration, Failure> {
    calibrate_on(parameters, fft.unwrap_or_else(Fft::detect))
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))
}

/// Worker threads: as asked for, else as many as the machine has.
fn threads(asked: Option<NonZeroUsize>) -> NonZeroUsize {
    asked
        .or_else(|| std::thread::available_parallelism().ok())
        .unwrap_or(NonZeroUsize::MIN)
}

/// Reports an error that only a defect of ours can cause.
fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::new(
        Code::Internal,
        format!("{error} (this is a defect: please report it)"),
    )
}
