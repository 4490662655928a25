//! `--fft`, and `blindcore fft`.

use serde_json::Value;

use crate::command::{Place, fixture};

/// The names of the processors of this machine, as the table has them.
fn measured(place: &Place) -> Value {
    serde_json::from_str(&place.done(&["fft", "--rounds", "1", "--json"])).unwrap()
}

fn names(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap();
    rows.iter()
        .map(|row| row["fft"].as_str().unwrap())
        .collect()
}

#[test]
#[ignore = "slow: 14 s"]
fn a_run_by_every_processor_ends_alike() {
    let place = Place::with_keys();
    let program = fixture("calls.elf");
    let call = ["--call", "score(income, debt)"];
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "debt=25",
        "income=17",
    ];
    place.done(&[&encrypt[..], &call, &["--out", "inputs.bct"]].concat());
    let table = measured(&place);
    for fft in names(&table["lookups"]["processors"]) {
        let run = [
            "run",
            "--key",
            "alice.server",
            &program,
            "inputs.bct",
            "--fft",
            fft,
        ];
        place.done(&[&run[..], &call, &["--out", "out.bct"]].concat());
        let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
        assert_eq!(answer, "calls = 1\nscore = -999\n", "{fft}");
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn the_table_has_every_processor_with_speed_and_error() {
    let place = Place::new();
    let table = measured(&place);
    let rings = table["rings"].as_array().unwrap();
    assert_eq!(rings.len(), 2);
    for ring in rings {
        let rows = &ring["processors"];
        assert_eq!(names(rows), names(&table["lookups"]["processors"]));
        assert!(names(rows).starts_with(&["scalar"]));
        for row in rows.as_array().unwrap() {
            for operation in ["forward", "inverse", "block_step"] {
                let time = |which: &str| row[operation][which].as_f64().unwrap();
                assert!(
                    0.0 < time("best_us") && time("best_us") <= time("median_us"),
                    "{row}"
                );
            }
            // Products of 23-bit digits by 64-bit torus elements: exact, or to 53 bits.
            let error = &row["rms_error_bits"];
            assert_eq!(error.is_null(), row["fft"] == "ntt", "{row}");
            assert!(
                error
                    .as_f64()
                    .is_none_or(|bits| (35.0..41.0).contains(&bits)),
                "{row}"
            );
        }
    }
    for row in table["lookups"]["processors"].as_array().unwrap() {
        assert!(row["batched_seconds"].as_f64().unwrap() > 0.0, "{row}");
    }
}

#[test]
fn an_unknown_processor_is_a_wrong_command_line_that_names_the_others() {
    let place = Place::new();
    for command in [
        &["plan", "x.elf"][..],
        &["demo"],
        &["run", "--key", "k", "x.elf", "i", "--out", "o"],
    ] {
        let arguments = [command, &["--fft", "spqlios"]].concat();
        place.fails(2, &["'spqlios'", "scalar, ", "rustfft"], &arguments);
    }
}
