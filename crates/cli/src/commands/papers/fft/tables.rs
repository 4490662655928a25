//! The study in words: the paper's column, ours and the ratio.

use tfhe::Fft;

use super::super::report::{Cell, Origin, Report, Row, Section, Table};
use super::measure::Times;
use super::paper::{self, counterpart};
use super::study::{Figure, GateSet, LookupSet, Study};
use super::{charts, circuit};
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
            processors(study),
            gates(study),
            sums(study),
            lookups(study),
            expansion(study),
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

/// What the paper says of its parameters, and what they are.
const SECURITY: &str = "The paper's parameters are the TFHE library's default of its day, n = 630: at least 110 bits \
     in the paper, 118 by today's lattice estimator.";

fn processors(study: &Study) -> Section {
    let columns = [
        "processor",
        "licence",
        "language and portability",
        "performance",
        "where",
    ];
    let mut rows = vec![Row::Heading("the paper".to_owned())];
    for library in &paper::LIBRARIES {
        let cells = [
            library.licence,
            library.language,
            library.performance,
            library.website,
        ];
        let cells = cells.map(|text| Cell::new(Origin::Paper, text)).to_vec();
        rows.push(Row::Cells(library.name.to_owned(), cells));
    }
    rows.push(Row::Heading("ours".to_owned()));
    let slowest = study.gate_sets.first().map_or(0.0, |set| {
        let medians = set.processors.iter().map(|times| times.and.median);
        medians.fold(0.0, f64::max)
    });
    for fft in ffts(study) {
        let Described {
            licence,
            language,
            place,
        } = described(fft);
        let and = study.gate_sets.first().and_then(|set| and_of(set, fft));
        let performance = and.map_or_else(
            || Cell::text(""),
            |and| Cell::new(Origin::Measured, format!("{:.1}", slowest / and.median)),
        );
        let cells = vec![
            Cell::text(licence),
            Cell::text(language),
            performance,
            Cell::text(place),
        ];
        rows.push(Row::Cells(fft.name().to_owned(), cells));
    }
    let of = study.gate_sets.first().map_or("", |set| set.name);
    Section {
        title: "Table 1: FFT processors".to_owned(),
        table: table(&columns, rows),
        remarks: match of {
            "" => Vec::new(),
            of => vec![format!(
                "Performance, ours: the slowest processor's AND over this one's, with {of}."
            )],
        },
        ..Section::default()
    }
}

struct Described {
    licence: &'static str,
    language: &'static str,
    place: &'static str,
}

fn described(fft: Fft) -> Described {
    let (licence, language, place) = match fft.name() {
        "scalar" => ("Apache 2 or MIT", "Rust, any machine", "blindcore"),
        "avx2" => ("Apache 2 or MIT", "Rust, AVX2 and FMA", "blindcore"),
        "avx512" => ("Apache 2 or MIT", "Rust, AVX-512", "blindcore"),
        "ntt" => (
            "Apache 2 or MIT",
            "Rust, exact, modulo 2^64 - 2^32 + 1",
            "blindcore",
        ),
        "rustfft" => (
            "Apache 2 or MIT",
            "Rust, SSE to AVX, NEON",
            "crates.io/crates/rustfft",
        ),
        "fftw" => ("GPL", "C", "www.fftw.org"),
        _ => ("", "", ""),
    };
    Described {
        licence,
        language,
        place,
    }
}

/// Every processor of the study, in the order of the first set.
fn ffts(study: &Study) -> Vec<Fft> {
    let mut ffts = Vec::new();
    let gates = study.gate_sets.iter().flat_map(|set| &set.processors);
    let lookups = study.lookup_sets.iter().flat_map(|set| &set.processors);
    for fft in gates.map(|of| of.fft).chain(lookups.map(|of| of.fft)) {
        if !ffts.contains(&fft) {
            ffts.push(fft);
        }
    }
    ffts
}

fn and_of(set: &GateSet, fft: Fft) -> Option<Times> {
    let times = set.processors.iter().find(|times| times.fft == fft)?;
    Some(times.and)
}

fn gates(study: &Study) -> Section {
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
    if study.library.iter().any(|row| row.machine != study.machine) {
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
        chart: Some(charts::gates(study)),
        remarks,
    }
}

pub(super) fn heading(set: &GateSet) -> String {
    format!("ours, {} ({} bits)", set.name, set.security_bits.floor())
}

fn sums(study: &Study) -> Section {
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
        let seconds = |size: &super::study::Size| size.seconds(recorded.ms / 1e3, 1);
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
            let mut cells: Vec<Cell> = times.sums.iter().map(figure).collect();
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
        chart: Some(charts::sums(study)),
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
                    Figure::Computed(_) => None,
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

fn lookups(study: &Study) -> Section {
    let columns = [
        "the same sum by lookups",
        "s",
        "least … most",
        "paper's best ÷",
        "library's best ÷",
        "our gates' best ÷",
    ];
    let paper_best = (study.operands == paper::OPERANDS)
        .then(|| study.best_of_paper())
        .flatten();
    let library_best = study.best_of_library().map(|(_, seconds)| seconds);
    let gates_best = study.gate_sets.iter().filter_map(GateSet::best_sum);
    let gates_best = gates_best.min_by(f64::total_cmp);
    let mut rows = Vec::new();
    for set in &study.lookup_sets {
        rows.push(Row::Heading(of_lookups(set)));
        for times in &set.processors {
            let against = |other: Option<f64>, origin| {
                other.map_or_else(
                    || Cell::text(""),
                    |seconds| Cell::new(origin, ratio(seconds / times.sum.median)),
                )
            };
            let cells = vec![
                Cell::new(Origin::Measured, significant(times.sum.median)),
                Cell::text(spread(&times.sum, 1.0)),
                against(paper_best, Origin::Text),
                against(library_best, Origin::Recorded),
                against(gates_best, Origin::Text),
            ];
            rows.push(Row::Cells(times.fft.name().to_owned(), cells));
        }
    }
    let best = study.best_of_library().map(|(row, seconds)| {
        format!(
            "The library's best: {} at {} ms a gate, {} s for the shortest of the circuits above.",
            row.processor,
            row.ms,
            significant(seconds)
        )
    });
    Section {
        title: "Table 3, continued: the same sum on the lookup engine".to_owned(),
        text: vec![
            "One bootstrap answers several functions of a sum of bits, so that all columns go \
             through compressors and carries ripple once."
                .to_owned(),
        ],
        table: table(&columns, rows),
        chart: None,
        remarks: best.into_iter().collect(),
    }
}

fn of_lookups(set: &LookupSet) -> String {
    format!(
        "ours, {} ({} bits): {} lookups at depth {}",
        set.name,
        set.security_bits.floor(),
        set.lookups,
        set.depth
    )
}

fn expansion(study: &Study) -> Section {
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
            Cell::new(origin, bytes(encrypted)),
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

fn table(columns: &[&str], rows: Vec<Row>) -> Table {
    Table {
        columns: columns.iter().map(|&head| head.to_owned()).collect(),
        rows,
    }
}

fn figure(figure: &Figure) -> Cell {
    let origin = match figure {
        Figure::Measured(_) => Origin::Measured,
        Figure::Computed(_) => Origin::Computed,
    };
    Cell::new(origin, significant(figure.seconds()))
}

/// Three significant digits, or all before the point.
pub(super) fn significant(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v if v >= 1.0 => format!("{v:.2}"),
        v if v >= 0.1 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}

fn milliseconds(seconds: f64) -> String {
    significant(seconds * 1e3)
}

fn spread(times: &Times, scale: f64) -> String {
    format!(
        "{} … {}",
        significant(times.least * scale),
        significant(times.most * scale)
    )
}

fn ratio(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}×"),
        v if v >= 10.0 => format!("{v:.1}×"),
        v => format!("{v:.2}×"),
    }
}

/// The least and the largest of some ratios; `None` of none.
fn range(ratios: &[f64]) -> Option<String> {
    let least = ratios.iter().copied().min_by(f64::total_cmp)?;
    let most = ratios.iter().copied().max_by(f64::total_cmp)?;
    let (least, most) = (ratio(least), ratio(most));
    Some(match least == most {
        true => least,
        false => format!("{} … {most}", least.trim_end_matches('×')),
    })
}
