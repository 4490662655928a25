//! Manual pages: one for every command that help names, and for those that it hides.

use super::command::Place;

/// The commands that a help text lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let names = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_has_a_page() {
    let place = Place::new();
    let told = place.done(&["man", "--out", "pages/man1"]);
    let mut names = vec![vec![]];
    for command in listed(&place.done(&["help"])) {
        for own in listed(&place.done(&[&command, "--help"])) {
            names.push(vec![command.clone(), own]);
        }
        names.push(vec![command]);
    }
    // The short list leaves these out.
    let hidden = [
        "params", "circuits", "fft", "multiply", "papers", "scale", "man",
    ];
    names.extend(hidden.map(|name| vec![name.to_owned()]));
    assert!(names.len() > 40, "{names:?}");
    for command in &names {
        let title = [&["blindcore".to_owned()], &command[..]].concat();
        let page = place.read(&format!("pages/man1/{}.1", title.join("-")));
        let page = String::from_utf8(page).unwrap();
        assert!(
            page.contains(&format!(".TH {} 1", title.join("-"))),
            "{page}"
        );
        // As it is typed.
        let synopsis = page.split(".SH SYNOPSIS").nth(1).unwrap();
        let synopsis = synopsis
            .lines()
            .nth(1)
            .unwrap()
            .replace("\\fB", "")
            .replace("\\fR", "");
        assert!(
            synopsis.starts_with(&title.join(" ")),
            "{title:?}: {synopsis}"
        );
    }
    let written = std::fs::read_dir(place.path("pages/man1")).unwrap().count();
    assert_eq!(told, format!("pages/man1: {written} pages\n"));
    assert!(written >= names.len());
}
