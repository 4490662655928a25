//! Which functions and source lines a run's bootstraps are for.

use std::fmt;
use std::num::NonZeroUsize;
use std::path::Path;

use processor::{FunctionCost, LineCost};
use session::profile::{Hint, Profiled};

/// What a run's bootstraps are for. [`Display`](fmt::Display) says it in words: functions and lines, the
/// dearest first, and what could be changed.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Profile, Program};
///
/// let text = b".bits 16\n.data a\nmain:\n LOAD R0, a\n MUL R0, R0, R0\n STORE R0, a";
/// let program = Program::from_bytes("square.hea", text)?.secret(["a"])?;
/// let profile: Profile = program.profile()?;
/// assert_eq!(profile.bootstraps() as usize, program.plan()?.bootstraps());
/// assert_eq!(profile.functions()[0].own, profile.bootstraps());
/// assert_eq!(profile.lines()[0].line, Some(("square.hea".to_owned(), 5)));
/// assert!(profile.hints().is_empty() || profile.to_string().contains("hints"));
/// assert!(profile.flame_graph().contains("</svg>"));
/// assert!(profile.annotated().contains("square.hea"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Profile {
    pub(crate) found: Profiled,
    pub(crate) program: session::Program,
    pub(crate) threads: NonZeroUsize,
}

impl Profile {
    /// All bootstraps, as [`Plan::bootstraps`](crate::Plan::bootstraps) counts them.
    #[must_use]
    pub fn bootstraps(&self) -> u64 {
        self.found.bootstraps()
    }

    /// Whether the plan reached the program's end; what comes after costs more where it did not.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.found.attribution.plan.complete
    }

    /// By function, the dearest first.
    #[must_use]
    pub fn functions(&self) -> Vec<FunctionCost> {
        self.found.attribution.functions(self.program.image())
    }

    /// By source line, the dearest first.
    #[must_use]
    pub fn lines(&self) -> Vec<LineCost> {
        self.found.attribution.lines(self.program.image())
    }

    /// Advice, on the dearest first.
    #[must_use]
    pub fn hints(&self) -> &[Hint] {
        &self.found.hints
    }

    /// The source with the costs of its lines, where its files are found.
    #[must_use]
    pub fn annotated(&self) -> String {
        let folder = Path::new(self.program.name()).parent();
        self.found.annotated(self.program.image(), folder)
    }

    /// Call stacks as bars upon each other, as wide as what they cost: an SVG without scripts.
    #[must_use]
    pub fn flame_graph(&self) -> String {
        self.found
            .flame_graph(self.program.name(), self.program.image())
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let everything = usize::MAX;
        let text = self
            .found
            .text(self.program.image(), self.threads, everything);
        f.write_str(text.trim_end())
    }
}
