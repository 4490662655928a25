//! Ciphertexts on their way: the command line's files, in memory.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::errors::OrRaise;
use crate::symbols::Variable;

/// Encrypted values of variables, for a program to run on: the bytes of the command line's file.
///
/// They are made by ``encrypt`` of a secret or a public key, and read by ``Inputs.load`` and
/// ``Inputs.from_bytes``. ``bytes(inputs)`` are what to send; a pickle holds the same bytes.
#[pyclass(frozen, module = "blindcore")]
pub struct Inputs(pub(crate) Arc<blindcore::Inputs>);

/// What a program left, encrypted: the bytes of the command line's file.
///
/// They are made by ``Program.run``, and read by ``Outputs.load`` and ``Outputs.from_bytes``.
#[pyclass(frozen, module = "blindcore")]
pub struct Outputs(pub(crate) Arc<blindcore::Outputs>);

macro_rules! methods {
    ($name:ident, $what:literal) => {
        impl $name {
            pub(crate) fn of(ciphertexts: blindcore::$name) -> Self {
                Self(Arc::new(ciphertexts))
            }
        }

        #[pymethods]
        impl $name {
            #[doc = concat!("The ", $what, " of these bytes, as ``bytes()`` gives them.")]
            ///
            /// Raises ``FileError`` for anything else. The content is checked when it is used.
            #[classmethod]
            fn from_bytes(_cls: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<Self> {
                blindcore::$name::from_bytes(data)
                    .or_raise(py)
                    .map(Self::of)
            }

            /// Reads a file. Raises ``AccessError`` or ``FileError``.
            #[classmethod]
            fn load(_cls: &Bound<'_, PyType>, py: Python<'_>, path: PathBuf) -> PyResult<Self> {
                py.detach(|| blindcore::$name::open(path))
                    .or_raise(py)
                    .map(Self::of)
            }

            /// Writes a file, which appears whole or not at all and replaces only one of its kind.
            /// Raises ``AccessError``.
            fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
                py.detach(|| self.0.save(path)).or_raise(py)
            }

            /// The variables by name, with their types. The content is checked on the way.
            #[getter]
            fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let variables = py.detach(|| self.0.variables()).or_raise(py)?;
                let named = PyDict::new(py);
                for (name, ty) in variables {
                    let variable = Variable::new(&name, Some(&ty));
                    named.set_item(name, variable)?;
                }
                Ok(named)
            }

            /// The key pair that they belong to, as the command line shows it.
            #[getter]
            fn key_id(&self) -> String {
                self.0.key_id().to_string()
            }

            fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
                PyBytes::new(py, self.0.to_bytes())
            }

            /// Bytes of the file.
            fn __len__(&self) -> usize {
                self.0.to_bytes().len()
            }

            fn __bool__(&self) -> bool {
                true
            }

            fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
                match other.cast::<Self>() {
                    Ok(other) => self.0 == other.get().0,
                    Err(_) => false,
                }
            }

            fn __hash__(&self) -> u64 {
                let mut hasher = DefaultHasher::new();
                self.0.to_bytes().hash(&mut hasher);
                hasher.finish()
            }

            fn __repr__(&self, py: Python<'_>) -> String {
                let variables = py.detach(|| self.0.variables());
                let names = match variables {
                    Ok(variables) => variables
                        .iter()
                        .map(|(name, ty)| format!("{name}: {ty}"))
                        .collect::<Vec<_>>()
                        .join(", "),
                    Err(_) => "damaged".to_owned(),
                };
                let (key, length) = (self.0.key_id(), self.0.to_bytes().len());
                format!(
                    "<{} of key {key}: {names}; {}>",
                    $what,
                    values::bytes_in_words(length as u64)
                )
            }

            fn __reduce__<'py>(
                slf: &Bound<'py, Self>,
                py: Python<'py>,
            ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
                let read = slf.get_type().getattr("from_bytes")?;
                Ok((read, (slf.get().__bytes__(py),)))
            }
        }
    };
}

methods!(Inputs, "inputs");
methods!(Outputs, "outputs");

/// The BLAKE3 hash of some bytes, in hexadecimal: how a server calls them.
#[pyfunction]
pub(crate) fn blake3(py: Python<'_>, data: &[u8]) -> String {
    py.detach(|| ::blake3::hash(data).to_hex().to_string())
}
