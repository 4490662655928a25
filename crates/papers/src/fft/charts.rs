//! The study as bars: the paper's times, the library's and ours on one logarithmic axis.

use super::super::bench::Figure;
use super::super::report::{Bar, Bars, Chart, Group, significant};
use super::paper;
use super::study::{GateSet, Study};
use super::tables::heading;

/// The numbers of the series; ours follow, one for each set.
const PAPER: usize = 0;
const LIBRARY: usize = 1;
const OURS: usize = 2;

fn series(study: &Study) -> Vec<String> {
    let mut series = vec![
        format!("the paper, {}", paper::MACHINE),
        "the TFHE library, recorded".to_owned(),
    ];
    series.extend(study.gate_sets.iter().map(heading));
    series.extend(
        study
            .lookup_sets
            .iter()
            .map(|set| format!("ours, {}: lookups", set.name)),
    );
    series
}

/// Table 2.
pub(super) fn gates(study: &Study) -> Chart {
    let bar = |name: &str, milliseconds: f64, series| Bar {
        name: name.to_owned(),
        value: milliseconds,
        label: format!("{} ms", significant(milliseconds)),
        series,
    };
    let of_paper = study
        .paper
        .iter()
        .map(|of| bar(of.name, of.and_seconds * 1e3, PAPER));
    let of_library = study
        .library
        .iter()
        .map(|of| bar(&of.processor, of.ms, LIBRARY));
    let mut bars: Vec<Bar> = of_paper.chain(of_library).collect();
    for (number, set) in study.gate_sets.iter().enumerate() {
        let times = set.processors.iter();
        bars.extend(times.map(|times| {
            let name = format!("{}, {}", times.fft, short(set.name));
            bar(&name, times.and.median * 1e3, OURS + number)
        }));
    }
    Chart::Bars(Bars {
        title: "One AND, by FFT processor".to_owned(),
        axis: "milliseconds".to_owned(),
        series: series(study)
            .into_iter()
            .take(OURS + study.gate_sets.len())
            .collect(),
        groups: vec![Group {
            name: String::new(),
            bars,
        }],
    })
}

/// Table 3. Of the sets after the first only the fastest processor has a bar.
pub(super) fn sums(study: &Study) -> Chart {
    let groups = study
        .circuits
        .iter()
        .enumerate()
        .map(|(number, size)| Group {
            name: format!("blocks of {}", size.block),
            bars: group(study, number, size.block),
        });
    Chart::Bars(Bars {
        title: format!(
            "{} numbers of 32 bits added, by FFT processor and size of the adders' blocks",
            study.operands
        ),
        axis: "seconds".to_owned(),
        series: series(study),
        groups: groups.collect(),
    })
}

/// The bars of one size of blocks.
fn group(study: &Study, number: usize, block: usize) -> Vec<Bar> {
    let bar = |name: String, seconds: f64, mark: &str, series| Bar {
        name,
        value: seconds,
        label: format!("{mark}{} s", significant(seconds)),
        series,
    };
    let mut bars = Vec::new();
    if study.operands == paper::OPERANDS {
        let of_paper = study.paper.iter();
        bars.extend(
            of_paper.filter_map(|of| Some(bar(of.name.to_owned(), of.sum(block)?, "", PAPER))),
        );
    }
    if let (Some((row, _)), Some(size)) = (study.best_of_library(), study.circuits.get(number)) {
        let seconds = size.seconds(row.ms / 1e3, 1);
        bars.push(bar(row.processor.clone(), seconds, "†", LIBRARY));
    }
    for (of, set) in study.gate_sets.iter().enumerate() {
        for at in shown(set, of) {
            let times = &set.processors[at];
            let Some(figure) = times.sums.get(number) else {
                continue;
            };
            let mark = match figure {
                Figure::Measured(_) => "",
                Figure::Computed(_) | Figure::Simulated(_) => "≈",
            };
            let name = format!("{}, {}", times.fft, short(set.name));
            bars.push(bar(name, figure.seconds(), mark, OURS + of));
        }
    }
    for (of, set) in study.lookup_sets.iter().enumerate() {
        if let Some(best) = set.best() {
            let name = format!("{}, {}, lookups", best.fft, short(set.name));
            let series = OURS + study.gate_sets.len() + of;
            bars.push(bar(name, best.sum.median, "", series));
        }
    }
    bars
}

fn shown(set: &GateSet, number: usize) -> Vec<usize> {
    match number {
        0 => (0..set.processors.len()).collect(),
        _ => set.fastest().into_iter().collect(),
    }
}

/// A set's name without its promise.
fn short(name: &str) -> &str {
    name.split("_PFAIL").next().unwrap_or(name)
}
