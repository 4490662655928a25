//! Keys: the owner's, the public one, and the server's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use circuits::library::Architectures;
use files::{Access, Existing, PendingFile};
use session::owner::{self, Encryptor, ServerKeyFile, Settings, TableBatch, generate};
use session::program::{Row, Table};
use session::schemes::bgv::{PlannedCircuit, in_one_window, profile_without_parameters};
use session::{Control, Error, ErrorKind, Observer, Progress};
use tfhe::KeyId;
use tfhe::leveled::SeededLeveledKey;
use wire::{Kind, Passphrase, Scheme, WireError};
use zeroize::Zeroizing;

use crate::server_key::another_scheme;
use crate::{Answer, Drawing, Inputs, Outputs, Program, ServerKey, Value, Values};

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

impl Keys {
    /// Keys of TFHE with the default parameters, on which any program runs: 128 bits of security, a
    /// wrong bootstrap at most once in 2^100. Takes about a second.
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
        Self::of(&Settings::Tfhe(parameters_of(parameters)?), true, control)
    }

    /// As [`generate_of`](Self::generate_of), without [selectors](ServerKey::selectors): in a third
    /// of the time, and a third of the bytes; programs that select much take longer.
    ///
    /// # Errors
    /// As for [`generate_of`](Self::generate_of).
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Control, Keys};
    ///
    /// let keys = Keys::generate_without_selectors("p16", &Control::default())?;
    /// assert!(keys.server.selectors()?.is_none());
    /// # Ok(())
    /// # }
    /// ```
    pub fn generate_without_selectors(parameters: &str, control: &Control) -> Result<Self, Error> {
        Self::of(&Settings::Tfhe(parameters_of(parameters)?), false, control)
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
        let task = in_one_window(program.task()?);
        let profile = profile_without_parameters(Architectures::default());
        let planned = PlannedCircuit::new(&program.program, &task, &profile, &control.cancel)?;
        planned.refuse_obstacles(&program.program)?;
        let parameters = planned.choose(&program.program, rows)?.parameters;
        Self::of(&Settings::Bgv(parameters), false, control)
    }

    fn of(settings: &Settings, wants_selectors: bool, control: &Control) -> Result<Self, Error> {
        // Selectors are two thirds of the work.
        let first = match wants_selectors {
            true => part_of(control, 0, 3),
            false => control.clone(),
        };
        let pair = generate(settings, &first)?;
        let none = || Error::internal("a key pair of another scheme");
        let server = match pair.server {
            ServerKeyFile::Tfhe(key) => ServerKey::of_tfhe(key),
            ServerKeyFile::Bgv(key) => ServerKey::of_bgv(key),
            ServerKeyFile::GentryHalevi(_) => return Err(none()),
        };
        let secret = SecretKey(pair.secret);
        let server = match wants_selectors {
            true => server.with(secret.selector_key(&part_of(control, 1, 3))?)?,
            false => server,
        };
        Ok(Self {
            secret,
            public: PublicKey(pair.public.ok_or_else(none)?),
            server,
        })
    }

    /// Writes `NAME.secret`, `NAME.public` and `NAME.server`, the first behind a passphrase if
    /// there is one, and `NAME.selectors`, the second part of a server key of TFHE. Files that exist
    /// are left alone.
    ///
    /// # Errors
    /// [`ErrorKind::Io`].
    pub fn save(&self, name: impl AsRef<Path>, passphrase: Option<&str>) -> Result<(), Error> {
        let path = |ending: &str| {
            let mut path = name.as_ref().as_os_str().to_owned();
            path.push(ending);
            PathBuf::from(path)
        };
        for ending in [".server", ".selectors", ".public", ".secret"] {
            if path(ending).symlink_metadata().is_ok() {
                return Err(Error::file(&path(ending), &WireError::exists()));
            }
        }
        self.server.save(path(".server"))?;
        self.public.save(path(".public"))?;
        self.secret.save(path(".secret"), passphrase)
    }
}

fn parameters_of(name: &str) -> Result<tfhe::Parameters, Error> {
    match name {
        "p16" => Ok(tfhe::P16),
        "p16-uniform" => Ok(tfhe::P16_UNIFORM),
        other => {
            let message = format!("{other}: no such parameters; there are p16 and p16-uniform");
            Err(Error::new(ErrorKind::Usage, message))
        }
    }
}

/// The part of some work that begins after `done` of `of` equal parts and goes on to its end, or to
/// the end of the first part if nothing is done yet.
fn part_of(control: &Control, done: u64, of: u64) -> Control {
    let parts = match done {
        0 => 1,
        _ => of - done,
    };
    let observer = control.observer.clone().map(|observer| {
        let tell = move |progress| match progress {
            Progress::Keys { done: now, of: all } => observer(Progress::Keys {
                done: done * all + parts * now,
                of: of * all,
            }),
            other => observer(other),
        };
        Arc::new(tell) as Observer
    });
    Control {
        observer,
        ..control.clone()
    }
}

pub(crate) fn write(path: &Path, bytes: &[u8], kind: Kind) -> Result<(), Error> {
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
        let key = owner::SecretKey::read(path, || given(path, passphrase))?;
        Self::unbroken(path, key)
    }

    /// Makes a key of TFHE alone, with the parameters of this name, in milliseconds: of what
    /// belongs to it, the [server key](Self::server_key) and the [public key](Self::public_key) can
    /// be made later, also from the file.
    ///
    /// # Errors
    /// As for [`Keys::generate_of`].
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Control, ErrorKind, SecretKey};
    ///
    /// let secret = SecretKey::generate("p16")?;
    /// // As a file has it, behind a passphrase.
    /// let bytes = secret.to_bytes(Some("correct horse"))?;
    /// let none = SecretKey::from_bytes(&bytes, None).err().unwrap();
    /// assert_eq!(none.kind, ErrorKind::Passphrase);
    /// let again = SecretKey::from_bytes(&bytes, Some("correct horse"))?;
    ///
    /// let server = again.server_key(&Control::default())?;
    /// let public = again.public_key()?;
    /// assert_eq!((server.key_id(), public.key_id()), (secret.key_id(), secret.key_id()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn generate(parameters: &str) -> Result<Self, Error> {
        owner::SecretKey::generate(parameters_of(parameters)?).map(Self)
    }

    /// The key of these bytes, which are those of its file.
    ///
    /// # Errors
    /// [`ErrorKind::File`], [`ErrorKind::Passphrase`].
    pub fn from_bytes(bytes: &[u8], passphrase: Option<&str>) -> Result<Self, Error> {
        let name = Path::new("the secret key");
        let key = owner::SecretKey::open(name, bytes, || given(name, passphrase))?;
        Self::unbroken(name, key)
    }

    /// The bytes of its file, behind a passphrase if there is one. They are erased when they are
    /// dropped.
    ///
    /// # Errors
    /// [`ErrorKind::Passphrase`] for a passphrase that is unusable.
    pub fn to_bytes(&self, passphrase: Option<&str>) -> Result<Zeroizing<Vec<u8>>, Error> {
        let name = Path::new("the secret key");
        let passphrase = passphrase.map(|passphrase| passphrase_of(name, passphrase));
        let bytes = self.0.encode(passphrase.transpose()?.as_ref());
        bytes.map_err(|error| Error::file(name, &error))
    }

    /// Makes the first part of a server key of its pair: what computes everything, if not as fast as
    /// with [selectors](Self::selectors). There may be any number of them.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for a key of BGV, whose server key is made with it;
    /// [`ErrorKind::Interrupted`].
    pub fn server_key(&self, control: &Control) -> Result<ServerKey, Error> {
        let key = owner::generate_server_key(self.tfhe()?, control)?;
        Ok(ServerKey::of_tfhe(key))
    }

    /// Makes a public key of its pair. There may be any number of them.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for a key of BGV, whose public key is made with it.
    pub fn public_key(&self) -> Result<PublicKey, Error> {
        let key = owner::generate_public_key(self.tfhe()?)?;
        Ok(PublicKey(owner::PublicKey::Tfhe(key)))
    }

    fn unbroken(path: &Path, key: owner::SecretKey) -> Result<Self, Error> {
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

    /// Makes another second part for the server key of this pair, of TFHE: what
    /// [`ServerKey::with_selectors`] takes.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for a key of BGV; [`ErrorKind::Interrupted`].
    pub fn selectors(&self, control: &Control) -> Result<Vec<u8>, Error> {
        let key = self.selector_key(control)?;
        Ok(wire::encode(&key).map_err(Error::internal)?.to_vec())
    }

    fn selector_key(&self, control: &Control) -> Result<SeededLeveledKey, Error> {
        owner::generate_selectors(self.tfhe()?, control)
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

    /// Decrypts what a program left.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for ciphertexts of another key, [`ErrorKind::File`] for damaged ones,
    /// [`ErrorKind::Secret`] where an access at a secret address left its array, so that the values
    /// mean nothing.
    pub fn decrypt(&self, outputs: &Outputs) -> Result<Answer, Error> {
        self.decrypt_bytes("the outputs", outputs.to_bytes())
    }

    /// Decrypts what was encrypted, to check what it holds.
    ///
    /// # Errors
    /// As for [`decrypt`](Self::decrypt).
    ///
    /// ```
    /// # fn main() -> Result<(), blindcore::Error> {
    /// use blindcore::{Program, SecretKey, Values};
    ///
    /// let program = Program::from_bytes("a.hea", b".data a\n LOAD R0, a\n STORE R0, a")?;
    /// let secret = SecretKey::generate("p16")?;
    /// let inputs = secret.encrypt(&program, &Values::new().set("a", 41))?;
    /// assert_eq!(secret.decrypt_inputs(&inputs)?.get::<u32>("a")?, 41);
    /// # Ok(())
    /// # }
    /// ```
    pub fn decrypt_inputs(&self, inputs: &Inputs) -> Result<Answer, Error> {
        self.decrypt_bytes("the inputs", inputs.to_bytes())
    }

    fn decrypt_bytes(&self, name: &str, bytes: &[u8]) -> Result<Answer, Error> {
        let mut batches = Vec::new();
        let source = wire::Containers::new(bytes);
        owner::decrypt(&self.0, name, source, &mut |batch| {
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

/// The passphrase that a file needs.
fn given(path: &Path, passphrase: Option<&str>) -> Result<Passphrase, Error> {
    match passphrase {
        None => Err(Error::file(path, &WireError::Protected)),
        Some(passphrase) => passphrase_of(path, passphrase),
    }
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
    let assignments = program.program.take_apart(program.typed(values))?;
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
