//! Workers that are ranks of an MPI program: Open MPI's `mpirun` starts them on this machine.

use std::process::{Command, Output};

use super::command::{Place, repository};

/// All ranks of one command, of which the first drives.
fn ranks(place: &Place, count: usize, arguments: &[&str]) -> Output {
    Command::new("mpirun")
        .args(["--oversubscribe", "--allow-run-as-root", "-n"])
        .arg(count.to_string())
        .arg(env!("CARGO_BIN_EXE_blindcore"))
        .args(arguments)
        .args(["--workers", "mpi", "--threads", "1"])
        .current_dir(place.path("."))
        .output()
        .unwrap()
}

const PRODUCT: &str =
    ".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n MUL R0, R0, R1\n STORE R0, a\n";

#[test]
fn ranks_give_the_ciphertexts_of_one_machine() {
    let place = Place::with_keys();
    place.write("product.hea", PRODUCT);
    let encrypt = ["encrypt", "product.hea", "a=300", "b=70", "--out", "in"];
    place.done(&[&encrypt[..], &["--key", "alice.secret"]].concat());
    let run = ["run", "product.hea", "in", "--key", "alice.server"];
    for count in 2..=4 {
        let threads = (count - 1).to_string();
        let alone = ["--no-selectors", "--threads", &threads, "--out", "alone"];
        place.done(&[&run[..], &alone].concat());
        let ended = ranks(&place, count, &[&run[..], &["--out", "shared"]].concat());
        assert!(ended.status.success(), "{count}: {ended:?}");
        assert!(place.read("shared") == place.read("alone"), "{count} ranks");
        // Only one of them speaks.
        let told = String::from_utf8(ended.stdout).unwrap();
        assert_eq!(told.matches("instructions in").count(), 1, "{told}");
        std::fs::remove_file(place.path("shared")).unwrap();
    }
}

#[test]
fn rows_go_to_ranks() {
    let place = Place::with_keys();
    place.write("sums.csv", "a,b\n1,2\n15,15\n7,0\n9,8\n");
    let program = repository("examples/assembly/nibbles.hea");
    let encrypt = ["encrypt", "--key", "alice.secret", &program, "@sums.csv"];
    place.done(&[&encrypt[..], &["--out", "in"]].concat());
    let run = [
        "run",
        &program,
        "in",
        "--key",
        "alice.server",
        "--out",
        "out",
    ];
    let ended = ranks(&place, 3, &run);
    assert!(ended.status.success(), "{ended:?}");
    let shown = place.done(&["decrypt", "out", "--key", "alice.secret"]);
    assert_eq!(shown, "sum\n3\n30\n7\n17\n");
}

/// What is wrong is said once, and all ranks end; so does a rank that is killed.
#[test]
fn ranks_end_together() {
    let place = Place::with_keys();
    place.write("product.hea", PRODUCT);
    let run = [
        "run",
        "product.hea",
        "nothing",
        "--key",
        "alice.server",
        "--out",
        "out",
    ];
    let ended = ranks(&place, 3, &run);
    assert!(!ended.status.success());
    let told = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(told.matches("nothing: ").count(), 1, "{told}");
    let ended = ranks(&place, 1, &run);
    let told = String::from_utf8(ended.stderr).unwrap();
    assert!(told.contains("start two or more"), "{told}");
}
