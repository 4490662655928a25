//! What a run over a table would cost on BGV.

use std::fmt;

use ::values::{bytes_in_words, duration_in_words};
use circuits::library::Architectures;
use session::schemes::bgv::{Estimate, PlannedCircuit, in_one_window, profile_without_parameters};
use session::{Control, Error};

use crate::Program;

/// A plan of a run over the rows of a table on BGV, with the parameters that [`Keys::for_table`] would
/// choose. [`Display`](fmt::Display) says it in words.
///
/// [`Keys::for_table`]: crate::Keys::for_table
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Control, Program, TablePlan};
///
/// let text = b".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n AND R0, R0, R1\n STORE R0, a";
/// let program = Program::from_bytes("both.hea", text)?.secret(["a", "b"])?;
/// let plan: TablePlan = program.plan_table(1000, &Control::default())?;
/// assert_eq!((plan.ands(), plan.depth(), plan.rows()), (16, 1, 1000));
/// assert_eq!(plan.batches(), 1000_u64.div_ceil(plan.slots() as u64));
/// assert!(plan.seconds() > 0.0 && plan.security() >= 128 && plan.log2_failure() <= -64.0);
/// assert!(plan.key_file_bytes() < plan.memory() && plan.to_string().contains("slots"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TablePlan {
    estimate: Estimate,
    parameters: String,
    slots: usize,
    security: u32,
    depth: u32,
}

impl TablePlan {
    pub(crate) fn new(program: &Program, rows: usize, control: &Control) -> Result<Self, Error> {
        let task = program.task()?;
        let task = in_one_window(task);
        let profile = profile_without_parameters(Architectures::default());
        let own = &program.program;
        let planned = PlannedCircuit::new(own, &task, &profile, &control.cancel)?;
        planned.refuse_obstacles(own)?;
        let choice = planned.choose(own, rows)?;
        Ok(Self {
            estimate: Estimate::new(&planned, &choice, rows, control.threads)?,
            parameters: choice.parameters.name(),
            slots: choice.parameters.slots(),
            security: choice.parameters.security().bits(),
            depth: choice.forecast.depth,
        })
    }

    /// Rows of the table.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.estimate.rows
    }

    /// Rows that one evaluation serves.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Evaluations for all rows.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.estimate.batches
    }

    /// ANDs of an evaluation: what nearly all of the time goes into.
    #[must_use]
    pub fn ands(&self) -> usize {
        self.estimate.cost.and
    }

    /// ANDs that wait for each other: what decides the parameters.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// About how long all evaluations take on this machine, in seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.estimate.seconds * self.estimate.batches as f64
    }

    /// Bytes of memory that a run takes: key, circuits, and at most the ciphertexts.
    #[must_use]
    pub fn memory(&self) -> u64 {
        self.estimate.peak_bytes + self.estimate.key_bytes + self.estimate.circuit_bytes
    }

    /// Bytes of the server's key in its file.
    #[must_use]
    pub fn key_file_bytes(&self) -> u64 {
        self.estimate.key_file_bytes
    }

    /// The parameters' name.
    #[must_use]
    pub fn parameters(&self) -> &str {
        &self.parameters
    }

    /// Bits of security that they have at least.
    #[must_use]
    pub fn security(&self) -> u32 {
        self.security
    }

    /// The logarithm, to base 2, of how often a slot is wrong at most.
    #[must_use]
    pub fn log2_failure(&self) -> f64 {
        bgv::FAILURE_LOG2
    }
}

impl fmt::Display for TablePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let threads = self.estimate.threads;
        writeln!(f, "ANDs          {}, depth {}", self.ands(), self.depth)?;
        writeln!(
            f,
            "parameters    {}, {} bits of security",
            self.parameters, self.security
        )?;
        writeln!(f, "slots         {}, each a row of values", self.slots)?;
        writeln!(
            f,
            "rows          {} in {} evaluations",
            self.rows(),
            self.batches()
        )?;
        let time = duration_in_words(self.seconds());
        writeln!(f, "time          {time} on {threads} threads")?;
        writeln!(f, "memory        {}", bytes_in_words(self.memory()))?;
        write!(f, "server key    {}", bytes_in_words(self.key_file_bytes()))
    }
}
