//! Several machines: what `plan` says of them, and runs on workers that are processes here.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::command::Place;

const USAGE: i32 = 2;

/// A product of two words.
const PRODUCT: &str =
    ".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n MUL R0, R0, R1\n STORE R0, a\n";

/// A worker on a free port of this machine, killed when the test ends.
pub(super) struct Worker {
    process: Child,
    pub(super) address: String,
}

impl Worker {
    pub(super) fn start(place: &Place, more: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_blindcore"))
            .args(["worker", "--listen", "127.0.0.1:0", "--threads", "1"])
            .args(more)
            .current_dir(place.path("."))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = process.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let address = line.split([' ', ',']).nth(2).unwrap().to_owned();
        Self { process, address }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn place() -> Place {
    let place = Place::with_keys();
    place.write("product.hea", PRODUCT);
    let encrypt = [
        "encrypt",
        "product.hea",
        "a=300",
        "b=70",
        "--key",
        "alice.secret",
        "--out",
        "in",
    ];
    place.done(&encrypt);
    place
}

#[test]
#[ignore = "slow: 5 s"]
fn a_plan_says_how_many_machines_are_worth_having() {
    let place = Place::new();
    place.write("product.hea", PRODUCT);
    let plan = [
        "plan",
        "product.hea",
        "a",
        "b",
        "--machines",
        "4",
        "--cores",
        "1",
    ];
    let text = place.done(&plan);
    assert!(
        text.contains("machines          of 1 core, links of 10G bit/s; width"),
        "{text}"
    );
    assert!(text.contains("\nbest              "), "{text}");
    let text = place.done(&[&plan[..], &["--json", "--network", "25Gbit/s"]].concat());
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let machines = &json["machines"];
    assert_eq!(machines["network_bits_per_second"], 25e9);
    let rows = machines["rows"].as_array().unwrap();
    let numbers: Vec<u64> = rows
        .iter()
        .map(|row| row["machines"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [1, 2, 4]);
    for row in rows {
        let figure = |name: &str| row[name].as_f64().unwrap();
        assert!(figure("seconds") >= figure("bound_seconds"), "{row}");
        assert!((0.0..=1.01).contains(&figure("efficiency")), "{row}");
        assert!(figure("memory_bytes") > 1e6, "{row}");
    }
    assert_eq!(rows[0]["bytes_sent"], 0);
    for wrong in [
        &["--machines", "0"][..],
        &["--network", "10G"],
        &["--machines", "2", "--network", "10"],
    ] {
        place.fails(
            USAGE,
            &[],
            &[&["plan", "product.hea", "a", "b"], wrong].concat(),
        );
    }
}

#[test]
#[ignore = "slow: 6 s"]
fn workers_give_the_ciphertexts_of_one_machine() {
    let place = place();
    place.done(&["tls", "init", "keys", "--client", "alice"]);
    place.done(&["tls", "server", "keys", "worker", "--worker"]);
    let tls = ["--tls", "keys/worker"];
    let workers = [Worker::start(&place, &tls), Worker::start(&place, &tls)];
    let addresses = format!("{},{}", workers[0].address, workers[1].address);
    let run = [
        "run",
        "product.hea",
        "in",
        "--key",
        "alice.server",
        "--quiet",
    ];
    let on = [
        "--workers",
        &addresses,
        "--tls",
        "keys/alice",
        "--threads",
        "1",
        "--out",
        "shared",
    ];
    place.done(&[&run[..], &on].concat());
    // Twice: they wait for the next run.
    let on = [
        "--workers",
        &addresses,
        "--tls",
        "keys/alice",
        "--threads",
        "1",
        "--out",
        "again",
    ];
    place.done(&[&run[..], &on].concat());
    place.done(&[&run[..], &["--threads", "2", "--out", "alone"]].concat());
    assert!(place.read("shared") == place.read("alone"));
    assert!(place.read("again") == place.read("alone"));
    let shown = place.done(&["decrypt", "shared", "--key", "alice.secret"]);
    assert!(shown.contains("21000"), "{shown}");
    // Who has no certificate of the same authority gets nowhere.
    place.done(&["tls", "init", "others", "--client", "mallory"]);
    let on = [
        "--workers",
        &addresses,
        "--tls",
        "others/mallory",
        "--out",
        "none",
    ];
    assert_ne!(place.run(&[&run[..], &on].concat()).code, Some(0));
    let on = ["--workers", &addresses, "--plain", "--out", "none"];
    assert_ne!(place.run(&[&run[..], &on].concat()).code, Some(0));
    assert!(!place.path("none").exists());
}

/// Two workers without TLS, and where they are.
fn two_workers(place: &Place) -> ([Worker; 2], String) {
    let workers = ["--plain"; 2].map(|plain| Worker::start(place, &[plain]));
    let addresses = format!("{},{}", workers[0].address, workers[1].address);
    (workers, addresses)
}

/// A program for rows, and such a table.
fn table(place: &Place, rows: usize) -> String {
    let mut text = "a,b\n".to_owned();
    for row in 0..rows {
        text += &format!("{},{}\n", row % 16, row * 7 % 16);
    }
    place.write("sums.csv", text);
    let program = super::command::repository("examples/assembly/nibbles.hea");
    let encrypt = ["encrypt", "--key", "alice.secret", &program, "@sums.csv"];
    place.done(&[&encrypt[..], &["--out", "in"]].concat());
    program
}

/// Under TFHE each row is a run on one worker, and what comes of it is what this machine gives alone.
#[test]
#[ignore = "slow: 5 s"]
fn rows_are_shared_out() {
    let place = Place::with_keys();
    let program = table(&place, 9);
    let (_workers, addresses) = two_workers(&place);
    let run = [
        "run",
        &program,
        "in",
        "--key",
        "alice.server",
        "--threads",
        "1",
    ];
    place.done(&[&run[..], &["--no-selectors", "--out", "alone"]].concat());
    let on = ["--workers", &addresses, "--plain", "--out", "shared"];
    let told = place.done(&[&run[..], &on].concat());
    assert!(told.contains("of 9 rows"), "{told}");
    assert!(place.read("shared") == place.read("alone"));
    for left in ["shared.checkpoint", "shared.checkpoint.rows"] {
        assert!(!place.path(left).exists());
    }
    // Who has only what is no key of these inputs is told so before anything travels.
    place.done(&["keygen", "--out", "bob", "--no-selectors"]);
    let wrong = [
        "run",
        &program,
        "in",
        "--key",
        "bob.server",
        "--workers",
        &addresses,
    ];
    place.fails(
        5,
        &["bob.server"],
        &[&wrong[..], &["--plain", "--out", "none"]].concat(),
    );
}

/// Under BGV a batch is.
#[test]
fn batches_are_shared_out() {
    let place = Place::new();
    let keygen = [
        "keygen",
        "--scheme",
        "bgv",
        "--parameters",
        "TOY_255-45-36-140-1x45-1",
    ];
    place.done(&[&keygen[..], &["--out", "alice"]].concat());
    let program = table(&place, 75);
    let (_workers, addresses) = two_workers(&place);
    let run = [
        "run",
        &program,
        "in",
        "--key",
        "alice.server",
        "--threads",
        "1",
    ];
    place.done(&[&run[..], &["--out", "alone"]].concat());
    let on = ["--workers", &addresses, "--plain", "--out", "shared"];
    let told = place.done(&[&run[..], &on].concat());
    assert!(told.contains("of 75 rows in 5 batches"), "{told}");
    assert!(place.read("shared") == place.read("alone"));
}

#[test]
fn what_runs_on_one_machine_only_is_refused() {
    let place = place();
    let run = [
        "run",
        "product.hea",
        "in",
        "--key",
        "alice.server",
        "--out",
        "out",
    ];
    let on = ["--workers", "127.0.0.1:9"];
    let wrong: &[(&str, &[&str])] = &[
        ("--plain", &[]),
        ("--memory", &["--plain", "--memory", "1G"]),
        ("architectures", &["--plain", "--adder", "ripple"]),
    ];
    for (said, more) in wrong {
        place.fails(USAGE, &[said], &[&run[..], &on, more].concat());
    }
    let ended = place.run(&[&run[..], &on, &["--plain"]].concat());
    assert!(
        ended.code != Some(0) && ended.err.contains("127.0.0.1:9: "),
        "{}",
        ended.err
    );
    assert!(ended.err.contains("blindcore worker"), "{}", ended.err);
}

/// What workers count on: a program is recorded alike by every process.
#[test]
#[ignore = "plans every example twice, 15 s"]
fn every_process_records_alike() {
    let place = Place::new();
    let examples = super::command::repository("examples");
    let mut tried = 0;
    for folder in std::fs::read_dir(examples).unwrap() {
        let folder = folder.unwrap().path();
        let Ok(cases) = std::fs::read_to_string(folder.join("cases.json")) else {
            continue;
        };
        let name = folder.file_name().unwrap().to_str().unwrap();
        let program = folder.join(format!("{name}.elf"));
        // Both ways of its loop never meet, which takes half a minute to find: no circuit is recorded.
        if !program.exists() || name == "gcd" {
            continue;
        }
        let cases: serde_json::Value = serde_json::from_str(&cases).unwrap();
        let inputs = cases["cases"][0]["inputs"].as_object().unwrap();
        let mut line = vec![
            "plan",
            program.to_str().unwrap(),
            "--json",
            "--branches",
            "both",
            "--threads",
            "8",
        ];
        line.extend(inputs.keys().map(String::as_str));
        let fingerprints = || {
            let ended = place.run(&line);
            let json: serde_json::Value = serde_json::from_str(&ended.out).unwrap_or_default();
            json["fingerprint"].as_str().map(str::to_owned)
        };
        let first = fingerprints();
        assert_eq!(first, fingerprints(), "{name}");
        tried += usize::from(first.is_some());
    }
    assert!(tried >= 5, "{tried} examples");
}
