//! A plan with what its run must know of it.

use std::num::NonZeroUsize;

use circuits::Profile;
use circuits::library::Architectures;
use processor::Plan;
use tfhe::Fft;

use super::{EvaluationError, check_given, check_storable};
use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::program::Program;
use crate::schemes::Adapter;
use crate::schemes::tfhe::Selectors;

/// What a run is planned for, beside the parameters of its key.
#[derive(Clone, Debug)]
pub struct Target {
    /// Threads of the run.
    pub threads: NonZeroUsize,
    /// Forms of functional units that are asked for.
    pub architectures: Architectures,
    /// The FFT processor of TFHE; this machine's fastest if none is named.
    pub fft: Option<Fft>,
    /// Where the second part of TFHE's server key is, if anything is to use it.
    pub selectors: Selectors,
}

impl Target {
    /// The forms of units that the library would choose, on the control's threads.
    #[must_use]
    pub fn of(control: &Control) -> Self {
        Self {
            threads: control.threads,
            architectures: Architectures::default(),
            fft: None,
            selectors: Selectors::default(),
        }
    }
}

/// A plan, and what the engine must know to record circuits as the plan did: threads,
/// architectures, how wide.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    pub(crate) profile: Profile,
    /// Whether instructions take the fewest operations, and leave it to their neighbours to fill
    /// the threads; only TFHE plans both ways.
    pub is_wide: bool,
}

impl Planned {
    /// What the engine must know.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile.clone()
    }

    /// Refuses a program that would stop, or that would ask where nobody answers.
    ///
    /// # Errors
    /// Those of a run; [`ErrorKind::Secret`] for a question.
    pub fn refuse_obstacles<A: Adapter>(
        &self,
        program: &Program,
        somebody_answers: bool,
    ) -> Result<(), Error> {
        let unanswered = (!somebody_answers).then_some(A::UNANSWERED);
        refuse_obstacles(program, &self.plan, unanswered)
    }

    /// Refuses outputs that do not fit a file, for finding out before the work.
    ///
    /// # Errors
    /// [`EvaluationError::Wire`].
    pub fn check_storable(&self) -> Result<(), EvaluationError> {
        check_storable(&self.plan)
    }

    /// Refuses a run that reads variables which nobody gave.
    ///
    /// # Errors
    /// [`EvaluationError::Unset`].
    pub fn check_given(&self) -> Result<(), EvaluationError> {
        check_given(&self.plan)
    }
}

/// Refuses a program that would stop, or that would ask where nobody answers, for which
/// `unanswered` is the reason.
pub(crate) fn refuse_obstacles(
    program: &Program,
    plan: &Plan,
    unanswered: Option<&str>,
) -> Result<(), Error> {
    if let Some(obstacle) = plan.obstacle() {
        return Err(program.error(&obstacle));
    }
    let (Some(question), Some(reason)) = (&plan.question, unanswered) else {
        return Ok(());
    };
    let message = format!(
        "{}: {}: the program asks the key's owner here{reason}",
        program.name(),
        question.site
    );
    Err(Error::new(ErrorKind::Secret, message))
}
