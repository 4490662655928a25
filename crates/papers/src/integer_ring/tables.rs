//! The study in words and tables.

use super::super::report::{Cell, Origin, Report, Row, Section, Table, ratio, significant, spread};
use super::paper;
use super::run::{Measured, Outcome, Study};
use super::units::Drawing;

/// The document.
pub(super) fn report(study: &Study) -> Report {
    let mut sections = Vec::new();
    let promises: Vec<u32> = [128, 80]
        .into_iter()
        .filter(|&bits| study.rows.iter().any(|row| row.measured.security == bits))
        .collect();
    sections.extend(promises.into_iter().map(|bits| table(study, bits)));
    if !study.words.is_empty() {
        sections.push(words(study));
    }
    Report {
        title: format!("The table of “{}”, measured here", paper::TITLE),
        lead: vec![
            format!("Reproduces table 1 of {}.", paper::SOURCE),
            "One ciphertext for each bit of a number, another instance of the computation in each of its slots. \
             The paper ran on HElib at 80 bits of security; here each row runs by the paper's circuit and by ours, \
             on random operands in every slot, and the answer of each slot is checked before a time counts."
                .to_owned(),
        ],
        facts: facts(study),
        sections,
        parts: Vec::new(),
    }
}

fn facts(study: &Study) -> Vec<(String, String)> {
    let mut facts = study.provenance.facts();
    facts.push(("threads".to_owned(), study.threads.to_string()));
    facts.push((
        "security".to_owned(),
        "the smallest of primal uSVP, primal BDD and dual hybrid by the lattice estimator; a decryption is wrong \
         with probability 2^-64 at most"
            .to_owned(),
    ));
    facts
}

fn seconds(measured: &Measured) -> Cell {
    Cell::new(Origin::Measured, significant(measured.times.median))
}

fn chosen(measured: &Measured) -> String {
    format!(
        "m = {}, {} slots, log2 q {:.0}",
        measured.set.index, measured.set.slots, measured.set.modulus_bits
    )
}

/// A row's two ratios: of ciphertexts, and of slots.
fn ratios(row: &paper::Row, measured: &Measured) -> [Cell; 2] {
    let whole = row.seconds / measured.times.median;
    let slots = whole * measured.set.slots as f64 / row.slots as f64;
    [whole, slots].map(|value| Cell::text(ratio(value)))
}

/// Table 1 at one promise.
fn table(study: &Study, bits: u32) -> Section {
    let columns = [
        "operation",
        "paper, s",
        "circuit",
        "here, s",
        "least … most",
        "paper ÷ here",
        "per slot",
        "ANDs",
        "depth",
        "room, bits",
        "parameters",
    ];
    let mut rows = Vec::new();
    for (at, row) in paper::TABLE.iter().enumerate() {
        let of = |outcome: &&Outcome| outcome.row == at && outcome.measured.security == bits;
        let outcomes: Vec<&Outcome> = study.rows.iter().filter(of).collect();
        for outcome in outcomes {
            let name = format!(
                "{}, {} bits, {} (m = {}, {} slots)",
                row.operation.name(),
                row.bits,
                row.circuit,
                row.index,
                row.slots
            );
            let measured = &outcome.measured;
            let drawn = match outcome.drawing {
                Drawing::Paper => "the paper's",
                Drawing::Ours => "ours",
            };
            let mut cells = vec![
                Cell::new(Origin::Paper, significant(row.seconds)),
                Cell::text(drawn),
                seconds(measured),
                Cell::text(spread(&measured.times, 1.0)),
            ];
            cells.extend(ratios(row, measured));
            // Last what a narrow page hides.
            cells.extend([
                Cell::text(measured.size.ands.to_string()),
                Cell::text(measured.depth.to_string()),
                Cell::text(format!("{:.0}", measured.room)),
                Cell::text(chosen(measured)),
            ]);
            rows.push(Row::Cells(name, cells));
        }
    }
    let weak = (bits < 128).then(|| {
        "80 bits are the paper's promise and too few for use: these sets are named WEAK_80."
            .to_owned()
    });
    Section {
        title: format!("Table 1, here at {bits} bits of security"),
        text: Vec::new(),
        table: Table {
            columns: columns.map(str::to_owned).to_vec(),
            rows,
        },
        charts: Vec::new(),
        remarks: weak.into_iter().collect(),
    }
}

/// HElib's column of table XXIV.
fn words(study: &Study) -> Section {
    let columns = [
        "unit of 16 bits",
        "HElib there, s",
        "ANDs",
        "depth",
        "parameters",
        "here, s",
        "HElib ÷ here",
    ];
    let rows = study.words.iter().map(|word| {
        let measured = &word.measured;
        let cells = vec![
            Cell::new(Origin::Paper, significant(word.seconds)),
            Cell::text(measured.size.ands.to_string()),
            Cell::text(measured.depth.to_string()),
            Cell::text(chosen(measured)),
            seconds(measured),
            Cell::text(ratio(word.seconds / measured.times.median)),
        ];
        Row::Cells(word.name.to_owned(), cells)
    });
    Section {
        title: "HElib in table XXIV of “CryptoEmu”, here at 128 bits of security".to_owned(),
        text: vec![
            "That table does not say which parameters or how many slots HElib had, so that there is no ratio per \
             slot. Each unit here has the smallest set that its depth allows."
                .to_owned(),
        ],
        table: Table {
            columns: columns.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        },
        charts: Vec::new(),
        remarks: Vec::new(),
    }
}
