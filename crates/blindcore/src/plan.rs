//! What a run would cost, and what it would show.

use std::fmt;

use ::values::{bytes_in_words, duration_in_words};
use processor::Finding;
use session::evaluator::Estimate;

/// A plan of a run on TFHE. [`Display`](fmt::Display) says it in words.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Branches, Otherwise, Plan, Program};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/gcd/gcd.elf");
/// let program = Program::open(path)?.secret(["a", "b"])?.branches(Branches {
///     otherwise: Otherwise::Ask,
///     ..Branches::default()
/// });
/// let plan: Plan = program.plan()?;
/// // What somebody has to answer is what the server learns.
/// assert_eq!(plan.leaks().len(), 1);
/// assert!(plan.seconds() > 0.0 && plan.depth() <= plan.bootstraps());
/// assert!(plan.memory() > 50_000_000, "the key alone has as much");
/// assert!(plan.details().instructions > 0 && plan.estimate().threads > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Plan {
    pub(crate) plan: processor::Plan,
    pub(crate) estimate: Estimate,
}

impl Plan {
    /// All that the processor found: instructions, windows, findings, selections, outputs.
    #[must_use]
    pub fn details(&self) -> &processor::Plan {
        &self.plan
    }

    /// All that a run would take.
    #[must_use]
    pub fn estimate(&self) -> &Estimate {
        &self.estimate
    }

    /// Bootstraps: what nearly all of the time goes into.
    #[must_use]
    pub fn bootstraps(&self) -> usize {
        self.estimate.bootstraps
    }

    /// Bootstraps that wait for each other.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.estimate.depth
    }

    /// About how long a run takes on this machine, in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.estimate.seconds
    }

    /// Bytes of memory that a run takes at the least: ciphertexts, key and circuits.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.estimate.memory()
    }

    /// Whether the program would run to its end without asking anybody.
    #[must_use]
    pub fn is_runnable(&self) -> bool {
        self.plan.is_runnable() && self.plan.question.is_none()
    }

    /// Names of the outputs.
    pub fn outputs(&self) -> impl Iterator<Item = &str> {
        self.plan.outputs.iter().map(|output| output.name.as_str())
    }

    /// What the run would show to whoever runs it, a line each: instructions that branch on a
    /// secret and would have to be answered. Empty for a program that shows nothing.
    #[must_use]
    pub fn leaks(&self) -> Vec<String> {
        let question = self.plan.question.iter();
        question
            .map(|question| {
                format!(
                    "{}: asks which way a branch on a secret goes",
                    question.site
                )
            })
            .collect()
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = &self.plan;
        writeln!(
            f,
            "instructions  {}, of which {} on secret data",
            plan.instructions, plan.secret_instructions
        )?;
        writeln!(
            f,
            "bootstraps    {}, depth {}",
            self.bootstraps(),
            self.depth()
        )?;
        writeln!(
            f,
            "time          {} on {} threads",
            duration_in_words(self.seconds()),
            self.estimate.threads
        )?;
        writeln!(f, "memory        {}", bytes_in_words(self.memory()))?;
        for output in &plan.outputs {
            writeln!(f, "output        {}: {}", output.name, output.ty)?;
        }
        for finding in &plan.findings {
            match finding {
                Finding::Branch(site) | Finding::Target(site) => {
                    writeln!(f, "branch        {site} is on a secret")?;
                }
                Finding::Unmerged(_, unmerged) => writeln!(f, "not joined    {unmerged}")?,
                Finding::Address(site, _) => {
                    writeln!(f, "address       {site} is secret, its object unknown")?;
                }
            }
        }
        match self.leaks().as_slice() {
            [] => write!(f, "leaks         nothing"),
            leaks => write!(f, "leaks         {}", leaks.join("\n              ")),
        }
    }
}
