//! Values of Python as values of the library: numbers, text, sequences, mappings, and whatever
//! NumPy makes an array of.
//!
//! An array's numbers are taken as they are, whatever its strides and byte order: one copy to
//! eight-byte elements, read without the interpreter's lock. Whether a number fits its variable is
//! the library's business, whose words are the exception's.

use blindcore::{Value, Values};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyMapping, PySequence, PyString, PyType,
};

use crate::errors::input;

/// Deeper than the dimensions of any variable: what lies in itself ends here.
const DEPTH_LIMIT: usize = 16;

/// Values by name, as they are given to a call: those of a mapping, then named ones.
pub(crate) fn named(
    mapping: Option<&Bound<'_, PyAny>>,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Values> {
    let mut values = Values::new();
    for (name, value) in pairs(mapping, keywords)? {
        values = values.set(name.clone(), self::value(&name, &value)?);
    }
    Ok(values)
}

/// Columns by name: each value is a sequence, with an element for each row.
pub(crate) fn columns(mapping: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Vec<Value>)>> {
    let mut columns = Vec::new();
    for (name, column) in columns_of(mapping)? {
        let array = PyModule::import(column.py(), "numpy")?.call_method1("asarray", (&column,))?;
        let dimensions: Vec<usize> = array.getattr("shape")?.extract()?;
        if dimensions.is_empty() {
            let message = format!("{name}: a column is a sequence with a value for each row");
            return Err(input(column.py(), &message));
        }
        let rows = match numbers(&name, &array)? {
            Some(numbers) => column.py().detach(|| numbers.rows()),
            None => array
                .call_method0("tolist")?
                .try_iter()?
                .map(|row| value(&name, &row?))
                .collect::<PyResult<_>>()?,
        };
        columns.push((name, rows));
    }
    Ok(columns)
}

/// The columns of a table of pandas, polars or arrow, or of a mapping.
fn columns_of<'py>(table: &Bound<'py, PyAny>) -> PyResult<Pairs<'py>> {
    for names in ["column_names", "columns"] {
        if !table.hasattr(names)? || table.is_instance_of::<PyMapping>() {
            continue;
        }
        let names = table.getattr(names)?.try_iter()?;
        return names
            .map(|name| {
                let name = name?;
                let column = table.get_item(&name)?;
                Ok((text(&name)?, column))
            })
            .collect();
    }
    pairs(Some(table), None)
}

fn text(name: &Bound<'_, PyAny>) -> PyResult<String> {
    let text = name
        .cast::<PyString>()
        .map_err(|_| PyTypeError::new_err(format!("a name is a str, not {}", kind(name))))?;
    let unknown = |_| input(name.py(), "a name has characters that UTF-8 has not");
    text.extract().map_err(unknown)
}

type Pairs<'py> = Vec<(String, Bound<'py, PyAny>)>;

fn pairs<'py>(
    mapping: Option<&Bound<'py, PyAny>>,
    keywords: Option<&Bound<'py, PyDict>>,
) -> PyResult<Pairs<'py>> {
    let mut pairs = Vec::new();
    if let Some(mapping) = mapping {
        let mapping = mapping.cast::<PyMapping>().map_err(|_| {
            let found = kind(mapping);
            PyTypeError::new_err(format!("values by name are a mapping, not {found}"))
        })?;
        for pair in mapping.items()?.iter() {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            pairs.push((text(&name)?, value));
        }
    }
    for (name, value) in keywords.into_iter().flatten() {
        pairs.push((text(&name)?, value));
    }
    Ok(pairs)
}

/// The value of a variable, which messages call `name`.
pub(crate) fn value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    convert(name, given, 0)
}

fn convert(name: &str, given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let py = given.py();
    if depth > DEPTH_LIMIT {
        return Err(input(py, &format!("{name}: values are nested too deeply")));
    }
    if let Ok(truth) = given.cast::<PyBool>() {
        return Ok(truth.is_true().into());
    }
    if given.is_instance_of::<PyInt>() {
        let number: Result<i128, _> = given.extract();
        let too_large = || format!("{name}: the number has more than 64 bits");
        return number.map(Value::from).map_err(|_| input(py, &too_large()));
    }
    if let Ok(number) = given.cast::<PyFloat>() {
        return Ok(number.value().into());
    }
    if let Ok(text) = given.cast::<PyString>() {
        let text: String = text.extract().map_err(|_| {
            input(
                py,
                &format!("{name}: the text has characters that UTF-8 has not"),
            )
        })?;
        return Ok(text.into());
    }
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(bytes.as_bytes().into());
    }
    if let Ok(bytes) = given.cast::<PyByteArray>() {
        return Ok(bytes.to_vec().into());
    }
    // A table of pandas is an array of structures.
    if given.hasattr("to_dict")? && given.hasattr("columns")? {
        let rows = given.call_method1("to_dict", ("records",))?;
        return convert(name, &rows, depth + 1);
    }
    if let Ok(mapping) = given.cast::<PyMapping>() {
        let members = pairs(Some(mapping.as_any()), None)?.into_iter();
        let members = members.map(|(member, value)| {
            let value = convert(&format!("{name}.{member}"), &value, depth + 1)?;
            Ok((member, value))
        });
        return Ok(Value::structure(members.collect::<PyResult<Vec<_>>>()?));
    }
    let wrong = || {
        let found = kind(given);
        PyTypeError::new_err(format!(
            "{name}: a value of type {found} is no number, text, array or mapping"
        ))
    };
    if given.is_instance_of::<PyType>() {
        return Err(wrong());
    }
    if given.hasattr("__array__")? || given.hasattr("__array_interface__")? {
        return array(name, given, depth);
    }
    if given.hasattr("__index__")? {
        let number = given.call_method0("__index__")?;
        return convert(name, &number, depth + 1);
    }
    if let Ok(sequence) = given.cast::<PySequence>() {
        return list(name, sequence.as_any(), depth);
    }
    if given.hasattr("__len__")? && given.hasattr("__getitem__")? {
        return list(name, given, depth);
    }
    Err(wrong())
}

fn list(name: &str, given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let elements = given
        .try_iter()?
        .map(|element| convert(name, &element?, depth + 1));
    Ok(elements.collect::<PyResult<Vec<Value>>>()?.into())
}

fn array(name: &str, given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let py = given.py();
    let numpy = PyModule::import(py, "numpy")?;
    if given.is_instance(&numpy.getattr("ma")?.getattr("MaskedArray")?)? {
        let message = format!("{name}: a masked array: fill what is masked first");
        return Err(PyTypeError::new_err(message));
    }
    let array = numpy.call_method1("asarray", (given,))?;
    match numbers(name, &array)? {
        Some(numbers) => Ok(py.detach(|| numbers.value())),
        None => convert(name, &array.call_method0("tolist")?, depth + 1),
    }
}

/// Numbers of an array, eight bytes each.
struct Numbers {
    kind: Kind,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Kind {
    Signed,
    Unsigned,
    Real,
}

/// The numbers of an array; `None` if it holds objects or texts.
fn numbers(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Option<Numbers>> {
    let py = array.py();
    let dtype = array.getattr("dtype")?;
    let letter: String = dtype.getattr("kind")?.extract()?;
    let (kind, wanted) = match letter.as_str() {
        "i" => (Kind::Signed, "<i8"),
        "b" | "u" => (Kind::Unsigned, "<u8"),
        "f" => (Kind::Real, "<f8"),
        "O" | "U" | "S" | "T" => return Ok(None),
        _ => {
            let message = format!("{name}: an array of {dtype} holds no numbers or texts");
            return Err(PyTypeError::new_err(message));
        }
    };
    let named = PyDict::new(py);
    named.set_item("dtype", wanted)?;
    named.set_item("order", "C")?;
    let plain = PyModule::import(py, "numpy")?.call_method("asarray", (array,), Some(&named))?;
    let bytes = plain.call_method0("tobytes")?;
    Ok(Some(Numbers {
        kind,
        shape: array.getattr("shape")?.extract()?,
        bytes: bytes.cast::<PyBytes>()?.as_bytes().to_vec(),
    }))
}

impl Numbers {
    fn value(&self) -> Value {
        self.part(&self.shape, &self.bytes)
    }

    /// Along the first dimension.
    fn rows(&self) -> Vec<Value> {
        let (rows, rest) = match self.shape.split_first() {
            Some((rows, rest)) => (*rows, rest),
            None => (0, &[][..]),
        };
        let size = 8 * rest.iter().product::<usize>();
        let row = |row: usize| {
            let bytes = self.bytes.get(row * size..(row + 1) * size);
            self.part(rest, bytes.unwrap_or_default())
        };
        (0..rows).map(row).collect()
    }

    fn part(&self, shape: &[usize], bytes: &[u8]) -> Value {
        let Some((&length, rest)) = shape.split_first() else {
            let bytes = bytes.first_chunk::<8>().copied().unwrap_or_default();
            return match self.kind {
                Kind::Signed => i64::from_le_bytes(bytes).into(),
                Kind::Unsigned => u64::from_le_bytes(bytes).into(),
                Kind::Real => f64::from_le_bytes(bytes).into(),
            };
        };
        let size = 8 * rest.iter().product::<usize>();
        let elements = (0..length).map(|element| {
            let own = bytes.get(element * size..(element + 1) * size);
            self.part(rest, own.unwrap_or_default())
        });
        elements.collect::<Vec<Value>>().into()
    }
}

/// What an object is, for messages; never what it holds.
pub(crate) fn kind(object: &Bound<'_, PyAny>) -> String {
    let name = object.get_type().qualname();
    name.map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}
