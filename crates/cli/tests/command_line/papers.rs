//! The papers' tables on toy parameters: what is printed and written, and what is refused.

use serde_json::Value;

use super::command::Place;

/// A grid that takes a second.
const TOYS: [&str; 8] = [
    "papers",
    "fft",
    "--set",
    "toy-gate,toy-block",
    "--fft",
    "scalar",
    "--blocks",
    "4,32",
];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&TOYS[..], more].concat()
}

#[test]
fn quick_tables() {
    let place = Place::new();
    let text = place.done(&with(&["--quick", "--html", "page.html"]));
    for part in [
        "Table 1: FFT processors",
        "Table 2: execution time of a two-bit AND",
        "Table 3: 10 operands of 32 bits by 9 carry look-ahead adders",
        "CLA4 1926 at depth ",
        "CLA32 1386 at depth ",
        "ours, TOY_GATE (0 bits)",
        "Table 3, continued",
        "Expansion of 320 bits",
        "No sum of gates was run whole.",
        "page.html: this report with charts",
        "≈ computed from the gate time and the circuit's number of gates",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    // The paper's figures stand as they were printed.
    let row = |name: &str| {
        let line = text
            .lines()
            .find(|line| line.trim().starts_with(name))
            .unwrap();
        line.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let sums = text.split("Table 3:").nth(1).unwrap();
    let fftw = sums
        .lines()
        .find(|line| line.trim().starts_with("FFTW3"))
        .unwrap();
    assert_eq!(
        fftw.split_whitespace().collect::<Vec<_>>(),
        ["FFTW3", "438.0", "443.0"]
    );
    assert_eq!(row("NAYUKI-PORTABLE")[1], "200");
    assert_eq!(row("ten numbers")[4..], ["795", "kB", "19875×"]);

    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>"));
    assert_eq!(page.matches("<svg").count(), 2);
    for part in [
        "<th scope=\"row\">FFTW3</th>",
        "<td class=\"paper\">443.0</td>",
        "<th scope=\"row\">scalar</th>",
        "<th scope=\"row\">spqlios-fma</th>",
        "TOY_GATE",
        "1 thread",
    ] {
        assert!(page.contains(part), "no {part:?}");
    }
    // A page of this command may be replaced.
    place.done(&with(&["--quick", "--quiet", "--html", "page.html"]));
    assert_eq!(place.names(), ["page.html"]);
}

#[test]
fn whole_sums_as_json() {
    let place = Place::new();
    let text = place.done(&with(&[
        "--operands",
        "4",
        "--rounds",
        "3",
        "--json",
        "--html",
        "page.html",
    ]));
    let study: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(study["html"], "page.html");
    assert_eq!(
        (&study["operands"], &study["threads"]),
        (&4.into(), &1.into())
    );
    assert_eq!(study["paper"][0]["and_seconds"], 0.3);
    let of = &study["gate_sets"][0];
    assert_eq!(of["name"], "TOY_GATE");
    let times = &of["processors"][0];
    assert_eq!(times["fft"], "scalar");
    let and = times["and"]["median"].as_f64().unwrap();
    assert!(and > 0.0);
    for (sum, gates) in times["sums"].as_array().unwrap().iter().zip([642.0, 462.0]) {
        let sum = &sum["measured"];
        assert_eq!(sum["rounds"], 3);
        // Hundreds of gates take longer than dozens of ANDs, whatever the machine is doing.
        assert!(
            sum["median"].as_f64().unwrap() > and * gates / 10.0,
            "{times}"
        );
    }
    let lookups = &study["lookup_sets"][0];
    assert!(lookups["lookups"].as_u64().unwrap() < 100, "{lookups}");
    assert!(lookups["processors"][0]["sum"]["median"].as_f64().unwrap() > 0.0);
    // A bit travels in 8 bytes as an input, and in a ciphertext of its own for the gates.
    assert!(lookups["encrypted_bytes"].as_u64().unwrap() < 8 * 128 + 1000);
    assert_eq!(of["encrypted_bytes"], 128 * 4 * 46);
}

#[test]
fn other_numbers_of_operands_have_no_column_of_the_paper() {
    let place = Place::new();
    let text = place.done(&[
        "papers",
        "fft",
        "--set",
        "toy-gate",
        "--fft",
        "scalar",
        "--blocks",
        "8",
        "--operands",
        "3",
        "--threads",
        "2",
    ]);
    let sums = text.split("Table 3:").nth(1).unwrap();
    assert!(sums.contains("3 operands of 32 bits by 2 carry look-ahead adders"));
    assert!(!sums.contains("FFTW3"), "{sums}");
    assert!(sums.contains("Run whole, the sum decrypted and right: TOY_GATE by scalar: CLA8."));
}

#[test]
fn refusals() {
    let place = Place::new();
    let refused = |code: i32, parts: &[&str], more: &[&str]| {
        place.fails(code, parts, &[&["papers", "fft"], more].concat());
    };
    refused(
        2,
        &["--set", "no such set", "tfhe-lib-118"],
        &["--set", "tfhe"],
    );
    refused(2, &["--fft", "scalar"], &["--fft", "spqlios"]);
    refused(2, &["--blocks", "1 to 32"], &["--blocks", "4,0"]);
    refused(2, &["--blocks", "1 to 32"], &["--blocks", "33"]);
    refused(2, &["--operands", "2 to 100"], &["--operands", "1"]);
    refused(2, &["--threads"], &["--threads", "0"]);
    refused(2, &["--quick", "--whole"], &["--quick", "--whole"]);
    place.fails(2, &["subcommand"], &["papers"]);
    place.fails(2, &["quotient"], &["papers", "quotient"]);
}

#[test]
fn pages_replace_pages_only() {
    let place = Place::new();
    place.write("thesis.html", "<p>mine</p>");
    place.fails(
        10,
        &["thesis.html", "no page of this command"],
        &with(&["--quick", "--html", "thesis.html"]),
    );
    assert_eq!(place.read("thesis.html"), b"<p>mine</p>");
    place.fails(
        10,
        &["nowhere/page.html"],
        &with(&["--quick", "--html", "nowhere/page.html"]),
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_far_it_came() {
    let place = Place::new();
    // Minutes of work; the signal comes in the middle of it.
    let line = "\"$blindcore\" papers fft --set toy-gate --fft scalar --blocks 4 --rounds 100000 \
                --html page.html 2> said & sleep 3; kill -TERM $!; wait $!; echo $?; cat said";
    let ended = place.shell(line);
    assert!(ended.out.starts_with("130\n"), "{ended:?}");
    let last = ended.out.lines().last().unwrap();
    assert!(
        last.starts_with("blindcore: interrupted after 1 measurements"),
        "{last}"
    );
    assert!(
        last.ends_with("AND by scalar with TOY_GATE; no report was written"),
        "{last}"
    );
    assert_eq!(place.names(), ["said"]);
}
