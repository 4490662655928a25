//! The sheets as JSON: everything that a second computation needs.

use serde_json::{Value, json};
use tfhe::SmallKey;

use super::security::Estimates;
use super::sheet::{Gadget, Purpose, Sheet};

/// The distribution of a key, as in the record of security.
pub(super) fn secret(of: SmallKey) -> Value {
    match of {
        SmallKey::Uniform => json!({ "kind": "uniform binary" }),
        SmallKey::Block(bits) => json!({ "kind": "block-binary", "block": bits }),
    }
}

fn gadget(of: Gadget) -> Value {
    json!({ "base_log": of.base_log, "levels": of.levels })
}

fn log2_deviation(variance: f64) -> f64 {
    0.5 * variance.log2()
}

impl Sheet {
    /// The sheet as JSON, with what is recorded of its keys.
    #[must_use]
    pub fn document(&self, estimates: &Estimates) -> Value {
        let sheet = self;
        let keys: Vec<Value> = sheet
            .keys
            .iter()
            .map(|key| {
                let estimate = estimates.of(key);
                json!({
                    "role": key.role,
                    "dimension": key.dimension,
                    "secret": secret(key.secret),
                    "log2_modulus": key.log2_modulus,
                    "log2_deviation": key.log2_deviation,
                    "modelled_as": estimate.map(|estimate| &estimate.modelled_as),
                    "attacks": estimate.map(|estimate| &estimate.attacks),
                })
            })
            .collect();
        let noise: serde_json::Map<String, Value> = sheet
            .noise
            .iter()
            .map(|step| (step.key.to_owned(), json!(log2_deviation(step.variance))))
            .collect();
        let failures: Vec<Value> = sheet
            .failures
            .iter()
            .map(|failing| {
                let sources: Vec<Value> = failing
                .sources
                .iter()
                .map(|source| {
                    let output = |(table, weight): &(tfhe::TruthTable, i8)| {
                        json!({ "table": format!("{:#06x}", table.0), "weight": weight })
                    };
                    json!({
                        "count": source.count,
                        "outputs": source.outputs.iter().map(output).collect::<Vec<_>>(),
                    })
                })
                .collect();
                json!({
                    "name": failing.name,
                    "description": failing.description,
                    "half_window": failing.half_window,
                    "sources": sources,
                    "factor": failing.factor,
                    "log2_deviation": log2_deviation(failing.variance),
                    "log2_failure": failing.log2_failure,
                })
            })
            .collect();
        let least = estimates.least(&sheet.keys);
        json!({
            "name": sheet.name,
            "engine": sheet.engine,
            "purpose": match sheet.purpose {
                Purpose::Use => "use",
                Purpose::Former => "former",
                Purpose::Paper => "reproduction",
                Purpose::Test => "test",
            },
            "remark": sheet.remark,
            "promise": {
                "security_bits": sheet.promise.security_bits,
                "log2_failure": sheet.promise.log2_failure,
            },
            "n": sheet.n,
            "small_key": secret(sheet.small_key),
            "k": sheet.k,
            "N": sheet.size,
            "log2_lwe_deviation": sheet.log2_lwe_deviation,
            "log2_glwe_deviation": sheet.log2_glwe_deviation,
            "bootstrap": gadget(sheet.bootstrap),
            "key_switch": gadget(sheet.key_switch),
            "key_switch_ring": sheet.key_switch_ring,
            "security": least.map(|least| json!({
                "bits": least.bits,
                "attack": least.attack,
                "key": least.key,
            })),
            "keys": keys,
            "log2_noise_deviation": noise,
            "largest_factor": sheet.largest_factor,
            "failures": failures,
            "cost": {
                "transforms": sheet.cost.transforms,
                "transform_points": sheet.size / 2,
                "key_switch_transforms": sheet.cost.key_switch_transforms,
                "streamed_bytes": sheet.cost.streamed_bytes,
                "expanded_bytes": sheet.cost.expanded_bytes,
                "seeded_bytes": sheet.cost.seeded_bytes,
                "bit_bytes": sheet.cost.bit_bytes,
            },
        })
    }
}
