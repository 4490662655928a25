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
        "<dt>threads</dt><dd>1</dd>",
    ] {
        assert!(page.contains(part), "no {part:?}");
    }
    // A page of this command may be replaced.
    place.done(&with(&["--quick", "--quiet", "--html", "page.html"]));
    assert_eq!(place.names(), ["page.html"]);
}

#[test]
#[ignore = "slow: 5 s"]
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
    let bare = place.run(&["papers"]);
    assert!(
        bare.code == Some(2) && bare.err.contains("\n  adders "),
        "{bare:?}"
    );
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
#[ignore = "slow: 3 s"]
fn an_interrupted_run_reports_what_it_measured() {
    let place = Place::new();
    // Minutes of work; the signal comes in the middle of it.
    let line = "\"$blindcore\" papers fft --set toy-gate --fft scalar --blocks 4 --rounds 100000 \
                --html page.html > report 2> said & sleep 3; kill -TERM $!; wait $!; echo $?; cat said";
    let ended = place.shell(line);
    assert!(ended.out.starts_with("130\n"), "{ended:?}");
    let last = ended.out.lines().last().unwrap();
    assert_eq!(
        last,
        "blindcore: interrupted: the report holds what was measured until then"
    );
    for file in ["report", "page.html"] {
        let report = String::from_utf8(place.read(file)).unwrap();
        for part in ["TOY_GATE", "the run was interrupted", "≈"] {
            assert!(report.contains(part), "no {part} in {report}");
        }
    }
}

/// Both engines on toys: seconds.
const TOY_SETS: [&str; 8] = [
    "--gate-set",
    "toy-gate",
    "--lookup-set",
    "toy-block",
    "--fft",
    "scalar",
    "--threads",
    "1",
];

#[test]
#[ignore = "slow: 13 s"]
fn adders_on_toys() {
    let place = Place::new();
    let line = [&["papers", "adders", "--quick"], &TOY_SETS[..]].concat();
    let text = place.done(&[&line[..], &["--html", "page.html"]].concat());
    for part in [
        "Table III: sums of two numbers",
        "Table IV: sums of four numbers",
        "ours, TOY_GATE (0 bits): as drawn",
        "lookups, beside the paper's best of as many numbers",
        "where 2000× are asked for",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let row = |name: &str| -> Vec<String> {
        let line = text.lines().find(|line| line.trim().starts_with(name));
        line.unwrap()
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(row("CSSA")[1..5], ["(2)", "393", "325", "167"]);
    // Everything was run, nothing is simulated.
    assert!(!text.contains('~'), "{text}");
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 2);

    let json = place.done(&[&line[..], &["--json"]].concat());
    let study: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(study["interrupted"], false);
    let sums = study["gates"][0]["sums"].as_array().unwrap();
    assert_eq!(sums.len(), 8);
    for sum in sums {
        assert!(sum["outcomes"][0]["figure"]["measured"]["median"].as_f64() > Some(0.0));
    }
    assert_eq!(study["paper"][1][1]["seconds"][1], 279.0);
}

#[test]
#[ignore = "slow: 29 s"]
fn emulator_on_toys() {
    let place = Place::new();
    let line = [&["papers", "emulator", "--quick"], &TOY_SETS[..]].concat();
    let text = place.done(&[&line[..], &["--html", "page.html"]].concat());
    for part in [
        "Tables III to XV and XXIV: units of 16 bits",
        "Tables IV to XV: units of 32 bits",
        "table III: addition, 16 bits",
        "carries, level 4",
        "Figure 18: addition, 16 bits, against cores",
        "Figure 24: condition flags, 16 bits, against cores",
        "Validation of the simulation",
        "~ simulated: the scheduler replayed",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert_eq!(page.matches("<svg").count(), 8);

    let json = place.done(&[&line[..], &["--json"]].concat());
    let study: Value = serde_json::from_str(&json).unwrap();
    let entries = study["entries"].as_array().unwrap();
    let of = |engine: &str, function: &str, width: u64, workers: u64| {
        let found = entries.iter().find(|entry| {
            entry["engine"] == engine
                && entry["function"] == function
                && entry["width"] == width
                && entry["workers"] == workers
                && entry["part"].is_null()
        });
        found.unwrap_or_else(|| unreachable!("{function} of {width} on {workers}"))
    };
    // Lookups were run on the cores that were asked for, the rest was simulated.
    assert!(of("lookups", "division", 32, 1)["figure"]["measured"].is_object());
    assert!(of("gates", "addition", 16, 1)["figure"]["measured"].is_object());
    assert!(of("gates", "division", 32, 1)["figure"]["simulated"].is_number());
    assert!(of("lookups", "addition", 16, 48)["figure"]["simulated"].is_number());
    assert_eq!(of("gates", "and", 16, 1)["size"]["bootstraps"], 16);
}

#[cfg(unix)]
#[test]
#[ignore = "slow: 10 s"]
fn a_multiplier_that_is_interrupted_reports_its_counts() {
    let place = Place::new();
    // Counting takes seconds, and products, which come next, take hours.
    let line = "\"$blindcore\" papers multiplier --rounds 100000 --html page.html > report 2> said & \
                for i in $(seq 600); do if grep -q 'products of' said; then break; fi; sleep 0.1; done; \
                kill -TERM $!; wait $!; echo $?; cat said";
    let ended = place.shell(line);
    assert!(ended.out.starts_with("130\n"), "{ended:?}");
    for file in ["report", "page.html"] {
        let report = String::from_utf8(place.read(file)).unwrap();
        // The paper's figure, and one that was counted.
        for part in ["26,138,787", "41,184", "the run was interrupted"] {
            assert!(report.contains(part), "no {part} in {report}");
        }
    }
    place.fails(
        2,
        &["no-flint.so", "no FLINT"],
        &["papers", "multiplier", "--flint", "no-flint.so"],
    );
}

/// Cells of each row of each table of a page.
fn widths(page: &str) -> Vec<Vec<usize>> {
    let cells = |row: &str| row.matches("<td").count() + row.matches("<th ").count();
    let rows = |table: &str| {
        let (table, _) = table.split_once("</table>").unwrap();
        table.split("<tr").skip(1).map(cells).collect()
    };
    page.split("<table").skip(1).map(rows).collect()
}

#[test]
#[ignore = "real parameters, 12 seconds"]
fn integer_ring_at_128_bits() {
    let place = Place::new();
    let line = [
        "papers",
        "integer-ring",
        "--quick",
        "--json",
        "--quiet",
        "--html",
        "page.html",
    ];
    let study: Value = serde_json::from_str(&place.done(&line)).unwrap();
    assert_eq!(study["interrupted"], false);
    let rows = study["rows"].as_array().unwrap();
    let words = study["words"].as_array().unwrap();
    assert_eq!((rows.len(), words.len()), (9, 9));
    for row in rows.iter().chain(words) {
        let measured = &row["measured"];
        assert_eq!(measured["security"], 128, "{row}");
        assert!(measured["times"]["median"].as_f64() > Some(0.0), "{row}");
        assert!(measured["room"].as_f64() > Some(0.0), "{row}");
    }
    assert_eq!(rows[0]["drawing"], "ours");
    assert_eq!(rows[8]["measured"]["depth"], 14);
    // Every table of the page is complete: a head, its rows, a cell in each column.
    let page = String::from_utf8(place.read("page.html")).unwrap();
    let tables = widths(&page);
    let complete = |columns: usize| {
        let found = tables.iter().filter(|rows| **rows == vec![columns; 10]);
        assert_eq!(found.count(), 1, "{columns} columns: {tables:?}");
    };
    complete(11);
    complete(7);
}

#[cfg(unix)]
#[test]
#[ignore = "slow: 3 s"]
fn an_interrupted_integer_ring_reports_what_it_measured() {
    let place = Place::new();
    // Ten seconds of work on a fast core; the signal comes in the middle of it.
    let line = "\"$blindcore\" papers integer-ring --quick --html page.html > report 2> said & \
                sleep 3; kill -TERM $!; wait $!; echo $?; cat said";
    let ended = place.shell(line);
    assert!(ended.out.starts_with("130\n"), "{ended:?}");
    let last = ended.out.lines().last().unwrap();
    assert_eq!(
        last,
        "blindcore: interrupted: the report holds what was measured until then"
    );
    for file in ["report", "page.html"] {
        let report = String::from_utf8(place.read(file)).unwrap();
        for part in [
            "Arithmetic Operations over the Integer Ring",
            "the run was interrupted",
            "addition, 16 bits, RCA (m = 14351, 504 slots)",
            "m = 13107, 512 slots",
        ] {
            assert!(report.contains(part), "no {part} in {report}");
        }
    }
}

#[cfg(unix)]
#[test]
#[ignore = "slow: 4 s"]
fn an_interrupted_page_holds_the_studies_until_then() {
    let place = Place::new();
    // The emulator's gates take longer than this, even on toys. The shell lets its background jobs
    // ignore Ctrl-C itself.
    let line = "\"$blindcore\" papers all --gate-set toy-gate --lookup-set toy-block --fft scalar \
                --threads 1 --html page.html > report 2> said & sleep 4; kill -TERM $!; wait $!; \
                echo $?; cat said";
    let ended = place.shell(line);
    assert!(ended.out.starts_with("130\n"), "{ended:?}");
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert!(page.contains("Contents"), "{ended:?}");
    assert!(page.contains("Table III: sums of two numbers"));
}

#[test]
#[ignore = "slow: 18 s"]
fn circuits_on_toys() {
    let place = Place::new();
    let line = [
        "circuits",
        "addition",
        "--width",
        "8",
        "--cores",
        "1,4",
        "--set",
        "toy-block",
        "--gate-set",
        "toy-gate",
        "--fft",
        "scalar",
        "--quick",
    ];
    let text = place.done(&line);
    for part in [
        "Addition",
        "* default",
        "kogge-stone",
        "Choices",
        "of 6 choices are within 5 %",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let json = place.done(&[&line[..], &["--json"]].concat());
    let study: Value = serde_json::from_str(&json).unwrap();
    let rows = study["rows"].as_array().unwrap();
    let ripple = rows
        .iter()
        .find(|row| row["architecture"] == "ripple-two-and")
        .unwrap();
    // 2n − 3 ANDs, 3n − 3 XORs.
    assert_eq!(ripple["gates"]["size"]["ands"], 13);
    assert_eq!(ripple["gates"]["size"]["xors"], 21);
    assert!(rows.iter().all(|row| row["selectors"].is_null()));
    // A shift becomes choices where there is a selector key.
    let mut line = line.to_vec();
    line[1] = "shift";
    line.push("--selectors");
    let text = place.done(&line);
    assert!(text.contains("With a selector key"), "{text}");
    let json = place.done(&[&line[..], &["--json"]].concat());
    let study: Value = serde_json::from_str(&json).unwrap();
    let rows = study["rows"].as_array().unwrap();
    let own = rows.iter().filter(|row| row["is_default"] == true);
    for row in own {
        let (without, with) = (&row["lookups"][0]["size"], &row["selectors"]["size"]);
        assert_eq!(without["choices"], 0);
        assert!(with["choices"].as_u64() > Some(8), "{row}");
        assert!(
            with["bootstraps"].as_u64() < without["bootstraps"].as_u64(),
            "{row}"
        );
    }
    place.fails(2, &["no such family", "addition"], &["circuits", "roots"]);
    place.fails(2, &["--width", "2 to 64"], &["circuits", "--width", "65"]);
}
