//! What each client may use, and the tokens that some show, from a TOML file.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use serde::Deserialize;

use super::connections::Limits;
use super::store::Revocations;
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
    /// Secret bits that one job takes.
    pub secret_bits: u64,
    /// Operations that one job records.
    pub operations: u64,
    /// Operations of one window: what is recorded is in memory.
    pub window: u64,
    /// Seconds for which one job's plan is made.
    pub planning_seconds: u64,
    /// Bootstraps of one job.
    pub bootstraps: u64,
    /// Bootstraps of a client's jobs that have not ended, as far as they are planned.
    pub bootstraps_in_all: u64,
    /// Bytes of memory of one job, key and circuits included.
    pub memory: u64,
}

impl Default for Quota {
    fn default() -> Self {
        Self {
            bytes: 20_000_000_000,
            jobs: 1_000,
            instructions: 1_000_000_000,
            wall_seconds: 604_800,
            secret_bits: 16_000_000,
            operations: 1_000_000_000,
            window: 10_000_000,
            planning_seconds: 3_600,
            bootstraps: 1_000_000_000,
            bootstraps_in_all: 0,
            memory: 0,
        }
    }
}

/// Whether `used` exceeds a limit, where 0 is none.
#[must_use]
pub fn exceeds(used: u64, limit: u64) -> bool {
    limit != 0 && used > limit
}

/// The quotas of all clients, their tokens, and the limits of connections; beside the file, who is
/// revoked.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quotas {
    #[serde(default)]
    quota: Rule,
    #[serde(default)]
    client: BTreeMap<String, Rule>,
    #[serde(default)]
    token: Tokens,
    #[serde(default)]
    connections: Limits,
    #[serde(skip)]
    revoked: Arc<Revocations>,
}

/// What a section of the file says; the rest comes from the section above it.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    bytes: Option<u64>,
    jobs: Option<u64>,
    instructions: Option<u64>,
    wall_seconds: Option<u64>,
    secret_bits: Option<u64>,
    operations: Option<u64>,
    window: Option<u64>,
    planning_seconds: Option<u64>,
    bootstraps: Option<u64>,
    bootstraps_in_all: Option<u64>,
    memory: Option<u64>,
    refused: Option<bool>,
    admin: Option<bool>,
}

impl Rule {
    fn over(self, base: Quota) -> Quota {
        Quota {
            bytes: self.bytes.unwrap_or(base.bytes),
            jobs: self.jobs.unwrap_or(base.jobs),
            instructions: self.instructions.unwrap_or(base.instructions),
            wall_seconds: self.wall_seconds.unwrap_or(base.wall_seconds),
            secret_bits: self.secret_bits.unwrap_or(base.secret_bits),
            operations: self.operations.unwrap_or(base.operations),
            window: self.window.unwrap_or(base.window),
            planning_seconds: self.planning_seconds.unwrap_or(base.planning_seconds),
            bootstraps: self.bootstraps.unwrap_or(base.bootstraps),
            bootstraps_in_all: self.bootstraps_in_all.unwrap_or(base.bootstraps_in_all),
            memory: self.memory.unwrap_or(base.memory),
        }
    }
}

impl FromStr for Quotas {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut quotas: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if quotas.quota.admin.is_some() {
            return Err("[quota]: admin is said of one client, in [client.NAME]".to_owned());
        }
        quotas.connections.check()?;
        // Tools print fingerprints in several ways; one that matched nobody would refuse nobody.
        let sections = std::mem::take(&mut quotas.client).into_iter();
        for (name, rule) in sections {
            let key = fingerprint(&name).unwrap_or(name);
            if quotas.client.insert(key.clone(), rule).is_some() {
                return Err(format!("[client.{key}] is there twice"));
            }
        }
        Ok(quotas)
    }
}

impl Quotas {
    pub(super) fn tokens(&self) -> &Tokens {
        &self.token
    }

    pub(super) fn connections(&self) -> &Limits {
        &self.connections
    }

    /// The same with other revocations.
    pub(super) fn with_revocations(self, revoked: Arc<Revocations>) -> Self {
        Self { revoked, ..self }
    }

    pub(super) fn revocations(&self) -> &Arc<Revocations> {
        &self.revoked
    }

    fn rule(&self, name: &str, id: &str) -> Rule {
        // A name that looks like another's fingerprint must not have its section.
        let by_name = || {
            self.client
                .get(name)
                .filter(|_| fingerprint(name).is_none())
        };
        let own = self.client.get(id).or_else(by_name);
        own.copied().unwrap_or_default()
    }

    /// Whether the client with this common name and this SHA-256 of its certificate is an
    /// administrator.
    #[must_use]
    pub fn is_admin(&self, name: &str, fingerprint: &str) -> bool {
        let admin = self.rule(name, fingerprint).admin.unwrap_or(false);
        admin && self.of(name, fingerprint).is_some()
    }

    /// What holds for jobs of a client, even if it is refused now: they go on.
    pub(super) fn limits(&self, name: &str, fingerprint: &str) -> Quota {
        let rule = self.rule(name, fingerprint);
        rule.over(self.quota.over(Quota::default()))
    }

    /// What the client with this common name and this SHA-256 (hexadecimal) of its certificate may
    /// use; `None` if it is refused. A section named by the certificate wins over one named by the
    /// name.
    #[must_use]
    pub fn of(&self, name: &str, fingerprint: &str) -> Option<Quota> {
        let rule = self.rule(name, fingerprint);
        let refused = rule.refused.or(self.quota.refused).unwrap_or(false);
        let refused = refused || self.revoked.contains_key(fingerprint);
        (!refused).then(|| self.limits(name, fingerprint))
    }
}

/// A SHA-256 in hexadecimal, in capitals or not, with colons or without, as it is compared.
pub(super) fn fingerprint(text: &str) -> Option<String> {
    let digits = text.replace(':', "").to_ascii_lowercase();
    let fits = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    fits.then_some(digits)
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
    fn an_administrator_is_one_client() {
        let quotas: Quotas = "[client.root]\nadmin = true\n[client.a]\nadmin = false"
            .parse()
            .unwrap();
        let admins = ["root", "a", "b"].map(|name| quotas.is_admin(name, "00"));
        assert_eq!(admins, [true, false, false]);
        let error = "[quota]\nadmin = true".parse::<Quotas>().unwrap_err();
        assert!(error.contains("[client.NAME]"), "{error}");
        assert!("[connections]\nweb = 0".parse::<Quotas>().is_err());
    }

    /// Who may choose its own name must not become somebody else by it.
    #[test]
    fn a_fingerprint_is_no_name() {
        let root = "ab".repeat(32);
        let colons = ["AB"; 32].join(":");
        let quotas: Quotas = format!("[client.\"{colons}\"]\nadmin = true")
            .parse()
            .unwrap();
        assert!(quotas.is_admin("x", &root));
        assert!(!quotas.is_admin(&root, "00") && !quotas.is_admin(&colons, "00"));
        let twice = format!("[client.{root}]\njobs = 1\n[client.\"{colons}\"]\njobs = 2");
        assert!(twice.parse::<Quotas>().unwrap_err().contains("twice"));
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
