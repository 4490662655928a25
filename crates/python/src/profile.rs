//! Which functions and source lines a run's bootstraps are for.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Which functions and source lines a run's bootstraps are for. ``str(profile)`` says it in words, and a
/// notebook shows a flame graph: call stacks as bars upon each other, as wide as what they cost.
#[pyclass(frozen, module = "blindcore")]
pub struct Profile(pub(crate) blindcore::Profile);

#[pymethods]
impl Profile {
    /// All bootstraps, as ``Program.plan`` counts them.
    #[getter]
    fn bootstraps(&self) -> u64 {
        self.0.bootstraps()
    }

    /// Whether the program was followed to its end; what comes after costs more where it was not.
    #[getter]
    fn complete(&self) -> bool {
        self.0.is_complete()
    }

    /// By function, the dearest first: mappings of ``name``, ``own``, ``with_callees``.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let costs = self.0.functions().into_iter();
        let row = |cost: blindcore::processor::FunctionCost| {
            let row = PyDict::new(py);
            row.set_item("name", cost.name)?;
            row.set_item("own", cost.own)?;
            row.set_item("with_callees", cost.with_callees)?;
            Ok(row)
        };
        costs.map(row).collect()
    }

    /// By source line, the dearest first: mappings of ``file``, ``line``, ``functions``,
    /// ``bootstraps``. File and line are ``None`` for programs that were compiled without ``-g``.
    #[getter]
    fn lines<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let costs = self.0.lines().into_iter();
        let row = |cost: blindcore::processor::LineCost| {
            let (file, line) = cost.line.unzip();
            let row = PyDict::new(py);
            row.set_item("file", file)?;
            row.set_item("line", line)?;
            row.set_item("functions", cost.functions)?;
            row.set_item("bootstraps", cost.bootstraps)?;
            Ok(row)
        };
        costs.map(row).collect()
    }

    /// What could be changed, the dearest first: mappings of ``place``, ``bootstraps``, ``times``,
    /// ``advice``.
    #[getter]
    fn hints<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let row = |hint: &blindcore::Hint| {
            let row = PyDict::new(py);
            row.set_item("place", &hint.place)?;
            row.set_item("bootstraps", hint.bootstraps)?;
            row.set_item("times", hint.times)?;
            row.set_item("advice", &hint.advice)?;
            Ok(row)
        };
        self.0.hints().iter().map(row).collect()
    }

    /// The flame graph, an SVG without scripts.
    #[getter]
    fn flame_graph(&self) -> String {
        self.0.flame_graph()
    }

    /// The source with the bootstraps of each line beside it, where its files are found.
    fn annotated(&self) -> String {
        self.0.annotated()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let (bootstraps, functions) = (self.0.bootstraps(), self.0.functions().len());
        format!("<profile: {bootstraps} bootstraps of {functions} functions>")
    }

    fn _repr_html_(&self) -> String {
        let picture = self.0.flame_graph();
        // Within a page there is no prolog.
        let from = picture.find("<svg").unwrap_or(0);
        picture.get(from..).unwrap_or_default().to_owned()
    }
}
