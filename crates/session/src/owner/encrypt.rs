//! Encryption of a table of values, with either key of any scheme: a batch of rows at a time. In
//! TFHE a batch has one row, and so has a whole table in the Gentry–Halevi scheme.

use std::borrow::Cow;
use std::path::Path;

use gentry_halevi::Encryptor as OfIntegers;
use random::Generator;
use tfhe::{Layout, PackedInputs};
use wire::bgv::{FreshVectors, Share};
use wire::gentry_halevi::Numbers;
use wire::{Inputs, Kind, TableHead, Variable};
use zeroize::Zeroizing;

use super::keys::IntegerKey;
use super::{PublicKey, SecretKey};
use crate::control::{Control, Progress};
use crate::error::{Error, ErrorKind};
use crate::schemes::{self, bgv, gentry_halevi as integers};

/// What encrypts: a secret key, or a public one.
pub enum EncryptionKey {
    /// The owner's.
    Secret(SecretKey),
    /// The one that the owner has given away.
    Public(PublicKey),
}

impl EncryptionKey {
    /// Reads a public key, or a secret one by `secret`.
    ///
    /// # Errors
    /// Those of reading a file, and of `secret`.
    pub fn read<E: From<Error>>(
        path: &Path,
        control: &Control,
        secret: impl FnOnce() -> Result<SecretKey, E>,
    ) -> Result<Self, E> {
        match schemes::kind_of(path) {
            Some(Kind::PUBLIC_KEY | Kind::BGV_PUBLIC_KEY | Kind::GENTRY_HALEVI_SERVER_KEY) => {
                Ok(Self::Public(PublicKey::read(path, control)?))
            }
            _ => Ok(Self::Secret(secret()?)),
        }
    }

    /// It, encrypting.
    #[must_use]
    pub fn encryptor(&self) -> Encryptor<'_> {
        match self {
            Self::Secret(key) => Encryptor::of_secret(key),
            Self::Public(key) => Encryptor::of_public(key),
        }
    }
}

/// A batch of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableBatch {
    /// Rows of the whole table.
    pub rows: u32,
    /// Which batch of it, from 0.
    pub number: u32,
}

/// A key that encrypts.
pub struct Encryptor<'a>(Key<'a>);

enum Key<'a> {
    Tfhe(&'a tfhe::SecretKey),
    TfhePublic(&'a tfhe::PublicKey),
    Bgv(&'a ::bgv::SecretKey),
    BgvPublic(&'a ::bgv::PublicKey),
    /// Either key: both have modulus and root, and it takes no more.
    GentryHalevi(Cow<'a, IntegerKey>),
}

/// Where the bits of variables go: large ones, which may be arrays, begin a ciphertext.
fn layout(parameters: &tfhe::Parameters, variables: &[Variable]) -> Result<Layout, Error> {
    let sizes = variables.iter().map(|variable| variable.kind.bits());
    let sizes: Vec<usize> = sizes.collect();
    let too_large = || Error::new(ErrorKind::Input, "the inputs are larger than memory can be");
    Layout::of(parameters, &sizes).ok_or_else(too_large)
}

/// Encrypts a row with a secret key of TFHE: the bytes of a file of inputs.
///
/// # Errors
/// [`ErrorKind::Input`] for more than memory can hold, [`ErrorKind::Internal`].
pub fn encrypt_tfhe(
    key: &tfhe::SecretKey,
    variables: &[Variable],
    bits: &[bool],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut generator = Generator::from_entropy().map_err(Error::internal)?;
    let layout = layout(key.parameters(), variables)?;
    let encrypted = key.encrypt(&layout.padded(bits), &mut generator);
    let encrypted = encrypted.with_layout(layout).map_err(Error::internal)?;
    file(variables, encrypted)
}

/// The same with a public key.
///
/// # Errors
/// As for [`encrypt_tfhe`].
pub fn encrypt_tfhe_public(
    key: &tfhe::PublicKey,
    variables: &[Variable],
    bits: &[bool],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut generator = Generator::from_entropy().map_err(Error::internal)?;
    let layout = layout(key.parameters(), variables)?;
    let encrypted = key.encrypt(&layout.padded(bits), &mut generator);
    let encrypted = encrypted.and_then(|encrypted| encrypted.with_layout(layout));
    file(variables, encrypted.map_err(Error::internal)?)
}

/// The bytes of a file of inputs of TFHE.
fn file(variables: &[Variable], bits: PackedInputs) -> Result<Zeroizing<Vec<u8>>, Error> {
    let inputs = Inputs::new(variables.to_vec(), bits);
    inputs
        .and_then(|inputs| wire::encode(&inputs))
        .map_err(Error::internal)
}

impl<'a> Encryptor<'a> {
    /// A secret key.
    #[must_use]
    pub fn of_secret(key: &'a SecretKey) -> Self {
        Self(match key {
            SecretKey::Tfhe(key) => Key::Tfhe(key),
            SecretKey::Bgv(_, key) => Key::Bgv(key),
            SecretKey::GentryHalevi(file, _) => Key::GentryHalevi(Cow::Owned(IntegerKey::of(file))),
        })
    }

    /// A public key.
    #[must_use]
    pub fn of_public(key: &'a PublicKey) -> Self {
        Self(match key {
            PublicKey::Tfhe(key) => Key::TfhePublic(key),
            PublicKey::Bgv(key) => Key::BgvPublic(key),
            PublicKey::GentryHalevi(key) => Key::GentryHalevi(Cow::Borrowed(key)),
        })
    }

    /// The parameters of the Gentry–Halevi scheme, for a face that has to warn of it.
    #[must_use]
    pub fn broken_parameters(&self) -> Option<&gentry_halevi::Parameters> {
        match &self.0 {
            Key::GentryHalevi(key) => Some(key.key.parameters()),
            _ => None,
        }
    }

    /// Rows of a batch.
    #[must_use]
    pub fn slots(&self) -> usize {
        match &self.0 {
            Key::Bgv(key) => key.parameters().slots(),
            Key::BgvPublic(key) => key.ring().parameters().slots(),
            _ => 1,
        }
    }

    /// The parameters of BGV, and whether it is a public key.
    #[must_use]
    pub fn levelled(&self) -> Option<(&::bgv::Parameters, bool)> {
        match &self.0 {
            Key::Bgv(key) => Some((key.parameters(), false)),
            Key::BgvPublic(key) => Some((key.ring().parameters(), true)),
            _ => None,
        }
    }

    /// Batches of a table of `rows` rows.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for more rows than files hold, or than the scheme has.
    pub fn batches(&self, rows: u32) -> Result<u32, Error> {
        match &self.0 {
            Key::Bgv(key) => batches(rows, key.parameters()),
            Key::BgvPublic(key) => batches(rows, key.ring().parameters()),
            Key::Tfhe(_) | Key::TfhePublic(_) => Ok(rows),
            Key::GentryHalevi(_) if rows == 1 => Ok(1),
            Key::GentryHalevi(_) => {
                let message =
                    format!("{rows} rows: only keys of TFHE and of BGV encrypt tables of several");
                Err(Error::new(ErrorKind::Input, message))
            }
        }
    }

    /// What stands before the batches of a table; empty where batches say it themselves.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a table without rows.
    pub fn head(&self, rows: u32) -> Result<Zeroizing<Vec<u8>>, Error> {
        let (parameters, key) = match &self.0 {
            Key::Tfhe(key) => (*key.parameters(), key.key_id()),
            Key::TfhePublic(key) => (*key.parameters(), key.key_id()),
            _ => return Ok(Zeroizing::new(Vec::new())),
        };
        let head = TableHead::<Inputs>::new(parameters, key, rows, [0; 32]);
        let head = head.and_then(|head| wire::encode(&head));
        head.map_err(|error| Error::new(ErrorKind::Input, error.to_string()))
    }

    /// The file of one row: `bits` are the bits of its variables, one after the other.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`], [`ErrorKind::Internal`].
    pub fn encrypt(
        &self,
        variables: &[Variable],
        bits: &[bool],
        control: &Control,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let bits: Vec<Vec<bool>> = bits.iter().map(|bit| vec![*bit]).collect();
        let row = TableBatch { rows: 1, number: 0 };
        self.encrypt_batch(variables, &bits, row, control)
    }

    /// The file of one batch of a table: `bits` are, for each bit of a row, its values in all rows
    /// of the batch.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`], [`ErrorKind::Internal`].
    pub fn encrypt_batch(
        &self,
        variables: &[Variable],
        bits: &[Vec<bool>],
        batch: TableBatch,
        control: &Control,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let mut generator = Generator::from_entropy().map_err(Error::internal)?;
        let variables = variables.to_vec();
        let single = || {
            bits.iter()
                .filter_map(|slots| slots.first().copied())
                .collect::<Vec<_>>()
        };
        let encoded = match &self.0 {
            Key::Tfhe(key) => return encrypt_tfhe(key, &variables, &single()),
            Key::TfhePublic(key) => return encrypt_tfhe_public(key, &variables, &single()),
            Key::Bgv(key) => {
                let share = Share::new(batch.rows, batch.number, key.parameters())
                    .map_err(Error::internal)?;
                let seed = generator.seed();
                let mut vectors = FreshVectors::new(key.parameters(), key.key_id(), seed, share)
                    .map_err(Error::internal)?;
                for (number, bits) in (0..).zip(bits) {
                    reach(control, share, number)?;
                    let vector = key
                        .encrypt_seeded(bits, &seed, number, &mut generator)
                        .map_err(bgv::error)?;
                    vectors.push(vector).map_err(Error::internal)?;
                }
                Inputs::new(variables, vectors).and_then(|inputs| wire::encode(&inputs))
            }
            Key::BgvPublic(key) => {
                let parameters = key.ring().parameters();
                let share =
                    Share::new(batch.rows, batch.number, parameters).map_err(Error::internal)?;
                let mut vectors = FreshVectors::public(parameters, key.key_id(), share)
                    .map_err(Error::internal)?;
                for (number, bits) in (0..).zip(bits) {
                    reach(control, share, number)?;
                    let vector = key.encrypt(bits, &mut generator).map_err(bgv::error)?;
                    vectors.push_public(vector).map_err(Error::internal)?;
                }
                Inputs::new(variables, vectors).and_then(|inputs| wire::encode(&inputs))
            }
            Key::GentryHalevi(integer) => {
                let bits = single();
                let IntegerKey { key, modulus, root } = integer.as_ref();
                let (parameters, memory) = (key.parameters(), OfIntegers::MEMORY);
                let (count, threads) = (bits.len(), control.threads);
                let encrypted =
                    OfIntegers::of_root(parameters, modulus, root, count, memory, threads)
                        .and_then(|encryptor| encryptor.encrypt(&bits, &mut generator))
                        .map_err(integers::error)?;
                let mut numbers = Numbers::new(key.clone());
                for bit in &encrypted {
                    numbers.push(bit.limbs()).map_err(Error::internal)?;
                }
                Inputs::new(variables, numbers).and_then(|inputs| wire::encode(&inputs))
            }
        };
        encoded.map_err(Error::internal)
    }
}

fn batches(rows: u32, parameters: &::bgv::Parameters) -> Result<u32, Error> {
    let share = Share::new(rows, 0, parameters);
    let share = share.map_err(|error| Error::new(ErrorKind::Input, error.to_string()))?;
    Ok(share.batches())
}

/// Reports that `done` bits of a row are done.
fn reach(control: &Control, share: Share, done: u64) -> Result<(), Error> {
    let (batch, batches) = (share.batch(), share.batches());
    let progress = Progress::Encryption {
        batch,
        batches,
        done,
    };
    if control.watch(progress).is_break() {
        let message = format!("interrupted in batch {} of {batches}", batch + 1);
        return Err(Error::new(ErrorKind::Interrupted, message));
    }
    Ok(())
}
