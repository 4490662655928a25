//! The header says what the library has, and programs in C do what they should with both.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Linked, so that the shared library is made with the tests.
use blindcore_c as _;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// `HEADER=write cargo test -p blindcore-c -- header` writes it.
#[test]
#[ignore = "slow: 2 s"]
fn the_header_is_what_the_library_has() {
    let path = Path::new(HERE).join("include/blindcore.h");
    let mut made = Vec::new();
    cbindgen::generate(HERE).unwrap().write(&mut made);
    if std::env::var("HEADER").is_ok_and(|what| what == "write") {
        std::fs::write(&path, &made).unwrap();
    }
    let made = String::from_utf8(made).unwrap();
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        made == committed,
        "include/blindcore.h is not what cbindgen makes: HEADER=write cargo test -p blindcore-c -- header"
    );
}

/// The folder with the shared library: that of the tests, or the one above it.
fn library() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folders = test.ancestors().skip(1).take(2);
    let mut found = folders.filter(|folder| folder.join("libblindcore_c.so").exists());
    found.next().expect("libblindcore_c.so").to_path_buf()
}

/// Compiles a C file with every warning, as C or as C++.
fn compiled(source: &str, compiler: &[&str], into: &Path) -> PathBuf {
    let (library, program) = (library(), into.join(compiler[0]));
    let output = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(["-Wall", "-Wextra", "-Werror", "-g"])
        .arg(format!("-I{HERE}/include"))
        .arg(format!("{HERE}/{source}"))
        .arg("-o")
        .arg(&program)
        .arg(format!("-L{}", library.display()))
        .arg("-lblindcore_c")
        .arg(format!("-Wl,-rpath,{}", library.display()))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    program
}

fn run(program: &Path, arguments: &[&str], folder: &Path) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn salaries() -> String {
    format!("{HERE}/../../examples/salaries/salaries.elf")
}

#[test]
#[ignore = "slow: 12 s"]
fn the_example_computes_salaries() {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled("examples/salaries.c", &["cc", "-std=c99"], folder.path());
    let done = run(
        &program,
        &[&salaries(), "5200", "4100", "3950"],
        folder.path(),
    );
    let words = String::from_utf8_lossy(&done.stderr);
    assert_eq!(
        (done.status.code(), &done.stdout[..]),
        (Some(0), &b"13250 4416\n"[..]),
        "{words}"
    );
    assert!(words.contains(" bootstraps, about "), "{words}");

    let missing = run(&program, &["nowhere.elf", "1"], folder.path());
    let words = String::from_utf8_lossy(&missing.stderr);
    assert_eq!(missing.status.code(), Some(10), "{words}");
    assert!(words.starts_with("salaries: nowhere.elf: "), "{words}");
    let large = run(&program, &[&salaries(), "4294967296"], folder.path());
    let words = String::from_utf8_lossy(&large.stderr);
    assert_eq!(large.status.code(), Some(3), "{words}");
    assert!(words.contains("salary"), "{words}");
}

/// Every function, with what it takes and with what it must refuse.
#[test]
#[ignore = "slow: 23 s"]
fn every_function_does_what_it_says_and_refuses_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let program = compiled("tests/every.c", &["cc", "-std=c99"], folder.path());
    let done = run(&program, &[&salaries()], folder.path());
    let words = String::from_utf8_lossy(&done.stderr);
    assert_eq!(
        (done.status.code(), &done.stdout[..]),
        (Some(0), &b"all is well\n"[..]),
        "{words}"
    );
    let names = std::fs::read_to_string(Path::new(HERE).join("include/blindcore.h")).unwrap();
    let source = std::fs::read_to_string(Path::new(HERE).join("tests/every.c")).unwrap();
    let functions = names.match_indices("blindcore_").filter_map(|(at, _)| {
        let name: String = names[at..]
            .chars()
            .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
            .collect();
        names[at + name.len()..].starts_with('(').then_some(name)
    });
    let mut count = 0;
    for function in functions.filter(|name| name != "blindcore_last_error") {
        assert!(
            source.contains(&format!("{function}(")),
            "{function} is not tested"
        );
        count += 1;
    }
    assert!(count > 45, "{count} functions");
}

#[test]
fn the_header_is_one_of_cpp_too() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("header.cc");
    std::fs::write(
        &source,
        "#include \"blindcore.h\"\nint main() { return blindcore_version() == nullptr; }\n",
    )
    .unwrap();
    let program = folder.path().join("header");
    let library = library();
    let output = Command::new("c++")
        .args(["-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg(format!("-I{HERE}/include"))
        .args([&source, Path::new("-o"), &program])
        .arg(format!("-L{}", library.display()))
        .args([
            "-lblindcore_c",
            &format!("-Wl,-rpath,{}", library.display()),
        ])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(run(&program, &[], folder.path()).status.success());
}
