//! Circuit files from the command line: the clear and the encrypted story, and what goes wrong.

use super::command::{Place, repository};
use serde_json::Value;

const USAGE: i32 = 2;
const INPUT: i32 = 3;
const FILE: i32 = 4;
const KEY: i32 = 5;
const IO: i32 = 10;
const CIRCUIT: i32 = 11;

const HALF_ADDER: &str = "2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";

fn auction() -> String {
    repository("examples/circuits/auction.blif")
}

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn in_the_clear() {
    let place = Place::new();
    let file = auction();
    let run = ["circuit", "run", &file, "--quiet", "--inputs"];
    let by_name = ["carl=0x4b", "ada=90", "dorothy=0b110_1110", "blaise=120"];
    let answer = place.done(&[&run[..], &by_name].concat());
    assert_eq!(answer, "winner = 1 (0x1)\nprice = 110 (0x6e)\n");
    let answer = place.done(&[&run[..], &["7", "7", "7", "7"]].concat());
    assert_eq!(answer, "winner = 0 (0x0)\nprice = 7 (0x07)\n");
    let file = repository("examples/circuits/multiply8.txt");
    let answer = place.done(&["circuit", "run", &file, "--quiet", "--inputs", "12", "12"]);
    assert_eq!(answer, "out = 144 (0x90)\n");
    place.write("half", HALF_ADDER);
    let run = ["circuit", "run", "half", "--inputs", "1", "-1"];
    let answer = place.done(&run);
    let told = "out0 = 0\nout1 = 1\n2 gates as 1 lookup, depth 1 (P16_BLOCK_128_PFAIL_2M100)\n";
    assert!(answer.starts_with(told), "{answer}");
    let answer = document(&place.done(&[&run[..], &["--json"]].concat()));
    assert_eq!(answer["outputs"]["out1"]["decimal"], "1");
    assert_eq!(answer["lookups"], 1);
}

#[test]
fn encrypted_with_keys_of_its_own() {
    let place = Place::new();
    place.write("half.txt", HALF_ADDER);
    let run = ["circuit", "run", "half.txt", "--inputs", "1", "1"];
    let answer = place.done(&[&run[..], &["--encrypted"]].concat());
    assert!(answer.starts_with("out0 = 0\nout1 = 1\n"), "{answer}");
    assert!(answer.contains("decrypted it is the same"), "{answer}");
    assert_eq!(place.names(), ["half.txt"]);
}

#[test]
#[ignore = "slow: 3 s"]
fn three_parties() {
    let place = Place::with_keys();
    // Words that are signed, of 5 and of 96 bits, constant in part, and an input passed through.
    let blif = ".model m\n.inputs x[0] x[1]\n.inputs w[0] w[1]\n.outputs y[0] y[1] y[2]\n.outputs w2\n\
                .names x[0] w[1] y[0]\n11 1\n.names y[1]\n1\n.names x[1] y[2]\n1 1\n.names w[0] w2\n0 1\n.end\n";
    place.write("m.blif", blif);
    let encrypt = ["circuit", "encrypt", "--key", "alice.secret", "m.blif"];
    place.done(&[&encrypt[..], &["w=2", "x=-1", "--out", "in.bct"]].concat());
    let inputs = place.done(&["decrypt", "--key", "alice.secret", "in.bct"]);
    assert_eq!(inputs, "x = 3\nw = 2\n");
    let run = ["circuit", "run", "m.blif", "--key", "alice.server"];
    let told = place.done(&[&run[..], &["--inputs", "in.bct", "--out", "out.bct"]].concat());
    assert!(
        told.starts_with("out.bct: y (3 bits), w2 (1 bit), "),
        "{told}"
    );
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    assert_eq!(answer, "y = 7\nw2 = 1\n");

    // A signed word keeps its sign, a wide one is an array.
    place.done(&[
        "circuit", "build", "negate", "--width", "96", "--out", "n.txt",
    ]);
    let encrypt = ["circuit", "encrypt", "--key", "alice.secret", "n.txt", "1"];
    place.done(&[&encrypt[..], &["--out", "wide.bct", "--quiet"]].concat());
    let described = place.done(&["inspect", "wide.bct"]);
    assert!(described.contains("a: u32[3], secret"), "{described}");
    let words = repository("crates/circuits/tests/formats/yosys/all.json");
    let encrypt = ["circuit", "encrypt", "--key", "alice.secret", &words];
    let values = ["a=-3", "reversed=2", "high=7", "c=1", "--out", "signed.bct"];
    place.done(&[&encrypt[..], &values].concat());
    let run = ["circuit", "run", &words, "--key", "alice.server", "--quiet"];
    place.done(&[&run[..], &["--inputs", "signed.bct", "--out", "answer.bct"]].concat());
    let answer = place.done(&["decrypt", "--key", "alice.secret", "answer.bct"]);
    let expected = "sum = -10\nproduct = 14\nthrough = 2\nfixed = 6\nparity = 1\nless = 1\n";
    assert_eq!(answer, expected);

    // Every word in a file of its own, whichever comes first.
    for (value, out) in [("x=-1", "own.bct"), ("w=2", "w.bct")] {
        place.done(&[&encrypt[..4], &["m.blif", value, "--out", out]].concat());
    }
    for files in [["own.bct", "w.bct"], ["w.bct", "own.bct"]] {
        let files = [&["--inputs"], &files[..], &["--out", "out.bct", "--quiet"]].concat();
        let run = ["circuit", "run", "m.blif", "--key", "alice.server"];
        place.done(&[&run[..], &files].concat());
        let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
        assert_eq!(answer, "y = 7\nw2 = 1\n");
    }
    let run = [
        "circuit",
        "run",
        "m.blif",
        "--key",
        "alice.server",
        "--out",
        "y.bct",
    ];
    let lacks = [&run[..], &["--inputs", "w.bct"]].concat();
    place.fails(INPUT, &["w.bct: no value for x: encrypt it too"], &lacks);
    let twice = [&run[..], &["--inputs", "w.bct", "in.bct"]].concat();
    place.fails(INPUT, &["w is given twice: by w.bct and by in.bct"], &twice);

    // Inputs of another circuit, and of another key.
    let other = ["circuit", "run", "n.txt", "--out", "x.bct", "--inputs"];
    let with =
        |inputs: &'static str, key: &'static str| [&other[..], &[inputs, "--key", key]].concat();
    place.fails(
        INPUT,
        &["signed.bct: the circuit has no input 'reversed'; there are a (96 bits)"],
        &with("signed.bct", "alice.server"),
    );
    place.done(&[
        "circuit", "build", "negate", "--width", "8", "--out", "n8.txt",
    ]);
    place.fails(
        INPUT,
        &["wide.bct: a is u32[3], but the circuit's 8 bits are u8"],
        &[
            &["circuit", "run", "n8.txt"],
            &with("wide.bct", "alice.server")[3..],
        ]
        .concat(),
    );
    place.done(&["keygen", "--out", "bob"]);
    place.fails(KEY, &["made with key"], &with("wide.bct", "bob.server"));
    place.fails(
        FILE,
        &["this is a server key"],
        &with("bob.server", "bob.server"),
    );
}

#[test]
fn formats_into_each_other() {
    let place = Place::new();
    place.done(&["circuit", "convert", &auction(), "a.txt"]);
    place.done(&["circuit", "convert", "a.txt", "b", "--to", "blif"]);
    place.done(&["circuit", "convert", "b", "c.bristol", "--from", "blif"]);
    let run = |file| {
        [
            "circuit", "run", file, "--quiet", "--inputs", "9", "5", "8", "3",
        ]
    };
    for file in ["a.txt", "b", "c.bristol"] {
        assert_eq!(
            place.done(&run(file)),
            "out0 = 0 (0x0)\nout1 = 8 (0x08)\n",
            "{file}"
        );
    }
    let answer = document(&place.done(&["circuit", "inspect", "a.txt", "--json"]));
    assert_eq!(answer["inputs"][3]["bits"], 8);
    assert_eq!(answer["format"], "bristol");
    assert!(answer["kinds"]["AND"].as_u64() > Some(50), "{answer}");
    assert!(answer["seconds"].as_f64() > Some(0.0), "{answer}");
    let text = place.done(&["circuit", "inspect", &auction()]);
    assert!(
        text.contains("inputs    ada (8 bits), blaise (8 bits)"),
        "{text}"
    );
    let exists = ["circuit", "convert", "a.txt", "b"];
    place.fails(
        IO,
        &["b: cannot create: it exists already"],
        &[&exists[..], &["--to", "blif"]].concat(),
    );
    place.done(&[&exists[..], &["--to", "bristol", "--force"]].concat());
    assert!(place.read("b").first().is_some_and(u8::is_ascii_digit));
    let answer = place.done(&run("b"));
    assert_eq!(answer, "out0 = 0 (0x0)\nout1 = 8 (0x08)\n");
}

#[test]
fn units_of_the_library() {
    let place = Place::new();
    let build = ["circuit", "build", "add", "--width", "16", "--out"];
    place.done(&[&build[..], &["default.txt"]].concat());
    let mut texts = vec![place.read("default.txt")];
    for adder in ["sklansky", "look-ahead-4"] {
        let file = format!("{adder}.txt");
        place.done(&[&build[..], &[&file, "--adder", adder]].concat());
        let run = [
            "circuit", "run", &file, "--quiet", "--inputs", "40000", "30000",
        ];
        assert_eq!(place.done(&run), "out = 4464 (0x1170)\n");
        texts.push(place.read(&file));
    }
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), 3, "each architecture is drawn as it is");
}

#[test]
fn values_that_are_none() {
    let place = Place::new();
    place.write("half.txt", HALF_ADDER);
    let run =
        |values: &[&'static str]| [&["circuit", "run", "half.txt", "--inputs"], values].concat();
    let there = "a (1 bit), b (1 bit)";
    for (code, values, parts) in [
        (
            INPUT,
            &["1"][..],
            &["1 value, but the circuit has", there][..],
        ),
        (INPUT, &[], &["the circuit has", there, "--inputs VALUE"]),
        (INPUT, &["1", "0", "1"], &["3 values"]),
        (INPUT, &["1", "2"], &["b: 2 does not fit 1 bits (-1 to 1)"]),
        (INPUT, &["1", "-2"], &["b: -2 does not fit"]),
        (INPUT, &["1", "x"], &["b: 'x' is not a whole number"]),
        (INPUT, &["a=1"], &["no value for b", there]),
        (INPUT, &["a=1", "c=1"], &["no input 'c'", there]),
        (INPUT, &["a=1", "a=1"], &["a is given twice"]),
        (USAGE, &["a=1", "1"], &["all values by name"]),
    ] {
        place.fails(code, parts, &run(values));
    }
}

#[test]
fn files_that_are_no_circuits() {
    let place = Place::new();
    place.write("cut.txt", &HALF_ADDER[..HALF_ADDER.len() - 10]);
    place.write(
        "loop.blif",
        ".model m\n.inputs a\n.outputs y\n.names a y y\n11 1\n.end\n",
    );
    place.write("open.blif", ".model m\n.outputs y\n.end\n");
    place.write(
        "huge.txt",
        "1 99999999999999\n1 99999999999999\n1 1\n\n1 1 0 1 INV\n",
    );
    place.write(
        "register.json",
        r#"{"modules": {"m": {"cells": {"r": {"type": "$_DFF_P_"}}}}}"#,
    );
    place.write("odd", [0x7f, b'E', b'L', b'F']);
    place.write("odd.blif", [b'.', 0xff]);
    for (file, parts) in [
        ("cut.txt", &["cut.txt: line 6: "][..]),
        ("loop.blif", &["loop.blif: line 4: 'y' depends on itself"]),
        ("open.blif", &["line 2: 'y' is read, but no gate"]),
        ("huge.txt", &["99999999999999 bits of input are more than"]),
        (
            "register.json",
            &["cell 'r': a register ('$_DFF_P_')", "yosys: expose"],
        ),
        ("odd", &["odd: no circuit format that is known"]),
        ("odd.blif", &["odd.blif: line 1, column 2: not a text"]),
    ] {
        place.fails(CIRCUIT, parts, &["circuit", "inspect", file]);
        place.fails(CIRCUIT, parts, &["circuit", "run", file, "--inputs", "1"]);
        place.fails(CIRCUIT, parts, &["circuit", "convert", file, "x.txt"]);
    }
    assert!(!place.names().contains(&"x.txt".to_owned()));
    place.fails(
        IO,
        &["none.txt: cannot open"],
        &["circuit", "inspect", "none.txt"],
    );
}

/// Whoever wrote the file chose its names: they do not command the terminal, nor make lines.
#[test]
fn names_for_a_terminal() {
    let place = Place::new();
    place.write(
        "names.json",
        r#"{"modules": {"m": {"ports": {
            "a\u001b[2J": {"direction": "input", "bits": [2]},
            "y\nz = 5": {"direction": "output", "bits": [2]}
        }}}}"#,
    );
    let run = ["circuit", "run", "names.json", "--quiet", "--inputs"];
    let answer = place.done(&[&run[..], &["1"]].concat());
    assert_eq!(answer, "y\\nz = 5 = 1\n");
    place.fails(INPUT, &["the circuit has a\\u{1b}[2J (1 bit)"], &run);
}

#[test]
fn flags_that_do_not_fit() {
    let place = Place::new();
    place.write("half.txt", HALF_ADDER);
    let half = ["circuit", "convert", "half.txt"];
    place.fails(
        USAGE,
        &["x: the name says no format"],
        &[&half[..], &["x"]].concat(),
    );
    place.done(&[&half[..], &["x.json"]].concat());
    assert!(
        place
            .done(&["circuit", "inspect", "x.json"])
            .contains("gates     2")
    );
    place.fails(
        USAGE,
        &["there are bristol, blif, yosys"],
        &[&half[..], &["x", "--to", "verilog"]].concat(),
    );
    place.fails(IO, &["create"], &[&half[..], &["none/x.txt"]].concat());
    let build = ["circuit", "build", "add", "--out", "x.txt", "--width"];
    place.fails(
        USAGE,
        &["not a number from 1 to 1024"],
        &[&build[..], &["0"]].concat(),
    );
    place.fails(
        USAGE,
        &["no adder is called `fast`; there are: ", "sklansky"],
        &[&build[..], &["8", "--adder", "fast"]].concat(),
    );
    place.fails(
        USAGE,
        &["no unit 'frobnicate'; there are add, ", "multiply"],
        &[
            "circuit",
            "build",
            "frobnicate",
            "--width",
            "8",
            "--out",
            "x.txt",
        ],
    );
    let run = ["circuit", "run", "half.txt", "--key", "k.server"];
    place.fails(USAGE, &["--out"], &run);
    place.fails(
        USAGE,
        &["--key takes files of encrypted inputs"],
        &[&run[..], &["--out", "x.bct"]].concat(),
    );
    place.fails(
        USAGE,
        &["--encrypted"],
        &[&run[..], &["--encrypted", "--out", "x"]].concat(),
    );
    for command in ["plan", "disasm"] {
        let program = repository("examples/salaries/salaries.elf");
        place.fails(
            USAGE,
            &["no multiplier is called `x`; there are: "],
            &[command, &program, "--multiplier", "x"],
        );
    }
}

#[test]
#[ignore = "slow: 2 s"]
fn a_forced_adder_changes_plan_and_run_alike() {
    let place = Place::with_keys();
    let program = repository("crates/processor/tests/programs/calls.elf");
    let call = ["--call", "score(income, debt)"];
    let plan = |more: &[&str]| {
        let plan = ["plan", &program, "--json", "--threads", "1"];
        let answer = document(&place.done(&[&plan[..], &call, more].concat()));
        answer["bootstraps"].as_u64().unwrap()
    };
    let forced = ["--adder", "ripple"];
    assert!(
        plan(&forced) > plan(&[]),
        "a ripple has more lookups than slices"
    );
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "income=17",
        "debt=25",
    ];
    place.done(&[&encrypt[..], &call, &["--out", "in.bct"]].concat());
    let run = [
        "run",
        "--key",
        "alice.server",
        &program,
        "in.bct",
        "--out",
        "out.bct",
    ];
    place.done(&[&run[..], &call, &forced].concat());
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    assert_eq!(answer, "calls = 1\nscore = -999\n");
}

/// The public 64-bit adder on ciphertexts; `docs/formats.md` says where it is.
#[test]
#[ignore = "needs the public circuits (BLINDCORE_BRISTOL, docs/formats.md), 3 s"]
fn public_adder_encrypted() {
    let folder = std::env::var("BLINDCORE_BRISTOL").unwrap();
    let file = format!("{folder}/adder64.txt");
    let place = Place::new();
    let (a, b) = (0xfedc_ba98_7654_3210_u64, 0x0123_4567_89ab_cdf1_u64);
    let (a_text, b_text) = (format!("a={a}"), format!("b={b}"));
    let run = ["circuit", "run", &file, "--encrypted", "--json", "--inputs"];
    let answer = document(&place.done(&[&run[..], &[&a_text, &b_text]].concat()));
    let expected = a.wrapping_add(b).to_string();
    assert_eq!(answer["outputs"]["out"]["decimal"], *expected);
    assert_eq!(answer["encrypted"], true);
    assert_eq!(answer["lookups"], 22);
}
