//! What each client may use, and the tokens that some show, from a TOML file.

use std::collections::BTreeMap;
use std::str::FromStr;

use serde::Deserialize;

use super::tokens::Tokens;

/// What one client may use; 0 is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Stored bytes: blobs, checkpoints, outputs.
    pub bytes: u64,
    /// Jobs that have not ended.
    pub jobs: u64,
    /// Instructions of one job.
    pub instructions: u64,
    /// Seconds that one job runs, waiting not counted.
    pub wall_seconds: u64,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            bytes: 20_000_000_000,
            jobs: 1_000,
            instructions: 1_000_000_000,
            wall_seconds: 604_800,
        }
    }
}

/// Whether `used` exceeds a limit, where 0 is none.
#[must_use]
pub fn exceeds(used: u64, limit: u64) -> bool {
    limit != 0 && used > limit
}

/// The quotas of all clients, and their tokens.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quotas {
    #[serde(default)]
    quota: Rule,
    #[serde(default)]
    client: BTreeMap<String, Rule>,
    #[serde(default)]
    token: Tokens,
}

/// What a section of the file says; the rest comes from the section above it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    bytes: Option<u64>,
    jobs: Option<u64>,
    instructions: Option<u64>,
    wall_seconds: Option<u64>,
    refused: Option<bool>,
}

impl Rule {
    fn over(self, base: Quota) -> Quota {
        Quota {
            bytes: self.bytes.unwrap_or(base.bytes),
            jobs: self.jobs.unwrap_or(base.jobs),
            instructions: self.instructions.unwrap_or(base.instructions),
            wall_seconds: self.wall_seconds.unwrap_or(base.wall_seconds),
        }
    }
}

impl FromStr for Quotas {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }
}

impl Quotas {
    pub(super) fn tokens(&self) -> &Tokens {
        &self.token
    }

    /// What the client with this common name and this SHA-256 (hexadecimal) of its certificate may
    /// use; `None` if it is refused. A section named by the certificate wins over one named by the
    /// name.
    #[must_use]
    pub fn of(&self, name: &str, fingerprint: &str) -> Option<Quota> {
        let own = self.client.get(fingerprint).or(self.client.get(name));
        let rule = own.copied().unwrap_or_default();
        let refused = rule.refused.or(self.quota.refused).unwrap_or(false);
        (!refused).then(|| rule.over(self.quota.over(Quota::default())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_over_each_other() {
        let quotas: Quotas =
            "[quota]\njobs = 3\n[client.a]\nbytes = 7\n[client.ff]\nrefused = true"
                .parse()
                .unwrap();
        let a = quotas.of("a", "00").unwrap();
        assert_eq!((a.jobs, a.bytes), (3, 7));
        assert_eq!(quotas.of("a", "ff"), None);
        assert_eq!(quotas.of("b", "00").unwrap().bytes, Quota::default().bytes);
    }

    #[test]
    fn unknown_words_are_errors() {
        let error = "[quota]\njobz = 3".parse::<Quotas>().unwrap_err();
        assert!(error.contains("jobz"), "{error}");
        assert!("quota = 1".parse::<Quotas>().is_err());
    }

    #[test]
    fn nothing_is_no_limit() {
        assert!(exceeds(8, 7) && !exceeds(7, 7) && !exceeds(8, 0));
    }
}
