//! Whether every link within the repository leads somewhere, and every page of `docs/` stands in
//! the book.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::markdown::{Link, fragments, links};

/// What is wrong, a line each.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Broken(Vec<String>);

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "links:\n  {}", self.0.join("\n  "))
    }
}

impl std::error::Error for Broken {}

/// Checks the repository that this is run in.
pub(crate) fn check_repository() -> Result<String, Box<dyn std::error::Error>> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()?;
    let files: BTreeSet<PathBuf> = String::from_utf8(listed.stdout)?
        .lines()
        .map(PathBuf::from)
        .collect();
    let mut pages = HashMap::new();
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
    {
        pages.insert(path.clone(), std::fs::read_to_string(path)?);
    }
    let count = check(&files, &pages)?;
    Ok(format!(
        "links: {count} within {} pages, every one leads somewhere",
        pages.len()
    ))
}

/// Checks pages of a repository that has these files; gives the number of links.
fn check(files: &BTreeSet<PathBuf>, pages: &HashMap<PathBuf, String>) -> Result<usize, Broken> {
    let mut wrong = Vec::new();
    let mut count = 0;
    let known: HashMap<&PathBuf, Vec<String>> = pages
        .iter()
        .map(|(path, page)| (path, fragments(page)))
        .collect();
    for (path, page) in pages {
        for link in links(page).iter().filter(|link| link.is_relative()) {
            count += 1;
            if let Err(why) = follow(path, link, files, &known) {
                wrong.push(format!("{}: {} {why}", path.display(), link.destination));
            }
        }
    }
    let summary = Path::new("docs/SUMMARY.md");
    let book = pages.get(summary).map_or_else(Vec::new, |page| links(page));
    for path in pages
        .keys()
        .filter(|path| path.starts_with("docs") && *path != summary)
    {
        let listed = book
            .iter()
            .any(|link| resolved(summary, &link.destination).as_ref() == Some(path));
        if !listed {
            wrong.push(format!("{} is not in docs/SUMMARY.md", path.display()));
        }
    }
    wrong.sort();
    match wrong.is_empty() {
        true => Ok(count),
        false => Err(Broken(wrong)),
    }
}

fn follow(
    from: &Path,
    link: &Link,
    files: &BTreeSet<PathBuf>,
    known: &HashMap<&PathBuf, Vec<String>>,
) -> Result<(), &'static str> {
    let (path, fragment) = match link.destination.split_once('#') {
        Some((path, fragment)) => (path, Some(fragment)),
        None => (link.destination.as_str(), None),
    };
    let target = match path {
        "" => Some(from.to_path_buf()),
        path => resolved(from, path),
    };
    let Some(target) = target else {
        return Err("leads out of the repository");
    };
    let is_folder = || files.iter().any(|file| file.starts_with(&target));
    if !files.contains(&target) && !is_folder() {
        return Err("leads to no file");
    }
    match (fragment, known.get(&target)) {
        (Some(fragment), Some(headings)) if !headings.iter().any(|one| one == fragment) => {
            Err("leads to no heading of that page")
        }
        _ => Ok(()),
    }
}

/// A path relative to a page's folder, from the root; none where it climbs above that.
fn resolved(from: &Path, path: &str) -> Option<PathBuf> {
    let mut target = from.parent().unwrap_or(Path::new("")).to_path_buf();
    for component in Path::new(path).components() {
        match component {
            Component::ParentDir => {
                if !target.pop() {
                    return None;
                }
            }
            Component::CurDir => {}
            other => target.push(other),
        }
    }
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(pages: &[(&str, &str)]) -> Result<usize, Broken> {
        let pages: HashMap<PathBuf, String> = pages
            .iter()
            .map(|(path, page)| (PathBuf::from(path), (*page).to_owned()))
            .collect();
        let mut files: BTreeSet<PathBuf> = pages.keys().cloned().collect();
        files.insert("examples/a/a.c".into());
        check(&files, &pages)
    }

    const SUMMARY: (&str, &str) = ("docs/SUMMARY.md", "- [One](one.md)\n");

    #[test]
    fn what_leads_somewhere_is_counted() {
        let page = "# One\n[above](#one) [there](../examples/a/a.c) [folder](../examples) [far](https://x.org/y)";
        assert_eq!(verdict(&[SUMMARY, ("docs/one.md", page)]), Ok(4));
    }

    #[test]
    fn what_leads_nowhere_is_named() {
        let page = "# One\n[gone](two.md) [no heading](#two) [out](../../docs/one.md)";
        let wrong = verdict(&[SUMMARY, ("docs/one.md", page), ("docs/lost.md", "# Lost")]);
        let expected = [
            "docs/lost.md is not in docs/SUMMARY.md",
            "docs/one.md: #two leads to no heading of that page",
            "docs/one.md: ../../docs/one.md leads out of the repository",
            "docs/one.md: two.md leads to no file",
        ];
        assert_eq!(wrong, Err(Broken(expected.map(str::to_owned).to_vec())));
    }
}
