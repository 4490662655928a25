//! What a run would cost, and what it would show.

use std::sync::Arc;

use processor::Site;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::symbols::Variable;

/// What a run of a program would cost on this machine with TFHE, and what stands in its way.
/// ``str(plan)`` says it in words, and a notebook shows a table.
#[pyclass(frozen, module = "blindcore")]
pub struct Plan(pub(crate) Arc<blindcore::Plan>);

/// A place where a program does with secrets what a run cannot do unasked.
#[pyclass(frozen, eq, hash, module = "blindcore")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Finding {
    /// ``"branch"``, ``"jump"``, ``"address"`` or ``"question"``.
    #[pyo3(get)]
    kind: &'static str,
    /// The instruction in its place, in words.
    #[pyo3(get)]
    site: String,
    /// The function that it lies in, if that is known.
    #[pyo3(get)]
    symbol: Option<String>,
    /// The source's file, if it is known.
    #[pyo3(get)]
    file: Option<String>,
    /// The source's line, if it is known.
    #[pyo3(get)]
    line: Option<u32>,
}

impl Finding {
    fn new(kind: &'static str, site: &Site) -> Self {
        let (file, line) = site.place.line.clone().unzip();
        Self {
            kind,
            site: site.to_string(),
            symbol: site.place.symbol.clone().map(|(symbol, _)| symbol),
            file,
            line,
        }
    }
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        format!("<{} on a secret: {}>", self.kind, self.site)
    }
}

#[pymethods]
impl Plan {
    /// Bootstraps: what nearly all of the time goes into.
    #[getter]
    fn bootstraps(&self) -> usize {
        self.0.bootstraps()
    }

    /// Bootstraps that wait for each other.
    #[getter]
    fn depth(&self) -> usize {
        self.0.depth()
    }

    /// About how long a run takes on this machine, in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds()
    }

    /// Bytes of memory that a run takes at the least.
    #[getter]
    fn memory(&self) -> u64 {
        self.0.memory()
    }

    /// Threads that it was planned for.
    #[getter]
    fn threads(&self) -> usize {
        self.0.estimate().threads
    }

    /// Instructions, and how many of them are on secret data.
    #[getter]
    fn instructions(&self) -> (u64, u64) {
        let plan = self.0.details();
        (plan.instructions, plan.secret_instructions)
    }

    /// The logarithm, to base 2, of how often a bootstrap is wrong at most.
    #[getter]
    fn log2_failure(&self) -> f64 {
        self.0.estimate().log2_failure
    }

    /// Whether the program would run to its end without asking anybody.
    #[getter]
    fn runnable(&self) -> bool {
        self.0.is_runnable()
    }

    /// What stands in the way of a run, and the first question that it would ask.
    #[getter]
    fn findings(&self) -> Vec<Finding> {
        use processor::Finding as Found;

        let plan = self.0.details();
        let found = plan.findings.iter().map(|finding| {
            let kind = match finding {
                Found::Branch(_) | Found::Unmerged(..) => "branch",
                Found::Target(_) => "jump",
                Found::Address(..) => "address",
            };
            Finding::new(kind, finding.site())
        });
        let asked = plan
            .question
            .iter()
            .map(|asked| Finding::new("question", &asked.site));
        found.chain(asked).collect()
    }

    /// What a run would show to whoever runs it, a line each; empty for a program that shows
    /// nothing.
    #[getter]
    fn leaks(&self) -> Vec<String> {
        self.0.leaks()
    }

    /// The outputs by name, with their types.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        for output in &self.0.details().outputs {
            named.set_item(&output.name, Variable::new(&output.name, Some(&output.ty)))?;
        }
        Ok(named)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let plan = &self.0;
        let threads = plan.estimate().threads;
        said(plan.bootstraps(), plan.depth(), plan.seconds(), threads)
    }

    fn _repr_html_(&self) -> String {
        table(&self.0.to_string())
    }
}

/// What evaluating a circuit would cost on this machine with TFHE. ``str(plan)`` says it in words, and
/// a notebook shows a table.
#[pyclass(frozen, module = "blindcore")]
pub struct CircuitPlan(pub(crate) blindcore::Estimate);

#[pymethods]
impl CircuitPlan {
    /// Bootstraps: what nearly all of the time goes into.
    #[getter]
    fn bootstraps(&self) -> usize {
        self.0.bootstraps
    }

    /// Bootstraps that wait for each other.
    #[getter]
    fn depth(&self) -> usize {
        self.0.depth
    }

    /// About how long an evaluation takes on this machine, in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds
    }

    /// Bytes of memory that it takes at the least.
    #[getter]
    fn memory(&self) -> u64 {
        self.0.memory()
    }

    /// Threads that it was planned for.
    #[getter]
    fn threads(&self) -> usize {
        self.0.threads
    }

    /// The logarithm, to base 2, of how often a bootstrap is wrong at most.
    #[getter]
    fn log2_failure(&self) -> f64 {
        self.0.log2_failure
    }

    fn __str__(&self) -> String {
        let plan = &self.0;
        format!(
            "bootstraps    {}, depth {}\n\
             time          {} on {} threads\n\
             memory        {}",
            plan.bootstraps,
            plan.depth,
            values::duration_in_words(plan.seconds),
            plan.threads,
            values::bytes_in_words(plan.memory()),
        )
    }

    fn __repr__(&self) -> String {
        let plan = &self.0;
        said(plan.bootstraps, plan.depth, plan.seconds, plan.threads)
    }

    fn _repr_html_(&self) -> String {
        table(&self.__str__())
    }
}

/// What a run over a table would cost on BGV. ``str(plan)`` says it in words, and a notebook shows a
/// table.
#[pyclass(frozen, module = "blindcore")]
pub struct TablePlan(pub(crate) blindcore::TablePlan);

#[pymethods]
impl TablePlan {
    /// Rows of the table.
    #[getter]
    fn rows(&self) -> usize {
        self.0.rows()
    }

    /// Rows that one evaluation serves.
    #[getter]
    fn slots(&self) -> usize {
        self.0.slots()
    }

    /// Evaluations for all rows.
    #[getter]
    fn batches(&self) -> u64 {
        self.0.batches()
    }

    /// ANDs of an evaluation: what nearly all of the time goes into.
    #[getter]
    fn ands(&self) -> usize {
        self.0.ands()
    }

    /// ANDs that wait for each other: what decides the parameters.
    #[getter]
    fn depth(&self) -> u32 {
        self.0.depth()
    }

    /// About how long all evaluations take on this machine, in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.0.seconds()
    }

    /// Bytes of memory that a run takes: key, circuits, and at most the ciphertexts.
    #[getter]
    fn memory(&self) -> u64 {
        self.0.memory()
    }

    /// Bytes of the server's key in its file.
    #[getter]
    fn key_file_bytes(&self) -> u64 {
        self.0.key_file_bytes()
    }

    /// The parameters' name.
    #[getter]
    fn parameters(&self) -> &str {
        self.0.parameters()
    }

    /// Bits of security that they have at least.
    #[getter]
    fn security(&self) -> u32 {
        self.0.security()
    }

    /// The logarithm, to base 2, of how often a slot is wrong at most.
    #[getter]
    fn log2_failure(&self) -> f64 {
        self.0.log2_failure()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let plan = &self.0;
        let time = values::duration_in_words(plan.seconds());
        let (ands, depth, rows) = (plan.ands(), plan.depth(), plan.rows());
        format!("<plan: {ands} ANDs, depth {depth}, {time} for {rows} rows>")
    }

    fn _repr_html_(&self) -> String {
        table(&self.0.to_string())
    }
}

fn said(bootstraps: usize, depth: usize, seconds: f64, threads: usize) -> String {
    let time = values::duration_in_words(seconds);
    format!("<plan: {bootstraps} bootstraps, depth {depth}, {time} on {threads} threads>")
}

/// Lines that begin with what they say, as a notebook's table.
fn table(lines: &str) -> String {
    let mut rows = String::new();
    for line in lines.lines() {
        let (name, value) = line.split_at_checked(14).unwrap_or((line, ""));
        let (name, value) = (escaped(name.trim()), escaped(value.trim()));
        rows.push_str(&format!("<tr><th>{name}</th><td>{value}</td></tr>"));
    }
    format!("<table class=\"blindcore-plan\">{rows}</table>")
}

/// Text as HTML has it: names come from files.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
