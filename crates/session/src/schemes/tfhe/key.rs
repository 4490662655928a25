//! The server's key as a run holds it: lookups, and selectors where something uses them.
//!
//! What makes selectors is a *selector key*, the second part of a server key, in a file of its own:
//! NAME.selectors beside NAME.server. It is 61 MB long for P16, takes 122 MB of memory and
//! about twice the time of the first part to expand, and so it is read only where it is asked for.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::tfhe::ServerKey;
use ::tfhe::leveled::{LeveledKey, SeededLeveledKey};

use crate::error::{Error, ErrorKind};
use crate::evaluator::EvaluationError;

/// How the file of a server key ends, and that of the selector key beside it.
const ENDINGS: [&str; 2] = ["server", "selectors"];

/// Where a run finds a selector key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Selectors {
    /// Nowhere: nothing would use it, and it is not read.
    #[default]
    Unused,
    /// Beside the server key, if there is one: NAME.selectors beside NAME.server.
    Beside,
    /// In this file.
    In(PathBuf),
}

impl Selectors {
    /// The file, if there is one to read, for a server key in a file.
    ///
    /// ```
    /// use std::path::{Path, PathBuf};
    ///
    /// use blindcore_session::schemes::tfhe::Selectors;
    ///
    /// let server = Path::new("keys/nobody.server");
    /// assert_eq!(Selectors::Unused.file(server), None);
    /// // There is none, and a file of another name has none beside it.
    /// assert_eq!(Selectors::Beside.file(server), None);
    /// assert_eq!(Selectors::Beside.file(Path::new("-")), None);
    /// // A file that was named is read, or missed.
    /// let named = PathBuf::from("my.selectors");
    /// assert_eq!(Selectors::In(named.clone()).file(server), Some(named));
    /// ```
    #[must_use]
    pub fn file(&self, server: &Path) -> Option<PathBuf> {
        match self {
            Self::Unused => None,
            Self::In(path) => Some(path.clone()),
            Self::Beside => {
                let [of_server, of_selectors] = ENDINGS;
                let path = (server.extension()? == of_server)
                    .then(|| server.with_extension(of_selectors))?;
                // One that cannot be looked at is there, and its reader says why it fails.
                path.try_exists().unwrap_or(true).then_some(path)
            }
        }
    }
}

/// A server key, ready to compute; shared by all threads.
#[derive(Clone, Debug)]
pub struct ExpandedKey {
    /// What makes lookups: the first part.
    pub lookups: Arc<ServerKey>,
    /// What makes selectors: the second part, where it was asked for and found.
    pub selectors: Option<Arc<LeveledKey>>,
}

impl From<Arc<ServerKey>> for ExpandedKey {
    /// A key without its second part.
    fn from(lookups: Arc<ServerKey>) -> Self {
        Self {
            lookups,
            selectors: None,
        }
    }
}

/// Reads a selector key and makes it ready to compute beside a first part, on `threads` threads.
///
/// # Errors
/// Those of reading a file, [`ErrorKind::Key`] if it belongs to another server key.
pub fn read_selectors(
    path: &Path,
    first: &ServerKey,
    threads: NonZeroUsize,
) -> Result<Arc<LeveledKey>, Error> {
    let seeded: SeededLeveledKey = files::read(path).map_err(|error| Error::file(path, &error))?;
    let found = (seeded.parameters(), seeded.key_id());
    wire::match_keys(found, (first.parameters(), first.key_id())).map_err(|error| {
        let message = format!(
            "{}: {error}: this selector key belongs to another server key; move it away, or make the right one with \
             `key selectors`",
            path.display()
        );
        Error::new(ErrorKind::Key, message)
    })?;
    expand_selectors(&seeded, first, threads)
        .map_err(|error| Error::new(ErrorKind::Internal, format!("{}: {error}", path.display())))
}

/// Makes a selector key ready to compute beside a first part of the same key, on `threads` threads.
///
/// # Errors
/// [`EvaluationError::Scheme`] if they are of different parameters.
pub fn expand_selectors(
    seeded: &SeededLeveledKey,
    first: &ServerKey,
    threads: NonZeroUsize,
) -> Result<Arc<LeveledKey>, EvaluationError> {
    let key = LeveledKey::expand(seeded, first, threads.get(), &|_, _| {})?;
    Ok(Arc::new(key))
}

impl ExpandedKey {
    /// Adds the selector key of a server key in a file, if there is one to read.
    ///
    /// # Errors
    /// Those of [`read_selectors`].
    pub fn with_selectors(
        self,
        server: &Path,
        selectors: &Selectors,
        threads: NonZeroUsize,
    ) -> Result<Self, Error> {
        let Some(path) = selectors.file(server) else {
            return Ok(self);
        };
        let selectors = read_selectors(&path, &self.lookups, threads)?;
        Ok(Self {
            selectors: Some(selectors),
            ..self
        })
    }
}
