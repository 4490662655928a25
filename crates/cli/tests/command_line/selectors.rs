//! The second part of a server key: made with the pair or later, described, and refused where another
//! file is wanted.

use serde_json::Value;

use super::command::{Place, repository};

const USAGE: i32 = 2;
const FILE: i32 = 4;
const IO: i32 = 10;

fn described(place: &Place, name: &str) -> Value {
    let text = place.done(&["inspect", "--json", name]);
    serde_json::from_str::<Value>(&text).unwrap()[0].take()
}

#[test]
#[ignore = "slow: 3 s"]
fn a_selector_key_comes_with_the_pair_or_later() {
    let place = Place::new();
    let said = place.done(&["keygen", "--out", "alice"]);
    let length = place.read("alice.selectors").len();
    assert!(
        said.contains("alice.selectors: the selector key, 60.8 MB; the second part"),
        "{said}"
    );
    let four = ["public", "secret", "selectors", "server"].map(|end| format!("alice.{end}"));
    assert_eq!(place.names(), four);
    let text = place.done(&["inspect", "alice.selectors"]);
    assert!(text.contains("a selector key, 60.8 MB"), "{text}");
    assert!(text.contains("`run` uses it"), "{text}");
    let document = described(&place, "alice.selectors");
    assert_eq!(document["kind"], "selector key");
    assert_eq!(document["bytes"], length);
    let server = described(&place, "alice.server");
    for same in ["key", "parameters", "fingerprint"] {
        assert_eq!(document[same], server[same]);
    }

    // Of a pair that is there: nothing is overwritten unasked, and nothing else ever.
    let add = ["key", "selectors", "alice.secret"];
    let there = [
        "alice.selectors: cannot create: it exists already",
        "--force",
    ];
    place.fails(IO, &there, &add);
    let forced = [&add[..], &["--force"]].concat();
    let before = place.read("alice.selectors");
    place.done(&forced);
    let after = place.read("alice.selectors");
    assert!(before.len() == after.len() && before != after, "made anew");
    assert_eq!(described(&place, "alice.selectors")["key"], server["key"]);
    let onto = [&forced[..], &["--out", "alice.server"]].concat();
    place.fails(
        IO,
        &["alice.server: it exists already and is not a selector key"],
        &onto,
    );
    let json = [&add[..], &["--json", "--out", "more.selectors"]].concat();
    let document: Value = serde_json::from_str(&place.done(&json)).unwrap();
    assert_eq!(document["selectors"], "more.selectors");
    assert_eq!(document["selectors_bytes"], length);
    assert_eq!(document["key"], server["key"]);

    // A new pair does not take the old one's for its own.
    for end in ["public", "secret", "server"] {
        std::fs::remove_file(place.path(&format!("alice.{end}"))).unwrap();
    }
    let without = ["keygen", "--out", "alice", "--no-selectors"];
    place.fails(IO, &there, &without);
    let said = place.done(&[&without[..], &["--force"]].concat());
    assert!(
        said.contains("alice.selectors: of the key pair that was replaced"),
        "{said}"
    );
}

#[test]
fn a_selector_key_is_taken_for_nothing_else() {
    let place = Place::with_keys();
    place.done(&["key", "selectors", "alice.secret"]);
    let program = repository("examples/salaries/salaries.elf");
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "count=8",
        "salary=1",
    ];
    place.done(&[&encrypt[..], &["--out", "inputs.bct"]].concat());
    let run = |key, inputs| ["run", "--key", key, &program, inputs, "--out", "out.bct"];
    let first = [
        "alice.selectors: this is a selector key, a server key was expected",
        "NAME.server",
    ];
    place.fails(FILE, &first, &run("alice.selectors", "inputs.bct"));
    let inputs = ["this is a selector key, an inputs file was expected"];
    place.fails(FILE, &inputs, &run("alice.server", "alice.selectors"));
    let decrypt = ["decrypt", "--key", "alice.selectors", "inputs.bct"];
    place.fails(
        FILE,
        &["this is a selector key, a secret key was expected"],
        &decrypt,
    );

    let of_server = ["key", "selectors", "alice.server"];
    place.fails(
        USAGE,
        &["alice.server: not called NAME.secret", "--out"],
        &of_server,
    );
    let of_server = [&of_server[..], &["--out", "x"]].concat();
    place.fails(
        FILE,
        &["this is a server key, a secret key was expected"],
        &of_server,
    );
    let bgv = [
        "keygen",
        "--scheme",
        "bgv",
        "--depth",
        "2",
        "--out",
        "b",
        "--no-selectors",
    ];
    place.fails(USAGE, &["--no-selectors is for --scheme tfhe"], &bgv);
}

/// A shift by a secret, with the key beside the server key and without it: the same answer, and the
/// plan says which it is for.
#[test]
#[ignore = "slow: 4 s"]
fn a_run_uses_the_key_that_lies_beside_the_other() {
    let place = Place::with_keys();
    let program =
        ".bits 32\n.data a\n.data n\n LOAD R0, a\n LOAD R1, n\n LLS R0, R0, R1\n STORE R0, a";
    place.write("shift.hea", program);
    let plan = ["plan", "shift.hea", "a", "n", "--json"];
    let counts = |more: &[&str]| {
        let text = place.done(&[&plan[..], more].concat());
        let document: Value = serde_json::from_str(&text).unwrap();
        ["bootstraps", "selectors", "choices"].map(|name| document[name].as_u64().unwrap())
    };
    assert_eq!(counts(&["--no-selectors"])[1..], [0, 0]);
    assert_eq!(counts(&[]), [3, 3, 160]);

    place.done(&[
        "encrypt",
        "--key",
        "alice.secret",
        "--out",
        "in",
        "shift.hea",
        "a=12345",
        "n=7",
    ]);
    let answer = |more: &[&str]| {
        let run = [
            "run",
            "--key",
            "alice.server",
            "shift.hea",
            "in",
            "--out",
            "out",
            "--output",
            "a",
        ];
        place.done(&[&run[..], more].concat());
        place.done(&["decrypt", "--key", "alice.secret", "out"])
    };
    let without = answer(&[]);
    assert!(without.contains("1580160"), "{without}");
    place.done(&["key", "selectors", "alice.secret"]);
    assert_eq!(answer(&[]), without);
    assert_eq!(answer(&["--no-selectors"]), without);
    // A file of that name that is none is refused, not passed over.
    place.write("alice.selectors", "notes");
    let run = [
        "run",
        "--key",
        "alice.server",
        "shift.hea",
        "in",
        "--out",
        "out",
    ];
    place.fails(FILE, &["alice.selectors: ", "not a Blindcore file"], &run);
}
