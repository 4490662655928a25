//! Table 3: ten numbers added by chains of carry look-ahead adders.

use super::super::super::bench::Figure;
use super::super::super::report::{Cell, Origin, Row, Section, Table, range, significant, spread};
use super::super::paper::{self, counterpart};
use super::super::study::{Size, Study};
use super::super::{charts, circuit};
use super::heading;

pub(super) fn section(study: &Study) -> Section {
    let blocks: Vec<usize> = study.circuits.iter().map(|size| size.block).collect();
    let mut columns = vec!["seconds".to_owned()];
    columns.extend(blocks.iter().map(|block| format!("CLA{block}")));
    columns.extend(["beside".to_owned(), "paper ÷ ours".to_owned()]);
    let mut rows = Vec::new();
    let as_in_paper = study.operands == paper::OPERANDS;
    if as_in_paper {
        rows.push(Row::Heading(format!("the paper, {}", paper::MACHINE)));
        for processor in &study.paper {
            let cell = |&block: &usize| {
                let time = processor.sum(block);
                time.map_or_else(
                    || Cell::text(""),
                    |time| Cell::new(Origin::Paper, format!("{time:.1}")),
                )
            };
            let mut cells: Vec<Cell> = blocks.iter().map(cell).collect();
            cells.extend([Cell::text(""), Cell::text("")]);
            rows.push(Row::Cells(processor.name.to_owned(), cells));
        }
    }
    if !study.library.is_empty() {
        rows.push(Row::Heading(
            "the TFHE library's recorded gate times the gates of our circuits".to_owned(),
        ));
    }
    for recorded in &study.library {
        let seconds = |size: &Size| size.seconds(recorded.ms / 1e3, 1);
        let times = study.circuits.iter().map(seconds);
        let mut cells: Vec<Cell> = times
            .map(|time| Cell::new(Origin::Recorded, significant(time)))
            .collect();
        cells.extend([Cell::text(""), Cell::text("")]);
        rows.push(Row::Cells(recorded.processor.clone(), cells));
    }
    for set in &study.gate_sets {
        rows.push(Row::Heading(heading(set)));
        for times in &set.processors {
            let beside = counterpart(times.fft);
            let mut cells: Vec<Cell> = times
                .sums
                .iter()
                .map(|figure| Cell::figure(figure, 1.0))
                .collect();
            let ratios = blocks.iter().zip(&times.sums);
            let ratios: Vec<f64> = ratios
                .filter_map(|(&block, figure)| Some(beside.sum(block)? / figure.seconds()))
                .collect();
            match (as_in_paper, range(&ratios)) {
                (true, Some(range)) => cells.extend([Cell::text(beside.name), Cell::text(range)]),
                _ => cells.extend([Cell::text(""), Cell::text("")]),
            }
            rows.push(Row::Cells(times.fft.name().to_owned(), cells));
        }
    }
    Section {
        title: format!(
            "Table 3: {} operands of {} bits by {} carry look-ahead adders",
            study.operands,
            circuit::WIDTH,
            study.operands - 1
        ),
        text: vec![
            format!(
                "The adders are chained and the sum is kept to {} bits. Gates, each one bootstrap, \
                 and the longest chain of them: {}.",
                circuit::WIDTH,
                sizes(study)
            ),
            implied(study),
        ],
        table: Table { columns, rows },
        charts: vec![charts::sums(study)],
        remarks: run_whole(study),
    }
}

fn sizes(study: &Study) -> String {
    let sizes: Vec<String> = study
        .circuits
        .iter()
        .map(|size| format!("CLA{} {} at depth {}", size.block, size.gates, size.depth))
        .collect();
    sizes.join(", ")
}

/// What the paper's times say about its circuits.
fn implied(study: &Study) -> String {
    let gates = || {
        paper::PROCESSORS
            .iter()
            .flat_map(paper::Processor::implied_gates)
    };
    let (least, most) = (
        gates().fold(f64::INFINITY, f64::min),
        gates().fold(0.0, f64::max),
    );
    let ours: Vec<String> = study
        .circuits
        .iter()
        .map(|size| {
            format!(
                "{} with blocks of {}",
                size.gates / (study.operands - 1),
                size.block
            )
        })
        .collect();
    format!(
        "In the paper an adder takes as long as {least:.0} to {most:.0} of its ANDs, whatever the \
         block: about the five gates for each bit of plain full adders. The formulas of its §III, \
         which ours follow, take {}; the difference is in the ratios.",
        ours.join(", ")
    )
}

/// Which sums were run, and how often.
fn run_whole(study: &Study) -> Vec<String> {
    let mut remarks = Vec::new();
    for set in &study.gate_sets {
        for times in &set.processors {
            let spreads: Vec<String> = study
                .circuits
                .iter()
                .zip(&times.sums)
                .filter_map(|(size, figure)| match figure {
                    Figure::Measured(of) if of.rounds > 1 => {
                        Some(format!("CLA{} {} s", size.block, spread(of, 1.0)))
                    }
                    Figure::Measured(_) => Some(format!("CLA{}", size.block)),
                    Figure::Computed(_) | Figure::Simulated(_) => None,
                })
                .collect();
            if !spreads.is_empty() {
                remarks.push(format!(
                    "Run whole, the sum decrypted and right: {} by {}: {}.",
                    set.name,
                    times.fft,
                    spreads.join(", ")
                ));
            }
        }
    }
    if remarks.is_empty() && !study.gate_sets.is_empty() {
        remarks.push("No sum of gates was run whole.".to_owned());
    }
    remarks
}
