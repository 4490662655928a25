//! Secret keys whose files others may read.

use std::os::unix::fs::PermissionsExt;

use super::command::{Ended, Place, repository};

const WARNING: &str = "alice.secret: others than you may read this secret key";

fn allow(place: &Place, name: &str, mode: u32) {
    let mode = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(place.path(name), mode).unwrap();
}

/// How often it warns; it must do its work.
#[track_caller]
fn warned(ended: &Ended) -> usize {
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let lines = ended.err.lines().filter(|line| line.contains(WARNING));
    let remedy = "chmod 600 alice.secret";
    let lines: Vec<&str> = lines.collect();
    assert!(lines.iter().all(|line| line.ends_with(remedy)), "{ended:?}");
    lines.len()
}

#[test]
fn a_key_that_others_may_read_is_warned_about() {
    let place = Place::with_keys();
    let program = repository("examples/salaries/salaries.elf");
    let encrypt = ["encrypt", "--key", "alice.secret", &program, "count=8"];
    let encrypt = [&encrypt[..], &["--out", "in.bct"]].concat();
    let decrypt = ["decrypt", "--key", "alice.secret", "in.bct"];
    // Its owner's alone, as it was made; for the group; for everybody.
    for (mode, expected) in [(0o600, 0), (0o400, 0), (0o640, 1), (0o604, 1), (0o644, 1)] {
        allow(&place, "alice.secret", mode);
        assert_eq!(warned(&place.run(&encrypt)), expected, "{mode:o}");
        let ended = place.run(&decrypt);
        // What was given in can be decrypted, too.
        assert_eq!(warned(&ended), expected, "{mode:o}");
        assert!(ended.out.contains("count = 8"), "{ended:?}");
    }
    let quiet = place.run(&[&encrypt[..], &["--quiet"]].concat());
    assert_eq!((quiet.code, quiet.err.as_str()), (Some(0), ""));
    // The remedy is one.
    let ended =
        place.shell("chmod 600 alice.secret && \"$blindcore\" decrypt --key alice.secret in.bct");
    assert_eq!(warned(&ended), 0);
}

/// A server's key is for everybody, and what is no key is another matter.
#[test]
fn nothing_else_is_warned_about() {
    let place = Place::with_keys();
    allow(&place, "alice.server", 0o644);
    place.write("damaged.secret", &place.read("alice.secret")[..100]);
    let ended = place.run(&["inspect", "alice.server"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    let failed = ["decrypt", "--key", "damaged.secret", "alice.server"];
    super::command::assert_failed(&place.run(&failed), 4, &["damaged.secret"]);
}
