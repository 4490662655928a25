//! HE assembly: what is refused and where, what is warned of, and the formatter.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use blindcore_assembly::{Diagnostic, Problem, Severity, Unit, check, parse};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn assemble(text: &str) -> Result<Unit, Vec<Diagnostic>> {
    check(&parse(text)?)
}

/// The only error of a text: line, column, length and what.
fn error(text: &str) -> (u32, u32, u32, Problem) {
    let errors = assemble(text).unwrap_err();
    let [Diagnostic { problem, at }] = errors.as_slice() else {
        panic!("{text}: {errors:?}");
    };
    assert_eq!(problem.severity(), Severity::Error);
    (at.line, at.column, at.length, problem.clone())
}

fn expected(expected: &'static str, found: &str) -> Problem {
    let found = (!found.is_empty()).then(|| found.to_owned());
    Problem::Expected { expected, found }
}

fn takes(mnemonic: &str, takes: &'static str) -> Problem {
    let mnemonic = mnemonic.to_owned();
    Problem::Operands { mnemonic, takes }
}

#[test]
fn errors_of_form_name_their_place() {
    let instruction = |name: &str, advice: Option<&str>| Problem::Instruction {
        name: name.to_owned(),
        advice: advice.map(str::to_owned),
    };
    let any = "a register, a number, a name or an address";
    for (text, (line, column, length), problem) in [
        (
            "MOV R0 1\n  LSL R0 R0 1",
            (2, 3, 3),
            instruction("LSL", Some("LLS")),
        ),
        ("FLY R0", (1, 1, 3), instruction("FLY", None)),
        ("bne x", (1, 1, 3), instruction("bne", Some("B_NE"))),
        ("ADD R0, , R1", (1, 9, 1), expected(any, "','")),
        ("ADD R0 R1 R2,", (1, 14, 1), expected(any, "")),
        (
            "LOAD R0 t[x]",
            (1, 11, 1),
            expected("a register or a number", "'x'"),
        ),
        ("LOAD R0 t[R1", (1, 13, 1), expected("']'", "")),
        (
            "R0 1",
            (1, 1, 2),
            expected("an instruction, a label or a directive", "R0"),
        ),
        ("R7: NOP", (1, 1, 2), Problem::RegisterName("R7".to_owned())),
        (
            ".data r7",
            (1, 7, 2),
            Problem::RegisterName("R7".to_owned()),
        ),
        (".size 3", (1, 2, 4), Problem::Directive("size".to_owned())),
        (".bits", (1, 6, 1), expected("16 or 32", "")),
        (
            ".bits 16 32",
            (1, 10, 2),
            expected("the end of the line", "32"),
        ),
        (".data x = 1,", (1, 13, 1), expected("a value", "")),
        (
            "MOV R0 0xg",
            (1, 8, 3),
            Problem::NumberFormat("0xg".to_owned()),
        ),
        ("MOV R0 #", (1, 8, 1), Problem::NumberFormat(String::new())),
        (
            "MOV R0 99999999999999999999",
            (1, 8, 20),
            Problem::NumberFormat("99999999999999999999".to_owned()),
        ),
        ("MOV R0 (1)", (1, 8, 1), Problem::Character('(')),
        ("MOV R0 ä", (1, 8, 1), Problem::Character('ä')),
    ] {
        assert_eq!(error(text), (line, column, length, problem), "{text}");
    }
}

#[test]
fn errors_of_meaning_name_their_place() {
    let range = |value, what, least, most| Problem::Range {
        value,
        what,
        least,
        most,
    };
    let kind = |name: &str, is, wanted| Problem::WrongKind {
        name: name.to_owned(),
        is,
        wanted,
    };
    let repeated = |what: &str, line| Problem::Repeated {
        what: what.to_owned(),
        line,
    };
    let word = "a number of 32 bits";
    for (text, (line, column, length), problem) in [
        (
            "ADD R0 R1",
            (1, 1, 9),
            takes("ADD", "a register and two sources"),
        ),
        ("B_NE", (1, 1, 4), takes("B_NE", "a label")),
        ("HALT R0", (1, 1, 7), takes("HALT", "no operands")),
        ("ADD 1 R1 R2", (1, 5, 1), expected("a register", "1")),
        (
            "ADD R0 x R2",
            (1, 8, 1),
            expected("a register or a number", "'x'"),
        ),
        ("LOAD R1 R2", (1, 9, 2), expected("an address", "R2")),
        ("B 12", (1, 3, 2), expected("a label", "12")),
        (
            ".registers 8\nNOT R0 R8",
            (2, 8, 2),
            Problem::Register {
                number: 8,
                registers: 8,
            },
        ),
        (
            "MOV R0 4294967296",
            (1, 8, 10),
            range(1 << 32, word, -(1 << 31), (1 << 32) - 1),
        ),
        (
            ".bits 16\nMOV R0 -32769",
            (2, 8, 6),
            range(-32769, "a number of 16 bits", -32768, 65535),
        ),
        (
            "LLS R0 R0 32",
            (1, 11, 2),
            range(32, "a shift's amount", 0, 31),
        ),
        (
            "BFC R0 28 5",
            (1, 11, 1),
            Problem::Field {
                lowest: 28,
                width: 5,
                bits: 32,
            },
        ),
        ("BFC R0 R1 5", (1, 8, 2), expected("a number", "R1")),
        (
            "BFI R0 R1 0 0",
            (1, 13, 1),
            range(0, "a field's width", 1, 32),
        ),
        ("MUL R1 R1 R2 R3", (1, 1, 15), Problem::SameRegister(1)),
        (".bits 64", (1, 7, 2), Problem::Bits(64)),
        (
            ".registers 0",
            (1, 12, 1),
            range(0, "a number of registers", 1, 4096),
        ),
        ("NOP\n.bits 16", (2, 1, 8), Problem::Late("bits")),
        (
            ".data x\n.registers 3",
            (2, 1, 12),
            Problem::Late("registers"),
        ),
        (".bits 16\n.bits 16", (2, 1, 8), repeated(".bits", 1)),
        ("x:\n\nx:", (3, 1, 1), repeated("the label 'x'", 1)),
        (".data x\nx:", (2, 1, 1), repeated("the label 'x'", 1)),
        (
            ".memory 2\n.data MEMORY",
            (2, 7, 6),
            repeated("the name 'MEMORY'", 1),
        ),
        (
            ".data x[2] = 1 2 3",
            (1, 18, 1),
            Problem::TooManyValues {
                values: 3,
                count: 2,
            },
        ),
        (
            ".data x[0]",
            (1, 9, 1),
            range(0, "a number of words", 1, 16 << 20),
        ),
        (
            ".data x[9999999999]",
            (1, 9, 10),
            range(9_999_999_999, "a number of words", 1, 16 << 20),
        ),
        (
            ".data x[16777216]\n.data y",
            (2, 7, 1),
            Problem::TooMuchData,
        ),
        ("LOAD R0 5", (1, 9, 1), Problem::NoMemory),
        ("LOAD R0 [R1]", (1, 9, 4), Problem::NoMemory),
        (
            ".memory 4\nSTORE R0 4",
            (2, 10, 1),
            Problem::OutOfArray {
                name: "MEMORY".to_owned(),
                count: 4,
            },
        ),
        (
            ".data x[4]\nSTORE R0 x[-1]",
            (2, 12, 2),
            Problem::OutOfArray {
                name: "x".to_owned(),
                count: 4,
            },
        ),
        (
            "LOAD R0 t[R1]",
            (1, 9, 5),
            Problem::UndeclaredArray("t".to_owned()),
        ),
        ("x: LOAD R0 x", (1, 12, 1), kind("x", "a label", "data")),
        (".data x\nB x", (2, 3, 1), kind("x", "data", "a label")),
    ] {
        assert_eq!(error(text), (line, column, length, problem), "{text}");
    }
}

#[test]
fn all_errors_come_in_order_and_not_too_many() {
    let places = |text: &str| -> Vec<u32> {
        let errors = assemble(text).unwrap_err();
        errors.iter().map(|error| error.at.line).collect()
    };
    assert_eq!(places("ADD R0\nNOP\n.bits 8\nMOV R0 R77\n"), [1, 3, 4]);
    assert_eq!(places(&"what is this\n".repeat(1000)).len(), 20);
    assert_eq!(places(&"ADD\n".repeat(1000)).len(), 20);
}

#[test]
fn warnings_do_not_keep_a_program_from_running() {
    let warnings = |text: &str| -> Vec<String> {
        let unit = assemble(text).unwrap();
        unit.warnings.iter().map(ToString::to_string).collect()
    };
    assert_eq!(
        warnings("B_EQ there\nB there"),
        ["1:6: the label 'there' is not defined: the run ends with an error if it goes there"]
    );
    assert!(warnings("LOAD R0 word\nSTORE R0 other").is_empty());
    assert_eq!(
        warnings(".data word\nLOAD R0 wrod"),
        ["2:9: 'wrod' is not declared: it is a word of its own that holds 0"]
    );
}

#[test]
fn too_long_a_text_is_refused_unread() {
    let text = " ".repeat(blindcore_assembly::TEXT_LIMIT + 1);
    let (line, column, _, problem) = error(&text);
    let bytes = text.len();
    assert_eq!((line, column, problem), (1, 1, Problem::TooLong { bytes }));
}

/// One long line moves no other line's comment: a form is as long as its text, nearly.
#[test]
fn a_long_line_moves_no_comments() {
    let values = vec!["1"; 5_000].join(", ");
    let mut text = format!(".data a[5000] = {values} ; long\n");
    text.push_str(&"NOP ; short\n".repeat(1_000));
    let source = parse(&text).unwrap();
    let formatted = source.to_string();
    assert!(formatted.len() < 2 * text.len(), "{}", formatted.len());
    assert!(formatted.starts_with(&format!(
        ".data a[5000] = {values}  ; long\n    NOP  ; short\n"
    )));
    assert_eq!(parse(&formatted).unwrap().to_string(), formatted);
}

#[test]
fn the_formatter_has_one_way() {
    let text = "\n\n; head\n\n\n.BITS 16 // narrow\n.data T [ 4 ]=1 ,0x2 -0b11;values\r\n\
        again: also: adds r0,R1 #7 ; sum\n//\n\tload r10 t [ r2 ]\nstore R1, [#3]// last\nhalt";
    let formatted = "; head\n\n.bits 16                    ; narrow\n\
        .data T[4] = 1, 0x2, -0b11  ; values\nagain:\nalso:\n    ADDS  R0, R1, 7         ; sum\n    \
        ;\n    LOAD  R10, t[R2]\n    STORE R1, [3]           ; last\n    HALT\n";
    let given = parse(text).unwrap();
    assert_eq!(given.to_string(), formatted);
    assert_eq!(parse(formatted).unwrap(), given);
}

/// Texts of every kind of line, spelled in every way.
fn line() -> impl Strategy<Value = String> {
    let blank = "[ \t]{0,3}";
    let number = prop_oneof![
        any::<i32>().prop_map(|n| n.to_string()),
        any::<u16>().prop_map(|n| format!("#{n:#x}")),
        any::<u8>().prop_map(|n| format!("-{n:#b}")),
    ];
    let register = (0..40u32, any::<bool>())
        .prop_map(|(n, low)| format!("{}{n}", if low { 'r' } else { 'R' }));
    let name = "[a-qs-zA-QS-Z_][a-zA-Z0-9_]{0,6}";
    let index = prop_oneof![register.clone(), number.clone()];
    let indexed = (proptest::option::of(name), index)
        .prop_map(|(name, index)| format!("{} [ {index} ]", name.unwrap_or_default()));
    let operand = prop_oneof![register, number.clone(), name, indexed];
    let mnemonic = proptest::sample::select(vec![
        "LOAD", "store", "Mov", "ADDS", "sub", "smuls", "DIV", "lls", "BFI", "RBIT", "CMP", "B",
        "B_AL", "b_hs", "HALT", "nop",
    ]);
    let separator = prop_oneof![Just(" , "), Just("\t"), Just(", ")];
    let instruction = (
        mnemonic,
        proptest::collection::vec((operand, separator), 0..5),
    )
        .prop_map(|(mnemonic, operands)| {
            let mut text = format!("{mnemonic} ");
            for (i, (operand, separator)) in operands.iter().enumerate() {
                // Between a name and a bracket there must be more than a blank.
                let separator = if operand.starts_with(' ') {
                    ", "
                } else {
                    separator
                };
                if i > 0 {
                    text.push_str(separator);
                }
                text.push_str(operand);
            }
            text
        });
    let values = proptest::collection::vec(number, 0..4);
    let directive =
        (name, proptest::option::of(0..99u32), values).prop_map(|(name, count, values)| {
            let count = count.map(|count| format!("[{count}]")).unwrap_or_default();
            let equals = if values.is_empty() { "" } else { "=" };
            format!(".data {name}{count}{equals}{}", values.join(" "))
        });
    let statement = prop_oneof![
        3 => instruction,
        1 => directive,
        1 => Just(".Memory 7 = 1".to_owned()),
        1 => Just(".registers 9".to_owned()),
        1 => Just(String::new()),
    ];
    let label =
        prop_oneof![3 => Just(String::new()), 1 => name.prop_map(|name| format!("{name} :"))];
    let comment = prop_oneof![Just(String::new()), "(;|//)[^\n]{0,12}"];
    (blank, label, statement, blank, comment).prop_map(|(begin, label, statement, end, comment)| {
        format!("{begin}{label}{statement}{end}{comment}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "tests/assembly.regressions",
        ))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn formatted_text_says_the_same_and_stays(lines in proptest::collection::vec(line(), 0..12)) {
        let source = parse(&lines.join("\n")).unwrap();
        let formatted = source.to_string();
        let again = parse(&formatted).unwrap();
        prop_assert_eq!(&again, &source);
        prop_assert_eq!(again.to_string(), formatted);
        // Whatever it means, looking for the meaning ends well.
        let _ = check(&source);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[ -~\n\t;äR0-9\\[\\]:,#=.-]{0,80}") {
        if let Ok(source) = parse(&text) {
            prop_assert_eq!(parse(&source.to_string()).unwrap(), source);
        }
    }
}
