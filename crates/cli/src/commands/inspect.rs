//! `blindcore inspect`: what a file is, which key it belongs to, and what it holds; no key needed.

use std::fs::File;
use std::path::Path;

use processor::State;
use serde_json::{Value, json};
use tfhe::{PublicKey, SecretKey, SeededServerKey};
use wire::bgv::{Batched, Batches, Share};
use wire::gentry_halevi::{self, Key, ServerKey};
use wire::{
    Checkpoint, Containers, Cost, Fingerprint, Header, Inputs, Kind, OutputBit, Outputs,
    ParameterSet as _, Scheme, Variable, WireError,
};
use zeroize::Zeroizing;

use super::{BGV_ATTACK, TFHE_ATTACK, at_least, bytes, print, print_json};
use crate::arguments::Inspect;
use crate::failure::Failure;
use crate::hardening;
use session::schemes::kind_of;

/// What `inspect` tells about one file.
struct Description {
    header: Header,
    /// Bytes of the file.
    length: u64,
    parameters: String,
    variables: Vec<Described>,
    /// A checkpoint's state and how many ciphertexts are there.
    going_on: Option<(State, usize)>,
    /// Bits of the modulus, of the Gentry–Halevi scheme.
    modulus_bits: Option<u32>,
    /// Bits of security that its key has at least, and the attacks that decide; of schemes that have some.
    security: Option<(f64, &'static str)>,
    /// Rows of values by batches, and slots, of BGV.
    rows: Option<(Share, usize)>,
    /// What a passphrase costs, of a secret key that is behind one.
    protection: Option<Cost>,
}

struct Described {
    variable: Variable,
    bits: usize,
    secret_bits: usize,
}

/// Describes each file; the first that cannot be read ends it.
pub(crate) fn inspect(arguments: &Inspect) -> Result<(), Failure> {
    let mut documents = Vec::new();
    for path in &arguments.files {
        let description = describe(path).map_err(|error| Failure::file(path, &error))?;
        if arguments.json {
            documents.push(description.json(path));
        } else {
            print(&description.text(path))?;
        }
    }
    if arguments.json {
        print_json(&Value::Array(documents))
    } else {
        Ok(())
    }
}

fn describe(path: &Path) -> Result<Description, WireError> {
    if kind_of(path) == Some(Kind::GENTRY_HALEVI_SERVER_KEY) {
        // Seventy megabytes and more stay where they are.
        let key = files::open_server_key(path, &mut |_, _| {})?;
        return Ok(of_key(*key.header(), key.key()));
    }
    // It may be a secret key. Once, since the file may be a pipe.
    hardening::begin();
    let mut containers = files::containers(path)?;
    let (header, payload) = containers.next_container(None)?;
    match header.kind {
        Kind::BGV_INPUTS => {
            return of_table(
                (header, payload),
                containers,
                |inputs: &wire::bgv::Inputs| of_inputs(inputs.variables()),
            );
        }
        Kind::BGV_OUTPUTS => {
            return of_table(
                (header, payload),
                containers,
                |outputs: &wire::bgv::Outputs| of_outputs(outputs.variables(), outputs.bits()),
            );
        }
        _ => containers.end()?,
    }
    if header.is_protected() {
        return of_protected(header, &payload);
    }
    if header.kind.scheme() == Scheme::GentryHalevi {
        return of_gentry_halevi(header, &payload);
    }
    if header.kind.scheme() == Scheme::Bgv {
        return of_bgv(header, &payload);
    }
    let parameters = header.fingerprint.parameters()?;
    let mut going_on = None;
    // Reading the whole record finds content that only a defective or malicious writer makes.
    let variables = match header.kind {
        Kind::SECRET_KEY => {
            wire::decode_payload::<SecretKey>(&header, &payload).map(|_| Vec::new())?
        }
        Kind::PUBLIC_KEY => {
            wire::decode_payload::<PublicKey>(&header, &payload).map(|_| Vec::new())?
        }
        Kind::SERVER_KEY => {
            wire::decode_payload::<SeededServerKey>(&header, &payload).map(|_| Vec::new())?
        }
        Kind::INPUTS => {
            let inputs: Inputs = wire::decode_payload(&header, &payload)?;
            of_inputs(inputs.variables())
        }
        Kind::OUTPUTS => {
            let outputs: Outputs = wire::decode_payload(&header, &payload)?;
            of_outputs(outputs.variables(), outputs.bits())
        }
        Kind::CHECKPOINT => {
            let checkpoint: Checkpoint = wire::decode_payload(&header, &payload)?;
            let state =
                State::from_bytes(checkpoint.state()).map_err(|error| WireError::Malformed {
                    reason: error.to_string(),
                })?;
            going_on = Some((state, checkpoint.bits().len()));
            Vec::new()
        }
        _ => Vec::new(),
    };
    Ok(Description {
        variables,
        going_on,
        security: Some((parameters.promise().security_bits, TFHE_ATTACK)),
        ..Description::new(header, parameters.name())
    })
}

/// A secret key behind a passphrase: what stands before it.
fn of_protected(header: Header, payload: &[u8]) -> Result<Description, WireError> {
    let fingerprint = &header.fingerprint;
    let parameters = if header.kind.scheme() == Scheme::Bgv {
        wire::bgv::Set::find(fingerprint)?.name().to_owned()
    } else if header.kind.scheme() == Scheme::GentryHalevi {
        let set = ::gentry_halevi::Parameters::find(fingerprint)?;
        wire::ParameterSet::name(&set).to_owned()
    } else {
        fingerprint.parameters()?.name().to_owned()
    };
    Ok(Description {
        protection: Some(wire::cost_of(&header, payload)?),
        ..Description::new(header, &parameters)
    })
}

/// A key of BGV.
fn of_bgv(header: Header, payload: &[u8]) -> Result<Description, WireError> {
    let set = wire::bgv::Set::find(&header.fingerprint)?;
    match header.kind {
        Kind::BGV_SECRET_KEY => {
            wire::decode_payload::<wire::bgv::SecretKey>(&header, payload)?;
        }
        Kind::BGV_PUBLIC_KEY => {
            wire::decode_payload::<wire::bgv::PublicKey>(&header, payload)?;
        }
        _ => {
            wire::decode_payload::<wire::bgv::ServerKey>(&header, payload)?;
        }
    }
    Ok(Description {
        security: of_set(&set),
        ..Description::new(header, set.name())
    })
}

/// What a set of BGV promises.
fn of_set(set: &wire::bgv::Set) -> Option<(f64, &'static str)> {
    Some((set.parameters().security().bits().into(), BGV_ATTACK))
}

/// A table that is encrypted with a key of BGV, all batches of it.
fn of_table<R: Batched<Parameters = wire::bgv::Set>>(
    first: (Header, Zeroizing<Vec<u8>>),
    containers: Containers<File>,
    describe: impl Fn(&R) -> Vec<Described>,
) -> Result<Description, WireError> {
    let header = first.0;
    let (first, mut rest) = Batches::<R, _>::of(first, containers)?;
    let set = first.parameters();
    let mut description = Description {
        variables: describe(&first),
        rows: Some((first.share(), set.parameters().slots())),
        security: of_set(set),
        ..Description::new(header, set.name())
    };
    rest.by_ref().try_for_each(|batch| batch.map(drop))?;
    description.length = rest.length();
    Ok(description)
}

/// A key of the Gentry–Halevi scheme, or what is encrypted with it.
fn of_key(header: Header, key: &Key) -> Description {
    Description {
        modulus_bits: Some(key.modulus_bits()),
        ..Description::new(header, key.parameters().name())
    }
}

fn of_gentry_halevi(header: Header, payload: &[u8]) -> Result<Description, WireError> {
    Ok(match header.kind {
        Kind::GENTRY_HALEVI_SECRET_KEY => {
            let key: gentry_halevi::SecretKey = wire::decode_payload(&header, payload)?;
            of_key(header, key.key())
        }
        Kind::GENTRY_HALEVI_SERVER_KEY => {
            of_key(header, ServerKey::from_payload(&header, payload)?.key())
        }
        Kind::GENTRY_HALEVI_INPUTS => {
            let inputs: gentry_halevi::Inputs = wire::decode_payload(&header, payload)?;
            Description {
                variables: of_inputs(inputs.variables()),
                ..of_key(header, inputs.bits().key())
            }
        }
        _ => {
            let outputs: gentry_halevi::Outputs = wire::decode_payload(&header, payload)?;
            Description {
                variables: of_outputs(outputs.variables(), outputs.bits()),
                ..of_key(header, outputs.secret().key())
            }
        }
    })
}

fn of_inputs(variables: &[Variable]) -> Vec<Described> {
    let describe = |variable: &Variable| {
        let bits = variable.kind.bits();
        Described {
            variable: variable.clone(),
            bits,
            secret_bits: bits,
        }
    };
    variables.iter().map(describe).collect()
}

fn of_outputs(variables: &[Variable], bits: &[OutputBit]) -> Vec<Described> {
    let mut rest = bits;
    let describe = |variable: &Variable| {
        let bits = variable.kind.bits();
        let (own, after) = rest.split_at(bits.min(rest.len()));
        rest = after;
        let secret_bits = own.iter().filter(|bit| **bit == OutputBit::Secret).count();
        Described {
            variable: variable.clone(),
            bits,
            secret_bits,
        }
    };
    variables.iter().map(describe).collect()
}

impl Description {
    /// Of a file of one container, with nothing in it.
    fn new(header: Header, parameters: &str) -> Self {
        Description {
            header,
            length: header.file_length(),
            parameters: parameters.to_owned(),
            variables: Vec::new(),
            going_on: None,
            modulus_bits: None,
            security: None,
            rows: None,
            protection: None,
        }
    }

    fn text(&self, path: &Path) -> String {
        let mut text = format!(
            "{}: {}, {}\n  format version {}, parameters {}, key {}\n",
            path.display(),
            self.header.kind,
            bytes(self.length),
            self.header.version,
            self.parameters,
            self.header.key,
        );
        if let Some((bits, attack)) = self.security {
            text.push_str(&format!("  {}\n", at_least(bits, attack)));
        }
        if let Some(bits) = self.modulus_bits {
            text.push_str(&format!("  a modulus of {bits} bits; protects nothing\n"));
        }
        if let Some(cost) = self.protection {
            text.push_str(&format!(
                "  behind a passphrase: Argon2id with {} KiB, {} passes and {} lanes, XChaCha20-Poly1305\n",
                cost.memory_kib(),
                cost.passes(),
                cost.lanes(),
            ));
        }
        for Described {
            variable,
            bits,
            secret_bits,
        } in &self.variables
        {
            let secrecy = match secret_bits {
                0 => "public".to_owned(),
                all if all == bits => "secret".to_owned(),
                some => format!("{some} of {bits} bits secret"),
            };
            text.push_str(&format!(
                "  {}: {}, {secrecy}\n",
                variable.name, variable.kind
            ));
        }
        if let Some((state, bits)) = &self.going_on {
            text.push_str(&format!(
                "  after {} instructions in {} windows, at {:#010x}; {bits} ciphertexts, {} answers\n",
                state.instructions(),
                state.windows(),
                state.address(),
                state.questions(),
            ));
        }
        if let Some((share, slots)) = self.rows {
            let rows = share.table_rows();
            let batches = match share.batches() {
                1 => String::new(),
                batches => format!("{batches} batches of "),
            };
            text.push_str(&format!(
                "  {rows} {} of values in {batches}{slots} slots\n",
                if rows == 1 { "row" } else { "rows" }
            ));
        }
        text
    }

    fn json(&self, path: &Path) -> Value {
        let kind = match self.header.kind {
            Kind::SECRET_KEY | Kind::GENTRY_HALEVI_SECRET_KEY | Kind::BGV_SECRET_KEY => {
                "secret key"
            }
            Kind::PUBLIC_KEY | Kind::BGV_PUBLIC_KEY => "public key",
            Kind::SERVER_KEY | Kind::GENTRY_HALEVI_SERVER_KEY | Kind::BGV_SERVER_KEY => {
                "server key"
            }
            Kind::INPUTS | Kind::GENTRY_HALEVI_INPUTS | Kind::BGV_INPUTS => "inputs",
            Kind::OUTPUTS | Kind::GENTRY_HALEVI_OUTPUTS | Kind::BGV_OUTPUTS => "outputs",
            Kind::CHECKPOINT => "checkpoint",
            _ => "unknown",
        };
        let Fingerprint(fingerprint) = self.header.fingerprint;
        let variables: Vec<Value> = self
            .variables
            .iter()
            .map(
                |Described {
                     variable,
                     bits,
                     secret_bits,
                 }| {
                    json!({
                        "name": variable.name,
                        "type": variable.kind.to_string(),
                        "bits": bits,
                        "secret_bits": secret_bits,
                    })
                },
            )
            .collect();
        let checkpoint = self.going_on.as_ref().map(|(state, bits)| {
            json!({
                "instructions": state.instructions(),
                "windows": state.windows(),
                "address": state.address(),
                "ciphertexts": bits,
                "answers": state.questions(),
            })
        });
        let mut document = json!({
            "file": path.display().to_string(),
            "kind": kind,
            "version": self.header.version,
            "bytes": self.length,
            "parameters": self.parameters,
            "fingerprint": format!("{:?}", Fingerprint(fingerprint)),
            "key": self.header.key.to_string(),
            "variables": variables,
        });
        if let Some(checkpoint) = checkpoint {
            document["checkpoint"] = checkpoint;
        }
        if let Some((bits, _)) = self.security {
            document["security_bits"] = bits.into();
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
        if let Some((share, slots)) = self.rows {
            document["rows"] = share.table_rows().into();
            document["slots"] = slots.into();
            document["batches"] = share.batches().into();
        }
        document
    }
}
