//! `scale`: what is simulated stays within what is possible, and what is drawn can be read.

use serde_json::Value;

use super::command::{Place, assert_failed, repository};

/// Four products that do not wait for each other.
const PRODUCTS: &str = "#include <blindcore.h>\n#include <stdint.h>\n\
    SECRET uint8_t a[4], b[4];\nOUTPUT uint16_t product[4];\n\
    int main(void) { for (int i = 0; i < 4; i++) product[i] = a[i] * b[i]; return 0; }\n";

/// Whether every tag is closed in its turn, and every attribute quoted: what an XML parser asks of a document
/// that has neither entities of its own nor processing instructions.
fn assert_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        assert!(!before.contains('>') || open.is_empty(), "{before}");
        for entity in before.split('&').skip(1) {
            let name = entity.split_once(';').map(|(name, _)| name);
            assert!(
                matches!(name, Some("amp" | "lt" | "gt" | "quot")),
                "{entity}"
            );
        }
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").unwrap().1;
            continue;
        }
        let (tag, after) = after.split_once('>').unwrap();
        rest = after;
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name.trim()), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

#[test]
#[ignore = "slow: 3 s"]
fn nothing_passes_its_bound() {
    let place = Place::new();
    place.write("products.c", PRODUCTS);
    let line = [
        "scale",
        "products.c",
        "products.c=10",
        "--most",
        "16",
        "--cores",
        "4",
        "--network",
        "1G,10G",
        "--batches",
        "2,2.5,3,3.5",
        "--quiet",
    ];
    let files = ["--charts", "charts", "--csv", "rows.csv", "--json"];
    let document = place.done(&[&line[..], &files].concat());
    let document: Value = serde_json::from_str(&document).unwrap();
    let programs = document["programs"].as_array().unwrap();
    assert_eq!(programs.len(), 2);
    for (program, rows) in programs.iter().zip([3 + 2 * 2, 5]) {
        let all = program["rows"].as_array().unwrap();
        assert_eq!(all.len(), rows, "{program:#}");
        let one_core = program["one_core"].as_f64().unwrap();
        for row in all {
            let of = |name: &str| row[name].as_f64().unwrap();
            let cores = of("machines") * of("cores");
            assert!(of("seconds") >= 0.999_999 * of("bound"), "{row:#}");
            assert!(of("efficiency") <= 1.000_001, "{row:#}");
            assert!((of("speedup") - one_core / of("seconds")).abs() < 1e-9);
            assert!((of("efficiency") - of("speedup") / cores).abs() < 1e-9);
        }
        // More cores of one machine help.
        assert!(all[2]["seconds"].as_f64() < all[0]["seconds"].as_f64());
    }
    // Ten jobs take ten times as long as one on a core, and nothing travels.
    let [one, ten] = [0, 1].map(|at: usize| programs[at]["one_core"].as_f64().unwrap());
    assert!((ten / one - 10.0).abs() < 1e-9);
    assert!(
        programs[1]["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["bytes_sent"] == 0)
    );

    let charts = [
        "efficiency-1-Gbit.svg",
        "efficiency-10-Gbit.svg",
        "speed-up-1-Gbit.svg",
        "speed-up-10-Gbit.svg",
    ];
    for name in charts {
        let chart = String::from_utf8(place.read(&format!("charts/{name}"))).unwrap();
        assert_xml(&chart);
        assert!(chart.contains("products, 10 jobs") && chart.contains("simulated"));
        assert!(chart.contains("the paper, figure 21"));
    }
    let rows = String::from_utf8(place.read("rows.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 7 + 5);
    // Rows are added, and charts replaced.
    let text = place.done(&[&line[..], &files[..4]].concat());
    for part in [
        "Programs on many cores: simulated",
        "of 1, 2, … lookups: 2.00, 2.50, 3.00, 3.50 ms (as given)",
        "10 jobs that do not wait for each other",
        "the paper",
        "rows.csv: written",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let added = String::from_utf8(place.read("rows.csv")).unwrap();
    assert_eq!(added.lines().count(), 1 + 2 * 12);
    assert!(added.starts_with(&rows));
    // Nothing else is.
    place.write("other.csv", "a,b\n1,2\n");
    place.fails(
        10,
        &["other.csv"],
        &[&line[..], &["--csv", "other.csv"]].concat(),
    );
}

#[test]
#[ignore = "slow: 6 s"]
fn what_cannot_be_scaled_is_refused() {
    let place = Place::new();
    place.write("public.c", "int x;\nint main(void) { x = 1; return 0; }\n");
    place.fails(
        2,
        &["public.c", "SECRET"],
        &["scale", "public.c", "--batches", "2"],
    );
    place.fails(2, &["jobs"], &["scale", "public.c=0"]);
    place.fails(
        2,
        &["millisecond"],
        &["scale", "public.c", "--batches", "0"],
    );
    place.fails(2, &["10G"], &["scale", "public.c", "--network", "10"]);
    let branching = "#include <blindcore.h>\nSECRET int a;\nOUTPUT int b;\n\
                     int main(void) { if (a > 3) for (int i = 0; i < a; i++) b += i; return 0; }\n";
    place.write("branching.c", branching);
    let refused = place.run(&["scale", "branching.c", "--batches", "2", "--quiet"]);
    assert_failed(&refused, 9, &["branching.c"]);
}

/// Programs of the page, against answers that are known.
fn assert_answers(programs: &[(&str, &[&str], &str)]) {
    let place = Place::new();
    for (file, values, answer) in programs {
        let file = repository(&format!("examples/scale/{file}.c"));
        let found = place.done(&[&["check", &file], *values].concat());
        assert!(found.contains(answer), "{file}: {found}");
    }
}

#[test]
#[ignore = "slow: 4 s"]
fn a_row_that_is_scaled_answers() {
    let values = [
        "age=40",
        "income=600",
        "debt=80",
        "years_employed=5",
        "late_payments=1",
    ];
    assert_answers(&[("table_row", &values, "score = 680")]);
}

#[test]
#[ignore = "programs of 100,000 to 400,000 lookups, a minute on two cores"]
fn programs_that_are_scaled_answer() {
    // The first column of the row's product is 1·4 + 2·6 + 3·8.
    let matrix = ["row=1,2,3", "matrix={4,5},{6,7},{8,9}"];
    assert_answers(&[
        ("matrix_row64", &matrix, "product = 40, 46, 0,"),
        (
            "matrix16",
            &["a={1,2},{3,4}", "b={5,6},{7,8}"],
            "19, 22, 0,",
        ),
        // OpenSSL's, of a text of zeros: the beginning of the first block.
        (
            "aes_ctr",
            &[
                "key=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15",
                "--default-zero",
            ],
            "cipher = {{169, 69, 5, 74, 236, 139, 143, 78,",
        ),
        ("edit64", &["left=kitten", "right=sitting"], "distance = 3"),
        ("sort256", &["values=9,7,8"], "7, 8, 9"),
    ]);
}
