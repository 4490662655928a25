//! Keys: the owner's, the public one, and the server's.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bgv::EvaluationKey;
use circuits::library::Architectures;
use files::{Access, Existing, PendingFile};
use session::evaluator::Target;
use session::owner::{self, Encryptor, ServerKeyFile, Settings, TableBatch, generate};
use session::program::{Row, Table};
use session::schemes::bgv::{PlannedCircuit, in_one_window, profile_without_parameters};
use session::schemes::tfhe::expand;
use session::{Control, Error, ErrorKind};
use tfhe::{KeyId, SeededServerKey, ServerKey as Expanded};
use wire::{Kind, Passphrase, Record, Role, Scheme, WireError};

use crate::{Answer, Drawing, Inputs, Outputs, Program, Value, Values};

/// The keys of one pair.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Keys, PublicKey, SecretKey, ServerKey};
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-keys-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let keys = Keys::generate()?;
/// // mine.secret, mine.public and mine.server, the first behind a passphrase.
/// keys.save(folder.join("mine"), Some("correct horse"))?;
/// let secret = SecretKey::open(folder.join("mine.secret"), Some("correct horse"))?;
/// let word = secret.encrypt_word(42_u8)?;
/// assert_eq!(keys.secret.decrypt_word(&word)?, 42);
///
/// // A key that travels by other means than a file.
/// let server = ServerKey::from_bytes(&keys.server.to_bytes()?)?;
/// assert_eq!(secret.decrypt_word(&server.evaluate(&word)?)?, 42);
/// // Each has a file of its own, too.
/// keys.public.save(folder.join("for-a-friend"))?;
/// let public = PublicKey::open(folder.join("for-a-friend"))?;
/// assert_eq!(PublicKey::from_bytes(&public.to_bytes()?)?.key_id(), server.key_id());
/// keys.secret.save(folder.join("for-me"), None)?;
/// keys.server.save(folder.join("for-the-server"))?;
/// ServerKey::open(folder.join("for-the-server"))?;
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok(())
/// # }
/// ```
pub struct Keys {
    /// It encrypts and decrypts. Keep it to yourself.
    pub secret: SecretKey,
    /// It encrypts. Give it to whoever gives you data.
    pub public: PublicKey,
    /// It computes. Give it to whoever runs your programs.
    pub server: ServerKey,
}

/// The key that encrypts and decrypts. It is erased from memory when it is dropped, and has no
/// `Debug`.
pub struct SecretKey(pub(crate) owner::SecretKey);

/// The key that encrypts and reads nothing, not even what it has encrypted.
pub struct PublicKey(owner::PublicKey);

/// The key that computes and reads nothing.
pub struct ServerKey(pub(crate) Computing);

pub(crate) enum Computing {
    /// With seeds instead of masks, and ready once somebody has computed.
    Tfhe(SeededServerKey, OnceLock<Arc<Expanded>>),
    /// As its file has it, and ready.
    Bgv(wire::bgv::ServerKey, OnceLock<Arc<EvaluationKey>>),
}

impl Keys {
    /// Keys of TFHE with the default parameters, on which any program runs: 128 bits of security, a
    /// wrong bootstrap at most once in 2^100. Takes a fraction of a second.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`] if the operating system has no randomness.
    pub fn generate() -> Result<Self, Error> {
        Self::generate_of("p16", &Control::default())
    }

    /// Keys of TFHE with the parameters of this name: `p16`, the default, or `p16-uniform`, the
    /// conservative choice, about three times slower.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for other names; [`ErrorKind::Interrupted`], [`ErrorKind::Internal`].
    ///
    /// ```
    /// use blindcore::{Control, ErrorKind, Keys};
    ///
    /// let error = Keys::generate_of("p17", &Control::default()).err().unwrap();
    /// assert_eq!(error.kind, ErrorKind::Usage);
    /// ```
    pub fn generate_of(parameters: &str, control: &Control) -> Result<Self, Error> {
        let parameters = match parameters {
            "p16" => tfhe::P16,
            "p16-uniform" => tfhe::P16_UNIFORM,
            other => {
                let message = format!("{other}: no such parameters; there are p16 and p16-uniform");
                return Err(Error::new(ErrorKind::Usage, message));
            }
        };
        Self::of(&Settings::Tfhe(parameters), control)
    }

    /// Keys of BGV for tables of `rows` rows on which this program will run: its depth decides the
    /// parameters.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`] for a program that is too deep, and those of planning.
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Keys, Program};
    ///
    /// # let folder = std::env::temp_dir().join(format!("blindcore-table-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder).unwrap();
    /// // Whether somebody may: one AND of two numbers.
    /// let text = b".bits 16\n.data age\n.data rights\n LOAD R0, age\n LOAD R1, rights\n AND R0, R0, R1\n STORE R0, age";
    /// let program = Program::from_bytes("may.hea", text)?.secret(["age", "rights"])?;
    /// let people = folder.join("people.csv");
    /// std::fs::write(&people, "age,rights\n5,3\n6,2\n12,9\n").unwrap();
    ///
    /// let keys = Keys::for_table(&program, 3)?;
    /// let inputs = keys.secret.encrypt_table(&program, &people)?;
    /// let answer = keys.secret.decrypt(&program.run(&keys.server, &inputs)?)?;
    /// assert_eq!((answer.rows(), answer.get_at::<u16>(2, "age")?), (3, 8));
    /// assert_eq!(answer.column::<u16>("age")?, [1, 2, 8]);
    /// # std::fs::remove_dir_all(folder).unwrap();
    /// # Ok(())
    /// # }
    /// ```
    pub fn for_table(program: &Program, rows: usize) -> Result<Self, Error> {
        Self::for_table_on(program, rows, &Control::default())
    }

    /// As [`for_table`](Self::for_table), with threads, progress and a way to stop.
    ///
    /// # Errors
    /// As for [`for_table`](Self::for_table), and [`ErrorKind::Interrupted`].
    pub fn for_table_on(program: &Program, rows: usize, control: &Control) -> Result<Self, Error> {
        let task = program
            .program
            .task(&program.execution, program.declared()?)?;
        let task = in_one_window(task);
        let profile = profile_without_parameters(Architectures::default());
        let planned = PlannedCircuit::new(&program.program, &task, &profile, &control.cancel)?;
        planned.refuse_obstacles(&program.program)?;
        let parameters = planned.choose(&program.program, rows)?.parameters;
        Self::of(&Settings::Bgv(parameters), control)
    }

    fn of(settings: &Settings, control: &Control) -> Result<Self, Error> {
        let pair = generate(settings, control)?;
        let none = || Error::internal("a key pair of another scheme");
        let server = match pair.server {
            ServerKeyFile::Tfhe(key) => Computing::Tfhe(key, OnceLock::new()),
            ServerKeyFile::Bgv(key) => Computing::Bgv(key, OnceLock::new()),
            ServerKeyFile::GentryHalevi(_) => return Err(none()),
        };
        Ok(Self {
            secret: SecretKey(pair.secret),
            public: PublicKey(pair.public.ok_or_else(none)?),
            server: ServerKey(server),
        })
    }

    /// Writes `NAME.secret`, `NAME.public` and `NAME.server`, the first behind a passphrase if
    /// there is one. Files that exist are left alone.
    ///
    /// # Errors
    /// [`ErrorKind::Io`].
    pub fn save(&self, name: impl AsRef<Path>, passphrase: Option<&str>) -> Result<(), Error> {
        let path = |ending: &str| {
            let mut path = name.as_ref().as_os_str().to_owned();
            path.push(ending);
            PathBuf::from(path)
        };
        for ending in [".server", ".public", ".secret"] {
            if path(ending).symlink_metadata().is_ok() {
                return Err(Error::file(&path(ending), &WireError::exists()));
            }
        }
        self.server.save(path(".server"))?;
        self.public.save(path(".public"))?;
        self.secret.save(path(".secret"), passphrase)
    }
}

fn write(path: &Path, bytes: &[u8], kind: Kind) -> Result<(), Error> {
    PendingFile::stage(path, bytes, Access::of(kind), Existing::Keep)
        .and_then(PendingFile::commit)
        .map_err(|error| Error::file(path, &error))
}

impl SecretKey {
    /// Reads a key's file, and opens it with the passphrase if it is behind one.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::File`], [`ErrorKind::Passphrase`].
    pub fn open(path: impl AsRef<Path>, passphrase: Option<&str>) -> Result<Self, Error> {
        let path = path.as_ref();
        let key = owner::SecretKey::read(path, || match passphrase {
            None => Err(Error::file(path, &WireError::Protected)),
            Some(passphrase) => passphrase_of(path, passphrase),
        })?;
        match key.scheme() {
            Scheme::GentryHalevi => {
                let message = format!("{}: the Gentry–Halevi scheme is broken", path.display());
                Err(Error::new(ErrorKind::Key, message))
            }
            _ => Ok(Self(key)),
        }
    }

    /// Writes the key's file, which its owner alone may read. A file that exists is left alone.
    ///
    /// # Errors
    /// [`ErrorKind::Io`].
    pub fn save(&self, path: impl AsRef<Path>, passphrase: Option<&str>) -> Result<(), Error> {
        let path = path.as_ref();
        let passphrase = passphrase.map(|passphrase| passphrase_of(path, passphrase));
        let passphrase = passphrase.transpose()?;
        let bytes = self.0.encode(passphrase.as_ref());
        let bytes = bytes.map_err(|error| Error::file(path, &error))?;
        write(path, &bytes, owner::SecretKey::kind_of(self.0.scheme()))
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.0.key_id()
    }

    /// Encrypts values of the program's variables.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for values that do not fit.
    pub fn encrypt(&self, program: &Program, values: &Values) -> Result<Inputs, Error> {
        encrypt_row(&Encryptor::of_secret(&self.0), program, values)
    }

    /// Encrypts a table that is in memory: each variable with its value in every row.
    ///
    /// # Errors
    /// As for [`encrypt_table`](Self::encrypt_table); [`ErrorKind::Interrupted`].
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Control, Keys, Program};
    ///
    /// let text = b".bits 16\n.data age\n LOAD R0, age\n XOR R0, R0, 1\n STORE R0, age";
    /// let program = Program::from_bytes("odd.hea", text)?.secret(["age"])?;
    /// let control = Control::default();
    /// let keys = Keys::for_table_on(&program, 3, &control)?;
    /// let ages = ("age".to_owned(), vec![5.into(), 6.into(), 12.into()]);
    /// let inputs = keys.secret.encrypt_columns(&program, &[ages], &control)?;
    /// let answer = keys.secret.decrypt(&program.run(&keys.server, &inputs)?)?;
    /// assert_eq!(answer.column::<u16>("age")?, [4, 7, 13]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn encrypt_columns(
        &self,
        program: &Program,
        columns: &[(String, Vec<Value>)],
        control: &Control,
    ) -> Result<Inputs, Error> {
        encrypt_columns(&Encryptor::of_secret(&self.0), program, columns, control)
    }

    /// Encrypts the words that a circuit takes.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for values that do not fit, [`ErrorKind::Key`] for a key of BGV.
    pub fn encrypt_words(&self, drawing: &Drawing, values: &Values) -> Result<Inputs, Error> {
        let encryptor = Encryptor::of_secret(&self.0);
        match encryptor.levelled() {
            None => drawing.encrypt(&encryptor, values),
            Some(_) => Err(another_scheme()),
        }
    }

    /// Encrypts a table, of which each row is the values of one run: a CSV file whose header names
    /// variables, and values that are the same in all rows.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for values that do not fit; for a key of TFHE, which encrypts one row.
    pub fn encrypt_table(
        &self,
        program: &Program,
        table: impl AsRef<Path>,
    ) -> Result<Inputs, Error> {
        encrypt_table(&Encryptor::of_secret(&self.0), program, table.as_ref())
    }

    /// Decrypts what a program left, or what was encrypted.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for ciphertexts of another key, [`ErrorKind::File`] for damaged ones,
    /// [`ErrorKind::Secret`] where an access at a secret address left its array, so that the values
    /// mean nothing.
    pub fn decrypt(&self, outputs: &Outputs) -> Result<Answer, Error> {
        let mut batches = Vec::new();
        let source = wire::Containers::new(outputs.to_bytes());
        owner::decrypt(&self.0, "the outputs", source, &mut |batch| {
            batches.push(batch);
            Ok(())
        })?;
        Ok(Answer::new(batches))
    }

    /// The key, if it is one of TFHE.
    pub(crate) fn tfhe(&self) -> Result<&tfhe::SecretKey, Error> {
        match &self.0 {
            owner::SecretKey::Tfhe(key) => Ok(key),
            _ => Err(Error::new(
                ErrorKind::Key,
                "a key of BGV encrypts tables: this takes one of TFHE (Keys::generate)",
            )),
        }
    }
}

impl PublicKey {
    /// Reads a key's file.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::File`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        owner::PublicKey::read(path.as_ref(), &Control::default()).map(Self)
    }

    /// Reads a key as [`to_bytes`](Self::to_bytes) gives it.
    ///
    /// # Errors
    /// [`ErrorKind::File`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        owner::PublicKey::decode("the public key", bytes).map(Self)
    }

    /// The bytes of a file, to send or to keep.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        Ok(self.0.encode().map_err(Error::internal)?.to_vec())
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.0.key_id()
    }

    /// Writes the key's file. A file that exists is left alone.
    ///
    /// # Errors
    /// [`ErrorKind::Io`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write(path.as_ref(), &self.to_bytes()?, Kind::PUBLIC_KEY)
    }

    /// Encrypts values of the program's variables.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for values that do not fit.
    pub fn encrypt(&self, program: &Program, values: &Values) -> Result<Inputs, Error> {
        encrypt_row(&Encryptor::of_public(&self.0), program, values)
    }

    /// As [`SecretKey::encrypt_columns`].
    ///
    /// # Errors
    /// As for [`SecretKey::encrypt_columns`].
    pub fn encrypt_columns(
        &self,
        program: &Program,
        columns: &[(String, Vec<Value>)],
        control: &Control,
    ) -> Result<Inputs, Error> {
        encrypt_columns(&Encryptor::of_public(&self.0), program, columns, control)
    }

    /// Encrypts the words that a circuit takes.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for values that do not fit, [`ErrorKind::Key`] for a key of BGV.
    pub fn encrypt_words(&self, drawing: &Drawing, values: &Values) -> Result<Inputs, Error> {
        let encryptor = Encryptor::of_public(&self.0);
        match encryptor.levelled() {
            None => drawing.encrypt(&encryptor, values),
            Some(_) => Err(another_scheme()),
        }
    }
}

impl ServerKey {
    /// Reads a key's file.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::File`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| Error::io(path, "read", &error))?;
        Self::from_bytes(&bytes).map_err(|error| {
            Error::new(error.kind, format!("{}: {}", path.display(), error.message))
        })
    }

    /// Reads a key as [`to_bytes`](Self::to_bytes) gives it.
    ///
    /// # Errors
    /// [`ErrorKind::File`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let wrong = |error: WireError| Error::new(ErrorKind::File, error.to_string());
        let (header, _) = wire::Header::parse(bytes).map_err(wrong)?;
        let scheme = header.kind.scheme();
        header
            .expect(Kind::of(scheme, Role::ServerKey))
            .map_err(wrong)?;
        match scheme {
            Scheme::Bgv => Ok(Self(Computing::Bgv(
                wire::decode(bytes).map_err(wrong)?,
                OnceLock::new(),
            ))),
            _ => Ok(Self(Computing::Tfhe(
                wire::decode(bytes).map_err(wrong)?,
                OnceLock::new(),
            ))),
        }
    }

    /// The bytes of a file, to send or to keep.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let bytes = match &self.0 {
            Computing::Tfhe(key, _) => wire::encode(key),
            Computing::Bgv(key, _) => wire::encode(key),
        };
        Ok(bytes.map_err(Error::internal)?.to_vec())
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        match &self.0 {
            Computing::Tfhe(key, _) => key.key_id(),
            Computing::Bgv(key, _) => key.key_id(),
        }
    }

    /// Writes the key's file. A file that exists is left alone.
    ///
    /// # Errors
    /// [`ErrorKind::Io`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write(path.as_ref(), &self.to_bytes()?, Kind::SERVER_KEY)
    }

    /// Ready to compute.
    pub(crate) fn tfhe(&self, target: &Target) -> Result<Arc<Expanded>, Error> {
        let Computing::Tfhe(seeded, ready) = &self.0 else {
            return Err(another_scheme());
        };
        if let Some(key) = ready.get() {
            return Ok(Arc::clone(key));
        }
        let key = expand(seeded, target.fft, target.threads).map_err(Error::internal)?;
        Ok(Arc::clone(ready.get_or_init(|| key)))
    }

    /// Ready to compute.
    pub(crate) fn bgv(&self, target: &Target) -> Result<Arc<EvaluationKey>, Error> {
        let Computing::Bgv(file, ready) = &self.0 else {
            return Err(another_scheme());
        };
        if let Some(key) = ready.get() {
            return Ok(Arc::clone(key));
        }
        let key = file.clone().open(target.threads);
        let key = key.map_err(|error| Error::new(ErrorKind::File, error.to_string()))?;
        Ok(Arc::clone(ready.get_or_init(|| Arc::new(key))))
    }

    /// Refuses ciphertexts of another key.
    pub(crate) fn check<F: Record>(
        given: &F,
        parameters: &F::Parameters,
        key: tfhe::KeyId,
    ) -> Result<(), Error> {
        wire::match_keys((given.parameters(), given.key_id()), (parameters, key))
            .map_err(|error| Error::file(Path::new("the inputs"), &error))
    }
}

fn another_scheme() -> Error {
    Error::new(
        ErrorKind::Key,
        "the server key is of another scheme than the inputs: use the key pair that they were made with",
    )
}

fn passphrase_of(path: &Path, passphrase: &str) -> Result<Passphrase, Error> {
    Passphrase::new(passphrase.as_bytes().to_vec().into())
        .map_err(|error| Error::file(path, &error))
}

fn encrypt_row(
    encryptor: &Encryptor<'_>,
    program: &Program,
    values: &Values,
) -> Result<Inputs, Error> {
    program.check_names(values.names())?;
    let assignments = program.program.take_apart(values.assignments())?;
    let call = program.execution.call.as_ref();
    let row = Row::new(&program.program, &assignments, call)?;
    let bytes = encryptor.encrypt(&row.variables, &row.bits, &Control::default())?;
    Inputs::from_bytes(bytes.to_vec())
}

fn encrypt_table(
    encryptor: &Encryptor<'_>,
    program: &Program,
    path: &Path,
) -> Result<Inputs, Error> {
    let values = [format!("@{}", path.display())];
    let call = program.execution.call.as_ref();
    let table = Table::read(&program.program, &values, call)?;
    encrypt_rows(encryptor, &table, &Control::default())
}

fn encrypt_columns(
    encryptor: &Encryptor<'_>,
    program: &Program,
    columns: &[(String, Vec<Value>)],
    control: &Control,
) -> Result<Inputs, Error> {
    program.check_names(columns.iter().map(|(name, _)| name.as_str()))?;
    let columns: Vec<_> = columns
        .iter()
        .map(|(name, values)| (name.clone(), Values::literals(values)))
        .collect();
    let call = program.execution.call.as_ref();
    let table = Table::of_columns(&program.program, &columns, call)?;
    encrypt_rows(encryptor, &table, control)
}

fn encrypt_rows(
    encryptor: &Encryptor<'_>,
    table: &Table,
    control: &Control,
) -> Result<Inputs, Error> {
    if encryptor.levelled().is_none() && table.rows > 1 {
        let message = format!(
            "{} rows: a key of TFHE encrypts one; Keys::for_table makes keys for tables",
            table.rows
        );
        return Err(Error::new(ErrorKind::Input, message));
    }
    let mut bytes = Vec::new();
    for number in 0..encryptor.batches(table.rows)? {
        let bits = table.batch(number, encryptor.slots());
        let batch = TableBatch {
            rows: table.rows,
            number,
        };
        let own = encryptor.encrypt_batch(&table.variables, &bits, batch, control)?;
        bytes.extend_from_slice(&own);
    }
    Inputs::from_bytes(bytes)
}
