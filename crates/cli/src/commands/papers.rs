//! `blindcore papers` and `blindcore circuits`: studies of the crate `papers`, printed.

use std::sync::Arc;

use papers::{Circuits, Control, Delivered, Papers, PapersError, Steps};

use super::print;
use super::tuning::tune;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress;

/// Reproduces the tables of one paper.
pub(crate) fn papers(arguments: &Papers, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    if let Papers::Multiplier(_) | Papers::All(_) = arguments {
        tune(|| ())?;
    }
    deliver(::papers::papers(arguments, &control(interrupt)))
}

/// Lays every unit of the library beside its other architectures.
pub(crate) fn circuits(arguments: &Circuits, interrupt: &Arc<Interrupt>) -> Result<(), Failure> {
    deliver(::papers::circuits(arguments, &control(interrupt)))
}

pub(super) fn control(interrupt: &Arc<Interrupt>) -> Control {
    let tidy = Arc::clone(interrupt);
    Control {
        cancel: interrupt.cancel(),
        steps: |units| Arc::new(progress::Steps::new(false, units)),
        leaves: Box::new(move |path| tidy.removes(path)),
    }
}

impl Steps for progress::Steps {
    fn begin(&self, what: &str) {
        progress::Steps::begin(self, what);
    }

    fn reach(&self, units: u64) {
        progress::Steps::reach(self, units);
    }

    fn finish(&self) {
        progress::Steps::finish(self);
    }
}

/// Prints the report. What an interrupted study measured is printed too, but such a command fails.
pub(super) fn deliver(study: Result<Delivered, PapersError>) -> Result<(), Failure> {
    let delivered = study.map_err(failure)?;
    print(&delivered.text)?;
    if delivered.interrupted {
        let message = "interrupted: the report holds what was measured until then";
        return Err(Failure::new(Code::Interrupted, message));
    }
    Ok(())
}

pub(super) fn failure(error: PapersError) -> Failure {
    Failure::new(code(&error), error.to_string())
}

fn code(error: &PapersError) -> Code {
    match error {
        PapersError::Arguments { .. } => Code::Usage,
        PapersError::Occupied { .. } | PapersError::Io { .. } => Code::Io,
        PapersError::Interrupted => Code::Interrupted,
        _ => Code::Internal,
    }
}
