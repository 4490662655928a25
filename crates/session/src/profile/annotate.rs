//! The source with what each line costs beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use processor::{Attribution, Program};

use super::report::total;

/// A file whose lines cost something.
struct Source {
    name: String,
    lines: BTreeMap<u32, u64>,
    sum: u64,
}

/// Every source file that costs something, the dearest first, and what belongs to none. Files are
/// looked for where the debugging information says, and beside the program.
pub(super) fn annotated(program: &Program, found: &Attribution, folder: Option<&Path>) -> String {
    let mut sources: BTreeMap<String, BTreeMap<u32, u64>> = BTreeMap::new();
    let mut elsewhere: Vec<(String, u64)> = Vec::new();
    for cost in found.lines(program) {
        match cost.line {
            Some((file, line)) => {
                *sources.entry(file).or_default().entry(line).or_default() += cost.bootstraps
            }
            None => elsewhere.push((cost.functions.join(", "), cost.bootstraps)),
        }
    }
    let mut sources: Vec<Source> = sources
        .into_iter()
        .map(|(name, lines)| Source {
            sum: lines.values().sum(),
            name,
            lines,
        })
        .collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source.sum));
    let mut text = format!("{} bootstraps\n", total(found));
    for source in &sources {
        text.push_str(&format!("\n{}: {} bootstraps\n", source.name, source.sum));
        text.push_str(&match read(&source.name, folder) {
            Some(content) => beside(source, &content),
            None => without(source),
        });
    }
    if !elsewhere.is_empty() {
        text.push_str("\nwithout lines (compile with -g)\n");
        for (name, bootstraps) in elsewhere {
            text.push_str(&format!("{bootstraps:>10} | {name}\n"));
        }
    }
    text
}

/// The lines of a file with their costs; costs of lines that it does not have follow.
fn beside(source: &Source, content: &str) -> String {
    let mut text = String::new();
    let mut left = source.lines.clone();
    for (number, line) in (1..).zip(content.lines()) {
        let cost = left
            .remove(&number)
            .map_or(String::new(), |cost| cost.to_string());
        text.push_str(format!("{cost:>10} | {line}").trim_end());
        text.push('\n');
    }
    for (line, cost) in left {
        text.push_str(&format!(
            "{cost:>10} | (line {line}, which the file does not have)\n"
        ));
    }
    text
}

fn without(source: &Source) -> String {
    let mut text =
        String::from("           | (not found; run where it is, or beside the program)\n");
    for (line, cost) in &source.lines {
        text.push_str(&format!("{cost:>10} | line {line}\n"));
    }
    text
}

fn read(name: &str, folder: Option<&Path>) -> Option<String> {
    let path = Path::new(name);
    let mut places: Vec<PathBuf> = vec![path.to_path_buf()];
    if let Some(folder) = folder {
        places.push(folder.join(path));
        places.extend(path.file_name().map(|name| folder.join(name)));
    }
    let bytes = places.iter().find_map(|place| fs::read(place).ok())?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
