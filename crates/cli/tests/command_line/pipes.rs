//! `-` in place of a file, and structures as JSON and CSV.

use super::command::{Place, assert_failed, fixture};

#[test]
#[ignore = "slow: 8 s"]
fn the_three_steps_are_one_line() {
    let place = Place::with_keys();
    let program = fixture("salaries.elf");
    place.write("salaries.csv", "name,amount\na,31000\nb,52000\nc,7\n");
    let line = format!(
        "\"$blindcore\" encrypt --key alice.secret {program} salary=@-:amount count=3 --out - \
         < salaries.csv | \"$blindcore\" run --key alice.server {program} - --out - \
         | \"$blindcore\" decrypt --key alice.secret -"
    );
    let ended = place.shell(&line);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.out.contains("total = 83007\n"), "{ended:?}");
    assert!(ended.out.contains("highest = 52000\n"), "{ended:?}");
    // Nothing is left beside: no outputs, no checkpoint.
    assert!(!place.names().iter().any(|name| name.contains("checkpoint")));

    // An object of names and values, too.
    let line =
        format!("echo '{{\"salary\":[1,2,39],\"count\":3}}' | \"$blindcore\" check {program} @-");
    let ended = place.shell(&line);
    assert!(ended.out.contains("total = 42\n"), "{ended:?}");
}

#[test]
fn pipes_that_cannot_be_are_refused() {
    let place = Place::with_keys();
    let program = fixture("salaries.elf");
    let encrypt = ["encrypt", "--key", "alice.secret", &program, "count=8"];
    // Two contents for one output.
    let both = [&encrypt[..], &["--out", "-", "--json"]].concat();
    place.fails(2, &["--json", "--out -"], &both);
    // Two readers of one input.
    let run = ["run", "--key", "alice.server", &program, "-", "-"];
    place.done(&[&encrypt[..], &["--out", "in.bct"]].concat());
    let twice = format!("\"$blindcore\" {} --out out.bct < in.bct", run.join(" "));
    assert_failed(&place.shell(&twice), 2, &["standard input", "twice"]);
    let values = [&run[..5], &["salary=@-", "--out", "out.bct"]].concat();
    place.fails(2, &["standard input"], &values);
    // Nothing comes.
    let decrypt = ["decrypt", "--key", "alice.secret", "-"];
    place.fails(4, &["standard input"], &decrypt);
    let nothing = [&encrypt[..], &["salary=@-", "--out", "other.bct"]].concat();
    place.fails(10, &["standard input", "nothing came"], &nothing);
}
