//! Keys: the owner's, the public one, and the server's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};

use crate::answers;
use crate::ciphertexts::{Inputs, Outputs};
use crate::drawing::Circuit;
use crate::errors::{OrRaise, usage};
use crate::program::Program;
use crate::values::{columns, named};
use crate::work::{Manner, attend};

/// The keys of one pair: ``secret`` stays with you, ``public`` goes to whoever gives you data, and
/// ``server`` to whoever runs your programs.
#[pyclass(frozen, module = "blindcore")]
pub struct Keys {
    /// It encrypts and decrypts. Keep it to yourself.
    #[pyo3(get)]
    pub(crate) secret: Py<SecretKey>,
    /// It encrypts, and reads nothing.
    #[pyo3(get)]
    public: Py<PublicKey>,
    /// It computes, and reads nothing.
    #[pyo3(get)]
    pub(crate) server: Py<ServerKey>,
}

/// The key that encrypts and decrypts. It shows nothing of itself, cannot be pickled, and is erased
/// from memory when nothing refers to it any more.
#[pyclass(frozen, module = "blindcore")]
pub struct SecretKey(pub(crate) Arc<blindcore::SecretKey>);

/// The key that encrypts and reads nothing, not even what it has encrypted.
#[pyclass(frozen, module = "blindcore")]
pub struct PublicKey(Arc<blindcore::PublicKey>);

/// The key that computes and reads nothing.
#[pyclass(frozen, module = "blindcore")]
pub struct ServerKey(pub(crate) Arc<blindcore::ServerKey>);

/// Makes the keys of a new pair.
///
/// Args:
///     parameters: ``"p16"``, or ``"p16-uniform"``, the conservative choice, about three times
///         slower. For TFHE only.
///     scheme: ``"tfhe"``, on which every program runs, or ``"bgv"``, on which one run serves
///         thousands of rows of a table, as long as the program is shallow.
///     program: The program that keys of BGV are for: its depth decides the parameters.
///     rows: Rows of the tables that keys of BGV are for.
///     selectors: Whether a server key of TFHE gets its second part, with which selections, memory
///         at secret indices and products take a fraction of the time. Without it keys are made in a
///         third of the time and have a third of the bytes.
///     progress: Called with a ``Progress``.
///
/// Both have at least 128 bits of security; TFHE takes about a second.
///
/// Raises:
///     UsageError: for other names, and where the arguments do not go together.
///     LimitExceeded: for a program that is too deep for BGV.
#[pyfunction]
#[pyo3(signature = (*, parameters="p16", scheme="tfhe", program=None, rows=None, selectors=true,
    progress=None))]
pub(crate) fn keygen(
    py: Python<'_>,
    parameters: &str,
    scheme: &str,
    program: Option<&Bound<'_, Program>>,
    rows: Option<i64>,
    selectors: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Keys> {
    let manner = Manner::of(py, None, progress)?;
    let keys = match (scheme, program, rows) {
        ("tfhe", None, None) => {
            let parameters = parameters.to_owned();
            let generate = match selectors {
                true => blindcore::Keys::generate_of,
                false => blindcore::Keys::generate_without_selectors,
            };
            attend(py, manner, move |work| generate(&parameters, &work.control))?
        }
        ("tfhe", ..) => return Err(usage(py, "program and rows are for scheme=\"bgv\"")),
        ("bgv", Some(program), Some(rows @ 1..)) => {
            let program = program.get().prepared();
            let rows = usize::try_from(rows).unwrap_or(usize::MAX);
            attend(py, manner, move |work| {
                blindcore::Keys::for_table_on(&program, rows, &work.control)
            })?
        }
        ("bgv", ..) => {
            return Err(usage(
                py,
                "keys of BGV are for a program and a number of rows: program=…, rows=…",
            ));
        }
        (other, ..) => {
            let message = format!("scheme={other:?}: there are \"tfhe\" and \"bgv\"");
            return Err(usage(py, &message));
        }
    };
    Ok(Keys {
        secret: Py::new(py, SecretKey(Arc::new(keys.secret)))?,
        public: Py::new(py, PublicKey(Arc::new(keys.public)))?,
        server: Py::new(py, ServerKey(Arc::new(keys.server)))?,
    })
}

#[pymethods]
impl Keys {
    /// Writes ``NAME.secret``, ``NAME.public`` and ``NAME.server``, the first behind the passphrase
    /// if there is one, readable by its owner only; and ``NAME.selectors``, the second part of a
    /// server key of TFHE. Files that exist are left alone.
    ///
    /// Raises ``AccessError``.
    #[pyo3(signature = (name, *, passphrase=None))]
    fn save(&self, py: Python<'_>, name: PathBuf, passphrase: Option<String>) -> PyResult<()> {
        let endings = [".server", ".public", ".secret", ".selectors"];
        let keys = endings.map(|ending| with_ending(&name, ending));
        if let Some(there) = keys.iter().find(|path| path.symlink_metadata().is_ok()) {
            let message = format!(
                "{}: it exists already: choose another name",
                there.display()
            );
            let error = blindcore::Error::new(blindcore::ErrorKind::Io, message);
            return Err(error).or_raise(py);
        }
        let [server, public, secret, _] = keys;
        self.server.get().save(py, server)?;
        self.public.get().save(py, public)?;
        self.secret.get().save(py, secret, passphrase)
    }

    /// Reads ``NAME.secret``, ``NAME.public`` and ``NAME.server``.
    ///
    /// Raises ``AccessError``, ``FileError``, ``PassphraseError``; ``WrongKey`` if they are not of
    /// one pair.
    #[classmethod]
    #[pyo3(signature = (name, *, passphrase=None))]
    fn load(cls: &Bound<'_, PyType>, name: PathBuf, passphrase: Option<String>) -> PyResult<Self> {
        let py = cls.py();
        let secret = SecretKey::read(py, with_ending(&name, ".secret"), passphrase)?;
        let public = PublicKey::read(py, with_ending(&name, ".public"))?;
        let server = ServerKey::read(py, with_ending(&name, ".server"))?;
        let id = secret.0.key_id();
        if public.0.key_id() != id || server.0.key_id() != id {
            let message = format!("{}: its files are of different key pairs", name.display());
            let error = blindcore::Error::new(blindcore::ErrorKind::Key, message);
            return Err(error).or_raise(py);
        }
        Ok(Self {
            secret: Py::new(py, secret)?,
            public: Py::new(py, public)?,
            server: Py::new(py, server)?,
        })
    }

    /// The pair's name for itself, as the command line shows it. It is no secret.
    #[getter]
    fn key_id(&self) -> String {
        self.server.get().key_id()
    }

    fn __repr__(&self) -> String {
        format!("<keys {}>", self.key_id())
    }

    fn _repr_html_(&self) -> String {
        let id = self.key_id();
        format!(
            "<table><tr><th colspan=\"3\">keys {id}</th></tr>\
             <tr><td>secret</td><td>stays with you</td><td>encrypts, decrypts</td></tr>\
             <tr><td>public</td><td>for whoever gives you data</td><td>encrypts</td></tr>\
             <tr><td>server</td><td>for whoever runs your programs</td><td>computes</td></tr></table>"
        )
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle())
    }
}

/// What values are encrypted for, and the values.
enum Task {
    Program(Arc<blindcore::Program>, blindcore::Values),
    Circuit(Arc<blindcore::Drawing>, blindcore::Values),
}

impl Task {
    /// A program, a circuit, or a traced function, which knows its circuit and spreads arrays.
    fn of(
        task: &Bound<'_, PyAny>,
        values: Option<&Bound<'_, PyAny>>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Ok(program) = task.cast::<Program>() {
            return Ok(Self::Program(
                program.get().prepared(),
                named(values, keywords)?,
            ));
        }
        if let Ok(circuit) = task.cast::<Circuit>() {
            return Ok(Self::Circuit(
                Arc::clone(&circuit.get().0),
                named(values, keywords)?,
            ));
        }
        if task.hasattr("_spread")? {
            let spread = task.call_method("_spread", (values,), keywords)?;
            let circuit = task.call_method0("circuit")?;
            let circuit = circuit.cast::<Circuit>()?;
            return Ok(Self::Circuit(
                Arc::clone(&circuit.get().0),
                named(Some(&spread), None)?,
            ));
        }
        let found = crate::values::kind(task);
        Err(PyTypeError::new_err(format!(
            "values are encrypted for a program, a circuit or a traced function, not {found}"
        )))
    }

    /// Encrypted by a key of either kind, which says how it does that.
    fn encrypted<K: Send + Sync + 'static>(
        self,
        py: Python<'_>,
        key: &Arc<K>,
        whole: Encrypts<K, blindcore::Program>,
        words: Encrypts<K, blindcore::Drawing>,
    ) -> PyResult<Inputs> {
        let key = Arc::clone(key);
        let inputs = attend(py, Manner::default(), move |_| match self {
            Self::Program(program, values) => whole(&key, &program, &values),
            Self::Circuit(circuit, values) => words(&key, &circuit, &values),
        });
        inputs.map(Inputs::of)
    }
}

/// How a key encrypts values for a task.
type Encrypts<K, T> = fn(&K, &T, &blindcore::Values) -> Result<blindcore::Inputs, blindcore::Error>;

/// How a key encrypts columns for a program.
type EncryptsColumns<K> = fn(
    &K,
    &blindcore::Program,
    &[(String, Vec<blindcore::Value>)],
    &blindcore::Control,
) -> Result<blindcore::Inputs, blindcore::Error>;

/// A table, encrypted by a key of either kind.
fn encrypted_table<K: Send + Sync + 'static>(
    key: &Arc<K>,
    program: &Bound<'_, Program>,
    table: &Bound<'_, PyAny>,
    progress: Option<Py<PyAny>>,
    encrypts: EncryptsColumns<K>,
) -> PyResult<Inputs> {
    let py = program.py();
    let table = columns(table)?;
    let (key, program) = (Arc::clone(key), program.get().prepared());
    let manner = Manner::of(py, None, progress)?;
    let inputs = attend(py, manner, move |work| {
        encrypts(&key, &program, &table, &work.control)
    });
    inputs.map(Inputs::of)
}

fn with_ending(name: &Path, ending: &str) -> PathBuf {
    let mut path = name.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

fn no_pickle() -> PyErr {
    PyTypeError::new_err("a secret key is not pickled: save it to a file behind a passphrase")
}

impl SecretKey {
    fn read(py: Python<'_>, path: PathBuf, passphrase: Option<String>) -> PyResult<Self> {
        let key = attend(py, Manner::default(), move |_| {
            blindcore::SecretKey::open(path, passphrase.as_deref())
        });
        Ok(Self(Arc::new(key?)))
    }
}

#[pymethods]
impl SecretKey {
    /// Reads a key's file, and opens it with the passphrase if it is behind one.
    ///
    /// Raises ``AccessError``, ``FileError``, ``PassphraseError``.
    #[classmethod]
    #[pyo3(signature = (path, *, passphrase=None))]
    fn load(cls: &Bound<'_, PyType>, path: PathBuf, passphrase: Option<String>) -> PyResult<Self> {
        Self::read(cls.py(), path, passphrase)
    }

    /// Writes the key's file, which its owner alone may read. A file that exists is left alone.
    ///
    /// Raises ``AccessError``.
    #[pyo3(signature = (path, *, passphrase=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, passphrase: Option<String>) -> PyResult<()> {
        let key = Arc::clone(&self.0);
        attend(py, Manner::default(), move |_| {
            key.save(path, passphrase.as_deref())
        })
    }

    /// Encrypts values of the variables of a program, a circuit or a traced function, by name:
    /// numbers, text, sequences, mappings for structures, and whatever NumPy makes an array of.
    /// Elements of an array that are not given are 0. Names that are no words of Python go into a mapping: ``{"point.x": 3}``.
    ///
    /// Raises:
    ///     InputError: for a name that the program has not, or a value that does not fit; it is a
    ///         ``ValueError`` and names the variable.
    ///     TypeError: for what is no value.
    #[pyo3(signature = (program, values=None, /, **named_values))]
    fn encrypt(
        &self,
        program: &Bound<'_, PyAny>,
        values: Option<&Bound<'_, PyAny>>,
        named_values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Inputs> {
        let task = Task::of(program, values, named_values)?;
        let (whole, words) = (
            blindcore::SecretKey::encrypt,
            blindcore::SecretKey::encrypt_words,
        );
        task.encrypted(program.py(), &self.0, whole, words)
    }

    /// Encrypts a table, of which each row is the values of one run (keys of BGV): a mapping of
    /// columns, or a table of pandas, polars or arrow. A column is what NumPy makes an array of, with
    /// an element for each row. ``Answer.to_pandas`` is the way back.
    ///
    /// Raises ``InputError`` for columns and values that do not fit, and for a key of TFHE, which
    /// encrypts one row.
    #[pyo3(signature = (program, table, /, *, progress=None))]
    fn encrypt_table(
        &self,
        program: &Bound<'_, Program>,
        table: &Bound<'_, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Inputs> {
        encrypted_table(
            &self.0,
            program,
            table,
            progress,
            blindcore::SecretKey::encrypt_columns,
        )
    }

    /// Decrypts what a program left, or what was encrypted: an ``Answer`` of NumPy's scalars and
    /// arrays by name.
    ///
    /// Raises:
    ///     WrongKey: for ciphertexts of another key.
    ///     FileError: for damaged ones.
    ///     SecretBranch: where an access at a secret address left its array, so that the values
    ///         mean nothing.
    #[pyo3(signature = (outputs, /))]
    fn decrypt(&self, py: Python<'_>, outputs: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let found: Result<Arc<blindcore::Outputs>, _> = match outputs.cast::<Outputs>() {
            Ok(outputs) => Ok(Arc::clone(&outputs.get().0)),
            Err(_) => Err(crate::values::kind(outputs)),
        };
        let outputs = found
            .map_err(|found| PyTypeError::new_err(format!("outputs are decrypted, not {found}")))?;
        let key = Arc::clone(&self.0);
        let answer = attend(py, Manner::default(), move |_| {
            Ok(answers::table(&key.decrypt(&outputs)?))
        });
        answers::decrypted(py, answer?)
    }

    /// The key pair that it belongs to, as the command line shows it. It is no secret.
    #[getter]
    fn key_id(&self) -> String {
        self.0.key_id().to_string()
    }

    fn __repr__(&self) -> String {
        format!("<secret key {}>", self.0.key_id())
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(no_pickle())
    }
}

impl PublicKey {
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let key = py
            .detach(|| blindcore::PublicKey::open(path))
            .or_raise(py)?;
        Ok(Self(Arc::new(key)))
    }
}

#[pymethods]
impl PublicKey {
    /// Reads a key's file. Raises ``AccessError`` or ``FileError``.
    #[classmethod]
    fn load(cls: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        Self::read(cls.py(), path)
    }

    /// The key of these bytes, as ``bytes()`` gives them. Raises ``FileError``.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        let key = py
            .detach(|| blindcore::PublicKey::from_bytes(data))
            .or_raise(py)?;
        Ok(Self(Arc::new(key)))
    }

    /// Writes the key's file. A file that exists is left alone. Raises ``AccessError``.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(path)).or_raise(py)
    }

    /// Encrypts values, as ``SecretKey.encrypt`` does.
    #[pyo3(signature = (program, values=None, /, **named_values))]
    fn encrypt(
        &self,
        program: &Bound<'_, PyAny>,
        values: Option<&Bound<'_, PyAny>>,
        named_values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Inputs> {
        let task = Task::of(program, values, named_values)?;
        let (whole, words) = (
            blindcore::PublicKey::encrypt,
            blindcore::PublicKey::encrypt_words,
        );
        task.encrypted(program.py(), &self.0, whole, words)
    }

    /// Encrypts a table, as ``SecretKey.encrypt_table`` does.
    #[pyo3(signature = (program, table, /, *, progress=None))]
    fn encrypt_table(
        &self,
        program: &Bound<'_, Program>,
        table: &Bound<'_, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Inputs> {
        encrypted_table(
            &self.0,
            program,
            table,
            progress,
            blindcore::PublicKey::encrypt_columns,
        )
    }

    /// The key pair that it belongs to, as the command line shows it.
    #[getter]
    fn key_id(&self) -> String {
        self.0.key_id().to_string()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes()).or_raise(py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __repr__(&self) -> String {
        format!("<public key {}>", self.0.key_id())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let read = slf.get_type().getattr("from_bytes")?;
        Ok((read, (slf.get().__bytes__(py)?,)))
    }
}

impl ServerKey {
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let key = py
            .detach(|| blindcore::ServerKey::open(path))
            .or_raise(py)?;
        Ok(Self(Arc::new(key)))
    }
}

#[pymethods]
impl ServerKey {
    /// Reads a key's file, and its second part if there is one beside it: ``NAME.selectors`` beside
    /// ``NAME.server``. Raises ``AccessError``, ``FileError`` or ``WrongKey``.
    #[classmethod]
    fn load(cls: &Bound<'_, PyType>, path: PathBuf) -> PyResult<Self> {
        Self::read(cls.py(), path)
    }

    /// The key of these bytes, as ``bytes()`` gives them, with its second part if that is given, as
    /// ``selectors`` is. Raises ``FileError``, and ``WrongKey`` where they do not belong together.
    #[classmethod]
    #[pyo3(signature = (data, selectors=None))]
    fn from_bytes(
        _cls: &Bound<'_, PyType>,
        py: Python<'_>,
        data: &[u8],
        selectors: Option<&[u8]>,
    ) -> PyResult<Self> {
        let key = py.detach(|| {
            let key = blindcore::ServerKey::from_bytes(data)?;
            match selectors {
                None => Ok(key),
                Some(selectors) => key.with_selectors(selectors),
            }
        });
        Ok(Self(Arc::new(key.or_raise(py)?)))
    }

    /// Whether there is a second part.
    #[getter]
    fn _has_selectors(&self) -> bool {
        self.0.has_selectors()
    }

    /// The second part, which makes selections fast, in bytes; ``None`` if there is none.
    #[getter]
    fn selectors<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let bytes = py.detach(|| self.0.selectors()).or_raise(py)?;
        Ok(bytes.map(|bytes| PyBytes::new(py, &bytes)))
    }

    /// Writes the key's file, and its second part beside it if that is called ``NAME.server``. Files
    /// that exist are left alone. Raises ``AccessError``.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.save(path)).or_raise(py)
    }

    /// The key pair that it belongs to, as the command line shows it.
    #[getter]
    fn key_id(&self) -> String {
        self.0.key_id().to_string()
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes()).or_raise(py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __repr__(&self) -> String {
        format!("<server key {}>", self.0.key_id())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Parts<'py>)> {
        let read = slf.get_type().getattr("from_bytes")?;
        let key = slf.get();
        Ok((read, (key.__bytes__(py)?, key.selectors(py)?)))
    }
}

/// The parts of a server key, as `from_bytes` takes them.
type Parts<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>);
