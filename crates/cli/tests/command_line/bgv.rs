//! BGV from the command line: tables in, one run, tables out; and its refusals.

use serde_json::Value;

use super::command::{Place, repository};

const USAGE: i32 = 2;
const INPUT: i32 = 3;
const FILE: i32 = 4;
const KEY: i32 = 5;
const LIMIT: i32 = 8;

/// Sixteen slots and levels to spare.
const TOY: &str = "TOY_255-45-36-140-1x45-1";
/// Sixteen slots and too few levels for anything but a few gates.
const SHORT: &str = "TOY_255-45-36-12-1x45-1";

const CREDIT: [&str; 5] = ["age", "income", "debt", "years_employed", "late_payments"];

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn program(example: &str) -> String {
    repository(&format!("examples/{example}/{example}.elf"))
}

/// A directory with a key pair `alice` of a set.
fn with_keys(parameters: &str) -> Place {
    let place = Place::new();
    keygen(&place, "alice", parameters);
    place
}

fn keygen(place: &Place, name: &str, parameters: &str) {
    let scheme = ["keygen", "--scheme", "bgv", "--parameters", parameters];
    place.done(&[&scheme[..], &["--out", name]].concat());
}

/// Encrypts values with `alice`.
fn encrypt(place: &Place, program: &str, values: &[&str]) -> String {
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        program,
        "--out",
        "in.bct",
    ];
    place.done(&[&encrypt[..], values].concat())
}

/// Runs on what is encrypted, and decrypts.
fn run(place: &Place, program: &str) -> String {
    let run = ["run", "--key", "alice.server", program, "in.bct"];
    place.done(&[&run[..], &["--out", "out.bct"]].concat());
    place.done(&["decrypt", "--key", "alice.secret", "out.bct"])
}

/// Rows of numbers for the credit score.
fn people(rows: usize) -> Vec<[i64; 5]> {
    let next = |number: usize, below: usize| (number * 2_654_435_761 % below) as i64;
    (1..=rows)
        .map(|row| {
            [
                next(row, 97),
                next(row + 3, 1009),
                next(row + 5, 4001),
                next(row + 7, 41),
                next(row + 11, 9),
            ]
        })
        .collect()
}

fn table(header: &[&str], rows: &[[i64; 5]]) -> String {
    let mut text = header.join(",") + "\n";
    for row in rows {
        let cells: Vec<String> = row.iter().map(i64::to_string).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

/// What the program computes, from its source.
fn score(&[age, income, debt, years, late]: &[i64; 5]) -> (i64, usize) {
    let points = 300 + 2 * age + income / 2 - debt / 8 + 10 * years - 40 * late;
    let grade = [450, 600, 750].iter().filter(|&&least| points >= least);
    (points, grade.count())
}

#[test]
#[ignore = "slow: 2 s"]
fn every_row_of_a_table_is_scored() {
    let place = with_keys(TOY);
    let rows = people(16);
    place.write("people.csv", table(&CREDIT, &rows));
    let output = encrypt(&place, &program("credit"), &["@people.csv"]);
    assert!(
        output.contains("16 rows of 80 encrypted bits in 16 slots"),
        "{output}"
    );
    let answer = run(&place, &program("credit"));
    let expected = rows.iter().map(|row| {
        let (score, grade) = score(row);
        format!("{score},{grade}\n")
    });
    assert_eq!(
        answer,
        "score,grade\n".to_owned() + &expected.collect::<String>()
    );

    let json = place.done(&["decrypt", "--key", "alice.secret", "out.bct", "--json"]);
    let (points, grade) = score(&rows[15]);
    assert_eq!(document(&json)[15]["score"], points);
    assert_eq!(document(&json)[15]["grade"], grade);
    // Inputs decrypt to the table.
    let inputs = place.done(&["decrypt", "--key", "alice.secret", "in.bct"]);
    assert_eq!(inputs, table(&CREDIT, &rows));
    let told = place.done(&["inspect", "out.bct"]);
    assert!(told.contains("16 rows of values in 16 slots"), "{told}");
    let told = document(&place.done(&["inspect", "--json", "in.bct", "alice.server"]));
    assert_eq!(
        (&told[0]["scheme"], &told[0]["rows"]),
        (&"bgv".into(), &16.into())
    );
    assert_eq!(
        (&told[1]["kind"], &told[1]["parameters"]),
        (&"server key".into(), &TOY.into())
    );
}

/// Two numbers of four bits, and their sum.
fn sums(rows: usize) -> (String, String) {
    let (mut given, mut expected) = ("a,b\n".to_owned(), "sum\n".to_owned());
    for row in 0..rows {
        let (a, b) = (row % 16, row * 7 % 16);
        given += &format!("{a},{b}\n");
        expected += &format!("{}\n", a + b);
    }
    (given, expected)
}

/// As many batches as it takes, in one file, in the order of the rows.
#[test]
fn tables_of_more_rows_than_slots_come_in_batches() {
    let place = with_keys(TOY);
    let program = repository("examples/assembly/nibbles.hea");
    for (count, batches) in [(16, 1), (17, 2), (32, 2), (33, 3)] {
        let (given, expected) = sums(count);
        place.write("sums.csv", &given);
        let output = encrypt(&place, &program, &["@sums.csv"]);
        let slots = match batches {
            1 => "16 rows of 32 encrypted bits in 16 slots".to_owned(),
            _ => format!("{count} rows of 32 encrypted bits in {batches} batches of 16 slots"),
        };
        assert!(output.contains(&slots), "{output}");
        let inputs = place.done(&["decrypt", "--key", "alice.secret", "in.bct"]);
        assert_eq!(inputs, given);
        assert_eq!(run(&place, &program), expected);
        let told = document(&place.done(&["inspect", "--json", "in.bct", "out.bct"]));
        for file in [&told[0], &told[1]] {
            assert_eq!(
                (&file["rows"], &file["batches"], &file["slots"]),
                (&count.into(), &batches.into(), &16.into())
            );
            let length = place.read(file["file"].as_str().unwrap()).len();
            assert_eq!(file["bytes"], length);
        }
    }
    let told = place.done(&["inspect", "out.bct"]);
    let output = "33 rows of values in 3 batches of 16 slots";
    assert!(told.contains(output), "{told}");
    let json = document(&place.done(&["decrypt", "--key", "alice.secret", "--json", "out.bct"]));
    assert_eq!(json.as_array().unwrap().len(), 33);
    assert_eq!(json[31]["sum"], 15 + 9);
    // Through pipes as through files.
    let line = format!(
        "\"$blindcore\" encrypt --key alice.secret {program} @sums.csv --quiet --out /dev/stdout | \
         \"$blindcore\" run --engine bgv --key alice.server {program} /dev/stdin --quiet --out /dev/stdout | \
         \"$blindcore\" decrypt --key alice.secret /dev/stdin"
    );
    let piped = place.shell(&line);
    assert_eq!(piped.out, sums(33).1, "{piped:?}");
}

/// A file that was cut off, goes on, or has a damaged batch.
#[test]
fn tables_that_lack_rows_are_refused() {
    let place = with_keys(TOY);
    let program = repository("examples/assembly/nibbles.hea");
    place.write("sums.csv", sums(33).0);
    encrypt(&place, &program, &["@sums.csv"]);
    let inputs = place.read("in.bct");
    let whole = inputs.len();
    let run = [
        "run",
        "--key",
        "alice.server",
        &program,
        "cut.bct",
        "--quiet",
    ];
    let run = [&run[..], &["--out", "out.bct"]].concat();
    let decrypt = ["decrypt", "--key", "alice.secret", "cut.bct"];
    let inspect = ["inspect", "cut.bct"];
    // Within the third batch, and within the second.
    for (length, batch) in [(whole - 1, 3), (whole / 2, 2)] {
        place.write("cut.bct", &inputs[..length]);
        let batch = format!("batch {batch} of 3: truncated");
        let ends = format!("the file ends at byte {length}");
        let parts = ["cut.bct", &batch, &ends, "copy or make the file again"];
        for command in [&run[..], &decrypt, &inspect] {
            place.fails(FILE, &parts, command);
        }
    }
    place.write("cut.bct", [&inputs[..], b"x"].concat());
    for command in [&run[..], &decrypt, &inspect] {
        place.fails(FILE, &["over-long"], command);
    }
    // Found when it is its turn; nothing is written.
    let mut changed = inputs;
    changed[whole - 9] ^= 1;
    place.write("cut.bct", &changed);
    for command in [&run[..], &decrypt, &inspect] {
        place.fails(FILE, &["batch 3 of 3: corrupted"], command);
    }
}

/// Nothing is written, and how far it got is said.
#[cfg(unix)]
#[test]
fn an_interrupted_run_tells_its_batch() {
    let place = with_keys(TOY);
    let program = program("credit");
    // Ten seconds of work and more; the signal comes in the middle of it.
    place.write("people.csv", table(&CREDIT, &people(16 * 3)));
    encrypt(&place, &program, &["@people.csv"]);
    let line = format!(
        "\"$blindcore\" run --key alice.server {program} in.bct --out out.bct --threads 1 2> said & \
         sleep 1; kill -TERM $!; wait $!; echo $?; cat said"
    );
    let ended = place.shell(&line);
    assert!(ended.out.starts_with("130\n"), "{ended:?}");
    let last = ended.out.lines().last().unwrap();
    assert!(last.contains("interrupted in batch "), "{ended:?}");
    assert!(last.contains(" of 3, after "), "{ended:?}");
    assert!(!place.names().contains(&"out.bct".to_owned()));
}

/// Text in cells, and a variable that is the same in all rows.
#[test]
fn texts_are_compared_row_by_row() {
    let place = with_keys(TOY);
    let texts = ["GACTATAG", "GATTACAT", "\"A, B\"\"C\"\"\"", "", "zzzzzzzz"];
    place.write(
        "texts.csv",
        "right\n".to_owned() + &texts.join("\n").replace("\n\n", "\n\"\"\n") + "\n",
    );
    encrypt(
        &place,
        &program("hamming"),
        &["@texts.csv", "left=GATTACAT"],
    );
    // Inputs decrypt to what can be encrypted again.
    let inputs = place.done(&["decrypt", "--key", "alice.secret", "in.bct"]);
    let first: Vec<&str> = inputs.lines().take(3).collect();
    assert_eq!(
        first,
        ["right,left", "GACTATAG,GATTACAT", "GATTACAT,GATTACAT"]
    );
    let answer = run(&place, &program("hamming"));
    let plain = ["GACTATAG", "GATTACAT", "A, B\"C\"", "", "zzzzzzzz"];
    let expected = plain.iter().map(|text| {
        let mut right = [0u8; 8];
        right[..text.len()].copy_from_slice(text.as_bytes());
        let pairs = || right.iter().zip(b"GATTACAT");
        let letters = pairs().filter(|(a, b)| a != b).count();
        let bits: u32 = pairs().map(|(a, b)| (a ^ b).count_ones()).sum();
        format!("{letters},{bits}\n")
    });
    assert_eq!(
        answer,
        "letters,bits\n".to_owned() + &expected.collect::<String>()
    );
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let place = with_keys(TOY);
    place.write("none.csv", "age,income\n");
    place.write("wrong.csv", "age,income\n1,2\n3,many\n");
    place.write("twice.csv", "age,age\n1,2\n");
    place.write("unknown.csv", "age,shoes\n1,2\n");
    place.write("ragged.csv", "age,income\n1\n");
    let encrypt = ["encrypt", "--key", "alice.secret", "--out", "in.bct"];
    let program = program("credit");
    let fails = |code, parts: &[&str], values: &[&str]| {
        place.fails(code, parts, &[&encrypt[..], &[&program], values].concat());
    };
    fails(INPUT, &["none.csv", "no row"], &["@none.csv"]);
    fails(
        INPUT,
        &["wrong.csv: row 2", "income", "many"],
        &["@wrong.csv"],
    );
    fails(INPUT, &["age is given twice"], &["@twice.csv"]);
    fails(
        INPUT,
        &["unknown.csv", "shoes", "first line of a table names"],
        &["@unknown.csv"],
    );
    fails(INPUT, &["ragged.csv"], &["@ragged.csv"]);
    fails(INPUT, &["age is given twice"], &["@wrong.csv", "age=1"]);
    fails(USAGE, &["one @FILE.csv"], &["@wrong.csv", "@none.csv"]);
}

/// Before anything is evaluated: the depth, the limit, the deepest output.
#[test]
fn what_is_too_deep_for_the_key_is_refused() {
    let place = with_keys(SHORT);
    place.write("people.csv", table(&CREDIT, &people(2)));
    let parts = [
        "ANDs deep",
        SHORT,
        "allows about",
        "the deepest output is grade",
    ];
    // Before inputs are encrypted, too, which may take a gigabyte; with either key.
    let credit = program("credit");
    for key in ["alice.secret", "alice.public"] {
        let encrypt = ["encrypt", "--key", key, &credit, "@people.csv"];
        let encrypt = [&encrypt[..], &["--out", "in.bct"]].concat();
        place.fails(LIMIT, &[&parts[..], &["--any-depth"]].concat(), &encrypt);
    }
    encrypt(&place, &credit, &["@people.csv", "--any-depth"]);
    let run = ["run", "--key", "alice.server", &program("credit"), "in.bct"];
    place.fails(LIMIT, &parts, &[&run[..], &["--out", "out.bct"]].concat());
}

#[test]
#[ignore = "slow: 3 s"]
fn keys_and_files_of_others_are_refused() {
    let place = with_keys(TOY);
    keygen(&place, "bob", TOY);
    keygen(&place, "carol", SHORT);
    place.done(&["keygen", "--out", "dave"]);
    place.write("people.csv", table(&CREDIT, &people(2)));
    encrypt(&place, &program("credit"), &["@people.csv"]);
    let program = program("credit");
    for (key, part) in [
        ("bob.server", "made with key"),
        ("carol.server", "parameter set"),
    ] {
        let run = ["run", "--key", key, &program, "in.bct", "--out", "out.bct"];
        place.fails(KEY, &[part], &run);
    }
    place.fails(
        KEY,
        &["made with key"],
        &["decrypt", "--key", "bob.secret", "in.bct"],
    );
    // Keys of another scheme, for a table of two batches, too.
    let tfhe = ["run", "--key", "dave.server", &program, "in.bct"];
    place.fails(
        FILE,
        &["dave.server", "a server key of BGV was expected"],
        &[&tfhe[..], &["--out", "out.bct"]].concat(),
    );
    place.write("people.csv", table(&CREDIT, &people(17)));
    encrypt(&place, &program, &["@people.csv"]);
    place.fails(
        FILE,
        &["in.bct", "an inputs file of BGV"],
        &["decrypt", "--key", "dave.secret", "in.bct"],
    );
    // Another engine than that of the inputs.
    let run = [
        "run",
        "--key",
        "alice.server",
        "--engine",
        "tfhe",
        &program,
        "in.bct",
    ];
    place.fails(
        FILE,
        &["an inputs file of BGV"],
        &[&run[..], &["--out", "out.bct"]].concat(),
    );
    let run = [
        "run",
        "--key",
        "alice.server",
        "--resume",
        &program,
        "in.bct",
    ];
    place.fails(
        USAGE,
        &["--resume is not for BGV"],
        &[&run[..], &["--out", "out.bct"]].concat(),
    );
}

#[test]
fn keys_need_to_know_what_they_are_for() {
    let place = Place::new();
    let keygen = ["keygen", "--out", "alice", "--scheme", "bgv"];
    place.fails(USAGE, &["--program, --depth or --parameters"], &keygen);
    let with = |more: &[&'static str]| [&keygen[..], more].concat();
    place.fails(USAGE, &["no set of BGV"], &with(&["--parameters", "P16"]));
    let few = ["--parameters", "TOY_51", "--rows", "100"];
    place.fails(USAGE, &["has 4 slots"], &with(&few));
    // A modulus too long for what the name promises.
    let insecure = ["--parameters", "4369-45-36-40-1x45-1"];
    place.fails(USAGE, &["128 bits of security"], &with(&insecure));
    place.fails(LIMIT, &["900", "too deep"], &with(&["--depth", "900"]));
    place.fails(
        USAGE,
        &["--depth is for --scheme bgv"],
        &["keygen", "--out", "a", "--depth", "3"],
    );
}

/// More rows than any ring has slots are planned in batches.
#[test]
fn plans_of_many_rows_tell_their_batches() {
    let place = Place::new();
    let program = repository("examples/assembly/nibbles.hea");
    let plan = [
        "plan", "--engine", "bgv", "--rows", "100000", &program, "a", "b",
    ];
    let told = place.done(&plan);
    assert!(told.contains("rows              100000: "), "{told}");
    assert!(told.contains(" in 49 batches, "), "{told}");
    let plan = document(&place.done(&[&plan[..], &["--json"]].concat()));
    assert_eq!(
        (&plan["slots"], &plan["batches"]),
        (&2048.into(), &49.into())
    );
}

/// At 128 bits: what is planned, a key by the program, and a whole run.
#[test]
#[ignore = "real parameters: keys of hundreds of megabytes"]
fn a_full_vector_of_rows_at_128_bits() {
    let place = Place::new();
    let program = repository("examples/assembly/nibbles.hea");
    let plan = ["plan", "--json", "--engine", "bgv", &program, "a", "b"];
    let plan = document(&place.done(&plan));
    assert_eq!(plan["security_bits"], 128);
    assert!(plan["noise_bits_left"].as_f64().unwrap() > 0.0);
    let keygen = ["keygen", "--json", "--out", "alice", "--scheme", "bgv"];
    let keygen = [&keygen[..], &["--program", &program, "a", "b"]].concat();
    let key = document(&place.done(&keygen));
    assert_eq!(key["parameters"], plan["parameters"]);
    let (given, expected) = sums(plan["slots"].as_u64().unwrap() as usize);
    place.write("sums.csv", given);
    encrypt(&place, &program, &["@sums.csv"]);
    assert_eq!(run(&place, &program), expected);
}

/// The same of a program that is eight times as deep.
#[test]
#[ignore = "real parameters: keys of hundreds of megabytes, minutes"]
fn scores_of_a_full_vector_at_128_bits() {
    let place = Place::new();
    let program = program("credit");
    let plan = [
        &["plan", "--json", "--engine", "bgv", &program][..],
        &CREDIT,
    ]
    .concat();
    let plan = document(&place.done(&plan));
    assert_eq!(plan["security_bits"], 128);
    assert!(plan["noise_bits_left"].as_f64().unwrap() > 0.0);
    let slots = plan["slots"].as_u64().unwrap() as usize;
    let keygen = [
        "keygen",
        "--json",
        "--out",
        "alice",
        "--scheme",
        "bgv",
        "--program",
        &program,
    ];
    let key = document(&place.done(&[&keygen[..], &CREDIT].concat()));
    assert_eq!(key["parameters"], plan["parameters"]);
    let rows = people(slots);
    place.write("people.csv", table(&CREDIT, &rows));
    encrypt(&place, &program, &["@people.csv"]);
    let answer = run(&place, &program);
    let expected = rows.iter().map(|row| {
        let (score, grade) = score(row);
        format!("{score},{grade}\n")
    });
    assert_eq!(
        answer,
        "score,grade\n".to_owned() + &expected.collect::<String>()
    );
}

/// Columns of a table that are bit-fields, `bool` and enumerations, by the types of the debugging
/// information.
#[test]
fn columns_have_the_types_of_the_program() {
    let place = with_keys(TOY);
    place.write(
        "typed.c",
        "enum colour { RED, GREEN, BLUE = 200 }; enum way { BACK = -1, STAY, ON };\n\
         struct { unsigned age : 7; int delta : 5; _Bool member : 1; enum colour shade : 8; enum way way; } in, out;\n\
         _Bool yes, many[3], both; union { unsigned word; char bytes[4]; } raw;\n\
         int main(void) {\n\
         out.age = in.age ^ 1; out.delta = ~in.delta; out.member = !in.member; out.shade = in.shade;\n\
         out.way = in.way; both = yes & many[1]; return 0; }\n",
    );
    let flags = "-marm -march=armv7ve -mfloat-abi=soft -ffreestanding -nostdlib -O2 -g -Wl,-e,main";
    let compiled = place.shell(&format!("arm-none-eabi-gcc {flags} typed.c -o typed.elf"));
    assert_eq!(compiled.code, Some(0), "{compiled:?}");
    let program = "typed.elf";
    let header = "in.age,in.delta,in.member,in.shade,in.way,yes,many\n";
    let given = "100,-16,true,BLUE,BACK,1,\"1,1,0\"\n3,15,false,GREEN,ON,true,\"0,0,1\"\n127,-1,1,7,0,0,\"0,1\"\n";
    place.write("t.csv", [header, given].concat());
    let output = encrypt(&place, program, &["@t.csv"]);
    assert!(
        output.contains("in.delta: i32:5\nin.member: bool:1\n"),
        "{output}"
    );
    assert!(output.contains("3 rows of 61 encrypted bits"), "{output}");
    let shown = "100,-16,true,BLUE,BACK,true,\"true, true, false\"\n\
                 3,15,false,GREEN,ON,true,\"false, false, true\"\n\
                 127,-1,true,7,STAY,false,\"false, true, false\"\n";
    let inputs = place.done(&["decrypt", "--key", "alice.secret", "in.bct"]);
    assert_eq!(inputs, [header, shown].concat());
    assert_eq!(
        run(&place, program),
        "out.age,out.delta,out.member,out.shade,out.way,both\n\
         101,15,false,BLUE,BACK,true\n2,-16,true,GREEN,ON,false\n126,0,false,7,STAY,false\n"
    );

    for (table, part) in [
        (
            "in.age\n128\n",
            "row 1: in.age: 128 does not fit u32:7 (0 to 127)",
        ),
        ("in.age\n1\n-1\n", "row 2: in.age: -1 does not fit"),
        ("in.delta\n16\n", "16 does not fit i32:5 (-16 to 15)"),
        ("in.member\n2\n", "2 does not fit bool:1 (0 to 1)"),
        ("yes\n1\n\n0\n", "an empty line above '0'"),
        ("yes\n2\n", "2 does not fit bool (0 to 1)"),
        ("yes\nmaybe\n", "'maybe' is not a value of type bool"),
        (
            "in.shade\nPURPLE\n",
            "neither one of its names nor a whole number",
        ),
        ("in.shade\n256\n", "256 does not fit u8:8"),
        ("many\n\"1,2\"\n", "many[1]: 2 does not fit bool"),
        ("in\n3\n", "in is a structure; give its fields"),
        ("raw\n3\n", "give its fields (raw.word=…"),
        ("in.age:u32\n3\n", "it is a bit-field of type u32:7"),
        (
            "in.age:u8:7\n3\n",
            "u8:7 does not fit the program's variable, which is u32:7",
        ),
        (
            "yes:u8\n1\n",
            "u8 does not fit the program's variable, which is bool",
        ),
        (
            "raw.word,raw.bytes\n1,2\n",
            "raw.word and raw.bytes are the same bits",
        ),
    ] {
        place.write("wrong.csv", table);
        let encrypt = ["encrypt", "--key", "alice.secret", program, "@wrong.csv"];
        place.fails(
            INPUT,
            &[part],
            &[&encrypt[..], &["--out", "x.bct"]].concat(),
        );
    }
}
