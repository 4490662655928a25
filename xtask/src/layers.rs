//! Who may import whom.
//!
//! The folder names tell the architecture, and this table keeps them honest: each crate lists the
//! crates of ours that it may name in `[dependencies]`. Test-only dependencies are free, for an
//! oracle may come from anywhere. A crate that is missing from the table is an error, so that a
//! new crate states its place before it is merged.

use std::collections::BTreeMap;
use std::fmt;

use cargo_metadata::{DependencyKind, MetadataCommand};

use crate::blind;

/// One row: a crate, its layer, and the crates of ours it may import.
struct Rule {
    package: &'static str,
    layer: Layer,
    may_import: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layer {
    Peer,
    Root,
    /// Above a root, below schemes and joints: arithmetic of large numbers, languages above A32.
    Arithmetic,
    Language,
    Scheme,
    Joint,
    Format,
    Disk,
    Session,
    /// Above a session, below the service, which lends its jobs to workers.
    Cluster,
    Service,
    Study,
    Face,
    /// A face in another language.
    Binding,
    Outside,
}

const RULES: &[Rule] = &[
    Rule {
        package: "blindcore-random",
        layer: Layer::Root,
        may_import: &[],
    },
    Rule {
        package: "blindcore-work",
        layer: Layer::Root,
        may_import: &[],
    },
    Rule {
        package: "blindcore-peer-fft",
        layer: Layer::Peer,
        may_import: &[],
    },
    Rule {
        package: "blindcore-transforms",
        layer: Layer::Root,
        may_import: &["blindcore-peer-fft"],
    },
    Rule {
        package: "blindcore-circuits",
        layer: Layer::Root,
        may_import: &[],
    },
    Rule {
        package: "blindcore-a32",
        layer: Layer::Root,
        may_import: &[],
    },
    Rule {
        package: "blindcore-assembly",
        layer: Layer::Language,
        may_import: &["blindcore-a32"],
    },
    Rule {
        package: "blindcore-compiler",
        layer: Layer::Root,
        may_import: &[],
    },
    Rule {
        package: "blindcore-values",
        layer: Layer::Root,
        may_import: &[],
    },
    Rule {
        package: "blindcore-bignum",
        layer: Layer::Arithmetic,
        may_import: &["blindcore-random", "blindcore-transforms"],
    },
    Rule {
        package: "blindcore-gentry-halevi",
        layer: Layer::Scheme,
        may_import: &[
            "blindcore-bignum",
            "blindcore-random",
            "blindcore-transforms",
            "blindcore-work",
        ],
    },
    Rule {
        package: "blindcore-bgv",
        layer: Layer::Scheme,
        may_import: &["blindcore-random", "blindcore-transforms", "blindcore-work"],
    },
    Rule {
        package: "blindcore-tfhe",
        layer: Layer::Scheme,
        may_import: &["blindcore-random", "blindcore-transforms", "blindcore-work"],
    },
    Rule {
        package: "blindcore-engines",
        layer: Layer::Joint,
        may_import: &[
            "blindcore-bgv",
            "blindcore-circuits",
            "blindcore-gentry-halevi",
            "blindcore-random",
            "blindcore-tfhe",
        ],
    },
    Rule {
        package: "blindcore-processor",
        layer: Layer::Joint,
        may_import: &[
            "blindcore-assembly",
            "blindcore-a32",
            "blindcore-circuits",
            "blindcore-values",
        ],
    },
    Rule {
        package: "blindcore-wire",
        layer: Layer::Format,
        may_import: &[
            "blindcore-bgv",
            "blindcore-gentry-halevi",
            "blindcore-random",
            "blindcore-tfhe",
            "blindcore-values",
        ],
    },
    Rule {
        package: "blindcore-files",
        layer: Layer::Disk,
        may_import: &["blindcore-gentry-halevi", "blindcore-wire"],
    },
    Rule {
        package: "blindcore-session",
        layer: Layer::Session,
        may_import: &[
            "blindcore-a32",
            "blindcore-bgv",
            "blindcore-files",
            "blindcore-gentry-halevi",
            "blindcore-random",
            "blindcore-circuits",
            "blindcore-compiler",
            "blindcore-engines",
            "blindcore-processor",
            "blindcore-tfhe",
            "blindcore-values",
            "blindcore-wire",
        ],
    },
    Rule {
        package: "blindcore-papers",
        layer: Layer::Study,
        may_import: &[
            "blindcore-bgv",
            "blindcore-bignum",
            "blindcore-circuits",
            "blindcore-engines",
            "blindcore-random",
            "blindcore-tfhe",
            "blindcore-transforms",
            "blindcore-values",
            "blindcore-wire",
        ],
    },
    Rule {
        package: "blindcore-service",
        layer: Layer::Service,
        may_import: &[
            "blindcore-a32",
            "blindcore-circuits",
            "blindcore-cluster",
            "blindcore-engines",
            "blindcore-files",
            "blindcore-processor",
            "blindcore-session",
            "blindcore-tfhe",
            "blindcore-values",
            "blindcore-wire",
        ],
    },
    Rule {
        package: "blindcore-cluster",
        layer: Layer::Cluster,
        may_import: &[
            "blindcore-circuits",
            "blindcore-engines",
            "blindcore-files",
            "blindcore-processor",
            "blindcore-session",
            "blindcore-tfhe",
            "blindcore-wire",
        ],
    },
    Rule {
        package: "blindcore-server",
        layer: Layer::Face,
        may_import: &["blindcore-service"],
    },
    Rule {
        package: "blindcore-web",
        layer: Layer::Face,
        may_import: &[
            "blindcore-session",
            "blindcore-tfhe",
            "blindcore-values",
            "blindcore-wire",
        ],
    },
    Rule {
        package: "blindcore",
        layer: Layer::Face,
        may_import: &[
            "blindcore-bgv",
            "blindcore-circuits",
            "blindcore-cluster",
            "blindcore-engines",
            "blindcore-files",
            "blindcore-processor",
            "blindcore-random",
            "blindcore-session",
            "blindcore-tfhe",
            "blindcore-values",
            "blindcore-wire",
        ],
    },
    Rule {
        package: "blindcore-cli",
        layer: Layer::Face,
        may_import: &[
            "blindcore-assembly",
            "blindcore-a32",
            "blindcore-bgv",
            "blindcore-bignum",
            "blindcore-circuits",
            "blindcore-cluster",
            "blindcore-compiler",
            "blindcore-engines",
            "blindcore-files",
            "blindcore-gentry-halevi",
            "blindcore-papers",
            "blindcore-processor",
            "blindcore-random",
            "blindcore-service",
            "blindcore-session",
            "blindcore-tfhe",
            "blindcore-transforms",
            "blindcore-values",
            "blindcore-wire",
        ],
    },
    Rule {
        package: "blindcore-python",
        layer: Layer::Binding,
        may_import: &[
            "blindcore",
            "blindcore-circuits",
            "blindcore-processor",
            "blindcore-session",
            "blindcore-values",
        ],
    },
    Rule {
        package: "blindcore-c",
        layer: Layer::Binding,
        may_import: &["blindcore"],
    },
    Rule {
        package: "blindcore-bench",
        layer: Layer::Outside,
        may_import: &[
            "blindcore-bignum",
            "blindcore-circuits",
            "blindcore-engines",
            "blindcore-gentry-halevi",
            "blindcore-processor",
            "blindcore-random",
            "blindcore-tfhe",
            "blindcore-transforms",
        ],
    },
    Rule {
        package: "xtask",
        layer: Layer::Outside,
        may_import: &[],
    },
];

/// What the check found wrong.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LayerError {
    #[error("cargo metadata failed: {0}")]
    Metadata(String),
    #[error(transparent)]
    Blind(#[from] blind::BlindError),
    #[error("{}", Lines(.0))]
    Broken(Vec<Violation>),
}

/// One broken rule.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Violation {
    #[error("{package} is not in the table of layers: give it a row in xtask/src/layers.rs")]
    Unlisted { package: String },
    #[error("{package} ({layer:?}) must not import {dependency}: see the table in CONTRIBUTING.md")]
    Forbidden {
        package: String,
        layer: Layer,
        dependency: String,
    },
}

struct Lines<'a>(&'a [Violation]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.0.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "layers: {violation}")?;
        }
        Ok(())
    }
}

/// Checks the workspace that contains the current folder; returns a line that says what was read.
pub(crate) fn check_workspace() -> Result<String, LayerError> {
    let metadata = MetadataCommand::new()
        .no_deps()
        .exec()
        .map_err(|error| LayerError::Metadata(error.to_string()))?;
    let imports = metadata
        .packages
        .iter()
        .map(|package| {
            let dependencies = package
                .dependencies
                .iter()
                .filter(|dependency| dependency.kind != DependencyKind::Development)
                .map(|dependency| dependency.name.clone())
                .collect();
            (package.name.to_string(), dependencies)
        })
        .collect();
    check(&imports)?;
    let blind = blind::check(|package| imports.contains_key(package))?;
    Ok(format!(
        "layers: {} crates, every import allowed; built without the feature `secret`: {}",
        imports.len(),
        blind.join(", ")
    ))
}

/// Checks `package → dependencies`; dependencies that are not packages of the map are not ours.
fn check(imports: &BTreeMap<String, Vec<String>>) -> Result<(), LayerError> {
    let mut violations = Vec::new();
    for (package, dependencies) in imports {
        let Some(rule) = RULES.iter().find(|rule| rule.package == package) else {
            violations.push(Violation::Unlisted {
                package: package.clone(),
            });
            continue;
        };
        for dependency in dependencies
            .iter()
            .filter(|name| imports.contains_key(*name))
        {
            if !rule.may_import.contains(&dependency.as_str()) {
                violations.push(Violation::Forbidden {
                    package: package.clone(),
                    layer: rule.layer,
                    dependency: dependency.clone(),
                });
            }
        }
    }
    if violations.is_empty() {
        Ok(())
    } else {
        Err(LayerError::Broken(violations))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn map(rows: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        rows.iter()
            .map(|(name, list)| {
                (
                    name.to_string(),
                    list.iter().map(|item| item.to_string()).collect(),
                )
            })
            .collect()
    }

    #[test]
    fn contributing_has_the_same_table() {
        let page = include_str!("../../CONTRIBUTING.md");
        let names = |cell: &'static str| cell.split('`').skip(1).step_by(2);
        let mut rows = BTreeMap::new();
        for line in page.lines().filter(|line| line.starts_with('|')).skip(2) {
            let cells: Vec<_> = line.trim_matches('|').split(" | ").collect();
            let [layer, packages, imports] = cells[..] else {
                panic!("{line}");
            };
            for package in names(packages) {
                let imports: BTreeSet<_> = names(imports).collect();
                rows.insert(package, (layer.trim().to_owned(), imports));
            }
        }
        let short = |package: &'static str| package.strip_prefix("blindcore-").unwrap_or(package);
        let rules = RULES
            .iter()
            .filter(|rule| rule.layer != Layer::Outside)
            .map(|rule| {
                let layer = format!("{:?}", rule.layer).to_lowercase();
                let imports = rule.may_import.iter().map(|package| short(package));
                (short(rule.package), (layer, imports.collect()))
            })
            .collect();
        assert_eq!(rows, rules);
    }

    #[test]
    fn a_scheme_may_not_import_circuits() {
        let imports = map(&[
            ("blindcore-tfhe", &["blindcore-circuits"]),
            ("blindcore-circuits", &[]),
        ]);
        assert_eq!(
            check(&imports),
            Err(LayerError::Broken(vec![Violation::Forbidden {
                package: "blindcore-tfhe".into(),
                layer: Layer::Scheme,
                dependency: "blindcore-circuits".into(),
            }]))
        );
    }

    #[test]
    fn an_unlisted_crate_is_an_error() {
        assert_eq!(
            check(&map(&[("blindcore-misc", &[])])),
            Err(LayerError::Broken(vec![Violation::Unlisted {
                package: "blindcore-misc".into()
            }]))
        );
    }

    #[test]
    fn foreign_crates_do_not_matter() {
        assert_eq!(check(&map(&[("blindcore-a32", &["thiserror"])])), Ok(()));
    }

    #[test]
    fn the_table_itself_only_points_downwards() {
        for rule in RULES {
            for name in rule.may_import {
                let target = RULES.iter().find(|other| other.package == *name);
                assert!(
                    target.is_some_and(|target| target.layer < rule.layer),
                    "{} imports {name} of the same or a higher layer",
                    rule.package
                );
            }
        }
    }
}
