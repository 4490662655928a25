//! `blindcore inspect`: what a file is, which key it belongs to, and what it holds; no key needed.

use std::path::Path;

use serde_json::Value;
use session::description::{DescribedVariable, Description, Place, Reached, Rows};
use wire::Kind;

use super::selectors::USES;
use super::{bytes, print, print_json};
use crate::arguments::Inspect;
use crate::failure::Failure;
use crate::hardening;

/// Describes each file; the first that cannot be read ends it.
pub(crate) fn inspect(arguments: &Inspect) -> Result<(), Failure> {
    // One of them may be a secret key.
    hardening::begin();
    let mut documents = Vec::new();
    for path in &arguments.files {
        let description = Description::read(path)?;
        if arguments.json {
            documents.push(description.document(path));
        } else {
            print(&text(&description, path))?;
        }
    }
    if arguments.json {
        print_json(&Value::Array(documents))
    } else {
        Ok(())
    }
}

fn text(of: &Description, path: &Path) -> String {
    let mut text = format!(
        "{}: {}, {}\n  format version {}, parameters {}, key {}\n",
        path.display(),
        of.header.kind,
        bytes(of.length),
        of.header.version,
        of.parameters,
        of.header.key,
    );
    if let Some(security) = of.security {
        text.push_str(&format!("  {security}\n"));
    }
    if of.header.kind == Kind::SELECTOR_KEY {
        text.push_str(&format!("  {USES}\n"));
    }
    if let Some(bits) = of.modulus_bits {
        text.push_str(&format!("  a modulus of {bits} bits; protects nothing\n"));
    }
    if let Some(cost) = of.protection {
        text.push_str(&format!(
                "  behind a passphrase: Argon2id with {} KiB, {} passes and {} lanes, XChaCha20-Poly1305\n",
                cost.memory_kib(),
                cost.passes(),
                cost.lanes(),
            ));
    }
    for DescribedVariable {
        variable,
        bits,
        secret_bits,
    } in &of.variables
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
    if let Some(Reached { place, ciphertexts }) = &of.reached {
        text.push_str(&match place {
            Place::State(state) => format!(
                "  after {} instructions in {} windows, at {:#010x}; {ciphertexts} ciphertexts, {} answers\n",
                state.instructions(),
                state.windows(),
                state.address(),
                state.questions(),
            ),
            Place::Window { done, all } => format!(
                "  within a window, after {done} of its {all} operations; {ciphertexts} ciphertexts\n"
            ),
        });
    }
    if let Some(Rows {
        rows,
        batches,
        slots,
    }) = of.rows
    {
        let place = match (slots, batches) {
            (1, _) => String::new(),
            (_, 1) => format!(" in {slots} slots"),
            _ => format!(" in {batches} batches of {slots} slots"),
        };
        let word = if rows == 1 { "row" } else { "rows" };
        text.push_str(&format!("  {rows} {word} of values{place}\n"));
    }
    text
}
