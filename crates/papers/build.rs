//! Tells the program which commit it was built from, for reports that must name it, and which
//! records of the TFHE library there are.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

const RECORDS: &str = "../../bench/record";

fn main() -> io::Result<()> {
    println!("cargo::rustc-env=BLINDCORE_COMMIT={}", commit());
    println!("cargo::rerun-if-changed=../../.git/logs/HEAD");
    println!("cargo::rerun-if-changed={RECORDS}");
    let folder = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let out = env::var_os("OUT_DIR").map(PathBuf::from);
    let (Some(folder), Some(out)) = (folder, out) else {
        return Err(io::Error::other("cargo names no folders"));
    };
    let list: String = records(&folder.join(RECORDS))
        .iter()
        .map(|file| format!("    include_str!({file:?}),\n"))
        .collect();
    let code = format!("const TFHE_LIBRARY_RECORDS: &[&str] = &[\n{list}];\n");
    fs::write(out.join("tfhe_library_records.rs"), code)
}

/// The short name of the commit; sources may come without their history.
fn commit() -> String {
    let output = Command::new("git")
        .args(["rev-parse", "--short", "HEAD"])
        .output();
    output
        .ok()
        .filter(|output| output.status.success())
        .map_or_else(
            || "unknown".to_owned(),
            |output| String::from_utf8_lossy(&output.stdout).trim().to_owned(),
        )
}

/// Records of the library, oldest first: their names begin with a date. None where the sources come
/// without them.
fn records(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.contains("tfhe-lib") && name.ends_with(".csv")
        })
        .collect();
    files.sort();
    files
}
