//! What a run's bootstraps are for: by function, source line and call stack, as text, JSON and a flame
//! graph, with advice on what costs much.
//!
//! ```
//! use std::path::Path;
//!
//! use blindcore_session::evaluator::Target;
//! use blindcore_session::profile::Profiled;
//! use blindcore_session::program::Execution;
//! use blindcore_session::schemes::tfhe::plan;
//! use blindcore_session::{Control, Program};
//! use circuits::exec::Cancel;
//!
//! let text = b".bits 16\n.data a\nmain:\n LOAD R0, a\n MUL R0, R0, R0\n STORE R0, a";
//! let program = Program::from_bytes(Path::new("square.hea"), text)?;
//! let task = program.task(&Execution::default(), program.declared(&["a".to_owned()], None)?)?;
//! let target = Target::of(&Control::default());
//! let planned = plan(program.image(), &task, &tfhe::P16, &target)?;
//! let found = Profiled::new(program.image(), &task, &planned.profile(), &Cancel::new())?;
//!
//! assert_eq!(found.bootstraps(), planned.plan.total().bootstraps as u64);
//! assert!(found.text(program.image(), target.threads, 10).contains("main"));
//! assert_eq!(found.document(program.image(), target.threads)["bootstraps"], found.bootstraps());
//! assert!(found.annotated(program.image(), None).contains("square.hea"));
//! assert!(found.flame_graph("square", program.image()).starts_with("<?xml"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod annotate;
mod flame;
mod hints;
mod report;

use std::num::NonZeroUsize;
use std::path::Path;

use circuits::Profile;
use circuits::exec::Cancel;
use processor::{Attribution, Program, RunError, Task};
use serde_json::Value;

pub use hints::Hint;

/// A run's bootstraps by what they are for, and what could be changed.
#[derive(Clone, Debug)]
pub struct Profiled {
    /// Every charge.
    pub attribution: Attribution,
    /// Advice, on the dearest first.
    pub hints: Vec<Hint>,
}

impl Profiled {
    /// Plans a run once more for a target, and charges its bootstraps.
    ///
    /// # Errors
    /// As for [`processor::attribute`].
    pub fn new(
        program: &Program,
        task: &Task,
        profile: &Profile,
        cancel: &Cancel,
    ) -> Result<Self, RunError> {
        let attribution = processor::attribute(program, task, profile, cancel)?;
        let hints = hints::hints(program, &attribution, profile);
        Ok(Self { attribution, hints })
    }

    /// All bootstraps.
    #[must_use]
    pub fn bootstraps(&self) -> u64 {
        report::total(&self.attribution)
    }

    /// Functions, lines and hints, at most `top` of each; the threads are those that it was planned for.
    #[must_use]
    pub fn text(&self, program: &Program, threads: NonZeroUsize, top: usize) -> String {
        report::text(program, &self.attribution, &self.hints, threads, top)
    }

    /// Everything.
    #[must_use]
    pub fn document(&self, program: &Program, threads: NonZeroUsize) -> Value {
        report::document(program, &self.attribution, &self.hints, threads)
    }

    /// The source with the costs of its lines, where it is found: at the places that the debugging
    /// information names, and in `folder`.
    #[must_use]
    pub fn annotated(&self, program: &Program, folder: Option<&Path>) -> String {
        annotate::annotated(program, &self.attribution, folder)
    }

    /// Call stacks as an SVG without scripts.
    #[must_use]
    pub fn flame_graph(&self, title: &str, program: &Program) -> String {
        flame::draw(title, &self.attribution.stacks(program))
    }
}
