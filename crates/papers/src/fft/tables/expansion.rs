//! What bits weigh when they are encrypted.

use super::super::super::report::{Cell, Origin, Row, Section, ratio};
use super::super::study::Study;
use super::super::{circuit, paper};
use super::table;
use values::bytes_in_words;

pub(super) fn section(study: &Study) -> Section {
    let bits = study.operands * circuit::WIDTH;
    let clear = (bits / 8) as u64;
    let columns = ["", "encrypted", "expansion", "paper's ÷ ours"];
    let row = |name: String, origin, clear: u64, encrypted: u64| {
        let times = encrypted as f64 / clear as f64;
        let of_paper = paper::ENCRYPTED_BYTES as f64 / paper::CLEAR_BYTES as f64;
        let compared = match origin {
            Origin::Paper => Cell::text(""),
            _ => Cell::text(ratio(of_paper / times)),
        };
        let cells = vec![
            Cell::new(origin, bytes_in_words(encrypted)),
            Cell::new(origin, ratio(times)),
            compared,
        ];
        Row::Cells(name, cells)
    };
    let mut rows = vec![
        Row::Heading("the paper".to_owned()),
        row(
            "ten numbers, 40 bytes".to_owned(),
            Origin::Paper,
            paper::CLEAR_BYTES,
            paper::ENCRYPTED_BYTES,
        ),
        Row::Heading("ours".to_owned()),
    ];
    for set in &study.gate_sets {
        let name = format!("{}, a ciphertext for each bit", set.name);
        rows.push(row(name, Origin::Measured, clear, set.encrypted_bytes));
    }
    for set in &study.lookup_sets {
        let name = format!("{}, a file of seeded inputs", set.name);
        rows.push(row(name, Origin::Measured, clear, set.encrypted_bytes));
    }
    Section {
        title: format!("Expansion of {bits} bits"),
        table: table(&columns, rows),
        ..Section::default()
    }
}
