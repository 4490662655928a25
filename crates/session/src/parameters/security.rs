//! What our own estimates and the lattice estimator said: data, compiled in.

use serde::{Deserialize, Serialize};

use super::sheet::KeySheet;

/// The least of the known attacks on some keys.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Least<'a> {
    /// log2 of its cost.
    pub bits: f64,
    /// Its name.
    pub attack: &'a str,
    /// The role of the key that it breaks.
    pub key: &'a str,
}

/// The record, written by `scripts/parameters/check.py --record-security`.
const RECORD: &str = include_str!("security.json");

/// The whole record.
#[derive(Debug, Deserialize)]
pub struct Estimates {
    /// Which estimator, when, with what.
    #[serde(rename = "estimator")]
    pub provenance: Provenance,
    keys: Vec<Estimate>,
}

/// Where the figures come from.
#[derive(Debug, Deserialize, Serialize)]
pub struct Provenance {
    repository: String,
    /// The estimator's commit.
    pub commit: String,
    commit_date: String,
    /// When it was asked.
    pub date: String,
    /// The cost model of lattice reduction.
    pub cost_model: String,
    sage: String,
}

/// The figures of one key.
#[derive(Debug, Deserialize)]
pub struct Estimate {
    dimension: u64,
    secret: serde_json::Value,
    log2_modulus: u32,
    log2_deviation: f64,
    /// The distribution of the secret that was given to the estimator.
    pub modelled_as: String,
    /// log2 of the cost of each attack, by name, as the record orders them.
    pub attacks: serde_json::Map<String, serde_json::Value>,
}

impl Estimates {
    /// The record of this build.
    ///
    /// # Errors
    ///
    /// Only if the record that is compiled in is defective.
    pub fn recorded() -> Result<Self, serde_json::Error> {
        serde_json::from_str(RECORD)
    }

    /// What is recorded of a key.
    #[must_use]
    pub fn of(&self, key: &KeySheet) -> Option<&Estimate> {
        let secret = super::document::secret(key.secret);
        self.keys.iter().find(|estimate| {
            estimate.dimension == key.dimension
                && estimate.secret == secret
                && estimate.log2_modulus == key.log2_modulus
                && (estimate.log2_deviation - key.log2_deviation).abs() < 5e-4
        })
    }

    /// The cheapest attack on any of these keys. `None` if a key has no figures.
    #[must_use]
    pub fn least<'a>(&'a self, keys: &'a [KeySheet]) -> Option<Least<'a>> {
        let mut least: Option<Least<'_>> = None;
        for key in keys {
            let (bits, attack) = self.of(key)?.least()?;
            if least.is_none_or(|known| bits < known.bits) {
                least = Some(Least {
                    bits,
                    attack,
                    key: key.role,
                });
            }
        }
        least
    }
}

impl Estimate {
    /// The cheapest attack: its cost and its name.
    #[must_use]
    pub fn least(&self) -> Option<(f64, &str)> {
        let known = self.attacks.iter();
        known
            .filter_map(|(name, bits)| Some((bits.as_f64()?, name.as_str())))
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Purpose, Sheet};
    use super::*;

    /// A set that claims security has figures for each of its keys, and claims no more than they
    /// say.
    #[test]
    fn promises_are_backed_by_the_record() {
        let estimates = Estimates::recorded().unwrap();
        for sheet in Sheet::all() {
            let promised = sheet.promise.security_bits;
            if sheet.purpose == Purpose::Test {
                assert_eq!(promised, 0.0, "{}", sheet.name);
                continue;
            }
            let Least { bits, attack, key } = estimates.least(&sheet.keys).unwrap();
            assert!(
                promised <= bits && bits < promised + 2.0,
                "{}: {promised} promised, {bits} by {attack} on {key}",
                sheet.name
            );
        }
    }
}
