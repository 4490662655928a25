//! Inputs that were made for other types, values for what has none, and variables that nobody gave:
//! nothing of it may end in a wrong answer.

use super::command::{Place, fixture, repository};

const INPUT: i32 = 3;

/// The program of every type as it is compiled without `-g`: sections whose names no longer mark
/// them as debugging information.
fn without_debugging(place: &Place) {
    let mut bare = std::fs::read(fixture("types.elf")).unwrap();
    let mark = b".debug_";
    for at in 0..bare.len() - mark.len() {
        if bare[at..].starts_with(mark) {
            bare[at + 1] = b'x';
        }
    }
    place.write("bare.elf", &bare);
}

fn encrypt<'a>(program: &'a str, value: &'a str, out: &'a str) -> [&'a str; 8] {
    let key = ["encrypt", "--quiet", "--key", "alice.secret"];
    [key[0], key[1], key[2], key[3], program, value, "--out", out]
}

fn run<'a>(program: &'a str, given: &[&'a str]) -> Vec<&'a str> {
    let run = ["run", "--quiet", "--key", "alice.server", program];
    [&run[..], given, &["--out", "out.bct"]].concat()
}

#[test]
fn what_has_no_type_takes_no_numbers() {
    let place = Place::with_keys();
    without_debugging(&place);
    place.write("raw.bin", [1, 2, 3, 4]);
    place.write("raw.json", r#"{"a_u32": 7}"#);
    place.write("raw.csv", "n\n5\n");
    let unknown = &[
        "a_u32: the program does not tell the type of a_u32; compile it with -g, or write a_u32:u32=…",
    ];
    for value in [
        "a_u32=3",
        "a_u32=1,2,3,4",
        "a_u32=\"abc\"",
        "a_u32=@raw.json:a_u32",
        "a_u32=@raw.csv:n",
        "@raw.json",
    ] {
        place.fails(INPUT, unknown, &encrypt("bare.elf", value, "x.bct"));
    }
    let array = &[
        "declared: the program does not tell",
        "write declared:u32[3]=…",
    ];
    place.fails(
        INPUT,
        array,
        &encrypt("bare.elf", "declared=1,2,3", "x.bct"),
    );
    // The same for public values, and for those that are only tried.
    place.done(&encrypt("bare.elf", "a_u32:u32=300", "x.bct"));
    place.fails(INPUT, array, &run("bare.elf", &["x.bct", "declared=1,2,3"]));
    place.fails(INPUT, array, &["check", "bare.elf", "declared=1,2,3"]);
    place.fails(INPUT, array, &["plan", "bare.elf", "declared=1,2,3"]);
    for value in ["a_u32:u32=300", "a_u32=@raw.bin", "declared:u32[3]=1,2,3"] {
        place.done(&encrypt("bare.elf", value, "y.bct"));
    }
    // With debugging information, a structure is one variable for each field, and its bytes are
    // taken from a file; what overlaps is raw as well.
    let types = fixture("types.elf");
    let parts = &[
        "a_rows is a structure; give its fields (a_rows[0].",
        "a_rows=@FILE.bin",
    ];
    place.fails(INPUT, parts, &encrypt(&types, "a_rows=300", "x.bct"));
    place.fails(INPUT, parts, &encrypt(&types, "a_rows=1,2,3", "x.bct"));
    place.done(&encrypt(&types, "a_point=@raw.bin", "x.bct"));
    let small = &["a_point: u16 does not fit the program's variable, which has 4 bytes"];
    place.fails(INPUT, small, &encrypt(&types, "a_point:u16=7", "x.bct"));
    let large = &["a_point: u16[3] has 6 bytes, the program's variable only 4"];
    place.fails(INPUT, large, &encrypt(&types, "a_point:u16[3]=7", "x.bct"));
    // Some bits of a byte are no bytes.
    place.write("byte.bin", [7]);
    let shapes = fixture("shapes.elf");
    let shared = &[
        "a_mixed.low: byte.bin: u32:3 shares its bytes",
        "give a number",
    ];
    let field = encrypt(&shapes, "a_mixed.low=@byte.bin", "x.bct");
    place.fails(INPUT, shared, &field);
    // An argument of a function whose parameters nobody knows.
    let mut calls = std::fs::read(fixture("calls.elf")).unwrap();
    let mark = b".debug_";
    for at in 0..calls.len() - mark.len() {
        if calls[at..].starts_with(mark) {
            calls[at + 1] = b'x';
        }
    }
    place.write("calls.elf", &calls);
    let call = ["--call", "score(income, 1)"];
    let parts = &[
        "income: the program does not tell what score takes there",
        "income:u32=…",
    ];
    let unknown = [&encrypt("calls.elf", "income=17", "x.bct")[..], &call].concat();
    place.fails(INPUT, parts, &unknown);
    let known = [&encrypt("calls.elf", "income:i32=17", "x.bct")[..], &call].concat();
    place.done(&known);
}

/// Of equal size or not: another width, another sign, another shape.
#[test]
#[ignore = "slow: 12 s"]
fn inputs_for_other_types_are_refused() {
    let place = Place::with_keys();
    without_debugging(&place);
    let types = fixture("types.elf");
    // Without debugging information anything of the right size can be encrypted; with it, it shows.
    for (value, parts) in [
        (
            "declared:u16[6]=1,2,3",
            &["declared: u16[6] does not fit", "is u32[3]"][..],
        ),
        (
            "declared:i32[3]=-1",
            &["declared: i32[3] does not fit", "is u32[3]"],
        ),
        ("a_i32:u32=3", &["a_i32: u32 does not fit", "is i32"]),
        ("a_u64:u32[2]=3", &["a_u64: u32[2] does not fit", "is u64"]),
        ("a_bool:u8=3", &["a_bool: u8 does not fit", "is bool"]),
        ("a_i8:u8=200", &["a_i8: u8 does not fit", "is i8"]),
        (
            "a_matrix:i8[4][3]=1",
            &["a_matrix: i8[4][3] does not fit", "is i8[3][4]"],
        ),
        (
            "a_matrix:i8[12]=1",
            &["a_matrix: i8[12] does not fit", "is i8[3][4]"],
        ),
        ("a_u32=@raw.bin", &["a_u32: u8[4] does not fit", "is u32"]),
    ] {
        place.write("raw.bin", [1, 2, 3, 4]);
        place.done(&encrypt("bare.elf", value, "made.bct"));
        let parts = [&["made.bct: ", ": encrypt it for this program"], parts].concat();
        place.fails(INPUT, &parts, &run(&types, &["made.bct"]));
        place.done(&run("bare.elf", &["made.bct"]));
        std::fs::remove_file(place.path("made.bct")).unwrap();
        std::fs::remove_file(place.path("out.bct")).unwrap();
        // Nor is such a type written where the program tells its own.
        if !value.contains('@') {
            place.fails(INPUT, &parts[2..], &encrypt(&types, value, "made.bct"));
        }
    }
    // What is called otherwise and means the same is the same.
    for value in [
        "a_text:u8[16]=104,105",
        "a_u8:char=7",
        "a_i8:char=-7",
        "a_u8:bool=1",
        "a_port:u16=443",
        "an_either:u32=9",
        "a_point:i16[2]=3,4",
    ] {
        place.done(&encrypt("bare.elf", value, "made.bct"));
        place.done(&run("bare.elf", &["made.bct"]));
        place.done(&run(&types, &["made.bct"]));
    }
}

/// A program that was built again with other types, and one of other sizes.
#[test]
fn inputs_for_an_older_build_are_refused() {
    let place = Place::with_keys();
    let source = |bits: &str, count: &str| {
        format!(
            ".bits {bits}\n.data a[{count}]\n.data sum\nLOAD R0, a\nADD R0, R0, R0\nSTORE R0, sum\n"
        )
    };
    place.write("old.hea", source("16", "15"));
    place.write("new.hea", source("32", "15"));
    place.write("long.hea", source("16", "16"));
    place.done(&encrypt("old.hea", "a=1,2,3", "in.bct"));
    let parts = &["in.bct: a: u16[15] does not fit the program's variable, which is u32[15]"];
    place.fails(INPUT, parts, &run("new.hea", &["in.bct"]));
    let parts = &["in.bct: a: u16[15] does not fit the program's variable, which is u16[16]"];
    place.fails(INPUT, parts, &run("long.hea", &["in.bct"]));
    place.done(&encrypt("new.hea", "a=1,2,3", "in.bct"));
    let parts = &["in.bct: a: u32[15] has 60 bytes, the program's variable only 30"];
    place.fails(INPUT, parts, &run("old.hea", &["in.bct"]));
    place.done(&run("new.hea", &["in.bct"]));
}

#[test]
#[ignore = "slow: 3 s"]
fn variables_that_nobody_gave_are_named() {
    let place = Place::with_keys();
    let program = repository("examples/assembly/nibbles.hea");
    let text = place.done(&["plan", &program, "a"]);
    assert!(
        text.contains("missing           b (2 bytes) is read"),
        "{text}"
    );
    let text = place.done(&["plan", &program, "a", "b=3"]);
    assert!(!text.contains("missing"), "{text}");
    place.done(&encrypt(&program, "a=5", "a.bct"));
    let parts = &[
        "b (2 bytes) is read, but nobody gave it, and the program never writes it",
        "--default-zero",
    ];
    place.fails(INPUT, parts, &run(&program, &["a.bct"]));
    place.fails(INPUT, parts, &["check", &program, "a=5"]);
    let both = &["a (2 bytes), b (2 bytes) are read, but nobody gave them"];
    place.fails(INPUT, both, &["check", &program]);
    for flag in ["--default-zero", "--allow-missing"] {
        place.done(&run(&program, &["a.bct", flag]));
        let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
        assert_eq!(answer, "sum = 5\n");
        assert!(
            place
                .done(&["check", &program, "a=5", flag])
                .starts_with("sum = 5\n")
        );
    }
    // A loop's bound is an input as well; results, counters and tables of the program are none.
    let salaries = fixture("salaries.elf");
    let parts = &["count (4 bytes) is read"];
    place.fails(INPUT, parts, &["check", &salaries, "salary=1,2"]);
    let both = &["salary (32 bytes)"];
    place.fails(INPUT, both, &["check", &salaries, "--public", "count=2"]);
}

/// The schemes without a plan of their own in the other tests.
#[test]
fn other_schemes_refuse_the_same() {
    let place = Place::new();
    let bgv = ["keygen", "--scheme", "bgv", "--parameters"];
    place.done(&[&bgv[..], &["TOY_255-45-36-12-1x45-1", "--out", "bob"]].concat());
    let old = ["keygen", "--scheme", "gentry-halevi", "--dimension", "32"];
    place.done(&[&old[..], &["--out", "carl"]].concat());
    let source = |bits: &str, more: &str| {
        format!(".bits {bits}\n.data a[15]\n.data b\n.data c\nLOAD R0, a\n{more}STORE R0, c\n")
    };
    place.write("old.hea", source("16", ""));
    place.write("new.hea", source("32", ""));
    place.write("more.hea", source("16", "LOAD R1, b\nADD R0, R0, R1\n"));
    without_debugging(&place);
    let calls = fixture("calls.elf");
    without_main(&place);
    for name in ["bob", "carl"] {
        let (secret, server) = (format!("{name}.secret"), format!("{name}.server"));
        let encrypt = |program, value, out| {
            let key = ["encrypt", "--quiet", "--key", &secret];
            place.done(&[&key[..], &[program, value, "--out", out]].concat());
        };
        let refused = |program, file, parts: &[&str]| {
            let run = ["run", "--quiet", "--key", &server, program];
            let run = [&run[..], &[file, "--out", "out.bct"]].concat();
            place.fails(INPUT, parts, &run);
        };
        encrypt("old.hea", "a=1,2,3", "in.bct");
        let both = &["in.bct: a: u16[15] does not fit", "which is u32[15]"];
        refused("new.hea", "in.bct", both);
        refused(
            "more.hea",
            "in.bct",
            &["b (2 bytes) is read", "--default-zero"],
        );
        encrypt(&calls, "calls=1", "calls.bct");
        refused(
            "mine.elf",
            "calls.bct",
            &["no main", "there are mine, score"],
        );
        std::fs::remove_file(place.path("in.bct")).unwrap();
        std::fs::remove_file(place.path("calls.bct")).unwrap();
        let number = ["encrypt", "--key", &secret, "bare.elf", "a_u32=3"];
        let parts = &["does not tell the type of a_u32", "a_u32:u32=…"];
        place.fails(INPUT, parts, &[&number[..], &["--out", "x.bct"]].concat());
    }
    let plan = ["plan", "mine.elf", "--engine"];
    for engine in ["tfhe", "bgv", "gentry-halevi"] {
        place.fails(INPUT, &["no main"], &[&plan[..], &[engine]].concat());
    }
    place.fails(INPUT, &["no main"], &["check", "mine.elf"]);
}

/// A program whose `main` is called otherwise, and which begins nowhere.
fn without_main(place: &Place) {
    let mut elf = std::fs::read(fixture("calls.elf")).unwrap();
    for at in 0..elf.len() - 6 {
        if elf[at..].starts_with(b"\0main\0") {
            elf[at + 1..at + 5].copy_from_slice(b"mine");
        }
    }
    elf[0x18..0x1c].fill(0);
    place.write("mine.elf", elf);
}

/// A value that was given by a name, and a program in which the name stands for another.
#[test]
#[ignore = "slow: 2 s"]
fn names_that_mean_other_numbers_are_refused() {
    let place = Place::with_keys();
    let compile = |name: &str, enumerators: &str| {
        place.write(
            "source.c",
            format!(
                "enum colour {{ {enumerators} }}; enum colour shade; int code; struct {{ enum colour of : 4; }} s;\n\
                 int coded(enum colour c) {{ return code = c + s.of + shade; }}\n\
                 int main(void) {{ return coded(RED); }}\n"
            ),
        );
        let flags =
            "-marm -march=armv7ve -mfloat-abi=soft -ffreestanding -nostdlib -O1 -g -Wl,-e,main";
        let ended = place.shell(&format!("arm-none-eabi-gcc {flags} source.c -o {name}"));
        assert_eq!(ended.code, Some(0), "{ended:?}");
    };
    compile("old.elf", "RED, GREEN");
    compile("new.elf", "GREEN, RED");
    compile("grown.elf", "RED, GREEN, BLUE");
    let call = ["--call", "coded(c)"];
    for (value, call, name) in [
        ("shade=RED", &[][..], "shade: u8"),
        ("s.of=RED", &[], "s.of: u8:4"),
        ("c=RED", &call[..], "c: u8"),
    ] {
        let encrypt = [&encrypt("old.elf", value, "made.bct")[..], call].concat();
        place.done(&encrypt);
        let task = [&["made.bct", "--default-zero"][..], call].concat();
        let parts = &["made.bct: ", name, "has RED for 1, not for 0: encrypt it"];
        place.fails(INPUT, parts, &run("new.elf", &task));
        for same in ["old.elf", "grown.elf"] {
            place.done(&run(same, &task));
        }
        std::fs::remove_file(place.path("made.bct")).unwrap();
        std::fs::remove_file(place.path("out.bct")).unwrap();
    }
}
