//! What a face gives to a study: a way to stop it, a bar to show, a list of files to tidy up.

use std::path::Path;
use std::sync::Arc;

use circuits::exec::Cancel;

use crate::error::PapersError;

/// Progress of work of known size, in any unit of equal duration.
pub trait Steps: Send + Sync {
    /// Begins a part of the work, and says what it is.
    fn begin(&self, what: &str);
    /// The present part has reached that many units; may be called from several threads, in any
    /// order.
    fn reach(&self, units: u64);
    /// Takes the bar away, so that what is printed next stands alone.
    fn finish(&self);
}

/// Shows nothing.
struct Silent;

impl Steps for Silent {
    fn begin(&self, _: &str) {}
    fn reach(&self, _: u64) {}
    fn finish(&self) {}
}

/// What a face gives to a study.
pub struct Control {
    /// Stops the study. What was measured until then is still reported.
    pub cancel: Cancel,
    /// Shows the progress of that many units.
    pub steps: fn(u64) -> Arc<dyn Steps>,
    /// Called with each temporary file that has to be removed if the process ends before the study.
    pub leaves: Box<dyn Fn(&Path) + Send + Sync>,
}

impl Control {
    /// Nobody stops the study, and nothing is shown.
    #[must_use]
    pub fn silent() -> Self {
        Self {
            cancel: Cancel::new(),
            steps: |_| Arc::new(Silent),
            leaves: Box::new(|_| {}),
        }
    }

    /// A bar for that many units, unless nothing is to be shown.
    pub(crate) fn steps(&self, quiet: bool, units: u64) -> Arc<dyn Steps> {
        match quiet {
            true => Arc::new(Silent),
            false => (self.steps)(units),
        }
    }

    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    pub(crate) fn check(&self) -> Result<(), PapersError> {
        match self.cancel.is_cancelled() {
            true => Err(PapersError::Interrupted),
            false => Ok(()),
        }
    }
}
