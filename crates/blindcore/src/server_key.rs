//! The server's key, of one part or of two.

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use bgv::EvaluationKey;
use session::evaluator::{Planned, Target};
use session::schemes::tfhe::{ExpandedKey, Selectors, expand, expand_selectors};
use session::{Error, ErrorKind};
use tfhe::leveled::{LeveledKey, SeededLeveledKey};
use tfhe::{KeyId, SeededServerKey, ServerKey as Expanded};
use wire::{Kind, Record, Role, Scheme, WireError};

use crate::keys::write;

/// The key that computes and reads nothing.
///
/// One of TFHE may have a second part, its *selectors*, with which selections, memory at secret
/// indices and products take a fraction of the time. [`Keys::generate`](crate::Keys::generate)
/// makes both. They are two files, `NAME.server` and `NAME.selectors`, and travel by themselves:
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Control, Keys, ServerKey};
///
/// let keys = Keys::generate()?;
/// let first = ServerKey::from_bytes(&keys.server.to_bytes()?)?;
/// assert!(first.selectors()?.is_none());
/// let whole = first.with_selectors(&keys.server.selectors()?.unwrap())?;
/// assert!(whole.selectors()?.is_some());
/// // There may be any number of second parts.
/// let another = keys.secret.selectors(&Control::default())?;
/// whole.with_selectors(&another)?;
/// # Ok(())
/// # }
/// ```
pub struct ServerKey(pub(crate) Computing);

pub(crate) enum Computing {
    /// With seeds instead of masks, and ready once somebody has computed; the second part, too.
    Tfhe {
        seeded: SeededServerKey,
        ready: OnceLock<Arc<Expanded>>,
        selectors: Option<Box<Second>>,
    },
    /// As its file has it, and ready.
    Bgv(wire::bgv::ServerKey, OnceLock<Arc<EvaluationKey>>),
}

/// The second part of a key of TFHE.
pub(crate) struct Second {
    seeded: SeededLeveledKey,
    ready: OnceLock<Arc<LeveledKey>>,
}

impl ServerKey {
    pub(crate) fn of_tfhe(seeded: SeededServerKey) -> Self {
        Self(Computing::Tfhe {
            seeded,
            ready: OnceLock::new(),
            selectors: None,
        })
    }

    pub(crate) fn of_bgv(key: wire::bgv::ServerKey) -> Self {
        Self(Computing::Bgv(key, OnceLock::new()))
    }

    /// Reads a key's file, and the second part if there is one beside it: `NAME.selectors` beside
    /// `NAME.server`.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::File`]; [`ErrorKind::Key`] for a second part of another key.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let key = read(path, Self::from_bytes)?;
        match Selectors::Beside.file(path) {
            None => Ok(key),
            Some(second) => read(&second, |bytes| key.with_selectors(bytes)),
        }
    }

    /// With its second part, as [`selectors`](Self::selectors) gives it.
    ///
    /// # Errors
    /// [`ErrorKind::File`] for other bytes, [`ErrorKind::Key`] for a part of another key.
    pub fn with_selectors(self, bytes: &[u8]) -> Result<Self, Error> {
        let second = wire::decode(bytes);
        let wrong = |error: WireError| Error::new(ErrorKind::File, error.to_string());
        self.with(second.map_err(wrong)?)
    }

    pub(crate) fn with(self, second: SeededLeveledKey) -> Result<Self, Error> {
        let Computing::Tfhe { seeded, ready, .. } = self.0 else {
            let message = "a server key of BGV has one part";
            return Err(Error::new(ErrorKind::Key, message));
        };
        let (found, own) = (
            (second.parameters(), second.key_id()),
            (seeded.parameters(), seeded.key_id()),
        );
        wire::match_keys(found, own).map_err(|error| {
            let message = format!("{error}: these selectors belong to another server key");
            Error::new(ErrorKind::Key, message)
        })?;
        Ok(Self(Computing::Tfhe {
            seeded,
            ready,
            selectors: Some(Box::new(Second {
                seeded: second,
                ready: OnceLock::new(),
            })),
        }))
    }

    /// Without its second part: runs take longer, and the key half the room.
    #[must_use]
    pub fn without_selectors(self) -> Self {
        match self.0 {
            Computing::Tfhe { seeded, ready, .. } => Self(Computing::Tfhe {
                seeded,
                ready,
                selectors: None,
            }),
            bgv => Self(bgv),
        }
    }

    /// The bytes of the second part's file, some 61 MB, if there is one.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`].
    pub fn selectors(&self) -> Result<Option<Vec<u8>>, Error> {
        let second = self.second().map(|second| wire::encode(&second.seeded));
        let bytes = second.transpose().map_err(Error::internal)?;
        Ok(bytes.map(|bytes| bytes.to_vec()))
    }

    fn second(&self) -> Option<&Second> {
        match &self.0 {
            Computing::Tfhe { selectors, .. } => selectors.as_deref(),
            Computing::Bgv(..) => None,
        }
    }

    /// What a plan for this key may count on.
    pub(crate) fn target(&self, target: Target) -> Target {
        let selectors = match self.second() {
            Some(_) => Selectors::Beside,
            None => Selectors::Unused,
        };
        Target {
            selectors,
            ..target
        }
    }

    /// Reads a key as [`to_bytes`](Self::to_bytes) gives it: its first part.
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
            Scheme::Bgv => wire::decode(bytes).map(Self::of_bgv).map_err(wrong),
            _ => wire::decode(bytes).map(Self::of_tfhe).map_err(wrong),
        }
    }

    /// The bytes of its first part's file, to send or to keep.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let bytes = match &self.0 {
            Computing::Tfhe { seeded, .. } => wire::encode(seeded),
            Computing::Bgv(key, _) => wire::encode(key),
        };
        Ok(bytes.map_err(Error::internal)?.to_vec())
    }

    /// Which key pair it belongs to.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        match &self.0 {
            Computing::Tfhe { seeded, .. } => seeded.key_id(),
            Computing::Bgv(key, _) => key.key_id(),
        }
    }

    /// Writes the key's file, and, if that is called `NAME.server`, `NAME.selectors` with the second
    /// part. Files that exist are left alone.
    ///
    /// # Errors
    /// [`ErrorKind::Io`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let beside = path.extension().is_some_and(|ending| ending == "server");
        let second = self.second().filter(|_| beside);
        let second = second.map(|second| (path.with_extension("selectors"), second));
        // Neither part alone, where the other cannot be written.
        if let Some((path, _)) = &second
            && path.symlink_metadata().is_ok()
        {
            return Err(Error::file(path, &WireError::exists()));
        }
        write(path, &self.to_bytes()?, Kind::SERVER_KEY)?;
        match second {
            None => Ok(()),
            Some((path, second)) => {
                let bytes = wire::encode(&second.seeded).map_err(Error::internal)?;
                write(&path, &bytes, Kind::SELECTOR_KEY)
            }
        }
    }

    /// Ready to compute.
    pub(crate) fn tfhe(&self, target: &Target) -> Result<Arc<Expanded>, Error> {
        let Computing::Tfhe { seeded, ready, .. } = &self.0 else {
            return Err(another_scheme());
        };
        if let Some(key) = ready.get() {
            return Ok(Arc::clone(key));
        }
        let key = expand(seeded, target.fft, target.threads).map_err(Error::internal)?;
        Ok(Arc::clone(ready.get_or_init(|| key)))
    }

    /// Whether it has its second part.
    #[must_use]
    pub fn has_selectors(&self) -> bool {
        self.second().is_some()
    }

    /// Ready to compute what was planned.
    pub(crate) fn for_plan(
        &self,
        target: &Target,
        planned: &Planned,
    ) -> Result<ExpandedKey, Error> {
        let may_use = planned.plan.total().selector > 0 || !planned.plan.complete;
        self.expanded(target, may_use)
    }

    /// Ready to compute, with its second part, if there is one, where that is used.
    pub(crate) fn expanded(&self, target: &Target, used: bool) -> Result<ExpandedKey, Error> {
        let lookups = self.tfhe(target)?;
        let Some(Second { seeded, ready }) = self.second().filter(|_| used) else {
            return Ok(ExpandedKey::from(lookups));
        };
        let selectors = match ready.get() {
            Some(key) => Arc::clone(key),
            None => {
                let key = expand_selectors(seeded, &lookups, target.threads);
                let key = key.map_err(Error::internal)?;
                Arc::clone(ready.get_or_init(|| key))
            }
        };
        Ok(ExpandedKey {
            lookups,
            selectors: Some(selectors),
        })
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

/// A file, by what reads its bytes.
fn read(
    path: &Path,
    of: impl FnOnce(&[u8]) -> Result<ServerKey, Error>,
) -> Result<ServerKey, Error> {
    let bytes = fs::read(path).map_err(|error| Error::io(path, "read", &error))?;
    of(&bytes)
        .map_err(|error| Error::new(error.kind, format!("{}: {}", path.display(), error.message)))
}

pub(crate) fn another_scheme() -> Error {
    Error::new(
        ErrorKind::Key,
        "the server key is of another scheme than the inputs: use the key pair that they were made with",
    )
}
