//! Products of numbers in files.

use crate::command::Place;

#[test]
fn forms_and_algorithms_agree() {
    let place = Place::new();
    // 10^2000 + 1 and 10^1500 − 1.
    place.write("a", format!("1{}1\n", "0".repeat(1999)));
    place.write("b", format!("{}\n", "9".repeat(1500)));
    let product = format!(
        "{}{}{}\n",
        "9".repeat(1500),
        "0".repeat(500),
        "9".repeat(1500)
    );
    assert_eq!(place.done(&["multiply", "a", "b"]), product);
    for algorithm in ["schoolbook", "karatsuba", "toom", "float", "exact"] {
        let found = place.done(&[
            "multiply",
            "a",
            "b",
            "--algorithm",
            algorithm,
            "--threads",
            "2",
        ]);
        assert_eq!(found, product, "{algorithm}");
    }
    let columns = place.run(&["multiply", "a", "b", "--algorithm", "columns"]);
    match columns.code {
        Some(0) => assert_eq!(columns.out, product),
        _ => assert!(columns.err.contains("this machine"), "{columns:?}"),
    }
    place.done(&["multiply", "a", "b", "--to", "hex", "--out", "h"]);
    place.done(&["multiply", "a", "b", "--to", "raw", "--out", "r"]);
    place.write("one", [1]);
    place.write("hex-one", "0x1\n");
    assert_eq!(
        place.done(&[
            "multiply", "h", "hex-one", "--from", "hex", "--to", "decimal"
        ]),
        product
    );
    assert_eq!(
        place.done(&["multiply", "one", "r", "--from", "raw", "--to", "decimal"]),
        product
    );
}

#[test]
fn squares_zeros_and_files_that_are_there() {
    let place = Place::new();
    place.write("a", "123456789012345678901234567890");
    assert_eq!(
        place.done(&["multiply", "a", "a"]),
        "15241578753238836750495351562536198787501905199875019052100\n"
    );
    place.write("zero", "000\n");
    assert_eq!(place.done(&["multiply", "a", "zero", "--to", "hex"]), "0\n");
    place.done(&["multiply", "a", "zero", "--to", "raw", "--out", "nothing"]);
    assert!(place.read("nothing").is_empty());
    let again = place.run(&["multiply", "a", "zero", "--out", "nothing"]);
    assert_eq!(again.code, Some(10), "{again:?}");
    place.done(&["multiply", "a", "zero", "--out", "nothing", "--force"]);
    assert_eq!(place.read("nothing"), b"0\n");
}

#[test]
fn what_is_no_number_is_named_with_its_place() {
    let place = Place::new();
    place.write("good", "17");
    for (content, form, message) in [
        ("12x4", "decimal", "byte 2 of the text is no digit: 'x'"),
        ("12af", "decimal", "say --from hex"),
        (
            " -5",
            "decimal",
            "byte 1 of the text is no digit: '-' (numbers have no sign)",
        ),
        ("0xfg", "hex", "byte 3 of the text is no digit: 'g'"),
        ("\n", "decimal", "the text has no digit"),
        (
            "1\0",
            "decimal",
            "byte 1 of the text is no digit: 0x00 (say --from raw for bytes)",
        ),
    ] {
        place.write("bad", content);
        let ended = place.run(&["multiply", "bad", "good", "--from", form]);
        assert_eq!(ended.code, Some(3), "{ended:?}");
        assert!(ended.err.contains(message), "{ended:?}");
        assert!(ended.out.is_empty(), "{ended:?}");
    }
    let missing = place.run(&["multiply", "nowhere", "good"]);
    assert_eq!(missing.code, Some(10), "{missing:?}");
    let unknown = place.run(&["multiply", "good", "good", "--algorithm", "magic"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(
        unknown
            .err
            .contains("automatic, schoolbook, columns, karatsuba"),
        "{unknown:?}"
    );
}

#[test]
#[ignore = "slow: 13 s"]
fn the_machine_is_measured_once() {
    let place = Place::new();
    place.write("ones", [0xFF; 1 << 16]);
    let square = || {
        let arguments = "multiply ones ones --from raw --out square --force --quiet";
        let mut command = place.command(&arguments.split(' ').collect::<Vec<_>>());
        command.env("XDG_CACHE_HOME", place.path("cache"));
        let ended = command.output().unwrap();
        assert!(ended.status.success(), "{ended:?}");
        // (2^n − 1)² = 2^2n − 2^(n+1) + 1.
        let square = place.read("square");
        assert_eq!((square[0], square[1 << 16]), (1, 0xFE));
        assert!(square[1..1 << 16].iter().all(|&byte| byte == 0));
        assert!(square[(1 << 16) + 1..].iter().all(|&byte| byte == 0xFF));
    };
    let file = "cache/blindcore/multiplier/tuning.json";
    let kept = || -> serde_json::Value { serde_json::from_slice(&place.read(file)).unwrap() };
    square();
    let measured = kept();
    assert!(measured["tuning"]["product"].is_u64(), "{measured}");
    // What another run measured is taken as it is, whatever it says.
    let mut other = measured.clone();
    other["tuning"]["product"] = 1_000_000.into();
    place.write(file, other.to_string());
    square();
    assert_eq!(kept(), other);
    // Files of other machines, and files that are none, are measured again.
    other["machine"] = "another".into();
    for content in [other.to_string(), "{".to_owned()] {
        place.write(file, content);
        square();
        assert_eq!(kept()["machine"], measured["machine"]);
        assert_ne!(kept()["tuning"]["product"], 1_000_000);
    }
    // A cache that cannot be written is none.
    std::fs::remove_dir_all(place.path("cache")).unwrap();
    place.write("cache", "");
    square();
}
