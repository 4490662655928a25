//! The study in words: the paper's three machines, ours and the ratios.

use super::super::bench::{Figure, Outcome};
use super::super::report::{
    Bar, Bars, Cell, Chart, Group, Origin, Report, Row, Section, Table, ratio, significant,
};
use super::paper::{self, ONE_PROCESSOR, TWO_PROCESSORS};
use super::run::{Study, Sum};

/// What is asked of four numbers by lookups, against the best single processor.
const ASKED: f64 = 2000.0;

/// The document.
pub(super) fn report(study: &Study) -> Report {
    let mut facts = study.provenance.facts();
    let machines: Vec<&str> = study.machines.iter().map(|machine| machine.name).collect();
    facts.push(("the paper's".to_owned(), machines.join("; ")));
    facts.extend(study.gates.iter().map(|of| of.set.fact("gates")));
    facts.push(study.lookups.fact("lookups"));
    Report {
        title: format!("The tables of “{}”, measured here", paper::TITLE),
        lead: vec![
            format!("Reproduces tables III and IV of {}.", paper::SOURCE),
            "The paper adds encrypted numbers of 16 bits by five architectures of gates, each gate one \
             bootstrap of the TFHE library. The same circuits run here on the same kind of gate, and \
             the same sums on the lookup engine. One thread stands beside the paper's i5, two threads \
             beside its Xeon with two processors."
                .to_owned(),
        ],
        facts,
        sections: vec![
            section(study, "Table III: sums of two numbers", &paper::TWO),
            section(study, "Table IV: sums of four numbers", &paper::FOUR),
        ],
        parts: Vec::new(),
    }
}

fn section(study: &Study, title: &str, of_paper: &[paper::Row]) -> Section {
    let mut columns: Vec<String> = ["seconds", "operands", "AMD E1", "Intel i5", "Xeon (2)"]
        .map(str::to_owned)
        .to_vec();
    columns.push("bootstraps / depth".to_owned());
    columns.extend(study.threads.iter().map(|&count| match count {
        1 => "1 thread".to_owned(),
        _ => format!("{count} threads"),
    }));
    columns.extend(["i5 ÷ 1 thread", "Xeon ÷ 2 threads"].map(str::to_owned));
    let mut rows = vec![Row::Heading("the paper".to_owned())];
    for row in of_paper {
        let mut cells = vec![Cell::text(format!("({})", row.operands))];
        let seconds = row.seconds.iter();
        cells.extend(seconds.map(|seconds| Cell::new(Origin::Paper, format!("{seconds:.0}"))));
        cells.extend((0..study.threads.len() + 3).map(|_| blank()));
        rows.push(Row::Cells(row.name.to_owned(), cells));
    }
    for of in &study.gates {
        rows.push(Row::Heading(format!("{}: as drawn", of.set.heading())));
        for row in of_paper {
            let beside = [row.seconds[ONE_PROCESSOR], row.seconds[TWO_PROCESSORS]];
            let sums = of.sums.iter();
            let sums = sums.filter(|sum| (sum.name, sum.operands) == (row.name, row.operands));
            rows.extend(sums.map(|sum| measured(study, row.name, sum, beside)));
        }
    }
    rows.push(Row::Heading(format!(
        "{}: lookups, beside the paper's best of as many numbers",
        study.lookups.heading()
    )));
    for sum in &study.lookup_sums {
        let same = of_paper.iter().filter(|row| row.operands == sum.operands);
        let same: Vec<paper::Row> = same.copied().collect();
        if !same.is_empty() {
            let beside = [ONE_PROCESSOR, TWO_PROCESSORS].map(|of| paper::best(&same, of));
            let name = format!("{} numbers", sum.operands);
            rows.push(measured(study, &name, sum, beside));
        }
    }
    Section {
        title: title.to_owned(),
        text: vec![
            "The number in parentheses is the paper's: how many numbers are added.".to_owned(),
            "Gates as drawn: ripple (RCA), look-ahead in blocks of four columns (CLA), carry-save (CSA), \
             carry-select with an encrypted carry in (CSSA), Wallace's tree; a selection is two \
             bootstraps."
                .to_owned(),
        ],
        table: Table { columns, rows },
        charts: vec![chart(study, title, of_paper)],
        remarks: remarks(study, of_paper),
    }
}

fn blank() -> Cell {
    Cell::text("")
}

/// A row of ours; `beside` are the paper's times on one processor and on two.
fn measured(study: &Study, name: &str, sum: &Sum, beside: [f64; 2]) -> Row {
    let mut cells = vec![Cell::text(format!("({})", sum.operands))];
    cells.extend([blank(), blank(), blank()]);
    cells.push(sum.outcomes.first().map_or_else(blank, |outcome| {
        let size = outcome.size;
        Cell::text(format!("{} / {}", size.bootstraps, size.depth))
    }));
    for &count in &study.threads {
        cells.push(match sum.on(count) {
            Some(outcome) => Cell::figure(&outcome.figure, 1.0),
            None => Cell::text("–"),
        });
    }
    for (threads, seconds) in [1, 2].into_iter().zip(beside) {
        let times = |outcome: &Outcome| Cell::text(ratio(seconds / outcome.figure.seconds()));
        cells.push(sum.on(threads).map_or_else(blank, times));
    }
    Row::Cells(name.to_owned(), cells)
}

fn remarks(study: &Study, of_paper: &[paper::Row]) -> Vec<String> {
    let mut remarks = Vec::new();
    let best = paper::best(of_paper, ONE_PROCESSOR);
    let operands = of_paper.iter().map(|row| row.operands).max();
    let sum = study
        .lookup_sums
        .iter()
        .find(|sum| Some(sum.operands) == operands);
    if let (Some(4), Some(one)) = (operands, sum.and_then(|sum| sum.on(1))) {
        let times = best / one.figure.seconds();
        remarks.push(format!(
            "Four numbers by lookups on one thread take {} s, the paper's best on one processor {best:.0} \
             s: {}, where {ASKED:.0}× are asked for.",
            significant(one.figure.seconds()),
            ratio(times)
        ));
    }
    let ripple = of_paper.iter().find(|row| row.name == "RCA");
    let of_ours = study.gates.first().and_then(|of| {
        let row = ripple?;
        let sum = of.sums.iter().find(|sum| sum.operands == row.operands)?;
        sum.on(1)
    });
    if let (Some(row), Some(outcome)) = (ripple, of_ours) {
        let gates = outcome.size.bootstraps;
        remarks.push(format!(
            "The paper's {:.0} s for a ripple adder are {} s for each of its {gates} gates on the i5, where \
             the library took some 30 ms: the paper does not say what else its program does.",
            row.seconds[ONE_PROCESSOR],
            significant(row.seconds[ONE_PROCESSOR] / gates as f64)
        ));
    }
    remarks
}

/// The paper's single processor and ours on one thread.
fn chart(study: &Study, title: &str, of_paper: &[paper::Row]) -> Chart {
    let mut series = vec!["the paper, Intel i5".to_owned()];
    series.extend(study.gates.iter().map(|of| of.set.heading()));
    series.push(format!("{}: lookups", study.lookups.heading()));
    let bar = |name: &str, figure: &Figure, series| {
        let mark = match figure {
            Figure::Measured(_) => "",
            _ => "~",
        };
        Bar {
            name: name.to_owned(),
            value: figure.seconds(),
            label: format!("{mark}{} s", significant(figure.seconds())),
            series,
        }
    };
    let groups = of_paper.iter().map(|row| {
        let seconds = row.seconds[ONE_PROCESSOR];
        let mut bars = vec![Bar {
            name: "the paper".to_owned(),
            value: seconds,
            label: format!("{seconds:.0} s"),
            series: 0,
        }];
        for (number, of) in study.gates.iter().enumerate() {
            let sums = of.sums.iter();
            let sums = sums.filter(|sum| (sum.name, sum.operands) == (row.name, row.operands));
            let ones = sums.filter_map(|sum| sum.on(1));
            bars.extend(ones.map(|one| bar("gates", &one.figure, 1 + number)));
        }
        let sums = study.lookup_sums.iter();
        let sums = sums.filter(|sum| sum.operands == row.operands);
        let ones = sums.filter_map(|sum| sum.on(1));
        bars.extend(ones.map(|one| bar("lookups", &one.figure, 1 + study.gates.len())));
        Group {
            name: format!("{} ({})", row.name, row.operands),
            bars,
        }
    });
    Chart::Bars(Bars {
        title: format!("{title}, one processor"),
        axis: "seconds".to_owned(),
        series,
        groups: groups.collect(),
    })
}
