//! Bounds of memory: kept, or refused before the work.

use super::command::{Place, repository};

const LIMIT: i32 = 8;

/// The key alone has 59 MB.
#[test]
#[ignore = "slow: 6 s"]
fn a_run_that_needs_more_memory_than_it_may_take_is_refused() {
    let place = Place::with_keys();
    let program = repository("examples/salaries/salaries.elf");
    let values = ["count=2", "salary=3000,5000,0,0,0,0,0,0"];
    let encrypt = ["encrypt", "--key", "alice.secret", &program];
    let ended = place.run(&[&encrypt[..], &values, &["--out", "in.bct"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let run = |memory: &str| {
        let run = ["run", "--key", "alice.server", &program, "in.bct"];
        let rest = ["--out", "out.bct", "--memory", memory];
        place.run(&[&run[..], &rest].concat())
    };
    let refused = run("60M");
    assert_eq!(refused.code, Some(LIMIT), "{refused:?}");
    assert!(
        refused
            .err
            .contains(" MB of memory at least, and may take 60.0 MB"),
        "{refused:?}"
    );
    assert!(!place.path("out.bct").exists());
    assert_eq!(run("400M").code, Some(0));
}
