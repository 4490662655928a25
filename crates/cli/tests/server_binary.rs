//! The server's program has no path to decryption: what could read is not in its machine code.
//!
//! Everything that can name or use a secret key stands in modules called `secret` of the crate
//! `tfhe` and in `wire::secret_key`, behind the feature `secret`; symbols carry the path of the
//! module that they come from. The program is built alone, since features add up over all that is
//! built together, and searched; the same search must find every one of them in `blindcore`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use serde_json::Value;

/// Paths as symbols have them, in either form of mangling: each name after its length.
const SECRET: [&str; 5] = [
    "4tfhe6secret3key",
    "4tfhe6secret10server_key",
    "4tfhe6secret10public_key",
    "4tfhe4gate6secret",
    "4wire10secret_key",
];

/// What of the same crates the server does use: that the search finds names at all.
const PUBLIC: [&str; 3] = ["4tfhe6lookup", "4tfhe10server_key", "4wire6record"];

/// Which of the names are those of some symbol.
fn found<'n>(program: &Path, names: &[&'n str]) -> Vec<&'n str> {
    let bytes = std::fs::read(program).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let symbols: Vec<&str> = file
        .symbols()
        .filter_map(|symbol| symbol.name().ok())
        .collect();
    assert!(symbols.len() > 1000, "{}: stripped?", program.display());
    let within = |name: &&&str| symbols.iter().any(|symbol| symbol.contains(**name));
    names.iter().filter(within).copied().collect()
}

/// Builds the server by itself, as its packagers do.
fn server() -> PathBuf {
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--package",
            "blindcore-server",
            "--message-format",
            "json",
        ])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    let text = String::from_utf8(built.stdout).unwrap();
    let messages = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut executable = messages.filter_map(|message: Value| {
        let target = message["target"]["name"] == "blindcore-server";
        target.then(|| message["executable"].as_str().map(PathBuf::from))?
    });
    executable.next_back().unwrap()
}

#[test]
#[ignore = "builds the server by itself, 2 min"]
fn the_server_has_no_path_to_decryption() {
    let owner = Path::new(env!("CARGO_BIN_EXE_blindcore"));
    assert_eq!(found(owner, &SECRET), SECRET);
    let server = server();
    assert_eq!(found(&server, &SECRET), [""; 0]);
    assert_eq!(found(&server, &PUBLIC), PUBLIC);
}
