//! Key pairs of every scheme.

use std::num::NonZeroUsize;
use std::path::Path;

use gentry_halevi::Stage;
use random::Generator;
use tfhe::leveled::SeededLeveledKey;
use tfhe::{KeyId, SeededServerKey};
use wire::{Kind, Passphrase, Record, WireError};
use zeroize::Zeroizing;

use crate::control::{Control, Progress};
use crate::error::Error;
use crate::schemes::{Scheme, bgv, gentry_halevi as integers};

/// Units of progress of keys of the Gentry–Halevi scheme.
const UNITS: u64 = 1000;

/// What keys are made of.
#[derive(Clone, Debug)]
pub enum Settings {
    /// TFHE, of one of its sets.
    Tfhe(tfhe::Parameters),
    /// BGV, of parameters that fit a program's depth.
    Bgv(::bgv::Parameters),
    /// The Gentry–Halevi scheme, of a dimension.
    GentryHalevi(gentry_halevi::Parameters),
}

/// A secret key of some scheme.
///
/// ```
/// use blindcore_session::owner::{self, EncryptionKey, KeyPair, PublicKey, SecretKey, Settings};
/// use blindcore_session::{Control, Error};
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-session-keys-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let control = Control::default();
/// let KeyPair { secret, public, .. } = owner::generate(&Settings::Tfhe(tfhe::TOY_BLOCK), &control)?;
/// let public: PublicKey = public.expect("TFHE has one");
///
/// // To files and back. The passphrase is asked for where the file is behind one.
/// std::fs::write(folder.join("mine.secret"), secret.encode(None)?)?;
/// std::fs::write(folder.join("mine.public"), public.encode()?)?;
/// assert_eq!(PublicKey::decode("the key", &public.encode()?)?.key_id(), secret.key_id());
/// let again = SecretKey::read(&folder.join("mine.secret"), || -> Result<_, Error> { unreachable!() })?;
/// assert_eq!((again.scheme(), again.key_id()), (secret.scheme(), secret.key_id()));
/// // Either of them encrypts.
/// for name in ["mine.secret", "mine.public"] {
///     let path = folder.join(name);
///     let secret = || SecretKey::read(&path, || -> Result<_, Error> { unreachable!() });
///     let key = EncryptionKey::read(&path, &control, secret)?;
///     assert_eq!(key.encryptor().slots(), 1);
///     assert!(key.encryptor().broken_parameters().is_none());
/// }
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub enum SecretKey {
    /// Of TFHE.
    Tfhe(tfhe::SecretKey),
    /// Of BGV: as its file has it, and ready to use.
    Bgv(wire::bgv::SecretKey, ::bgv::SecretKey),
    /// Of the Gentry–Halevi scheme: as its file has it, and ready to use.
    GentryHalevi(wire::gentry_halevi::SecretKey, gentry_halevi::SecretKey),
}

/// A public key, which encrypts and reads nothing.
pub enum PublicKey {
    /// Of TFHE.
    Tfhe(tfhe::PublicKey),
    /// Of BGV.
    Bgv(::bgv::PublicKey),
    /// What encrypts in the Gentry–Halevi scheme, whose public key is its server key.
    GentryHalevi(IntegerKey),
}

/// What it takes to encrypt in the Gentry–Halevi scheme; both keys of a pair have it.
///
/// ```
/// use blindcore_session::Control;
/// use blindcore_session::owner::{self, IntegerKey, PublicKey, ServerKeyFile, Settings};
/// use files::{Access, Existing, Reservation};
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-session-integers-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let keys = owner::generate(&Settings::GentryHalevi(gentry_halevi::Parameters::TOY_32), &Control::default())?;
/// let ServerKeyFile::GentryHalevi(public) = &keys.server else { unreachable!() };
/// let path = folder.join("mine.server");
/// let place = Reservation::new(&path, Access::Shared, Existing::Keep)?;
/// files::fill_server_key(place, public.parameters(), public.limbs())?.commit()?;
/// // No public key of its own: the server's key encrypts.
/// assert!(keys.public.is_none());
/// let PublicKey::GentryHalevi(key) = PublicKey::read(&path, &Control::default())? else {
///     unreachable!()
/// };
/// let key: IntegerKey = key;
/// assert_eq!(key.key.id(), keys.secret.key_id());
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct IntegerKey {
    /// Which key.
    pub key: wire::gentry_halevi::Key,
    pub(super) modulus: Vec<u64>,
    pub(super) root: Vec<u64>,
}

/// A server key as its file has it.
pub enum ServerKeyFile {
    /// Of TFHE, with seeds instead of masks.
    Tfhe(SeededServerKey),
    /// Of BGV.
    Bgv(wire::bgv::ServerKey),
    /// Of the Gentry–Halevi scheme.
    GentryHalevi(gentry_halevi::PublicKey),
}

/// The keys of one pair.
pub struct KeyPair {
    /// It encrypts and decrypts.
    pub secret: SecretKey,
    /// It encrypts; there is none in the Gentry–Halevi scheme.
    pub public: Option<PublicKey>,
    /// It computes.
    pub server: ServerKeyFile,
}

/// Generates a key pair. Randomness comes from the operating system's generator.
///
/// # Errors
/// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted);
/// [`ErrorKind::Internal`](crate::ErrorKind::Internal) if the system has no randomness.
pub fn generate(settings: &Settings, control: &Control) -> Result<KeyPair, Error> {
    let mut generator = Generator::from_entropy().map_err(Error::internal)?;
    match settings {
        Settings::Tfhe(parameters) => {
            of_tfhe(*parameters, &mut generator, control.threads).map_err(Error::internal)
        }
        Settings::Bgv(parameters) => {
            let watch = |progress: ::bgv::Progress| {
                control.watch(Progress::Keys {
                    done: progress.done as u64,
                    of: progress.steps.max(1) as u64,
                })
            };
            let threads = control.threads;
            let keys = ::bgv::SecretKey::generate(parameters, &[], &mut generator, threads, &watch)
                .map_err(bgv::error)?;
            Ok(KeyPair {
                secret: SecretKey::Bgv(wire::bgv::SecretKey::of(&keys.secret), keys.secret),
                public: Some(PublicKey::Bgv(keys.public)),
                server: ServerKeyFile::Bgv(wire::bgv::ServerKey::of(&keys.evaluation)),
            })
        }
        Settings::GentryHalevi(parameters) => {
            let watch = |progress: gentry_halevi::Progress| {
                control.watch(Progress::Keys {
                    done: reached(progress),
                    of: UNITS,
                })
            };
            let threads = control.threads;
            let (secret, public) =
                gentry_halevi::SecretKey::generate(*parameters, &mut generator, threads, &watch)
                    .map_err(integers::error)?;
            let file = wire::gentry_halevi::SecretKey::new(
                parameters,
                public.modulus(),
                public.root(),
                secret.expose(),
            );
            Ok(KeyPair {
                secret: SecretKey::GentryHalevi(file.map_err(Error::internal)?, secret),
                public: None,
                server: ServerKeyFile::GentryHalevi(public),
            })
        }
    }
}

fn of_tfhe(
    parameters: tfhe::Parameters,
    generator: &mut Generator,
    threads: NonZeroUsize,
) -> Result<KeyPair, tfhe::TfheError> {
    let secret = tfhe::SecretKey::generate(parameters, generator)?;
    let public = tfhe::PublicKey::generate(&secret, generator);
    let server = SeededServerKey::generate(&secret, generator, threads.get(), &|_, _| {})?;
    Ok(KeyPair {
        secret: SecretKey::Tfhe(secret),
        public: Some(PublicKey::Tfhe(public)),
        server: ServerKeyFile::Tfhe(server),
    })
}

/// Makes a secret key of TFHE. Randomness comes from the operating system's generator.
///
/// # Errors
/// [`ErrorKind::Internal`](crate::ErrorKind::Internal) if the system has no randomness.
pub fn generate_secret_key(parameters: tfhe::Parameters) -> Result<tfhe::SecretKey, Error> {
    let mut generator = Generator::from_entropy().map_err(Error::internal)?;
    tfhe::SecretKey::generate(parameters, &mut generator).map_err(Error::internal)
}

/// Makes the public key of a pair. There may be any number of it: masks and errors are new each time.
///
/// # Errors
/// [`ErrorKind::Internal`](crate::ErrorKind::Internal) if the system has no randomness.
pub fn generate_public_key(secret: &tfhe::SecretKey) -> Result<tfhe::PublicKey, Error> {
    let mut generator = Generator::from_entropy().map_err(Error::internal)?;
    Ok(tfhe::PublicKey::generate(secret, &mut generator))
}

/// Makes the server key of a pair. There may be any number of it: masks and errors are new each time.
///
/// # Errors
/// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted);
/// [`ErrorKind::Internal`](crate::ErrorKind::Internal) if the system has no randomness.
pub fn generate_server_key(
    secret: &tfhe::SecretKey,
    control: &Control,
) -> Result<SeededServerKey, Error> {
    let mut generator = Generator::from_entropy().map_err(Error::internal)?;
    let progress = steps(control);
    let threads = control.threads.get();
    let key = SeededServerKey::generate(secret, &mut generator, threads, &progress);
    unless_cancelled(control, key)
}

/// Makes the second part of a server key, with which the server can also choose by secrets: twice as long
/// as the first. It belongs to the key pair, whenever it is made, and there may be any number of it: masks
/// and errors are new each time.
///
/// # Errors
/// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted);
/// [`ErrorKind::Internal`](crate::ErrorKind::Internal) if the system has no randomness.
///
/// ```
/// use blindcore_session::Control;
/// use blindcore_session::owner::{self, SecretKey, Settings};
///
/// let control = Control::default();
/// let keys = owner::generate(&Settings::Tfhe(tfhe::TOY_BLOCK), &control)?;
/// let SecretKey::Tfhe(secret) = &keys.secret else { unreachable!() };
/// let selectors = owner::generate_selectors(secret, &control)?;
/// assert_eq!(selectors.key_id(), keys.secret.key_id());
/// # Ok::<(), blindcore_session::Error>(())
/// ```
pub fn generate_selectors(
    secret: &tfhe::SecretKey,
    control: &Control,
) -> Result<SeededLeveledKey, Error> {
    let mut generator = Generator::from_entropy().map_err(Error::internal)?;
    let progress = steps(control);
    let threads = control.threads.get();
    let key = SeededLeveledKey::generate(secret, &mut generator, threads, &progress);
    unless_cancelled(control, key)
}

/// Tells who watches how many rows of a key are done.
fn steps(control: &Control) -> impl Fn(usize, usize) + Sync + '_ {
    |done, of| {
        control.report(Progress::Keys {
            done: done as u64,
            of: of.max(1) as u64,
        });
    }
}

/// A key of TFHE takes seconds at the most and cannot be stopped on the way.
fn unless_cancelled<K>(control: &Control, key: Result<K, tfhe::TfheError>) -> Result<K, Error> {
    match control.cancel.is_cancelled() {
        true => Err(Error::interrupted()),
        false => key.map_err(Error::internal),
    }
}

/// Units done, of [`UNITS`]: nearly all time goes into the last part.
fn reached(progress: gentry_halevi::Progress) -> u64 {
    let (begin, end) = match progress.stage {
        Stage::Resultant => (0, 100),
        Stage::Root => (100, 150),
        Stage::Powers => (150, 300),
        _ => (300, UNITS),
    };
    let steps = progress.steps.max(1) as u64;
    begin + (end - begin) * (progress.done as u64).min(steps) / steps
}

impl SecretKey {
    /// The scheme.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        match self {
            SecretKey::Tfhe(_) => Scheme::Tfhe,
            SecretKey::Bgv(..) => Scheme::Bgv,
            SecretKey::GentryHalevi(..) => Scheme::GentryHalevi,
        }
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        match self {
            SecretKey::Tfhe(key) => key.key_id(),
            SecretKey::Bgv(file, _) => file.key_id(),
            SecretKey::GentryHalevi(file, _) => file.key_id(),
        }
    }

    /// The kind of a secret key's file.
    #[must_use]
    pub fn kind_of(scheme: Scheme) -> Kind {
        match scheme {
            Scheme::Bgv => Kind::BGV_SECRET_KEY,
            Scheme::GentryHalevi => Kind::GENTRY_HALEVI_SECRET_KEY,
            _ => Kind::SECRET_KEY,
        }
    }

    /// Makes a secret key of TFHE alone: what computes with it can be made later and elsewhere
    /// ([`generate_server_key`]). Randomness comes from the operating system's generator.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) if the system has no randomness.
    ///
    /// ```
    /// use blindcore_session::owner::{self, PublicKey, SecretKey};
    /// use blindcore_session::{Control, Error};
    /// use std::path::Path;
    ///
    /// let secret = SecretKey::generate(tfhe::TOY_BLOCK)?;
    /// let SecretKey::Tfhe(key) = &secret else { unreachable!() };
    /// let server = owner::generate_server_key(key, &Control::default())?;
    /// let public = PublicKey::Tfhe(owner::generate_public_key(key)?);
    /// assert_eq!((server.key_id(), public.key_id()), (secret.key_id(), secret.key_id()));
    ///
    /// // A key that travels by other means than a file.
    /// let bytes = secret.encode(None)?;
    /// let none = || -> Result<_, Error> { unreachable!("no passphrase is asked for") };
    /// assert_eq!(SecretKey::open(Path::new("the key"), &bytes, none)?.key_id(), secret.key_id());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn generate(parameters: tfhe::Parameters) -> Result<SecretKey, Error> {
        generate_secret_key(parameters).map(SecretKey::Tfhe)
    }

    /// Reads a key's file, which a passphrase may protect; `passphrase` is asked only then.
    ///
    /// # Errors
    /// Those of reading a file; those of `passphrase`.
    pub fn read<E: From<Error>>(
        path: &Path,
        passphrase: impl FnOnce() -> Result<Passphrase, E>,
    ) -> Result<SecretKey, E> {
        let scheme = crate::schemes::scheme_of(path);
        let kind = SecretKey::kind_of(scheme);
        let read = files::read_container(path, Some(kind));
        let (header, payload) = read.map_err(|error| Error::file(path, &error))?;
        SecretKey::of_container(path, &header, &payload, passphrase)
    }

    /// The key of these bytes, which are those of a key's file that messages call `name`;
    /// `passphrase` is asked only if one protects it.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn open<E: From<Error>>(
        name: &Path,
        bytes: &[u8],
        passphrase: impl FnOnce() -> Result<Passphrase, E>,
    ) -> Result<SecretKey, E> {
        let wrong = |error: WireError| Error::file(name, &error);
        let (header, _) = wire::Header::parse(bytes).map_err(wrong)?;
        let kind = SecretKey::kind_of(header.kind.scheme());
        header.expect(kind).map_err(wrong)?;
        let (header, payload) = wire::container::open(bytes).map_err(wrong)?;
        SecretKey::of_container(name, &header, payload, passphrase)
    }

    fn of_container<E: From<Error>>(
        path: &Path,
        header: &wire::Header,
        payload: &[u8],
        passphrase: impl FnOnce() -> Result<Passphrase, E>,
    ) -> Result<SecretKey, E> {
        unprotected(path, header, payload, passphrase, &SecretKey::decode)
    }

    fn decode(path: &Path, header: &wire::Header, payload: &[u8]) -> Result<SecretKey, Error> {
        let wrong = |error: WireError| Error::file(path, &error);
        Ok(match header.kind.scheme() {
            Scheme::Bgv => {
                let file: wire::bgv::SecretKey =
                    wire::decode_payload(header, payload).map_err(wrong)?;
                let key = file.open().map_err(wrong)?;
                SecretKey::Bgv(file, key)
            }
            Scheme::GentryHalevi => {
                let file: wire::gentry_halevi::SecretKey =
                    wire::decode_payload(header, payload).map_err(wrong)?;
                let key = gentry_halevi::SecretKey::from_parts(
                    *file.parameters(),
                    file.key_id(),
                    file.modulus().to_vec(),
                    file.secret().to_vec(),
                );
                let key =
                    key.map_err(|error| integers::refused(&path.display().to_string(), &error))?;
                SecretKey::GentryHalevi(file, key)
            }
            _ => SecretKey::Tfhe(wire::decode_payload(header, payload).map_err(wrong)?),
        })
    }

    /// Its file, behind a passphrase if there is one.
    ///
    /// # Errors
    /// Those of [`wire::protect`].
    pub fn encode(&self, passphrase: Option<&Passphrase>) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let open = match self {
            SecretKey::Tfhe(key) => wire::encode(key),
            SecretKey::Bgv(file, _) => wire::encode(file),
            SecretKey::GentryHalevi(file, _) => wire::encode(file),
        }?;
        match passphrase {
            None => Ok(open),
            Some(passphrase) => wire::protect(&open, passphrase, wire::Cost::RFC_9106_SECOND),
        }
    }
}

/// A key of a file, which messages call by its path, from its header and payload.
type Decode<K> = dyn Fn(&Path, &wire::Header, &[u8]) -> Result<K, Error>;

/// What a passphrase protects, if one does.
fn unprotected<K, E: From<Error>>(
    path: &Path,
    header: &wire::Header,
    payload: &[u8],
    passphrase: impl FnOnce() -> Result<Passphrase, E>,
    decode: &Decode<K>,
) -> Result<K, E> {
    let wrong = |error: WireError| Error::file(path, &error);
    if !header.is_protected() {
        return Ok(decode(path, header, payload)?);
    }
    // Nobody has to type for a file that asks for too much.
    wire::cost_of(header, payload).map_err(wrong)?;
    let passphrase = passphrase()?;
    let (header, payload) = wire::unprotect(header, payload, &passphrase).map_err(wrong)?;
    Ok(decode(path, &header, payload.expose())?)
}

/// As [`SecretKey::open`], for a key of TFHE, which is all that this then takes with it.
///
/// # Errors
/// As there.
///
/// ```
/// use blindcore_session::Error;
/// use blindcore_session::owner;
/// use std::path::Path;
///
/// let key = owner::generate_secret_key(tfhe::TOY_BLOCK)?;
/// let none = || -> Result<_, Error> { unreachable!("no passphrase is asked for") };
/// let again = owner::open_tfhe(Path::new("the key"), &wire::encode(&key)?, none)?;
/// assert_eq!(again.key_id(), key.key_id());
///
/// let age = [wire::Variable { name: "age".to_owned(), kind: "u8".parse()? }];
/// let bits = [true, false, true, false, false, false, false, false];
/// let public = owner::generate_public_key(&key)?;
/// for file in [owner::encrypt_tfhe(&key, &age, &bits)?, owner::encrypt_tfhe_public(&public, &age, &bits)?] {
///     let mut found = Vec::new();
///     owner::decrypt_tfhe(&again, "a", wire::Containers::new(&file[..]), &mut |row| {
///         found.extend(row.row(0).map(|(_, _, elements)| elements));
///         Ok(())
///     })?;
///     assert_eq!(found, [[5]]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open_tfhe<E: From<Error>>(
    name: &Path,
    bytes: &[u8],
    passphrase: impl FnOnce() -> Result<Passphrase, E>,
) -> Result<tfhe::SecretKey, E> {
    let wrong = |error: WireError| Error::file(name, &error);
    let (header, _) = wire::Header::parse(bytes).map_err(wrong)?;
    header.expect(Kind::SECRET_KEY).map_err(wrong)?;
    let (header, payload) = wire::container::open(bytes).map_err(wrong)?;
    unprotected(
        name,
        &header,
        payload,
        passphrase,
        &|name, header, payload| {
            let key = wire::decode_payload(header, payload);
            key.map_err(|error| Error::file(name, &error))
        },
    )
}

impl IntegerKey {
    pub(super) fn of(file: &wire::gentry_halevi::SecretKey) -> Self {
        Self {
            key: file.key().clone(),
            modulus: file.modulus().to_vec(),
            root: file.root().to_vec(),
        }
    }
}

impl PublicKey {
    /// Reads a public key's file; in the Gentry–Halevi scheme that of a server key.
    ///
    /// # Errors
    /// Those of reading a file.
    pub fn read(path: &Path, control: &Control) -> Result<PublicKey, Error> {
        let wrong = |error: WireError| Error::file(path, &error);
        Ok(match crate::schemes::scheme_of(path) {
            Scheme::Bgv => {
                let file: wire::bgv::PublicKey = files::read(path).map_err(wrong)?;
                PublicKey::Bgv(file.open().map_err(wrong)?)
            }
            Scheme::GentryHalevi => {
                let (file, _) = integers::public_key(path, control)?;
                PublicKey::GentryHalevi(IntegerKey {
                    key: file.key().clone(),
                    modulus: file.modulus().to_vec(),
                    root: file.root().to_vec(),
                })
            }
            _ => PublicKey::Tfhe(files::read(path).map_err(wrong)?),
        })
    }

    /// The key of these bytes, as [`encode`](Self::encode) gives them; messages call it `name`.
    ///
    /// # Errors
    /// [`ErrorKind::File`](crate::ErrorKind::File).
    pub fn decode(name: &str, bytes: &[u8]) -> Result<PublicKey, Error> {
        let wrong = |error: WireError| Error::file(Path::new(name), &error);
        let (header, _) = wire::Header::parse(bytes).map_err(wrong)?;
        match header.kind {
            Kind::BGV_PUBLIC_KEY => {
                let file: wire::bgv::PublicKey = wire::decode(bytes).map_err(wrong)?;
                Ok(PublicKey::Bgv(file.open().map_err(wrong)?))
            }
            _ => Ok(PublicKey::Tfhe(wire::decode(bytes).map_err(wrong)?)),
        }
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        match self {
            PublicKey::Tfhe(key) => key.key_id(),
            PublicKey::Bgv(key) => key.key_id(),
            PublicKey::GentryHalevi(key) => key.key.id(),
        }
    }

    /// Its file; the Gentry–Halevi scheme's is a server key and much larger.
    ///
    /// # Errors
    /// [`WireError::Unstorable`].
    pub fn encode(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        match self {
            PublicKey::Tfhe(key) => wire::encode(key),
            PublicKey::Bgv(key) => wire::encode(&wire::bgv::PublicKey::of(key)),
            PublicKey::GentryHalevi(_) => Err(WireError::Unstorable {
                reason: "the public key of this scheme is its server key".to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_goes_from_part_to_part() {
        let at = |stage, done| {
            reached(gentry_halevi::Progress {
                stage,
                done,
                steps: 10,
            })
        };
        assert_eq!(at(Stage::Resultant, 0), 0);
        assert_eq!(at(Stage::Resultant, 12), 100);
        assert_eq!(at(Stage::Powers, 5), 225);
        assert_eq!(at(Stage::Encryptions, 10), UNITS);
    }
}
