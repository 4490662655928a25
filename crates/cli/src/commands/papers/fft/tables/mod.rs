//! The study in words: the paper's column, ours and the ratio.

mod expansion;
mod gates;
mod lookups;
mod processors;
mod sums;
mod written;

pub(super) use written::{heading, significant};

use super::super::report::{Report, Row, Table};
use super::paper;
use super::study::Study;
use crate::commands::bytes;

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
    }
}

/// The share of its time that a run on a quiet machine may wait for a processor.
const BUSY: f64 = 0.02;

fn facts(study: &Study) -> Vec<(String, String)> {
    let threads = match study.threads {
        1 => "1 thread".to_owned(),
        count => format!("{count} threads"),
    };
    let mut facts = vec![
        ("machine".to_owned(), study.machine.clone()),
        ("the paper's".to_owned(), paper::MACHINE.to_owned()),
        ("date".to_owned(), study.date.clone()),
        ("blindcore".to_owned(), study.version.clone()),
        (
            "command".to_owned(),
            format!("{}, {threads}", study.command),
        ),
    ];
    if let Some(share) = study.waited.filter(|&share| share > BUSY) {
        let busy = format!(
            "the machine was busy: the run waited {:.0} % of its time for a processor, so that its \
             times are too long",
            share * 100.0
        );
        facts.push(("caution".to_owned(), busy));
    }
    for set in &study.gate_sets {
        facts.push((
            set.name.to_owned(),
            format!(
                "gates: n = {}, N = {}, {} levels; {}; server key {}",
                set.dimension,
                set.polynomial_size,
                set.levels,
                promise(set.security_bits, set.log2_failure),
                bytes(set.key_bytes)
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
                bytes(set.key_bytes)
            ),
        ));
    }
    facts
}

fn promise(security_bits: f64, log2_failure: f64) -> String {
    format!(
        "{} bits of security, a bootstrap wrong at most once in 2^{:.0}",
        security_bits.floor(),
        -log2_failure
    )
}

fn table(columns: &[&str], rows: Vec<Row>) -> Table {
    Table {
        columns: columns.iter().map(|&head| head.to_owned()).collect(),
        rows,
    }
}
