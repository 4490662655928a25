//! Who must not see: packages that are built without the feature `secret`.
//!
//! A server computes on ciphertexts and has no use for a type that holds a secret key, so the
//! feature that brings the type is off in all that it is made of. Features add up over a graph of
//! dependencies, and one careless line would bring it back: cargo itself says what it would enable
//! for the package alone, development dependencies aside. (For all packages of the workspace at
//! once it is on, as the owner's tools and the tests need it.)

use std::process::Command;

/// Packages that must be blind, each for itself.
const BLIND: &[&str] = &[
    "blindcore-engines",
    "blindcore-session",
    "blindcore-cluster",
    "blindcore-service",
    "blindcore-server",
];

/// What makes a package see, as `cargo tree` writes it.
const FEATURE: &str = "feature \"secret\"";

/// What the check found wrong.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BlindError {
    #[error("cargo tree -p {package} failed: {reason}")]
    Tree { package: String, reason: String },
    #[error(
        "layers: {package} enables {}: ask for these without default features",
        .enabled.join(", ")
    )]
    Sees {
        package: String,
        enabled: Vec<String>,
    },
}

/// Checks those of the blind packages that exist; returns their names.
pub(crate) fn check(exists: impl Fn(&str) -> bool) -> Result<Vec<&'static str>, BlindError> {
    let packages: Vec<_> = BLIND
        .iter()
        .copied()
        .filter(|package| exists(package))
        .collect();
    for package in &packages {
        let enabled = secrets(&tree(package)?);
        if !enabled.is_empty() {
            return Err(BlindError::Sees {
                package: (*package).to_owned(),
                enabled,
            });
        }
    }
    Ok(packages)
}

/// Every package and feature that a package alone is built with, one to a line.
fn tree(package: &str) -> Result<String, BlindError> {
    let failed = |reason: String| BlindError::Tree {
        package: package.to_owned(),
        reason,
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--package", package])
        .args(["--edges", "no-dev,features", "--prefix", "none"])
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Lines that enable the feature, each once, in order.
fn secrets(tree: &str) -> Vec<String> {
    let mut found: Vec<String> = tree
        .lines()
        .map(|line| line.trim_end_matches(" (*)"))
        .filter(|line| line.starts_with("blindcore") && line.ends_with(FEATURE))
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owners_command_sees_and_the_engines_do_not() {
        assert_eq!(
            secrets(&tree("blindcore-cli").unwrap()),
            [
                "blindcore-bgv feature \"secret\"",
                "blindcore-files feature \"secret\"",
                "blindcore-gentry-halevi feature \"secret\"",
                "blindcore-session feature \"secret\"",
                "blindcore-tfhe feature \"secret\"",
                "blindcore-wire feature \"secret\"",
            ]
        );
        assert_eq!(
            secrets(&tree("blindcore-engines").unwrap()),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_package_that_does_not_exist_is_not_checked() {
        assert_eq!(check(|_| false), Ok(vec![]));
    }
}
