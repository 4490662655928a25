//! What the repository keeps of the vectors: the beginning of each file and the digest of all of
//! it.

use std::fmt::Write;

use blindcore_bignum::Error;
use blindcore_bignum::paper::vectors::{CASES, Case, File, files};
use sha2::{Digest, Sha256};

/// Lines that are kept.
const LINES: usize = 32;

/// The text of a file.
pub(crate) fn text(lines: &[String]) -> String {
    lines
        .iter()
        .fold(String::new(), |text, line| text + line + "\n")
}

/// Every file that the repository keeps, by its path under `vectors/multiplier`.
pub(crate) fn committed() -> Result<Vec<(String, String)>, Error> {
    let mut all = Vec::new();
    for case in CASES {
        let files = files(&case.trace()?);
        all.push((
            format!("{}/digests.json", case.name),
            digests(&case, &files),
        ));
        for file in files {
            let lines = &file.lines[..LINES.min(file.lines.len())];
            all.push((format!("{}/{}", case.name, file.name), text(lines)));
        }
    }
    Ok(all)
}

/// Names, numbers of lines and SHA-256 of the whole files.
fn digests(case: &Case, files: &[File]) -> String {
    let mut json = format!(
        "{{\n  \"case\": \"{}\",\n  \"operands\": \"{}\",\n  \"lines_kept\": {LINES},\n  \"files\": [\n",
        case.name, case.operands
    );
    for (number, file) in files.iter().enumerate() {
        let digest = Sha256::digest(text(&file.lines));
        let digest = digest.iter().fold(String::new(), |mut hex, byte| {
            // Formatting into a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        });
        let comma = if number + 1 < files.len() { "," } else { "" };
        let _ = writeln!(
            json,
            "    {{ \"name\": \"{}\", \"lines\": {}, \"sha256\": \"{digest}\" }}{comma}",
            file.name,
            file.lines.len()
        );
    }
    json + "  ]\n}\n"
}
