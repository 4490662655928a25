//! Writes the vectors of the paper's multiplier.
//!
//! `cargo run -p blindcore-bignum --example vectors -- vectors/multiplier` writes what the
//! repository keeps; with `--whole` before the folder, all numbers of all cases, 40 MB.

mod committed;

use std::path::Path;

use blindcore_bignum::paper::vectors::{CASES, files};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let all = match &arguments[..] {
        [whole, folder] if whole == "--whole" => (folder, whole_files()?),
        [folder] => (folder, committed::committed()?),
        _ => return Err("usage: vectors [--whole] FOLDER".into()),
    };
    for (name, text) in all.1 {
        let path = Path::new(all.0).join(name);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn whole_files() -> Result<Vec<(String, String)>, blindcore_bignum::Error> {
    let mut all = Vec::new();
    for case in CASES {
        for file in files(&case.trace()?) {
            let name = format!("{}/{}", case.name, file.name);
            all.push((name, committed::text(&file.lines)));
        }
    }
    Ok(all)
}
