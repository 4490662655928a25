//! The description as JSON.

use std::path::Path;

use serde_json::{Value, json};
use wire::{Kind, Scheme};

use super::{DescribedVariable, Description, Place, Reached, Rows};

impl Description {
    /// The description as JSON.
    #[must_use]
    pub fn document(&self, path: &Path) -> Value {
        let kind = role(self.header.kind);
        let variables: Vec<Value> = self.variables.iter().map(variable).collect();
        let reached = self.reached.as_ref();
        let checkpoint = reached.map(|Reached { place, ciphertexts }| match place {
            Place::State(state) => json!({
                "instructions": state.instructions(),
                "windows": state.windows(),
                "address": state.address(),
                "ciphertexts": ciphertexts,
                "answers": state.questions(),
            }),
            Place::Window { done, all } => json!({
                "operations_done": done,
                "operations": all,
                "ciphertexts": ciphertexts,
            }),
        });
        let mut document = json!({
            "file": path.display().to_string(),
            "kind": kind,
            "version": self.header.version,
            "bytes": self.length,
            "parameters": self.parameters,
            "fingerprint": format!("{:?}", self.header.fingerprint),
            "key": self.header.key.to_string(),
            "variables": variables,
        });
        if let Some(checkpoint) = checkpoint {
            document["checkpoint"] = checkpoint;
        }
        if let Some(security) = self.security {
            document["security_bits"] = security.bits.into();
        }
        if let Some(bits) = self.modulus_bits {
            document["scheme"] = "gentry-halevi".into();
            document["modulus_bits"] = bits.into();
        }
        if self.header.kind.is_secret_key() {
            document["passphrase"] = self.protection.is_some().into();
        }
        if let Some(cost) = self.protection {
            document["argon2id"] = json!({
                "memory_kib": cost.memory_kib(),
                "passes": cost.passes(),
                "lanes": cost.lanes(),
            });
            if self.header.kind.scheme() == Scheme::GentryHalevi {
                document["scheme"] = "gentry-halevi".into();
            }
        }
        if self.header.kind.scheme() == Scheme::Bgv {
            document["scheme"] = "bgv".into();
        }
        if let Some(Rows {
            rows,
            batches,
            slots,
        }) = self.rows
        {
            document["rows"] = rows.into();
            document["slots"] = slots.into();
            document["batches"] = batches.into();
        }
        document
    }
}

fn variable(of: &DescribedVariable) -> Value {
    json!({
        "name": of.variable.name,
        "type": of.variable.kind.to_string(),
        "bits": of.bits,
        "secret_bits": of.secret_bits,
    })
}

fn role(kind: Kind) -> &'static str {
    match kind {
        Kind::SECRET_KEY | Kind::GENTRY_HALEVI_SECRET_KEY | Kind::BGV_SECRET_KEY => "secret key",
        Kind::PUBLIC_KEY | Kind::BGV_PUBLIC_KEY => "public key",
        Kind::SERVER_KEY | Kind::GENTRY_HALEVI_SERVER_KEY | Kind::BGV_SERVER_KEY => "server key",
        Kind::SELECTOR_KEY => "selector key",
        Kind::INPUTS | Kind::GENTRY_HALEVI_INPUTS | Kind::BGV_INPUTS => "inputs",
        Kind::OUTPUTS | Kind::GENTRY_HALEVI_OUTPUTS | Kind::BGV_OUTPUTS => "outputs",
        Kind::CHECKPOINT => "checkpoint",
        Kind::INPUT_TABLE => "table of inputs",
        Kind::OUTPUT_TABLE => "table of outputs",
        _ => "unknown",
    }
}
