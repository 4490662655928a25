//! A run on this machine, and the questions that it may ask.

use std::path::PathBuf;

use blindcore::Rules;
use processor::{Asked, Site};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use session::policy::Allowance;

use crate::errors::{OrRaise, raised};
use crate::work::Asking;

/// A question of a run to the key's owner: where the program branches on a secret, and what an
/// answer would reveal. What the secret is, it does not say.
#[pyclass(frozen, module = "blindcore")]
pub struct Question(pub(crate) Asking);

#[pymethods]
impl Question {
    /// The instruction in its place, in words.
    #[getter]
    fn site(&self) -> &str {
        &self.0.site
    }

    /// The function that it lies in, if that is known.
    #[getter]
    fn symbol(&self) -> Option<&str> {
        self.0.symbol.as_deref()
    }

    /// The source's file, if it is known.
    #[getter]
    fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The source's line, if it is known.
    #[getter]
    fn line(&self) -> Option<u32> {
        self.0.line
    }

    /// The instruction.
    #[getter]
    fn instruction(&self) -> &str {
        &self.0.instruction
    }

    /// What is asked: ``"condition"``, ``"operands"`` or ``"target"``.
    #[getter]
    fn asks(&self) -> &str {
        self.0.asks
    }

    /// Bits that an answer reveals, as ``max_bits`` counts them: 2 for a branch, since that there is
    /// no answer tells something, too.
    #[getter]
    fn bits(&self) -> u64 {
        self.0.bits
    }

    fn __repr__(&self) -> String {
        let Asking {
            site, asks, bits, ..
        } = &self.0;
        format!("<question about a {asks} at {site}: reveals {bits} bits>")
    }
}

/// What a question at this site is about.
pub(crate) fn asking(site: &Site, asked: &Asked, bits: u64) -> Asking {
    let (file, line) = site.place.line.clone().unzip();
    let asks = match asked {
        Asked::Condition(_) => "condition",
        Asked::Operands { .. } => "operands",
        Asked::Target => "target",
    };
    Asking {
        site: site.to_string(),
        symbol: site.place.symbol.clone().map(|(symbol, _)| symbol),
        file,
        line,
        instruction: site.instruction.clone(),
        asks,
        bits,
    }
}

/// Who answers, and what.
pub(crate) struct Answering {
    pub(crate) rules: Rules,
    /// Who decides beside the rules.
    pub(crate) decide: Option<Py<PyAny>>,
    /// Where revealed bits are counted.
    pub(crate) ledger: PathBuf,
}

/// Rules of what may be answered: a function that decides, a list of sites as the command line
/// takes them (`"main"`, `"search+0x1c:20"`), or the text of a file of rules.
pub(crate) fn rules(
    allow: Option<&Bound<'_, PyAny>>,
    max_bits: Option<u64>,
    ledger: PathBuf,
) -> PyResult<Answering> {
    let mut answering = Answering {
        rules: Rules::default(),
        decide: None,
        ledger,
    };
    if let Some(allow) = allow {
        let py = allow.py();
        if let Ok(text) = allow.cast::<PyString>() {
            let rules = Rules::from_toml(&text.extract::<String>()?);
            answering.rules = rules.map_err(|error| raised(py, &error.into()))?;
        } else if allow.is_callable() {
            answering.decide = Some(allow.clone().unbind());
        } else if let Ok(sites) = allow.cast::<PyList>() {
            for site in sites {
                let allowance: Result<Allowance, _> = site.extract::<String>()?.parse();
                let allowance = allowance.map_err(blindcore::Error::from).or_raise(py)?;
                answering.rules.allow.push(allowance);
            }
        } else {
            let found = crate::values::kind(allow);
            return Err(PyTypeError::new_err(format!(
                "allow: it takes a function, a list of sites or a text of rules, not {found}"
            )));
        }
    }
    if max_bits.is_some() {
        answering.rules.max_bits = max_bits;
    }
    Ok(answering)
}
