//! Several files of inputs in one run: each for the variables that it names.

use super::command::{Place, fixture, repository};

const INPUT: i32 = 3;
const FILE: i32 = 4;
const KEY: i32 = 5;
const IO: i32 = 10;

fn nibbles() -> String {
    repository("examples/assembly/nibbles.hea")
}

/// Encrypts values with somebody's key into a file of their own.
#[track_caller]
fn encrypt(place: &Place, key: &str, program: &str, values: &[&str], out: &str) {
    let encrypt = ["encrypt", "--quiet", "--key", key, program, "--out", out];
    place.done(&[&encrypt[..], values].concat());
}

/// A run of these files, and whatever else is said.
fn run<'a>(program: &'a str, given: &[&'a str]) -> Vec<&'a str> {
    let run = ["run", "--quiet", "--key", "alice.server", program];
    [&run[..], given, &["--out", "out.bct"]].concat()
}

#[test]
#[ignore = "slow: 4 s"]
fn everybody_gives_the_variables_that_are_theirs() {
    let place = Place::with_keys();
    let program = nibbles();
    encrypt(&place, "alice.secret", &program, &["a=13"], "a.bct");
    encrypt(&place, "alice.secret", &program, &["b=6"], "b.bct");
    encrypt(&place, "alice.secret", &program, &["b=9"], "c.bct");
    for (given, sum) in [
        (&["a.bct", "b.bct"][..], 19),
        (&["c.bct", "a.bct"], 22),
        (&["a.bct", "b=2"], 15),
        (&["b=2", "a.bct"], 15),
    ] {
        // What is public comes after the first file.
        let given = match given {
            [value @ "b=2", file] => vec![*file, *value],
            given => given.to_vec(),
        };
        place.done(&run(&program, &given));
        let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
        assert_eq!(answer, format!("sum = {sum}\n"), "{given:?}");
    }

    std::fs::remove_file(place.path("out.bct")).unwrap();
    // A variable of two files, whatever their order, and of one named twice.
    let doubled = "b is given twice: by b.bct and by c.bct; each variable comes from one file";
    place.fails(
        INPUT,
        &[doubled],
        &run(&program, &["a.bct", "b.bct", "c.bct"]),
    );
    let doubled = "b is given twice: by c.bct and by b.bct";
    place.fails(
        INPUT,
        &[doubled],
        &run(&program, &["c.bct", "a.bct", "b.bct"]),
    );
    let doubled = "a is given twice: by a.bct and by a.bct";
    place.fails(INPUT, &[doubled], &run(&program, &["a.bct", "a.bct"]));
    let doubled = "b is given twice: by b.bct and by the command line";
    place.fails(
        INPUT,
        &[doubled],
        &run(&program, &["a.bct", "b.bct", "b=1"]),
    );
    // What is no file of inputs.
    let missing = &[
        "none.bct: cannot open",
        "a public variable is written NAME=VALUE",
    ];
    place.fails(IO, missing, &run(&program, &["a.bct", "none.bct"]));
    let other = &["alice.server: this is a server key, an inputs file was expected"];
    place.fails(FILE, other, &run(&program, &["a.bct", "alice.server"]));
    // Of another key: whose it is not is said, first or last.
    place.done(&["keygen", "--out", "bob"]);
    encrypt(&place, "bob.secret", &program, &["b=6"], "bob.bct");
    let theirs = &["bob.bct: made with key", "a.bct with key", "one key pair"];
    place.fails(KEY, theirs, &run(&program, &["a.bct", "bob.bct"]));
    let theirs = &["a.bct: made with key", "bob.bct with key"];
    place.fails(KEY, theirs, &run(&program, &["bob.bct", "a.bct"]));
    place.done(&["keygen", "--out", "carol", "--set", "p16-uniform"]);
    encrypt(&place, "carol.secret", &program, &["b=6"], "carol.bct");
    let theirs = &["carol.bct: made with parameter set", "a.bct with"];
    place.fails(KEY, theirs, &run(&program, &["a.bct", "carol.bct"]));
    // A name that the program does not have is looked for in the file that gives it.
    let other = fixture("calls.elf");
    encrypt(&place, "alice.secret", &other, &["calls=1"], "calls.bct");
    let unknown = &["calls.bct: ", "no variable 'calls'"];
    place.fails(INPUT, unknown, &run(&program, &["a.bct", "calls.bct"]));
}

/// The same bytes under two names are given twice, too.
#[test]
fn a_structure_and_its_field_are_not_both_given() {
    let place = Place::with_keys();
    let program = fixture("types.elf");
    encrypt(
        &place,
        "alice.secret",
        &program,
        &["a_point:u8[4]=1,2,3,4"],
        "whole.bct",
    );
    encrypt(
        &place,
        "alice.secret",
        &program,
        &["a_point.y=5"],
        "part.bct",
    );
    encrypt(
        &place,
        "alice.secret",
        &program,
        &["a_point.x=5"],
        "other.bct",
    );
    let parts = &["a_point and a_point.y are the same bits: by whole.bct and by part.bct"];
    place.fails(INPUT, parts, &run(&program, &["whole.bct", "part.bct"]));
    let parts = &[
        "a_point and a_point.x are the same bits",
        "whole.bct and by the command line",
    ];
    place.fails(INPUT, parts, &run(&program, &["whole.bct", "a_point.x=1"]));
    // Two fields are two variables.
    place.done(&run(&program, &["part.bct", "other.bct"]));
}

/// Files of BGV hold tables: row by row they belong together.
#[test]
#[ignore = "slow: 2 s"]
fn tables_of_several_people() {
    let place = Place::new();
    let parameters = "TOY_255-45-36-140-1x45-1";
    for name in ["alice", "bob"] {
        let keygen = ["keygen", "--scheme", "bgv", "--parameters", parameters];
        place.done(&[&keygen[..], &["--out", name]].concat());
    }
    let program = nibbles();
    for rows in [3u32, 16, 17, 40] {
        let column = |name: &str, value: &dyn Fn(u32) -> u32| {
            let lines = (0..rows).map(|row| format!("{}\n", value(row)));
            place.write(
                &format!("{name}.csv"),
                format!("{name}\n{}", lines.collect::<String>()),
            );
            let out = format!("{name}{rows}.bct");
            encrypt(
                &place,
                "alice.secret",
                &program,
                &[&format!("@{name}.csv")],
                &out,
            );
            out
        };
        let a = column("a", &|row| row % 16);
        let b = column("b", &|row| row * 7 % 16);
        place.done(&run(&program, &[&b, &a]));
        let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
        let sums = (0..rows).map(|row| format!("{}\n", row % 16 + row * 7 % 16));
        assert_eq!(answer, "sum\n".to_owned() + &sums.collect::<String>());
    }
    std::fs::remove_file(place.path("out.bct")).unwrap();
    let rows = &["b17.bct: a table of 17 rows, a16.bct has 16"];
    place.fails(INPUT, rows, &run(&program, &["a16.bct", "b17.bct"]));
    let rows = &["a40.bct: a table of 40 rows, b17.bct has 17"];
    place.fails(INPUT, rows, &run(&program, &["b17.bct", "a40.bct"]));
    let doubled = &["a is given twice: by a16.bct and by a17.bct"];
    place.fails(INPUT, doubled, &run(&program, &["a16.bct", "a17.bct"]));
    encrypt(&place, "bob.secret", &program, &["@b.csv"], "bob.bct");
    let theirs = &["bob.bct: made with key", "a40.bct with key"];
    place.fails(KEY, theirs, &run(&program, &["a40.bct", "bob.bct"]));
}
