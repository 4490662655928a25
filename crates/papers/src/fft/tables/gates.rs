//! Table 2: one AND.

use super::super::super::report::{Cell, Origin, Row, Section, milliseconds, ratio, spread};
use super::super::charts;
use super::super::paper::{self, counterpart};
use super::super::study::Study;
use super::heading;
use super::table;

/// What the paper says of its parameters, and what they are.
const SECURITY: &str = "The paper's parameters are the TFHE library's default of its day, n = 630: at least 110 bits \
     in the paper, 118 by today's lattice estimator.";

pub(super) fn section(study: &Study) -> Section {
    let columns = [
        "one AND",
        "ms",
        "least … most",
        "beside",
        "paper ÷ ours",
        "library ÷ ours",
    ];
    let blank = || Cell::text("");
    let mut rows = vec![Row::Heading(format!("the paper, {}", paper::MACHINE))];
    for processor in &study.paper {
        let time = Cell::new(Origin::Paper, milliseconds(processor.and_seconds));
        let cells = vec![time, blank(), blank(), blank(), blank()];
        rows.push(Row::Cells(processor.name.to_owned(), cells));
    }
    for recorded in &study.library {
        let heading = Row::Heading(format!(
            "the TFHE library, recorded {}: {}; its commit {}; {}",
            recorded.date, recorded.machine, recorded.peer_commit, recorded.parameters
        ));
        let repeated =
            |row: &Row| matches!((row, &heading), (Row::Heading(a), Row::Heading(b)) if a == b);
        if !rows.iter().any(repeated) {
            rows.push(heading);
        }
        let time = Cell::new(Origin::Recorded, milliseconds(recorded.ms / 1e3));
        let cells = vec![time, blank(), blank(), blank(), blank()];
        rows.push(Row::Cells(recorded.processor.clone(), cells));
    }
    for set in &study.gate_sets {
        rows.push(Row::Heading(heading(set)));
        for times in &set.processors {
            let beside = counterpart(times.fft);
            let library = study
                .library
                .iter()
                .find(|row| row.processor == beside.library_name)
                .map_or_else(blank, |row| {
                    Cell::new(Origin::Recorded, ratio(row.ms / 1e3 / times.and.median))
                });
            let cells = vec![
                Cell::new(Origin::Measured, milliseconds(times.and.median)),
                Cell::text(spread(&times.and, 1e3)),
                Cell::text(beside.name),
                Cell::text(ratio(beside.and_seconds / times.and.median)),
                library,
            ];
            rows.push(Row::Cells(times.fft.name().to_owned(), cells));
        }
    }
    let mut remarks = vec![
        "Beside: portable code stands beside the paper's portable code, a general library beside its \
         general library, everything else beside its fastest for the sums."
            .to_owned(),
    ];
    if study
        .library
        .iter()
        .any(|row| row.machine != study.provenance.machine)
    {
        remarks.push(
            "The library's rows were recorded on a machine that calls itself otherwise than this \
             one: their ratios hold only as far as the two are alike."
                .to_owned(),
        );
    }
    let rounds = study.gate_sets.iter().flat_map(|set| &set.processors);
    let rounds = rounds.map(|times| times.and.rounds).max().unwrap_or(0);
    Section {
        title: "Table 2: execution time of a two-bit AND".to_owned(),
        text: vec![
            SECURITY.to_owned(),
            format!(
                "Ours: medians of {rounds}, all four pairs of bits in turn, every answer decrypted \
                 before its time counts."
            ),
        ],
        table: table(&columns, rows),
        charts: vec![charts::gates(study)],
        remarks,
    }
}
