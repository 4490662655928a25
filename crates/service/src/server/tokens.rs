//! The tokens that a server takes, from its configuration.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use sha2::{Digest, Sha256};
use subtle::{ConditionallySelectable, ConstantTimeEq};

use crate::token;

/// Longest name, in bytes.
const NAME_LIMIT: usize = 64;

/// The `[token.NAME]` sections, checked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(try_from = "BTreeMap<String, Section>")]
pub(super) struct Tokens(Vec<Token>);

/// One section.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    sha256: String,
    #[serde(default)]
    operator: bool,
}

#[derive(Clone, Debug)]
struct Token {
    name: String,
    digest: [u8; 32],
    operator: bool,
}

/// Whose a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bearer {
    /// What owns blobs and jobs: never that of a certificate.
    pub(super) id: String,
    /// The section's name.
    pub(super) name: String,
    /// Whether it may see everybody's jobs.
    pub(super) operator: bool,
}

impl TryFrom<BTreeMap<String, Section>> for Tokens {
    type Error = String;

    fn try_from(sections: BTreeMap<String, Section>) -> Result<Self, String> {
        let mut owners: HashMap<[u8; 32], String> = HashMap::new();
        let mut tokens = Vec::with_capacity(sections.len());
        for (name, Section { sha256, operator }) in sections {
            let fits =
                !name.is_empty() && name.len() <= NAME_LIMIT && !name.chars().any(char::is_control);
            if !fits {
                return Err(format!(
                    "[token.{name:?}]: a name has 1 to {NAME_LIMIT} bytes and no control characters"
                ));
            }
            let digest = digest(&sha256).ok_or_else(|| {
                format!(
                    "[token.{name}]: sha256 is not 64 hexadecimal digits: `blindcore token {name}` \
                     makes a token and this hash of it"
                )
            })?;
            if let Some(other) = owners.insert(digest, name.clone()) {
                return Err(format!(
                    "[token.{name}] and [token.{other}] have the same sha256: each client has a token \
                     of its own"
                ));
            }
            tokens.push(Token {
                name,
                digest,
                operator,
            });
        }
        Ok(Self(tokens))
    }
}

/// 32 bytes in hexadecimal.
fn digest(text: &str) -> Option<[u8; 32]> {
    let hash = blake3::Hash::from_hex(text).ok()?;
    Some(hash.into())
}

impl Tokens {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whose token this is, if anybody's. The time it takes does not depend on whose.
    pub(super) fn bearer(&self, token: &str) -> Option<Bearer> {
        let digest = token::digest(token);
        let mut found = u64::MAX;
        for (number, token) in (0_u64..).zip(&self.0) {
            found.conditional_assign(&number, token.digest.ct_eq(&digest));
        }
        let token = self.0.get(usize::try_from(found).ok()?)?;
        Some(token.bearer())
    }

    /// Who has this id, if its token is taken still.
    pub(super) fn owner(&self, id: &str) -> Option<Bearer> {
        self.bearers().find(|bearer| bearer.id == id)
    }

    /// All of them.
    pub(super) fn bearers(&self) -> impl Iterator<Item = Bearer> {
        self.0.iter().map(Token::bearer)
    }
}

impl Token {
    fn bearer(&self) -> Bearer {
        Bearer {
            id: id(&self.digest),
            name: self.name.clone(),
            operator: self.operator,
        }
    }
}

/// A certificate's id is a hash of itself; this one is of no certificate.
fn id(digest: &[u8; 32]) -> String {
    let mut hasher = Sha256::new_with_prefix("token:");
    hasher.update(digest);
    let digest = hasher.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Result<Tokens, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_token_is_its_own_bearers_and_nobody_elses() {
        let (a, b) = (token::fingerprint("a"), token::fingerprint("b"));
        let text = format!("[alice]\nsha256 = \"{a}\"\n[root]\nsha256 = \"{b}\"\noperator = true");
        let tokens = tokens(&text).unwrap();
        let alice = tokens.bearer("a").unwrap();
        assert_eq!((alice.name.as_str(), alice.operator), ("alice", false));
        let root = tokens.bearer("b").unwrap();
        assert_eq!((root.name.as_str(), root.operator), ("root", true));
        assert_ne!(alice.id, root.id);
        // The configuration's hash is no token, and no id.
        assert_ne!(alice.id, a);
        for wrong in ["", "A", "ab", a.as_str(), alice.id.as_str()] {
            assert_eq!(tokens.bearer(wrong), None, "{wrong}");
        }
        assert_eq!(Tokens::default().bearer("a"), None);
    }

    #[test]
    fn wrong_sections_are_named() {
        let a = token::fingerprint("a");
        for (text, part) in [
            ("[alice]\nsha256 = \"12\"".to_owned(), "[token.alice]"),
            ("[alice]".to_owned(), "sha256"),
            (format!("[a]\nsha256 = \"{a}\"\nrights = 1"), "rights"),
            (
                format!("[a]\nsha256 = \"{a}\"\n[b]\nsha256 = \"{a}\""),
                "[token.b] and [token.a]",
            ),
            (format!("[\"\\n\"]\nsha256 = \"{a}\""), "control"),
        ] {
            let error = tokens(&text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
