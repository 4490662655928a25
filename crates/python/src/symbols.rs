//! Names of a program with their types.

use processor::Type;
use pyo3::prelude::*;

use crate::answers::layout;

/// A variable of a program, or of a file of ciphertexts: its name and type.
#[pyclass(frozen, eq, hash, module = "blindcore")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Its name, as values are given by it.
    #[pyo3(get)]
    name: String,
    /// Its type as Blindcore writes it, such as ``u32[8]``; empty where the program does not tell.
    #[pyo3(get, name = "type")]
    ty: String,
    /// The dtype of its values in NumPy; empty where the program does not tell.
    #[pyo3(get)]
    dtype: String,
    shape: Vec<usize>,
}

impl Variable {
    pub(crate) fn new(name: &str, ty: Option<&Type>) -> Self {
        let (dtype, shape, _) = ty.map(layout).unwrap_or_default();
        Self {
            name: name.to_owned(),
            ty: ty.map(Type::to_string).unwrap_or_default(),
            dtype,
            shape,
        }
    }
}

#[pymethods]
impl Variable {
    /// Its dimensions; ``()`` for a single value.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        pyo3::types::PyTuple::new(py, &self.shape)
    }

    fn __repr__(&self) -> String {
        match self.ty.as_str() {
            "" => format!("<{}>", self.name),
            ty => format!("<{}: {ty}>", self.name),
        }
    }
}

/// A function of a program, to be called by ``Program(..., call="score(income, 25)")``.
#[pyclass(frozen, eq, hash, module = "blindcore")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    #[pyo3(get)]
    name: String,
    /// Its parameters with their types; ``None`` where the program does not tell.
    #[pyo3(get)]
    parameters: Option<Vec<Variable>>,
    /// The type of its result; ``None`` for ``void``, and where the program does not tell.
    #[pyo3(get)]
    result: Option<String>,
}

impl Function {
    pub(crate) fn new(function: &processor::program::Function) -> Self {
        let parameters = function.parameters.as_ref().map(|parameters| {
            let parameters = parameters.iter();
            parameters
                .map(|own| Variable::new(&own.name, Some(&Type::scalar(own.element))))
                .collect()
        });
        Self {
            name: function.name.clone(),
            parameters,
            result: function.result.as_ref().map(Type::to_string),
        }
    }
}

#[pymethods]
impl Function {
    fn __repr__(&self) -> String {
        let parameters = self.parameters.iter().flatten();
        let parameters: Vec<String> = parameters
            .map(|own| format!("{}: {}", own.name, own.ty))
            .collect();
        let result = self.result.as_ref().map(|ty| format!(" -> {ty}"));
        format!(
            "<{}({}){}>",
            self.name,
            parameters.join(", "),
            result.unwrap_or_default()
        )
    }
}
