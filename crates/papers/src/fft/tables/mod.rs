//! The study in words: the paper's column, ours and the ratio.

mod expansion;
mod gates;
mod lookups;
mod processors;
mod sums;

use super::super::report::{Report, Row, Table, promise};
use super::paper;
use super::study::{GateSet, Study};
use values::bytes_in_words;

/// The document.
pub(super) fn report(study: &Study) -> Report {
    Report {
        title: format!("The tables of “{}”, measured here", paper::TITLE),
        lead: vec![
            format!("Reproduces tables 1 to 3 of {}.", paper::SOURCE),
            "The paper adds ten encrypted numbers of 32 bits with nine carry look-ahead adders of the \
             TFHE library, one bootstrap for each gate, and exchanges the FFT under the bootstrap. The \
             same circuits run here on the same kind of gate; ratios are the paper's time over ours, \
             and the machines differ by the years between them."
                .to_owned(),
        ],
        facts: facts(study),
        sections: vec![
            processors::section(study),
            gates::section(study),
            sums::section(study),
            lookups::section(study),
            expansion::section(study),
        ],
        parts: Vec::new(),
    }
}

fn facts(study: &Study) -> Vec<(String, String)> {
    let mut facts = study.provenance.facts();
    facts.push(("the paper's".to_owned(), paper::MACHINE.to_owned()));
    facts.push(("threads".to_owned(), study.threads.to_string()));
    for set in &study.gate_sets {
        facts.push((
            set.name.to_owned(),
            format!(
                "gates: n = {}, N = {}, {} levels; {}; server key {}",
                set.dimension,
                set.polynomial_size,
                set.levels,
                promise(set.security_bits, set.log2_failure),
                bytes_in_words(set.key_bytes)
            ),
        ));
    }
    for set in &study.lookup_sets {
        facts.push((
            set.name.to_owned(),
            format!(
                "lookups: n = {}, N = {}; {}; server key {}",
                set.dimension,
                set.polynomial_size,
                promise(set.security_bits, set.log2_failure),
                bytes_in_words(set.key_bytes)
            ),
        ));
    }
    facts
}

/// What stands above a set's rows.
pub(super) fn heading(set: &GateSet) -> String {
    format!("ours, {} ({} bits)", set.name, set.security_bits.floor())
}

fn table(columns: &[&str], rows: Vec<Row>) -> Table {
    Table {
        columns: columns.iter().map(|&head| head.to_owned()).collect(),
        rows,
    }
}
