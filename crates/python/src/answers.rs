//! Decrypted values as scalars and arrays of NumPy.

use blindcore::{Answer, Error};
use processor::{Element, Type};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyDict};

use crate::errors::OrRaise;

/// One variable, ready to become an array.
pub(crate) struct Column {
    name: String,
    dtype: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

/// What was decrypted, ready to become arrays: rows only if it is a table.
pub(crate) struct Table {
    columns: Vec<Column>,
    rows: Option<usize>,
}

/// Bytes of the values, in the order of NumPy's arrays. Takes time, and no Python.
pub(crate) fn table(answer: &Answer) -> Result<Table, Error> {
    let rows = answer.is_table().then(|| answer.rows());
    let columns = answer.names().map(|name| {
        let ty = answer
            .ty(name)
            .ok_or_else(|| Error::internal("a value without a type"))?;
        let (dtype, mut shape, width) = layout(ty);
        let mut bytes = Vec::new();
        for row in answer.column::<Vec<i128>>(name)? {
            for element in row {
                bytes.extend_from_slice(element.to_le_bytes().get(..width).unwrap_or_default());
            }
        }
        if let Some(rows) = rows {
            shape.insert(0, rows);
        }
        let name = name.to_owned();
        Ok(Column {
            name,
            dtype,
            shape,
            bytes,
        })
    });
    Ok(Table {
        columns: columns.collect::<Result<_, Error>>()?,
        rows,
    })
}

impl Table {
    /// An `Answer` of the package.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let numpy = PyModule::import(py, "numpy")?;
        let values = PyDict::new(py);
        for column in self.columns {
            // Of a byte array, so that the array can be written to.
            let bytes = PyByteArray::new(py, &column.bytes);
            let flat = match column.bytes.is_empty() {
                true => numpy.call_method1("zeros", (0, &column.dtype))?,
                false => numpy.call_method1("frombuffer", (bytes, &column.dtype))?,
            };
            let scalar = column.shape.is_empty();
            let array = match scalar {
                true => flat.get_item(0)?,
                false => flat.call_method1("reshape", (column.shape,))?,
            };
            values.set_item(column.name, array)?;
        }
        PyModule::import(py, "blindcore._answer")?
            .getattr("Answer")?
            .call1((values, self.rows))
    }
}

/// Decrypts to an `Answer` of the package.
pub(crate) fn decrypted(py: Python<'_>, table: Result<Table, Error>) -> PyResult<Py<PyAny>> {
    Ok(table.or_raise(py)?.into_python(py)?.unbind())
}

/// A type as NumPy has it: the dtype's name, the dimensions, and bytes of an element. Text is one
/// element of its length.
pub(crate) fn layout(ty: &Type) -> (String, Vec<usize>, usize) {
    let mut shape: Vec<usize> = ty
        .dimensions()
        .iter()
        .map(|length| *length as usize)
        .collect();
    let width = ty.element().bytes() as usize;
    let dtype = match ty.element() {
        Element::Integer { signed: true, .. } => format!("<i{width}"),
        Element::Float { .. } => format!("<f{width}"),
        Element::Boolean => "?".to_owned(),
        Element::Character => format!("S{}", shape.pop().unwrap_or(1).max(1)),
        _ => format!("<u{width}"),
    };
    (dtype, shape, width)
}
